//! A fit, on a thread of its own.
//!
//! Whoever called waits, looks out for Ctrl-C ten times a second, and draws progress. Learning can be silent for seconds (when a large tree is
//! built to validate by, say), so that it cannot be the one that looks out. After Ctrl-C it is told to stop, and given a moment for it; then
//! the call returns, and the fit ends by itself at its next event. It has a pool of its own: in a shared one, questions to other models would
//! wait for its end.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hedgerow::data::{Dataset, Encoding, FeatureColumn};
use hedgerow::learn::{Event, Notice};
use hedgerow::{FitError, FitEvent, FitOptions, FitParams, Label};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error::value_error;
use crate::model::Model;
use crate::points::Array;
use crate::shape_of;
use crate::threads::own_pool;

/// How often Ctrl-C is looked out for, and the bar drawn.
const LOOK_OUT: Duration = Duration::from_millis(100);

/// How long a fit may take to stop before it is left to itself: most take milliseconds.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far a fit is.
#[derive(Debug, Clone, Default, PartialEq)]
struct Progress {
    act: &'static str,
    done: usize,
    total: usize,
    words: String,
}

enum Message {
    Progress(Progress),
    Notice { text: String, is_warning: bool },
    Done(Box<Fitted>),
}

/// What a fit came to, and the seconds that it took.
type Fitted = (Result<hedgerow::Model, FitError>, f64);

/// Fits a model. `listener` hears `(act, done, total, words)`, `(None, 0, 0, notice)`, and `("warning", 0, 0, notice)` of what all should know.
#[pyfunction]
#[pyo3(signature = (points, params, n_threads, *, codes=None, values=None, class_names=None, feature_names=None, image_shape=None, name="data", max_seconds=None, listener=None))]
#[allow(clippy::too_many_arguments, reason = "all but three have names")]
pub(crate) fn fit(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    params: &str,
    n_threads: usize,
    codes: Option<PyReadonlyArray1<'_, i64>>,
    values: Option<PyReadonlyArray1<'_, f32>>,
    class_names: Option<Vec<String>>,
    feature_names: Option<Vec<String>>,
    image_shape: Option<(usize, usize, usize)>,
    name: &str,
    max_seconds: Option<f64>,
    listener: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let params: FitParams = serde_json::from_str(params).map_err(value_error)?;
    let array = Array::of(points)?;
    let points = array.points()?;
    let labels = labels(codes.as_ref(), values.as_ref(), points.len())?;
    // The one copy: the fit outlives the array when it is left to itself.
    let mut dataset = Dataset::new(name, points.to_owned(), labels).map_err(value_error)?;
    if let Some(names) = class_names {
        dataset = dataset.with_class_names(names).map_err(value_error)?;
    }
    if let Some(names) = feature_names {
        let columns = names.into_iter().map(|name| FeatureColumn::Number { name }).collect();
        dataset = dataset.with_encoding(Encoding::new(columns, true), None).map_err(value_error)?;
    }
    if let Some(shape) = image_shape {
        dataset = dataset.with_image_shape(shape_of(shape)).map_err(value_error)?;
    }
    let options = FitOptions { max_seconds, ..FitOptions::default() };
    let pool = own_pool(n_threads)?;
    let is_heard = listener.is_some();
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = sync_channel(64);
    let work = {
        let stop = Arc::clone(&stop);
        move || {
            let mut watch = Watch::new(is_heard.then(|| sender.clone()), stop);
            let begun = Instant::now();
            let fitted =
                pool.install(|| hedgerow::Model::fit(&dataset, &params, &options, &mut |event| watch.hear(event)));
            // Nobody listens any more if the fit was left to itself.
            let _ = sender.send(Message::Done(Box::new((fitted, begun.elapsed().as_secs_f64()))));
        }
    };
    std::thread::Builder::new().name("hedgerow-fit".to_owned()).spawn(work)?;
    let (fitted, seconds) = wait(py, receiver, &stop, listener.as_ref())?;
    fitted.map(|model| Model::fitted(model, seconds)).map_err(value_error)
}

/// Waits for the end, looking out for Ctrl-C. Whatever is raised meanwhile, by a signal or by the listener, stops the fit.
fn wait(
    py: Python<'_>,
    receiver: Receiver<Message>,
    stop: &AtomicBool,
    listener: Option<&Py<PyAny>>,
) -> PyResult<Fitted> {
    // A receiver is for one thread at a time, as this function is; the mutex says so.
    let receiver = Mutex::new(receiver);
    let next = |most: Duration| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(most);
    loop {
        let heard = match py.detach(|| next(LOOK_OUT)) {
            Ok(Message::Done(fitted)) => return Ok(*fitted),
            Ok(Message::Progress(at)) => tell(py, listener, (Some(at.act), at.done, at.total, at.words)),
            Ok(Message::Notice { text, is_warning }) => {
                tell(py, listener, (is_warning.then_some("warning"), 0, 0, text))
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the fit ended without a result: this is a bug of hedgerow"));
            }
        };
        if let Err(error) = heard.and_then(|()| py.check_signals()) {
            stop.store(true, Ordering::Relaxed);
            let until = Instant::now() + PATIENCE;
            py.detach(|| {
                while let Ok(Message::Progress(_) | Message::Notice { .. }) =
                    next(until.saturating_duration_since(Instant::now()))
                {}
            });
            return Err(error);
        }
    }
}

fn tell(
    py: Python<'_>,
    listener: Option<&Py<PyAny>>,
    news: (Option<&'static str>, usize, usize, String),
) -> PyResult<()> {
    listener.map_or(Ok(()), |listener| listener.call1(py, news).map(|_| ()))
}

fn labels(
    codes: Option<&PyReadonlyArray1<'_, i64>>,
    values: Option<&PyReadonlyArray1<'_, f32>>,
    n_points: usize,
) -> PyResult<Vec<Label>> {
    match (codes, values) {
        (Some(codes), None) => codes.as_slice()?.iter().map(|&code| class(code)).collect(),
        (None, Some(values)) => Ok(values.as_slice()?.iter().map(|&value| Label::Value(value)).collect()),
        (None, None) => Ok(vec![Label::Unlabeled; n_points]),
        (Some(_), Some(_)) => Err(PyValueError::new_err("labels are codes of classes or values; give one of them")),
    }
}

/// A class by its code; below 0, none.
fn class(code: i64) -> PyResult<Label> {
    if code < 0 {
        return Ok(Label::Unlabeled);
    }
    u32::try_from(code).map(Label::class).map_err(|_| value_error(format_args!("{code} is no number of a class")))
}

/// Hears a fit: tells of it now and then, and stops it when that was asked for.
struct Watch {
    sender: Option<SyncSender<Message>>,
    stop: Arc<AtomicBool>,
    told: Option<Instant>,
    n_epochs: usize,
    n_rounds: usize,
    validation: String,
}

impl Watch {
    fn new(sender: Option<SyncSender<Message>>, stop: Arc<AtomicBool>) -> Self {
        Self { sender, stop, told: None, n_epochs: 0, n_rounds: 0, validation: String::new() }
    }

    fn hear(&mut self, event: &FitEvent<'_>) -> ControlFlow<()> {
        match *event {
            FitEvent::Learning(Event::Started { n_epochs, n_rounds, .. }) => {
                (self.n_epochs, self.n_rounds) = (*n_epochs, *n_rounds);
            }
            FitEvent::Learning(Event::Notice(notice)) => {
                // That weights are not chosen changes what comes out; the others are about how it is come by.
                let is_warning = matches!(notice, Notice::NoValidation { .. });
                self.send(Message::Notice { text: notice.to_string(), is_warning });
            }
            FitEvent::Learning(Event::Round { epoch, round, loss, .. }) if self.is_due() => {
                let (done, total) = (epoch * self.n_rounds + round + 1, self.n_epochs * self.n_rounds);
                let words = format!("epoch {}/{}, loss {loss:.3}{}", epoch + 1, self.n_epochs, self.validation);
                self.send(Message::Progress(Progress { act: "learning", done, total, words }));
            }
            FitEvent::Learning(Event::Epoch(record)) => {
                if let Some(found) = record.validation {
                    self.validation = format!(", error {:.2} %, {} nodes", found.error_percent, found.n_nodes);
                }
            }
            FitEvent::Editing { n_asked, n_examples } if self.is_due() => {
                let (act, words) = ("asking neighbors", String::new());
                self.send(Message::Progress(Progress { act, done: n_asked, total: n_examples, words }));
            }
            FitEvent::Building { n_shown, n_examples, n_stored } if n_shown == n_examples || self.is_due() => {
                let words = format!("{n_stored} stored");
                let act = "keeping examples";
                self.send(Message::Progress(Progress { act, done: n_shown, total: n_examples, words }));
            }
            _ => {}
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether the last news are old enough for others.
    fn is_due(&mut self) -> bool {
        let is_due = self.sender.is_some() && self.told.is_none_or(|told| told.elapsed() >= LOOK_OUT);
        if is_due {
            self.told = Some(Instant::now());
        }
        is_due
    }

    fn send(&self, message: Message) {
        if let Some(sender) = &self.sender {
            // Nobody listens any more if the fit was left to itself; it hears of that by `stop`.
            let _ = sender.send(message);
        }
    }
}

/// Looks out for Ctrl-C from within work that is done without Python's lock.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    looked: Option<Instant>,
    error: Option<PyErr>,
}

impl Signals {
    /// Whether there is no reason to stop.
    pub(crate) fn are_quiet(&mut self) -> bool {
        if self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_OUT) {
            self.looked = Some(Instant::now());
            self.error = Python::attach(|py| py.check_signals()).err();
        }
        self.error.is_none()
    }

    /// What was heard.
    pub(crate) fn into_error(self) -> Option<PyErr> {
        self.error
    }
}
