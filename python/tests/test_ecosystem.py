"""With the rest of scikit-learn: pipelines, searches, tables out."""

import io
import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hedgerow import (
    BoundaryForestClassifier,
    BoundaryForestNeighbors,
    BoundarySetClassifier,
    DifferentiableBoundarySet,
    DifferentiableBoundaryTree,
    _native,
)


def test_a_pipeline_ends_with_any_of_them(estimator, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=3), estimator).fit(X, y)
    assert pipeline[-1].n_features_in_ == 3
    assert np.isfinite(pipeline.score_samples(X)).all()


def test_a_learned_space_is_a_step_of_a_pipeline(iris):
    X, y = iris
    learned = DifferentiableBoundarySet(layers=(32, 2), max_epochs=400, random_state=0)
    pipeline = make_pipeline(learned, LogisticRegression()).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert pipeline[:-1].get_feature_names_out().tolist() == [f"differentiableboundaryset{at}" for at in (0, 1)]


def test_parameters_are_searched(iris):
    X, y = iris
    grid = GridSearchCV(
        BoundarySetClassifier(random_state=0), {"n_neighbors": [1, 3], "metric": ["cosine", "euclidean"]}, cv=3
    )
    assert grid.fit(X, y).best_score_ > 0.85
    assert len(cross_val_predict(grid.best_estimator_, X, y, method="predict_proba")) == len(X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_representations_come_out_as_tables(iris, library):
    frames = pytest.importorskip(library)
    X, y = iris
    model = DifferentiableBoundarySet(layers=(16, 3), max_epochs=5, random_state=0).set_output(transform=library)
    table = model.fit(X, y).transform(X)
    assert isinstance(table, frames.DataFrame)
    assert list(table.columns) == [f"differentiableboundaryset{at}" for at in range(3)]
    plain = clone(model).set_output(transform="default").fit(X, y).transform(X)
    np.testing.assert_array_equal(table.to_numpy(), plain)
    assert plain.dtype == np.float32


def test_the_same_seed_gives_the_same_model_and_another_another(iris):
    X, y = iris
    fit = lambda seed: DifferentiableBoundarySet(layers=(16, 4), max_epochs=3, random_state=seed).fit(X, y).transform(X)  # noqa: E731
    np.testing.assert_array_equal(fit(3), fit(3))
    assert not np.array_equal(fit(3), fit(4))
    np.testing.assert_array_equal(fit(np.random.RandomState(1)), fit(np.random.RandomState(1)))


@pytest.mark.parametrize("preset", ["fast", "paper", "best", "best-shifted"])
def test_presets_are_those_of_the_engine(preset):
    from hedgerow.datasets import load_optdigits

    digits = load_optdigits()
    model = DifferentiableBoundarySet(preset=preset, max_epochs=4, image_shape=digits.image_shape, random_state=0)
    model.fit(digits.X_train[:400], digits.y_train[:400])
    learning = model.fit_params_["learning"]
    assert learning["epochs"] == 4 and len(model.learning_curve_) == 4
    assert (learning["method"]["method"] == "soft-nn") == preset.startswith("best")
    assert learning["augmentation"] == {"best": [{"drop": 0.1}], "best-shifted": [{"shift": 1}]}.get(preset, [])
    # A half of the epochs, as of the number that the preset has.
    assert learning["clean_epochs"] == (2 if preset.startswith("best") else 0)


def test_examples_that_their_neighbors_outvote_are_left_out(iris):
    X, y = iris
    fit = lambda n: DifferentiableBoundarySet(  # noqa: E731
        layers=(16, 4), max_epochs=3, editing_neighbors=n, structure="knn", random_state=0
    ).fit(X, y)
    plain, edited = fit(None), fit(9)
    assert plain.n_stored_ == len(X) and fit(0).n_stored_ == len(X)
    # The same space, in which scikit-learn finds the neighbors of each row.
    space = plain.transform(X).astype(np.float64)
    np.testing.assert_array_equal(space, edited.transform(X))
    around = NearestNeighbors(n_neighbors=10).fit(space).kneighbors()[1][:, :9]
    counts = np.stack([(y[around] == name).sum(axis=1) for name in np.unique(y)], axis=1)
    own = (y[around] == y[:, None]).sum(axis=1)
    assert edited.n_stored_ == (own == counts.max(axis=1)).sum() < len(X)
    with pytest.raises(ValueError, match="editing_neighbors"):
        fit(-1)
    assert [_native.preset_editing("best", n) for n in (9_999, 10_000)] == [None, 100]
    assert _native.preset_editing("best-shifted", 10_000) is None


def test_best_shifted_without_the_shape_of_pictures_is_told_of():
    from hedgerow.datasets import load_optdigits

    digits = load_optdigits()
    X, y = digits.X_train[:200], digits.y_train[:200]
    model = DifferentiableBoundarySet(preset="best-shifted", layers=(8, 2), max_epochs=1, random_state=0)
    with pytest.warns(UserWarning, match=r"give image_shape=\(height, width\)") as told:
        model.fit(X, y)
    assert told[0].filename == __file__ and model.fit_params_["learning"]["augmentation"] == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(image_shape=(8, 8)).fit(X, y)
        # It may well be no picture.
        model.set_params(preset="best", image_shape=None).fit(X, y)


def test_the_shape_of_pictures_has_all_pixels_scaled_together():
    # One pixel spreads a hundred times farther than the others: scaled by itself, it counts no more than they do.
    X = np.random.default_rng(0).normal(size=(60, 4)) * [100.0, 1.0, 1.0, 1.0]
    by_itself, together = X / X.std(axis=0), X / X.std()
    for shape, scaled in ((None, by_itself), ((2, 2), together)):
        model = BoundaryForestNeighbors(effort=None, scaling="auto", image_shape=shape, random_state=0).fit(X)
        expected = NearestNeighbors(n_neighbors=5).fit(scaled).kneighbors()[0]
        np.testing.assert_allclose(model.kneighbors()[0], expected, rtol=1e-4)


def test_columns_of_probabilities_are_sorted_for_whoever_takes_them_to_be():
    # A class that comes later stands last, and measures that sort the labels would take its column for another's.
    X, y = load_iris(return_X_y=True)
    names = np.array(["rose", "lily", "aster"])[y]
    model = BoundaryForestClassifier(n_trees=5, random_state=0).fit(X[:100], names[:100])
    model.partial_fit(X[100:], names[100:])
    assert model.classes_.tolist() == ["lily", "rose", "aster"]
    probabilities = model.predict_proba(X)
    by_label = probabilities[:, np.argsort(model.classes_)]
    right = [model.classes_.tolist().index(name) for name in names]
    loss = -np.log(np.clip(probabilities[range(150), right], np.finfo(float).eps, 1)).mean()
    area = np.mean([roc_auc_score(names == name, probabilities[:, at]) for at, name in enumerate(model.classes_)])
    assert log_loss(names, by_label) == pytest.approx(loss)
    assert roc_auc_score(names, by_label, multi_class="ovr") == pytest.approx(area)
    # What they make of the columns as they are.
    assert log_loss(names, probabilities) > 2 * loss
    assert roc_auc_score(names, probabilities, multi_class="ovr") < area - 0.2


def test_parameters_of_learning_reach_the_engine(iris):
    X, y = iris
    params = {
        "layers": [8, 2],
        "sigma": 7.0,
        "boundary_batch_size": 20,
        "train_batch_size": 30,
        "max_epochs": 6,
        "learning_rate": 0.002,
        "validation_fraction": 0.2,
        "patience": 5,
    }
    learning = DifferentiableBoundarySet(**params, random_state=9).fit(X, y).fit_params_["learning"]
    method = learning["method"]
    assert (method["boundary_batch_size"], method["train_batch_size"], method["scale"]["sigma"]) == (20, 30, 7.0)
    assert (learning["layers"], learning["epochs"], learning["learning_rate"]["start"]) == ([8, 2], 6, 0.002)
    assert (learning["validation_share"], learning["patience"], learning["seed"]) == (0.2, 5, 9)
    with pytest.raises(ValueError, match="sigma"):
        DifferentiableBoundarySet(sigma=0.0).fit(X, y)


def test_few_rows_with_one_feature_do_not_diverge_by_default():
    # As one of scikit-learn's checks has them. Trees with frozen nodes diverged on the first, third and fifth.
    for seed in range(5):
        X = 3 * np.random.RandomState(seed).uniform(size=(10, 1))
        model = DifferentiableBoundaryTree(variant="v1", random_state=1).fit(X, X[:, 0].astype(int))
        assert model.metrics_["outcome"] == "finished"


def test_seconds_end_learning(iris):
    X, y = iris
    model = DifferentiableBoundarySet(max_epochs=10**6, max_seconds=0.3, random_state=0).fit(X, y)
    assert model.metrics_["outcome"] == "time-up" and model.score(X, y) > 0.8


def test_a_bar_is_drawn_on_standard_error_and_only_when_asked_for(iris, capfd):
    X, y = iris
    model = DifferentiableBoundarySet(layers=(16, 4), max_epochs=20, random_state=0)
    model.fit(X, y)
    assert capfd.readouterr() == ("", "")
    model.set_params(verbose=1).fit(X, y)
    out, err = capfd.readouterr()
    assert out == "" and "learning" in err and "keeping examples 100%|####################|" in err
    assert "loss" in err and "stored" in err


def test_a_notebook_has_the_bar_drawn_over_itself(iris, monkeypatch):
    class OutStream(io.StringIO):
        """As ipykernel has it, which says that it is no terminal."""

    OutStream.__module__ = "ipykernel.iostream"
    monkeypatch.setattr("sys.stderr", OutStream())
    X, y = iris
    DifferentiableBoundarySet(layers=(16, 4), max_epochs=20, random_state=0, verbose=1).fit(X, y)
    drawn = sys.stderr.getvalue()
    assert drawn.count("\r") >= 2 and "\rkeeping examples 100%" in drawn


def test_too_few_rows_for_validation_are_told_of():
    model = DifferentiableBoundarySet(layers=(4, 2), max_epochs=2, random_state=0)
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.warns(UserWarning, match="too few to keep some for validation") as told:
        model.fit(X, y)
    assert told[0].filename == __file__
    # It pointed into the package where fit was not what was called.
    with pytest.warns(UserWarning, match="too few to keep some for validation") as told:
        clone(model).partial_fit(X, y)
    with pytest.warns(UserWarning, match="too few to keep some for validation") as told_closed:
        clone(model).partial_fit(X, y, classes=[0, 1])
    assert told[0].filename == told_closed[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(validation_fraction=0.0).fit(X, y)
