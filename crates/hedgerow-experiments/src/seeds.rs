//! The seeds of a command.

use std::ops::RangeInclusive;

use crate::error::ExperimentError;

/// So many seeds, from the first on.
///
/// # Errors
/// Seeds beyond the largest number: to make one of them several times would pass one result off as several.
pub(crate) fn seeds(first: u64, n_seeds: u64) -> Result<impl Iterator<Item = u64> + Clone, ExperimentError> {
    let last = match n_seeds.checked_sub(1) {
        None => return Ok(RangeInclusive::new(1, 0)),
        Some(more) => first.checked_add(more),
    };
    Ok(first..=last.ok_or(ExperimentError::NoSuchSeeds { first, n_seeds })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_beyond_the_largest_number_are_refused_rather_than_repeated() {
        assert_eq!(seeds(5, 3).unwrap().collect::<Vec<_>>(), [5, 6, 7]);
        assert_eq!(seeds(u64::MAX, 1).unwrap().collect::<Vec<_>>(), [u64::MAX]);
        assert_eq!(seeds(0, 0).unwrap().count(), 0);
        let error = seeds(u64::MAX, 3).err().unwrap().to_string();
        assert!(error.contains("18446744073709551615") && error.contains("smaller"), "{error}");
    }
}
