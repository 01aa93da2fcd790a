"""How arrays come in: without a copy where that can be, and right in every layout."""

import numpy as np
import pytest
from conftest import assert_same, said

from hedgerow import BoundaryTreeClassifier, _native


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("is_writable", [True, False])
def test_c_order_is_looked_at_where_it_lies(dtype, is_writable):
    X = (np.arange(60).reshape(20, 3) % 7).astype(dtype)
    X.flags.writeable = is_writable
    model = BoundaryTreeClassifier(random_state=0).fit(X, np.arange(20) % 2)
    points = model._points(X, reset=False)
    assert points.__array_interface__["data"] == X.__array_interface__["data"]
    assert _native.Model.address(points) == X.ctypes.data


def test_the_engine_refuses_columns_that_would_pass_for_rows():
    # Pitfall 1: a Fortran-order array is contiguous, and its numbers in memory are not its rows.
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert _native.Model.address(rows) == rows.ctypes.data
    with pytest.raises(ValueError, match="C order"):
        _native.Model.address(np.asfortranarray(rows))
    with pytest.raises(ValueError, match="C order"):
        _native.Model.address(np.repeat(rows, 2, axis=1)[:, ::2])
    for wrong in (rows.astype(np.float64), rows[0], rows.tolist()):
        with pytest.raises(TypeError, match="float32 or uint8"):
            _native.Model.address(wrong)


def test_every_layout_gives_the_same_answers(classifier, iris):
    X, y = iris
    expected = said(classifier.fit(X, y), X)
    strided = np.repeat(X, 2, axis=0)[::2]
    reversed_twice = X[:, ::-1].copy()[:, ::-1]
    buffer = np.zeros(X.nbytes + 1, dtype=np.uint8)
    unaligned = buffer[1:].view(np.float32).reshape(X.shape)
    unaligned[...] = X
    assert not unaligned.flags.aligned
    for other in (np.asfortranarray(X), strided, reversed_twice, unaligned, X.astype(np.float64), X.tolist()):
        assert_same(said(classifier, other), expected)
        assert_same(said(classifier.fit(other, y), X), expected)


def test_tables_of_pandas_and_polars_are_columns_and_come_out_right(classifier, iris):
    # Pitfall 1 again: both hand over Fortran order.
    import pandas
    import polars

    X, y = iris
    expected = said(classifier.fit(X, y), X)
    names = ["sl", "sw", "pl", "pw"]
    for table in (pandas.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        classifier.fit(table, y)
        assert list(classifier.feature_names_in_) == names
        assert_same(said(classifier, table), expected)
        with pytest.raises(ValueError, match="feature names"):
            classifier.predict(table[names[::-1]])


def test_bytes_stay_bytes_and_answer_as_numbers_do():
    X = np.random.default_rng(0).integers(0, 256, (80, 6), dtype=np.uint8)
    y = X[:, 0] > 127
    model = BoundaryTreeClassifier(random_state=0).fit(X, y)
    assert model.model_.takes_bytes
    np.testing.assert_array_equal(model.predict(X), model.predict(X.astype(float)))
    plain = BoundaryTreeClassifier(random_state=0, scaling=None).fit(X.astype(float), y)
    np.testing.assert_array_equal(model.stored_ids_, plain.stored_ids_)
    with pytest.raises(ValueError, match=r"0 to 255.*whole numbers"):
        model.predict(X + 0.5)


def test_embedding_columns_of_arrow_come_in_without_a_copy():
    pyarrow = pytest.importorskip("pyarrow")
    flat = pyarrow.array(np.arange(40, dtype=np.float32))
    column = pyarrow.FixedSizeListArray.from_arrays(flat, 4)
    X = column.flatten().to_numpy(zero_copy_only=True).reshape(-1, 4)
    assert _native.Model.address(X) == X.ctypes.data


def test_numbers_that_no_model_can_take_are_told_of(estimator, iris):
    X, y = iris
    for bad, words in (
        (np.nan, "NaN"),
        (np.inf, "infinity"),
        (1e300, "infinity|too large"),
        (1e16, "1e16|1e+16|row 3"),
    ):
        wrong = X.astype(np.float64)
        wrong[3, 1] = bad
        with pytest.raises(ValueError, match=words):
            estimator.fit(wrong, y)
