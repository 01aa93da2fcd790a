//! Some rows of a table, column by column.

use std::collections::HashSet;

use super::error::FrameError;

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ColumnData {
    /// Texts.
    Text(Vec<String>),
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Numbers.
    Number(Vec<f32>),
    /// Vectors of numbers of one length, one after another.
    Vector {
        /// Numbers of each.
        width: usize,
        /// All numbers.
        values: Vec<f32>,
    },
    /// Vectors of bytes of one length, one after another: pixels.
    VectorU8 {
        /// Bytes of each.
        width: usize,
        /// All bytes.
        values: Vec<u8>,
    },
}

impl ColumnData {
    /// Number of rows; of vectors, whole ones.
    pub fn rows(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Vector { width, values } => values.len().checked_div(*width).unwrap_or(0),
            Self::VectorU8 { width, values } => values.len().checked_div(*width).unwrap_or(0),
        }
    }

    /// What it holds, as errors say it.
    pub(super) fn kind(&self) -> String {
        match self {
            Self::Text(_) => "text".to_owned(),
            Self::Integer(_) => "integer".to_owned(),
            Self::Number(_) => "number".to_owned(),
            Self::Vector { width, .. } => format!("vector of {width} numbers"),
            Self::VectorU8 { width, .. } => format!("vector of {width} bytes"),
        }
    }

    /// Width and number of values, if these are vectors.
    fn vector(&self) -> Option<(usize, usize)> {
        match self {
            Self::Vector { width, values } => Some((*width, values.len())),
            Self::VectorU8 { width, values } => Some((*width, values.len())),
            _ => None,
        }
    }
}

/// Some rows of a table: named columns with equally many rows.
///
/// In text tables a vector column `v` becomes the columns `v[0]`, `v[1]` and so on; a vector column without a name becomes
/// `0`, `1` and so on, as plain matrices are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    columns: Vec<(String, ColumnData)>,
    rows: usize,
}

impl Frame {
    /// Columns with equally many rows and different names.
    ///
    /// # Errors
    /// [`FrameError`] where that is not so, if there are no columns, or if vectors are empty or not whole.
    pub fn new(columns: Vec<(String, ColumnData)>) -> Result<Self, FrameError> {
        let rows = columns.first().ok_or(FrameError::NoColumns)?.1.rows();
        let mut names = HashSet::new();
        for (name, data) in &columns {
            if let Some((width, values)) = data.vector().filter(|(width, values)| *width == 0 || values % width != 0) {
                return Err(FrameError::NotWhole { column: name.clone(), width, values });
            }
            if data.rows() != rows {
                let (first, got) = (columns[0].0.clone(), data.rows());
                return Err(FrameError::RowCount { column: name.clone(), got, first, expected: rows });
            }
            if !names.insert(name.as_str()) {
                return Err(FrameError::DuplicateColumn { name: name.clone() });
            }
        }
        Ok(Self { columns, rows })
    }

    /// The columns with their names.
    pub fn columns(&self) -> &[(String, ColumnData)] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names and kinds of the columns, which frames of one table share.
    pub(super) fn described(&self) -> Vec<String> {
        self.columns.iter().map(|(name, data)| format!("\"{name}\" ({})", data.kind())).collect()
    }
}
