//! `hedgerow man [DIR]`: manual pages.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use serde::Serialize;

use crate::app::App;
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  hedgerow man | man -l -                             to read the main page
  hedgerow man ~/.local/share/man/man1                to install all of them";

/// Print the manual page, or write one for each verb into a folder.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder for the pages hedgerow.1, hedgerow-data.1, and so on; made if it is not there. Without it, the main page
    /// is printed.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Serialize)]
struct Written {
    folder: String,
    pages: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let mut command = App::command();
    let Some(folder) = &arguments.folder else {
        let mut stdout = context.stdout();
        let printed = Man::new(command).render(&mut stdout).and_then(|()| stdout.flush());
        return printed.context("cannot write to standard output");
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    // Built once as a whole, so that pages of verbs have the flags of every verb.
    command.build();
    let mut pages = Vec::new();
    write_pages(&command, folder, &mut pages)?;
    let written = Written { folder: folder.display().to_string(), pages };
    context.answer(&written, |written| format!("{} pages are in {}\n", written.pages.len(), written.folder))
}

fn write_pages(command: &clap::Command, folder: &Path, pages: &mut Vec<String>) -> anyhow::Result<()> {
    let page = Man::new(command.clone());
    let name = page.get_filename();
    page.generate_to(folder).with_context(|| format!("cannot write {}", folder.join(&name).display()))?;
    pages.push(name);
    command.get_subcommands().try_for_each(|verb| write_pages(verb, folder, pages))
}
