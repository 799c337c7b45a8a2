#!/usr/bin/python3
"""Fits scikit-learn's Ridge to many targets by normal equations, float32, and scores it on new data.

    sklearn_ridge.py ROWS FEATURES TARGETS
"""
import time

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error

from report import report, row_sums, sizes, uniform

LATENT = 8


def main():
    rows, features, targets = sizes("ROWS", "FEATURES", "TARGETS")
    random = np.random.default_rng(1)
    data = uniform(random, rows, features)
    values = uniform(random, rows, targets)
    values += np.einsum("ij,jk->ik", data[:, :LATENT], uniform(random, LATENT, targets))  # without a BLAS
    known = rows * 3 // 4

    start = time.perf_counter()
    errors = []
    for penalty in (1.0, 100.0):
        model = Ridge(penalty, solver="cholesky").fit(data[:known], values[:known])
        errors.append(mean_squared_error(values[known:], model.predict(data[known:])))
    seconds = time.perf_counter() - start

    report(seconds, errors=errors, weights=row_sums(np.abs(model.coef_)))


main()
