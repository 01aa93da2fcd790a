"""Removing and relabelling: exactly as if it had been so from the start."""

import numpy as np
import pytest
from conftest import assert_same, said
from sklearn.exceptions import NotFittedError

from hedgerow import BoundaryTreeClassifier


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
    for wrong, error in ((-1, ValueError), ("a", TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="id"):
            estimator.remove([wrong])
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
        ({"max_children": 1}, "max_children is 1; it must be at least 2"),
        ({"image_shape": (3,)}, r"image_shape is \(3,\)"),
        ({"image_shape": (3, 3)}, "9"),
        ({"random_state": -1}, "Seed must be"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_parameters_are_refused_with_what_would_do(iris, params, words):
    with pytest.raises(ValueError, match=words):
        BoundaryTreeClassifier(**params).fit(*iris)


def test_novelty_is_low_for_what_is_known(estimator, iris):
    X, y = iris
    estimator.fit(X, y)
    scores = estimator.score_samples(X)
    assert (scores <= 0).all()
    assert estimator.score_samples(X[:1] + 1000)[0] < scores.min()
    assert not estimator.is_unknown(X).any()
