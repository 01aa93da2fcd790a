//! Invariants.

use super::*;

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn connected_nodes_differ_and_children_are_bounded(case in scenario(300)) {
        let data = case.data();
        let mut structure = tree_plan(case.max_children, History::NodesOnly).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let tree = structure.trees()[0];
        for node in tree.nodes() {
            let n_children = tree.children(node).count();
            prop_assert!(case.max_children.is_none_or(|most| n_children <= most));
            let Some(parent) = tree.parent(node) else {
                prop_assert_eq!(node, NodeId(0));
                continue;
            };
            prop_assert!(parent < node);
            prop_assert!(tree.children(parent).any(|child| child == node));
            prop_assert_eq!(tree.siblings(node).count() + 1, tree.children(parent).count());
            prop_assert_eq!(tree.depth(node), tree.depth(parent) + 1);
            prop_assert!(oracle::is_kept(case.task, tree.label(parent), tree.label(node)));
        }
    }

    #[test]
    fn the_distance_falls_along_a_walk_through_an_unbounded_tree(case in scenario(300)) {
        let data = case.data();
        let mut structure = tree_plan(None, History::Full).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        let asked = Scenario { seed: case.seed ^ 1, n: 10, ..case }.data();
        for query in 0..asked.len() {
            let walk = &structure.search().traverse(asked.point(query)).unwrap()[0];
            let distances = walk.path().map(|at| at.neighbor.distance).collect::<Vec<_>>();
            prop_assert!(distances.is_sorted_by(|a, b| a > b), "{:?}", distances);
        }
    }

    #[test]
    fn a_consistent_set_answers_all_it_was_shown(case in scenario(200)) {
        let case = Scenario { task: Task::Classification, ..case };
        let mut data = case.data();
        // No point with two labels: the label goes by the point. (Cosine takes points of one direction for the same.)
        prop_assume!(!matches!(case.measure, Measure::Cosine | Measure::ShortSighted));
        let far = data.far(case.measure);
        let first_like = |row: usize| (0..=row).find(|other| far(row, *other) == 0.0).unwrap_or(row);
        let labels = (0..case.n).map(|row| data.labels[first_like(row)]).collect::<Vec<_>>();
        drop(far);
        data.labels = labels;
        let mut structure = set_plan(Passes::UntilConsistent).build(case.task, &case.distance());
        structure.show(&data, 0..case.n);
        for (row, prediction) in structure.search().predict_all(data.view()).unwrap().iter().enumerate() {
            prop_assert_eq!(prediction.label, data.labels[row]);
        }
        prop_assert!(stored_of(&structure).iter().all(|row| *row < case.n));
    }
}
