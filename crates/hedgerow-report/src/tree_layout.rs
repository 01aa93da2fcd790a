//! Where the nodes of a tree stand: levels below each other, siblings side by side, parents over the middle of their children, and
//! subtrees as close as they can be (after Reingold & Tilford, Tidier Drawings of Trees, 1981: outlines of subtrees are compared level by
//! level).
//!
//! For some hundred nodes: contours are copied from level to level, which takes time in proportion to nodes times depth.

/// Where a node stands. Neighbors on a level are at least 1 apart; the leftmost node stands at 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) level: usize,
}

/// The outlines of a subtree by level, relative to its root.
#[derive(Default)]
struct Outline {
    left: Vec<f64>,
    right: Vec<f64>,
}

/// Places nodes `0..children.len()`, given in an order in which parents come before their children. Several roots stand side by side.
pub(crate) fn tidy(roots: &[usize], children: &[Vec<usize>]) -> Vec<Place> {
    let mut offsets = vec![0.0; children.len()];
    let mut outlines = children.iter().map(|_| Outline::default()).collect::<Vec<_>>();
    for node in (0..children.len()).rev() {
        let mut below = join(&children[node], &mut offsets, &mut outlines);
        below.left.insert(0, 0.0);
        below.right.insert(0, 0.0);
        outlines[node] = below;
    }
    join(roots, &mut offsets, &mut outlines);

    let mut places = vec![Place { x: 0.0, level: 0 }; children.len()];
    for &root in roots {
        places[root].x = offsets[root];
    }
    for node in 0..children.len() {
        for &child in &children[node] {
            places[child] = Place { x: places[node].x + offsets[child], level: places[node].level + 1 };
        }
    }
    let leftmost = places.iter().map(|place| place.x).fold(f64::INFINITY, f64::min);
    for place in &mut places {
        place.x -= leftmost;
    }
    places
}

/// Sets siblings side by side, as close as their outlines allow, around 0; gives the outline of all.
fn join(siblings: &[usize], offsets: &mut [f64], outlines: &mut [Outline]) -> Outline {
    let mut all = Outline::default();
    for &sibling in siblings {
        let one = std::mem::take(&mut outlines[sibling]);
        let apart = all.right.iter().zip(&one.left).map(|(right, left)| right + 1.0 - left);
        let shift = apart.fold(f64::NEG_INFINITY, f64::max);
        let shift = if shift.is_finite() { shift } else { 0.0 };
        for (level, (left, right)) in one.left.iter().zip(&one.right).enumerate() {
            if level < all.left.len() {
                all.right[level] = right + shift;
            } else {
                all.left.push(left + shift);
                all.right.push(right + shift);
            }
        }
        offsets[sibling] = shift;
    }
    let ends = siblings.first().zip(siblings.last());
    let middle = ends.map_or(0.0, |(&first, &last)| (offsets[first] + offsets[last]) / 2.0);
    siblings.iter().for_each(|&sibling| offsets[sibling] -= middle);
    all.left.iter_mut().chain(&mut all.right).for_each(|x| *x -= middle);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_tree_stands_as_drawn_by_hand() {
        //        0                 1.25
        //     1     2           0.5   2
        //   3   4   5          0   1   2
        let children = vec![vec![1, 2], vec![3, 4], vec![5], vec![], vec![], vec![]];
        let places = tidy(&[0], &children);
        assert_eq!(places.iter().map(|place| place.x).collect::<Vec<_>>(), [1.25, 0.5, 2.0, 0.0, 1.0, 2.0]);
        assert_eq!(places.iter().map(|place| place.level).collect::<Vec<_>>(), [0, 1, 1, 2, 2, 2]);
        assert!(tidy(&[], &[]).is_empty());
    }

    /// Every node but the first few picks a parent among those before it.
    fn trees() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<usize>>)> {
        let picks = prop::collection::vec((any::<prop::sample::Index>(), 0..20u8), 1..120);
        picks.prop_map(|picks| {
            let mut children = vec![Vec::new(); picks.len()];
            let mut roots = Vec::new();
            for (node, (pick, kind)) in picks.iter().enumerate() {
                if node == 0 || *kind == 0 {
                    roots.push(node);
                } else {
                    // Now and then a chain, so that trees get deep.
                    let parent = if *kind < 8 { node - 1 } else { pick.index(node) };
                    children[parent].push(node);
                }
            }
            (roots, children)
        })
    }

    proptest! {
        #[test]
        fn nodes_do_not_overlap_and_parents_stand_over_the_middle((roots, children) in trees()) {
            let places = tidy(&roots, &children);
            for one in 0..places.len() {
                for two in 0..one {
                    let is_apart = (places[one].x - places[two].x).abs() > 1.0 - 1e-9;
                    prop_assert!(places[one].level != places[two].level || is_apart, "{one} and {two}");
                }
            }
            for (node, children) in children.iter().enumerate() {
                let xs = children.iter().map(|&child| places[child].x).collect::<Vec<_>>();
                prop_assert!(xs.windows(2).all(|pair| pair[0] < pair[1]));
                if let (Some(first), Some(last)) = (xs.first(), xs.last()) {
                    prop_assert!((places[node].x - (first + last) / 2.0).abs() < 1e-9);
                }
            }
            prop_assert!(places.iter().all(|place| place.x >= 0.0 && place.x < places.len() as f64));
        }
    }
}
