#!/usr/bin/python3
"""Leading singular values by block Krylov iteration with NumPy, float32: products with a thin block.

    krylov.py ROWS COLUMNS BLOCK STEPS
"""
import time

import numpy as np

from report import report, sizes, uniform

TOLD = 8


def iterate(matrix, block, steps):
    """Returns the singular values of the matrix within the space of all blocks, largest first."""
    blocks = []
    for _ in range(steps):
        block, _ = np.linalg.qr(matrix @ (matrix.T @ block))
        blocks.append(block)
    space, _ = np.linalg.qr(np.hstack(blocks))
    small = space.T @ matrix
    return np.sqrt(np.linalg.eigvalsh(small @ small.T)[::-1])


def main():
    rows, columns, width, steps = sizes("ROWS", "COLUMNS", "BLOCK", "STEPS")
    random = np.random.default_rng(1)
    matrix = uniform(random, rows, columns)
    matrix *= np.arange(1, columns + 1, dtype=np.float32)**np.float32(-0.5)  # so do the singular values decrease
    block = uniform(random, rows, width)

    start = time.perf_counter()
    values = iterate(matrix, block, steps)
    seconds = time.perf_counter() - start

    report(seconds, values=values[:TOLD])


main()
