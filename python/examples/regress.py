"""Estimate values: what epsilon costs, and what it saves."""

# %% A bent surface with a little noise.
import numpy as np

from hedgerow import BoundaryForestRegressor

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (2500, 2)).astype(np.float32)
y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + rng.normal(0, 0.02, len(X))
X_train, X_test, y_train, y_test = X[:2000], X[2000:], y[:2000], y[2000:]

# %% Up to epsilon, values count as the same: the larger it is, the fewer examples are stored.
for epsilon in (0.0, 0.1, 0.3, 1.0):
    model = BoundaryForestRegressor(epsilon=epsilon, n_trees=20, random_state=0).fit(X_train, y_train)
    wrong = np.abs(model.predict(X_test) - y_test).mean()
    print(
        f"epsilon {epsilon}: off by {wrong:.3f} in the mean, R2 {model.score(X_test, y_test):.3f}, {model.n_stored_} stored"
    )

# %% Who is behind an estimate.
print(model.explain(X_test[0], y_test[0]))
