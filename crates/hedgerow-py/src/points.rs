//! Arrays as points, looked at where they lie.

use hedgerow::PointsRef;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::value_error;

/// An array of two dimensions that is held while it is looked at.
pub(crate) enum Array<'py> {
    F32(PyReadonlyArray2<'py, f32>),
    U8(PyReadonlyArray2<'py, u8>),
}

impl<'py> Array<'py> {
    /// Takes an array of `float32` or `uint8`, read-only or not. No other is converted here: that is the estimators' part.
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, f32>>() {
            return in_rows(array.is_c_contiguous()).map(|()| Self::F32(array));
        }
        if let Ok(array) = object.extract::<PyReadonlyArray2<'py, u8>>() {
            return in_rows(array.is_c_contiguous()).map(|()| Self::U8(array));
        }
        Err(PyTypeError::new_err("expected an array of 2 dimensions of float32 or uint8"))
    }

    /// The same numbers as points; no number is copied.
    pub(crate) fn points(&self) -> PyResult<PointsRef<'_>> {
        match self {
            Self::F32(array) => PointsRef::from_f32(array.shape()[1], array.as_slice()?).map_err(value_error),
            Self::U8(array) => PointsRef::from_u8(array.shape()[1], array.as_slice()?).map_err(value_error),
        }
    }

    /// Where the first number lies.
    pub(crate) fn address(&self) -> PyResult<usize> {
        Ok(match self {
            Self::F32(array) => array.as_slice()?.as_ptr() as usize,
            Self::U8(array) => array.as_slice()?.as_ptr() as usize,
        })
    }
}

/// `as_slice` takes columns one after another, too, and would give them for rows.
fn in_rows(is_c_contiguous: bool) -> PyResult<()> {
    if is_c_contiguous {
        return Ok(());
    }
    Err(PyValueError::new_err("the array is not in C order; give numpy.ascontiguousarray(X)"))
}

/// Rows of so many numbers, one after another, as an array.
pub(crate) fn matrix<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = values.len() / width.max(1);
    PyArray1::from_vec(py, values).reshape([rows, width])
}
