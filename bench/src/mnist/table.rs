//! The results on MNIST as text.

use std::fmt::Write;

use crate::interleaved::{least, median};

/// The results of one structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    name: &'static str,
    target: &'static str,
    /// One for each repeat.
    pub train_seconds: Vec<f64>,
    /// One for each repeat, of all test images together.
    pub query_seconds: Vec<f64>,
    /// Test images answered wrongly.
    pub n_wrong: usize,
    /// Training images kept.
    pub n_stored: usize,
    /// Memory held.
    pub size_bytes: usize,
}

impl Row {
    pub(super) fn new(name: &'static str, target: &'static str) -> Self {
        let (train_seconds, query_seconds) = (Vec::new(), Vec::new());
        Self { name, target, train_seconds, query_seconds, n_wrong: 0, n_stored: 0, size_bytes: 0 }
    }
}

/// The results of all structures.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// One for each structure.
    pub rows: Vec<Row>,
    /// Training images.
    pub n_train: usize,
    /// Test images.
    pub n_test: usize,
    /// Threads at work.
    pub threads: usize,
}

/// The only time, or the median with the least in brackets.
fn times(seconds: &[f64]) -> String {
    match seconds.len() {
        1 => format!("{:.3}", seconds[0]),
        _ => format!("{:.3} ({:.3})", median(seconds), least(seconds)),
    }
}

impl Table {
    fn error_percent(&self, row: &Row) -> f64 {
        100.0 * row.n_wrong as f64 / self.n_test as f64
    }

    /// One line for each structure.
    pub fn markdown(&self) -> String {
        let mut text = format!("{} training images, {} queries", self.n_train, self.n_test);
        let repeats = self.rows.first().map_or(0, |row| row.train_seconds.len());
        if repeats > 1 {
            text += &format!("; of {repeats} repeats the median, and the minimum in brackets");
        }
        text += ".\n\n| structure | train s | query s | us per query | error % | stored | bytes | threads | target |\n";
        text += "|---|--:|--:|--:|--:|--:|--:|--:|---|\n";
        for row in &self.rows {
            let (train, query) = (times(&row.train_seconds), times(&row.query_seconds));
            let per_query = 1e6 * median(&row.query_seconds) / self.n_test as f64;
            let error = self.error_percent(row);
            let Row { name, target, n_stored, size_bytes, .. } = row;
            let threads = self.threads;
            text += &format!(
                "| {name} | {train} | {query} | {per_query:.1} | {error:.2} | {n_stored} | {size_bytes} | {threads} | {target} |\n"
            );
        }
        text
    }

    /// One line for each structure and repeat.
    pub fn csv(&self) -> String {
        let mut text =
            "structure,repeat,train_seconds,query_seconds,n_queries,error_percent,n_stored,size_bytes,threads\n"
                .to_owned();
        for row in &self.rows {
            for (repeat, (train, query)) in row.train_seconds.iter().zip(&row.query_seconds).enumerate() {
                let error = self.error_percent(row);
                let Row { name, n_stored, size_bytes, .. } = row;
                let Self { n_test, threads, .. } = self;
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "\"{name}\",{repeat},{train:.6},{query:.6},{n_test},{error:.4},{n_stored},{size_bytes},{threads}"
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(train_seconds: Vec<f64>, query_seconds: Vec<f64>) -> Table {
        let row = Row { train_seconds, query_seconds, n_wrong: 3, n_stored: 7, size_bytes: 99, ..Row::new("tree", "") };
        Table { rows: vec![row], n_train: 60, n_test: 200, threads: 2 }
    }

    #[test]
    fn one_line_for_each_structure() {
        let text = table(vec![1.0], vec![0.5]).markdown();
        // 0.5 s / 200 queries = 2500 us; 3 / 200 = 1.5 %
        assert!(text.ends_with("| tree | 1.000 | 0.500 | 2500.0 | 1.50 | 7 | 99 | 2 |  |\n"), "{text}");
        let text = table(vec![1.0, 4.0, 2.0], vec![0.5, 0.7, 0.6]).markdown();
        assert!(text.contains("| 2.000 (1.000) | 0.600 (0.500) | 3000.0 |"), "{text}");
    }

    #[test]
    fn one_line_for_each_repeat() {
        let text = table(vec![1.0, 4.0], vec![0.5, 0.7]).csv();
        assert_eq!(text.lines().nth(2), Some("\"tree\",1,4.000000,0.700000,200,1.5000,7,99,2"));
    }
}
