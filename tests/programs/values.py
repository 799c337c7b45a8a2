"""Eigenvalues, singular values and what is made of them, by the names that programs call: NumPy, SciPy and scikit-learn.

    values.py --seed N --types LETTERS --results FILE [--plain FILE --calls FILE]

Writes the results of a process to a file. With --plain, a file of a process without LavaBLAS, the results have to be as good as those:
what is determined differs by a few units of the last place times the condition, what is not (vectors) has residuals and is orthogonal
as theirs. Writes how often each routine of LAPACK has to have come to LavaBLAS to --calls: "NAME COUNT", or "NAME COUNT+" if there
may be more. Run by values.sh, which compares these with the statistics.
"""
import argparse
import collections
import functools

import numpy
import scipy
import scipy.linalg

try:
    import sklearn.decomposition
except ImportError:
    sklearn = None

DTYPES = {"s": numpy.float32, "d": numpy.float64, "c": numpy.complex64, "z": numpy.complex128}
N, TALL = 97, (150, 70)


def wide(a):
    return numpy.asarray(a, numpy.clongdouble if numpy.iscomplexobj(a) else numpy.longdouble)


def multiply(*factors):
    """In long double, by einsum's own loops, which call no BLAS."""
    product = wide(factors[0])
    for factor in factors[1:]:
        product = numpy.einsum("ij,jk->ik", product, wide(factor), optimize=False)
    return product


def adjoint(a):
    return numpy.conj(a).T


def frobenius(a):
    return float(numpy.sqrt((abs(wide(a)) ** 2).sum()))


class Outcome:
    """What a case leaves: numbers that are determined, with the size of their errors in units, and measures of error in units."""

    def __init__(self, unit):
        self.unit, self.same, self.errors = unit, [], []

    def determined(self, values, scale):
        self.same.append((numpy.asarray(values), float(scale) * self.unit))

    def orthogonal(self, q):
        self.errors.append(frobenius(multiply(adjoint(q), q) - numpy.eye(q.shape[1])) / self.unit)

    def equal(self, left, right, size):
        self.errors.append(frobenius(wide(left) - wide(right)) / (self.unit * float(size)))


class Cases:
    """Runs cases one after the other and counts the calls that they have to make."""

    def __init__(self, seed):
        self.seed, self.outcomes, self.calls, self.at_least = seed, {}, collections.Counter(), set()

    def random(self, name):
        return numpy.random.default_rng([self.seed] + list(name.encode()))

    def run(self, name, dtype, calls, case):
        outcome = Outcome(float(numpy.finfo(dtype).eps) / 2)
        case(self.random(name), outcome)
        self.outcomes[name] = outcome
        self.calls.update(calls)


def general(random, dtype, shape, condition=1e2, rank=None):
    """A matrix with these singular values: 1 ... 1 / condition, zeros from the rank on. Between reflections from both sides, without
    BLAS: its bits do not depend on who multiplies."""
    is_complex = numpy.dtype(dtype).kind == "c"
    values = numpy.geomspace(1, 1 / condition, min(shape))
    values[len(values) if rank is None else rank:] = 0
    a = numpy.zeros(shape, complex if is_complex else float)
    numpy.fill_diagonal(a, values)
    for _ in range(4):
        v = random.standard_normal(len(a)) + (1j * random.standard_normal(len(a)) if is_complex else 0)
        v /= numpy.sqrt((abs(v) ** 2).sum())
        a = a - 2 * v[:, None] * (v.conj()[:, None] * a).sum(axis=0)
        a = adjoint(a)
    return numpy.asarray(a, dtype)


def hermitian(random, dtype, order, is_definite=False):
    x = general(random, dtype, (order, order))
    return numpy.asarray(multiply(x, adjoint(x)) + numpy.eye(order), dtype) if is_definite else x + adjoint(x)


def check_eigen(outcome, a, values, vectors, b=None, kind=1):
    """A Z = B Z L, A B Z = Z L or B A Z = Z L, with Z^H B Z = I, for the third one Z^H inv(B) Z = I."""
    size = frobenius(a) * (1 if b is None else frobenius(b))
    outcome.determined(values, len(a) * size)
    if vectors is None:
        return
    b = numpy.eye(len(a)) if b is None else b
    left = {1: (a, vectors), 2: (a, b, vectors), 3: (b, a, vectors)}[kind]
    right = multiply(b, vectors) if kind == 1 else wide(vectors)
    outcome.equal(multiply(*left), right * values, size)
    if kind < 3:
        outcome.equal(multiply(adjoint(vectors), b, vectors), numpy.eye(len(values)), frobenius(b))


def check_svd(outcome, a, u, s, vh):
    outcome.determined(s, min(a.shape) * frobenius(a))
    outcome.orthogonal(u)
    outcome.orthogonal(adjoint(vh))
    thin = min(a.shape)
    outcome.equal(multiply(u[:, :thin] * s, vh[:thin]), a, frobenius(a))


def numpy_cases(cases, letter):
    """NumPy computes in double precision whatever the type."""
    dtype = DTYPES[letter]
    letter = "z" if numpy.dtype(dtype).kind == "c" else "d"
    linalg, family = numpy.linalg, "he" if letter == "z" else "sy"
    evd, gesdd, gelsd = (f"scipy_{letter}{name}_64_" for name in (family + "evd", "gesdd", "gelsd"))

    def run(name, calls, case):
        cases.run(f"numpy {letter} {name}", DTYPES[letter], calls, case)

    def matrix(random, shape=(N, N), **how):
        return general(random, DTYPES[letter], shape, **how)

    def eigh(random, outcome, uplo="L"):
        a = hermitian(random, DTYPES[letter], N)
        check_eigen(outcome, a, *linalg.eigh(a, uplo))

    def eigvalsh(random, outcome):
        a = hermitian(random, DTYPES[letter], N)
        check_eigen(outcome, a, linalg.eigvalsh(a), None)

    def svd(random, outcome, shape=(N, N), full=True):
        a = matrix(random, shape)
        check_svd(outcome, a, *linalg.svd(a, full_matrices=full))

    def svdvals(random, outcome):
        a = matrix(random, TALL)
        outcome.determined(linalg.svd(a, compute_uv=False), TALL[1] * frobenius(a))

    def lstsq(random, outcome, shape=TALL, rank=None):
        a, b = matrix(random, shape, rank=rank), matrix(random, (shape[0], 5))
        x, rest, found, s = linalg.lstsq(a, b, rcond=1e-10)
        outcome.determined(x, max(shape) * 1e4 * frobenius(x))
        outcome.determined(rest, max(shape) * 1e4)
        outcome.determined(found, 0)
        outcome.determined(s, max(shape) * frobenius(a))

    def pinv(random, outcome):
        a = matrix(random, TALL, rank=31)
        outcome.determined(linalg.pinv(a, rcond=1e-10), TALL[0] * 1e4)

    def numbers(random, outcome):
        a = matrix(random)
        outcome.determined(linalg.matrix_rank(matrix(random, rank=55)), 0)
        outcome.determined(linalg.cond(a), N * 1e4)
        outcome.determined(linalg.norm(a, 2), N)
        outcome.determined(linalg.norm(a, "nuc"), N * N)

    def eig(random, outcome):
        a = matrix(random)
        values, vectors = linalg.eig(a)
        outcome.equal(multiply(a, vectors), vectors * values, frobenius(a))

    run("eigh", {evd: 1}, eigh)
    run("eigh U", {evd: 1}, functools.partial(eigh, uplo="U"))
    run("eigvalsh", {evd: 1}, eigvalsh)
    run("svd", {gesdd: 1}, svd)
    run("svd full", {gesdd: 1}, functools.partial(svd, shape=TALL))
    run("svd thin", {gesdd: 1}, functools.partial(svd, shape=TALL, full=False))
    run("svd wide", {gesdd: 1}, functools.partial(svd, shape=TALL[::-1], full=False))
    run("svd values", {gesdd: 1}, svdvals)
    run("lstsq", {gelsd: 1}, lstsq)
    run("lstsq wide", {gelsd: 1}, functools.partial(lstsq, shape=TALL[::-1]))
    run("lstsq rank", {gelsd: 1}, functools.partial(lstsq, rank=31))
    run("pinv", {gesdd: 1}, pinv)
    run("matrix_rank, cond, norm", {gesdd: 4}, numbers)
    run("eig", {}, eig)


def scipy_eigen_cases(cases, letter):
    dtype, linalg = DTYPES[letter], scipy.linalg
    family = "he" if letter in "cz" else "sy"
    tenth = N // 10

    def run(name, routine, case):
        cases.run(f"scipy {letter} {name}", dtype, {f"scipy_{letter}{routine}_": 1}, case)

    def eigh(random, outcome, **how):
        a = hermitian(random, dtype, N)
        found = linalg.eigh(a, **how)
        check_eigen(outcome, a, *((found, None) if how.get("eigvals_only") else found))

    def both(random, outcome, **how):
        a, b = hermitian(random, dtype, N), hermitian(random, dtype, N, True)
        found = linalg.eigh(a, b, **how)
        check_eigen(outcome, a, *((found, None) if how.get("eigvals_only") else found), b, how.get("type", 1))

    for driver in ("ev", "evd", "evr", "evx"):
        ways = [{}, {"eigvals_only": True}, {"lower": False}]
        if driver in ("evr", "evx"):
            ways += [{"subset_by_index": [3, tenth]}, {"subset_by_value": [-0.05, 0.5]},
                     {"subset_by_index": [0, tenth], "eigvals_only": True}]
        for way in ways:
            run(f"{driver} {way}", family + driver, functools.partial(eigh, driver=driver, **way))
    for driver in ("gv", "gvd", "gvx"):
        ways = [{}, {"eigvals_only": True, "lower": False}, {"type": 2}, {"type": 3}]
        if driver == "gvx":
            ways += [{"subset_by_index": [3, tenth]}, {"subset_by_value": [-0.1, 0.1]}]
        for way in ways:
            run(f"{driver} {way}", family + driver, functools.partial(both, driver=driver, **way))


def scipy_singular_cases(cases, letter):
    dtype, linalg = DTYPES[letter], scipy.linalg
    family = "he" if letter in "cz" else "sy"
    small = 1e-4 if letter in "sc" else 1e-10
    gesdd = f"scipy_{letter}gesdd_"

    def run(name, calls, case):
        cases.run(f"scipy {letter} {name}", dtype, {f"scipy_{letter}{routine}_": 1 for routine in calls.split()}, case)

    def svd(random, outcome, shape, full, driver):
        a = general(random, dtype, shape)
        check_svd(outcome, a, *linalg.svd(a, full_matrices=full, lapack_driver=driver))

    def svdvals(random, outcome):
        a = general(random, dtype, TALL)
        outcome.determined(linalg.svdvals(a), TALL[1] * frobenius(a))

    def lstsq(random, outcome, driver, rank=None):
        a, b = general(random, dtype, TALL, rank=rank), general(random, dtype, (TALL[0], 5))
        x, _, found, s = linalg.lstsq(a, b, cond=small, lapack_driver=driver)
        outcome.determined(x, TALL[0] * 1e4 * frobenius(x))
        outcome.determined(found, 0)
        outcome.determined([] if s is None else s, TALL[0] * frobenius(a))

    def pinvh(random, outcome):
        outcome.determined(linalg.pinvh(hermitian(random, dtype, N, True)), N * 10)

    def pinv(random, outcome):
        outcome.determined(linalg.pinv(general(random, dtype, TALL, rank=31), rtol=small), TALL[0] * 1e4)

    def spaces(random, outcome):
        a = general(random, dtype, (N, N), 10, 61)
        basis, kernel = linalg.orth(a, rcond=small), linalg.null_space(a, rcond=small)
        outcome.determined(multiply(basis, adjoint(basis)), N * 100)
        outcome.determined(multiply(kernel, adjoint(kernel)), N * 100)
        outcome.orthogonal(basis)
        outcome.orthogonal(kernel)

    def pivoted(random, outcome):
        a = general(random, dtype, TALL)
        q, r, order = linalg.qr(a, pivoting=True, mode="economic")
        outcome.equal(multiply(q, r), a[:, order], frobenius(a))
        outcome.orthogonal(q)
        falls = abs(numpy.diag(r))
        assert (falls[1:] <= falls[:-1] * (1 + 100 * outcome.unit)).all(), "R's diagonal grows"
        assert sorted(order) == list(range(TALL[1]))

    def multiplied(random, outcome):
        a, c = general(random, dtype, TALL), general(random, dtype, (5, TALL[0]))
        product, r = linalg.qr_multiply(a, c)
        q, again = linalg.qr(a, mode="economic")
        outcome.equal(product, multiply(c, q), frobenius(c))
        outcome.equal(r, again, frobenius(a))

    for driver in ("gesdd", "gesvd"):
        for shape in (TALL, TALL[::-1], (N, N)):
            for full in (False, True):
                run(f"{driver} {shape} {full}", driver, functools.partial(svd, shape=shape, full=full, driver=driver))
    run("svdvals", "gesdd", svdvals)
    for driver in ("gelsd", "gelss"):
        run(driver, driver, functools.partial(lstsq, driver=driver))
        run(driver + " rank", driver, functools.partial(lstsq, driver=driver, rank=31))
    # gelsy calls geqp3 by its symbol
    run("gelsy", "geqp3", functools.partial(lstsq, driver="gelsy"))
    run("gelsy rank", "geqp3", functools.partial(lstsq, driver="gelsy", rank=31))
    run("pinvh", family + "ev", pinvh)
    run("pinv", "gesdd", pinv)
    orgqr, ormqr = ("ungqr", "unmqr") if letter in "cz" else ("orgqr", "ormqr")
    cases.at_least.add(f"scipy_{letter}{ormqr}_")  # gelsy calls it by its symbol
    cases.run(f"scipy {letter} qr_multiply", dtype, {f"scipy_{letter}geqrf_": 2, f"scipy_{letter}{orgqr}_": 1,
                                                     f"scipy_{letter}{ormqr}_": 1}, multiplied)
    cases.run(f"scipy {letter} orth, null_space", dtype, {gesdd: 2}, spaces)
    run("qr pivoting", f"geqp3 {orgqr}", pivoted)


def sklearn_cases(cases):
    """Vectors have a sign that is fixed, and are far apart. How often a routine is called is scikit-learn's choice."""
    def data_of(random):
        return general(random, numpy.float64, (160, 40), 1e6) * 100

    def fit(random, outcome, model, names):
        data = data_of(random)
        transformed = model.fit_transform(data)
        for name in names:
            values = getattr(model, name)
            outcome.determined(values, 1e5 * frobenius(values))
        outcome.determined(transformed, 1e6 * frobenius(transformed))

    decomposition = sklearn.decomposition
    cases.at_least.update(("scipy_dgeqrf_", "scipy_dorgqr_"))
    names = ("components_", "explained_variance_", "singular_values_")
    runs = (
        ("PCA full", "scipy_dgesdd_", decomposition.PCA(5, svd_solver="full"), names),
        ("PCA covariance", "scipy_dsyevd_64_", decomposition.PCA(5, svd_solver="covariance_eigh"), names),
        ("PCA randomized", "scipy_dgesdd_", decomposition.PCA(5, svd_solver="randomized", random_state=1), names),
        ("KernelPCA", "scipy_dsyevr_", decomposition.KernelPCA(5, eigen_solver="dense"), ("eigenvalues_",)),
        ("TruncatedSVD", "scipy_dgesdd_", decomposition.TruncatedSVD(5, random_state=1), names),
    )
    for name, routine, model, attributes in runs:
        cases.at_least.add(routine)
        cases.run(f"scikit-learn {name}", numpy.float64, {routine: 1},
                  functools.partial(fit, model=model, names=attributes))


def compare(name, found, plain):
    """Yields what is wrong."""
    if len(found.same) != len(plain["same"]) or len(found.errors) != len(plain["errors"]):
        yield f"{name}: not as many results as without the library"
        return
    for number, ((values, bound), expected) in enumerate(zip(found.same, plain["same"])):
        if values.shape != expected.shape:
            yield f"{name}, result {number}: {values.shape} numbers, without the library {expected.shape}"
        elif values.size and not float(abs(wide(values) - wide(expected)).max()) <= bound:
            yield f"{name}, result {number}: differs by {float(abs(wide(values) - wide(expected)).max()):.3g}, more than {bound:.3g}"
    for number, (error, expected) in enumerate(zip(found.errors, plain["errors"])):
        if not error <= 2 * expected + N:
            yield f"{name}, error {number}: {error:.3g} units, without the library {expected:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--types", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--plain")
    parser.add_argument("--calls")
    options = parser.parse_args()
    cases = Cases(options.seed)
    for letter in options.types:
        for part in (numpy_cases, scipy_eigen_cases, scipy_singular_cases):
            part(cases, letter)
    if sklearn:
        sklearn_cases(cases)
    stored = {name: {"same": [values for values, _ in outcome.same], "errors": outcome.errors}
              for name, outcome in cases.outcomes.items()}
    numpy.save(options.results, stored, allow_pickle=True)
    if not options.plain:
        return
    plain = numpy.load(options.plain, allow_pickle=True).item()
    assert plain.keys() == stored.keys()
    wrong = [text for name, outcome in cases.outcomes.items() for text in compare(name, outcome, plain[name])]
    print(len(stored), "cases, numpy", numpy.__version__, "scipy", scipy.__version__,
          "scikit-learn", sklearn.__version__ if sklearn else "not there")
    with open(options.calls, "w", encoding="ascii") as file:
        for routine, count in sorted(cases.calls.items()):
            print(routine, f"{count}+" if routine in cases.at_least else count, file=file)
    assert not wrong, "\n".join(wrong)


if __name__ == "__main__":
    main()
