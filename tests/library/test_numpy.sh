#!/bin/sh
# Debian's NumPy with the library preloaded, on lavapipe: float32 products are right, and the statistics prove that the
# device computed them. Skipped where there is no NumPy that calls cblas_sgemm from a shared BLAS, or no lavapipe.
#
#   test_numpy.sh LIBRARY
set -eu
library=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LD_PRELOAD

cat >"$folder/products.py" <<'PYTHON'
import numpy

generator = numpy.random.default_rng()
seed = int(generator.integers(1 << 31))
print("seed", seed)
generator = numpy.random.default_rng(seed)
a = generator.standard_normal((203, 150)).astype(numpy.float32)
b = generator.standard_normal((150, 99)).astype(numpy.float32)
bound = 4 * (150 + 2) ** 0.5 * 2.0**-24 * (abs(a).astype(float) @ abs(b).astype(float))
exact = a.astype(float) @ b.astype(float)
for product in (a @ b, numpy.asfortranarray(a) @ b, a @ numpy.asfortranarray(b), (b.T @ a.T).T):
    assert (abs(product - exact) <= bound).all()
double = a.astype(float) @ b.astype(float)  # dgemm: the CPU BLAS's own
assert (double == exact).all()
PYTHON

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'no NumPy'; exit 77; }
LAVABLAS_DEVICE=cpu LAVABLAS_MODE=gpu LAVABLAS_CACHE=0 LAVABLAS_STATS="$folder/stats" LD_PRELOAD="$library" \
    /usr/bin/python3 "$folder/products.py"
[ -s "$folder/stats" ] || { echo 'this NumPy calls no cblas_sgemm of a shared library'; exit 77; }
cat "$folder/stats"
! grep -q 'no usable device' "$folder/stats" || { echo 'no lavapipe'; exit 77; }
grep -q 'cblas_sgemm gpu 4 calls' "$folder/stats"
