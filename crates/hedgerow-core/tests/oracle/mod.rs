//! Slow, obvious versions of the algorithms, in plain loops, to compare the fast ones with.
//!
//! Written from the papers' text: the tree of Mathy et al. (2015), the boundary set of the DBS paper and Hart's rule (1968).
//! Examples are numbers, and a distance is a function of two of them, so that every version works with every measure.

#![allow(dead_code)] // each test file uses its own part of this

use hedgerow_core::{Distance, ExampleId, Label, Point, PointKind, Points, PointsRef, Task, Vote};

/// How far two examples are from each other.
pub(crate) type Far<'a> = dyn Fn(usize, usize) -> f64 + 'a;

/// A measure in `f64`, with naive sums. On points with whole coordinates the sums are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measure {
    Euclidean,
    SquaredEuclidean,
    Manhattan,
    Cosine,
    /// The largest difference, as a closure.
    Largest,
    /// A closure that answers NaN from the difference 3 on.
    ShortSighted,
}

impl Measure {
    pub(crate) fn between(self, a: &[f64], b: &[f64]) -> f64 {
        let mut squares = 0.0;
        let mut absolutes = 0.0;
        let mut largest = 0.0_f64;
        let (mut dot, mut a_square, mut b_square) = (0.0, 0.0, 0.0);
        for (a, b) in a.iter().zip(b) {
            squares += (a - b) * (a - b);
            absolutes += (a - b).abs();
            largest = largest.max((a - b).abs());
            dot += a * b;
            a_square += a * a;
            b_square += b * b;
        }
        match self {
            Self::Euclidean => f64::sqrt(squares),
            Self::SquaredEuclidean => squares,
            Self::Manhattan => absolutes,
            Self::Cosine if a_square == 0.0 && b_square == 0.0 => 0.0,
            Self::Cosine if a_square == 0.0 || b_square == 0.0 => 1.0,
            Self::Cosine => (1.0 - dot / f64::sqrt(a_square * b_square)).clamp(0.0, 2.0),
            Self::Largest => largest,
            Self::ShortSighted if largest >= 3.0 => f64::INFINITY,
            Self::ShortSighted => largest,
        }
    }

    pub(crate) fn distance(self) -> Distance {
        let widened = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        match self {
            Self::Euclidean => Distance::Euclidean,
            Self::SquaredEuclidean => Distance::SquaredEuclidean,
            Self::Manhattan => Distance::Manhattan,
            Self::Cosine => Distance::Cosine,
            Self::Largest => Distance::custom("largest", move |a, b| self.between(&widened(a), &widened(b))),
            Self::ShortSighted => Distance::custom("short-sighted", move |a, b| {
                Some(self.between(&widened(a), &widened(b))).filter(|far| far.is_finite()).unwrap_or(f64::NAN)
            }),
        }
    }
}

/// Whether an example that was answered with `stored` is kept (Mathy et al. 2015, the training rule of each task).
pub(crate) fn is_kept(task: Task, stored: Label, shown: Label) -> bool {
    match (task, stored, shown) {
        (Task::Retrieval, _, _) => true,
        (Task::Regression { epsilon }, Label::Value(a), Label::Value(b)) => {
            (f64::from(a) - f64::from(b)).abs() > f64::from(epsilon)
        }
        _ => stored != shown,
    }
}

pub(crate) struct SlowNode {
    pub(crate) example: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
}

/// The boundary tree of Mathy et al. (2015).
pub(crate) struct SlowTree {
    pub(crate) nodes: Vec<SlowNode>,
    task: Task,
    max_children: Option<usize>,
}

impl SlowTree {
    /// The tree that showing the examples in this order makes.
    pub(crate) fn grown(
        task: Task,
        max_children: Option<usize>,
        order: impl IntoIterator<Item = usize>,
        labels: &[Label],
        far: &Far<'_>,
    ) -> Self {
        let mut tree = Self { nodes: Vec::new(), task, max_children };
        for example in order {
            tree.show(example, labels, far);
        }
        tree
    }

    /// The nodes from the root to the one where a query ends.
    pub(crate) fn path(&self, to_query: &dyn Fn(usize) -> f64) -> Vec<usize> {
        let distance = |node: usize| to_query(self.nodes[node].example);
        let mut path = vec![0];
        loop {
            let at = path[path.len() - 1];
            let children = &self.nodes[at].children;
            let mut candidates = Vec::new();
            if self.max_children.is_none_or(|most| children.len() < most) {
                candidates.push(at);
            }
            candidates.extend(children);
            // The first of the nearest: the node itself, else the earliest child.
            let mut next = candidates[0];
            for &candidate in &candidates {
                if distance(candidate) < distance(next) {
                    next = candidate;
                }
            }
            if next == at {
                return path;
            }
            path.push(next);
        }
    }

    /// The example that a query gets.
    pub(crate) fn answer(&self, to_query: &dyn Fn(usize) -> f64) -> usize {
        let path = self.path(to_query);
        self.nodes[path[path.len() - 1]].example
    }

    fn show(&mut self, example: usize, labels: &[Label], far: &Far<'_>) {
        let parent = match self.nodes.is_empty() {
            true => None,
            false => self.path(&|stored| far(example, stored)).last().copied(),
        };
        if let Some(parent) = parent {
            if !is_kept(self.task, labels[self.nodes[parent].example], labels[example]) {
                return;
            }
            let node = self.nodes.len();
            self.nodes[parent].children.push(node);
        }
        self.nodes.push(SlowNode { example, parent, children: Vec::new() });
    }
}

/// The boundary set: one pass over the examples. Members in the order in which they were added.
pub(crate) fn one_pass(task: Task, order: &[usize], labels: &[Label], far: &Far<'_>) -> Vec<usize> {
    let mut members = Vec::new();
    pass(task, order, labels, far, &mut members);
    members
}

/// Hart's rule: passes until one adds no example.
pub(crate) fn hart(task: Task, order: &[usize], labels: &[Label], far: &Far<'_>) -> Vec<usize> {
    let mut members = Vec::new();
    while pass(task, order, labels, far, &mut members) {}
    members
}

fn pass(task: Task, order: &[usize], labels: &[Label], far: &Far<'_>, members: &mut Vec<usize>) -> bool {
    let n_before = members.len();
    for &example in order {
        if members.contains(&example) {
            continue;
        }
        // The first of the nearest: the member added earliest.
        let mut nearest: Option<(usize, f64)> = None;
        for &member in members.iter() {
            let distance = far(example, member);
            if nearest.is_none_or(|(_, least)| distance < least) {
                nearest = Some((member, distance));
            }
        }
        if nearest.is_none_or(|(member, _)| is_kept(task, labels[member], labels[example])) {
            members.push(example);
        }
    }
    members.len() > n_before
}

/// The `k` nearest of `stored`, nearest first; of equals the one that stands earlier in `stored`.
pub(crate) fn k_nearest(k: usize, stored: &[usize], to_query: &dyn Fn(usize) -> f64) -> Vec<(usize, f64)> {
    let mut all = stored.iter().map(|&example| (example, to_query(example))).collect::<Vec<_>>();
    all.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap());
    all.truncate(k);
    all
}

/// What voters with these labels and distances weigh, summing to 1.
pub(crate) fn weights(vote: Vote, voters: &[(Label, f64)]) -> Vec<f64> {
    let mut nearest = 0;
    for (place, voter) in voters.iter().enumerate() {
        if voter.1 < voters[nearest].1 {
            nearest = place;
        }
    }
    let exact = voters.iter().any(|voter| voter.1 == 0.0);
    let mut weights = Vec::new();
    for (place, voter) in voters.iter().enumerate() {
        weights.push(match vote {
            Vote::Nearest if place == nearest => 1.0,
            Vote::Nearest => 0.0,
            Vote::Shepard if exact && voter.1 == 0.0 => 1.0,
            Vote::Shepard if exact => 0.0,
            Vote::Shepard => 1.0 / voter.1,
            _ => 1.0,
        });
    }
    let sum = weights.iter().sum::<f64>();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The share of the vote of each class, in the order in which the classes were first voted for.
pub(crate) fn shares(vote: Vote, voters: &[(Label, f64)]) -> Vec<(Label, f64)> {
    let mut shares: Vec<(Label, f64)> = Vec::new();
    for (voter, weight) in voters.iter().zip(weights(vote, voters)) {
        match shares.iter_mut().find(|share| share.0 == voter.0) {
            Some(share) => share.1 += weight,
            None => shares.push((voter.0, weight)),
        }
    }
    shares.retain(|share| share.1 > 0.0);
    shares
}

/// The mean of voters with values.
pub(crate) fn mean_value(vote: Vote, voters: &[(Label, f64)]) -> f64 {
    let value = |voter: &(Label, f64)| f64::from(voter.0.as_value().unwrap());
    voters.iter().zip(weights(vote, voters)).map(|(voter, weight)| value(voter) * weight).sum()
}

/// SplitMix64, for data of the tests' own.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// From -1 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Examples both as plain rows and as the points that the structures take. Ids fall as rows rise, so that an order by ids
/// would be seen.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) points: Points,
    pub(crate) labels: Vec<Label>,
    pub(crate) ids: Vec<ExampleId>,
}

impl Data {
    pub(crate) fn new(kind: PointKind, rows: Vec<Vec<f64>>, labels: Vec<Label>) -> Self {
        let width = rows.first().map_or(1, Vec::len);
        let values = rows.iter().flatten();
        let points = match kind {
            PointKind::F32 => Points::from_f32(width, values.map(|value| *value as f32).collect()),
            PointKind::U8 => Points::from_u8(width, values.map(|value| *value as u8).collect()),
        };
        let ids = (0..rows.len()).map(id_of).collect();
        Self { rows, points: points.unwrap(), labels, ids }
    }

    /// Points on a grid of `side` to a feature, in `n_classes` classes that mostly go by the place, or values alike.
    pub(crate) fn grid(
        random: &mut Random,
        kind: PointKind,
        task: Task,
        n: usize,
        width: usize,
        side: usize,
        n_classes: usize,
    ) -> Self {
        let mut rows = Vec::new();
        let mut labels = Vec::new();
        for _ in 0..n {
            let row = (0..width).map(|_| random.below(side) as f64).collect::<Vec<_>>();
            let by_place = row.iter().sum::<f64>() as usize / side.div_ceil(2);
            let class = if random.below(10) == 0 { random.below(n_classes) } else { by_place % n_classes };
            labels.push(label(task, class));
            rows.push(row);
        }
        Self::new(kind, rows, labels)
    }

    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(crate) fn view(&self) -> PointsRef<'_> {
        self.points.view()
    }

    pub(crate) fn point(&self, row: usize) -> Point<'_> {
        self.points.row(row)
    }

    /// Naive distances of the rows.
    pub(crate) fn far(&self, measure: Measure) -> impl Fn(usize, usize) -> f64 + '_ {
        move |a, b| measure.between(&self.rows[a], &self.rows[b])
    }

    /// Distances as the library gives them for one pair at a time.
    pub(crate) fn far_by<'a>(&'a self, distance: &'a Distance) -> impl Fn(usize, usize) -> f64 + 'a {
        move |a, b| distance.between(self.point(a), self.point(b)).unwrap()
    }
}

/// The label of a task that stands for a class.
pub(crate) fn label(task: Task, class: usize) -> Label {
    match task {
        Task::Classification => Label::class(class as u32),
        Task::Regression { .. } => Label::Value(class as f32 * 0.75),
        _ => Label::Unlabeled,
    }
}

const LAST_ID: u64 = 1_000_000;

pub(crate) fn id_of(row: usize) -> ExampleId {
    ExampleId(LAST_ID - 3 * row as u64)
}

pub(crate) fn row_of(id: ExampleId) -> usize {
    ((LAST_ID - id.0) / 3) as usize
}
