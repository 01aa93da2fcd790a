//! Data sets as arrays.

use std::ops::ControlFlow;

use hedgerow::data::fetch::{GetOptions, Store, find_set, get};
use hedgerow::data::{Dataset, LabelMeaning, Split, load};
use numpy::PyArray1;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{data_error, value_error};
use crate::fitting::Signals;
use crate::model::code;
use crate::points::matrix;

/// Reads what a name stands for: `points`, `codes` or `values`, names, and the rows of the splits.
#[pyfunction]
pub(crate) fn load_data<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let dataset = py.detach(|| load(name)).map_err(data_error)?;
    as_arrays(py, &dataset)
}

/// Makes sure that a standard set is in the data directory; gives its folder.
#[pyfunction]
pub(crate) fn get_data(py: Python<'_>, name: &str) -> PyResult<std::path::PathBuf> {
    let set = find_set(name).map_err(value_error)?;
    let mut signals = Signals::default();
    let got = py.detach(|| {
        let store = Store::from_environment()?;
        get(&store, set, &GetOptions::default(), &mut |_| {
            if signals.are_quiet() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    match (got, signals.into_error()) {
        (Ok(report), None) => Ok(report.folder),
        (_, Some(signal)) => Err(signal),
        (Err(error), None) => Err(PyOSError::new_err(error.to_string())),
    }
}

fn as_arrays<'py>(py: Python<'py>, dataset: &Dataset) -> PyResult<Bound<'py, PyDict>> {
    let arrays = PyDict::new(py);
    let (points, width) = (dataset.points(), dataset.width());
    match points.as_u8() {
        Some(bytes) => arrays.set_item("points", matrix(py, bytes.to_vec(), width)?)?,
        None => {
            arrays.set_item("points", matrix(py, points.as_f32().unwrap_or_default().to_vec(), width)?)?;
        }
    }
    match dataset.label_meaning() {
        Some(LabelMeaning::Classes) => {
            let codes = dataset.labels().iter().map(|&label| code(label)).collect();
            arrays.set_item("codes", PyArray1::from_vec(py, codes))?;
        }
        Some(LabelMeaning::Values) => {
            let value = |label: &hedgerow::Label| label.as_value().unwrap_or(f32::NAN);
            arrays.set_item("values", PyArray1::from_vec(py, dataset.labels().iter().map(value).collect()))?;
        }
        None => {}
    }
    arrays.set_item("class_names", dataset.class_names())?;
    arrays.set_item("feature_names", dataset.feature_names())?;
    arrays.set_item("is_named", dataset.encoding().is_named())?;
    let shape = dataset.image_shape().map(|shape| (shape.height, shape.width, shape.channels));
    arrays.set_item("image_shape", shape)?;
    arrays.set_item("attribution", dataset.attribution())?;
    for (name, split) in [("train", Split::Train), ("validation", Split::Validation), ("test", Split::Test)] {
        let rows = dataset.rows(split);
        arrays.set_item(name, (rows.start, rows.end))?;
    }
    Ok(arrays)
}
