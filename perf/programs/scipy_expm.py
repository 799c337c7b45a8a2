#!/usr/bin/python3
"""Transition probabilities of a Markov process with SciPy, float64: the exponential of its generator for several times.

    scipy_expm.py STATES TIMES

The exponential is a Padé approximant: products, one solve, and more products to square it.
"""
import time

import numpy as np
import scipy.linalg

from report import report, row_sums, sizes


def main():
    states, times = sizes("STATES", "TIMES")
    random = np.random.default_rng(1)
    generator = random.random((states, states)) * random.random(states)  # some states are visited more often
    generator[np.diag_indices(states)] = 0
    generator *= 8 / states
    generator[np.diag_indices(states)] = -generator.sum(axis=1)
    left = np.arange(1, states + 1) / states  # a weight for each state

    found = []
    start = time.perf_counter()
    for i in range(1, times + 1):
        found.append(left @ scipy.linalg.expm(generator * (i / times)))
    seconds = time.perf_counter() - start

    report(seconds, first=row_sums(found[0]), last=row_sums(found[-1]))


main()
