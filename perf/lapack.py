"""Times LAPACK as NumPy and SciPy call it: run it plain, then with the library preloaded.

    python3 perf/lapack.py [--calls N] [--types float32,float64] [--svd] [N ...]

The median of five calls after one that is not timed. With --svd the SVD runs too, once, for
the smallest N of the last type. SciPy's
functions are left out if it is not installed.
"""
import argparse
import statistics
import time

import numpy

try:
    import scipy.linalg
except ImportError:
    scipy = None


def routines(n, dtype):
    general = numpy.random.default_rng(1).standard_normal((n, n)).astype(dtype)
    definite = (general @ general.T + n * numpy.eye(n)).astype(dtype)
    right = numpy.ones((n, 64), dtype)
    yield 'numpy.dot', lambda: general.dot(definite)
    yield 'numpy.linalg.solve', lambda: numpy.linalg.solve(general, right)
    yield 'numpy.linalg.inv', lambda: numpy.linalg.inv(general)
    yield 'numpy.linalg.cholesky', lambda: numpy.linalg.cholesky(definite)
    yield 'numpy.linalg.qr, raw', lambda: numpy.linalg.qr(general, mode='raw')
    if scipy:
        factor = scipy.linalg.cho_factor(definite, check_finite=False)
        yield 'scipy.linalg.lu_factor', lambda: scipy.linalg.lu_factor(general, check_finite=False)
        yield 'scipy.linalg.cholesky', lambda: scipy.linalg.cholesky(definite, check_finite=False)
        yield 'scipy.linalg.cho_solve', lambda: scipy.linalg.cho_solve(factor, right, check_finite=False)


def median_of(function, calls):
    times = []
    function()
    for _ in range(calls):
        before = time.perf_counter()
        function()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--calls', type=int, default=5)
    parser.add_argument('--types', default='float32,float64')
    parser.add_argument('--svd', action='store_true')
    parser.add_argument('sizes', nargs='*', type=int)
    arguments = parser.parse_args()
    sizes = arguments.sizes or [4096, 8192]
    print('NumPy %s, SciPy %s' % (numpy.__version__, scipy.__version__ if scipy else 'none'))
    types = arguments.types.split(',')
    for n in sizes:
        for dtype in types:
            for name, function in routines(n, dtype):
                print('%-26s %-8s %5d  %9.4f s' % (name, dtype, n, median_of(function, arguments.calls)), flush=True)
    if not arguments.svd:
        return
    n = min(sizes)
    general = numpy.random.default_rng(1).standard_normal((n, n)).astype(types[-1])
    svd = scipy.linalg.svd if scipy else numpy.linalg.svd
    print('%-26s %-8s %5d  %9.4f s' % ('svd', types[-1], n, median_of(lambda: svd(general), 1)), flush=True)


if __name__ == '__main__':
    main()
