//! Seals: SQLite notices damage to the order of a file, not to what the rows say.
//!
//! The seal of an entry is a SHA-256 of the seal before it and of everything that the entry says, so that a row that was changed, taken out
//! or put in breaks the chain. `docs/format.md` has the layout and a few lines of Python that check it.

use sha2::{Digest as _, Sha256};

use super::{Change, JournalEntry};

/// What ties an entry to those before it.
pub(super) type Seal = [u8; 32];

/// Before the first entry.
pub(super) const FIRST: Seal = [0; 32];

/// The seal of an entry that follows the one with the seal `before`.
pub(super) fn seal(before: &Seal, entry: &JournalEntry) -> Seal {
    let JournalEntry { number, at, change, note } = entry;
    let (point, representation) = match change {
        Change::Add { point, representation, .. } => (Some(point.as_slice()), Some(representation.as_slice())),
        _ => (None, None),
    };
    let mut hash = Sha256::new();
    hash.update(before);
    for number in [*number, *at, change.id().0] {
        hash.update(number.to_le_bytes());
    }
    let texts = [
        Some(change.action().as_bytes()),
        change.label().map(str::as_bytes),
        point,
        representation,
        note.as_deref().map(str::as_bytes),
    ];
    for text in texts {
        // With their lengths, so that nothing can move from one field into the next; nothing at all is longer than anything.
        hash.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        hash.update(text.unwrap_or_default());
    }
    hash.finalize().into()
}
