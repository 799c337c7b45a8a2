#!/bin/sh
# Octave, which calls Fortran's names of libblas.so.3, with the library preloaded and with the replacement in
# LD_LIBRARY_PATH: products of all types are exact for integers, a system of equations is solved, and the
# statistics show that lavapipe computed the products. A matrix by its own transpose comes as ?syrk, a complex one by its
# own conjugate as ?herk, a triangular system as LAPACK's ?trtrs.
#
#   octave.sh LIBRARY REPLACEMENT ROUTINE...
set -eu
library=$(readlink -f "$1")
replacement=$(readlink -f "$2")
shift 2
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

run_octave() { # run_octave VARIABLE=VALUE ROUTINE...
    placed=$1
    shift
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env "$placed" $on_lavapipe LAVABLAS_STATS="$folder/stats" HOME="$folder" \
        octave-cli --norc --quiet "$folder/products.m" || fail "$placed: status $?"
    [ -s "$folder/stats" ] || { fail "$placed: no product came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@" ssyrk_ dsyrk_ csyrk_ zsyrk_ cherk_ zherk_
}
run_octave LD_PRELOAD="$library" "$@" dtrtrs_ ctrtrs_
run_octave LD_LIBRARY_PATH="$(dirname "$replacement")" "$@"
exit $failed
