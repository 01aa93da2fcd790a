//! Threads and seeds.

use super::*;

#[test]
fn the_number_of_threads_does_not_matter() {
    let pools = [1, 4].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for kind in [PointKind::F32, PointKind::U8] {
        for measure in [Measure::Euclidean, Measure::Manhattan] {
            let data = Data::grid(&mut Random(6), kind, Task::Classification, 1500, 3, 12, 4);
            let asked = Data::grid(&mut Random(7), kind, Task::Classification, 700, 3, 12, 4);
            for plan in PLANS {
                let run = || {
                    let mut structure = plan.build(Task::Classification, &measure.distance());
                    structure.show(&data, 0..1200);
                    for row in (0..1200).step_by(301) {
                        let id = structure_id(&structure, row);
                        structure.search_mut().remove_lossy(id).unwrap();
                    }
                    structure.show(&data, 1200..1500);
                    let voters = structure.search().voters_of_all(asked.view()).unwrap();
                    let distances = structure.search().answer_distances();
                    (structure, voters, distances)
                };
                let [one, four] = [&pools[0], &pools[1]].map(|pool| pool.install(run));
                assert!(one == four, "{plan:?}");
            }
        }
    }
}

/// A stored example, picked by a number.
fn structure_id(structure: &Structure, number: usize) -> ExampleId {
    let stored = structure.search().stored_ids();
    stored[number % stored.len()]
}

#[test]
fn a_forest_is_a_function_of_its_seed() {
    let data = Data::grid(&mut Random(8), PointKind::F32, Task::Classification, 300, 3, 9, 4);
    for initialization in [Initialization::DistinctRoots, Initialization::Permuted] {
        let plan = forest(initialization, 6, None, History::Full, Vote::Shepard);
        let grown = |seed: u64| {
            let mut structure = plan.seeded(Task::Classification, &Distance::Euclidean, seed);
            structure.show(&data, 0..300);
            structure
        };
        assert!(grown(1) == grown(1));
        let orders = |structure: &Structure| structure.trees().iter().map(shown_to).collect::<Vec<_>>();
        assert_ne!(orders(&grown(1)), orders(&grown(2)), "{initialization:?}");
        let of_one = orders(&grown(1));
        assert!((1..6).all(|tree| of_one[tree] != of_one[0]), "{initialization:?}: the trees differ");
    }
}
