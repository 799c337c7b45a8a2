"""Measures backward errors of LAPACK's routines: run it plain, then with the library preloaded and LAVABLAS_MODE=gpu.

    python3 perf/lapack_errors.py [--types s,d,c,z] N ...

Of random matrices, which are the same each time: the largest error of an element in three columns (of an inverse X, in three rows of X A),
in units of u and of the largest element of what was added up. Sums of the test itself are made in a wider type.

    gemm           |A B - C|, each element by that of |A||B|
    getrf, potrf   |P A - L U|, |A - L L^H| by the largest element of A
    getri, potri   |X A - I| by that of |X||A|
    gesv           |A X - B| by that of |A||X|
    geqrf, orgqr   |A - Q R| by the largest element of A, |Q^H Q - I|
"""
import argparse

import numpy
from scipy.linalg import blas, lapack

TYPES = {'s': (numpy.float32, numpy.float64, 2.0 ** -24), 'd': (numpy.float64, numpy.longdouble, 2.0 ** -53),
         'c': (numpy.complex64, numpy.complex128, 2.0 ** -24), 'z': (numpy.complex128, numpy.clongdouble, 2.0 ** -53)}
ROWS_EACH = 256


class Matrices:
    """The matrices of one type and order, and what is measured with them."""

    def __init__(self, letter, order):
        self.letter, self.order = letter, order
        self.narrow, self.wide, self.unit = TYPES[letter]
        self.random = numpy.random.default_rng(7)
        self.columns = [0, order // 3, order - 1]

    def routine(self, name):
        name = {'syrk': 'herk', 'orgqr': 'ungqr'}.get(name, name) if self.letter in 'cz' else name
        return getattr(lapack, self.letter + name, None) or getattr(blas, self.letter + name)

    def new(self):
        matrix = self.random.standard_normal((self.order, self.order))
        if self.letter in 'cz':
            matrix = matrix + 1j * self.random.standard_normal(matrix.shape)
        return numpy.asfortranarray(matrix.astype(self.narrow))

    def some(self, matrix):
        return matrix[:, self.columns].astype(self.wide)

    def times(self, left, right):
        """left times the columns `right`, in the wider type, by parts: NumPy copies the matrix for that."""
        parts = [left[i:i + ROWS_EACH].astype(self.wide) @ right for i in range(0, self.order, ROWS_EACH)]
        return numpy.concatenate(parts)

    def size_of(self, left, right):
        return numpy.abs(left).astype(float) @ numpy.abs(right[:, self.columns]).astype(float)

    def worst(self, difference, size):
        return float(numpy.max(numpy.abs(difference) / size)) / self.unit

    def inverse(self, inverse, matrix):
        """Of X A - I; its rows are columns of A^T X^T."""
        left, right = matrix.T, inverse.T
        difference = self.times(left, self.some(right))
        difference[self.columns, [0, 1, 2]] -= 1
        return self.worst(difference, numpy.max(self.size_of(left, right)))


def general(x):
    a, b = x.new(), x.new()
    c = x.routine('gemm')(1, a, b)
    yield 'gemm', x.worst(x.times(a, x.some(b)) - x.some(c), x.size_of(a, b))
    factors, pivots, _ = x.routine('getrf')(a)
    swapped = a.copy()
    for row, other in enumerate(pivots):
        swapped[[row, other]] = swapped[[other, row]]
    lower, upper = numpy.tril(factors, -1) + numpy.eye(x.order, dtype=x.narrow), numpy.triu(factors)
    yield 'getrf', x.worst(x.times(lower, x.some(upper)) - x.some(swapped), numpy.max(numpy.abs(a)))
    yield 'getri', x.inverse(x.routine('getri')(factors, pivots, lwork=64 * x.order)[0], a)
    solution = x.routine('gesv')(a, b)[2]
    yield 'gesv', x.worst(x.times(a, x.some(solution)) - x.some(b), numpy.max(x.size_of(a, solution)))
    factors, tau, _, _ = x.routine('geqrf')(a, lwork=64 * x.order)
    q = x.routine('orgqr')(factors, tau, lwork=64 * x.order)[0]
    yield 'geqrf', x.worst(x.times(q, x.some(numpy.triu(factors))) - x.some(a), numpy.max(numpy.abs(a)))
    angles = x.times(q.conj().T, x.some(q))
    angles[x.columns, [0, 1, 2]] -= 1
    yield 'orgqr', x.worst(angles, 1)


def definite(x):
    half = numpy.tril(x.routine('syrk')(1, x.new(), lower=1))
    a = numpy.asfortranarray(half + numpy.tril(half, -1).conj().T)
    a[numpy.arange(x.order), numpy.arange(x.order)] += 1
    lower = x.routine('potrf')(a, lower=1, clean=1)[0]
    yield 'potrf', x.worst(x.times(lower, x.some(lower.conj().T)) - x.some(a), numpy.max(numpy.abs(a)))
    half = numpy.tril(x.routine('potri')(lower, lower=1)[0])
    yield 'potri', x.inverse(half + numpy.tril(half, -1).conj().T, a)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--types', default='s,d,c,z')
    parser.add_argument('sizes', nargs='+', type=int)
    arguments = parser.parse_args()
    for letter in arguments.types.split(','):
        for order in arguments.sizes:
            x = Matrices(letter, order)
            errors = [*general(x), *definite(x)]
            print('%s %5d u ' % (letter, order), ' '.join('%s %.2f' % error for error in errors), flush=True)


if __name__ == '__main__':
    main()
