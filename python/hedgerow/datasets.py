"""Data sets by name: optdigits is in the package, others are got once and kept in the data directory, as ``hedgerow data get`` does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from . import _native

__all__ = ["fetch_fashion_mnist", "fetch_mnist", "load", "load_optdigits"]


def load(name: str | os.PathLike[str]) -> Bunch:
    """Read whatever a name stands for on the command line: a standard set, synthetic data, a file or a folder.

    Parameters
    ----------
    name : str or path-like
        For example "optdigits", "moons?n=200&noise=0.1&seed=7" or "flowers.csv". A file called "mnist" is "./mnist"; what is given as a
        path is always a file or a folder.

    Returns
    -------
    Bunch
        With ``data`` and ``target`` of all rows, ``X_train``, ``y_train``, ``X_test`` and ``y_test`` of the splits that the data has
        (all rows are for training if it has none), ``X_validation`` and ``y_validation``, ``target_names``, ``feature_names`` (None if
        there are none), ``image_shape`` (None if these are no pictures) and ``attribution``. Classes are whole numbers from 0 on;
        ``target`` is None if there are no labels. Where only some rows have none, that is a ValueError.

    Examples
    --------
    >>> from hedgerow.datasets import load
    >>> load("moons?n=200&noise=0.1&seed=7").data.shape
    (200, 2)
    """
    given = os.fspath(name)
    if not isinstance(given, str):
        raise TypeError(f"name is {name!r}; it must be a text, or a path.")
    if not isinstance(name, str) and not Path(given).is_absolute():
        # Path("./mnist") has lost what told it from the name of a set.
        given = f".{os.sep}{given}"
    found = _native.load_data(given)
    data = found["points"]
    target = found.get("codes", found.get("values"))
    parts: dict[str, Any] = {}
    for split in ("train", "validation", "test"):
        start, end = found[split]
        parts[f"X_{split}"] = data[start:end]
        parts[f"y_{split}"] = None if target is None else target[start:end]
    return Bunch(
        data=data,
        target=target,
        **parts,
        target_names=np.asarray(found["class_names"]),
        feature_names=found["feature_names"] if found["is_named"] else None,
        image_shape=found["image_shape"],
        attribution=found["attribution"],
    )


def load_optdigits() -> Bunch:
    """Handwritten digits of 8x8 pixels, 3823 to train and 1797 to test, by 43 and 13 writers. They are in the package.

    Returns
    -------
    Bunch
        As ``load`` has it.

    Examples
    --------
    >>> from hedgerow.datasets import load_optdigits
    >>> digits = load_optdigits()
    >>> digits.X_train.shape, digits.X_train.dtype, digits.image_shape
    ((3823, 64), dtype('uint8'), (8, 8, 1))
    """
    return load("optdigits")


def fetch_mnist() -> Bunch:
    """Handwritten digits of 28x28 pixels, 60000 to train and 10000 to test. Got once, with known hashes.

    Returns
    -------
    Bunch
        As ``load`` has it.
    """
    return _fetch("mnist")


def fetch_fashion_mnist() -> Bunch:
    """Garments of 28x28 pixels, 60000 to train and 10000 to test. Got once, with known hashes.

    Returns
    -------
    Bunch
        As ``load`` has it.
    """
    return _fetch("fashion-mnist")


def _fetch(name: str) -> Bunch:
    _native.get_data(name)
    return load(name)
