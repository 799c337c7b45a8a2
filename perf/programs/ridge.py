#!/usr/bin/python3
"""Ridge regression of many targets with NumPy, float32. Cross-validation chooses the penalty.

    ridge.py ROWS FEATURES TARGETS FOLDS

Each fold has its own Gram matrix (X.T @ X calls ssyrk). The Gram matrix of the other folds is their sum less this one.
"""
import time

import numpy as np

from report import report, sizes, uniform

PENALTIES = (1e-3, 1e-2, 1e-1)  # per row
LATENT = 8


def validate(folds, features, targets):
    """Returns the mean squared error of prediction for each penalty."""
    grams = [features[fold].T @ features[fold] for fold in folds]
    moments = [features[fold].T @ targets[fold] for fold in folds]
    gram, moment = sum(grams), sum(moments)
    errors = []
    for penalty in PENALTIES:
        square = 0.0
        for fold, its_gram, its_moment in zip(folds, grams, moments):
            system = gram - its_gram
            system[np.diag_indices_from(system)] += np.float32(penalty * len(features))
            weights = np.linalg.solve(system, moment - its_moment)
            missing = features[fold] @ weights
            missing -= targets[fold]
            square += np.square(missing, out=missing).sum(dtype=np.float64)
        errors.append(square / targets.size)
    return errors


def main():
    rows, columns, outputs, count = sizes("ROWS", "FEATURES", "TARGETS", "FOLDS")
    random = np.random.default_rng(1)
    features = uniform(random, rows, columns)
    targets = uniform(random, rows, outputs)
    targets += np.einsum("ij,jk->ik", features[:, :LATENT], uniform(random, LATENT, outputs))  # without a BLAS
    folds = [slice(rows * i // count, rows * (i + 1) // count) for i in range(count)]

    start = time.perf_counter()
    errors = validate(folds, features, targets)
    seconds = time.perf_counter() - start

    report(seconds, errors=errors)


main()
