//! What a method sees of learning: points go in, representations come out, their gradient goes back, the parameters move.

use std::ops::Range;

use hedgerow_core::PointsRef;

use crate::augmentation::Augmenter;
use crate::error::StepError;
use crate::loss::RepresentationGradient;
use crate::matrix::Matrix;
use crate::optimizer::{Adam, AdamParams};
use crate::real::Real;
use crate::transform::{Inputs, Transform};

/// A transform on its way to be learned: with the data, and the optimizer.
#[derive(Debug)]
pub struct Learner<'a, R, T> {
    transform: T,
    adam: Adam<R>,
    learning_rate: f64,
    /// The loss of the last step.
    last_loss: Option<f64>,
    points: PointsRef<'a>,
    augmenter: Option<Augmenter>,
    augmented_until: u64,
    /// The epoch, on which the augmentation of a point depends.
    epoch: u64,
    augmented: Matrix<R>,
    decayed: Vec<Range<usize>>,
}

impl<'a, R: Real, T: Transform<R>> Learner<'a, R, T> {
    /// Prepares to learn from points, which must be of the width and kind that the transform takes. The learning rate is 0 until it is set.
    pub fn new(transform: T, adam: AdamParams, points: PointsRef<'a>) -> Self {
        let adam = Adam::new(adam, transform.parameters());
        let decayed = transform.decayed();
        let augmented = Matrix::default();
        Self {
            transform,
            adam,
            learning_rate: 0.0,
            last_loss: None,
            points,
            augmenter: None,
            augmented_until: 0,
            epoch: 0,
            augmented,
            decayed,
        }
    }

    /// Sets how points are changed before each use, in the epochs before `until`.
    pub(crate) fn augment(&mut self, augmenter: Option<Augmenter>, until: u64) {
        (self.augmenter, self.augmented_until) = (augmenter, until);
    }

    /// Sets the learning rate of the next steps, and the epoch that they are in.
    pub fn set_rate(&mut self, learning_rate: f64, epoch: u64) {
        (self.learning_rate, self.epoch) = (learning_rate, epoch);
    }

    pub(crate) fn learning_rate(&self) -> f64 {
        self.learning_rate
    }

    /// The loss of the last step, if there was one.
    pub(crate) fn last_loss(&self) -> Option<f64> {
        self.last_loss
    }

    /// Checks that weights and what the optimizer remembers of gradients are numbers. A loss can stay one long after they are none:
    /// where a mean squared gradient has become infinite, its weight just moves no more.
    pub(crate) fn check(&self) -> Result<(), StepError> {
        let (first, second) = self.adam.moments();
        let all = [
            ("weight", self.transform.parameters()),
            ("mean gradient", first),
            ("mean squared gradient", second),
            ("averaged weight", self.adam.average().unwrap_or_default()),
        ];
        for (what, values) in all {
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                return Err(StepError::NotFinite { what, at, value: values[at].wide() });
            }
        }
        Ok(())
    }

    /// Representations of rows of the data.
    pub fn forward(&mut self, rows: &[usize]) -> &Matrix<R> {
        match self.augmenter.as_ref().filter(|_| self.epoch < self.augmented_until) {
            None => self.transform.forward(Inputs::Rows(self.points, rows)),
            Some(augmenter) => {
                augmenter.fill(self.points, rows, self.epoch, &mut self.augmented);
                self.transform.forward(Inputs::Matrix(&self.augmented))
            }
        }
    }

    /// What [`forward`](Self::forward) gave last.
    pub(crate) fn last(&self) -> &Matrix<R> {
        self.transform.last()
    }

    /// One step down the gradient of the representations that [`forward`](Self::forward) gave last.
    ///
    /// # Errors
    /// A loss that is not a number any more: nothing is changed then.
    pub fn descend(&mut self, gradient: &mut RepresentationGradient<R>, loss: R) -> Result<(), StepError> {
        if !loss.is_finite() {
            return Err(StepError::Diverged { loss: loss.wide() });
        }
        self.last_loss = Some(loss.wide());
        gradient.settle();
        self.transform.backward(gradient.rows(), gradient.live());
        let (parameters, gradient) = self.transform.parameters_and_gradient();
        self.adam.step(self.learning_rate, parameters, gradient, &self.decayed);
        Ok(())
    }

    /// The transform as it is now.
    pub fn transform(&self) -> &T {
        &self.transform
    }

    pub(crate) fn transform_mut(&mut self) -> &mut T {
        &mut self.transform
    }

    pub(crate) fn adam(&self) -> &Adam<R> {
        &self.adam
    }

    pub(crate) fn adam_mut(&mut self) -> &mut Adam<R> {
        &mut self.adam
    }
}
