//! `hedgerow data path NAME`.

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
    let files = set.files.iter().map(|file| json_path(&folder.join(&file.name))).collect();
    let answer = Answer { name: set.name.clone(), folder: json_path(&folder), files };
    context.answer(&answer, |answer| format!("{}\n", answer.folder))
}
