//! Records of epochs as a table of numbers: eight to an epoch, which even millions of epochs can afford.

use super::event::{EpochRecord, Validation};

/// Numbers of a record.
pub(super) const COLUMNS: usize = 8;

/// Whole numbers up to which f64 has every one.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The table, row by row. Where there was no evaluation, its error is not a number.
pub(super) fn to_bytes(records: &[EpochRecord]) -> Vec<u8> {
    let row = |record: &EpochRecord| -> [f64; COLUMNS] {
        let (error, n_nodes) = record.validation.map_or((f64::NAN, 0), |found| (found.error_percent, found.n_nodes));
        let EpochRecord { epoch, train_seconds, loss, n_references, n_left_out, learning_rate, .. } = *record;
        [epoch as f64, train_seconds, loss, n_references, n_left_out as f64, learning_rate, error, n_nodes as f64]
    };
    records.iter().flat_map(row).flat_map(f64::to_le_bytes).collect()
}

/// The records of a table; says what is wrong with the first that is none.
pub(super) fn from_bytes(bytes: &[u8]) -> Result<Vec<EpochRecord>, String> {
    let whole = |number: f64| -> Result<usize, String> {
        let is_whole = (0.0..=WHOLE).contains(&number) && number.fract() == 0.0;
        if is_whole { Ok(number as usize) } else { Err(format!("one of its records counts {number}")) }
    };
    let rows = bytes.chunks_exact(COLUMNS * size_of::<f64>()).map(|row| {
        let mut numbers = [0.0; COLUMNS];
        for (number, bytes) in numbers.iter_mut().zip(row.chunks_exact(size_of::<f64>())) {
            *number = f64::from_le_bytes(bytes.try_into().map_err(|_| "one of its records is cut off")?);
        }
        let [epoch, train_seconds, loss, n_references, n_left_out, learning_rate, error_percent, n_nodes] = numbers;
        let validation = Validation { error_percent, n_nodes: whole(n_nodes)? };
        Ok(EpochRecord {
            epoch: whole(epoch)?,
            train_seconds,
            loss,
            n_references,
            n_left_out: whole(n_left_out)?,
            learning_rate,
            validation: (!error_percent.is_nan()).then_some(validation),
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_and_what_is_none_is_refused() {
        let validation = Some(Validation { error_percent: 1.0 / 3.0, n_nodes: 17 });
        let first = EpochRecord {
            epoch: 0,
            train_seconds: 0.1,
            loss: 0.7,
            n_references: 2.5,
            n_left_out: 3,
            learning_rate: 1e-3,
            validation: None,
        };
        let records = [first, EpochRecord { epoch: 1, validation, ..first }];
        let bytes = to_bytes(&records);
        assert_eq!(bytes.len(), 2 * 64);
        assert_eq!(from_bytes(&bytes).unwrap(), records);
        for (column, number) in [(0, 0.5), (0, -1.0), (4, f64::NAN), (7, 1e300)] {
            let mut bytes = bytes.clone();
            bytes[8 * column..8 * column + 8].copy_from_slice(&f64::to_le_bytes(number));
            assert!(from_bytes(&bytes).unwrap_err().starts_with("one of its records counts"), "{column}");
        }
    }
}
