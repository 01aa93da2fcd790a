//! Texts that a verb writes besides its answer, such as pages: each to a file that appears whole, or one of them to standard output (`-`), where it
//! takes the place of the answer.

use std::path::Path;

use hedgerow::data::write::WholeFile;

use crate::context::Context;
use crate::error::usage;

/// Whether a path that was given stands for standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Texts that are to be written, each known by the flag that says where.
pub(crate) struct Texts<'a> {
    context: &'a Context,
    /// No file: standard output.
    places: Vec<(&'static str, &'a Path, Option<WholeFile>)>,
    takes_the_answers_place: bool,
}

impl<'a> Texts<'a> {
    /// Begins every file, so that what cannot be written is refused before anything is computed.
    pub(crate) fn open(asked: &[(&'static str, Option<&'a Path>)], context: &'a Context) -> anyhow::Result<Self> {
        let asked: Vec<(&'static str, &'a Path)> =
            asked.iter().filter_map(|(flag, path)| path.map(|path| (*flag, path))).collect();
        for (at, (flag, path)) in asked.iter().enumerate() {
            let is_same = |(_, other): &&(&str, &Path)| other == path;
            if let Some((other, _)) = asked[..at].iter().find(is_same) {
                let place = if is_stdout(path) { "standard output".into() } else { path.to_string_lossy() };
                return Err(usage(format_args!(
                    "{other} and {flag} both go to {place}; give one of them another file"
                )));
            }
            if is_stdout(path) && context.is_json() {
                return Err(usage(format_args!(
                    "--json and {flag} - both go to standard output; leave out --json, or give {flag} a file"
                )));
            }
        }
        let begin = |&(flag, path): &(&'static str, &'a Path)| -> anyhow::Result<_> {
            Ok((flag, path, if is_stdout(path) { None } else { Some(WholeFile::create(path)?) }))
        };
        let takes_the_answers_place = asked.iter().any(|(_, path)| is_stdout(path));
        Ok(Self { context, places: asked.iter().map(begin).collect::<Result<_, _>>()?, takes_the_answers_place })
    }

    /// Writes the text of a flag, if that was given, and notes a file that was written.
    pub(crate) fn write(&mut self, flag: &str, text: impl FnOnce() -> String) -> anyhow::Result<()> {
        let Some(at) = self.places.iter().position(|(of, ..)| *of == flag) else { return Ok(()) };
        let (_, path, file) = self.places.swap_remove(at);
        let Some(file) = file else { return self.context.print(&text()) };
        file.finish(text().as_bytes())?;
        self.context.note(format_args!("{} is written", path.display()));
        Ok(())
    }

    /// Whether one of them goes to standard output, so that the answer does not.
    pub(crate) fn take_the_answers_place(&self) -> bool {
        self.takes_the_answers_place
    }
}
