#!/usr/bin/python3
"""Nearest neighbours by all distances with NumPy, float32, a block of queries at a time.

    neighbours.py POINTS DIMENSIONS QUERIES NEIGHBOURS
"""
import time

import numpy as np

from report import report, sizes, uniform

BLOCK = 1024  # queries


def find_distances(points, queries, neighbours):
    """Returns the squared distances of each query to its nearest points, sorted."""
    lengths = (points * points).sum(axis=1)
    nearest = np.empty((len(queries), neighbours), np.float32)
    for first in range(0, len(queries), BLOCK):
        block = queries[first:first + BLOCK]
        distances = block @ points.T
        distances *= -2
        distances += lengths
        distances.partition(neighbours - 1, axis=1)
        nearest[first:first + BLOCK] = np.sort(distances[:, :neighbours], axis=1)
        nearest[first:first + BLOCK] += (block * block).sum(axis=1)[:, None]
    return nearest


def main():
    count, dimensions, tests, neighbours = sizes("POINTS", "DIMENSIONS", "QUERIES", "NEIGHBOURS")
    random = np.random.default_rng(1)
    points = uniform(random, count, dimensions)
    queries = uniform(random, tests, dimensions)

    start = time.perf_counter()
    nearest = find_distances(points, queries, neighbours)
    seconds = time.perf_counter() - start

    report(seconds, distances=nearest.mean(axis=0, dtype=np.float64))


main()
