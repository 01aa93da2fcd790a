//! The members of a set that was written down, checked against the answers and labels.

use super::Passes;
use super::members::{Members, NO_MEMBER, is_kept};
use crate::examples::ExampleStore;
use crate::history::History;
use crate::label::Task;
use crate::metric::Row;
use crate::snapshot::{NONE, RestoreError, Snapshot, check_none, some};

const _: () = assert!(NO_MEMBER == NONE);

impl Members {
    pub(super) fn restored(
        snapshot: &Snapshot,
        store: &ExampleStore,
        task: Task,
        history: History,
        passes: Passes,
    ) -> Result<Self, RestoreError> {
        let mut is_member = vec![false; store.len()];
        let mut rows = Vec::with_capacity(snapshot.members.len());
        match history {
            // Every row that is kept is a member.
            History::NodesOnly => {
                check_none("answers", snapshot.answers.len(), "a boundary set without history")?;
                rows.extend(0..store.len() as Row);
                is_member.fill(true);
            }
            History::Full => {
                let (got, expected) = (snapshot.answers.len(), store.len());
                if got != expected {
                    return Err(RestoreError::Count { what: "answers", got, of: "points", expected });
                }
                // The first pass once more, with the answers given.
                for (row, &answer) in snapshot.answers.iter().enumerate() {
                    let was_member = (answer as usize) < row && is_member[answer as usize];
                    if !was_member && (row, answer) != (0, NONE) {
                        return Err(RestoreError::Answer { row, answer: some(answer) });
                    }
                    is_member[row] = is_kept(store, task, row as Row, answer);
                    if is_member[row] {
                        rows.push(row as Row);
                    }
                }
            }
        }
        for (place, &expected) in rows.iter().enumerate() {
            let got = snapshot.members.get(place).copied();
            if got != Some(expected) {
                return Err(RestoreError::Member { place, got, expected: Some(expected) });
            }
        }
        let n_first_pass = rows.len();
        for (place, &row) in snapshot.members.iter().enumerate().skip(n_first_pass) {
            let may_be = passes == Passes::UntilConsistent && is_member.get(row as usize) == Some(&false);
            if !may_be {
                return Err(RestoreError::Member { place, got: Some(row), expected: None });
            }
            is_member[row as usize] = true;
            rows.push(row);
        }
        Ok(Self { rows, n_first_pass, answers: snapshot.answers.clone() })
    }
}
