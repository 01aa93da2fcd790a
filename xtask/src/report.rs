//! Runs the chosen steps one after another and tells how each ended.

use std::time::{Duration, Instant};

use crate::step::{Outcome, Step};
use crate::workspace::Workspace;

/// A step that was run.
struct Finished {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// Runs every step, prints the table, and says whether none failed.
///
/// A failure does not stop the run: one run tells everything there is to mend.
pub(crate) fn run_all(steps: &[&'static Step], workspace: &Workspace) -> bool {
    let mut finished = Vec::new();
    for step in steps {
        println!("\n==> {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)(workspace);
        let done = Finished { name: step.name, outcome, took: start.elapsed() };
        println!("<== {}", line(&done));
        finished.push(done);
    }
    print!("\n{}", table(&finished));
    !finished.iter().any(|done| matches!(done.outcome, Outcome::Failed(_)))
}

/// `clippy        12.3 s  FAILED: exit code 101`
fn line(done: &Finished) -> String {
    let reason = done.outcome.reason();
    let colon = if reason.is_empty() { "" } else { ": " };
    format!("{:<12} {:>7.1} s  {}{colon}{reason}", done.name, done.took.as_secs_f64(), done.outcome.word())
}

/// All the lines, and a closing count in a form that test-result readers know: `N passed, N failed, N skipped`.
fn table(finished: &[Finished]) -> String {
    let count = |word: &str| finished.iter().filter(|done| done.outcome.word() == word).count();
    let lines: String = finished.iter().map(|done| line(done) + "\n").collect();
    let total: Duration = finished.iter().map(|done| done.took).sum();
    let (passed, failed, skipped) = (count("ok"), count("FAILED"), count("skipped"));
    format!(
        "{lines}{:<12} {:>7.1} s\nchecks: {passed} passed, {failed} failed, {skipped} skipped\n",
        "total",
        total.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(_: &Workspace) -> Outcome {
        Outcome::Passed
    }
    fn fails(_: &Workspace) -> Outcome {
        Outcome::Failed("exit code 101".into())
    }
    fn skips(_: &Workspace) -> Outcome {
        Outcome::Skipped("no network".into())
    }
    static PASSES: Step = Step { name: "passes", about: "", run: passes };
    static FAILS: Step = Step { name: "fails", about: "", run: fails };
    static SKIPS: Step = Step { name: "skips", about: "", run: skips };

    #[test]
    fn a_failure_anywhere_fails_the_run_and_a_skip_does_not() {
        let workspace = Workspace::here();
        assert!(run_all(&[&PASSES, &SKIPS], &workspace));
        assert!(!run_all(&[&FAILS, &PASSES], &workspace));
        assert!(!run_all(&[&PASSES, &FAILS, &SKIPS], &workspace));
    }

    #[test]
    fn the_table_has_reasons_and_counts() {
        let done = |name, outcome, millis| Finished { name, outcome, took: Duration::from_millis(millis) };
        let text = table(&[
            done("fmt", Outcome::Passed, 400),
            done("clippy", Outcome::Failed("exit code 101".into()), 12_300),
            done("wasm", Outcome::Skipped("no target".into()), 0),
        ]);
        // 0.4 + 12.3 + 0.0 = 12.7
        let expected = "fmt              0.4 s  ok\n\
                        clippy          12.3 s  FAILED: exit code 101\n\
                        wasm             0.0 s  skipped: no target\n\
                        total           12.7 s\n\
                        checks: 1 passed, 1 failed, 1 skipped\n";
        assert_eq!(text, expected);
    }
}
