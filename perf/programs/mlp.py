#!/usr/bin/python3
"""Training of a network of two hidden layers with NumPy, float32: bias, ReLU, softmax, plain gradient descent.

    mlp.py BATCH INPUTS HIDDEN OUTPUTS STEPS
"""
import time

import numpy as np

from report import report, sizes

BATCHES = 2
RATE = np.float32(0.05)


def forward(network, data):
    results = [data]
    for i, (weights, bias) in enumerate(network):
        result = results[-1] @ weights
        result += bias
        if i < len(network) - 1:
            np.maximum(result, 0, out=result)
        results.append(result)
    return results


def find_loss(result, labels):
    """Returns the mean cross entropy and its derivative with respect to the result."""
    rows = np.arange(len(labels))
    result = result - result.max(axis=1, keepdims=True)
    delta = np.exp(result)
    sums = delta.sum(axis=1, keepdims=True)
    loss = (np.log(sums[:, 0]) - result[rows, labels]).mean()
    delta /= sums
    delta[rows, labels] -= 1
    delta /= np.float32(len(labels))
    return loss, delta


def backward(network, results, delta):
    for i in reversed(range(len(network))):
        weights, bias = network[i]
        gradient = results[i].T @ delta
        before = delta
        if i > 0:
            delta = delta @ weights.T
            delta *= results[i] > 0
        weights -= RATE * gradient
        bias -= RATE * before.sum(axis=0)


def main():
    batch, inputs, hidden, outputs, steps = sizes("BATCH", "INPUTS", "HIDDEN", "OUTPUTS", "STEPS")
    random = np.random.default_rng(1)

    def uniform(rows, columns, scale):
        return (random.random((rows, columns), dtype=np.float32) * 2 - 1) * np.float32(scale)

    widths = [inputs, hidden, hidden, outputs]
    network = [(uniform(m, n, (6 / m)**0.5), np.zeros(n, np.float32)) for m, n in zip(widths, widths[1:])]
    teacher = uniform(inputs, outputs, 1)
    data = [uniform(batch, inputs, 1) for _ in range(BATCHES)]
    labels = [np.einsum("ij,jk->ik", x, teacher).argmax(axis=1) for x in data]  # einsum: without a BLAS
    losses = []

    start = time.perf_counter()
    for step in range(steps):
        results = forward(network, data[step % BATCHES])
        loss, delta = find_loss(results[-1], labels[step % BATCHES])
        backward(network, results, delta)
        losses.append(loss)
    seconds = time.perf_counter() - start

    report(seconds, losses=losses, weights=[(network[1][0].astype(np.float64)**2).sum()])


main()
