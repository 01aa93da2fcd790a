//! Editing: examples that their neighbors outvote are left out before a structure is built (Wilson 1972).
//!
//! A boundary tree stores an example wherever the walk so far ends at another class, and so every example that lies among those of another class.
//! Where classes overlap these are thousands, and each answers for its surroundings. Without them the structure has what the neighbors agree on:
//! far fewer nodes, and an error near that of a vote of many neighbors.
//!
//! Not here: learning, in which all examples take part.

use std::ops::ControlFlow;

use hedgerow_core::{
    Distance, Effort, ExampleId, Examples, Label, LinearScanParams, Neighbor, NeighborSearch, PointsRef, Task,
};

use crate::evaluation::{EvaluationError, one_label_each};

/// Queries that are looked up together: their neighbors are in memory at the same time.
const BLOCK: usize = 4096;

/// The rows whose class no other class outvotes among the `n_neighbors` nearest other rows, by the Euclidean distance.
///
/// A tie is in favor of the row, and so are fewer rows than that; rows without a class, and neighbors without one, have no say, and such rows stay.
/// Rows in equal places are neighbors of each other. Looks at all pairs of rows.
///
/// # Errors
/// More or fewer labels than points, and points that a scan cannot take.
///
/// # Example
/// ```
/// use hedgerow_core::{Label, PointsRef};
/// use hedgerow_learn::editing::agreeing_rows;
///
/// // The third is among those of class 0.
/// let points = PointsRef::from_f32(1, &[0.0, 1.0, 1.5, 2.0, 9.0, 10.0, 11.0])?;
/// let labels = [0, 0, 1, 0, 1, 1, 1].map(Label::class);
/// assert_eq!(agreeing_rows(points, &labels, 2)?, [0, 1, 3, 4, 5, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn agreeing_rows(
    points: PointsRef<'_>,
    labels: &[Label],
    n_neighbors: usize,
) -> Result<Vec<usize>, EvaluationError> {
    let rows =
        agreeing_rows_unless(points, labels, n_neighbors, &Distance::default(), &mut |_| ControlFlow::Continue(()))?;
    Ok(rows.expect("nobody stops it"))
}

/// [`agreeing_rows`] by any distance. `go_on` hears before each block how many rows were looked at, and can end it; then there are none.
///
/// # Errors
/// As [`agreeing_rows`].
pub fn agreeing_rows_unless(
    points: PointsRef<'_>,
    labels: &[Label],
    n_neighbors: usize,
    distance: &Distance,
    go_on: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Option<Vec<usize>>, EvaluationError> {
    one_label_each(points, labels)?;
    if labels.is_empty() {
        return Ok(Some(Vec::new()));
    }
    // As a task of its own, so that values and missing labels are taken too.
    let mut scan = LinearScanParams::default().task(Task::Retrieval).distance(distance.clone()).build()?;
    scan.insert_all(&Examples::new(points, labels).expect("one label for each point"))?;
    let mut agreeing = Vec::with_capacity(labels.len());
    for start in (0..labels.len()).step_by(BLOCK) {
        if go_on(start).is_break() {
            return Ok(None);
        }
        let block = start..labels.len().min(start + BLOCK);
        // One more than asked for, since a row finds itself.
        let found =
            scan.k_nearest_of_all(points.slice(block.clone()), n_neighbors.saturating_add(1), Effort::default())?;
        let is_agreed = |(row, neighbors): &(usize, Vec<Neighbor>)| {
            let others = neighbors.iter().filter(|neighbor| neighbor.id != ExampleId(*row as u64));
            is_not_outvoted(labels[*row], others.take(n_neighbors).map(|neighbor| neighbor.label))
        };
        agreeing.extend(block.zip(found).filter(is_agreed).map(|(row, _)| row));
    }
    Ok(Some(agreeing))
}

/// Whether no class has more votes than that of the label.
fn is_not_outvoted(label: Label, votes: impl Iterator<Item = Label>) -> bool {
    let Some(own) = label.as_class() else { return true };
    let mut classes: Vec<_> = votes.filter_map(|vote| vote.as_class()).collect();
    classes.sort_unstable();
    let n_own = classes.iter().filter(|class| **class == own).count();
    classes.chunk_by(|a, b| a == b).all(|equal| equal.len() <= n_own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_core::Points;
    use hedgerow_core::random::SplitMix64;

    /// By all distances, one row after another.
    fn slow(values: &[[f32; 2]], labels: &[u32], n_neighbors: usize) -> Vec<usize> {
        let rows = 0..values.len();
        let keeps = |row: &usize| {
            let mut others: Vec<usize> = rows.clone().filter(|other| other != row).collect();
            let distance = |other: &usize| {
                let [x, y] = [0, 1].map(|at| f64::from(values[*other][at]) - f64::from(values[*row][at]));
                x * x + y * y
            };
            others.sort_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
            let mut votes = [0_i32; 3];
            others.iter().take(n_neighbors).for_each(|&other| votes[labels[other] as usize] += 1);
            votes.iter().all(|n| *n <= votes[labels[*row] as usize])
        };
        rows.clone().filter(keeps).collect()
    }

    #[test]
    fn the_rows_are_those_of_a_plain_loop() {
        for seed in 0..20 {
            let mut random = SplitMix64::new(seed, 0);
            let n = 1 + random.below(60);
            let values: Vec<[f32; 2]> = (0..n).map(|_| [random.normal() as f32, random.normal() as f32]).collect();
            let labels: Vec<u32> = (0..n).map(|_| random.below(3) as u32).collect();
            let points = Points::from_f32(2, values.concat()).unwrap();
            let classes: Vec<Label> = labels.iter().map(|&label| Label::class(label)).collect();
            for n_neighbors in [0, 1, 2, 3, 7, 100] {
                let found = agreeing_rows(points.view(), &classes, n_neighbors).unwrap();
                assert_eq!(found, slow(&values, &labels, n_neighbors), "seed {seed}, {n_neighbors} neighbors");
            }
        }
    }

    #[test]
    fn rows_beyond_the_first_block_are_looked_at_too() {
        // Pairs of equal points, the last of which disagree.
        let n = BLOCK + 2;
        let values: Vec<f32> = (0..n).map(|row| (row / 2) as f32).collect();
        let labels: Vec<Label> = (0..n).map(|row| Label::class(u32::from(row == n - 1))).collect();
        let found = agreeing_rows(PointsRef::from_f32(1, &values).unwrap(), &labels, 1).unwrap();
        assert_eq!(found, (0..n - 2).collect::<Vec<_>>());
    }

    #[test]
    fn another_distance_has_other_neighbors_and_it_can_be_ended() {
        // By its direction the last is among those of class 0, by its place among those of class 1.
        let points = PointsRef::from_f32(2, &[1.0, 0.0, 1.1, 0.0, 9.0, 3.0, 9.0, 4.0, 9.0, 0.0]).unwrap();
        let labels = [0, 0, 1, 1, 1].map(Label::class);
        let by = |distance: Distance| {
            let mut heard = Vec::new();
            let rows = agreeing_rows_unless(points, &labels, 2, &distance, &mut |n| {
                heard.push(n);
                ControlFlow::Continue(())
            });
            assert_eq!(heard, [0]);
            rows.unwrap().unwrap()
        };
        assert_eq!(by(Distance::Cosine), [0, 1, 2, 3]);
        assert_eq!(by(Distance::Euclidean), [0, 1, 2, 3, 4]);
        let ended = agreeing_rows_unless(points, &labels, 2, &Distance::default(), &mut |_| ControlFlow::Break(()));
        assert_eq!(ended.unwrap(), None);
    }

    #[test]
    fn rows_without_a_class_stay_and_do_not_vote() {
        let points = PointsRef::from_f32(1, &[0.0, 0.1, 0.2]).unwrap();
        let labels = [Label::class(0), Label::Unlabeled, Label::class(1)];
        // The nearest of the first has no class: nobody votes.
        assert_eq!(agreeing_rows(points, &labels, 1).unwrap(), [0, 1, 2]);
        assert_eq!(agreeing_rows(points, &labels, 2).unwrap(), [1]);
        assert!(matches!(agreeing_rows(points, &labels[..2], 1), Err(EvaluationError::LabelCount { .. })));
    }
}
