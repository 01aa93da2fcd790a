//! Ratios as text: a Markdown table, JSON, CSV.

use std::fmt::Write;

use crate::interleaved::median;

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is done.
    pub what: String,
    /// What it is compared with.
    pub against: &'static str,
    /// How much of it.
    pub sizes: String,
    /// Threads of our side and of the other.
    pub threads: [usize; 2],
    /// What the times are per.
    pub per: &'static str,
    /// Our nanoseconds, one for each repeat.
    pub ours: Vec<f64>,
    /// The other side's, of the same repeats.
    pub other: Vec<f64>,
    /// The ratio aimed at, if any.
    pub target: Option<f64>,
}

impl Row {
    /// How many times faster our side is: the other's median by ours.
    pub fn ratio(&self) -> f64 {
        median(&self.other) / median(&self.ours)
    }

    /// The least and the greatest ratio of a single repeat.
    pub fn range(&self) -> [f64; 2] {
        let ratios = self.ours.iter().zip(&self.other).map(|(ours, other)| other / ours);
        ratios.fold([f64::INFINITY, 0.0], |[least, greatest], ratio| [least.min(ratio), greatest.max(ratio)])
    }

    fn threads(&self) -> String {
        match self.threads {
            [ours, other] if ours == other => ours.to_string(),
            [ours, other] => format!("{ours} to {other}"),
        }
    }

    fn target(&self) -> String {
        match self.target {
            None => String::new(),
            Some(target) if self.ratio() >= target => format!(">= {target}: met"),
            Some(target) => format!(">= {target}: **missed**"),
        }
    }
}

/// All comparisons of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// In the order in which they were measured.
    pub rows: Vec<Row>,
    /// Measurements of each side.
    pub repeats: usize,
}

/// Nanoseconds to three significant digits.
fn short(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 10.0 => format!("{n:.2}"),
        n if n < 100.0 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(|number| format!("{number:.3}")).collect::<Vec<_>>().join(", ")
}

/// A JSON string. The texts of this program hold no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Table {
    /// One line for each comparison.
    pub fn markdown(&self) -> String {
        let mut text = format!("Medians (repeats: {}), the sides in turn; ratio = other / ours.\n\n", self.repeats);
        text += "| what | against | sizes | threads | per | ours ns | other ns | ratio | range | target |\n";
        text += "|---|---|---|--:|---|--:|--:|--:|--:|---|\n";
        for row in &self.rows {
            let [least, greatest] = row.range();
            let Row { what, against, sizes, per, .. } = row;
            let (ours, other) = (short(median(&row.ours)), short(median(&row.other)));
            let (threads, ratio, target) = (row.threads(), row.ratio(), row.target());
            text += &format!(
                "| {what} | {against} | {sizes} | {threads} | {per} | {ours} | {other} | {ratio:.2} | {least:.2}-{greatest:.2} | {target} |\n"
            );
        }
        text
    }

    /// An array with an object for each comparison, every measurement in it.
    pub fn json(&self) -> String {
        let object = |row: &Row| {
            let [ours, other] = row.threads;
            let [what, against, sizes, per] = [&row.what, row.against, &row.sizes, row.per].map(quoted);
            let target = row.target.map_or("null".to_owned(), |target| target.to_string());
            format!(
                "  {{\"what\": {what}, \"against\": {against}, \"sizes\": {sizes}, \"ours_threads\": {ours}, \
                 \"other_threads\": {other}, \"per\": {per}, \"ratio\": {:.4}, \"target\": {target}, \
                 \"ours_ns\": [{}], \"other_ns\": [{}]}}",
                row.ratio(),
                list(&row.ours),
                list(&row.other)
            )
        };
        format!("[\n{}\n]\n", self.rows.iter().map(object).collect::<Vec<_>>().join(",\n"))
    }

    /// One line for each comparison and repeat.
    pub fn csv(&self) -> String {
        let mut text = "what,against,sizes,ours_threads,other_threads,per,repeat,ours_ns,other_ns\n".to_owned();
        for row in &self.rows {
            for (repeat, (ours, other)) in row.ours.iter().zip(&row.other).enumerate() {
                let [our_threads, other_threads] = row.threads;
                let [what, against, sizes, per] = [&row.what, row.against, &row.sizes, row.per].map(quoted);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{what},{against},{sizes},{our_threads},{other_threads},{per},{repeat},{ours:.3},{other:.3}"
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(target: f64) -> Row {
        Row {
            what: "pair".into(),
            against: "loop",
            sizes: "d = 2".into(),
            threads: [2, 1],
            per: "pair",
            ours: vec![2.0, 1.0, 4.0],
            other: vec![8.0, 9.0, 10.0],
            target: Some(target),
        }
    }

    #[test]
    fn ratios_of_medians_and_their_range() {
        // medians 2 and 9; single ratios 4, 9, 2.5
        assert_eq!(row(4.0).ratio(), 4.5);
        assert_eq!(row(4.0).range(), [2.5, 9.0]);
    }

    #[test]
    fn a_target_is_met_or_missed() {
        let text = Table { rows: vec![row(4.0), row(5.0)], repeats: 3 }.markdown();
        let lines = text.lines().collect::<Vec<_>>();
        assert_eq!(lines[4], "| pair | loop | d = 2 | 2 to 1 | pair | 2.00 | 9.00 | 4.50 | 2.50-9.00 | >= 4: met |");
        assert!(lines[5].ends_with("| >= 5: **missed** |"), "{text}");
    }

    #[test]
    fn every_measurement_is_kept() {
        let table = Table { rows: vec![row(4.0)], repeats: 3 };
        assert_eq!(table.csv().lines().nth(3), Some("\"pair\",\"loop\",\"d = 2\",2,1,\"pair\",2,4.000,10.000"));
        assert!(table.json().contains("\"target\": 4, \"ours_ns\": [2.000, 1.000, 4.000], \"other_ns\": [8.000,"));
        assert_eq!(quoted("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
    }
}
