//! Telling parameters apart.

use hedgerow_learn::TrainingParams;

/// A number that is another one, almost surely, for other parameters but the seed. Kept runs are known by it: it must stay what it is.
pub(crate) fn fingerprint(params: &TrainingParams) -> String {
    hash(&format!("{:?}", TrainingParams { seed: 0, ..params.clone() }))
}

/// FNV-1a of a text.
pub(crate) fn hash(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}
