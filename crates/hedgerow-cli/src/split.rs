//! Which rows of a data set a model is asked about.

use anyhow::bail;
use clap::{Args, ValueEnum};
use hedgerow::data::{Dataset, Part, Split};

/// Which rows.
#[derive(Debug, Clone, Args)]
pub(crate) struct SplitArg {
    /// Which rows to ask about. [default: those for testing if the data has some, else all]
    #[arg(long, value_name = "SPLIT")]
    split: Option<SplitName>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitName {
    Train,
    Validation,
    Test,
}

/// The rows to ask about, and what they are called.
pub(crate) struct AskedSplit<'a> {
    pub(crate) part: Part<'a>,
    pub(crate) name: String,
}

impl SplitArg {
    /// The rows of a data set that are meant.
    pub(crate) fn choose<'a>(&self, data: &'a Dataset) -> anyhow::Result<AskedSplit<'a>> {
        let split = match self.split {
            Some(SplitName::Train) => Split::Train,
            Some(SplitName::Validation) => Split::Validation,
            Some(SplitName::Test) => Split::Test,
            // A file without splits has all its rows for training.
            None if data.test().is_empty() => Split::Train,
            None => Split::Test,
        };
        let part = data.part(split);
        if part.is_empty() {
            let there: Vec<String> = Split::ALL
                .into_iter()
                .filter(|split| !data.part(*split).is_empty())
                .map(|split| split.to_string())
                .collect();
            bail!("{} has no rows of the split {split}; it has {}", data.name(), there.join(" and "));
        }
        Ok(AskedSplit { part, name: format!("{}, {split}", data.name()) })
    }
}
