"""Pictures of models, by matplotlib, which is not needed for anything else: ``pip install matplotlib``."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import NeighborEstimator
from ._classifiers import NeighborClassifier
from ._labels import extended, names_of
from ._learned import LearnedClassifier

__all__ = ["plot_confusion", "plot_curve", "plot_map", "plot_tree"]

#: Colors are ten; with these in turn, fifty classes look different.
_MARKERS = "os^Dv"
#: The most nodes of a tree that have room for a text, and the most letters of one.
_NODES_WITH_TEXT, _LETTERS = 300, 3
_COLOR_OF_NONE = "0.6"


def _check(estimator: Any, kind: Any, words: str) -> None:
    """Refuses what cannot be drawn."""
    if not isinstance(estimator, kind):
        raise TypeError(f"estimator is {estimator!r}; it must be {words} of hedgerow.")
    check_is_fitted(estimator)


def _axes(ax: Any) -> Any:
    """The axes to draw on: new ones make room for whatever stands beside them."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("hedgerow.plot draws by matplotlib; install it: pip install matplotlib") from error
    return pyplot.subplots(layout="constrained")[1]


def _draw_points(
    ax: Any, points: list[dict[str, Any]], values: list[float] | None, **look: Any
) -> list[tuple[int | None, Any, int]]:
    """Draws points class by class, colored by values where there are some; gives each class, what was drawn, and of how many points."""
    drawn = []
    codes = {at["class"] for at in points}
    for code in sorted(codes, key=lambda code: -1 if code is None else code):
        own = [row for row, at in enumerate(points) if at["class"] == code]
        color = _COLOR_OF_NONE if code is None else f"C{code % 10}"
        dots = ax.scatter(
            [points[row]["x"] for row in own],
            [points[row]["y"] for row in own],
            c=color if values is None else [values[row] for row in own],
            marker="o" if code is None else _MARKERS[code // 10 % len(_MARKERS)],
            **look,
        )
        drawn.append((code, dots, len(own)))
    return drawn


def _draw_scale(ax: Any, dots: Any) -> None:
    """Says which value has which color."""
    ax.figure.colorbar(dots, ax=ax, label="value")


def _draw_legend(ax: Any, is_own: bool) -> None:
    """Names what is drawn: beside axes of our own, which have room for it, else where they are emptiest."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if is_own else {"loc": "best"}
    ax.legend(handles, labels, fontsize="small", ncols=1 + len(handles) // 25, **place)


def plot_map(estimator: Any, X: ArrayLike, y: ArrayLike | None = None, *, ax: Any = None) -> Any:
    """Draw points and stored examples where the model sees them.

    Representations of two numbers are drawn as they are, longer ones by their two principal directions.

    Parameters
    ----------
    estimator : estimator
        A fitted one of this package.
    X : array-like of shape (n_samples, n_features)
        Points.
    y : array-like of shape (n_samples,), default=None
        Their classes or values. None: as the model tells them, where it does. Classes that the model does not know are gray.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: on new axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    _check(estimator, NeighborEstimator, "an estimator")
    points = estimator._points(X, reset=False)
    labels = estimator.predict(X) if y is None and hasattr(estimator, "predict") else y
    by_name = estimator._labels_by_name()
    codes, values = None, None
    if labels is not None:
        labels = column_or_1d(labels)
        check_consistent_length(points, labels)
        if by_name is None:
            values = labels.astype(float).tolist()
        else:
            numbers = {name: code for code, name in enumerate(by_name)}
            codes = [numbers.get(name, -1) for name in names_of(estimator._alike(labels))]
    view = json.loads(estimator.model_.map(points, codes, estimator._n_threads()))
    stored_values, scale = None, {}
    if values is not None:
        stored_values = [float(at["label"]) for at in view["stored"]]
        scale = {"vmin": min(values + stored_values), "vmax": max(values + stored_values)}
    is_own, ax = ax is None, _axes(ax)
    drawn = _draw_points(ax, view["points"], values, s=6, alpha=0.5, **scale)
    for code, dots, n_stored in _draw_points(ax, view["stored"], stored_values, s=40, edgecolors="black", **scale):
        name = "" if code is None else f"{view['classes'][code]}: "
        dots.set_label(f"{name}{n_stored} stored")
        drawn.append((code, dots, n_stored))
    if values is not None:
        _draw_scale(ax, drawn[-1][1])
    # Where a scale stands beside the axes, there is no room for a legend.
    _draw_legend(ax, is_own and values is None)
    ax.set_title(view["note"] or "", fontsize="small")
    return ax


def plot_tree(estimator: Any, *, tree: int = 0, ax: Any = None) -> Any:
    """Draw a boundary tree: a node for each stored example, in the color of its class or value.

    Parameters
    ----------
    estimator : estimator
        A fitted one of this package whose structure has trees.
    tree : int, default=0
        The tree, of a forest.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: on new axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    _check(estimator, NeighborEstimator, "an estimator")
    n_trees = estimator.model_.n_trees
    found = estimator.model_.tree(tree) if tree in range(n_trees) else None
    if found is None:
        raise ValueError(f"There is no tree {tree!r}: the structure has {n_trees} trees, counted from 0.")
    is_own, ax = ax is None, _axes(ax)
    nodes = json.loads(found)["nodes"]
    children: dict[int | None, list[int]] = {}
    for node in nodes:
        children.setdefault(node["parent"], []).append(node["id"])
    # Leaves stand side by side, each other node over the middle of its children.
    places: dict[int, tuple[float, int]] = {}
    n_leaves = 0
    open_nodes = [(root, 0) for root in reversed(children.get(None, []))]
    order: list[tuple[int, int]] = []
    while open_nodes:
        node, depth = open_nodes.pop()
        order.append((node, depth))
        open_nodes.extend((child, depth + 1) for child in reversed(children.get(node, [])))
    for node, depth in reversed(order):
        below = [places[child][0] for child in children.get(node, [])]
        if below:
            places[node] = (sum(below) / len(below), -depth)
        else:
            places[node] = (-float(n_leaves), -depth)
            n_leaves += 1
    for node in nodes:
        node["x"], node["y"], node["class"] = *places[node["id"]], node["example"]["class"]
    edges = [(places[node["id"]], places[node["parent"]]) for node in nodes if node["parent"] is not None]
    # All lines in one, with a gap after each: thousands of them would take a minute.
    xs, ys = ([at for edge in edges for at in (edge[0][axis], edge[1][axis], np.nan)] for axis in (0, 1))
    ax.plot(xs, ys, color="0.7", linewidth=0.8, zorder=1)
    texts = [node["example"]["label"] or "" for node in nodes]
    by_name = estimator._labels_by_name()
    values = [float(text) for text in texts] if by_name is None else None
    has_room = len(nodes) <= _NODES_WITH_TEXT
    has_texts = has_room and values is None and max(map(len, texts), default=0) <= _LETTERS
    names = list(by_name or [])
    for code, dots, n_nodes in _draw_points(ax, nodes, values, s=60 if has_room else 10, zorder=2):
        if values is not None:
            _draw_scale(ax, dots)
        elif code is not None and not has_texts:
            dots.set_label(f"{names[code]}: {n_nodes}")
    if has_texts:
        for node, text in zip(nodes, texts, strict=True):
            ax.annotate(text, (node["x"], node["y"]), ha="center", va="center", fontsize=6, zorder=3)
    _draw_legend(ax, is_own)
    ax.set_axis_off()
    ax.set_title(f"{len(nodes)} stored examples", fontsize="small")
    return ax


def plot_curve(estimator: Any, *, ax: Any = None) -> Any:
    """Draw how learning went: the loss of each epoch and, where it was measured, the validation error.

    Parameters
    ----------
    estimator : DifferentiableBoundarySet or DifferentiableBoundaryTree
        A fitted one.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: on new axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the loss.
    """
    _check(estimator, LearnedClassifier, "a DifferentiableBoundarySet or DifferentiableBoundaryTree")
    epochs = estimator.learning_curve_
    ax = _axes(ax)
    ax.plot([at["epoch"] + 1 for at in epochs], [at["loss"] for at in epochs], color="C0", label="loss")
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss", color="C0")
    judged = [at for at in epochs if at["validation"] is not None]
    if judged:
        other = ax.twinx()
        errors = [at["validation"]["error_percent"] for at in judged]
        other.plot([at["epoch"] + 1 for at in judged], errors, color="C1", marker=".")
        other.set_ylabel("validation error, %", color="C1")
    return ax


def plot_confusion(estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Any = None) -> Any:
    """Draw which classes are taken for which.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier.
    X : array-like of shape (n_samples, n_features)
        Points.
    y : array-like of shape (n_samples,)
        Their classes.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: on new axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    from sklearn.metrics import confusion_matrix

    _check(estimator, NeighborClassifier, "a classifier")
    truths = estimator._alike(y)
    # Truths that the model has never seen get rows of their own: leaving them out would make it look better than it is.
    known = set(estimator.classes_)
    others = [label for label in np.unique(truths) if label not in known]
    names = extended(estimator.classes_, others) if others else estimator.classes_
    ax = _axes(ax)
    counts = confusion_matrix(truths, estimator.predict(X), labels=names)
    ax.imshow(counts, cmap="Blues")
    for row, column in np.argwhere(counts > 0):
        dark = counts[row, column] > counts.max() / 2
        ax.text(
            column, row, counts[row, column], ha="center", va="center", color="white" if dark else "black", fontsize=7
        )
    texts = names_of(names)
    size = "medium" if len(texts) <= 12 else "x-small"
    slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if max(map(len, texts)) > _LETTERS else {}
    ax.set_xticks(range(len(texts)), texts, fontsize=size, **slanted)
    ax.set_yticks(range(len(texts)), texts, fontsize=size)
    ax.set_xlabel("answer")
    ax.set_ylabel("truth")
    return ax
