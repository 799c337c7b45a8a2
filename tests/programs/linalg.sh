#!/bin/sh
# NumPy's and SciPy's own tests of linear algebra, on the wheels of PyPI, with every call forced to lavapipe. They take minutes, so
# that only "meson test --setup full" runs them.
#
#   linalg.sh LIBRARY FOLDER     FOLDER: keeps the virtual environment
set -eu
library=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/programs/common.sh
. "$here/common.sh"
make_environment "$here/linalg_wheels.txt" "$(readlink -f "$2")"

# run_suite PACKAGE PREFIX SUFFIX LETTERS ROUTINE...: the routines have to reach the device under these names.
run_suite() {
    package=$1 prefix=$2 suffix=$3 letters=$4
    shift 4
    rm -f "$folder/stats"
    # One thread, as in python.sh. The test that is left out multiplies thousands of times to find races in OpenBLAS.
    # shellcheck disable=SC2086 # settings are words
    env LD_PRELOAD="$library" OPENBLAS_NUM_THREADS=1 LAVABLAS_STATS="$folder/stats" $on_lavapipe \
        "$python" -m pytest -q -p no:cacheprovider --rootdir "$folder" --pyargs "$package" \
        -k 'not openblas_threading' || fail "$package: status $?"
    skip_without_device "$folder/stats"
    for routine; do
        for letter in $letters; do
            expect_calls "$folder/stats" gpu "$prefix$letter$routine$suffix"
        done
    done
}

cd "$folder"
run_suite numpy.linalg scipy_ _64_ 'd z' gesv getrf potrf geqrf
run_suite scipy.linalg scipy_ _ 's d c z' gemm potrf potri getrf getrs getri geqrf trtrs
exit $failed
