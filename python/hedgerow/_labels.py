"""Labels, and the names by which models on disk know them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def names_of(labels: Iterable[Any]) -> list[str]:
    """The names of labels: their text without spaces around it, as files are read."""
    return [str(label).strip() for label in labels]


def class_names(classes: NDArray[Any]) -> list[str]:
    """The names of classes, which must be told apart by them."""
    names = names_of(classes)
    if "" in names:
        raise ValueError("A class has an empty name; give each class a label with some text.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"Two classes have the same name {twice!r}; spaces around a label do not count.")
    return names


def classes_of(names: list[str]) -> NDArray[Any]:
    """The classes that names stand for: numbers or booleans where all names are written so, else texts.

    >>> classes_of(["0", "1"]), classes_of(["0", "cat"])
    (array([0, 1]), array(['0', 'cat'], dtype='<U3'))
    """
    if names and set(names) <= {"True", "False"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
        except ValueError:
            continue
        if names and [str(value) for value in values] == names:
            return np.array(values)
    return np.array(names, dtype=str)


def alike(labels: Any, classes: NDArray[Any]) -> Any:
    """Labels in the type of the classes, where it has them: 1.0 and True are 1 among whole numbers, and so must their names be.

    >>> alike(np.array([0.0, 7.0]), np.array([0, 1])), alike(np.array([1, 0]), np.array([False, True]))
    (array([0, 7]), array([ True, False]))
    """
    labels = np.asarray(labels)
    if labels.dtype.kind in "biuf" and classes.dtype.kind in "biuf":
        with np.errstate(invalid="ignore"):
            same = labels.astype(classes.dtype)
        if np.array_equal(same, labels):
            return same
    return labels


def distinct(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The labels that there are, sorted, and the number among them of each."""
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise ValueError(
            f"y has labels that cannot be sorted (of the types {kinds}); give labels of one kind."
        ) from None
    return classes, codes.astype(np.int64)


def extended(classes: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    """Classes with new ones behind them."""
    added = np.asarray(new)
    if len(classes) == 0:
        return added
    kinds = [kind if (kind := array.dtype.kind) == "b" else kind in "iuf" for array in (classes, added)]
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"The label {added.tolist()[0]!r} is of another kind than the classes of the model, such as "
            f"{classes.tolist()[0]!r}; give labels of one kind."
        )
    return np.concatenate([classes, added])


def refuse_unknown(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuses labels that are not among the classes that were given."""
    known = set(classes)
    others = [label for label in dict.fromkeys(labels) if label not in known]
    if others:
        raise ValueError(
            f"y has the labels {np.asarray(others).tolist()}, which are not in the classes {classes.tolist()} that were given; "
            "give all classes in the first call, or no classes, and new ones may come at any time."
        )
