"""The PyTorch side of `hedgerow-bench step`: trains by DBS as a user of PyTorch would, and says how long an epoch took.

Started once for each side. A request is a line of JSON on standard input, the answer a line of JSON on standard output:
first {"what": "start", ...}, then {"what": "epoch", ...} as often as wanted, {"what": "represent", ...} in between.
Weights to start from and the order of the rows are given, so that both sides of the comparison learn from the same.
`hedgerow-bench peers learned` trains by the same `Side`, from learned.py.
"""

import json
import math
import os
import platform
import sys
import time

# Beside this file, which is in a temporary folder, so that nothing is left behind. Read when torch is imported.
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiled"))

import numpy as np
import torch
from torch import nn

# Stands for minus infinity, whose gradient would not be a number.
FAR = -1e9


def unpacked(widths, weights):
    """The matrices and biases of layers from raw numbers: for each layer a row for each input, then the biases."""
    numbers = np.fromfile(weights, dtype=np.float32)
    layers = []
    for inputs, outputs in zip(widths, widths[1:]):
        matrix, bias, numbers = np.split(numbers, [inputs * outputs, (inputs + 1) * outputs])
        layers.append((np.ascontiguousarray(matrix.reshape(inputs, outputs).T), bias))
    return layers


def network(widths, weights):
    """Dense layers with ReLU between them, from raw numbers."""
    layers = []
    for weight, bias in unpacked(widths, weights):
        linear = nn.Linear(weight.shape[1], weight.shape[0])
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weight))
            linear.bias.copy_(torch.from_numpy(bias))
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def cosine(rate, done):
    """A rate that falls to 0 as `done` goes from 0 to 1."""
    return rate * 0.5 * (1 + math.cos(math.pi * done))


class Average:
    """The average of a network's weights over its steps, of which each keeps the share `kept`. Nothing if that is None."""

    def __init__(self, network, kept):
        self.kept, self.n_steps = kept, 0
        self.weights = list(network.parameters()) if kept else []
        self.average = [weight.detach().clone() for weight in self.weights]

    @torch.no_grad()
    def follow(self):
        """Takes the weights of a step into the average, of which the first steps keep less."""
        if self.weights:
            self.n_steps += 1
            kept = min(self.kept, (1 + self.n_steps) / (10 + self.n_steps))
            for average, weight in zip(self.average, self.weights):
                average.lerp_(weight, 1 - kept)

    @torch.no_grad()
    def take(self):
        """Puts the average in the place of the weights, once learning is over."""
        for average, weight in zip(self.average, self.weights):
            weight.copy_(average)


def boundary_set(points, labels):
    """The rows whose nearest member so far has another class, in order: one turn of the loop for each member."""
    squares = points.square().sum(1)
    distances = torch.addmm(squares[:, None] + squares, points, points.T, alpha=-2).numpy()
    members = [0]
    least = distances[0].copy()
    label_of_nearest = np.full_like(labels, labels[0])
    while True:
        is_next = label_of_nearest != labels
        is_next[: members[-1] + 1] = False
        row = int(is_next.argmax())
        if not is_next[row]:
            return members
        members.append(row)
        # Strictly: among equals the earliest member counts.
        label_of_nearest[distances[row] < least] = labels[row]
        np.minimum(least, distances[row], out=least)


def soft_neighbor_loss(references, reference_labels, queries, labels, sigma):
    """The mean of -log p over the queries that have a reference of their class."""
    # Of |q|^2 - 2qr + |r|^2 the first term is the same for all references, so that it cancels out.
    logits = torch.addmm(-references.square().sum(1), queries, references.T, alpha=2) / sigma
    same = labels[:, None] == reference_labels
    counts = same.any(1)
    losses = logits.logsumexp(1) - logits.masked_fill(~same, FAR).logsumexp(1)
    return (losses * counts).sum() / counts.sum()


class Side:
    """A network on its way: `points` are numbers as it takes them, the recipe is a request's."""

    def __init__(self, points, labels, recipe):
        torch.set_num_threads(recipe["threads"])
        self.points, self.labels = points, labels
        self.n_boundary, self.n_train, self.sigma = recipe["n_boundary"], recipe["n_train"], recipe["sigma"]
        self.network = network(recipe["widths"], recipe["weights"])
        self.rate, self.n_epochs = recipe["rate"], recipe["cosine_epochs"]
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.rate, fused=True)
        self.average = Average(self.network, recipe.get("averaging"))
        self.represent, self.loss = self.network, self.loss_of_round
        if recipe["compiled"]:
            self.represent = torch.compile(self.network, dynamic=False)
            # The boundary set has another size in each step.
            self.loss = torch.compile(self.loss_of_round, dynamic=True)

    def loss_of_round(self, points, reference_labels, labels):
        representations = self.network(points)
        references, queries = representations[: -self.n_train], representations[-self.n_train :]
        return soft_neighbor_loss(references, reference_labels, queries, labels, self.sigma)

    def round(self, rows):
        points, labels = self.points[rows], self.labels[rows]
        # First the set S, without a gradient, then members and queries together: the members are represented twice, but
        # the gradient of all others need not be computed. 100 + 3 (100 + |S|) rows are multiplied, not 3 x 200.
        with torch.no_grad():
            candidates = self.represent(points[: self.n_boundary])
        members = torch.tensor(boundary_set(candidates, labels[: self.n_boundary].numpy()))
        taken = torch.cat([points[members], points[self.n_boundary :]])
        loss = self.loss(taken, labels[members], labels[self.n_boundary :])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.average.follow()
        return loss.detach(), len(members)

    def epoch(self, order, number):
        rounds = order.split(self.n_boundary + self.n_train)
        loss, n_references = torch.zeros(()), 0
        start = time.perf_counter()
        for place, rows in enumerate(rounds):
            if self.n_epochs is not None:
                done = (number + place / len(rounds)) / self.n_epochs
                self.optimizer.param_groups[0]["lr"] = cosine(self.rate, done)
            round_loss, n_members = self.round(rows)
            loss += round_loss
            n_references += n_members
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "loss": loss.item() / len(rounds), "n_references": n_references / len(rounds)}

    def write(self, path):
        with torch.no_grad():
            self.network(self.points).numpy().tofile(path)
        return {}


def start(request):
    """A side that learns from the pictures of a request."""
    pixels = np.fromfile(request["pixels"], dtype=np.uint8).reshape(-1, request["widths"][0])
    labels = torch.from_numpy(np.fromfile(request["labels"], dtype=np.uint8).astype(np.int64))
    return Side(torch.from_numpy(pixels).float() / 255, labels, request)


def epoch(side, request):
    try:
        return side.epoch(torch.from_numpy(np.fromfile(request["order"], dtype=np.int64)), request["number"])
    except Exception as error:
        # What fails is nearly always the compiler, whose first line says why and whose others are long.
        print(error, file=sys.stderr)
        lines = str(error).strip().splitlines() or [""]
        return {"failed": f"{type(error).__name__}: {lines[0]}"}


def main():
    versions = f"Python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}"
    print(json.dumps({"versions": versions}), flush=True)
    side = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["what"] == "start":
            side, said = start(request), {}
        elif request["what"] == "epoch":
            said = epoch(side, request)
        else:
            said = side.write(request["path"])
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
