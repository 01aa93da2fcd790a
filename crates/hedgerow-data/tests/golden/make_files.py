"""Writes the files that `golden.rs` reads, with the libraries that users of Python have.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python make_files.py

Every value is a function of its row and column (`value`, `species`), which the test repeats: nothing is random, and the
test needs no Python. Running the script again gives the same bytes with the same versions.
"""

import gzip
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.datasets import dump_svmlight_file

FILES = Path(__file__).parent / "files"
ROWS, WIDTH = 12, 5
SPECIES = ["iris", "rose", "tulip"]


def value(row, column):
    """Exact in every number type but bytes: a multiple of 1/8 between -3 and 16."""
    return (row * 7 + column * 3) % 20 - 3 + ((row + column) % 8) / 8


def byte(row, column):
    return (row * 37 + column * 11) % 256


def species(row):
    return SPECIES[row * 5 % 3]


def matrix(of, dtype):
    return np.array([[of(row, column) for column in range(WIDTH)] for row in range(ROWS)], dtype)


def npy():
    floats = matrix(value, "f8")
    whole = np.floor(floats)
    for name in ["<f4", "<f8", ">f4", ">f8"]:
        np.save(FILES / f"c_{'le' if name[0] == '<' else 'be'}_{name[1:]}.npy", floats.astype(name))
    for name in ["i1", "<i2", "<i4", "<i8", ">i4"]:
        np.save(FILES / f"whole_{name.strip('<>')}{'_be' if name[0] == '>' else ''}.npy", whole.astype(name))
    for name in ["u2", "u4", "u8"]:
        np.save(FILES / f"whole_{name}.npy", matrix(byte, name))
    np.save(FILES / "bytes.npy", matrix(byte, "u1"))
    np.save(FILES / "bool.npy", matrix(byte, "u1") % 2 == 0)
    np.save(FILES / "fortran_f4.npy", np.asfortranarray(floats.astype("f4")))
    np.save(FILES / "fortran_bytes.npy", np.asfortranarray(matrix(byte, "u1")))
    pictures = np.array([[[byte(row, 4 * y + x) for x in range(4)] for y in range(3)] for row in range(ROWS)], "u1")
    np.save(FILES / "pictures.npy", pictures)
    np.save(FILES / "fortran_pictures.npy", np.asfortranarray(pictures))
    labels = np.array([row * 5 % 3 for row in range(ROWS)])
    np.save(FILES / "labels_i8.npy", labels)
    np.save(FILES / "labels_text.npy", np.array([species(row) for row in range(ROWS)]))
    np.savez(FILES / "keras.npz", x_train=pictures[:8], y_train=labels[:8], x_test=pictures[8:], y_test=labels[8:])
    np.savez_compressed(FILES / "compressed.npz", X=floats.astype("f4"), y=labels)


def idx():
    pictures = np.load(FILES / "pictures.npy")
    labels = np.load(FILES / "labels_i8.npy").astype("u1")

    def write(name, array, compress):
        header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
        data = header + array.tobytes()
        (FILES / "mnist" / name).write_bytes(gzip.compress(data, mtime=0) if compress else data)

    (FILES / "mnist").mkdir(exist_ok=True)
    write("train-images-idx3-ubyte.gz", pictures[:8], True)
    write("train-labels-idx1-ubyte.gz", labels[:8], True)
    write("t10k-images-idx3-ubyte", pictures[8:], False)
    write("t10k-labels-idx1-ubyte", labels[8:], False)


def frame():
    data = {f"x{column}": [value(row, column) for row in range(ROWS)] for column in range(WIDTH)}
    data["color"] = [["red", "green"][row % 2] for row in range(ROWS)]
    data["species"] = [species(row) for row in range(ROWS)]
    return pd.DataFrame(data)


def tables():
    data = frame()
    data.to_csv(FILES / "pandas.csv", index=False)
    data.to_csv(FILES / "pandas_index.csv.gz", compression={"method": "gzip", "mtime": 0})
    data.to_csv(FILES / "pandas.tsv", sep="\t", index=False, quoting=1, lineterminator="\r\n")
    np.savetxt(FILES / "savetxt.csv", np.c_[matrix(value, "f8"), np.arange(ROWS) % 3], delimiter=",")
    np.savetxt(FILES / "savetxt.txt", np.c_[matrix(value, "f8"), np.arange(ROWS) % 3], fmt="%g")
    data.to_parquet(FILES / "pandas.parquet", engine="pyarrow")
    indexed = data.set_axis([f"plant {row}" for row in range(ROWS)])
    indexed.to_parquet(FILES / "pandas_index.parquet", engine="pyarrow")
    numbered = pd.DataFrame(np.c_[matrix(value, "f8"), np.arange(ROWS) % 3])
    numbered.to_csv(FILES / "numbered.csv", index=False)
    numbered.to_csv(FILES / "numbered_index.csv")
    data.astype({"color": "category", "species": "category"}).to_parquet(FILES / "category.parquet", compression="gzip")
    floats = matrix(value, "f4")
    names = pa.array([species(row) for row in range(ROWS)])
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(floats.ravel()), WIDTH)
    lists = pa.array(floats.tolist(), pa.list_(pa.float64()))
    pixels = pa.FixedSizeListArray.from_arrays(pa.array(matrix(byte, "u1").ravel()), WIDTH)
    for kind, column in [("fixed", fixed), ("list", lists), ("pixels", pixels)]:
        for codec in ["none", "snappy", "zstd", "lz4", "brotli"] if kind == "fixed" else ["snappy"]:
            name = f"{kind}_{codec}.parquet" if kind == "fixed" else f"{kind}.parquet"
            pq.write_table(pa.table({"embedding": column, "label": names}), FILES / name, compression=codec, row_group_size=5)
    numbers = {
        "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(), "u8": pa.uint8(), "u16": pa.uint16(),
        "u32": pa.uint32(), "u64": pa.uint64(), "f32": pa.float32(), "f64": pa.float64(),
    }
    columns = {name: pa.array([row * (at + 1) % 100 for row in range(ROWS)], kind) for at, (name, kind) in enumerate(numbers.items())}
    columns["bool"] = pa.array([row % 2 == 0 for row in range(ROWS)])
    columns["label"] = pa.array([value(row, 0) for row in range(ROWS)])
    pq.write_table(pa.table(columns), FILES / "numbers.parquet")
    gaps = pa.table({"x": pa.array([1.5, None, 2.5, 3.5]), "label": pa.array(["a", "b", None, "b"])})
    pq.write_table(gaps, FILES / "gaps.parquet")


def svmlight():
    floats = matrix(value, "f8")
    sparse = np.where(floats > 8, floats, 0)
    labels = np.array([row * 5 % 3 for row in range(ROWS)])
    dump_svmlight_file(sparse, labels, str(FILES / "one_based.svm"), zero_based=False, comment="rows of golden.rs")
    dump_svmlight_file(sparse, labels, str(FILES / "zero_based.svm"), zero_based=True)
    dump_svmlight_file(sparse, floats[:, 0], str(FILES / "values.svm"), zero_based=False, query_id=labels)


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    npy()
    idx()
    tables()
    svmlight()
    print(f"{sum(1 for _ in FILES.rglob('*'))} files in {FILES.name}")
