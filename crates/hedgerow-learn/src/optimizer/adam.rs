//! Adam (Kingma and Ba 2015), AdamW (Loshchilov and Hutter 2019), and the average of the weights, in one pass over memory.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::{Aligned, vectorized};
use crate::real::Real;

/// Parameters that one task changes: few enough to share the work, and enough to be worth a task.
const CHUNK: usize = 16_384;

/// What Adam is told besides the learning rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamParams {
    /// How much of the mean gradient is kept from step to step. The public code of the paper's authors has 0.5.
    pub beta1: f64,
    /// How much of the mean squared gradient is kept.
    pub beta2: f64,
    /// Added to the root of the mean squared gradient.
    pub epsilon: f64,
    /// Share of each weight (not of the biases) that is taken away at each step, times the learning rate: AdamW. 0 is Adam.
    pub weight_decay: f64,
    /// How much of the average of the weights is kept from step to step; the average is what is used in the end. None:
    /// the last weights are. The first steps keep less, so that the average forgets where it started.
    pub averaging: Option<f64>,
}

impl Default for AdamParams {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.0, averaging: None }
    }
}

/// The memory of Adam.
#[derive(Debug, Clone, PartialEq)]
pub struct Adam<R = f32> {
    params: AdamParams,
    n_steps: u64,
    first: Aligned<R>,
    second: Aligned<R>,
    average: Option<Aligned<R>>,
}

/// What one step is, as numbers.
#[derive(Debug, Clone, Copy)]
struct StepSize<R> {
    /// 1 - beta1 and 1 - beta2: taken in f64, since a beta next to 1 is 1 in f32, and nothing would be learned.
    new1: R,
    new2: R,
    /// The learning rate, over 1 - beta1^t.
    rate: R,
    /// 1 over the root of 1 - beta2^t.
    root: R,
    epsilon: R,
    /// The share of the new weights in the average.
    fresh: R,
    /// Means below this are none, and so is a mean whose mean square is none: next to the default `epsilon` they move no weight. What is left of
    /// a mean whose gradient has become 0 would shrink until it is subnormal, and stay so, since 0.9 times the smallest number is rounded to that
    /// number again; on many processors a sum of such numbers takes a hundred times as long.
    least: R,
    /// Its root: squares of smaller slopes are below it.
    least_slope: R,
}

impl<R: Real> Adam<R> {
    /// Prepares for parameters that start as given.
    pub fn new(params: AdamParams, parameters: &[R]) -> Self {
        let zeros = Aligned::zeros(parameters.len());
        let average = params.averaging.map(|_| Aligned::copy_of(parameters));
        Self { params, n_steps: 0, first: zeros.clone(), second: zeros, average }
    }

    /// The average of the weights, if one is kept.
    pub fn average(&self) -> Option<&[R]> {
        self.average.as_deref()
    }

    /// Steps taken so far.
    pub fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// The means of the gradient and of its square.
    pub(crate) fn moments(&self) -> (&[R], &[R]) {
        (&self.first, &self.second)
    }

    /// Goes on from an earlier state.
    pub(crate) fn restore(&mut self, n_steps: u64, first: &[R], second: &[R], average: Option<&[R]>) {
        self.n_steps = n_steps;
        (self.first, self.second) = (Aligned::copy_of(first), Aligned::copy_of(second));
        self.average = average.map(Aligned::copy_of);
    }

    /// Changes the parameters. `decayed` are the ranges of them that weight decay applies to, in rising order.
    pub fn step(&mut self, learning_rate: f64, parameters: &mut [R], gradient: &[R], decayed: &[Range<usize>]) {
        self.n_steps += 1;
        let params = &self.params;
        let steps = self.n_steps.min(i32::MAX as u64) as i32;
        let averaging = params.averaging.unwrap_or(0.0);
        // After t steps an average of (1 + t) / (10 + t) kept is mostly one of the last tenth.
        let kept_of_average = averaging.min((1.0 + self.n_steps as f64) / (10.0 + self.n_steps as f64));
        let least = R::min_positive_value() * R::of(65_536.0);
        let size = StepSize {
            new1: R::of(1.0 - params.beta1),
            new2: R::of(1.0 - params.beta2),
            rate: R::of(learning_rate / (1.0 - params.beta1.powi(steps))),
            root: R::of(1.0 / (1.0 - params.beta2.powi(steps)).sqrt()),
            epsilon: R::of(params.epsilon),
            fresh: R::of(1.0 - kept_of_average),
            least,
            least_slope: least.sqrt(),
        };
        let kept = R::of(1.0 - learning_rate * params.weight_decay);
        let state = parameters
            .par_chunks_mut(CHUNK)
            .zip(gradient.par_chunks(CHUNK))
            .zip(self.first.par_chunks_mut(CHUNK).zip(self.second.par_chunks_mut(CHUNK)));
        let decay = |at: usize, parameters: &mut [R]| {
            let here = at * CHUNK..at * CHUNK + parameters.len();
            for range in decayed.iter().filter(|range| range.start < here.end && here.start < range.end) {
                let range = range.start.max(here.start) - here.start..range.end.min(here.end) - here.start;
                parameters[range].iter_mut().for_each(|parameter| *parameter *= kept);
            }
        };
        let decays = params.weight_decay != 0.0;
        let change = |at: usize, state: State<'_, R>, average: Option<&mut [R]>| {
            let ((parameters, gradient), (first, second)) = state;
            if decays {
                decay(at, parameters);
            }
            let mut average = average;
            vectorized(
                #[inline(always)]
                || descend(size, parameters, gradient, first, second, average.as_deref_mut()),
            );
        };
        match &mut self.average {
            None => state.enumerate().for_each(|(at, state)| change(at, state, None)),
            Some(average) => state
                .zip(average.par_chunks_mut(CHUNK))
                .enumerate()
                .for_each(|(at, (state, average))| change(at, state, Some(average))),
        }
    }
}

/// Parameters and gradient, and the two means, of one task.
type State<'a, R> = ((&'a mut [R], &'a [R]), (&'a mut [R], &'a mut [R]));

#[inline(always)]
fn descend<R: Real>(
    size: StepSize<R>,
    parameters: &mut [R],
    gradient: &[R],
    first: &mut [R],
    second: &mut [R],
    average: Option<&mut [R]>,
) {
    let n = parameters.len();
    let (gradient, first, second) = (&gradient[..n], &mut first[..n], &mut second[..n]);
    match average {
        None => {
            for at in 0..n {
                parameters[at] -= change(size, gradient[at], &mut first[at], &mut second[at]);
            }
        }
        Some(average) => {
            let average = &mut average[..n];
            for at in 0..n {
                let parameter = parameters[at] - change(size, gradient[at], &mut first[at], &mut second[at]);
                parameters[at] = parameter;
                average[at] = average[at] + size.fresh * (parameter - average[at]);
            }
        }
    }
}

/// Takes a slope into the means, and gives what is to be taken from the parameter.
#[inline(always)]
fn change<R: Real>(size: StepSize<R>, slope: R, first: &mut R, second: &mut R) -> R {
    let slope = unless_below(size.least_slope, slope);
    *second = unless_below(size.least, *second + size.new2 * (slope * slope - *second));
    let mean = unless_below(size.least, *first + size.new1 * (slope - *first));
    // A mean without a mean square would be divided by epsilon alone: with a small one, a step of thousands of learning rates.
    *first = if *second == R::zero() { R::zero() } else { mean };
    size.rate * *first / (second.sqrt() * size.root + size.epsilon)
}

/// The number, or 0 if it is smaller than `least`. What is not a number stays so: that ends the run with an error elsewhere.
#[inline(always)]
fn unless_below<R: Real>(least: R, number: R) -> R {
    if number.abs() < least { R::zero() } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the papers write it, one parameter at a time.
    fn slow(params: AdamParams, rate: f64, start: f64, gradients: &[f64]) -> (f64, f64) {
        let (mut weight, mut m, mut v, mut average) = (start, 0.0, 0.0, start);
        for (t, g) in gradients.iter().enumerate() {
            let t = t as f64 + 1.0;
            weight -= rate * params.weight_decay * weight;
            m = params.beta1 * m + (1.0 - params.beta1) * g;
            v = params.beta2 * v + (1.0 - params.beta2) * g * g;
            let (m, v) = (m / (1.0 - params.beta1.powf(t)), v / (1.0 - params.beta2.powf(t)));
            weight -= rate * m / (v.sqrt() + params.epsilon);
            let kept = params.averaging.unwrap_or(0.0).min((1.0 + t) / (10.0 + t));
            average = kept * average + (1.0 - kept) * weight;
        }
        (weight, average)
    }

    #[test]
    fn steps_are_those_of_the_papers() {
        let params = AdamParams { weight_decay: 0.1, averaging: Some(0.7), ..AdamParams::default() };
        let n = 40_000;
        let start = |at: usize| (at % 13) as f64 - 6.0;
        let gradient = |at: usize, step: usize| ((at * 31 + step * 17) % 23) as f64 - 11.0;
        let mut parameters: Vec<f64> = (0..n).map(start).collect();
        let mut adam = Adam::new(params, &parameters);
        for step in 0..5 {
            let gradient: Vec<f64> = (0..n).map(|at| gradient(at, step)).collect();
            // All but the last two are decayed.
            adam.step(0.01, &mut parameters, &gradient, &[0..20_000, 20_000..n - 2]);
        }
        for at in [0, 1, 5, 16_383, 16_384, 39_997, 39_998, 39_999] {
            let params = if at >= n - 2 { AdamParams { weight_decay: 0.0, ..params } } else { params };
            let gradients: Vec<f64> = (0..5).map(|step| gradient(at, step)).collect();
            let (weight, average) = slow(params, 0.01, start(at), &gradients);
            assert!((parameters[at] - weight).abs() < 1e-12, "{at}");
            assert!((adam.average().unwrap()[at] - average).abs() < 1e-12, "{at}");
        }
    }

    #[test]
    fn the_average_after_one_step_worked_by_hand() {
        // m / sqrt(v) is 1, so that the weight goes from 1 to 1 - 0.11. Of the average, min(0.999, (1 + 1) / (10 + 1)) is kept:
        // 2/11 * 1 + 9/11 * 0.89 = 1 - 9/11 * 0.11.
        let mut parameters = [1.0_f64];
        let mut adam = Adam::new(AdamParams { averaging: Some(0.999), ..AdamParams::default() }, &parameters);
        adam.step(0.11, &mut parameters, &[2.0], &[]);
        assert!((parameters[0] - 0.89).abs() < 1e-8, "{parameters:?}");
        assert!((adam.average().unwrap()[0] - 0.91).abs() < 1e-8, "{adam:?}");
    }

    #[test]
    fn betas_that_are_1_in_f32_still_learn() {
        for (beta1, beta2) in [(0.999_999_99, 0.999), (0.9, 0.999_999_99), (1.0 - 1e-15, 1.0 - 1e-15)] {
            assert_eq!(f64::max(beta1, beta2) as f32, 1.0);
            let mut parameters = [1.0_f32, 1.0];
            let mut adam = Adam::new(AdamParams { beta1, beta2, epsilon: 1e-20, ..AdamParams::default() }, &parameters);
            adam.step(0.25, &mut parameters, &[0.5, -7.0], &[]);
            // One step is as long as the learning rate, whatever the betas are.
            assert!((parameters[0] - 0.75).abs() < 1e-4 && (parameters[1] - 1.25).abs() < 1e-4, "{parameters:?}");
        }
    }

    #[test]
    fn what_is_left_of_a_gradient_becomes_none_and_moves_no_weight() {
        let mut parameters = [1.0_f32, 1.0, 1.0];
        let mut adam = Adam::new(AdamParams::default(), &parameters);
        adam.step(1e-3, &mut parameters, &[1e-3, 1e-12, 1e-19], &[]);
        assert_eq!(adam.moments().0[2].to_bits(), 0, "its square would be subnormal");
        let mut least_moment = f32::MAX;
        for _ in 0..100_000 {
            adam.step(1e-3, &mut parameters, &[0.0; 3], &[]);
            let (first, second) = adam.moments();
            for moment in first.iter().chain(second).filter(|moment| **moment != 0.0) {
                least_moment = least_moment.min(moment.abs());
            }
        }
        assert!(least_moment >= f32::MIN_POSITIVE * 65_536.0, "{least_moment:e}");
        assert_eq!(adam.moments(), (&[0.0; 3][..], &[0.0; 3][..]));
        // The same in f64, where nothing is small enough to be left out before it no longer counts.
        let (weight, _) = slow(AdamParams::default(), 1e-3, 1.0, &[&[1e-3][..], &[0.0; 1000]].concat());
        assert!((f64::from(parameters[0]) - weight).abs() < 1e-6, "{parameters:?}, {weight}");
    }

    #[test]
    fn a_slope_whose_square_is_left_out_makes_no_step_of_thousands_of_rates() {
        // The first mean square is a thousandth of the square, and below 8e-34 it is none: slopes below 9e-16 alone move nothing.
        const MOVES: f64 = 9e-16;
        let params = AdamParams { epsilon: 1e-20, ..AdamParams::default() };
        let slopes: Vec<f64> = (0..=60).map(|at| 10_f64.powf(-17.0 + f64::from(at) / 20.0)).collect();
        for first_slope in [None, Some(1e-13)] {
            let mut parameters = vec![0.0_f32; slopes.len()];
            let mut adam = Adam::new(params, &parameters);
            for n_steps in 1..=20 {
                let course = |slope: f64, step: usize| first_slope.filter(|_| step == 0).unwrap_or(slope);
                let gradient: Vec<f32> = slopes.iter().map(|&slope| course(slope, n_steps - 1) as f32).collect();
                adam.step(1e-3, &mut parameters, &gradient, &[]);
                for (&slope, &weight) in slopes.iter().zip(&parameters) {
                    let gradients: Vec<f64> = (0..n_steps).map(|step| course(slope, step)).collect();
                    let (plain, _) = slow(params, 1e-3, 0.0, &gradients);
                    // As far as plain Adam, or less far where slopes are left out; never farther, nor the other way.
                    let least = if first_slope.is_some() || slope > MOVES { 0.99 } else { 0.0 };
                    let part = f64::from(weight) / plain;
                    assert!(
                        (least..1.001).contains(&part),
                        "slope {slope:e}, {n_steps} steps: {weight:e}, not {plain:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_first_step_is_as_long_as_the_learning_rate() {
        // m / sqrt(v) is g / |g| after one step, whatever g is.
        let mut parameters = [1.0_f64, 1.0];
        let mut adam = Adam::new(AdamParams { epsilon: 0.0, ..AdamParams::default() }, &parameters);
        adam.step(0.25, &mut parameters, &[1e-3, -7.0], &[]);
        assert!((parameters[0] - 0.75).abs() < 1e-12 && (parameters[1] - 1.25).abs() < 1e-12);
    }
}
