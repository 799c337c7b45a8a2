#!/usr/bin/python3
"""Matrix products by NumPy, each timed and checked.

    numpy_products.py [N ...]                  the products below, then N x N x N for each N
    LD_PRELOAD=build/lib/liblavablas.so numpy_products.py [N ...]

An ordinary NumPy program. Only one part is specific to LavaBLAS: if it is preloaded, the program asks it where each
product ran. Prints the lines that sgemm.c in this folder describes. Exits with 1 on any FAIL. Needs a NumPy that calls
the system's BLAS, as those of distributions do; the wheels of PyPI bring their own BLAS.
"""
import ctypes
import math
import sys
import time

import numpy as np

FULL_CHECK_WORK = 3e7  # m n k; above it only some rows and columns are checked: enough for about
SAMPLED_WORK = 1e8  # this work, at least two and at most
SAMPLED_LINES = 12  # of each
TIMED_SECONDS = 0.3
TIMED_CALLS = 200

# text, m, n, k, A is transposed, operands in Fortran's order
PRODUCTS = [
    ("A @ B", 64, 64, 64, False, False),
    ("A @ B", 256, 256, 256, False, False),
    ("A.T @ B", 1000, 700, 500, True, False),
    ("A @ B, order='F'", 1000, 700, 500, False, True),
    ("A @ B", 2048, 2048, 2048, False, False),
]


class LastCall(ctypes.Structure):  # struct lavablas_call of lavablas.h
    _fields_ = [("size", ctypes.c_size_t), ("routine", ctypes.c_char_p), ("place", ctypes.c_char_p),
                ("reason", ctypes.c_char_p), ("m", ctypes.c_int64), ("n", ctypes.c_int64), ("k", ctypes.c_int64),
                ("seconds", ctypes.c_double)]


def ask_where(m, n, k):
    """Returns routine, place and reason of the last product from LavaBLAS, if it is in the process."""
    try:
        last_call = ctypes.CDLL(None).lavablas_last_call
    except AttributeError:
        return "cblas_sgemm", "cpu", "OpenBLAS alone"
    call = LastCall(size=ctypes.sizeof(LastCall))
    # NumPy's products are row-major, so a column-major library sees their transposes
    if last_call(ctypes.byref(call)) == 0 and (call.m, call.n, call.k) == (n, m, k):
        return call.routine.decode(), call.place.decode(), call.reason.decode()
    return "cblas_sgemm", "cpu", "forwarded unseen"


def best_time(a, b, c):
    best, total, calls = math.inf, 0, 0
    while calls < 2 or (calls < TIMED_CALLS and total < TIMED_SECONDS):
        c.fill(np.nan)  # detects elements that are not written
        start = time.perf_counter()
        np.matmul(a, b, out=c)
        seconds = time.perf_counter() - start
        best, total, calls = min(best, seconds), total + seconds, calls + 1
    return best


def sampled(lines, length, k):
    count = max(2, min(SAMPLED_LINES, SAMPLED_WORK / (length * k)))
    return sorted({*range(0, lines, int(lines / count) + 1), lines - 1})


def error_of(a, b, c):
    """Returns the largest |C - R| / G, with R = A B and G = |A| |B| in double precision and without any BLAS (einsum)."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    r = np.einsum("ik,kj->ij", a, b)
    g = np.einsum("ik,kj->ij", abs(a), abs(b))
    return np.max(abs(c - r) / g)


def largest_error(a, b, c):
    m, n, k = c.shape[0], c.shape[1], a.shape[1]
    if np.isnan(c).any():
        return math.inf
    if m * n * k <= FULL_CHECK_WORK:
        return error_of(a, b, c)
    rows, columns = sampled(m, n, k), sampled(n, m, k)
    return max(error_of(a[rows], b, c[rows]), error_of(a, b[:, columns], c[:, columns]))


def run(random, text, m, n, k, transposed, fortran):
    order = "F" if fortran else "C"
    a = np.asarray(random.uniform(-1, 1, (k, m) if transposed else (m, k)), np.float32, order)
    b = np.asarray(random.uniform(-1, 1, (k, n)), np.float32, order)
    if transposed:
        a = a.T
    c = np.empty((m, n), np.float32)
    seconds = best_time(a, b, c)
    routine, place, why = ask_where(m, n, k)
    error, bound = largest_error(a, b, c), 4 * math.sqrt(k + 2) * 2**-24
    passed = error <= bound
    print("NumPy", routine, "row", text, f"{m}x{n}x{k}", place, why, f"{seconds:.9f}", f"{error:.1e}",
          f"{bound:.1e}", "PASS" if passed else "FAIL", sep="\t", flush=True)
    return passed


def main():
    random = np.random.default_rng(1)
    squares = [("A @ B", int(n), int(n), int(n), False, False) for n in sys.argv[1:]]
    return 0 if all([run(random, *product) for product in PRODUCTS + squares]) else 1


sys.exit(main())
