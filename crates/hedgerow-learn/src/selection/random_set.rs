//! A random set in the place of the boundary set: the ablation behind the claim that boundary points matter.

use hedgerow_core::random::SplitMix64;

/// Draws as many of the rows `0..labels.len()` as `n_members` says, at least one of each class among them (else some queries would
/// have no reference of their class, which no boundary set does to them). In rising order.
pub fn random_set(labels: &[u32], n_members: usize, random: &mut SplitMix64, members: &mut Vec<usize>) {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    for end in (1..order.len()).rev() {
        order.swap(end, random.below(end + 1));
    }
    members.clear();
    let mut has_member = std::collections::HashSet::new();
    let (first_of_class, others): (Vec<_>, Vec<_>) = order.into_iter().partition(|&row| has_member.insert(labels[row]));
    members.extend(first_of_class.into_iter().chain(others).take(n_members.max(has_member.len())));
    members.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_a_member_and_the_size_is_as_asked() {
        let labels = [0, 0, 0, 0, 0, 0, 0, 1, 2, 2];
        let mut members = Vec::new();
        for seed in 0..50 {
            random_set(&labels, 4, &mut SplitMix64::new(seed, 0), &mut members);
            assert_eq!(members.len(), 4);
            assert!(members.windows(2).all(|pair| pair[0] < pair[1]));
            assert!((0..3).all(|class| members.iter().any(|&row| labels[row] == class)));
        }
        random_set(&labels, 1, &mut SplitMix64::new(0, 0), &mut members);
        assert_eq!(members.len(), 3);
    }
}
