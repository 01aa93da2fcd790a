//! From models to what is shown of them: a decision, an example, a tree, a map, and what an evaluation found.
//!
//! [`Views`] looks once at what all views of a model share (how bright a pixel can be, how much a feature varies); the functions beside it
//! are for a single view. Nothing is computed here that the model does not tell: how things look is for the rest of this crate.

mod decision;
mod evaluation;
mod example;
mod facts;
mod map;
mod report;
mod tree;

use hedgerow::data::ImageShape;
use hedgerow::learn::InputScale;
use hedgerow::{AnswerError, ExampleId, Label, Model, Point, PointsRef};

pub use evaluation::{calibration_view, confusion_view, rejection_view};
pub use facts::{data_facts, learning_curves, recipe_facts, structure_text, summary};
pub use report::{Asked, report_view};

use crate::{DecisionView, ExampleView, MapView, TreeView};

/// Makes views of one model.
///
/// # Example
/// ```
/// use hedgerow::{FitOptions, FitParams, Model, data};
/// use hedgerow_report::{Characters, Views, render_decision_text};
///
/// let digits = data::load("optdigits")?;
/// let params = FitParams { learning: None, ..FitParams::default() };
/// let model = Model::fit(&digits, &params, &FitOptions::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
/// let decision = Views::of(&model).decision(digits.test().row(0), "the first test picture", Some("0"))?;
/// println!("{}", render_decision_text(&decision, 80, Characters::Unicode));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Views<'a> {
    model: &'a Model,
    looks: Looks,
}

/// How examples of a model look.
#[derive(Debug, Clone, PartialEq)]
enum Looks {
    /// As pictures, whose darkest and brightest pixels have these values.
    Pictures { shape: ImageShape, black: f32, white: f32 },
    /// As rows of a table: name and spread of each feature.
    Features(Vec<(String, Option<f64>)>),
}

impl<'a> Views<'a> {
    /// Looks at a model.
    pub fn of(model: &'a Model) -> Self {
        // Other numbers of channels than a picture can have are shown as a table.
        let shape = model.data().image_shape.filter(|shape| matches!(shape.channels, 1 | 3));
        let looks = match shape {
            Some(shape) => {
                let (black, white) = brightness(model);
                Looks::Pictures { shape, black, white }
            }
            None => {
                let spreads = model.preprocessing().spreads();
                let spread = |at: usize| spreads.as_ref().and_then(|spreads| spreads.get(at)).map(|&of| f64::from(of));
                let names = model.feature_names().into_iter().enumerate();
                Looks::Features(names.map(|(at, name)| (name, spread(at))).collect())
            }
        };
        Self { model, looks }
    }

    /// A decision about a point: what `source` names, and its true label as text, where that is known.
    ///
    /// Pictures and features are those of the query, the nodes walked, the voters and the rival. Children that were looked at and not taken have
    /// none, to save space.
    ///
    /// # Errors
    /// As [`Model::explain`].
    pub fn decision(&self, point: Point<'_>, source: &str, truth: Option<&str>) -> Result<DecisionView, AnswerError> {
        decision::view(self, point, source, truth)
    }

    /// An example that the model keeps; nothing if it has none with this id.
    pub fn example(&self, id: ExampleId) -> Option<ExampleView> {
        let (_, label) = self.model.search().example(id)?;
        Some(self.kept(id, label))
    }

    /// A tree, by its number from 0; nothing if the structure has no such tree.
    pub fn tree(&self, number: usize) -> Option<TreeView> {
        tree::view(self, number)
    }

    /// A map of points and of all stored examples, by their representations. `class_names` are those of the labels, by number.
    ///
    /// # Errors
    /// As [`Model::embed`].
    ///
    /// # Panics
    /// If there are not as many labels as points.
    pub fn map(&self, points: PointsRef<'_>, labels: &[Label], class_names: &[String]) -> Result<MapView, AnswerError> {
        map::view(self.model, points, labels, class_names)
    }
}

/// As [`Views::decision`], for one.
///
/// # Errors
/// As [`Model::explain`].
pub fn decision_view(
    model: &Model,
    point: Point<'_>,
    source: &str,
    truth: Option<&str>,
) -> Result<DecisionView, AnswerError> {
    Views::of(model).decision(point, source, truth)
}

/// As [`Views::example`], for one.
pub fn example_view(model: &Model, id: ExampleId) -> Option<ExampleView> {
    Views::of(model).example(id)
}

/// As [`Views::tree`], for one.
pub fn tree_view(model: &Model, number: usize) -> Option<TreeView> {
    Views::of(model).tree(number)
}

/// As [`Views::map`], for one.
///
/// # Errors
/// As [`Model::embed`].
///
/// # Panics
/// If there are not as many labels as points.
pub fn map_view(
    model: &Model,
    points: PointsRef<'_>,
    labels: &[Label],
    class_names: &[String],
) -> Result<MapView, AnswerError> {
    map::view(model, points, labels, class_names)
}

/// The values of the darkest and the brightest pixel: of bytes 0 and what the network divides by, which is the largest byte it saw; else
/// what the stored examples have.
fn brightness(model: &Model) -> (f32, f32) {
    let divisor = match model.transform().map(hedgerow::learn::DenseNetwork::scale) {
        Some(InputScale::Bytes(divisor)) if model.preprocessing().is_none() => Some(divisor),
        _ => None,
    };
    if let Some(divisor) = divisor {
        return (0.0, divisor);
    }
    let mut range: Option<(f32, f32)> = None;
    for id in model.search().stored_ids() {
        let Some(original) = model.original(id) else { continue };
        let values = example::numbers(original.row(0));
        range = values.iter().fold(range, |range, &value| match range {
            None => Some((value, value)),
            Some((least, most)) => Some((least.min(value), most.max(value))),
        });
    }
    match (model.data().bytes, range) {
        (true, range) => (0.0, range.map_or(255.0, |(_, most)| most.max(1.0))),
        (false, range) => range.unwrap_or((0.0, 1.0)),
    }
}

#[cfg(test)]
mod tests;
