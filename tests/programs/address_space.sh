#!/bin/sh
# A program under `ulimit -v` ends with the library wherever it ends without it: OpenBLAS waits for ever for a buffer that it does not
# get, and a driver may have taken it.
#
#   address_space.sh LIBRARY
set -eu
library=$(readlink -f "$1")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
command -v cc >/dev/null || { echo 'skipped: no cc'; exit 77; }
blas=$(ldconfig -p | sed -n 's/.*libopenblas\.so\.0 .*=> //p' | head -n 1)
[ -n "$blas" ] || { echo 'skipped: no libopenblas.so.0'; exit 77; }

cat >"$folder/multiply.c" <<'C'
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
int main(void) {
    int n = 300;
    size_t count = (size_t)n * (size_t)n;
    double one = 1, zero = 0, *a = malloc(count * 8), *c = malloc(count * 8);
    for (size_t i = 0; i < count; i++)
        a[i] = 1;
    for (int i = 0; i < 20; i++)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    return c[count - 1] != n;
}
C
cc -O1 -w -o "$folder/multiply" "$folder/multiply.c" "$blas"
for mib in 500 700 900 1100 1500 2000; do
    # where it does not end plainly there is nothing to compare
    (ulimit -v $((mib * 1024)); exec timeout 20 "$folder/multiply") || continue
    # shellcheck disable=SC2086,SC2154 # settings are words, of common.sh
    (ulimit -v $((mib * 1024)); exec timeout 60 env LD_PRELOAD="$library" $on_lavapipe "$folder/multiply") || fail "$mib MiB: status $?"
done
exit $failed
