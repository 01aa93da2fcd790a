//! README says what is true: its example is the one that runs as a test of the documentation.

const README: &str = include_str!("../../../README.md");
const FRONT_PAGE: &str = include_str!("../src/lib.rs");

/// The fenced blocks that open with `fence`, without hidden lines.
fn blocks(text: &str, fence: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while lines.by_ref().any(|line| line == fence) {
        let inside = lines.by_ref().take_while(|line| !line.starts_with("```"));
        blocks.push(inside.filter(|line| !line.starts_with("# ")).map(str::to_owned).collect());
    }
    blocks
}

#[test]
fn the_examples_are_those_of_the_front_page() {
    let docs = FRONT_PAGE.lines().filter_map(|line| line.strip_prefix("//!"));
    let docs = docs.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let examples = blocks(&docs, "```");
    assert!(examples.len() == 2 && examples.iter().all(|example| example.len() > 10), "{examples:?}");
    assert_eq!(blocks(README, "```rust")[..2], examples);
}

#[test]
fn the_oldest_compiler_is_the_one_of_the_manifest() {
    let manifest = include_str!("../../../Cargo.toml");
    let version =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")).unwrap().trim_end_matches('"');
    assert!(README.contains(&format!("Rust {version} or later")), "README does not name Rust {version}");
}

#[test]
fn no_figure_is_left_out() {
    assert!(!README.contains("@@"), "a placeholder stands where a figure should");
}
