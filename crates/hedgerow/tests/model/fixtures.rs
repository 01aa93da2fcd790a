//! Small data and models of every kind.

use std::ops::ControlFlow;
use std::path::Path;

use hedgerow::data::{self, Dataset};
use hedgerow::learn::TrainingParams;
use hedgerow::random::SplitMix64;
use hedgerow::{
    Addition, ClassId, ExampleId, FitOptions, FitParams, Initialization, Label, Model, Passes, Point, Points,
    StructureParams, Task, Vote,
};

/// Every structure, in every variant that is built, edited or votes in a way of its own.
pub(crate) fn structures() -> Vec<(&'static str, StructureParams)> {
    let forest =
        |initialization, vote| StructureParams::Forest { n_trees: 5, max_children: Some(4), initialization, vote };
    vec![
        ("tree", StructureParams::tree()),
        ("narrow tree", StructureParams::Tree { max_children: Some(2) }),
        ("forest", forest(Initialization::DistinctRoots, Vote::Shepard)),
        ("permuted forest", forest(Initialization::Permuted, Vote::Majority)),
        ("set", StructureParams::set()),
        ("voting set", StructureParams::Set { passes: Passes::One, n_neighbors: 4, vote: Vote::Majority }),
        ("hart", StructureParams::Set { passes: Passes::UntilConsistent, n_neighbors: 1, vote: Vote::Majority }),
        ("knn", StructureParams::knn(1)),
        ("voting knn", StructureParams::knn(4)),
        ("weighing knn", StructureParams::Knn { n_neighbors: 3, vote: Vote::Shepard }),
    ]
}

pub(crate) fn fit(dataset: &Dataset, params: &FitParams) -> Model {
    let fitted = Model::fit(dataset, params, &FitOptions::default(), &mut |_| ControlFlow::Continue(()));
    fitted.unwrap_or_else(|error| panic!("{error}"))
}

/// Parameters of a model over features as they are, or in a space of two numbers that took three epochs to learn.
pub(crate) fn params(structure: &StructureParams, learned: bool) -> FitParams {
    let learning = TrainingParams { layers: Some(vec![8, 2]), epochs: Some(3), ..TrainingParams::default() };
    FitParams { structure: structure.clone(), learning: learned.then_some(learning), ..FitParams::default() }
}

pub(crate) fn moons() -> Dataset {
    data::load("moons?n=160&noise=0.25&seed=7").unwrap()
}

/// Points on a coarse grid, so that many are the same and some of these have different labels.
pub(crate) fn crowded(seed: u64) -> Dataset {
    let mut random = SplitMix64::new(seed, 1);
    let values: Vec<f32> = (0..240).map(|_| random.below(4) as f32).collect();
    let labels = (0..120).map(|_| Label::class(random.below(3) as u32)).collect();
    Dataset::new("crowded", Points::from_f32(2, values).unwrap(), labels).unwrap()
}

/// Values of a bent surface.
pub(crate) fn values(seed: u64) -> Dataset {
    let mut random = SplitMix64::new(seed, 2);
    let values: Vec<f32> = (0..200).map(|_| random.normal() as f32).collect();
    let labels = values.chunks(2).map(|xy| Label::Value((3.0 * xy[0]).sin() + xy[1] * xy[1])).collect();
    Dataset::new("values", Points::from_f32(2, values).unwrap(), labels).unwrap()
}

/// Points without labels.
pub(crate) fn unlabeled(seed: u64) -> Dataset {
    let mut random = SplitMix64::new(seed, 3);
    let values: Vec<f32> = (0..120).map(|_| random.normal() as f32).collect();
    Dataset::new("unlabeled", Points::from_f32(2, values).unwrap(), vec![Label::Unlabeled; 60]).unwrap()
}

/// A table with a column of categories.
pub(crate) fn flowers() -> Dataset {
    let mut text = "stem,colour,petal,species\n".to_owned();
    let mut random = SplitMix64::new(3, 4);
    for _ in 0..90 {
        let species = random.below(3);
        let colour = ["red", "blue", "white"][(species + random.below(2)) % 3];
        let stem = species as f64 + random.normal() * 0.5;
        text += &format!("{stem:.3},{colour},{:.3},{}\n", random.normal(), ["lily", "rose", "aster"][species]);
    }
    data::read_bytes("flowers.csv", text.as_bytes(), &data::ReadOptions::default()).unwrap()
}

/// Models of every task and kind of data, each with all structures.
pub(crate) fn models() -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for (name, structure) in structures() {
        for learned in [false, true] {
            let space = if learned { "learned" } else { "raw" };
            models.push((format!("{name}, {space} moons"), fit(&moons(), &params(&structure, learned))));
        }
        let edited = FitParams { editing: Some(5), ..params(&structure, false) };
        models.push((format!("{name}, edited moons"), fit(&moons(), &edited)));
        models.push((format!("{name}, crowded"), fit(&crowded(1), &params(&structure, false))));
        models.push((format!("{name}, flowers"), fit(&flowers(), &params(&structure, false))));
        let regression = FitParams { task: Some(Task::Regression { epsilon: 0.2 }), ..params(&structure, false) };
        models.push((format!("{name}, values"), fit(&values(1), &regression)));
        models.push((format!("{name}, unlabeled"), fit(&unlabeled(1), &params(&structure, false))));
    }
    models
}

/// Queries for a model: some of its own examples, which are exact matches, and others.
pub(crate) fn queries(model: &Model, seed: u64) -> Points {
    let mut random = SplitMix64::new(seed, 5);
    let width = model.data().n_features;
    let values = (0..60 * width).map(|_| random.below(5) as f32 + if random.below(2) == 0 { 0.0 } else { 0.37 });
    Points::from_f32(width, values.collect()).unwrap()
}

/// Everything that a model says about queries, to the bit.
pub(crate) fn said(model: &Model, queries: &Points) -> String {
    let points = queries.view();
    let proba = model.predict_proba(points).map(|rows| rows.values().iter().map(|p| p.to_bits()).collect::<Vec<_>>());
    let explained: Vec<_> = (0..5.min(queries.len())).map(|row| model.explain(points.row(row))).collect();
    format!(
        "{:?}\n{proba:?}\n{:?}\n{:?}\n{:?}\n{explained:?}\n{:?}",
        model.predict(points),
        model.novelty(points),
        model.neighbors(points, 3, hedgerow::Effort::default()),
        model.embed(points),
        model.class_names(),
    )
}

/// A change at random: mostly additions, of old classes and new.
pub(crate) fn change_at_random(model: &mut Model, random: &mut SplitMix64) {
    let ids = model.search().kept_ids();
    let label = match model.task() {
        Task::Classification => Some(["0", "1", "new", "newer"][random.below(4)].to_owned()),
        Task::Regression { .. } => Some(format!("{:.2}", random.normal())),
        _ => [None, Some("tag".to_owned())][random.below(2)].clone(),
    };
    match random.below(5) {
        0 if !ids.is_empty() => {
            let id = ids[random.below(ids.len())];
            model.remove(id, None).unwrap_or_else(|error| panic!("{error}"));
        }
        1 if !ids.is_empty() => {
            let id = ids[random.below(ids.len())];
            let label = label.unwrap_or_else(|| "tag".to_owned());
            model.relabel(id, &label, Some("it was wrong")).unwrap_or_else(|error| panic!("{error}"));
        }
        _ => {
            let n = 1 + random.below(3);
            let width = model.data().n_features;
            let points: Vec<Vec<f32>> =
                (0..n).map(|_| (0..width).map(|_| random.below(4) as f32 * 0.8).collect()).collect();
            let additions: Vec<Addition<'_>> = points
                .iter()
                .map(|point| Addition { point: Point::F32(point), label: label.as_deref(), id: None, note: None })
                .collect();
            model.insert(&additions).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Adds one example.
pub(crate) fn add(model: &mut Model, point: &[f32], label: &str) -> ExampleId {
    let addition = Addition { point: Point::F32(point), label: Some(label), id: None, note: None };
    model.insert(&[addition]).unwrap_or_else(|error| panic!("{error}"))[0].id
}

/// The files of a folder but the journal, whose bytes may differ where its rows do not.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .filter(|(name, _)| !name.starts_with("journal.sqlite"))
        .collect();
    files.sort();
    files
}

pub(crate) fn class(model: &Model, name: &str) -> ClassId {
    let place = model.class_names().iter().position(|known| known == name);
    ClassId(place.unwrap_or_else(|| panic!("no class {name}")) as u32)
}
