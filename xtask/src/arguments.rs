//! The command line: what was asked for, and the words that explain what can be asked.

use crate::step::Step;
use crate::steps::{CHECKS, EXTRAS, find};

/// What the command line asks for.
pub(crate) enum Request {
    Help,
    List,
    Run(Vec<&'static Step>),
}

/// Reads the words after `cargo xtask`. No words at all ask for help.
///
/// # Errors
/// A sentence saying which word was not understood and what would be.
pub(crate) fn parse(words: &[String]) -> Result<Request, String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.iter().any(|word| matches!(*word, "-h" | "--help")) {
        return Ok(Request::Help);
    }
    match words.as_slice() {
        [] | ["help"] => Ok(Request::Help),
        ["check"] => Ok(Request::Run(CHECKS.iter().collect())),
        ["check", "--list"] => Ok(Request::List),
        ["check", "--only"] => Err("--only needs names, for example `--only fmt,clippy`".into()),
        ["check", "--only", names] => only(names),
        ["check", option] if option.starts_with("--only=") => only(&option["--only=".len()..]),
        ["check", rest @ ..] => Err(format!("`check` takes --list or --only NAMES, not `{}`", rest.join(" "))),
        [name] => find(name).map(|step| Request::Run(vec![step])).ok_or(format!("there is no command `{name}`")),
        [name, rest @ ..] => Err(format!("`{name}` takes no arguments, but `{}` was given", rest.join(" "))),
    }
}

/// The checks named in `names`, in the order of the list: a name twice still runs once.
fn only(names: &str) -> Result<Request, String> {
    let wanted: Vec<&str> = names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if wanted.is_empty() {
        return Err("--only needs names, for example `--only fmt,clippy`".into());
    }
    if let Some(unknown) = wanted.iter().find(|name| !CHECKS.iter().any(|step| step.name == **name)) {
        let known: Vec<&str> = CHECKS.iter().map(|step| step.name).collect();
        return Err(format!("there is no check `{unknown}`; the checks are: {}", known.join(", ")));
    }
    Ok(Request::Run(CHECKS.iter().filter(|step| wanted.contains(&step.name)).collect()))
}

/// One line for each step.
pub(crate) fn list(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("  {:<12} {}\n", step.name, step.about)).collect()
}

/// The help text; the lists in it are the lists that run.
pub(crate) fn help() -> String {
    format!(
        "usage: cargo xtask check                     every check; goes on after a failure, exits 1 if any failed\n\
         \x20      cargo xtask check --only fmt,clippy   only these\n\
         \x20      cargo xtask check --list              their names\n\
         \x20      cargo xtask NAME                      one step\n\
         \x20      cargo xtask help                      this text\n\n\
         in `check`:\n{}\nonly by name:\n{}",
        list(CHECKS),
        list(EXTRAS)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that `line` would run, or the error.
    fn names(line: &str) -> Result<Vec<&'static str>, String> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words).map(|request| match request {
            Request::Run(steps) => steps.iter().map(|step| step.name).collect(),
            Request::Help => vec!["<help>"],
            Request::List => vec!["<list>"],
        })
    }

    #[test]
    fn check_runs_every_check_and_no_extra() {
        let all = names("check").unwrap();
        assert_eq!(all.len(), CHECKS.len());
        assert!(!all.contains(&"slow"));
    }

    #[test]
    fn only_keeps_the_order_of_the_list_and_runs_each_once() {
        assert_eq!(names("check --only clippy,fmt,clippy").unwrap(), ["fmt", "clippy"]);
        assert_eq!(names("check --only=test").unwrap(), ["test"]);
    }

    #[test]
    fn a_step_is_a_command_of_its_own() {
        assert_eq!(names("msrv").unwrap(), ["msrv"]);
        assert_eq!(names("slow").unwrap(), ["slow"]);
    }

    #[test]
    fn help_and_list_run_nothing() {
        for line in ["", "help", "--help", "check --help", "check -h"] {
            assert_eq!(names(line).unwrap(), ["<help>"], "{line}");
        }
        assert_eq!(names("check --list").unwrap(), ["<list>"]);
    }

    #[test]
    fn errors_name_the_word_and_the_remedy() {
        assert!(names("chekc").unwrap_err().contains("`chekc`"));
        let unknown = names("check --only fmt,lint").unwrap_err();
        assert!(unknown.contains("`lint`") && unknown.contains("clippy"), "{unknown}");
        assert!(names("check --only").unwrap_err().contains("--only fmt,clippy"));
        assert!(names("check --only ,").unwrap_err().contains("--only fmt,clippy"));
        assert!(names("check --fast").unwrap_err().contains("--fast"));
        assert!(names("slow --quick").unwrap_err().contains("--quick"));
        // An extra is not a check: `--only slow` would else look like a check that passed.
        assert!(names("check --only slow").is_err());
    }
}
