#!/bin/sh
# A program under `ulimit -v` or `-d` ends with the library wherever it ends without it: OpenBLAS waits for ever for a buffer that it does
# not get, and a driver may have taken it. In a control group whose limit is nearly reached no driver is opened.
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
#include <stdio.h>
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
static void print_status(void) {
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stdout);
}
int main(int arguments, char **values) {
    int n = 300;
    size_t count = (size_t)n * (size_t)n;
    double one = 1, zero = 0, *a = malloc(count * 8), *c = malloc(count * 8);
    for (size_t i = 0; i < count; i++)
        a[i] = 1;
    for (int i = 0; i < 20; i++)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    if (arguments > 1)
        print_status();
    return c[count - 1] != n;
}
C
cc -O1 -w -o "$folder/multiply" "$folder/multiply.c" "$blas"
# try_limit LETTER FIELD: limits upwards from what the program needs without the library, which itself takes 27 MiB of addresses.
"$folder/multiply" status >"$folder/status"
try_limit() {
    need=$(awk -v field="$2:" '$1 == field { print $2 }' "$folder/status")
    for more in 40 64 200 400 800 1200 1600 2500; do
        kib=$((need + more * 1024))
        # if it does not end plainly there is nothing to compare
        # shellcheck disable=SC3045 # dash has them
        (ulimit "-$1" $kib; exec timeout 20 "$folder/multiply") || { echo "not tested: ulimit -$1 $kib"; continue; }
        # shellcheck disable=SC2086,SC2154,SC3045 # settings are words, of common.sh
        (ulimit "-$1" $kib; exec timeout 60 env LD_PRELOAD="$library" $on_lavapipe "$folder/multiply") ||
            fail "ulimit -$1 $kib: status $?"
        tried=$((tried + 1))
    done
}
tried=0
try_limit v VmPeak
try_limit d VmData
[ $tried -ge 8 ] || fail "only $tried limits were tried"

# Files in the place of the kernel's say that a control group's limit is nearly reached, or is not.
groups=/sys/fs/cgroup
in_groups() { # in_groups MIB COMMAND...: so much is left
    mib=$1
    shift
    $enter sh -c 'mount -t tmpfs none "$0" && mkdir "$0/memory" && for file in memory.max memory/memory.limit_in_bytes; do
        echo $(($1 * 1048576)) >"$0/$file"; done && shift && exec "$@"' $groups "$mib" "$@"
}
enter='unshare --mount'
in_groups 1 true 2>/dev/null || enter='unshare --user --map-root-user --mount'
if in_groups 1 true 2>/dev/null; then
    for mib in 400 16384; do
        # shellcheck disable=SC2086 # as above
        in_groups $mib env LD_PRELOAD="$library" LAVABLAS_STATS="$folder/statistics$mib" $on_lavapipe "$folder/multiply" ||
            fail "a group's limit, $mib MiB: status $?"
    done
    skip_without_device "$folder/statistics16384"
    expect_calls "$folder/statistics16384" gpu dgemm_
    expect_calls "$folder/statistics400" cpu dgemm_
    [ "$(calls "$folder/statistics400" dgemm_ gpu)" = 0 ] || fail 'a driver was opened in a group whose limit is nearly reached'
else
    echo 'not tested: control groups (needs root or user namespaces)'
fi
exit $failed
