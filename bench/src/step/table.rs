//! Speeds of the training step as text: a Markdown table, CSV.

use std::fmt::Write;

use super::to_error::{Course, EPOCHS, N_VALIDATION, ORDERS, TARGET_PERCENT};
use crate::interleaved::{least, median};

/// How many times faster than PyTorch our side aims to be, with two threads.
const PYTORCH_TARGET: f64 = 2.0;
/// How many times the floor our side aims to take at most.
const FLOOR_TARGET: f64 = 1.4;

/// What a side is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// This library.
    Ours,
    /// PyTorch as it is.
    Eager,
    /// PyTorch, compiled.
    Compiled,
    /// The matrix products alone.
    Floor,
}

impl Kind {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "hedgerow",
            Self::Eager => "PyTorch, eager",
            Self::Compiled => "PyTorch, torch.compile",
            Self::Floor => "floor: dense products",
        }
    }
}

/// What a side says of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
pub struct Epoch {
    /// How long it took.
    pub seconds: f64,
    /// The mean loss; the floor has none.
    pub loss: Option<f64>,
    /// The mean size of the boundary sets.
    pub n_references: Option<f64>,
}

/// The epochs of a side.
#[derive(Debug, Clone, PartialEq)]
pub struct SideTimes {
    /// What it is.
    pub kind: Kind,
    /// Threads that it has.
    pub threads: usize,
    /// The first epoch, whose time does not count.
    pub first: Option<Epoch>,
    /// One for each repeat.
    pub epochs: Vec<Epoch>,
}

impl SideTimes {
    /// A side that has done nothing yet.
    pub fn new(kind: Kind, threads: usize) -> Self {
        Self { kind, threads, first: None, epochs: Vec::new() }
    }

    fn seconds(&self) -> Vec<f64> {
        self.epochs.iter().map(|epoch| epoch.seconds).collect()
    }

    /// The median of this by that of another.
    fn ratio_to(&self, other: &Self) -> f64 {
        median(&self.seconds()) / median(&other.seconds())
    }

    /// The ratio as two cells: that of the medians, and the least and the greatest of a single repeat.
    fn ratio_cells(&self, other: &Self) -> String {
        let ratios = self.epochs.iter().zip(&other.epochs).map(|(this, other)| this.seconds / other.seconds);
        let [least, greatest] =
            ratios.fold([f64::INFINITY, 0.0], |[least, greatest], ratio| [least.min(ratio), greatest.max(ratio)]);
        format!("{:.2} | {least:.2}-{greatest:.2}", self.ratio_to(other))
    }

    /// The mean of something over the timed epochs; NaN if it is not known.
    fn mean(&self, what: impl Fn(&Epoch) -> Option<f64>) -> f64 {
        let sum: f64 = self.epochs.iter().map(|epoch| what(epoch).unwrap_or(f64::NAN)).sum();
        sum / self.epochs.len() as f64
    }
}

/// The times of all sides on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct DataTimes {
    /// What was learned from.
    pub data: &'static str,
    /// Steps of an epoch.
    pub n_rounds: usize,
    /// All that could be measured.
    pub sides: Vec<SideTimes>,
    /// Sides that could not, and why.
    pub failures: Vec<String>,
}

impl DataTimes {
    fn find(&self, kind: Kind, threads: usize) -> Option<&SideTimes> {
        self.sides.iter().find(|side| side.kind == kind && side.threads == threads)
    }

    fn row(&self, side: &SideTimes) -> String {
        let SideTimes { kind, threads, .. } = side;
        let (name, seconds) = (kind.name(), side.seconds());
        let none = || " | ".to_owned();
        let to_eager = self.find(Kind::Eager, *threads).map_or_else(none, |eager| eager.ratio_cells(side));
        let to_floor = self.find(Kind::Floor, *threads).map_or_else(none, |floor| side.ratio_cells(floor));
        let (median, least, target) = (median(&seconds), least(&seconds), self.target(side));
        format!(
            "| {} | {name} | {threads} | {median:.3} | {least:.3} | {to_eager} | {to_floor} | {target} |\n",
            self.data
        )
    }

    /// What is aimed at: for our side only, and against the faster PyTorch with two threads only.
    fn target(&self, side: &SideTimes) -> String {
        if side.kind != Kind::Ours {
            return String::new();
        }
        let said = |is_met: bool| if is_met { "met" } else { "**missed**" };
        let mut targets = Vec::new();
        let peers = [Kind::Eager, Kind::Compiled].into_iter().filter_map(|kind| self.find(kind, side.threads));
        let ratio = peers.map(|peer| peer.ratio_to(side)).reduce(f64::min).filter(|_| side.threads == 2);
        targets.extend(
            ratio.map(|ratio| format!(">= {PYTORCH_TARGET} x the faster PyTorch: {}", said(ratio >= PYTORCH_TARGET))),
        );
        let floor = self.find(Kind::Floor, side.threads).map(|floor| side.ratio_to(floor));
        targets.extend(floor.map(|ratio| format!("<= {FLOOR_TARGET} x the floor: {}", said(ratio <= FLOOR_TARGET))));
        targets.join("; ")
    }

    /// One line for each side that learns: that it does the same as the others.
    fn evidence(&self) -> String {
        let learning = self.sides.iter().filter(|side| side.kind != Kind::Floor);
        let line = |side: &SideTimes| {
            let first = side.first.and_then(|first| first.loss).unwrap_or(f64::NAN);
            let (loss, n_references) = (side.mean(|epoch| epoch.loss), side.mean(|epoch| epoch.n_references));
            let (name, threads) = (side.kind.name(), side.threads);
            format!(
                "- {}, {name}, {threads} threads: mean loss {first:.4} in the first epoch, {loss:.4} in those timed; mean size of the set {n_references:.2}\n",
                self.data
            )
        };
        learning.map(line).collect()
    }
}

/// All of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// One for each data set.
    pub data: Vec<DataTimes>,
    /// Timed epochs of each side.
    pub repeats: usize,
    /// Names and versions of the peers, or why there are none.
    pub peers: Result<String, String>,
    /// How the sides came to a low error, if that was asked for.
    pub to_error: Vec<Course>,
}

impl Table {
    /// One line for each side.
    pub fn markdown(&self) -> String {
        let (repeats, n_rounds) = (self.repeats, self.data.first().map_or(0, |data| data.n_rounds));
        let mut text =
            format!("Seconds of an epoch of {n_rounds} steps; medians (repeats: {repeats}), the sides in turn, ");
        text += "each after one epoch that is not timed.\n\n";
        text += &match &self.peers {
            Ok(versions) => format!("Peers: {versions}.\n\n"),
            Err(reason) => format!("No PyTorch: {reason}.\n\n"),
        };
        text += "| data | side | threads | s/epoch | min | eager / this | range | this / floor | range | target |\n";
        text += "|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n";
        for data in &self.data {
            data.sides.iter().for_each(|side| text += &data.row(side));
        }
        text.push('\n');
        self.data.iter().flat_map(|data| &data.failures).for_each(|failure| text += &format!("- no {failure}\n"));
        self.data.iter().for_each(|data| text += &data.evidence());
        text + &self.to_error_markdown()
    }

    fn to_error_markdown(&self) -> String {
        if self.to_error.is_empty() {
            return String::new();
        }
        let mut text =
            format!("\nFrom a cold start to a validation error of {TARGET_PERCENT} % on MNIST: a cosine over ");
        text += &format!(
            "{EPOCHS} epochs, {N_VALIDATION} pictures kept for validation, the mean over {ORDERS} orders of a boundary tree; "
        );
        text +=
            "evaluations are not counted.\n\n| side | threads | seconds | epochs | error % |\n|---|--:|--:|--:|--:|\n";
        for course in &self.to_error {
            let error = course.epochs.last().map_or(f64::NAN, |(_, error)| *error);
            let (name, threads, seconds) = (course.kind.name(), course.threads, course.seconds());
            let epochs = course.epochs.len();
            let reached = if course.is_there() { "" } else { " (not reached)" };
            text += &format!("| {name} | {threads} | {seconds:.1} | {epochs} | {error:.2}{reached} |\n");
        }
        text
    }

    /// One line for each side and epoch; epoch 0 of `step` is the one that is not timed.
    pub fn csv(&self) -> String {
        let mut text = "part,data,side,threads,epoch,seconds,loss,n_references,error_percent\n".to_owned();
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.6}"));
        let mut add = |part: &str, data: &str, (kind, threads): (Kind, usize), at: usize, epoch: &Epoch, error| {
            let Epoch { seconds, loss, n_references } = epoch;
            let (name, loss, n_references, error) = (kind.name(), number(*loss), number(*n_references), number(error));
            // Writing to a string cannot fail.
            let _ =
                writeln!(text, "{part},{data},\"{name}\",{threads},{at},{seconds:.6},{loss},{n_references},{error}");
        };
        for data in &self.data {
            for side in &data.sides {
                for (at, epoch) in side.first.iter().chain(&side.epochs).enumerate() {
                    add("step", data.data, (side.kind, side.threads), at, epoch, None);
                }
            }
        }
        for course in &self.to_error {
            for (at, (epoch, error)) in course.epochs.iter().enumerate() {
                add("to-error", "MNIST", (course.kind, course.threads), at, epoch, Some(*error));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch(seconds: f64) -> Epoch {
        Epoch { seconds, loss: Some(0.25), n_references: Some(17.5) }
    }

    fn side(kind: Kind, threads: usize, seconds: [f64; 3]) -> SideTimes {
        let epochs = seconds.map(epoch).to_vec();
        SideTimes { first: Some(Epoch { loss: Some(0.5), ..epoch(9.0) }), epochs, ..SideTimes::new(kind, threads) }
    }

    fn table(compiled: [f64; 3]) -> Table {
        let floor = Epoch { loss: None, n_references: None, ..epoch(0.5) };
        let sides = vec![
            side(Kind::Ours, 2, [0.5, 1.0, 2.0]),
            side(Kind::Eager, 2, [2.0, 3.0, 4.0]),
            side(Kind::Compiled, 2, compiled),
            SideTimes { first: Some(floor), epochs: vec![floor; 3], ..SideTimes::new(Kind::Floor, 2) },
            side(Kind::Ours, 1, [1.0; 3]),
        ];
        let data = DataTimes { data: "MNIST", n_rounds: 300, sides, failures: vec!["side, 1 threads: why".into()] };
        Table { data: vec![data], repeats: 3, peers: Ok("Python 3".into()), to_error: Vec::new() }
    }

    #[test]
    fn ratios_are_to_sides_with_as_many_threads() {
        let text = table([2.0; 3]).markdown();
        let lines = text.lines().skip(6).collect::<Vec<_>>();
        // Medians 1 and 3, singly 4, 3 and 2 times; 1 and 0.5, singly 1, 2 and 4 times; compiled 2 times.
        let ours = "| MNIST | hedgerow | 2 | 1.000 | 0.500 | 3.00 | 2.00-4.00 | 2.00 | 1.00-4.00 |";
        assert_eq!(lines[0], format!("{ours} >= 2 x the faster PyTorch: met; <= 1.4 x the floor: **missed** |"));
        assert_eq!(lines[1], "| MNIST | PyTorch, eager | 2 | 3.000 | 2.000 | 1.00 | 1.00-1.00 | 6.00 | 4.00-8.00 |  |");
        assert_eq!(lines[4], "| MNIST | hedgerow | 1 | 1.000 | 1.000 |  |  |  |  |  |");
        assert_eq!(lines[6], "- no side, 1 threads: why");
        let evidence = "mean loss 0.5000 in the first epoch, 0.2500 in those timed; mean size of the set 17.50";
        assert_eq!(lines[7], format!("- MNIST, hedgerow, 2 threads: {evidence}"));
        assert_eq!(lines.len(), 11, "the floor learns nothing: {text}");
    }

    #[test]
    fn the_target_is_against_the_faster_pytorch() {
        let text = table([1.5; 3]).markdown();
        assert!(text.contains(">= 2 x the faster PyTorch: **missed**"), "{text}");
    }

    #[test]
    fn why_there_is_no_pytorch() {
        let mut table = table([1.0; 3]);
        table.peers = Err("no Python".into());
        table.data[0].sides.retain(|side| matches!(side.kind, Kind::Ours | Kind::Floor));
        let text = table.markdown();
        assert!(text.contains("No PyTorch: no Python.\n"), "{text}");
        assert!(text.contains("| MNIST | hedgerow | 2 | 1.000 | 0.500 |  |  | 2.00 | 1.00-4.00 | <= 1.4"), "{text}");
    }

    #[test]
    fn the_time_to_an_error() {
        let course = |kind, errors: &[f64]| Course {
            kind,
            threads: 2,
            epochs: errors.iter().map(|&error| (epoch(1.5), error)).collect(),
        };
        let to_error = vec![course(Kind::Ours, &[2.0, 1.5]), course(Kind::Eager, &[2.0, 1.9, 1.7])];
        let table = Table { to_error, ..table([1.0; 3]) };
        let text = table.markdown();
        assert!(text.contains("| hedgerow | 2 | 3.0 | 2 | 1.50 |\n"), "{text}");
        assert!(text.ends_with("| PyTorch, eager | 2 | 4.5 | 3 | 1.70 (not reached) |\n"), "{text}");
        let last = "to-error,MNIST,\"PyTorch, eager\",2,2,1.500000,0.250000,17.500000,1.700000";
        assert_eq!(table.csv().lines().last(), Some(last));
    }

    #[test]
    fn every_epoch_is_kept() {
        let text = table([1.0; 3]).csv();
        assert_eq!(text.lines().nth(1), Some("step,MNIST,\"hedgerow\",2,0,9.000000,0.500000,17.500000,"));
        assert_eq!(text.lines().nth(14), Some("step,MNIST,\"floor: dense products\",2,1,0.500000,,,"));
        assert_eq!(text.lines().count(), 1 + 5 * 4);
    }
}
