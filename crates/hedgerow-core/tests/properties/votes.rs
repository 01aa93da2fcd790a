//! Votes.

use super::*;

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn votes_are_the_slow_votes(
        voters in prop::collection::vec((0..4_u32, 0..6_u32), 1..9),
        vote in prop::sample::select(vec![Vote::Nearest, Vote::Majority, Vote::Shepard]),
    ) {
        let neighbor = |(place, (class, distance)): (usize, &(u32, u32))| hedgerow_core::Neighbor {
            id: ExampleId(place as u64), label: Label::class(*class), distance: f64::from(*distance),
        };
        let neighbors = voters.iter().enumerate().map(neighbor).collect::<Vec<_>>();
        let plain = neighbors.iter().map(|it| (it.label, it.distance)).collect::<Vec<_>>();
        let found = vote.decide(Task::Classification, &neighbors);
        let shares = oracle::shares(vote, &plain);
        prop_assert_eq!(found.shares.len(), shares.len());
        let share_of = |label: Label| shares.iter().find(|share| share.0 == label).unwrap().1;
        let nearest_of = |label: Label| {
            plain.iter().filter(|it| it.0 == label).map(|it| it.1).fold(f64::INFINITY, f64::min)
        };
        for pair in found.shares.windows(2) {
            let [first, second] = [pair[0], pair[1]].map(|share| Label::Class(share.class));
            prop_assert!(share_of(first) >= share_of(second) - 1e-12);
            if vote == Vote::Majority && pair[0].share == pair[1].share {
                prop_assert!(nearest_of(first) <= nearest_of(second), "equal shares stand in the order of nearness");
            }
        }
        if vote == Vote::Nearest {
            let least = plain.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(found.label, plain.iter().find(|it| it.1 == least).unwrap().0);
        }
    }
}

#[test]
fn a_scan_over_many_narrow_points_with_many_ties_is_the_slow_search() {
    // Enough queries and rows for several blocks of the matrix product.
    let data = Data::grid(&mut Random(9), PointKind::F32, Task::Classification, 900, 4, 5, 3);
    let asked = Data::grid(&mut Random(10), PointKind::F32, Task::Classification, 300, 4, 6, 3);
    let all = (0..900).collect::<Vec<_>>();
    for k in [1, 7] {
        let mut scan =
            Plan::Scan { n_neighbors: k, vote: Vote::Majority }.build(Task::Classification, &Distance::Euclidean);
        scan.show(&data, 0..900);
        for (query, found) in scan.search().voters_of_all(asked.view()).unwrap().iter().enumerate() {
            let to_query = |row: usize| Measure::Euclidean.between(&asked.rows[query], &data.rows[row]);
            let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
            assert_eq!(found, oracle::k_nearest(k, &all, &to_query), "query {query}");
        }
    }
}

#[test]
fn distances_between_grid_points_are_the_naive_ones() {
    let data = Data::grid(&mut Random(12), PointKind::F32, Task::Retrieval, 60, 5, 9, 3);
    for measure in
        [Measure::Euclidean, Measure::SquaredEuclidean, Measure::Manhattan, Measure::Cosine, Measure::Largest]
    {
        let distance = measure.distance();
        let (fast, slow) = (data.far_by(&distance), data.far(measure));
        for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))) {
            assert_eq!(fast(a, b), slow(a, b), "{measure:?}");
            assert_eq!(fast(a, b), fast(b, a), "{measure:?}");
        }
    }
    assert!(Distance::Euclidean.between(Point::F32(&[f32::NAN]), Point::F32(&[1.0])).is_err());
}
