#!/usr/bin/python3
"""Implicit integration of a stiff system with SciPy, float64: LU factors, used for several steps. There is no product in it.

    scipy_stiff.py STATES FACTORS STEPS

Factorizations and solves with one right-hand side are LAPACK's. A device gains if the factors stay there between the solves.
"""
import time

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from report import report, row_sums, sizes, uniform


def main():
    states, factors, steps = sizes("STATES", "FACTORS", "STEPS")
    random = np.random.default_rng(1)
    system = uniform(random, states, states, dtype=np.float64) * states**-0.5
    rates = np.linspace(1, 100, states)  # of decay
    state, drive = np.ones(states), uniform(random, states, dtype=np.float64)

    start = time.perf_counter()
    for i in range(factors):
        interval = 0.1 / (i + 1)
        factored = lu_factor(np.eye(states) + interval * (np.diag(rates) - system))
        for _ in range(steps):  # backward Euler
            state = lu_solve(factored, state + interval * drive)
    seconds = time.perf_counter() - start

    report(seconds, state=row_sums(np.abs(state)))


main()
