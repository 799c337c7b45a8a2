#!/usr/bin/python3
"""Lloyd's k-means with NumPy, float32: distances by X @ C.T, some thousand points at a time.

    kmeans.py POINTS DIMENSIONS CLUSTERS ITERATIONS
"""
import time

import numpy as np

from report import report, sizes

CHUNK = 8192  # points: their distances to 4096 centroids take 128 MiB


def assign(data, centroids):
    """Returns the nearest centroid of each point, and the sum of the squared distances to them."""
    nearest = np.empty(len(data), np.intp)
    inertia = 0.0
    lengths = (centroids * centroids).sum(axis=1)
    for first in range(0, len(data), CHUNK):
        points = data[first:first + CHUNK]
        distances = points @ centroids.T
        distances *= -2
        distances += lengths
        nearest[first:first + CHUNK] = distances.argmin(axis=1)
        inertia += distances.min(axis=1).sum(dtype=np.float64) + (points * points).sum(dtype=np.float64)
    return nearest, inertia


def move(data, nearest, centroids):
    """A centroid without points is not moved."""
    order = np.argsort(nearest, kind="stable")
    counts = np.bincount(nearest, minlength=len(centroids))
    kept = counts > 0
    starts = (np.cumsum(counts) - counts)[kept]
    centroids[kept] = np.add.reduceat(data[order], starts, axis=0) / counts[kept, None].astype(np.float32)


def main():
    points, dimensions, clusters, iterations = sizes("POINTS", "DIMENSIONS", "CLUSTERS", "ITERATIONS")
    random = np.random.default_rng(1)
    middles = random.random((clusters, dimensions), dtype=np.float32) * 2 - 1
    data = middles[random.integers(0, clusters, points)]
    for first in range(0, points, CHUNK):
        data[first:first + CHUNK] += random.random(data[first:first + CHUNK].shape, dtype=np.float32) * 2 - 1
    centroids = data[:clusters].copy()
    inertia = []

    start = time.perf_counter()
    for _ in range(iterations):
        nearest, total = assign(data, centroids)
        move(data, nearest, centroids)
        inertia.append(total)
    seconds = time.perf_counter() - start

    report(seconds, inertia=inertia)


main()
