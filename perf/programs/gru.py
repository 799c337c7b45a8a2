#!/usr/bin/python3
"""A gated recurrent layer with NumPy, float32, whose states predict a signal by least squares: large and small products.

    gru.py CHUNKS BATCH TIME INPUTS HIDDEN

For each chunk of sequences: one large product for the inputs of all times, a small product for each time, and a solve.
"""
import time

import numpy as np

from report import report, row_sums, sizes, uniform

PENALTY = np.float32(1)


def sigmoid(values):
    np.negative(values, out=values)
    np.exp(values, out=values)
    values += 1
    return np.reciprocal(values, out=values)


def run_layer(inputs, weights, recurrent, hidden):
    """Returns the state after each time; inputs are times x batch x inputs."""
    times, batch, _ = inputs.shape
    driven = (inputs.reshape(times * batch, -1) @ weights).reshape(times, batch, -1)
    states = np.empty((times, batch, hidden), np.float32)
    state = np.zeros((batch, hidden), np.float32)
    for i in range(times):
        fed = state @ recurrent
        gates = sigmoid(driven[i, :, :2 * hidden] + fed[:, :2 * hidden])
        update, reset = gates[:, :hidden], gates[:, hidden:]
        candidate = np.tanh(driven[i, :, 2 * hidden:] + reset * fed[:, 2 * hidden:])
        state = candidate + update * (state - candidate)
        states[i] = state
    return states


def main():
    chunks, batch, times, width, hidden = sizes("CHUNKS", "BATCH", "TIME", "INPUTS", "HIDDEN")
    random = np.random.default_rng(1)
    weights = uniform(random, width, 3 * hidden) * np.float32(width**-0.5)
    recurrent = uniform(random, hidden, 3 * hidden) * np.float32(hidden**-0.5)
    inputs = uniform(random, times, batch, width)
    gram, moment = np.zeros((hidden, hidden), np.float32), np.zeros((hidden, 1), np.float32)
    errors = []

    start = time.perf_counter()
    for _ in range(chunks):
        inputs = np.roll(inputs, 1, axis=0)  # each chunk starts at another time
        states = run_layer(inputs, weights, recurrent, hidden).reshape(-1, hidden)
        target = inputs[:, :, :1].reshape(-1, 1)
        gram += states.T @ states
        moment += states.T @ target
        readout = np.linalg.solve(gram + PENALTY * np.eye(hidden, dtype=np.float32), moment)
        errors.append(np.square(states @ readout - target).mean(dtype=np.float64))
    seconds = time.perf_counter() - start

    report(seconds, errors=errors, states=row_sums(np.abs(states)))


main()
