//! What models answer, over every structure.

use hedgerow::data::{self, Dataset};
use hedgerow::{
    Distance, ExampleId, FitParams, History, Label, ModelPrediction, Originals, Point, Points, Rejection,
    StructureParams, Task, Unknown,
};

use super::fixtures::{add, class, crowded, fit, flowers, models, moons, params, queries, structures};

fn argmax(row: &[f64]) -> usize {
    // The first of equals, as NumPy has it.
    (0..row.len()).rev().max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap()
}

#[test]
fn the_most_probable_class_is_the_answer_and_probabilities_add_up() {
    for (name, model) in models() {
        let queries = queries(&model, 1);
        if model.task() != Task::Classification {
            assert!(model.predict_proba(queries.view()).is_err(), "{name}");
            continue;
        }
        let answers = model.predict(queries.view()).unwrap();
        let probabilities = model.predict_proba(queries.view()).unwrap();
        for (row, answer) in answers.iter().enumerate() {
            let shares = probabilities.row(row);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{name}, row {row}: {shares:?}");
            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{name}, row {row}: {shares:?}");
            assert_eq!(Label::class(argmax(shares) as u32), answer.label, "{name}, row {row}: {shares:?}");
        }
    }
}

/// Found by the test above: where as many neighbors voted for one class as for another, both were as probable, and whoever took the first of
/// the largest got another answer than `predict`.
#[test]
fn a_tied_vote_is_settled_in_probabilities_too() {
    // The nearest of two neighbors decides a tie; it has the larger class number.
    let points = Points::from_f32(1, vec![0.0, 1.0]).unwrap();
    let dataset = Dataset::new("two", points, vec![Label::class(0), Label::class(1)]).unwrap();
    let model = fit(&dataset, &FitParams { scaling: Some(vec![]), ..params(&StructureParams::knn(2), false) });
    let query = Points::from_f32(1, vec![0.75]).unwrap();
    assert_eq!(model.predict(query.view()).unwrap()[0].label, Label::class(1));
    let probabilities = model.predict_proba(query.view()).unwrap();
    assert!(probabilities.row(0)[1] > probabilities.row(0)[0], "{probabilities:?}");
}

#[test]
fn many_queries_are_answered_as_one_by_one_to_the_bit() {
    for (name, model) in models() {
        let queries = queries(&model, 2);
        let all = model.predict(queries.view()).unwrap();
        let novelty = model.novelty(queries.view()).unwrap();
        let embedded = model.embed(queries.view()).unwrap();
        let probabilities = model.predict_proba(queries.view()).ok();
        for row in 0..queries.len() {
            let one = queries.view().slice(row..row + 1);
            assert_eq!(model.predict(one).unwrap()[0], all[row], "{name}, row {row}");
            assert_eq!(model.novelty(one).unwrap()[0], novelty[row], "{name}, row {row}");
            assert_eq!(model.embed(one).unwrap().row(0), embedded.row(row), "{name}, row {row}");
            let alone = model.predict_proba(one).ok();
            let bits = |row: &[f64]| row.iter().map(|share| share.to_bits()).collect::<Vec<_>>();
            assert_eq!(
                alone.map(|alone| bits(alone.row(0))),
                probabilities.as_ref().map(|all| bits(all.row(row))),
                "{name}, row {row}"
            );
            let why = model.explain(one.row(0)).unwrap();
            assert_eq!(why.prediction, all[row], "{name}, row {row}");
            for walk in &why.walks {
                assert_eq!(walk.transitions.len() + 1, walk.traversal.steps.len().max(1), "{name}, row {row}");
                assert!(walk.transitions.iter().all(|p| (0.0..=1.0).contains(p)), "{name}: {:?}", walk.transitions);
            }
        }
    }
}

#[test]
fn digits_are_learned_in_a_few_epochs() {
    let digits = data::load("optdigits").unwrap();
    let learning = hedgerow::learn::TrainingParams { epochs: Some(15), ..Default::default() };
    let model = fit(&digits, &FitParams { learning: Some(learning), ..FitParams::default() });
    let test = digits.test();
    let evaluation = model.evaluate(test.points(), test.labels(), digits.class_names()).unwrap();
    assert!(evaluation.error_percent.is_some_and(|error| error < 10.0), "{:?}", evaluation.error_percent);
    assert!(evaluation.nodes < 400, "{}", evaluation.nodes);
    // Pictures can be shown again, and bytes may come as numbers.
    let stored = model.search().stored_ids();
    let original = model.original(stored[0]).unwrap();
    assert_eq!(original.row(0), digits.train().row(stored[0].0 as usize));
    let as_numbers: Vec<f32> = original.view().as_u8().unwrap().iter().map(|&byte| byte.into()).collect();
    let as_numbers = Points::from_f32(64, as_numbers).unwrap();
    assert_eq!(model.predict(original.view()).unwrap(), model.predict(as_numbers.view()).unwrap());
}

#[test]
fn new_classes_are_answered_and_have_probabilities() {
    for (name, structure) in structures() {
        if name == "voting set" {
            continue; // it stores one of them, whom the others outvote
        }
        for learned in [false, true] {
            let mut model = fit(&moons(), &params(&structure, learned));
            // Far from all others, and as often as neighbors vote.
            let far = [[9.0, 9.0], [9.0, 9.1], [9.1, 9.0], [9.1, 9.1]];
            let ids: Vec<ExampleId> = far.iter().map(|point| add(&mut model, point, "moonlet")).collect();
            let query = Points::from_f32(2, vec![9.05, 9.05]).unwrap();
            let moonlet = class(&model, "moonlet");
            assert_eq!(moonlet.0, 2);
            assert_eq!(model.predict(query.view()).unwrap()[0].label, Label::Class(moonlet), "{name}");
            let probabilities = model.predict_proba(query.view()).unwrap();
            assert_eq!(probabilities.n_classes(), 3, "{name}");
            assert!(probabilities.row(0)[2] > 0.3, "{name}: {:?}", probabilities.row(0));
            assert!(model.original(ids[0]).is_some(), "{name}");
            assert!(model.source_text(ids[0]).contains("added later"));
        }
    }
}

#[test]
fn the_strange_and_the_doubtful_are_turned_away() {
    for (name, structure) in structures() {
        let model = fit(&moons(), &params(&structure, false));
        let strange = Points::from_f32(2, vec![1e4, -1e4]).unwrap();
        assert_eq!(model.predict(strange.view()).unwrap()[0].unknown, None);
        let model = model.with_rejection(Rejection { novelty: Some(0.01), probability: None });
        let answer = model.predict(strange.view()).unwrap()[0];
        assert!(matches!(answer, ModelPrediction { unknown: Some(Unknown::Novel { .. }), .. }), "{name}: {answer:?}");
        assert_eq!(answer.known(), None);
        assert_eq!(model.explain(strange.row(0)).unwrap().prediction, answer, "{name}");
        let moons = moons();
        let usual = model.predict(moons.points()).unwrap();
        let n_unknown = usual.iter().filter(|answer| answer.unknown.is_some()).count();
        assert!(n_unknown * 5 < usual.len(), "{name}: {n_unknown} of {}", usual.len());
        // Nothing is certain enough for a probability above 1, everything for 0.
        let model = model.with_rejection(Rejection { novelty: None, probability: Some(1.01) });
        let unsure = model.predict(moons.points()).unwrap();
        assert!(unsure.iter().all(|answer| matches!(answer.unknown, Some(Unknown::Unsure { .. }))), "{name}");
        let model = model.with_rejection(Rejection { novelty: None, probability: Some(0.0) });
        assert!(model.predict(moons.points()).unwrap().iter().all(|answer| answer.unknown.is_none()), "{name}");
    }
}

/// Found by reading: the scale was the square of distances that were squares already.
#[test]
fn closeness_is_the_same_for_a_distance_and_its_square() {
    let fitted = |distance| fit(&moons(), &FitParams { distance, ..params(&StructureParams::set(), false) });
    let (plain, squared) = (fitted(Distance::Euclidean), fitted(Distance::SquaredEuclidean));
    let queries = queries(&plain, 4);
    let (a, b) = (plain.predict_proba(queries.view()).unwrap(), squared.predict_proba(queries.view()).unwrap());
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn bad_queries_are_refused_with_what_is_wrong() {
    let model = fit(&flowers(), &params(&StructureParams::tree(), false));
    let narrow = Points::from_f32(2, vec![1.0, 2.0]).unwrap();
    let error = model.predict(narrow.view()).unwrap_err().to_string();
    assert!(error.contains("2 features") && error.contains("stem"), "{error}");
    let width = model.data().n_features;
    let nan = vec![f32::NAN; width];
    // As a block, points that are no numbers are refused where they are made; one alone is made nowhere.
    assert!(Points::from_f32(width, nan.clone()).is_err());
    let error = model.explain(Point::F32(&nan)).unwrap_err().to_string();
    assert!(error.contains("NaN"), "{error}");
}

/// Found by running it: without the history, stored examples were their own answers, at distance 0, and three times as many queries as meant were
/// turned away.
#[test]
fn without_history_no_example_is_its_own_answer() {
    let (moons, others) =
        (data::load("moons?n=800&noise=0.2&seed=1").unwrap(), data::load("moons?n=300&noise=0.2&seed=2").unwrap());
    for (name, structure) in structures() {
        if name == "hart" {
            continue; // it needs the history
        }
        let model = fit(&moons, &FitParams { history: History::NodesOnly, ..params(&structure, false) });
        // As good as no example is nearer to another than this.
        let shifted: Vec<f32> = moons.points().as_f32().unwrap().iter().map(|value| value + 1e-5).collect();
        let shares = model.novelty(Points::from_f32(2, shifted).unwrap().view()).unwrap();
        let largest = shares.iter().map(|novelty| novelty.share_farther.unwrap()).fold(0.0, f64::max);
        assert!(largest > 0.99, "{name}: {largest}");
        // One in twenty of other points of the same kind is stranger than nineteen of twenty.
        let novelty = model.novelty(others.points()).unwrap();
        let turned_away = novelty.iter().filter(|novelty| novelty.share_farther.unwrap() < 0.05).count();
        assert!(turned_away < 30, "{name}: {turned_away} of 300");
    }
}

/// Found by reading: an example as far as all others was said to be farther than all of them.
#[test]
fn those_that_are_just_as_far_count() {
    let points = Points::from_f32(1, (0..64).map(|x| x as f32).collect()).unwrap();
    let labels = (0..64).map(|x| Label::class(x / 32)).collect();
    let line = Dataset::new("line", points, labels).unwrap();
    let params = FitParams { scaling: Some(Vec::new()), ..params(&StructureParams::knn(1), false) };
    let model = fit(&line, &params).with_rejection(Rejection { novelty: Some(0.5), probability: None });
    // 64 is 1 from its nearest, as each of the line is; 64.5 is farther than all.
    let queries = Points::from_f32(1, vec![64.0, 64.5, 20.0]).unwrap();
    let shares: Vec<_> = model.novelty(queries.view()).unwrap().iter().map(|n| n.share_farther.unwrap()).collect();
    assert_eq!(shares, [1.0, 0.0, 1.0]);
    let unknown: Vec<_> = model.predict(queries.view()).unwrap().iter().map(|said| said.unknown.is_some()).collect();
    assert_eq!(unknown, [false, true, false]);
}

#[test]
fn a_model_that_was_emptied_says_so_and_takes_examples_again() {
    for (name, structure) in structures() {
        let mut model = fit(&crowded(2), &params(&structure, false));
        for id in model.search().kept_ids() {
            model.remove(id, None).unwrap();
        }
        let query = Points::from_f32(2, vec![0.0, 0.0]).unwrap();
        let error = model.predict(query.view()).unwrap_err().to_string();
        assert!(error.contains("empty"), "{name}: {error}");
        assert!(model.explain(query.row(0)).is_err() && model.predict_proba(query.view()).is_err(), "{name}");
        add(&mut model, &[0.0, 0.0], "1");
        assert_eq!(model.predict(query.view()).unwrap()[0].label, Label::class(1), "{name}");
        assert!(model.is_what_its_history_gives().unwrap(), "{name}");
    }
}

#[test]
fn a_model_without_originals_answers_the_same() {
    let with = fit(&moons(), &params(&StructureParams::tree(), true));
    let without = fit(&moons(), &FitParams { originals: Originals::None, ..params(&StructureParams::tree(), true) });
    let queries = queries(&with, 3);
    assert_eq!(with.predict(queries.view()).unwrap(), without.predict(queries.view()).unwrap());
    let id = with.search().stored_ids()[0];
    assert!(with.original(id).is_some() && without.original(id).is_none());
}
