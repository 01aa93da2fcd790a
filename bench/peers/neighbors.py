"""The Python side of `hedgerow-bench peers neighbors`: neighbors are retrieved."""

import indexes
import numpy as np
from shared import answer_requests, timed


def recall(found, truth):
    hits = [len(set(row) & set(true)) for row, true in zip(found.tolist(), truth.tolist())]
    return 100.0 * sum(hits) / truth.size


def retrieval(kind, efforts):
    """Builds once. Each effort is asked once to warm up, then as often as there are repeats."""

    def run(data, request):
        k = request["k"]
        truth = np.fromfile(request["truth"], dtype=np.uint32).reshape(-1, k)[: len(data.test)]
        kind.prepare(data)
        index, train_seconds = timed(lambda: kind.build(data))
        curve = []
        for effort in efforts:
            found = kind.search(index, data, k, effort)
            seconds = [timed(lambda: kind.search(index, data, k, effort))[1] for _ in range(request["repeats"])]
            curve.append({"effort": effort, "query_seconds": seconds, "recall_percent": recall(np.asarray(found), truth)})
        return {"train_seconds": train_seconds, "bytes": float(kind.size(index)), "curve": curve}

    return run


LENGTHS = [10, 20, 40, 80, 160, 320]

PEERS = {
    "FAISS flat": retrieval(indexes.FAISS_FLAT, [0]),
    "FAISS HNSW (M 16, efConstruction 200)": retrieval(indexes.FAISS_HNSW, LENGTHS),
    "usearch (M 16, efConstruction 200)": retrieval(indexes.USEARCH, LENGTHS),
    "hnswlib (M 16, efConstruction 200)": retrieval(indexes.HNSWLIB, LENGTHS),
    "pynndescent (30 neighbors)": retrieval(indexes.PYNNDESCENT, [0, 5, 10, 20, 30, 40]),
}


if __name__ == "__main__":
    answer_requests(PEERS, ["faiss-cpu", "usearch", "hnswlib", "pynndescent"])
