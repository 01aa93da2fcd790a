//! Wide points, where searches take short cuts (sketches, matrix products, groups): every answer is that of the plain loop.
//!
//! The plain loop measures one pair at a time by `Distance::between`. Ids, order and bits of the distances must agree, on
//! data with structure, many duplicates and near ties, and on numbers chosen to upset the bounds on rounding.

#![allow(clippy::unwrap_used)] // in helpers too, not only in the tests themselves

mod every_structure;
mod oracle;

use every_structure::{Plan, Structure, assert_tree_is_slow_tree, forest, show_singly, shown_to};
use hedgerow_core::{Distance, Effort, History, Initialization, Label, Neighbor, Passes, PointKind, Task, Vote};
use oracle::{Data, Random, SlowTree, row_of};
use rayon::prelude::*;

const TASK: Task = Task::Classification;

/// A few factors and a little noise: what sketches are made for. Every fifth row repeats an earlier one, every fifth
/// differs from an earlier one in one feature, by as little as its number type can.
fn factor_rows(random: &mut Random, kind: PointKind, n: usize, width: usize) -> Vec<Vec<f64>> {
    let factors = (0..6).map(|_| (0..width).map(|_| random.unit()).collect::<Vec<_>>()).collect::<Vec<_>>();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for row in 0..n {
        if row > 20 && row % 5 == 0 {
            rows.push(rows[random.below(row)].clone());
            continue;
        }
        if row > 20 && row % 5 == 1 {
            let mut near = rows[random.below(row)].clone();
            let column = random.below(width);
            near[column] = match kind {
                PointKind::F32 => f64::from(f32::from_bits((near[column] as f32).to_bits() + 1)),
                PointKind::U8 => (near[column] + 1.0).min(255.0),
            };
            rows.push(near);
            continue;
        }
        let weights = (0..6).map(|_| random.unit()).collect::<Vec<_>>();
        let value = |column: usize| weights.iter().zip(&factors).map(|(weight, factor)| weight * factor[column]).sum();
        let values = (0..width).map(|column| {
            let value: f64 = value(column);
            let value = value + 0.05 * random.unit();
            match kind {
                PointKind::F32 => f64::from(value as f32),
                PointKind::U8 => (128.0 + 50.0 * value).round().clamp(0.0, 255.0),
            }
        });
        rows.push(values.collect());
    }
    rows
}

fn labels_for(random: &mut Random, rows: &[Vec<f64>]) -> Vec<Label> {
    let middle = rows.iter().flatten().sum::<f64>() / rows.iter().map(Vec::len).sum::<usize>() as f64;
    let class = |row: &Vec<f64>| match random.below(12) {
        0 => random.below(4) as u32,
        _ => u32::from(row[0] > middle) + 2 * u32::from(row[row.len() / 2] > middle),
    };
    rows.iter().map(class).map(Label::class).collect()
}

fn data_of(seed: u64, kind: PointKind, rows: Vec<Vec<f64>>) -> Data {
    let labels = labels_for(&mut Random(seed), &rows);
    Data::new(kind, rows, labels)
}

/// Distances of every query to every row, one pair at a time.
fn all_distances(distance: &Distance, queries: &Data, data: &Data) -> Vec<Vec<f64>> {
    let between = |query: usize, row: usize| distance.between(queries.point(query), data.point(row)).unwrap();
    (0..queries.len()).into_par_iter().map(|query| (0..data.len()).map(|row| between(query, row)).collect()).collect()
}

/// Distances among the rows. Half of them are measured: who asks does not matter, which has a test of its own.
fn distances_among(distance: &Distance, data: &Data) -> Vec<Vec<f64>> {
    let between = |a: usize, b: usize| distance.between(data.point(a), data.point(b)).unwrap();
    let half = |a: usize| (0..=a).map(|b| between(a, b)).collect::<Vec<_>>();
    let measured = (0..data.len()).into_par_iter().map(half).collect::<Vec<_>>();
    let either = |a: usize, b: usize| measured[a.max(b)][a.min(b)];
    (0..data.len()).map(|a| (0..data.len()).map(|b| either(a, b)).collect()).collect()
}

fn plain(neighbors: &[Neighbor]) -> Vec<(usize, u64)> {
    neighbors.iter().map(|it| (row_of(it.id), it.distance.to_bits())).collect()
}

fn slow_plain(k: usize, stored: &[usize], to_query: &[f64]) -> Vec<(usize, u64)> {
    let nearest = oracle::k_nearest(k, stored, &|row| to_query[row]);
    nearest.iter().map(|(row, distance)| (*row, distance.to_bits())).collect()
}

/// Data, queries, and all that the plain loop says about them.
struct Bench {
    name: String,
    data: Data,
    queries: Data,
    distance: Distance,
    among: Vec<Vec<f64>>,
    asked: Vec<Vec<f64>>,
}

impl Bench {
    fn new(name: impl Into<String>, distance: Distance, data: Data, queries: Data) -> Self {
        let among = distances_among(&distance, &data);
        let asked = all_distances(&distance, &queries, &data);
        Self { name: name.into(), data, queries, distance, among, asked }
    }

    fn n(&self) -> usize {
        self.data.len()
    }

    fn far(&self) -> impl Fn(usize, usize) -> f64 + '_ {
        |a, b| self.among[a][b]
    }

    fn filled(&self, plan: Plan) -> Structure {
        let mut structure = plan.build(TASK, &self.distance);
        structure.show(&self.data, 0..self.n());
        structure
    }

    fn check_scan(&self) {
        let all = (0..self.n()).collect::<Vec<_>>();
        for k in [1, 5] {
            let scan = self.filled(Plan::Scan { n_neighbors: k, vote: Vote::Majority });
            // All together, few together, and one by one take different ways.
            for few in [self.queries.len(), 40, 5] {
                let few = few.min(self.queries.len());
                let asked = self.queries.view().slice(0..few);
                for (query, found) in scan.search().voters_of_all(asked).unwrap().iter().enumerate() {
                    let expected = slow_plain(k, &all, &self.asked[query]);
                    assert_eq!(plain(found), expected, "{}: query {query} of {few}, k = {k}", self.name);
                }
            }
            for query in (0..self.queries.len()).step_by(17) {
                let found = scan.search().voters(self.queries.point(query)).unwrap();
                assert_eq!(plain(&found), slow_plain(k, &all, &self.asked[query]), "{}: query {query}", self.name);
            }
        }
        let scan = self.filled(Plan::Scan { n_neighbors: 1, vote: Vote::Majority });
        let nearest_other = |row: usize| {
            let others = (0..self.n()).filter(|other| *other != row);
            others.map(|other| self.among[row][other]).fold(f64::INFINITY, f64::min)
        };
        let expected = (0..self.n()).map(nearest_other).collect::<Vec<_>>();
        assert_eq!(scan.search().answer_distances().unwrap(), expected, "{}", self.name);
    }

    fn check_sets(&self) {
        let order = (0..self.n()).collect::<Vec<_>>();
        for passes in [Passes::One, Passes::UntilConsistent] {
            let members = match passes {
                Passes::One => oracle::one_pass(TASK, &order, &self.data.labels, &self.far()),
                _ => oracle::hart(TASK, &order, &self.data.labels, &self.far()),
            };
            let set = self.filled(Plan::Set { passes, history: History::Full, n_neighbors: 3 });
            let mut sorted = members.clone();
            sorted.sort_unstable();
            let stored = set.search().stored_ids().into_iter().map(row_of).collect::<Vec<_>>();
            assert_eq!(stored, sorted, "{}, {passes:?}", self.name);
            for (query, found) in set.search().voters_of_all(self.queries.view()).unwrap().iter().enumerate() {
                let expected = slow_plain(3, &members, &self.asked[query]);
                assert_eq!(plain(found), expected, "{}, {passes:?}: query {query}", self.name);
            }
            for query in (0..self.queries.len()).step_by(29) {
                let found = set.search().nearest(self.queries.point(query)).unwrap();
                assert_eq!(plain(&[found]), slow_plain(1, &members, &self.asked[query]), "{}", self.name);
            }
        }
    }

    fn check_trees(&self, plan: Plan) {
        let mut structure = self.filled(plan);
        self.check_trees_of(&structure, plan, &self.data, "as built");
        for number in 0..3 {
            let stored = structure.search().stored_ids();
            let id = stored[(41 * number) % stored.len()];
            structure.search_mut().remove(id).unwrap();
        }
        let mut data = self.data.clone();
        let id = structure.search().stored_ids()[1];
        data.labels[row_of(id)] = Label::class(7);
        structure.search_mut().relabel(id, Label::class(7)).unwrap();
        self.check_trees_of(&structure, plan, &data, "edited");
    }

    fn check_trees_of(&self, structure: &Structure, plan: Plan, data: &Data, state: &str) {
        let name = format!("{}, {plan:?}, {state}", self.name);
        let search = structure.search();
        let many = search.voters_of_all(self.queries.view()).unwrap();
        let nearest = (0..self.queries.len()).map(|query| search.nearest(self.queries.point(query)).unwrap());
        let nearest = nearest.collect::<Vec<_>>();
        for (number, tree) in structure.trees().iter().enumerate() {
            let order = shown_to(tree);
            assert_tree_is_slow_tree(tree, TASK, plan.max_children(), &order, data, &self.far());
            let slow = SlowTree::grown(TASK, plan.max_children(), order, &data.labels, &self.far());
            for (query, voters) in many.iter().enumerate() {
                let row = slow.answer(&|row| self.asked[query][row]);
                let expected = vec![(row, self.asked[query][row].to_bits())];
                assert_eq!(plain(&voters[number..=number]), expected, "{name}: query {query}");
                assert!(nearest[query].distance <= self.asked[query][row], "{name}");
            }
        }
        for query in (0..self.queries.len()).step_by(31) {
            assert_eq!(search.voters(self.queries.point(query)).unwrap(), many[query], "{name}");
            let stored = search.stored_ids().into_iter().map(row_of).collect::<Vec<_>>();
            let found = search.k_nearest(self.queries.point(query), 6, Effort::FULL).unwrap();
            assert_eq!(plain(&found), slow_plain(6, &stored, &self.asked[query]), "{name}");
        }
    }

    fn check_all(&self) {
        self.check_scan();
        self.check_sets();
        self.check_trees(Plan::Tree { max_children: Some(4), history: History::Full });
        self.check_trees(forest(Initialization::DistinctRoots, 9, None, History::Full, Vote::Shepard));
    }
}

/// Queries: rows of the data, rows near them, and fresh ones, so that there are enough for every short cut.
fn queries_near(random: &mut Random, kind: PointKind, rows: &[Vec<f64>], n: usize) -> Data {
    let mut asked = Vec::new();
    for query in 0..n {
        let mut row = rows[random.below(rows.len())].clone();
        let other = &rows[random.below(rows.len())];
        if query % 3 == 1 {
            let column = random.below(row.len());
            row[column] = other[column];
        }
        if query % 3 == 2 {
            // Half one row, half another: near ties between far points.
            let half = row.len() / 2;
            row[half..].copy_from_slice(&other[half..]);
        }
        asked.push(row);
    }
    data_of(1, kind, asked)
}

fn factor_bench(kind: PointKind, n: usize, width: usize, n_queries: usize, distance: Distance) -> Bench {
    let mut random = Random(width as u64);
    let rows = factor_rows(&mut random, kind, n, width);
    let queries = queries_near(&mut random, kind, &rows, n_queries);
    Bench::new(format!("{n} x {width} {kind}, {distance}"), distance, data_of(2, kind, rows), queries)
}

// --- Data with structure ---

#[test]
fn sketches_are_made_of_the_data_of_these_tests() {
    // Else the tests below would test nothing. A sketch takes 192 bytes, everything else besides the point about 60.
    for kind in [PointKind::F32, PointKind::U8] {
        let mut random = Random(200);
        let data = data_of(2, kind, factor_rows(&mut random, kind, 1200, 200));
        let mut set =
            Plan::Set { passes: Passes::One, history: History::Full, n_neighbors: 1 }.build(TASK, &Distance::Euclidean);
        set.show(&data, 0..1200);
        assert!(set.search().size_bytes() > data.points.size_bytes() + 1200 * 192, "{kind}");
    }
}

#[test]
fn restored_structures_have_sketches_again_and_answer_the_same() {
    for kind in [PointKind::F32, PointKind::U8] {
        let mut random = Random(201);
        let rows = factor_rows(&mut random, kind, 1250, 200);
        let queries = queries_near(&mut random, kind, &rows, 200);
        let data = data_of(2, kind, rows);
        for plan in [
            Plan::Set { passes: Passes::One, history: History::Full, n_neighbors: 1 },
            forest(Initialization::DistinctRoots, 9, None, History::Full, Vote::Shepard),
        ] {
            let mut structure = plan.build(TASK, &Distance::Euclidean);
            structure.show(&data, 0..1200);
            let mut restored = plan.restore(TASK, &Distance::Euclidean, structure.snapshot()).unwrap();
            assert!(restored.search().size_bytes() > data.points.size_bytes() + 1200 * 192, "{plan:?}, {kind}");
            let voters = structure.search().voters_of_all(queries.view());
            assert_eq!(restored.search().voters_of_all(queries.view()), voters, "{plan:?}, {kind}");

            structure.show(&data, 1200..1250);
            restored.show(&data, 1200..1250);
            assert!(restored == structure, "{plan:?}, {kind}");
        }
    }
}

#[test]
fn wide_floats_are_searched_exactly() {
    factor_bench(PointKind::F32, 1500, 200, 600, Distance::Euclidean).check_all();
}

#[test]
fn wide_bytes_are_searched_exactly() {
    factor_bench(PointKind::U8, 1500, 300, 600, Distance::Euclidean).check_all();
}

#[test]
fn floats_as_wide_as_images_are_searched_exactly() {
    factor_bench(PointKind::F32, 1100, 784, 530, Distance::SquaredEuclidean).check_all();
}

#[test]
fn bytes_as_wide_as_images_are_searched_exactly() {
    factor_bench(PointKind::U8, 1600, 784, 530, Distance::Euclidean).check_all();
}

#[test]
fn wide_points_are_searched_exactly_by_other_measures() {
    for kind in [PointKind::F32, PointKind::U8] {
        for distance in [Distance::Manhattan, Distance::Cosine] {
            factor_bench(kind, 500, 300, 60, distance).check_all();
        }
    }
}

#[test]
fn wide_points_of_one_bit_are_full_of_ties() {
    for (kind, n) in [(PointKind::U8, 1300), (PointKind::F32, 1300)] {
        let mut random = Random(3);
        // Black and white stripes: few distinct distances, so that nearly every comparison is a tie.
        let stripe = |random: &mut Random| {
            let (step, start) = (8 * (1 + random.below(12)), random.below(4));
            (0..256).map(|column| f64::from(u8::from((column + 8 * start) / step % 2 == 0))).collect::<Vec<_>>()
        };
        let rows = (0..n).map(|_| stripe(&mut random)).collect::<Vec<_>>();
        let queries = queries_near(&mut random, kind, &rows, 520);
        Bench::new(format!("stripes, {kind}"), Distance::Euclidean, data_of(4, kind, rows), queries).check_all();
    }
}

#[test]
fn one_by_one_makes_the_same_structures_as_blocks_when_sketches_come_on_the_way() {
    for kind in [PointKind::F32, PointKind::U8] {
        let mut random = Random(5);
        let data = data_of(6, kind, factor_rows(&mut random, kind, 1300, 220));
        for plan in [
            Plan::Set { passes: Passes::One, history: History::Full, n_neighbors: 1 },
            Plan::Set { passes: Passes::One, history: History::NodesOnly, n_neighbors: 1 },
            Plan::Set { passes: Passes::UntilConsistent, history: History::Full, n_neighbors: 1 },
            Plan::Tree { max_children: None, history: History::Full },
            Plan::Tree { max_children: Some(5), history: History::NodesOnly },
            forest(Initialization::DistinctRoots, 8, Some(5), History::Full, Vote::Shepard),
            forest(Initialization::DistinctRoots, 8, None, History::NodesOnly, Vote::Shepard),
        ] {
            let mut singly = plan.build(TASK, &Distance::Euclidean);
            // Hart's set is found again at each insertion that changes it: one by one at the end alone.
            let start = if plan.is_hart() { 1200 } else { 0 };
            singly.show(&data, 0..start);
            show_singly(singly.search_mut(), &data, start..1300);
            let mut at_once = plan.build(TASK, &Distance::Euclidean);
            at_once.show(&data, 0..1300);
            assert!(singly == at_once, "{plan:?}, {kind}");
            let mut by_blocks = plan.build(TASK, &Distance::Euclidean);
            for block in [0..900, 900..1050, 1050..1051, 1051..1300] {
                by_blocks.show(&data, block);
            }
            assert!(by_blocks == at_once, "{plan:?}, {kind}");
        }
    }
}

#[test]
fn permuted_forests_of_wide_points_are_slow_trees() {
    for kind in [PointKind::F32, PointKind::U8] {
        let bench = factor_bench(kind, 1200, 256, 100, Distance::Euclidean);
        bench.check_trees(forest(Initialization::Permuted, 8, Some(50), History::Full, Vote::Shepard));
    }
}

#[test]
fn points_longer_than_all_before_may_come_later() {
    let mut random = Random(7);
    let mut rows = factor_rows(&mut random, PointKind::F32, 1400, 200);
    // Sketches are scaled by the first 1100; these stick out.
    for row in &mut rows[1100..] {
        let by = 1.0 + random.below(50) as f64;
        row.iter_mut().for_each(|value| *value = f64::from((*value * by) as f32));
    }
    let queries = queries_near(&mut random, PointKind::F32, &rows, 520);
    let bench = Bench::new("longer later", Distance::Euclidean, data_of(8, PointKind::F32, rows), queries);
    let order = (0..1400).collect::<Vec<_>>();
    let members = oracle::one_pass(TASK, &order, &bench.data.labels, &bench.far());
    let mut set =
        Plan::Set { passes: Passes::One, history: History::Full, n_neighbors: 2 }.build(TASK, &Distance::Euclidean);
    set.show(&bench.data, 0..1100);
    set.show(&bench.data, 1100..1400);
    assert_eq!(set.search().stored_ids().into_iter().map(row_of).collect::<Vec<_>>(), members);
    for (query, found) in set.search().voters_of_all(bench.queries.view()).unwrap().iter().enumerate() {
        assert_eq!(plain(found), slow_plain(2, &members, &bench.asked[query]), "query {query}");
    }
    let plan = forest(Initialization::DistinctRoots, 8, None, History::Full, Vote::Shepard);
    let mut trees = plan.build(TASK, &Distance::Euclidean);
    trees.show(&bench.data, 0..1100);
    trees.show(&bench.data, 1100..1400);
    bench.check_trees_of(&trees, plan, &bench.data, "longer later");
}

// --- Numbers chosen to upset bounds on rounding ---

/// Structured rows, scaled and moved.
fn moved_rows(random: &mut Random, n: usize, width: usize, scale: f64, offset: f64) -> Vec<Vec<f64>> {
    let mut rows = factor_rows(random, PointKind::F32, n, width);
    let moved = |value: &mut f64| *value = f64::from((*value * scale + offset) as f32);
    rows.iter_mut().flatten().for_each(moved);
    rows
}

/// Searches the rows at all widths of short cut: with queries like the rows, and with queries far longer.
fn check_numbers(name: &str, make: impl Fn(&mut Random, usize, usize) -> Vec<Vec<f64>>) {
    check_numbers_of(name, &[(300, 3, 50), (500, 40, 60), (1100, 200, 520)], make);
}

/// As [`check_numbers`], for some numbers of rows, features and queries.
fn check_numbers_of(
    name: &str,
    sizes: &[(usize, usize, usize)],
    make: impl Fn(&mut Random, usize, usize) -> Vec<Vec<f64>>,
) {
    for &(n, width, n_queries) in sizes {
        let mut random = Random(9);
        let rows = make(&mut random, n, width);
        let mut queries = queries_near(&mut random, PointKind::F32, &rows, n_queries);
        for (query, row) in queries.rows.iter_mut().enumerate() {
            if query % 7 == 3 {
                let longer = 10_f64.powi(1 + query as i32 % 4);
                row.iter_mut().for_each(|value| *value = f64::from((*value * longer).clamp(-1e15, 1e15) as f32));
            }
        }
        let queries = data_of(10, PointKind::F32, queries.rows);
        let name = format!("{name}, {n} x {width}");
        let bench = Bench::new(name, Distance::Euclidean, data_of(11, PointKind::F32, rows), queries);
        bench.check_scan();
        bench.check_sets();
        bench.check_trees(forest(Initialization::DistinctRoots, 8, None, History::Full, Vote::Shepard));
    }
}

#[test]
fn small_differences_on_a_huge_offset_are_searched_exactly() {
    check_numbers("offset 1e6", |random, n, width| moved_rows(random, n, width, 1.0, 1e6));
}

#[test]
fn a_small_cloud_far_from_the_origin_is_searched_exactly() {
    // Distances near a three-thousandth of the length of the points: about the unit that sketches are rounded to. The
    // points differ in as many features as a sketch has directions, so that it captures them whole and all its
    // coordinates are rounded.
    let (n, width) = (1100, 200);
    let mut random = Random(15);
    let base = (0..width).map(|column| if column < 96 { random.unit() } else { 0.0 }).collect::<Vec<_>>();
    let length = base.iter().map(|value| value * value).sum::<f64>().sqrt();
    for units in [0.3, 1.0, 4.0] {
        let spread = units * length / 3000.0 / 8.0;
        let moved = |random: &mut Random, value: f64| match value {
            0.0 => 0.0,
            _ => f64::from((value + spread * random.unit()) as f32),
        };
        let mut row = || base.iter().map(|value| moved(&mut random, *value)).collect::<Vec<_>>();
        let rows = (0..n).map(|_| row()).collect::<Vec<_>>();
        let queries = queries_near(&mut random, PointKind::F32, &rows, 520);
        let data = data_of(16, PointKind::F32, rows);
        let bench = Bench::new(format!("a cloud of {units} units"), Distance::Euclidean, data, queries);
        bench.check_scan();
        bench.check_sets();
        bench.check_trees(forest(Initialization::DistinctRoots, 8, None, History::Full, Vote::Shepard));
    }
}

#[test]
fn tiny_values_are_searched_exactly() {
    check_numbers("1e-20", |random, n, width| moved_rows(random, n, width, 1e-20, 0.0));
    check_numbers("1e-18", |random, n, width| moved_rows(random, n, width, 1e-18, 0.0));
    // All squares vanish, so that all are ties; processors are slow with such numbers.
    let narrow = [(300, 3, 50), (400, 40, 30)];
    check_numbers_of("1e-25", &narrow, |random, n, width| moved_rows(random, n, width, 1e-25, 0.0));
    check_numbers_of("1e-38", &narrow, |random, n, width| moved_rows(random, n, width, 1e-38, 0.0));
}

#[test]
fn huge_values_are_searched_exactly() {
    check_numbers("1e14", |random, n, width| moved_rows(random, n, width, 1e14, 0.0));
    check_numbers("1e14 on 5e14", |random, n, width| moved_rows(random, n, width, 1e14, 5e14));
}

#[test]
fn one_huge_outlier_hides_no_neighbor() {
    check_numbers("outlier", |random, n, width| {
        let mut rows = moved_rows(random, n, width, 1.0, 0.0);
        rows[150] = vec![f64::from(9e14_f32); width];
        rows
    });
}

#[test]
fn equal_rows_are_all_ties() {
    check_numbers("all equal", |_, n, width| vec![(0..width).map(|column| column as f64 * 0.25).collect(); n]);
    check_numbers("all zero", |_, n, width| vec![vec![0.0; width]; n]);
}

#[test]
fn zero_rows_among_others_are_found() {
    check_numbers("zero rows", |random, n, width| {
        let mut rows = moved_rows(random, n, width, 1.0, 0.0);
        rows.iter_mut().step_by(3).for_each(|row| row.fill(0.0));
        rows
    });
}

#[test]
fn all_magnitudes_together_are_searched_exactly() {
    check_numbers("magnitudes", |random, n, width| {
        let mut rows = moved_rows(random, n, width, 1.0, 0.0);
        for (number, row) in rows.iter_mut().enumerate() {
            let scale = 10_f64.powi(number as i32 % 30 - 20);
            row.iter_mut().for_each(|value| *value = f64::from((*value * scale) as f32));
        }
        rows
    });
}

#[test]
fn differences_whose_squares_vanish_are_ties() {
    // Values near 3e-21 whose squared differences, near 4e-46, are below the least f32: the distance of such a pair is 0,
    // and the earlier of the two answers, though their projections differ by more than rounding explains.
    let (n, width) = (1200, 256);
    let mut random = Random(12);
    let direction = (0..width).map(|_| if random.below(2) == 0 { 1.0 } else { -1.0 }).collect::<Vec<_>>();
    let row = |place: usize, random: &mut Random| {
        let along = 3e-21 * (1.0 - 0.2 * (place % 7) as f64) + 2e-23 * (random.below(2) as f64);
        direction.iter().map(|sign| f64::from((sign * along) as f32)).collect::<Vec<_>>()
    };
    let rows = (0..n).map(|place| row(place, &mut random)).collect::<Vec<_>>();
    let queries = queries_near(&mut random, PointKind::F32, &rows, 520);
    let data = data_of(13, PointKind::F32, rows);
    let bench = Bench::new("vanishing squares", Distance::Euclidean, data, queries);
    let zero = |row: usize| {
        (0..row).any(|other| bench.among[row][other] == 0.0 && bench.data.rows[row] != bench.data.rows[other])
    };
    assert!((0..n).filter(|row| zero(*row)).count() > 100, "the data is as meant");
    let set = bench.filled(Plan::Set { passes: Passes::One, history: History::Full, n_neighbors: 1 });
    let besides_points = set.search().size_bytes() - bench.data.points.size_bytes();
    assert!(besides_points > n * 192, "such points are sketched: {besides_points}");
    bench.check_scan();
    bench.check_sets();
    // Ties meet each other as children of a node that is full: a walk cannot stop before it has come to them.
    for max_children in [None, Some(3), Some(20)] {
        bench.check_trees(forest(Initialization::DistinctRoots, 8, max_children, History::Full, Vote::Shepard));
    }
}

#[test]
fn the_distance_of_a_pair_does_not_depend_on_who_asks() {
    for kind in [PointKind::F32, PointKind::U8] {
        for distance in [Distance::Euclidean, Distance::Manhattan, Distance::Cosine] {
            let data = data_of(14, kind, factor_rows(&mut Random(14), kind, 80, 301));
            let all = all_distances(&distance, &data, &data);
            for (a, b) in (0..80).flat_map(|a| (0..80).map(move |b| (a, b))) {
                assert_eq!(all[a][b].to_bits(), all[b][a].to_bits(), "{kind}, {distance}");
            }
        }
    }
}
