//! One suite over every structure, through the trait alone: what every `NeighborSearch` promises.

#![allow(clippy::unwrap_used)] // in helpers too, not only in the tests themselves

mod answers;
mod counts;
mod edits;
mod explanations;
mod infinite;
mod kept;
mod refused;
mod small;
mod stopped;

#[path = "../every_structure/mod.rs"]
mod every_structure;
#[path = "../oracle/mod.rs"]
mod oracle;

use every_structure::{PLANS, Plan, Structure, forest, nodes_of, show, show_singly, shown_to, slow_nodes_of};
use hedgerow_core::{
    BoundaryForestParams, BoundarySetParams, BoundaryTreeParams, Calibration, Distance, EditError, Effort, ExampleId,
    Examples, History, Initialization, InsertError, Insertion, Label, LinearScanParams, ParamError, Passes, Point,
    PointError, PointKind, Points, PointsError, PointsRef, QueryError, Task, Vote,
};
use oracle::{Data, Measure, Random, SlowTree, label, row_of};

const KINDS: [PointKind; 2] = [PointKind::F32, PointKind::U8];
const TASKS: [Task; 3] = [Task::Classification, Task::Regression { epsilon: 0.75 }, Task::Retrieval];

/// A structure to test, and how it was made.
struct Case {
    plan: Plan,
    kind: PointKind,
    task: Task,
    structure: Structure,
}

impl Case {
    fn name(&self) -> String {
        format!("{:?}, {}, {}", self.plan, self.kind, self.task)
    }

    /// A point of this case's kind.
    fn with_point<R>(&self, values: &[u8], ask: impl FnOnce(Point<'_>) -> R) -> R {
        with_point(self.kind, values, ask)
    }

    fn data(&self, seed: u64, n: usize) -> Data {
        Data::grid(&mut Random(seed), self.kind, self.task, n, 3, 6, 4)
    }
}

fn with_point<R>(kind: PointKind, values: &[u8], ask: impl FnOnce(Point<'_>) -> R) -> R {
    match kind {
        PointKind::U8 => ask(Point::U8(values)),
        PointKind::F32 => ask(Point::F32(&values.iter().map(|value| f32::from(*value)).collect::<Vec<_>>())),
    }
}

/// Every plan with every kind of point and every task.
fn cases() -> Vec<Case> {
    cases_of(&TASKS)
}

fn cases_of(tasks: &[Task]) -> Vec<Case> {
    let mut cases = Vec::new();
    for plan in PLANS {
        for kind in KINDS {
            for &task in tasks {
                cases.push(Case { plan, kind, task, structure: plan.build(task, &Distance::Euclidean) });
            }
        }
    }
    cases
}

/// Distances from a query to rows of the data, by the naive loop.
fn to_query<'a>(data: &'a Data, query: &'a [f64]) -> impl Fn(usize) -> f64 + 'a {
    move |row| Measure::Euclidean.between(&data.rows[row], query)
}

/// The stored examples in the order in which ties go to the earlier one.
fn stored_rows(case: &Case, data: &Data) -> Vec<usize> {
    let stored = case.structure.search().stored_ids().into_iter().map(row_of).collect::<Vec<_>>();
    if case.plan.is_hart() {
        // Members that later passes added come after those of the first.
        let all = (0..data.len()).collect::<Vec<_>>();
        let members = oracle::hart(case.task, &all, &data.labels, &data.far(Measure::Euclidean));
        let mut sorted = members.clone();
        sorted.sort_unstable();
        assert_eq!(stored, sorted, "{}", case.name());
        return members;
    }
    stored
}

fn queries(case: &Case, n: usize) -> Data {
    Data::grid(&mut Random(77), case.kind, case.task, n, 3, 8, 4)
}
