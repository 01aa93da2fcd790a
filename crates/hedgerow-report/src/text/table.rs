//! Aligned tables, and bars.

use unicode_width::UnicodeWidthStr;

use super::{Characters, cut, pad, tame};
use crate::{Alignment, Column};

/// Cells longer than this are cut, but for those of the last column: one endless name must not push other columns out of sight.
const LONGEST_CELL: usize = 60;

/// A table with a line of headings, columns two cells apart. Cells that are missing stay empty, those beyond the columns are not shown.
pub fn text_table(columns: &[Column], rows: &[Vec<String>]) -> String {
    let clean = |place: usize, text: &str| {
        let is_last = place + 1 == columns.len();
        if is_last { tame(text) } else { cut(&tame(text), LONGEST_CELL) }
    };
    let headings = columns.iter().enumerate().map(|(place, column)| clean(place, &column.name)).collect::<Vec<_>>();
    let row = |row: &Vec<String>| {
        (0..columns.len()).map(|place| row.get(place).map_or(String::new(), |cell| clean(place, cell))).collect()
    };
    let lines = std::iter::once(headings).chain(rows.iter().map(row)).collect::<Vec<Vec<String>>>();
    let width = |place: usize| lines.iter().map(|line| line[place].width()).max().unwrap_or(0);
    let widths = (0..columns.len()).map(width).collect::<Vec<_>>();
    let mut text = String::new();
    for line in &lines {
        let cell = |place: usize| match columns[place].alignment {
            Alignment::Left => pad(&line[place], widths[place]),
            Alignment::Right => format!("{}{}", " ".repeat(widths[place] - line[place].width()), line[place]),
        };
        let cells = (0..columns.len()).map(cell).collect::<Vec<_>>().join("  ");
        text.push_str(cells.trim_end());
        text.push('\n');
    }
    text
}

/// A bar for a share from 0 to 1 of `cells` cells, filled with blanks to that width. Shares outside are cut off; NaN is 0.
pub fn text_bar(share: f64, cells: usize, characters: Characters) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let bar = match characters {
        Characters::Unicode => {
            let eighths = (share * cells as f64 * 8.0).round() as usize;
            format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
        }
        Characters::Ascii => "#".repeat((share * cells as f64).round() as usize),
    };
    pad(&bar, cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let columns = [Column::left("class"), Column::right("error")];
        let rows = [vec!["日本".to_owned(), "1.42 %".to_owned()], vec!["a\tb".to_owned()]];
        assert_eq!(text_table(&columns, &rows), "class   error\n日本   1.42 %\na?b\n");
        assert_eq!(text_table(&[], &rows), "\n\n\n");
        assert!(text_table(&columns, &[vec!["x".repeat(5000)]]).lines().all(|line| line.len() < 80));
        // Behind the last column there is nothing to push: a note is told whole.
        let note = "x".repeat(100);
        assert!(text_table(&columns, &[vec![String::new(), note.clone()]]).contains(&note));
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(text_bar(0.5, 4, Characters::Unicode), "██  ");
        assert_eq!(text_bar(0.4, 4, Characters::Unicode), "█▋  "); // 12.8 eighths, 13
        assert_eq!(text_bar(0.4, 4, Characters::Ascii), "##  ");
        assert_eq!(text_bar(7.0, 2, Characters::Ascii), "##");
        assert_eq!(text_bar(f64::NAN, 2, Characters::Ascii), "  ");
    }
}
