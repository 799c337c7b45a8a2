#!/usr/bin/python3
"""Regression by a Gaussian process with NumPy, float64: the likelihood chooses a length scale; mean and variance.

    gaussian_process.py POINTS DIMENSIONS TESTS

Kernel matrices and variances need products. The Cholesky factors and the inverse are LAPACK's.
"""
import time

import numpy as np

from report import report, row_sums, sizes, uniform

SCALES = (0.5, 1.0)  # of a length, times the root of the dimensions
NOISE = 0.1


def make_kernel(left, right, scale):
    """Returns exp(-|x - y|^2 / (2 scale^2)) for all pairs of rows."""
    kernel = left @ right.T
    kernel *= -2
    kernel += (left * left).sum(axis=1)[:, None]
    kernel += (right * right).sum(axis=1)
    kernel *= -0.5 / scale**2
    return np.exp(kernel, out=kernel)


def find_likelihood(points, values, scale):
    """Returns the logarithm of the likelihood, per point, and the kernel matrix with noise."""
    kernel = make_kernel(points, points, scale)
    kernel[np.diag_indices_from(kernel)] += NOISE
    factor = np.linalg.cholesky(kernel)
    fitted = values @ np.linalg.solve(kernel, values)
    return -(fitted / 2 + np.log(np.diag(factor)).sum()) / len(points), kernel


def main():
    count, dimensions, tests = sizes("POINTS", "DIMENSIONS", "TESTS")
    random = np.random.default_rng(1)
    points = uniform(random, count, dimensions, dtype=np.float64)
    values = np.sin(points[:, 0] * 3) + points[:, 1] + 0.3 * uniform(random, count, dtype=np.float64)
    new = uniform(random, tests, dimensions, dtype=np.float64)

    start = time.perf_counter()
    fits = [find_likelihood(points, values, scale * dimensions**0.5) for scale in SCALES]
    best = int(np.argmax([likelihood for likelihood, _ in fits]))
    inverse = np.linalg.inv(fits[best][1])
    across = make_kernel(new, points, SCALES[best] * dimensions**0.5)
    mean = across @ (inverse @ values)
    variance = 1 + NOISE - ((across @ inverse) * across).sum(axis=1)
    seconds = time.perf_counter() - start

    report(seconds, likelihoods=[likelihood for likelihood, _ in fits], mean=row_sums(mean), variance=row_sums(variance))


main()
