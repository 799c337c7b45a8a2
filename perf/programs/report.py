"""Shared by the Python programs of this folder: the command line, random data, and the lines that compare reads.

Nothing here calls a BLAS. The programs make their data without one, so that statistics count the computation alone.
"""
import sys

import numpy as np

GROUPS = 32


def sizes(*names):
    """Returns one integer from the command line for each name."""
    if len(sys.argv) != 1 + len(names):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(names)}")
    return [int(word) for word in sys.argv[1:]]


def uniform(random, *shape, dtype=np.float32):
    """Returns numbers in [-1, 1)."""
    values = random.random(shape, dtype=dtype)
    values *= 2
    values -= 1
    return values


def row_sums(matrix):
    """Returns the sums of GROUPS groups of neighbouring rows, in double precision."""
    return [part.sum(dtype=np.float64) for part in np.array_split(matrix, GROUPS)]


def report(seconds, **results):
    """Prints the time, then for each result a line of numbers of the same scale."""
    print(f"seconds {seconds:.6f}")
    for name, values in results.items():
        print(name, *(f"{float(value):.12g}" for value in values))
