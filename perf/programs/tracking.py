#!/usr/bin/python3
"""Follows many objects by small Kalman filters with NumPy, float64: only tiny products, which stay on the CPU.

    tracking.py OBJECTS STEPS
"""
import time

import numpy as np

from report import report, row_sums, sizes, uniform

STATES, MEASUREMENTS = 6, 3  # place and speed; place


def follow(places, transition, observed, noise, error):
    """Returns the estimate at the last of the measured places."""
    state, covariance = np.zeros(STATES), np.eye(STATES)
    for place in places:
        state = transition @ state
        covariance = transition @ covariance @ transition.T + noise
        cross = observed @ covariance
        gain = np.linalg.inv(cross @ observed.T + error) @ cross
        state = state + (place - observed @ state) @ gain
        covariance = covariance - gain.T @ cross
    return state


def main():
    objects, steps = sizes("OBJECTS", "STEPS")
    random = np.random.default_rng(1)
    transition = np.eye(STATES) + 0.1 * np.eye(STATES, k=MEASUREMENTS)
    observed = np.eye(MEASUREMENTS, STATES)
    noise, error = 0.01 * np.eye(STATES), 0.1 * np.eye(MEASUREMENTS)
    places = np.cumsum(uniform(random, objects, steps, MEASUREMENTS, dtype=np.float64), axis=1)

    start = time.perf_counter()
    states = np.array([follow(path, transition, observed, noise, error) for path in places])
    seconds = time.perf_counter() - start

    report(seconds, states=row_sums(np.abs(states)))


main()
