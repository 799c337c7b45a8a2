#!/usr/bin/python3
"""Principal components with NumPy, float32.

    pca.py ROWS COLUMNS

The covariance is the product of the centred data with the data. It equals the product of the centred data with itself,
because centred columns add up to zero. NumPy computes A.T @ A, of one array, and numpy.cov with BLAS's ssyrk, and
products of two arrays with sgemm.
"""
import time

import numpy as np

from report import report, sizes

COMPONENTS = 8
LATENT = 16


def main():
    rows, columns = sizes("ROWS", "COLUMNS")
    random = np.random.default_rng(1)
    weights = random.uniform(-4, 4, (rows, LATENT)).astype(np.float32) / np.arange(2, 2 + LATENT, dtype=np.float32)
    data = random.random((rows, columns), dtype=np.float32) * 2 + 2
    for row in range(0, rows, 4096):  # a sum of directions; einsum: without a BLAS
        directions = np.random.default_rng(2).uniform(-1, 1, (LATENT, columns)).astype(np.float32)
        data[row:row + 4096] += np.einsum("ij,jk->ik", weights[row:row + 4096], directions)

    start = time.perf_counter()
    centred = data - data.mean(axis=0, dtype=np.float64).astype(np.float32)
    covariance = centred.T @ data / np.float32(rows - 1)
    variances, vectors = np.linalg.eigh(covariance)
    scores = centred @ vectors[:, -COMPONENTS:]
    spread = (scores.astype(np.float64)**2).sum(axis=0) / (rows - 1)
    seconds = time.perf_counter() - start

    report(seconds, variances=variances[-COMPONENTS:], spread=spread)


main()
