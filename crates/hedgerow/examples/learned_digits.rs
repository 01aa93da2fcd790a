//! The embedded handwritten digits in a space that was learned: how few examples a tree needs there.
//!
//! `cargo run --release --example learned_digits`

use std::error::Error;
use std::ops::ControlFlow;

use hedgerow::data::embedded::optdigits;
use hedgerow::learn::evaluation::{ShownExamples, Structure};
use hedgerow::learn::{Event, RunOptions, TrainingParams, train};

fn main() -> Result<(), Box<dyn Error>> {
    let digits = optdigits();
    let (train_part, test) = (digits.train(), digits.test());
    let mut listener = |event: &Event<'_>| {
        if let Event::Epoch(epoch) = event {
            if let Some(validation) = epoch.validation {
                eprintln!(
                    "epoch {:>3}: loss {:.4}, validation error {:.2} %, {} nodes",
                    epoch.epoch + 1,
                    epoch.loss,
                    validation.error_percent,
                    validation.n_nodes
                );
            }
        }
        ControlFlow::Continue(())
    };
    let learned = train(&train_part.examples(), &TrainingParams::default(), &RunOptions::default(), &mut listener)?;
    println!("learned in {:.1} s\n", learned.train_seconds);

    let rows: Vec<usize> = (0..train_part.len()).collect();
    let (raw, raw_asked) = (train_part.points(), test.points());
    let (seen, seen_asked) = (learned.transform.apply(raw)?, learned.transform.apply(raw_asked)?);
    let raw = ShownExamples::shuffled(raw, train_part.labels(), &rows, 0)?;
    let seen = ShownExamples::shuffled(seen.view(), train_part.labels(), &rows, 0)?;
    println!("{:<18}{:>26}{:>26}", "", "raw pixels", "learned space");
    for (name, structure) in
        [("boundary tree", Structure::Tree), ("boundary set", Structure::Set), ("forest of 10", Structure::Forest(10))]
    {
        let raw = raw.evaluate(structure, raw_asked, test.labels(), 0)?;
        let seen = seen.evaluate(structure, seen_asked.view(), test.labels(), 0)?;
        let words = |evaluation: hedgerow::learn::evaluation::Evaluation| {
            format!("{:.2} %, {} stored", evaluation.error_percent, evaluation.n_stored)
        };
        println!("{name:<18}{:>26}{:>26}", words(raw), words(seen));
    }
    Ok(())
}
