"""What the questions of `hedgerow-bench peers` share: the data, the clock, and the talk with the Rust side.

Each question is a file of its own (raw.py, learned.py, ...) whose PEERS names its peers. It is started once. A request is a
line of JSON on standard input, the answer a line of JSON on standard output: numbers by name, perhaps a "note", or
{"failed": why}. Matrices and labels are plain files of numbers that the Rust side writes; they are read, and what a library must
be imported for is imported, before the clock starts. Errors are counted after it has stopped.
"""

import json
import os
import pickle
import platform
import sys
import time
from copy import copy
from functools import lru_cache
from importlib import metadata

import numpy as np


@lru_cache(maxsize=8)
def matrix(path, width, kind):
    values = np.fromfile(path, dtype=np.uint8 if kind == "u8" else np.float32)
    return np.ascontiguousarray(values.reshape(-1, width).astype(np.float32))


@lru_cache(maxsize=8)
def classes(path):
    return np.fromfile(path, dtype=np.uint32).astype(np.int64)


class Data:
    """What a request tells of its data."""

    def __init__(self, request):
        data = request["data"]
        width, kind = data["width"], data["kind"]
        self.train, self.train_labels = matrix(data["train"], width, kind), classes(data["train_labels"])
        self.test, self.test_labels = matrix(data["test"], width, kind), classes(data["test_labels"])
        most = request.get("max_queries")
        if most:
            self.test, self.test_labels = self.test[:most], self.test_labels[:most]
        self.threads = request["threads"]

    def scaled(self, factor):
        """The same with all numbers multiplied, as a network takes them."""
        other = copy(self)
        other.train, other.test = self.train * np.float32(factor), self.test * np.float32(factor)
        return other

    def first(self, n):
        """So many rows of it at most."""
        other = copy(self)
        other.train, other.train_labels = self.train[:n], self.train_labels[:n]
        other.test, other.test_labels = self.test[:n], self.test_labels[:n]
        return other


def limit_threads(threads):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    from threadpoolctl import threadpool_limits

    threadpool_limits(threads)
    if "faiss" in sys.modules:
        sys.modules["faiss"].omp_set_num_threads(threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(threads)


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def classified(data, fit, predict, stored=None, size=None):
    """Fits and asks; what every classifier answers."""
    model, train_seconds = timed(fit)
    said, query_seconds = timed(lambda: predict(model))
    answer = {
        "train_seconds": train_seconds,
        "query_seconds": query_seconds,
        "n_queries": len(data.test),
        "error_percent": 100.0 * float(np.mean(np.asarray(said) != data.test_labels)),
    }
    if stored:
        answer["stored"] = float(stored(model))
    if size:
        answer["bytes"] = float(size(model))
    return answer


def pickled(model):
    return len(pickle.dumps(model, protocol=5))


def by_neighbor(data, found):
    return data.train_labels[np.asarray(found).reshape(len(data.test), -1)[:, 0].astype(np.int64)]


def mlp_bytes(model):
    """The weights of scikit-learn's MLP, without what its optimizer holds."""
    return sum(part.nbytes for part in [*model.coefs_, *model.intercepts_])


def versions(packages):
    found = [f"Python {platform.python_version()}", f"numpy {np.__version__}"]
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def answer_requests(peers, packages):
    """Answers until there are no more requests. `peers` are the functions of a question, by the names of their rows."""
    # What libraries print must not come between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"versions": versions(packages)}), file=answers, flush=True)
    for line in sys.stdin:
        try:
            # The limit of an answer counts from here.
            request = json.loads(line) | {"received": time.monotonic()}
            if request["method"] not in peers:
                raise ValueError(f"no peer is called {request['method']!r}")
            data = Data(request)
            limit_threads(data.threads)
            said = peers[request["method"]](data, request)
        except Exception as error:  # a peer that fails is a row that says so
            said = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(said), file=answers, flush=True)
