//! `hedgerow completions SHELL`: the script with which a shell completes verbs, flags and their values.

use std::io::Write;

use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::app::App;
use crate::context::Context;

/// Print the script with which a shell completes verbs and flags.
///
/// bash:        hedgerow completions bash > ~/.local/share/bash-completion/completions/hedgerow
///
/// zsh:         hedgerow completions zsh > DIR/_hedgerow, DIR being one of $fpath
///
/// fish:        hedgerow completions fish > ~/.config/fish/completions/hedgerow.fish
///
/// elvish:      hedgerow completions elvish >> ~/.config/elvish/rc.elv
///
/// powershell:  hedgerow completions powershell >> $PROFILE
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
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
