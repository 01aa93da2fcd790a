"""Learn a space in which few examples are needed."""

# %% A network is trained so that boundary sets of random batches answer the rest of the batch.
from hedgerow import BoundaryTreeClassifier, DifferentiableBoundarySet
from hedgerow.datasets import load_optdigits
from hedgerow.plot import plot_confusion, plot_curve, plot_map, plot_tree

digits = load_optdigits()
model = DifferentiableBoundarySet(max_epochs=60, image_shape=digits.image_shape, random_state=0)
model.fit(digits.X_train, digits.y_train)
raw = BoundaryTreeClassifier(random_state=0).fit(digits.X_train, digits.y_train)
for name, fitted in (("learned", model), ("as they are", raw)):
    error = 100 * (1 - fitted.score(digits.X_test, digits.y_test))
    print(
        f"a tree over points {name}: {error:.1f} % wrong, {fitted.n_stored_} of {len(digits.X_train)} examples stored"
    )

# %% It is a transformer, too.
space = model.transform(digits.X_test)
print(f"representations: {space.shape}, {space.dtype}")

# %% How learning went, and what came of it. Without matplotlib there are no pictures.
try:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(12, 10))
    plot_curve(model, ax=axes[0, 0])
    plot_map(model, digits.X_test, digits.y_test, ax=axes[0, 1])
    plot_tree(model, ax=axes[1, 0])
    plot_confusion(model, digits.X_test, digits.y_test, ax=axes[1, 1])
    figure.savefig("learned-space.png")
    print("drawn: learned-space.png")
except ImportError:
    print("matplotlib is not installed: nothing is drawn")
