//! The matrix of answers as text, where it fits; else the pairs confused most often.

use super::{cut, tame, text_table};
use crate::number::count;
use crate::{Column, ConfusionView};

/// Longer class names are cut in the headings of columns.
const LONGEST_HEADING: usize = 8;
/// Pairs told where the matrix does not fit.
const MOST_PAIRS: usize = 12;

/// Rows are true classes, columns what was said. A matrix wider than `width` cells is told as the pairs that are confused most often.
pub fn render_confusion_text(confusion: &ConfusionView, width: usize) -> String {
    let n = confusion.classes.len();
    // At least three cells for each class; no use in drawing what cannot fit.
    if n * 3 <= width {
        let matrix = matrix(confusion);
        if matrix.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= width) {
            return matrix;
        }
    }
    let name = |class: usize| confusion.classes[class].clone();
    let pairs = confusion.most_confused(MOST_PAIRS);
    let rows = pairs.iter().map(|pair| vec![name(pair.truth), name(pair.said), count(pair.count)]).collect::<Vec<_>>();
    text_table(&[Column::left("truth"), Column::left("said"), Column::right("times")], &rows)
}

fn matrix(confusion: &ConfusionView) -> String {
    let n = confusion.classes.len();
    let heading = |name: &String| Column::right(cut(&tame(name), LONGEST_HEADING));
    let mut columns = vec![Column::left("truth")];
    columns.extend(confusion.classes.iter().map(heading));
    let has_unknown = confusion.unknown.iter().any(|&times| times > 0);
    if has_unknown {
        columns.push(Column::right("unknown"));
    }
    let cell = |times: u64| if times == 0 { ".".to_owned() } else { count(times) };
    let row = |truth: usize| {
        let mut row = vec![confusion.classes[truth].clone()];
        row.extend((0..n).map(|said| cell(confusion.count(truth, said))));
        row.extend(has_unknown.then(|| cell(confusion.unknown.get(truth).copied().unwrap_or(0))));
        row
    };
    text_table(&columns, &(0..n).map(row).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_truth_and_a_matrix_too_wide_is_told_as_pairs() {
        let confusion = ConfusionView {
            classes: vec!["cat".to_owned(), "dog".to_owned()],
            counts: vec![vec![8, 2], vec![0, 1234]],
            unknown: vec![1, 0],
        };
        let matrix = "truth  cat    dog  unknown\ncat      8      2        1\ndog      .  1,234        .\n";
        assert_eq!(render_confusion_text(&confusion, 80), matrix);
        assert_eq!(render_confusion_text(&confusion, 20), "truth  said  times\ncat    dog       2\n");
        assert_eq!(render_confusion_text(&ConfusionView::default(), 80), "truth\n");
    }
}
