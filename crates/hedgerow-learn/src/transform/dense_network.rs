//! Dense networks: their shape, their weights, and what they make of points once learned.

use hedgerow_core::random::SplitMix64;
use hedgerow_core::{PointKind, Points, PointsRef};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Activation, WeightInitialization};
use crate::error::ApplyError;
use crate::matrix::{Additions, Aligned, Matrix, SparseRows, sparse_rows_times};
use crate::real::Real;

/// The stream of random numbers that weights are drawn from.
const WEIGHTS: u64 = 0x7765_6967_6874_7300;

/// Points that are represented at a time, at most: few enough for every thread to get some.
const BLOCK_ROWS: usize = 1024;

/// Bytes that the widest layer of a block takes, at most, unless one point takes more: bounds the memory of each thread.
const BLOCK_BYTES: usize = 4 << 20;

/// Weights that a network can have: of the copies that learning keeps, six at most, each takes 8 GB then.
const MOST_PARAMETERS: usize = 1 << 31;

/// The shape of a dense network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Features of a point.
    pub n_inputs: usize,
    /// Numbers that come out of each layer; the last are the representation. One layer alone is a linear map, which is
    /// metric learning in the sense of NCA.
    pub layers: Vec<usize>,
    /// What stands between two layers.
    pub activation: Activation,
}

impl Architecture {
    /// Length of a representation.
    pub fn n_outputs(&self) -> usize {
        self.layers.last().copied().unwrap_or(self.n_inputs)
    }

    /// Inputs and outputs of each layer.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let inputs = std::iter::once(self.n_inputs).chain(self.layers.iter().copied());
        inputs.zip(self.layers.iter().copied())
    }

    /// Number of weights and biases; the largest number there is if they are more.
    pub fn n_parameters(&self) -> usize {
        usize::try_from(self.count()).unwrap_or(usize::MAX)
    }

    /// As [`n_parameters`](Self::n_parameters), in numbers that layers of any size fit in.
    fn count(&self) -> u128 {
        let counts = self.shapes().map(|(inputs, outputs)| (inputs as u128 + 1) * outputs as u128);
        counts.fold(0, u128::saturating_add)
    }

    /// Checks that there can be such a network.
    ///
    /// # Errors
    /// No features, no layers, layers of no numbers, and more weights than memory holds.
    pub fn check(&self) -> Result<(), ApplyError> {
        let layers = || self.layers.clone();
        if self.n_inputs == 0 {
            return Err(ApplyError::NoFeatures);
        }
        if self.layers.is_empty() || self.layers.contains(&0) {
            return Err(ApplyError::Layers { layers: layers() });
        }
        let (n_parameters, most) = (self.count(), MOST_PARAMETERS);
        if n_parameters > most as u128 {
            return Err(ApplyError::TooLarge { n_inputs: self.n_inputs, layers: layers(), n_parameters, most });
        }
        Ok(())
    }

    /// Points that are represented at a time.
    fn block_rows<R>(&self) -> usize {
        let widest = self.layers.iter().copied().fold(self.n_inputs, usize::max);
        let row_bytes = widest.saturating_mul(size_of::<R>());
        (BLOCK_BYTES / row_bytes.max(1)).clamp(1, BLOCK_ROWS)
    }
}

/// What kind of points a network takes, and what it divides them by before the first layer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "points", content = "divisor", deny_unknown_fields)]
pub enum InputScale {
    /// Numbers, taken as they are. Scale features of different ranges before.
    #[default]
    Numbers,
    /// Bytes, divided by this number: the largest byte of the examples given, those kept for validation among them, so that all
    /// become numbers from 0 to 1.
    Bytes(f32),
}

impl InputScale {
    /// The scale that suits points.
    pub fn for_points(points: PointsRef<'_>) -> Self {
        match points.as_u8() {
            Some(bytes) => Self::Bytes(f32::from(bytes.iter().copied().max().unwrap_or(1).max(1))),
            None => Self::Numbers,
        }
    }

    /// Checks that points can be divided by it.
    ///
    /// # Errors
    /// A divisor that is not a positive number, or so small that bytes leave the range of numbers.
    pub fn check(self) -> Result<(), ApplyError> {
        match self {
            Self::Bytes(divisor) if !(divisor > 0.0 && divisor.is_finite() && self.factor().is_finite()) => {
                Err(ApplyError::Divisor { divisor })
            }
            _ => Ok(()),
        }
    }

    /// The kind of points.
    pub fn kind(self) -> PointKind {
        match self {
            Self::Numbers => PointKind::F32,
            Self::Bytes(_) => PointKind::U8,
        }
    }

    pub(crate) fn factor(self) -> f32 {
        match self {
            Self::Numbers => 1.0,
            Self::Bytes(divisor) => 1.0 / divisor,
        }
    }
}

/// A learned function from points to representations: layers of weights with an activation between them.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseNetwork<R = f32> {
    architecture: Architecture,
    scale: InputScale,
    /// For each layer, a row of weights for each input, then the biases.
    parameters: Aligned<R>,
}

/// The weights and biases of one layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer<'a, R> {
    /// A row for each input.
    pub(crate) weights: &'a [R],
    pub(crate) bias: &'a [R],
}

impl<R: Real> DenseNetwork<R> {
    /// Draws the weights of a network by a seed.
    ///
    /// # Panics
    /// If there can be no such network; [`Architecture::check`] and [`InputScale::check`] tell.
    pub fn new(architecture: Architecture, scale: InputScale, initialization: WeightInitialization, seed: u64) -> Self {
        assert!(architecture.check().is_ok(), "an architecture that has not been checked");
        assert!(scale.check().is_ok(), "a scale that has not been checked");
        let mut parameters = Aligned::zeros(architecture.n_parameters());
        let mut rest = &mut *parameters;
        for (layer, (inputs, outputs)) in architecture.shapes().enumerate() {
            let (weights, after) = rest.split_at_mut(inputs * outputs);
            // Each layer has numbers of its own, so that a network with a further layer starts from the same weights.
            initialization.draw(weights, inputs, &mut SplitMix64::new(seed, WEIGHTS + layer as u64));
            rest = &mut after[outputs..];
        }
        Self { architecture, scale, parameters }
    }

    /// A network of known weights: for each layer a row for each input, then the biases.
    ///
    /// # Errors
    /// An architecture that makes no network, a scale that points cannot be divided by, a number of parameters that the architecture does
    /// not have, and numbers that are not finite.
    pub fn from_parameters(
        architecture: Architecture,
        scale: InputScale,
        parameters: &[R],
    ) -> Result<Self, ApplyError> {
        architecture.check()?;
        scale.check()?;
        let expected = architecture.n_parameters();
        if parameters.len() != expected {
            return Err(ApplyError::ParameterCount { expected, got: parameters.len() });
        }
        match parameters.iter().position(|parameter| !parameter.is_finite()) {
            Some(at) => Err(ApplyError::ParameterNotFinite { at }),
            None => Ok(Self { architecture, scale, parameters: Aligned::copy_of(parameters) }),
        }
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// What points are divided by first.
    pub fn scale(&self) -> InputScale {
        self.scale
    }

    /// For each layer a row of weights for each input, then the biases.
    pub fn parameters(&self) -> &[R] {
        &self.parameters
    }

    pub(crate) fn parameters_mut(&mut self) -> &mut [R] {
        &mut self.parameters
    }

    /// Where the weights of each layer stand among the parameters, and its biases.
    pub(crate) fn places(&self) -> impl Iterator<Item = (std::ops::Range<usize>, std::ops::Range<usize>)> + '_ {
        self.architecture.shapes().scan(0, |start, (inputs, outputs)| {
            let weights = *start..*start + inputs * outputs;
            let bias = weights.end..weights.end + outputs;
            *start = bias.end;
            Some((weights, bias))
        })
    }

    pub(crate) fn layers(&self) -> impl Iterator<Item = Layer<'_, R>> {
        self.places().map(|(weights, bias)| Layer { weights: &self.parameters[weights], bias: &self.parameters[bias] })
    }

    /// The network without its last layer: what a classifier knows of a point before it names the class, and before the activation
    /// that the last layer sees it through.
    ///
    /// # Panics
    /// If it has one layer only.
    #[must_use]
    pub fn without_last_layer(&self) -> Self {
        assert!(self.architecture.layers.len() > 1, "a network of one layer has none to leave out");
        let mut architecture = self.architecture.clone();
        architecture.layers.pop();
        let parameters = Aligned::copy_of(&self.parameters[..architecture.n_parameters()]);
        Self { architecture, scale: self.scale, parameters }
    }

    /// Representations of points, one in each row.
    ///
    /// A point's representation has the same bits whichever other points are given with it, for any number of threads, and
    /// on every processor (if the activation is one of comparisons: tanh and GELU are the system's).
    ///
    /// # Errors
    /// Points of another width, or of bytes where the network has learned from numbers (or the other way round).
    pub fn represent(&self, points: PointsRef<'_>) -> Result<Matrix<R>, ApplyError> {
        self.check(points)?;
        let width = self.architecture.n_outputs();
        let mut representations = Matrix::zeros(points.len(), width);
        let block_rows = self.architecture.block_rows::<R>();
        let blocks = representations.values_mut().par_chunks_mut(block_rows * width).enumerate();
        blocks.for_each(|(block, out)| {
            let start = block * block_rows;
            let rows = points.slice(start..start + out.len() / width);
            out.copy_from_slice(self.represent_block(rows).values());
        });
        Ok(representations)
    }

    fn check(&self, points: PointsRef<'_>) -> Result<(), ApplyError> {
        let expected = self.architecture.n_inputs;
        if points.width() != expected {
            return Err(ApplyError::FeatureCount { expected, got: points.width() });
        }
        if points.kind() != self.scale.kind() {
            return Err(ApplyError::PointKind { expected: self.scale.kind(), got: points.kind() });
        }
        Ok(())
    }

    fn represent_block(&self, points: PointsRef<'_>) -> Matrix<R> {
        let mut rows = SparseRows::default();
        fill_from_points(&mut rows, points, None, self.scale);
        let mut outputs = Matrix::default();
        let last = self.architecture.layers.len() - 1;
        for (at, layer) in self.layers().enumerate() {
            sparse_rows_times(&rows, layer.weights, layer.bias, Additions::Separate, &mut outputs);
            if at < last {
                self.architecture.activation.apply(outputs.values_mut());
                rows.fill_from(&outputs);
            }
        }
        outputs
    }
}

impl DenseNetwork {
    /// Representations of points, as points that neighbor structures take.
    ///
    /// # Errors
    /// As [`represent`](Self::represent), and representations too large for distances.
    pub fn apply(&self, points: PointsRef<'_>) -> Result<Points, ApplyError> {
        let representations = self.represent(points)?;
        Points::from_f32(representations.n_columns(), representations.values().to_vec())
            .map_err(|source| ApplyError::Representation { source })
    }
}

/// Fills rows with the given rows of points, or all of them, scaled.
pub(crate) fn fill_from_points<R: Real>(
    rows: &mut SparseRows<R>,
    points: PointsRef<'_>,
    chosen: Option<&[usize]>,
    scale: InputScale,
) {
    let width = points.width();
    let n_rows = chosen.map_or(points.len(), <[usize]>::len);
    let at = |row: usize| chosen.map_or(row, |chosen| chosen[row]) * width;
    if let Some(values) = points.as_u8() {
        let scaled: [R; 256] = std::array::from_fn(|byte| R::of(byte as f64 * f64::from(scale.factor())));
        rows.fill(width, n_rows, |row| &values[at(row)..at(row) + width], |byte: u8| scaled[usize::from(byte)]);
    } else if let Some(values) = points.as_f32() {
        let factor = scale.factor();
        rows.fill(
            width,
            n_rows,
            |row| &values[at(row)..at(row) + width],
            |value: f32| R::of(f64::from(value * factor)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(n_inputs: usize, layers: &[usize]) -> Architecture {
        Architecture { n_inputs, layers: layers.to_vec(), activation: Activation::Relu }
    }

    #[test]
    fn networks_that_cannot_be_are_refused_with_the_number_of_weights() {
        let refused = |n_inputs: usize, layers: &[usize]| {
            let shape = shape(n_inputs, layers);
            DenseNetwork::<f32>::from_parameters(shape, InputScale::Numbers, &[]).unwrap_err().to_string()
        };
        assert_eq!(refused(0, &[2]), "a network of 0 features has nothing to learn from; give at least one");
        assert_eq!(refused(2, &[]), "the layers are []; give at least one layer, none of them of 0 numbers");
        assert!(refused(2, &[3, 0, 2]).starts_with("the layers are [3, 0, 2]"));
        // 1000001 * 1000000 + 1000001 * 2
        let error = refused(1_000_000, &[1_000_000, 2]);
        assert!(error.contains("has 1000003000002 weights, more than the 2147483648"), "{error}");
        // Products and sums beyond any integer of the machine.
        for layers in [vec![usize::MAX, usize::MAX, usize::MAX], vec![usize::MAX], vec![1 << 40, 1 << 40]] {
            assert!(refused(usize::MAX, &layers).contains("weights, more than"));
            shape(usize::MAX, &layers).n_parameters();
        }
        assert_eq!(shape(4, &[3, 2]).n_parameters(), 5 * 3 + 4 * 2);
    }

    #[test]
    fn divisors_that_no_byte_can_be_divided_by_are_refused() {
        let of = |scale: InputScale| DenseNetwork::<f32>::from_parameters(shape(1, &[1]), scale, &[2.0, 1.0]);
        for divisor in [0.0, -0.0, -255.0, f32::NAN, f32::INFINITY, 1e-40] {
            let error = of(InputScale::Bytes(divisor)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("bytes are to be divided by {divisor};")), "{error}");
        }
        // 16 / 16 * 2 + 1, and 8 / 16 * 2 + 1.
        let points = Points::from_u8(1, vec![16, 8]).unwrap();
        assert_eq!(of(InputScale::Bytes(16.0)).unwrap().represent(points.view()).unwrap().values(), [3.0, 2.0]);
    }

    #[test]
    fn blocks_are_bounded_by_bytes_and_change_no_bit() {
        assert_eq!(shape(784, &[400, 20]).block_rows::<f32>(), 1024);
        assert_eq!(shape(4, &[100_000, 20]).block_rows::<f32>(), 10);
        assert_eq!(shape(usize::MAX, &[2]).block_rows::<f64>(), 1);
        let (n, wide) = (25, shape(2, &[100_000, 3]));
        let network = DenseNetwork::<f32>::new(wide, InputScale::Numbers, WeightInitialization::He, 1);
        let points = Points::from_f32(2, (0..2 * n).map(|value| (value as f32).sin()).collect()).unwrap();
        let all = network.represent(points.view()).unwrap();
        for row in 0..n {
            let alone = network.represent(points.view().slice(row..row + 1)).unwrap();
            assert_eq!(alone.row(0), all.row(row), "row {row}");
        }
    }
}
