use std::ops::ControlFlow;

use hedgerow::data::{self, Dataset, ReadOptions, read_bytes};
use hedgerow::learn::TrainingParams;
use hedgerow::{FitOptions, FitParams, Model, NodeId, Originals, Points, Rejection, StructureParams, Task};

use super::*;
use crate::{Answer, Characters, differing_features, render_decision_html, render_decision_text};

fn fit(dataset: &Dataset, params: &FitParams) -> Model {
    Model::fit(dataset, params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn raw(structure: StructureParams) -> FitParams {
    FitParams { learning: None, structure, ..FitParams::default() }
}

/// Two classes on a line, so that all can be worked by hand: 0 and 1 are low, 10 and 12 are high.
fn line() -> Dataset {
    let text = "x,level\n0,low\n1,low\n10,high\n12,high\n";
    read_bytes("line.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn on_line(structure: StructureParams) -> Model {
    fit(&line(), &FitParams { scaling: Some(Vec::new()), ..raw(structure) })
}

#[test]
fn a_decision_on_a_line_worked_by_hand() {
    let model = on_line(StructureParams::knn(3));
    let view = decision_view(&model, Point::F32(&[2.0]), "typed", Some("high")).unwrap();
    // From 2: 1 is 1 away, 0 is 2 away, 10 is 8 away. Low has two of three votes; the nearest high is 8 - 1 = 7 farther.
    assert_eq!(view.answer, Answer::Label { label: "low".to_owned(), class: Some(1) });
    assert_eq!(view.is_right(), Some(false));
    assert_eq!((view.query.source.as_str(), view.query.class), ("typed", Some(0)));
    let voters: Vec<(&str, Option<f64>)> =
        view.voters.iter().map(|voter| (voter.label.as_deref().unwrap(), voter.distance)).collect();
    assert_eq!(voters, [("low", Some(1.0)), ("low", Some(2.0)), ("high", Some(8.0))]);
    assert_eq!(view.voters[0].source, "row 1 of line.csv");
    assert!((view.voters.iter().map(|voter| voter.weight.unwrap()).sum::<f64>() - 1.0).abs() < 1e-12);
    let rival = view.rival.unwrap();
    assert_eq!((rival.example.id, rival.margin), (Some(2), 7.0));
    assert_eq!(rival.example.features.len(), 1);
    assert_eq!((rival.example.features[0].name.as_str(), rival.example.features[0].value), ("x", 10.0));
    assert_eq!(view.novelty.unwrap().distance, 1.0);
    let shares: Vec<(&str, f64)> =
        view.class_probabilities.iter().map(|of| (of.label.as_str(), of.probability)).collect();
    assert_eq!(shares, [("low", 2.0 / 3.0), ("high", 1.0 / 3.0)]);
    assert!(view.walks.is_empty());
}

#[test]
fn a_walk_is_that_of_the_tree() {
    let digits = data::load("optdigits").unwrap();
    let model = fit(&digits, &raw(StructureParams::tree()));
    let tree = tree_view(&model, 0).unwrap();
    let view = decision_view(&model, digits.test().row(0), "the first", Some("0")).unwrap();
    let [walk] = view.walks.as_slice() else { panic!("one tree, one walk") };
    for (step, next) in walk.steps.iter().zip(walk.steps.iter().skip(1)) {
        let node = tree.nodes.iter().find(|node| node.id == next.at.node).unwrap();
        assert_eq!((node.parent, step.next), (Some(step.at.node), next.at.node));
        assert_eq!(node.example.id, next.at.example.id);
        assert!(step.children.iter().any(|child| child.node == next.at.node));
        assert!(step.transition_probability.is_some_and(|probability| probability > 0.0 && probability <= 1.0));
        assert!(next.at.example.picture.is_some());
        assert!(step.children.iter().all(|child| child.example.picture.is_none() && child.example.distance.is_some()));
    }
    let last = walk.steps.last().unwrap();
    assert_eq!((last.next, last.transition_probability), (last.at.node, None));
    assert_eq!(view.voters[0].id, last.at.example.id);
    assert_eq!(view.is_right(), Some(true));
}

#[test]
fn an_example_that_votes_for_many_trees_is_one_voter() {
    let moons = data::load("moons?n=200&noise=0.2&seed=7").unwrap();
    let model = fit(&moons, &raw(StructureParams::forest()));
    let point = Point::F32(&[0.5, 0.2]);
    let votes = model.explain(point).unwrap().explanation.voters;
    let view = decision_view(&model, point, "", None).unwrap();
    let ids: std::collections::HashSet<u64> = votes.iter().map(|vote| vote.neighbor.id.0).collect();
    assert_eq!((votes.len(), view.voters.len()), (50, ids.len()));
    assert!(view.voters.len() < 50);
    for voter in &view.voters {
        let weight: f64 =
            votes.iter().filter(|vote| Some(vote.neighbor.id.0) == voter.id).map(|vote| vote.weight).sum();
        assert!((weight - voter.weight.unwrap()).abs() < 1e-12);
    }
    assert!(view.voters.is_sorted_by(|one, two| one.weight >= two.weight));
}

#[test]
fn a_tree_has_each_node_with_its_example() {
    let digits = data::load("optdigits").unwrap();
    let model = fit(&digits, &raw(StructureParams::tree()));
    let view = tree_view(&model, 0).unwrap();
    let tree = model.structure().trees()[0];
    assert_eq!(view.nodes.len(), tree.len());
    for node in &view.nodes {
        let id = NodeId(node.id);
        assert_eq!(node.parent, tree.parent(id).map(|parent| parent.0));
        assert_eq!(node.example.id, Some(tree.id(id).0));
        assert_eq!(node.example.label, Some(model.label_text(tree.label(id))));
        assert_eq!(node.example, example_view(&model, tree.id(id)).unwrap());
    }
    assert_eq!(tree_view(&model, 1), None);
    assert_eq!(tree_view(&on_line(StructureParams::set()), 0), None);
}

#[test]
fn pixels_are_as_bright_as_the_brightest_of_the_data() {
    let digits = data::load("optdigits").unwrap();
    let learning = TrainingParams { epochs: Some(1), layers: Some(vec![8]), ..TrainingParams::default() };
    let learned = fit(&digits, &FitParams { learning: Some(learning), ..FitParams::default() });
    for model in [fit(&digits, &raw(StructureParams::tree())), learned] {
        let view = decision_view(&model, digits.test().row(0), "", None).unwrap();
        let picture = view.query.picture.unwrap();
        // Bytes of optdigits go from 0 to 16.
        let Point::U8(bytes) = digits.test().row(0) else { panic!("optdigits are bytes") };
        let expected: Vec<u8> = bytes.iter().map(|&byte| (f32::from(byte) / 16.0 * 255.0).round() as u8).collect();
        assert_eq!(picture.bytes(), expected);
        assert!(view.query.features.is_empty());
        // The same picture given as numbers, as from a file of text, looks the same.
        let numbers = example::numbers(digits.test().row(0));
        let view = decision_view(&model, Point::F32(&numbers), "", None).unwrap();
        assert_eq!(view.query.picture.unwrap().bytes(), expected);
    }
}

#[test]
fn features_of_a_table_have_their_spread() {
    let model = fit(&line(), &raw(StructureParams::tree()));
    let view = decision_view(&model, Point::F32(&[3.0]), "", None).unwrap();
    // 0, 1, 10 and 12 have mean 5.75 and variance 28.1875 about it.
    let spread = view.query.features[0].spread.unwrap();
    assert!((spread - 28.1875_f64.sqrt()).abs() < 1e-5, "{spread}");
    let voter = &view.voters[0];
    let [difference] = differing_features(&view.query.features, &voter.features, 5).try_into().unwrap();
    assert!((difference.difference - (voter.features[0].value - 3.0) / spread).abs() < 1e-9);
}

#[test]
fn what_is_not_known_is_said_so_with_the_reason() {
    let rejection = Rejection { novelty: Some(0.5), probability: None };
    let model = on_line(StructureParams::knn(1)).with_rejection(rejection);
    let view = decision_view(&model, Point::F32(&[1000.0]), "", Some("medium")).unwrap();
    let Answer::Unknown { why, instead_of } = &view.answer else { panic!("{:?}", view.answer) };
    assert!(why.contains("unlike the training examples"), "{why}");
    assert_eq!(instead_of.as_deref(), Some("high"));
    // The true class is none that the model knows.
    assert_eq!((view.query.label.as_deref(), view.query.class), (Some("medium"), None));
    assert_eq!(view.is_right(), None);
}

#[test]
fn examples_that_were_not_kept_as_given_have_a_name_only() {
    let digits = data::load("optdigits").unwrap();
    let learning = TrainingParams { epochs: Some(1), layers: Some(vec![8]), ..TrainingParams::default() };
    let params = FitParams { learning: Some(learning), originals: Originals::None, ..FitParams::default() };
    let model = fit(&digits, &params);
    let id = model.search().stored_ids()[0];
    let view = example_view(&model, id).unwrap();
    assert_eq!((view.picture, view.id), (None, Some(id.0)));
    assert_eq!(view.source, model.source_text(id));
    assert_eq!(example_view(&model, ExampleId(u64::MAX)), None);
}

#[test]
fn a_map_has_the_points_and_the_stored_examples() {
    let model = on_line(StructureParams::knn(1));
    let asked = Points::from_f32(1, vec![0.5, 11.0, 5.0]).unwrap();
    let names = ["high".to_owned(), "medium".to_owned()];
    let labels = [Label::Unlabeled, Label::class(0), Label::class(1)];
    let map = map_view(&model, asked.view(), &labels, &names).unwrap();
    assert_eq!(map.classes, ["high", "low", "medium"]);
    // One number stays as it is.
    let points: Vec<(f32, Option<usize>)> = map.points.iter().map(|point| (point.x, point.class)).collect();
    assert_eq!(points, [(0.5, None), (11.0, Some(0)), (5.0, Some(2))]);
    let stored: Vec<(f32, u64, &str)> = map.stored.iter().map(|of| (of.x, of.id, of.label.as_str())).collect();
    assert_eq!(stored.len(), 4);
    assert!(stored.contains(&(10.0, 2, "high")) && stored.contains(&(1.0, 1, "low")), "{stored:?}");
    assert_eq!(map.note, None);
    let digits = data::load("optdigits").unwrap();
    let model = fit(&digits, &raw(StructureParams::tree()));
    let test = digits.test();
    let map = map_view(&model, test.points().slice(0..50), &test.labels()[..50], digits.class_names()).unwrap();
    assert!(map.note.unwrap().ends_with("of the variance of 64 numbers"));
    assert_eq!((map.points.len(), map.stored.len()), (50, model.search().n_stored()));
}

#[test]
fn an_evaluation_becomes_views() {
    let digits = data::load("optdigits").unwrap();
    let rejection = Rejection { novelty: Some(0.05), probability: None };
    let model = fit(&digits, &FitParams { rejection, ..raw(StructureParams::tree()) });
    let test = digits.test();
    let evaluation = model.evaluate(test.points(), test.labels(), digits.class_names()).unwrap();
    let confusion = confusion_view(&evaluation).unwrap();
    assert_eq!(confusion.classes, digits.class_names());
    let n_told: u64 = confusion.counts.iter().flatten().sum();
    let n_unknown: u64 = confusion.unknown.iter().sum();
    assert_eq!((n_told + n_unknown, n_unknown), (1797, evaluation.n_unknown as u64));
    assert!(confusion.counts.iter().all(|row| row.len() == 10));
    let n_right: u64 = (0..10).map(|class| confusion.count(class, class)).sum();
    let error = 100.0 * (1797 - n_right) as f64 / 1797.0;
    assert!((error - evaluation.error_percent.unwrap()).abs() < 1e-9);
    let calibration = calibration_view(&evaluation).unwrap();
    assert_eq!(calibration.bins.iter().map(|bin| bin.count).sum::<u64>(), 1797);
    assert!(calibration.expected_calibration_error.is_some_and(|error| (0.0..=1.0).contains(&error)));
    let rejection = rejection_view(&evaluation).unwrap();
    assert_eq!(rejection.curves.iter().map(|curve| curve.by.as_str()).collect::<Vec<_>>(), ["probability", "novelty"]);
    let summary = summary(&model, Some(&evaluation));
    assert_eq!((summary.error_percent, summary.n_queries), (evaluation.error_percent, Some(1797)));
}

#[test]
fn values_have_no_confusion() {
    let text = "x,y\n0,0.5\n1,1.5\n2,2.5\n";
    let values = read_bytes("values.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let model = fit(&values, &raw(StructureParams::tree()));
    assert!(matches!(model.task(), Task::Regression { .. }));
    let evaluation = model.evaluate(values.points(), values.labels(), &[]).unwrap();
    assert_eq!(confusion_view(&evaluation), None);
    assert_eq!(calibration_view(&evaluation), None);
    assert_eq!(rejection_view(&evaluation), None);
    assert!(summary(&model, Some(&evaluation)).others.iter().any(|fact| fact.name == "mean absolute error"));
    let view = decision_view(&model, Point::F32(&[0.9]), "", Some("1.4")).unwrap();
    assert_eq!(view.answer, Answer::Label { label: "1.5".to_owned(), class: None });
    assert!(view.class_probabilities.is_empty() && view.rival.is_none());
}

#[test]
fn a_value_is_right_within_epsilon_and_else_off_by_so_much() {
    let text = "x,y\n0,0.5\n1,1.5\n2,2.5\n";
    let values = read_bytes("values.csv", text.as_bytes(), &ReadOptions::default()).unwrap();
    let told = |epsilon: f32, truth: &str| {
        let model =
            fit(&values, &FitParams { task: Some(Task::Regression { epsilon }), ..raw(StructureParams::tree()) });
        let view = decision_view(&model, Point::F32(&[0.9]), "row 1", Some(truth)).unwrap();
        (view.is_right(), render_decision_text(&view, 100, Characters::Ascii), render_decision_html(&view))
    };
    // 0.9 is nearest to 1, whose value is 1.5.
    for (epsilon, truth, is_right, sentence, badge) in [
        (0.5, "1.4", true, "said 1.5, off by 0.100: it is 1.4, which is right within 0.500.", "good\">right"),
        (0.5, "2.25", false, "said 1.5, off by 0.750: it is 2.25.", "bad\">off"),
        (0.0, "1.4", false, "said 1.5, off by 0.100: it is 1.4.", "open\">off"),
        (0.0, "1.50", true, "said 1.5, which is right.", "good\">right"),
    ] {
        let (right, text, page) = told(epsilon, truth);
        assert_eq!(right, Some(is_right), "{truth} within {epsilon}");
        assert!(text.contains(sentence), "{text}");
        assert!(page.contains(badge), "{page}");
    }
}

#[test]
fn facts_and_curves_tell_how_a_model_was_made() {
    let digits = data::load("optdigits").unwrap();
    let learning = TrainingParams { epochs: Some(2), layers: Some(vec![8]), ..TrainingParams::default() };
    let model = fit(&digits, &FitParams { learning: Some(learning), ..FitParams::default() });
    let value = |facts: &[crate::Fact], name: &str| facts.iter().find(|fact| fact.name == name).unwrap().value.clone();
    let recipe = recipe_facts(&model);
    assert_eq!(value(&recipe, "method"), "dbs");
    assert!(value(&recipe, "network").starts_with("64-8, "), "{recipe:?}");
    assert_eq!(value(&recipe, "structure"), "boundary tree");
    let data = data_facts(&model);
    assert_eq!(value(&data, "pictures"), digits.image_shape().unwrap().to_string());
    assert!(value(&data, "classes").starts_with("10: 0, 1, 2"), "{data:?}");
    let curves = learning_curves(&model);
    assert_eq!(curves[0].title, "Loss");
    assert_eq!(curves[0].series[0].points.len(), 2);
    assert_eq!(curves[0].series[0].points[0], [1.0, model.metrics().epochs[0].loss]);
    assert!(learning_curves(&on_line(StructureParams::set())).is_empty());
}
