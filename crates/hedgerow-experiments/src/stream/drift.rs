//! A stream whose classes drift: the boundary turns slowly, and in the middle everything changes at once.
//!
//! Points are uniform in a square around the origin, with some further coordinates that mean nothing. The class is the sector of the plane that the first
//! two coordinates are in, seen from a direction that turns; halfway, the sectors change their names. Some labels are wrong. All of it is a function of
//! the seed.

use std::f64::consts::TAU;

use hedgerow_core::Label;
use hedgerow_core::random::SplitMix64;

use super::StreamExample;

/// The stream of random numbers.
const STREAM: u64 = 0x6472_6966_7469_6e67;

/// How a stream is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Examples.
    pub n_examples: usize,
    /// Sectors, each a class.
    pub n_classes: u32,
    /// Parts of a full turn by which the sectors turn over the whole stream.
    pub turns: f64,
    /// Coordinates that mean nothing.
    pub n_noise: usize,
    /// How far these reach, where the first two reach from -1 to 1.
    pub noise_reach: f64,
    /// Share of labels that are drawn at random.
    pub wrong_labels: f64,
    /// The seed.
    pub seed: u64,
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            n_examples: 20_000,
            n_classes: 4,
            turns: 0.5,
            n_noise: 4,
            noise_reach: 0.25,
            wrong_labels: 0.02,
            seed: 0,
        }
    }
}

impl Drift {
    /// The example at which everything changes.
    pub fn change_at(&self) -> usize {
        self.n_examples / 2
    }

    /// All examples of the stream: points and labels.
    pub fn all(&self) -> (Vec<Vec<f32>>, Vec<Label>) {
        self.examples().block(self.n_examples).unwrap_or_default().into_iter().unzip()
    }

    /// The stream, from its beginning.
    pub(super) fn examples(&self) -> Examples<'_> {
        Examples { drift: self, random: SplitMix64::new(self.seed, STREAM), at: 0 }
    }

    /// The class of a place, without wrong labels, at a moment of the stream.
    pub(super) fn class(&self, x: f64, y: f64, at: usize) -> u32 {
        let turned = y.atan2(x) / TAU - self.turns * at as f64 / self.n_examples.max(1) as f64;
        let sector = (turned.rem_euclid(1.0) * f64::from(self.n_classes)) as u32 % self.n_classes;
        // One back rather than two: turned as they are by then, the old names would fit again, now or at the end.
        let renamed = if at < self.change_at() { 0 } else { self.n_classes - 1 };
        (sector + renamed) % self.n_classes
    }
}

/// A stream that is being followed.
#[derive(Debug)]
pub(super) struct Examples<'a> {
    drift: &'a Drift,
    random: SplitMix64,
    at: usize,
}

impl Examples<'_> {
    /// The next so many examples, fewer at the end; none after it.
    pub(super) fn block(&mut self, size: usize) -> Option<Vec<StreamExample>> {
        let n = size.min(self.drift.n_examples - self.at);
        (n > 0).then(|| (0..n).map(|_| self.next_example()).collect())
    }

    fn next_example(&mut self) -> StreamExample {
        let Drift { n_classes, n_noise, noise_reach, wrong_labels, .. } = *self.drift;
        let mut between = |reach: f64| (2.0 * self.random.unit() - 1.0) * reach;
        let (x, y) = (between(1.0), between(1.0));
        let noise = (0..n_noise).map(|_| between(noise_reach) as f32).collect::<Vec<_>>();
        let is_wrong = self.random.unit() < wrong_labels;
        let other = self.random.below(n_classes as usize) as u32;
        let class = if is_wrong { other } else { self.drift.class(x, y, self.at) };
        self.at += 1;
        ([x as f32, y as f32].into_iter().chain(noise).collect(), Label::class(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_turn_and_change_their_names() {
        let drift = Drift { n_examples: 1000, ..Drift::default() };
        // A quarter of the plane each, from the first axis on.
        assert_eq!(
            [(1.0, 0.1), (-0.1, 1.0), (-1.0, -0.1), (0.1, -1.0)].map(|(x, y)| drift.class(x, y, 0)),
            [0, 1, 2, 3]
        );
        // Just before the middle they have turned by a quarter: what was class 1 is class 0 now.
        assert_eq!(drift.class(-0.1, 1.0, 499), 0);
        assert_eq!(drift.class(-0.1, 1.0, 500), 3);
        // The names of the beginning never fit again where they did.
        let places = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        for at in 500..1000 {
            assert!(places.iter().all(|&(x, y)| drift.class(x, y, at) != drift.class(x, y, 0)), "{at}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_stream_in_any_blocks() {
        let drift = Drift { n_examples: 100, wrong_labels: 0.5, ..Drift::default() };
        let all = |size: usize| {
            let mut stream = drift.examples();
            std::iter::from_fn(move || stream.block(size)).flatten().collect::<Vec<_>>()
        };
        assert_eq!(all(7), all(100));
        assert_eq!(all(7).len(), 100);
        let first = |seed: u64| Drift { seed, ..drift.clone() }.examples().block(1);
        assert_ne!(first(0), first(1));
        // About half of the labels are drawn at random, and a quarter of these are right by chance.
        let examples = all(100);
        let wrong = examples
            .iter()
            .enumerate()
            .filter(|(at, (point, label))| *label != Label::class(drift.class(point[0].into(), point[1].into(), *at)));
        assert!((20..56).contains(&wrong.count()));
    }
}
