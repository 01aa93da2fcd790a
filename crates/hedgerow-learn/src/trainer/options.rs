//! How a run is carried out.

use std::path::PathBuf;

use crate::error::TrainError;
use crate::transform::DenseNetwork;

/// Seconds between checkpoints, if not told otherwise.
pub(super) const CHECKPOINT_SECONDS: f64 = 60.0;

/// How a run is carried out. Nothing here but [`initial`](Self::initial) changes what is learned, only how far it gets.
///
/// # Example
/// ```
/// use hedgerow_learn::RunOptions;
///
/// // An hour at most; told the same again, it goes on for another hour where it ended.
/// let options = RunOptions {
///     max_seconds: Some(3600.0),
///     checkpoint: Some("run.safetensors".into()),
///     resume: true,
///     ..RunOptions::default()
/// };
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOptions {
    /// Seconds after which the run ends with what it has. None: it runs to its end.
    ///
    /// Counted are those of this call from its first event on: learning, evaluations, checkpoints, and what the listener does; not
    /// those of an earlier call that is taken up again. The clock is looked at before every round and after every epoch, so that the
    /// call lasts longer by up to a round or an evaluation, and by the evaluation that comes last. (A listener that stops the run does not
    /// wait for evaluations.) With 0, nothing is learned: the
    /// result is what the checkpoint had, or a network as its weights were drawn.
    pub max_seconds: Option<f64>,
    /// A file that the run is written to: when it begins, now and then, and when it ends, for whatever reason but an error. If it cannot
    /// be written when the run begins, that is an error; later, it is a notice, and the run goes on.
    ///
    /// A file that is there already is taken up again with [`resume`](Self::resume), and without it is an error: it may be all that
    /// is left of a long run.
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints, at least; 60 if not given. With 0, there is one after every round.
    pub checkpoint_seconds: Option<f64>,
    /// Whether to take up the run that [`checkpoint`](Self::checkpoint) is of. If there is no such file yet, the run begins anew; one
    /// of a run that has come to its end gives its result once more. One of another version of this crate is taken up with a
    /// [`Notice::OtherVersion`](crate::Notice::OtherVersion): the rest may be learned to other bits.
    pub resume: bool,
    /// A network to start from, for fine-tuning, instead of weights that are drawn. Only the weights are taken over: the optimizer and
    /// the learning rate start anew, so that a rate well below the default is wise.
    ///
    /// It must take as many features, of the same kind, and have the layers and the activation of the run; layers that the run was not
    /// told are taken from it. For a classifier it is the whole network, with its last layer. Bytes are divided by what the network
    /// has learned to divide them by, whatever the largest of this data is. A checkpoint remembers which weights the run started
    /// from: give the same to take it up again.
    pub initial: Option<DenseNetwork>,
}

impl RunOptions {
    /// Checks that the options make sense, and that no file would be lost.
    ///
    /// # Errors
    /// Seconds that are no number or below 0, `resume` without `checkpoint`, and a checkpoint that is there already and is not to be
    /// taken up again.
    pub fn check(&self) -> Result<(), TrainError> {
        let seconds = [("max_seconds", self.max_seconds), ("checkpoint_seconds", self.checkpoint_seconds)];
        for (parameter, seconds) in seconds {
            // Written so that NaN is refused too.
            if let Some(seconds) = seconds.filter(|seconds| seconds.is_nan() || *seconds < 0.0) {
                let expected = "give a number of seconds that is not below 0, or none";
                return Err(TrainError::Parameter { parameter, got: seconds.to_string(), expected });
            }
        }
        match &self.checkpoint {
            None if self.resume => {
                let expected = "a run can only be taken up again from a file: set checkpoint too, or leave resume out";
                Err(TrainError::Parameter { parameter: "resume", got: "set without checkpoint".to_owned(), expected })
            }
            Some(path) if !self.resume => match path.try_exists() {
                Ok(false) => Ok(()),
                Ok(true) => Err(TrainError::CheckpointExists { path: path.clone() }),
                Err(source) => Err(TrainError::File { path: path.clone(), act: "looking for", source }),
            },
            _ => Ok(()),
        }
    }
}
