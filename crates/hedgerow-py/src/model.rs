//! A fitted model.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use hedgerow::data::LabelMeaning;
use hedgerow::{Addition, AnswerError, ChangeError, Effort, ExampleId, Insertion, Label, LoadError, Point, Task};
use hedgerow_report::Views;
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::decision::Decision;
use crate::error::{change_error, journal_error, load_error, save_error, value_error};
use crate::json;
use crate::points::{Array, matrix};
use crate::threads::{own_pool, shared_pool};

type Vector<'py, T> = Bound<'py, PyArray1<T>>;
type Matrix<'py, T> = Bound<'py, PyArray2<T>>;

/// A model of the library. Many threads may ask it; whoever changes it is alone meanwhile.
#[pyclass(frozen, module = "hedgerow._native")]
pub(crate) struct Model {
    model: RwLock<hedgerow::Model>,
    /// Seconds that the engine took to fit it; none if it was not fitted by this process.
    fit_seconds: Option<f64>,
    /// The process that opened its journal, if it writes to one.
    attached_in: Option<u32>,
}

impl Model {
    pub(crate) fn fitted(model: hedgerow::Model, fit_seconds: f64) -> Self {
        Self { model: RwLock::new(model), fit_seconds: Some(fit_seconds), attached_in: None }
    }

    /// Reads a model, in threads of this process: those of rayon's common pool are not there in one that was forked.
    fn read_in(
        py: Python<'_>,
        n_threads: usize,
        attached_in: Option<u32>,
        read: impl FnOnce() -> Result<hedgerow::Model, LoadError> + Send,
    ) -> PyResult<Self> {
        let pool = own_pool(n_threads)?;
        let model = py.detach(|| pool.install(read)).map_err(load_error)?;
        Ok(Self { model: RwLock::new(model), fit_seconds: None, attached_in })
    }

    /// Refuses what needs the journal in a process that was forked from the one that opened it: the database allows no such connection.
    fn check_process(&self) -> PyResult<()> {
        match self.attached_in {
            Some(process) if process != std::process::id() => Err(PyRuntimeError::new_err(format!(
                "the model is attached to its folder by process {process}, which this one was forked from, and its journal \
                 cannot be shared; load it here anew (attach=True)"
            ))),
            _ => Ok(()),
        }
    }

    // The lock is waited for without Python's, which whoever holds it may want.
    fn read(&self) -> RwLockReadGuard<'_, hedgerow::Model> {
        self.model.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, hedgerow::Model> {
        self.model.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the model about points, without Python's lock.
    fn ask<T: Send, E: std::fmt::Display + Send>(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        n_threads: usize,
        question: impl FnOnce(&hedgerow::Model, hedgerow::PointsRef<'_>) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        let array = Array::of(points)?;
        let points = array.points()?;
        let pool = shared_pool(py, n_threads)?;
        let ask = || {
            // Locked here, and not in the pool: `threads.rs` says why.
            let model: &hedgerow::Model = &self.read();
            pool.install(|| question(model, points))
        };
        py.detach(ask).map_err(value_error)
    }

    /// Looks at what needs no computing.
    fn look<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&hedgerow::Model) -> T + Send) -> T {
        py.detach(|| look(&self.read()))
    }

    fn change<T: Send>(
        &self,
        py: Python<'_>,
        n_threads: usize,
        change: impl FnOnce(&mut hedgerow::Model) -> Result<T, ChangeError> + Send,
    ) -> PyResult<T> {
        self.check_process()?;
        // One with a journal on disk waits for others who write to it, who may be threads of this process.
        let pool = match self.attached_in {
            Some(_) => Arc::new(own_pool(n_threads)?),
            None => shared_pool(py, n_threads)?,
        };
        let change = || {
            let model: &mut hedgerow::Model = &mut self.write();
            pool.install(|| change(model))
        };
        py.detach(change).map_err(change_error)
    }
}

#[pymethods]
impl Model {
    /// Labels, and whether the model says that it does not know: `(codes, unknown)`, or `(values, unknown)`.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        n_threads: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Vector<'py, bool>)> {
        let said = self.ask(py, points, n_threads, |model, points| model.predict(points))?;
        let unknown = PyArray1::from_vec(py, said.iter().map(|said| said.unknown.is_some()).collect());
        let labels = match self.look(py, hedgerow::Model::task) {
            Task::Regression { .. } => {
                let value = |label: Label| label.as_value().unwrap_or(f32::NAN);
                PyArray1::from_vec(py, said.iter().map(|said| value(said.label)).collect()).into_any()
            }
            _ => PyArray1::from_vec(py, said.iter().map(|said| code(said.label)).collect()).into_any(),
        };
        Ok((labels, unknown))
    }

    /// Seconds that the engine takes to predict, nothing of Python counted: what benchmarks compare `predict` with.
    fn time_predict(&self, py: Python<'_>, points: &Bound<'_, PyAny>, n_threads: usize) -> PyResult<f64> {
        self.ask(py, points, n_threads, |model, points| {
            let begun = Instant::now();
            model.predict(points).map(|_| begun.elapsed().as_secs_f64())
        })
    }

    /// Class probabilities, a column for each class by its number.
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        n_threads: usize,
    ) -> PyResult<Matrix<'py, f64>> {
        let said = self.ask(py, points, n_threads, |model, points| model.predict_proba(points))?;
        matrix(py, said.values().to_vec(), said.n_classes())
    }

    /// The distance from the nearest voter, and the share of training examples that are as far from theirs.
    fn novelty<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        n_threads: usize,
    ) -> PyResult<(Vector<'py, f64>, Vector<'py, f64>)> {
        let said = self.ask(py, points, n_threads, |model, points| model.novelty(points))?;
        let shares = said.iter().map(|novelty| novelty.share_farther.unwrap_or(f64::NAN)).collect();
        let distances = said.iter().map(|novelty| novelty.distance).collect();
        Ok((PyArray1::from_vec(py, distances), PyArray1::from_vec(py, shares)))
    }

    /// Distances and ids of the nearest stored examples. `effort` none: every node is looked at.
    #[pyo3(signature = (points, n_neighbors, effort, n_threads))]
    fn neighbors<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        n_neighbors: usize,
        effort: Option<usize>,
        n_threads: usize,
    ) -> PyResult<(Matrix<'py, f64>, Matrix<'py, i64>)> {
        let effort = effort.map_or(Effort::FULL, Effort);
        let found = self.ask(py, points, n_threads, |model, points| {
            // Counted while the model is asked: before, and another thread may remove some in between.
            let n_stored = model.search().n_stored();
            if n_neighbors > n_stored {
                return Err(format!(
                    "Expected n_neighbors <= n_samples_fit, but n_neighbors = {n_neighbors}, n_samples_fit = {n_stored}"
                ));
            }
            let found = model.neighbors(points, n_neighbors, effort).map_err(|error| error.to_string())?;
            // Rows of other lengths would be cut anew as an array, and answers given to the wrong queries.
            match found.iter().position(|row| row.len() != n_neighbors) {
                Some(row) => Err(format!(
                    "{} neighbors were found for row {row} of X where {n_neighbors} were asked for; this is a bug of hedgerow",
                    found[row].len()
                )),
                None => Ok(found),
            }
        })?;
        let all = || found.iter().flatten();
        let distances = all().map(|neighbor| neighbor.distance).collect();
        let ids = all().map(|neighbor| neighbor.id.0 as i64).collect();
        Ok((matrix(py, distances, n_neighbors)?, matrix(py, ids, n_neighbors)?))
    }

    /// Representations.
    fn embed<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>, n_threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let found = self.ask(py, points, n_threads, |model, points| model.embed(points))?;
        Ok(match found.view().as_u8() {
            Some(bytes) => matrix(py, bytes.to_vec(), found.width())?.into_any(),
            None => matrix(py, found.view().as_f32().unwrap_or_default().to_vec(), found.width())?.into_any(),
        })
    }

    /// Why each query gets its answer. `names` says what the queries are called, `truths` what they are, where that is known.
    fn explain(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        names: Vec<String>,
        truths: Option<Vec<String>>,
        n_threads: usize,
    ) -> PyResult<Vec<Decision>> {
        self.ask(py, points, n_threads, |model, points| {
            let views = Views::of(model);
            let truth = |row: usize| truths.as_ref().and_then(|truths| truths.get(row)).map(String::as_str);
            let name = |row: usize| names.get(row).map_or("the query", String::as_str);
            (0..points.len())
                .map(|row| views.decision(points.row(row), name(row), truth(row)).map(Decision))
                .collect::<Result<Vec<_>, AnswerError>>()
        })
    }

    /// Shows examples, in order, all or none: their ids, and whether each is stored now.
    fn insert<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        labels: Option<Vec<String>>,
        n_threads: usize,
    ) -> PyResult<(Vector<'py, i64>, Vector<'py, bool>)> {
        let array = Array::of(points)?;
        let points = array.points()?;
        if labels.as_ref().is_some_and(|labels| labels.len() != points.len()) {
            return Err(PyValueError::new_err("there must be one label for each point"));
        }
        let addition = |row: usize| Addition {
            point: points.row(row),
            label: labels.as_ref().map(|labels| labels[row].as_str()),
            id: None,
            note: None,
        };
        let additions: Vec<Addition<'_>> = (0..points.len()).map(addition).collect();
        let inserted = self.change(py, n_threads, |model| model.insert(&additions))?;
        let ids = inserted.iter().map(|inserted| inserted.id.0 as i64).collect();
        let are_stored = inserted.iter().map(|inserted| inserted.insertion == Insertion::Added).collect();
        Ok((PyArray1::from_vec(py, ids), PyArray1::from_vec(py, are_stored)))
    }

    /// Removes examples, all or none: whether each was stored.
    fn remove(&self, py: Python<'_>, ids: Vec<u64>, note: Option<&str>, n_threads: usize) -> PyResult<Vec<bool>> {
        let ids: Vec<ExampleId> = ids.into_iter().map(ExampleId).collect();
        let edits = self.change(py, n_threads, |model| model.remove_all(&ids, note))?;
        Ok(edits.iter().map(|edit| edit.was_stored).collect())
    }

    /// Gives an example another label: whether it was stored.
    fn relabel(&self, py: Python<'_>, id: u64, label: &str, note: Option<&str>, n_threads: usize) -> PyResult<bool> {
        let edit = self.change(py, n_threads, |model| model.relabel(ExampleId(id), label, note))?;
        Ok(edit.was_stored)
    }

    /// Writes the model to a folder; `replace` says that any model there may be lost.
    fn save(&self, py: Python<'_>, folder: PathBuf, replace: bool) -> PyResult<()> {
        self.check_process()?;
        let saved = self.look(py, |model| if replace { model.save_over(&folder) } else { model.save(&folder) });
        saved.map_err(save_error)
    }

    /// Reads a model; with `attach`, changes are in the folder when the call that makes them returns.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf, attach: bool, n_threads: usize) -> PyResult<Self> {
        let read = || if attach { hedgerow::Model::open(&folder) } else { hedgerow::Model::load(&folder) };
        Self::read_in(py, n_threads, attach.then(std::process::id), read)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_process()?;
        let bytes = self.look(py, hedgerow::Model::to_bytes).map_err(save_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// By one thread: pickles are read in workers, of which there are as many as cores.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Self::read_in(py, 1, None, || hedgerow::Model::from_bytes(bytes))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let bytes = slf.get().to_bytes(py)?;
        Ok((slf.get_type().getattr("from_bytes")?, PyTuple::new(py, [bytes])?))
    }

    /// A tree, as JSON; none if the structure has no such tree.
    fn tree(&self, py: Python<'_>, number: usize) -> PyResult<Option<String>> {
        self.look(py, |model| Views::of(model).tree(number)).map(|view| json(&view)).transpose()
    }

    /// A map of points by their representations, as JSON.
    fn map(
        &self,
        py: Python<'_>,
        points: &Bound<'_, PyAny>,
        codes: Option<Vec<i64>>,
        n_threads: usize,
    ) -> PyResult<String> {
        let view = self.ask(py, points, n_threads, |model, points| {
            let class = |code: &i64| u32::try_from(*code).map_or(Label::Unlabeled, Label::class);
            let labels: Vec<Label> = codes.as_ref().map_or_else(Vec::new, |codes| codes.iter().map(class).collect());
            let labels = if labels.is_empty() { vec![Label::Unlabeled; points.len()] } else { labels };
            if labels.len() != points.len() {
                return Err(format!(
                    "there are {} labels for {} points; give one for each",
                    labels.len(),
                    points.len()
                ));
            }
            Views::of(model).map(points, &labels, model.class_names()).map_err(|error| error.to_string())
        })?;
        json(&view)
    }

    /// Changes since the fit, oldest first.
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.check_process()?;
        let entries = self.look(py, hedgerow::Model::history).map_err(journal_error)?;
        let as_dict = |entry: &hedgerow::JournalEntry| {
            let dict = PyDict::new(py);
            dict.set_item("number", entry.number)?;
            dict.set_item("at", entry.at)?;
            dict.set_item("change", entry.change.action())?;
            dict.set_item("id", entry.change.id().0)?;
            dict.set_item("label", entry.change.label())?;
            dict.set_item("note", entry.note.as_deref())?;
            Ok(dict)
        };
        entries.iter().map(as_dict).collect()
    }

    /// The point, as it was given where the model has it, and the label of an example; nothing where there is none.
    fn example<'py>(&self, py: Python<'py>, id: u64) -> PyResult<Option<(Option<Bound<'py, PyAny>>, String)>> {
        let found = self.look(py, |model| {
            let (_, label) = model.search().example(ExampleId(id))?;
            Some((model.original(ExampleId(id)), model.label_text(label)))
        });
        let Some((original, label)) = found else { return Ok(None) };
        let as_array = |points: &hedgerow::Points| match points.row(0) {
            Point::F32(values) => PyArray1::from_slice(py, values).into_any(),
            Point::U8(values) => PyArray1::from_slice(py, values).into_any(),
        };
        Ok(Some((original.as_ref().map(as_array), label)))
    }

    #[getter]
    fn fit_seconds(&self) -> Option<f64> {
        self.fit_seconds
    }

    #[getter]
    fn stored_ids<'py>(&self, py: Python<'py>) -> Vector<'py, i64> {
        let ids = self.look(py, |model| model.search().stored_ids());
        PyArray1::from_vec(py, ids.iter().map(|id| id.0 as i64).collect())
    }

    #[getter]
    fn kept_ids<'py>(&self, py: Python<'py>) -> Vector<'py, i64> {
        let ids = self.look(py, |model| model.search().kept_ids());
        PyArray1::from_vec(py, ids.iter().map(|id| id.0 as i64).collect())
    }

    #[getter]
    fn n_stored(&self, py: Python<'_>) -> usize {
        self.look(py, |model| model.search().n_stored())
    }

    /// Examples that it was fitted to, those that editing left out among them.
    #[getter]
    fn n_fitted(&self, py: Python<'_>) -> usize {
        self.look(py, |model| model.data().n_examples)
    }

    #[getter]
    fn n_shown(&self, py: Python<'_>) -> usize {
        self.look(py, |model| model.search().n_shown())
    }

    #[getter]
    fn n_trees(&self, py: Python<'_>) -> usize {
        self.look(py, |model| model.structure().trees().len())
    }

    #[getter]
    fn n_features(&self, py: Python<'_>) -> usize {
        self.look(py, |model| model.data().n_features)
    }

    #[getter]
    fn n_outputs(&self, py: Python<'_>) -> usize {
        self.look(py, |model| {
            model.transform().map_or(model.data().n_features, |transform| transform.architecture().n_outputs())
        })
    }

    #[getter]
    fn n_changes(&self, py: Python<'_>) -> u64 {
        self.look(py, hedgerow::Model::n_changes)
    }

    #[getter]
    fn size_bytes(&self, py: Python<'_>) -> usize {
        self.look(py, hedgerow::Model::size_bytes)
    }

    #[getter]
    fn class_names(&self, py: Python<'_>) -> Vec<String> {
        self.look(py, |model| model.class_names().to_vec())
    }

    /// The names of the features; none if they had none.
    #[getter]
    fn feature_names(&self, py: Python<'_>) -> Option<Vec<String>> {
        self.look(py, |model| model.encoding().is_named().then(|| model.feature_names()))
    }

    /// `classification`, `regression` or `retrieval`.
    #[getter]
    fn task(&self, py: Python<'_>) -> &'static str {
        match self.look(py, hedgerow::Model::task) {
            Task::Classification => "classification",
            Task::Regression { .. } => "regression",
            _ => "retrieval",
        }
    }

    #[getter]
    fn has_values(&self, py: Python<'_>) -> bool {
        self.look(py, |model| {
            model.read_options().schema.and_then(|schema| schema.labels) == Some(LabelMeaning::Values)
        })
    }

    #[getter]
    fn takes_bytes(&self, py: Python<'_>) -> bool {
        self.look(py, |model| model.data().bytes)
    }

    /// Height, width and channels of pictures; none if points are no pictures.
    #[getter]
    fn image_shape(&self, py: Python<'_>) -> Option<(usize, usize, usize)> {
        self.look(py, |model| model.data().image_shape.map(|shape| (shape.height, shape.width, shape.channels)))
    }

    #[getter]
    fn params(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |model| json(model.params()))
    }

    #[getter]
    fn metrics(&self, py: Python<'_>) -> PyResult<String> {
        self.look(py, |model| json(model.metrics()))
    }

    /// Where the numbers of an array are looked at: its own address, if nothing was copied.
    #[staticmethod]
    fn address(points: &Bound<'_, PyAny>) -> PyResult<usize> {
        Array::of(points)?.address()
    }
}

/// The number of a class; -1 where there is none.
pub(crate) fn code(label: Label) -> i64 {
    label.as_class().map_or(-1, |class| i64::from(class.0))
}
