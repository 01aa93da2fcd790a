//! Telling parameters and data apart.

use hedgerow_data::{Dataset, Split};
use hedgerow_learn::TrainingParams;

/// A number that is another one, almost surely, for other parameters but the seed. Kept runs are known by it: it must stay what it is.
pub(crate) fn fingerprint(params: &TrainingParams) -> String {
    hash(&format!("{:?}", TrainingParams { seed: 0, ..params.clone() }))
}

/// A number that is another one, almost surely, for other data: points, labels and splits, whatever its name.
pub(crate) fn fingerprint_of_data(data: &Dataset) -> String {
    let points = data.points();
    let bytes = points.as_u8().unwrap_or_default().iter().copied();
    let numbers = points.as_f32().unwrap_or_default().iter().flat_map(|number| number.to_le_bytes());
    let labels = data.labels().iter().flat_map(|label| data.label_text(*label).into_bytes().into_iter().chain([0]));
    let splits = Split::ALL.into_iter().flat_map(|split| data.rows(split).len().to_le_bytes());
    fnv(points.width().to_le_bytes().into_iter().chain(bytes).chain(numbers).chain(labels).chain(splits))
}

/// FNV-1a of a text.
pub(crate) fn hash(text: &str) -> String {
    fnv(text.bytes())
}

fn fnv(bytes: impl Iterator<Item = u8>) -> String {
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_told_apart_by_what_it_holds_and_not_by_its_name() {
        let of = |name: &str| hedgerow_data::load(name).unwrap();
        let moons = of("moons?n=50&seed=1");
        let print = fingerprint_of_data(&moons);
        assert_eq!(fingerprint_of_data(&moons.clone().with_name("other")), print);
        assert_ne!(fingerprint_of_data(&of("moons?n=50&seed=2").with_name(moons.name())), print);
        assert_ne!(fingerprint_of_data(&moons.clone().with_split_rows(40, 0, 10).unwrap()), print);
        assert_ne!(fingerprint_of_data(&moons.with_class_names(vec!["a".into(), "b".into()]).unwrap()), print);
    }
}
