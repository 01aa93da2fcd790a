"""Explanations, data sets and drawings."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

from hedgerow import (
    BoundaryForestClassifier,
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
    table = datasets.load(str(tmp_path / "a.csv"))
    assert table.target_names[table.target].tolist() == ["cat", "dog", "cat"] and table.feature_names == ["height"]
    with pytest.raises(FileNotFoundError, match="did you mean"):
        datasets.load("optdigit")
    (tmp_path / "b.csv").write_text("height,species\n1.5,cat\nx,y,z,w\n")
    with pytest.raises(ValueError, match=r"b\.csv"):
        datasets.load(str(tmp_path / "b.csv"))


def test_standard_sets_are_got_as_the_command_gets_them(monkeypatch, tmp_path):
    # A data directory that cannot be made and no way to get anything: the error names what was tried, and nothing hangs.
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEDGEROW_DATA_DIR", str(tmp_path / "file" / "data"))
    for fetch in (datasets.fetch_mnist, datasets.fetch_fashion_mnist):
        with pytest.raises(OSError, match="data"):
            fetch()


def test_mnist_where_it_is_there():
    try:
        mnist = datasets.load("mnist")
    except FileNotFoundError:
        pytest.skip("mnist is not on this machine; `python -m hedgerow data get mnist` gets it")
    assert mnist.X_train.shape == (60000, 784) and mnist.X_train.dtype == np.uint8 and mnist.image_shape == (28, 28, 1)


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
    assert len(drawings["tree"].texts) == model.n_stored_
    assert len(drawings["curve"].lines[0].get_xdata()) == 5
    assert sum(int(text.get_text()) for text in drawings["confusion"].texts) == 200
    pyplot.close("all")
    flat = BoundaryForestClassifier(n_trees=2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="There is no tree 2: the structure has 2 trees"):
        plot.plot_tree(flat, tree=2)


def test_without_matplotlib_the_rest_works(monkeypatch, model):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.plot_tree(model)
