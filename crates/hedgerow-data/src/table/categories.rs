//! The texts of category columns on their way in.

use std::collections::HashMap;

use crate::error::{Problem, listed, shown};
use crate::labels::class_name;
use crate::options::UnknownCategory;

/// The most different texts that a category column may have.
const MAX_CATEGORIES: usize = 256;

/// The most bytes that the different texts of a category column may have together. They become names of features, which
/// models and reports carry along.
const MAX_CATEGORY_BYTES: usize = 1 << 20;

/// The texts of a category column, each once, and which of them each row has.
#[derive(Debug, Default)]
pub(crate) struct CategoryCollector {
    pub(super) texts: Vec<String>,
    pub(super) code_of: HashMap<String, u32>,
    pub(crate) codes: Vec<u32>,
    /// Bytes of all texts.
    text_bytes: usize,
    /// Whether the texts were recorded earlier: then no others may come.
    recorded: bool,
    /// Whether the user said that the column holds categories, however they look.
    pub(super) asked: bool,
}

/// The code of a text that was not recorded.
pub(super) const UNKNOWN: u32 = u32::MAX;

impl CategoryCollector {
    /// Any texts may come; `asked`: whether the user said that they are categories.
    pub(super) fn new(asked: bool) -> Self {
        Self { asked, ..Self::default() }
    }

    pub(super) fn recorded(texts: &[String]) -> Self {
        let code_of = texts.iter().enumerate().map(|(code, text)| (text.clone(), code as u32)).collect();
        let text_bytes = texts.iter().map(String::len).sum();
        Self { texts: texts.to_vec(), code_of, codes: Vec::new(), text_bytes, recorded: true, asked: false }
    }

    /// Takes the text of the next row.
    pub(crate) fn push(&mut self, text: &str, unknown: UnknownCategory) -> Result<(), Problem> {
        let code = match self.code_of.get(text) {
            Some(code) => *code,
            // A code that is a float to one program is a whole number to another: 10.0 is 10.
            None => self.code(&class_name(text), unknown)?,
        };
        self.codes.push(code);
        Ok(())
    }

    fn code(&mut self, text: &str, unknown: UnknownCategory) -> Result<u32, Problem> {
        Ok(match (self.code_of.get(text), self.recorded, unknown) {
            (Some(code), _, _) => *code,
            (None, false, _) if self.texts.len() == MAX_CATEGORIES => {
                return Err(Problem::TooManyCategories { max: MAX_CATEGORIES });
            }
            (None, false, _) if self.text_bytes + text.len() > MAX_CATEGORY_BYTES => {
                return Err(Problem::CategoriesTooLong { max_bytes: MAX_CATEGORY_BYTES });
            }
            (None, false, _) => {
                let code = self.texts.len() as u32;
                self.text_bytes += text.len();
                self.texts.push(text.to_owned());
                self.code_of.insert(text.to_owned(), code);
                code
            }
            (None, true, UnknownCategory::Zeros) => UNKNOWN,
            (None, true, UnknownCategory::Refuse) => {
                let known = listed(self.texts.iter().map(String::as_str));
                return Err(Problem::UnknownCategory { text: shown(text.as_bytes()), known });
            }
        })
    }

    /// Bytes that the column takes: it becomes as many features as it has texts, each of which is held twice here.
    pub(super) fn size_bytes(&self) -> usize {
        self.codes.len() * 4 * (1 + self.texts.len()) + 2 * self.text_bytes + 96 * self.texts.len()
    }

    /// The texts in the order of their features, and the feature of each code.
    pub(super) fn settle(&self) -> (Vec<String>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        if !self.recorded {
            // Texts of rows that were left out again must not become features.
            let mut used = vec![false; self.texts.len()];
            self.codes.iter().filter(|code| **code != UNKNOWN).for_each(|&code| used[code as usize] = true);
            order.retain(|&code| used[code]);
            order.sort_by(|&a, &b| self.texts[a].cmp(&self.texts[b]));
        }
        let mut feature_of = vec![0; self.texts.len()];
        order.iter().enumerate().for_each(|(feature, &code)| feature_of[code] = feature);
        (order.into_iter().map(|code| self.texts[code].clone()).collect(), feature_of)
    }
}
