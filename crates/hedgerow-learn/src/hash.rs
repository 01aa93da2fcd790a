//! A number that stands for many: of the data of a run, and of what a checkpoint holds. Against accidents, not against malice.

/// A hash of 64 bits: FNV-1a over words instead of bytes, with a rotation after each, since the multiplication alone moves bits
/// upwards only.
///
/// Each word is taken in by steps that can be undone, so that data of which one word differs never has the same hash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in a number.
    pub(crate) fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    /// Takes in bytes: how many, then eight at a time. With their number, neither zeros at the end nor the border between two runs
    /// of bytes can be mistaken.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for eight in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..eight.len()].copy_from_slice(eight);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// The hash of all that was taken in.
    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> u64 {
        let mut hash = Hash::new();
        parts.iter().for_each(|part| hash.bytes(part));
        hash.finish()
    }

    #[test]
    fn every_bit_and_every_border_counts() {
        let bytes: Vec<u8> = (0..37).collect();
        let whole = of(&[&bytes]);
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(of(&[&flipped]), whole, "bit {bit}");
        }
        assert_ne!(of(&[&bytes[..10], &bytes[10..]]), whole);
        assert_ne!(of(&[&[1, 0]]), of(&[&[1]]));
        // (offset basis ^ 0) * prime, rotated by 23: worked out with numbers of any length.
        assert_eq!(of(&[&[]]), 0xa643_00db_efd7_b1de);
    }
}
