//! Named recipes.

use serde::{Deserialize, Serialize};

use crate::augmentation::{Augmentation, PictureShape};
use crate::methods::{Method, Roles, SoftNn};
use crate::optimizer::{AdamParams, LearningRate, Schedule};
use crate::trainer::{Keep, TrainingParams};

/// A recipe with a name. `cargo run --release -p hedgerow-bench -- learn presets` measures what each costs and reaches on MNIST and
/// Fashion-MNIST; no such run is kept yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// Meant for seconds on small data and about a minute on data like MNIST: layers, epochs and learning rate by the data. Its rate
    /// for small data was chosen on such data; that for large data is the paper's.
    #[default]
    Fast,
    /// As the DBS paper says: learning rate of 0.001 that drops after 400, 1000 and 3000 of 5000 epochs, no averaging. But for the
    /// squared distance and He's first weights, as everywhere here, and a tenth of the examples kept for validation, where the paper
    /// stops by the test examples.
    Paper,
    /// The lowest error with the network of the papers on data as it is: every point query and reference, averaged weights, 200 epochs.
    Best,
    /// The same with pictures moved by a place at random, each time that they are learned from. Helps where objects stand anywhere, as handwritten
    /// digits do, and harms where they are aligned, as the garments of Fashion-MNIST are. Without pictures it is `best`.
    BestShifted,
}

impl Preset {
    /// All presets.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Paper, Self::Best, Self::BestShifted];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Paper => "paper",
            Self::Best => "best",
            Self::BestShifted => "best-shifted",
        }
    }

    /// The parameters. With the shape of pictures, recipes may move them.
    pub fn params(self, picture: Option<PictureShape>) -> TrainingParams {
        let default = TrainingParams { picture, ..TrainingParams::default() };
        match self {
            Self::Fast => default,
            Self::Paper => TrainingParams {
                layers: Some(vec![400, 400, 20]),
                adam: AdamParams::default(),
                learning_rate: LearningRate {
                    start: Some(1e-3),
                    schedule: Schedule::Steps(vec![400, 1000, 3000]),
                    ..LearningRate::default()
                },
                epochs: Some(5000),
                keep: Keep::Best,
                ..default
            },
            Self::Best => TrainingParams {
                method: Method::SoftNn(SoftNn { roles: Roles::Both, ..SoftNn::default() }),
                layers: Some(vec![400, 400, 20]),
                learning_rate: LearningRate { start: Some(1e-3), ..LearningRate::default() },
                epochs: Some(200),
                ..default
            },
            Self::BestShifted => TrainingParams {
                augmentation: picture.map(|_| Augmentation::Shift(1)).into_iter().collect(),
                ..Self::Best.params(picture)
            },
        }
    }
}

impl std::str::FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|preset| preset.name() == text).ok_or_else(|| UnknownPreset(text.to_owned()))
    }
}

/// A name that no preset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no preset \"{0}\"; the presets are fast, paper, best and best-shifted")]
pub struct UnknownPreset(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name_and_makes_sense() {
        let picture = Some(PictureShape { height: 28, width: 28, channels: 1 });
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse(), Ok(preset));
            preset.params(None).check().unwrap();
            preset.params(picture).check().unwrap();
        }
        assert!("slow".parse::<Preset>().is_err());
    }
}
