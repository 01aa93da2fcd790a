//! "Why not PyTorch or onnxruntime?": one decision at a time is served.

use hedgerow::{FitOptions, FitParams, Model, silent_fit};
use hedgerow_experiments::figure::{Bar, Bars};
use hedgerow_learn::{Keep, TrainingParams};

use super::data::{Data, Files, bytes, factor, floats};
use super::judged::{Better, ERROR, Judged, Measure};
use super::kept::Kept;
use super::python::Peers;
use super::remark::Remark;
use super::row::Row;
use super::table::{Column, Compared, Shape};
use super::{Asked, PeersError, Plan, Question, load_all, names};
use crate::interleaved::timed;

pub(super) const REFERENCE: &str = "DBS + tree, predict";
const EXPLAIN: &str = "DBS + tree, explain";
pub(super) const EAGER: &str = "PyTorch, eager";
const SCIKIT_LEARN: &str = "scikit-learn MLP";
pub(super) const PEERS: [&str; 5] = [EAGER, "TorchScript, frozen", "torch.compile", "onnxruntime", SCIKIT_LEARN];
/// Epochs of scikit-learn's own network: few, since what is asked is how it serves.
const SCIKIT_LEARN_EPOCHS: usize = 5;
/// Single questions of one repeat.
const ROUNDS: usize = 5000;

const COLUMNS: [Column; 7] = [
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "p50_us", title: "p50, us", decimals: 1 },
    Column { name: "p99_us", title: "p99, us", decimals: 1 },
    Column { name: "load_first_ms", title: "load to first answer, ms", decimals: 1 },
    Column { name: "answer_megabytes", title: "MB to answer", decimals: 2 },
    Column { name: "megabytes", title: "MB on disk", decimals: 2 },
];

const P50: Measure = Measure { name: "p50_us", title: "p50, us", unit: " us", decimals: 1, better: Better::Less };

pub(super) const SHAPE: Shape = Shape {
    question: Question::Serve,
    title: "One decision at a time is served",
    columns: &COLUMNS,
    compared: Some(Compared { name: "p50_us", with: REFERENCE, at_equal: None }),
    judged: Judged { quality: ERROR, speed: P50, enough: None, size: "answer_megabytes" },
    about: |_| ABOUT.map(Remark::from).into(),
    figures: |rows| rows.chunk_by(|one, next| one.data == next.data).map(figure).collect(),
};

/// For one data set the usual time and the rare one of each method, hedgerow's in a colour of their own.
fn figure(rows: &[Row]) -> String {
    let bar = |row: &Row| {
        let (usual, rare) = (row.median("p50_us")?, row.median("p99_us")?);
        Some(Bar { name: row.method.clone(), usual, rare, color: usize::from(!row.is_ours) })
    };
    let title = format!("{}: one decision, hedgerow above, peers below", rows[0].data);
    let x_label = "microseconds: p50 (wide), p99 (thin)".to_owned();
    Bars { title, x_label, rows: rows.iter().filter_map(bar).collect() }.draw()
}

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers, kept: &mut Kept) -> Asked {
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
        let row = |method: &str, is_ours: bool| kept.row(Row::new(name, method, is_ours, 1));
        let mut ours = [REFERENCE, EXPLAIN].map(|method| row(method, true));
        let mut theirs = PEERS.map(|peer| row(peer, false));
        if let Some(other) = theirs.iter_mut().find(|row| row.method == SCIKIT_LEARN && row.note.is_empty()) {
            other.note =
                format!("a classifier of the same layers and its own weights, of {SCIKIT_LEARN_EPOCHS} epochs");
        }
        let request = served(&model, &files)?;
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            if !ours.iter().all(|row| row.has(repeat)) {
                pool.install(|| ask_ours(&folder, data, &mut ours))?;
                kept.add_all(&mut ours)?;
            }
            for row in theirs.iter_mut().filter(|row| !row.has(repeat)) {
                peers.ask(&files, request.clone(), row);
                for (bytes, megabytes) in [("bytes", "megabytes"), ("answer_bytes", "answer_megabytes")] {
                    if let (Some(bytes), false) = (row.last(bytes), row.has_failed) {
                        row.push(megabytes, 1e-6 * bytes);
                    }
                }
                kept.add(row)?;
            }
        }
        rows.extend(ours.into_iter().chain(theirs));
    }
    Ok((rows, missing))
}

/// What stands below the table.
const ABOUT: [&str; 2] = [
    "All sides have one thread, the same weights (layers of 400, 400 and 20), the same stored examples, and inputs by the same scale. Errors differ because ours walks the \
     tree from its root, which need not find the nearest of its nodes, and the peers compare with all nodes. scikit-learn cannot serve these weights: its network is its own, with a layer of \
     classes, learned once from all rows.",
    "`load to first answer` is from a file that the system has in its cache to one prediction, without imports, and without the making of the empty module in PyTorch; of torch.compile it has the \
     compilation, each time anew. `MB to answer` is a million bytes of weights and of stored examples with their classes, of ours with the nodes of the tree. `MB on disk` is that of the file: ours holds the history \
     and the originals too. Of scikit-learn's MLP both are the weights.",
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
        "rounds": ROUNDS, "epochs": SCIKIT_LEARN_EPOCHS,
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
    let weights = model.transform().map_or(0, |network| size_of_val(network.parameters()));
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
        row.push("answer_megabytes", (model.answering_bytes() + weights) as f64 * 1e-6);
        row.push("megabytes", megabytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_that_was_measured_has_its_bars() {
        let mut rows = [REFERENCE, EAGER, "absent"].map(|method| Row::new("a", method, method == REFERENCE, 1));
        for row in &mut rows[..2] {
            row.push("p50_us", 20.0);
            row.push("p99_us", 60.0);
        }
        let svg = figure(&rows);
        assert_eq!(svg.matches("<rect x=").count(), 4);
        assert!(svg.contains(EAGER) && !svg.contains("absent"), "{svg}");
    }
}
