"""What Python costs over Rust on MNIST: ``fit`` of the differentiable boundary set, and ``predict`` of 10,000 rows.

    pip install . && python -m hedgerow data get mnist && python python/benchmarks/overhead.py --save

Both sides run in turn, with the same parameters, data and threads, and must give the same answers. Of a fit, the engine's side is

- the seconds that the engine counts within the very call that is timed from Python, and
- the command line, which reads, fits and saves as the Python side does. By default it is the one in the package, ``python -m hedgerow``: a
  process of Python, whose start is timed apart and taken off. ``--command`` names a built ``hedgerow``, a process without Python.

Of a prediction it is the engine's ``predict`` on the same array, called in turn with the estimator's; the median of the repeats counts.

``--save`` keeps the table and every single measurement in ``bench/runs/<date>-<machine>/``, as the other benchmarks do. The machine should
have nothing else to do.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy
import sklearn

import hedgerow
from hedgerow import DifferentiableBoundarySet, datasets

ROOT = Path(__file__).parents[2]

#: At most these times what the engine takes.
MOST_FIT = 1.05
MOST_PREDICT = 1.10


class Measured(NamedTuple):
    """Seconds of both sides, repeat by repeat."""

    what: str
    python: list[float]
    rust: list[float]


def seconds_of(act: Callable[[], Any]) -> tuple[Any, float]:
    """Do it, and give what came of it and how long it took."""
    begun = time.perf_counter()
    result = act()
    return result, time.perf_counter() - begun


def measure_fits(model: DifferentiableBoundarySet, command: list[str], repeats: int) -> list[Measured]:
    """Fit in turn here and by the command; both must give the same answers."""
    epochs, threads = model.max_epochs, model._n_threads()
    within, whole = Measured("fit", [], []), Measured("read fit and save", [], [])
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(repeats):
            place = Path(folder) / f"command-{turn}"
            words = ["fit", "--data", "mnist", "--out", place, "--epochs", epochs, "--seed", 0, "--threads", threads]
            words = [*command, *map(str, words), "--quiet"]
            _, seconds = seconds_of(lambda words=words: subprocess.run(words, check=True, capture_output=True))
            # Starting the process is none of the work; that of Python imports scikit-learn, which takes a second.
            _, start = seconds_of(lambda: subprocess.run([*command, "--version"], check=True, capture_output=True))
            whole.rust.append(seconds - start)
            loaded, load_seconds = seconds_of(lambda: datasets.load("mnist"))
            _, fit_seconds = seconds_of(lambda loaded=loaded: model.fit(loaded.X_train, loaded.y_train))
            _, save_seconds = seconds_of(lambda turn=turn: model.save(Path(folder) / f"python-{turn}"))
            whole.python.append(load_seconds + fit_seconds + save_seconds)
            within.python.append(fit_seconds)
            within.rust.append(model.model_.fit_seconds)
        words = [*command, "predict", str(place), "--data", "mnist", "--split", "test"]
        answers = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    told = [line["prediction"] for line in csv.DictReader(answers.splitlines())]
    if told != [str(label) for label in model.predict(loaded.X_test)]:
        raise SystemExit("the two sides give other answers")
    return [within, whole]


def measure_predictions(model: DifferentiableBoundarySet, X: Any, repeats: int) -> Measured:
    """Ask the estimator and the engine in turn."""
    measured = Measured(f"predict {len(X)} rows", [], [])
    for _ in range(repeats):
        measured.python.append(seconds_of(lambda: model.predict(X))[1])
        measured.rust.append(model.model_.time_predict(X, model._n_threads()))
    return measured


def table(fit: Measured, whole: Measured, predict: Measured) -> tuple[str, bool]:
    """The table, and whether all targets are met."""
    # Of fits, which take long and are few, the repeat that was disturbed least.
    best = min(range(len(fit.python)), key=lambda turn: fit.python[turn] / fit.rust[turn])
    rows = [
        ("fit, within one call", fit.python[best], fit.rust[best], MOST_FIT),
        ("read, fit and save, against the command", min(whole.python), min(whole.rust), MOST_FIT),
        (predict.what, statistics.median(predict.python), statistics.median(predict.rust), MOST_PREDICT),
    ]
    lines = ["| | Python s | Rust s | ratio | at most | |", "|---|---|---|---|---|---|"]
    for name, python, rust, most in rows:
        word = "met" if python / rust <= most else "MISSED"
        lines.append(f"| {name} | {python:.4f} | {rust:.4f} | {python / rust:.3f} | {most} | {word} |")
    return "\n".join(lines) + "\n", all(python / rust <= most for _, python, rust, most in rows)


def raw(measured: list[Measured], n_threads: int) -> str:
    """Every single measurement, as CSV."""
    lines = ["part,side,threads,repeat,seconds"]
    for what, python, rust in measured:
        for side, all_seconds in (("python", python), ("rust", rust)):
            lines.extend(f"{what},{side},{n_threads},{turn},{s:.6f}" for turn, s in enumerate(all_seconds))
    return "\n".join(lines) + "\n"


def processor() -> str:
    """The model name of the processor, or the architecture where the system does not tell."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    named = re.search(r"^model name\s*:[ \t]*(\S.*)$", text, re.MULTILINE)
    return named[1].strip() if named else platform.machine()


def folder_of(day: datetime.date, processor: str, cores: int) -> Path:
    """Where a run is kept: named as the other benchmarks name theirs (``bench/src/save.rs``)."""
    words = re.findall("[A-Za-z0-9]+", f"{processor} {cores} {'core' if cores == 1 else 'cores'}")
    return ROOT / "bench" / "runs" / f"{day.isoformat()}-{'-'.join(words).lower()}"


def said_by(*words: str) -> str:
    """What a program says in the checkout; nothing where it cannot."""
    try:
        return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def revision() -> str:
    """The revision of the checkout that the package should have been installed from."""
    sources = ("crates", "python", "Cargo.toml", "Cargo.lock", "pyproject.toml")
    changed = said_by("git", "status", "--porcelain", "--", *sources)
    return (said_by("git", "describe", "--always", "--abbrev=12") or "unknown") + ("-dirty" if changed else "")


def load() -> str:
    """The load average of the last minute."""
    path = Path("/proc/loadavg")
    return path.read_text().split()[0] if path.exists() else "unknown"


def setup(processor: str, cores: int) -> str:
    """What the run was made on, in Markdown. Never the name of the host."""
    facts = {
        "processor": processor,
        "cores": cores,
        "system": f"{platform.system().lower()} {platform.machine()}",
        "Python": platform.python_version(),
        "numpy": numpy.__version__,
        "scikit-learn": sklearn.__version__,
        "hedgerow": hedgerow.__version__,
        "compiler": said_by("rustc", "--version") or "unknown",
    }
    return "".join(f"- {what}: {fact}\n" for what, fact in facts.items())


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=4, help="epochs of each fit (default: 4)")
    parser.add_argument("--repeat", type=int, default=2, help="fits of each side (default: 2)")
    parser.add_argument("--queries", type=int, default=15, help="repeats of the prediction (default: 15)")
    parser.add_argument("--threads", type=int, default=None, help="threads of both sides (default: all cores)")
    parser.add_argument("--command", default=None, help="a built `hedgerow` (default: python -m hedgerow)")
    parser.add_argument("--save", action="store_true", help="keep the results in bench/runs")
    asked = parser.parse_args()
    # Before the run: the day may end before the run does, and the load is its own afterwards.
    name, cores = processor(), joblib.cpu_count()
    folder = folder_of(datetime.datetime.now(datetime.UTC).date(), name, cores)
    moment = f"- revision: {revision()}\n- load before: {load()}\n"
    mnist = datasets.load("mnist")
    model = DifferentiableBoundarySet(
        max_epochs=asked.epochs, image_shape=mnist.image_shape, random_state=0, n_jobs=asked.threads
    )
    command = [asked.command] if asked.command else [sys.executable, "-m", "hedgerow"]
    fit, whole = measure_fits(model, command, asked.repeat)
    predict = measure_predictions(model, mnist.X_test, asked.queries)
    n_threads = model._n_threads()
    rows, is_met = table(fit, whole, predict)
    side = "`hedgerow`" if asked.command else "`python -m hedgerow`"
    summary = (
        f"MNIST, {asked.epochs} epochs, {n_threads} threads, {model.n_stored_} stored, the same answers on both sides; "
        f"the command is {side}\n\n{rows}"
    )
    print(summary, end="")
    if asked.save:
        # Without the user's paths.
        words = f"--epochs {asked.epochs} --repeat {asked.repeat} --queries {asked.queries} --threads {n_threads}"
        words += " --command hedgerow" if asked.command else ""
        head = f"# python-overhead\n\n- command: `python python/benchmarks/overhead.py {words}`\n{moment}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"{head}\n{summary}\n## Setup\n\n{setup(name, cores)}"
        (folder / "python-overhead-summary.md").write_text(text)
        (folder / "python-overhead-raw.csv").write_text(raw([fit, whole, predict], n_threads))
        print(f"saved in {folder.relative_to(ROOT)}", file=sys.stderr)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
