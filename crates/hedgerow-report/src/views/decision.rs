//! One decision.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hedgerow::{AnswerError, Candidate, Model, ModelPrediction, Point, Step, Task, Voter, Walk};

use super::Views;
use super::example::named_neighbor;
use crate::{
    Answer, CandidateView, ClassProbability, DecisionView, ExampleView, NoveltyView, OffByView, RivalView, StepView,
    WalkView,
};

pub(super) fn view(
    views: &Views<'_>,
    point: Point<'_>,
    source: &str,
    truth: Option<&str>,
) -> Result<DecisionView, AnswerError> {
    let model = views.model;
    let decision = model.explain(point)?;
    let explanation = &decision.explanation;
    let probability = |share: &hedgerow::ClassShare| ClassProbability {
        label: model.label_text(hedgerow::Label::Class(share.class)),
        class: Some(share.class.0 as usize),
        probability: share.share,
    };
    let novelty = explanation.novelty;
    Ok(DecisionView {
        query: views.query(point, source, truth),
        answer: answer(model, decision.prediction),
        class_probabilities: decision.probabilities.iter().map(probability).collect(),
        walks: decision.walks.iter().enumerate().map(|(tree, walk)| walk_view(views, tree, walk)).collect(),
        voters: voters(views, &explanation.voters),
        rival: explanation
            .rival
            .map(|rival| RivalView { example: views.neighbor(&rival.neighbor), margin: rival.margin }),
        novelty: Some(NoveltyView { distance: novelty.distance, share_farther: novelty.share_farther }),
        off_by: off_by(model, decision.prediction, truth),
    })
}

fn off_by(model: &Model, prediction: ModelPrediction, truth: Option<&str>) -> Option<OffByView> {
    let Task::Regression { epsilon } = model.task() else { return None };
    let (said, truth) = (prediction.label.as_value()?, truth?.parse::<f32>().ok()?);
    Some(OffByView { difference: (f64::from(said) - f64::from(truth)).abs(), epsilon: epsilon.into() })
}

/// Each example that voted once, with all its weight: in a forest it may vote for many trees. Those of most weight come first.
fn voters(views: &Views<'_>, votes: &[Voter]) -> Vec<ExampleView> {
    let mut voters: Vec<Voter> = Vec::new();
    let mut place_of: HashMap<_, usize> = HashMap::new();
    for vote in votes {
        match place_of.entry(vote.neighbor.id) {
            Entry::Occupied(place) => voters[*place.get()].weight += vote.weight,
            Entry::Vacant(place) => {
                place.insert(voters.len());
                voters.push(*vote);
            }
        }
    }
    voters.sort_by(|one, two| two.weight.total_cmp(&one.weight));
    let view = |voter: &Voter| ExampleView { weight: Some(voter.weight), ..views.neighbor(&voter.neighbor) };
    voters.iter().map(view).collect()
}

fn answer(model: &Model, prediction: ModelPrediction) -> Answer {
    let label = model.label_text(prediction.label);
    match prediction.unknown {
        Some(why) => Answer::Unknown { why: why.to_string(), instead_of: (!label.is_empty()).then_some(label) },
        None => Answer::Label { label, class: prediction.label.as_class().map(|class| class.0 as usize) },
    }
}

fn walk_view(views: &Views<'_>, tree: usize, walk: &Walk) -> WalkView {
    let transitions = walk.transitions.iter().copied().map(Some).chain(std::iter::repeat(None));
    let steps = walk.traversal.steps.iter().zip(transitions);
    WalkView { tree, steps: steps.map(|(step, transition)| step_view(views, step, transition)).collect() }
}

fn step_view(views: &Views<'_>, step: &Step, transition_probability: Option<f64>) -> StepView {
    let looked_at = |candidate: &Candidate| CandidateView {
        node: candidate.node.0,
        example: named_neighbor(views.model, &candidate.neighbor),
    };
    StepView {
        at: CandidateView { node: step.at.node.0, example: views.neighbor(&step.at.neighbor) },
        children: step.children.iter().map(looked_at).collect(),
        may_stop: step.may_stop,
        next: step.next.0,
        transition_probability,
    }
}
