//! Texts that a verb writes besides its answer, such as pages: to a file that appears whole, or, for `-`, to standard output in the place of
//! the answer. Tables that come row by row are `output.rs`.

use std::path::Path;

use hedgerow::data::write::write_file;

use crate::context::Context;
use crate::error::usage;

/// Whether a path that was given stands for standard output.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether one of these takes the place of the answer on standard output, each with the flag that it was given by. Two cannot, nor one
/// beside `--json`.
///
/// To be asked before any work is done.
pub(crate) fn takes_stdout(outputs: &[(&str, Option<&Path>)], context: &Context) -> anyhow::Result<bool> {
    let mut flags: Vec<&str> =
        outputs.iter().filter(|(_, path)| path.is_some_and(is_stdout)).map(|(flag, _)| *flag).collect();
    let is_taken = !flags.is_empty();
    if is_taken && context.is_json() {
        flags.push("--json");
    }
    if let [first, second, ..] = flags[..] {
        return Err(usage(format_args!(
            "{first} and {second} would both be written to standard output; give a file to one of them"
        )));
    }
    Ok(is_taken)
}

/// Writes a text to a file, and notes it, or to standard output.
pub(crate) fn write(path: &Path, text: &str, context: &Context) -> anyhow::Result<()> {
    if is_stdout(path) {
        return context.print(text);
    }
    write_file(path, text.as_bytes())?;
    context.note(format_args!("{} is written", path.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use clap::Parser;

    #[test]
    fn two_texts_do_not_go_to_standard_output_together() {
        let context = |line: &[&str]| Context::new(App::try_parse_from(line).expect("the line is well formed").globals);
        let (stdout, file) = (Some(Path::new("-")), Some(Path::new("page.html")));
        let plain = context(&["hedgerow", "man"]);
        let taken = |outputs: &[(&str, Option<&Path>)], context: &Context| {
            takes_stdout(outputs, context).map_err(|error| error.to_string())
        };
        assert_eq!(taken(&[("--csv", None), ("--html", file)], &plain), Ok(false));
        assert_eq!(taken(&[("--csv", stdout), ("--html", file)], &plain), Ok(true));
        assert!(
            taken(&[("--csv", stdout), ("--html", stdout)], &plain)
                .is_err_and(|error| error.contains("--csv and --html would both"))
        );
        let json = context(&["hedgerow", "man", "--json"]);
        assert_eq!(taken(&[("--html", file)], &json), Ok(false));
        assert!(taken(&[("--html", stdout)], &json).is_err_and(|error| error.contains("--html and --json")));
    }
}
