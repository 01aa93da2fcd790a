"""Estimators whose labels are classes, which models on disk know by their names."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._base import NeighborEstimator
from ._labels import alike, caught_up, class_names, classes_of, distinct, extended, names_of, refuse_unknown


class NamedLabels(NeighborEstimator):
    """The part of the estimators with classes that is the same for all."""

    #: The classes as far as they are known here; ``classes_`` looks whether the model has more.
    _classes: NDArray[Any]
    #: Labels that were new when they were given, by their names.
    _spelled: dict[str, Any]
    #: Whether classes may come that are not known yet.
    _is_open = True

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes. Those that come later stand last."""
        # Asked of the model each time: another thread, or another program that writes to the same folder, may have brought some, and Ctrl-C
        # may have come between a change and whatever would be noted of it here.
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"This {type(self).__name__} has no classes_ yet; fit it first.")
        names, classes = self.model_.class_names, self._classes
        if len(names) > len(classes):
            classes = self._classes = caught_up(classes, names, self._spelled)
        return classes

    def _fit_classes(self, points: Any, classes: NDArray[Any], codes: Any, *, is_open: bool = True) -> Self:
        self._fit_model(points, codes=np.asarray(codes, dtype=np.int64), class_names=class_names(classes))
        self._know(classes, is_open=is_open)
        return self

    def _know(self, classes: NDArray[Any], *, is_open: bool = True) -> None:
        self._classes, self._spelled, self._is_open = classes, {}, is_open

    def _alike(self, labels: Any) -> Any:
        return alike(labels, self.classes_)

    def _labels_to_take(self, labels: Any) -> Any:
        classes = self.classes_
        labels = alike(labels, classes)
        if not self._is_open:
            refuse_unknown(labels, classes)
        known = set(classes)
        new = [label for label in distinct(labels)[0] if label not in known]
        if new:
            # A label that cannot become a class is told before the model has changed.
            class_names(extended(classes, new))
            self._spelled = {**self._spelled, **dict(zip(names_of(new), new, strict=True))}
        return labels

    def _take_classes(self, classes: ArrayLike | None) -> None:
        """The classes of a model that was loaded."""
        names = self.model_.class_names
        given = classes_of(names) if classes is None else np.atleast_1d(np.asarray(classes))
        if names_of(given) != names:
            raise ValueError(f"The classes {given.tolist()} are not those of the model, {names}.")
        self._know(given)

    def _labels_by_name(self) -> dict[str, Any] | None:
        # In this order: classes that come meanwhile are more labels than names.
        names = self.model_.class_names
        return dict(zip(names, self.classes_.tolist(), strict=False))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles of earlier versions have the classes by their public name.
        state = dict(state)
        if "classes_" in state:
            state["_classes"] = state.pop("classes_")
            state.setdefault("_spelled", {})
        super().__setstate__(state)
