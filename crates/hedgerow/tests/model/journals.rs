//! Journals that are damaged, lost, cut short or another model's.

use std::fs;
use std::path::Path;

use hedgerow::{Model, StructureParams};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use tempfile::tempdir;

use super::damage::{folder, outcome};
use super::fixtures::{add, fit, moons, params, queries, said};

/// Found by damage anywhere (`damage.rs`) with many cases: the rest of a page that is cut off counts as zeros, which is a table without rows, and all changes
/// were gone without a word.
#[test]
fn a_journal_that_ends_early_is_refused() {
    let (folder, _) = folder(&StructureParams::tree());
    let path = folder.path().join("journal.sqlite");
    let whole = fs::read(&path).unwrap();
    for length in (0..whole.len()).filter(|length| length % 512 < 12) {
        fs::write(&path, &whole[..length]).unwrap();
        let error = outcome(folder.path(), &format!("cut off at {length}")).unwrap_err();
        assert!(error.contains("journal.sqlite"), "{length}: {error}");
    }
    // A table that says it has fewer rows.
    for page in 1..whole.len() / 4096 {
        for n_rows in 0..whole[page * 4096 + 4] {
            let mut bytes = whole.clone();
            bytes[page * 4096 + 4] = n_rows;
            fs::write(&path, &bytes).unwrap();
            let error = outcome(folder.path(), &format!("{n_rows} rows in page {page}")).unwrap_err();
            assert!(error.contains("journal.sqlite"), "{page}, {n_rows}: {error}");
        }
    }
}

/// Found by reading: every chain of entries began with the same zeros, and files of another model were taken.
#[test]
fn the_journal_and_the_metrics_of_another_model_are_refused() {
    let (folder, as_it_was) = folder(&StructureParams::tree());
    let other = tempdir().unwrap();
    fit(&moons(), &params(&StructureParams::set(), true)).save(other.path()).unwrap();
    for (name, words) in [("journal.sqlite", "another model"), ("metrics.json", "another model")] {
        let whole = fs::read(folder.path().join(name)).unwrap();
        fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
        let error = outcome(folder.path(), name).unwrap_err();
        assert!(error.contains(name) && error.contains(words), "{error}");
        assert!(Model::open(folder.path()).is_err());
        fs::write(folder.path().join(name), whole).unwrap();
    }
    // A journal of the same model that took another way before the model was saved anew.
    let twin = tempdir().unwrap();
    fit(&moons(), &params(&StructureParams::tree(), true)).save(twin.path()).unwrap();
    add(&mut Model::open(twin.path()).unwrap(), &[7.0, 7.0], "else");
    Model::open(folder.path()).unwrap().save(folder.path()).unwrap();
    let whole = fs::read(folder.path().join("journal.sqlite")).unwrap();
    fs::copy(twin.path().join("journal.sqlite"), folder.path().join("journal.sqlite")).unwrap();
    let error = outcome(folder.path(), "twin").unwrap_err();
    assert!(error.contains("journal.sqlite") && error.contains("missing"), "{error}");
    fs::write(folder.path().join("journal.sqlite"), whole).unwrap();
    assert_eq!(outcome(folder.path(), "as it was"), Ok(as_it_was));
}

/// Found by running it: the remedy for a lost journal worked only for a model that was never saved again.
#[test]
fn without_its_journal_a_model_can_be_had_as_it_was_last_saved() {
    for lost in [None, Some("")] {
        let (folder, as_it_was) = folder(&StructureParams::tree());
        let mut model = Model::open(folder.path()).unwrap();
        model.save(folder.path()).unwrap();
        let n = model.n_changes();
        add(&mut model, &[1.0, 1.0], "0");
        let journal = folder.path().join("journal.sqlite");
        let old = fs::read(&journal).unwrap();
        match lost {
            None => fs::remove_file(&journal).unwrap(),
            Some(text) => fs::write(&journal, text).unwrap(),
        }
        let error = Model::load(folder.path()).unwrap_err().to_string();
        assert!(error.contains("journal.sqlite") && error.contains(&format!("--until {n} --out")), "{error}");
        assert!(Model::load_as_of(folder.path(), n - 1).is_err());
        let then = Model::load_as_of(folder.path(), n).unwrap();
        assert_eq!(said(&then, &queries(&then, 1)), as_it_was);
        assert!(then.is_what_its_history_gives().unwrap());
        // It goes on with a journal of its own, and the old one, found again, is not taken for it.
        let (new, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
        then.save(new.path()).unwrap();
        add(&mut Model::open(new.path()).unwrap(), &[2.0, 2.0], "0");
        let model = Model::load(new.path()).unwrap();
        assert_eq!(model.history().unwrap().len(), 1);
        model.save(elsewhere.path()).unwrap();
        assert!(Model::load(elsewhere.path()).unwrap().is_what_its_history_gives().unwrap());
        fs::write(new.path().join("journal.sqlite"), old).unwrap();
        assert!(outcome(new.path(), "the old journal").unwrap_err().contains("another model"));
    }
}

#[test]
fn without_its_journal_a_model_can_be_had_as_it_was_fitted() {
    let (folder, _) = folder(&StructureParams::tree());
    let fitted = fit(&moons(), &params(&StructureParams::tree(), true));
    fs::write(folder.path().join("journal.sqlite"), "").unwrap();
    let error = Model::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("journal.sqlite") && error.contains("--until 0"), "{error}");
    let mut model = Model::load_as_of(folder.path(), 0).unwrap();
    assert_eq!(model.structure(), fitted.structure());
    // And a good model can be put in its place.
    add(&mut model, &[1.0, 1.0], "0");
    model.save(folder.path()).unwrap();
    assert_eq!(Model::load(folder.path()).unwrap().history().unwrap().len(), 1);
}

/// The seal of an entry as `docs/format.md` tells it.
fn seal(before: &[u8], numbers: [i64; 3], fields: [Option<&[u8]>; 5]) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(before);
    numbers.iter().for_each(|number| hash.update(number.to_le_bytes()));
    for field in fields {
        hash.update(field.map_or(u64::MAX, |field| field.len() as u64).to_le_bytes());
        hash.update(field.unwrap_or_default());
    }
    hash.finalize().to_vec()
}

/// Adds an entry to a journal as a program could that knows the format.
fn forge(folder: &Path, action: &str, example: i64, label: Option<&str>, point: Option<&[u8]>, code: Option<&[u8]>) {
    let connection = Connection::open(folder.join("journal.sqlite")).unwrap();
    let last = "SELECT number, seal FROM journal ORDER BY number DESC LIMIT 1";
    let (number, before): (i64, Vec<u8>) =
        connection.query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let number = number + 1;
    let fields = [Some(action.as_bytes()), label.map(str::as_bytes), point, code, None];
    let seal = seal(&before, [number, 5, example], fields);
    let row = rusqlite::params![number, 5, action, example, label, point, code, seal];
    let insert = "INSERT INTO journal (number, at, action, example, label, point, representation, seal)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.execute(insert, row).unwrap();
    connection.execute("UPDATE last_entry SET number = ?1, seal = ?2", rusqlite::params![number, seal]).unwrap();
}

#[test]
fn entries_that_cannot_be_done_are_refused_by_their_number() {
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let (point, code) = (floats(&[0.5, 0.5]), floats(&[0.1, 0.2]));
    let refused = |action: &str, example: i64, label: Option<&str>, point: &[u8], code: &[u8]| {
        let (folder, _) = folder(&StructureParams::tree());
        let is_add = action == "add";
        let n = Model::load(folder.path()).unwrap().history().unwrap().len();
        forge(folder.path(), action, example, label, is_add.then_some(point), is_add.then_some(code));
        let error = outcome(folder.path(), action).unwrap_err();
        assert!(error.contains("journal.sqlite") && error.contains(&format!("entry {}", n + 1)), "{error}");
    };
    refused("remove", 5000, None, &[], &[]);
    refused("relabel", 5000, Some("0"), &[], &[]);
    refused("add", 1, Some("0"), &point, &code);
    refused("add", 5000, Some("0"), &floats(&[0.5]), &code);
    refused("add", 5000, Some("0"), &point, &[]);
    refused("add", 5000, Some("0"), &point, &floats(&[f32::NAN, 0.0]));
    refused("add", 5000, Some("0"), &point, &code[..7]);
    refused("add", 5000, Some("0"), &floats(&[0.5, 0.5, 0.5, 0.5]), &code);
    refused("add", 5000, Some("0"), &point[..5], &code);
    // One that can be is taken, whoever wrote it.
    let (folder, _) = folder(&StructureParams::tree());
    forge(folder.path(), "add", 5000, Some("0"), Some(&point), Some(&code));
    let model = Model::load(folder.path()).unwrap();
    assert!(model.search().example(hedgerow::ExampleId(5000)).is_some());
}

/// A journal as a killed writer leaves it: some of a change is in the file, and beside it what it takes to undo that.
fn kill_in_the_middle(folder: &Path) {
    let path = folder.join("journal.sqlite");
    let (copy, begun) = (folder.join("copy"), folder.join("copy-begun"));
    {
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = PERSIST; PRAGMA cache_size = 1; BEGIN IMMEDIATE").unwrap();
        for number in 100..140 {
            let row = rusqlite::params![number, vec![7_u8; 4000]];
            let insert =
                "INSERT INTO journal (number, at, action, example, point, seal) VALUES (?1, 5, 'add', 1, ?2, x'00')";
            connection.execute(insert, row).unwrap();
        }
        fs::copy(&path, &copy).unwrap();
        fs::copy(folder.join("journal.sqlite-journal"), &begun).unwrap();
        connection.execute_batch("ROLLBACK").unwrap();
    }
    assert!(fs::metadata(&begun).unwrap().len() > 512);
    fs::rename(copy, &path).unwrap();
    fs::rename(begun, folder.join("journal.sqlite-journal")).unwrap();
}

/// Found by reading: a reader that may not write cannot undo what a killed writer had begun, and was refused.
#[test]
fn what_a_killed_writer_had_begun_is_undone_for_readers_too() {
    let (folder, as_it_was) = folder(&StructureParams::tree());
    kill_in_the_middle(folder.path());
    assert_eq!(outcome(folder.path(), "killed"), Ok(as_it_was.clone()));
    kill_in_the_middle(folder.path());
    let mut model = Model::open(folder.path()).unwrap();
    assert_eq!(said(&model, &queries(&model, 1)), as_it_was);
    add(&mut model, &[0.0, 0.0], "0");
    assert!(Model::load(folder.path()).is_ok());
}
