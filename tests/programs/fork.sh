#!/bin/sh
# Children of fork() end as they do without the library: exit handlers, static destructors, buffered output of C++ and Fortran,
# a compiler's counters, Python's atexit, multiprocessing and coverage, and R's finalizers. The parent's device has computed, as its
# statistics show, and in the mode auto its driver is loaded.
#
#   fork.sh LIBRARY
#
# On a machine with a GPU: LAVABLAS_DEVICE=nvidia tests/programs/fork.sh liblavablas.so.0. FORK_FOLDER names a folder with the
# compiled programs fork, fork_fixed (not PIE), fork_counted (--coverage) and fork_f, if there is no compiler;
# what is missing there is left out. FORK_PYTHON names a Python, for example one with coverage.
set -eu
library=$(readlink -f "$1")
device=${LAVABLAS_DEVICE:-cpu}
blas=${LAVABLAS_TEST_CPU_BLAS:-}
programs=${FORK_FOLDER:-}
python=${FORK_PYTHON:-python3}
sources=$(readlink -f "$(dirname "$0")")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
[ -n "$blas" ] || blas=$(ldconfig -p | sed -n 's/.*libblas\.so\.3 .*=> //p' | head -n 1)
statistics=$folder/statistics
forced="LD_PRELOAD=$library LAVABLAS_STATS=$statistics LAVABLAS_DEVICE=$device LAVABLAS_MODE=gpu LAVABLAS_INIT=sync"
default="LD_PRELOAD=$library LAVABLAS_STATS=$statistics"
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

# check_device SETTINGS: the parent's device has computed, if all products were forced there.
check_device() {
    if [ "$1" = "$forced" ]; then
        skip_without_device "$statistics"
        expect_calls "$statistics" gpu dgemm_
    fi
    rm -f "$statistics"
}

# run_children NAME SETTINGS
run_children() {
    out=$folder/$1-out
    mkdir "$out"
    # shellcheck disable=SC2086 # settings are words
    env $2 timeout 120 "$programs/$1" "$out" "$children" >"$out/stdout" || fail "$1: status $?"
    check_device "$2"
    all=$((children + 1)) # with the child of a child
    for file in destructor handler late; do
        expect "$1 $file" "$all" awk 'END { print NR }' "$out/$file"
    done
    expect "$1 results" "$all" sh -c "cat '$out'/results* | grep -c '^result 400$'"
    expect "$1 output" "$children" sh -c "sort -u '$out/stdout' | grep -vc 1000"
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
        check_device "$settings"
        expect 'a unit' ' child         400' cat "$folder/unit/unit"
        rm -r "$folder/unit"
    fi
done

# run_python NAME WAY COMMAND...: five children, which print at their ends.
run_python() {
    name=$1
    way=$2
    shift 2
    # shellcheck disable=SC2086 # as above
    PYTHONUNBUFFERED='' timeout 60 env $forced "$@" "$sources/fork.py" "$way" "$blas" >"$folder/printed" || fail "$name: status $?"
    check_device "$forced"
    expect "$name" 10 grep -c '^output\|^end' "$folder/printed"
}
run_python python exit "$python"
run_python 'multiprocessing of Python' multiprocessing "$python"
if "$python" -c 'import coverage' 2>/dev/null; then
    run_python coverage exit "$python" -m coverage run --parallel-mode --data-file="$folder/counts"
    expect 'files of coverage' 6 sh -c "ls '$folder' | grep -c '^counts'"
else
    echo "left out: no coverage of $python"
fi

if command -v Rscript >/dev/null; then
    mkdir "$folder/r"
    # shellcheck disable=SC2086 # as above
    timeout 120 env $forced Rscript --vanilla "$sources/fork.R" "$folder/r" || fail "R: status $?"
    check_device "$forced"
    expect 'outputs of R' 5 sh -c "cat '$folder/r'/output* | grep -c '^output 400'"
    expect 'finalizers of R' 5 grep -c end "$folder/r/ends"
else
    echo 'left out: no Rscript (Debian: r-base-core)'
fi
[ $found = 1 ] || { [ $failed = 1 ] || { echo 'skipped but for Python and R: no g++ and no gfortran'; exit 77; }; }
exit $failed
