"""The Python side of `hedgerow-bench peers serve`: one decision at a time is served."""

import contextlib
import os
import pickle
import tempfile
import time
import warnings

import numpy as np
from learn import network, unpacked
from shared import answer_requests, classes, mlp_bytes, timed


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
    """The stored examples that hedgerow serves, for the others, and their classes."""
    return np.fromfile(request["stored"], dtype=np.float32).reshape(-1, request["widths"][-1]), classes(
        request["stored_labels"]
    )


def loaded(load, ask):
    """What is loaded, and the milliseconds from nothing to its first answer."""

    def first():
        what = load()
        ask(what)
        return what

    what, seconds = timed(first)
    return what, 1e3 * seconds


def error_percent(said, data):
    return 100.0 * float(np.mean(np.asarray(said) != data.test_labels))


def nothing_compiled(kind):
    """A place in which torch.compile finds nothing that it compiled before, in memory or on the disk."""
    if kind != "torch.compile":
        return contextlib.nullcontext()
    import torch
    from torch._inductor import utils

    torch._dynamo.reset()
    # It was renamed on the way.
    return (getattr(utils, "fresh_cache", None) or utils.fresh_inductor_cache)()


def torch_served(request):
    import torch

    stored, labels = served(request)

    class Served(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.network = network(request["widths"], request["weights"])
            self.register_buffer("stored", torch.from_numpy(stored))
            self.register_buffer("labels", torch.from_numpy(labels))

        def forward(self, x):
            return self.labels[torch.cdist(self.network(x), self.stored).argmin(1)]

    return Served().eval()


def serve_torch(kind):
    def run(data, request):
        import torch

        torch.set_num_threads(data.threads)
        queries = torch.from_numpy(data.scaled(request["factor"]).test)
        module = torch_served(request)
        with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
            path = os.path.join(folder, "model.pt")
            if kind == "TorchScript":
                torch.jit.freeze(torch.jit.trace(module, queries[:1])).save(path)
            else:
                torch.save(module.state_dict(), path)

            def load():
                if kind == "TorchScript":
                    return torch.jit.load(path)
                # Into the module that is there: to make one is not counted.
                module.load_state_dict(torch.load(path))
                return torch.compile(module) if kind == "torch.compile" else module

            with nothing_compiled(kind):
                module_loaded, load_first_ms = loaded(load, lambda module: int(module(queries[:1])))
            size = os.path.getsize(path)
            answer = percentiles(lambda row: int(module_loaded(queries[row : row + 1])), len(queries), request["rounds"])
            answer["error_percent"] = error_percent(module_loaded(queries).numpy(), data)
        held = sum(part.numel() * part.element_size() for part in module.state_dict().values())
        answer |= {"load_first_ms": load_first_ms, "bytes": float(size), "answer_bytes": float(held)}
        return answer | {"stored": float(len(module.stored))}

    return run


def serve_onnx(data, request):
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    layers, (stored, labels) = unpacked(request["widths"], request["weights"]), served(request)
    queries = data.scaled(request["factor"]).test
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
        session, load_first_ms = loaded(
            lambda: onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]),
            lambda session: int(session.run(None, {"x": queries[:1]})[0][0]),
        )
    answer = percentiles(
        lambda row: int(session.run(None, {"x": queries[row : row + 1]})[0][0]), len(queries), request["rounds"]
    )
    answer["error_percent"] = error_percent(session.run(None, {"x": queries})[0], data)
    held = sum(numpy_helper.to_array(constant).nbytes for constant in constants)
    answer |= {"load_first_ms": load_first_ms, "bytes": float(size), "answer_bytes": float(held)}
    return answer | {"stored": float(len(stored))}


# By the file of the data: what is learned once is served in every repeat.
LEARNED = {}


def learned_by_sklearn(data, request):
    """A classifier of the same layers, pickled: scikit-learn has no network that ends in a space."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    path = request["data"]["train"]
    if path not in LEARNED:
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MLPClassifier(tuple(request["widths"][1:]), max_iter=request["epochs"], random_state=0)
        LEARNED[path] = pickle.dumps(model.fit(data.train, data.train_labels), protocol=5)
    return LEARNED[path]


def serve_sklearn(data, request):
    data = data.scaled(request["factor"])
    stored = learned_by_sklearn(data, request)
    model, load_first_ms = loaded(lambda: pickle.loads(stored), lambda model: int(model.predict(data.test[:1])[0]))
    answer = percentiles(lambda row: int(model.predict(data.test[row : row + 1])[0]), len(data.test), request["rounds"])
    answer["error_percent"] = error_percent(model.predict(data.test), data)
    size = float(mlp_bytes(model))
    return answer | {"load_first_ms": load_first_ms, "bytes": size, "answer_bytes": size}


PEERS = {
    "PyTorch, eager": serve_torch("eager"),
    "TorchScript, frozen": serve_torch("TorchScript"),
    "torch.compile": serve_torch("torch.compile"),
    "onnxruntime": serve_onnx,
    "scikit-learn MLP": serve_sklearn,
}


if __name__ == "__main__":
    answer_requests(PEERS, ["torch", "onnxruntime", "scikit-learn"])
