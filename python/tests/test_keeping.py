"""Models as bytes, as folders, and shared with the command line."""

import copy
import csv
import json
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import assert_same, said
from sklearn.base import clone

import hedgerow
from hedgerow import BoundaryTreeClassifier, _native

# The command that was built beside the package, if it is told; else the one in the package.
COMMAND = [os.environ["HEDGEROW_COMMAND"]] if "HEDGEROW_COMMAND" in os.environ else [sys.executable, "-m", "hedgerow"]


def run(*words):
    """What the command prints."""
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_table(path, X, y=None, names=None):
    """A table as the command line reads it; texts of float32 that are read back to the bit."""
    names = names or [f"f{at}" for at in range(X.shape[1])]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, *(["label"] if y is not None else [])])
        for row, point in enumerate(X):
            writer.writerow([*map(str, point), *([y[row]] if y is not None else [])])


def answers_of_command(folder, X, tmp_path):
    table = tmp_path / "asked.csv"
    write_table(table, X)
    lines = run("predict", folder, "--data", table).splitlines()
    return list(csv.DictReader(lines))


def test_pickles_are_the_model_and_learn_on(estimator, iris):
    X, y = iris
    estimator.fit(X, y).remove(3)
    for again in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        assert_same(said(again, X), said(estimator, X))
        assert again.changes_ == estimator.changes_
        again.partial_fit(X[:1], y[:1])
        assert again.model_.n_changes == 2 and estimator.model_.n_changes == 1


def test_bytes_that_are_damaged_are_refused(iris):
    X, y = iris
    data = BoundaryTreeClassifier(random_state=0).fit(X, y).model_.to_bytes()
    assert data[:8] == b"hedgerow"
    for at, words in (
        (0, "begin with the word"),
        (8, "format"),
        (13, "header"),
        (len(data) // 2, "SHA-256"),
        (len(data) - 1, "SHA-256"),
    ):
        wrong = bytearray(data)
        wrong[at] ^= 0x40
        with pytest.raises(ValueError, match=words):
            _native.Model.from_bytes(bytes(wrong))
    for length in (0, 10, 100, len(data) - 1):
        with pytest.raises(ValueError, match="the bytes of a model"):
            _native.Model.from_bytes(data[:length])


def test_folders_are_the_model_and_its_parameters(estimator, iris, tmp_path):
    X, y = iris
    estimator.fit(X, y).remove(3).save(tmp_path / "model")
    for again in (hedgerow.load(tmp_path / "model"), type(estimator).load(tmp_path / "model")):
        assert type(again) is type(estimator)
        assert_same(said(again, X), said(estimator, X))
        # Fitted anew with the parameters of the model, it is the same model.
        fresh = clone(again).fit(X, y).remove(3)
        np.testing.assert_array_equal(fresh.stored_ids_, estimator.stored_ids_)
        assert fresh.fit_params_ == estimator.fit_params_


def test_loading_keeps_names_and_kinds_of_labels(iris, tmp_path):
    import pandas

    X, y = iris
    table = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    texts = np.array(["3", "2", "1"])[y]
    model = BoundaryTreeClassifier(random_state=0).fit(table, texts).save(tmp_path / "model")
    again = hedgerow.load(tmp_path / "model")
    assert again.classes_.tolist() == [1, 2, 3] and again.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    as_texts = hedgerow.load(tmp_path / "model", classes=["1", "2", "3"])
    np.testing.assert_array_equal(as_texts.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="not those of the model"):
        hedgerow.load(tmp_path / "model", classes=["1", "2", "4"])
    with pytest.raises(ValueError, match="one for BoundaryTreeClassifier, not for BoundarySetClassifier"):
        hedgerow.BoundarySetClassifier.load(tmp_path / "model")


def test_what_is_no_model_is_refused(iris, tmp_path):
    with pytest.raises(FileNotFoundError, match="no model here"):
        hedgerow.load(tmp_path / "nothing")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    model = BoundaryTreeClassifier(random_state=0).fit(*iris)
    with pytest.raises(FileExistsError, match="something else than a model"):
        model.save(tmp_path / "notes")
    model.save(tmp_path / "model")
    config = tmp_path / "model" / "config.json"
    config.write_text(config.read_text().replace('"seed": 0', '"seed": 1'))
    with pytest.raises(ValueError, match="damaged or was changed by hand"):
        hedgerow.load(tmp_path / "model")


def test_changes_that_would_be_lost_are_kept_unless_told_otherwise(iris, tmp_path):
    X, y = iris
    folder = tmp_path / "model"
    BoundaryTreeClassifier(random_state=0).fit(X, y).save(folder)
    attached = hedgerow.load(folder, attach=True)
    attached.partial_fit(X[:1] + 9, ["new"] if attached.classes_.dtype.kind == "U" else [7])
    assert hedgerow.load(folder).classes_.tolist() == [0, 1, 2, 7]
    other = BoundaryTreeClassifier(random_state=1).fit(X, y)
    with pytest.raises(FileExistsError, match="would be lost"):
        other.save(folder)
    other.save(folder, replace=True)
    assert hedgerow.load(folder).classes_.tolist() == [0, 1, 2]


def test_a_journal_that_cannot_be_written_or_read_is_an_os_error(iris, tmp_path):
    # It was a ValueError, as if what was asked for were wrong.
    X, y = iris
    folder = tmp_path / "model"
    fitted = BoundaryTreeClassifier(random_state=0).fit(X, y).save(folder)
    attached = hedgerow.load(folder, attach=True)
    fitted.save(folder, replace=True)
    for change in (
        lambda: attached.remove(3),
        lambda: attached.relabel(3, 1),
        lambda: attached.partial_fit(X[:1], y[:1]),
    ):
        with pytest.raises(OSError, match="another model was saved in this place meanwhile"):
            change()
    again = hedgerow.load(folder, attach=True)
    with pytest.raises(ValueError, match="99999"):
        again.remove(99999)
    (folder / "journal.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(OSError, match=r"journal\.sqlite"):
        _ = again.changes_
    with pytest.raises(ValueError, match="the journal is damaged"):
        hedgerow.load(folder)


def test_the_command_line_reads_models_of_python(classifier, iris, tmp_path):
    X, y = iris
    named = np.array(["setosa", "versicolor", "virginica"])[y]
    import pandas

    table = pandas.DataFrame(X, columns=[f"f{at}" for at in range(4)])
    classifier.fit(table, named).remove(7).save(tmp_path / "model")
    rows = answers_of_command(tmp_path / "model", X, tmp_path)
    assert [row["prediction"] for row in rows] == classifier.predict(table).tolist()
    best = classifier.predict_proba(table).max(axis=1)
    np.testing.assert_allclose([float(row["probability"]) for row in rows], best, rtol=1e-6)
    shown = json.loads(run("explain", tmp_path / "model", "--data", tmp_path / "asked.csv", "--row", 0, "--json"))
    why = classifier.explain(table.iloc[:1])[0].to_dict()
    assert shown["voters"] == why["voters"] and shown["rival"] == why["rival"]


def test_the_command_line_reads_values_and_neighbors_of_python(iris, tmp_path):
    X, _ = iris
    regressor = hedgerow.BoundaryForestRegressor(n_trees=5, epsilon=0.1, random_state=0).fit(X, X[:, 0] * X[:, 2])
    regressor.save(tmp_path / "values")
    rows = answers_of_command(tmp_path / "values", X, tmp_path)
    np.testing.assert_array_equal(np.float32([row["prediction"] for row in rows]), np.float32(regressor.predict(X)))
    # Where every node is looked at, both find the exact neighbors.
    finder = hedgerow.BoundaryForestNeighbors(effort=None, random_state=0).fit(X).save(tmp_path / "finder")
    lines = run(
        "neighbors", tmp_path / "finder", "--data", tmp_path / "asked.csv", "--neighbors", 3, "--effort", "full"
    ).splitlines()
    found = np.array([int(row["example"]) for row in csv.DictReader(lines)]).reshape(-1, 3)
    np.testing.assert_array_equal(found, finder.kneighbors(X, 3)[1])


FITS = {
    "tree": ["--method", "none", "--structure", "tree"],
    "forest": ["--method", "none", "--structure", "forest", "--trees", "5"],
    "set": ["--method", "none", "--structure", "set"],
    "knn": ["--method", "none", "--structure", "knn"],
    "dbs": ["--layers", "16,4", "--epochs", "20"],
    "dbt": ["--method", "dbt-v1", "--layers", "16,4", "--epochs", "2", "--structure", "forest"],
    "dbt-v2": ["--method", "dbt-v2", "--layers", "16,4", "--epochs", "2"],
    "soft-nn": ["--method", "soft-nn", "--layers", "16,4", "--epochs", "20", "--structure", "knn"],
    "triplet": ["--method", "triplet", "--layers", "16,4", "--epochs", "20"],
    "siamese": ["--method", "siamese", "--layers", "16,4", "--epochs", "20"],
    "classifier": ["--method", "classifier", "--layers", "16,4", "--epochs", "20"],
    "random-set": ["--method", "random-set", "--layers", "16,4", "--epochs", "20"],
}


@pytest.mark.parametrize("flags", FITS.values(), ids=FITS)
def test_python_reads_models_of_the_command_line(iris, tmp_path, flags):
    X, y = iris
    named = np.array(["setosa", "versicolor", "virginica"])[y]
    write_table(tmp_path / "flowers.csv", X, named)
    run("fit", "--data", tmp_path / "flowers.csv", "--out", tmp_path / "model", "--seed", 3, "--quiet", *flags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = hedgerow.load(tmp_path / "model")
    import pandas

    table = pandas.DataFrame(X, columns=[f"f{at}" for at in range(4)])
    rows = answers_of_command(tmp_path / "model", X, tmp_path)
    assert model.predict(table).tolist() == [row["prediction"] for row in rows]
    best = model.predict_proba(table).max(axis=1)
    np.testing.assert_allclose([float(row["probability"]) for row in rows], best, rtol=1e-6)
    assert model.random_state == 3 and model.feature_names_in_.tolist() == list(table.columns)


def test_the_same_fit_gives_the_same_model_on_both_sides(iris, tmp_path):
    import pandas

    X, y = iris
    named = np.array(["setosa", "versicolor", "virginica"])[y]
    write_table(tmp_path / "flowers.csv", X, named)
    run("fit", "--data", tmp_path / "flowers.csv", "--out", tmp_path / "model", "--seed", 5, "--epochs", 20, "--quiet")
    table = pandas.DataFrame(X, columns=[f"f{at}" for at in range(4)])
    # The command line numbers classes in the order of the file, which is the alphabet's here.
    model = hedgerow.DifferentiableBoundarySet(max_epochs=20, random_state=5).fit(table, named)
    assert_same(said(hedgerow.load(tmp_path / "model"), table), said(model, table))
    assert hedgerow.load(tmp_path / "model").fit_params_ == model.fit_params_


def test_a_structure_that_the_class_does_not_build_is_told_of(iris, tmp_path):
    X, y = iris
    write_table(tmp_path / "flowers.csv", X, y)
    run(
        "fit",
        "--data",
        tmp_path / "flowers.csv",
        "--label-kind",
        "classes",
        "--out",
        tmp_path / "model",
        "--quiet",
        *FITS["knn"],
    )
    with pytest.warns(UserWarning, match=r"structure.kind is 'knn'.*fit would make another") as told:
        hedgerow.load(tmp_path / "model")
    # It points at the line that loads.
    assert told[0].filename == __file__


@pytest.mark.parametrize("max_children", [1, 2**31])
def test_numbers_of_children_that_only_the_command_line_took_are_read(iris, tmp_path, max_children):
    # Models with them could not be loaded.
    X, y = iris
    write_table(tmp_path / "flowers.csv", X, np.array(["setosa", "versicolor", "virginica"])[y])
    words = ["--data", tmp_path / "flowers.csv", "--out", tmp_path / "model", "--max-children", max_children, "--quiet"]
    run("fit", *words, *FITS["forest"])
    if max_children == 1:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = hedgerow.load(tmp_path / "model")
    else:
        with pytest.warns(UserWarning, match=r"max_children is 2147483648; .*fit would make another"):
            model = hedgerow.load(tmp_path / "model")
    assert model.max_children == max_children
    import pandas

    table = pandas.DataFrame(X, columns=[f"f{at}" for at in range(4)])
    rows = answers_of_command(tmp_path / "model", X, tmp_path)
    assert model.predict(table).tolist() == [row["prediction"] for row in rows]


@pytest.mark.parametrize("preset", ["fast", "paper", "best", "best-shifted"])
def test_a_preset_is_found_again_and_nothing_is_told_of_it(tmp_path, preset):
    digits = hedgerow.datasets.load_optdigits()
    X, y = digits.X_train[:300], digits.y_train[:300]
    model = hedgerow.DifferentiableBoundarySet(
        preset=preset, layers=(16, 4), max_epochs=4, image_shape=digits.image_shape, structure="forest", random_state=0
    )
    model.fit(X, y).save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = hedgerow.load(tmp_path / "model")
    assert again.preset == preset
    assert clone(again).fit(X, y).fit_params_ == model.fit_params_


def test_editing_is_that_of_the_command_and_is_read_again(iris, tmp_path):
    X, y = iris
    write_table(tmp_path / "flowers.csv", X, y)
    flags = ["--layers", "16,4", "--epochs", "3", "--editing", "9", "--quiet"]
    run("fit", "--data", tmp_path / "flowers.csv", "--out", tmp_path / "model", *flags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = hedgerow.load(tmp_path / "model")
    assert model.editing_neighbors == 9 and model.model_.n_shown < model.model_.n_fitted == len(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.model_.n_shown == model.model_.n_shown
    left_out = sorted(set(range(len(X))) - set(model.model_.kept_ids.tolist()))
    with pytest.raises(ValueError, match=str(left_out[0])):
        model.remove(left_out[:1])


def test_the_package_runs_the_command_line():
    words = [sys.executable, "-m", "hedgerow"]
    done = subprocess.run([*words, "data", "list", "--json"], capture_output=True, text=True, check=True)
    assert "optdigits" in done.stdout
    refused = subprocess.run([*words, "dta"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "data" in refused.stderr


def test_a_method_that_its_preset_has_for_other_sizes_is_read(tmp_path):
    # From 10,000 examples on the preset "best" learns by triplets, which have no sigma; the model was refused.
    X = np.random.default_rng(0).normal(size=(10_000, 2)).astype(np.float32)
    write_table(tmp_path / "points.csv", X, np.where(X[:, 0] > 0, "right", "left"))
    flags = ["--method", "soft-nn", "--layers", "4,2", "--epochs", "1", "--quiet"]
    run("fit", "--data", tmp_path / "points.csv", "--out", tmp_path / "model", *flags)
    with pytest.warns(UserWarning, match=r"\(learning.method.method is 'soft-nn'\).*fit would make another"):
        model = hedgerow.load(tmp_path / "model")
    assert model.sigma is None
    import pandas

    table = pandas.DataFrame(X[:50], columns=["f0", "f1"])
    rows = answers_of_command(tmp_path / "model", X[:50], tmp_path)
    assert model.predict(table).tolist() == [row["prediction"] for row in rows]


def test_python_reads_values_and_neighbors_of_the_command_line(iris, tmp_path):
    import pandas

    X, y = iris
    table = pandas.DataFrame(X, columns=[f"f{at}" for at in range(4)])
    write_table(tmp_path / "values.csv", X, X[:, 0] * X[:, 2])
    flags = ["--method", "none", "--structure", "forest", "--trees", "5", "--quiet"]
    run("fit", "--task", "regress", "--data", tmp_path / "values.csv", "--out", tmp_path / "values", *flags)
    model = hedgerow.load(tmp_path / "values")
    assert isinstance(model, hedgerow.BoundaryForestRegressor)
    rows = answers_of_command(tmp_path / "values", X, tmp_path)
    np.testing.assert_array_equal(np.float32([row["prediction"] for row in rows]), np.float32(model.predict(table)))
    write_table(tmp_path / "flowers.csv", X, np.array(["a", "b", "c"])[y])
    run("fit", "--task", "retrieve", "--data", tmp_path / "flowers.csv", "--out", tmp_path / "finder", *flags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        finder = hedgerow.load(tmp_path / "finder").set_params(effort=None)
    assert isinstance(finder, hedgerow.BoundaryForestNeighbors) and finder.classes_.tolist() == ["a", "b", "c"]
    words = ["--data", tmp_path / "asked.csv", "--neighbors", 3, "--effort", "full"]
    lines = run("neighbors", tmp_path / "finder", *words).splitlines()
    found = np.array([int(row["example"]) for row in csv.DictReader(lines)]).reshape(-1, 3)
    np.testing.assert_array_equal(found, finder.kneighbors(table, 3)[1])


def test_classes_that_another_program_brings_are_taken(iris, tmp_path):
    # They were met with a KeyError, after the change was on disk.
    X, y = iris
    folder = tmp_path / "model"
    BoundaryTreeClassifier(random_state=0).fit(X, y).save(folder)
    one, other = hedgerow.load(folder, attach=True), hedgerow.load(folder, attach=True)
    other.partial_fit(X[:1] + 50, [7])
    one.partial_fit(X[:1] + 90, [9])
    assert one.classes_.tolist() == [0, 1, 2, 7, 9] and one.classes_.dtype == y.dtype
    assert one.predict(np.concatenate([X[:1] + 50, X[:1] + 90])).tolist() == [7, 9]
    # To remove something is to catch up, too.
    other.remove(0)
    assert other.classes_.tolist() == [0, 1, 2, 7, 9]
    assert other.predict(np.concatenate([X[:1] + 50, X[:1] + 90])).tolist() == [7, 9]
    assert hedgerow.load(folder).classes_.tolist() == [0, 1, 2, 7, 9]


def test_classes_of_another_kind_that_another_program_brings_make_all_texts(iris, tmp_path):
    X, y = iris
    folder = tmp_path / "model"
    BoundaryTreeClassifier(random_state=0).fit(X, y).save(folder)
    one, other = (hedgerow.load(folder, classes=kind, attach=True) for kind in (None, ["0", "1", "2"]))
    other.partial_fit(X[:1] + 50, ["cat"])
    one.remove(0)
    with pytest.warns(UserWarning, match="all its classes are texts") as told:
        assert one.predict(X[:1] + 50).tolist() == ["cat"]
    # It pointed at the line of predict that looks classes up.
    assert told[0].filename == __file__
    assert one.classes_.tolist() == ["0", "1", "2", "cat"]


def test_the_shape_of_pictures_is_kept_by_every_model(estimator, tmp_path):
    digits = hedgerow.datasets.load_optdigits()
    estimator.set_params(image_shape=(8, 8)).fit(digits.X_train[:100], digits.y_train[:100]).save(tmp_path / "model")
    assert hedgerow.load(tmp_path / "model").image_shape == (8, 8, 1)


def test_pickles_of_versions_with_fewer_parameters_have_the_defaults(estimator, iris):
    X, y = iris
    state = dict(estimator.fit(X, y).__getstate__())
    del state["metric"]
    if "_classes" in state:
        state["classes_"] = state.pop("_classes")
        del state["_spelled"]
    again = type(estimator).__new__(type(estimator))
    again.__setstate__(state)
    assert again.metric == "euclidean" and repr(again) == repr(estimator)
    assert_same(said(again, X), said(estimator, X))
    assert again.partial_fit(X[:1], y[:1]).model_.n_changes == 1
