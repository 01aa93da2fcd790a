"""Labels and the names by which models on disk know them."""

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


def extended(classes: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    """Classes with new ones behind them."""
    added = np.asarray(new)
    numbers = "biuf"
    if (classes.dtype.kind in numbers) != (added.dtype.kind in numbers):
        raise ValueError(
            f"The label {new[0]!r} is of another kind than the classes of the model, such as {classes[0]!r}; "
            "give labels of one kind."
        )
    return np.concatenate([classes, added])
