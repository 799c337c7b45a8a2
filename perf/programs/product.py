#!/usr/bin/python3
"""One large product with NumPy, float32, and nothing else: the whole process is its cost.

    product.py N
"""
import time

import numpy as np

from report import report, row_sums, sizes, uniform


def main():
    n, = sizes("N")
    random = np.random.default_rng(1)
    left, right = uniform(random, n, n), uniform(random, n, n)

    start = time.perf_counter()
    result = left @ right
    seconds = time.perf_counter() - start

    report(seconds, corner=result[:4, :8].ravel(), sums=row_sums(np.abs(result)))


main()
