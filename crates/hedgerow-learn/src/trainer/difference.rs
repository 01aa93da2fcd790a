//! Which parameter two runs differ in.

use serde_json::Value;

/// A parameter, and what it is in either run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// Its name, with dots.
    pub(super) parameter: String,
    pub(super) then: String,
    pub(super) now: String,
}

/// The first difference between two sets of parameters, if there is one.
///
/// Names that both have come first: where the method is another one, that is told, rather than one of its parameters.
pub(super) fn difference(then: &Value, now: &Value) -> Option<Difference> {
    between("", Some(then), Some(now))
}

fn between(name: &str, then: Option<&Value>, now: Option<&Value>) -> Option<Difference> {
    if then == now {
        return None;
    }
    if let (Some(Value::Object(then)), Some(Value::Object(now))) = (then, now) {
        let both = then.keys().filter(|key| now.contains_key(*key));
        let either = then.keys().filter(|key| !now.contains_key(*key));
        let or = now.keys().filter(|key| !then.contains_key(*key));
        return both.chain(either).chain(or).find_map(|key| {
            let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            between(&name, then.get(key), now.get(key))
        });
    }
    let text = |value: Option<&Value>| value.map_or("not known".to_owned(), Value::to_string);
    Some(Difference { parameter: name.to_owned(), then: text(then), now: text(now) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_both_values() {
        let of = |then: &str, now: &str| {
            let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            difference(&parse(then), &parse(now)).map(|found| (found.parameter, found.then, found.now))
        };
        let told = |parameter: &str, then: &str, now: &str| Some((parameter.into(), then.into(), now.into()));
        assert_eq!(of(r#"{"a": 1, "b": {"c": [1, 2]}}"#, r#"{"b": {"c": [1, 2]}, "a": 1}"#), None);
        assert_eq!(
            of(r#"{"b": {"c": [1, 2], "d": 0.1}}"#, r#"{"b": {"c": [1, 3], "d": 0.2}}"#),
            told("b.c", "[1,2]", "[1,3]")
        );
        assert_eq!(of(r#"{"a": null}"#, r#"{"a": {"x": 5}}"#), told("a", "null", r#"{"x":5}"#));
        assert_eq!(of(r#"{"a": {"b": 1}}"#, r#"{"a": {}}"#), told("a.b", "1", "not known"));
        let (dbs, siamese) = (r#"{"m": {"batch": 1, "name": "dbs"}}"#, r#"{"m": {"margin": 5, "name": "siamese"}}"#);
        assert_eq!(of(dbs, siamese), told("m.name", r#""dbs""#, r#""siamese""#));
    }
}
