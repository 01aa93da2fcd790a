//! Labels, the ids that callers give to examples, and the three tasks.
//!
//! A [`Task`] decides what a label is and when an example is *redundant*: already answered well enough by the example
//! that the search stops at. Everything else about the structures is the same for all three tasks.

use crate::error::{InsertError, ParamError};

/// The caller's own name for an example. Structures keep it, and answer, remove and relabel by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExampleId(pub u64);

impl std::fmt::Display for ExampleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A class, as a number. New numbers may appear at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

impl std::fmt::Display for ClassId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known of an example besides its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Label {
    /// Its class (classification).
    Class(ClassId),
    /// Its target value (regression).
    Value(f32),
    /// Nothing (retrieval).
    Unlabeled,
}

impl Label {
    /// A class label.
    pub fn class(class: u32) -> Self {
        Self::Class(ClassId(class))
    }

    /// The class, if the label is one.
    pub fn as_class(self) -> Option<ClassId> {
        match self {
            Self::Class(class) => Some(class),
            _ => None,
        }
    }

    /// The target value, if the label is one.
    pub fn as_value(self) -> Option<f32> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => write!(f, "class {class}"),
            Self::Value(value) => write!(f, "value {value}"),
            Self::Unlabeled => f.write_str("unlabeled"),
        }
    }
}

/// What the stored examples are for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Task {
    /// Predict a class. An example is redundant where the structure already answers with its class.
    #[default]
    Classification,
    /// Predict a value. An example is redundant where the structure's answer is at most `epsilon` away from its value.
    Regression {
        /// The tolerance, in the units of the target.
        epsilon: f32,
    },
    /// Find similar examples. No example is redundant; labels are optional and of any kind.
    Retrieval,
}

impl Task {
    /// Whether an example labelled `shown` adds nothing where the search stops at one labelled `stored`
    /// (Mathy et al. 2015, training rule for each task).
    pub fn is_redundant(self, stored: Label, shown: Label) -> bool {
        match (self, stored, shown) {
            (Self::Retrieval, _, _) => false,
            (Self::Regression { epsilon }, Label::Value(stored), Label::Value(shown)) => {
                // In f64, so that values far apart cannot overflow to an infinite difference.
                (f64::from(stored) - f64::from(shown)).abs() <= f64::from(epsilon)
            }
            (_, stored, shown) => stored == shown,
        }
    }

    pub(crate) fn check(self) -> Result<(), ParamError> {
        match self {
            Self::Regression { epsilon } if !epsilon.is_finite() || epsilon < 0.0 => {
                Err(ParamError::Epsilon { epsilon })
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn check_label(self, label: Label) -> Result<(), InsertError> {
        match (self, label) {
            (_, Label::Value(value)) if !value.is_finite() => Err(InsertError::TargetNotFinite { value }),
            (Self::Classification, Label::Class(_)) | (Self::Regression { .. }, Label::Value(_)) => Ok(()),
            (Self::Retrieval, _) => Ok(()),
            (task, label) => Err(InsertError::LabelKind { task, label }),
        }
    }

    pub(crate) fn label_remedy(self) -> &'static str {
        match self {
            Self::Classification => "give a class, or choose the task regression or retrieval",
            Self::Regression { .. } => "give a target value, or choose the task classification or retrieval",
            Self::Retrieval => "any label will do",
        }
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Classification => "classification",
            Self::Regression { .. } => "regression",
            Self::Retrieval => "retrieval",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundancy_follows_the_task() {
        let [one, two] = [Label::class(1), Label::class(2)];
        assert!(Task::Classification.is_redundant(one, one));
        assert!(!Task::Classification.is_redundant(one, two));
        assert!(!Task::Retrieval.is_redundant(one, one));
        let task = Task::Regression { epsilon: 0.5 };
        assert!(task.is_redundant(Label::Value(1.0), Label::Value(1.5))); // exactly epsilon apart: within
        assert!(!task.is_redundant(Label::Value(1.0), Label::Value(1.75)));
        assert!(!task.is_redundant(Label::Value(f32::MAX), Label::Value(f32::MIN)));
    }

    #[test]
    fn labels_of_the_wrong_kind_are_refused_with_a_remedy() {
        let error = Task::Classification.check_label(Label::Value(2.5)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the label is value 2.5 but the task is classification; \
             give a class, or choose the task regression or retrieval"
        );
        assert!(Task::Regression { epsilon: 0.1 }.check_label(Label::Value(f32::NAN)).is_err());
        assert_eq!(Task::Regression { epsilon: -1.0 }.check(), Err(ParamError::Epsilon { epsilon: -1.0 }));
    }
}
