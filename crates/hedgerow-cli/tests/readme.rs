//! Every command of README runs, one after another, as a reader would type them.

mod command;

use command::hedgerow;

const README: &str = include_str!("../../../README.md");

/// The lines of README's blocks of shell commands, without comments.
fn commands() -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut lines = README.lines();
    while lines.by_ref().any(|line| line == "```sh") {
        for line in lines.by_ref().take_while(|line| *line != "```") {
            let words = line.split('#').next().unwrap_or_default().split_whitespace();
            commands.push(words.map(|word| word.trim_matches('\'').to_owned()).collect());
        }
    }
    commands
}

#[test]
fn every_command_of_readme_runs() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in &commands {
        let [program, arguments @ ..] = command.as_slice() else { panic!("an empty line in a block of commands") };
        assert_eq!(program, "hedgerow", "{command:?}");
        hedgerow(arguments).current_dir(dir.path()).run().ends_with(0);
    }
    for file in ["digits", "answers.csv", "report.html"] {
        assert!(dir.path().join(file).exists(), "{file} is missing");
    }
}

#[test]
fn a_decision_is_told_as_readme_shows_it() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    hedgerow(["fit", "--data", "optdigits", "--out", "digits", "-q"]).current_dir(dir.path()).run().ends_with(0);
    let run = hedgerow(["explain", "digits", "--data", "optdigits", "--row", "8"]).current_dir(dir.path()).run();
    let shown = README.split_once("$ hedgerow explain digits --data optdigits --row 8\n").expect("README shows one").1;
    // Learning is not the same to the bit on all processors, and other examples may be stored: what is compared is the picture asked about, which
    // stands in the first columns, and the words.
    let asked = |text: &str| -> Vec<String> {
        let lines = text.lines().take(9).map(|line| line.chars().take(16).collect::<String>().trim_end().to_owned());
        lines.collect()
    };
    assert_eq!(asked(&run.stdout), asked(shown));
    assert!(run.stdout.contains("walked") && run.stdout.contains("test row 8 of optdigits: said"), "{}", run.stdout);
}
