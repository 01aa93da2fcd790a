"""Indexes of other libraries, as raw.py, grow.py and neighbors.py take them: built, asked and weighed in one way."""

from dataclasses import dataclass
from importlib import import_module
from typing import Callable

import numpy as np

# The same for all that are HNSW. Rows name them.
M, EF_CONSTRUCTION = 16, 200


@dataclass(frozen=True)
class Index:
    """A kind of index. `search` gives the rows of the nearest, and `effort` is the library's own knob."""

    module: str
    build: Callable  # data -> index
    search: Callable  # index, data, k, effort -> rows
    size: Callable  # index -> bytes
    is_compiled_when_run: bool = False

    def prepare(self, data):
        """What is not to be timed: imports, and the compilation of code that is compiled when it is first run."""
        import_module(self.module)
        if self.is_compiled_when_run:
            few = data.first(2000)
            self.search(self.build(few), few, 1, 10)


def build_faiss(make):
    def build(data):
        import faiss

        faiss.omp_set_num_threads(data.threads)
        index = make(faiss, data.train.shape[1])
        index.add(data.train)
        return index

    return build


def faiss_hnsw(faiss, width):
    index = faiss.IndexHNSWFlat(width, M)
    index.hnsw.efConstruction = EF_CONSTRUCTION
    return index


def search_faiss_hnsw(index, data, k, effort):
    index.hnsw.efSearch = effort
    return index.search(data.test, k)[1]


def search_faiss_flat(index, data, k, _effort):
    return index.search(data.test, k)[1]


def size_of_faiss_hnsw(index):
    import faiss

    return len(faiss.serialize_index(index))


def build_usearch(data):
    from usearch.index import Index as Usearch

    index = Usearch(
        ndim=data.train.shape[1], metric="l2sq", dtype="f32", connectivity=M, expansion_add=EF_CONSTRUCTION
    )
    index.add(np.arange(len(data.train), dtype=np.uint64), data.train, threads=data.threads)
    return index


def search_usearch(index, data, k, effort):
    index.expansion_search = effort
    return index.search(data.test, k, threads=data.threads).keys


def build_hnswlib(data):
    import hnswlib

    index = hnswlib.Index(space="l2", dim=data.train.shape[1])
    index.init_index(max_elements=len(data.train), M=M, ef_construction=EF_CONSTRUCTION, random_seed=0)
    index.set_num_threads(data.threads)
    index.add_items(data.train)
    return index


def search_hnswlib(index, data, k, effort):
    index.set_ef(max(effort, k))
    return index.knn_query(data.test, k=k, num_threads=data.threads)[0]


def build_pynndescent(data):
    from pynndescent import NNDescent

    index = NNDescent(
        data.train, n_neighbors=30, random_state=0, n_jobs=data.threads, parallel_batch_queries=data.threads > 1
    )
    index.prepare()
    return index


def search_pynndescent(index, data, k, effort):
    return index.query(data.test, k=k, epsilon=effort / 100.0)[0]


def size_of_pynndescent(index):
    from shared import pickled

    return pickled(index)


def size_of_rows(index):
    """What the rows of a flat index take, which is all that it holds."""
    return index.ntotal * index.code_size


FAISS_FLAT = Index("faiss", build_faiss(lambda faiss, width: faiss.IndexFlatL2(width)), search_faiss_flat, size_of_rows)
# Whole numbers from 0 to 255, one byte each. Distances are the same.
FAISS_FLAT_8_BITS = Index(
    "faiss",
    build_faiss(lambda faiss, width: faiss.IndexScalarQuantizer(width, faiss.ScalarQuantizer.QT_8bit_direct)),
    search_faiss_flat,
    size_of_rows,
)
FAISS_HNSW = Index("faiss", build_faiss(faiss_hnsw), search_faiss_hnsw, size_of_faiss_hnsw)
USEARCH = Index("usearch.index", build_usearch, search_usearch, lambda index: index.memory_usage)
HNSWLIB = Index("hnswlib", build_hnswlib, search_hnswlib, lambda index: index.index_file_size())
PYNNDESCENT = Index("pynndescent", build_pynndescent, search_pynndescent, size_of_pynndescent, True)
