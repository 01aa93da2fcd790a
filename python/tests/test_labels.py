"""Labels of every kind, new classes, and classes of very different sizes."""

import numpy as np
import pytest

from hedgerow import BoundaryForestNeighbors, BoundaryForestRegressor, BoundarySetClassifier, BoundaryTreeClassifier

KINDS = {
    "texts": ["lily", "rose", "aster"],
    "numbers": [-7, 3, 1000],
    "whole floats": [-1.0, 1.0, 2.0],
    "texts that look like numbers": ["10", "9", "08"],
}


@pytest.mark.parametrize("labels", KINDS.values(), ids=KINDS)
def test_labels_come_out_as_they_went_in(classifier, iris, labels):
    X, y = iris
    named = np.asarray(labels)[y]
    classifier.fit(X, named)
    np.testing.assert_array_equal(classifier.classes_, np.unique(named))
    answers = classifier.predict(X)
    assert answers.dtype == named.dtype
    assert np.mean(answers == named) > 0.85
    probabilities = classifier.predict_proba(X)
    np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(axis=1)], answers)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_booleans_are_classes(iris):
    X, y = iris
    model = BoundaryTreeClassifier(random_state=0).fit(X, y == 0)
    assert model.predict(X[:1]).tolist() == [True]


def test_names_that_cannot_be_told_apart_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="same name 'a'"):
        BoundaryTreeClassifier().fit(X, np.array(["a", " a", "b"])[y])
    with pytest.raises(ValueError, match="empty name"):
        BoundaryTreeClassifier().fit(X, np.array(["a", " ", "b"])[y])


def test_a_class_may_come_at_any_time(classifier, iris):
    X, y = iris
    classifier.fit(X[y < 2], np.array(["setosa", "versicolor"])[y[y < 2]])
    classifier.partial_fit(X[y == 2], ["virginica"] * 50)
    assert classifier.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert classifier.last_ids_.tolist() == list(range(100, 150))
    assert classifier.predict_proba(X).shape == (150, 3)
    assert np.mean(classifier.predict(X[y == 2]) == "virginica") > 0.7
    # An earlier name in the alphabet still comes last: columns of known classes stay where they are.
    classifier.partial_fit(X[:1] - 50, ["aster"])
    assert classifier.classes_.tolist()[-1] == "aster"
    assert classifier.predict(X[:1] - 50).tolist() == ["aster"]


def test_classes_that_were_all_given_are_all_there_will_be(classifier, iris):
    X, y = iris
    classifier.partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    assert classifier.predict_proba(X).shape == (150, 3)
    classifier.partial_fit(X[100:], y[100:])
    assert classifier.classes_.tolist() == [0, 1, 2]
    before = classifier.model_.n_changes
    with pytest.raises(ValueError, match=r"\[3\].*not in the classes"):
        classifier.partial_fit(X[:2], [0, 3])
    with pytest.raises(ValueError, match="not in the classes"):
        classifier.relabel(0, 3)
    assert classifier.model_.n_changes == before


def test_labels_of_another_kind_are_refused_before_anything_changes(iris):
    X, y = iris
    model = BoundaryTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="of another kind"):
        model.partial_fit(X[:1], ["cat"])
    assert model.model_.n_changes == 0 and model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_one_class_has_one_name_however_it_is_written(iris, is_open):
    # 1, 1.0 and True are equal, and have three texts.
    X, y = iris
    for kind, others in ((int, (float, np.uint8)), (float, (int,)), (bool, (int, float))):
        labels = (y == 1 if kind is bool else y).astype(kind)
        model = BoundaryTreeClassifier(random_state=0)
        model.partial_fit(X, labels, classes=None if is_open else np.unique(labels).astype(float).astype(kind))
        before = model.classes_
        for other in others:
            model.partial_fit(X[:60:59] + 9, labels[:60:59].astype(other))
            model.relabel(0, other(1))
        np.testing.assert_array_equal(model.classes_, before)
        assert model.classes_.dtype == kind and len(model.model_.class_names) == len(before)
    model = BoundaryTreeClassifier(random_state=0).fit(X, y).partial_fit(X[:1] + 9, [7.0])
    assert model.classes_.dtype == y.dtype and model.model_.class_names == ["0", "1", "2", "7"]


@pytest.mark.parametrize("label", [None, np.nan, 1.5, [1, 2], "1", ""], ids=repr)
def test_what_is_no_class_is_no_label(iris, label):
    X, y = iris
    model = BoundaryTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError):
        model.relabel(0, label)
    assert model.model_.n_changes == 0 and model.classes_.tolist() == [0, 1, 2]


def test_labels_of_several_kinds_are_told_of(estimator, iris):
    X, y = iris
    if isinstance(estimator, BoundaryForestRegressor):
        return
    with pytest.raises(ValueError, match="of the types int, str"):
        estimator.fit(X, np.array([0, "a", 2], dtype=object)[y])


def test_classes_of_later_calls_are_those_of_the_first(iris):
    X, y = iris
    model = BoundaryTreeClassifier(random_state=0).partial_fit(X, y, classes=range(4))
    assert model.partial_fit(X[:1], y[:1], classes=[3.0, 2.0, 1.0, 0.0]).classes_.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"classes is \[0, 1\], but the model has the classes \[0, 1, 2, 3\]"):
        model.partial_fit(X[:1], y[:1], classes=[0, 1])
    for wrong in ("abc", [[0, 1], [2, 3]], 3):
        with pytest.raises(ValueError, match="it must be a list of labels"):
            BoundaryTreeClassifier().partial_fit(X, y, classes=wrong)


def test_a_class_of_few_examples_is_kept(classifier):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(400, 3)), rng.normal(size=(6, 3)) + 12]).astype(np.float32)
    y = np.array(["common"] * 400 + ["rare"] * 6)
    classifier.fit(X, y)
    labels = {classifier.get_example(id)[1] for id in classifier.stored_ids_}
    assert labels == {"common", "rare"}
    assert classifier.predict(np.full((1, 3), 12.0)).tolist() == ["rare"]


def test_a_single_class_is_answered_with(iris):
    X, _ = iris
    model = BoundarySetClassifier().fit(X, ["only"] * len(X))
    assert set(model.predict(X)) == {"only"} and model.n_stored_ == 1


def test_values_are_learned_on_and_relabelled():
    X = np.linspace(0, 6, 200, dtype=np.float32)[:, None]
    model = BoundaryForestRegressor(n_trees=5, epsilon=0.01, random_state=0).fit(X, np.sin(X[:, 0]))
    model.partial_fit([[20.0]], [7.5])
    assert model.last_ids_.tolist() == [200]
    assert model.predict([[20.0]])[0] == 7.5
    assert model.explain([20.0]).prediction == 7.5
    model.relabel(200, -1.25)
    assert model.predict([[20.0]])[0] == -1.25
    assert model.get_example(200) == (np.float32(20.0), -1.25)
    model.remove(200)
    assert model.predict([[20.0]])[0] < 1.01
    with pytest.raises(ValueError, match="too large for float32"):
        model.partial_fit([[1.0]], [1e300])


def test_neighbors_are_those_of_an_exact_search():
    from sklearn.neighbors import NearestNeighbors

    X = np.random.default_rng(0).normal(size=(300, 5)).astype(np.float32)
    queries = np.random.default_rng(1).normal(size=(40, 5)).astype(np.float32)
    exact = NearestNeighbors(n_neighbors=4).fit(X)
    model = BoundaryForestNeighbors(n_neighbors=4, effort=None, random_state=0).fit(X)
    for asked in (queries, None):
        distances, ids = model.kneighbors(asked)
        expected_distances, expected_ids = exact.kneighbors(asked)
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_allclose(distances, expected_distances, rtol=1e-5)
    np.testing.assert_array_equal(
        model.kneighbors(queries, 2, return_distance=False), exact.kneighbors(queries)[1][:, :2]
    )
    quick = BoundaryForestNeighbors(n_neighbors=4, effort=16, random_state=0).fit(X)
    assert np.mean(quick.kneighbors(queries)[1][:, 0] == exact.kneighbors(queries)[1][:, 0]) > 0.9
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        model.kneighbors(queries, 301)
    for wrong, error in ((0, ValueError), (2.5, TypeError)):
        with pytest.raises(error, match="n_neighbors"):
            model.kneighbors(queries, wrong)


def test_neighbors_are_added_removed_and_named():
    model = BoundaryForestNeighbors(n_neighbors=1, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    model.partial_fit([[5.0], [5.5]], ["c", "a"])
    assert model.kneighbors([[5.1]])[1].tolist() == [[2]]
    assert model.get_example(2)[1] == "c"
    model.relabel(2, "d")
    assert model.get_example(2)[1] == "d"
    model.remove([2])
    assert model.kneighbors([[5.1]])[1].tolist() == [[3]]
    with pytest.raises(KeyError, match="no example 2"):
        model.get_example(2)


def test_labels_of_neighbors_come_out_as_they_went_in():
    X = [[0.0], [1.0], [2.0]]
    model = BoundaryForestNeighbors(random_state=0).fit(X, ["10", "9", "9"])
    assert model.get_example(0)[1] == "10" and model.explain([0.0]).prediction == "10"
    assert model.partial_fit([[5.0]], ["8"]).get_example(3)[1] == "8"
    numbers = BoundaryForestNeighbors(random_state=0).fit(X, [1, 2, 2]).partial_fit([[5.0]], [2.0])
    assert numbers.get_example(3)[1] == 2 and numbers.classes_.tolist() == [1, 2]
    none = BoundaryForestNeighbors(random_state=0).fit(X)
    assert none.get_example(0)[1] is None and none.partial_fit([[5.0]], ["late"]).get_example(3)[1] == "late"
    for wrong in ([1.0, np.nan, 2.0], ["a", "", "b"], [None] * 3):
        with pytest.raises(ValueError, match=r"NaN|empty name|types NoneType"):
            BoundaryForestNeighbors().fit(X, wrong)
    with pytest.raises(ValueError, match="n_neighbors < n_samples_fit, but n_neighbors = 3"):
        BoundaryForestNeighbors(n_neighbors=3, random_state=0).fit(X).kneighbors()


def test_labels_that_come_after_a_fit_without_any_stay_as_they_are():
    model = BoundaryForestNeighbors(random_state=0).fit([[0.0], [1.0]]).partial_fit([[5.0], [6.0]], [1, 2])
    assert model.model_.class_names == ["1", "2"] and model.classes_.tolist() == [1, 2]
    assert model.classes_.dtype.kind == "i" and model.get_example(2)[1] == 1
    texts = BoundaryForestNeighbors(random_state=0).fit([[0.0], [1.0]]).partial_fit([[5.0]], ["10"])
    assert texts.classes_.tolist() == ["10"]


@pytest.mark.parametrize("label", [None, np.nan, 1.5, "1"], ids=repr)
def test_labels_of_neighbors_that_would_rename_others_are_refused(label):
    model = BoundaryForestNeighbors(random_state=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="label"):
        model.relabel(0, label)
    assert model.model_.n_changes == 0 and model.partial_fit([[2.0]], [1]).model_.class_names == ["0", "1"]
    empty = BoundaryForestNeighbors(random_state=0).fit([[0.0], [1.0]])
    if label is None or label != label:
        with pytest.raises(ValueError, match="missing"):
            empty.relabel(0, label)
        assert empty.model_.class_names == []


@pytest.mark.parametrize("is_loaded", [False, True], ids=["fitted", "loaded"])
def test_numbers_on_both_sides_of_two_to_the_63_stay_apart(is_loaded, tmp_path):
    import hedgerow

    classes = np.array([1, 2**63 - 1, 2**63 + 1], dtype=np.uint64)
    X = [[0.0], [5.0], [9.0]]
    model = BoundaryTreeClassifier(random_state=0).fit(X, classes).save(tmp_path / "model")
    if is_loaded:
        model = hedgerow.load(tmp_path / "model")
    assert model.predict(X).tolist() == classes.tolist()


def test_names_are_read_as_numbers_only_where_these_are_written_so():
    from hedgerow._labels import classes_of

    for names in (["-1", str(2**63)], [str(2**64)], ["nan"], ["inf", "1.0"], ["1.0", "2"], []):
        assert classes_of(names).tolist() == names, names
    assert classes_of(["1.5", "2.0"]).tolist() == [1.5, 2.0] and classes_of(["-3", "4"]).dtype == np.int64
