"""Warnings that name the line of the user, however deep in the package they come up."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

#: Where the package is, and what only begins with the same letters is not.
_PACKAGE = f"{Path(__file__).parent}{os.sep}"


def warn(words: str) -> None:
    """Warn, at the first frame that is none of the package: a level that is counted by hand is wrong for every other way here.

    (``skip_file_prefixes`` of the standard library does it from Python 3.12 on.)
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(words, UserWarning, stacklevel=level)
