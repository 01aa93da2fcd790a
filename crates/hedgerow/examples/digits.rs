//! The structures side by side on the embedded handwritten digits, and one decision explained.
//!
//! `cargo run --release --example digits`

use std::error::Error;
use std::time::Instant;

use hedgerow::data::embedded::{ATTRIBUTION, MAX_PIXEL, SIDE, optdigits};
use hedgerow::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Calibration, ExampleId, Explanation, Label,
    LinearScanParams, NeighborSearch, Passes, Point, PointsRef,
};

fn main() -> Result<(), Box<dyn Error>> {
    let digits = optdigits();
    let (points, tests, truth) = (digits.train().points(), digits.test().points(), digits.test().labels());
    let examples = digits.train().examples();

    let mut structures: Vec<(&str, Box<dyn NeighborSearch>)> = vec![
        ("exact 1-NN", Box::new(LinearScanParams::default().build()?)),
        ("boundary set", Box::new(BoundarySetParams::default().build()?)),
        ("Hart's set", Box::new(BoundarySetParams::default().passes(Passes::UntilConsistent).build()?)),
        ("boundary tree", Box::new(BoundaryTreeParams::default().build()?)),
        ("boundary forest", Box::new(BoundaryForestParams::default().build()?)),
    ];
    println!("{} training and {} test pictures\n", points.len(), tests.len());
    println!("{:<16}{:>9}{:>9}{:>12}{:>18}", "", "error", "stored", "learning", "one prediction");
    for (name, structure) in &mut structures {
        let start = Instant::now();
        structure.insert_all(&examples)?;
        let learning = start.elapsed();
        let start = Instant::now();
        let mut n_wrong = 0;
        for (row, truth) in truth.iter().enumerate() {
            n_wrong += usize::from(structure.predict(tests.row(row))?.label != *truth);
        }
        println!(
            "{name:<16}{:>7.2} %{:>9}{:>9.0} ms{:>15.1} us",
            100.0 * n_wrong as f64 / tests.len() as f64,
            structure.n_stored(),
            1e3 * learning.as_secs_f64(),
            1e6 * start.elapsed().as_secs_f64() / tests.len() as f64,
        );
    }

    let Some((_, tree)) = structures.iter().find(|(name, _)| *name == "boundary tree") else { return Ok(()) };
    explain_one(tree.as_ref(), points, tests, truth)?;
    println!("\nData: {ATTRIBUTION}");
    Ok(())
}

/// Prints the decision with the smallest margin that is still right: the closest call.
fn explain_one(
    tree: &dyn NeighborSearch,
    points: PointsRef<'_>,
    tests: PointsRef<'_>,
    truth: &[Label],
) -> Result<(), Box<dyn Error>> {
    let calibration = Calibration::from_history(tree)?;
    let mut closest: Option<(usize, Explanation)> = None;
    for (row, truth) in truth.iter().enumerate() {
        let why = tree.explain(tests.row(row), Some(&calibration))?;
        let margin = |why: &Explanation| why.rival.map_or(f64::INFINITY, |rival| rival.margin);
        let is_closer = closest.as_ref().is_none_or(|(_, best)| margin(&why) < margin(best));
        if why.prediction.label == *truth && margin(&why) > 0.0 && is_closer {
            closest = Some((row, why));
        }
    }
    let Some((row, why)) = closest else { return Ok(()) };

    println!("\nThe closest call that the tree got right: test picture {row}, said to be {}.", why.prediction.label);
    let mut pictures = vec![("asked", tests.row(row))];
    let stored = |id: ExampleId| points.row(id.0 as usize);
    let walk = why.traversals[0].path().map(|at| at.neighbor).collect::<Vec<_>>();
    pictures.extend(walk.iter().map(|neighbor| ("walked", stored(neighbor.id))));
    if let Some(rival) = why.rival {
        pictures.push(("rival", stored(rival.neighbor.id)));
    }
    print_pictures(&pictures);
    let steps = walk.iter().map(|at| format!("example {} ({}, {:.1} away)", at.id, at.label, at.distance));
    println!("The walk: {}.", steps.collect::<Vec<_>>().join(", then "));
    if let Some(rival) = why.rival {
        let (id, class, margin) = (rival.neighbor.id, rival.class, rival.margin);
        println!("Why not class {class}? Its nearest stored example, {id}, is {margin:.2} farther away.");
    }
    let share = why.novelty.share_farther.unwrap_or(0.0);
    println!("Of the training examples, {:.0} % were at least as far from their own answer.", 100.0 * share);
    Ok(())
}

/// Pictures side by side, each pixel two characters wide.
fn print_pictures(pictures: &[(&str, Point<'_>)]) {
    let shades = ["  ", "░░", "▒▒", "▓▓", "██"];
    for y in 0..SIDE {
        for (_, point) in pictures {
            let Point::U8(pixels) = point else { continue };
            let row = &pixels[y * SIDE..][..SIDE];
            let shade = |pixel: &u8| shades[usize::from(*pixel) * (shades.len() - 1) / usize::from(MAX_PIXEL)];
            print!("{}   ", row.iter().map(shade).collect::<String>());
        }
        println!();
    }
    let titles = pictures.iter().map(|(title, _)| format!("{title:<19}"));
    println!("{}", titles.collect::<String>().trim_end());
}
