//! Examples as they were given, for explanations to show.

use std::collections::HashMap;

use hedgerow_core::{ExampleId, Point, PointKind, Points, PointsRef};

/// Some examples as they were given, before preprocessing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OriginalExamples {
    width: usize,
    ids: Vec<ExampleId>,
    values: Values,
    row_of: HashMap<ExampleId, usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Values {
    F32(Vec<f32>),
    U8(Vec<u8>),
}

impl Default for Values {
    fn default() -> Self {
        Self::F32(Vec::new())
    }
}

impl OriginalExamples {
    /// None yet, of points of this width and kind.
    pub(crate) fn new(width: usize, kind: PointKind) -> Self {
        let values = match kind {
            PointKind::F32 => Values::F32(Vec::new()),
            PointKind::U8 => Values::U8(Vec::new()),
        };
        Self { width, ids: Vec::new(), values, row_of: HashMap::new() }
    }

    /// Those of a file: one id for each point.
    pub(crate) fn from_parts(ids: Vec<ExampleId>, points: PointsRef<'_>) -> Option<Self> {
        let mut originals = Self::new(points.width(), points.kind());
        if ids.len() != points.len() {
            return None;
        }
        for (row, id) in ids.into_iter().enumerate() {
            if originals.row_of.contains_key(&id) {
                return None;
            }
            originals.add(id, points.row(row));
        }
        Some(originals)
    }

    /// Keeps one more; a point of another kind or width, which callers have ruled out, is left out.
    pub(crate) fn add(&mut self, id: ExampleId, point: Point<'_>) {
        if point.width() != self.width {
            return;
        }
        match (&mut self.values, point) {
            (Values::F32(values), Point::F32(point)) => values.extend_from_slice(point),
            (Values::U8(values), Point::U8(point)) => values.extend_from_slice(point),
            _ => return,
        }
        self.row_of.insert(id, self.ids.len());
        self.ids.push(id);
    }

    pub(crate) fn remove(&mut self, id: ExampleId) {
        let Some(row) = self.row_of.remove(&id) else { return };
        let range = row * self.width..(row + 1) * self.width;
        match &mut self.values {
            Values::F32(values) => drop(values.drain(range)),
            Values::U8(values) => drop(values.drain(range)),
        }
        self.ids.remove(row);
        for (row, id) in self.ids.iter().enumerate().skip(row) {
            self.row_of.insert(*id, row);
        }
    }

    pub(crate) fn get(&self, id: ExampleId) -> Option<Points> {
        let row = *self.row_of.get(&id)?;
        let range = row * self.width..(row + 1) * self.width;
        match &self.values {
            Values::F32(values) => Points::from_f32(self.width, values[range].to_vec()).ok(),
            Values::U8(values) => Points::from_u8(self.width, values[range].to_vec()).ok(),
        }
    }

    pub(crate) fn ids(&self) -> &[ExampleId] {
        &self.ids
    }

    /// All of them; nothing if there are none.
    pub(crate) fn points(&self) -> Option<PointsRef<'_>> {
        if self.ids.is_empty() {
            return None;
        }
        match &self.values {
            Values::F32(values) => PointsRef::from_f32(self.width, values).ok(),
            Values::U8(values) => PointsRef::from_u8(self.width, values).ok(),
        }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        let values = match &self.values {
            Values::F32(values) => size_of_val(values.as_slice()),
            Values::U8(values) => values.len(),
        };
        values + self.ids.len() * 2 * size_of::<ExampleId>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_leaves_the_others_where_they_are_found() {
        let mut originals = OriginalExamples::new(2, PointKind::U8);
        for id in 0..4_u8 {
            originals.add(ExampleId(id.into()), Point::U8(&[id, id + 10]));
        }
        originals.remove(ExampleId(1));
        assert_eq!(originals.get(ExampleId(1)), None);
        for id in [0_u8, 2, 3] {
            let expected = Points::from_u8(2, vec![id, id + 10]).unwrap();
            assert_eq!(originals.get(ExampleId(id.into())), Some(expected));
        }
    }
}
