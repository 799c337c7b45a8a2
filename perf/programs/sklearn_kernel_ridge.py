#!/usr/bin/python3
"""Fits scikit-learn's KernelRidge with radial basis functions, float64, and predicts new points.

    sklearn_kernel_ridge.py POINTS DIMENSIONS TESTS
"""
import time

import numpy as np
from sklearn.kernel_ridge import KernelRidge

from report import report, row_sums, sizes, uniform


def main():
    points, dimensions, tests = sizes("POINTS", "DIMENSIONS", "TESTS")
    random = np.random.default_rng(1)
    data = uniform(random, points + tests, dimensions, dtype=np.float64)
    values = np.sin(data[:, 0] * 3) + data[:, 1]
    model = KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / dimensions)

    start = time.perf_counter()
    model.fit(data[:points], values[:points])
    predicted = model.predict(data[points:])
    seconds = time.perf_counter() - start

    report(seconds, predicted=row_sums(np.abs(predicted)), error=[np.square(predicted - values[points:]).mean()])


main()
