//! Shuffling and partition of the data into rounds, as in Algorithm 1 of the DBS paper.

use hedgerow_core::random::{SplitMix64, shuffle};

use crate::methods::{ComparedWith, RoundSize};

/// Streams of random numbers: the order of an epoch, and what a round draws.
const ORDER: u64 = 0x6f72_6465_7200_0000;
const ROUND: u64 = 0x726f_756e_6400_0000;

/// Members of a class that a round should have among its references, of each of its classes, if the data allows it.
const MEMBERS_OF_A_CLASS: usize = 2;

/// How the examples of an epoch are dealt out to rounds.
#[derive(Debug, Clone)]
pub(crate) struct Partition {
    /// Rows to learn from.
    rows: Vec<usize>,
    /// Their classes, from 0.
    labels: Vec<u32>,
    n_classes: usize,
    size: RoundSize,
    /// Where examples are compared with each other, a class needs several in a round.
    compared_with: ComparedWith,
    seed: u64,
}

impl Partition {
    /// A partition into rounds of this size, or smaller ones of the same proportion if there are fewer examples.
    ///
    /// `labels` are those of all examples; `rows` are the ones to learn from.
    pub(crate) fn new(
        rows: Vec<usize>,
        labels: &[u32],
        n_classes: usize,
        wanted: RoundSize,
        compared_with: ComparedWith,
        seed: u64,
    ) -> Self {
        let labels = rows.iter().map(|&row| labels[row]).collect();
        let size = shrunk(wanted, rows.len());
        Self { rows, labels, n_classes, size, compared_with, seed }
    }

    /// Points of a round.
    pub(crate) fn size(&self) -> RoundSize {
        self.size
    }

    /// Rounds in an epoch. Examples that do not fill a round sit the epoch out; others do in the next.
    pub(crate) fn n_rounds(&self) -> usize {
        self.rows.len() / self.size.total()
    }

    /// Whether rounds hold some of the classes only, since they are too small for all.
    pub(crate) fn is_by_class(&self) -> bool {
        let n_alike = match self.compared_with {
            ComparedWith::Nothing => return false,
            // Each query needs references of its class; how many queries there are besides does not matter to it.
            ComparedWith::Boundary => self.size.n_boundary,
            ComparedWith::All => self.size.total(),
        };
        self.n_classes.saturating_mul(MEMBERS_OF_A_CLASS) > n_alike
    }

    /// The rows of an epoch, round after round; a function of the seed and the epoch alone.
    pub(crate) fn epoch(&self, epoch: u64) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.rows.len()).collect();
        shuffle(&mut places, self.seed, ORDER ^ epoch);
        if self.is_by_class() {
            self.group_by_class(&mut places, epoch);
        }
        places.into_iter().map(|place| self.rows[place]).collect()
    }

    /// Reorders shuffled places so that each round has several examples of each class that it has at all: pairs of one
    /// class, one for either side of a round.
    fn group_by_class(&self, places: &mut Vec<usize>, epoch: u64) {
        let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); self.n_classes];
        places.iter().for_each(|&place| of_class[self.labels[place] as usize].push(place));
        // Groups of one class: an even number on each side of a round.
        let per_group = 2 * MEMBERS_OF_A_CLASS;
        let mut groups: Vec<Vec<usize>> =
            of_class.iter().flat_map(|of_class| of_class.chunks(per_group).map(<[usize]>::to_vec)).collect();
        shuffle(&mut groups, self.seed, ORDER ^ epoch ^ (1 << 63));
        let groups: Vec<usize> = groups.into_iter().flatten().collect();
        places.clear();
        for round in groups.chunks(self.size.total()) {
            if self.compared_with != ComparedWith::Boundary || round.len() < self.size.total() {
                places.extend(round);
                continue;
            }
            // Dealt out to the two sides in proportion, so that most classes are on both.
            let (mut boundary, mut queries) = (Vec::new(), Vec::new());
            for (at, &place) in round.iter().enumerate() {
                let due = (at + 1) * self.size.n_boundary / self.size.total();
                if boundary.len() < due { boundary.push(place) } else { queries.push(place) }
            }
            places.extend(boundary.into_iter().chain(queries));
        }
    }

    /// The seed of what a round draws.
    pub(crate) fn round_seed(&self, epoch: u64, round: usize) -> u64 {
        SplitMix64::new(self.seed, ROUND ^ (epoch << 20) ^ round as u64).bits()
    }
}

/// The same proportion within `n_examples`.
fn shrunk(wanted: RoundSize, n_examples: usize) -> RoundSize {
    if wanted.total() <= n_examples {
        return wanted;
    }
    let n_boundary = match wanted.n_boundary {
        0 => 0,
        // At least one on either side.
        n => {
            // Wider than a batch size can be: the product of two large ones is.
            let share = n as u128 * n_examples as u128 / wanted.total() as u128;
            (share as usize).clamp(1, n_examples.saturating_sub(1).max(1))
        }
    };
    RoundSize { n_boundary, n_train: n_examples - n_boundary.min(n_examples) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{Method, Roles, SoftNn};

    fn size(n_boundary: usize, n_train: usize) -> RoundSize {
        RoundSize { n_boundary, n_train }
    }

    #[test]
    fn every_example_is_seen_once_in_an_epoch_and_orders_differ() {
        let labels = vec![0; 100];
        let rows: Vec<usize> = (0..100).filter(|row| row % 10 != 3).collect();
        let partition = Partition::new(rows.clone(), &labels, 1, size(20, 10), ComparedWith::Boundary, 5);
        assert_eq!(partition.n_rounds(), 3);
        let (first, second) = (partition.epoch(0), partition.epoch(1));
        assert_ne!(first, second);
        assert_eq!(first, partition.epoch(0));
        let sorted = |mut rows: Vec<usize>| {
            rows.sort_unstable();
            rows
        };
        assert_eq!((sorted(first), sorted(second)), (rows.clone(), rows));
        assert_ne!(partition.round_seed(0, 1), partition.round_seed(1, 0));
    }

    #[test]
    fn rounds_shrink_in_proportion_and_keep_both_sides() {
        assert_eq!(shrunk(size(100, 100), 60_000), size(100, 100));
        assert_eq!(shrunk(size(100, 100), 150), size(75, 75));
        assert_eq!(shrunk(size(1000, 100), 11), size(10, 1));
        assert_eq!(shrunk(size(100, 1), 3), size(2, 1));
        assert_eq!(shrunk(size(1, 100), 2), size(1, 1));
        assert_eq!(shrunk(size(0, 200), 150), size(0, 150));
        assert_eq!(shrunk(size(usize::MAX / 2, usize::MAX / 2), 150), size(75, 75));
        assert_eq!(shrunk(size(0, usize::MAX), 150), size(0, 150));
    }

    #[test]
    fn with_many_classes_most_queries_have_a_class_among_the_references() {
        let labels: Vec<u32> = (0..5000).map(|row| row % 1000).collect();
        let partition = Partition::new((0..5000).collect(), &labels, 1000, size(100, 100), ComparedWith::Boundary, 1);
        assert!(partition.is_by_class());
        let epoch = partition.epoch(3);
        let mut seen: Vec<usize> = epoch.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(at, &row)| at == row));
        let mut n_answered = 0;
        for round in epoch.chunks(200) {
            let (boundary, queries) = round.split_at(100);
            let has = |class: u32| boundary.iter().any(|&row| labels[row] == class);
            n_answered += queries.iter().filter(|&&row| has(labels[row])).count();
        }
        assert!(n_answered > 2000, "{n_answered} of 2500");
        let few = Partition::new((0..5000).collect(), &vec![0; 5000], 2, size(100, 100), ComparedWith::Boundary, 1);
        let classifier = Partition::new((0..5000).collect(), &labels, 1000, size(0, 100), ComparedWith::Nothing, 1);
        assert!(!few.is_by_class() && !classifier.is_by_class());
    }

    #[test]
    fn few_queries_are_no_reason_to_leave_classes_out_of_a_round() {
        let labels: Vec<u32> = (0..3000).map(|row| row % 10).collect();
        let is_by_class = |size: RoundSize, n_classes: usize| {
            Partition::new((0..3000).collect(), &labels, n_classes, size, ComparedWith::Boundary, 1).is_by_class()
        };
        // With 100 references every class has ten of them on average, whether one query is asked or a hundred.
        for n_train in [1, 10, 100] {
            assert!(!is_by_class(size(100, n_train), 10), "{n_train} queries");
        }
        assert!(!is_by_class(size(20, 1), 10));
        // Few references are, however many queries there are.
        assert!(is_by_class(size(19, 1), 10) && is_by_class(size(1, 100), 10));
    }

    #[test]
    fn where_all_points_are_references_a_round_has_room_for_more_classes() {
        // 75 classes, two of each: more than 100 on one side, fewer than the 200 that are references if every point is one.
        let labels: Vec<u32> = (0..3000).map(|row| row % 75).collect();
        let of = |compared_with: ComparedWith, n_classes: usize| {
            Partition::new((0..3000).collect(), &labels, n_classes, size(100, 100), compared_with, 1).is_by_class()
        };
        assert!(of(ComparedWith::Boundary, 75) && !of(ComparedWith::All, 75));
        assert!(of(ComparedWith::All, 101));
        let both = |roles: Roles| Method::SoftNn(SoftNn { roles, ..SoftNn::default() }).compared_with();
        assert_eq!([Roles::Apart, Roles::Both].map(both), [ComparedWith::Boundary, ComparedWith::All]);
        let named = |name: &str| name.parse::<Method>().unwrap().compared_with();
        assert_eq!(["siamese", "triplet"].map(named), [ComparedWith::All; 2]);
        assert_eq!(["dbt-v1", "random-set"].map(named), [ComparedWith::Boundary; 2]);
        assert_eq!(named("classifier"), ComparedWith::Nothing);
    }
}
