#!/usr/bin/python3
"""Leading principal components by scikit-learn's PCA with random projections, float32: products with thin matrices.

    sklearn_pca.py ROWS COLUMNS COMPONENTS
"""
import time

import numpy as np
from sklearn.decomposition import PCA

from report import report, sizes, uniform

TOLD = 8


def main():
    rows, columns, components = sizes("ROWS", "COLUMNS", "COMPONENTS")
    random = np.random.default_rng(1)
    data = uniform(random, rows, columns)
    data *= np.arange(1, columns + 1, dtype=np.float32)**np.float32(-0.5)  # so do the singular values decrease
    data += 1
    model = PCA(components, svd_solver="randomized", iterated_power=7, random_state=1)

    start = time.perf_counter()
    scores = model.fit_transform(data)
    seconds = time.perf_counter() - start

    report(seconds, variances=model.explained_variance_[:TOLD], spread=scores.var(axis=0, dtype=np.float64)[:TOLD])


main()
