//! Answers.

use super::*;

#[test]
fn k_nearest_with_full_effort_is_exact() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(11, 150);
        case.structure.show(&data, 0..150);
        let stored = stored_rows(&case, &data);
        let asked = queries(&case, 25);
        for query in 0..asked.len() {
            let far = to_query(&data, &asked.rows[query]);
            for k in [1, 2, 3, 10, 1000] {
                let expected = oracle::k_nearest(k, &stored, &far);
                let found = case.structure.search().k_nearest(asked.point(query), k, Effort::FULL).unwrap();
                let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
                assert_eq!(found, expected, "{name}, k = {k}, query {:?}", asked.rows[query]);
            }
            for class in 0..4 {
                let wanted = label(case.task, class);
                let of_class = stored.iter().copied().filter(|row| data.labels[*row] == wanted).collect::<Vec<_>>();
                let expected = oracle::k_nearest(1, &of_class, &far).first().copied();
                let found = case.structure.search().nearest_labelled(asked.point(query), &|it| it == wanted).unwrap();
                assert_eq!(found.map(|it| (row_of(it.id), it.distance)), expected, "{name}, class {class}");
            }
        }
    }
}

#[test]
fn k_nearest_with_little_effort_is_sorted_full_and_no_worse_than_the_walk() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(12, 150);
        case.structure.show(&data, 0..150);
        let search = case.structure.search();
        let asked = queries(&case, 25);
        for query in (0..asked.len()).map(|query| asked.point(query)) {
            let nearest = search.nearest(query).unwrap();
            for effort in [0, 1, 2, 5, 50] {
                let one = search.k_nearest(query, 1, Effort(effort)).unwrap();
                assert!(one[0].distance <= nearest.distance, "{name}");
                for k in [2, 7, 40, 1000] {
                    let found = search.k_nearest(query, k, Effort(effort)).unwrap();
                    assert_eq!(found.len(), k.min(search.n_stored()), "{name}, k = {k}");
                    assert!(found.is_sorted_by(|a, b| a.distance <= b.distance), "{name}");
                    let mut ids = found.iter().map(|it| it.id).collect::<Vec<_>>();
                    ids.sort_unstable();
                    ids.dedup();
                    assert_eq!(ids.len(), found.len(), "{name}: each example once");
                    assert!(found[0].distance <= nearest.distance, "{name}");
                }
            }
        }
    }
}

#[test]
fn many_queries_are_answered_as_one_by_one() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(13, 150);
        case.structure.show(&data, 0..150);
        let search = case.structure.search();
        for n in [1, 2, 7, 8, 9, 300] {
            let asked = queries(&case, n);
            let voters = search.voters_of_all(asked.view()).unwrap();
            let predictions = search.predict_all(asked.view()).unwrap();
            assert_eq!((voters.len(), predictions.len()), (n, n), "{name}");
            for query in 0..n {
                let one = search.voters(asked.point(query)).unwrap();
                assert_eq!(voters[query], one, "{name}, query {query} of {n}");
                let bits = |voters: &[hedgerow_core::Neighbor]| {
                    voters.iter().map(|voter| voter.distance.to_bits()).collect::<Vec<_>>()
                };
                assert_eq!(bits(&voters[query]), bits(&one), "{name}");
                assert_eq!(predictions[query], search.predict(asked.point(query)).unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn voters_vote_as_documented() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(14, 150);
        case.structure.show(&data, 0..150);
        let search = case.structure.search();
        let asked = queries(&case, 60);
        for query in 0..asked.len() {
            let voters = search.voters(asked.point(query)).unwrap();
            let plain = voters.iter().map(|voter| (voter.label, voter.distance)).collect::<Vec<_>>();
            let prediction = search.predict(asked.point(query)).unwrap();
            match case.task {
                Task::Classification => {
                    let slow = oracle::shares(search.vote(), &plain);
                    let share_of = |label: Label| slow.iter().find(|share| share.0 == label).map_or(0.0, |it| it.1);
                    let largest = slow.iter().map(|share| share.1).fold(0.0, f64::max);
                    assert!(share_of(prediction.label) >= largest - 1e-12, "{name}: the largest share wins");
                    assert_eq!(prediction.shares.len(), slow.len(), "{name}");
                    for share in &prediction.shares {
                        assert!((share.share - share_of(Label::Class(share.class))).abs() < 1e-12, "{name}");
                    }
                    assert!(prediction.shares.is_sorted_by(|a, b| a.share >= b.share), "{name}");
                    let sum = prediction.shares.iter().map(|share| share.share).sum::<f64>();
                    assert!((sum - 1.0).abs() < 1e-12, "{name}");
                }
                Task::Regression { .. } => {
                    let mean = oracle::mean_value(search.vote(), &plain);
                    let value = f64::from(prediction.label.as_value().unwrap());
                    assert!((value - mean).abs() < 1e-5, "{name}: {value} for {mean}");
                }
                _ => assert_eq!(prediction.label, Label::Unlabeled, "{name}"),
            }
        }
    }
}

#[test]
fn voters_are_the_nearest_or_the_answer_of_each_tree() {
    for mut case in cases() {
        let name = case.name();
        let data = case.data(15, 150);
        case.structure.show(&data, 0..150);
        let stored = stored_rows(&case, &data);
        let search = case.structure.search();
        let trees = case.structure.trees();
        let asked = queries(&case, 40);
        for query in 0..asked.len() {
            let far = to_query(&data, &asked.rows[query]);
            let voters = search.voters(asked.point(query)).unwrap();
            let found = voters.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
            let nearest = search.nearest(asked.point(query)).unwrap();
            let expected = match case.plan {
                Plan::Scan { n_neighbors, .. } | Plan::Set { n_neighbors, .. } => {
                    oracle::k_nearest(n_neighbors, &stored, &far)
                }
                _ if case.plan.history() == History::NodesOnly => continue,
                _ => {
                    let answer = |order: Vec<usize>| {
                        let pairs = data.far(Measure::Euclidean);
                        let bound = case.plan.max_children();
                        SlowTree::grown(case.task, bound, order, &data.labels, &pairs).answer(&far)
                    };
                    trees.iter().map(|tree| answer(shown_to(tree))).map(|row| (row, far(row))).collect()
                }
            };
            assert_eq!(found, expected, "{name}");
            let least = expected.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
            assert_eq!(nearest.distance, least, "{name}");
            // Of equals the one shown earlier; Hart's members are in an order of their own.
            if !case.plan.is_hart() {
                let first = expected.iter().filter(|it| it.1 == least).map(|it| it.0).min();
                assert_eq!(Some(row_of(nearest.id)), first, "{name}");
            }
        }
    }
}
