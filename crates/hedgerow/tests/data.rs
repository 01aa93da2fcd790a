//! README's page about data says what is true: its code is the code below, its error the one that comes.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::error::Error;

use hedgerow::data::progress::silent;
use hedgerow::data::{Preprocessing, ReadOptions, RoleColumn, Scaling, SplitParams, read};

const README: &str = include_str!("../../../README.md");

fn flowers(rows: usize) -> String {
    let row = |row: usize| format!("{}.5,{},{}\n", row % 7, ["red", "blue"][row % 2], ["rose", "iris"][row / 2 % 2]);
    "petal,color,species\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// As README has it.
fn of_the_readme() -> Result<(), Box<dyn Error>> {
    let label = RoleColumn::At("species".parse()?); // by name, or by number: "0", "-1"
    let options = ReadOptions { label, ..ReadOptions::default() };
    let flowers = read("flowers.csv", &options, &mut silent())?; // texts become 0/1 features, class names stay
    let flowers = flowers.split(&SplitParams { validation: 0.1, test: 0.2, seed: 0 })?;
    let scale = Preprocessing::fit(&flowers, &[Scaling::Standardize])?; // fitted to the training rows, can be undone
    let flowers = scale.apply_to(flowers)?;
    assert_eq!((flowers.train().len(), flowers.validation().len(), flowers.test().len()), (28, 4, 8));
    assert_eq!(flowers.class_names(), ["iris", "rose"]);
    Ok(())
}

#[test]
fn the_code_and_the_error_of_the_readme_are_real() {
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(&folder).unwrap(); // the only test of this program
    std::fs::write("flowers.csv", flowers(40)).unwrap();
    of_the_readme().unwrap();
    let code = include_str!("data.rs");
    let lines: Vec<&str> = README.lines().skip_while(|line| !line.starts_with("let label")).take(6).collect();
    assert_eq!(lines.len(), 6);
    let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
    for line in lines {
        assert!(without_blanks(code).contains(&without_blanks(line)), "README has other code: {line}");
    }
    std::fs::write("flowers.csv", flowers(40).replacen("1.5,blue", "l.5,blue", 1)).unwrap();
    let error = read("flowers.csv", &ReadOptions::default(), &mut silent()).unwrap_err().to_string();
    assert!(README.contains(&error), "README does not have the error {error:?}");
}
