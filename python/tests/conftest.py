"""Small data for all tests."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from hedgerow import (
    BoundaryForestClassifier,
    BoundaryForestNeighbors,
    BoundaryForestRegressor,
    BoundarySetClassifier,
    BoundaryTreeClassifier,
    DifferentiableBoundarySet,
    DifferentiableBoundaryTree,
)

# Learned in a moment.
SHORT = {"layers": (16, 4), "max_epochs": 30}

CLASSIFIERS = [
    BoundaryTreeClassifier(random_state=0),
    BoundaryForestClassifier(n_trees=5, random_state=0),
    BoundarySetClassifier(random_state=0),
    DifferentiableBoundarySet(**SHORT, random_state=0),
    DifferentiableBoundaryTree(**SHORT, random_state=0),
]
ALL = [
    *CLASSIFIERS,
    BoundaryForestRegressor(n_trees=5, epsilon=0.1, random_state=0),
    BoundaryForestNeighbors(n_trees=5, random_state=0),
]


@pytest.fixture
def iris():
    """Flowers: 150 rows of four float32, in C order, and classes 0, 1, 2."""
    X, y = load_iris(return_X_y=True)
    return np.ascontiguousarray(X, dtype=np.float32), y


@pytest.fixture(params=CLASSIFIERS, ids=lambda estimator: type(estimator).__name__)
def classifier(request):
    """Each of the classifiers, not fitted."""
    from sklearn.base import clone

    return clone(request.param)


@pytest.fixture(params=ALL, ids=lambda estimator: type(estimator).__name__)
def estimator(request):
    """Each of the estimators, not fitted."""
    from sklearn.base import clone

    return clone(request.param)


def said(estimator, X):
    """All that an estimator answers, to be compared."""
    methods = ("predict", "predict_proba", "transform", "score_samples", "kneighbors")
    return {name: np.asarray(getattr(estimator, name)(X)) for name in methods if hasattr(estimator, name)}


def assert_same(one, two):
    """The same answers, to the bit."""
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)
