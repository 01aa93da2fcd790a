"""Estimating values by a boundary forest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._base import LARGEST, NeighborEstimator, number
from ._classifiers import forest_params


class BoundaryForestRegressor(RegressorMixin, NeighborEstimator):
    """Boundary trees that estimate a value together.

    An example is stored where the tree's answer is more than ``epsilon`` away from its value (Mathy et al. 2015).

    Parameters
    ----------
    epsilon : float, default=0.0
        Up to this difference values count as the same. With 0 nearly all examples are stored: a few percent of the spread of ``y`` makes
        the model much smaller.
    n_trees : int, default=50
        Trees.
    max_children : int, default=50
        Children of a node at most. None: as many as come.
    initialization : {"distinct-roots", "permuted"}, default="distinct-roots"
        How trees come to differ: by their roots, or each by an order of its own, which later examples, coming one by one, do not have.
    vote : {"nearest", "majority", "shepard"}, default="shepard"
        How answers are weighed: the nearest alone, each the same, or each by the inverse of its distance.
    metric : {"euclidean", "sqeuclidean", "cosine", "manhattan"}, default="euclidean"
        The distance.
    scaling : {"auto", "standardize", "unit_range", "unit_length"}, list of these, or None, default="auto"
        How features are scaled first. "auto": floats to mean 0 and variance 1, bytes not at all. Each feature by itself, but see
        ``image_shape``.
    history : {"full", "nodes-only"}, default="full"
        What is remembered of redundant examples. With "nodes-only" the model is smaller, and cannot remove or relabel.
    image_shape : tuple, default=None
        (height, width) or (height, width, channels) of pictures. Explanations show them then, and ``scaling`` takes all pixels together
        rather than each by itself, which makes another model.
    random_state : int, RandomState instance or None, default=None
        Decides the orders in which examples are shown. A whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads. None: all cores, or what OMP_NUM_THREADS says. The result is the same for any number.
    verbose : int, default=0
        Above 0: a bar on standard error.

    Attributes
    ----------
    n_features_in_ : int
        Features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.
    last_ids_ : ndarray of int
        Ids of the examples of the last ``fit`` or ``partial_fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BoundaryForestRegressor
    >>> X = np.linspace(0, 6, 300)[:, None]
    >>> model = BoundaryForestRegressor(epsilon=0.05, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.0]])[0] - np.sin(1.0)) < 0.1)
    True
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        n_trees: int = 50,
        max_children: int | None = 50,
        initialization: str = "distinct-roots",
        vote: str = "shepard",
        metric: str = "euclidean",
        scaling: str | list[str] | None = "auto",
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.epsilon = epsilon
        self.n_trees = n_trees
        self.max_children = max_children
        self.initialization = initialization
        self.vote = vote
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _structure(self) -> dict[str, Any]:
        return forest_params(self.n_trees, self.max_children, self.initialization, self.vote)

    def _task_params(self) -> Any:
        epsilon = number("epsilon", self.epsilon, lambda it: 0 <= it <= LARGEST, "a number from 0 to 3.4e38")
        return {"regression": {"epsilon": epsilon}}

    def _y_checks(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points. ``float32`` and ``uint8`` in C order are taken as they are, others are converted to ``float32``.
        y : array-like of shape (n_samples,)
            Values; they are kept as ``float32``.

        Returns
        -------
        self
            The fitted estimator.
        """
        with self._as_it_was_if_it_fails():
            points, values = self._points_and_labels(X, y, reset=True)
            return self._fit_model(points, values=self._labels_to_take(values))

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Take in more examples, in the order in which they stand. The first call fits as ``fit`` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their values.

        Returns
        -------
        self
            The estimator. ``last_ids_`` has the ids of the new examples.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)
        return self._insert(*self._points_and_labels(X, y, reset=False))

    def _labels_to_take(self, labels: Any) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):
            narrowed = np.ascontiguousarray(labels, dtype=np.float32)
        if np.isnan(narrowed).any():
            raise ValueError("A value is NaN; give a number.")
        if not np.isfinite(narrowed).all():
            raise ValueError("y has values that are too large for float32; scale it.")
        return narrowed

    def _labels_by_name(self) -> dict[str, Any] | None:
        return None

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Estimate values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Their values.
        """
        check_is_fitted(self)
        values, _ = self.model_.predict(self._points(X, reset=False), self._n_threads())
        return values.astype(np.float64)
