"""Find similar examples, and trade exactness for speed."""

# %%
import numpy as np

from hedgerow import BoundaryForestNeighbors
from hedgerow.datasets import load_optdigits

digits = load_optdigits()
model = BoundaryForestNeighbors(n_neighbors=5, n_trees=5, random_state=0).fit(digits.X_train, digits.y_train)
distances, ids = model.kneighbors(digits.X_test[:3])
for row in range(3):
    labels = digits.y_train[ids[row]]
    print(f"a {digits.y_test[row]} is most like rows {ids[row].tolist()}, which are {labels.tolist()}")

# %% More effort looks at more nodes; None looks at all.
exact = model.set_params(effort=None).kneighbors(digits.X_test[:300], return_distance=False)
for effort in (0, 16, 64, 256):
    found = model.set_params(effort=effort).kneighbors(digits.X_test[:300], return_distance=False)
    print(f"effort {effort:3}: {100 * np.mean(found[:, 0] == exact[:, 0]):5.1f} % of the nearest are found")

# %% Examples come and go at any time.
model.partial_fit(digits.X_test[:1])
print(
    f"the first test picture is example {model.last_ids_[0]} now: {model.kneighbors(digits.X_test[:1], 1)[1].tolist()}"
)
model.remove(model.last_ids_)
