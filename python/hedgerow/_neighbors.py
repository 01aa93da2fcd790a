"""Finding similar examples by a boundary forest."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ._base import at_least
from ._classifiers import forest_params
from ._labels import distinct
from ._named import NamedLabels


class BoundaryForestNeighbors(NamedLabels):
    """Boundary trees that find the nearest examples. Every example is stored.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbors that ``kneighbors`` gives unless told otherwise.
    effort : int or None, default=64
        How many nodes of each tree are looked at beyond those on the walk. More: nearer to exact, and slower. None: all, which is exact.
    n_trees : int, default=10
        Trees.
    max_children : int, default=50
        Children of a node at most. None: as many as come.
    initialization : {"distinct-roots", "permuted"}, default="distinct-roots"
        How trees come to differ: by their roots, or each by an order of its own, which later examples, coming one by one, do not have.
    metric : {"euclidean", "sqeuclidean", "cosine", "manhattan"}, default="euclidean"
        The distance.
    scaling : {"auto", "standardize", "unit_range", "unit_length"}, list of these, or None, default=None
        How features are scaled first. None: not at all, so that distances are those between the points as they are given.
    history : {"full", "nodes-only"}, default="full"
        What is remembered for exact removal.
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
    classes_ : ndarray of shape (n_classes,)
        The labels that there are, none if ``fit`` was given none. Those that come later stand last.
    n_features_in_ : int
        Features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.
    last_ids_ : ndarray of int
        Ids of the examples of the last ``fit`` or ``partial_fit``.

    Examples
    --------
    >>> from hedgerow import BoundaryForestNeighbors
    >>> model = BoundaryForestNeighbors(n_neighbors=2, random_state=0).fit([[0.0], [1.0], [5.0]])
    >>> model.kneighbors([[0.9]])
    (array([[0.1, 0.9]]), array([[1, 0]]))
    """

    _task = "retrieval"

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        effort: int | None = 64,
        n_trees: int = 10,
        max_children: int | None = 50,
        initialization: str = "distinct-roots",
        metric: str = "euclidean",
        scaling: str | list[str] | None = None,
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.effort = effort
        self.n_trees = n_trees
        self.max_children = max_children
        self.initialization = initialization
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _structure(self) -> dict[str, Any]:
        return forest_params(self.n_trees, self.max_children, self.initialization, "nearest")

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points. ``float32`` and ``uint8`` in C order are taken as they are, others are converted to ``float32``.
        y : array-like of shape (n_samples,), default=None
            Labels, kept with the examples to be shown.

        Returns
        -------
        self
            The fitted estimator.
        """
        with self._as_it_was_if_it_fails():
            if y is not None:
                points, labels = self._points_and_labels(X, y, reset=True)
                return self._fit_classes(points, *distinct(labels))
            self._fit_model(self._points(X, reset=True))
            self._know(np.array([], dtype=str))
            return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Take in more examples. The first call fits as ``fit`` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,), default=None
            Their labels.

        Returns
        -------
        self
            The estimator. ``last_ids_`` has the ids of the new examples.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)
        if y is None:
            return self._insert(self._points(X, reset=False), None)
        return self._insert(*self._points_and_labels(X, y, reset=False))

    # A model of the command line may have values in the place of classes.

    def _labels_to_take(self, labels: Any) -> Any:
        return labels if self.model_.has_values else super()._labels_to_take(labels)

    def _labels_by_name(self) -> dict[str, Any] | None:
        return None if self.model_.has_values else super()._labels_by_name()

    def kneighbors(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | NDArray[np.int64]:
        """Find the nearest examples.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), default=None
            Points. None: the examples themselves, none of which is its own neighbor.
        n_neighbors : int, default=None
            How many. None: as many as the estimator was made with.
        return_distance : bool, default=True
            Whether to give the distances, too.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Nearest first. Only if ``return_distance`` is true.
        ids : ndarray of shape (n_queries, n_neighbors)
            The examples: rows of ``X`` for those of ``fit``.
        """
        check_is_fitted(self)
        n_asked = at_least("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors, 1)
        effort = None if self.effort is None else at_least("effort", self.effort, 0)
        if X is not None:
            points = self._points(X, reset=False)
            distances, ids = self.model_.neighbors(points, n_asked, effort, self._n_threads())
        else:
            own = np.sort(self.model_.kept_ids)
            if n_asked >= len(own):
                raise ValueError(
                    f"Expected n_neighbors < n_samples_fit, but n_neighbors = {n_asked}, n_samples_fit = {len(own)}"
                )
            points = np.stack([self._kept(id) for id in own])
            distances, ids = self.model_.neighbors(points, n_asked + 1, effort, self._n_threads())
            # Leave out each example itself or, where others at the same place hide it, the last that was found.
            is_own = ids == own[:, None]
            is_own[~is_own.any(axis=1), -1] = True
            distances, ids = (found[~is_own].reshape(len(own), n_asked) for found in (distances, ids))
        return (distances, ids) if return_distance else ids

    def _kept(self, id: int) -> NDArray[Any]:
        point, _ = self.get_example(id)
        if point is None:
            raise ValueError("The model keeps no examples as they were given; give X.")
        return point
