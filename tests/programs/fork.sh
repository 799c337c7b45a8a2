#!/bin/sh
# Children of fork() end as they do without the library: exit handlers, static destructors, buffered output of C++ and Fortran,
# Python's atexit, and a compiler's counters. The driver is loaded in the parent.
#
#   fork.sh LIBRARY
#
# On a machine with a GPU: LAVABLAS_DEVICE=nvidia tests/programs/fork.sh liblavablas.so.0. FORK_FOLDER names a folder with the
# compiled programs fork, fork_fixed (not PIE), fork_counted (--coverage) and fork_f, where there is no compiler;
# what is missing there is left out.
set -eu
library=$(readlink -f "$1")
device=${LAVABLAS_DEVICE:-cpu}
programs=${FORK_FOLDER:-}
sources=$(readlink -f "$(dirname "$0")")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
blas=${LAVABLAS_TEST_CPU_BLAS:-}
[ -n "$blas" ] || blas=$(ldconfig -p | sed -n 's/.*libblas\.so\.3 .*=> //p' | head -n 1)
forced="LD_PRELOAD=$library LAVABLAS_DEVICE=$device LAVABLAS_MODE=gpu LAVABLAS_INIT=sync"
default="LD_PRELOAD=$library"
children=${FORK_CHILDREN:-20}

# build COMPILER NAME ARGUMENT...
build() {
    compiler=$1
    name=$2
    shift 2
    command -v "$compiler" >/dev/null || { echo "left out: $name, no $compiler"; return 0; }
    (cd "$folder/programs" && "$compiler" -w -O1 -o "$name" "$@" "$blas")
}
if [ -z "$programs" ]; then
    programs=$folder/programs
    mkdir "$programs"
    build g++ fork -fPIE -pie "$sources/fork.cpp"
    build g++ fork_fixed -fno-pie -no-pie "$sources/fork.cpp"
    build g++ fork_counted --coverage "$sources/fork.cpp"
    build gfortran fork_f "$sources/fork.f90"
fi

# expect NAME WANTED COMMAND...: compares what the command prints.
expect() {
    name=$1
    wanted=$2
    shift 2
    printed=$("$@") || true
    [ "$printed" = "$wanted" ] || fail "$name: '$printed', not '$wanted'"
}

# run_children NAME SETTINGS
run_children() {
    out=$folder/$1-out
    mkdir "$out"
    # shellcheck disable=SC2086 # settings are words
    env $2 GCOV_PREFIX="$out/counts" timeout 120 "$programs/$1" "$out" "$children" >"$out/stdout" || fail "$1: status $?"
    all=$((children + 1)) # with the child of a child
    for file in destructor handler late; do
        expect "$1 $file" "$all" awk 'END { print NR }' "$out/$file"
    done
    expect "$1 results" "$all" sh -c "cat '$out'/results* | grep -c '^result 400$'"
    expect "$1 output" "$children" sh -c "sort -u '$out/stdout' | grep -vc 1000"
    # the counters are those of the children: the parent ends by _exit
    [ "$1" != fork_counted ] || [ -n "$(find "$out/counts" -name '*.gcda')" ] || fail "no counters of the children of $1"
    rm -rf "$out"
}

found=0
for settings in "$forced" "$default"; do
    for name in fork fork_fixed fork_counted; do
        [ -x "$programs/$name" ] || continue
        found=1
        run_children "$name" "$settings"
    done
    if [ -x "$programs/fork_f" ]; then
        found=1
        mkdir "$folder/unit"
        # shellcheck disable=SC2086 # as above
        expect fork_f ' child         400' sh -c 'cd "$1" && shift && timeout 60 env "$@"' sh "$folder/unit" $settings "$programs/fork_f"
        expect 'a unit' ' child         400' cat "$folder/unit/unit"
        rm -r "$folder/unit"
    fi
done

cat >"$folder/ends.py" <<'PYTHON'
import atexit, ctypes, os, sys
blas = ctypes.CDLL(sys.argv[1] or None, mode=ctypes.RTLD_GLOBAL)
gemm = ctypes.CDLL(None).dgemm_
def multiply(n):
    a, c = (ctypes.c_double * (n * n))(*[1.0] * (n * n)), (ctypes.c_double * (n * n))()
    number, one, zero = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
    gemm(b"N", b"T", number, number, number, one, a, number, a, number, zero, c, number)
    return c[n * n - 1]
multiply(200)
for child in range(5):
    if os.fork() == 0:
        atexit.register(print, "atexit", child)
        if child % 2:
            assert multiply(200) == 200
        sys.exit(5)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 5
os._exit(0)
PYTHON
# shellcheck disable=SC2086 # as above
expect python 5 sh -c 'PYTHONUNBUFFERED= timeout 60 env "$@" | grep -c atexit' sh $forced python3 "$folder/ends.py" "$blas"
[ $found = 1 ] || { [ $failed = 1 ] || { echo 'skipped but for Python: no g++ and no gfortran'; exit 77; }; }
exit $failed
