"""Explanations, data sets and drawings."""

import html
import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from hedgerow import (
    BoundaryForestClassifier,
    BoundaryForestNeighbors,
    BoundaryForestRegressor,
    BoundarySetClassifier,
    BoundaryTreeClassifier,
    DifferentiableBoundarySet,
    Explanation,
    datasets,
    plot,
)


@pytest.fixture(scope="module")
def digits():
    return datasets.load_optdigits()


@pytest.fixture(scope="module")
def model(digits):
    model = DifferentiableBoundarySet(layers=(40, 8), max_epochs=5, image_shape=digits.image_shape, random_state=0)
    return model.fit(digits.X_train, digits.y_train)


def test_an_explanation_names_who_decided_and_who_nearly_did(model, digits):
    x = digits.X_test[0]
    why = model.explain(x, digits.y_test[0])
    assert isinstance(why, Explanation)
    assert why.prediction == model.predict(x[None])[0]
    voter = why.voters[0]
    assert voter["id"] in model.stored_ids_ and digits.y_train[voter["id"]] == why.prediction
    assert abs(sum(one["weight"] for one in why.voters) - 1) < 1e-9
    assert digits.y_train[why.rival["example"]["id"]] != why.prediction
    probabilities = model.predict_proba(x[None])[0]
    assert why.probabilities[why.prediction] == pytest.approx(probabilities.max())
    assert -why.novelty == model.score_samples(x[None])[0] and 0 <= why.share_farther <= 1
    # The distance is that between representations.
    representations = model.transform(np.stack([x, digits.X_train[voter["id"]]]))
    assert voter["distance"] == pytest.approx(np.linalg.norm(representations[0] - representations[1]), rel=1e-4)


def test_an_explanation_prints_well(model, digits):
    why = model.explain(digits.X_test[0], digits.y_test[0])
    text = str(why)
    assert "Why not" in text and "Novelty" in text and f"said {why.prediction}" in text
    assert repr(why).startswith(f"<Explanation prediction={why.prediction}, rival=")
    plain = why.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    plain["voters"].clear()
    assert why.to_dict()["voters"] and why.voters


def test_a_notebook_shows_pictures_and_is_not_harmed_by_names(model, digits):
    shown = model.explain(digits.X_test[0])._repr_html_()
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert page.count("data:image/png;base64,") >= 3 and "<script" not in page
    hostile = BoundaryTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["<script>", "b"])
    page = hostile.explain([0.0])._repr_html_()
    assert "<script" not in html.unescape(page)


def test_several_rows_are_explained_as_a_list(model, digits):
    several = model.explain(digits.X_test[:3], digits.y_test[:3])
    assert [why.prediction for why in several] == model.predict(digits.X_test[:3]).tolist()
    assert several[1].to_dict()["query"]["source"] == "row 1"


def test_a_forest_shows_the_walk_through_each_tree(digits):
    forest = BoundaryForestClassifier(n_trees=4, random_state=0).fit(digits.X_train[:300], digits.y_train[:300])
    walks = forest.explain(digits.X_test[0]).to_dict()["walks"]
    assert [walk["tree"] for walk in walks] == [0, 1, 2, 3] and all(walk["steps"] for walk in walks)


def test_optdigits_is_in_the_package(digits):
    assert digits.data.shape == (5620, 64) and digits.target.shape == (5620,)
    assert digits.X_test.shape == (1797, 64) and digits.y_test.shape == (1797,)
    assert digits.target_names.tolist() == [str(digit) for digit in range(10)]
    assert digits.attribution and digits.X_validation.shape == (0, 64)


def test_any_data_is_read_by_its_name(tmp_path: Path):
    moons = datasets.load("moons?n=50&noise=0.1&seed=7")
    assert moons.data.shape == (50, 2) and moons.feature_names == ["x", "y"]
    (tmp_path / "a.csv").write_text("height,species\n1.5,cat\n2.5,dog\n3.5,cat\n")
    table = datasets.load(tmp_path / "a.csv")
    assert table.target_names[table.target].tolist() == ["cat", "dog", "cat"] and table.feature_names == ["height"]
    with pytest.raises(FileNotFoundError, match="did you mean"):
        datasets.load("optdigit")
    (tmp_path / "b.csv").write_text("height,species\n1.5,cat\nx,y,z,w\n")
    with pytest.raises(ValueError, match=r"b\.csv"):
        datasets.load(str(tmp_path / "b.csv"))
    for lacking in ("cat", "0.5"):
        (tmp_path / "c.csv").write_text(f"height,label\n1.5,{lacking}\n2.5,\n")
        with pytest.raises(ValueError, match="the value is missing"):
            datasets.load(tmp_path / "c.csv")


def test_standard_sets_are_got_as_the_command_gets_them(monkeypatch, tmp_path):
    # A data directory that cannot be made and no way to get anything: the error names what was tried, and nothing hangs.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEDGEROW_DATA_DIR", str(tmp_path / "file" / "data"))
    for fetch in (datasets.fetch_mnist, datasets.fetch_fashion_mnist):
        with pytest.raises(OSError, match="a file is in the place of a folder"):
            fetch()


@pytest.mark.parametrize(
    ("name", "fetch"), [("mnist", datasets.fetch_mnist), ("fashion-mnist", datasets.fetch_fashion_mnist)]
)
def test_standard_sets_where_they_are_there(name, fetch):
    try:
        read = datasets.load(name)
    except FileNotFoundError:
        pytest.skip(f"{name} is not on this machine; `python -m hedgerow data get {name}` gets it")
    # Got already: nothing is asked of the network.
    got = fetch()
    assert got.X_train.shape == (60000, 784) and got.X_test.shape == (10000, 784)
    assert got.X_train.dtype == np.uint8 and got.image_shape == (28, 28, 1) and len(got.target_names) == 10
    np.testing.assert_array_equal(got.data, read.data)
    np.testing.assert_array_equal(got.target, read.target)


def test_drawings(model, digits, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X, y = digits.X_test[:200], digits.y_test[:200]
    drawings = {
        "map": plot.plot_map(model, X, y),
        "map without labels": plot.plot_map(model, X),
        "tree": plot.plot_tree(model),
        "curve": plot.plot_curve(model),
        "confusion": plot.plot_confusion(model, X, y),
    }
    for name, ax in drawings.items():
        ax.figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000, name
    shown = drawings["map"].get_legend().get_texts()
    assert sum(int(text.get_text().split(": ")[1].split()[0]) for text in shown) == model.n_stored_
    # Nine hundred nodes have no room for texts: a legend counts them. A small tree has them.
    counted = drawings["tree"].get_legend().get_texts()
    assert sum(int(text.get_text().split(": ")[1]) for text in counted) == model.n_stored_ > 300
    small = BoundaryTreeClassifier(random_state=0).fit(X, y)
    assert len(plot.plot_tree(small).texts) == small.n_stored_
    assert len(drawings["curve"].lines[0].get_xdata()) == 5
    assert sum(int(text.get_text()) for text in drawings["confusion"].texts) == 200
    pyplot.close("all")
    flat = BoundaryForestClassifier(n_trees=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="There is no tree 2: the structure has 2 trees"):
        plot.plot_tree(flat, tree=2)


def test_values_and_unlabelled_examples_are_drawn_too():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    X = np.random.default_rng(0).uniform(-2, 2, (60, 2))
    values = np.sin(X[:, 0])
    regressor = BoundaryForestRegressor(n_trees=2, epsilon=0.2, random_state=0).fit(X, values)
    for ax in (plot.plot_map(regressor, X, values), plot.plot_map(regressor, X)):
        dots = ax.collections[-1]
        assert len(dots.get_offsets()) == regressor.n_stored_
        assert set(np.float32(dots.get_array())) <= set(np.float32(values))
    assert plot.plot_tree(regressor).figure.axes[-1].get_ylabel() == "value"
    finder = BoundaryForestNeighbors(n_trees=2, random_state=0).fit(X)
    assert plot.plot_map(finder, X).get_legend().get_texts()[0].get_text() == "60 stored"
    named = BoundaryForestNeighbors(n_trees=2, random_state=0).fit(X, np.where(X[:, 0] > 0, "right", "left"))
    for ax in (plot.plot_map(named, X), plot.plot_map(named, X, np.where(X[:, 0] > 0, "right", "other"))):
        assert [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()] == ["left", "right"]
    assert len(plot.plot_tree(named).get_legend().get_texts()) == 2
    # A class that the model has never seen is no success of it.
    small = BoundaryTreeClassifier(random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    confusion = plot.plot_confusion(small, [[0.0], [1.0], [1.0]], ["a", "b", "new"])
    assert [text.get_text() for text in confusion.get_yticklabels()] == ["a", "b", "new"]
    assert sum(int(text.get_text()) for text in confusion.texts) == 3
    pyplot.close("all")


def test_what_cannot_be_drawn_is_told_of(model, digits):
    X, y = digits.X_test[:20], digits.y_test[:20]
    tree = BoundaryTreeClassifier(random_state=0).fit(X, y)
    regressor = BoundaryForestRegressor(n_trees=2).fit(X, y)
    with pytest.raises(TypeError, match="must be a DifferentiableBoundarySet or DifferentiableBoundaryTree"):
        plot.plot_curve(tree)
    with pytest.raises(TypeError, match="must be a classifier"):
        plot.plot_confusion(regressor, X, y)
    with pytest.raises(TypeError, match="must be an estimator of hedgerow"):
        plot.plot_map("tree", X)
    for wrong in (-1, 1, "a"):
        with pytest.raises(ValueError, match="There is no tree"):
            plot.plot_tree(tree, tree=wrong)
    with pytest.raises(ValueError, match="has 0 trees"):
        plot.plot_tree(BoundarySetClassifier().fit(X, y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot.plot_map(tree, X, y[:3])


def test_labels_of_voters_and_rivals_are_those_of_the_estimator(model, digits):
    why = model.explain(digits.X_test[0])
    assert why.voters[0]["label"] == why.prediction and why.rival["example"]["label"] in model.classes_
    # As data it is what the command line prints.
    assert why.to_dict()["voters"][0]["label"] == str(why.prediction)


def test_the_truth_is_one_for_each_row_and_rows_of_tables_have_names():
    import pandas

    X = np.array([[0.0, 5.0], [1.0, 2.0], [9.0, 1.0]])
    table = pandas.DataFrame(X, columns=["a", "b"])
    model = BoundaryTreeClassifier(random_state=0).fit(table, [0, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.explain(table.iloc[2]).prediction == 1
    with pytest.raises(ValueError, match="feature names"):
        model.explain(table.iloc[2][["b", "a"]])
    plain = BoundaryTreeClassifier(random_state=0).fit(X, [0, 0, 1])
    for y in (1, 1.0, [1]):
        assert "which is right" in str(plain.explain(X[2], y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plain.explain(X, [0, 1])


def test_without_matplotlib_the_rest_works(monkeypatch, model):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.plot_tree(model)


def test_explanations_are_pickled_and_copied(model, digits):
    import copy
    import pickle

    why = model.explain(digits.X_test[0])
    for again in (pickle.loads(pickle.dumps(why)), copy.deepcopy(why), pickle.loads(pickle.dumps(copy.copy(why)))):
        assert again.to_dict() == why.to_dict() and again.to_html() == why.to_html() and repr(again) == repr(why)
        assert "Why not" in str(again) and again.voters == why.voters


def test_a_path_is_a_file_whatever_it_is_called(tmp_path, monkeypatch):
    # Path("./mnist") is written "mnist", which is a standard set.
    monkeypatch.chdir(tmp_path)
    folder = Path("optdigits")
    folder.mkdir()
    (folder / "a.csv").write_text("height,species\n1.5,cat\n2.5,dog\n")
    for path in (folder / "a.csv", (folder / "a.csv").absolute()):
        assert datasets.load(path).data.shape == (2, 1)
    with pytest.raises(FileNotFoundError):
        datasets.load(Path("mnist"))
    assert datasets.load("optdigits").data.shape == (5620, 64)
    folder.rename("moons")
    with pytest.raises(FileNotFoundError):
        datasets.load(Path("optdigits"))
