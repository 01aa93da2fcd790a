"""Classifiers over points as they are: a boundary tree, a forest, a set."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._base import at_least, one_of
from ._labels import alike, distinct, refuse_unknown
from ._named import NamedLabels

VOTES = ("nearest", "majority", "shepard")
INITIALIZATIONS = ("distinct-roots", "permuted")
PASSES = ("one", "until-consistent")


def tree_params(max_children: int | None) -> dict[str, Any]:
    """One tree, as Rust has it."""
    return {"kind": "tree", "max_children": None if max_children is None else at_least("max_children", max_children, 1)}


def forest_params(n_trees: int, max_children: int | None, initialization: str, vote: str) -> dict[str, Any]:
    """A forest, as Rust has it."""
    return {
        **tree_params(max_children),
        "kind": "forest",
        "n_trees": at_least("n_trees", n_trees, 1),
        "initialization": one_of("initialization", initialization, INITIALIZATIONS),
        "vote": one_of("vote", vote, VOTES),
    }


def set_params(passes: str, n_neighbors: int, vote: str) -> dict[str, Any]:
    """A set, as Rust has it."""
    return {
        "kind": "set",
        "passes": one_of("passes", passes, PASSES),
        "n_neighbors": at_least("n_neighbors", n_neighbors, 1),
        "vote": one_of("vote", vote, VOTES),
    }


class NeighborClassifier(ClassifierMixin, NamedLabels):
    """The part of the classifiers that is the same for all."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points. ``float32`` and ``uint8`` in C order are taken as they are, others are converted to ``float32``.
        y : array-like of shape (n_samples,)
            Classes: numbers, texts or booleans.

        Returns
        -------
        self
            The fitted estimator.
        """
        with self._as_it_was_if_it_fails():
            points, labels = self._points_and_labels(X, y, reset=True)
            # First, since scikit-learn takes labels of several kinds for values.
            classes, codes = distinct(labels)
            check_classification_targets(labels)
            return self._fit_classes(points, classes, codes)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Take in more examples, in the order in which they stand. What was learned before stays as it is.

        The first call fits as ``fit`` does: scaling and representation, if there is one to be learned, are those of its examples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their classes. Unless ``classes`` was given in the first call, some may be new: they come last in ``classes_`` from now on.
        classes : array-like, default=None
            All classes that there will ever be. Later calls may leave it out, or give the same.

        Returns
        -------
        self
            The estimator. ``last_ids_`` has the ids of the new examples.
        """
        given = None if classes is None else np.asarray(classes)
        if given is not None and given.ndim != 1:
            raise ValueError(f"classes is {classes!r}; it must be a list of labels.")
        if not self.__sklearn_is_fitted__():
            if given is None:
                return self.fit(X, y)
            with self._as_it_was_if_it_fails():
                points, labels = self._points_and_labels(X, y, reset=True)
                check_classification_targets(labels)
                known = distinct(given)[0]
                labels = alike(labels, known)
                refuse_unknown(labels, known)
                return self._fit_classes(points, known, np.searchsorted(known, labels), is_open=False)
        if given is not None and set(self._alike(given)) != set(self.classes_):
            raise ValueError(
                f"classes is {given.tolist()}, but the model has the classes {self.classes_.tolist()}; "
                "leave classes out after the first call."
            )
        points, labels = self._points_and_labels(X, y, reset=False)
        return self._insert(points, labels)

    def _labels_to_take(self, labels: Any) -> Any:
        taken = super()._labels_to_take(labels)
        check_classification_targets(taken)
        return taken

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Tell classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            Their classes.
        """
        check_is_fitted(self)
        codes, _ = self.model_.predict(self._points(X, reset=False), self._n_threads())
        answers: NDArray[Any] = self.classes_[codes]
        return answers

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Tell how probable classes are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each of ``classes_``; the largest of a row is that of the class that ``predict`` gives. Classes that came after
            ``fit`` stand last in both. Whoever takes columns to be in the order of sorted labels, as scikit-learn's ``log_loss`` and
            ``roc_auc_score`` do, needs them sorted: ``probabilities[:, np.argsort(model.classes_)]``.
        """
        check_is_fitted(self)
        return self.model_.predict_proba(self._points(X, reset=False), self._n_threads())


class BoundaryTreeClassifier(NeighborClassifier):
    """One boundary tree: few stored examples, found in about log N steps.

    An example is stored where the tree, asked about it, answers with another class; a query walks from the root to ever nearer nodes
    (Mathy et al. 2015).

    Parameters
    ----------
    max_children : int, default=None
        Children of a node at most. None: as many as come.
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
        Decides the order in which examples are shown. A whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads. None: all cores, or what OMP_NUM_THREADS says. The result is the same for any number.
    verbose : int, default=0
        Above 0: a bar on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes. Those that come later stand last.
    n_features_in_ : int
        Features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.
    last_ids_ : ndarray of int
        Ids of the examples of the last ``fit`` or ``partial_fit``.

    Examples
    --------
    >>> from hedgerow import BoundaryTreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = BoundaryTreeClassifier(random_state=0).fit(X, y)
    >>> tree.n_stored_ < 40
    True
    >>> tree.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        *,
        max_children: int | None = None,
        metric: str = "euclidean",
        scaling: str | list[str] | None = "auto",
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_children = max_children
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _structure(self) -> dict[str, Any]:
        return tree_params(self.max_children)


class BoundaryForestClassifier(NeighborClassifier):
    """Several boundary trees that vote: more accurate on points as they are, larger and slower than one.

    Parameters
    ----------
    n_trees : int, default=50
        Trees.
    max_children : int, default=50
        Children of a node at most. None: as many as come.
    initialization : {"distinct-roots", "permuted"}, default="distinct-roots"
        How trees come to differ: by their roots, or each by an order of its own, which later examples, coming one by one, do not have.
    vote : {"nearest", "majority", "shepard"}, default="shepard"
        How they vote: the nearest answer alone, each the same, or each by the inverse of its distance.
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
    classes_ : ndarray of shape (n_classes,)
        The classes. Those that come later stand last.
    n_features_in_ : int
        Features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.
    last_ids_ : ndarray of int
        Ids of the examples of the last ``fit`` or ``partial_fit``.

    Examples
    --------
    >>> from hedgerow import BoundaryForestClassifier
    >>> from hedgerow.datasets import load_optdigits
    >>> digits = load_optdigits()
    >>> forest = BoundaryForestClassifier(n_trees=10, random_state=0).fit(digits.X_train, digits.y_train)
    >>> bool(forest.score(digits.X_test, digits.y_test) > 0.96)
    True
    """

    def __init__(
        self,
        *,
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


class BoundarySetClassifier(NeighborClassifier):
    """A boundary set: members that are all looked at for each query, and few of them.

    Parameters
    ----------
    passes : {"one", "until-consistent"}, default="one"
        How often the examples are gone over: once, or until a pass adds nothing (Hart's condensed nearest neighbors).
    n_neighbors : int, default=1
        Nearest members that vote.
    vote : {"nearest", "majority", "shepard"}, default="majority"
        How they vote: the nearest alone, each the same, or each by the inverse of its distance.
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
        Decides the order in which examples are shown. A whole number is the seed of the command line.
    n_jobs : int, default=None
        Threads. None: all cores, or what OMP_NUM_THREADS says. The result is the same for any number.
    verbose : int, default=0
        Above 0: a bar on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes. Those that come later stand last.
    n_features_in_ : int
        Features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where ``X`` had names that are all strings.
    last_ids_ : ndarray of int
        Ids of the examples of the last ``fit`` or ``partial_fit``.

    Examples
    --------
    >>> from hedgerow import BoundarySetClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> members = BoundarySetClassifier(passes="until-consistent", random_state=0).fit(X, y)
    >>> float(members.score(X, y))
    1.0
    """

    def __init__(
        self,
        *,
        passes: str = "one",
        n_neighbors: int = 1,
        vote: str = "majority",
        metric: str = "euclidean",
        scaling: str | list[str] | None = "auto",
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.passes = passes
        self.n_neighbors = n_neighbors
        self.vote = vote
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _structure(self) -> dict[str, Any]:
        return set_params(self.passes, self.n_neighbors, self.vote)
