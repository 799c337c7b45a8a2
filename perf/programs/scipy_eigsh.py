#!/usr/bin/python3
"""Largest eigenvalues of a dense symmetric matrix by SciPy's eigsh (ARPACK's Lanczos), float64: products with a vector.

    scipy_eigsh.py ORDER COUNT
"""
import time

import numpy as np
from scipy.sparse.linalg import eigsh

from report import report, sizes, uniform


def main():
    order, count = sizes("ORDER", "COUNT")
    random = np.random.default_rng(1)
    matrix = uniform(random, order, order, dtype=np.float64)
    for row in range(order):  # in place: a sum with the transpose would need as much memory again
        matrix[row + 1:, row] = matrix[row, row + 1:]

    start = time.perf_counter()
    values = eigsh(matrix, count, which="LA", v0=np.ones(order), return_eigenvectors=False)
    seconds = time.perf_counter() - start

    report(seconds, values=np.sort(values))


main()
