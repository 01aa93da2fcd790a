//! Models as bytes: the same model comes back, and bytes that are not as they were written are refused.

use hedgerow::random::SplitMix64;
use hedgerow::{LoadError, Model, StructureParams};

use super::fixtures::{change_at_random, fit, models, moons, params, queries, said};

/// Where the length of the first file stands: after the word and the version.
const FIRST_LENGTH: usize = 8 + 4;

#[test]
fn bytes_are_the_whole_model_with_its_journal() {
    for (name, mut model) in models() {
        let mut random = SplitMix64::new(7, 7);
        for _ in 0..4 {
            change_at_random(&mut model, &mut random);
        }
        let bytes = model.to_bytes().unwrap();
        let mut again = Model::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again.structure(), model.structure(), "{name}");
        assert_eq!(again.history().unwrap(), model.history().unwrap(), "{name}");
        let asked = queries(&model, 1);
        assert_eq!(said(&again, &asked), said(&model, &asked), "{name}");
        // It learns on, and neither the original nor a folder hears of it.
        let n_changes = model.n_changes();
        change_at_random(&mut again, &mut random);
        assert_eq!(model.n_changes(), n_changes, "{name}");
    }
}

#[test]
fn bytes_that_are_not_as_they_were_written_are_refused() {
    let bytes = fit(&moons(), &params(&StructureParams::tree(), false)).to_bytes().unwrap();
    let refused = |bytes: &[u8]| Model::from_bytes(bytes).unwrap_err();
    let header = 0..FIRST_LENGTH + 5 * 8;
    for at in header.chain((0..bytes.len()).step_by(997)).chain([bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let error = refused(&changed);
        let is_version = (8..FIRST_LENGTH).contains(&at);
        assert_eq!(matches!(error, LoadError::Version { .. }), is_version, "byte {at}: {error}");
        assert!(error.to_string().contains("the bytes of a model"), "byte {at}: {error}");
    }
    for length in [0, 7, 8, 11, 12, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(matches!(refused(&bytes[..length]), LoadError::Damaged { .. }), "{length} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(refused(&longer).to_string().contains("longer than their header says"));
    // A length that no memory has.
    let mut hostile = bytes;
    hostile[FIRST_LENGTH..FIRST_LENGTH + 8].fill(0xff);
    assert!(refused(&hostile).to_string().contains("shorter than their header says"));
}
