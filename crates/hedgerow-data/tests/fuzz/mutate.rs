//! Changing files at random.

use hedgerow_core::random::SplitMix64;

/// One of the files with up to eight changes, few more often than many: rough changes only try the first lines of a reader.
pub(crate) fn changed(seeds: &[Vec<u8>], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    let most = random.below(9) + 1;
    for _ in 0..random.below(most) {
        let other = &seeds[random.below(seeds.len())];
        change(&mut bytes, other, random);
    }
    bytes
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
            let number = NUMBERS[random.below(NUMBERS.len())].wrapping_add(random.below(3) as u64);
            let size = [1, 2, 4, 8][random.below(4)];
            let number = match random.below(2) {
                0 => number.to_le_bytes()[..size].to_vec(),
                _ => number.to_be_bytes()[8 - size..].to_vec(),
            };
            let end = (at + size).min(bytes.len());
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
