//! The newest kept rows of every question and data set in one table: `bench/summary.md`, `bench/summary.html`, and a block of README.
//!
//! All three are made of the kept `peers-*-raw.csv` alone, and a test compares them with what these give, so that they cannot say anything else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::Question;
use super::judged::{Comparison, Verdict, reason};
use super::record::{Facts, QUICK, REVISION, Record, SAVED, STOPPED, VERSIONS};
use super::remark::{Remark, escaped, marked};
use super::row::{Row, fixed};
use super::table::{Table, page};
use super::targets::{self, Outcome};

/// The command that writes it.
const COMMAND: &str = "cargo run --release -p hedgerow-bench -- peers summary";
const TITLE: &str = "hedgerow beside other libraries";
/// What README's block stands between.
const BEGIN: &str = "<!-- peers summary: begin -->\n";
const END: &str = "<!-- peers summary: end -->\n";

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// A folder or file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// No results.
    #[error("{} has no peers-*-raw.csv to make a summary of; `peers QUESTION --save` makes them", .0.display())]
    Nothing(PathBuf),
    /// A README without the marks.
    #[error("{} lacks the lines {begin:?} and {end:?} that the summary goes between", path.display(), begin = BEGIN.trim(), end = END.trim())]
    NoBlock {
        /// The file.
        path: PathBuf,
    },
}

/// A kept file.
#[derive(Debug, Clone)]
struct KeptFile {
    /// The name of its folder, which begins with a date.
    folder: String,
    name: String,
    record: Record,
}

impl KeptFile {
    /// What the newest has most of. Files of before times were kept have their day.
    fn age(&self) -> (&str, &str, &str) {
        let day = self.folder.get(..10).unwrap_or(&self.folder);
        (self.record.facts.get(SAVED).map_or(day, String::as_str), &self.folder, &self.name)
    }
}

/// The newest rows of every question, with where they are from.
#[derive(Debug)]
pub struct Summary {
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    table: Table,
    /// The data, the folder and the revision.
    sources: Vec<[String; 3]>,
}

/// What became of one question and data set.
struct Line<'a> {
    section: &'a Section,
    data: String,
    ours: &'a Row,
    peer: Option<&'a Row>,
    comparisons: Vec<Comparison<'a>>,
    targets: Vec<Outcome>,
}

impl Summary {
    /// Reads what is kept: in all folders of `runs`, or in one of them alone. What cannot be used is named on standard error.
    ///
    /// # Errors
    /// [`SummaryError`].
    pub fn read(runs: &Path, only: Option<&Path>) -> Result<Self, SummaryError> {
        let folders = match only {
            Some(folder) => vec![folder.to_owned()],
            None => entries(runs)?.into_iter().filter(|path| path.is_dir()).collect(),
        };
        let mut files = Vec::new();
        for folder in folders {
            for path in entries(&folder)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if !name.starts_with("peers-") || !name.ends_with("-raw.csv") {
                    continue;
                }
                let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                match Record::read(&path) {
                    Ok(record) => files.push(KeptFile { folder, name, record }),
                    Err(error) => eprintln!("left out: {error}"),
                }
            }
        }
        let summary = Self::of(files);
        if summary.sections.is_empty() {
            return Err(SummaryError::Nothing(only.unwrap_or(runs).to_owned()));
        }
        Ok(summary)
    }

    /// Takes the newest rows of every question and data set. All rows of a data set are of one file, since ratios are within one run.
    fn of(mut files: Vec<KeptFile>) -> Self {
        files.retain(|file| {
            let why = [QUICK, STOPPED].into_iter().find(|fact| file.record.facts.contains_key(fact));
            if let Some(why) = why {
                eprintln!("left out: {}/{} is {why}", file.folder, file.name);
            }
            why.is_none()
        });
        files.sort_by(|one, other| other.age().cmp(&one.age()));
        let mut sections = Vec::new();
        for question in Question::ALL {
            let (mut rows, mut sources, mut versions): (Vec<Row>, Vec<[String; 3]>, Vec<String>) = Default::default();
            for file in files.iter().filter(|file| file.record.question == question) {
                let fact = |name: &str| file.record.facts.get(name).map_or("not recorded", String::as_str).to_owned();
                for of_data in file.record.rows.chunk_by(|one, next| one.data == next.data) {
                    let data = &of_data[0].data;
                    if sources.iter().any(|[known, ..]| known == data) {
                        continue;
                    }
                    rows.extend_from_slice(of_data);
                    sources.push([data.clone(), file.folder.clone(), fact(REVISION)]);
                    if !versions.contains(&fact(VERSIONS)) {
                        versions.push(fact(VERSIONS));
                    }
                }
            }
            if !rows.is_empty() {
                let facts = Facts::from([(VERSIONS, versions.join("; "))]);
                let table = Table { shape: question.shape(), rows, facts, missing: Vec::new() };
                sections.push(Section { table, sources });
            }
        }
        Self { sections }
    }

    /// One for each question and data set.
    fn lines(&self) -> Vec<Line<'_>> {
        self.sections.iter().flat_map(Section::lines).collect()
    }

    /// Where a peer wins and no reason is known.
    pub fn wins_without_reason(&self) -> Vec<String> {
        let lines = self.lines();
        let wins = lines.iter().flat_map(|line| line.wins().map(move |one| (line, one)));
        let unknown = wins.filter(|(line, one)| reason(line.section.table.shape.question, &one.peer.method).is_none());
        unknown.map(|(line, one)| format!("{}, {}: {}", line.question(), line.data, one.peer.method)).collect()
    }

    /// The table of all questions.
    fn overview(&self) -> Remark {
        let head = [
            "question",
            "data",
            "ours",
            "best peer",
            "quality",
            "stored examples",
            "MB",
            "threads",
            "time",
            "times faster",
            "times faster than each peer, by our fastest that is no worse",
            "target",
            "where a peer wins",
        ];
        let text = "Of each side the most accurate, among equals the fastest; of `neighbors` the fastest with a recall of 95 % or more. Numbers are `ours / peer`. `MB` is a million bytes. `times faster` is \
                    ours against the best peer, whichever of the two is more accurate; the column beside it compares like with like: each peer with our fastest that is no worse.";
        let words = vec![0, 1, 2, 3, 10, 11, 12];
        let rows = self.lines().iter().map(Line::cells).collect();
        Remark::Table { text: text.to_owned(), words, head: head.map(str::to_owned).to_vec(), rows }
    }

    /// `bench/summary.md`.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {TITLE}\n\n{}\n\n{}", intro(), self.overview().markdown());
        for section in &self.sections {
            let shape = section.table.shape;
            let _ = write!(
                text,
                "\n## {}: {}\n\n{}\n{}",
                shape.question.name(),
                shape.title,
                section.from().markdown(),
                section.table.markdown_body()
            );
        }
        text
    }

    /// `bench/summary.html`.
    pub fn html(&self) -> String {
        let mut body = format!("<p>{}</p>\n{}", marked(&intro()), self.overview().html());
        for section in &self.sections {
            let shape = section.table.shape;
            let title = escaped(&format!("{}: {}", shape.question.name(), shape.title));
            let _ = write!(body, "<h2>{title}</h2>\n{}{}", section.from().html(), section.table.html_body());
        }
        page(TITLE, &body)
    }

    /// The block of README, without its marks: a line for each question and data set.
    pub fn block(&self) -> String {
        let mut text = format!(
            "Beside other libraries, in one run each (`{COMMAND}` writes this table from the kept runs). Of each side the most accurate, of `neighbors` the fastest with a recall of \
             95 %; `times faster` is of these two. [bench/summary.md](bench/summary.md) has all rows, their sizes and threads, and each peer beside our fastest that is no less accurate.\n\n\
             | question | data | hedgerow | best peer | times faster | target | where a peer wins |\n|---|---|---|---|--:|---|---|\n"
        );
        for line in self.lines() {
            let wins: Vec<String> =
                line.wins().map(|one| format!("{} {}", one.peer.method, word(one.verdict))).collect();
            let cells = [
                line.question().to_owned(),
                line.data.clone(),
                line.told(Some(line.ours)),
                line.told(line.peer),
                line.ratio(),
                targets::counted(line.targets.iter()),
                wins.join("; "),
            ];
            let _ = writeln!(text, "| {} |", cells.map(|cell| cell.replace('|', "/")).join(" | "));
        }
        text
    }
}

impl Section {
    fn lines(&self) -> Vec<Line<'_>> {
        let Table { shape, rows, .. } = &self.table;
        let all_targets = targets::outcomes(shape.question, rows);
        let mut lines = Vec::new();
        for of_data in rows.chunk_by(|one, next| one.data == next.data) {
            // Of several sizes the largest that was measured.
            let groups = shape.judged.groups(of_data).into_iter();
            let groups = groups.filter_map(|group| Some((shape.judged.best(&group, true)?, group)));
            let Some((ours, group)) = groups.max_by_key(|(_, group)| group[0].at) else { continue };
            let is_sized = shape.judged.enough.is_none();
            let size = ours.at.filter(|_| is_sized).map(|n| format!(", {n} examples")).unwrap_or_default();
            let comparisons = shape.judged.comparisons(of_data).into_iter();
            lines.push(Line {
                section: self,
                data: format!("{}{size}", ours.data),
                ours,
                peer: shape.judged.best(&group, false),
                comparisons: comparisons.filter(|one| !is_sized || one.peer.at == ours.at).collect(),
                targets: all_targets.iter().filter(|outcome| outcome.data == ours.data).cloned().collect(),
            });
        }
        lines
    }

    /// Where the rows are from.
    fn from(&self) -> Remark {
        let sources =
            self.sources.iter().map(|[data, folder, revision]| format!("{data}: `runs/{folder}`, revision {revision}"));
        Remark::Text(format!("{}.", sources.collect::<Vec<_>>().join("; ")))
    }
}

impl Line<'_> {
    fn question(&self) -> &'static str {
        self.section.table.shape.question.name()
    }

    /// Those peers that win.
    fn wins(&self) -> impl Iterator<Item = &Comparison<'_>> {
        self.comparisons.iter().filter(|one| one.verdict.is_peers())
    }

    /// A row in a few words.
    fn told(&self, row: Option<&Row>) -> String {
        let judged = self.section.table.shape.judged;
        let Some(row) = row else { return "none".to_owned() };
        let number = |measure: super::judged::Measure| row.median(measure.name).map(|value| measure.text(value));
        let numbers: Vec<String> = [judged.quality, judged.speed].into_iter().filter_map(number).collect();
        format!("{}: {}", row.method, numbers.join(", "))
    }

    /// How many times faster ours is than the best peer.
    fn ratio(&self) -> String {
        let speed = self.section.table.shape.judged.speed;
        let both = self.ours.median(speed.name).zip(self.peer.and_then(|peer| peer.median(speed.name)));
        both.map_or("-".to_owned(), |(ours, peer)| fixed(speed.factor(ours, peer), 2))
    }

    fn cells(&self) -> Vec<String> {
        let judged = self.section.table.shape.judged;
        let pair = |name: &str, decimals: usize, unit: &str| {
            let text = |row: Option<&Row>| {
                row.and_then(|row| row.median(name)).map_or("-".to_owned(), |value| fixed(value, decimals))
            };
            format!("{} / {}{unit}", text(Some(self.ours)), text(self.peer))
        };
        let threads = self.peer.map_or("-".to_owned(), |peer| peer.threads.to_string());
        let each = self.comparisons.iter().map(|one| match (one.factor, one.verdict) {
            (Some(factor), _) => format!("{} {}", one.peer.method, fixed(factor, 2)),
            (None, Verdict::OtherQueries) => format!("{} not compared", one.peer.method),
            (None, _) => format!("{}: none of ours is as accurate", one.peer.method),
        });
        let targets = self.targets.iter().map(|outcome| {
            let measured = outcome.measured.as_ref().map(|(_, text)| format!(": {text}")).unwrap_or_default();
            format!("{}{measured} ({})", outcome.word(), outcome.text)
        });
        let wins = self.wins().map(|one| {
            let why = reason(self.section.table.shape.question, &one.peer.method);
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!("**{}** {}{why}", one.peer.method, word(one.verdict))
        });
        vec![
            self.question().to_owned(),
            self.data.clone(),
            self.ours.method.clone(),
            self.peer.map_or("none", |peer| &peer.method).to_owned(),
            pair(judged.quality.name, judged.quality.decimals, judged.quality.unit),
            pair("stored", 0, ""),
            pair(judged.size, 2, ""),
            format!("{} / {threads}", self.ours.threads),
            pair(judged.speed.name, judged.speed.decimals, judged.speed.unit),
            self.ratio(),
            each.collect::<Vec<_>>().join("; "),
            targets.collect::<Vec<_>>().join("; "),
            wins.collect::<Vec<_>>().join("; "),
        ]
    }
}

/// How a peer wins, in a text that begins with its name.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::PeerFaster => "is faster at no more error",
        Verdict::PeerMoreAccurate => "is more accurate",
        Verdict::PeerMoreAccurateInLess => "is more accurate in less time",
        Verdict::Ours | Verdict::OtherQueries => "",
    }
}

fn intro() -> String {
    format!(
        "Written by `{COMMAND}` from the kept runs, the newest of each question and data set: do not change it by hand. `bench/README.md` says what is measured and how to read it. Ratios within one run are the \
         result; times are of the machine that the folder of the run names."
    )
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SummaryError> {
    let failed = |source| SummaryError::File { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

/// A README with a block in the place of the one that it has.
fn with_block(readme: &str, block: &str) -> Option<String> {
    let (before, rest) = readme.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{block}{END}{after}"))
}

/// Writes the summary, and README's block. `bench` is the folder of this crate.
///
/// # Errors
/// [`SummaryError`].
pub fn write(bench: &Path, only: Option<&Path>) -> Result<Vec<PathBuf>, SummaryError> {
    let summary = Summary::read(&bench.join("runs"), only)?;
    for win in summary.wins_without_reason() {
        eprintln!("a peer wins, and `judged::reason` does not say why: {win}");
    }
    let readme = bench.parent().unwrap_or(bench).join("README.md");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SummaryError::File { path, source }
    };
    let text = std::fs::read_to_string(&readme).map_err(failed(&readme))?;
    let text = with_block(&text, &summary.block()).ok_or_else(|| SummaryError::NoBlock { path: readme.clone() })?;
    let files = vec![
        (bench.join("summary.md"), summary.markdown()),
        (bench.join("summary.html"), summary.html()),
        (readme, text),
    ];
    let mut written = Vec::new();
    for (path, text) in files {
        std::fs::write(&path, text).map_err(failed(&path))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::super::raw;
    use super::*;

    fn row(data: &str, method: &str, is_ours: bool, error: f64, total: f64) -> Row {
        let mut row = Row::new(data, method, is_ours, 2);
        row.push("error_percent", error);
        row.push("total", total);
        row
    }

    fn kept(folder: &str, name: &str, facts: &[(&'static str, &str)], rows: Vec<Row>) -> KeptFile {
        let facts = facts.iter().map(|(name, fact)| (*name, (*fact).to_owned())).collect();
        let record = Record { question: Question::Raw, facts, rows };
        KeptFile { folder: folder.to_owned(), name: name.to_owned(), record }
    }

    #[test]
    fn the_newest_of_each_data_set_counts_and_quick_ones_do_not() {
        let one =
            |data, total| vec![row(data, raw::SCAN, true, 3.0, total), row(data, raw::FAISS_FLAT, false, 3.0, 9.0)];
        let files = vec![
            kept("2026-11-20-a", "peers-raw-raw.csv", &[], [one("mnist", 1.0), one("letter", 2.0)].concat()),
            kept("2026-11-20-a", "peers-raw-mnist-raw.csv", &[(SAVED, "2026-11-20T10:00:00Z")], one("mnist", 3.0)),
            kept("2026-11-19-a", "peers-raw-raw.csv", &[], one("optdigits", 4.5)),
            kept("2026-11-21-a", "peers-raw-quick-raw.csv", &[(QUICK, "")], one("mnist", 5.0)),
            kept("2026-11-21-a", "peers-raw-stopped-raw.csv", &[(STOPPED, "no memory")], one("letter", 6.0)),
        ];
        let block = Summary::of(files).block();
        let lines: Vec<&str> = block.lines().filter(|line| line.starts_with("| raw")).collect();
        assert_eq!(lines.len(), 3, "{block}");
        assert!(lines[0].starts_with("| raw | mnist | exact 1-NN scan: 3.00 % wrong, 3.000 s | FAISS flat: 3.00 % wrong, 9.000 s | 3.00 | 1 met, 3 not measured |"), "{block}");
        assert!(lines[1].contains("| letter |") && lines[1].contains("2.000 s"), "{block}");
        assert!(lines[2].contains("| optdigits |") && lines[2].contains("| 2.00 | - |"), "{block}");
    }

    #[test]
    fn a_peer_that_wins_is_named_with_the_reason() {
        let rows = vec![row("wine", raw::SCAN, true, 40.0, 1.0), row("wine", raw::RANDOM_FOREST, false, 30.0, 2.0)];
        let summary = Summary::of(vec![kept("2026-11-20-a", "peers-raw-raw.csv", &[], rows.clone())]);
        assert!(summary.block().contains("| scikit-learn random forest(50) is more accurate |"), "{}", summary.block());
        assert!(
            summary.markdown().contains("**scikit-learn random forest(50)** is more accurate: it splits by one column")
        );
        assert_eq!(summary.wins_without_reason(), Vec::<String>::new());
        let rows = vec![rows[0].clone(), row("wine", "marvel", false, 30.0, 2.0)];
        let summary = Summary::of(vec![kept("2026-11-20-a", "peers-raw-raw.csv", &[], rows)]);
        assert_eq!(summary.wins_without_reason(), ["raw, wine: marvel"]);
    }

    #[test]
    fn of_several_sizes_the_largest_that_was_measured_counts() {
        let grown = |method: &str, is_ours: bool, n: u64, microseconds: f64| {
            let mut row = Row::new("clouds", method, is_ours, 2).at(n);
            row.push("error_percent", 1.0);
            row.push("microseconds", microseconds);
            row
        };
        let mut left_out = Row::new("clouds", "set, Hart", true, 2).at(1_000_000);
        left_out.fail("left out");
        let rows = vec![
            grown("tree(50)", true, 1000, 1.0),
            grown("FAISS flat", false, 1000, 1.0),
            grown("tree(50)", true, 10_000, 2.0),
            grown("FAISS flat", false, 10_000, 9.0),
            left_out,
        ];
        let mut file = kept("2026-11-20-a", "peers-grow-raw.csv", &[], rows);
        file.record.question = Question::Grow;
        let block = Summary::of(vec![file]).block();
        assert_eq!(block.matches("| grow |").count(), 1, "{block}");
        assert!(
            block.contains("| clouds, 10000 examples | tree(50): 1.00 % wrong, 2.00 us |")
                && block.contains("| 4.50 |")
        );
    }

    #[test]
    fn the_block_of_a_readme_is_replaced_and_nothing_else() {
        let readme = format!("before\n{BEGIN}old\n{END}after\n");
        assert_eq!(with_block(&readme, "new\n").unwrap(), format!("before\n{BEGIN}new\n{END}after\n"));
        assert_eq!(with_block("before\n", "new\n"), None);
    }

    #[test]
    fn one_folder_can_be_named_and_one_without_results_is_refused() {
        let runs = tempfile::tempdir().unwrap();
        let folders = ["2026-11-19-a", "2026-11-20-a"].map(|name| runs.path().join(name));
        for (folder, total) in folders.iter().zip([1.0, 2.0]) {
            std::fs::create_dir(folder).unwrap();
            let rows = [row("mnist", raw::SCAN, true, 3.0, total)];
            let text = super::super::record::whole(Question::Raw, &Facts::new(), &rows);
            std::fs::write(folder.join("peers-raw-raw.csv"), text).unwrap();
            // Neither results nor a reason to end.
            std::fs::write(folder.join("peers-grow-raw.csv"), "question,data\n").unwrap();
        }
        assert!(Summary::read(runs.path(), None).unwrap().block().contains("2.000 s"));
        assert!(Summary::read(runs.path(), Some(&folders[0])).unwrap().block().contains("1.000 s"));
        let error = Summary::read(tempfile::tempdir().unwrap().path(), None).unwrap_err();
        assert!(matches!(error, SummaryError::Nothing(_)), "{error}");
    }

    #[test]
    fn the_kept_summary_and_readme_say_what_the_kept_runs_give() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let summary = Summary::read(&bench.join("runs"), None).unwrap();
        let readme = bench.join("../README.md");
        let text = std::fs::read_to_string(&readme).unwrap();
        let block = with_block(&text, &summary.block()).expect("README has the marks");
        let files = [
            (bench.join("summary.md"), summary.markdown()),
            (bench.join("summary.html"), summary.html()),
            (readme, block),
        ];
        for (path, expected) in files {
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(kept == expected, "{} is not what the kept runs give: run `{COMMAND}`", path.display());
        }
    }
}
