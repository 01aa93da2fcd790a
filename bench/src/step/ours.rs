//! Our side: the training step of `hedgerow-learn`, epoch after epoch.

use hedgerow_core::random::shuffle;
use hedgerow_core::{Points, PointsRef};
use hedgerow_learn::{
    Activation, AdamParams, ApplyError, Architecture, Dbs, DenseNetwork, DistanceScale, InputScale, Learner,
    LearningRate, Method, Round, Schedule, StepError, TrainableNetwork, WeightInitialization, Workspace,
};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use super::table::Epoch;
use crate::interleaved::timed;
use crate::synthetic::SEED;

/// Numbers that come out of each layer.
pub const LAYERS: [usize; 3] = [400, 400, 20];
/// N_b.
pub const N_BOUNDARY: usize = 100;
/// N_t.
pub const N_TRAIN: usize = 100;
/// Points of a step.
pub const ROUND: usize = N_BOUNDARY + N_TRAIN;
/// Of the squared distance.
pub const SIGMA: f64 = 60.0;
/// The learning rate, or where its cosine starts.
pub const RATE: f64 = 1e-3;

/// Epochs over which the learning rate falls to 0; none if it does not fall.
pub type CosineEpochs = Option<usize>;

/// The network that all sides start from.
pub fn first_network(n_inputs: usize) -> DenseNetwork {
    let architecture = Architecture { n_inputs, layers: LAYERS.to_vec(), activation: Activation::Relu };
    DenseNetwork::new(architecture, InputScale::Bytes(255.0), WeightInitialization::He, SEED)
}

/// The rows of an epoch, in the order in which all sides take them: as many of `n_rows` as fill whole rounds.
pub fn order(n_rows: usize, epoch: usize) -> Vec<usize> {
    let mut rows = (0..n_rows).collect::<Vec<_>>();
    shuffle(&mut rows, SEED, epoch as u64);
    rows.truncate(n_rows / ROUND * ROUND);
    rows
}

/// A pool of so many threads.
///
/// # Errors
/// If the system does not grant them.
pub fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// A network on its way.
#[derive(Debug)]
pub struct Ours<'a> {
    pool: ThreadPool,
    method: Method,
    learner: Learner<'a, f32, TrainableNetwork>,
    work: Workspace<f32>,
    labels: &'a [u32],
    rate: LearningRate,
    n_epochs: f64,
}

impl<'a> Ours<'a> {
    /// Prepares to learn from points of bytes, of the given classes.
    ///
    /// # Errors
    /// If there are no threads to be had.
    pub fn new(
        points: PointsRef<'a>,
        labels: &'a [u32],
        threads: usize,
        cosine: CosineEpochs,
    ) -> Result<Self, ThreadPoolBuildError> {
        let scale = DistanceScale::SquaredEuclidean(SIGMA);
        let method =
            Method::Dbs(Dbs { boundary_batch_size: N_BOUNDARY, train_batch_size: N_TRAIN, scale, ..Dbs::default() });
        let schedule = if cosine.is_some() { Schedule::Cosine } else { Schedule::Constant };
        let network = TrainableNetwork::new(first_network(points.width()));
        Ok(Self {
            pool: pool(threads)?,
            learner: Learner::new(network, AdamParams::default(), points),
            work: Workspace::default(),
            method,
            labels,
            rate: LearningRate { start: Some(RATE), schedule, warm_up_epochs: 0.0 },
            n_epochs: cosine.unwrap_or(1) as f64,
        })
    }

    /// One epoch: rows in the given order, epochs counted from 0.
    ///
    /// # Errors
    /// A loss that is not a number any more.
    pub fn epoch(&mut self, order: &[usize], number: usize) -> Result<Epoch, StepError> {
        let Self { pool, method, learner, work, labels, rate, n_epochs } = self;
        let n_rounds = order.len() / ROUND;
        let (sums, nanoseconds) = timed(|| {
            pool.install(|| {
                let (mut loss, mut n_references) = (0.0, 0);
                for (place, rows) in order.chunks_exact(ROUND).enumerate() {
                    let at = number as f64 + place as f64 / n_rounds as f64;
                    learner.set_rate(rate.at(at, *n_epochs), number as u64);
                    let labels = rows.iter().map(|&row| labels[row]).collect::<Vec<_>>();
                    let round = Round { rows, labels: &labels, n_boundary: N_BOUNDARY, seed: 0 };
                    let report = method.round(learner, &round, work)?;
                    loss += report.loss;
                    n_references += report.n_references;
                }
                Ok((loss, n_references))
            })
        });
        let (loss, n_references) = sums?;
        let mean = |sum: f64| Some(sum / n_rounds as f64);
        Ok(Epoch { seconds: nanoseconds * 1e-9, loss: mean(loss), n_references: mean(n_references as f64) })
    }

    /// Representations of points.
    ///
    /// # Errors
    /// Weights that have become too large.
    pub fn represent(&self, points: PointsRef<'_>) -> Result<Points, ApplyError> {
        self.pool.install(|| self.learner.transform().network().apply(points))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_takes_whole_rounds_in_an_order_of_its_own() {
        let [first, second] = [order(450, 0), order(450, 1)];
        assert_eq!((first.len(), second.len()), (400, 400));
        assert_ne!(first, second);
        let mut sorted = first;
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 400);
        assert_eq!(order(199, 0), [0; 0]);
    }
}
