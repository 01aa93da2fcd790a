//! Damaged snapshots: refused with what is wrong, or harmless.

#![allow(clippy::unwrap_used)] // in helpers too, not only in the tests themselves

mod every_structure;
mod oracle;

use every_structure::{PLANS, Plan, Structure, forest};
use hedgerow_core::snapshot::NONE;
use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Distance, Effort, ExampleId, Examples, History,
    Initialization, Label, LinearScanParams, NeighborSearch, Passes, PointKind, Points, RestoreError, Snapshot, Task,
    Vote,
};
use oracle::{Data, Measure, Random, label};

// --- Worked by hand ---

/// Points at 0, 4, 1, 5 and 3 with the classes 0, 1, 0, 1 and 0. In a tree 4 hangs from 0; 1 stops at 0 and 5 at 4, both
/// redundant; 3 stops at 4, which has the other class, and hangs from it. Members and answers of a set are the same.
fn show_five<T: NeighborSearch>(mut search: T) -> T {
    let points = Points::from_f32(1, vec![0.0, 4.0, 1.0, 5.0, 3.0]).unwrap();
    let labels = [0, 1, 0, 1, 0].map(Label::class);
    search.insert_all(&Examples::new(points.view(), &labels).unwrap()).unwrap();
    search
}

/// Checks that the damage is refused, and with which words; and that the undamaged snapshot is not.
fn assert_refused<T>(
    snapshot: &Snapshot,
    restore: impl Fn(Snapshot) -> Result<T, RestoreError>,
    words: &str,
    damage: impl FnOnce(&mut Snapshot),
) {
    assert!(restore(snapshot.clone()).is_ok(), "undamaged");
    let mut damaged = snapshot.clone();
    damage(&mut damaged);
    let error = restore(damaged).err().unwrap_or_else(|| panic!("not refused: {words}")).to_string();
    assert!(error.contains(words), "expected \"{words}\" in \"{error}\"");
    let says_what_to_do = ["damaged", "restore with the parameters", "convert them"];
    assert!(says_what_to_do.iter().any(|remedy| error.contains(remedy)), "no remedy in \"{error}\"");
}

#[test]
fn damaged_examples_are_refused() {
    let params = LinearScanParams::default();
    let snapshot = show_five(params.clone().build().unwrap()).snapshot();
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| params.clone().restore(snapshot), words, damage);
    };
    check("4 labels but 5 points", |it| it.labels.truncate(4));
    check("6 ids but 5 points", |it| it.ids.push(ExampleId(9)));
    check("5 labels but 0 points", |it| it.points = None);
    check("rows 0 and 3 both have the id 0", |it| it.ids[3] = ExampleId(0));
    check("row 2: the label is unlabeled but the task is classification", |it| it.labels[2] = Label::Unlabeled);
    check("6 examples were shown and 5 rows are kept", |it| it.n_shown = 6);
    check("1 members, but a linear scan has none", |it| it.members = vec![0]);
    check("1 answers, but a linear scan has none", |it| it.answers = vec![NONE]);
    check("1 trees, but a linear scan has none", |it| it.trees = vec![Default::default()]);
    check("said not to have been dealt out", |it| it.is_rooted = false);

    let closure = LinearScanParams::default().distance(Measure::Largest.distance());
    let mut bytes = snapshot.clone();
    bytes.points = Some(Points::from_u8(1, vec![0, 4, 1, 5, 3]).unwrap());
    let error = closure.restore(bytes).unwrap_err().to_string();
    assert!(error.contains("\"largest\" is a closure over f32 values"), "{error}");

    let task = Task::Regression { epsilon: 0.5 };
    let error = params.task(task).restore(snapshot).unwrap_err().to_string();
    assert!(error.starts_with("row 0: the label is class 0 but the task is regression"), "{error}");
}

#[test]
fn a_damaged_tree_is_refused() {
    let params = BoundaryTreeParams::default().max_children(2);
    let snapshot = show_five(params.clone().build().unwrap()).snapshot();
    assert_eq!((snapshot.trees[0].nodes.as_slice(), snapshot.trees[0].order.as_slice()), (&[0, 1, 4][..], &[][..]));
    assert_eq!(snapshot.trees[0].parents, [NONE, 0, 1]);
    assert_eq!(snapshot.trees[0].answers, [NONE, 0, 0, 1, 1]);
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| params.clone().restore(snapshot), words, damage);
    };
    check("there are 0 trees, but the structure has 1", |it| it.trees.clear());
    check("1 members, but a structure of trees has none", |it| it.members.push(0));
    check("tree 0: there are 2 parents but 3 nodes", |it| it.trees[0].parents.truncate(2));
    check("tree 0: there are 4 answers but 5 rows", |it| it.trees[0].answers.truncate(4));
    check("1 places in the order of showing but 5 rows", |it| it.trees[0].order.push(0));
    check("node 2 is row 5, but there are 5 rows", |it| it.trees[0].nodes[2] = 5);
    check("node 2 is row 1, but there are 5 rows, and each is at most one node", |it| it.trees[0].nodes[2] = 1);
    check("node 2 hangs from node 2", |it| it.trees[0].parents[2] = 2);
    check("node 2 hangs from no node", |it| it.trees[0].parents[2] = NONE);
    check("node 0 hangs from node 0", |it| it.trees[0].parents[0] = 0);
    check("node 2 hangs from node 0 but was answered by node 1", |it| it.trees[0].parents[2] = 0);
    check("row 1 was answered by node 1", |it| it.trees[0].answers[1] = 1);
    check("row 3 was answered by no node", |it| it.trees[0].answers[3] = NONE);
    check("row 0 was answered by node 0", |it| it.trees[0].answers[0] = 0);
    // Row 3 has class 1, node 0 class 0: it would have been added.
    check("row 3 (class 1) was answered with class 0, which makes it a node, but it is none", |it| {
        it.trees[0].answers[3] = 0;
    });
    check("row 4 (class 1) was answered with class 1, which makes it redundant, but it is a node", |it| {
        it.labels[4] = Label::class(1);
    });
    check("row 0 is no node, but by the order of showing must be node 0", |it| {
        it.trees[0].nodes.remove(0);
        it.trees[0].parents = vec![NONE, 0];
    });
    check("row 1 was shown at place 0", |it| it.trees[0].order = vec![1, 0, 2, 3, 4]);
    check("said not to have been dealt out", |it| it.is_rooted = false);

    // A third child of node 0, which may have two: rows 1, 2 and 3 all get another class than row 0.
    check("row 3 stopped at node 0, which already had the 2 children", |it| {
        it.labels[2] = Label::class(2);
        it.trees[0].nodes = vec![0, 1, 2, 3, 4];
        it.trees[0].parents = vec![NONE, 0, 0, 0, 1];
        it.trees[0].answers = vec![NONE, 0, 0, 0, 1];
    });
    // The order 0, 1, 2, ... may be written out.
    let mut written_out = snapshot.clone();
    written_out.trees[0].order = vec![0, 1, 2, 3, 4];
    assert_eq!(params.clone().restore(written_out).unwrap(), params.clone().restore(snapshot.clone()).unwrap());
    let error = params.max_children(0).restore(snapshot).unwrap_err();
    assert!(matches!(error, RestoreError::Param(_)), "{error}");
}

#[test]
fn a_damaged_tree_without_history_is_refused() {
    let params = BoundaryTreeParams::default().history(History::NodesOnly);
    let snapshot = show_five(params.clone().build().unwrap()).snapshot();
    assert_eq!((snapshot.trees[0].nodes.as_slice(), snapshot.n_shown), (&[0, 1, 2][..], 5));
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| params.clone().restore(snapshot), words, damage);
    };
    check("2 examples were shown and 3 rows are kept", |it| it.n_shown = 2);
    check("nobody could have shown that many more", |it| it.n_shown = usize::MAX);
    check("3 answers but 0 without history", |it| it.trees[0].answers = vec![NONE, 0, 1]);
    check("3 places in the order of showing but 0 without history", |it| it.trees[0].order = vec![0, 1, 2]);
    check("row 2 (class 0) was answered with class 0, which makes it redundant, but it is a node", |it| {
        it.trees[0].parents[2] = 0;
    });
    check("node 1 is row 1, but there are 3 rows, and each is at most one node, in the order", |it| {
        it.trees[0].nodes = vec![2, 1, 0];
    });
    check("row 2 is not stored in any tree", |it| {
        it.trees[0].nodes.pop();
        it.trees[0].parents.pop();
    });
    let full = params.history(History::Full).restore(snapshot).unwrap_err().to_string();
    assert!(full.starts_with("5 examples were shown and 3 rows are kept, but history is full"), "{full}");
}

#[test]
fn a_damaged_forest_is_refused() {
    let params = BoundaryForestParams::default().n_trees(3);
    let snapshot = show_five(params.clone().build().unwrap()).snapshot();
    assert!(snapshot.is_rooted);
    assert_eq!(snapshot.trees[1].order[0], 1, "tree 1 begins with row 1");
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| params.clone().restore(snapshot), words, damage);
    };
    check("with 5 rows, 3 trees", |it| it.is_rooted = false);
    check("there are 2 trees, but the structure has 3", |it| it.trees.truncate(2));
    check("tree 1: row 1 was shown at place 4", |it| it.trees[1].order[4] = 1);
    check("tree 1: row 7 was shown at place 4", |it| it.trees[1].order[4] = 7);
    check("tree 2: there are 0 answers but 5 rows", |it| it.trees[2] = Default::default());
    check("tree 2: row 2 is no node, but by the order of showing must be node 0", |it| {
        it.trees[2].nodes.clear();
        it.trees[2].parents.clear();
    });
}

#[test]
fn a_forest_that_is_still_dealing_out_roots_has_trees_that_are_alike() {
    for history in [History::Full, History::NodesOnly] {
        let params = BoundaryForestParams::default().n_trees(6).tree(BoundaryTreeParams::default().history(history));
        let snapshot = show_five(params.clone().build().unwrap()).snapshot();
        assert!(!snapshot.is_rooted);
        let restore = |snapshot| params.clone().restore(snapshot);
        assert_refused(&snapshot, restore, "tree 2 differs from tree 0", |it| {
            // Row 4 as a node below row 3, which makes that one a node too, below row 0.
            let changed = &mut it.trees[2];
            changed.nodes = vec![0, 1, 3, 4];
            changed.parents = vec![NONE, 0, 0, 2];
            if history == History::Full {
                changed.answers = vec![NONE, 0, 0, 0, 2];
            }
        });
        if history == History::NodesOnly {
            assert_refused(&snapshot, restore, "it has no nodes, but 5 examples were shown", |it| {
                it.trees.fill(Default::default());
            });
        }
    }
}

#[test]
fn a_damaged_set_is_refused() {
    let params = BoundarySetParams::default();
    let snapshot = show_five(params.clone().build().unwrap()).snapshot();
    assert_eq!((snapshot.members.as_slice(), snapshot.answers.as_slice()), (&[0, 1, 4][..], &[NONE, 0, 0, 1, 1][..]));
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| params.clone().restore(snapshot), words, damage);
    };
    check("there are 4 answers but 5 points", |it| it.answers.truncate(4));
    check("row 3 was answered by row 2", |it| it.answers[3] = 2); // no member
    check("row 1 was answered by row 4", |it| it.answers[1] = 4); // a member, but later
    check("row 2 was answered by no row", |it| it.answers[2] = NONE);
    check("row 0 was answered by row 0", |it| it.answers[0] = 0);
    check("member 2 is no row, but must be row 4", |it| it.members.truncate(2));
    check("member 1 is row 2, but must be row 1", |it| it.members[1] = 2);
    check("member 3 is row 3, but must be a row that is no member yet, or not there", |it| it.members.push(3));
    check("1 trees, but a boundary set has none", |it| it.trees.push(Default::default()));

    let hart = BoundarySetParams::default().passes(Passes::UntilConsistent);
    let snapshot = show_five(hart.clone().build().unwrap()).snapshot();
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| hart.clone().restore(snapshot), words, damage);
    };
    check("member 3 is row 4, but must be a row that is no member yet", |it| it.members.insert(3, 4));
    check("member 3 is row 5, but must be a row that is no member yet", |it| it.members.insert(3, 5));

    let short = BoundarySetParams::default().history(History::NodesOnly);
    let snapshot = show_five(short.clone().build().unwrap()).snapshot();
    assert_eq!((snapshot.members.as_slice(), snapshot.n_shown), (&[0, 1, 2][..], 5));
    let check = |words: &str, damage: fn(&mut Snapshot)| {
        assert_refused(&snapshot, |snapshot| short.clone().restore(snapshot), words, damage);
    };
    check("3 answers, but a boundary set without history has none", |it| it.answers = vec![NONE, 0, 1]);
    check("member 1 is row 2, but must be row 1", |it| it.members.swap(1, 2));
}

#[test]
fn a_block_without_rows_is_as_good_as_none() {
    let tree = BoundaryTreeParams::default().build().unwrap();
    let snapshot = Snapshot { points: Some(Points::from_f32(3, Vec::new()).unwrap()), ..tree.snapshot() };
    assert_eq!(BoundaryTreeParams::default().restore(snapshot).unwrap(), tree);
}

// --- At random ---

/// What was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Examples,
    Counts,
    Nodes,
    Parents,
    Order,
    Answers,
    Members,
}

/// A number that differs from `old`: near it, within bounds, or an extreme.
fn another(random: &mut Random, old: u32, bound: usize) -> u32 {
    let new = match random.below(6) {
        0 => old.wrapping_add(1),
        1 => old.wrapping_sub(1),
        2 => [NONE, NONE - 1, 0, 1 << 31][random.below(4)],
        _ => random.below(bound + 2) as u32,
    };
    if new == old { old ^ 1 } else { new }
}

/// Changes a number of a list, swaps two, or makes the list longer or shorter. Nothing if there is nothing to change.
fn change_list(random: &mut Random, list: &mut Vec<u32>, bound: usize) -> bool {
    if list.is_empty() {
        list.push(random.below(bound + 2) as u32);
        return true;
    }
    let place = random.below(list.len());
    match random.below(8) {
        0 => {
            let other = random.below(list.len());
            let differs = list[place] != list[other];
            list.swap(place, other);
            return differs;
        }
        1 => {
            list.remove(place);
        }
        2 => list.insert(place, random.below(bound + 2) as u32),
        _ => list[place] = another(random, list[place], bound),
    }
    true
}

/// Damages a snapshot in one place; gives where, or nothing if the change was none.
fn damage(random: &mut Random, snapshot: &mut Snapshot, task: Task) -> Option<Part> {
    let n = snapshot.ids.len();
    let n_trees = snapshot.trees.len();
    let changed = |part: Part, is_changed: bool| is_changed.then_some(part);
    match random.below(if n_trees == 0 { 8 } else { 20 }) {
        0 if n > 0 => {
            let row = random.below(n);
            snapshot.labels[row] = match random.below(6) {
                0 => Label::Value(f32::NAN),
                1 => Label::Unlabeled,
                _ => label(task, random.below(5)),
            };
            Some(Part::Examples)
        }
        1 if n > 0 => {
            snapshot.ids[random.below(n)] = ExampleId(random.below(40) as u64 * 3 + 999_900);
            Some(Part::Examples)
        }
        2 => {
            let points = snapshot.points.as_ref()?;
            let width = points.width();
            let at = random.below(n * width);
            let view = points.view();
            let floats = view.as_f32().map(|values| {
                let mut values = values.to_vec();
                values[at] = random.below(9) as f32 - 4.0;
                Points::from_f32(width, values).unwrap()
            });
            let bytes = view.as_u8().map(|values| {
                let mut values = values.to_vec();
                values[at] = random.below(256) as u8;
                Points::from_u8(width, values).unwrap()
            });
            snapshot.points = floats.or(bytes);
            Some(Part::Examples)
        }
        3 => {
            snapshot.is_rooted ^= true;
            Some(Part::Counts)
        }
        4 => {
            let old = snapshot.n_shown;
            snapshot.n_shown = [old + 1, old.wrapping_sub(1), usize::MAX, usize::MAX / 3, 0][random.below(5)];
            changed(Part::Counts, old != snapshot.n_shown)
        }
        5 | 6 => changed(Part::Members, change_list(random, &mut snapshot.members, n)),
        7 => changed(Part::Answers, change_list(random, &mut snapshot.answers, n)),
        8 if n_trees > 1 => {
            let (tree, other) = (random.below(n_trees), random.below(n_trees));
            let differs = snapshot.trees[tree] != snapshot.trees[other];
            snapshot.trees.swap(tree, other);
            changed(Part::Counts, differs)
        }
        9 => {
            snapshot.trees.pop();
            Some(Part::Counts)
        }
        pick => {
            let at = random.below(n_trees.max(1));
            let tree = snapshot.trees.get_mut(at)?;
            let n_nodes = tree.nodes.len();
            match pick % 4 {
                0 => changed(Part::Nodes, change_list(random, &mut tree.nodes, n)),
                1 => changed(Part::Parents, change_list(random, &mut tree.parents, n_nodes)),
                2 => changed(Part::Order, change_list(random, &mut tree.order, n)),
                _ => changed(Part::Answers, change_list(random, &mut tree.answers, n_nodes)),
            }
        }
    }
}

/// Asks everything, then edits and learns on: nothing may panic.
fn exercise(random: &mut Random, structure: &mut Structure, data: &Data, task: Task) {
    let ask = |structure: &Structure| {
        let search = structure.search();
        for row in 0..3 {
            let query = data.point(row);
            let is_empty = search.n_stored() == 0;
            assert_eq!(search.nearest(query).is_err(), is_empty);
            assert_eq!(search.k_nearest(query, 5, Effort::FULL).is_err(), is_empty);
            assert_eq!(search.explain(query, None).is_err(), is_empty);
            assert_eq!(search.traverse(query).is_err(), is_empty);
        }
        let _ = search.voters_of_all(data.view());
        let _ = search.answer_distances();
    };
    ask(structure);
    for round in 0..6 {
        let kept = structure.search().kept_ids();
        if !kept.is_empty() {
            let id = kept[random.below(kept.len())];
            let search = structure.search_mut();
            match random.below(2) {
                0 => search.remove_lossy(id).unwrap(),
                _ => search.relabel_lossy(id, label(task, random.below(5))).unwrap(),
            };
        }
        if round % 3 == 0 {
            let ids = (0..4).map(|id| ExampleId(10_000_000 + 10 * round + id)).collect::<Vec<_>>();
            let examples = Examples::new(data.view().slice(0..4), &data.labels[..4]).unwrap();
            structure.search_mut().insert_all(&examples.with_ids(&ids).unwrap()).unwrap();
        }
        ask(structure);
    }
    let search = structure.search_mut();
    while let Some(id) = search.kept_ids().pop() {
        search.remove_lossy(id).unwrap();
    }
    ask(structure);
}

/// Says which case it was, should the library panic in it.
struct Named<'a>(&'a str);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("panicked in: {}", self.0);
        }
    }
}

const WAITING: [Plan; 2] = [
    forest(Initialization::DistinctRoots, 40, Some(2), History::Full, Vote::Shepard),
    forest(Initialization::DistinctRoots, 40, None, History::NodesOnly, Vote::Shepard),
];

#[test]
fn a_snapshot_with_one_change_is_refused_or_gives_a_structure_that_works() {
    let tasks = [Task::Classification, Task::Regression { epsilon: 0.75 }, Task::Retrieval];
    let (mut n_refused, mut n_taken) = (0, 0);
    for (plan_number, plan) in PLANS.into_iter().chain(WAITING).enumerate() {
        for (task_number, task) in tasks.into_iter().enumerate() {
            for n in [0, 1, 4, 30] {
                let seed = (plan_number * 100 + task_number * 10 + n) as u64;
                let mut random = Random(seed);
                let kind = if seed % 2 == 0 { PointKind::F32 } else { PointKind::U8 };
                let data = Data::grid(&mut random, kind, task, n.max(4), 2, 5, 3);
                let mut original = plan.build(task, &Distance::Euclidean);
                original.show(&data, 0..n);
                for _ in 0..n / 8 {
                    let kept = original.search().kept_ids();
                    if kept.len() < 2 {
                        break;
                    }
                    original.search_mut().remove_lossy(kept[random.below(kept.len())]).unwrap();
                }
                let snapshot = original.snapshot();
                for round in 0..60 {
                    let name = format!("{plan:?}, {task}, {n} examples, seed {seed}, round {round}");
                    let _named = Named(&name);
                    let mut damaged = snapshot.clone();
                    let Some(part) = damage(&mut random, &mut damaged, task) else { continue };
                    let Ok(mut restored) = plan.restore(task, &Distance::Euclidean, damaged.clone()) else {
                        n_refused += 1;
                        continue;
                    };
                    n_taken += 1;
                    if plan.history() == History::Full {
                        let is_determined = matches!(part, Part::Nodes | Part::Parents);
                        assert!(!is_determined, "{name}: {part:?} follow from the history, and were changed");
                    }
                    // The order 0, 1, 2, ... may be written out, but is not.
                    let written_out =
                        |order: &[u32]| order.iter().enumerate().all(|(place, row)| *row as usize == place);
                    let orders = damaged.trees.iter_mut().map(|tree| &mut tree.order);
                    orders.filter(|order| written_out(order)).for_each(Vec::clear);
                    assert_eq!(restored.snapshot(), damaged, "{name}: {part:?}");
                    exercise(&mut random, &mut restored, &data, task);
                    let again = plan.restore(task, &Distance::Euclidean, restored.snapshot());
                    assert!(again.is_ok_and(|again| again == restored), "{name}: {part:?}");
                }
            }
        }
    }
    assert!(n_refused > 5_000 && n_taken > 500, "{n_refused} refused, {n_taken} taken");
}
