"""The Python side of `hedgerow-bench peers stream`: a stream is learned online."""

from shared import answer_requests, timed


def knn(window):
    from river import neighbors

    return neighbors.KNNClassifier(n_neighbors=1, engine=neighbors.LazySearch(window_size=window))


def knn_swinn(window):
    from river import neighbors

    return neighbors.KNNClassifier(n_neighbors=1, engine=neighbors.SWINN(maxlen=window, seed=0))


def hoeffding_tree(_window):
    from river import tree

    return tree.HoeffdingTreeClassifier()


def adaptive_forest(_window):
    from river import forest

    return forest.ARFClassifier(n_models=10, seed=0)


def n_stored(learner):
    """The examples that a KNN holds; None of what holds none."""
    # Not `engine`, which stays empty: the KNN works with a copy of it.
    engine = getattr(learner, "_nn", None)
    if engine is None:
        return None
    return len(engine.window) if hasattr(engine, "window") else len(engine)


def stream(make):
    def run(data, request):
        rows = data.train[: request["n_examples"]]
        labels = data.train_labels[: request["n_examples"]].tolist()
        names = [f"x{column}" for column in range(rows.shape[1])]
        # What river takes: a dictionary for each example. Made before the clock starts.
        examples = [dict(zip(names, row)) for row in rows.astype(float).tolist()]
        learner = make(request["window"])
        right = 0

        def follow():
            nonlocal right
            for example, label in zip(examples, labels):
                right += learner.predict_one(example) == label
                learner.learn_one(example, label)

        _, seconds = timed(follow)
        answer = {"seconds": seconds, "n_examples": len(rows), "accuracy_percent": 100.0 * right / len(rows)}
        # By walking over all that the learner holds.
        answer["bytes"] = float(learner._raw_memory_usage)
        stored = n_stored(learner)
        return answer if stored is None else answer | {"stored": stored}

    return run


PEERS = {
    "river KNN": stream(knn),
    "river KNN, SWINN": stream(knn_swinn),
    "river Hoeffding tree": stream(hoeffding_tree),
    "river ARF(10)": stream(adaptive_forest),
}


if __name__ == "__main__":
    answer_requests(PEERS, ["river"])
