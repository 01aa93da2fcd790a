//! Starting other programs and turning how they end into an [`Outcome`].

use std::process::{Command, ExitStatus, Stdio};

use crate::step::Outcome;

/// Runs `command` with its output shown as it comes.
pub(crate) fn run(command: &mut Command) -> Outcome {
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(describe(status)),
        Err(error) => Outcome::Failed(not_started(command, &error)),
    }
}

/// Runs `command` quietly and returns what it printed on standard output.
///
/// # Errors
/// The last line of its standard error, which is where the tools used here say what went wrong.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed no reason");
    Err(format!("`{}` ended with {}: {last}", program(command), describe(output.status)))
}

/// "exit code 101", or "a signal" for a process that was killed and has no code.
pub(crate) fn describe(status: ExitStatus) -> String {
    status.code().map_or("a signal".into(), |code| format!("exit code {code}"))
}

pub(crate) fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` could not be started: {error}", program(command))
}

fn program(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_a_failure_that_names_it() {
        let mut missing = Command::new("hedgerow-no-such-program");
        assert!(run(&mut missing).reason().contains("hedgerow-no-such-program"));
        assert!(output_of(&mut missing).unwrap_err().contains("hedgerow-no-such-program"));
    }

    #[test]
    fn output_and_failure_of_a_real_program() {
        // Cargo is the one program every machine that runs this test has.
        let cargo = || Command::new(env!("CARGO"));
        assert!(output_of(cargo().arg("--version")).unwrap().starts_with("cargo "));
        assert!(output_of(cargo().arg("--no-such-option")).unwrap_err().contains("exit code"));
        assert_eq!(run(cargo().args(["--quiet", "--version"])), Outcome::Passed);
    }
}
