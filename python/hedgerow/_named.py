"""Estimators whose labels are classes, which models on disk know by their names."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._base import NeighborEstimator
from ._labels import alike, class_names, classes_of, distinct, extended, names_of, refuse_unknown


class NamedLabels(NeighborEstimator):
    """The part of the estimators with classes that is the same for all."""

    classes_: NDArray[Any]
    #: Whether classes may come that are not known yet.
    _is_open = True

    def _fit_classes(self, points: Any, classes: NDArray[Any], codes: Any, *, is_open: bool = True) -> Self:
        self._fit_model(points, codes=np.asarray(codes, dtype=np.int64), class_names=class_names(classes))
        self.classes_, self._is_open = classes, is_open
        return self

    def _alike(self, labels: Any) -> Any:
        return alike(labels, self.classes_)

    def _labels_to_take(self, labels: Any) -> Any:
        labels = self._alike(labels)
        if not self._is_open:
            refuse_unknown(labels, self.classes_)
        known = set(self.classes_)
        new = [label for label in distinct(labels)[0] if label not in known]
        if new:
            # A label that cannot become a class is told before the model has changed.
            class_names(extended(self.classes_, new))
        return labels

    def _take_new_classes(self, labels: Any) -> None:
        names = self.model_.class_names[len(self.classes_) :]
        if names:
            by_name = dict(zip(names_of(labels), labels, strict=True))
            self.classes_ = extended(self.classes_, [by_name[name] for name in names])

    def _take_classes(self, classes: ArrayLike | None) -> None:
        """The classes of a model that was loaded."""
        names = self.model_.class_names
        self.classes_ = classes_of(names) if classes is None else np.atleast_1d(np.asarray(classes))
        if names_of(self.classes_) != names:
            raise ValueError(f"The classes {self.classes_.tolist()} are not those of the model, {names}.")

    def _labels_by_name(self) -> dict[str, Any] | None:
        return dict(zip(self.model_.class_names, self.classes_.tolist(), strict=True))
