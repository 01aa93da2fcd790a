//! One example: a query, a stored example, a node of a tree.

use std::collections::HashMap;

use serde::Serialize;

use crate::Picture;

/// An example as it is shown. Texts may hold anything; they are escaped where they are written.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ExampleView {
    /// The id under which the structure knows it; a query has none.
    pub id: Option<u64>,
    /// Where it came from, for example `row 475 of optdigits`.
    pub source: String,
    /// Its label as text; none if it is not known.
    pub label: Option<String>,
    /// The number of its class among all classes: gives it the color that it has on the map.
    pub class: Option<usize>,
    /// Its distance from the query.
    pub distance: Option<f64>,
    /// Its weight in the vote; the weights of all voters sum to 1.
    pub weight: Option<f64>,
    /// What it looks like.
    pub picture: Option<Picture>,
    /// Its features, where it is a row of a table. All of them: what is shown is chosen by [`differing_features`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
}

/// One named number of an example.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Its value, in the unit of the data.
    pub value: f64,
    /// How much it varies, such as its standard deviation over the training rows: differences are measured by it. Without it, they count as
    /// they are.
    pub spread: Option<f64>,
}

/// One feature of two examples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureDifference {
    /// The name of the feature.
    pub name: String,
    /// Its value in the query.
    pub query: f64,
    /// Its value in the other example.
    pub other: f64,
    /// How far apart these are (other less query), in spreads of the feature where the query tells its spread.
    pub difference: f64,
}

/// The at most `most` features that differ most, those that differ more first. Features are paired by name; those of only one
/// example are left out, and so are those that do not differ or are not finite. Ties stand in the order of the query.
pub fn differing_features(query: &[Feature], other: &[Feature], most: usize) -> Vec<FeatureDifference> {
    let by_name = other.iter().map(|feature| (feature.name.as_str(), feature.value)).collect::<HashMap<_, _>>();
    let pair = |feature: &Feature| {
        let value = *by_name.get(feature.name.as_str())?;
        let spread = feature.spread.filter(|spread| spread.is_finite() && *spread > 0.0).unwrap_or(1.0);
        let difference = (value - feature.value) / spread;
        let differs = difference.is_finite() && difference != 0.0;
        differs.then(|| FeatureDifference {
            name: feature.name.clone(),
            query: feature.value,
            other: value,
            difference,
        })
    };
    let mut pairs = query.iter().filter_map(pair).collect::<Vec<_>>();
    pairs.sort_by(|one, two| two.difference.abs().total_cmp(&one.difference.abs()));
    pairs.truncate(most);
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, value: f64, spread: Option<f64>) -> Feature {
        Feature { name: name.to_owned(), value, spread }
    }

    #[test]
    fn the_features_that_differ_most_come_first_measured_by_their_spread() {
        // In spreads: mass (4000 - 3700) / 800 = 0.375, bill (50 - 40) / 5 = 2, flipper the same, island only in the query.
        let query = [
            feature("mass", 3700.0, Some(800.0)),
            feature("bill", 40.0, Some(5.0)),
            feature("flipper", 190.0, None),
            feature("island", 1.0, None),
        ];
        let other = [feature("flipper", 190.0, None), feature("bill", 50.0, None), feature("mass", 4000.0, None)];
        let differences = differing_features(&query, &other, 5);
        let told = differences.iter().map(|of| (of.name.as_str(), of.difference)).collect::<Vec<_>>();
        assert_eq!(told, [("bill", 2.0), ("mass", 0.375)]);
        assert_eq!(differing_features(&query, &other, 1).len(), 1);
    }

    #[test]
    fn features_that_are_not_finite_are_left_out() {
        let query = [feature("a", f64::NAN, None), feature("b", 1.0, Some(0.0)), feature("c", 1.0, Some(f64::NAN))];
        let other = [feature("a", 1.0, None), feature("b", f64::INFINITY, None), feature("c", 3.0, None)];
        let differences = differing_features(&query, &other, 5);
        assert_eq!(differences.len(), 1);
        assert_eq!(differences[0].difference, 2.0); // a spread that cannot be used counts as none
    }
}
