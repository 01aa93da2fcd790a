//! `hedgerow._native`: models, data sets and the command line for Python. `python/hedgerow` makes scikit-learn estimators of it, and
//! `_native.pyi` there says what each call takes and gives.
//!
//! For: crossing over. Arrays are looked at where they lie, parameters come as the JSON of `FitParams`, errors become Python's, and nothing is
//! computed while Python's lock is held. Not for: deciding anything; that is the library's or the estimators'.
//! Read next: `model.rs`, then `fitting.rs` for how a fit hears Ctrl-C.

// PyO3's macros hand arguments over by value, and what they take is for Python: its documentation is the stub.
#![allow(clippy::needless_pass_by_value, missing_docs)]

mod data;
mod decision;
mod error;
mod fitting;
mod model;
mod points;
mod threads;

use std::ffi::OsString;

use hedgerow::data::ImageShape;
use hedgerow::learn::{Method, PictureShape, Preset};
use pyo3::prelude::*;

use crate::error::value_error;

/// The parameters of learning that a preset has for so many examples, as JSON.
#[pyfunction]
#[pyo3(signature = (name, n_examples, image_shape=None))]
fn preset(name: &str, n_examples: usize, image_shape: Option<(usize, usize, usize)>) -> PyResult<String> {
    let preset: Preset = name.parse().map_err(value_error)?;
    let picture = image_shape.map(|(height, width, channels)| PictureShape { height, width, channels });
    json(&preset.params(n_examples, picture))
}

/// How many neighbors tell by a preset whether an example is shown to the structure; none if all are.
#[pyfunction]
fn preset_editing(name: &str, n_examples: usize) -> PyResult<Option<usize>> {
    let preset: Preset = name.parse().map_err(value_error)?;
    Ok(preset.editing(n_examples))
}

/// A method of learning with its defaults, as JSON.
#[pyfunction]
fn method(name: &str) -> PyResult<String> {
    let method: Method = name.parse().map_err(value_error)?;
    json(&method)
}

/// Runs the command line in this process, and gives its exit code. The first argument is the name of the program.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hedgerow_cli::run(arguments))
}

fn json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(value_error)
}

fn shape_of((height, width, channels): (usize, usize, usize)) -> ImageShape {
    ImageShape { height, width, channels }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<decision::Decision>()?;
    module.add_function(wrap_pyfunction!(fitting::fit, module)?)?;
    module.add_function(wrap_pyfunction!(preset, module)?)?;
    module.add_function(wrap_pyfunction!(preset_editing, module)?)?;
    module.add_function(wrap_pyfunction!(method, module)?)?;
    module.add_function(wrap_pyfunction!(data::load_data, module)?)?;
    module.add_function(wrap_pyfunction!(data::get_data, module)?)?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    Ok(())
}
