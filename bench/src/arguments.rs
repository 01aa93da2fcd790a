//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::learn::Asked;
use crate::peers::{self, Question};
use crate::step::Plan;
use hedgerow_experiments::learn::recipes::Experiment;

/// What the program prints for `--help`.
pub const HELP: &str = "\
Measurements of hedgerow. bench/README.md says how to read them.

Usage:
  cargo run --release -p hedgerow-bench -- ratios [--json] [--repeat N] [--save]
  cargo run --release -p hedgerow-bench -- mnist DIR [--repeat N] [--save]
  cargo run --release -p hedgerow-bench -- data [--mnist DIR] [--repeat N] [--save]
  cargo run --release -p hedgerow-bench -- learn WHAT [--data NAME] [--only RECIPE] [--seeds N] [--epochs N] [--runs DIR]
  cargo run --release -p hedgerow-bench -- peers QUESTION [--data NAME] [--quick] [--peer-seconds N] [--repeat N] [--save] [--runs DIR]
  cargo run --release -p hedgerow-bench -- peers summary [--runs DIR]
  cargo run --release -p hedgerow-bench -- step [--mnist DIR] [--fashion DIR] [--to-error] [--repeat N] [--save]

ratios       Each structure against plain ways to do the same, both sides in one run.
  --json     Print JSON, with every single measurement, instead of a table.
  --repeat   Measurements of each side, of which the median counts. [default: 5]

mnist        Training and query times, error and size of each structure.
  DIR        Folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
             t10k-labels-idx1-ubyte, packed by gzip or not. Fashion-MNIST and others of the same form will do.
  --repeat   Times that each structure is trained and asked; above 1, shows median and minimum. [default: 1]

data         Reading files against numpy, pandas, pyarrow and scikit-learn, which it installs in a virtual environment
             in the build folder. Makes the files itself, of up to 110 MB each, in the temporary folder.
  --mnist    Folder as of mnist, whose training pictures are read instead of synthetic ones.
  --repeat   Measurements of each side, of which the median counts. [default: 5]

learn        Error, nodes and time of whole training runs on MNIST and Fashion-MNIST, which it gets if they are not there.
             Each run is kept as soon as it is over, in bench/runs/<date>-<machine>/; a command that was stopped goes on where it was.
  WHAT       table, training-time, plane, ablation, ablation-time, presets or choice. bench/README.md says what each is.
  --data     Only this data set: mnist or fashion-mnist. May be given more than once.
  --only     Only this recipe. May be given more than once.
  --seeds    Seeds of each recipe. [default: 3]
  --epochs   Other epochs than the recipes have, to look at something quickly.
  --runs     The folder that runs are kept in, to go on with those of another day.

peers        Whole tasks beside scikit-learn, FAISS, usearch, hnswlib, river, PyTorch and others, which it installs in a virtual
             environment in the build folder.
  QUESTION   raw, learned, stream, neighbors, serve or grow. bench/README.md says what each is.
  --data     Only this data set: letter, or a name that `hedgerow data list` has; of grow, clouds or pictures. May be
             given more than once.
  --quick    Small data and few epochs, to see that it works.
  --peer-seconds
             What a peer may take for one answer before it is ended; its row says so then, and the others go on. [default: 300, of
             learned 900]
  --repeat   Measurements of each side, of which the median counts. [default: 3]
  --runs     The folder that results are kept in. A command with --save that was stopped goes on where it was, on another day with
             the folder of the first.
  summary    Writes bench/summary.md, bench/summary.html and the table of README from what was kept, the newest of each question
             and data set. With --runs only what is in that folder.

step         Epochs of DBS training against PyTorch and against the bare matrix products, with two threads and with one.
             Installs PyTorch in a virtual environment in the build folder: gigabytes, and many minutes.
  --mnist    Folder as of mnist; otherwise MNIST is taken from the data directory.
  --fashion  Folder with the files of Fashion-MNIST, which is then learned too.
  --to-error The time to a validation error of 1.6 % on MNIST, too. Takes some minutes.
  --repeat   Timed epochs of each side, of which the median counts. [default: 5]

All but learn:
  --save     Keep the results in bench/runs/<date>-<machine>/.
  --help     Print this text.

RAYON_NUM_THREADS sets the threads of mnist and peers (stream and serve have one); ratios, data and step name theirs.
HEDGEROW_BENCH_PYTHON names a Python that has the packages of data, peers or step; then nothing is installed.
Exit code: 0, 1 if something could not be read, written or verified, 2 if the arguments are wrong.
";

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Print [`HELP`].
    Help,
    /// Measure ratios.
    Ratios {
        /// What to print.
        format: Format,
    },
    /// Measure on MNIST.
    Mnist {
        /// Where the four files are.
        folder: PathBuf,
    },
    /// Measure reading.
    Data {
        /// Where the four files of MNIST are, if its pictures are to be read.
        mnist: Option<PathBuf>,
    },
    /// Train.
    Learn(Asked),
    /// Measure the training step.
    Step(Plan),
    /// Ask a question to the peers.
    Peers(peers::Plan),
    /// Write the summary of what was asked.
    Summary {
        /// The only folder that counts, if there is one.
        runs: Option<PathBuf>,
    },
}

/// What `ratios` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A Markdown table.
    Markdown,
    /// JSON with every measurement.
    Json,
}

/// A checked command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    /// What to do.
    pub task: Task,
    /// How often.
    pub repeats: usize,
    /// Whether results are kept.
    pub save: bool,
}

/// A command line that says nothing that can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UsageError {
    /// No command.
    #[error("no command given: say `ratios`, `mnist DIR`, `data`, `step`, `learn WHAT`, `peers QUESTION` or `--help`")]
    NoCommand,
    /// An unknown command.
    #[error(
        "unknown command `{0}`: say `ratios`, `mnist DIR`, `data`, `step`, `learn WHAT`, `peers QUESTION` or `--help`"
    )]
    Command(String),
    /// `mnist` without its folder.
    #[error("`mnist` needs the folder of the four IDX files: `mnist DIR`")]
    NoFolder,
    /// `--mnist` or `--fashion` without its folder.
    #[error("`{0}` needs the folder of the four IDX files: `{0} DIR`")]
    NoPictures(&'static str),
    /// An argument that the command does not take.
    #[error("`{command}` does not take `{argument}`; `--help` lists what it takes")]
    Argument {
        /// The command.
        command: &'static str,
        /// What it does not take.
        argument: String,
    },
    /// `learn` without what.
    #[error(
        "`learn` needs to know what: `learn table`, `training-time`, `plane`, `ablation`, `ablation-time`, `presets` or `choice`"
    )]
    NoExperiment,
    /// `peers` without a question.
    #[error(
        "`peers` needs a question: `peers raw`, `learned`, `stream`, `neighbors`, `serve` or `grow`; or `peers summary`"
    )]
    NoQuestion,
    /// An option of `learn` or `peers` without a good value.
    #[error("`{option}` needs {expected}, not `{got}`")]
    Value {
        /// The option.
        option: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What it got.
        got: String,
    },
    /// A bad `--repeat`.
    #[error("`--repeat` needs a whole number from 1 to {MAX_REPEATS}, not `{0}`")]
    Repeat(String),
}

/// Far above what is useful.
const MAX_REPEATS: usize = 1000;
/// A week.
const MAX_SECONDS: u64 = 7 * 24 * 3600;

impl Arguments {
    /// Reads the arguments, without the program's name.
    ///
    /// # Errors
    /// [`UsageError`] at the first that is wrong.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut arguments = arguments.into_iter().collect::<Vec<_>>().into_iter();
        let command = arguments.next().ok_or(UsageError::NoCommand)?;
        match command.to_str() {
            Some("ratios") => Self::ratios(arguments),
            Some("mnist") => Self::mnist(arguments),
            Some("learn") => Self::learn(arguments),
            Some("data") => Self::data(arguments),
            Some("step") => Self::step(arguments),
            Some("peers") => Self::peers(arguments),
            Some("help" | "--help" | "-h") => Ok(Self { task: Task::Help, repeats: 1, save: false }),
            _ => Err(UsageError::Command(command.to_string_lossy().into_owned())),
        }
    }

    fn ratios(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let (mut format, mut repeats, mut save) = (Format::Markdown, 5, false);
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--json") => format = Format::Json,
                Some("--repeat") => repeats = parse_repeats(rest.next())?,
                Some("--save") => save = true,
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats, save }),
                _ => return Err(unexpected("ratios", &argument)),
            }
        }
        Ok(Self { task: Task::Ratios { format }, repeats, save })
    }

    fn learn(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let what = arguments.next().and_then(|what| what.into_string().ok());
        let experiment = Experiment::ALL.into_iter().find(|experiment| Some(experiment.name()) == what.as_deref());
        let experiment = experiment.ok_or(UsageError::NoExperiment)?;
        let mut asked = Asked { experiment, data: Vec::new(), only: Vec::new(), n_seeds: 3, epochs: None, runs: None };
        while let Some(argument) = arguments.next() {
            let argument = argument.to_string_lossy().into_owned();
            let value = arguments.next().map(|value| value.to_string_lossy().into_owned()).unwrap_or_default();
            let wrong = |option: &'static str, expected: &'static str| {
                Err(UsageError::Value { option, expected, got: value.clone() })
            };
            match (argument.as_str(), value.parse::<u64>().ok().filter(|number| *number > 0)) {
                ("--data", _) if experiment.data().contains(&value) => asked.data.push(value),
                ("--data", _) => return wrong("--data", "a data set of the experiment: mnist or fashion-mnist"),
                ("--only", _) if !value.is_empty() => asked.only.push(value),
                ("--only", _) => return wrong("--only", "the name of a recipe"),
                ("--seeds", Some(seeds)) => asked.n_seeds = seeds,
                ("--seeds", None) => return wrong("--seeds", "a whole number above 0"),
                ("--epochs", Some(epochs)) => asked.epochs = usize::try_from(epochs).ok(),
                ("--epochs", None) => return wrong("--epochs", "a whole number above 0"),
                ("--runs", _) if !value.is_empty() => asked.runs = Some(value.into()),
                ("--runs", _) => return wrong("--runs", "a folder"),
                _ => return Err(UsageError::Argument { command: "learn", argument }),
            }
        }
        Ok(Self { task: Task::Learn(asked), repeats: 1, save: false })
    }

    fn mnist(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let (mut folder, mut repeats, mut save) = (None, 1, false);
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--repeat") => repeats = parse_repeats(rest.next())?,
                Some("--save") => save = true,
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats, save }),
                Some(option) if option.starts_with('-') => return Err(unexpected("mnist", &argument)),
                _ if folder.is_some() => return Err(unexpected("mnist", &argument)),
                _ => folder = Some(PathBuf::from(argument)),
            }
        }
        let folder = folder.ok_or(UsageError::NoFolder)?;
        Ok(Self { task: Task::Mnist { folder }, repeats, save })
    }

    fn data(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let (mut mnist, mut repeats, mut save) = (None, 5, false);
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--mnist") => mnist = Some(parse_folder("--mnist", rest.next())?),
                Some("--repeat") => repeats = parse_repeats(rest.next())?,
                Some("--save") => save = true,
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats, save }),
                _ => return Err(unexpected("data", &argument)),
            }
        }
        Ok(Self { task: Task::Data { mnist }, repeats, save })
    }

    fn peers(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let asked = rest.next().and_then(|question| question.into_string().ok());
        if asked.as_deref() == Some("summary") {
            return Self::summary(rest);
        }
        let question = Question::ALL.into_iter().find(|question| Some(question.name()) == asked.as_deref());
        let question = question.ok_or(UsageError::NoQuestion)?;
        let (mut plan, mut repeats, mut save) = (peers::Plan::new(question), 3, false);
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--data") => match rest.next().and_then(|name| name.into_string().ok()) {
                    Some(name) if !name.is_empty() => plan.data.push(name),
                    got => {
                        let (option, expected) = ("--data", "the name of a data set");
                        return Err(UsageError::Value { option, expected, got: got.unwrap_or_default() });
                    }
                },
                Some("--quick") => plan.quick = true,
                Some("--peer-seconds") => plan.peer_limit = parse_seconds("--peer-seconds", rest.next())?,
                Some("--runs") => plan.runs = Some(parse_runs(rest.next())?),
                Some("--repeat") => repeats = parse_repeats(rest.next())?,
                Some("--save") => save = true,
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats, save }),
                _ => return Err(unexpected("peers", &argument)),
            }
        }
        Ok(Self { task: Task::Peers(plan), repeats, save })
    }

    fn summary(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut runs = None;
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--runs") => runs = Some(parse_runs(rest.next())?),
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats: 1, save: false }),
                _ => return Err(unexpected("peers summary", &argument)),
            }
        }
        Ok(Self { task: Task::Summary { runs }, repeats: 1, save: false })
    }

    fn step(mut rest: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let (mut plan, mut repeats, mut save) = (Plan::default(), 5, false);
        while let Some(argument) = rest.next() {
            match argument.to_str() {
                Some("--mnist") => plan.mnist = Some(parse_folder("--mnist", rest.next())?),
                Some("--fashion") => plan.fashion = Some(parse_folder("--fashion", rest.next())?),
                Some("--to-error") => plan.to_error = true,
                Some("--repeat") => repeats = parse_repeats(rest.next())?,
                Some("--save") => save = true,
                Some("--help" | "-h") => return Ok(Self { task: Task::Help, repeats, save }),
                _ => return Err(unexpected("step", &argument)),
            }
        }
        Ok(Self { task: Task::Step(plan), repeats, save })
    }
}

fn parse_folder(option: &'static str, argument: Option<OsString>) -> Result<PathBuf, UsageError> {
    argument.map(PathBuf::from).ok_or(UsageError::NoPictures(option))
}

fn parse_runs(argument: Option<OsString>) -> Result<PathBuf, UsageError> {
    let (option, expected) = ("--runs", "a folder");
    let folder = argument.filter(|folder| !folder.is_empty()).map(PathBuf::from);
    folder.ok_or(UsageError::Value { option, expected, got: String::new() })
}

fn parse_seconds(option: &'static str, argument: Option<OsString>) -> Result<Duration, UsageError> {
    let got = argument.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    match got.parse::<u64>() {
        Ok(seconds @ 1..=MAX_SECONDS) => Ok(Duration::from_secs(seconds)),
        _ => Err(UsageError::Value { option, expected: "a whole number of seconds, from 1 to a week of them", got }),
    }
}

fn parse_repeats(argument: Option<OsString>) -> Result<usize, UsageError> {
    let text = argument.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    let repeats = text.parse::<usize>().ok().filter(|repeats| (1..=MAX_REPEATS).contains(repeats));
    repeats.ok_or(UsageError::Repeat(text))
}

fn unexpected(command: &'static str, argument: &OsString) -> UsageError {
    UsageError::Argument { command, argument: argument.to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, UsageError> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn what_can_be_said() {
        let ratios = Arguments { task: Task::Ratios { format: Format::Json }, repeats: 5, save: true };
        assert_eq!(parse("ratios --save --json"), Ok(ratios));
        let mnist = Arguments { task: Task::Mnist { folder: "data".into() }, repeats: 3, save: false };
        assert_eq!(parse("mnist --repeat 3 data"), Ok(mnist));
        let data = Arguments { task: Task::Data { mnist: None }, repeats: 5, save: true };
        assert_eq!(parse("data --save"), Ok(data));
        let data = Arguments { task: Task::Data { mnist: Some("folder".into()) }, repeats: 3, save: false };
        assert_eq!(parse("data --mnist folder --repeat 3"), Ok(data));
        let step = Arguments { task: Task::Step(Plan::default()), repeats: 5, save: true };
        assert_eq!(parse("step --save"), Ok(step));
        let plan = Plan { mnist: Some("a".into()), fashion: Some("b".into()), to_error: true };
        let step = Arguments { task: Task::Step(plan), repeats: 2, save: false };
        assert_eq!(parse("step --fashion b --mnist a --to-error --repeat 2"), Ok(step));
        let plan = peers::Plan { data: vec!["mnist".into()], quick: true, ..peers::Plan::new(Question::Raw) };
        let raw = Arguments { task: Task::Peers(plan), repeats: 3, save: false };
        assert_eq!(parse("peers raw --data mnist --quick"), Ok(raw));
        let plan = peers::Plan { peer_limit: Duration::from_secs(20), ..peers::Plan::new(Question::Grow) };
        let grow = Arguments { task: Task::Peers(plan), repeats: 1, save: false };
        assert_eq!(parse("peers grow --peer-seconds 20 --repeat 1"), Ok(grow));
        let plan = peers::Plan { runs: Some("a".into()), ..peers::Plan::new(Question::Raw) };
        let raw = Arguments { task: Task::Peers(plan), repeats: 3, save: true };
        assert_eq!(parse("peers raw --save --runs a"), Ok(raw));
        let summary = |runs| Ok(Arguments { task: Task::Summary { runs }, repeats: 1, save: false });
        assert_eq!(parse("peers summary"), summary(None));
        assert_eq!(parse("peers summary --runs a"), summary(Some("a".into())));
        assert_eq!(parse("ratios --help").map(|arguments| arguments.task), Ok(Task::Help));
    }

    #[test]
    fn what_cannot_be_said() {
        assert_eq!(parse(""), Err(UsageError::NoCommand));
        assert_eq!(parse("race"), Err(UsageError::Command("race".into())));
        assert_eq!(parse("mnist --save"), Err(UsageError::NoFolder));
        assert_eq!(parse("mnist a b"), Err(UsageError::Argument { command: "mnist", argument: "b".into() }));
        assert_eq!(parse("mnist a --json"), Err(UsageError::Argument { command: "mnist", argument: "--json".into() }));
        assert_eq!(parse("data folder"), Err(UsageError::Argument { command: "data", argument: "folder".into() }));
        assert_eq!(parse("data --mnist"), Err(UsageError::NoPictures("--mnist")));
        assert_eq!(parse("step --fashion"), Err(UsageError::NoPictures("--fashion")));
        assert_eq!(parse("step folder"), Err(UsageError::Argument { command: "step", argument: "folder".into() }));
        assert_eq!(parse("peers"), Err(UsageError::NoQuestion));
        assert_eq!(parse("peers cooked"), Err(UsageError::NoQuestion));
        assert!(matches!(parse("peers summary --runs"), Err(UsageError::Value { option: "--runs", .. })));
        assert!(matches!(parse("peers summary --save"), Err(UsageError::Argument { command: "peers summary", .. })));
        assert!(matches!(parse("peers raw --data"), Err(UsageError::Value { option: "--data", .. })));
        for wrong in ["", " 0", " soon", " 9999999"] {
            let error = parse(&format!("peers raw --peer-seconds{wrong}")).unwrap_err();
            assert!(matches!(error, UsageError::Value { option: "--peer-seconds", .. }), "{error}");
        }
        assert_eq!(parse("ratios --repeat 0"), Err(UsageError::Repeat("0".into())));
        assert_eq!(parse("ratios --repeat"), Err(UsageError::Repeat(String::new())));
    }
}
