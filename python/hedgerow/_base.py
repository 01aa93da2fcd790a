"""What all estimators have in common: how data comes in, how a model is fitted, asked, changed and kept."""

from __future__ import annotations

import json
import math
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from . import _native
from ._explanation import Explanation
from ._labels import label_of, names_of
from ._progress import Bar
from ._warning import warn

#: scikit-learn's names of distances, and ours.
METRICS = {
    "euclidean": "euclidean",
    "sqeuclidean": "squared-euclidean",
    "cosine": "cosine",
    "manhattan": "manhattan",
}
SCALINGS = ("standardize", "unit_range", "unit_length")
HISTORIES = ("full", "nodes-only")

#: The largest number that counts something: nothing on any machine has more, and the engine can still multiply two of them.
MOST = 2**31 - 1
#: The numbers above 0 that the engine has.
SMALLEST, LARGEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
#: Threads that are started at most. The result is the same for any number, and thousands take longer to start than to fit.
MOST_THREADS = 256


def one_of(name: str, value: Any, choices: Iterable[str]) -> Any:
    """The value of a parameter, if it is one that there is."""
    if not isinstance(value, str) or value not in list(choices):
        known = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} is {value!r}; it must be one of {known}.")
    return value


def at_least(name: str, value: Any, least: int) -> int:
    """The value of a parameter that counts something."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} is {value!r}; it must be a whole number.")
    found = int(value)
    if found < least:
        raise ValueError(f"{name} is {found}; it must be at least {least}.")
    if found > MOST:
        raise ValueError(f"{name} is {found}; it must be at most {MOST}.")
    return found


def number(name: str, value: Any, is_right: Callable[[float], bool], words: str) -> float:
    """The value of a parameter that is a number; ``words`` say which are right."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is {value!r}; it must be {words}.")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not is_right(found):
        raise ValueError(f"{name} is {value!r}; it must be {words}.")
    return found


def positive(name: str, value: Any) -> float:
    """The value of a parameter that is above 0, and a number of the engine."""
    return number(name, value, lambda it: SMALLEST <= it <= LARGEST, "a number above 0, from 1.2e-38 to 3.4e38")


def several(name: str, value: Any, words: str) -> list[Any]:
    """The value of a parameter that is a sequence; ``words`` say of what."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} is {value!r}; it must be {words}.")
    return list(value)


def n_threads(n_jobs: int | None) -> int:
    """Threads for ``n_jobs``.

    None is what scikit-learn's estimators with OpenMP have: all cores, or as many as the environment says, which joblib does in its workers.
    """
    if n_jobs is not None:
        if not isinstance(n_jobs, Integral):
            raise TypeError(f"n_jobs is {n_jobs!r}; it must be a whole number other than 0, or None.")
        return min(int(joblib.effective_n_jobs(n_jobs)), MOST_THREADS)
    for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS"):
        said = os.environ.get(name, "")
        if said.isdecimal() and int(said) > 0:
            return min(int(said), MOST_THREADS)
    return min(int(joblib.cpu_count()), MOST_THREADS)


class NeighborEstimator(BaseEstimator):
    """The part of the estimators that is the same for all. Not for users: they begin with one of its subclasses."""

    #: What labels are for, as Rust has it.
    _task = "classification"
    #: Examples that a fit needs.
    _fewest = 1

    # Parameters that every subclass takes in its __init__.
    metric: str
    scaling: str | list[str] | tuple[str, ...] | None
    history: str
    image_shape: tuple[int, ...] | None
    random_state: Any
    n_jobs: int | None
    verbose: int

    # What fitting sets.
    model_: _native.Model
    n_features_in_: int
    last_ids_: NDArray[np.int64]

    # Parameters.

    @abstractmethod
    def _structure(self) -> dict[str, Any]:
        """What keeps the examples, as Rust has it."""

    def _learning(self, n_examples: int, seed: int) -> dict[str, Any] | None:
        """How a representation is learned, as Rust has it; none if distances are between the points."""
        return None

    def _fit_params(self, n_examples: int) -> dict[str, Any]:
        seed = self._seed()
        scaling: list[str] | None
        if self.scaling is None:
            scaling = []
        elif isinstance(self.scaling, str):
            one_of("scaling", self.scaling, ("auto", *SCALINGS))
            scaling = None if self.scaling == "auto" else [self.scaling]
        else:
            steps = several("scaling", self.scaling, "'auto', a kind of scaling, a list of these, or None")
            scaling = [one_of("scaling", step, SCALINGS) for step in steps]
        return {
            "task": self._task_params(),
            "learning": self._learning(n_examples, seed),
            "structure": self._structure(),
            "scaling": scaling,
            "distance": METRICS[one_of("metric", self.metric, METRICS)],
            "history": one_of("history", self.history, HISTORIES),
            "seed": seed,
        }

    def _task_params(self) -> Any:
        return self._task

    def _seed(self) -> int:
        """The seed: a whole number as it is, so that it is that of the command line; else one drawn."""
        if isinstance(self.random_state, Integral):
            check_random_state(self.random_state)  # refuses what is below 0 or too large
            return int(self.random_state)
        drawn: int = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return int(drawn)

    def _shape(self) -> tuple[int, int, int] | None:
        if self.image_shape is None:
            return None
        words = "(height, width) or (height, width, channels)"
        sides = [at_least("image_shape", side, 1) for side in several("image_shape", self.image_shape, words)]
        if len(sides) not in (2, 3):
            raise ValueError(f"image_shape is {self.image_shape!r}; it must be {words}.")
        if math.prod(sides) != self.n_features_in_:
            raise ValueError(
                f"image_shape is {self.image_shape!r}, which is {math.prod(sides)} numbers, but X has "
                f"{self.n_features_in_} features."
            )
        height, width, channels = (*sides, 1)[:3]
        return height, width, channels

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    # Data.

    def _points(self, X: Any, *, reset: bool) -> Any:
        """Points as the engine takes them: ``float32`` or ``uint8`` in C order, copied only if they are not so already."""
        points = validate_data(self, X, reset=reset, dtype=[np.float32, np.uint8], order="C")
        return np.require(points, requirements=["C", "A"])

    def _points_and_labels(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        points, labels = validate_data(
            self,
            X,
            y,
            reset=reset,
            dtype=[np.float32, np.uint8],
            order="C",
            ensure_min_samples=self._fewest if reset else 1,
            **self._y_checks(),
        )
        return np.require(points, requirements=["C", "A"]), labels

    def _y_checks(self) -> dict[str, Any]:
        return {}

    # Fitting.

    @contextmanager
    def _as_it_was_if_it_fails(self) -> Iterator[None]:
        """A fit that fails leaves nothing behind: looking at X has set the number of features and their names by then."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _fit_model(self, points: Any, **labels: Any) -> Self:
        names = getattr(self, "feature_names_in_", None)
        seconds = getattr(self, "max_seconds", None)
        if seconds is not None:
            seconds = number("max_seconds", seconds, lambda it: it >= 0, "a number of seconds from 0 on, or None")
        if not isinstance(self.verbose, (Integral, np.bool_)):
            raise TypeError(f"verbose is {self.verbose!r}; it must be a whole number: 0 is silent.")
        bar = Bar(int(self.verbose))
        try:
            self.model_ = _native.fit(
                points,
                json.dumps(self._fit_params(len(points))),
                self._n_threads(),
                feature_names=None if names is None else [str(name) for name in names],
                image_shape=self._shape(),
                max_seconds=seconds,
                listener=bar,
                **labels,
            )
        finally:
            bar.close()
        for words in bar.warnings:
            warn(words)
        self.last_ids_ = np.arange(len(points))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _labels_by_name(self) -> dict[str, Any] | None:
        """The labels that texts stand for; none if they are values."""
        return {}

    # Asking.

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """How usual points are: the higher, the more.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples,)
            The negative of the distance from the nearest voter, in the space in which the model compares.
        """
        check_is_fitted(self)
        distances, _ = self.model_.novelty(self._points(X, reset=False), self._n_threads())
        return -distances

    def is_unknown(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether the model says that it does not know, by the thresholds that it was fitted with on the command line.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Never, for models fitted here: look at ``score_samples`` and ``predict_proba`` for thresholds of your own.
        """
        check_is_fitted(self)
        _, unknown = self.model_.predict(self._points(X, reset=False), self._n_threads())
        return unknown

    def explain(self, X: ArrayLike, y: Any = None) -> Any:
        """Say why points get their answers.

        Parameters
        ----------
        X : array-like of shape (n_features,) or (n_samples, n_features)
            A point, or several.
        y : label or array-like of shape (n_samples,), default=None
            The truth, to be shown beside the answer.

        Returns
        -------
        Explanation or list of Explanation
            One for a single point, else a list.
        """
        check_is_fitted(self)
        is_one = np.ndim(X) == 1
        rows: Any = X
        if is_one:
            # A row of a table of pandas has the names of its columns, which must be those of the model.
            rows = rows.to_frame().T if hasattr(rows, "to_frame") and hasattr(rows, "index") else [rows]
        points = self._points(rows, reset=False)
        truths = None
        if y is not None:
            labels = column_or_1d(np.atleast_1d(y))
            check_consistent_length(points, labels)
            truths = names_of(self._alike(labels))
        names = ["the query"] if is_one else [f"row {row}" for row in range(len(points))]
        decisions = self.model_.explain(points, names, truths, self._n_threads())
        by_name = self._labels_by_name()
        explanations = [Explanation(decision, by_name) for decision in decisions]
        return explanations[0] if is_one else explanations

    # Changing.

    def remove(self, ids: int | ArrayLike, *, note: str | None = None) -> Self:
        """Remove examples: the structure becomes the one that the same history without them would have built.

        A learned representation still carries what it was learned from. Either all are removed or none.

        Parameters
        ----------
        ids : int or array-like of int
            The examples: for those of ``fit`` their rows, for later ones what ``last_ids_`` said.
        note : str, default=None
            Anything that people should know of it, kept in the model's journal.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self)
        self.model_.remove([self._id(id) for id in np.atleast_1d(np.asarray(ids))], note, self._n_threads())
        return self

    def relabel(self, id: int, label: Any, *, note: str | None = None) -> Self:
        """Give an example another label: the structure becomes the one that the same history with it would have built.

        Parameters
        ----------
        id : int
            The example.
        label : object
            Its label. A class that is not known yet is a new one from now on, unless ``partial_fit`` was given ``classes``.
        note : str, default=None
            Anything that people should know of it, kept in the model's journal.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self)
        if np.ndim(label) != 0:
            raise ValueError(f"The label {label!r} is not one label; relabel one example at a time.")
        labels = self._labels_to_take(np.asarray([label]))
        self.model_.relabel(self._id(id), names_of(labels)[0], note, self._n_threads())
        return self

    @staticmethod
    def _id(id: Any) -> int:
        if isinstance(id, bool) or not isinstance(id, Integral):
            raise TypeError(f"The id {id!r} is not a whole number; examples of fit have their rows as ids.")
        found = int(id)
        if not 0 <= found < 2**63:
            raise ValueError(f"There can be no id {found}; examples of fit have their rows as ids, from 0 on.")
        return found

    def _alike(self, labels: Any) -> Any:
        """Labels written as the model has them."""
        return labels

    def _labels_to_take(self, labels: Any) -> Any:
        """Labels of examples that are to be taken in, if all can be."""
        return labels

    def _insert(self, points: Any, labels: Any) -> Self:
        if labels is not None:
            labels = self._labels_to_take(labels)
        names = None if labels is None else names_of(labels)
        self.last_ids_, _ = self.model_.insert(points, names, self._n_threads())
        return self

    # Keeping.

    def save(self, folder: str | os.PathLike[str], *, replace: bool = False) -> Self:
        """Write the model to a folder, which Rust and the command line read too.

        The folder is there whole or, if anything fails, as it was before.

        Parameters
        ----------
        folder : str or path-like
            Where.
        replace : bool, default=False
            Whether a model there may be replaced although changes of it would be lost.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self)
        self.model_.save(folder, replace)
        return self

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, classes: ArrayLike | None = None, attach: bool = False) -> Self:
        """Read a model from a folder that Python, Rust or the command line has written.

        Parameters
        ----------
        folder : str or path-like
            Where.
        classes : array-like, default=None
            The labels of the classes, in the model's order. By default their names: as numbers if all are written so.
        attach : bool, default=False
            Whether changes (``partial_fit``, ``remove``, ``relabel``) are written to the folder's journal at once. Else they stay in
            memory until ``save``. A forked process can ask such a model, and must load its own to change it.

        Returns
        -------
        estimator
            Its parameters are those of the model, as far as it has them.
        """
        from ._loading import estimator_of

        return estimator_of(cls, _native.Model.load(folder, attach, n_threads(None)), classes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A pickle of a version that lacked a parameter behaves as its default does.
        super().__setstate__({**type(self)().get_params(deep=False), **state})

    # What there is.

    @property
    def n_stored_(self) -> int:
        """Examples that answers come from."""
        check_is_fitted(self)
        return self.model_.n_stored

    @property
    def stored_ids_(self) -> NDArray[np.int64]:
        """Their ids, in the order in which they came: rows of ``X`` for those of ``fit``."""
        check_is_fitted(self)
        return self.model_.stored_ids

    @property
    def fit_params_(self) -> dict[str, Any]:
        """Everything that the model was fitted with, what was left to the data settled."""
        check_is_fitted(self)
        params: dict[str, Any] = json.loads(self.model_.params)
        return params

    @property
    def metrics_(self) -> dict[str, Any]:
        """What was measured: sizes, seconds, every epoch of learning."""
        check_is_fitted(self)
        metrics: dict[str, Any] = json.loads(self.model_.metrics)
        return metrics

    @property
    def changes_(self) -> list[dict[str, Any]]:
        """Every change since the fit, oldest first."""
        check_is_fitted(self)
        return self.model_.history()

    def get_example(self, id: int) -> tuple[NDArray[Any] | None, Any]:
        """An example that the model keeps.

        Parameters
        ----------
        id : int
            The example.

        Returns
        -------
        point : ndarray of shape (n_features,) or None
            As it was given; None if the model keeps only its representation.
        label : object
            Its label.
        """
        check_is_fitted(self)
        found = self.model_.example(self._id(id))
        if found is None:
            raise KeyError(f"There is no example {id}; kept are those of kept_ids_.")
        point, name = found
        return point, label_of(name, self._labels_by_name())

    @property
    def kept_ids_(self) -> NDArray[np.int64]:
        """Ids of all examples that can be removed or relabelled: stored ones and, with the full history, redundant ones."""
        check_is_fitted(self)
        return self.model_.kept_ids
