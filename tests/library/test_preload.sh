#!/bin/sh
# Preloaded into a program that computes no product, the library does nothing: no thread, no file except
# itself and the libraries it is linked with, no libvulkan, no output. A set-user-ID program gets only the
# CPU BLAS.
#
#   test_preload.sh LIBRARY GEMM_PROBE
set -eu
library=$1
probe=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset LD_PRELOAD
failed=0

fail() {
    echo "$*"
    failed=1
}

# A sanitizer's runtime must come first in a process, which is impossible for a preloaded library.
if readelf -d "$library" | grep -qE 'NEEDED.*(asan|tsan|ubsan)'; then
    echo "built with a sanitizer: skipped"
    exit 77
fi

# One entry is the compiler's own start-up code. A constructor runs in every program: one that queried the
# processor's features (__builtin_cpu_supports) once cost 95 us.
constructors=$(readelf -SW "$library" | sed -n 's/.* \.init_array *INIT_ARRAY *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\).*/\1/p')
[ -n "$constructors" ] && [ $((0x$constructors)) -le 8 ] || fail "constructors: $constructors bytes of them"

output=$(LAVABLAS_STATS=1 LAVABLAS_MODE=nonsense LD_PRELOAD=$library /bin/true 2>&1) || fail "/bin/true failed"
[ -z "$output" ] || fail "/bin/true printed: $output"
output=$(LD_PRELOAD=$library /bin/sh -c 'cat /proc/self/maps; ls /proc/self/task | wc -l') || fail "sh failed"
echo "$output" | grep -q "$(basename "$(readlink -f "$library")")" || fail "the library was not preloaded"
! echo "$output" | grep -E 'vulkan|openblas|libblas' || fail "mapped without need"
[ "$(echo "$output" | tail -n 1)" = 1 ] || fail "more than one thread"

# Every file opened, compared with a run without the library. What ldd lists is allowed too.
if strace -o "$folder/probe" /bin/true 2>/dev/null; then
    calls=open,openat,openat2,clone,clone3,fork,vfork,execve,socket,connect
    strace -f -o "$folder/plain" -e trace=$calls /bin/true
    strace -f -o "$folder/preloaded" -e trace=$calls -E LD_PRELOAD="$library" /bin/true
    if grep -E '^[0-9]+ +(clone|clone3|fork|vfork|socket|connect)\(' "$folder/preloaded"; then
        fail "the calls above were made"
    fi
    opened() { sed -n '/ENOENT/d; s/.*open[a-z0-9]*([^"]*"\([^"]*\)".*/\1/p' "$1" | sort -u; }
    opened "$folder/plain" >"$folder/allowed"
    echo "$library" >>"$folder/allowed"
    ldd "$library" | sed -n 's/.*=> \([^ ]*\).*/\1/p' >>"$folder/allowed"
    for file in $(opened "$folder/preloaded"); do
        grep -qxF "$file" "$folder/allowed" || fail "opened without need: $file"
    done
else
    echo "strace cannot be used: opened files are not checked"
fi

# The probe under its own user ID, then under another user's.
run_probe() { LAVABLAS_MODE=nonsense LAVABLAS_STATS="$folder/stats" LAVABLAS_INIT=sync "$@" 2>"$folder/errors"; }
output=$(run_probe "$probe" "$library") || fail "the probe failed: $?"
[ -s "$folder/stats" ] || fail "no statistics of the plain probe"
grep -q LAVABLAS_MODE "$folder/errors" || fail "an unknown mode was not reported"
case $output in plain*) ;; *) fail "plain probe: $output" ;; esac

chmod 755 "$folder"
cp "$probe" "$folder/secure_probe"
if [ "$(id -u)" = 0 ] && chown 65534 "$folder/secure_probe" && chmod 4755 "$folder/secure_probe"; then
    rm -f "$folder/stats"
    status=0
    output=$(run_probe "$folder/secure_probe" "$library") || status=$?
    case $status:$output in
    0:plain*) echo "set-user-ID has no effect in $folder: not checked" ;;
    0:secure\ cpu*)
        [ ! -e "$folder/stats" ] || fail "a set-user-ID program wrote statistics"
        [ ! -s "$folder/errors" ] || fail "a set-user-ID program printed: $(cat "$folder/errors")"
        ;;
    2:) echo "the library cannot be read by another user: set-user-ID not checked" ;;
    *) fail "set-user-ID probe: status $status, $output" ;;
    esac
else
    echo "not root: set-user-ID not checked"
fi
exit $failed
