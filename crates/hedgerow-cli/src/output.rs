//! Where tables of answers go: a file that appears whole or not at all, or standard output.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use hedgerow::data::write::{Frame, TableWriter, WriteFormat};
use serde::Serialize;

use crate::context::Context;
use crate::error::usage;
use crate::texts::is_stdout;

/// Where answers go.
#[derive(Debug, Clone, Args)]
pub(crate) struct OutputArgs {
    /// The file to write, which appears when all is done. Without it, or for -, standard output.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The format. Else what the name of the file says (.csv, .tsv, .jsonl, .npy, .parquet, texts also with .gz); csv on standard
    /// output, jsonl with --json.
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(WriteFormat::ALL.map(WriteFormat::name)))]
    out_format: Option<String>,
}

/// A table that is being written.
pub(crate) struct Output {
    writer: TableWriter,
    format: WriteFormat,
    /// None: standard output.
    file: Option<PathBuf>,
}

/// What was written to a file: the answer with `--json`.
#[derive(Serialize)]
struct Written<'a, T: Serialize> {
    out: String,
    format: &'static str,
    rows: u64,
    #[serde(flatten)]
    others: &'a T,
}

impl OutputArgs {
    /// Begins to write, so that what cannot be written is refused before anything is computed.
    pub(crate) fn open(&self, context: &Context) -> anyhow::Result<Output> {
        let file = self.out.as_deref().filter(|path| !is_stdout(path));
        let asked = self.out_format.as_deref().and_then(WriteFormat::from_name);
        let format = match file {
            Some(path) => asked.map_or_else(|| format_of(path), Ok)?,
            None => match (asked, context.is_json()) {
                (Some(format), true) if format != WriteFormat::JsonLines => {
                    return Err(usage(format_args!(
                        "--json on standard output is jsonl, but --out-format asks for {format}; leave out one of them, or give --out"
                    )));
                }
                (asked, is_json) => asked.unwrap_or(if is_json { WriteFormat::JsonLines } else { WriteFormat::Csv }),
            },
        };
        let is_binary = matches!(format, WriteFormat::Npy | WriteFormat::Parquet);
        if file.is_none() && is_binary && std::io::stdout().is_terminal() {
            return Err(usage(format_args!("{format} is not for terminals; give --out FILE")));
        }
        let writer = match file {
            Some(path) => TableWriter::create(path, format)?,
            None => TableWriter::to_stream(Box::new(context.stdout()), format, "standard output")?,
        };
        Ok(Output { writer, format, file: file.map(Path::to_owned) })
    }
}

/// The format that a name says. A name without an ending, such as that of a pipe, says none and gets CSV.
fn format_of(path: &Path) -> anyhow::Result<WriteFormat> {
    match (WriteFormat::from_path(path), path.extension()) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(WriteFormat::Csv),
        (None, Some(_)) => Err(usage(format_args!(
            "{} says no format that is written; end the name in .csv, .tsv, .jsonl, .npy or .parquet, or give --out-format",
            path.display()
        ))),
    }
}

impl Output {
    pub(crate) fn format(&self) -> WriteFormat {
        self.format
    }

    pub(crate) fn write(&mut self, frame: &Frame) -> anyhow::Result<()> {
        Ok(self.writer.write(frame)?)
    }

    /// Puts the file in its place and tells of it: `others` are further keys of the JSON answer, `note` what people want to know.
    pub(crate) fn finish<T: Serialize>(self, context: &Context, others: &T, note: &str) -> anyhow::Result<()> {
        let Self { writer, format, file } = self;
        let rows = writer.rows();
        writer.finish()?;
        let Some(file) = file else {
            if !note.is_empty() {
                context.note(note);
            }
            return Ok(());
        };
        let out = file.display().to_string();
        let comma = if note.is_empty() { "" } else { ", " };
        let told = format!("{rows} rows in {out}{comma}{note}");
        if context.is_json() {
            return context.answer(&Written { out, format: format.name(), rows, others }, |_| String::new());
        }
        context.note(told);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_format() {
        let of = |name: &str| format_of(Path::new(name)).map_err(|error| error.to_string());
        assert_eq!(of("a.parquet"), Ok(WriteFormat::Parquet));
        assert_eq!(of("a.jsonl.gz"), Ok(WriteFormat::JsonLines));
        assert_eq!(of("pipe"), Ok(WriteFormat::Csv));
        assert!(of("a.json").is_err_and(|error| error.contains(".jsonl")));
    }
}
