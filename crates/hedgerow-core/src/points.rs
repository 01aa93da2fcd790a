//! Points: rows of `f32` features, or of `u8` features kept as they are (images).
//!
//! [`Point`] is one borrowed row, [`PointsRef`] a borrowed block of rows, [`Points`] an owned one. Values are checked
//! once, here at the door, so that the searches trust them. Not for labels: see [`crate::label`].

use crate::error::{PointError, PointsError};

/// The largest magnitude a feature may have.
///
/// Squared distances are summed in `f32`; up to this magnitude they cannot overflow for any realistic number of
/// features, so that no distance is ever infinite. At the other end, the square of a difference below about 1e-22 is lost:
/// points that differ by less are ties. Scale such features.
pub const MAX_MAGNITUDE: f32 = 1e15;

/// The number type that points hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PointKind {
    /// 32-bit floating point.
    F32,
    /// Bytes, as in images; squared and absolute differences are summed exactly.
    U8,
}

impl std::fmt::Display for PointKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::U8 => "u8",
        })
    }
}

/// One point, borrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Point<'a> {
    /// A point of `f32` features.
    F32(&'a [f32]),
    /// A point of `u8` features.
    U8(&'a [u8]),
}

impl Point<'_> {
    /// Number of features.
    pub fn width(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::U8(values) => values.len(),
        }
    }

    /// The number type.
    pub fn kind(&self) -> PointKind {
        match self {
            Self::F32(_) => PointKind::F32,
            Self::U8(_) => PointKind::U8,
        }
    }

    /// Checks that the point has features and that each is a usable number.
    ///
    /// # Errors
    /// [`PointError::NoFeatures`], or [`PointError::NotFinite`] with the first bad column.
    pub fn check(&self) -> Result<(), PointError> {
        match self {
            _ if self.width() == 0 => Err(PointError::NoFeatures),
            Self::U8(_) => Ok(()),
            Self::F32(values) => match first_unusable(values) {
                None => Ok(()),
                Some(column) => Err(PointError::NotFinite { column, value: values[column] }),
            },
        }
    }
}

/// Index of the first value that is NaN, infinite or too large.
fn first_unusable(values: &[f32]) -> Option<usize> {
    // Written so that NaN fails too; whole chunks are tested first because nearly all are fine.
    let usable = |value: &f32| value.abs() <= MAX_MAGNITUDE;
    let chunk = values.chunks(64).position(|chunk| !chunk.iter().fold(true, |all, value| all & usable(value)))?;
    values[chunk * 64..].iter().position(|value| !usable(value)).map(|column| chunk * 64 + column)
}

/// A borrowed block of points of one width and kind, one after another. Its values have been checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointsRef<'a> {
    width: usize,
    values: Values<&'a [f32], &'a [u8]>,
}

/// An owned block of points of one width and kind. Its values have been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    width: usize,
    values: Values<Vec<f32>, Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Values<F, B> {
    F32(F),
    U8(B),
}

/// A number type that points hold.
pub(crate) trait Scalar: Copy + 'static {
    /// All values of a block, if they are of this type.
    fn values_of(points: PointsRef<'_>) -> Option<&[Self]>
    where
        Self: Sized;
}

impl Scalar for f32 {
    fn values_of(points: PointsRef<'_>) -> Option<&[Self]> {
        points.as_f32()
    }
}

impl Scalar for u8 {
    fn values_of(points: PointsRef<'_>) -> Option<&[Self]> {
        points.as_u8()
    }
}

fn rows_of(width: usize, values: usize) -> Result<usize, PointsError> {
    if width == 0 {
        return Err(PointsError::NoFeatures);
    }
    if values % width != 0 {
        return Err(PointsError::Ragged { values, width });
    }
    Ok(values / width)
}

impl<'a> PointsRef<'a> {
    /// Borrows rows of `width` features that stand one after another.
    ///
    /// # Errors
    /// Values that do not divide into rows, and values that are not usable numbers (with row and column).
    pub fn from_f32(width: usize, values: &'a [f32]) -> Result<Self, PointsError> {
        rows_of(width, values.len())?;
        if let Some(at) = first_unusable(values) {
            let source = PointError::NotFinite { column: at % width, value: values[at] };
            return Err(PointsError::Row { row: at / width, source });
        }
        Ok(Self { width, values: Values::F32(values) })
    }

    /// Borrows rows of `width` byte features that stand one after another.
    ///
    /// # Errors
    /// Values that do not divide into rows.
    pub fn from_u8(width: usize, values: &'a [u8]) -> Result<Self, PointsError> {
        rows_of(width, values.len())?;
        Ok(Self { width, values: Values::U8(values) })
    }

    /// A block of one point that has been checked.
    pub(crate) fn one(point: Point<'a>) -> Self {
        let values = match point {
            Point::F32(values) => Values::F32(values),
            Point::U8(values) => Values::U8(values),
        };
        Self { width: point.width(), values }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        match self.values {
            Values::F32(values) => values.len() / self.width,
            Values::U8(values) => values.len() / self.width,
        }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of features of each point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number type.
    pub fn kind(&self) -> PointKind {
        match self.values {
            Values::F32(_) => PointKind::F32,
            Values::U8(_) => PointKind::U8,
        }
    }

    /// The point of one row.
    ///
    /// # Panics
    /// If there is no such row, as indexing a slice does.
    pub fn row(&self, row: usize) -> Point<'a> {
        let range = row * self.width..(row + 1) * self.width;
        match self.values {
            Values::F32(values) => Point::F32(&values[range]),
            Values::U8(values) => Point::U8(&values[range]),
        }
    }

    /// The points of a range of rows.
    ///
    /// # Panics
    /// If the range reaches past the last row, as slicing does.
    pub fn slice(&self, rows: std::ops::Range<usize>) -> PointsRef<'a> {
        let range = rows.start * self.width..rows.end * self.width;
        let values = match self.values {
            Values::F32(values) => Values::F32(&values[range]),
            Values::U8(values) => Values::U8(&values[range]),
        };
        Self { width: self.width, values }
    }

    /// All values, if they are `f32`.
    pub fn as_f32(&self) -> Option<&'a [f32]> {
        match self.values {
            Values::F32(values) => Some(values),
            Values::U8(_) => None,
        }
    }

    /// All values, if they are `u8`.
    pub fn as_u8(&self) -> Option<&'a [u8]> {
        match self.values {
            Values::U8(values) => Some(values),
            Values::F32(_) => None,
        }
    }

    /// Bytes that the values take.
    pub fn size_bytes(&self) -> usize {
        match self.values {
            Values::F32(values) => size_of_val(values),
            Values::U8(values) => values.len(),
        }
    }

    /// Copies the points of the given rows, in the order given; a row may be named more than once.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn select(&self, rows: &[usize]) -> Points {
        let values = match self.values {
            Values::F32(values) => Values::F32(select_rows(values, self.width, rows)),
            Values::U8(values) => Values::U8(select_rows(values, self.width, rows)),
        };
        Points { width: self.width, values }
    }

    /// Copies the points.
    pub fn to_owned(&self) -> Points {
        let values = match self.values {
            Values::F32(values) => Values::F32(values.to_vec()),
            Values::U8(values) => Values::U8(values.to_vec()),
        };
        Points { width: self.width, values }
    }
}

impl Points {
    /// Takes rows of `width` features that stand one after another.
    ///
    /// # Errors
    /// As [`PointsRef::from_f32`].
    pub fn from_f32(width: usize, values: Vec<f32>) -> Result<Self, PointsError> {
        PointsRef::from_f32(width, &values)?;
        Ok(Self { width, values: Values::F32(values) })
    }

    /// Takes rows of `width` byte features that stand one after another.
    ///
    /// # Errors
    /// As [`PointsRef::from_u8`].
    pub fn from_u8(width: usize, values: Vec<u8>) -> Result<Self, PointsError> {
        PointsRef::from_u8(width, &values)?;
        Ok(Self { width, values: Values::U8(values) })
    }

    /// A block without rows.
    pub(crate) fn none(width: usize, kind: PointKind) -> Self {
        let values = match kind {
            PointKind::F32 => Values::F32(Vec::new()),
            PointKind::U8 => Values::U8(Vec::new()),
        };
        Self { width, values }
    }

    /// Borrows all rows.
    pub fn view(&self) -> PointsRef<'_> {
        let values = match &self.values {
            Values::F32(values) => Values::F32(values.as_slice()),
            Values::U8(values) => Values::U8(values.as_slice()),
        };
        PointsRef { width: self.width, values }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of features of each point.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number type.
    pub fn kind(&self) -> PointKind {
        self.view().kind()
    }

    /// The point of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> Point<'_> {
        self.view().row(row)
    }

    /// Bytes that the values take.
    pub fn size_bytes(&self) -> usize {
        self.view().size_bytes()
    }

    /// Appends points that are known to be of this width and kind.
    pub(crate) fn extend(&mut self, points: PointsRef<'_>) {
        match (&mut self.values, points.values) {
            (Values::F32(mine), Values::F32(theirs)) => mine.extend_from_slice(theirs),
            (Values::U8(mine), Values::U8(theirs)) => mine.extend_from_slice(theirs),
            _ => unreachable!("the caller has compared the kinds"),
        }
    }

    /// Of the rows from `start` on, keeps those for which `keep` says so, in their order.
    pub(crate) fn retain_from(&mut self, start: usize, keep: &[bool]) {
        match &mut self.values {
            Values::F32(values) => retain_rows(values, self.width, start, keep),
            Values::U8(values) => retain_rows(values, self.width, start, keep),
        }
    }
}

fn select_rows<T: Copy>(values: &[T], width: usize, rows: &[usize]) -> Vec<T> {
    let mut selected = Vec::with_capacity(rows.len() * width);
    rows.iter().for_each(|&row| selected.extend_from_slice(&values[row * width..(row + 1) * width]));
    selected
}

/// Of the rows of `width` values from `start` on, keeps those for which `keep` says so.
pub(crate) fn retain_rows<T: Copy>(values: &mut Vec<T>, width: usize, start: usize, keep: &[bool]) {
    let (mut from, mut to) = (start, start);
    // Run by run: where few rows go, few long copies.
    for run in keep.chunk_by(|one, next| one == next) {
        if run[0] {
            if from != to {
                values.copy_within(from * width..(from + run.len()) * width, to * width);
            }
            to += run.len();
        }
        from += run.len();
    }
    values.truncate(to * width);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_named_by_row_and_column() {
        let mut values = vec![0.5_f32; 300];
        values[203] = f32::NAN;
        let error = Points::from_f32(100, values.clone()).unwrap_err();
        assert!(error.to_string().starts_with("row 2: the value NaN in column 3"), "{error}");
        values[203] = 1e16;
        assert!(matches!(PointsRef::from_f32(100, &values), Err(PointsError::Row { row: 2, .. })));
        values[203] = -MAX_MAGNITUDE;
        assert_eq!(Points::from_f32(100, values).map(|points| points.len()), Ok(3));
    }

    #[test]
    fn cut_off_and_featureless_blocks_are_refused() {
        assert_eq!(Points::from_u8(3, vec![0; 7]), Err(PointsError::Ragged { values: 7, width: 3 }));
        assert_eq!(Points::from_u8(0, vec![]), Err(PointsError::NoFeatures));
        assert_eq!(Point::F32(&[]).check(), Err(PointError::NoFeatures));
    }

    #[test]
    fn rows_are_selected_in_the_order_asked_for() {
        let points = Points::from_u8(2, vec![0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(points.view().select(&[2, 0, 2]), Points::from_u8(2, vec![4, 5, 0, 1, 4, 5]).unwrap());
        assert!(points.view().select(&[]).is_empty());
    }

    #[test]
    fn rows_are_kept_in_order() {
        let mut points = Points::from_u8(2, vec![0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        points.retain_from(0, &[false, true, false, true]);
        assert_eq!(points, Points::from_u8(2, vec![2, 3, 6, 7]).unwrap());
        points.retain_from(1, &[false]);
        assert_eq!(points, Points::from_u8(2, vec![2, 3]).unwrap());
    }
}
