//! The flags of `hedgerow fit`.
//!
//! What a flag is not given for is left to the library: most defaults depend on the data. What the flags mean together is in
//! `recipe.rs`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use hedgerow::data::Scaling;
use hedgerow::learn::{Activation, Augmentation, Method, Preset, Schedule};
use hedgerow::{Distance, History, Initialization, Passes, StructureParams, Vote};

use super::values::{AugmentArg, Bound, share};
use crate::cmd::words::NO_METHOD;
use crate::reading::ReadingArgs;

const EXAMPLES: &str = "\
Examples:
  hedgerow fit --data optdigits --out digits
  hedgerow fit --data mnist --out mnist-best --preset best
  hedgerow fit --data flowers.csv --label-column species --out flowers --epochs 200
  hedgerow fit --data optdigits --out raw --method none --structure forest --trees 50
  hedgerow fit --data wine.csv --task regress --epsilon 0.5 --out wine

While it learns, what has been learned is kept in MODEL.checkpoint, which is gone when the model is
there. If the fit is stopped or killed, the same command with --resume goes on from it, and ends
with the same bits as if nothing had happened.";

/// Fit a model to data: learn a space, and keep the few examples that are needed in it.
///
/// Rows that the data keeps for testing are not looked at. Rows that it keeps for validation choose between the weights of several
/// moments; if there are none, a tenth of the training rows does (--validation).
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A name that `hedgerow data list` has, a file, a folder, or - for standard input.
    #[arg(long, value_name = "DATA")]
    pub(super) data: String,

    /// The folder that the model is written to.
    #[arg(long, value_name = "MODEL")]
    pub(super) out: PathBuf,

    /// Replace the model that is there.
    #[arg(long)]
    pub(super) force: bool,

    /// Go on with a fit that was stopped or killed, from MODEL.checkpoint. The other flags must be the same again.
    #[arg(long)]
    pub(super) resume: bool,

    /// What the labels are for: tell classes apart, estimate values, or find similar examples. [default: by the labels]
    #[arg(long)]
    pub(super) task: Option<TaskArg>,

    /// For regress: values that differ by no more than this count as the same, so that fewer examples are kept. In the units of
    /// the labels. [default: 0]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub(super) epsilon: Option<f32>,

    /// How features are scaled first, one step after another: `standardize` (mean 0, variance 1), `unit-range` (0 to 1), `unit-length`
    /// (each row). `auto` standardizes numbers and leaves pictures as they are.
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    pub(super) scaling: Vec<ScalingArg>,

    #[command(flatten)]
    pub(super) learning: LearningArgs,

    #[command(flatten)]
    pub(super) structure: StructureArgs,

    #[command(flatten)]
    pub(super) kept: KeptArgs,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

/// How a representation is learned.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Learning")]
pub(crate) struct LearningArgs {
    /// How the space is learned: differentiable boundary sets (dbs) or trees (dbt), what they are compared with, or not at all
    /// (`none`). [default: dbs; none if the labels are no classes]
    #[arg(long, value_name = "METHOD", value_parser = PossibleValuesParser::new(Method::NAMES.into_iter().chain([NO_METHOD])))]
    pub(super) method: Option<String>,

    /// A recipe: `fast` is the default, `paper` is as the DBS paper says, `best` takes longer for a lower error, `best-shifted` is for
    /// pictures whose classes hardly overlap, as digits. Other flags override it; --method takes the method with its own defaults.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(Preset::ALL.map(Preset::name)))]
    pub(super) preset: Option<String>,

    /// Numbers that come out of each layer of the network; the last are the representation. [default: 100,100,20; on data as large as
    /// MNIST 400,400,20]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    pub(super) layers: Vec<usize>,

    /// What stands between two layers. [default: relu]
    #[arg(long, value_name = "FUNCTION")]
    pub(super) activation: Option<ActivationArg>,

    /// Distance scale in exp(-d/SIGMA), d as chosen by --distance. Larger: more neighbors share the vote; smaller: the nearest decides.
    /// [default: 60; of dbt-v1 1]
    #[arg(long, value_name = "SIGMA", allow_negative_numbers = true)]
    pub(super) sigma: Option<f64>,

    /// Which distance stands over sigma. [default: squared-euclidean]
    #[arg(long, value_name = "DISTANCE")]
    pub(super) distance: Option<LossDistanceArg>,

    /// Examples of a step that references are chosen from. [default: 100; of dbt 1000]
    #[arg(long, value_name = "N")]
    pub(super) boundary_batch: Option<usize>,

    /// Examples of a step that are queries. [default: 100; of dbt 1000, of siamese and triplet 200]
    #[arg(long, value_name = "N")]
    pub(super) train_batch: Option<usize>,

    /// Times that the data is gone through. [default: 30, or more where that would be few steps]
    #[arg(long, value_name = "N")]
    pub(super) epochs: Option<usize>,

    /// End learning after so many seconds, with what has been learned by then. Such a model depends on the machine.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) max_seconds: Option<f64>,

    /// The first learning rate. [default: 0.003; on data as large as MNIST 0.001; of dbt 0.0001]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    pub(super) learning_rate: Option<f64>,

    /// How the learning rate falls: `cosine` (to 0 at the end), `constant`, or `steps:400,1000` (by 10 after each of these epochs).
    /// [default: cosine]
    #[arg(long, value_name = "SCHEDULE", value_parser = super::values::schedule)]
    pub(super) schedule: Option<Schedule>,

    /// Epochs over which the learning rate rises first. [default: 0]
    #[arg(long, value_name = "EPOCHS", allow_negative_numbers = true)]
    pub(super) warm_up: Option<f64>,

    /// Share of each weight that is taken away at each step, times the learning rate (AdamW). [default: 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(super) weight_decay: Option<f64>,

    /// How much of the average of the weights is kept from step to step; the average is what is used in the end. 0: the last weights
    /// are. [default: 0.999]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(super) averaging: Option<f64>,

    /// End learning after so many evaluations without better weights; there are about 20 in a run. [default: it runs to its end]
    #[arg(long, value_name = "N")]
    pub(super) patience: Option<usize>,

    /// Share of the training rows that is not learned from and chooses between weights. 0: none. [default: 0.1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(super) validation: Option<f64>,

    /// How examples are changed each time that they are seen: `shift:1` (places), `rotate:10` (degrees), `mirror`, `noise:0.1` (deviation),
    /// `drop:0.1` (share set to 0); several with commas between. `none` for none. [default: by the preset]
    #[arg(long, value_name = "CHANGES", value_delimiter = ',')]
    pub(super) augment: Vec<AugmentArg>,

    /// Epochs at the end in which examples are seen as they are. [default: by the preset]
    #[arg(long, value_name = "N")]
    pub(super) clean_epochs: Option<usize>,

    /// Seconds between two checkpoints. 0: one after every step.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_negative_numbers = true)]
    pub(super) checkpoint_seconds: f64,
}

/// What keeps the examples.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What keeps the examples")]
pub(crate) struct StructureArgs {
    /// A boundary tree, a forest of them, a boundary set, or all examples (knn). [default: tree; forest if nothing is learned]
    #[arg(long, value_name = "STRUCTURE", value_parser = PossibleValuesParser::new(StructureParams::NAMES))]
    pub(super) structure: Option<String>,

    /// Trees of a forest. [default: 50]
    #[arg(long, value_name = "N")]
    pub(super) trees: Option<usize>,

    /// Children of a node at most, in trees and forests; `none`: as many as come. [default: none; of a forest 50]
    #[arg(long, value_name = "N")]
    pub(super) max_children: Option<Bound>,

    /// How the trees of a forest come to differ: each has a root of its own, or its own order of the examples. [default: distinct-roots]
    #[arg(long, value_name = "HOW")]
    pub(super) initialization: Option<InitializationArg>,

    /// How often a set goes over the examples: once, or until all are answered rightly (Hart's rule). [default: one]
    #[arg(long, value_name = "PASSES")]
    pub(super) passes: Option<PassesArg>,

    /// Nearest examples that vote, of a set or knn. [default: 1]
    #[arg(long, value_name = "K")]
    pub(super) neighbors: Option<usize>,

    /// How several examples vote, of a forest, a set or knn. [default: majority; of a forest shepard]
    #[arg(long, value_name = "VOTE")]
    pub(super) vote: Option<VoteArg>,

    /// How many of its nearest neighbors tell whether an example is shown: one whose class they outvote is left out, for good. Where classes overlap far fewer are
    /// stored, and fewer answers are wrong. 0: all are shown. [default: 0; of the preset best on 10,000 examples or more 100]
    #[arg(long, value_name = "NEIGHBORS")]
    pub(super) editing: Option<usize>,

    /// The distance by which examples are near: between representations, or between points if nothing is learned. [default: euclidean]
    #[arg(long, value_name = "DISTANCE")]
    pub(super) metric: Option<MetricArg>,
}

/// What the model remembers, and when it does not know.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "The model")]
pub(crate) struct KeptArgs {
    /// What is remembered of examples that are not stored: with `full` they can be removed and relabelled exactly, with `nodes-only` the model is
    /// smaller.
    #[arg(long, value_name = "WHAT", default_value = "full")]
    pub(super) history: HistoryArg,

    /// Do not keep stored examples as they were given: a smaller model, whose explanations name examples but cannot show them.
    #[arg(long)]
    pub(super) no_originals: bool,

    /// Answer "unknown" where a smaller share than this of the training examples is as far from its own answer: 0.01 turns away what is
    /// stranger than 99 of 100.
    #[arg(long, value_name = "SHARE", value_parser = share, allow_negative_numbers = true)]
    pub(super) reject_novelty: Option<f64>,

    /// Answer "unknown" where the most probable class has a smaller probability than this.
    #[arg(long, value_name = "PROBABILITY", value_parser = share, allow_negative_numbers = true)]
    pub(super) reject_probability: Option<f64>,
}

/// Makes an enum of the words of a flag, and what each stands for.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident => $stands_for:ty { $($word:ident => $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($word,)+ }

        impl $name {
            pub(super) fn value(self) -> $stands_for {
                match self { $(Self::$word => $value,)+ }
            }
        }
    };
}

/// What labels are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TaskArg {
    Classify,
    Regress,
    Retrieve,
}

/// The distance that stands over sigma.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LossDistanceArg {
    SquaredEuclidean,
    Euclidean,
}

words! {
    /// A step of scaling; none for what is not one.
    ScalingArg => Option<Scaling> {
        Auto => None,
        None => None,
        Standardize => Some(Scaling::Standardize),
        UnitRange => Some(Scaling::UnitRange),
        UnitLength => Some(Scaling::UnitLength),
    }
}

words! {
    ActivationArg => Activation {
        Relu => Activation::Relu,
        LeakyRelu => Activation::LeakyRelu,
        Gelu => Activation::Gelu,
        Tanh => Activation::Tanh,
    }
}

words! {
    InitializationArg => Initialization {
        DistinctRoots => Initialization::DistinctRoots,
        Permuted => Initialization::Permuted,
    }
}

words! {
    PassesArg => Passes {
        One => Passes::One,
        UntilConsistent => Passes::UntilConsistent,
    }
}

words! {
    VoteArg => Vote {
        Nearest => Vote::Nearest,
        Majority => Vote::Majority,
        Shepard => Vote::Shepard,
    }
}

words! {
    MetricArg => Distance {
        Euclidean => Distance::Euclidean,
        SquaredEuclidean => Distance::SquaredEuclidean,
        Cosine => Distance::Cosine,
        Manhattan => Distance::Manhattan,
    }
}

words! {
    HistoryArg => History {
        Full => History::Full,
        NodesOnly => History::NodesOnly,
    }
}

impl LearningArgs {
    /// The flags that were given and say how to learn, but for the method.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--preset", self.preset.is_some()),
            ("--layers", !self.layers.is_empty()),
            ("--activation", self.activation.is_some()),
            ("--sigma", self.sigma.is_some()),
            ("--distance", self.distance.is_some()),
            ("--boundary-batch", self.boundary_batch.is_some()),
            ("--train-batch", self.train_batch.is_some()),
            ("--epochs", self.epochs.is_some()),
            ("--max-seconds", self.max_seconds.is_some()),
            ("--learning-rate", self.learning_rate.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--warm-up", self.warm_up.is_some()),
            ("--weight-decay", self.weight_decay.is_some()),
            ("--averaging", self.averaging.is_some()),
            ("--patience", self.patience.is_some()),
            ("--validation", self.validation.is_some()),
            ("--augment", !self.augment.is_empty()),
            ("--clean-epochs", self.clean_epochs.is_some()),
        ];
        flags.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
    }

    /// The changes that were asked for; nothing if none were, an empty list for `none`.
    pub(super) fn augmentation(&self) -> Option<Vec<Augmentation>> {
        let changes = self.augment.iter().filter_map(|change| change.0).collect();
        (!self.augment.is_empty()).then_some(changes)
    }
}
