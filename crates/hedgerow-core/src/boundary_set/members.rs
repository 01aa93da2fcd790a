//! Which examples are members of a boundary set: one pass, Hart's further passes, and exact edits.

use crate::examples::{DROPPED, ExampleStore};
use crate::flat::{self, Rows};
use crate::label::Task;
use crate::metric::{Metric, Row};
use crate::nearest_rows::{RankedRow, just_above};
use crate::neighbor_search::IsStopped;

/// Examples searched for together. Results do not depend on it.
const BLOCK: usize = 1024;

/// The member that answered the first example: there was none.
pub(crate) const NO_MEMBER: Row = DROPPED;

/// The members, in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Members {
    pub(crate) rows: Vec<Row>,
    /// How many of them the first pass found; the others are Hart's.
    pub(crate) n_first_pass: usize,
    /// The member that answered each example in the first pass, in the order of showing; kept with the full history only.
    pub(crate) answers: Vec<Row>,
}

/// The nearest member so far.
#[derive(Clone, Copy)]
struct Answer {
    row: Row,
    rank: f64,
}

const NO_ANSWER: Answer = Answer { row: NO_MEMBER, rank: f64::INFINITY };

/// Compares with members added later than the answer: of equals the earlier stays.
fn improve(metric: &Metric<'_>, row: Row, answer: Answer, later: &[Row]) -> Answer {
    let query = metric.stored().row(row);
    match metric.nearest_of(query, later.len(), |place| later[place], answer.rank) {
        Some((place, rank)) => Answer { row: later[place], rank },
        None if answer.row == NO_MEMBER => later.first().map_or(NO_ANSWER, |&row| Answer { row, ..NO_ANSWER }),
        None => answer,
    }
}

/// The nearest of `members` to each of `rows`.
fn answers_of(metric: &Metric<'_>, members: &[Row], rows: &[Row]) -> Vec<Answer> {
    if members.is_empty() {
        return vec![NO_ANSWER; rows.len()];
    }
    let found = flat::k_nearest_of_all(metric, Rows::Listed(members), metric.stored(), rows, 1);
    let answer = |found: &Vec<RankedRow>| {
        found.first().map_or(NO_ANSWER, |found| Answer { row: members[found.row as usize], rank: found.rank })
    };
    found.iter().map(answer).collect()
}

pub(super) fn is_kept(store: &ExampleStore, task: Task, row: Row, answer: Row) -> bool {
    answer == NO_MEMBER || !task.is_redundant(store.label(answer), store.label(row))
}

impl Members {
    /// The first pass over `rows`: gives how many became members, or nothing if it was stopped before a block.
    ///
    /// Each block is searched for among the members so far, in parallel; then, in order, each of its examples is compared
    /// with those only that the block itself has added.
    pub(crate) fn show_all(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        rows: impl Iterator<Item = Row>,
        task: Task,
        keep_answers: bool,
        is_stopped: IsStopped<'_>,
    ) -> Option<usize> {
        let n_before = self.rows.len();
        let mut rows = rows.peekable();
        let mut n_unasked = BLOCK;
        while rows.peek().is_some() {
            // Not before each: blocks are of one example while there are few members.
            if n_unasked >= BLOCK {
                n_unasked = 0;
                if is_stopped() {
                    return None;
                }
            }
            let size = (self.rows.len() / 2).clamp(1, BLOCK);
            n_unasked += size;
            let block = rows.by_ref().take(size).collect::<Vec<_>>();
            let n_frozen = self.rows.len();
            for (&row, answer) in block.iter().zip(answers_of(metric, &self.rows, &block)) {
                let answer = improve(metric, row, answer, &self.rows[n_frozen..]);
                if is_kept(store, task, row, answer.row) {
                    self.rows.push(row);
                }
                if keep_answers {
                    self.answers.push(answer.row);
                }
            }
        }
        self.n_first_pass = self.rows.len();
        Some(self.rows.len() - n_before)
    }

    /// Hart's rule (1968): further passes, until one adds no example, or nothing if it was stopped. Forgets what earlier calls added.
    ///
    /// An example remembers its nearest member, so that it meets each member once, however many passes there are.
    pub(crate) fn make_consistent(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        task: Task,
        is_stopped: IsStopped<'_>,
    ) -> Option<()> {
        self.rows.truncate(self.n_first_pass);
        let mut is_member = vec![false; store.len()];
        self.rows.iter().for_each(|&row| is_member[row as usize] = true);
        let others = (0..store.len() as Row).filter(|&row| !is_member[row as usize]).collect::<Vec<_>>();
        let mut waiting = Vec::with_capacity(others.len());
        for block in others.chunks(BLOCK) {
            if is_stopped() {
                return None;
            }
            let answers = answers_of(metric, &self.rows, block);
            waiting.extend(block.iter().zip(answers).map(|(&row, answer)| (row, answer, self.n_first_pass)));
        }
        loop {
            let n_before = self.rows.len();
            let (mut n_looked_at, mut is_over) = (0, false);
            waiting.retain_mut(|(row, answer, n_met)| {
                is_over = is_over || n_looked_at % BLOCK == 0 && is_stopped();
                n_looked_at += 1;
                if is_over {
                    return true;
                }
                *answer = improve(metric, *row, *answer, &self.rows[*n_met..]);
                *n_met = self.rows.len();
                let kept = is_kept(store, task, *row, answer.row);
                if kept {
                    self.rows.push(*row);
                }
                !kept
            });
            if is_over {
                return None;
            }
            if self.rows.len() == n_before {
                return Some(());
            }
        }
    }

    /// Whether every pass over an example that has just been shown last would leave all as it is.
    pub(crate) fn is_settled_by_all_passes(
        &self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        row: Row,
        task: Task,
    ) -> bool {
        // A pass sees a prefix of the members, so an example that agrees with the answer of every prefix is in no pass added.
        let mut ranks = Vec::with_capacity(self.rows.len());
        metric.ranks_of(metric.points().row(row as usize), self.rows.iter().copied(), &mut ranks);
        let mut best = f64::INFINITY;
        self.rows.iter().zip(&ranks).enumerate().all(|(place, (&member, &rank))| {
            let nearer = rank < best;
            best = best.min(rank);
            !nearer || place < self.n_first_pass || !is_kept(store, task, row, member)
        })
    }

    /// Decides anew about the examples from `from` on, after the one at `from` was relabelled or, if `without`, is to go.
    ///
    /// An answer changes only if its member has gone or a nearer one has come; where neither has happened yet, nothing is
    /// measured. Gives how many examples were.
    pub(crate) fn replay(
        &mut self,
        store: &ExampleStore,
        metric: &Metric<'_>,
        from: Row,
        without: bool,
        task: Task,
    ) -> usize {
        let was_member = flags(&self.rows[..self.n_first_pass], store.len());
        self.rows.retain(|&row| was_member[row as usize] && row < from);
        let mut gone = vec![false; store.len()];
        let mut come = Vec::new();
        let mut n_measured = 0;
        if without {
            gone[from as usize] = was_member[from as usize];
        }
        for row in from + Row::from(without)..store.len() as Row {
            let old = self.answers[row as usize];
            let answer = if old == NO_MEMBER || gone[old as usize] {
                n_measured += 1;
                improve(metric, row, NO_ANSWER, &self.rows).row
            } else if come.is_empty() {
                old
            } else {
                n_measured += 1;
                self.nearer_of(metric, row, old, &come)
            };
            self.answers[row as usize] = answer;
            let kept = is_kept(store, task, row, answer);
            if kept {
                self.rows.push(row);
            }
            match (was_member[row as usize], kept) {
                (true, false) => gone[row as usize] = true,
                (false, true) => come.push(row),
                _ => {}
            }
        }
        if without {
            self.answers.remove(from as usize);
        }
        self.n_first_pass = self.rows.len();
        n_measured
    }

    /// The nearer of an old answer and members that have come; of equals the one shown earlier.
    fn nearer_of(&self, metric: &Metric<'_>, row: Row, old: Row, come: &[Row]) -> Row {
        let query = metric.stored().row(row);
        let rank = metric.rank(query.point, old);
        // Just above, so that equals are found too.
        match metric.nearest_of(query, come.len(), |place| come[place], just_above(rank)) {
            Some((place, nearer)) if nearer < rank || come[place] < old => come[place],
            _ => old,
        }
    }

    /// Follows rows to where the store has moved them.
    pub(crate) fn move_rows(&mut self, moved: &[Row]) {
        for row in self.rows.iter_mut().chain(&mut self.answers).filter(|row| **row != NO_MEMBER) {
            *row = moved[*row as usize];
        }
    }
}

fn flags(rows: &[Row], len: usize) -> Vec<bool> {
    let mut flags = vec![false; len];
    rows.iter().for_each(|&row| flags[row as usize] = true);
    flags
}
