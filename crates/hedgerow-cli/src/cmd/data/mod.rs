//! `hedgerow data`: what data there is, getting it, and looking at it.
//!
//! One file for each: `list.rs`, `get.rs`, `verify.rs`, `path.rs`, `info.rs`. Everything is done by `hedgerow::data`.

mod get;
mod info;
mod list;
mod path;
mod verify;

use std::path::Path;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use hedgerow::data::fetch::{FetchError, RegisteredSet, Store, find_set};
use hedgerow::data::{DataName, KnownKind, LoadError, known};

use crate::context::Context;
use crate::error::{Hinted, WithHint};

/// List, get, verify and look at data sets.
#[derive(Debug, Args)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    List(list::Arguments),
    Get(get::Arguments),
    Verify(verify::Arguments),
    Path(path::Arguments),
    Info(info::Arguments),
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> anyhow::Result<()> {
    match &arguments.what {
        What::List(arguments) => list::run(arguments, context),
        What::Get(arguments) => get::run(arguments, context),
        What::Verify(arguments) => verify::run(arguments, context),
        What::Path(arguments) => path::run(arguments, context),
        What::Info(arguments) => info::run(arguments, context),
    }
}

/// The data directory.
fn store(context: &Context) -> anyhow::Result<Store> {
    let store = Store::from_environment()?;
    context.detail(format_args!("data directory: {}", store.dir().display()));
    Ok(store)
}

/// The registered set of that name. Data that is never got is told apart from names that nobody knows.
fn registered(name: &str) -> anyhow::Result<&'static RegisteredSet> {
    let origin = match without_files(name) {
        Some(KnownKind::Embedded) => "compiled in",
        Some(KnownKind::Synthetic) => "made on the spot",
        _ => return find_set(name).map_err(|error| with_nearest(name, error)),
    };
    Err(anyhow!("`{name}` is {origin} and has no files"))
        .hint(format_args!("use it by its name: hedgerow data info '{name}'"))
}

/// The error for a name that is no registered set, with the name that was meant if that is data without files.
fn with_nearest(name: &str, error: FetchError) -> anyhow::Error {
    let nearest = match DataName::parse(name) {
        Err(LoadError::NoSuchData { nearest, .. }) => nearest.filter(|nearest| without_files(nearest).is_some()),
        _ => None,
    };
    match nearest {
        Some(nearest) => Hinted::new(error, format_args!("did you mean {nearest}? It needs no getting")).into(),
        None => error.into(),
    }
}

/// What the name is, if it is known and has no files.
fn without_files(name: &str) -> Option<KnownKind> {
    let shape = name.split('?').next().unwrap_or(name);
    let known = known().into_iter().find(|known| known.name == shape)?;
    let is_synthetic = known.kind == KnownKind::Synthetic;
    let is_embedded = known.kind == KnownKind::Embedded && known.name == name;
    (is_synthetic || is_embedded).then_some(known.kind)
}

/// The word for a kind of data, in JSON and tables.
fn kind_word(kind: KnownKind) -> &'static str {
    match kind {
        KnownKind::Embedded => "embedded",
        KnownKind::Registered => "registered",
        KnownKind::Synthetic => "synthetic",
    }
}

/// A path as JSON has it, which knows no bytes that are not text.
fn json_path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
