//! The final transition of a walk through a boundary tree (equation 2 of the DBS paper, from Zoran et al. 2017).

use hedgerow_core::{
    BoundaryTree, BoundaryTreeParams, Candidate, Examples, History, InsertError, Label, NeighborSearch, Point,
    PointsRef, QueryError, Traversal,
};
use serde::{Deserialize, Serialize};

use crate::error::StepError;
use crate::matrix::Matrix;
use crate::real::Real;

/// Who votes at the end of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Voters {
    /// The node where the walk ends and its siblings, as the paper writes. (The parent stands in the denominator of every
    /// transition, and falls out when the class probabilities are made to sum to 1.)
    #[default]
    Siblings,
    /// Their parent too, as in the public code of the paper's authors.
    SiblingsAndParent,
}

impl Voters {
    /// The nodes that vote at the end of a walk, with their distances from the query: the node where it ends and that node's
    /// siblings, in the order in which they were added, then their parent if it votes. If the walk ends at the root: the root
    /// and its children.
    pub fn of(self, walk: &Traversal) -> impl Iterator<Item = &Candidate> {
        let ends_at_root = walk.steps.len() == 1;
        // The last step stays where it is; the one before is the last transition.
        let step = walk.steps.get(walk.steps.len().saturating_sub(2));
        let first = step.filter(|_| ends_at_root);
        let last = step.filter(|_| !ends_at_root && self == Self::SiblingsAndParent);
        let children = step.into_iter().flat_map(|step| &step.children);
        first.map(|step| &step.at).into_iter().chain(children).chain(last.map(|step| &step.at))
    }
}

/// A boundary tree over the first rows of a step, and who votes for a query.
#[derive(Debug, Clone)]
pub struct FinalTransition {
    tree: BoundaryTree,
    voters: Voters,
}

impl FinalTransition {
    /// Builds the tree from rows `0..labels.len()`.
    ///
    /// # Errors
    /// Representations that are not numbers a tree can hold.
    pub fn build<R: Real>(representations: &Matrix<R>, labels: &[u32], voters: Voters) -> Result<Self, StepError> {
        let width = representations.n_columns();
        let values: Vec<f32> =
            representations.values()[..labels.len() * width].iter().map(|value| value.narrow()).collect();
        let labels: Vec<Label> = labels.iter().map(|&label| Label::class(label)).collect();
        let mut tree = BoundaryTreeParams::default().history(History::NodesOnly).build().map_err(unusable)?;
        let points = PointsRef::from_f32(width, &values).map_err(unusable)?;
        let examples = Examples::new(points, &labels).map_err(unusable)?;
        tree.insert_all(&examples).map_err(|source: InsertError| unusable(source))?;
        Ok(Self { tree, voters })
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.tree.n_stored()
    }

    /// The rows that [vote](Voters::of) for a query.
    ///
    /// # Errors
    /// A query that is not numbers.
    pub fn voters<R: Real>(&self, query: &[R], rows: &mut Vec<usize>) -> Result<(), StepError> {
        let query: Vec<f32> = query.iter().map(|value| value.narrow()).collect();
        let walks = self.tree.traverse(Point::F32(&query)).map_err(|source: QueryError| unusable(source))?;
        rows.clear();
        rows.extend(walks.iter().flat_map(|walk| self.voters.of(walk)).map(|voter| voter.neighbor.id.0 as usize));
        Ok(())
    }
}

fn unusable(source: impl std::fmt::Display) -> StepError {
    StepError::Unusable { reason: source.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voters_are_the_last_node_and_its_siblings() {
        // Root 0 (class 0); 4 (class 1) and -5 (class 2) hang from it; 5 (class 0) hangs from 4, 6 (class 1) from 5.
        let points = Matrix::from_values(5, 1, vec![0.0, 4.0, -5.0, 5.0, 6.0_f64]);
        let labels = [0, 1, 2, 0, 1];
        let tree = FinalTransition::build(&points, &labels, Voters::Siblings).unwrap();
        assert_eq!(tree.n_nodes(), 5);
        let voters = |query: f64| {
            let mut rows = Vec::new();
            tree.voters(&[query], &mut rows).unwrap();
            rows
        };
        assert_eq!(voters(0.5), [0, 1, 2]); // ends at the root: it and its children
        assert_eq!(voters(3.5), [1, 2]); // ends at 4, whose sibling is -5
        assert_eq!(voters(5.2), [3]);
        let tree = FinalTransition::build(&points, &labels, Voters::SiblingsAndParent).unwrap();
        let mut rows = Vec::new();
        tree.voters(&[3.5], &mut rows).unwrap();
        assert_eq!(rows, [1, 2, 0]);
    }
}
