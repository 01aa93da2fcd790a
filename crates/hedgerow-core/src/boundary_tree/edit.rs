//! Exact removal and relabelling: the tree that the same history, less or with the changed example, would have built.
//!
//! An edit of an example changes the candidates at one node, the *anchor*. Walks that did not pass the anchor never saw the
//! difference, and what they added hangs elsewhere; walks that did pass it end below it. So exactly the later examples
//! whose stop lies at or below the anchor are shown again, from the anchor on, in their order.

use super::shape::{NO_NODE, NodeIndex, Rules, Shown, TreeShape};
use crate::examples::ExampleStore;
use crate::label::Task;
use crate::metric::{Metric, Row};

/// What is to happen to an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It goes.
    Remove,
    /// Its label in the store has just been changed.
    Relabel,
}

/// Whether the example was a node, and how many others were shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) was_node: bool,
    pub(crate) replayed: usize,
}

impl TreeShape {
    /// Edits an example that is in `shown`. The store still has its row.
    pub(crate) fn edit(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        row: Row,
        change: Change,
        rules: &Rules,
    ) -> Edited {
        let place = self.shown.iter().position(|shown| shown.row == row);
        let place = place.expect("every tree of a structure has been shown every example that it keeps");
        let stop = self.shown[place].stop;
        let node = self.nodes.binary_search_by_key(&(place as u32), |node| node.shown_at).ok();
        let node = node.map(|node| node as NodeIndex);

        if rules.task == Task::Retrieval && change == Change::Relabel {
            return Edited { was_node: true, replayed: 0 }; // every example is a node, whatever its label
        }
        let is_root = stop == NO_NODE;
        let stays = change == Change::Relabel
            && (is_root || !rules.task.is_redundant(store.label(self.node(stop).row), store.label(row)));
        let (anchor, from) = match (node, stays) {
            (None, false) => (None, place),                // redundant before and after
            (Some(node), true) => (Some(node), place + 1), // a node before and after, under another label
            (Some(_), false) if is_root => (None, place),  // the next example becomes the root: all anew
            (Some(_), false) | (None, true) => (Some(stop), place),
        };
        let replayed = match anchor {
            Some(anchor) => {
                self.replay(store, metric, anchor, from, (change == Change::Remove).then_some(place), rules)
            }
            None if node.is_some() => self.rebuild_without_root(store, metric, rules),
            None => {
                if change == Change::Remove {
                    self.forget(place);
                }
                0
            }
        };
        Edited { was_node: node.is_some(), replayed }
    }

    fn rebuild_without_root(&mut self, store: &ExampleStore, metric: &Metric<'_>, rules: &Rules) -> usize {
        let rows = self.shown.iter().skip(1).map(|shown| shown.row).collect::<Vec<_>>();
        *self = Self::default();
        self.show_all(store, metric, &rows, rules);
        rows.len()
    }

    /// Shows again what was shown at `from` or later and stopped at or below `anchor`, but for the place `without`.
    fn replay(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        anchor: NodeIndex,
        from: usize,
        without: Option<usize>,
        rules: &Rules,
    ) -> usize {
        let below = self.at_or_below(anchor);
        let again = (from..self.shown.len())
            .filter(|&place| Some(place) != without)
            .filter(|&place| self.shown[place].stop != NO_NODE && below[self.shown[place].stop as usize])
            .collect::<Vec<_>>();

        // Below the anchor, only what was shown before `from` stands. Children are in the order of showing.
        let gone = self
            .nodes
            .iter()
            .enumerate()
            .map(|(node, it)| below[node] && node as NodeIndex != anchor && it.shown_at as usize >= from)
            .collect::<Vec<_>>();
        for (node, it) in self.nodes.iter_mut().enumerate() {
            if below[node] {
                it.children.retain(|child| !gone[child.node as usize]);
            }
        }

        for &place in &again {
            let row = self.shown[place].row;
            let query = metric.stored().row(row);
            let reached = self.stop_at(metric, query, anchor);
            let stop = self.walk_from(metric, query, reached, rules.max_children).node;
            self.shown[place].stop = stop;
            if !rules.task.is_redundant(store.label(self.node(stop).row), store.label(row)) {
                self.add_node(row, stop, place as u32);
            }
        }
        self.renumber(&gone);
        if let Some(place) = without {
            self.forget(place);
        }
        again.len()
    }

    fn at_or_below(&self, anchor: NodeIndex) -> Vec<bool> {
        let mut below = vec![false; self.nodes.len()];
        below[anchor as usize] = true;
        // Parents stand before their children.
        for node in anchor as usize + 1..self.nodes.len() {
            below[node] = below[self.nodes[node].parent as usize];
        }
        below
    }

    /// Drops the nodes marked `gone` and puts the others, some of them new, into the order in which they were shown.
    fn renumber(&mut self, gone: &[bool]) {
        let mut order =
            (0..self.nodes.len()).filter(|&node| !gone.get(node).is_some_and(|gone| *gone)).collect::<Vec<_>>();
        order.sort_by_key(|&node| self.nodes[node].shown_at);
        let mut number = vec![NO_NODE; self.nodes.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as NodeIndex;
        }
        let renamed = |node: NodeIndex| if node == NO_NODE { NO_NODE } else { number[node as usize] };
        let mut old = std::mem::take(&mut self.nodes).into_iter().map(Some).collect::<Vec<_>>();
        for at in order {
            let mut node = old[at].take().expect("each node stands once in the order");
            node.parent = renamed(node.parent);
            node.children.iter_mut().for_each(|child| child.node = renamed(child.node));
            self.nodes.push(node);
        }
        for shown in &mut self.shown {
            shown.stop = renamed(shown.stop);
        }
    }

    /// Takes a place, which no node holds, out of the order of showing.
    fn forget(&mut self, place: usize) {
        self.shown.remove(place);
        for node in self.nodes.iter_mut().rev() {
            if node.shown_at as usize <= place {
                break;
            }
            node.shown_at -= 1;
        }
    }

    /// Edits a node of a tree that keeps no history, as if only its nodes had ever been shown. Gives nothing if the
    /// example is no node of this tree.
    pub(crate) fn edit_lossy(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        row: Row,
        change: Change,
        rules: &Rules,
    ) -> Option<Edited> {
        self.nodes.iter().position(|node| node.row == row)?;
        self.shown = self.nodes.iter().map(|node| Shown { row: node.row, stop: node.parent }).collect();
        let edited = self.edit(store, metric, row, change, rules);
        self.shown = Vec::new();
        for (place, node) in self.nodes.iter_mut().enumerate() {
            node.shown_at = place as u32;
        }
        Some(edited)
    }
}
