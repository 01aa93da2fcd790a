//! Labels on their way in: collected as they are written, understood when all are known.
//!
//! A file says `setosa`, `7` or `0.25`; whether those are classes or values is known only at the end, and the classes are
//! numbered in sorted order, so that the numbers do not depend on the order of the rows.

use std::collections::HashMap;
use std::sync::Arc;

use hedgerow_core::Label;

use crate::encoding::{LabelMeaning, Schema};
use crate::error::{Place, Problem, ReadError, shown};
use crate::options::LabelKind;

/// Labels as they were written, each different one once.
#[derive(Debug, Default)]
pub(crate) struct LabelCollector {
    texts: Vec<Box<str>>,
    code_of: HashMap<Box<str>, u32>,
    code_of_number: HashMap<u64, u32>,
    /// For each row, which text it has.
    codes: Vec<u32>,
    /// Bytes held by the texts, for the memory limit.
    text_bytes: usize,
}

/// The code of a row without a label.
const UNLABELED: u32 = u32::MAX;

/// The classes that are known, by their number. Kept from one block of a stream to the next, so that a class has one number
/// in all of them and what is known need not be gone through anew for each.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// Shared with the data sets whose labels they name; copied only if one of those is still there when a class is added.
    names: Arc<Vec<String>>,
    number_of: HashMap<String, u32>,
}

impl Classes {
    /// Those that were recorded, if any.
    pub(crate) fn recorded(schema: Option<&Schema>) -> Self {
        let names = schema.map_or_else(Vec::new, |schema| schema.class_names.clone());
        let mut number_of: HashMap<String, u32> =
            names.iter().enumerate().map(|(class, name)| (name.clone(), class as u32)).collect();
        // A recorded class is found by either spelling of a whole number.
        for (class, name) in names.iter().enumerate() {
            number_of.entry(class_name(name)).or_insert(class as u32);
        }
        Self { names: Arc::new(names), number_of }
    }

    /// Their names.
    pub(crate) fn names(&self) -> Arc<Vec<String>> {
        Arc::clone(&self.names)
    }

    /// The number of the class of a text; a new one if it is not known.
    fn number(&mut self, text: &str) -> u32 {
        // As it is written, if that is known; else as a whole number is written.
        if let Some(number) = self.number_of.get(text) {
            return *number;
        }
        let name = class_name(text);
        *self.number_of.entry(name).or_insert_with_key(|name| {
            let names = Arc::make_mut(&mut self.names);
            names.push(name.clone());
            (names.len() - 1) as u32
        })
    }
}

impl LabelCollector {
    /// Takes the label of the next row as text.
    pub(crate) fn push(&mut self, text: &str) {
        let code = self.code(text);
        self.codes.push(code);
    }

    /// Takes the next row as one without a label.
    pub(crate) fn push_unlabeled(&mut self) {
        self.codes.push(UNLABELED);
    }

    /// Takes the label of the next row as a number, which is written as text in the shortest way: `7` for 7.0.
    pub(crate) fn push_number(&mut self, number: f64) {
        let number = number + 0.0; // -0 and 0 are one class
        let code = match self.code_of_number.get(&number.to_bits()) {
            Some(code) => *code,
            None => {
                let code = self.code(&number.to_string());
                self.code_of_number.insert(number.to_bits(), code);
                code
            }
        };
        self.codes.push(code);
    }

    fn code(&mut self, text: &str) -> u32 {
        if let Some(code) = self.code_of.get(text) {
            return *code;
        }
        let code = u32::try_from(self.texts.len()).expect("memory ends before 2^32 different labels");
        self.texts.push(text.into());
        self.code_of.insert(text.into(), code);
        self.text_bytes += 2 * text.len() + 96;
        code
    }

    pub(crate) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.codes.truncate(rows);
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.text_bytes + size_of_val(self.codes.as_slice())
    }

    /// Appends the labels of another part of the same data set.
    pub(crate) fn append(&mut self, other: &Self) {
        let codes: Vec<u32> = other.texts.iter().map(|text| self.code(text)).collect();
        self.codes.extend(other.codes.iter().map(|&code| codes.get(code as usize).copied().unwrap_or(UNLABELED)));
    }

    /// For each row, whether it has a label.
    pub(crate) fn is_labeled(&self) -> impl Iterator<Item = bool> {
        self.codes.iter().map(|code| *code != UNLABELED)
    }

    /// Keeps the labels of some rows.
    pub(crate) fn select(&mut self, rows: &[u64]) {
        self.codes = rows.iter().filter_map(|&row| self.codes.get(row as usize).copied()).collect();
    }

    /// The one label that all rows have, if it is so.
    pub(crate) fn constant(&self) -> Option<&str> {
        let mut labelled = self.codes.iter().filter(|code| **code != UNLABELED);
        let first = labelled.next()?;
        let name = class_name(&self.texts[*first as usize]);
        let same = |code: &u32| code == first || class_name(&self.texts[*code as usize]) == name;
        labelled.all(same).then(|| &*self.texts[*first as usize])
    }

    /// Decides what the labels are (as `recorded`, if that is said), and numbers the classes: those that are known first, then
    /// the others in sorted order.
    ///
    /// `place_of` says where a row is, for an error.
    pub(crate) fn understand_by(
        &self,
        kind: LabelKind,
        recorded: Option<LabelMeaning>,
        classes: &mut Classes,
        place_of: impl Fn(usize) -> Place,
    ) -> Result<Vec<Label>, ReadError> {
        let numbers: Vec<Option<f64>> = self.texts.iter().map(|text| number(text)).collect();
        // Texts of rows that were left out again stay known; they must not decide.
        let mut used = vec![false; self.texts.len()];
        self.codes.iter().filter(|code| **code != UNLABELED).for_each(|&code| used[code as usize] = true);
        let in_use = || numbers.iter().zip(&used).filter(|(_, used)| **used).map(|(number, _)| *number);
        let meaning = match (kind, recorded) {
            (LabelKind::Ignored, _) => return Ok(vec![Label::Unlabeled; self.codes.len()]),
            (LabelKind::Classes, _) | (LabelKind::Detect, Some(LabelMeaning::Classes)) => LabelMeaning::Classes,
            (LabelKind::Values, _) | (LabelKind::Detect, Some(LabelMeaning::Values)) => LabelMeaning::Values,
            (LabelKind::Detect, None) => {
                let all_numbers = in_use().all(|number| number.is_some());
                let one_not_whole = in_use().flatten().any(|number| number.fract() != 0.0);
                if all_numbers && one_not_whole { LabelMeaning::Values } else { LabelMeaning::Classes }
            }
        };
        match meaning {
            LabelMeaning::Values => self.values(&numbers, place_of),
            LabelMeaning::Classes => Ok(self.classes(&numbers, &used, classes)),
        }
    }

    fn values(&self, numbers: &[Option<f64>], place_of: impl Fn(usize) -> Place) -> Result<Vec<Label>, ReadError> {
        let value = |(row, &code): (usize, &u32)| match numbers.get(code as usize).copied().flatten() {
            _ if code == UNLABELED => Ok(Label::Unlabeled),
            Some(value) if (value as f32).is_finite() => Ok(Label::Value(value as f32)),
            Some(value) => Err(place_of(row).error(Problem::Unusable { value })),
            None => Err(place_of(row).error(Problem::NotANumber {
                text: shown(self.texts[code as usize].as_bytes()),
                remedy: "labels were asked to be values; ask for classes, or mend the label",
            })),
        };
        self.codes.iter().enumerate().map(value).collect()
    }

    fn classes(&self, numbers: &[Option<f64>], used: &[bool], classes: &mut Classes) -> Vec<Label> {
        let mut order: Vec<usize> = (0..self.texts.len()).filter(|&code| used[code]).collect();
        // By number where all are numbers (9 before 10), else by text.
        if order.iter().all(|&code| numbers[code].is_some()) {
            order.sort_by(|&a, &b| {
                let by_number = numbers[a].partial_cmp(&numbers[b]).unwrap_or(std::cmp::Ordering::Equal);
                by_number.then_with(|| self.texts[a].cmp(&self.texts[b]))
            });
        } else {
            order.sort_by(|&a, &b| self.texts[a].cmp(&self.texts[b]));
        }
        let mut class_of_code = vec![0; self.texts.len()];
        for code in order {
            class_of_code[code] = classes.number(&self.texts[code]);
        }
        let label =
            |&code: &u32| class_of_code.get(code as usize).map_or(Label::Unlabeled, |class| Label::class(*class));
        self.codes.iter().map(label).collect()
    }
}

/// Labels as core understands them.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct Understood {
    pub(crate) labels: Vec<Label>,
    pub(crate) class_names: Vec<String>,
}

#[cfg(test)]
impl LabelCollector {
    /// The labels of a whole file, with their classes.
    pub(crate) fn understand(
        self,
        kind: LabelKind,
        schema: Option<&Schema>,
        place_of: impl Fn(usize) -> Place,
    ) -> Result<Understood, ReadError> {
        let mut classes = Classes::recorded(schema);
        let labels = self.understand_by(kind, schema.and_then(|schema| schema.labels), &mut classes, place_of)?;
        Ok(Understood { labels, class_names: classes.names().to_vec() })
    }
}

/// The name of a class or a category: its text, but a whole number written as a float is that number, so that 1.0, 1e0 and
/// 1 are one class whatever program wrote them. Digits alone stay as they are: 007 is not 7. So do truth values: true is
/// neither True nor 1.
pub(crate) fn class_name(text: &str) -> String {
    let spelled = text.contains(['.', 'e', 'E']);
    match number(text).filter(|number| spelled && number.fract() == 0.0 && number.abs() < 1e15) {
        Some(number) => (number + 0.0).to_string(),
        None => text.to_owned(),
    }
}

/// The number that a whole text is, if it is one. NaN is none.
fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| !number.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understand(texts: &[&str], kind: LabelKind) -> Understood {
        let mut labels = LabelCollector::default();
        texts.iter().for_each(|text| labels.push(text));
        labels.understand(kind, None, |_| Place::file("test")).unwrap()
    }

    #[test]
    fn texts_and_whole_numbers_are_classes_in_sorted_order() {
        let said = understand(&["b", "a", "b"], LabelKind::Detect);
        assert_eq!(said.class_names, ["a", "b"]);
        assert_eq!(said.labels, [1, 0, 1].map(Label::class));
        // 10 after 9, and -1 first.
        assert_eq!(understand(&["10", "9", "-1"], LabelKind::Detect).class_names, ["-1", "9", "10"]);
        assert_eq!(understand(&["10", "9", "x"], LabelKind::Detect).class_names, ["10", "9", "x"]);
    }

    #[test]
    fn one_number_that_is_not_whole_makes_values() {
        let said = understand(&["1", "2.5"], LabelKind::Detect);
        assert_eq!(said.labels, [Label::Value(1.0), Label::Value(2.5)]);
        assert_eq!(understand(&["1", "2.5"], LabelKind::Classes).class_names, ["1", "2.5"]);
        assert_eq!(understand(&["1", "2"], LabelKind::Values).labels, [Label::Value(1.0), Label::Value(2.0)]);
    }

    #[test]
    fn numbers_are_written_in_the_shortest_way() {
        let mut labels = LabelCollector::default();
        [7.0, 10.0, 7.0].into_iter().for_each(|number| labels.push_number(number));
        labels.push("7");
        let said = labels.understand(LabelKind::Detect, None, |_| Place::file("test")).unwrap();
        assert_eq!(said.class_names, ["7", "10"]);
        assert_eq!(said.labels, [0, 1, 0, 0].map(Label::class));
    }

    #[test]
    fn whole_numbers_are_one_class_however_they_are_spelled() {
        let said = understand(&["1.0", "2.000e+00", "1", "007", "1e0"], LabelKind::Detect);
        assert_eq!(said.class_names, ["1", "2", "007"]);
        assert_eq!(said.labels, [0, 1, 0, 2, 0].map(Label::class));
        assert_eq!(understand(&["v1.0", "e"], LabelKind::Detect).class_names, ["e", "v1.0"]);
    }

    #[test]
    fn recorded_classes_are_found_by_either_spelling() {
        for (recorded, written) in [("1.0", "1.0"), ("1.0", "1"), ("1", "1.0"), ("1", "1")] {
            let schema = Schema { class_names: vec!["0".into(), recorded.into()], ..Schema::default() };
            let mut labels = LabelCollector::default();
            labels.push(written);
            let said = labels.understand(LabelKind::Classes, Some(&schema), |_| Place::file("test")).unwrap();
            assert_eq!((said.labels, said.class_names.len()), (vec![Label::class(1)], 2), "{recorded} {written}");
        }
        let mut labels = LabelCollector::default();
        ["1", "1.0"].into_iter().for_each(|text| labels.push(text));
        assert_eq!(labels.constant(), Some("1"));
    }

    #[test]
    fn rows_without_a_label_stay_so() {
        let mut labels = LabelCollector::default();
        labels.push("b");
        labels.push_unlabeled();
        let mut more = LabelCollector::default();
        more.push_unlabeled();
        more.push("a");
        labels.append(&more);
        assert_eq!(labels.constant(), None);
        let said = labels.understand(LabelKind::Detect, None, |_| Place::file("test")).unwrap();
        assert_eq!(said.labels, [Label::class(1), Label::Unlabeled, Label::Unlabeled, Label::class(0)]);
    }

    #[test]
    fn recorded_classes_keep_their_numbers_and_new_ones_follow() {
        let schema = Schema { class_names: vec!["b".into(), "a".into()], ..Schema::default() };
        let mut labels = LabelCollector::default();
        ["a", "c", "b", "aa"].into_iter().for_each(|text| labels.push(text));
        let said = labels.understand(LabelKind::Detect, Some(&schema), |_| Place::file("test")).unwrap();
        assert_eq!(said.class_names, ["b", "a", "aa", "c"]);
        assert_eq!(said.labels, [1, 3, 0, 2].map(Label::class));
    }

    #[test]
    fn labels_of_rows_left_out_do_not_count() {
        let mut labels = LabelCollector::default();
        ["1", "2", "x"].into_iter().for_each(|text| labels.push(text));
        labels.truncate(2);
        let said = labels.understand(LabelKind::Detect, None, |_| Place::file("test")).unwrap();
        assert_eq!(said.class_names, ["1", "2"]);
    }

    #[test]
    fn a_text_among_values_is_refused_with_its_row() {
        let mut labels = LabelCollector::default();
        ["1.5", "many"].into_iter().for_each(|text| labels.push(text));
        let place = |row: usize| Place::file("t.csv").row(row as u64 + 1);
        let error = labels.understand(LabelKind::Values, None, place).unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv, row 2: \"many\" is not a number; labels were asked to be values; ask for classes, or mend the label"
        );
    }
}
