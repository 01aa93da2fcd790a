"""Classifiers in a space that is learned so that few examples are needed: differentiable boundary sets and trees."""

from __future__ import annotations

import json
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._base import at_least, number, one_of, positive, several
from ._classifiers import NeighborClassifier, forest_params, set_params, tree_params
from ._warning import warn

PRESETS = ("fast", "paper", "best", "best-shifted")
STRUCTURES = ("tree", "forest", "set", "knn")
VARIANTS = ("v1", "v2")

#: Frozen nodes and a sigma of 1 make steep losses. Of sets of 10 rows with one feature, 7 of 12 diverged at 0.001, 1 of 60 at 0.0005 and none of
#: 60 at 0.0003, where optdigits is answered as well as at 0.001 (two seeds, 90 %).
RATE_OF_V1 = 3e-4
#: The rate of the papers for data as large as theirs, of so many numbers: Fashion-MNIST diverged at 0.001 in its ninth epoch.
RATE_OF_V1_ON_LARGE_DATA, LARGE = 1e-4, 2_000_000


class LearnedClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, NeighborClassifier):
    """The part of the classifiers with a learned representation that is the same for all."""

    _fewest = 2

    layers: tuple[int, ...] | list[int] | None
    sigma: float | None
    boundary_batch_size: int | None
    train_batch_size: int | None
    max_epochs: int | None
    max_seconds: float | None
    learning_rate: float | None
    validation_fraction: float
    patience: int | None
    structure: str
    n_neighbors: int
    editing_neighbors: int | None

    def _structure(self) -> dict[str, Any]:
        kind = one_of("structure", self.structure, STRUCTURES)
        if kind == "tree":
            return tree_params(None)
        if kind == "forest":
            return forest_params(50, 50, "distinct-roots", "shepard")
        members = set_params("one", self.n_neighbors, "majority")
        if kind == "set":
            return members
        return {"kind": "knn", "n_neighbors": members["n_neighbors"], "vote": members["vote"]}

    def _recipe(self, n_examples: int) -> dict[str, Any]:
        """How is learned before the parameters have their say, as Rust has it."""
        raise NotImplementedError

    def _editing(self, n_examples: int) -> int | None:
        """Neighbors that tell whether an example is shown to the structure; none if all are."""
        if self.editing_neighbors is None:
            return None
        return at_least("editing_neighbors", self.editing_neighbors, 0) or None

    def _fit_params(self, n_examples: int) -> dict[str, Any]:
        return {**super()._fit_params(n_examples), "editing": self._editing(n_examples)}

    def _learning(self, n_examples: int, seed: int) -> dict[str, Any]:
        recipe = self._recipe(n_examples)
        recipe["seed"] = seed
        method = recipe["method"]
        if useless := self._without_use(n_examples):
            raise ValueError(
                f"{useless[0]} is {getattr(self, useless[0])!r}, but the preset learns from {n_examples} examples by a method "
                "without it; leave it None, or take another preset."
            )
        for name in ("boundary_batch_size", "train_batch_size"):
            if getattr(self, name) is not None:
                method[name] = at_least(name, getattr(self, name), 1)
        if self.sigma is not None:
            method["scale"]["sigma"] = positive("sigma", self.sigma)
        if self.layers is not None:
            widths = several("layers", self.layers, "whole numbers, such as (100, 20)")
            recipe["layers"] = [at_least("layers", width, 1) for width in widths]
        if self.max_epochs is not None:
            epochs = at_least("max_epochs", self.max_epochs, 1)
            # The last part of the run, in which a preset leaves pictures as they are, stays the same part of it.
            recipe["clean_epochs"] = round(recipe["clean_epochs"] / (recipe["epochs"] or epochs) * epochs)
            recipe["epochs"] = epochs
        if self.learning_rate is not None:
            recipe["learning_rate"]["start"] = positive("learning_rate", self.learning_rate)
        if self.patience is not None:
            recipe["patience"] = at_least("patience", self.patience, 1)
        words = "a number from 0 up to, but not including, 1"
        recipe["validation_share"] = number(
            "validation_fraction", self.validation_fraction, lambda it: 0 <= it < 1, words
        )
        return recipe

    def _without_use(self, n_examples: int) -> list[str]:
        """Parameters that were given, and that the method for so many examples does not have."""
        method = self._recipe(n_examples)["method"]
        places = {
            "boundary_batch_size": "boundary_batch_size",
            "train_batch_size": "train_batch_size",
            "sigma": "scale",
        }
        return [name for name, place in places.items() if getattr(self, name) is not None and place not in method]

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Represent points in the learned space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Their representations, between which distances are measured.
        """
        check_is_fitted(self)
        return self.model_.embed(self._points(X, reset=False), self._n_threads())

    @property
    def _n_features_out(self) -> int:
        return self.model_.n_outputs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def learning_curve_(self) -> list[dict[str, Any]]:
        """Every epoch of learning: ``epoch``, ``train_seconds``, ``loss``, ``validation`` and others."""
        epochs: list[dict[str, Any]] = self.metrics_["epochs"]
        return epochs


class DifferentiableBoundarySet(LearnedClassifier):
    """Learns a space in which few examples are needed to tell classes apart, and keeps these (Adikari and Draper 2018).

    A network is trained so that boundary sets of random batches answer the other points of the batch; then one structure, a boundary tree
    unless told otherwise, is built over all representations. It is a classifier, and a transformer into the learned space.

    Parameters
    ----------
    preset : {"fast", "paper", "best", "best-shifted"}, default="fast"
        A recipe, which the other parameters change where they are given. "best" takes longer for fewer errors: it changes pictures at
        random while it learns, and on 10,000 examples or more leaves those out that their neighbors outvote (see ``editing_neighbors``).
        "best-shifted" only moves pictures and keeps all examples: for classes that hardly overlap, as digits. Without ``image_shape`` nothing
        is known to be a picture, and nothing is changed. "paper" is 5000 epochs.
    layers : sequence of int, default=None
        Numbers that come out of each layer; the last are the representation. None: by the size of the data.
    sigma : float, default=None
        Distance scale in exp(-d / sigma), d squared. Larger: more neighbors share the vote. None: 60.
    boundary_batch_size, train_batch_size : int, default=None
        Points of a step that the boundary set is made from, and queries. None: 100 and 100.
    max_epochs : int, default=None
        Times that the data is gone through. None: by the size of the data.
    max_seconds : float, default=None
        Seconds after which learning ends with what it has. Then the result is not the same each time.
    learning_rate : float, default=None
        The first rate; it falls to 0 by a cosine. None: by the size of the data.
    validation_fraction : float, default=0.1
        Share of the examples that is not learned from, and decides which weights are kept. 0: none, and the last weights.
    patience : int, default=None
        Evaluations without better weights after which learning ends. None: it runs to its end.
    structure : {"tree", "forest", "set", "knn"}, default="tree"
        What keeps the representations. "knn" keeps all.
    n_neighbors : int, default=1
        Nearest examples that vote, in a set and in knn.
    editing_neighbors : int, default=None
        How many of its nearest neighbors tell whether an example is shown to the structure: one whose class they outvote is left out, for
        good, and ``remove`` does not know it. Where classes overlap far fewer are stored, and fewer answers are wrong. 0: all are shown.
        None: 0, but with the preset "best" on 10,000 examples or more 100.
    metric : {"euclidean", "sqeuclidean", "cosine", "manhattan"}, default="euclidean"
        The distance between representations.
    scaling : {"auto", "standardize", "unit_range", "unit_length"}, list of these, or None, default="auto"
        How features are scaled first. "auto": floats to mean 0 and variance 1, bytes not at all. Each feature by itself, but see
        ``image_shape``.
    history : {"full", "nodes-only"}, default="full"
        What is remembered of redundant examples. With "nodes-only" the model is smaller, and cannot remove or relabel.
    image_shape : tuple, default=None
        (height, width) or (height, width, channels) of pictures. Explanations show them then, ``scaling`` takes all pixels together rather
        than each by itself, and the presets "best" and "best-shifted" change pictures while they learn from them: each makes another model.
    random_state : int, RandomState instance or None, default=None
        Decides first weights, batches and orders. A whole number is the seed of the command line.
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
    >>> from hedgerow import DifferentiableBoundarySet
    >>> from hedgerow.datasets import load_optdigits
    >>> digits = load_optdigits()
    >>> model = DifferentiableBoundarySet(max_epochs=30, random_state=0)
    >>> model.fit(digits.X_train, digits.y_train).n_stored_ < 150
    True
    >>> model.transform(digits.X_test).shape
    (1797, 20)
    """

    def __init__(
        self,
        *,
        preset: str = "fast",
        layers: tuple[int, ...] | list[int] | None = None,
        sigma: float | None = None,
        boundary_batch_size: int | None = None,
        train_batch_size: int | None = None,
        max_epochs: int | None = None,
        max_seconds: float | None = None,
        learning_rate: float | None = None,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        structure: str = "tree",
        n_neighbors: int = 1,
        editing_neighbors: int | None = None,
        metric: str = "euclidean",
        scaling: str | list[str] | None = "auto",
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.preset = preset
        self.layers = layers
        self.sigma = sigma
        self.boundary_batch_size = boundary_batch_size
        self.train_batch_size = train_batch_size
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.structure = structure
        self.n_neighbors = n_neighbors
        self.editing_neighbors = editing_neighbors
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self, n_examples: int) -> dict[str, Any]:
        preset = one_of("preset", self.preset, PRESETS)
        recipe: dict[str, Any] = json.loads(_native.preset(preset, n_examples, self._shape()))
        return recipe

    def _editing(self, n_examples: int) -> int | None:
        if self.editing_neighbors is None:
            return _native.preset_editing(one_of("preset", self.preset, PRESETS), n_examples)
        return super()._editing(n_examples)

    def _fit_params(self, n_examples: int) -> dict[str, Any]:
        params = super()._fit_params(n_examples)
        if self.preset == "best-shifted" and self.image_shape is None:
            warn(
                "The preset 'best-shifted' moves pictures while it learns, but image_shape is None, so that nothing is moved; give "
                "image_shape=(height, width) if these are pictures, else take the preset 'best'."
            )
        return params


class DifferentiableBoundaryTree(LearnedClassifier):
    """Learns a space by the last step of walks through boundary trees (Zoran et al. 2017).

    Parameters
    ----------
    variant : {"v1", "v2"}, default="v2"
        Whether the nodes of a tree stay where they are while its queries are learned from ("v1", sigma 1) or move with them ("v2",
        sigma 60).
    queries_per_step : int, default=None
        Queries of one gradient step. 1, with batches of 1000, is the paper's. None: all of a batch, which is many times faster.
    layers : sequence of int, default=None
        Numbers that come out of each layer; the last are the representation. None: by the size of the data.
    sigma : float, default=None
        Distance scale in exp(-d / sigma), d squared. None: that of the variant.
    boundary_batch_size, train_batch_size : int, default=100
        Points that the tree of a batch is built from, and queries.
    max_epochs : int, default=None
        Times that the data is gone through. None: by the size of the data.
    max_seconds : float, default=None
        Seconds after which learning ends with what it has. Then the result is not the same each time.
    learning_rate : float, default=None
        The first rate; it falls to 0 by a cosine. None: by the size of the data, and lower for "v1" (0.0003, on large data 0.0001), which
        diverges at the rates of "v2".
    validation_fraction : float, default=0.1
        Share of the examples that is not learned from, and decides which weights are kept. 0: none, and the last weights.
    patience : int, default=None
        Evaluations without better weights after which learning ends. None: it runs to its end.
    structure : {"tree", "forest", "set", "knn"}, default="tree"
        What keeps the representations. "knn" keeps all.
    n_neighbors : int, default=1
        Nearest examples that vote, in a set and in knn.
    editing_neighbors : int, default=None
        How many of its nearest neighbors tell whether an example is shown to the structure: one whose class they outvote is left out, for
        good, and ``remove`` does not know it. Where classes overlap far fewer are stored, and fewer answers are wrong. 0: all are shown.
        None: 0.
    metric : {"euclidean", "sqeuclidean", "cosine", "manhattan"}, default="euclidean"
        The distance between representations.
    scaling : {"auto", "standardize", "unit_range", "unit_length"}, list of these, or None, default="auto"
        How features are scaled first. "auto": floats to mean 0 and variance 1, bytes not at all. Each feature by itself, but see
        ``image_shape``.
    history : {"full", "nodes-only"}, default="full"
        What is remembered of redundant examples. With "nodes-only" the model is smaller, and cannot remove or relabel.
    image_shape : tuple, default=None
        (height, width) or (height, width, channels) of pictures. Explanations show them then, and ``scaling`` takes all pixels together
        rather than each by itself, which makes another model.
    random_state : int, RandomState instance or None, default=None
        Decides first weights, batches and orders. A whole number is the seed of the command line.
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
    >>> from hedgerow import DifferentiableBoundaryTree
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DifferentiableBoundaryTree(variant="v1", max_epochs=100, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        variant: str = "v2",
        queries_per_step: int | None = None,
        layers: tuple[int, ...] | list[int] | None = None,
        sigma: float | None = None,
        boundary_batch_size: int | None = 100,
        train_batch_size: int | None = 100,
        max_epochs: int | None = None,
        max_seconds: float | None = None,
        learning_rate: float | None = None,
        validation_fraction: float = 0.1,
        patience: int | None = None,
        structure: str = "tree",
        n_neighbors: int = 1,
        editing_neighbors: int | None = None,
        metric: str = "euclidean",
        scaling: str | list[str] | None = "auto",
        history: str = "full",
        image_shape: tuple[int, ...] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.variant = variant
        self.queries_per_step = queries_per_step
        self.layers = layers
        self.sigma = sigma
        self.boundary_batch_size = boundary_batch_size
        self.train_batch_size = train_batch_size
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.structure = structure
        self.n_neighbors = n_neighbors
        self.editing_neighbors = editing_neighbors
        self.metric = metric
        self.scaling = scaling
        self.history = history
        self.image_shape = image_shape
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self, n_examples: int) -> dict[str, Any]:
        recipe: dict[str, Any] = json.loads(_native.preset("fast", n_examples, self._shape()))
        method = json.loads(_native.method(f"dbt-{one_of('variant', self.variant, VARIANTS)}"))
        if self.queries_per_step is not None:
            method["queries_per_step"] = at_least("queries_per_step", self.queries_per_step, 1)
        else:
            batch = method["train_batch_size"] if self.train_batch_size is None else self.train_batch_size
            method["queries_per_step"] = at_least("train_batch_size", batch, 1)
        if self.variant == "v1":
            is_large = n_examples * self.n_features_in_ >= LARGE
            recipe["learning_rate"]["start"] = RATE_OF_V1_ON_LARGE_DATA if is_large else RATE_OF_V1
        return {**recipe, "method": method}
