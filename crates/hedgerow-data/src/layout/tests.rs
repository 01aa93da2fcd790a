//! The roles of columns, decided on names alone.

use super::*;
use crate::encoding::Encoding;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn lay_out(names: &[String], named: bool, options: &ReadOptions, file: &str) -> Result<Layout, ReadError> {
    Columns::new(names, named, file).layout(options, |_| Ok(true))
}

fn wide(names: &[String], widths: &[usize], options: &ReadOptions) -> Result<Layout, ReadError> {
    Columns::new(names, true, "t").with_widths(widths).layout(options, |_| Ok(true))
}

/// Label, id, split and features.
type Roles = (Option<usize>, Option<usize>, Option<usize>, Vec<usize>);

fn roles(layout: Layout) -> Roles {
    (layout.label, layout.id, layout.split, layout.features)
}

fn schema(features: &[&str], named: bool, label: Option<Column>) -> Schema {
    let columns = features.iter().map(|name| FeatureColumn::Number { name: (*name).into() }).collect();
    Schema { encoding: Encoding::new(columns, named), label_column: label, ..Schema::default() }
}

#[test]
fn labels_are_found_by_name_and_else_at_the_end() {
    let layout = lay_out(&names(&["a", "Class", "b"]), true, &options(|_| ()), "t").unwrap();
    assert_eq!(roles(layout), (Some(1), None, None, vec![0, 2]));
    let layout = lay_out(&names(&["a", "b", "species"]), true, &options(|_| ()), "t").unwrap();
    assert_eq!(layout.label, Some(2));
}

#[test]
fn names_decide_in_their_order_and_coordinates_are_no_labels() {
    let label = |columns: &[&str]| lay_out(&names(columns), true, &options(|_| ()), "t").unwrap().label;
    assert_eq!(label(&["x", "y", "label"]), Some(2));
    assert_eq!(label(&["class", "y", "label"]), Some(2));
    assert_eq!(label(&["a", "y", "b"]), Some(1));
    assert_eq!(label(&["x", "y", "kind"]), Some(2));
    assert_eq!(label(&["Target", "b"]), Some(0));
}

#[test]
fn ids_are_found_by_name_and_never_are_features() {
    for id in ["id", "ID", "row_id", "__index_level_0__"] {
        let layout = lay_out(&names(&["x", "species", id]), true, &options(|_| ()), "t").unwrap();
        assert_eq!(roles(layout), (Some(1), Some(2), None, vec![0]), "{id}");
    }
    let layout = lay_out(&names(&["id", "x", "kind", "__index_level_0__"]), true, &options(|_| ()), "t").unwrap();
    assert_eq!(roles(layout), (Some(2), Some(0), None, vec![1]));
    let asked = options(|options| options.label = RoleColumn::At(Column::Name("id".into())));
    let layout = lay_out(&names(&["x", "id"]), true, &asked, "t").unwrap();
    assert_eq!((layout.label, layout.id), (Some(1), None));
}

#[test]
fn columns_are_named_or_counted_from_either_end() {
    let asked = options(|options| {
        options.label = RoleColumn::At(Column::Number(0));
        options.id_column = RoleColumn::At(Column::Name("id".into()));
        options.ignore = vec![Column::Number(-1)];
    });
    let layout = lay_out(&names(&["l", "id", "x", "note"]), true, &asked, "t").unwrap();
    assert_eq!(roles(layout), (Some(0), Some(1), None, vec![2]));
}

#[test]
fn a_missing_column_gets_a_suggestion() {
    let asked = options(|options| options.label = RoleColumn::At(Column::Name("speceis".into())));
    let error = lay_out(&names(&["x", "species"]), true, &asked, "iris.csv").unwrap_err();
    assert_eq!(
        error.to_string(),
        "iris.csv: there is no column \"speceis\" for the label (did you mean \"species\"?); \
         the columns are \"x\", \"species\""
    );
    let asked = options(|options| options.label = RoleColumn::At(Column::Number(2)));
    let error = lay_out(&names(&["0", "1"]), false, &asked, "t").unwrap_err();
    assert!(error.to_string().ends_with("the columns are 0 to 1 (the file has no header)"), "{error}");
}

#[test]
fn two_features_of_one_name_are_refused_and_ignored_ones_are_not() {
    let columns = names(&["x", "x", "b", "y"]);
    let error = lay_out(&columns, true, &options(|_| ()), "t").unwrap_err();
    assert!(matches!(*error.problem, Problem::DuplicateColumn { .. }), "{error}");
    let asked = options(|options| options.ignore = vec![Column::Number(0), Column::Number(1)]);
    assert_eq!(lay_out(&columns, true, &asked, "t").unwrap().features, [2]);
}

#[test]
fn a_column_has_one_role() {
    let asked = options(|options| {
        options.label = RoleColumn::At(Column::Number(1));
        options.id_column = RoleColumn::At(Column::Number(1));
    });
    let error = lay_out(&names(&["x", "y"]), true, &asked, "t").unwrap_err();
    assert!(matches!(*error.problem, Problem::TwoRoles { .. }), "{error}");
    let error = lay_out(&names(&["y"]), true, &options(|_| ()), "t").unwrap_err();
    assert!(matches!(*error.problem, Problem::NoFeatures { .. }), "{error}");
}

#[test]
fn a_schema_finds_its_columns_in_any_order_and_lives_without_labels() {
    let number = |name: &str| FeatureColumn::Number { name: name.into() };
    let encoding = Encoding::new(vec![number("a"), number("b")], true);
    let schema = Schema { encoding, label_column: Some(Column::Name("y".into())), ..Schema::default() };
    let asked = options(|options| options.schema = Some(schema));
    let layout = lay_out(&names(&["b", "extra", "a"]), true, &asked, "t").unwrap();
    assert_eq!(roles(layout), (None, None, None, vec![2, 0]));
    let layout = lay_out(&names(&["y", "a", "b"]), true, &asked, "t").unwrap();
    assert_eq!(layout.label, Some(0));
    assert!(lay_out(&names(&["a", "y"]), true, &asked, "t").is_err());
    let twice = ReadOptions { id_column: RoleColumn::At(Column::Name("a".into())), ..asked.clone() };
    let error = lay_out(&names(&["a", "b"]), true, &twice, "t").unwrap_err();
    assert!(matches!(*error.problem, Problem::TwoRoles { second: "a feature", .. }), "{error}");
    // Without a header, by position.
    let layout = lay_out(&names(&["0", "1"]), false, &asked, "t").unwrap();
    assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
    let layout = lay_out(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
    assert_eq!(layout.label, Some(2));
    // A label that was not last stays where it was.
    let encoding = Encoding::new(vec![number("1"), number("2")], false);
    let schema = Schema { encoding, label_column: Some(Column::Number(0)), ..Schema::default() };
    let asked = options(|options| options.schema = Some(schema));
    let layout = lay_out(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
    assert_eq!((layout.label, layout.features), (Some(0), vec![1, 2]));
    let layout = lay_out(&names(&["0", "1"]), false, &asked, "t").unwrap();
    assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
}

#[test]
fn a_recorded_matrix_may_come_back_as_a_vector_column() {
    let schema = Schema { encoding: Encoding::matrix(4), ..Schema::default() };
    let asked = options(|options| options.schema = Some(schema));
    let layout = wide(&names(&["point", "digit"]), &[4, 1], &asked).unwrap();
    assert_eq!((layout.label, layout.features), (Some(1), vec![0]));
    let layout = wide(&names(&["a", "b"]), &[1, 3], &asked).unwrap();
    assert_eq!((layout.label, layout.features), (None, vec![0, 1]));
    assert!(wide(&names(&["point"]), &[5], &asked).is_err());
}

#[test]
fn a_recorded_feature_named_split_or_id_stays_a_feature() {
    let asked = options(|options| options.schema = Some(schema(&["split", "id"], true, None)));
    let found = lay_out(&names(&["id", "row_id", "split"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (None, Some(1), None, vec![2, 0]));
}

#[test]
fn a_recorded_label_is_not_taken_for_the_id() {
    let asked = options(|options| options.schema = Some(schema(&["x"], true, Some(Column::Name("id".into())))));
    let found = lay_out(&names(&["id", "x"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(0), None, None, vec![1]));
}

#[test]
fn categories_are_taken_neither_for_ids_nor_for_splits() {
    let asked = options(|options| options.categories = vec![Column::Name("split".into()), Column::Number(0)]);
    let found = lay_out(&names(&["id", "split", "x", "label"]), true, &asked, "t").unwrap();
    assert_eq!(found.is_category, [true, true, false, false]);
    assert_eq!(roles(found), (Some(3), None, None, vec![0, 1, 2]));
}

#[test]
fn a_detected_id_or_split_can_be_declined() {
    let columns = names(&["id", "split", "x", "label"]);
    let found = lay_out(&columns, true, &options(|_| ()), "t").unwrap();
    assert_eq!(roles(found), (Some(3), Some(0), Some(1), vec![2]));
    let declined = options(|options| {
        options.id_column = RoleColumn::None;
        options.split_column = RoleColumn::None;
    });
    assert_eq!(roles(lay_out(&columns, true, &declined, "t").unwrap()), (Some(3), None, None, vec![0, 1, 2]));
}

#[test]
fn a_split_column_of_other_words_is_a_feature() {
    let columns = names(&["split", "x", "label"]);
    let found = Columns::new(&columns, true, "t").layout(&options(|_| ()), |_| Ok(false)).unwrap();
    assert_eq!(roles(found), (Some(2), None, None, vec![0, 1]));
}

#[test]
fn a_label_is_where_it_was_whether_or_not_there_are_names() {
    // Recorded with names, label between the features.
    let named = Schema { label_position: Some(1), ..schema(&["a", "b"], true, Some(Column::Name("kind".into()))) };
    let asked = options(|options| options.schema = Some(named));
    let found = lay_out(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(1), None, None, vec![0, 2]));
    // Recorded without names, read with them.
    let bare = Schema { label_position: Some(0), ..schema(&["1", "2"], false, Some(Column::Number(0))) };
    let asked = options(|options| options.schema = Some(bare));
    let found = lay_out(&names(&["kind", "a", "b"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(0), None, None, vec![1, 2]));
    let found = lay_out(&names(&["a", "b"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (None, None, None, vec![0, 1]));
    // A vector of 4 numbers stood before the label: in text these are 4 columns.
    let matrix = Schema { encoding: Encoding::matrix(4), label_position: Some(4), ..Schema::default() };
    let asked = options(|options| options.schema = Some(matrix));
    assert_eq!(lay_out(&names(&["a", "b", "c", "d", "e"]), false, &asked, "t").unwrap().label, Some(4));
    assert_eq!(roles(wide(&names(&["kind", "point"]), &[1, 4], &asked).unwrap()), (Some(0), None, None, vec![1]));
}

#[test]
fn a_recorded_vector_is_one_column_or_one_for_each_number() {
    let columns =
        vec![FeatureColumn::Vector { name: "v".into(), width: 2 }, FeatureColumn::Number { name: "x".into() }];
    let recorded = Schema { encoding: Encoding::new(columns, true), ..Schema::default() };
    let asked = options(|options| options.schema = Some(recorded.clone()));
    let spread = lay_out(&names(&["v[1]", "x", "v[0]"]), true, &asked, "t").unwrap();
    assert_eq!((&spread.features[..], &spread.recorded[..]), (&[2, 0, 1][..], &[0, 0, 1][..]));
    assert!(spread.check_fields(&recorded, |_| 1).is_ok());
    let whole = lay_out(&names(&["x", "v"]), true, &asked, "t").unwrap();
    assert_eq!((&whole.features[..], &whole.recorded[..]), (&[1, 0][..], &[0, 1][..]));
    assert!(whole.check_fields(&recorded, |at| [1, 2][at]).is_ok());
    let (at, problem) = whole.check_fields(&recorded, |_| 1).unwrap_err();
    assert!(at == 1 && matches!(problem, Problem::FeatureCount { expected: 2, got: 1 }), "{problem}");
    let error = lay_out(&names(&["v[0]", "x"]), true, &asked, "t").unwrap_err();
    assert!(error.to_string().contains("there is no column \"v[1]\" for a feature"), "{error}");
    // Without names, in their places.
    let bare = lay_out(&names(&["0", "1", "2"]), false, &asked, "t").unwrap();
    assert_eq!((&bare.features[..], &bare.recorded[..]), (&[0, 1, 2][..], &[0, 0, 1][..]));
}

#[test]
fn a_label_that_nothing_is_recorded_of_is_found_by_name_and_never_guessed() {
    let asked = options(|options| {
        options.schema = Some(Schema { encoding: Encoding::matrix(3), ..Schema::default() });
    });
    let found = lay_out(&names(&["label", "1x1", "1x2", "1x3"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(0), None, None, vec![1, 2, 3]));
    // A coordinate is no label here either.
    for (columns, named) in [(["x", "y", "z", "kind"], true), (["0", "1", "2", "3"], false)] {
        let error = lay_out(&names(&columns), named, &asked, "t.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "t.csv: has one column more than the 3 features of the training data, and nothing tells which of them is the \
             label; say which one is (label), or leave out the one that is no feature (ignore)"
        );
    }
    let said = ReadOptions { label: RoleColumn::At(Column::Number(0)), ..asked };
    let found = lay_out(&names(&["0", "1", "2", "3"]), false, &said, "t").unwrap();
    assert_eq!(roles(found), (Some(0), None, None, vec![1, 2, 3]));
    // A usual name says more than the place.
    let placed = Schema { encoding: Encoding::matrix(2), label_position: Some(0), ..Schema::default() };
    let asked = options(|options| options.schema = Some(placed));
    let found = lay_out(&names(&["a", "b", "Class"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(2), None, None, vec![0, 1]));
    // A list that is too long is no label.
    let asked = options(|options| {
        options.schema = Some(Schema { encoding: Encoding::matrix(4), ..Schema::default() });
    });
    let error = wide(&names(&["point"]), &[5], &asked).unwrap_err();
    assert!(matches!(*error.problem, Problem::FeatureCount { expected: 4, got: 5 }), "{error}");
}

#[test]
fn a_recorded_feature_cannot_be_left_out() {
    let asked = options(|options| {
        options.schema = Some(schema(&["a", "b"], true, None));
        options.ignore = vec![Column::Name("a".into())];
    });
    let error = lay_out(&names(&["a", "b"]), true, &asked, "t").unwrap_err();
    assert!(matches!(*error.problem, Problem::TwoRoles { first: "a feature", second: "left out", .. }), "{error}");
}

#[test]
fn a_second_id_is_no_feature_of_a_schema_without_names_either() {
    let bare = Schema { label_position: Some(1), ..schema(&["0"], false, Some(Column::Number(1))) };
    let asked = options(|options| options.schema = Some(bare));
    let found = lay_out(&names(&["id", "x", "kind", "__index_level_0__"]), true, &asked, "t").unwrap();
    assert_eq!(roles(found), (Some(2), Some(0), None, vec![1]));
}
