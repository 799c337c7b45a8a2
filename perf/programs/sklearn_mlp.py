#!/usr/bin/python3
"""Trains scikit-learn's MLPClassifier, float32: two hidden layers, Adam.

    sklearn_mlp.py SAMPLES FEATURES HIDDEN BATCH EPOCHS
"""
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from report import report, sizes, uniform

CLASSES = 10


def main():
    samples, features, hidden, batch, epochs = sizes("SAMPLES", "FEATURES", "HIDDEN", "BATCH", "EPOCHS")
    random = np.random.default_rng(1)
    labels = random.integers(0, CLASSES, samples)
    data = uniform(random, samples, features)
    data += np.float32(0.3) * uniform(random, CLASSES, features)[labels]
    model = MLPClassifier((hidden, hidden), batch_size=batch, max_iter=epochs, tol=0, n_iter_no_change=epochs, random_state=1)

    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, labels)
    seconds = time.perf_counter() - start

    report(seconds, losses=model.loss_curve_, weights=[np.square(model.coefs_[1], dtype=np.float64).sum()])


main()
