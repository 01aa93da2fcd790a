//! "Why not a network of PyTorch or scikit-learn?": classes are told apart in a learned space.

use hedgerow::comparison::{Contender, ContenderKind, compete};
use hedgerow::{FitOptions, FitParams, Model, StructureParams, silent_fit};
use hedgerow_learn::{Dbs, Keep, Method, MlpClassifier, TrainingParams, TripletNetwork};

use super::data::{Data, Files};
use super::python::Peers;
use super::raw::reckon;
use super::table::{Column, Compared, Row, Table};
use super::{PeersError, Plan, names};
use crate::interleaved::timed;

const REFERENCE: &str = "DBS + tree";
const PEERS: [&str; 4] =
    ["PyTorch MLP", "scikit-learn MLP", "scikit-learn NCA + 1-NN", "pytorch-metric-learning triplet + FAISS"];
/// Rows that NCA learns from at most: its time grows with their square.
const NCA_ROWS: usize = 3000;

const COLUMNS: [Column; 6] = [
    Column { name: "error_percent", title: "error %", decimals: 2 },
    Column { name: "stored", title: "stored examples", decimals: 0 },
    Column { name: "megabytes", title: "MB", decimals: 2 },
    Column { name: "train_seconds", title: "training s", decimals: 2 },
    Column { name: "microseconds", title: "us per query", decimals: 1 },
    Column { name: "total", title: "training and all queries, s", decimals: 2 },
];

pub(super) fn measure(plan: &Plan, repeats: usize, peers: &mut Peers) -> Result<Table, PeersError> {
    let threads = rayon::current_num_threads();
    let mut rows = Vec::new();
    for name in names(plan, &["optdigits", "mnist", "fashion-mnist"], &["optdigits"]) {
        let data = Data::load(&name)?;
        let files = Files::write(&data)?;
        let epochs = if plan.quick { 5 } else { 30 };
        let forest = |row: &str| row.ends_with("forest");
        let mut ours: Vec<Row> = [REFERENCE, "DBS + forest", "triplet + tree", "NNet* (class layer)"]
            .map(|method| Row::new(&name, method, true, threads))
            .into();
        let mut theirs: Vec<Row> = PEERS.iter().map(|peer| Row::new(&name, peer, false, threads)).collect();
        for repeat in 0..repeats {
            eprintln!("{name}, {} of {repeats}", repeat + 1);
            for row in &mut ours {
                let method = match row.method.as_str() {
                    "NNet* (class layer)" => Method::MlpClassifier(MlpClassifier::default()),
                    "triplet + tree" => Method::Triplet(TripletNetwork::default()),
                    _ => Method::Dbs(Dbs::default()),
                };
                let structure = if forest(&row.method) { StructureParams::forest() } else { StructureParams::tree() };
                let learning = TrainingParams {
                    method,
                    layers: Some(vec![400, 400, 20]),
                    epochs: Some(epochs),
                    validation_share: 0.0,
                    keep: Keep::Last,
                    seed: repeat as u64,
                    ..TrainingParams::default()
                };
                match row.method.as_str() {
                    "NNet* (class layer)" => {
                        let kind = ContenderKind::ClassLayer(learning);
                        let contender = Contender { name: row.method.clone(), kind };
                        let (result, _) = compete(&contender, repeat as u64, data.dataset(), &mut silent_fit())?;
                        row.push("error_percent", result.error_percent);
                        row.push("megabytes", result.bytes as f64 * 1e-6);
                        row.push("train_seconds", result.fit_seconds);
                    }
                    _ => fit(&data, &FitParams { learning: Some(learning), structure, ..FitParams::default() }, row)?,
                }
            }
            for row in &mut theirs {
                let more =
                    serde_json::json!({"layers": [400, 400, 20], "epochs": epochs, "batch": 200, "nca_rows": NCA_ROWS});
                peers.ask("learned", &files, more, row)?;
                reckon(row, data.truth().len());
            }
        }
        rows.extend(ours.into_iter().chain(theirs));
    }
    Ok(Table {
        question: "learned",
        title: "Classes are told apart in a learned space",
        columns: &COLUMNS,
        compared: Some(Compared { name: "total", with: REFERENCE }),
        rows,
        versions: peers.versions(),
        remarks: vec![format!(
            "All networks have layers of 400, 400 and 20, as many epochs as given (30, quick 5) and 200 rows to a step, with a rate of 0.001 that falls as a cosine (scikit-learn's: constant). \
             NCA learns a linear map from {NCA_ROWS} rows at most. PyTorch's DBS, step by step, is measured by `step`."
        )],
        figures: Vec::new(),
    })
}

fn fit(data: &Data, params: &FitParams, row: &mut Row) -> Result<(), PeersError> {
    let (model, train) = timed(|| Model::fit(data.dataset(), params, &FitOptions::default(), &mut silent_fit()));
    let model = model?;
    let (said, query) = timed(|| model.predict(data.queries()));
    let said = said.map_err(|error| PeersError::Model(error.into()))?;
    let wrong = said.iter().zip(data.truth()).filter(|(said, truth)| said.label != **truth).count();
    let n = data.truth().len() as f64;
    let weights = model.transform().map_or(0, |network| size_of_val(network.parameters()));
    row.push("error_percent", 100.0 * wrong as f64 / n);
    row.push("stored", model.search().n_stored() as f64);
    row.push("megabytes", (model.answering_bytes() + weights) as f64 * 1e-6);
    row.push("train_seconds", train * 1e-9);
    row.push("microseconds", query * 1e-3 / n);
    row.push("total", (train + query) * 1e-9);
    Ok(())
}
