//! How far two points are from each other.
//!
//! For the arithmetic see the crate's `simd` module; for the searches built on it, [`crate::neighbor_search`].

use std::sync::Arc;

use crate::error::PointError;
use crate::metric::Metric;
use crate::points::{Point, PointKind, PointsRef};

/// A measure of how unlike two points are. The searches use no property of a metric, only "smaller is nearer".
///
/// Distances are given as `f64`: sums over `u8` points are exact integers, which `f64` holds exactly, and sums over `f32`
/// points are `f32` sums, widened. The bits of a distance do not depend on the machine, the number of threads or the
/// size of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Distance {
    /// Sum of squared differences.
    SquaredEuclidean,
    /// Root of the sum of squared differences. Nearer and farther, and ties, are judged before the root is taken.
    #[default]
    Euclidean,
    /// One minus the cosine of the angle, from 0 to 2. Two zero vectors are at 0; a zero vector and any other at 1. A vector
    /// shorter than about 1e-22 counts as zero, and one shorter than about 1e-18 has fewer digits: scale such data.
    Cosine,
    /// Sum of absolute differences.
    Manhattan,
    /// The caller's own closure over `f32` points. It cannot be written down.
    #[cfg_attr(feature = "serde", serde(skip))]
    Custom(CustomDistance),
}

/// A distance given as a closure; made by [`Distance::custom`].
#[derive(Clone)]
pub struct CustomDistance {
    name: Arc<str>,
    function: Arc<DistanceFunction>,
}

pub(crate) type DistanceFunction = dyn Fn(&[f32], &[f32]) -> f64 + Send + Sync;

impl CustomDistance {
    /// The name given to the closure.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn function(&self) -> &DistanceFunction {
        &*self.function
    }
}

impl std::fmt::Debug for CustomDistance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CustomDistance").field(&self.name).finish()
    }
}

impl PartialEq for CustomDistance {
    /// Two custom distances are equal if they share the closure.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.function, &other.function)
    }
}

impl Distance {
    /// The caller's own distance, with a name for messages and reports.
    ///
    /// The closure sees `f32` points of equal width. It should be symmetric and 0 for equal points; where it answers NaN the
    /// two points count as infinitely far apart. Votes weighted by distance read 0 and below as an exact match. It must not
    /// panic: a structure in which it did during an insertion or an edit is not to be used again.
    ///
    /// # Example
    /// ```
    /// use hedgerow_core::{Distance, Point};
    /// let largest = Distance::custom("largest difference", |a, b| {
    ///     a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max)
    /// });
    /// assert_eq!(largest.between(Point::F32(&[0.0, 1.0]), Point::F32(&[3.0, 3.0])), Ok(3.0));
    /// ```
    pub fn custom(name: &str, function: impl Fn(&[f32], &[f32]) -> f64 + Send + Sync + 'static) -> Self {
        Self::Custom(CustomDistance { name: name.into(), function: Arc::new(function) })
    }

    /// The distance between two points.
    ///
    /// # Errors
    /// Points of different width or kind, unusable values, and a closure over `u8` points.
    pub fn between(&self, a: Point<'_>, b: Point<'_>) -> Result<f64, PointError> {
        a.check()?;
        b.check()?;
        self.check_pair(PointsRef::one(a), b)?;
        Ok(self.of_rank(Metric::new(self, PointsRef::one(a)).rank(b, 0)))
    }

    /// Checks that `point` can be compared with `stored` ones.
    pub(crate) fn check_pair(&self, stored: PointsRef<'_>, point: Point<'_>) -> Result<(), PointError> {
        if stored.kind() != point.kind() {
            return Err(PointError::Kind { expected: stored.kind(), got: point.kind() });
        }
        if stored.width() != point.width() {
            return Err(PointError::FeatureCount { expected: stored.width(), got: point.width() });
        }
        self.check_kind(point.kind())
    }

    pub(crate) fn check_kind(&self, kind: PointKind) -> Result<(), PointError> {
        match self {
            Self::Custom(custom) if kind == PointKind::U8 => {
                Err(PointError::CustomNeedsF32 { name: custom.name().to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The distance of a rank: ranks order the pairs as distances do, but are cheaper.
    pub(crate) fn of_rank(&self, rank: f64) -> f64 {
        match self {
            Self::Euclidean => rank.sqrt(),
            _ => rank,
        }
    }
}

impl std::fmt::Display for Distance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SquaredEuclidean => "squared euclidean",
            Self::Euclidean => "euclidean",
            Self::Cosine => "cosine",
            Self::Manhattan => "manhattan",
            Self::Custom(custom) => custom.name(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(distance: &Distance, a: &[f32], b: &[f32]) -> f64 {
        distance.between(Point::F32(a), Point::F32(b)).unwrap()
    }

    #[test]
    fn worked_by_hand() {
        let (a, b) = ([1.0, 2.0, 2.0], [4.0, -2.0, 2.0]); // differences 3, 4, 0
        assert_eq!(between(&Distance::SquaredEuclidean, &a, &b), 25.0);
        assert_eq!(between(&Distance::Euclidean, &a, &b), 5.0);
        assert_eq!(between(&Distance::Manhattan, &a, &b), 7.0);
        // dot 4 - 4 + 4 = 4; lengths 3 and sqrt(24)
        let expected = 1.0 - 4.0 / (3.0 * 24_f64.sqrt());
        assert!((between(&Distance::Cosine, &a, &b) - expected).abs() < 1e-15);
        let bytes = Distance::Euclidean.between(Point::U8(&[0, 255]), Point::U8(&[0, 0]));
        assert_eq!(bytes, Ok(255.0));
    }

    #[test]
    fn cosine_of_zero_vectors_is_defined() {
        assert_eq!(between(&Distance::Cosine, &[0.0, 0.0], &[0.0, 0.0]), 0.0);
        assert_eq!(between(&Distance::Cosine, &[0.0, 0.0], &[0.0, 2.0]), 1.0);
        assert_eq!(between(&Distance::Cosine, &[0.3, 0.7], &[0.3, 0.7]), 0.0);
        assert_eq!(between(&Distance::Cosine, &[0.3, 0.7], &[-0.3, -0.7]), 2.0);
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let custom = Distance::custom("mine", |_, _| f64::NAN);
        assert_eq!(between(&custom, &[1.0], &[1.0]), f64::INFINITY);
        let error = custom.between(Point::U8(&[1]), Point::U8(&[1])).unwrap_err();
        assert_eq!(error, PointError::CustomNeedsF32 { name: "mine".into() });
        let error = Distance::Euclidean.between(Point::U8(&[1]), Point::F32(&[1.0])).unwrap_err();
        assert_eq!(error, PointError::Kind { expected: PointKind::U8, got: PointKind::F32 });
        let error = Distance::Euclidean.between(Point::F32(&[1.0, 2.0]), Point::F32(&[1.0])).unwrap_err();
        assert_eq!(error, PointError::FeatureCount { expected: 2, got: 1 });
    }
}
