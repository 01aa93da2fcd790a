"""A bar on standard error, for ``verbose``."""

from __future__ import annotations

import shutil
import sys
import time


class Bar:
    """Draws how far a fit is: ``learning  42%|########            | epoch 13/30, loss 0.031 [00:02]``.

    On a terminal and in a notebook the line is drawn over itself; elsewhere (a file, a log) each act gets one line when it is over.
    """

    WIDTH = 20

    def __init__(self, verbose: int) -> None:
        #: What was told that a user should know however silent the bar is.
        self.warnings: list[str] = []
        self._stream = sys.stderr
        self._is_shown = verbose > 0 and self._stream is not None
        # A notebook draws over a line, too, but says that it is no terminal.
        is_notebook = type(self._stream).__module__.partition(".")[0] == "ipykernel"
        self._is_terminal = self._is_shown and (is_notebook or self._stream.isatty())
        self._act: str | None = None
        self._line = ""
        self._begun = time.monotonic()

    def __call__(self, act: str | None, done: int, total: int, words: str) -> None:
        """Hears of progress; without an act, of something that is good to know; as a "warning", of something that one must know."""
        if act == "warning":
            self.warnings.append(words)
            return
        if not self._is_shown:
            return
        if act is None:
            self._end_line()
            self._stream.write(words + "\n")
            return
        if act != self._act:
            self._end_line()
            self._act, self._begun = act, time.monotonic()
        share = min(done / total, 1.0) if total else 0.0
        bar = ("#" * round(self.WIDTH * share)).ljust(self.WIDTH)
        seconds = int(time.monotonic() - self._begun)
        line = f"{act} {share:4.0%}|{bar}| {words} [{seconds // 60:02d}:{seconds % 60:02d}]"
        self._draw(line)

    def close(self) -> None:
        """Leaves the last line where it is."""
        self._end_line()

    def _draw(self, line: str) -> None:
        if self._is_terminal:
            columns = shutil.get_terminal_size().columns - 1
            line = line[:columns]
            self._stream.write("\r" + line.ljust(len(self._line)))
            self._stream.flush()
        self._line = line

    def _end_line(self) -> None:
        if self._line:
            self._stream.write("\n" if self._is_terminal else self._line + "\n")
            self._stream.flush()
            self._line = ""
