"""From models on disk to estimators."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._base import METRICS, NeighborEstimator, n_threads
from ._classifiers import BoundaryForestClassifier, BoundarySetClassifier, BoundaryTreeClassifier
from ._learned import DifferentiableBoundarySet, DifferentiableBoundaryTree, LearnedClassifier
from ._named import NamedLabels
from ._neighbors import BoundaryForestNeighbors
from ._regressor import BoundaryForestRegressor
from ._warning import warn

E = TypeVar("E", bound=NeighborEstimator)


def load(folder: str | os.PathLike[str], *, classes: ArrayLike | None = None, attach: bool = False) -> Any:
    """Read a model from a folder that Python, Rust or the command line has written, whatever it is.

    Parameters
    ----------
    folder : str or path-like
        Where.
    classes : array-like, default=None
        The labels of the classes, in the model's order. By default their names: as numbers if all are written so.
    attach : bool, default=False
        Whether changes are written to the folder's journal at once. Else they stay in memory until ``save``.

    Returns
    -------
    estimator
        Of the class that fits the model; its parameters are those of the model, as far as it has them.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import hedgerow
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> folder = Path(tempfile.mkdtemp()) / "flowers"
    >>> model = hedgerow.BoundaryTreeClassifier(random_state=7).fit(X, y).save(folder)
    >>> hedgerow.load(folder)
    BoundaryTreeClassifier(random_state=7, scaling='standardize')
    """
    model = _native.Model.load(folder, attach, n_threads(None))
    return estimator_of(class_of(model), model, classes)


def class_of(model: _native.Model) -> type[NeighborEstimator]:
    """The class that a model is one of."""
    params = json.loads(model.params)
    if model.task == "regression":
        return BoundaryForestRegressor
    if model.task == "retrieval":
        return BoundaryForestNeighbors
    if params["learning"] is not None:
        method = params["learning"]["method"]["method"]
        return DifferentiableBoundaryTree if method == "dbt" else DifferentiableBoundarySet
    structures: dict[str, type[NeighborEstimator]] = {
        "tree": BoundaryTreeClassifier,
        "forest": BoundaryForestClassifier,
    }
    return structures.get(params["structure"]["kind"], BoundarySetClassifier)


def estimator_of(cls: type[E], model: _native.Model, classes: ArrayLike | None) -> E:
    """An estimator with a model."""
    fitting = class_of(model)
    if cls is not fitting:
        raise ValueError(f"The model is one for {fitting.__name__}, not for {cls.__name__}; use hedgerow.load.")
    params = json.loads(model.params)
    known = {**known_params(params), "image_shape": model.image_shape}
    estimator = cls(**{name: value for name, value in known.items() if name in cls().get_params()})
    estimator.model_ = model
    estimator.n_features_in_ = model.n_features
    n_examples = model.n_fitted
    try:
        if isinstance(estimator, LearnedClassifier):
            # The nearest preset may learn from so many by another method than the model was, which is told of below.
            estimator.set_params(**dict.fromkeys(estimator._without_use(n_examples)))
        others = unsaid(estimator, params, n_examples)
    except (TypeError, ValueError) as error:
        # The engine takes some values that estimators refuse: no reason not to read the model.
        others = [str(error).rstrip(".")]
    if others:
        warn(
            f"{cls.__name__} has no parameters for all that the model was fitted with ({', '.join(others)}): it answers as it was "
            "fitted, but fit would make another of it."
        )
    if model.feature_names is not None:
        estimator.feature_names_in_ = np.asarray(model.feature_names, dtype=object)
    if isinstance(estimator, NamedLabels):
        estimator._take_classes(classes)
    estimator.last_ids_ = np.array([], dtype=np.int64)
    return estimator


def unsaid(estimator: NeighborEstimator, params: dict[str, Any], n_examples: int) -> list[str]:
    """What a model was fitted with that the parameters of its estimator do not say."""
    would_be = {"structure": estimator._structure(), "learning": estimator._learning(n_examples, params["seed"])}
    others = list(differences(would_be, params))
    editing = estimator._editing(n_examples) if isinstance(estimator, LearnedClassifier) else None
    if editing != params.get("editing"):
        others.append(f"editing is {params.get('editing')!r}")
    if would_be["learning"] is None and params["learning"] is not None:
        others.append(f"learning.method.method is {params['learning']['method']['method']!r}")
    return others


def differences(would_be: dict[str, Any], had: dict[str, Any], within: str = "") -> Iterator[str]:
    """Where parameters are others than those of a model; None is what is left to the data, and so as good as any."""
    for kind in ("kind", "method"):
        if isinstance(would_be.get(kind), str) and would_be[kind] != had.get(kind):
            # Things of two kinds have nothing else to be compared.
            yield f"{within}{kind} is {had.get(kind)!r}"
            return
    for name, value in would_be.items():
        there = had.get(name)
        if isinstance(value, dict) and isinstance(there, dict):
            yield from differences(value, there, f"{within}{name}.")
        elif value is not None and value != there:
            yield f"{within}{name} is {there!r}"


def known_params(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters of estimators, by those of the engine."""
    structure = params["structure"]
    scaling = params["scaling"]
    known: dict[str, Any] = {
        **{name: value for name, value in structure.items() if name != "kind"},
        "metric": next(name for name, ours in METRICS.items() if ours == params["distance"]),
        "scaling": None if not scaling else scaling[0] if len(scaling) == 1 else scaling,
        "history": params["history"],
        "random_state": params["seed"],
    }
    if isinstance(params["task"], dict):
        known["epsilon"] = params["task"]["regression"]["epsilon"]
    learning = params["learning"]
    if learning is not None:
        method = learning["method"]
        known["structure"] = structure["kind"]
        known["editing_neighbors"] = params.get("editing") or 0
        known["layers"] = learning["layers"]
        known["max_epochs"] = learning["epochs"]
        known["learning_rate"] = learning["learning_rate"]["start"]
        known["validation_fraction"] = learning["validation_share"]
        known["patience"] = learning["patience"]
        known["sigma"] = method["scale"]["sigma"] if "scale" in method else None
        known["boundary_batch_size"] = method.get("boundary_batch_size")
        known["train_batch_size"] = method.get("train_batch_size")
        if method["method"] == "dbt":
            known["variant"] = "v1" if method["gradient"] == "frozen" else "v2"
            known["queries_per_step"] = method["queries_per_step"]
        else:
            known["preset"] = preset_of(learning)
    return known


def preset_of(learning: dict[str, Any]) -> str:
    """The preset that is nearest to how a model was learned."""
    if learning["method"]["method"] in ("soft-nn", "triplet"):
        changes = [name for step in learning["augmentation"] for name in step]
        return "best-shifted" if changes == ["shift"] else "best"
    return "fast" if learning["learning_rate"]["schedule"] == "cosine" else "paper"
