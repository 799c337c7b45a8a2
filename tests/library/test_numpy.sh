#!/bin/sh
# Debian's NumPy with the library preloaded, on lavapipe: products in single and double precision and solutions of systems
# of equations are right, and the statistics prove that the device computed every one, a system in one call. Skipped if there is no NumPy that calls cblas_sgemm from a
# shared BLAS, or no lavapipe.
#
#   test_numpy.sh LIBRARY
set -eu
library=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LD_PRELOAD

# The reference must not come from the library: its sums are einsum's own loops, in long double, which no BLAS has.
cat >"$folder/products.py" <<'PYTHON'
import numpy

M, N, K = 203, 99, 150
seed = int(numpy.random.default_rng().integers(1 << 31))
print("seed", seed)
generator = numpy.random.default_rng(seed)


def multiply_independently(x, y):
    return numpy.einsum("ij,jk->ik", x.astype(numpy.longdouble), y.astype(numpy.longdouble), optimize=False)


for dtype in (numpy.float32, numpy.float64):
    a = generator.standard_normal((M, K)).astype(dtype)
    b = generator.standard_normal((K, N)).astype(dtype)
    exact = multiply_independently(a, b)
    bound = 4 * (K + 2) ** 0.5 * numpy.finfo(dtype).eps / 2 * multiply_independently(abs(a), abs(b))
    columns_a, columns_b = numpy.asfortranarray(a), numpy.asfortranarray(b)
    for way, (left, right) in enumerate(((a, b), (columns_a, b), (a, columns_b), (columns_a, columns_b))):
        product = numpy.full((M, N), numpy.nan, dtype)
        numpy.matmul(left, right, out=product)
        wrong = ~(abs(product - exact) <= bound)  # NaN is wrong
        assert not wrong.any(), f"{dtype.__name__}, way {way}: {wrong.sum()} elements are wrong"
    # the diagonal outweighs the rest, so |L| |U| is about |A|
    a = generator.standard_normal((M, M)).astype(dtype) + 4 * M * numpy.eye(M, dtype=dtype)
    b = generator.standard_normal((M, N)).astype(dtype)
    for right, solution in ((b, numpy.linalg.solve(a, b)), (numpy.eye(M), numpy.linalg.inv(a))):
        rest = multiply_independently(a, solution) - right
        size = multiply_independently(abs(a), abs(solution)) + abs(right)
        wrong = ~(abs(rest) <= 20 * M * numpy.finfo(solution.dtype).eps / 2 * size)
        assert not wrong.any(), f"{dtype.__name__}: {wrong.sum()} elements of a solution are wrong"
PYTHON

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy'; exit 77; }
LAVABLAS_DEVICE=cpu LAVABLAS_MODE=gpu LAVABLAS_CACHE=0 LAVABLAS_INIT=sync LAVABLAS_STATS="$folder/stats" \
    LD_PRELOAD="$library" /usr/bin/python3 "$folder/products.py"
[ -s "$folder/stats" ] || { echo 'this NumPy calls no cblas_sgemm of a shared library'; exit 77; }
cat "$folder/stats"
! grep -q 'no usable device' "$folder/stats" || { echo 'no lavapipe'; exit 77; }
for routine in cblas_sgemm cblas_dgemm; do
    grep -q "^lavablas: $routine gpu 4 calls" "$folder/stats" || { echo "not 4 products by $routine on the device"; exit 1; }
done
grep -q '^lavablas: dgesv_ gpu 4 calls' "$folder/stats" || { echo 'not 4 systems by dgesv_ on the device'; exit 1; }
[ "$(grep -c '^lavablas: [a-z0-9_]* [cg]pu ' "$folder/stats")" = 3 ] || { echo 'not all products were on the device'; exit 1; }
