//! Learns the space in which few examples stand on the boundary between classes.
//!
//! [`train`] takes labelled examples and gives a [`DenseNetwork`], f_theta in the papers, that maps points to *representations*. In the
//! space of these, boundary trees, sets and forests ([`hedgerow_core`]) keep very few examples.
//!
//! - [`Method`]: differentiable boundary sets (the default), both kinds of differentiable boundary trees, and what they are compared with: a
//!   classifier, siamese and triplet networks, the soft nearest neighbor loss, random sets.
//! - [`TrainingParams`] says everything that decides what is learned; [`RunOptions`] how long it may take and where checkpoints go.
//! - [`Event`]s tell how a run goes; the listener that hears them can stop it. [`CheckpointInfo`] looks at what it leaves on disk.
//!
//! Not here: neighbor structures for use, model files, reading data.

mod augmentation;
pub mod editing;
mod error;
pub mod evaluation;
mod hash;
mod learner;
pub mod loss;
pub mod matrix;
mod methods;
mod minibatch;
mod optimizer;
mod presets;
mod real;
pub mod selection;
mod trainer;
mod transform;

pub use augmentation::{Augmentation, PictureShape};
pub use error::{ApplyError, StepError, TrainError};
pub use learner::Learner;
pub use loss::DistanceScale;
pub use matrix::Matrix;
pub use methods::{
    Dbs, Dbt, Method, MlpClassifier, NodeGradient, RandomSet, Roles, Round, RoundReport, RoundSize, Siamese, SoftNn,
    TripletNetwork, UnknownMethod, Workspace,
};
pub use optimizer::{Adam, AdamParams, LearningRate, Schedule};
pub use presets::{Preset, UnknownPreset};
pub use real::Real;
pub use selection::Voters;
pub use trainer::{
    CheckpointInfo, Classifier, EpochRecord, Event, Keep, Listener, Notice, Outcome, RunOptions, Trained,
    TrainingParams, Validation, silent, train, train_validated,
};
pub use transform::{
    Activation, Architecture, DenseNetwork, InputScale, Inputs, TrainableNetwork, Transform, WeightInitialization,
};
