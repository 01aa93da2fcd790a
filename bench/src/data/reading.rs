//! What one side made of a file, in a few numbers that must be the same on the other.

use hedgerow_core::PointKind;
use hedgerow_data::Dataset;

/// The greatest relative difference of two sums that are taken as equal: sides round decimals differently.
const TOLERANCE: f64 = 1e-6;

/// A summary of points and labels.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Reading {
    /// Number of points.
    pub rows: usize,
    /// Number of features.
    pub width: usize,
    /// The type of the values: `f32` or `u8`.
    pub kind: String,
    /// The sum of all values.
    pub sum: f64,
    /// The sum of all values, each times the number of its column from 1: another order of values gives another.
    pub weighted_sum: f64,
    /// The sum of the labels as numbers, if there are labels.
    pub label_sum: Option<f64>,
}

impl Reading {
    /// The summary of a data set. Labels that are no numbers make the sum NaN, which is equal to nothing.
    pub fn of(data: &Dataset) -> Self {
        let points = data.points();
        let column_sums = match (points.as_f32(), points.as_u8()) {
            (Some(values), _) => column_sums(points.width(), values),
            (_, Some(values)) => column_sums(points.width(), values),
            _ => Vec::new(),
        };
        let class_values = data.class_names().iter().map(|name| name.parse().unwrap_or(f64::NAN)).collect::<Vec<f64>>();
        let classes = data.labels().iter().filter_map(|label| label.as_class());
        Self {
            rows: data.len(),
            width: data.width(),
            kind: match points.kind() {
                PointKind::F32 => "f32",
                PointKind::U8 => "u8",
            }
            .to_owned(),
            sum: column_sums.iter().sum(),
            weighted_sum: column_sums.iter().enumerate().map(|(column, sum)| (column + 1) as f64 * sum).sum(),
            label_sum: data.label_meaning().map(|_| classes.map(|class| class_values[class.0 as usize]).sum()),
        }
    }

    /// The first thing in which two readings differ, and what it is in each.
    pub fn difference(&self, other: &Self) -> Option<(&'static str, [String; 2])> {
        let near = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs());
        let labels_near = match (self.label_sum, other.label_sum) {
            (Some(a), Some(b)) => near(a, b),
            (a, b) => a == b,
        };
        let labels = |reading: &Self| reading.label_sum.map_or("none".to_owned(), |sum| sum.to_string());
        if self.rows != other.rows {
            Some(("the number of rows", [self.rows, other.rows].map(|rows| rows.to_string())))
        } else if self.width != other.width {
            Some(("the number of features", [self.width, other.width].map(|width| width.to_string())))
        } else if self.kind != other.kind {
            Some(("the type of the values", [self.kind.clone(), other.kind.clone()]))
        } else if !near(self.sum, other.sum) {
            Some(("the sum of all values", [self.sum, other.sum].map(|sum| sum.to_string())))
        } else if !near(self.weighted_sum, other.weighted_sum) {
            let sums = [self.weighted_sum, other.weighted_sum].map(|sum| sum.to_string());
            Some(("the sum of all values times their column", sums))
        } else if !labels_near {
            Some(("the sum of the labels", [labels(self), labels(other)]))
        } else {
            None
        }
    }
}

fn column_sums<T: Copy + Into<f64>>(width: usize, values: &[T]) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for row in values.chunks(width) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += (*value).into());
    }
    sums
}

#[cfg(test)]
mod tests {
    use hedgerow_data::{ReadOptions, read_bytes};

    use super::*;

    fn reading() -> Reading {
        let data = read_bytes("a.csv", b"a,b,label\n1,2,3\n-4,5.5,7\n", &ReadOptions::default()).unwrap();
        Reading::of(&data)
    }

    #[test]
    fn sums_by_hand() {
        // Columns -3 and 7.5; -3 + 2 x 7.5 = 12; labels 3 + 7.
        let (kind, label_sum) = ("f32".to_owned(), Some(10.0));
        assert_eq!(reading(), Reading { rows: 2, width: 2, kind, sum: 4.5, weighted_sum: 12.0, label_sum });
    }

    #[test]
    fn what_differs_is_named() {
        let ours = reading();
        let difference = |other: Reading| ours.difference(&other).map(|(what, [_, other])| format!("{what}: {other}"));
        assert_eq!(difference(Reading { sum: 4.500_000_1, ..reading() }), None);
        for (other, expected) in [
            (Reading { rows: 3, ..reading() }, "the number of rows: 3"),
            (Reading { width: 3, ..reading() }, "the number of features: 3"),
            (Reading { kind: "u8".into(), ..reading() }, "the type of the values: u8"),
            (Reading { sum: 4.6, ..reading() }, "the sum of all values: 4.6"),
            (Reading { weighted_sum: 13.0, ..reading() }, "the sum of all values times their column: 13"),
            (Reading { label_sum: Some(11.0), ..reading() }, "the sum of the labels: 11"),
            (Reading { label_sum: None, ..reading() }, "the sum of the labels: none"),
            (Reading { sum: f64::NAN, ..reading() }, "the sum of all values: NaN"),
        ] {
            assert_eq!(difference(other).as_deref(), Some(expected));
        }
    }
}
