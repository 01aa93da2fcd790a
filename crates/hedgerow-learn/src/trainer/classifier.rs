//! A network that names classes.

use hedgerow_core::{ClassId, Label, PointsRef};

use crate::error::ApplyError;
use crate::matrix::Matrix;
use crate::transform::DenseNetwork;

/// A network whose last layer has a number for each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// The whole network.
    pub network: DenseNetwork,
    /// The class that each of its outputs stands for.
    pub classes: Vec<ClassId>,
}

impl Classifier {
    /// The probability of each class, in the order of [`classes`](Self::classes): the softmax of the outputs.
    ///
    /// # Shapes
    /// A row for each point, a column for each class; each row adds up to 1.
    ///
    /// # Errors
    /// Points that the network cannot take, or for which an output is not a number.
    pub fn class_probabilities(&self, points: PointsRef<'_>) -> Result<Matrix<f64>, ApplyError> {
        let outputs = self.network.represent(points)?;
        let mut probabilities = Matrix::zeros(outputs.n_rows(), outputs.n_columns());
        for row in 0..outputs.n_rows() {
            softmax(row, outputs.row(row), probabilities.row_mut(row))?;
        }
        Ok(probabilities)
    }

    /// The class of the largest probability for each point; among equals the first.
    ///
    /// # Errors
    /// Points that the network cannot take, or for which an output is not a number.
    pub fn predict(&self, points: PointsRef<'_>) -> Result<Vec<ClassId>, ApplyError> {
        let outputs = self.network.represent(points)?;
        let mut probabilities = vec![0.0; outputs.n_columns()];
        // By probabilities rather than outputs: outputs so near that rounding makes their probabilities equal are equal here too.
        let class = |row: usize| {
            softmax(row, outputs.row(row), &mut probabilities)?;
            let better = |best: usize, at: usize| if probabilities[at] > probabilities[best] { at } else { best };
            Ok(self.classes[(1..probabilities.len()).fold(0, better)])
        };
        (0..outputs.n_rows()).map(class).collect()
    }

    /// Share of points, in percent, that are given another class than their label says; 0 of no points.
    ///
    /// # Errors
    /// Points that the network cannot take, or for which an output is not a number, and labels that are more or fewer than points.
    pub fn error_percent(&self, points: PointsRef<'_>, labels: &[Label]) -> Result<f64, ApplyError> {
        if points.len() != labels.len() {
            return Err(ApplyError::LabelCount { points: points.len(), labels: labels.len() });
        }
        let answers = self.predict(points)?;
        let n_wrong = answers.iter().zip(labels).filter(|(class, label)| Label::Class(**class) != **label).count();
        Ok(100.0 * n_wrong as f64 / labels.len().max(1) as f64)
    }
}

/// `exp(o_c) / sum of exp(o)`, for the outputs of a row.
fn softmax(row: usize, outputs: &[f32], probabilities: &mut [f64]) -> Result<(), ApplyError> {
    if let Some(output) = outputs.iter().position(|output| !output.is_finite()) {
        return Err(ApplyError::OutputNotFinite { row, output, value: outputs[output].into() });
    }
    // Shifted by the largest output, whose exp is 1 then: of large outputs it would be infinite.
    let largest = outputs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (probability, &output) in probabilities.iter_mut().zip(outputs) {
        *probability = (f64::from(output) - f64::from(largest)).exp();
    }
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|probability| *probability /= sum);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::{Activation, Architecture, InputScale};
    use hedgerow_core::Points;

    /// Outputs x, 2x and -x for the point x, times a factor.
    fn classifier(factor: f32) -> Classifier {
        let architecture = Architecture { n_inputs: 1, layers: vec![3], activation: Activation::Relu };
        let weights = vec![factor, 2.0 * factor, -factor, 0.0, 0.0, 0.0];
        let network = DenseNetwork::from_parameters(architecture, InputScale::Numbers, &weights).unwrap();
        Classifier { network, classes: [4, 7, 9].map(ClassId).to_vec() }
    }

    #[test]
    fn probabilities_worked_by_hand() {
        let points = Points::from_f32(1, vec![2.0_f32.ln(), 0.0, -1e8, 1e15]).unwrap();
        let probabilities = classifier(1.0).class_probabilities(points.view()).unwrap();
        // exp of ln 2, 2 ln 2 and -ln 2: 2, 4 and 1/2, which add up to 13/2.
        for (got, expected) in probabilities.row(0).iter().zip([4.0 / 13.0, 8.0 / 13.0, 1.0 / 13.0]) {
            assert!((got - expected).abs() < 1e-7, "{got} {expected}");
        }
        assert_eq!(probabilities.row(1), [1.0 / 3.0; 3]);
        assert_eq!(probabilities.row(2), [0.0, 0.0, 1.0]);
        assert_eq!(probabilities.row(3), [0.0, 1.0, 0.0]);
        let predicted = classifier(1.0).predict(points.view()).unwrap();
        assert_eq!(predicted, [7, 4, 9, 7].map(ClassId));
    }

    #[test]
    fn what_has_no_answer_is_refused() {
        let points = Points::from_f32(1, vec![0.0, 1.0]).unwrap();
        let error = classifier(1.0).error_percent(points.view(), &[Label::class(4)]).unwrap_err().to_string();
        assert_eq!(error, "there are 2 points but 1 labels; give one for each point");
        let both = [Label::class(4), Label::class(9)];
        assert_eq!(classifier(1.0).error_percent(points.view(), &both).unwrap(), 50.0);
        // Of 1e38, 2e38 and -1e38, twice the second is infinite.
        let far = Points::from_f32(1, vec![0.0, 2.0]).unwrap();
        let large = classifier(1e38);
        for error in [
            large.predict(far.view()).unwrap_err(),
            large.class_probabilities(far.view()).map(|_| ()).unwrap_err(),
            large.error_percent(far.view(), &both).unwrap_err(),
        ] {
            assert_eq!(error, ApplyError::OutputNotFinite { row: 1, output: 1, value: f64::INFINITY });
        }
    }
}
