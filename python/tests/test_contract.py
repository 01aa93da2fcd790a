"""scikit-learn's own checks of estimators, without a single expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from hedgerow import (
    BoundaryForestClassifier,
    BoundaryForestNeighbors,
    BoundaryForestRegressor,
    BoundarySetClassifier,
    BoundaryTreeClassifier,
    DifferentiableBoundarySet,
    DifferentiableBoundaryTree,
)

# The checks fit hundreds of times, and trees learn slowly; a narrow network learns their blobs in a moment.
SHORT = {"layers": (16, 4), "max_epochs": 100}

ESTIMATORS = [
    BoundaryTreeClassifier(),
    BoundaryForestClassifier(),
    BoundarySetClassifier(),
    BoundarySetClassifier(passes="until-consistent"),
    BoundaryForestRegressor(),
    BoundaryForestNeighbors(),
    DifferentiableBoundarySet(),
    DifferentiableBoundaryTree(),
    DifferentiableBoundaryTree(variant="v1", **SHORT),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
