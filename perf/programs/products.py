#!/usr/bin/python3
"""Some products of one size with NumPy, float32, and nothing else: how soon after its start does a program gain.

    products.py COUNT N

The time is that from the beginning of the first product to the end of the last one. Importing NumPy, making the data and the first
product are told apart.
"""
import time

BEGIN = time.perf_counter()
import numpy as np  # noqa: E402

IMPORTED = time.perf_counter()
from report import report, row_sums, sizes, uniform  # noqa: E402


def main():
    count, n = sizes("COUNT", "N")
    random = np.random.default_rng(1)
    made = time.perf_counter()
    left, right = uniform(random, n, n), uniform(random, n, n)
    first = None

    start = time.perf_counter()
    for _ in range(count):
        result = left @ right
        first = first or time.perf_counter()
    seconds = time.perf_counter() - start

    report(seconds, seconds_import=[IMPORTED - BEGIN], seconds_data=[start - made], seconds_first=[first - start],
           corner=result[:4, :8].ravel(), sums=row_sums(np.abs(result)))


main()
