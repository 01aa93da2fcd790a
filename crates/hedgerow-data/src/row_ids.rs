//! Where the rows of a data set came from.

/// Where each row came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowIds {
    /// The row's number in its source, from 0. Where a data set has several files, they count on from one to the next.
    Numbers(Vec<u64>),
    /// The row's name in the id column.
    Names(Vec<String>),
}

impl RowIds {
    /// Numbers from 0.
    pub fn counted(rows: usize) -> Self {
        Self::Numbers((0..rows as u64).collect())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Names(names) => names.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of one row, as text.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(numbers) => numbers[row].to_string(),
            Self::Names(names) => names[row].clone(),
        }
    }

    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(rows.iter().map(|&row| numbers[row]).collect()),
            Self::Names(names) => Self::Names(rows.iter().map(|&row| names[row].clone()).collect()),
        }
    }
}
