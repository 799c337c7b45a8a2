#!/usr/bin/python3
"""Four threads with NumPy, float32, each with products of its own: the fixed points of four networks, X <- tanh(W X + B).

    threads.py N ROUNDS

The networks have the orders N/2, 5N/8, 3N/4 and N, so that the threads do not stay in step.
"""
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from report import report, row_sums, sizes, uniform

ORDERS = (1 / 2, 5 / 8, 3 / 4, 1)


def iterate(network, rounds):
    """The weights are small enough for every round to bring two states closer together."""
    weights, drive = network
    state = drive
    for _ in range(rounds):
        state = weights @ state
        state += drive
        np.tanh(state, out=state)
    return state


def main():
    n, rounds = sizes("N", "ROUNDS")
    random = np.random.default_rng(1)
    networks = []
    for order in (int(n * part) for part in ORDERS):
        networks.append((uniform(random, order, order) * np.float32(0.8 * order**-0.5), uniform(random, order, order)))

    start = time.perf_counter()
    with ThreadPoolExecutor(len(networks)) as pool:
        states = list(pool.map(iterate, networks, [rounds] * len(networks)))
    seconds = time.perf_counter() - start

    report(seconds, **{f"state{i}": row_sums(np.abs(state)) for i, state in enumerate(states)})


main()
