#!/bin/sh
# NumPy's and SciPy's own tests of linear algebra, on the wheels of PyPI: without the library, with every call forced to lavapipe, with
# and without its fp64, and in the default mode. What fails without the library too is no fault of it. They take minutes, so that only "meson test --setup full"
# runs them.
#
#   linalg.sh LIBRARY FOLDER     FOLDER: keeps the virtual environment
set -eu
library=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/programs/common.sh
. "$here/common.sh"
make_environment "$here/linalg_wheels.txt" "$(readlink -f "$2")"

# run_tests PACKAGE MODE [VARIABLE=VALUE...]: writes each test's outcome to the file of the mode.
run_tests() {
    package=$1 mode=$2
    shift 2
    status=0
    # One thread, as in python.sh. The test that is left out multiplies thousands of times to find races in OpenBLAS.
    env OPENBLAS_NUM_THREADS=1 "$@" "$python" -m pytest -q -p no:cacheprovider --rootdir "$folder" --junitxml "$folder/$mode.xml" \
        --pyargs "$package" -k 'not openblas_threading' >"$folder/$mode.log" 2>&1 || status=$?
    [ "$status" -le 1 ] || { # 1: tests have failed
        tail -n 60 "$folder/$mode.log"
        fail "$package, $mode: status $status"
    }
    "$python" "$here/outcomes.py" "$folder/$mode.xml" >"$folder/$mode" || fail "$package, $mode: no report"
    echo "$package, $mode: $(tail -n 1 "$folder/$mode.log")"
}

# judge PACKAGE MODE: fails unless the same tests have run as without the library, and none of them failed that had not failed there,
# but for those that rounding lets fail on the device.
judge() {
    cut -d' ' -f2- "$folder/plain" | sort >"$folder/expected"
    cut -d' ' -f2- "$folder/$2" | sort >"$folder/found"
    cmp -s "$folder/expected" "$folder/found" || {
        diff "$folder/expected" "$folder/found" | sed -n 's/^\([<>] .*\)/\1/p' | head -n 20
        fail "$1, $2: not the tests that run without the library"
    }
    # What is worse than without the library: a failure, or that it was skipped.
    sort "$folder/plain" >"$folder/expected"
    sort "$folder/$2" >"$folder/found"
    : >"$folder/rounding"
    [ "$2" = auto ] || sed -n 's/^tests\./failed &/p' "$here/linalg_rounding.txt" >"$folder/rounding"
    worse=$(comm -13 "$folder/expected" "$folder/found" | grep -v '^passed ' | grep -vxFf "$folder/rounding") || return 0
    echo "$worse"
    tail -n 200 "$folder/$2.log"
    fail "$1, $2: $(echo "$worse" | wc -l) tests that do not fail, or are not skipped, without the library"
}

# run_suite PACKAGE PREFIX SUFFIX LETTERS ROUTINE...: the routines have to come to the library under these names, and to reach the
# device where it is forced.
run_suite() {
    package=$1 prefix=$2 suffix=$3 letters=$4
    shift 4
    rm -f "$folder/gpu.stats" "$folder/hidden.stats" "$folder/auto.stats"
    run_tests "$package" plain
    # shellcheck disable=SC2086 # settings are words
    run_tests "$package" gpu $on_lavapipe LD_PRELOAD="$library" LAVABLAS_STATS="$folder/gpu.stats"
    skip_without_device "$folder/gpu.stats"
    # shellcheck disable=SC2086 # as above
    run_tests "$package" hidden $without_fp64 LD_PRELOAD="$library" LAVABLAS_STATS="$folder/hidden.stats"
    # Nothing is measured meanwhile, and the user's figures are not read.
    run_tests "$package" auto LAVABLAS_MODE=auto LAVABLAS_CALIBRATE=off XDG_CACHE_HOME="$folder/cache" LD_PRELOAD="$library" \
        LAVABLAS_STATS="$folder/auto.stats"
    for mode in gpu hidden auto; do
        judge "$package" $mode
    done
    for name; do # expect_calls has a variable routine of its own
        for letter in $letters; do
            expect_calls "$folder/gpu.stats" gpu "$prefix$letter$name$suffix"
            expect_calls "$folder/auto.stats" . "$prefix$letter$name$suffix"
        done
    done
}

cd "$folder"
run_suite numpy.linalg scipy_ _64_ 'd z' gesv getrf potrf geqrf
run_suite scipy.linalg scipy_ _ 's d c z' gemm potrf potri getrf getrs getri geqrf trtrs
exit $failed
