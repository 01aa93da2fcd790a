"""Explain: who decided, who nearly did, and how unusual the query is."""

# %%
from pathlib import Path

import numpy as np

from hedgerow import DifferentiableBoundarySet
from hedgerow.datasets import load_optdigits

digits = load_optdigits()
model = DifferentiableBoundarySet(max_epochs=60, image_shape=digits.image_shape, random_state=0)
model.fit(digits.X_train, digits.y_train)

# %% A mistake, if there is one: in a notebook, `why` alone shows it with pictures.
wrong = np.flatnonzero(model.predict(digits.X_test) != digits.y_test)
row = int(wrong[0]) if len(wrong) else 0
why = model.explain(digits.X_test[row], digits.y_test[row])
print(why)

# %% The same as data.
print(why.to_dict()["voters"][0]["source"], "decided; the nearest of another class:", why.rival["example"]["source"])
Path("decision.html").write_text(why.to_html(), encoding="utf-8")

# %% Noise is far from all that is known.
noise = np.random.default_rng(0).integers(0, 17, digits.X_test.shape, dtype=np.uint8)
print(
    f"scores of digits: {model.score_samples(digits.X_test).mean():.1f}, of noise: {model.score_samples(noise).mean():.1f}"
)
