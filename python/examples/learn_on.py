"""Learn on: a class that comes later, a label that was wrong, an example that must go."""

# %% A space is learned from eight digits; 8 and 9 are not known yet.
import tempfile
from pathlib import Path

import numpy as np

import hedgerow
from hedgerow import DifferentiableBoundarySet
from hedgerow.datasets import load_optdigits

digits = load_optdigits()
is_new = digits.y_train > 7
model = DifferentiableBoundarySet(max_epochs=60, random_state=0)
model.fit(digits.X_train[~is_new], digits.y_train[~is_new])
print(f"classes: {model.classes_.tolist()}, {model.n_stored_} stored")

# %% The others are shown without learning anew: the structure takes them in at once.
for digit in (8, 9):
    examples = digits.X_train[digits.y_train == digit][:100]
    model.partial_fit(examples, [digit] * len(examples))
is_known = digits.y_test <= 7
for name, rows in (("learned from", is_known), ("shown later", ~is_known)):
    print(f"digits {name}: {100 * model.score(digits.X_test[rows], digits.y_test[rows]):.1f} % right")

# %% A wrong label is set right, an example removed: the structure is then what the history without it gives.
before = model.predict(digits.X_test)
id = int(model.stored_ids_[-1])
model.relabel(id, 1, note="looked at by a person")
print(f"relabelling example {id} changes {np.sum(model.predict(digits.X_test) != before)} answers")
model.remove(id, note="on request")
print([f"{change['change']} {change['id']}: {change['note']}" for change in model.changes_[-2:]])

# %% All of it is in the folder, with the journal, for Rust and the command line too.
folder = Path(tempfile.mkdtemp()) / "digits"
model.save(folder)
again = hedgerow.load(folder)
print(
    f"read again: {len(again.changes_)} changes, same answers: {np.array_equal(again.predict(digits.X_test), model.predict(digits.X_test))}"
)
