//! One decision: what was asked, what was answered, who decided, and why not another class.

use serde::Serialize;

use crate::ExampleView;

/// A decision as it is shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DecisionView {
    /// What was asked. Its `label` and `class` are the true ones, where they are known.
    pub query: ExampleView,
    /// What was answered.
    pub answer: Answer,
    /// The probability of each class that got any, in the order in which they are to be shown (the largest first, as a rule). None in regression.
    pub class_probabilities: Vec<ClassProbability>,
    /// The walk through each tree; none in a flat structure.
    pub walks: Vec<WalkView>,
    /// Who decided, with distance and weight.
    pub voters: Vec<ExampleView>,
    /// The strongest case against the decision.
    pub rival: Option<RivalView>,
    /// How unusual the query is.
    pub novelty: Option<NoveltyView>,
    /// How far a value is from the true one; none of classes, and where the truth is not known.
    pub off_by: Option<OffByView>,
}

/// How far an answer that is a value is from the true one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct OffByView {
    /// The distance between the two.
    pub difference: f64,
    /// Up to this they count as the same: the epsilon of the model.
    pub epsilon: f64,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Answer {
    /// A class or a value.
    Label {
        /// As text.
        label: String,
        /// The number of the class among all classes.
        class: Option<usize>,
    },
    /// That it is not known.
    Unknown {
        /// Why, for example `novelty: only 0.2 % of known examples are as far from their answer`.
        why: String,
        /// What would have been answered otherwise.
        instead_of: Option<String>,
    },
}

/// The share of the vote that a class got.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ClassProbability {
    /// The name of the class.
    pub label: String,
    /// The number of the class among all classes.
    pub class: Option<usize>,
    /// From 0 to 1.
    pub probability: f64,
}

/// The walk of a query through one tree, from the root.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WalkView {
    /// The number of the tree in its forest, from 0.
    pub tree: usize,
    /// The steps. The last one ends where it stands.
    pub steps: Vec<StepView>,
}

/// One step: a node was reached, it and its children were compared, and the nearest was taken.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StepView {
    /// The node reached.
    pub at: CandidateView,
    /// Its children.
    pub children: Vec<CandidateView>,
    /// Whether the walk was allowed to stop here.
    pub may_stop: bool,
    /// The node taken: a child, or the node reached itself if the walk ended here.
    pub next: u32,
    /// The probability of that transition; none at the last step, or where no scale of distances is known.
    pub transition_probability: Option<f64>,
}

/// A node that a step looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CandidateView {
    /// The node.
    pub node: u32,
    /// Its example, with the distance to the query. Pictures of nodes that were looked at but not taken may be left out, to save space.
    pub example: ExampleView,
}

/// The nearest stored example of the best other class.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RivalView {
    /// The example, with its distance.
    pub example: ExampleView,
    /// How much farther it is than the nearest stored example of the predicted class. Negative: it is nearer.
    pub margin: f64,
}

/// How far a query is from what is known.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct NoveltyView {
    /// Distance from the nearest voter.
    pub distance: f64,
    /// Share of known examples that are at least as far from their own answer: small for unusual queries.
    pub share_farther: Option<f64>,
}

impl Default for Answer {
    fn default() -> Self {
        Self::Unknown { why: String::new(), instead_of: None }
    }
}

impl DecisionView {
    /// Whether the answer is the true label, or a value as near to it as counts as the same; none where the truth is not known or the answer is
    /// "unknown".
    pub fn is_right(&self) -> Option<bool> {
        match (&self.answer, &self.query.label, self.off_by) {
            (Answer::Unknown { .. }, ..) => None,
            (_, _, Some(off)) => Some(off.difference <= off.epsilon),
            (Answer::Label { label, .. }, Some(truth), None) => Some(label == truth),
            (_, None, None) => None,
        }
    }
}
