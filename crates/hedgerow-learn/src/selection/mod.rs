//! Which points a query is compared with. Building a boundary set or a tree is this choice; the loss is another matter.

mod boundary_set;
mod final_transition;
mod pairs;
mod random_set;
#[cfg(test)]
pub(crate) mod slow_tree;
mod triplets;

pub use boundary_set::boundary_set;
pub use final_transition::{FinalTransition, Voters};
pub use pairs::{Pair, random_pairs};
pub use random_set::random_set;
pub use triplets::{Triplet, semi_hard_triplets};
