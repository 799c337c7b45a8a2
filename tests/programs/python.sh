#!/bin/sh
# NumPy and SciPy with the library in place. Runs python_products.py with every product on lavapipe,
# importing either first, and with every product forwarded. A forwarded product must reach the library that
# its caller was packaged with.
#
#   python.sh debian|replaced|wheels LIBRARY TYPES FOLDER
#       debian: the distribution's packages, preloaded
#       replaced: the same with FOLDER, which has a libblas.so.3, in LD_LIBRARY_PATH
#       wheels: PyPI's packages, in a virtual environment that is created and kept in FOLDER, preloaded
#       TYPES: the letters of sdcz whose products are intercepted
set -eu
packages=$1
library=$(readlink -f "$2")
types=$3
kept=$(readlink -f "$4")
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/programs/common.sh
. "$here/common.sh"

place_by="LD_PRELOAD=$library"
scipy_name=
lapack_name=
numpy_lapack_name= # a libblas.so.3 alone comes after LAPACK
case $packages in
wheels)
    # the names in the wheels' own OpenBLAS: one with 64-bit integers for NumPy, one with 32 for SciPy
    make_environment "$here/wheels.txt" "$kept"
    numpy_name='scipy_cblas_{}gemm64_'
    numpy_lapack_name='scipy_{}_64_'
    scipy_name='scipy_{}gemm_'
    ;;
debian | replaced)
    python=/usr/bin/python3
    $python -c 'import numpy' 2>/dev/null || { echo 'skipped: no NumPy (Debian: python3-numpy)'; exit 77; }
    numpy_name='cblas_{}gemm'
    if $python -c 'import scipy.linalg' 2>/dev/null; then
        scipy_name='{}gemm_'
        [ "$packages" = debian ] || lapack_name='{}gemm_' # a libblas.so.3 alone comes after LAPACK
    else
        echo 'not tested: SciPy (Debian: python3-scipy)'
    fi
    numpy_lapack_name='{}_'
    [ "$packages" = debian ] || { place_by="LD_LIBRARY_PATH=$kept" && numpy_lapack_name=; }
    ;;
esac

run_products() { # run_products PLACE FIRST VARIABLE=VALUE...
    place=$1
    first=$2
    shift 2
    rm -f "$folder/stats"
    # one thread: the CPU BLAS's threads spin while they wait, and the program has four threads of its own
    env "$place_by" OPENBLAS_NUM_THREADS=1 LAVABLAS_STATS="$folder/stats" "$@" \
        "$python" "$here/python_products.py" --library "$library" --place "$place" --types "$types" \
        ${numpy_lapack_name:+--numpy-lapack "$numpy_lapack_name"} \
        --numpy "$numpy_name" ${scipy_name:+--scipy "$scipy_name" --first "$first"} ${lapack_name:+--lapack "$lapack_name"} ||
        fail "$packages, $first first, on the $place: status $?"
    [ ! -e "$folder/stats" ] || {
        [ "$place" = cpu ] || skip_without_device "$folder/stats"
        cat "$folder/stats"
    }
}

# The wheels are imported in either order, Debian's packages in one, and in the other one in other runs.
orders=numpy${scipy_name:+ scipy}
: "${LAVA_TEST_SEED:=$(date +%s)}"
if [ "$packages" != wheels ] && [ -n "$scipy_name" ]; then
    echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"
    [ $((LAVA_TEST_SEED % 2)) = 0 ] && orders=numpy || orders=scipy
fi
# shellcheck disable=SC2086 # settings are words
for first in $orders; do
    run_products gpu $first $on_lavapipe
done
run_products cpu numpy LAVABLAS_MODE=cpu
exit $failed
