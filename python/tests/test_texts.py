"""Examples run: those of docstrings, of the documentation, and the scripts."""

import doctest
import importlib
import pkgutil
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import hedgerow

ROOT = Path(__file__).parents[2]
MODULES = ["hedgerow", *(f"hedgerow.{module.name}" for module in pkgutil.iter_modules(hedgerow.__path__))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("__main__", "_native"))])
def test_examples_of_docstrings(name):
    with np.printoptions(precision=4, suppress=True):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert failed == 0


@pytest.mark.parametrize("name", hedgerow.__all__)
def test_everything_has_a_docstring_with_an_example(name):
    thing = getattr(hedgerow, name)
    if callable(thing):
        assert ">>>" in thing.__doc__, name


def test_examples_of_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=FLAGS)
    assert failed == 0 and tried > 10


def test_the_example_of_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    names: dict[str, object] = {}
    exec(blocks[0], names)
    accuracy, n_stored = capsys.readouterr().out.split()[:2]
    assert float(accuracy) > 0.94 and int(n_stored) < 100
    assert (tmp_path / "digits-of-python" / "config.json").exists()


@pytest.mark.parametrize("script", sorted((ROOT / "python" / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_scripts(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out.count("\n") >= 3
