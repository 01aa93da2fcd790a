//! "Why not a network of PyTorch or scikit-learn?": classes are told apart in a learned space.

use std::time::Duration;

use hedgerow::{FitError, FitOptions, FitParams, Model, StructureParams, silent_fit};
use hedgerow_core::{Label, Points, PointsRef};
use hedgerow_learn::{
    Architecture, Dbs, DenseNetwork, InputScale, Keep, Method, MlpClassifier, RunOptions, TrainingParams,
    TripletNetwork, silent, train,
};

use super::curves::errors_against_time;
use super::data::{Data, Files, factor, floats};
use super::judged::{ERROR, Judged};
use super::kept::Kept;
use super::python::Peers;
use super::raw::{TOTAL, push_outcome, reckon};
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Compared, Shape};
use super::{Asked, PeersError, Plan, Question, load_all, names};
use crate::interleaved::timed;

const REFERENCE: &str = "DBS + tree";
const FOREST: &str = "DBS + forest";
const TRIPLET: &str = "triplet + tree";
const NETWORK: &str = "NNet* (class layer)";
/// DBS by PyTorch, whose representations a tree of ours judges.
const PYTORCH_DBS: &str = "PyTorch DBS + tree of ours";
pub(super) const PEERS: [&str; 5] = [
    PYTORCH_DBS,
    "PyTorch MLP",
    "scikit-learn MLP",
    "scikit-learn NCA + 1-NN",
    "pytorch-metric-learning triplet + FAISS",
];
const LAYERS: [usize; 3] = [400, 400, 20];
/// Rows of a step of all networks.
const BATCH: usize = 200;
/// Rows that NCA learns from at most: its time grows with their square.
const NCA_ROWS: usize = 3000;

const COLUMNS: [Column; 7] = [
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "epochs", title: "epochs", decimals: 0 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 2 },
    Column { name: "train_seconds", title: "training s", decimals: 2 },
    Column { name: "microseconds", title: "us per query", decimals: 1 },
    Column { name: "total", title: "training and all queries, s", decimals: 2 },
];

pub(super) const SHAPE: Shape = Shape {
    question: Question::Learned,
    title: "Classes are told apart in a learned space",
    columns: &COLUMNS,
    compared: Some(Compared { name: "total", with: REFERENCE, at_equal: None }),
    judged: Judged { quality: ERROR, speed: TOTAL, enough: None, size: "megabytes" },
    about: |_| about().map(Remark::from).into(),
    figures: errors_against_time,
};

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
    let threads = rayon::current_num_threads();
    let mut rows = Vec::new();
    let names = names(plan, &["optdigits", "mnist", "fashion-mnist"], &["optdigits"]);
    let (all, missing) = load_all(&names, Data::load)?;
    for data in &all {
        let name = data.name.as_str();
        let files = Files::write(data)?;
        let epochs = if plan.quick { 5 } else { 30 };
        let row = |method: &str, is_ours: bool| kept.row(Row::new(name, method, is_ours, threads));
        let (mut dbs, mut triplet) = ([REFERENCE, FOREST].map(|method| row(method, true)), [row(TRIPLET, true)]);
        let mut network = row(NETWORK, true);
        let mut theirs: Vec<Row> = PEERS.iter().map(|peer| row(peer, false)).collect();
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            let seed = repeat as u64;
            let methods = [Method::Dbs(Dbs::default()), Method::Triplet(TripletNetwork::default())];
            for (rows, method) in [&mut dbs[..], &mut triplet[..]].into_iter().zip(methods) {
                if !rows.iter().all(|row| row.has(repeat)) {
                    ask_ours(data, &recipe(method, epochs, seed), rows)?;
                    kept.add_all(rows)?;
                }
            }
            if !network.has(repeat) {
                ask_network(data, epochs, seed, &mut network)?;
                kept.add(&mut network)?;
            }
            for row in theirs.iter_mut().filter(|row| !row.has(repeat)) {
                let request = request(data, epochs, seed, plan.peer_limit);
                match row.method.as_str() {
                    PYTORCH_DBS => ask_pytorch_dbs(peers, data, &files, &request, row)?,
                    _ => {
                        peers.ask(&files, request, row);
                        reckon(row, data.truth().len());
                    }
                }
                kept.add(row)?;
            }
        }
        rows.extend(dbs.into_iter().chain(triplet).chain([network]).chain(theirs));
    }
    Ok((rows, missing))
}

/// What stands below the table.
fn about() -> [String; 2] {
    [
        format!(
            "All networks have layers of 400, 400 and 20 (classifiers one more, of the classes), 30 epochs (quick 5), {BATCH} rows to a step and Adam at the rate of \
             ours: 0.001, on small data 0.003. It falls as a cosine, and the weights are averaged over the steps, in ours and in PyTorch's; scikit-learn's has a constant \
             rate and its last weights. Bytes of pictures are scaled alike on all sides, for the peers before the clock starts. The repeats have the seeds 0, 1, 2 and so on, on all \
             sides. PyTorch's DBS starts from the weights that ours start from, the other peers from their own; its times have those of the tree of ours in them. NCA learns a \
             linear map from {NCA_ROWS} rows at most, in 50 steps of its own optimizer at most. A network of a peer that would not end within its limit, by the pace of its first steps, has as many epochs as \
             do, and a schedule of that length: the column has them. DBS is learned once for the tree and the forest, and its time counts for each."
        ),
        "MB is a million bytes of what is needed to answer: the weights as 32-bit floats (scikit-learn's in the type that it keeps), without what an optimizer holds, and the \
         represented examples that are stored, of ours with the nodes of the tree and without its history; NCA with its neighbors as they would be stored."
            .to_owned(),
    ]
}

/// What all peers are told; PyTorch's DBS is told more.
fn request(data: &Data, epochs: usize, seed: u64, limit: Duration) -> serde_json::Value {
    let learning = recipe(Method::Dbs(Dbs::default()), epochs, seed);
    let points = data.dataset().train().points();
    serde_json::json!({
        "layers": LAYERS, "epochs": epochs, "batch": BATCH, "nca_rows": NCA_ROWS, "seed": seed,
        "factor": factor(InputScale::for_points(points)), "limit_seconds": limit.as_secs(),
        "rate": learning.default_rate(points.len(), points.width()), "averaging": learning.adam.averaging,
    })
}

/// The recipe of ours.
fn recipe(method: Method, epochs: usize, seed: u64) -> TrainingParams {
    TrainingParams {
        method,
        layers: Some(LAYERS.to_vec()),
        epochs: Some(epochs),
        validation_share: 0.0,
        keep: Keep::Last,
        seed,
        ..TrainingParams::default()
    }
}

/// Learns once, and builds what the rows say over the representations. What is learned once counts for each of them, since each needs it.
fn ask_ours(data: &Data, learning: &TrainingParams, rows: &mut [Row]) -> Result<(), PeersError> {
    let epochs = learning.epochs.unwrap_or(0);
    let (learned, learn) = timed(|| train(&data.train(), learning, &RunOptions::default(), &mut silent()));
    let network = learned.map_err(FitError::from)?.transform;
    let represent = |points: PointsRef<'_>| {
        let (points, nanoseconds) = timed(|| network.apply(points));
        let points = points.map_err(|error| PeersError::Model(error.into()))?;
        Ok::<_, PeersError>((points.view().as_f32().map(<[f32]>::to_vec).unwrap_or_default(), nanoseconds))
    };
    let (shown, show) = represent(data.dataset().train().points())?;
    let (asked, ask) = represent(data.queries())?;
    let represented = represented(data, [shown, asked].concat())?;
    for row in rows {
        let structure = if row.method == FOREST { StructureParams::forest() } else { StructureParams::tree() };
        let built = build(&represented, structure)?;
        row.push("epochs", epochs as f64);
        row.push("learn_seconds", (learn + show) * 1e-9);
        row.push("represent_seconds", ask * 1e-9);
        row.push("weight_bytes", size_of_val(network.parameters()) as f64);
        take(&built, data.truth().len(), row);
    }
    Ok(())
}

/// The classifier: its answers are those of its last layer.
fn ask_network(data: &Data, epochs: usize, seed: u64, row: &mut Row) -> Result<(), PeersError> {
    let learning = recipe(Method::MlpClassifier(MlpClassifier { batch_size: BATCH }), epochs, seed);
    let (learned, train) = timed(|| train(&data.train(), &learning, &RunOptions::default(), &mut silent()));
    // The method is the classifier, so that there is one.
    let classifier = learned.map_err(FitError::from)?.classifier.ok_or(FitError::NoClassLayer)?;
    let (said, query) = timed(|| classifier.predict(data.queries()));
    let said = said.map_err(|error| PeersError::Model(error.into()))?;
    let wrong = said.iter().zip(data.truth()).filter(|(class, truth)| Label::Class(**class) != **truth).count();
    row.push("epochs", epochs as f64);
    row.push("megabytes", size_of_val(classifier.network.parameters()) as f64 * 1e-6);
    push_outcome(row, (wrong, data.truth().len()), (train, query));
    Ok(())
}

/// PyTorch learns by the recipe of ours and represents all rows; a tree of ours is built from those and asked.
fn ask_pytorch_dbs(
    peers: &mut Peers,
    data: &Data,
    files: &Files,
    request: &serde_json::Value,
    row: &mut Row,
) -> Result<(), PeersError> {
    let (dbs, learning) = (Dbs::default(), recipe(Method::Dbs(Dbs::default()), 1, 0));
    let points = data.dataset().train().points();
    let architecture =
        Architecture { n_inputs: points.width(), layers: LAYERS.to_vec(), activation: learning.activation };
    let seed = request["seed"].as_u64().unwrap_or(0);
    let network: DenseNetwork =
        DenseNetwork::new(architecture, InputScale::for_points(points), learning.initialization, seed);
    let weights = files.write_numbers("weights", &floats(network.parameters()))?;
    let representations = files.folder().join("representations");
    let widths: Vec<usize> = [points.width()].into_iter().chain(LAYERS).collect();
    let mut more = request.clone();
    more["representations"] = serde_json::json!(representations);
    more["dbs"] = serde_json::json!({
        "widths": widths, "weights": weights, "sigma": dbs.scale.sigma(),
        "n_boundary": dbs.boundary_batch_size, "n_train": dbs.train_batch_size,
        "rate": request["rate"], "averaging": request["averaging"],
    });
    peers.ask(files, more, row);
    if row.has_failed {
        return Ok(());
    }
    let bytes =
        std::fs::read(&representations).map_err(|source| PeersError::Read { path: representations.clone(), source })?;
    match judged(data, &bytes) {
        Ok(tree) => take(&tree, data.truth().len(), row),
        // Numbers that are none, or not as many as asked for: the peer's fault.
        Err(error) => row.fail(&format!("its representations cannot be used: {error}")),
    }
    Ok(())
}

/// What a tree of ours makes of representations, which are those of the training rows and then those of the test rows.
fn judged(data: &Data, bytes: &[u8]) -> Result<Row, PeersError> {
    let numbers = bytes.chunks_exact(4).map(|number| f32::from_ne_bytes([number[0], number[1], number[2], number[3]]));
    build(&represented(data, numbers.collect())?, StructureParams::tree())
}

/// Data with representations in the place of its rows.
fn represented(data: &Data, numbers: Vec<f32>) -> Result<Data, PeersError> {
    let points = Points::from_f32(LAYERS[LAYERS.len() - 1], numbers)?;
    let labels = [data.dataset().train().labels(), data.truth()].concat();
    Data::of(&data.name, points, labels, data.truth().len())
}

/// What a structure over represented rows takes, and how often it is wrong.
fn build(represented: &Data, structure: StructureParams) -> Result<Row, PeersError> {
    // As they are: what was learned is not scaled.
    let params = FitParams { learning: None, structure, scaling: Some(Vec::new()), ..FitParams::default() };
    let (model, train) =
        timed(|| Model::fit(represented.dataset(), &params, &FitOptions::default(), &mut silent_fit()));
    let model = model?;
    let (said, query) = timed(|| model.predict(represented.queries()));
    let said = said.map_err(|error| PeersError::Model(error.into()))?;
    let wrong = said.iter().zip(represented.truth()).filter(|(said, truth)| said.label != **truth).count();
    let mut row = Row::new(&represented.name, params.structure.name(), true, 1);
    row.push("stored", model.search().n_stored() as f64);
    row.push("megabytes", model.answering_bytes() as f64 * 1e-6);
    push_outcome(&mut row, (wrong, represented.truth().len()), (train, query));
    Ok(row)
}

/// The numbers of the table, from those of learning, which were given just now, and those of the tree or forest.
fn take(tree: &Row, n: usize, row: &mut Row) {
    let of = |row: &Row, name: &str| row.last(name).unwrap_or(0.0);
    let train = of(row, "learn_seconds") + of(tree, "train_seconds");
    let query = of(row, "represent_seconds") + of(tree, "microseconds") * 1e-6 * n as f64;
    let megabytes = of(row, "weight_bytes") * 1e-6 + of(tree, "megabytes");
    for (name, value) in [
        ("error_percent", of(tree, "error_percent")),
        ("stored", of(tree, "stored")),
        ("megabytes", megabytes),
        ("train_seconds", train),
        ("microseconds", 1e6 * query / n as f64),
        ("total", train + query),
    ] {
        row.push(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_both_sides_are_added() {
        let mut row = Row::new("a", PYTORCH_DBS, false, 1);
        for (name, value) in [("learn_seconds", 3.0), ("represent_seconds", 0.5), ("weight_bytes", 2e6)] {
            row.push(name, value);
        }
        let mut tree = Row::new("a", "tree", true, 1);
        for (name, value) in [
            ("error_percent", 2.0),
            ("stored", 30.0),
            ("megabytes", 1.0),
            ("train_seconds", 0.25),
            ("microseconds", 2500.0),
        ] {
            tree.push(name, value);
        }
        take(&tree, 100, &mut row);
        assert_eq!(row.last("train_seconds"), Some(3.25));
        assert_eq!(row.last("total"), Some(4.0));
        assert_eq!(row.last("microseconds"), Some(7500.0));
        assert_eq!(row.last("megabytes"), Some(3.0));
        assert_eq!((row.last("error_percent"), row.last("stored")), (Some(2.0), Some(30.0)));
    }

    #[test]
    fn a_tree_judges_representations_by_the_rows_kept_for_testing() {
        let width = LAYERS[LAYERS.len() - 1];
        let row = |value: f32| vec![value; width];
        // The last is near the first, and so it is taken to be of its class.
        let values = [row(0.0), row(10.0), row(1.0)].concat();
        let labels = [0, 1, 0].map(Label::class).to_vec();
        let data = Data::of("a", Points::from_f32(width, values.clone()).unwrap(), labels, 1).unwrap();
        assert_eq!(judged(&data, &floats(&values)).unwrap().last("error_percent"), Some(0.0));
        assert!(judged(&data, &floats(&values[width..])).is_err(), "too few rows");
        assert!(judged(&data, &floats(&[f32::NAN; 60])).is_err(), "no numbers");
    }

    #[test]
    fn peers_are_told_the_scale_the_rate_and_the_seed_of_ours() {
        let labels = [0, 1, 0].map(Label::class).to_vec();
        let points = Points::from_u8(2, vec![0, 255, 3, 4, 5, 6]).unwrap();
        let told = request(&Data::of("a", points, labels, 1).unwrap(), 5, 2, Duration::from_secs(900));
        assert_eq!((told["limit_seconds"].as_u64(), told["epochs"].as_u64()), (Some(900), Some(5)));
        assert!((told["factor"].as_f64().unwrap() - 1.0 / 255.0).abs() < 1e-6, "{told}");
        assert_eq!((told["seed"].as_u64(), told["batch"].as_u64()), (Some(2), Some(200)));
        assert_eq!((told["rate"].as_f64(), told["averaging"].as_f64()), (Some(0.003), Some(0.999)));
    }

    #[test]
    fn a_tree_and_a_forest_of_one_learning_are_those_that_a_fit_gives() {
        // Two classes on two sides, learned in an epoch or two.
        let value = |at: usize| if at % 2 == 0 { 1.0 } else { -1.0 } + (at as f32 * 0.37).sin() * 0.5;
        let points = Points::from_f32(2, (0..2 * 500).map(|at| value(at / 2)).collect()).unwrap();
        let labels = (0..500).map(|at| Label::class(at % 2)).collect();
        let data = Data::of("a", points, labels, 100).unwrap();
        let learning = recipe(Method::Dbs(Dbs::default()), 2, 0);
        let mut rows = [REFERENCE, FOREST].map(|method| Row::new("a", method, true, 1));
        ask_ours(&data, &learning, &mut rows).unwrap();
        let params = FitParams {
            learning: Some(learning),
            structure: StructureParams::tree(),
            scaling: Some(Vec::new()),
            ..FitParams::default()
        };
        let model = Model::fit(data.dataset(), &params, &FitOptions::default(), &mut silent_fit()).unwrap();
        assert_eq!(rows[0].last("stored"), Some(model.search().n_stored() as f64));
        assert_eq!(rows[0].last("learn_seconds"), rows[1].last("learn_seconds"));
        for row in &rows {
            assert!(row.last("train_seconds") > row.last("learn_seconds"), "learning counts for each");
            assert_eq!((row.last("epochs"), row.last("error_percent")), (Some(2.0), Some(0.0)));
        }
    }

    #[test]
    fn all_networks_take_as_many_rows_in_a_step() {
        let dbs = Dbs::default();
        assert_eq!(dbs.boundary_batch_size + dbs.train_batch_size, BATCH);
        assert_eq!(TripletNetwork::default().batch_size, BATCH);
    }
}
