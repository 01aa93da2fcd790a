"""Why a query got its answer."""

from __future__ import annotations

import html
import json
import shutil
import sys
from dataclasses import dataclass
from typing import Any

from ._labels import label_of
from ._native import Decision

#: Widest text, however wide the terminal.
_WIDEST = 160
#: Width of the text where there is no terminal.
_USUAL = 100


@dataclass(frozen=True)
class Written:
    """A decision that was pickled: what the engine wrote of it."""

    as_json: str
    page: str
    texts: dict[bool, str]

    def json(self) -> str:
        """As data."""
        return self.as_json

    def html(self) -> str:
        """As a page."""
        return self.page

    def text(self, width: int, ascii: bool) -> str:
        """As text, which is as wide as it was written."""
        return self.texts[ascii]


class Explanation:
    """A decision of a model: who decided, who came closest to deciding otherwise, and how unusual the query is.

    ``print`` shows it as text; notebooks show it as a page with pictures, where the model was told the shape of pictures (``image_shape``).
    It can be pickled; its text is 100 columns wide then.

    Attributes
    ----------
    prediction : object
        The answer, as ``predict`` gives it.
    probabilities : dict
        The probability of each class that has any, by label, largest first.
    voters : list of dict
        The stored examples that decided, with ``id``, ``label`` (as ``predict`` has it), ``distance`` and ``weight``; most weight first.
    rival : dict or None
        The nearest stored example of another class: ``example``, and ``margin``, by how much it is farther than the nearest of the answer's.
    novelty : float
        Distance from the nearest voter.
    share_farther : float
        Share of the training examples that are as far from their own answers: small for unusual queries.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BoundaryTreeClassifier
    >>> model = BoundaryTreeClassifier(random_state=0).fit(np.array([[0.0], [1.0], [9.0]]), ["low", "low", "high"])
    >>> why = model.explain([8.0])
    >>> why.prediction, why.voters[0]["id"], why.rival["example"]["label"]
    ('high', 2, 'low')
    """

    def __init__(self, decision: Decision | Written, labels: dict[str, Any] | None) -> None:
        self._decision = decision
        self._view: dict[str, Any] = json.loads(decision.json())
        self._labels = labels

    def _label(self, text: str | None) -> Any:
        """The label that a text stands for: a class of the estimator, or a value."""
        return None if text is None else label_of(text, self._labels)

    @property
    def prediction(self) -> Any:
        answer = self._view["answer"]
        return self._label(answer["label"] if answer["kind"] == "label" else answer["instead_of"])

    @property
    def probabilities(self) -> dict[Any, float]:
        return {self._label(of["label"]): of["probability"] for of in self._view["class_probabilities"]}

    @property
    def voters(self) -> list[dict[str, Any]]:
        return [self._with_label(voter) for voter in self._view["voters"]]

    @property
    def rival(self) -> dict[str, Any] | None:
        rival: dict[str, Any] | None = self._view["rival"]
        return None if rival is None else {**rival, "example": self._with_label(rival["example"])}

    def _with_label(self, example: dict[str, Any]) -> dict[str, Any]:
        return {**example, "label": self._label(example["label"])}

    @property
    def novelty(self) -> float:
        return float(self._view["novelty"]["distance"])

    @property
    def share_farther(self) -> float:
        return float(self._view["novelty"]["share_farther"])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data: what ``hedgerow explain --json`` prints.

        Returns
        -------
        dict
            With ``query``, ``answer``, ``class_probabilities``, ``walks``, ``voters``, ``rival`` and ``novelty``.
        """
        copy: dict[str, Any] = json.loads(self._decision.json())
        return copy

    def to_html(self) -> str:
        """A page that needs nothing else.

        Returns
        -------
        str
            HTML, with pictures where examples are some.
        """
        return self._decision.html()

    def __str__(self) -> str:
        width = min(shutil.get_terminal_size((_USUAL, 24)).columns, _WIDEST)
        encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        return self._decision.text(width, not encoding.lower().startswith("utf")).rstrip()

    def __getstate__(self) -> dict[str, Any]:
        # What is shown, since the engine does not read decisions; nothing of it changes any more, but for the width of the text.
        decision = self._decision
        texts = {is_ascii: decision.text(_USUAL, is_ascii) for is_ascii in (False, True)}
        return {"json": decision.json(), "html": decision.html(), "texts": texts, "labels": self._labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Explanation.__init__(self, Written(state["json"], state["html"], state["texts"]), state["labels"])

    def __repr__(self) -> str:
        rival = self.rival
        against = f", rival={rival['example']['label']!r}" if rival else ""
        return f"<Explanation prediction={self.prediction!r}{against}, novelty={self.novelty:.4g}>"

    def _repr_html_(self) -> str:
        # A frame of its own: the page's styles must not touch the notebook's.
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="explanation"></iframe>'
