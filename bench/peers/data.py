"""The Python side of `hedgerow-bench data`: reads files as a Python user would, and says how long it took.

Started once. A request is a line of JSON on standard input, {"what": ..., "path": ..., "other": ...}; the answer is a
line of JSON on standard output. The other path is that of the labels, if they are in a file of their own.
What is timed ends with what hedgerow-data gives too: the features as one array in memory, row by row, as float32 or
uint8, and the labels apart. Checksums are computed after the clock has stopped.
"""

import gzip
import json
import platform
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import sklearn
from sklearn.datasets import load_svmlight_file

LABEL = "label"


def from_pandas(frame):
    labels = frame.pop(LABEL).to_numpy()
    return np.ascontiguousarray(frame.to_numpy(dtype=np.float32)), labels


def from_arrow(table, use_threads):
    """By way of pandas: of five ways tried on CSV the fastest for 20 columns, the second for 784 (a fifth behind)."""
    return from_pandas(table.to_pandas(use_threads=use_threads))


def pandas_csv_c(path, _):
    return from_pandas(pd.read_csv(path, engine="c"))


def pandas_csv_pyarrow(path, _):
    return from_pandas(pd.read_csv(path, engine="pyarrow"))


def pyarrow_csv(path, _):
    return from_arrow(pa.csv.read_csv(path), True)


def pyarrow_csv_one_thread(path, _):
    options = pa.csv.ReadOptions(use_threads=False)
    return from_arrow(pa.csv.read_csv(path, read_options=options), False)


def numpy_load(path, _):
    return np.ascontiguousarray(np.load(path)), None


def idx_shape(header):
    """The sizes that the header of an IDX file tells: rows, and all values of a row as one."""
    sizes = np.frombuffer(header[4:], dtype=">u4").astype(int)
    return sizes[:1] if len(sizes) == 1 else (sizes[0], sizes[1:].prod())


def numpy_fromfile(path, labels_path):
    def values(name, header_bytes):
        with open(name, "rb") as file:
            shape = idx_shape(file.read(header_bytes))
        # With an offset: three times as fast as to read the header too and cut it off.
        return np.fromfile(name, dtype=np.uint8, offset=header_bytes).reshape(shape)

    return values(path, 16), values(labels_path, 8)


def gzip_frombuffer(path, labels_path):
    def values(name, header_bytes):
        with gzip.open(name) as file:
            shape = idx_shape(file.read(header_bytes))
            return np.frombuffer(file.read(), dtype=np.uint8).reshape(shape)

    return values(path, 16), values(labels_path, 8)


def parquet_columns(path, _):
    return from_arrow(pa.parquet.read_table(path), True)


def parquet_columns_one_thread(path, _):
    return from_arrow(pa.parquet.read_table(path, use_threads=False), False)


def from_lists(table):
    points = table["point"].combine_chunks()
    width = points.type.list_size
    return points.flatten().to_numpy().reshape(-1, width), table[LABEL].to_numpy()


def parquet_lists(path, _):
    return from_lists(pa.parquet.read_table(path))


def parquet_lists_one_thread(path, _):
    return from_lists(pa.parquet.read_table(path, use_threads=False))


def svmlight(path, _):
    points, labels = load_svmlight_file(path, dtype=np.float32)
    return points.toarray(), labels


SINGLE = [
    pandas_csv_c,
    pyarrow_csv_one_thread,
    numpy_load,
    numpy_fromfile,
    gzip_frombuffer,
    parquet_columns_one_thread,
    parquet_lists_one_thread,
    svmlight,
]
THREADED = [pandas_csv_pyarrow, pyarrow_csv, parquet_columns, parquet_lists]
READERS = {reader.__name__: (reader, 1) for reader in SINGLE}
READERS |= {reader.__name__: (reader, pa.cpu_count()) for reader in THREADED}


def read(what, path, labels):
    reader, threads = READERS[what]
    start = time.perf_counter()
    points, label_values = reader(path, labels)
    seconds = time.perf_counter() - start
    assert points.flags.c_contiguous
    column_sums = points.sum(axis=0, dtype=np.float64)
    return {
        "seconds": seconds,
        "threads": threads,
        "rows": points.shape[0],
        "width": points.shape[1],
        "kind": {"float32": "f32", "uint8": "u8"}[points.dtype.name],
        "sum": float(column_sums.sum()),
        "weighted_sum": float((column_sums * np.arange(1, points.shape[1] + 1)).sum()),
        "label_sum": None if label_values is None else float(label_values.sum(dtype=np.float64)),
    }


def write_parquet(what, path, matrix):
    """Parquet of the rows of an NPY matrix, compressed by snappy, with the row's number modulo 10 as its label."""
    points = np.load(matrix)
    labels = np.arange(len(points), dtype=np.int64) % 10
    if what == "write_parquet_columns":
        columns = {f"f{number}": np.ascontiguousarray(points[:, number]) for number in range(points.shape[1])}
    else:
        columns = {"point": pa.FixedSizeListArray.from_arrays(pa.array(points.reshape(-1)), points.shape[1])}
    pa.parquet.write_table(pa.table(columns | {LABEL: labels}), path, compression="snappy")
    return {}


versions = [f"{module.__name__} {module.__version__}" for module in (np, pd, pa, sklearn)]
print(json.dumps({"versions": ", ".join([f"Python {platform.python_version()}", *versions])}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    act = write_parquet if request["what"].startswith("write_") else read
    print(json.dumps(act(request["what"], request["path"], request["other"])), flush=True)
