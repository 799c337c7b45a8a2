#!/bin/sh
# Debian's NumPy with the library preloaded, on lavapipe: products in single and double precision are right, and the
# statistics prove that the device computed every one. Skipped where there is no NumPy that calls cblas_sgemm from a
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
[ "$(grep -vc '^lavablas: estimates: ' "$folder/stats")" = 2 ] || { echo 'not all products were on the device'; exit 1; }
