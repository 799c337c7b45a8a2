#!/usr/bin/python3
"""Clusters by scikit-learn's KMeans, float32. Its own threads multiply chunks of 256 points with all centroids.

    sklearn_kmeans.py POINTS DIMENSIONS CLUSTERS ITERATIONS
"""
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from report import report, sizes, uniform


def main():
    points, dimensions, clusters, iterations = sizes("POINTS", "DIMENSIONS", "CLUSTERS", "ITERATIONS")
    random = np.random.default_rng(1)
    data = uniform(random, clusters, dimensions)[random.integers(0, clusters, points)]
    data += uniform(random, points, dimensions)
    model = KMeans(clusters, init=data[:clusters].copy(), n_init=1, max_iter=iterations, tol=0, algorithm="lloyd")

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data)
    seconds = time.perf_counter() - start

    report(seconds, inertia=[model.inertia_], centres=[np.square(model.cluster_centers_, dtype=np.float64).sum()])


main()
