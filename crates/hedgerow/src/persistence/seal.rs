//! JSON files that tell whether they are as they were written.
//!
//! The last key of the file is `sha256`: the SHA-256 of the file without that line, and without the comma before it. A changed digit in
//! a number would otherwise be another model.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::config::sha256;
use crate::error::LoadError;

const BEFORE: &str = ",\n  \"sha256\": \"";
const AFTER: &str = "\"\n}\n";
const END: &str = "\n}\n";

/// The file of an object that has keys; nothing if a part of it cannot be written down.
pub(super) fn to_json<T: Serialize>(value: &T) -> Option<String> {
    let body = serde_json::to_string_pretty(value).ok()? + "\n";
    let open = body.strip_suffix(END)?;
    Some(format!("{open}{BEFORE}{}{AFTER}", sha256(body.as_bytes())))
}

/// What is in a file.
pub(super) fn from_json<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, LoadError> {
    let damaged = |what: String| LoadError::Damaged { path: path.to_owned(), what };
    let parts = text.strip_suffix(AFTER).and_then(|text| text.rsplit_once(BEFORE));
    let (open, said) = parts.ok_or_else(|| damaged("it does not end with its sha256".to_owned()))?;
    let body = format!("{open}{END}");
    if sha256(body.as_bytes()) != said {
        return Err(damaged("it is not as it was written: its sha256 does not fit".to_owned()));
    }
    serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn any_changed_byte_is_noticed() {
        let value = BTreeMap::from([("a", 1), ("b", 22)]);
        let text = to_json(&value).unwrap();
        let path = Path::new("x.json");
        assert_eq!(from_json::<BTreeMap<String, i32>>(path, &text).unwrap()["b"], 22);
        // It is JSON as a whole.
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["sha256"].is_string());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            let error = from_json::<BTreeMap<String, i32>>(path, &changed).unwrap_err().to_string();
            assert!(error.starts_with("x.json: "), "{error}");
        }
    }
}
