//! The final transition of a walk through a boundary tree (equation 2 of the DBS paper, from Zoran et al. 2017).

use hedgerow_core::{
    BoundaryTree, BoundaryTreeParams, Examples, History, InsertError, Label, NeighborSearch, NodeId, Point, PointsRef,
    QueryError,
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

    /// The rows that vote for a query: the node where its walk ends and that node's siblings; if the walk ends at the root,
    /// the root and its children.
    ///
    /// # Errors
    /// A query that is not numbers.
    pub fn voters<R: Real>(&self, query: &[R], rows: &mut Vec<usize>) -> Result<(), StepError> {
        let query: Vec<f32> = query.iter().map(|value| value.narrow()).collect();
        let walks = self.tree.traverse(Point::F32(&query)).map_err(|source: QueryError| unusable(source))?;
        let end = walks.first().map_or(NodeId(0), |walk| walk.answer().node);
        let tree = self.tree.tree();
        let row = |node: NodeId| tree.id(node).0 as usize;
        rows.clear();
        match tree.parent(end) {
            None => rows.extend(std::iter::once(end).chain(tree.children(end)).map(row)),
            Some(parent) => {
                rows.extend(tree.children(parent).map(row));
                if self.voters == Voters::SiblingsAndParent {
                    rows.push(row(parent));
                }
            }
        }
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
