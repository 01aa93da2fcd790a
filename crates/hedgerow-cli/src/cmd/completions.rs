//! `hedgerow completions SHELL`: the script with which a shell completes verbs, flags and their values.

use std::io::Write;

use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::app::App;
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  hedgerow completions bash > ~/.local/share/bash-completion/completions/hedgerow
  hedgerow completions zsh > DIR/_hedgerow            DIR is one of $fpath
  hedgerow completions fish > ~/.config/fish/completions/hedgerow.fish
  hedgerow completions elvish >> ~/.config/elvish/rc.elv
  hedgerow completions powershell >> $PROFILE";

/// Print the script with which a shell completes verbs and flags.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell that the script is for.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut App::command(), "hedgerow", &mut script);
    let mut stdout = context.stdout();
    stdout.write_all(&script).and_then(|()| stdout.flush()).context("cannot write to standard output")
}
