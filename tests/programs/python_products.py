"""Products and what is built on them, with NumPy and SciPy, in a process that has LavaBLAS in place.

Each result is compared with exact integers or with a computation in higher precision, and after each product
LavaBLAS is asked by what name it was called and where it computed. Run by python.sh.
"""

import argparse
import concurrent.futures
import ctypes
import random

DTYPES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
M, N, K = 131, 99, 150
# The families that the device computes; the others stay on the CPU.
DEVICE_FAMILIES = ("gemm", "syrk", "herk", "symm", "hemm", "syr2k", "her2k", "trmm", "trsm")
DEVICE_FAMILIES += ("potrf", "potrs", "posv", "getrf", "getrs", "gesv")


class Call(ctypes.Structure):
    """struct lavablas_call of include/lavablas.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("routine", ctypes.c_char_p),
        ("place", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("sizes", ctypes.c_int64 * 3),
        ("seconds", ctypes.c_double),
        ("scheme", ctypes.c_char_p),
    ]


def last_call():
    call = Call(size=ctypes.sizeof(Call))
    assert lavablas.lavablas_last_call(ctypes.byref(call)) == 0, "no product came to LavaBLAS"
    return call


def check_call(routine, sizes=(M, N, K)):
    """Checks the thread's last product; a row-major one is the transpose of a column-major one."""
    call = last_call()
    seen = (call.routine.decode(), call.place.decode())
    on_device = any(family in routine for family in DEVICE_FAMILIES)
    assert seen == (routine, options.place if on_device else "cpu"), f"{seen} instead of {routine}: {call.reason.decode()}"
    m, n, k = call.sizes
    assert sorted((m, n)) == sorted(sizes[:2]) and k == sizes[2], f"{routine}: {m} {n} {k}"


def forget_call():
    """Makes a product of other sizes the last call: a way that calls nothing is found out by check_call."""
    numpy.dot(numpy.ones((2, 3)), numpy.ones((3, 5)))
    assert sorted(last_call().sizes) == [2, 3, 5], "this product did not come to LavaBLAS"


def integers(generator, shape, dtype):
    """Returns small integers, so that sums of their products are exact in any type and order."""
    values = generator.integers(-8, 9, shape).astype(dtype)
    if numpy.iscomplexobj(values):
        values += 1j * generator.integers(-8, 9, shape)
    return values


def reals(generator, shape, dtype):
    values = generator.standard_normal(shape)
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(dtype)


def wide(a):
    return a.astype(numpy.clongdouble if numpy.iscomplexobj(a) else numpy.longdouble)


def size_of(a):
    return abs(a.real) + abs(a.imag) if numpy.iscomplexobj(a) else abs(a)


def multiply(a, b):
    """The reference: sums in long double, by einsum's own loops, which call no BLAS."""
    return numpy.einsum("ij,jk->ik", wide(a), wide(b), optimize=False)


def check_close(product, a, b, alpha=1, beta=0, c=0):
    """Within 4 sqrt(K + 2) u (|alpha| |A| |B| + |beta| |C|), element by element; a complex product has two sums
    of 2 K terms."""
    terms = (2 if numpy.iscomplexobj(a) else 1) * a.shape[1]
    size = abs(alpha) * multiply(size_of(a), size_of(b)) + abs(beta) * size_of(wide(c) if beta else 0)
    bound = 4 * (terms + 2) ** 0.5 * numpy.finfo(a.dtype).eps / 2 * size
    error = size_of(wide(product) - (alpha * multiply(a, b) + beta * c))
    wrong = ~(error <= bound)  # NaN is wrong
    assert not wrong.any(), f"{a.dtype}: {wrong.sum()} elements are off by {float(error.max())} at most"


def numpy_products(letter, generator):
    dtype = numpy.dtype(DTYPES[letter])
    routine = options.numpy.format(letter)
    for make in (integers, reals):
        a, b = make(generator, (M, K), dtype), make(generator, (K, N), dtype)
        columns_a, columns_b = numpy.asfortranarray(a), numpy.asfortranarray(b)
        out = numpy.full((M, N), numpy.nan, dtype)
        ways = (
            lambda: numpy.dot(a, b),
            lambda: a @ b,
            lambda: numpy.matmul(columns_a, b, out=out),
            lambda: a @ columns_b,
            lambda: (b.T @ a.T).T,
            lambda: numpy.einsum("ij,jk->ik", a, b, optimize=True),
            lambda: numpy.tensordot(a, b, 1),
            lambda: numpy.matmul(numpy.stack([a, a]), b)[1],
            lambda: numpy.hstack([a, a])[:, K:] @ b,
        )
        for way in ways:
            forget_call()
            product = way()
            check_call(routine)
            if make is integers:
                assert (product == multiply(a, b)).all(), routine
            else:
                check_close(product, a, b)


def scipy_products(letter, generator):
    dtype = numpy.dtype(DTYPES[letter])
    routine = options.scipy.format(letter)
    gemm = getattr(scipy.linalg.blas, letter + "gemm")
    for make in (integers, reals):
        a, b = make(generator, (M, K), dtype), make(generator, (K, N), dtype)
        c = numpy.asfortranarray(integers(generator, (M, N), dtype))
        cases = (
            (lambda: gemm(2, a, b), 2, 0),
            (lambda: gemm(1, a.T, b.T, trans_a=1, trans_b=1), 1, 0),
            (lambda: gemm(1, numpy.asfortranarray(a.conj().T), b, trans_a=2), 1, 0),
            (lambda: gemm(-1, a, b, beta=3, c=c), -1, 3),
        )
        for way, alpha, beta in cases:
            forget_call()
            product = way()
            check_call(routine)
            if make is integers:
                assert (product == alpha * multiply(a, b) + beta * c).all(), (routine, alpha)
            else:
                check_close(product, a, b, alpha, beta, c)


def numpy_triangles(letter, generator):
    """A matrix by its own transpose: NumPy calls ?syrk for one triangle and copies it to the other."""
    dtype = numpy.dtype(DTYPES[letter])
    routine = options.numpy.replace("gemm", "syrk").format(letter)
    for make in (integers, reals):
        a = make(generator, (M, K), dtype)
        columns, part = numpy.asfortranarray(a), numpy.hstack([a, a])[:, K:]
        out = numpy.full((K, K), numpy.nan, dtype)
        ways = (
            (lambda: a @ a.T, False),
            (lambda: a.T @ a, True),
            (lambda: columns @ columns.T, False),
            (lambda: numpy.dot(columns.T, columns), True),
            (lambda: part @ part.T, False),
            (lambda: numpy.matmul(a.T, a, out=out), True),
        )
        for way, is_turned in ways:
            left = a.T if is_turned else a
            forget_call()
            product = way()
            check_call(routine, (len(left), len(left), left.shape[1]))
            assert (product == product.T).all(), routine
            if make is integers:
                assert (product == multiply(left, left.T)).all(), routine
            else:
                check_close(product, left, left.T)
    if letter == "d":  # of floats, covariances are computed in doubles as well
        forget_call()
        covariance = numpy.cov(a)
        check_call(routine, (M, M, K))
        centered = wide(a) - wide(a).mean(axis=1, keepdims=True)
        assert abs(covariance - multiply(centered, centered.T) / (K - 1)).max() < 1e-13


def check_triangle(product, a, b, alpha, beta, c, is_lower, is_hermitian):
    """One triangle is alpha a b + beta c; the other is c's."""
    rows, columns = numpy.indices(c.shape)
    inside = rows >= columns if is_lower else rows <= columns
    if is_hermitian:
        c = c.copy()
        numpy.fill_diagonal(c, c.diagonal().real)
        assert (product.diagonal().imag == 0).all()
    assert (product[~inside] == c[~inside]).all(), (a.dtype, is_lower)
    expected = alpha * multiply(a, b) + beta * c
    check_close(numpy.where(inside, product, expected.astype(a.dtype)), a, b, alpha, beta, c)


def scipy_triangles(letter, generator):
    dtype = numpy.dtype(DTYPES[letter])
    for family in ("syrk", "herk") if dtype.kind == "c" else ("syrk",):
        is_hermitian = family == "herk"
        routine = options.scipy.replace("gemm", family).format(letter)
        function = getattr(scipy.linalg.blas, letter + family)
        for number in range(8):
            is_lower, is_turned, has_c = number & 1, number >> 1 & 1, number >> 2
            a = reals(generator, (M, K), dtype)
            left = a.T if is_turned else a
            right = left.T
            if is_hermitian:
                left, right = (a.conj().T, a) if is_turned else (a, a.conj().T)
            c = numpy.asfortranarray(reals(generator, (len(left), len(left)), dtype) * has_c)
            trans = (2 if is_hermitian else 1) * is_turned
            more = {"beta": 3, "c": c} if has_c else {}
            forget_call()
            product = function(-2, a, trans=trans, lower=is_lower, **more)
            check_call(routine, (len(left), len(left), left.shape[1]))
            check_triangle(product, left, right, -2, 3 * has_c, c, is_lower, is_hermitian)


def stored(full, is_lower):
    """Returns the triangle of a matrix, with numbers in the other one that must not be read."""
    rows, columns = numpy.indices(full.shape)
    inside = rows >= columns if is_lower else rows <= columns
    return numpy.asfortranarray(numpy.where(inside, full, full.dtype.type(1e30)))


def structured_cases(letter, number, generator):
    """Yields family, call and arguments of check_close for a symmetric or Hermitian matrix, and for two products."""
    dtype = numpy.dtype(DTYPES[letter])
    is_lower, is_right = number & 1, number >> 1
    order = N if is_right else M
    for is_hermitian in (False, True) if dtype.kind == "c" else (False,):
        full = reals(generator, (order, order), dtype)
        full = full + (full.conj().T if is_hermitian else full.T)
        a, b = stored(full, is_lower), numpy.asfortranarray(reals(generator, (M, N), dtype))
        c = numpy.asfortranarray(reals(generator, (M, N), dtype))
        family = "hemm" if is_hermitian else "symm"
        function = getattr(scipy.linalg.blas, letter + family)
        product = function(-2, a, b, beta=3, c=c, side=is_right, lower=is_lower)
        yield family, (M, N, order), product, (b, full) if is_right else (full, b), c
        a, b = (numpy.asfortranarray(reals(generator, (M, K), dtype)) for _ in range(2))
        c = numpy.asfortranarray(reals(generator, (M, M), dtype))
        c = c + (c.conj().T if is_hermitian else c.T)
        family = "her2k" if is_hermitian else "syr2k"
        product = getattr(scipy.linalg.blas, letter + family)(-2, a, b, beta=3, c=c, lower=is_lower)
        rows, columns = numpy.indices(c.shape)
        inside = rows >= columns if is_lower else rows <= columns
        other = product.conj().T if is_hermitian else product.T
        turned = [x.conj().T if is_hermitian else x.T for x in (b, a)]
        yield family, (M, M, K), numpy.where(inside, product, other), (
            numpy.hstack([a, b]),
            numpy.vstack(turned),
        ), c


def scipy_structured(letter, generator):
    """?symm, ?hemm, ?syr2k, ?her2k, ?trmm and ?trsm."""
    dtype = numpy.dtype(DTYPES[letter])
    for number in range(4):
        for family, sizes, product, factors, c in structured_cases(letter, number, generator):
            check_call(options.scipy.replace("gemm", family).format(letter), sizes)
            check_close(product, *factors, -2, 3, c)
    for number in range(16):
        is_lower, is_right, is_turned, is_unit = (number >> bit & 1 for bit in range(4))
        order = N if is_right else M
        full = numpy.tril(reals(generator, (order, order), dtype) / order, -1) + 2 * numpy.eye(order, dtype=dtype)
        full = full if is_lower else full.T
        a = stored(full, is_lower)
        if is_unit:
            full = full - numpy.eye(order, dtype=dtype)
        left = full.T if is_turned else full
        b = numpy.asfortranarray(reals(generator, (M, N), dtype))
        arguments = {"side": is_right, "lower": is_lower, "trans_a": is_turned, "diag": is_unit}
        product = getattr(scipy.linalg.blas, letter + "trmm")(-2, a, b, **arguments)
        check_call(options.scipy.replace("gemm", "trmm").format(letter), (M, N, order))
        check_close(product, *((b, left) if is_right else (left, b)), -2)
        solution = getattr(scipy.linalg.blas, letter + "trsm")(-2, a, b, **arguments)
        check_call(options.scipy.replace("gemm", "trsm").format(letter), (M, N, order))
        back = multiply(solution, left) if is_right else multiply(left, solution)
        check_small(back + 2 * wide(b), solution, left)


def check_small(residual, *factors):
    """Checks a residual relative to the norms of the terms it is computed from."""
    size = 1.0
    for factor in factors:
        size *= numpy.linalg.norm(wide(factor).astype(complex))
    eps = numpy.finfo(factors[0].dtype).eps
    assert numpy.linalg.norm(residual.astype(complex)) <= 10 * len(factors[0]) * eps * size, factors[0].dtype


def factorizations(letter, generator):
    """LAPACK's factorizations. A LAPACK whose QR is not taken over may use ?gemm and ?trmm, as options.lapack has them."""
    dtype = numpy.dtype(DTYPES[letter])
    a = reals(generator, (K, K), dtype)
    b = reals(generator, (K, 7), dtype)
    packed, pivots = scipy.linalg.lu_factor(a)
    solution = scipy.linalg.lu_solve((packed, pivots), b)
    check_small(wide(a) @ wide(solution) - wide(b), a, solution)
    solution = scipy.linalg.solve(a, b)
    check_small(wide(a) @ wide(solution) - wide(b), a, solution)
    solution = numpy.linalg.solve(a, b)
    check_small(wide(a) @ wide(solution) - wide(b), a, solution)
    positive = (wide(a) @ wide(a).conj().T).astype(dtype) + K * numpy.eye(K, dtype=dtype)
    for lower in (scipy.linalg.cholesky(positive, lower=True), numpy.linalg.cholesky(positive)):
        check_small(wide(lower) @ wide(lower).conj().T - wide(positive), lower, lower)
    forget_call()
    q, r = scipy.linalg.qr(a)
    call = last_call()
    names = [options.scipy.replace("gemm", "ungqr" if dtype.kind == "c" else "orgqr").format(letter)]
    if options.lapack:
        names += [options.lapack.format(letter), options.lapack.replace("gemm", "trmm").format(letter)]
    assert call.routine.decode() in names, call.routine
    assert call.place.decode() == options.place, call.reason
    check_small(wide(q) @ wide(r) - wide(a), q, r)


def numpy_systems(letter, generator):
    """Each is one call, in double precision whatever the type."""
    dtype = numpy.dtype(DTYPES[letter])
    routine = options.numpy_lapack.format("zgesv" if dtype.kind == "c" else "dgesv")
    a = reals(generator, (K, K), dtype)
    for sides in (1, 7, N):
        b = reals(generator, (K, sides), dtype)
        forget_call()
        solution = numpy.linalg.solve(a, b)
        check_call(routine, (K, K, K))
        check_small(wide(a) @ wide(solution) - wide(b), a, solution)
    forget_call()
    inverse = numpy.linalg.inv(a)
    check_call(routine, (K, K, K))
    check_small(wide(a) @ wide(inverse) - numpy.eye(K), a, inverse)
    a[:, 3] = 0
    try:
        numpy.linalg.inv(a)
        raise AssertionError("a singular matrix has an inverse")
    except numpy.linalg.LinAlgError:
        pass


def scipy_systems(letter, generator):
    """The routines with the factors, and the drivers, under SciPy's names."""
    dtype = numpy.dtype(DTYPES[letter])
    lapack = scipy.linalg.lapack
    a, b = reals(generator, (K, K), dtype), reals(generator, (K, 7), dtype)
    positive = (wide(a) @ wide(a).conj().T).astype(dtype) + K * numpy.eye(K, dtype=dtype)
    packed, factor = scipy.linalg.lu_factor(a), scipy.linalg.cho_factor(positive, lower=True)
    ways = [
        ("gesv", a, lambda: getattr(lapack, letter + "gesv")(a, b)[2]),
        ("posv", positive, lambda: getattr(lapack, letter + "posv")(positive, b)[1]),
        ("potrs", positive, lambda: scipy.linalg.cho_solve(factor, b)),
        ("getrs", a, lambda: scipy.linalg.lu_solve(packed, b)),
        ("getrs", a.T, lambda: scipy.linalg.lu_solve(packed, b, trans=1)),
        ("getrs", a.conj().T, lambda: scipy.linalg.lu_solve(packed, b, trans=2)),
    ]
    for routine, matrix, way in ways:
        forget_call()
        solution = way()
        check_call(options.scipy.replace("gemm", routine).format(letter), (K, K, K))
        check_small(wide(matrix) @ wide(solution) - wide(b), matrix, solution)


def one_thread(number):
    """Products of all types in turn, under NumPy's and SciPy's names, with sizes specific to the thread."""
    generator = numpy.random.default_rng(number)
    m = 40 + 10 * number
    for turn in range(3):
        for letter in options.types:
            dtype = DTYPES[letter]
            a, b = integers(generator, (m, K), dtype), integers(generator, (K, N), dtype)
            exact = multiply(a, b)
            assert (a @ b == exact).all(), (letter, number, turn)
            check_call(options.numpy.format(letter), (m, N, K))
            if scipy:
                assert (getattr(scipy.linalg.blas, letter + "gemm")(1, a, b) == exact).all(), (letter, number, turn)
                check_call(options.scipy.format(letter), (m, N, K))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--library", required=True, help="liblavablas.so")
parser.add_argument("--place", required=True, help="where the products are to be computed: cpu or gpu")
parser.add_argument("--types", required=True, help="of the letters s d c z, those whose products are intercepted")
parser.add_argument("--numpy", required=True, help="the name that NumPy calls, with {} for the letter")
parser.add_argument("--scipy", help="the same for SciPy; without it, there is none")
parser.add_argument("--numpy-lapack", help="the name of NumPy's calls of LAPACK, with {}; without it, they cannot be seen")
parser.add_argument("--lapack", help="the names of products of a LAPACK under SciPy that is not taken over")
parser.add_argument("--first", choices=("numpy", "scipy"), default="numpy", help="who is imported and multiplies first")
options = parser.parse_args()

# pylint: disable=wrong-import-position
if options.first == "scipy":
    import scipy.linalg.blas
import numpy

if options.scipy:
    import scipy.linalg.blas
    import scipy.linalg.lapack
else:
    scipy = None

lavablas = ctypes.CDLL(options.library)
seed = random.randrange(1 << 31)
print("seed", seed, "numpy", numpy.__version__, "scipy", scipy and scipy.__version__)
the_generator = numpy.random.default_rng(seed)
parts = {
    "numpy": [numpy_products, numpy_triangles] + ([numpy_systems] if options.numpy_lapack else []),
    "scipy": [scipy_products, scipy_triangles, scipy_structured, factorizations] if scipy else [],
}
if scipy and options.numpy_lapack:
    parts["scipy"].append(scipy_systems)
for who in sorted(parts, reverse=options.first == "scipy"):
    for part in parts[who]:
        for the_letter in options.types:
            part(the_letter, the_generator)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for result in [pool.submit(one_thread, number) for number in range(4)]:
        result.result()
