#!/usr/bin/python3
"""A density matrix from a Hamiltonian with SciPy, float64, by P <- 3 P^2 - 2 P^3 (McWeeny 1960): a chain of products.

    scipy_purification.py N STEPS

Calls scipy.linalg.blas.dgemm with matrices in Fortran's order, as programs do that want no copies.
"""
import time

import numpy as np
from scipy.linalg.blas import dgemm

from report import report, row_sums, sizes, uniform


def main():
    n, steps = sizes("N", "STEPS")
    random = np.random.default_rng(1)
    energies = np.where(np.arange(n) < n // 3, -1, 1) * np.linspace(1, 2, n)  # occupied, then empty; a gap between them
    vector = uniform(random, n, dtype=np.float64)
    vector /= np.sqrt((vector * vector).sum())
    # H = R diag(energies) R, where R = I - 2 v v' is a reflection
    along = energies * vector
    hamiltonian = np.diag(energies) - 2 * (vector[:, None] * along + along[:, None] * vector)
    hamiltonian += 4 * (vector * along).sum() * vector[:, None] * vector
    density = np.asfortranarray(0.5 * np.eye(n) - hamiltonian / 8)  # eigenvalues within [0, 1]
    traces = []

    start = time.perf_counter()
    for _ in range(steps):
        square = dgemm(1.0, density, density)
        density = dgemm(-2.0, square, density, beta=3.0, c=square)
        traces.append(np.trace(density))
    energy = np.einsum("ij,ij->", density, hamiltonian)
    seconds = time.perf_counter() - start

    report(seconds, traces=traces, energy=[energy], density=row_sums(np.abs(density)))


main()
