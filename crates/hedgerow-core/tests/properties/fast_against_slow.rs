//! Fast against slow.

use super::*;

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn a_tree_is_the_slow_tree(case in scenario(300), singly in any::<bool>()) {
        let data = case.data();
        let plan = tree_plan(case.max_children, History::Full);
        let mut structure = plan.build(case.task, &case.distance());
        match singly {
            true => show_singly(structure.search_mut(), &data, 0..case.n),
            false => drop(structure.show(&data, 0..case.n)),
        }
        let order = (0..case.n).collect::<Vec<_>>();
        let far = data.far(case.measure);
        prop_assert_eq!(&shown_to(&structure.trees()[0]), &order);
        assert_tree_is_slow_tree(&structure.trees()[0], case.task, case.max_children, &order, &data, &far);
    }

    #[test]
    fn a_set_is_the_slow_set(case in scenario(250), singly in any::<bool>()) {
        let data = case.data();
        let order = (0..case.n).collect::<Vec<_>>();
        let far = data.far(case.measure);
        let one = oracle::one_pass(case.task, &order, &data.labels, &far);
        let hart = oracle::hart(case.task, &order, &data.labels, &far);
        prop_assert_eq!(&hart[..one.len()], &one[..]);
        for (passes, members) in [(Passes::One, one), (Passes::UntilConsistent, hart)] {
            let mut structure = set_plan(passes).build(case.task, &case.distance());
            match singly {
                true => show_singly(structure.search_mut(), &data, 0..case.n),
                false => drop(structure.show(&data, 0..case.n)),
            }
            prop_assert_eq!(stored_of(&structure), sorted(members.clone()));
            // Ties go to the member added earlier.
            for query in 0..case.n.min(20) {
                let to_query = |row: usize| far(query, row);
                let found = structure.search().k_nearest(data.point(query), 4, Default::default()).unwrap();
                let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
                prop_assert_eq!(found, oracle::k_nearest(4, &members, &to_query));
            }
        }
    }

    #[test]
    fn the_trees_of_a_forest_are_slow_trees_and_their_answers_vote(case in scenario(200), n_trees in 1..12_usize) {
        let data = case.data();
        let far = data.far(case.measure);
        for initialization in [Initialization::DistinctRoots, Initialization::Permuted] {
            let plan = forest(initialization, n_trees, case.max_children, History::Full, Vote::Shepard);
            let mut structure = plan.build(case.task, &case.distance());
            structure.show(&data, 0..case.n);
            assert_trees_are_slow_trees(&structure, plan, case.task, &data, &far);
            for (number, tree) in structure.trees().iter().enumerate() {
                let order = shown_to(tree);
                prop_assert_eq!(sorted(order.clone()), (0..case.n).collect::<Vec<_>>());
                if initialization == Initialization::DistinctRoots {
                    // Dealt out once there are as many examples as trees; alike, in the order given, before.
                    let n_rooted = if case.n < n_trees { 0 } else { n_trees };
                    prop_assert_eq!(order[0], if n_rooted == 0 { 0 } else { number });
                    prop_assert_eq!(&order[n_rooted..], &(n_rooted..case.n).collect::<Vec<_>>()[..]);
                }
            }
            let mut stored = structure.trees().iter().flat_map(nodes_of).map(|node| node.0).collect::<Vec<_>>();
            stored.sort_unstable();
            stored.dedup();
            prop_assert_eq!(stored_of(&structure), stored);
        }
    }

    #[test]
    fn a_scan_is_the_slow_search(case in scenario(300), k in 1..12_usize, n_queries in 1..30_usize) {
        let data = case.data();
        let plan = Plan::Scan { n_neighbors: k, vote: Vote::Majority };
        let mut structure = plan.build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let all = (0..case.n).collect::<Vec<_>>();
        let asked = Scenario { seed: case.seed ^ 1, n: n_queries, ..case }.data();
        let many = structure.search().voters_of_all(asked.view()).unwrap();
        for (query, together) in many.iter().enumerate() {
            let to_query = |row: usize| case.measure.between(&asked.rows[query], &data.rows[row]);
            let expected = oracle::k_nearest(k, &all, &to_query);
            for found in [together, &structure.search().voters(asked.point(query)).unwrap()] {
                let found = found.iter().map(|it| (row_of(it.id), it.distance)).collect::<Vec<_>>();
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn trees_and_sets_of_real_numbers_are_the_slow_ones(
        seed in any::<u64>(), n in 1..250_usize, width in 1..8_usize, exponent in -8..8_i32,
    ) {
        let mut random = Random(seed);
        let scale = 10_f64.powi(exponent);
        let mut row = || (0..width).map(|_| f64::from((random.unit() * scale) as f32)).collect::<Vec<_>>();
        let rows = (0..n).map(|_| row()).collect::<Vec<_>>();
        let class = |row: &Vec<f64>| Label::class(row.iter().filter(|value| **value > 0.0).count() as u32);
        let labels = rows.iter().map(class).collect();
        let data = Data::new(PointKind::F32, rows, labels);
        let order = (0..n).collect::<Vec<_>>();
        for measure in [Measure::Euclidean, Measure::Manhattan, Measure::Cosine, Measure::SquaredEuclidean] {
            let distance = measure.distance();
            let far = data.far_by(&distance);
            for max_children in [None, Some(2)] {
                let mut tree = tree_plan(max_children, History::Full).build(Task::Classification, &distance);
                tree.show(&data, 0..n);
                let order = shown_to(&tree.trees()[0]);
                assert_tree_is_slow_tree(
                    &tree.trees()[0], Task::Classification, max_children, &order, &data, &far);
            }
            let mut set = set_plan(Passes::UntilConsistent).build(Task::Classification, &distance);
            set.show(&data, 0..n);
            let members = oracle::hart(Task::Classification, &order, &data.labels, &far);
            prop_assert_eq!(stored_of(&set), sorted(members));
        }
    }

    #[test]
    fn large_trees_are_slow_trees(case in scenario(2), n in 1000..3000_usize, side in 4..60_usize) {
        let case = Scenario { n, side, n_classes: 4, width: 2, ..case };
        let data = case.data();
        let far = data.far(case.measure);
        let plan = tree_plan(case.max_children, History::Full);
        // A chain of thousands would take the slow version minutes.
        prop_assume!(case.max_children != Some(1) && case.measure != Measure::ShortSighted);
        let mut structure = plan.build(case.task, &case.distance());
        let mut random = Random(case.seed);
        for block in random_blocks(&mut random, n) {
            structure.show(&data, block);
        }
        assert_trees_are_slow_trees(&structure, plan, case.task, &data, &far);
        let asked = Scenario { seed: case.seed ^ 1, n: 600, ..case }.data();
        let slow = SlowTree::grown(case.task, case.max_children, 0..n, &data.labels, &far);
        for (query, voters) in structure.search().voters_of_all(asked.view()).unwrap().iter().enumerate() {
            let expected = slow.answer(&|row| case.measure.between(&asked.rows[query], &data.rows[row]));
            prop_assert_eq!(row_of(voters[0].id), expected);
        }
    }
}
