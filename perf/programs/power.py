#!/usr/bin/python3
"""Largest eigenvalue of a positive matrix by power iteration with NumPy, float64: one product with a vector after the other.

    power.py ORDER STEPS
"""
import time

import numpy as np

from report import report, row_sums, sizes


def main():
    order, steps = sizes("ORDER", "STEPS")
    random = np.random.default_rng(1)
    matrix = random.random((order, order))
    vector = np.ones(order)
    values = []

    start = time.perf_counter()
    for _ in range(steps):
        image = matrix @ vector
        values.append(np.abs(image).max())
        vector = image / values[-1]
    seconds = time.perf_counter() - start

    report(seconds, values=values[-4:], vector=row_sums(vector))


main()
