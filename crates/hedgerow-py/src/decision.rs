//! A decision, for people and programs.

use hedgerow_report::{Characters, DecisionView, render_decision_html, render_decision_text};
use pyo3::prelude::*;

use crate::json;

/// Why a query got its answer: `hedgerow.Explanation` stands around it.
#[pyclass(frozen, module = "hedgerow._native")]
pub(crate) struct Decision(pub(crate) DecisionView);

#[pymethods]
impl Decision {
    fn json(&self) -> PyResult<String> {
        json(&self.0)
    }

    fn text(&self, width: usize, ascii: bool) -> String {
        let characters = if ascii { Characters::Ascii } else { Characters::Unicode };
        render_decision_text(&self.0, width, characters)
    }

    fn html(&self) -> String {
        render_decision_html(&self.0)
    }
}
