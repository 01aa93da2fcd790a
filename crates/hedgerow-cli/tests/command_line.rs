//! What holds for every verb: help, exit codes, streams, colour, quiet, JSON errors, closed pipes.

mod command;

use command::{assert_golden, assert_keys, hedgerow, one_object};

#[test]
fn help_is_as_recorded() {
    assert_golden("help.txt", &hedgerow(["--help"]).run().ends_with(0).stdout);
    assert_golden("help-short.txt", &hedgerow(["-h"]).run().ends_with(0).stdout);
}

#[test]
fn help_says_what_codes_and_variables_mean() {
    let help = hedgerow(["--help"]).run().stdout;
    for word in ["Exit codes", "130", "HEDGEROW_DATA_DIR", "HEDGEROW_DATA_MIRROR", "NO_COLOR", "Examples", "Streams"] {
        assert!(help.contains(word), "{word}\n{help}");
    }
}

#[test]
fn every_verb_has_help() {
    let verbs: &[&[&str]] = &[
        &["demo"],
        &["fit"],
        &["evaluate"],
        &["predict"],
        &["explain"],
        &["neighbors"],
        &["embed"],
        &["add"],
        &["remove"],
        &["relabel"],
        &["history"],
        &["replay"],
        &["inspect"],
        &["compare"],
        &["reproduce"],
        &["report"],
        &["data"],
        &["data", "list"],
        &["data", "get"],
        &["data", "verify"],
        &["data", "path"],
        &["data", "info"],
        &["completions"],
        &["man"],
    ];
    for verb in verbs {
        let run = hedgerow(verb.iter().chain(&["--help"])).run().ends_with(0);
        assert!(run.stdout.contains(&format!("Usage: hedgerow {}", verb.join(" "))), "{}", run.stdout);
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = hedgerow(["--version"]).run().ends_with(0);
    assert_eq!(run.stdout, format!("hedgerow {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn what_is_not_understood_ends_with_2_and_suggests_what_is_near() {
    let nothing = hedgerow::<&str>([]).run().ends_with(2);
    assert_eq!(nothing.stdout, "");
    assert!(nothing.stderr.contains("Usage: hedgerow"), "{}", nothing.stderr);
    let verb = hedgerow(["dta", "list"]).run().ends_with(2);
    assert!(verb.stderr.contains("'data'"), "{}", verb.stderr);
    let flag = hedgerow(["data", "list", "--threds", "2"]).run().ends_with(2);
    assert!(flag.stderr.contains("'--threads'"), "{}", flag.stderr);
    let value = hedgerow(["data", "get", "mnist", "--via", "htps"]).run().ends_with(2);
    assert!(value.stderr.contains("'https'"), "{}", value.stderr);
    let none = hedgerow(["data", "list", "--threads", "0"]).run().ends_with(2);
    assert!(none.stderr.contains("--threads"), "{}", none.stderr);
    // So many were started once, for ten minutes, before five rows were answered.
    let many = hedgerow(["data", "list", "--threads", "100000"]).run().ends_with(2);
    assert!(many.stderr.contains("100000 is not in 1..=1024"), "{}", many.stderr);
    let both = hedgerow(["data", "list", "-q", "-v"]).run().ends_with(2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}

#[test]
fn global_flags_stand_before_or_after_the_verb() {
    let before = hedgerow(["--json", "--threads", "1", "--seed", "7", "data", "info", "moons?n=8"]).run().ends_with(0);
    let after = hedgerow(["data", "info", "moons?n=8", "--seed", "7", "--threads", "1", "--json"]).run().ends_with(0);
    assert_eq!(before.json(), after.json());
}

#[test]
fn answers_and_messages_do_not_mix() {
    let run = hedgerow(["data", "list"]).run().ends_with(0);
    assert!(run.stdout.contains("optdigits") && !run.stdout.contains("hedgerow data get"), "{}", run.stdout);
    assert!(run.stderr.contains("hedgerow data get"), "{}", run.stderr);
    let quiet = hedgerow(["data", "list", "--quiet"]).run().ends_with(0);
    assert_eq!((quiet.stdout, quiet.stderr), (run.stdout, String::new()));
    let verbose = hedgerow(["data", "list", "-v"]).run().ends_with(0);
    assert!(verbose.stderr.contains("data directory: "), "{}", verbose.stderr);
}

#[test]
fn quiet_errors_are_told_all_the_same() {
    let run = hedgerow(["data", "path", "mnist", "--quiet"]).run().ends_with(1);
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn an_error_in_json_is_an_object_on_standard_error() {
    let keys = ["error", "causes", "hints", "exit_code"];
    let failed = hedgerow(["data", "path", "mnist", "--json"]).run().ends_with(1);
    assert_eq!(failed.stdout, "");
    assert_keys(&failed.json_error(), &keys);
    assert_eq!(failed.json_error()["exit_code"], 1);
    let misread = hedgerow(["--json", "dta"]).run().ends_with(2);
    assert_keys(&misread.json_error(), &keys);
    assert_eq!(misread.json_error()["hints"][0], "did you mean data?");
    assert_eq!(misread.json_error()["error"], "unrecognized subcommand 'dta'");
}

#[test]
fn colour_goes_by_the_flag_then_no_color_then_clicolor_force() {
    let is_coloured = |flags: &[&str], variables: &[(&str, &str)]| {
        let list = variables.iter().fold(hedgerow(["data", "list"].iter().chain(flags)), |run, (n, v)| run.env(n, v));
        list.run().ends_with(0).stdout.contains("\x1b[")
    };
    assert!(!is_coloured(&[], &[]));
    assert!(is_coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(is_coloured(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!is_coloured(&["--color=never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn errors_are_coloured_like_answers() {
    for arguments in [vec!["data", "path", "mnist"], vec!["dta"]] {
        let coloured = hedgerow(arguments.iter().chain(&["--color", "always"])).run();
        assert!(coloured.stderr.contains("\x1b["), "{}", coloured.stderr);
        let plain = hedgerow(arguments.iter().chain(&["--color", "never"])).env("CLICOLOR_FORCE", "1").run();
        assert!(!plain.stderr.contains("\x1b["), "{}", plain.stderr);
    }
    let json = hedgerow(["data", "path", "mnist", "--color", "always", "--json"]).run();
    one_object(&json.stderr);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    // The answer is given only after the input has ended, so the pipe is certainly closed before.
    for format in [&["--json"][..], &[]] {
        let mut child = hedgerow(["data", "info", "-"].iter().chain(format)).start();
        drop(child.stdout.take());
        let mut stdin = child.stdin.take().expect("it is a pipe");
        std::io::Write::write_all(&mut stdin, b"a,b,class\n1,2,x\n3,4,y\n").expect("it is read");
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    for arguments in [&["data", "list"][..], &["man"], &["completions", "zsh"], &["data", "list", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let run = hedgerow(arguments).stdout_to(full).ends_with(1);
        assert!(run.stderr.contains("cannot write to standard output"), "{}", run.stderr);
        assert!(run.stderr.contains("No space left"), "{}", run.stderr);
    }
}
