//! `model.safetensors`: weights, examples, trees.
//!
//! Everything read is checked before it is used; the structure checks itself (`hedgerow_core::snapshot`).

use std::collections::HashMap;
use std::path::Path;

use hedgerow_core::snapshot::NONE;
use hedgerow_core::{Calibration, ClassId, ExampleId, Label, PointKind, Points, PointsRef, Snapshot, TreeSnapshot};
use hedgerow_data::RowIds;
use hedgerow_learn::DenseNetwork;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::config::Config;
use crate::error::{LoadError, SaveError};
use crate::model::{Common, Model, OriginalExamples, Structure};

/// What the file says that it is. One entry alone: with several, their order, and so the bytes, would change from save to save.
const METADATA: (&str, &str) = ("format", "hedgerow-model");

/// What the arrays of a model are.
pub(super) struct Parts {
    pub(super) transform: Option<DenseNetwork>,
    pub(super) structure: Structure,
    pub(super) calibration: Calibration,
    pub(super) originals: OriginalExamples,
    pub(super) sources: RowIds,
    pub(super) left_out: Vec<ExampleId>,
}

/// An array on its way out.
struct Array {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Arrays(Vec<Array>);

impl Arrays {
    fn add(&mut self, name: impl Into<String>, dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) {
        self.0.push(Array { name: name.into(), dtype, shape, bytes });
    }

    fn u32(&mut self, name: impl Into<String>, values: &[u32]) {
        self.add(name, Dtype::U32, vec![values.len()], values.iter().flat_map(|value| value.to_le_bytes()).collect());
    }

    fn u64(&mut self, name: impl Into<String>, values: impl ExactSizeIterator<Item = u64>) {
        let n = values.len();
        self.add(name, Dtype::U64, vec![n], values.flat_map(u64::to_le_bytes).collect());
    }

    fn f64(&mut self, name: impl Into<String>, values: &[f64]) {
        self.add(name, Dtype::F64, vec![values.len()], values.iter().flat_map(|value| value.to_le_bytes()).collect());
    }

    fn f32(&mut self, name: impl Into<String>, shape: Vec<usize>, values: &[f32]) {
        self.add(name, Dtype::F32, shape, values.iter().flat_map(|value| value.to_le_bytes()).collect());
    }

    fn points(&mut self, name: impl Into<String>, points: PointsRef<'_>) {
        let shape = vec![points.len(), points.width()];
        match points.as_u8() {
            Some(bytes) => self.add(name, Dtype::U8, shape, bytes.to_vec()),
            None => self.f32(name, shape, points.as_f32().unwrap_or_default()),
        }
    }
}

/// All arrays of a model, as the bytes of the file.
pub(super) fn of(model: &Model, snapshot: &Snapshot) -> Result<Vec<u8>, SaveError> {
    let mut arrays = Arrays::default();
    if let Some(transform) = &model.transform {
        let mut inputs = transform.architecture().n_inputs;
        let mut rest = transform.parameters();
        for (layer, &outputs) in transform.architecture().layers.iter().enumerate() {
            let (weights, after) = rest.split_at(inputs * outputs);
            let (bias, after) = after.split_at(outputs);
            arrays.f32(format!("network.{layer}.weight"), vec![inputs, outputs], weights);
            arrays.f32(format!("network.{layer}.bias"), vec![outputs], bias);
            (inputs, rest) = (outputs, after);
        }
    }
    if let Some(points) = &snapshot.points {
        arrays.points("examples.points", points.view());
    }
    arrays.u64("examples.ids", snapshot.ids.iter().map(|id| id.0));
    let class = |label: &Label| label.as_class().map_or(NONE, |class| class.0);
    arrays.u32("examples.classes", &snapshot.labels.iter().map(class).collect::<Vec<_>>());
    if snapshot.labels.iter().any(|label| label.as_value().is_some()) {
        let values: Vec<f32> = snapshot.labels.iter().map(|label| label.as_value().unwrap_or(f32::NAN)).collect();
        arrays.f32("examples.values", vec![values.len()], &values);
    }
    for (tree, TreeSnapshot { nodes, parents, order, answers }) in snapshot.trees.iter().enumerate() {
        for (what, values) in [("nodes", nodes), ("parents", parents), ("order", order), ("answers", answers)] {
            if !values.is_empty() {
                arrays.u32(format!("trees.{tree}.{what}"), values);
            }
        }
    }
    if matches!(model.structure, Structure::Set(_)) {
        arrays.u32("set.members", &snapshot.members);
        arrays.u32("set.answers", &snapshot.answers);
    }
    if let Some(points) = model.originals.points() {
        arrays.points("originals.points", points);
        arrays.u64("originals.ids", model.originals.ids().iter().map(|id| id.0));
    }
    arrays.f64("novelty.distances", model.calibration.distances());
    match &model.sources {
        RowIds::Numbers(numbers) => arrays.u64("sources.numbers", numbers.iter().copied()),
        RowIds::Names(names) => {
            let ends = names.iter().scan(0_u64, |end, name| {
                *end += name.len() as u64;
                Some(*end)
            });
            arrays.u64("sources.ends", ends.collect::<Vec<_>>().into_iter());
            let texts = names.concat().into_bytes();
            arrays.add("sources.texts", Dtype::U8, vec![texts.len()], texts);
        }
    }
    if !model.left_out.is_empty() {
        arrays.u64("editing.left_out", model.left_out.iter().map(|id| id.0));
    }
    let failed = |_| SaveError::Unwritable { what: "an array of this size" };
    let views: Result<Vec<_>, _> = arrays
        .0
        .iter()
        .map(|array| TensorView::new(array.dtype, array.shape.clone(), &array.bytes).map(|view| (&array.name, view)))
        .collect();
    let metadata = HashMap::from([(METADATA.0.to_owned(), METADATA.1.to_owned())]);
    safetensors::serialize(views.map_err(failed)?, Some(metadata)).map_err(failed)
}

/// The shape of an array, and what is in it.
type Shaped<T> = (Vec<usize>, T);

/// The arrays of a file.
struct Found<'a> {
    path: &'a Path,
    tensors: SafeTensors<'a>,
}

impl Found<'_> {
    fn damaged(&self, what: String) -> LoadError {
        LoadError::Damaged { path: self.path.to_owned(), what }
    }

    /// The shape and bytes of an array of this type; nothing if there is none of this name.
    fn array(&self, name: &str, dtype: Dtype) -> Result<Option<Shaped<&[u8]>>, LoadError> {
        let Ok(tensor) = self.tensors.tensor(name) else { return Ok(None) };
        if tensor.dtype() != dtype {
            return Err(
                self.damaged(format!("{name} has numbers of type {:?} where {dtype:?} is expected", tensor.dtype()))
            );
        }
        Ok(Some((tensor.shape().to_vec(), tensor.data())))
    }

    fn needed<T>(&self, name: &str, array: Option<T>) -> Result<T, LoadError> {
        array.ok_or_else(|| self.damaged(format!("it has no {name}")))
    }

    fn u32(&self, name: &str) -> Result<Option<Vec<u32>>, LoadError> {
        let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(self.array(name, Dtype::U32)?.map(|(_, bytes)| bytes.chunks_exact(4).map(number).collect()))
    }

    fn u64(&self, name: &str) -> Result<Option<Vec<u64>>, LoadError> {
        Ok(self.array(name, Dtype::U64)?.map(|(_, bytes)| eights(bytes).map(u64::from_le_bytes).collect()))
    }

    fn f64(&self, name: &str) -> Result<Option<Vec<f64>>, LoadError> {
        Ok(self.array(name, Dtype::F64)?.map(|(_, bytes)| eights(bytes).map(f64::from_le_bytes).collect()))
    }

    fn f32(&self, name: &str) -> Result<Option<Shaped<Vec<f32>>>, LoadError> {
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let array = self.array(name, Dtype::F32)?;
        Ok(array.map(|(shape, bytes)| (shape, bytes.chunks_exact(4).map(number).collect())))
    }

    fn points(&self, name: &str, kind: PointKind) -> Result<Option<Points>, LoadError> {
        let refuse = |error: hedgerow_core::PointsError| self.damaged(format!("{name}: {error}"));
        let width = |shape: &[usize]| match shape {
            [_, width] => Ok(*width),
            shape => Err(self.damaged(format!("{name} has {} dimensions where 2 are expected", shape.len()))),
        };
        Ok(match kind {
            PointKind::U8 => match self.array(name, Dtype::U8)? {
                Some((shape, bytes)) => Some(Points::from_u8(width(&shape)?, bytes.to_vec()).map_err(refuse)?),
                None => None,
            },
            PointKind::F32 => match self.f32(name)? {
                Some((shape, values)) => Some(Points::from_f32(width(&shape)?, values).map_err(refuse)?),
                None => None,
            },
        })
    }
}

fn eights(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> + '_ {
    bytes.chunks_exact(8).map(|eight| std::array::from_fn(|at| eight[at]))
}

/// Takes a model's arrays out of a file.
pub(super) fn parse(path: &Path, bytes: &[u8], config: &Config) -> Result<Parts, LoadError> {
    let damaged = |what: String| LoadError::Damaged { path: path.to_owned(), what };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|error| damaged(error.to_string()))?;
    let format = header.metadata().as_ref().and_then(|metadata| metadata.get(METADATA.0));
    if format.map(String::as_str) != Some(METADATA.1) {
        return Err(damaged("it is no file of a hedgerow model".to_owned()));
    }
    let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
    let found = Found { path, tensors };
    let transform = network(&found, config)?;
    let data = &config.facts.data;
    let (width, kind) = match &transform {
        Some(transform) => (transform.architecture().n_outputs(), PointKind::F32),
        None if config.preprocessing.is_none() => (data.n_features, data.kind()),
        None => (data.n_features, PointKind::F32),
    };
    let points = found.points("examples.points", kind)?;
    if let Some(got) = points.as_ref().map(Points::width).filter(|got| *got != width) {
        return Err(damaged(format!("examples.points has {got} columns where {width} are expected")));
    }
    let snapshot = snapshot(&found, config, points)?;
    let common = Common::of(&config.facts.params, config.facts.task);
    let structure = config.facts.params.structure.restore(&common, snapshot);
    let structure = structure.map_err(|source| LoadError::Structure { path: path.to_owned(), source })?;
    let originals = match (found.points("originals.points", data.kind())?, found.u64("originals.ids")?) {
        (Some(points), Some(ids)) if points.width() == data.n_features => {
            let ids = ids.into_iter().map(ExampleId).collect();
            OriginalExamples::from_parts(ids, points.view())
                .ok_or_else(|| damaged("originals.ids and originals.points do not belong together".to_owned()))?
        }
        (None, None) => OriginalExamples::new(data.n_features, data.kind()),
        _ => return Err(damaged("originals.ids and originals.points do not belong together".to_owned())),
    };
    let sources = sources(&found)?;
    if sources.len() != data.n_examples {
        let (got, expected) = (sources.len(), data.n_examples);
        return Err(damaged(format!("it has the sources of {got} examples where {expected} are expected")));
    }
    let after = structure.search().kept_ids().iter().map(|id| id.0.saturating_add(1)).max();
    let least = after.unwrap_or(0).max(data.n_examples as u64);
    if config.next_id < least {
        return Err(damaged(format!("next_id of config.json is {}, and must be at least {least}", config.next_id)));
    }
    let left_out = found.u64("editing.left_out")?.unwrap_or_default();
    if left_out.windows(2).any(|two| two[0] >= two[1])
        || left_out.last().is_some_and(|&id| id >= data.n_examples as u64)
    {
        return Err(damaged(format!("editing.left_out must rise, and be below {}", data.n_examples)));
    }
    if config.facts.params.editing.is_none() && !left_out.is_empty() {
        return Err(damaged("it has editing.left_out, and by config.json nothing was edited".to_owned()));
    }
    let left_out: Vec<ExampleId> = left_out.into_iter().map(ExampleId).collect();
    if let Some(id) = left_out.iter().find(|id| structure.search().example(**id).is_some()) {
        return Err(damaged(format!("example {id} is kept, and editing.left_out has it too")));
    }
    let distances = found.needed("novelty.distances", found.f64("novelty.distances")?)?;
    let calibration = Calibration::from_distances(distances);
    Ok(Parts { transform, structure, calibration, originals, sources, left_out })
}

fn network(found: &Found<'_>, config: &Config) -> Result<Option<DenseNetwork>, LoadError> {
    let Some(network) = &config.network else { return Ok(None) };
    let refuse = |error: hedgerow_learn::ApplyError| found.damaged(format!("the network: {error}"));
    network.architecture.check().map_err(refuse)?;
    let mut parameters = Vec::new();
    let mut inputs = network.architecture.n_inputs;
    for (layer, &outputs) in network.architecture.layers.iter().enumerate() {
        for (what, expected) in [("weight", vec![inputs, outputs]), ("bias", vec![outputs])] {
            let name = format!("network.{layer}.{what}");
            let (shape, values) = found.needed(&name, found.f32(&name)?)?;
            if shape != expected {
                return Err(found.damaged(format!("{name} has the shape {shape:?} where {expected:?} is expected")));
            }
            parameters.extend(values);
        }
        inputs = outputs;
    }
    if network.architecture.n_inputs != config.facts.data.n_features {
        return Err(found.damaged("the network takes other features than the model".to_owned()));
    }
    DenseNetwork::from_parameters(network.architecture.clone(), network.scale, &parameters).map(Some).map_err(refuse)
}

fn snapshot(found: &Found<'_>, config: &Config, points: Option<Points>) -> Result<Snapshot, LoadError> {
    let classes = found.needed("examples.classes", found.u32("examples.classes")?)?;
    let values = found.f32("examples.values")?.map(|(_, values)| values);
    if values.as_ref().is_some_and(|values| values.len() != classes.len()) {
        return Err(found.damaged("examples.values and examples.classes are not equally many".to_owned()));
    }
    let n_classes = config.facts.schema.class_names.len();
    if let Some(class) = classes.iter().find(|class| **class != NONE && **class as usize >= n_classes) {
        return Err(found.damaged(format!("an example is of class {class}, and there are {n_classes} classes")));
    }
    let label = |(row, &class): (usize, &u32)| match (class, &values) {
        (NONE, Some(values)) if !values[row].is_nan() => Label::Value(values[row]),
        (NONE, _) => Label::Unlabeled,
        (class, _) => Label::Class(ClassId(class)),
    };
    let list = |name: String| found.u32(&name).map(Option::unwrap_or_default);
    let tree = |tree: usize| -> Result<TreeSnapshot, LoadError> {
        Ok(TreeSnapshot {
            nodes: list(format!("trees.{tree}.nodes"))?,
            parents: list(format!("trees.{tree}.parents"))?,
            order: list(format!("trees.{tree}.order"))?,
            answers: list(format!("trees.{tree}.answers"))?,
        })
    };
    // As many as there can be: a number from a file must not decide how much memory is taken.
    const MOST_TREES: usize = 1 << 16;
    if config.n_trees > MOST_TREES {
        return Err(found.damaged(format!("there are {} trees, more than there can be", config.n_trees)));
    }
    Ok(Snapshot {
        points,
        labels: classes.iter().enumerate().map(label).collect(),
        ids: found.needed("examples.ids", found.u64("examples.ids")?)?.into_iter().map(ExampleId).collect(),
        n_shown: config.n_shown,
        is_rooted: config.is_rooted,
        trees: (0..config.n_trees).map(tree).collect::<Result<_, _>>()?,
        members: list("set.members".to_owned())?,
        answers: list("set.answers".to_owned())?,
    })
}

fn sources(found: &Found<'_>) -> Result<RowIds, LoadError> {
    if let Some(numbers) = found.u64("sources.numbers")? {
        return Ok(RowIds::Numbers(numbers));
    }
    let ends = found.needed("sources.ends", found.u64("sources.ends")?)?;
    let (_, texts) = found.needed("sources.texts", found.array("sources.texts", Dtype::U8)?)?;
    let mut start = 0;
    let mut names = Vec::with_capacity(ends.len());
    for end in ends {
        let text = usize::try_from(end).ok().and_then(|end| texts.get(start..end));
        let text = text.and_then(|text| std::str::from_utf8(text).ok());
        let text = text.ok_or_else(|| found.damaged("sources.ends does not fit sources.texts".to_owned()))?;
        names.push(text.to_owned());
        start += text.len();
    }
    Ok(RowIds::Names(names))
}
