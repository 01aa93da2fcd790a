"""The Python side of `hedgerow-bench peers raw`: raw vectors are classified."""

import indexes
from shared import answer_requests, by_neighbor, classified, pickled


def sklearn_neighbors(algorithm):
    def run(data, _request):
        from sklearn.neighbors import KNeighborsClassifier

        model = KNeighborsClassifier(1, algorithm=algorithm, n_jobs=data.threads)
        return classified(
            data,
            lambda: model.fit(data.train, data.train_labels),
            lambda model: model.predict(data.test),
            lambda model: len(data.train),
            pickled,
        )

    return run


def random_forest(data, _request):
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(50, n_jobs=data.threads, random_state=0)
    return classified(
        data,
        lambda: model.fit(data.train, data.train_labels),
        lambda model: model.predict(data.test),
        size=pickled,
    )


def condensed(data, _request):
    from imblearn.under_sampling import CondensedNearestNeighbour
    from sklearn.neighbors import KNeighborsClassifier

    sampler = CondensedNearestNeighbour(n_neighbors=1, random_state=0, n_jobs=data.threads)

    def fit():
        points, labels = sampler.fit_resample(data.train, data.train_labels)
        return KNeighborsClassifier(1, n_jobs=data.threads).fit(points, labels)

    return classified(
        data, fit, lambda model: model.predict(data.test), lambda model: model.n_samples_fit_, pickled
    )


def by_index(kind, effort=None):
    """The class of the nearest that an index finds."""

    def run(data, _request):
        kind.prepare(data)
        return classified(
            data,
            lambda: kind.build(data),
            lambda index: by_neighbor(data, kind.search(index, data, 1, effort)),
            lambda index: len(data.train),
            kind.size,
        )

    return run


PEERS = {
    "scikit-learn 1-NN, brute": sklearn_neighbors("brute"),
    "scikit-learn 1-NN, kd tree": sklearn_neighbors("kd_tree"),
    "scikit-learn 1-NN, ball tree": sklearn_neighbors("ball_tree"),
    "scikit-learn random forest(50)": random_forest,
    "imbalanced-learn condensed 1-NN": condensed,
    "FAISS flat": by_index(indexes.FAISS_FLAT),
    "FAISS flat, 8 bits": by_index(indexes.FAISS_FLAT_8_BITS),
    "FAISS HNSW (M 16, efConstruction 200, ef 64)": by_index(indexes.FAISS_HNSW, 64),
    "usearch (M 16, efConstruction 200, ef 64)": by_index(indexes.USEARCH, 64),
    "hnswlib (M 16, efConstruction 200, ef 64)": by_index(indexes.HNSWLIB, 64),
}


if __name__ == "__main__":
    answer_requests(PEERS, ["scikit-learn", "imbalanced-learn", "faiss-cpu", "usearch", "hnswlib"])
