"""Classify: a tree, a forest and a set over points as they are."""

# %% Pictures of digits, 8x8 pixels, as bytes.
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from hedgerow import BoundaryForestClassifier, BoundarySetClassifier, BoundaryTreeClassifier
from hedgerow.datasets import load_optdigits

digits = load_optdigits()
print(f"{len(digits.X_train)} pictures to learn from, {len(digits.X_test)} to test with")

# %% What each keeps of them, and how it does. The nearest of all neighbors is what they are compared with.
for model in (
    BoundaryTreeClassifier(random_state=0),
    BoundaryForestClassifier(random_state=0),
    BoundarySetClassifier(random_state=0),
):
    model.fit(digits.X_train, digits.y_train)
    error = 100 * (1 - model.score(digits.X_test, digits.y_test))
    print(f"{type(model).__name__:>26}: {error:4.1f} % wrong, {model.n_stored_:4} examples stored")
everything = KNeighborsClassifier(1).fit(digits.X_train, digits.y_train)
print(f"{'all examples':>26}: {100 * (1 - everything.score(digits.X_test, digits.y_test)):4.1f} % wrong")

# %% They are estimators like any other.
scores = cross_val_score(BoundaryTreeClassifier(random_state=0), digits.X_train, digits.y_train, cv=3)
print(f"a tree in three folds: {np.round(100 * (1 - scores), 1)} % wrong")
