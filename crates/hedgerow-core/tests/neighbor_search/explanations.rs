//! Explanations.

use super::*;

#[test]
fn an_explanation_agrees_with_the_prediction_and_names_the_exact_rival() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(16, 150);
        case.structure.show(&data, 0..150);
        let stored = stored_rows(&case, &data);
        let search = case.structure.search();
        let asked = queries(&case, 60);
        for query in 0..asked.len() {
            let far = to_query(&data, &asked.rows[query]);
            let why = search.explain(asked.point(query), None).unwrap();
            assert_eq!(why.prediction, search.predict(asked.point(query)).unwrap(), "{name}");
            let neighbors = why.voters.iter().map(|voter| voter.neighbor).collect::<Vec<_>>();
            assert_eq!(neighbors, search.voters(asked.point(query)).unwrap(), "{name}");
            let sum = why.voters.iter().map(|voter| voter.weight).sum::<f64>();
            assert!((sum - 1.0).abs() < 1e-12, "{name}: {sum}");
            let plain = neighbors.iter().map(|it| (it.label, it.distance)).collect::<Vec<_>>();
            for (voter, weight) in why.voters.iter().zip(oracle::weights(search.vote(), &plain)) {
                assert!((voter.weight - weight).abs() < 1e-12, "{name}");
            }
            let least = neighbors.iter().map(|it| it.distance).fold(f64::INFINITY, f64::min);
            assert_eq!((why.novelty.distance, why.novelty.share_farther), (least, None), "{name}");
            assert_eq!(why.traversals, search.traverse(asked.point(query)).unwrap(), "{name}");

            if case.task != Task::Classification {
                assert_eq!(why.rival, None, "{name}");
                continue;
            }
            let own = why.prediction.label;
            let second = why.prediction.shares.get(1).map(|share| Label::Class(share.class));
            let against = |label: Label| second.map_or(label != own, |second| label == second);
            let best = |accept: &dyn Fn(Label) -> bool| {
                let rows = stored.iter().copied().filter(|row| accept(data.labels[*row])).collect::<Vec<_>>();
                oracle::k_nearest(1, &rows, &far).first().copied()
            };
            let (row, distance) = best(&against).unwrap();
            let rival = why.rival.unwrap();
            assert_eq!((row_of(rival.neighbor.id), rival.neighbor.distance), (row, distance), "{name}");
            assert_eq!(Label::Class(rival.class), data.labels[row], "{name}");
            assert_eq!(rival.margin, distance - best(&|label| label == own).unwrap().1, "{name}");
        }
    }
}

#[test]
fn the_steps_of_a_walk_chain_and_each_takes_the_nearest() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(17, 150);
        case.structure.show(&data, 0..150);
        let search = case.structure.search();
        let trees = case.structure.trees();
        let asked = queries(&case, 40);
        for query in 0..asked.len() {
            let far = to_query(&data, &asked.rows[query]);
            let walks = search.traverse(asked.point(query)).unwrap();
            let voters = search.voters(asked.point(query)).unwrap();
            assert_eq!(walks.len(), trees.len(), "{name}");
            for ((walk, tree), voter) in walks.iter().zip(&trees).zip(&voters) {
                assert_eq!(Some(walk.steps[0].at.node), tree.root(), "{name}: starts at the root");
                assert_eq!(walk.answer().neighbor, *voter, "{name}");
                for (place, step) in walk.steps.iter().enumerate() {
                    for candidate in step.children.iter().chain([&step.at]) {
                        assert_eq!(candidate.neighbor.id, tree.id(candidate.node), "{name}");
                        assert_eq!(candidate.neighbor.distance, far(row_of(candidate.neighbor.id)), "{name}");
                    }
                    let children = step.children.iter().map(|child| child.node).collect::<Vec<_>>();
                    assert_eq!(children, tree.children(step.at.node).collect::<Vec<_>>(), "{name}");
                    let may_stop = case.plan.max_children().is_none_or(|most| children.len() < most);
                    assert_eq!(step.may_stop, may_stop, "{name}");
                    let mut candidates = step.children.clone();
                    if may_stop {
                        candidates.insert(0, step.at);
                    }
                    let least = candidates.iter().map(|it| it.neighbor.distance).fold(f64::INFINITY, f64::min);
                    let expected = candidates.iter().find(|it| it.neighbor.distance == least).unwrap().node;
                    assert_eq!(step.next, expected, "{name}");
                    let next_at = walk.steps.get(place + 1).map_or(step.at.node, |next| next.at.node);
                    assert_eq!(step.next, next_at, "{name}: the walk goes where the step says");
                }
                let probabilities = walk.transition_probabilities(2.0).unwrap();
                assert_eq!(probabilities.len() + 1, walk.steps.len(), "{name}");
                for (probability, step) in probabilities.iter().zip(&walk.steps) {
                    let weight = |far: f64| (-far / 2.0).exp();
                    let stay = step.may_stop.then_some(&step.at);
                    let all = step.children.iter().chain(stay).map(|it| weight(it.neighbor.distance));
                    let taken = step.children.iter().find(|it| it.node == step.next).unwrap();
                    assert!((probability - weight(taken.neighbor.distance) / all.sum::<f64>()).abs() < 1e-12, "{name}");
                }
            }
            for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
                assert!(walks.iter().all(|walk| walk.transition_probabilities(sigma).is_err()), "{name}");
            }
            if let [walk] = walks.as_slice() {
                assert_eq!(walk.answer().neighbor, search.nearest(asked.point(query)).unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn a_calibration_counts_the_examples_that_are_as_far_from_their_own_answer() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(18, 100);
        case.structure.show(&data, 0..100);
        let search = case.structure.search();
        let asked = queries(&case, 30);
        let by_queries = Calibration::from_queries(search, asked.view()).unwrap();
        let nearest = |query: usize| {
            let voters = search.voters(asked.point(query)).unwrap();
            voters.iter().map(|voter| voter.distance).fold(f64::INFINITY, f64::min)
        };
        let distances = (0..30).map(nearest).collect::<Vec<_>>();
        let share = |known: &[f64], distance: f64| {
            known.iter().filter(|known| **known >= distance).count() as f64 / known.len() as f64
        };
        for query in 0..30 {
            let why = search.explain(asked.point(query), Some(&by_queries)).unwrap();
            assert_eq!(why.novelty.share_farther, Some(share(&distances, distances[query])), "{name}");
        }
        match search.answer_distances() {
            Err(error) => assert_eq!(error, QueryError::HistoryNeeded { history: History::NodesOnly }, "{name}"),
            Ok(known) => {
                let by_history = Calibration::from_history(search).unwrap();
                assert_eq!(by_history.len(), known.len(), "{name}");
                assert_eq!(by_history.share_farther(1.0), share(&known, 1.0), "{name}");
            }
        }
    }
}

#[test]
fn answer_distances_are_those_of_the_answers_when_each_example_was_shown() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(19, 100);
        case.structure.show(&data, 0..100);
        let Ok(found) = case.structure.search().answer_distances() else { continue };
        let far = data.far(Measure::Euclidean);
        let order = (0..100).collect::<Vec<_>>();
        let expected = match case.plan {
            Plan::Scan { .. } => {
                let nearest_other = |row: usize| {
                    let others = order.iter().copied().filter(|other| *other != row).collect::<Vec<_>>();
                    oracle::k_nearest(1, &others, &|other| far(row, other))[0].1
                };
                order.iter().map(|&row| nearest_other(row)).collect::<Vec<_>>()
            }
            Plan::Set { .. } => {
                let members = oracle::one_pass(case.task, &order, &data.labels, &far);
                let answer = |row: usize| {
                    let earlier = members.iter().copied().filter(|member| *member < row).collect::<Vec<_>>();
                    oracle::k_nearest(1, &earlier, &|member| far(row, member))[0].1
                };
                order[1..].iter().map(|&row| answer(row)).collect()
            }
            _ => {
                let mut least = vec![f64::INFINITY; 100];
                for tree in case.structure.trees() {
                    let shown = shown_to(&tree);
                    for place in 1..shown.len() {
                        let before = shown[..place].iter().copied();
                        let slow = SlowTree::grown(case.task, case.plan.max_children(), before, &data.labels, &far);
                        let row = shown[place];
                        let distance = far(row, slow.answer(&|stored| far(row, stored)));
                        least[row] = least[row].min(distance);
                    }
                }
                least.retain(|distance| distance.is_finite()); // a root that was nowhere else
                least
            }
        };
        assert_eq!(found, expected, "{name}");
    }
}
