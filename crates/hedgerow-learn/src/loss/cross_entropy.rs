//! Softmax cross entropy, the loss of a classifier.

use crate::real::Real;

/// The loss `-log softmax(outputs)[label]` of one example. Writes its derivative, `softmax(outputs) - onehot(label)`, to
/// `gradient`.
///
/// # Panics
/// If `label` is not a place in `outputs`.
pub fn cross_entropy<R: Real>(outputs: &[R], label: u32, gradient: &mut [R]) -> R {
    let label = label as usize;
    // Shifted by the largest output: exp cannot overflow, and the sum is at least 1.
    let largest = outputs.iter().copied().fold(R::neg_infinity(), R::max);
    let mut sum = R::zero();
    for (gradient, &output) in gradient.iter_mut().zip(outputs) {
        *gradient = (output - largest).exp();
        sum += *gradient;
    }
    gradient.iter_mut().for_each(|gradient| *gradient /= sum);
    gradient[label] -= R::one();
    largest - outputs[label] + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_worked_by_hand() {
        // softmax(0, ln 3) = (1/4, 3/4), so the loss for class 0 is ln 4.
        let mut gradient = [0.0_f64; 2];
        let loss = cross_entropy(&[0.0, 3.0_f64.ln()], 0, &mut gradient);
        assert!((loss - 4.0_f64.ln()).abs() < 1e-12);
        assert!((gradient[0] + 0.75).abs() < 1e-12 && (gradient[1] - 0.75).abs() < 1e-12);
    }

    #[test]
    fn outputs_of_any_size_are_fine_and_the_derivative_is_that_of_the_loss() {
        let mut gradient = [0.0_f32; 2];
        assert_eq!(cross_entropy(&[1e4, -1e4], 1, &mut gradient), 2e4);
        assert_eq!(gradient, [1.0, -1.0]);
        let outputs = [0.3, -1.2, 0.8_f64];
        let (mut gradient, mut unused) = ([0.0; 3], [0.0; 3]);
        cross_entropy(&outputs, 2, &mut gradient);
        for at in 0..3 {
            let mut near = |step: f64| {
                let mut outputs = outputs;
                outputs[at] += step;
                cross_entropy(&outputs, 2, &mut unused)
            };
            let difference = (near(1e-6) - near(-1e-6)) / 2e-6;
            assert!((gradient[at] - difference).abs() < 1e-8);
        }
    }
}
