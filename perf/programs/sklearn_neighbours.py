#!/usr/bin/python3
"""Nearest neighbours by scikit-learn's brute force, float32. Its own threads multiply small chunks.

    sklearn_neighbours.py POINTS DIMENSIONS QUERIES NEIGHBOURS
"""
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors

from report import report, sizes, uniform


def main():
    points, dimensions, queries, neighbours = sizes("POINTS", "DIMENSIONS", "QUERIES", "NEIGHBOURS")
    random = np.random.default_rng(1)
    data, asked = uniform(random, points, dimensions), uniform(random, queries, dimensions)
    model = NearestNeighbors(n_neighbors=neighbours, algorithm="brute", n_jobs=-1)

    start = time.perf_counter()
    distances, _ = model.fit(data).kneighbors(asked)
    seconds = time.perf_counter() - start

    report(seconds, distances=distances.mean(axis=0, dtype=np.float64))


main()
