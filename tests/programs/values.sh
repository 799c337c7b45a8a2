#!/bin/sh
# Eigenvalues, singular values and what NumPy, SciPy and scikit-learn make of them (values.py), on the wheels of PyPI: a process without
# the library, and one with every call on lavapipe, whose results have to be as good. The statistics show that each call of LAPACK's
# drivers ran there.
#
#   values.sh LIBRARY TYPES FOLDER     TYPES: of s d c z; FOLDER: keeps the virtual environment
set -eu
library=$(readlink -f "$1")
types=$2
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/programs/common.sh
. "$here/common.sh"
make_environment "$here/wheels.txt" "$(readlink -f "$3")"
: "${LAVA_TEST_SEED:=$(date +%s)}"
echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"

export OPENBLAS_NUM_THREADS=1 # as in python.sh
set -- "$python" "$here/values.py" --seed "$LAVA_TEST_SEED" --types "$types"
"$@" --results "$folder/plain.npy"
# shellcheck disable=SC2086 # settings are words
env $on_lavapipe LD_PRELOAD="$library" LAVABLAS_STATS="$folder/stats" "$@" --results "$folder/device.npy" \
    --plain "$folder/plain.npy" --calls "$folder/calls" || fail "status $?"
skip_without_device "$folder/stats"
[ -s "$folder/calls" ] || fail 'no calls were expected'
while read -r routine expected; do
    on_device=$(calls "$folder/stats" "$routine" gpu)
    all=$(calls "$folder/stats" "$routine")
    case $expected in
    *+) [ "$on_device" -ge "${expected%+}" ] ;;
    *) [ "$on_device" = "$expected" ] ;;
    esac && [ "$on_device" = "$all" ] || fail "$routine: $all calls, $on_device of them on the device, expected $expected"
done <"$folder/calls"
[ $failed = 0 ] || cat "$folder/stats"
exit $failed
