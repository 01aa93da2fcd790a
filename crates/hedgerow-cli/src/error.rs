//! How failures are told: what happened, why, and what to do, in words and never as Rust prints its values.
//!
//! As text, an error is `error: ...`, then a line `caused by: ...` for each cause that says something new, then `hint: ...`.
//! With `--json` it is one object on standard error, so that standard output holds an answer or nothing:
//! `{"error": "...", "causes": ["..."], "hints": ["..."], "exit_code": 1}`.

use std::fmt;
use std::io::Write;

use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hedgerow_report::tame;
use serde::Serialize;

use crate::app::{EXIT_FAILED, EXIT_USAGE};

/// How errors are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// What is shown of an error.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Told {
    error: String,
    causes: Vec<String>,
    hints: Vec<String>,
    exit_code: u8,
}

/// Tells an error; gives the exit code that it means: `failed`, unless the command line was not understood.
pub(crate) fn tell(error: &anyhow::Error, format: ErrorFormat, failed: u8) -> u8 {
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        return tell_usage(usage, format);
    }
    Told { exit_code: failed, ..Told::of(error) }.print(format)
}

/// Tells that a command line was not understood, or gives the help that was asked for; gives the exit code.
pub(crate) fn tell_usage(error: &clap::Error, format: ErrorFormat) -> u8 {
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if is_answer || format == ErrorFormat::Text {
        // What cannot be shown because nobody reads on is no failure.
        let _ = error.print();
        return if is_answer { 0 } else { EXIT_USAGE };
    }
    Told::of_usage(error).print(format)
}

/// An error of the command line that clap cannot see, such as flags that exclude one another in some verbs only: exit 2.
pub(crate) fn usage(text: impl fmt::Display) -> anyhow::Error {
    clap::Error::raw(ErrorKind::ArgumentConflict, format!("{text}\n")).into()
}

impl Told {
    fn of(error: &anyhow::Error) -> Self {
        let mut texts: Vec<String> = Vec::new();
        let mut hints = Vec::new();
        for cause in error.chain() {
            if let Some(hinted) = cause.downcast_ref::<Hinted>() {
                hints.push(hinted.hint.clone());
            }
            let text = cause.to_string();
            // Many errors quote their cause already.
            if !text.is_empty() && !texts.iter().any(|before| before.contains(&text)) {
                texts.push(text);
            }
        }
        let mut texts = texts.into_iter();
        let error = texts.next().unwrap_or_else(|| "it failed, for no reason that is known".to_owned());
        Self { error, causes: texts.collect(), hints, exit_code: EXIT_FAILED }
    }

    fn of_usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        // The message ends at the first empty line; tips and the usage follow.
        let message = text.split("\n\n").next().unwrap_or(&text);
        let message = message.strip_prefix("error: ").unwrap_or(message).trim_end().to_owned();
        let hints = error.context().filter_map(|(kind, value)| hint_of(kind, value)).collect();
        Self { error: message, causes: Vec::new(), hints, exit_code: EXIT_USAGE }
    }

    fn print(&self, format: ErrorFormat) -> u8 {
        let text = match format {
            ErrorFormat::Text => self.to_string(),
            ErrorFormat::Json => serde_json::to_string(self).expect("texts and a number become JSON"),
        };
        // There is no place left to tell that standard error is closed.
        let _ = writeln!(anstream::stderr(), "{text}");
        self.exit_code
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let red = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        let green = Style::new().bold().fg_color(Some(AnsiColor::Green.into()));
        let bold = Style::new().bold();
        write!(f, "{red}error:{red:#} {}", tame_lines(&self.error))?;
        for cause in &self.causes {
            write!(f, "\n  {bold}caused by:{bold:#} {}", tame_lines(cause))?;
        }
        for hint in &self.hints {
            write!(f, "\n  {green}hint:{green:#} {}", tame_lines(hint))?;
        }
        Ok(())
    }
}

/// Errors quote what files have, which must not steer the terminal; some have several lines.
fn tame_lines(text: &str) -> String {
    text.split('\n').map(tame).collect::<Vec<_>>().join("\n")
}

fn hint_of(kind: ContextKind, value: &ContextValue) -> Option<String> {
    let suggests = matches!(
        kind,
        ContextKind::SuggestedSubcommand
            | ContextKind::SuggestedArg
            | ContextKind::SuggestedValue
            | ContextKind::SuggestedCommand
    );
    let names = match value {
        ContextValue::String(name) => name.clone(),
        ContextValue::Strings(names) => names.join(", "),
        _ => return None,
    };
    (suggests && !names.is_empty()).then(|| format!("did you mean {names}?"))
}

/// An error with advice that is not part of what went wrong.
#[derive(Debug)]
pub(crate) struct Hinted {
    error: anyhow::Error,
    hint: String,
}

impl Hinted {
    pub(crate) fn new(error: impl Into<anyhow::Error>, hint: impl fmt::Display) -> Self {
        Self { error: error.into(), hint: hint.to_string() }
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Hinted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

/// Adds advice to an error: `open(path).hint("...")?`.
pub(crate) trait WithHint<T> {
    /// The same, with a `hint:` line if it is an error.
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> WithHint<T> for Result<T, E> {
    fn hint(self, hint: impl fmt::Display) -> anyhow::Result<T> {
        self.map_err(|error| Hinted::new(error, hint).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context as _, anyhow};

    fn shown(error: &anyhow::Error) -> String {
        anstream::adapter::strip_str(&Told::of(error).to_string()).to_string()
    }

    #[test]
    fn causes_follow_what_happened() {
        let error = anyhow!("the disk is full").context("cannot write report.html").context("no report");
        let expected = "error: no report\n  caused by: cannot write report.html\n  caused by: the disk is full";
        assert_eq!(shown(&error), expected);
    }

    #[test]
    fn a_cause_that_was_quoted_is_not_repeated() {
        let error = anyhow!("permission denied").context("cannot read a.csv: permission denied; allow reading it");
        assert_eq!(shown(&error), "error: cannot read a.csv: permission denied; allow reading it");
    }

    #[test]
    fn hints_come_last_wherever_they_were_given() {
        let inner: anyhow::Result<()> = Err(anyhow!("inner cause").context("no file")).hint("make one");
        let error = inner.context("cannot begin").expect_err("it is one");
        let expected = "error: cannot begin\n  caused by: no file\n  caused by: inner cause\n  hint: make one";
        assert_eq!(shown(&error), expected);
    }

    #[test]
    fn what_an_error_quotes_does_not_steer_the_terminal() {
        let error = anyhow!("line 2: \"\x1b[2Jred\" is no number\nline 3 too");
        assert_eq!(Told::of(&error).to_string().lines().last(), Some("line 3 too"));
        assert!(Told::of(&error).to_string().contains("\"?[2Jred\" is no number"), "{}", Told::of(&error));
    }

    #[test]
    fn an_error_of_usage_ends_with_2() {
        let error = usage("--from and --via exclude each other");
        let told = Told::of_usage(error.downcast_ref().expect("it is an error of clap"));
        assert_eq!((told.error.as_str(), told.exit_code), ("--from and --via exclude each other", EXIT_USAGE));
    }
}
