//! Changing files at random.

use hedgerow_core::random::SplitMix64;

/// One of the files with one to eight changes, each number half as often as the one before: rough changes only try the
/// first lines of a reader.
pub(crate) fn changed(seeds: &[Vec<u8>], random: &mut SplitMix64) -> Vec<u8> {
    let seed = &seeds[random.below(seeds.len())];
    changed_one(seed, seeds, random)
}

/// This file with changes, some of which may be parts of others.
pub(crate) fn changed_one(seed: &[u8], others: &[Vec<u8>], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..n_changes(random) {
        let other = &others[random.below(others.len())];
        change(&mut bytes, other, random);
    }
    // A change may change nothing (a zero put where one was), or another undo it.
    while bytes == seed {
        change(&mut bytes, &others[0], random);
    }
    bytes
}

/// Changes part of a file and keeps its length, so that the rest is found where it was.
#[cfg(feature = "parquet")]
pub(crate) fn change_within(bytes: &mut [u8], random: &mut SplitMix64) {
    if bytes.is_empty() {
        return;
    }
    let before = bytes.to_vec();
    let mut left = n_changes(random);
    while left > 0 || *bytes == before {
        left = left.saturating_sub(1);
        let at = random.below(bytes.len());
        match random.below(4) {
            0 | 1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.bits() as u8,
            _ => {
                let number = number(random);
                let end = (at + number.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
        }
    }
}

fn n_changes(random: &mut SplitMix64) -> usize {
    (1..8).find(|_| random.below(2) == 0).unwrap_or(8)
}

/// Numbers that tend to break things, in both byte orders.
const NUMBERS: [u64; 12] =
    [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Texts that tend to break things.
const TEXTS: [&[u8]; 24] = [
    b",",
    b"\n",
    b"\r",
    b"\"",
    b"\"\"",
    b";",
    b"\t",
    b":",
    b"#",
    b"-",
    b"+",
    b"e999",
    b"nan",
    b"inf",
    b"1e16",
    b"NA",
    b"?",
    b"../",
    b"(",
    b"]",
    b"\xff",
    b"\xef\xbb\xbf",
    b"99999999999999999999",
    b"0",
];

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut SplitMix64) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(10) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => bytes[at] = random.bits() as u8,
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at.min(end)..end)),
        5 => {
            let copy = bytes[at.min(end)..end].to_vec();
            bytes.splice(at..at, copy);
        }
        6 => {
            let text = TEXTS[random.below(TEXTS.len())];
            bytes.splice(at..at, text.iter().copied());
        }
        7 => {
            let text = TEXTS[random.below(TEXTS.len())];
            let end = (at + text.len()).min(bytes.len());
            bytes.splice(at..end, text.iter().copied());
        }
        8 => {
            let number = number(random);
            let end = (at + number.len()).min(bytes.len());
            bytes.splice(at..end, number);
        }
        _ if !other.is_empty() => {
            let from = random.below(other.len());
            let to = (from + 1 + random.below(64)).min(other.len());
            bytes.splice(at..end.max(at), other[from..to].iter().copied());
        }
        _ => bytes.push(random.bits() as u8),
    }
}

/// A number that tends to break things, in one of four sizes and either byte order.
fn number(random: &mut SplitMix64) -> Vec<u8> {
    let number = NUMBERS[random.below(NUMBERS.len())].wrapping_add(random.below(3) as u64);
    let size = [1, 2, 4, 8][random.below(4)];
    match random.below(2) {
        0 => number.to_le_bytes()[..size].to_vec(),
        _ => number.to_be_bytes()[8 - size..].to_vec(),
    }
}

/// Changes one value somewhere in JSON and leaves it JSON.
pub(crate) fn change_json(json: &mut serde_json::Value, random: &mut SplitMix64) {
    use serde_json::Value;
    // Deeper rather than here, most of the time.
    let inside: Vec<&mut Value> = match json {
        Value::Array(items) if random.below(5) > 0 => items.iter_mut().collect(),
        Value::Object(fields) if random.below(20) > 0 => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    let n_inside = inside.len();
    if n_inside > 0 {
        let at = random.below(n_inside);
        return inside.into_iter().nth(at).into_iter().for_each(|inner| change_json(inner, random));
    }
    match json {
        Value::Array(items) if !items.is_empty() => {
            let (at, to) = (random.below(items.len()), random.below(items.len()));
            match random.below(3) {
                0 => drop(items.remove(at)),
                1 => items.insert(to, items[at].clone()),
                _ => items.swap(at, to),
            }
        }
        Value::Number(_) => {
            let small = random.below(20) as u64;
            *json = [small, NUMBERS[random.below(NUMBERS.len())]][random.below(2)].into();
        }
        Value::String(text) => match random.below(3) {
            0 => text.clear(),
            1 => text.push_str(&String::from_utf8_lossy(TEXTS[random.below(TEXTS.len())])),
            _ => *text = ["label", "x0", "color", "a", "number", "vector", "category"][random.below(7)].to_owned(),
        },
        Value::Bool(flag) => *flag = !*flag,
        other => *other = [Value::Null, "x0".into(), 1.into(), Value::Array(Vec::new())][random.below(4)].clone(),
    }
}
