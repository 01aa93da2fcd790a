"""Pictures of models, by matplotlib, which is not needed for anything else: ``pip install matplotlib``."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

__all__ = ["plot_confusion", "plot_curve", "plot_map", "plot_tree"]


def _axes(ax: Any) -> Any:
    """The axes to draw on."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("hedgerow.plot draws by matplotlib; install it: pip install matplotlib") from error
    return pyplot.subplots()[1]


def _color(code: int | None) -> str:
    return "0.6" if code is None or code < 0 else f"C{code % 10}"


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
        Their classes. None: as the model tells them, where it does.
    ax : matplotlib.axes.Axes, default=None
        Where to draw. None: on new axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.
    """
    check_is_fitted(estimator)
    ax = _axes(ax)
    codes = None
    if hasattr(estimator, "classes_"):
        labels = estimator.predict(X) if y is None else np.asarray(y)
        by_label = {label: code for code, label in enumerate(estimator.classes_.tolist())}
        codes = [by_label.get(label, -1) for label in labels.tolist()]
    points = estimator._points(X, reset=False)
    view = json.loads(estimator.model_.map(points, codes, estimator._n_threads()))
    drawn = view["points"]
    ax.scatter(
        [at["x"] for at in drawn], [at["y"] for at in drawn], s=6, c=[_color(at["class"]) for at in drawn], alpha=0.5
    )
    for code, name in enumerate(view["classes"]):
        stored = [at for at in view["stored"] if at["class"] == code]
        if stored:
            ax.scatter(
                [at["x"] for at in stored],
                [at["y"] for at in stored],
                s=40,
                c=_color(code),
                edgecolors="black",
                label=f"{name}: {len(stored)} stored",
            )
    if view["classes"]:
        ax.legend(fontsize="small")
    ax.set_title(view["note"] or "", fontsize="small")
    return ax


def plot_tree(estimator: Any, *, tree: int = 0, ax: Any = None) -> Any:
    """Draw a boundary tree: a node for each stored example, in the color of its class.

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
    check_is_fitted(estimator)
    found = estimator.model_.tree(tree)
    if found is None:
        n_trees = estimator.model_.n_trees
        raise ValueError(f"There is no tree {tree}: the structure has {n_trees} trees.")
    ax = _axes(ax)
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
        (x, y), parent = places[node["id"]], node["parent"]
        if parent is not None:
            ax.plot([x, places[parent][0]], [y, places[parent][1]], color="0.7", linewidth=0.8, zorder=1)
        ax.scatter([x], [y], s=60, c=_color(node["example"]["class"]), zorder=2)
        ax.annotate(node["example"]["label"] or "", (x, y), ha="center", va="center", fontsize=6, zorder=3)
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

    check_is_fitted(estimator)
    ax = _axes(ax)
    names = estimator.classes_
    counts = confusion_matrix(np.asarray(y), estimator.predict(X), labels=names)
    ax.imshow(counts, cmap="Blues")
    for row, column in np.argwhere(counts > 0):
        dark = counts[row, column] > counts.max() / 2
        ax.text(
            column, row, counts[row, column], ha="center", va="center", color="white" if dark else "black", fontsize=7
        )
    ax.set_xticks(range(len(names)), [str(name) for name in names])
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.set_xlabel("answer")
    ax.set_ylabel("truth")
    return ax
