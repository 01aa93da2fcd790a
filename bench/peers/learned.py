"""The Python side of `hedgerow-bench peers learned`: classes are told apart in a learned space."""

import time
import warnings

import numpy as np
import torch
from indexes import size_of_rows
from learn import Average, Side, cosine
from shared import answer_requests, by_neighbor, classified, mlp_bytes, pickled, timed

# Steps by which the pace of learning is found before it begins, and the share of the time that is left then that it may
# take: steps can become slower, and there are rows to be represented and asked about.
PACE_STEPS = 50
SHARE = 0.75


def affordable(request, n_steps, few_steps):
    """As many epochs of `n_steps` as are asked for, or as fit into the limit by the pace of `few_steps`, which are not kept.

    `few_steps` is called with their number. The first call is not timed: it warms up.
    """
    asked, steps = request["epochs"], min(PACE_STEPS, n_steps)
    few_steps(1)
    epoch_seconds = timed(lambda: few_steps(steps))[1] / steps * n_steps
    left = request["limit_seconds"] - (time.monotonic() - request["received"])
    return max(1, min(asked, int(SHARE * left / epoch_seconds)))


def told(answer, epochs, request):
    """An answer with its epochs, and a note if they are not those that were asked for."""
    if epochs < request["epochs"]:
        limit = request["limit_seconds"]
        answer["note"] = f"{epochs} of {request['epochs']} epochs: as many as fit into {limit} s by the pace of its first steps"
    return answer | {"epochs": float(epochs)}


def sklearn_mlp(data, request):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore", ConvergenceWarning)
    data = data.scaled(request["factor"])
    size = min(request["batch"], len(data.train))

    def network(epochs):
        # All epochs, however little is gained by them.
        return MLPClassifier(
            tuple(request["layers"]),
            batch_size=size,
            max_iter=epochs,
            n_iter_no_change=epochs,
            tol=0.0,
            learning_rate_init=request["rate"],
            random_state=request["seed"],
        )

    def few_steps(n):
        network(1).fit(data.train[: n * size], data.train_labels[: n * size])

    model = network(affordable(request, max(1, len(data.train) // size), few_steps))
    answer = classified(
        data, lambda: model.fit(data.train, data.train_labels), lambda model: model.predict(data.test), size=mlp_bytes
    )
    return told(answer, model.n_iter_, request)


def sklearn_nca(data, request):
    from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis

    data = data.scaled(request["factor"])
    most, width = request["nca_rows"], min(20, data.train.shape[1])
    space = NeighborhoodComponentsAnalysis(width, random_state=request["seed"], max_iter=50, init="pca")
    neighbors = KNeighborsClassifier(1, n_jobs=data.threads)

    def fit():
        space.fit(data.train[:most], data.train_labels[:most])
        return neighbors.fit(space.transform(data.train), data.train_labels)

    return classified(
        data,
        fit,
        lambda model: model.predict(space.transform(data.test)),
        lambda model: len(data.train),
        lambda model: pickled((space, model)),
    )


def torch_network(widths):
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def prepare_torch(threads, seed):
    """Threads and seed, and a first step of Adam: torch imports some seconds' worth of modules for it, not to be timed."""
    torch.set_num_threads(threads)
    weight = torch.zeros(1, requires_grad=True)
    weight.sum().backward()
    torch.optim.Adam([weight], fused=True).step()
    torch.manual_seed(seed)


def weight_bytes(network):
    return sum(parameter.numel() for parameter in network.parameters()) * 4


class Descent:
    """Steps of Adam down the loss of some of `n` rows, as DBS takes them: with a cosine, and averaged weights at the end.

    `epochs` are those asked for, or as many as the limit has time for.
    """

    def __init__(self, network, n, loss_of, request):
        self.network, self.n, self.loss_of, self.request = network, n, loss_of, request
        self.size = min(request["batch"], n)
        self.n_steps = n // self.size
        start = [weight.detach().clone() for weight in network.parameters()]
        self.epochs = affordable(request, self.n_steps, lambda n: self.descend(1, n))
        with torch.no_grad():
            for weight, first in zip(network.parameters(), start):
                weight.copy_(first)
        torch.manual_seed(request["seed"])

    def descend(self, epochs, n_steps):
        rate, size = self.request["rate"], self.size
        optimizer = torch.optim.Adam(self.network.parameters(), lr=rate, fused=True)
        average = Average(self.network, self.request["averaging"])
        for epoch in range(epochs):
            order = torch.randperm(self.n)
            for step in range(n_steps):
                optimizer.param_groups[0]["lr"] = cosine(rate, (epoch + step / n_steps) / epochs)
                loss = self.loss_of(order[step * size : (step + 1) * size])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                average.follow()
        average.take()

    def run(self):
        """All of it."""
        self.descend(self.epochs, self.n_steps)


def torch_mlp(data, request):
    prepare_torch(data.threads, request["seed"])
    data = data.scaled(request["factor"])
    points, labels = torch.from_numpy(data.train), torch.from_numpy(data.train_labels)
    network = torch_network([points.shape[1], *request["layers"], int(labels.max()) + 1])

    def loss_of(rows):
        return torch.nn.functional.cross_entropy(network(points[rows]), labels[rows])

    descent = Descent(network, len(points), loss_of, request)

    def fit():
        descent.run()
        return network

    def predict(network):
        with torch.inference_mode():
            return network(torch.from_numpy(data.test)).argmax(1).numpy()

    return told(classified(data, fit, predict, size=weight_bytes), descent.epochs, request)


def torch_dbs(data, request):
    """DBS by the PyTorch side of `hedgerow-bench step`. A tree of hedgerow judges the representations that it writes."""
    prepare_torch(data.threads, request["seed"])
    data = data.scaled(request["factor"])
    numbers = [torch.from_numpy(rows) for rows in (data.train, data.test)]
    recipe = request["dbs"] | {"threads": data.threads, "compiled": False}
    size = recipe["n_boundary"] + recipe["n_train"]
    n_steps = len(data.train) // size
    if n_steps == 0:
        raise ValueError(f"{len(data.train)} rows are fewer than the {size} of a step")

    def start(epochs):
        return Side(numbers[0], torch.from_numpy(data.train_labels), recipe | {"cosine_epochs": epochs})

    def epoch(side, number, n_steps):
        side.epoch(torch.randperm(len(data.train))[: n_steps * size], number)

    epochs = affordable(request, n_steps, lambda n: epoch(start(1), 0, n))
    torch.manual_seed(request["seed"])
    side = start(epochs)

    def fit():
        for number in range(epochs):
            epoch(side, number, n_steps)
        side.average.take()
        return represent(numbers[0])

    def represent(rows):
        with torch.inference_mode():
            return side.network(rows).numpy()

    shown, learn_seconds = timed(fit)
    asked, represent_seconds = timed(lambda: represent(numbers[1]))
    np.concatenate([shown, asked]).tofile(request["representations"])
    answer = {"learn_seconds": learn_seconds, "represent_seconds": represent_seconds}
    return told(answer | {"weight_bytes": float(weight_bytes(side.network))}, epochs, request)


def torch_metric_learning(data, request):
    """The triplet loss of pytorch-metric-learning, then the nearest training example by FAISS."""
    import faiss
    from pytorch_metric_learning import losses, miners

    prepare_torch(data.threads, request["seed"])
    faiss.omp_set_num_threads(data.threads)
    data = data.scaled(request["factor"])
    points, labels = torch.from_numpy(data.train), torch.from_numpy(data.train_labels)
    network = torch_network([points.shape[1], *request["layers"]])
    triplet_loss = losses.TripletMarginLoss(margin=0.2)
    miner = miners.TripletMarginMiner(margin=0.2, type_of_triplets="semihard")

    def loss_of(rows):
        represented = network(points[rows])
        return triplet_loss(represented, labels[rows], miner(represented, labels[rows]))

    def represent(points):
        with torch.inference_mode():
            return torch.nn.functional.normalize(network(points)).numpy()

    descent = Descent(network, len(points), loss_of, request)

    def fit():
        descent.run()
        index = faiss.IndexFlatL2(request["layers"][-1])
        index.add(represent(points))
        return index

    answer = classified(
        data,
        fit,
        lambda index: by_neighbor(data, index.search(represent(torch.from_numpy(data.test)), 1)[1]),
        lambda index: index.ntotal,
        lambda index: weight_bytes(network) + size_of_rows(index),
    )
    return told(answer, descent.epochs, request)


PEERS = {
    "scikit-learn MLP": sklearn_mlp,
    "scikit-learn NCA + 1-NN": sklearn_nca,
    "PyTorch MLP": torch_mlp,
    "PyTorch DBS + tree of ours": torch_dbs,
    "pytorch-metric-learning triplet + FAISS": torch_metric_learning,
}


if __name__ == "__main__":
    answer_requests(PEERS, ["scikit-learn", "faiss-cpu", "torch", "pytorch-metric-learning"])
