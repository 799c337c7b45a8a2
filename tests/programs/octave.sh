#!/bin/sh
# Octave, which calls Fortran's names of libblas.so.3, with the library preloaded and with the replacement in
# LD_LIBRARY_PATH: products of all types are exact for integers, a system of equations is solved, and the
# statistics show that lavapipe computed the products. A matrix by its own transpose comes as ?syrk, a complex one by its
# own conjugate as ?herk, a triangular system as LAPACK's ?trtrs. Eigenvalues, singular values, least squares and QR with pivoting come as
# drivers of LAPACK.
#
#   octave.sh LIBRARY REPLACEMENT products|values ROUTINE...
set -eu
library=$(readlink -f "$1")
replacement=$(readlink -f "$2")
what=$3
shift 3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

command -v octave-cli >/dev/null || { echo 'skipped: no octave-cli (Debian: octave)'; exit 77; }

cat >"$folder/products.m" <<'OCTAVE'
a = mod(reshape(0:120*90-1, 120, 90), 17) - 8;
b = mod(reshape(0:90*100-1, 90, 100), 13) - 6;
c = zeros(120, 100);
for k = 1:90
  c += a(:, k) .* b(k, :);
end
assert(a * b, c);
assert(single(a) * single(b), single(c));
assert((a * 2i) * (b + b * 1i), c * (-2 + 2i));
assert(single(a * 2i) * single(b + b * 1i), single(c * (-2 + 2i)));
g = zeros(90);
for k = 1:120
  g += a(k, :)' .* a(k, :);
end
z = a + 2i * a;
assert(a' * a, g);
b32 = single(a);
assert(b32' * b32, single(g));
assert(z' * z, 5 * g);
assert(z.' * z, (-3 + 4i) * g);
f = single(z); # a variable: f' * f is one matrix twice
assert(f' * f, single(5 * g));
assert(f.' * f, single((-3 + 4i) * g));
assert(a * a', a * (a + 0)');
assert(z * z', 5 * a * (a + 0)');
# Triangles with ones on the diagonal: the solve is exact.
t = tril(triu(mod(reshape(0:90*90-1, 90, 90), 3) - 1, -1), -1) + eye(90);
assert(t \ (t * b), b);
assert((b' * t) / t, b');
w = single(t + 1i * (t - eye(90)));
assert(w' \ (w' * b), single(b), 1e-3);
s = a' * a + 1000 * eye(90);
x = s \ b;
assert(s * x, b, 1e-9);
r = chol(s);
assert(r' * r, s, 1e-9);
OCTAVE

export LAVA_TEST_SEED="${LAVA_TEST_SEED:-$(date +%s)}"
echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"
cat >"$folder/values.m" <<'OCTAVE'
randn("seed", str2double(getenv("LAVA_TEST_SEED")));
a = randn(120, 90);
b = randn(90, 100);
z = a + 1i * randn(120, 90);
s = a(1:90, :) + a(1:90, :)';
h = z(1:90, :) + z(1:90, :)';
p = a' * a / 100 + eye(90);
bound = 1e-11;
for x = {s, h}
  [v, d] = eig(x{:});
  assert(v * d * v', x{:}, bound);
  assert(v' * v, eye(90), bound);
  assert(eig(x{:}), diag(d), bound);
  [v, d] = eig(single(x{:}));
  assert(v * d * v', single(x{:}), 5e-3);
  [v, d] = eig(x{:}, p);
  assert(x{:} * v, p * v * d, 1e-9);
end
for driver = {"gesvd", "gesdd"}
  svd_driver(driver{:});
  for x = {a, a', z, single(z)}
    bound = ifelse(isa(x{:}, "single"), 1e-2, 1e-11);
    [u, d, v] = svd(x{:});
    assert(u * d * v', x{:}, bound);
    assert(u' * u, eye(rows(x{:}), class(u)), bound);
    assert(svd(x{:}), diag(d), bound);
    [u, d, v] = svd(x{:}, "econ");
    assert(u * d * v', x{:}, bound);
  end
end
low = a(:, 1:31) * b(1:31, :);
assert(rank(low), 31);
inverse = pinv(low, 1e-6);
assert(low * inverse * low, low, 1e-8);
basis = orth(low, 1e-9);
assert(basis * (basis' * low), low, 1e-8);
assert(norm(low * null(low)) < 1e-8);
assert(norm(a), max(svd(a)), 1e-10);
x = a \ ones(120, 3);
assert(a' * (a * x), a' * ones(120, 3), 1e-8);
[q, r, order] = qr(a);
assert(q * r, a * order, 1e-11);
OCTAVE

run_octave() { # run_octave PROGRAM VARIABLE=VALUE ROUTINE...
    program=$1 placed=$2
    shift 2
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env "$placed" $on_lavapipe LAVABLAS_STATS="$folder/stats" HOME="$folder" \
        octave-cli --norc --quiet "$folder/$program.m" || fail "$program, $placed: status $?"
    [ -s "$folder/stats" ] || { fail "$program, $placed: no call came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@"
}
run_products() { # run_products ROUTINE...
    run_octave products LD_PRELOAD="$library" "$@" dtrtrs_ ctrtrs_
    run_octave products LD_LIBRARY_PATH="$(dirname "$replacement")" "$@"
}
case $what in
products) run_products "$@" ssyrk_ dsyrk_ csyrk_ zsyrk_ cherk_ zherk_ ;;
values) run_octave values LD_PRELOAD="$library" "$@" ;;
esac
exit $failed
