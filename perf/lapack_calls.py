"""Times LAPACK's routines as they are called, without what NumPy and SciPy do around them: run it plain, then with the
library preloaded.

    python3 perf/lapack_calls.py [--calls N] [--types s,d,c,z] [--last ROUTINE] [--eigen | --pivoted | --singular] N ...

Matrices are in Fortran's order and are factored in place. Milliseconds, the median of five calls after those of 0.3 s, because
a GPU raises its clock. gesv, posv and gels have 64 right-hand sides, gesvN has N. gels4 has 4 N equations and N / 2 unknowns,
gelsW N / 2 equations and 4 N unknowns, both one right-hand side. With --last the routines after that one are left out, with
what would have to be computed for them. With --eigen it times eigenvalues and eigenvectors instead, with --pivoted
QR with column pivoting, with --singular
singular values and vectors: N none, S thin, A all vectors; T, of 8 N rows; and least squares with 64 right-hand sides.
"""
import argparse
import statistics
import time

import numpy
from scipy.linalg import lapack

WARM_S = 0.3
TYPES = {'s': numpy.float32, 'd': numpy.float64, 'c': numpy.complex64, 'z': numpy.complex128}


def median_of(count, prepare, call):
    times = []
    begin = time.perf_counter()
    while len(times) < count:
        arguments = prepare()
        before = time.perf_counter()
        call(*arguments)
        after = time.perf_counter()
        if before - begin >= WARM_S:
            times.append(after - before)
    return 1e3 * statistics.median(times)


def random_matrix(random, shape, dtype):
    matrix = random.standard_normal(shape)
    if numpy.issubdtype(dtype, numpy.complexfloating):
        matrix = matrix + 1j * random.standard_normal(shape)
    return numpy.asfortranarray(matrix.astype(dtype))


def calls_of(letter, n):
    """Yields a name, what prepares a call's arguments, and the call."""
    random, dtype = numpy.random.default_rng(1), TYPES[letter]
    general, right = random_matrix(random, (n, n), dtype), random_matrix(random, (n, 64), dtype)
    definite = numpy.asfortranarray((general @ general.conj().T + n * numpy.eye(n)).astype(dtype))
    scratch = numpy.empty_like(general, order='F')

    def copy_of(matrix):
        scratch[...] = matrix
        return scratch

    def routine(name):
        return getattr(lapack, letter + name)

    yield 'getrf', lambda: (copy_of(general),), lambda a: routine('getrf')(a, overwrite_a=1)
    yield 'potrf', lambda: (copy_of(definite),), lambda a: routine('potrf')(a, lower=1, overwrite_a=1, clean=0)
    yield 'gesv', lambda: (copy_of(general),), lambda a: routine('gesv')(a, right, overwrite_a=1)
    yield 'posv', lambda: (copy_of(definite),), lambda a: routine('posv')(a, right, lower=1, overwrite_a=1)
    factors, pivots, _ = routine('getrf')(general)
    yield 'getrs', lambda: (), lambda: routine('getrs')(factors, pivots, right)
    yield 'getri', lambda: (copy_of(factors), pivots), lambda a, p: routine('getri')(a, p, lwork=64 * n, overwrite_lu=1)
    triangle, _ = routine('potrf')(definite, lower=1)
    yield 'potri', lambda: (copy_of(triangle),), lambda a: routine('potri')(a, lower=1, overwrite_c=1)
    yield 'geqrf', lambda: (copy_of(general),), lambda a: routine('geqrf')(a, lwork=64 * n, overwrite_a=1)
    reflectors, tau, _, _ = routine('geqrf')(general, lwork=64 * n)
    form = 'ungqr' if letter in 'cz' else 'orgqr'
    yield form, lambda: (copy_of(reflectors),), lambda a: routine(form)(a, tau, lwork=64 * n, overwrite_a=1)
    yield 'gels', lambda: (copy_of(general),), lambda a: routine('gels')(a, right, lwork=64 * n, overwrite_a=1)
    tall, tall_right = random_matrix(random, (4 * n, n // 2), dtype), random_matrix(random, (4 * n, 1), dtype)
    yield 'gels4', lambda: (tall.copy(order='F'),), lambda a: routine('gels')(a, tall_right, lwork=64 * n, overwrite_a=1)
    wide, wide_right = random_matrix(random, (n // 2, 4 * n), dtype), random_matrix(random, (4 * n, 1), dtype)
    yield 'gelsW', lambda: (wide.copy(order='F'),), lambda a: routine('gels')(a, wide_right, lwork=64 * n, overwrite_a=1)
    yield 'gesvN', lambda: (copy_of(general),), lambda a: routine('gesv')(a, definite, overwrite_a=1)


def eigen_calls_of(letter, n):
    """The same of eigenvalues: N without vectors, V with all, I with a tenth of them; gvd and gvx of two matrices."""
    general = random_matrix(numpy.random.default_rng(1), (n, n), TYPES[letter])
    hermitian = numpy.asfortranarray((general + general.conj().T) / 2)
    scratch = numpy.empty_like(hermitian, order='F')

    def copy():
        scratch[...] = hermitian
        return (scratch,)

    def routine(name):
        return getattr(lapack, letter + ('he' if letter in 'cz' else 'sy') + name)

    definite = numpy.asfortranarray((general @ general.conj().T / n + numpy.eye(n)).astype(TYPES[letter]))
    other = numpy.empty_like(definite, order='F')

    def both():
        other[...] = definite
        return copy() + (other,)

    lwork = int(routine('gvx_lwork')(n, uplo='L')[0].real)
    yield 'evd N', copy, lambda a: routine('evd')(a, compute_v=0, lower=1, overwrite_a=1)
    yield 'evd V', copy, lambda a: routine('evd')(a, compute_v=1, lower=1, overwrite_a=1)
    yield 'evr N', copy, lambda a: routine('evr')(a, compute_v=0, lower=1, overwrite_a=1)
    yield 'evr V', copy, lambda a: routine('evr')(a, compute_v=1, lower=1, overwrite_a=1)
    yield 'evr I', copy, lambda a: routine('evr')(a, compute_v=1, lower=1, overwrite_a=1, range='I', il=1, iu=n // 10)
    yield 'gvd V', both, lambda a, b: routine('gvd')(a, b, jobz='V', uplo='L', overwrite_a=1, overwrite_b=1)
    yield 'gvx I', both, lambda a, b: routine('gvx')(a, b, jobz='V', uplo='L', range='I', il=1, iu=n // 10, lwork=lwork,
                                                     overwrite_a=1, overwrite_b=1)


def pivoted_calls_of(letter, n):
    """The same of QR with column pivoting: of N x N, and T of 4 N x N / 10 elements."""
    random, routine = numpy.random.default_rng(1), getattr(lapack, letter + 'geqp3')
    for name, shape in (('geqp3', (n, n)), ('geqp3 T', (4 * n, n // 10))):
        general = random_matrix(random, shape, TYPES[letter])
        yield name, lambda: (general.copy(order='F'),), lambda a: routine(a, lwork=66 * (n + 1), overwrite_a=1)


def singular_calls_of(letter, n):
    """The same of singular values."""
    random, dtype = numpy.random.default_rng(1), TYPES[letter]
    square, right = random_matrix(random, (n, n), dtype), random_matrix(random, (n, 64), dtype)
    scratch = numpy.empty_like(square, order='F')

    def copy():
        scratch[...] = square
        return (scratch,)

    def routine(name):
        return getattr(lapack, letter + name)

    def size_of(name, *arguments, **jobs):
        return int(routine(name + '_lwork')(*arguments, **jobs)[0].real)

    for job, wants, is_full in (('N', 0, 0), ('S', 1, 0), ('A', 1, 1)):
        jobs = {'compute_uv': wants, 'full_matrices': is_full}
        size = size_of('gesdd', n, n, **jobs)
        yield 'gesdd ' + job, copy, lambda a: routine('gesdd')(a, lwork=size, overwrite_a=1, **jobs)
    jobs = {'compute_uv': 1, 'full_matrices': 0}
    svd_size, tall = size_of('gesvd', n, n, **jobs), random_matrix(random, (8 * n, n), dtype)
    yield 'gesvd S', copy, lambda a: routine('gesvd')(a, lwork=svd_size, overwrite_a=1, **jobs)
    tall_size = size_of('gesdd', 8 * n, n, **jobs)
    yield 'gesdd T', lambda: (tall.copy(order='F'),), lambda a: routine('gesdd')(a, lwork=tall_size, overwrite_a=1, **jobs)
    sizes = [int(x.real) for x in routine('gelsd_lwork')(n, n, 64)[:-1]]
    yield 'gelsd', copy, lambda a: routine('gelsd')(a, right, sizes[0], *sizes[1:], cond=-1, overwrite_a=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--calls', type=int, default=5)
    parser.add_argument('--types', default='s,d')
    parser.add_argument('--last', metavar='ROUTINE')
    parser.add_argument('--eigen', action='store_true')
    parser.add_argument('--pivoted', action='store_true')
    parser.add_argument('--singular', action='store_true')
    parser.add_argument('sizes', nargs='+', type=int)
    arguments = parser.parse_args()
    chosen = (eigen_calls_of if arguments.eigen else pivoted_calls_of if arguments.pivoted else
              singular_calls_of if arguments.singular else calls_of)
    for n in arguments.sizes:
        for letter in arguments.types.split(','):
            times = []
            for name, prepare, call in chosen(letter, n):
                times.append('%s %.2f' % (name, median_of(arguments.calls, prepare, call)))
                if name == arguments.last:
                    break
            print('%5d %s  %s' % (n, letter, '  '.join(times)), flush=True)


if __name__ == '__main__':
    main()
