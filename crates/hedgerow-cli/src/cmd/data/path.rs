//! `hedgerow data path NAME`.

use std::io::Write;

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::{json_path, registered, store};
use crate::context::Context;

/// Print the folder of a data set that is there.
///
/// For other programs, as in `ls "$(hedgerow data path mnist)"`. It is an error if a file is missing or of another length; hashes
/// are not compared: `hedgerow data verify` does that.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The set, as `hedgerow data list` has it.
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Serialize)]
struct Answer {
    name: String,
    folder: String,
    files: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let set = registered(&arguments.name)?;
    let folder = store(context)?.path(set)?;
    if context.is_json() {
        let files = set.files.iter().map(|file| json_path(&folder.join(&file.name))).collect();
        let answer = Answer { name: set.name.clone(), folder: json_path(&folder), files };
        return context.answer(&answer, |answer| answer.folder.clone());
    }
    // As the system has it: names of folders need not be text.
    let mut stdout = context.stdout();
    let printed = stdout.write_all(folder.as_os_str().as_encoded_bytes()).and_then(|()| writeln!(stdout));
    printed.and_then(|()| stdout.flush()).context("cannot write to standard output")
}
