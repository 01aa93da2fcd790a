//! Seals: SQLite notices damage to the order of a file, not to what the rows say.
//!
//! The seal of an entry is a SHA-256 of the seal before it and of everything that the entry says, so that a row that was changed, taken out
//! or put in breaks the chain. Before the first stands the id of the model, so that no other model's entries fit. `docs/format.md` has the
//! layout and a few lines of Python that check it.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Change, JournalEntry};

/// What ties an entry to those before it, and the first one to its model. As text: 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Seal(pub(crate) [u8; 32]);

impl From<Seal> for String {
    fn from(seal: Seal) -> Self {
        seal.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl TryFrom<String> for Seal {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const WRONG: &str = "there should be 64 hexadecimal digits";
        let digits = text.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(WRONG);
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| WRONG)?;
        }
        Ok(Self(bytes))
    }
}

/// The seal of the last of the entries that follow a seal.
pub(crate) fn last_seal(before: Seal, entries: &[JournalEntry]) -> Seal {
    entries.iter().fold(before, |before, entry| seal(&before, entry))
}

/// The seal of an entry that follows the one with the seal `before`.
pub(super) fn seal(before: &Seal, entry: &JournalEntry) -> Seal {
    let JournalEntry { number, at, change, note } = entry;
    let (point, representation) = match change {
        Change::Add { point, representation, .. } => (Some(point.as_slice()), Some(representation.as_slice())),
        _ => (None, None),
    };
    let mut hash = Sha256::new();
    hash.update(before.0);
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
    Seal(hash.finalize().into())
}
