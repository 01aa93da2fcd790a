//! Labelled examples on their way in, and the store that structures keep them in.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::distance::Distance;
use crate::error::{InsertError, PointError, PointsError};
use crate::label::{ExampleId, Label, Task};
use crate::metric::{Metric, Row};
use crate::neighbor_search::Neighbor;
use crate::points::{Point, Points, PointsRef, retain_rows};
use crate::sketch::{SketchSlot, Sketches};
use crate::snapshot::RestoreError;

/// A borrowed block of examples: points, one label for each, and the caller's ids.
#[derive(Debug, Clone, Copy)]
pub struct Examples<'a> {
    points: PointsRef<'a>,
    labels: &'a [Label],
    ids: Ids<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Ids<'a> {
    From(u64),
    Listed(&'a [ExampleId]),
}

impl<'a> Examples<'a> {
    /// Examples with the ids 0, 1, 2, ...
    ///
    /// # Errors
    /// [`PointsError::Count`] unless there is one label for each point.
    pub fn new(points: PointsRef<'a>, labels: &'a [Label]) -> Result<Self, PointsError> {
        check_count(points.len(), labels.len(), "labels")?;
        Ok(Self { points, labels, ids: Ids::From(0) })
    }

    /// The same examples with ids that count up from `first`.
    pub fn starting_at(self, first: ExampleId) -> Self {
        Self { ids: Ids::From(first.0), ..self }
    }

    /// The same examples with the given ids.
    ///
    /// # Errors
    /// [`PointsError::Count`] unless there is one id for each point.
    pub fn with_ids(self, ids: &'a [ExampleId]) -> Result<Self, PointsError> {
        check_count(self.len(), ids.len(), "ids")?;
        Ok(Self { ids: Ids::Listed(ids), ..self })
    }

    /// Number of examples.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no example.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The points.
    pub fn points(&self) -> PointsRef<'a> {
        self.points
    }

    /// The labels.
    pub fn labels(&self) -> &'a [Label] {
        self.labels
    }

    /// The id of one example.
    ///
    /// # Panics
    /// If there is no such row in a list of ids.
    pub fn id(&self, row: usize) -> ExampleId {
        match self.ids {
            Ids::From(first) => ExampleId(first.wrapping_add(row as u64)),
            Ids::Listed(ids) => ids[row],
        }
    }

    pub(crate) fn slice(&self, rows: Range<usize>) -> Self {
        let ids = match self.ids {
            Ids::From(first) => Ids::From(first.wrapping_add(rows.start as u64)),
            Ids::Listed(ids) => Ids::Listed(&ids[rows.clone()]),
        };
        Self { points: self.points.slice(rows.clone()), labels: &self.labels[rows], ids }
    }

    pub(crate) fn one(id: ExampleId, point: Point<'a>, label: &'a Label) -> Self {
        Self { points: PointsRef::one(point), labels: std::slice::from_ref(label), ids: Ids::From(id.0) }
    }
}

fn check_count(points: usize, others: usize, what: &'static str) -> Result<(), PointsError> {
    if points == others { Ok(()) } else { Err(PointsError::Count { points, others, what }) }
}

/// Examples that a structure has kept, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExampleStore {
    points: Option<Points>,
    labels: Vec<Label>,
    ids: Vec<ExampleId>,
    /// A rising number for each row. Rows move when others are dropped and these do not, so that to drop one touches no entry of the map but its own:
    /// with a new row for each that follows, a window of 1000 examples spent most of its time in the map.
    arrivals: Vec<u64>,
    arrival_of: HashMap<ExampleId, u64>,
    sketches: SketchSlot,
}

impl PartialEq for ExampleStore {
    /// Whether the same examples stand in the same rows, whatever was dropped on the way.
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids
            && self.labels == other.labels
            && self.points == other.points
            && self.sketches == other.sketches
    }
}

/// Where a row went when others were dropped.
pub(crate) const DROPPED: Row = Row::MAX;

impl ExampleStore {
    /// A store of examples from anywhere, checked. Sketches are made by [`Self::sketch`].
    pub(crate) fn restored(
        points: Option<Points>,
        labels: Vec<Label>,
        ids: Vec<ExampleId>,
        distance: &Distance,
        task: Task,
    ) -> Result<Self, RestoreError> {
        let points = points.filter(|points| !points.is_empty());
        let n_rows = points.as_ref().map_or(0, Points::len);
        for (what, got) in [("labels", labels.len()), ("ids", ids.len())] {
            if got != n_rows {
                return Err(RestoreError::Count { what, got, of: "points", expected: n_rows });
            }
        }
        if n_rows >= Row::MAX as usize {
            return Err(RestoreError::TooMany { got: n_rows });
        }
        if let Some(points) = &points {
            distance.check_kind(points.kind())?;
        }
        for (row, label) in labels.iter().enumerate() {
            task.check_label(*label).map_err(|source| RestoreError::Label { row, source })?;
        }
        let mut arrival_of = HashMap::with_capacity(n_rows);
        for (row, &id) in ids.iter().enumerate() {
            if let Some(first) = arrival_of.insert(id, row as u64) {
                return Err(RestoreError::DuplicateId { id, first: first as usize, row });
            }
        }
        let arrivals = (0..n_rows as u64).collect();
        Ok(Self { points, labels, ids, arrivals, arrival_of, sketches: SketchSlot::default() })
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn labels(&self) -> &[Label] {
        &self.labels
    }

    pub(crate) fn ids(&self) -> &[ExampleId] {
        &self.ids
    }

    /// An example by its id.
    pub(crate) fn example(&self, id: ExampleId) -> Option<(Point<'_>, Label)> {
        self.find(id).map(|row| (self.point(row), self.label(row)))
    }

    pub(crate) fn points(&self) -> Option<PointsRef<'_>> {
        self.points.as_ref().map(Points::view)
    }

    /// The distance over the stored points.
    pub(crate) fn metric<'a>(&'a self, distance: &'a Distance) -> Metric<'a> {
        let points = self.points().expect("callers look for rows only where there are some");
        Metric::new(distance, points).with_sketches(self.sketches.get())
    }

    pub(crate) fn point(&self, row: Row) -> Point<'_> {
        self.points.as_ref().expect("a row that exists has a point").row(row as usize)
    }

    pub(crate) fn label(&self, row: Row) -> Label {
        self.labels[row as usize]
    }

    pub(crate) fn set_label(&mut self, row: Row, label: Label) {
        self.labels[row as usize] = label;
    }

    pub(crate) fn id(&self, row: Row) -> ExampleId {
        self.ids[row as usize]
    }

    pub(crate) fn find(&self, id: ExampleId) -> Option<Row> {
        let arrival = self.arrival_of.get(&id)?;
        self.arrivals.binary_search(arrival).ok().map(|row| row as Row)
    }

    pub(crate) fn neighbor(&self, row: Row, distance: f64) -> Neighbor {
        Neighbor { id: self.id(row), label: self.label(row), distance }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.points.as_ref().map_or(0, Points::size_bytes)
            + self.sketches.get().map_or(0, Sketches::size_bytes)
            + self.len() * (size_of::<Label>() + 2 * size_of::<ExampleId>() + 2 * size_of::<u64>())
    }

    /// Checks one point against what is stored.
    pub(crate) fn check_point(&self, distance: &Distance, point: Point<'_>) -> Result<(), PointError> {
        point.check()?;
        self.check_shape(distance, PointsRef::one(point))
    }

    /// Checks the width and kind of points, whose values have been checked, against what is stored.
    pub(crate) fn check_shape(&self, distance: &Distance, points: PointsRef<'_>) -> Result<(), PointError> {
        match self.points() {
            _ if points.is_empty() => Ok(()),
            Some(stored) => distance.check_pair(stored, points.row(0)),
            None => distance.check_kind(points.kind()),
        }
    }

    /// Checks a whole block before any of it is taken in.
    pub(crate) fn check(&self, distance: &Distance, task: Task, examples: &Examples<'_>) -> Result<(), InsertError> {
        self.check_shape(distance, examples.points())?;
        if self.len() + examples.len() >= Row::MAX as usize {
            return Err(InsertError::TooMany);
        }
        if let Ids::From(first) = examples.ids {
            let len = examples.len();
            if len > 0 && first.checked_add(len as u64 - 1).is_none() {
                return Err(InsertError::IdsRunOut { first: ExampleId(first), len });
            }
        }
        let mut seen = HashSet::new();
        for (row, label) in examples.labels().iter().enumerate() {
            let id = examples.id(row);
            let twice = matches!(examples.ids, Ids::Listed(_)) && !seen.insert(id);
            let checked = if twice || self.arrival_of.contains_key(&id) {
                Err(InsertError::DuplicateId { id })
            } else {
                task.check_label(*label)
            };
            checked.map_err(|source| match examples.len() {
                1 => source,
                _ => InsertError::Row { row, source: Box::new(source) },
            })?;
        }
        Ok(())
    }

    /// Takes in a block that has been checked; gives its rows.
    pub(crate) fn extend(&mut self, examples: &Examples<'_>) -> Range<Row> {
        let start = self.len() as Row;
        let points = examples.points();
        self.points.get_or_insert_with(|| Points::none(points.width(), points.kind())).extend(points);
        if let Some(sketches) = self.sketches.get_mut() {
            sketches.extend(points);
        }
        self.labels.extend_from_slice(examples.labels());
        let first = self.arrivals.last().map_or(0, |last| last + 1);
        for row in 0..examples.len() {
            let (id, arrival) = (examples.id(row), first + row as u64);
            self.arrival_of.insert(id, arrival);
            self.arrivals.push(arrival);
            self.ids.push(id);
        }
        start..self.len() as Row
    }

    /// Sketches the stored points from now on, where that is likely to pay.
    pub(crate) fn sketch(&mut self, distance: &Distance) {
        if let Some(points) = &self.points {
            self.sketches.fill(distance, points.view());
        }
    }

    /// Of the rows from `start` on, keeps those for which `keep` says so, in their order, and tells where each went.
    pub(crate) fn retain_from(&mut self, start: Row, keep: &[bool]) -> Vec<Row> {
        let mut next = start;
        let moved = keep
            .iter()
            .map(|keep| {
                next += Row::from(*keep);
                if *keep { next - 1 } else { DROPPED }
            })
            .collect::<Vec<_>>();
        let from = start as usize;
        for (id, _) in self.ids[from..].iter().zip(keep).filter(|(_, keep)| !**keep) {
            self.arrival_of.remove(id);
        }
        if let Some(points) = &mut self.points {
            points.retain_from(from, keep);
        }
        if let Some(sketches) = self.sketches.get_mut() {
            sketches.retain_from(from, keep);
        }
        retain_rows(&mut self.labels, 1, from, keep);
        retain_rows(&mut self.ids, 1, from, keep);
        retain_rows(&mut self.arrivals, 1, from, keep);
        if self.is_empty() {
            // As new: an emptied structure takes points of any width.
            *self = Self::default();
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn rows_are_found_as_in_a_plain_list_whatever_came_and_went() {
        for seed in 0..30 {
            let mut random = SplitMix64::new(seed, 0);
            let (mut store, mut plain, mut next) = (ExampleStore::default(), Vec::new(), 0);
            for _ in 0..60 {
                let n = random.below(5);
                let ids = (next..next + n as u64).map(ExampleId).collect::<Vec<_>>();
                next += n as u64;
                let values = ids.iter().map(|id| id.0 as f32).collect::<Vec<_>>();
                let labels = vec![Label::class(0); n];
                let points = PointsRef::from_f32(1, &values).unwrap();
                store.extend(&Examples::new(points, &labels).unwrap().with_ids(&ids).unwrap());
                plain.extend_from_slice(&ids);
                // The first rows, as in a window, or any.
                let start = random.below(plain.len() + 1);
                let keep = plain[start..].iter().map(|_| random.below(4) > 0).collect::<Vec<_>>();
                store.retain_from(start as Row, &keep);
                let mut keep = keep.into_iter();
                let mut place = 0;
                plain.retain(|_| {
                    place += 1;
                    place <= start || keep.next() == Some(true)
                });
                assert_eq!(store.ids(), plain, "seed {seed}");
                for id in (0..next).map(ExampleId) {
                    let row = plain.iter().position(|other| *other == id).map(|row| row as Row);
                    assert_eq!(store.find(id), row, "seed {seed}, {id:?}");
                    let point = row.map(|row| store.point(row));
                    assert!(point.is_none_or(|point| matches!(point, Point::F32(&[value]) if value == id.0 as f32)));
                }
            }
        }
    }
}
