//! Like with like: for each peer the fastest of ours that is no less accurate. A ratio between rows of unlike accuracy says little.

use super::Question;
use super::remark::Remark;
use super::row::{Row, fixed};

/// Which way a measurement is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Errors, times.
    Less,
    /// Accuracies, queries per second.
    More,
}

/// A measurement by which rows are judged.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// What stands behind a number in a text, with the space before it.
    pub unit: &'static str,
    /// Digits behind the point.
    pub decimals: usize,
    /// Which way it is better.
    pub better: Better,
}

/// Errors, as most questions have them.
pub const ERROR: Measure =
    Measure { name: "error_percent", title: "error %", unit: " % wrong", decimals: 2, better: Better::Less };

impl Measure {
    /// That of a row.
    fn of(&self, row: &Row) -> Option<f64> {
        row.median(self.name)
    }

    /// Whether `one` is as good as `other` or better. Percentages of equal counts are equal.
    fn is_no_worse(&self, one: f64, other: f64) -> bool {
        match self.better {
            Better::Less => one <= other + 1e-9,
            Better::More => one >= other - 1e-9,
        }
    }

    /// How many times better `one` is than `other`.
    pub fn factor(&self, one: f64, other: f64) -> f64 {
        match self.better {
            Better::Less => other / one,
            Better::More => one / other,
        }
    }

    /// A number of it, for a text.
    pub fn text(&self, value: f64) -> String {
        format!("{}{}", fixed(value, self.decimals), self.unit)
    }
}

/// By what the rows of a question are judged.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// How good the answers are.
    pub quality: Measure,
    /// How soon they come.
    pub speed: Measure,
    /// A quality that is enough, of questions where all methods have a knob for it: then each is judged by its fastest that has it.
    pub enough: Option<f64>,
    /// The measurement of what it holds, in millions of bytes.
    pub size: &'static str,
}

/// A peer beside ours.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The peer.
    pub peer: &'a Row,
    /// The fastest of ours that is no less accurate.
    pub ours: Option<&'a Row>,
    /// How many times faster that is.
    pub factor: Option<f64>,
    /// Who wins.
    pub verdict: Verdict,
}

/// Who wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// One of ours is no less accurate and no slower.
    Ours,
    /// Those of ours that are no less accurate are slower.
    PeerFaster,
    /// None of ours is as accurate.
    PeerMoreAccurate,
    /// None of ours is as accurate, and our most accurate is slower.
    PeerMoreAccurateInLess,
    /// It was asked about fewer queries, so that its error is of others.
    OtherQueries,
}

impl Verdict {
    /// Whether the peer wins.
    pub fn is_peers(self) -> bool {
        matches!(self, Self::PeerFaster | Self::PeerMoreAccurate | Self::PeerMoreAccurateInLess)
    }

    /// For the table.
    fn text(self) -> &'static str {
        match self {
            Self::Ours => "",
            Self::PeerFaster => "**the peer is faster**",
            Self::PeerMoreAccurate => "**the peer is more accurate**",
            Self::PeerMoreAccurateInLess => "**the peer is more accurate, in less time**",
            Self::OtherQueries => "asked about fewer queries: errors are not compared",
        }
    }
}

impl Judged {
    /// The rows that are compared with each other: those of one data set, and of one number of examples where there are several.
    pub fn groups<'a>(&self, rows: &'a [Row]) -> Vec<Vec<&'a Row>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        for row in rows {
            let is_alike = |other: &Row| other.data == row.data && (self.enough.is_some() || other.at == row.at);
            match groups.iter_mut().find(|group| is_alike(group[0])) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        groups
    }

    /// The best of ours or of the peers in a group: the most accurate, among equals the fastest; where some quality is enough, the fastest that has it.
    pub fn best<'a>(&self, group: &[&'a Row], is_ours: bool) -> Option<&'a Row> {
        let all: Vec<&Row> = group.iter().copied().filter(|row| row.is_ours == is_ours).collect();
        let whole = whole_queries(group);
        self.best_of(all.into_iter().filter(|row| has_whole(row, whole)))
    }

    fn best_of<'a>(&self, rows: impl Iterator<Item = &'a Row>) -> Option<&'a Row> {
        let mut best: Option<(&Row, f64, f64)> = None;
        for row in rows {
            let (Some(mut quality), Some(speed)) = (self.quality.of(row), self.speed.of(row)) else { continue };
            if let Some(enough) = self.enough.filter(|enough| self.quality.is_no_worse(quality, *enough)) {
                quality = enough;
            }
            let is_better = best.is_none_or(|(_, best_quality, best_speed)| {
                let (no_worse, no_better) =
                    (self.quality.is_no_worse(quality, best_quality), self.quality.is_no_worse(best_quality, quality));
                no_worse && (!no_better || self.speed.factor(speed, best_speed) > 1.0)
            });
            if is_better {
                best = Some((row, quality, speed));
            }
        }
        best.map(|(row, ..)| row)
    }

    /// Each peer beside the fastest of ours that is no less accurate, within each group. Peers without numbers are left out.
    pub fn comparisons<'a>(&self, rows: &'a [Row]) -> Vec<Comparison<'a>> {
        self.groups(rows).iter().flat_map(|group| self.compare(group)).collect()
    }

    fn compare<'a>(&self, group: &[&'a Row]) -> Vec<Comparison<'a>> {
        let (whole, best_of_ours) = (whole_queries(group), self.best(group, true));
        let mut all = Vec::new();
        for peer in self.peers(group) {
            let (Some(quality), Some(speed)) = (self.quality.of(peer), self.speed.of(peer)) else { continue };
            let is_ours = |row: &&&Row| {
                row.is_ours && self.quality.of(row).is_some_and(|ours| self.quality.is_no_worse(ours, quality))
            };
            let fastest = group.iter().filter(is_ours).filter_map(|row| Some((*row, self.speed.of(row)?)));
            let fastest = fastest.max_by(|one, other| self.speed.factor(one.1, other.1).total_cmp(&1.0));
            let factor = fastest.map(|(_, ours)| self.speed.factor(ours, speed));
            let is_slower = |row: &Row| self.speed.of(row).is_some_and(|ours| self.speed.factor(ours, speed) < 1.0);
            let verdict = match factor {
                _ if !has_whole(peer, whole) => Verdict::OtherQueries,
                Some(factor) if factor < 1.0 => Verdict::PeerFaster,
                Some(_) => Verdict::Ours,
                None if best_of_ours.is_some_and(is_slower) => Verdict::PeerMoreAccurateInLess,
                None => Verdict::PeerMoreAccurate,
            };
            let (ours, factor) = match verdict {
                Verdict::OtherQueries => (None, None),
                _ => (fastest.map(|(row, _)| row), factor),
            };
            all.push(Comparison { peer, ours, factor, verdict });
        }
        all
    }

    /// The rows that stand for the peers of a group: all, or the best of each method where it has a knob.
    fn peers<'a>(&self, group: &[&'a Row]) -> Vec<&'a Row> {
        let peers: Vec<&Row> = group.iter().copied().filter(|row| !row.is_ours).collect();
        match self.enough {
            None => peers,
            Some(_) => peers
                .chunk_by(|one, next| one.method == next.method)
                .filter_map(|of_method| self.best_of(of_method.iter().copied()))
                .collect(),
        }
    }

    /// The table below the table.
    pub fn remark(&self, question: Question, rows: &[Row]) -> Option<Remark> {
        let comparisons = self.comparisons(rows);
        let has_sizes = self.enough.is_none() && rows.iter().any(|row| row.at.is_some());
        let text = |measure: &Measure, row: Option<&Row>| {
            row.and_then(|row| measure.of(row)).map_or("-".to_owned(), |value| fixed(value, measure.decimals))
        };
        let line = |Comparison { peer, ours, factor, verdict }: &Comparison<'_>| {
            let why = verdict.is_peers().then(|| reason(question, &peer.method)).flatten();
            let note = [Some(verdict.text()), why].into_iter().flatten().collect::<Vec<_>>().join(": ");
            let mut cells = vec![peer.data.clone()];
            cells.extend(has_sizes.then(|| peer.at.map(|at| at.to_string()).unwrap_or_default()));
            cells.push(peer.method.clone());
            cells.push(ours.map_or("none".to_owned(), |row| row.method.clone()));
            for measure in [&self.quality, &self.speed] {
                cells.extend([text(measure, Some(peer)), text(measure, *ours)]);
            }
            cells.extend([factor.map_or("-".to_owned(), |factor| fixed(factor, 2)), note]);
            cells
        };
        let lines: Vec<Vec<String>> = comparisons.iter().map(line).collect();
        let [quality, speed] = [&self.quality, &self.speed].map(|measure| measure.title);
        let mut head = vec!["data".to_owned()];
        head.extend(has_sizes.then(|| "examples".to_owned()));
        head.extend(["peer", "our fastest"].map(str::to_owned));
        head.extend([quality, speed].iter().flat_map(|title| [format!("peer: {title}"), format!("ours: {title}")]));
        head.extend(["times faster", "note"].map(str::to_owned));
        let of_which = match self.enough {
            Some(enough) => format!(" Each peer by its fastest with {enough} or more, if it has one."),
            None => String::new(),
        };
        let text = format!(
            "Each peer beside our fastest that is no worse in `{quality}`, by `{speed}`.{of_which} Above 1, ours is faster."
        );
        let words = head
            .iter()
            .enumerate()
            .filter(|(_, title)| ["data", "peer", "our fastest", "note"].contains(&title.as_str()));
        let words = words.map(|(at, _)| at).collect();
        (!lines.is_empty()).then_some(Remark::Table { text, words, head, rows: lines })
    }
}

/// The queries of a group that were asked, at most; what does not tell was asked all.
fn whole_queries(group: &[&Row]) -> f64 {
    group.iter().filter_map(|row| row.median("n_queries")).fold(0.0, f64::max)
}

fn has_whole(row: &Row, whole: f64) -> bool {
    row.median("n_queries").is_none_or(|n| n >= whole)
}

/// Why a peer wins where it does, and what would change it: shown only where it does. `peers summary` names those that have none yet.
pub fn reason(question: Question, method: &str) -> Option<&'static str> {
    let is = |word: &str| method.contains(word);
    match question {
        Question::Neighbors if is("HNSW") || is("usearch") || is("hnswlib") || is("pynndescent") => Some(
            "a graph over all rows is entered near the query and walked on all sides, where a tree has one way down and must look at more rows for the same recall; a \
             graph beside the tree would change it",
        ),
        Question::Raw if is("random forest") => Some(
            "it splits by one column at a time and leaves useless ones out, where a distance counts all alike; weights of columns, or a learned space, would change it",
        ),
        Question::Raw if is("kd tree") || is("ball tree") => Some(
            "with few columns whole boxes of rows are ruled out, where our scan compares with all; bounds on blocks of rows would change it",
        ),
        Question::Raw if is("FAISS flat") => Some(
            "where rows are few the whole takes less than a millisecond, and what a call costs decides; fewer checks and copies on the way in would change it",
        ),
        Question::Raw if is("HNSW") || is("usearch") || is("hnswlib") => Some(
            "a graph looks at few of the rows, where our scan compares with all; a graph beside the scan would change it",
        ),
        Question::Learned if is("FAISS") || is("NCA") => Some(
            "it keeps all examples and answers by the nearest of them, where a tree keeps a few of a hundred and walks; a scan over the learned space would change it",
        ),
        Question::Serve if is("scikit-learn") => Some(
            "a layer for the classes answers, with weights of its own, where ours walks a tree in a space of 5 epochs; one that was learned for longer would change it",
        ),
        Question::Stream if is("ARF") => Some(
            "it finds out when the stream changes and replaces the trees that no longer fit, where ours forgets by age alone; forgetting by a test for change would change it",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: Measure = Measure { name: "s", title: "seconds", unit: " s", decimals: 1, better: Better::Less };
    const JUDGED: Judged = Judged { quality: ERROR, speed: SECONDS, enough: None, size: "megabytes" };

    fn row(method: &str, is_ours: bool, error: f64, seconds: f64) -> Row {
        let mut row = Row::new("digits", method, is_ours, 2);
        row.push("error_percent", error);
        row.push("s", seconds);
        row
    }

    #[test]
    fn a_peer_is_compared_with_our_fastest_that_is_no_less_accurate() {
        let rows = [
            row("tree", true, 12.0, 1.0),
            row("forest", true, 2.0, 6.0),
            row("scan", true, 3.0, 3.0),
            row("brute", false, 3.0, 12.0),
            row("quick brute", false, 3.0, 2.0),
            row("marvel", false, 1.0, 5.0),
            row("slow marvel", false, 1.0, 50.0),
            Row::new("digits", "absent", false, 2),
        ];
        let found: Vec<(&str, Option<&str>, Option<f64>, Verdict)> = JUDGED
            .comparisons(&rows)
            .iter()
            .map(|one| (one.peer.method.as_str(), one.ours.map(|row| row.method.as_str()), one.factor, one.verdict))
            .collect();
        assert_eq!(
            found,
            [
                ("brute", Some("scan"), Some(4.0), Verdict::Ours),
                // 2 s by the 3 s of the scan, though the tree takes 1 s: that has 12 % wrong.
                ("quick brute", Some("scan"), Some(2.0 / 3.0), Verdict::PeerFaster),
                // Our most accurate, the forest, takes 6 s.
                ("marvel", None, None, Verdict::PeerMoreAccurateInLess),
                ("slow marvel", None, None, Verdict::PeerMoreAccurate),
            ]
        );
        let said = JUDGED.remark(Question::Raw, &rows).unwrap().markdown();
        assert!(said.contains("| digits | brute | scan | 3.00 | 3.00 | 12.0 | 3.0 | 4.00 |  |"), "{said}");
        assert!(
            said.contains("| marvel | none | 1.00 | - | 5.0 | - | - | **the peer is more accurate, in less time** |")
        );
    }

    #[test]
    fn an_error_of_other_queries_is_not_compared() {
        let mut rows = [row("scan", true, 3.0, 3.0), row("brute", false, 3.0, 9.0), row("kd", false, 1.0, 90.0)];
        rows[1].push("n_queries", 1000.0);
        rows[2].push("n_queries", 500.0);
        let verdicts: Vec<Verdict> = JUDGED.comparisons(&rows).iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, [Verdict::Ours, Verdict::OtherQueries]);
        let group: Vec<&Row> = rows.iter().collect();
        assert_eq!(JUDGED.best(&group, false).map(|row| row.method.as_str()), Some("brute"));
    }

    #[test]
    fn sizes_are_compared_each_with_its_own() {
        let at = |row: Row, n: u64| row.at(n);
        let rows = [
            at(row("tree", true, 1.0, 1.0), 10),
            at(row("flat", false, 1.0, 2.0), 10),
            at(row("tree", true, 1.0, 3.0), 20),
            at(row("flat", false, 1.0, 9.0), 20),
        ];
        let factors: Vec<Option<f64>> = JUDGED.comparisons(&rows).iter().map(|one| one.factor).collect();
        assert_eq!(factors, [Some(2.0), Some(3.0)]);
        let said = JUDGED.remark(Question::Grow, &rows).unwrap().markdown();
        assert!(said.contains("| digits | 20 | flat | tree |"), "{said}");
    }

    #[test]
    fn where_some_quality_is_enough_the_fastest_that_has_it_counts() {
        let recall = Measure { name: "recall", title: "recall", unit: " %", decimals: 1, better: Better::More };
        let speed = Measure { name: "per_second", title: "per second", unit: "/s", decimals: 0, better: Better::More };
        let judged = Judged { quality: recall, speed, enough: Some(95.0), size: "megabytes" };
        let row = |method: &str, is_ours: bool, effort: u64, recall: f64, per_second: f64| {
            let mut row = Row::new("digits", method, is_ours, 2).at(effort);
            row.push("recall", recall);
            row.push("per_second", per_second);
            row
        };
        let rows = [
            row("scan", true, 0, 100.0, 50.0),
            row("tree", true, 1, 90.0, 900.0),
            row("tree", true, 2, 98.0, 200.0),
            row("HNSW", false, 1, 80.0, 9000.0),
            row("HNSW", false, 2, 97.0, 400.0),
            row("HNSW", false, 3, 99.0, 300.0),
            row("flat", false, 0, 100.0, 25.0),
        ];
        let group: Vec<&Row> = rows.iter().collect();
        assert_eq!(judged.best(&group, true).and_then(|row| row.at), Some(2));
        assert_eq!(judged.best(&group, false).and_then(|row| row.at), Some(2));
        let found: Vec<(&str, Option<f64>)> =
            judged.comparisons(&rows).iter().map(|one| (one.peer.method.as_str(), one.factor)).collect();
        // Against the exact one our tree of 98 % is of no use: the scan is.
        assert_eq!(found, [("HNSW", Some(0.5)), ("flat", Some(2.0))]);
    }

    #[test]
    fn reasons_are_given_where_a_peer_wins() {
        let rows = [row("scan", true, 30.0, 3.0), row("scikit-learn random forest(50)", false, 20.0, 3.0)];
        let said = JUDGED.remark(Question::Raw, &rows).unwrap().markdown();
        assert!(said.contains("**the peer is more accurate**: it splits by one column at a time"), "{said}");
        let said = JUDGED.remark(Question::Raw, &[row("scan", true, 1.0, 3.0), rows[1].clone()]).unwrap().markdown();
        assert!(!said.contains("splits"), "{said}");
    }
}
