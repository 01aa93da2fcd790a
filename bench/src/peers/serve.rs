//! "Why not PyTorch or onnxruntime?": one decision at a time is served.

use hedgerow::{FitOptions, FitParams, Model, silent_fit};
use hedgerow_learn::{Keep, TrainingParams};

use super::data::{Data, Files, bytes, factor, floats};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::table::{Column, Compared, Row, Table};
use super::{PeersError, Plan, load_all, names};
use crate::interleaved::timed;

const REFERENCE: &str = "DBS + tree, predict";
const EXPLAIN: &str = "DBS + tree, explain";
pub(super) const PEERS: [&str; 5] = [
    "PyTorch, eager",
    "TorchScript, frozen",
    "torch.compile",
    "onnxruntime",
    "scikit-learn MLP, one epoch of 2000 rows",
];
/// Single questions of one repeat.
const ROUNDS: usize = 5000;

const COLUMNS: [Column; 6] = [
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "p50_us", title: "p50, us", decimals: 1 },
    Column { name: "p99_us", title: "p99, us", decimals: 1 },
    Column { name: "load_first_ms", title: "load to first answer, ms", decimals: 1 },
    Column { name: "megabytes", title: "MB on disk", decimals: 2 },
];

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &Kept) -> Result<Table, PeersError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut rows = Vec::new();
    let (all, missing) = load_all(&names(plan, &["mnist"], &["optdigits"]), Data::load)?;
    for data in &all {
        let name = data.name.as_str();
        let files = Files::write(data)?;
        eprintln!("{name}: learning what is served");
        // What is served need not be learned to the end: a few epochs give a network of the same size.
        let learning = TrainingParams {
            layers: Some(vec![400, 400, 20]),
            epochs: Some(if plan.quick { 2 } else { 10 }),
            validation_share: 0.0,
            keep: Keep::Last,
            ..TrainingParams::default()
        };
        let params = FitParams { learning: Some(learning), ..FitParams::default() };
        let model = Model::fit(data.dataset(), &params, &FitOptions::default(), &mut silent_fit())?;
        let folder = files.folder().join("model");
        model.save(&folder).map_err(|error| PeersError::Model(error.into()))?;
        let mut ours = [REFERENCE, EXPLAIN].map(|method| Row::new(name, method, true, 1));
        let mut theirs = PEERS.map(|peer| Row::new(name, peer, false, 1));
        theirs[4].note =
            "a classifier of the same layers, trained for its times alone: it has no error to compare".to_owned();
        let request = served(&model, &files)?;
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            pool.install(|| ask_ours(&folder, data, &mut ours))?;
            kept.add_all(&mut ours)?;
            for row in &mut theirs {
                peers.ask(&files, request.clone(), row);
                if let (Some(bytes), false) = (row.last("bytes"), row.has_failed) {
                    row.push("megabytes", 1e-6 * bytes);
                }
                kept.add(row)?;
            }
        }
        rows.extend(ours.into_iter().chain(theirs));
    }
    Ok(Table {
        question: "serve",
        title: "One decision at a time is served",
        columns: &COLUMNS,
        compared: Some(Compared { name: "p50_us", with: REFERENCE, at_equal: None }),
        rows,
        versions: peers.versions(),
        remarks: missing.into_iter().chain(ABOUT.map(Remark::from)).collect(),
        figures: Vec::new(),
    })
}

/// What stands below the table.
const ABOUT: [&str; 2] = [
    "All sides have one thread, the same weights (layers of 400, 400 and 20), the same stored examples, and inputs by the same scale. Errors differ because ours walks the \
     tree from its root, which need not find the nearest of its nodes, and the peers compare with all nodes. scikit-learn cannot serve these weights.",
    "`load to first answer` is from a file that the system has in its cache to one prediction, without imports, and without the making of the empty module in PyTorch; of torch.compile it has the \
     compilation. MB on disk is a million bytes of the file: that of ours holds the history and the originals too. Of scikit-learn's MLP it is the weights alone.",
];

/// What Python needs to serve the same.
fn served(model: &Model, files: &Files) -> Result<serde_json::Value, PeersError> {
    let Some(network) = model.transform() else { return Ok(serde_json::json!({})) };
    let architecture = network.architecture();
    let widths: Vec<usize> = [architecture.n_inputs].into_iter().chain(architecture.layers.iter().copied()).collect();
    let weights = files.write_numbers("weights", &floats(network.parameters()))?;
    let search = model.search();
    let (mut points, mut classes) = (Vec::new(), Vec::new());
    for id in search.stored_ids() {
        let Some((point, label)) = search.example(id) else { continue };
        let block = hedgerow_core::PointsRef::from_f32(point.width(), as_f32(point))?;
        points.extend(bytes(block));
        classes.extend(label.as_class().ok_or(PeersError::NoClasses)?.0.to_ne_bytes());
    }
    let stored = files.write_numbers("stored", &points)?;
    let stored_labels = files.write_numbers("stored-labels", &classes)?;
    Ok(serde_json::json!({
        "widths": widths, "weights": weights, "stored": stored, "stored_labels": stored_labels, "factor": factor(network.scale()),
        "rounds": ROUNDS,
    }))
}

fn as_f32(point: hedgerow_core::Point<'_>) -> &[f32] {
    match point {
        hedgerow_core::Point::F32(values) => values,
        _ => &[],
    }
}

fn ask_ours(folder: &std::path::Path, data: &Data, rows: &mut [Row; 2]) -> Result<(), PeersError> {
    let queries = data.queries();
    let n = queries.len();
    let failed = |error: hedgerow::AnswerError| PeersError::Model(error.into());
    let (model, load_first) = timed(|| {
        let model = Model::load(folder).map_err(|error| PeersError::Model(error.into()))?;
        model.predict(queries.slice(0..1)).map_err(failed)?;
        Ok::<_, PeersError>(model)
    });
    let model = model?;
    let said = model.predict(queries).map_err(failed)?;
    let wrong = said.iter().zip(data.truth()).filter(|(said, truth)| said.label != **truth).count();
    let megabytes = std::fs::metadata(folder.join("model.safetensors")).map_or(0.0, |file| file.len() as f64 * 1e-6);
    for (at, row) in rows.iter_mut().enumerate() {
        let ask = |turn: usize| -> Result<f64, PeersError> {
            let query = queries.slice(turn % n..turn % n + 1);
            let (answer, nanoseconds) = timed(|| match at {
                0 => model.predict(query).map(|answers| answers.len()),
                _ => model.explain(query.row(0)).map(|why| why.explanation.voters.len()),
            });
            answer.map_err(failed)?;
            Ok(nanoseconds * 1e-3)
        };
        (0..50).try_for_each(|turn| ask(turn).map(drop))?;
        let mut microseconds = (0..ROUNDS).map(ask).collect::<Result<Vec<_>, _>>()?;
        microseconds.sort_by(f64::total_cmp);
        row.push("p50_us", microseconds[ROUNDS / 2]);
        row.push("p99_us", microseconds[ROUNDS * 99 / 100]);
        row.push("error_percent", 100.0 * wrong as f64 / n as f64);
        row.push("stored", model.search().n_stored() as f64);
        row.push("load_first_ms", load_first * 1e-6);
        row.push("megabytes", megabytes);
    }
    Ok(())
}
