//! README says what is true: its example is the one that runs as a test of the documentation.

const README: &str = include_str!("../../../README.md");
const FRONT_PAGE: &str = include_str!("../src/lib.rs");

/// The first fenced block that opens with `fence`, without hidden lines.
fn first_block(text: &str, fence: &str) -> Vec<String> {
    let inside = text.lines().skip_while(|line| *line != fence).skip(1).take_while(|line| !line.starts_with("```"));
    inside.filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

#[test]
fn the_example_is_the_one_of_the_front_page() {
    let docs = FRONT_PAGE.lines().filter_map(|line| line.strip_prefix("//!"));
    let docs = docs.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let example = first_block(&docs, "```");
    assert!(example.len() > 10, "{example:?}");
    assert_eq!(first_block(README, "```rust"), example);
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
