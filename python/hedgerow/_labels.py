"""Labels, and the names by which models on disk know them."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._warning import warn


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
    # Whole numbers on both sides of 2**63 have no type, and texts such as "nan" are no numbers.
    for kind in (np.int64, np.uint64) if names else ():
        try:
            numbers = [int(name) for name in names]
        except ValueError:
            break
        # NumPy before 1.25 wraps those that do not fit.
        if np.iinfo(kind).min <= min(numbers) and max(numbers) <= np.iinfo(kind).max:
            whole = np.array(numbers, dtype=kind)
            return whole if names_of(whole) == names else np.array(names, dtype=str)
    try:
        values = np.array([float(name) for name in names])
    except ValueError:
        return np.array(names, dtype=str)
    is_written_so = bool(names) and names_of(values) == names and bool(np.isfinite(values).all())
    return values if is_written_so else np.array(names, dtype=str)


def label_of(text: str, labels: dict[str, Any] | None) -> Any:
    """The label that a text of the engine stands for: one of the labels by their names, a value where there are none, or None."""
    if text == "":
        return None
    return float(text) if labels is None else labels.get(text, text)


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
    if any(label is None or (isinstance(label, Real) and label != label) for label in classes):
        raise ValueError("A label is missing (None or NaN); give each example a label.")
    return classes, codes.astype(np.int64)


def extended(classes: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    """Classes with new ones behind them."""
    added = np.asarray(new)
    if len(classes) == 0:
        return added
    kinds = [kind if (kind := array.dtype.kind) == "b" else kind in "iuf" for array in (classes, added)]
    together = np.concatenate([classes, added]) if kinds[0] == kinds[1] else added
    # A type for both may write them otherwise: 1 is 1.0 beside 1.5. Models know them by how they were written.
    if names_of(together) != [*names_of(classes), *names_of(added)]:
        raise ValueError(
            f"The label {added.tolist()[0]!r} is of another kind than the classes of the model, such as "
            f"{classes.tolist()[0]!r}; give labels of one kind."
        )
    return together


def caught_up(classes: NDArray[Any], names: list[str], spelled: dict[str, Any]) -> NDArray[Any]:
    """Classes with those behind them that a model has got since.

    ``names`` are those of all, ``spelled`` has the labels that were given here. Others were brought by another program, which gave names: these
    are read as those of a model that is loaded. Where the classes cannot have them, all become texts.
    """
    late = names[len(classes) :]
    read = late if classes.dtype.kind in "UO" and len(classes) else classes_of(late).tolist()
    try:
        together = extended(classes, [spelled.get(name, label) for name, label in zip(late, read, strict=True)])
    except ValueError:
        together = classes
    if names_of(together) == names:
        return together
    warn(
        f"Another program has given the model the classes {late}, which are of another kind than those it had; "
        "all its classes are texts from now on."
    )
    return np.array(names, dtype=str)


def refuse_unknown(labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Refuses labels that are not among the classes that were given."""
    known = set(classes)
    others = [label for label in dict.fromkeys(labels) if label not in known]
    if others:
        raise ValueError(
            f"y has the labels {np.asarray(others).tolist()}, which are not in the classes {classes.tolist()} that were given; "
            "give all classes in the first call, or no classes, and new ones may come at any time."
        )
