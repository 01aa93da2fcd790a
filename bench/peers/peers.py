"""The Python side of `hedgerow-bench peers`: does with other libraries what hedgerow does, and says how long it took.

Started once. A request is a line of JSON on standard input, the answer a line of JSON on standard output: numbers by name,
or {"failed": why}. Matrices and labels are plain files of numbers that the Rust side writes; they are read, and what a
library must be imported for is imported, before the clock starts. Errors are counted after it has stopped.
"""

import json
import os
import pickle
import platform
import sys
import tempfile
import time
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


# Classify raw vectors.


def sklearn_neighbors(algorithm):
    def run(data):
        from sklearn.neighbors import KNeighborsClassifier

        model = KNeighborsClassifier(1, algorithm=algorithm, n_jobs=data.threads)
        return classified(
            data,
            lambda: model.fit(data.train, data.train_labels),
            lambda model: model.predict(data.test),
            lambda model: len(data.train),
            pickled,
        )

    return run


def random_forest(data):
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(50, n_jobs=data.threads, random_state=0)
    return classified(
        data,
        lambda: model.fit(data.train, data.train_labels),
        lambda model: model.predict(data.test),
        size=pickled,
    )


def condensed(data):
    from imblearn.under_sampling import CondensedNearestNeighbour
    from sklearn.neighbors import KNeighborsClassifier

    sampler = CondensedNearestNeighbour(n_neighbors=1, random_state=0, n_jobs=data.threads)

    def fit():
        points, labels = sampler.fit_resample(data.train, data.train_labels)
        return KNeighborsClassifier(1, n_jobs=data.threads).fit(points, labels)

    return classified(
        data, fit, lambda model: model.predict(data.test), lambda model: model.n_samples_fit_, pickled
    )


def by_neighbor(data, found):
    return data.train_labels[np.asarray(found).reshape(len(data.test), -1)[:, 0].astype(np.int64)]


def faiss_flat(data):
    import faiss

    faiss.omp_set_num_threads(data.threads)

    def fit():
        index = faiss.IndexFlatL2(data.train.shape[1])
        index.add(data.train)
        return index

    return classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.search(data.test, 1)[1]),
        lambda index: index.ntotal,
        lambda index: len(faiss.serialize_index(index)),
    )


def faiss_hnsw(data):
    import faiss

    faiss.omp_set_num_threads(data.threads)

    def fit():
        index = faiss.IndexHNSWFlat(data.train.shape[1], 32)
        index.hnsw.efSearch = 64
        index.add(data.train)
        return index

    return classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.search(data.test, 1)[1]),
        lambda index: index.ntotal,
        lambda index: len(faiss.serialize_index(index)),
    )


def usearch_index(data):
    from usearch.index import Index

    keys = np.arange(len(data.train), dtype=np.uint64)

    def fit():
        index = Index(ndim=data.train.shape[1], metric="l2sq", dtype="f32")
        index.add(keys, data.train, threads=data.threads)
        return index

    return classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.search(data.test, 1, threads=data.threads).keys),
        len,
        lambda index: index.memory_usage,
    )


def hnswlib_index(data):
    import hnswlib

    def fit():
        index = hnswlib.Index(space="l2", dim=data.train.shape[1])
        index.init_index(max_elements=len(data.train), M=16, ef_construction=200, random_seed=0)
        index.set_num_threads(data.threads)
        index.add_items(data.train)
        index.set_ef(64)
        return index

    return classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.knn_query(data.test, k=1, num_threads=data.threads)[0]),
        lambda index: index.get_current_count(),
        lambda index: index.index_file_size(),
    )


# Classify with a learned space.


def sklearn_mlp(data, request):
    from sklearn.neural_network import MLPClassifier

    layers = tuple(request["layers"])
    model = MLPClassifier(
        layers, batch_size=request["batch"], max_iter=request["epochs"], learning_rate_init=1e-3, random_state=0, tol=0.0
    )
    return classified(
        data, lambda: model.fit(data.train, data.train_labels), lambda model: model.predict(data.test), size=pickled
    )


def sklearn_nca(data, request):
    from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
    from sklearn.pipeline import make_pipeline

    most = request["nca_rows"]
    space = NeighborhoodComponentsAnalysis(min(20, data.train.shape[1]), random_state=0, max_iter=50, init="pca")
    neighbors = KNeighborsClassifier(1, n_jobs=data.threads)

    def fit():
        space.fit(data.train[:most], data.train_labels[:most])
        return neighbors.fit(space.transform(data.train), data.train_labels)

    return classified(
        data,
        fit,
        lambda model: model.predict(space.transform(data.test)),
        lambda model: len(data.train),
        lambda model: pickled((space, model)),
    )


def torch_network(widths):
    import torch

    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def torch_batches(n, size, epochs):
    import torch

    for epoch in range(epochs):
        order = torch.randperm(n)
        for start in range(0, n - size + 1, size):
            yield epoch, order[start : start + size]


def cosine(optimizer, rate, epoch, epochs):
    for group in optimizer.param_groups:
        group["lr"] = rate * 0.5 * (1.0 + np.cos(np.pi * epoch / epochs))


def torch_mlp(data, request):
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(data.threads)
    points, labels = torch.from_numpy(data.train), torch.from_numpy(data.train_labels)
    n_classes = int(labels.max()) + 1
    network = torch_network([points.shape[1], *request["layers"], n_classes])
    epochs = request["epochs"]

    def fit():
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=True)
        for epoch, rows in torch_batches(len(points), request["batch"], epochs):
            cosine(optimizer, 1e-3, epoch, epochs)
            loss = torch.nn.functional.cross_entropy(network(points[rows]), labels[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        return network

    def predict(network):
        with torch.inference_mode():
            return network(torch.from_numpy(data.test)).argmax(1).numpy()

    size = sum(parameter.numel() for parameter in network.parameters()) * 4
    return classified(data, fit, predict, size=lambda model: size)


def torch_metric_learning(data, request):
    """The triplet loss of pytorch-metric-learning, then the nearest training example by FAISS."""
    import faiss
    import torch
    from pytorch_metric_learning import losses, miners

    torch.manual_seed(0)
    torch.set_num_threads(data.threads)
    faiss.omp_set_num_threads(data.threads)
    points, labels = torch.from_numpy(data.train), torch.from_numpy(data.train_labels)
    network = torch_network([points.shape[1], *request["layers"]])
    epochs = request["epochs"]
    loss_of = losses.TripletMarginLoss(margin=0.2)
    miner = miners.TripletMarginMiner(margin=0.2, type_of_triplets="semihard")

    def represent(points):
        with torch.inference_mode():
            return torch.nn.functional.normalize(network(points)).numpy()

    def fit():
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, fused=True)
        for epoch, rows in torch_batches(len(points), request["batch"], epochs):
            cosine(optimizer, 1e-3, epoch, epochs)
            represented = network(points[rows])
            pairs = miner(represented, labels[rows])
            loss = loss_of(represented, labels[rows], pairs)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        index = faiss.IndexFlatL2(request["layers"][-1])
        index.add(represent(points))
        return index

    size = sum(parameter.numel() for parameter in network.parameters()) * 4
    return classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.search(represent(torch.from_numpy(data.test)), 1)[1]),
        lambda index: index.ntotal,
        lambda index: size + len(faiss.serialize_index(index)),
    )


# Learn online from a stream.


def river_learner(name, window):
    from river import forest, neighbors, tree

    if name == "river KNN":
        engine = neighbors.LazySearch(window_size=window)
        return neighbors.KNNClassifier(n_neighbors=1, engine=engine)
    if name == "river KNN, SWINN":
        return neighbors.KNNClassifier(n_neighbors=1, engine=neighbors.SWINN(maxlen=window, seed=0))
    if name == "river Hoeffding tree":
        return tree.HoeffdingTreeClassifier()
    return forest.ARFClassifier(n_models=10, seed=0)


def stream(name):
    def run(data, request):
        rows = data.train[: request["n_examples"]]
        labels = data.train_labels[: request["n_examples"]].tolist()
        names = [f"x{column}" for column in range(rows.shape[1])]
        # What river takes: a dictionary for each example. Made before the clock starts.
        examples = [dict(zip(names, row)) for row in rows.astype(float).tolist()]
        learner = river_learner(name, request["window"])
        right = 0

        def follow():
            nonlocal right
            for example, label in zip(examples, labels):
                right += learner.predict_one(example) == label
                learner.learn_one(example, label)

        _, seconds = timed(follow)
        return {"seconds": seconds, "n_examples": len(rows), "accuracy_percent": 100.0 * right / len(rows)}

    return run


# Retrieve neighbors.


def recall(found, truth):
    hits = [len(set(row) & set(true)) for row, true in zip(found.tolist(), truth.tolist())]
    return 100.0 * sum(hits) / truth.size


def retrieval(build, search, efforts, size):
    def run(data, request):
        k = request["k"]
        truth = np.fromfile(request["truth"], dtype=np.uint32).reshape(-1, k)[: len(data.test)]
        index, train_seconds = timed(lambda: build(data))
        curve = []
        for effort in efforts:
            search(index, data, k, effort)
            found, seconds = timed(lambda: search(index, data, k, effort))
            curve.append({"effort": effort, "query_seconds": seconds, "recall_percent": recall(np.asarray(found), truth)})
        return {"train_seconds": train_seconds, "n_queries": len(data.test), "bytes": float(size(index)), "curve": curve}

    return run


def build_faiss_hnsw(data):
    import faiss

    faiss.omp_set_num_threads(data.threads)
    index = faiss.IndexHNSWFlat(data.train.shape[1], 32)
    index.add(data.train)
    return index


def search_faiss_hnsw(index, data, k, effort):
    index.hnsw.efSearch = effort
    return index.search(data.test, k)[1]


def build_faiss_flat(data):
    import faiss

    faiss.omp_set_num_threads(data.threads)
    index = faiss.IndexFlatL2(data.train.shape[1])
    index.add(data.train)
    return index


def faiss_bytes(index):
    import faiss

    return len(faiss.serialize_index(index))


def build_usearch(data):
    from usearch.index import Index

    index = Index(ndim=data.train.shape[1], metric="l2sq", dtype="f32")
    index.add(np.arange(len(data.train), dtype=np.uint64), data.train, threads=data.threads)
    return index


def search_usearch(index, data, k, effort):
    index.expansion_search = effort
    return index.search(data.test, k, threads=data.threads).keys


def build_hnswlib(data):
    import hnswlib

    index = hnswlib.Index(space="l2", dim=data.train.shape[1])
    index.init_index(max_elements=len(data.train), M=16, ef_construction=200, random_seed=0)
    index.set_num_threads(data.threads)
    index.add_items(data.train)
    return index


def search_hnswlib(index, data, k, effort):
    index.set_ef(max(effort, k))
    return index.knn_query(data.test, k=k, num_threads=data.threads)[0]


def build_pynndescent(data):
    from pynndescent import NNDescent

    index = NNDescent(data.train, n_neighbors=30, random_state=0, n_jobs=data.threads)
    index.prepare()
    return index


def search_pynndescent(index, data, k, effort):
    return index.query(data.test, k=k, epsilon=effort / 100.0)[0]


# Serve one decision.


def percentiles(ask, n, rounds):
    for row in range(min(50, n)):
        ask(row)
    seconds = []
    for turn in range(rounds):
        row = turn % n
        start = time.perf_counter()
        ask(row)
        seconds.append(time.perf_counter() - start)
    return {"p50_us": 1e6 * float(np.percentile(seconds, 50)), "p99_us": 1e6 * float(np.percentile(seconds, 99))}


def served(request):
    """The network and the stored examples that hedgerow serves, for the others."""
    widths = request["widths"]
    weights = np.fromfile(request["weights"], dtype=np.float32)
    layers, at = [], 0
    for inputs, outputs in zip(widths, widths[1:]):
        matrix_of = weights[at : at + inputs * outputs].reshape(inputs, outputs)
        at += inputs * outputs
        layers.append((np.ascontiguousarray(matrix_of.T), weights[at : at + outputs].copy()))
        at += outputs
    stored = np.fromfile(request["stored"], dtype=np.float32).reshape(-1, widths[-1])
    return layers, stored, classes(request["stored_labels"])


def torch_served(layers, stored, labels):
    import torch

    class Served(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network = torch_network([layers[0][0].shape[1]] + [bias.shape[0] for _, bias in layers])
            with torch.no_grad():
                for module, (weight, bias) in zip([m for m in self.network if hasattr(m, "weight")], layers):
                    module.weight.copy_(torch.from_numpy(weight))
                    module.bias.copy_(torch.from_numpy(bias))
            self.register_buffer("stored", torch.from_numpy(stored))
            self.register_buffer("labels", torch.from_numpy(labels))

        def forward(self, x):
            return self.labels[torch.cdist(self.network(x), self.stored).argmin(1)]

    return Served().eval()


def serve_torch(kind):
    def run(data, request):
        import torch

        torch.set_num_threads(data.threads)
        layers, stored, labels = served(request)
        queries = torch.from_numpy(data.test * np.float32(request["factor"]))
        module = torch_served(layers, stored, labels)
        with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
            path = os.path.join(folder, "model.pt")
            if kind == "TorchScript":
                torch.jit.freeze(torch.jit.trace(module, queries[:1])).save(path)
                module, load_seconds = timed(lambda: torch.jit.load(path))
            else:
                torch.save(module.state_dict(), path)

                def load():
                    fresh = torch_served(layers, stored, labels)
                    fresh.load_state_dict(torch.load(path))
                    return fresh

                module, load_seconds = timed(load)
            size = os.path.getsize(path)
            if kind == "torch.compile":
                module = torch.compile(module)
            answer = percentiles(lambda row: int(module(queries[row : row + 1])), len(queries), request["rounds"])
            said = module(queries).numpy()
        answer["error_percent"] = 100.0 * float(np.mean(said != data.test_labels))
        return answer | {"load_seconds": load_seconds, "bytes": float(size)}

    return run


def serve_onnx(data, request):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    layers, stored, labels = served(request)
    queries = data.test * np.float32(request["factor"])
    nodes, constants, at = [], [], "x"
    for number, (weight, bias) in enumerate(layers):
        constants += [numpy_helper.from_array(weight, f"w{number}"), numpy_helper.from_array(bias, f"b{number}")]
        nodes.append(helper.make_node("Gemm", [at, f"w{number}", f"b{number}"], [f"g{number}"], transB=1))
        at = f"g{number}"
        if number + 1 < len(layers):
            nodes.append(helper.make_node("Relu", [at], [f"r{number}"]))
            at = f"r{number}"
    # The nearest is the one with the least |s|^2 - 2 x.s.
    constants += [
        numpy_helper.from_array((-2.0 * stored.T).astype(np.float32), "s"),
        numpy_helper.from_array((stored**2).sum(1).astype(np.float32), "n"),
        numpy_helper.from_array(labels, "l"),
    ]
    nodes += [
        helper.make_node("Gemm", [at, "s", "n"], ["d"]),
        helper.make_node("ArgMin", ["d"], ["i"], axis=1, keepdims=0),
        helper.make_node("Gather", ["l", "i"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, layers[0][0].shape[1]])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [None])
    graph = helper.make_graph(nodes, "served", [x], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = data.threads
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        onnx.save(model, path)
        size = os.path.getsize(path)
        session, load_seconds = timed(
            lambda: onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        )
    answer = percentiles(
        lambda row: int(session.run(None, {"x": queries[row : row + 1]})[0][0]), len(queries), request["rounds"]
    )
    said = session.run(None, {"x": queries})[0]
    answer["error_percent"] = 100.0 * float(np.mean(said != data.test_labels))
    return answer | {"load_seconds": load_seconds, "bytes": float(size)}


def serve_sklearn(data, request):
    from sklearn.neural_network import MLPClassifier

    widths = request["widths"]
    # A classifier of the same layers: scikit-learn has no network that ends in a space.
    model = MLPClassifier(tuple(widths[1:]), max_iter=1, random_state=0)
    with np.errstate(all="ignore"):
        model.fit(data.train[:2000], data.train_labels[:2000])
    stored = pickle.dumps(model, protocol=5)
    model, load_seconds = timed(lambda: pickle.loads(stored))
    answer = percentiles(lambda row: int(model.predict(data.test[row : row + 1])[0]), len(data.test), request["rounds"])
    return answer | {"load_seconds": load_seconds, "bytes": float(len(stored))}


PEERS = {
    "raw": {
        "scikit-learn 1-NN, brute": sklearn_neighbors("brute"),
        "scikit-learn 1-NN, kd tree": sklearn_neighbors("kd_tree"),
        "scikit-learn 1-NN, ball tree": sklearn_neighbors("ball_tree"),
        "scikit-learn random forest(50)": random_forest,
        "imbalanced-learn condensed 1-NN": condensed,
        "FAISS flat": faiss_flat,
        "FAISS HNSW(32), ef 64": faiss_hnsw,
        "usearch": usearch_index,
        "hnswlib, ef 64": hnswlib_index,
    },
    "learned": {
        "scikit-learn MLP": sklearn_mlp,
        "scikit-learn NCA + 1-NN": sklearn_nca,
        "PyTorch MLP": torch_mlp,
        "pytorch-metric-learning triplet + FAISS": torch_metric_learning,
    },
    "stream": {
        name: stream(name) for name in ["river KNN", "river KNN, SWINN", "river Hoeffding tree", "river ARF(10)"]
    },
    "neighbors": {
        "FAISS flat": retrieval(build_faiss_flat, lambda index, data, k, _: index.search(data.test, k)[1], [0], faiss_bytes),
        "FAISS HNSW(32)": retrieval(build_faiss_hnsw, search_faiss_hnsw, [10, 20, 40, 80, 160, 320], faiss_bytes),
        "usearch": retrieval(build_usearch, search_usearch, [10, 20, 40, 80, 160, 320], lambda index: index.memory_usage),
        "hnswlib": retrieval(build_hnswlib, search_hnswlib, [10, 20, 40, 80, 160, 320], lambda index: index.index_file_size()),
        "pynndescent": retrieval(build_pynndescent, search_pynndescent, [0, 5, 10, 20, 30, 40], pickled),
    },
    "serve": {
        "PyTorch, eager": serve_torch("eager"),
        "TorchScript, frozen": serve_torch("TorchScript"),
        "torch.compile": serve_torch("torch.compile"),
        "onnxruntime": serve_onnx,
        "scikit-learn MLP": serve_sklearn,
    },
    "grow": {"FAISS flat": faiss_flat},
}

NEEDS_REQUEST = {"learned", "stream", "neighbors", "serve"}


def answer(request):
    run = PEERS[request["question"]][request["method"]]
    data = Data(request)
    limit_threads(data.threads)
    return run(data, request) if request["question"] in NEEDS_REQUEST else run(data)


def versions():
    names = ["scikit-learn", "imbalanced-learn", "faiss-cpu", "usearch", "hnswlib", "river", "pynndescent", "onnxruntime", "torch"]
    names.append("pytorch-metric-learning")
    found = [f"Python {platform.python_version()}", f"numpy {np.__version__}"]
    for name in names:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def main():
    # What libraries print must not come between the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"versions": versions()}), file=answers, flush=True)
    for line in sys.stdin:
        try:
            said = answer(json.loads(line))
        except Exception as error:  # a peer that fails is a row that says so
            said = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
