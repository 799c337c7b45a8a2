#!/usr/bin/python3
"""Systems of equations with one dense matrix by GMRES of SciPy, float64: products with a vector, and short ones with the basis.

    scipy_gmres.py ORDER SIDES
"""
import time

import numpy as np
from scipy.sparse.linalg import gmres

from report import report, row_sums, sizes, uniform

RESTART = 60
TOLERANCE = 1e-9


def main():
    order, sides = sizes("ORDER", "SIDES")
    random = np.random.default_rng(1)
    matrix = uniform(random, order, order, dtype=np.float64)
    matrix *= (3 / order)**0.5 * 0.6  # its eigenvalues are in a disc of that radius
    matrix[np.diag_indices(order)] += 1
    right = uniform(random, sides, order, dtype=np.float64)
    solutions, left = [], []

    start = time.perf_counter()
    for side in right:
        solution, _ = gmres(matrix, side, restart=RESTART, atol=TOLERANCE * np.linalg.norm(side))
        solutions.append(row_sums(np.abs(solution)))
        left.append(solution @ side)
    seconds = time.perf_counter() - start

    report(seconds, solution=np.ravel(solutions), left=left)


main()
