"""Versions that must move together."""

import re
from pathlib import Path

import pytest

import hedgerow

ROOT = Path(__file__).parents[2]


def locked():
    """Versions of crates in the lock file."""
    text = (ROOT / "Cargo.lock").read_text()
    versions: dict[str, set[str]] = {}
    for name, version in re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', text):
        versions.setdefault(name, set()).add(version)
    return versions


def test_pyo3_and_numpy_are_of_one_release():
    # Pitfall 4: a numpy for another pyo3 does not compile, or two of them meet in one module.
    versions = locked()
    for crate in ("pyo3", "pyo3-ffi", "numpy"):
        assert len(versions[crate]) == 1, (crate, versions[crate])
    minor = {next(iter(versions[crate])).rsplit(".", 1)[0] for crate in ("pyo3", "numpy")}
    assert len(minor) == 1, minor


def test_no_crate_is_a_release_candidate():
    # Pitfall 5: what a registry shows first may be one.
    pre = {name: version for name, all_of in locked().items() for version in all_of if "-" in version.split("+")[0]}
    assert not pre


def test_the_package_has_the_version_of_the_workspace():
    version = re.search(r'\[workspace.package\]\nversion = "([^"]+)"', (ROOT / "Cargo.toml").read_text())
    assert hedgerow.__version__ == version[1]
    metadata = pytest.importorskip("importlib.metadata")
    try:
        assert metadata.version("hedgerow") == version[1]
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
