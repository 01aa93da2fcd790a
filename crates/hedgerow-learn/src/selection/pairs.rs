//! Pairs for the contrastive loss.

use hedgerow_core::random::SplitMix64;

/// Two rows, and whether they have the same class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// A row.
    pub first: usize,
    /// Another one.
    pub second: usize,
    /// Whether both have the same class.
    pub is_same_class: bool,
}

/// Draws for each row a partner of its class and one of another, where there is one: half of the pairs are alike.
pub fn random_pairs(labels: &[u32], random: &mut SplitMix64, pairs: &mut Vec<Pair>) {
    pairs.clear();
    let mut rows: Vec<usize> = (0..labels.len()).collect();
    rows.sort_by_key(|&row| labels[row]);
    // Rows of a class stand together in `rows`: from `start` to `end`.
    let mut start = 0;
    while start < rows.len() {
        let class = labels[rows[start]];
        let end = start + rows[start..].iter().take_while(|&&row| labels[row] == class).count();
        let (n_alike, n_other) = (end - start - 1, rows.len() - (end - start));
        for place in start..end {
            let first = rows[place];
            if n_alike > 0 {
                let drawn = start + random.below(n_alike);
                let second = rows[drawn + usize::from(drawn >= place)];
                pairs.push(Pair { first, second, is_same_class: true });
            }
            if n_other > 0 {
                let drawn = random.below(n_other);
                let second = rows[if drawn < start { drawn } else { drawn + (end - start) }];
                pairs.push(Pair { first, second, is_same_class: false });
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_as_they_are_said_to_be_and_nobody_is_its_own() {
        let labels = [3, 1, 1, 3, 3, 1, 2];
        let mut pairs = Vec::new();
        for seed in 0..20 {
            random_pairs(&labels, &mut SplitMix64::new(seed, 0), &mut pairs);
            // The one row of class 2 has no partner of its class.
            assert_eq!(pairs.len(), 13);
            for pair in &pairs {
                assert_ne!(pair.first, pair.second);
                assert_eq!(pair.is_same_class, labels[pair.first] == labels[pair.second]);
            }
        }
        random_pairs(&[1, 1], &mut SplitMix64::new(0, 0), &mut pairs);
        assert_eq!(pairs.len(), 2);
        random_pairs(&[1], &mut SplitMix64::new(0, 0), &mut pairs);
        assert!(pairs.is_empty());
    }
}
