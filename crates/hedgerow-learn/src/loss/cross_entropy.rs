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
    let mut sum_others = R::zero();
    for (at, (gradient, &output)) in gradient.iter_mut().zip(outputs).enumerate() {
        *gradient = (output - largest).exp();
        if at != label {
            sum_others += *gradient;
        }
    }
    let own = gradient[label];
    let sum = own + sum_others;
    // Not the probability less 1: near p = 1, which is where learning ends, that would leave no digit of the gradient.
    gradient[label] = -sum_others;
    gradient.iter_mut().for_each(|gradient| *gradient /= sum);
    if own > sum_others { (sum_others / own).ln_1p() } else { largest - outputs[label] + sum.ln() }
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

    #[test]
    fn gradients_are_those_of_finite_differences_wherever_the_probability_is() {
        // For each class in turn: p is nearly 1, nearly 0 or between.
        for outputs in [[18.0, 0.5, -1.0_f64], [0.4, 0.1, -0.3], [-20.0, 3.0, 2.9]] {
            for label in 0..3 {
                let (mut gradient, mut unused) = ([0.0; 3], [0.0; 3]);
                cross_entropy(&outputs, label, &mut gradient);
                let differences: [f64; 3] = std::array::from_fn(|at| {
                    let mut near = |step: f64| {
                        let mut outputs = outputs;
                        outputs[at] += step;
                        cross_entropy(&outputs, label, &mut unused)
                    };
                    (near(1e-5) - near(-1e-5)) / 2e-5
                });
                let largest = differences.iter().fold(0.0, |largest: f64, slope| largest.max(slope.abs()));
                for (slope, difference) in gradient.iter().zip(differences) {
                    assert!((slope - difference).abs() < 1e-6 * largest, "{outputs:?} {label}: {slope} {difference}");
                }
            }
        }
    }

    #[test]
    fn loss_and_gradient_keep_their_digits_where_the_answer_is_nearly_certain() {
        // 1 - p is about e^-20 = 2e-9, which 1 less a number of f32 cannot say.
        let (mut narrow, mut exact) = ([0.0_f32; 3], [0.0_f64; 3]);
        let loss = cross_entropy(&[20.0, 0.0, -1.0_f32], 0, &mut narrow);
        let exact_loss = cross_entropy(&[20.0, 0.0, -1.0_f64], 0, &mut exact);
        assert!((f64::from(loss) / exact_loss - 1.0).abs() < 1e-5, "{loss} {exact_loss}");
        for (narrow, exact) in narrow.iter().zip(exact) {
            assert!((f64::from(*narrow) / exact - 1.0).abs() < 1e-5, "{narrow} {exact}");
        }
    }
}
