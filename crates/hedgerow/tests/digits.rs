//! The structures on real data: the embedded handwritten digits.
//!
//! Points are bytes, so that every distance is an exact integer and every figure below is the same on every machine.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use hedgerow::data::Dataset;
use hedgerow::data::embedded::optdigits;
use hedgerow::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Calibration, ExampleId, Initialization, Label,
    LinearScanParams, NeighborSearch, Passes,
};

/// Test pictures answered wrongly, and stored examples.
fn errors_and_stored(structure: &mut dyn NeighborSearch, digits: &Dataset) -> (usize, usize) {
    structure.insert_all(&digits.train().examples()).unwrap();
    let said = structure.predict_all(digits.test().points()).unwrap();
    let n_wrong = said.iter().zip(digits.test().labels()).filter(|(said, truth)| said.label != **truth).count();
    (n_wrong, structure.n_stored())
}

/// Runs a structure and looks its figures up in README.
fn assert_readme_has(name: &str, structure: &mut dyn NeighborSearch, digits: &Dataset) -> (usize, usize) {
    let (n_wrong, n_stored) = errors_and_stored(structure, digits);
    let row = format!("| {name} | {:.2} % | {n_stored} |", 100.0 * n_wrong as f64 / digits.test().len() as f64);
    assert!(include_str!("../../../README.md").contains(&row), "README has no row \"{row}\"");
    (n_wrong, n_stored)
}

#[test]
fn errors_and_sizes_are_those_of_the_readme() {
    let digits = optdigits();
    let mut scan = LinearScanParams::default().build().unwrap();
    assert_eq!(assert_readme_has("exact 1-NN", &mut scan, &digits), (36, 3823)); // 2.00 %, as published for this split
    let mut set = BoundarySetParams::default().build().unwrap();
    assert_eq!(assert_readme_has("boundary set, one pass", &mut set, &digits), (87, 254));
    let mut hart = BoundarySetParams::default().passes(Passes::UntilConsistent).build().unwrap();
    assert_eq!(assert_readme_has("boundary set, Hart's rule", &mut hart, &digits), (66, 305));
    let mut tree = BoundaryTreeParams::default().build().unwrap();
    assert_eq!(assert_readme_has("boundary tree", &mut tree, &digits), (159, 403));
    let mut forest = BoundaryForestParams::default().build().unwrap();
    assert_eq!(assert_readme_has("boundary forest", &mut forest, &digits), (41, 2761));
}

#[test]
fn both_initializations_come_near_the_exact_neighbor() {
    let digits = optdigits();
    for initialization in [Initialization::DistinctRoots, Initialization::Permuted] {
        let mut forest = BoundaryForestParams::default().initialization(initialization).seed(7).build().unwrap();
        let (n_wrong, _) = errors_and_stored(&mut forest, &digits);
        assert!(n_wrong <= 54, "{initialization:?}: {n_wrong} of 1797, more than 3 %");
    }
}

#[test]
fn harts_set_answers_every_training_picture_with_its_own_digit() {
    let digits = optdigits();
    let mut hart = BoundarySetParams::default().passes(Passes::UntilConsistent).build().unwrap();
    errors_and_stored(&mut hart, &digits);
    let said = hart.predict_all(digits.train().points()).unwrap();
    assert!(said.iter().zip(digits.train().labels()).all(|(said, label)| said.label == *label));
}

#[test]
fn removing_every_nine_leaves_the_tree_that_never_saw_one() {
    let digits = optdigits();
    let params = BoundaryTreeParams::default();
    let mut tree = params.clone().build().unwrap();
    errors_and_stored(&mut tree, &digits);
    let is_nine = |row: &usize| digits.train().labels()[*row] == Label::class(9);
    for row in (0..digits.train().len()).filter(is_nine) {
        tree.remove(ExampleId(row as u64)).unwrap();
    }
    let mut without = params.build().unwrap();
    for row in (0..digits.train().len()).filter(|row| !is_nine(row)) {
        without.insert(ExampleId(row as u64), digits.train().row(row), digits.train().labels()[row]).unwrap();
    }
    assert!(tree == without);
}

#[test]
fn pictures_unlike_any_digit_are_novel() {
    let digits = optdigits();
    let mut forest = BoundaryForestParams::default().build().unwrap();
    errors_and_stored(&mut forest, &digits);
    let calibration = Calibration::from_history(&forest).unwrap();
    let share = |point| forest.explain(point, Some(&calibration)).unwrap().novelty.share_farther.unwrap();
    let all_ink = [16; 64];
    assert!(share(hedgerow::Point::U8(&all_ink)) < 0.001);
    let typical = (0..100).map(|row| share(digits.test().row(row))).sum::<f64>() / 100.0;
    assert!(typical > 0.2, "test pictures are about as far from their answers as training pictures were: {typical}");
}
