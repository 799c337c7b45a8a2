#!/usr/bin/python3
"""Covariance of a Kalman filter with NumPy, float64: prediction, gain and Joseph's form of the update.

    kalman.py STATES MEASUREMENTS STEPS
"""
import time

import numpy as np

from report import report, row_sums, sizes, uniform


def update(covariance, transition, noise, observed, error):
    """Returns the covariance after one step, and the gain."""
    covariance = transition @ covariance @ transition.T + noise
    cross = observed @ covariance
    gain = np.linalg.solve(cross @ observed.T + error, cross).T
    left = np.eye(len(covariance)) - gain @ observed
    return left @ covariance @ left.T + gain @ error @ gain.T, gain


def main():
    states, measurements, steps = sizes("STATES", "MEASUREMENTS", "STEPS")
    random = np.random.default_rng(1)
    transition = 0.99 * np.eye(states) + 0.1 * states**-0.5 * uniform(random, states, states, dtype=np.float64)
    observed = states**-0.5 * uniform(random, measurements, states, dtype=np.float64)
    noise, error = 0.1 * np.eye(states), np.eye(measurements)
    covariance, traces = np.eye(states), []

    start = time.perf_counter()
    for _ in range(steps):
        covariance, gain = update(covariance, transition, noise, observed, error)
        traces.append(covariance.trace())
    seconds = time.perf_counter() - start

    report(seconds, traces=traces, gain=row_sums(np.abs(gain)))


main()
