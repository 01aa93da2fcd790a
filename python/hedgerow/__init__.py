"""Classification by the few real examples that stand on the boundary between classes.

The estimators follow scikit-learn's contract; the work is done by the same engine as in Rust and on the command line, and models are the same
folders.

>>> from hedgerow import DifferentiableBoundarySet
>>> from hedgerow.datasets import load_optdigits
>>> digits = load_optdigits()
>>> model = DifferentiableBoundarySet(max_epochs=5, random_state=0).fit(digits.X_train, digits.y_train)
>>> bool(model.score(digits.X_test, digits.y_test) > 0.9)
True
>>> why = model.explain(digits.X_test[0])
>>> why.prediction
0
"""

from . import datasets, plot
from ._classifiers import BoundaryForestClassifier, BoundarySetClassifier, BoundaryTreeClassifier
from ._explanation import Explanation
from ._learned import DifferentiableBoundarySet, DifferentiableBoundaryTree
from ._loading import load
from ._native import __version__
from ._neighbors import BoundaryForestNeighbors
from ._regressor import BoundaryForestRegressor

__all__ = [
    "BoundaryForestClassifier",
    "BoundaryForestNeighbors",
    "BoundaryForestRegressor",
    "BoundarySetClassifier",
    "BoundaryTreeClassifier",
    "DifferentiableBoundarySet",
    "DifferentiableBoundaryTree",
    "Explanation",
    "__version__",
    "datasets",
    "load",
    "plot",
]
