"""Removing and relabelling: exactly as if it had been so from the start."""

import numpy as np
import pytest
from conftest import assert_same, said
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hedgerow import BoundaryForestRegressor, BoundaryTreeClassifier, DifferentiableBoundarySet


def test_what_is_added_and_removed_has_never_been(estimator, iris):
    X, y = iris
    estimator.fit(X[::2], y[::2])
    before = said(estimator, X)
    stored = estimator.stored_ids_
    estimator.partial_fit(X[1::2], y[1::2])
    estimator.remove(estimator.last_ids_[::-1], note="a test")
    np.testing.assert_array_equal(estimator.stored_ids_, stored)
    assert_same(said(estimator, X), before)
    assert [change["change"] for change in estimator.changes_] == ["add"] * 75 + ["remove"] * 75
    assert estimator.changes_[-1]["note"] == "a test"


def test_a_label_that_goes_back_and_forth_has_never_moved(estimator, iris):
    X, y = iris
    estimator.fit(X, y)
    before = said(estimator, X)
    id = int(estimator.stored_ids_[-1])
    estimator.relabel(id, 1 - int(y[id] == 1))
    assert estimator.get_example(id)[1] != y[id]
    estimator.relabel(id, int(y[id]))
    assert_same(said(estimator, X), before)


def test_removal_is_all_or_nothing(estimator, iris):
    X, y = iris
    estimator.fit(X, y)
    before = said(estimator, X)
    with pytest.raises(ValueError, match="99999"):
        estimator.remove([0, 99999])
    for wrong, error in ((-1, ValueError), (2**63, ValueError), ("a", TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="id"):
            estimator.remove([wrong])
    for wrong, error in ((2**70, ValueError), (True, TypeError)):
        with pytest.raises(error, match="id"):
            estimator.relabel(wrong, 1)
    assert_same(said(estimator, X), before)


def test_without_a_history_removal_is_refused_with_the_reason(iris):
    X, y = iris
    model = BoundaryTreeClassifier(history="nodes-only", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="history"):
        model.remove(int(model.stored_ids_[0]))


def test_one_that_is_not_fitted_says_so(estimator, iris, tmp_path):
    X, _ = iris
    acts = [
        lambda: estimator.remove(0),
        lambda: estimator.relabel(0, 1),
        lambda: estimator.explain(X[0]),
        lambda: estimator.save(tmp_path / "model"),
        lambda: estimator.score_samples(X),
        lambda: estimator.n_stored_,
    ]
    for act in acts:
        with pytest.raises(NotFittedError):
            act()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"metric": "hamming"}, "metric is 'hamming'; it must be one of 'euclidean'"),
        ({"scaling": "log"}, "scaling is 'log'"),
        ({"scaling": ["unit_length", "log"]}, "scaling is 'log'"),
        ({"history": "some"}, "history is 'some'"),
        ({"max_children": 0}, "max_children is 0; it must be at least 1"),
        ({"image_shape": (3,)}, r"image_shape is \(3,\)"),
        ({"image_shape": (3, 3)}, "9"),
        ({"image_shape": (2**62, 2**62, 4)}, "image_shape is .*it must be at most"),
        ({"max_children": 2**70}, "max_children is .*it must be at most"),
        ({"metric": np.array(["euclidean", "cosine"])}, "metric is array"),
        ({"random_state": -1}, "Seed must be"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_parameters_are_refused_with_what_would_do(iris, params, words):
    with pytest.raises(ValueError, match=words):
        BoundaryTreeClassifier(**params).fit(*iris)


@pytest.mark.parametrize(
    "params",
    [{"verbose": None}, {"n_jobs": "all"}, {"n_jobs": 1.5}, {"scaling": 5}, {"image_shape": 4}, {"max_children": "a"}],
    ids=str,
)
def test_parameters_of_a_wrong_type_are_told_by_name(iris, params):
    with pytest.raises(TypeError, match=f"{next(iter(params))} is "):
        BoundaryTreeClassifier(**params).fit(*iris)


@pytest.mark.parametrize("name", ["sigma", "learning_rate", "validation_fraction", "max_seconds", "epsilon"])
@pytest.mark.parametrize("value", ["a", True, float("nan"), -1.0, -float("inf")], ids=str)
def test_numbers_are_refused_by_name(iris, name, value):
    model = BoundaryForestRegressor() if name == "epsilon" else DifferentiableBoundarySet(layers=(4, 2), max_epochs=1)
    with pytest.raises(
        TypeError if isinstance(value, (str, bool)) else ValueError, match=f"^{name} is .*must be a number"
    ):
        model.set_params(**{name: value}).fit(*iris)


@pytest.mark.parametrize("name", ["sigma", "learning_rate", "epsilon"])
def test_numbers_that_the_engine_does_not_have_are_refused(iris, name):
    model = BoundaryForestRegressor() if name == "epsilon" else DifferentiableBoundarySet(layers=(4, 2), max_epochs=1)
    for value in (1e300, 10**400, float("inf")):
        with pytest.raises(ValueError, match=f"^{name} is "):
            model.set_params(**{name: value}).fit(*iris)


def test_layers_are_several(iris):
    with pytest.raises(TypeError, match="layers is 5; it must be whole numbers"):
        DifferentiableBoundarySet(layers=5).fit(*iris)


def test_a_parameter_that_the_method_of_a_preset_has_not_is_told_of():
    # From 10,000 examples on it learns by triplets, which have no sigma.
    X = np.random.default_rng(0).normal(size=(10_001, 2))
    for params in ({"sigma": 3.0}, {"train_batch_size": 50}):
        with pytest.raises(ValueError, match=f"{next(iter(params))} is .*a method without it"):
            DifferentiableBoundarySet(preset="best", layers=(4, 2), max_epochs=1, **params).fit(X, X[:, 0] > 0)


def test_a_fit_that_fails_leaves_everything_as_it_was(estimator, iris):
    import pandas

    X, y = iris
    table = pandas.DataFrame(X, columns=list("abcd"))
    estimator.fit(table, y)
    before = said(estimator, table)
    estimator.set_params(metric="none")
    for fit in (estimator.fit, clone(estimator).partial_fit):
        with pytest.raises(ValueError, match="metric"):
            fit(X[:, :2], y)
    assert estimator.n_features_in_ == 4 and estimator.feature_names_in_.tolist() == list("abcd")
    estimator.set_params(metric="euclidean")
    assert_same(said(estimator, table), before)


def test_novelty_is_low_for_what_is_known(estimator, iris):
    X, y = iris
    estimator.fit(X, y)
    scores = estimator.score_samples(X)
    assert (scores <= 0).all()
    assert estimator.score_samples(X[:1] + 1000)[0] < scores.min()
    assert not estimator.is_unknown(X).any()


def test_parameters_may_be_numbers_of_numpy(estimator, iris):
    # As a grid has them: np.arange, np.linspace.
    X, y = iris
    as_numpy = {int: np.int64, float: np.float32, str: np.str_, bool: np.bool_}
    given = {
        "n_neighbors": 2,
        "editing_neighbors": 4,
        "n_trees": 3,
        "max_children": 4,
        "effort": 9,
        "epsilon": 0.5,
        "queries_per_step": 20,
        "sigma": 7.0,
        "boundary_batch_size": 30,
        "train_batch_size": 50,
        "max_epochs": 2,
        "max_seconds": 60.0,
        "learning_rate": 0.5**10,
        "validation_fraction": 0.25,
        "patience": 5,
        "structure": "set",
        "random_state": 3,
        "n_jobs": 1,
        "verbose": 0,
    }
    params = {name: value for name, value in given.items() if name in estimator.get_params()}
    expected = clone(estimator).set_params(**params).fit(X, y)
    typed = {name: as_numpy[type(value)](value) for name, value in params.items()}
    model = clone(estimator).set_params(**typed).fit(X, y)
    assert model.fit_params_ == expected.fit_params_
    for name, value in typed.items():
        clone(estimator).set_params(**{name: value}).fit(X, y)
