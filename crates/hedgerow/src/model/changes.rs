//! How a model learns on: examples and classes added, removed and relabelled, each written to the journal before it counts.
//!
//! The representation stays as it was learned: it carries what it learned from, whatever is removed. What changes is the neighbor
//! structure, and for it removal is exact.

use std::collections::{HashMap, HashSet};

use hedgerow_core::{
    ClassId, Edit, EditError, ExampleId, Examples, History, InsertError, Insertion, Label, Point, PointKind, Points,
    PointsRef, QueryError, Snapshot, Task,
};

use hedgerow_data::LabelMeaning;

use super::answers::one;
use super::{Model, Originals, Structure, StructureParams};
use crate::error::{AnswerError, ChangeError};
use crate::journal::{Change, Journal, JournalEntry, NewEntry};

/// An example to be added.
#[derive(Debug, Clone, Copy)]
pub struct Addition<'a> {
    /// Its features, as the model was fitted to.
    pub point: Point<'a>,
    /// Its label as text: the name of a class, known or new, or a value.
    pub label: Option<&'a str>,
    /// The id that it gets; the next one if none is given.
    pub id: Option<ExampleId>,
    /// Anything that people should know of it, kept in the journal.
    pub note: Option<&'a str>,
}

/// What became of an added example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inserted {
    /// Its id.
    pub id: ExampleId,
    /// Whether it is stored now, or its label was that of the stored example which the structure found nearest to it (in a forest: which each
    /// tree found). Where several neighbors vote, that is not always the label that the model answers with: a set keeps by the nearest alone,
    /// as its paper has it.
    pub insertion: Insertion,
}

impl Model {
    /// Adds examples; classes that the model does not know yet are new ones. Either all are added or none.
    ///
    /// Of a model that was [opened](Self::open), they are on the disk when this returns.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing has changed then.
    pub fn insert(&mut self, additions: &[Addition<'_>]) -> Result<Vec<Inserted>, ChangeError> {
        let written = self.write(|model| additions_checked(model, additions))?;
        written.iter().map(|entry| self.add(entry)).collect()
    }

    /// Removes an example: the structure becomes the one that the same history without it would have built. The learned representation still
    /// carries it.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing has changed then.
    pub fn remove(&mut self, id: ExampleId, note: Option<&str>) -> Result<Edit, ChangeError> {
        Ok(self.remove_all(&[id], note)?.remove(0))
    }

    /// [Removes](Self::remove) examples, all or none.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing has changed then.
    pub fn remove_all(&mut self, ids: &[ExampleId], note: Option<&str>) -> Result<Vec<Edit>, ChangeError> {
        let written = self.write(|model| {
            let mut gone = HashSet::new();
            let entry = |&id: &ExampleId| {
                model.check_editable(id)?;
                if !gone.insert(id) {
                    return Err(ChangeError::GivenTwice { id });
                }
                Ok(NewEntry { change: Change::Remove { id }, note: note.map(str::to_owned) })
            };
            ids.iter().map(entry).collect()
        })?;
        written.iter().map(|entry| self.apply_edit(&entry.change)).collect()
    }

    /// Gives an example another label, known or new: the structure becomes the one that the same history with it would have built.
    ///
    /// # Errors
    /// [`ChangeError`]; nothing has changed then.
    pub fn relabel(&mut self, id: ExampleId, label: &str, note: Option<&str>) -> Result<Edit, ChangeError> {
        let written = self.write(|model| {
            model.check_editable(id)?;
            let label = model.check_label(Some(label))?.ok_or(ChangeError::NoLabel { task: model.task() })?;
            Ok(vec![NewEntry { change: Change::Relabel { id, label }, note: note.map(str::to_owned) }])
        })?;
        self.apply_edit(&written[0].change)
    }

    /// How many changes since the fit are in the model.
    pub fn n_changes(&self) -> u64 {
        self.n_entries
    }

    /// Every change since the fit, oldest first.
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub fn history(&self) -> Result<Vec<JournalEntry>, crate::JournalError> {
        self.journal().entries_after(0)
    }

    pub(crate) fn journal(&self) -> std::sync::MutexGuard<'_, Journal> {
        // A thread that panicked while it held the journal has left it whole: every write is one transaction.
        self.journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Forgets what the journal says of later changes: the model is as it was after so many.
    pub(crate) fn forget_after(&mut self, entry: u64) {
        if let Journal::Memory(entries) = &mut *self.journal() {
            entries.retain(|known| known.number <= entry);
        }
    }

    /// Writes changes down: those that `checked` makes of the model as it is when nobody else can change it. What is written down must be
    /// possible to do, because everyone who reads it will do it.
    fn write(
        &mut self,
        checked: impl FnOnce(&Self) -> Result<Vec<NewEntry>, ChangeError>,
    ) -> Result<Vec<JournalEntry>, ChangeError> {
        self.journal().lock()?;
        let written = self.catch_up().and_then(|()| {
            let entries = checked(self)?;
            let mut journal = self.journal();
            let written = journal.append(entries, self.n_entries)?;
            journal.commit()?;
            Ok(written)
        });
        if written.is_err() {
            self.journal().release();
        }
        written
    }

    /// Takes in what others have written to the journal since.
    fn catch_up(&mut self) -> Result<(), ChangeError> {
        let entries = self.journal().entries_after(self.n_entries)?;
        for entry in &entries {
            self.take_in(entry)?;
        }
        Ok(())
    }

    /// Does once more what the journal says was done.
    pub(crate) fn take_in(&mut self, entry: &JournalEntry) -> Result<(), ChangeError> {
        match &entry.change {
            Change::Add { .. } => self.add(entry).map(|_| ()),
            change => self.apply_edit(change).map(|_| ()),
        }
    }

    fn add(&mut self, entry: &JournalEntry) -> Result<Inserted, ChangeError> {
        let Change::Add { id, label, point, representation } = &entry.change else {
            return Err(ChangeError::Edit(EditError::UnknownId { id: entry.change.id(), history: History::Full }));
        };
        let (id, label) = (*id, self.take_label(label.as_deref())?);
        let original = points_from(self.facts.data.n_features, self.facts.data.kind(), point)?;
        let shown = match &self.transform {
            Some(transform) => points_from(transform.architecture().n_outputs(), PointKind::F32, representation)?,
            None => self.embed(original.view())?,
        };
        let insertion = self.structure.search_mut().insert(id, shown.view().row(0), label)?;
        if self.params().originals == Originals::Stored && (self.transform.is_some() || !self.preprocessing.is_none()) {
            self.originals.add(id, original.view().row(0));
        }
        self.next_id = self.next_id.max(id.0.saturating_add(1));
        self.n_entries = entry.number;
        Ok(Inserted { id, insertion })
    }

    fn apply_edit(&mut self, change: &Change) -> Result<Edit, ChangeError> {
        let edit = match change {
            Change::Remove { id } => {
                let edit = self.structure.search_mut().remove(*id)?;
                self.originals.remove(*id);
                edit
            }
            Change::Relabel { id, label } => {
                let label = self.take_label(Some(label))?;
                self.structure.search_mut().relabel(*id, label)?
            }
            Change::Add { id, .. } => return Err(ChangeError::DuplicateId { id: *id }),
        };
        self.n_entries += 1;
        Ok(edit)
    }

    /// What would refuse an edit, before it is written down.
    fn check_editable(&self, id: ExampleId) -> Result<(), ChangeError> {
        let history = self.search().history();
        if self.search().example(id).is_none() {
            return Err(EditError::UnknownId { id, history }.into());
        }
        if self.keeps_all() { Ok(()) } else { Err(EditError::HistoryNeeded { id, history }.into()) }
    }

    /// Whether every example that was shown, and not removed, is still known.
    fn keeps_all(&self) -> bool {
        matches!(self.structure, Structure::Knn(_)) || self.search().history() == History::Full
    }

    /// Whether labels are numbers.
    fn has_values(&self) -> bool {
        match self.task() {
            Task::Regression { .. } => true,
            Task::Retrieval => self.facts.schema.labels == Some(LabelMeaning::Values),
            _ => false,
        }
    }

    /// The text that stands for a label in the journal, if the task can take it.
    fn check_label(&self, label: Option<&str>) -> Result<Option<String>, ChangeError> {
        let task = self.task();
        // Without spaces around it, as files are read.
        match (task, label.map(str::trim)) {
            (Task::Retrieval, None | Some("")) => Ok(None),
            (_, None | Some("")) => Err(ChangeError::NoLabel { task }),
            (_, Some(text)) if self.has_values() => match text.parse::<f32>() {
                Ok(value) if value.is_finite() => Ok(Some(text.to_owned())),
                _ => Err(ChangeError::NotAValue { label: text.to_owned() }),
            },
            (_, Some(text)) => Ok(Some(text.to_owned())),
        }
    }

    /// The label of a text; a class that is not known is a new one from now on.
    fn take_label(&mut self, label: Option<&str>) -> Result<Label, ChangeError> {
        let Some(text) = label else { return Ok(Label::Unlabeled) };
        if self.has_values() {
            let value = text.parse().map_err(|_| ChangeError::NotAValue { label: text.to_owned() })?;
            return Ok(Label::Value(value));
        }
        let names = &mut self.facts.schema.class_names;
        let class = names.iter().position(|name| name == text).unwrap_or_else(|| {
            names.push(text.to_owned());
            names.len() - 1
        });
        Ok(Label::Class(ClassId(u32::try_from(class).map_err(|_| ChangeError::TooManyClasses)?)))
    }

    /// Whether the structure is what its history gives: it keeps the examples that it was fitted to, but for those that editing left out, and those that the journal says were added,
    /// less the removed ones, with the labels that the journal gives them; and shown to empty structures of the same parameters, in the same
    /// order, tree by tree, every distance measured anew, these give the same one, where loading trusts what was written down.
    ///
    /// # Errors
    /// A history that was not kept ([`QueryError::HistoryNeeded`]).
    pub fn is_what_its_history_gives(&self) -> Result<bool, ChangeError> {
        if !self.keeps_all() {
            return Err(AnswerError::from(QueryError::HistoryNeeded { history: self.search().history() }).into());
        }
        let snapshot = self.structure.snapshot();
        // Where the record of earlier changes is lost, nobody knows what they were.
        if self.n_lost == 0 && !self.keeps_what_the_journal_says(&snapshot)? {
            return Ok(false);
        }
        let Some(points) = &snapshot.points else { return Ok(true) };
        let show = |params: &StructureParams, rows: Option<&[u32]>| -> Result<Structure, ChangeError> {
            let mut anew = params.build(&self.common())?;
            let rows: Vec<usize> = match rows {
                Some(rows) if !rows.is_empty() => rows.iter().map(|&row| row as usize).collect(),
                _ => (0..points.len()).collect(),
            };
            let labels: Vec<Label> = rows.iter().map(|&row| snapshot.labels[row]).collect();
            let ids: Vec<ExampleId> = rows.iter().map(|&row| snapshot.ids[row]).collect();
            let shown = points.view().select(&rows);
            let examples = Examples::new(shown.view(), &labels).and_then(|examples| examples.with_ids(&ids));
            anew.search_mut().insert_all(&examples.map_err(AnswerError::from)?)?;
            Ok(anew)
        };
        let StructureParams::Forest { max_children, .. } = self.params().structure else {
            return Ok(show(&self.params().structure, None)? == self.structure);
        };
        for tree in &snapshot.trees {
            let anew = show(&StructureParams::Tree { max_children }, Some(&tree.order))?.snapshot();
            let Some(one) = anew.trees.first() else { return Ok(false) };
            let row_of = |place: &u32| tree.order.get(*place as usize).copied().unwrap_or(*place);
            let nodes: Vec<u32> = one.nodes.iter().map(row_of).collect();
            if (&nodes, &one.parents, &one.answers) != (&tree.nodes, &tree.parents, &tree.answers) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether examples and labels are those that the journal leaves.
    fn keeps_what_the_journal_says(&self, snapshot: &Snapshot) -> Result<bool, ChangeError> {
        let mut labels: HashMap<ExampleId, Option<Option<String>>> =
            (0..self.facts.data.n_examples as u64).map(|row| (ExampleId(row), None)).collect();
        self.left_out.iter().for_each(|id| drop(labels.remove(id)));
        let entries = self.journal().entries_after(0)?;
        for entry in entries.iter().filter(|entry| entry.number <= self.n_entries) {
            match &entry.change {
                Change::Add { id, label, .. } => drop(labels.insert(*id, Some(label.clone()))),
                Change::Relabel { id, label } => drop(labels.insert(*id, Some(Some(label.clone())))),
                Change::Remove { id } => drop(labels.remove(id)),
            }
        }
        let is_right = |(id, label): (&ExampleId, &Label)| match labels.get(id) {
            None => false,
            // As it was fitted: no record has that label.
            Some(None) => true,
            Some(Some(None)) => *label == Label::Unlabeled,
            Some(Some(Some(text))) => match label {
                Label::Value(value) => text.parse() == Ok(*value),
                label => self.label_text(*label) == *text,
            },
        };
        Ok(snapshot.ids.len() == labels.len() && snapshot.ids.iter().zip(&snapshot.labels).all(is_right))
    }
}

/// What is written down of examples, if the model can take all of them in.
fn additions_checked(model: &Model, additions: &[Addition<'_>]) -> Result<Vec<NewEntry>, ChangeError> {
    let mut entries = Vec::with_capacity(additions.len());
    let mut given = HashSet::new();
    let mut next_id = model.next_id;
    for addition in additions {
        let id = addition.id.unwrap_or(ExampleId(next_id));
        // The journal has numbers up to this one, and the next example must get one, too.
        if id.0 >= i64::MAX as u64 {
            return Err(ChangeError::IdTooLarge { id });
        }
        if model.search().example(id).is_some() {
            return Err(ChangeError::DuplicateId { id });
        }
        if !given.insert(id) {
            return Err(ChangeError::GivenTwice { id });
        }
        if id.0 < model.sources.len() as u64 {
            return Err(ChangeError::IdOfFit { id, n_rows: model.sources.len() });
        }
        next_id = next_id.max(id.0 + 1);
        let label = model.check_label(addition.label)?;
        let original = model.as_fitted(one(addition.point).map_err(AnswerError::from)?)?;
        let represented = model.represent(original.view())?;
        // A network can make numbers too large of small ones.
        represented.view().row(0).check().map_err(InsertError::from)?;
        entries.push(NewEntry {
            change: Change::Add {
                id,
                label,
                point: bytes_of(original.view()),
                // Found again without a pass through the network, which another processor might make of other last bits.
                representation: model.transform.as_ref().map_or_else(Vec::new, |_| bytes_of(represented.view())),
            },
            note: addition.note.map(str::to_owned),
        });
    }
    Ok(entries)
}

/// Numbers as bytes, little end first.
pub(crate) fn bytes_of(points: PointsRef<'_>) -> Vec<u8> {
    match (points.as_u8(), points.as_f32()) {
        (Some(bytes), _) => bytes.to_vec(),
        (None, values) => values.unwrap_or_default().iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}

/// The one point that bytes are.
fn points_from(width: usize, kind: PointKind, bytes: &[u8]) -> Result<Points, ChangeError> {
    let points = match kind {
        PointKind::U8 => Points::from_u8(width, bytes.to_vec()),
        PointKind::F32 => {
            let value = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            Points::from_f32(width, bytes.chunks_exact(4).map(value).collect())
        }
    };
    let points = points.map_err(AnswerError::from)?;
    match points.len() {
        1 => Ok(points),
        got => Err(ChangeError::NotOnePoint { got }),
    }
}
