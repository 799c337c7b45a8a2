#!/usr/bin/python3
"""Factors of nonnegative data by scikit-learn's NMF with multiplicative updates, float32: products with thin matrices.

    sklearn_nmf.py ROWS COLUMNS COMPONENTS ITERATIONS
"""
import time
import warnings

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from report import report, row_sums, sizes, uniform


def main():
    rows, columns, components, iterations = sizes("ROWS", "COLUMNS", "COMPONENTS", "ITERATIONS")
    random = np.random.default_rng(1)
    data = np.abs(uniform(random, rows, columns))
    data *= np.abs(uniform(random, rows, 1)) * np.abs(uniform(random, columns))
    model = NMF(components, init="random", solver="mu", max_iter=iterations, tol=0, random_state=1)

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = model.fit_transform(data)
    seconds = time.perf_counter() - start

    # not model.reconstruction_err_, which is a small difference of large sums
    report(seconds, rows=row_sums(weights @ model.components_.sum(axis=1)), weights=row_sums(weights))


main()
