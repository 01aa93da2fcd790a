//! How methods are asked for and written down.

use super::*;

#[test]
fn every_method_is_found_by_its_name_with_its_defaults() {
    for name in Method::NAMES {
        assert_eq!(name.parse::<Method>().unwrap().name(), name);
    }
    // Each kind has a name.
    for method in methods() {
        assert!(Method::NAMES.contains(&method.name()), "{method:?}");
    }
    assert_eq!("dbs".parse(), Ok(Method::default()));
    assert_eq!("dbt-v2".parse(), Ok(Method::Dbt(Dbt::default())));
    let error = "mlp-classifier".parse::<Method>().unwrap_err().to_string();
    let names = "dbs, dbt-v1, dbt-v2, classifier, siamese, triplet, soft-nn, random-set";
    assert_eq!(error, format!("there is no method \"mlp-classifier\"; the methods are {names}"));
}

#[test]
fn methods_are_written_down_by_the_same_names() {
    for name in Method::NAMES {
        let method: Method = name.parse().unwrap();
        let written = serde_json::to_value(&method).unwrap();
        let expected = if name.starts_with("dbt") { "dbt" } else { name };
        assert_eq!(written["method"], expected);
        assert_eq!(serde_json::from_value::<Method>(written).unwrap(), method);
    }
    let read: Method = serde_json::from_str(r#"{"method": "dbt", "gradient": "frozen"}"#).unwrap();
    assert_eq!((read.name(), read.scale()), ("dbt-v1", Dbt::v2().scale.into()));
}

#[test]
fn a_typo_in_a_parameter_is_told_at_every_level() {
    let refused = |text: &str| serde_json::from_str::<Method>(text).unwrap_err().to_string();
    for name in ["dbs", "dbt", "classifier", "siamese", "triplet", "soft-nn", "random-set"] {
        serde_json::from_str::<Method>(&format!(r#"{{"method": "{name}"}}"#)).unwrap();
        let error = refused(&format!(r#"{{"method": "{name}", "batchsize": 5}}"#));
        assert!(error.starts_with("unknown field `batchsize`, expected "), "{name}: {error}");
    }
    let with_scale = |scale: &str| format!(r#"{{"method": "dbs", "scale": {scale}}}"#);
    serde_json::from_str::<Method>(&with_scale(r#"{"distance": "euclidean", "sigma": 2.0}"#)).unwrap();
    let error = refused(&with_scale(r#"{"distance": "euclidean", "sigma": 2.0, "sigmas": 1.0}"#));
    assert!(error.contains("sigmas"), "{error}");
    assert!(refused(&with_scale(r#"{"distance": "euclid", "sigma": 2.0}"#)).starts_with("unknown variant `euclid`"));
    assert!(refused(r#"{"method": "dbs", "roles": "all"}"#).starts_with("unknown variant `all`"));
    assert!(refused(r#"{"method": "mlp-classifier"}"#).starts_with("unknown variant `mlp-classifier`"));
    for (text, typo) in [
        (r#"{"epoch": 5}"#, "epoch"),
        (r#"{"adam": {"beta": 0.5}}"#, "beta"),
        (r#"{"learning_rate": {"begin": 0.5}}"#, "begin"),
    ] {
        let error = serde_json::from_str::<crate::TrainingParams>(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("unknown field `{typo}`")), "{error}");
    }
    let shape = r#"{"height": 3, "width": 3, "channels": 1, "chanels": 1}"#;
    let error = serde_json::from_str::<crate::PictureShape>(shape).unwrap_err().to_string();
    assert!(error.starts_with("unknown field `chanels`"), "{error}");
}
