//! A class that comes after learning: the representation is learned without it, then its examples are added to the boundary tree alone.
//!
//! For each number of examples added: the accuracy on test examples of the new class and of the old ones, the stored examples, and the seconds
//! that adding took. Beside it what it is an alternative to: a classifier (NNet* of the DBS paper) trained anew with the same examples, at fewer
//! points because each costs a whole training; and a representation and tree learned anew with all examples. `trial.rs` makes the runs, `record.rs`
//! keeps them, `summary.rs` and `figure.rs` show them.

mod figure;
mod record;
mod summary;
mod trial;

use std::path::PathBuf;

use hedgerow_core::ClassId;
use hedgerow_data::{DataName, Dataset};

use self::record::Records;
pub use self::record::{Line, Method};
pub use self::summary::Row;
use self::trial::{Plan, Trial};
use crate::data::load;
use crate::error::ExperimentError;
use crate::event::Listener;
use crate::fingerprint::fingerprint_of_data;
use crate::provenance::Provenance;
use crate::seeds::seeds;
use crate::{Extent, Report};

/// The data that is taken if none is named: small, and compiled in.
pub const DEFAULT_DATA: &str = "optdigits";

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The data sets, [`DEFAULT_DATA`] if none are named.
    pub data: Vec<String>,
    /// Which classes are held out, one after another.
    pub classes: HeldOut,
    /// The first seed.
    pub first_seed: u64,
    /// So many seeds, one after another.
    pub n_seeds: u64,
    /// How much of it.
    pub extent: Extent,
    /// Where results are kept.
    pub folder: PathBuf,
}

/// Which classes are held out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HeldOut {
    /// The last one.
    #[default]
    Last,
    /// Each in turn.
    Each,
    /// These, by name.
    Named(Vec<String>),
}

/// Makes what is not yet on record and gives the summary of all that is.
///
/// # Errors
/// [`ExperimentError`].
pub fn run(
    asked: &Asked,
    provenance: &Provenance,
    listener: &mut Listener<'_>,
) -> Result<Report<Row>, ExperimentError> {
    let folder = asked.extent.folder(&asked.folder);
    let seeds = seeds(asked.first_seed, asked.n_seeds)?;
    let mut records = Records::open(&folder)?;
    let default = [DEFAULT_DATA.to_owned()];
    let names = if asked.data.is_empty() { &default[..] } else { &asked.data };
    // Names that mean nothing are told before anything is learned.
    names.iter().try_for_each(|name| DataName::parse(name).map(|_| ()))?;
    for name in names {
        let data = load(name, listener)?;
        if data.test().is_empty() {
            return Err(ExperimentError::NoTestRows { data: name.clone() });
        }
        let classes = asked.classes.of(&data)?;
        let data_fingerprint = fingerprint_of_data(&data);
        let places: Vec<(u64, ClassId)> =
            seeds.clone().flat_map(|seed| classes.iter().map(move |&class| (seed, class))).collect();
        for (at, &(seed, class)) in places.iter().enumerate() {
            let plan = Plan::new(name, asked.extent);
            let place = (at, places.len());
            let trial =
                Trial { data: &data, name, data_fingerprint: &data_fingerprint, class, seed, plan: &plan, place };
            trial.make(&mut records, provenance, listener)?;
        }
    }
    let rows = summary::rows(records.lines());
    let summary = summary::markdown(&rows);
    summary::write(&folder, &summary, &records, provenance)?;
    let mut files = records.files();
    files.extend(figure::write(&folder, &rows)?);
    Ok(Report { summary, rows, folder, files })
}

impl HeldOut {
    fn of(&self, data: &Dataset) -> Result<Vec<ClassId>, ExperimentError> {
        let names = data.class_names();
        let all = || (0..names.len() as u32).map(ClassId);
        if names.len() < 3 {
            return Err(ExperimentError::FewClasses { data: data.name().to_owned(), n_classes: names.len() });
        }
        match self {
            Self::Last => Ok(all().next_back().into_iter().collect()),
            Self::Each => Ok(all().collect()),
            Self::Named(wanted) => wanted
                .iter()
                .map(|name| {
                    let at = names.iter().position(|known| known == name);
                    let none = || ExperimentError::NoClass { name: name.clone(), known: names.join(", ") };
                    at.map(|at| ClassId(at as u32)).ok_or_else(none)
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_by_name() {
        let data = hedgerow_data::embedded::optdigits();
        assert_eq!(HeldOut::Last.of(&data).unwrap(), [ClassId(9)]);
        assert_eq!(HeldOut::Each.of(&data).unwrap().len(), 10);
        assert_eq!(HeldOut::Named(vec!["3".into()]).of(&data).unwrap(), [ClassId(3)]);
        let error = HeldOut::Named(vec!["x".into()]).of(&data).unwrap_err().to_string();
        assert!(error.contains("\"x\"") && error.contains("0, 1, 2"), "{error}");
    }
}
