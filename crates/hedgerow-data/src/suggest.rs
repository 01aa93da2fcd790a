//! The nearest known name to one that was mistyped, for errors that say "did you mean".
//!
//! It is for short lists of short names: sets, columns, options. It is not a search: where nothing is near it stays
//! silent, since a wild guess is worse than none.

/// The candidate nearest to what was asked, if any is near enough to be meant.
///
/// Near is: equal but for letter case; or at most one edit per three letters asked (an insertion, a deletion, another
/// letter, two neighbors swapped); or a name that begins with what was asked. Fewer edits win; ties go to the candidate
/// given first.
pub fn nearest_name<'a>(asked: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let asked: Vec<char> = asked.to_lowercase().chars().collect();
    if asked.is_empty() {
        return None;
    }
    let allowed = (asked.len() / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.to_lowercase().chars().collect();
            let edits = edit_distance(&asked, &letters);
            // Three letters, so that "a" does not bring up the first column whose name begins with one.
            let begins = asked.len() >= 3 && letters.starts_with(&asked);
            // One letter swapped for another in a one-letter name leaves nothing of it.
            let near = edits <= allowed && edits < asked.len().max(letters.len());
            (near || begins).then_some((edits, candidate))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Optimal string alignment: Levenshtein's distance in which swapping two neighbors counts as one edit.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let other_letter = usize::from(a[i - 1] != b[j - 1]);
            let mut edits = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + other_letter);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(before_last[j - 2] + 1);
            }
            row.push(edits);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [&str; 4] = ["mnist", "fashion-mnist", "penguins", "pendigits"];

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        assert_eq!(nearest_name("mnits", SETS), Some("mnist"));
        assert_eq!(nearest_name("MNIST", SETS), Some("mnist"));
        assert_eq!(nearest_name("pengiuns", SETS), Some("penguins"));
        assert_eq!(nearest_name("fashion", SETS), Some("fashion-mnist"));
    }

    #[test]
    fn a_far_name_finds_nothing() {
        assert_eq!(nearest_name("cifar", SETS), None);
        assert_eq!(nearest_name("", SETS), None);
        assert_eq!(nearest_name("x", ["y"]), None);
    }

    #[test]
    fn distance_counts_insertions_deletions_changes_and_swaps() {
        let distance = |a: &str, b: &str| edit_distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
