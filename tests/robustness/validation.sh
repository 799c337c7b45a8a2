#!/bin/sh
# Runs products under the Khronos validation layers with synchronization checks, once with shared memory and once with
# the device's own memory. One of the two, the other one in the next run, also has the checks that run on the device,
# which take most of the time: one kind of products, the others in other runs, and a quarter of one of the
# tests of solves and factorizations. The checks of synchronization alone have a quarter of the kinds, and one of the tests of the
# library. LAVA_TEST_SEED says which: even is unified, its half says the kind, and its thirty-second the tests and the quarter.
# Any message of the layers fails the test. Before, a
# program makes a mistake of either kind: unless the layers report both, their silence would tell nothing, and the test fails.
#
#   validation.sh PLANTED_MISTAKES ENGINE_PRODUCTS [DEVICE_TEST...] -- [LIBRARY_TEST...]
#
# One DEVICE_TEST has all checks. One LIBRARY_TEST runs with checks of synchronization alone.
set -u
planted=$1
program=$2
shift 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
: "${LAVA_TEST_SEED:=$(date +%s)}"
echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"
export VK_LOADER_LAYERS_ENABLE='*validation*' LAVABLAS_DEVICE=cpu LAVABLAS_MODE=gpu LAVABLAS_CACHE=0

# run NAME COMMAND...
run() {
    name=$1
    shift
    status=0
    started=$(date +%s)
    "$@" >"$output" 2>&1 || status=$?
    seconds=$(($(date +%s) - started))
    # The first two patterns are messages of the layer about itself: enabled features, and slow combinations
    # of checks.
    complaints=$(grep -vE 'WARNING-GPU-Assisted-Validation|VALIDATION-SETTINGS' "$output" |
        grep -E 'Validation (Error|Warning|Performance Warning)|VUID|SYNC-HAZARD')
    if [ $status != 0 ] || [ -n "$complaints" ]; then
        head -c 20000 "$output"
        echo "$name: FAILED (status $status)"
        failed=1
    else
        echo "$name: nothing to complain about, $seconds s"
    fi
}

# expect NAME PATTERN COMMAND...: the layers have to report what the command does wrong.
expect() {
    name=$1 pattern=$2
    shift 2
    status=0
    "$@" >"$output" 2>&1 || status=$?
    if [ $status = 0 ] && grep -q "$pattern" "$output"; then
        echo "$name: on, a planted mistake is reported"
    else
        head -c 20000 "$output"
        echo "$name: FAILED (status $status): a planted mistake is not reported. Either the layers do not know how they are asked" \
            "for these checks here, or what they say about it has changed: what they do not report tells nothing"
        failed=1
    fi
}

# The layers must be installed, and the loader must load them.
if ! VK_LOADER_DEBUG=layer "$program" none 2>&1 | grep -q 'Insert.*VK_LAYER_KHRONOS_validation\|libVkLayer_khronos_validation'; then
    echo 'no validation layers: skipped'
    exit 77
fi

# They print to stdout, so that nothing is lost.
export VK_LAYER_LOG_FILENAME=stdout VK_LAYER_DEBUG_ACTION=VK_DBG_LAYER_ACTION_LOG_MSG
synchronization='VK_LAYER_VALIDATE_SYNC=1'
# Without LLVM's optimizations the shaders that the layers have made longer take 0.6 of the time, compiled and run.
all="GALLIVM_PERF=nopt $synchronization VK_LAYER_GPUAV_ENABLE=1"
# shellcheck disable=SC2086 # settings are words, here and below
expect 'checks of synchronization' 'SYNC-HAZARD-WRITE-AFTER-WRITE' env $synchronization "$planted" order
# shellcheck disable=SC2086
expect 'checks of synchronization beside those on the device' 'SYNC-HAZARD-WRITE-AFTER-WRITE' env $all "$planted" order
# shellcheck disable=SC2086
expect 'checks on the device' 'Validation Error.*out of bounds\|Out of bounds access' env $all "$planted" address

whole=unified
part=discrete
[ $((LAVA_TEST_SEED % 2)) = 0 ] || { whole=discrete part=unified; }
# shellcheck disable=SC2086
run "all checks, $whole" env $all "$program" $whole one$((LAVA_TEST_SEED / 2 % 16))

device_tests=0
for test; do
    [ "$test" != -- ] || break
    device_tests=$((device_tests + 1))
done
turn=$((LAVA_TEST_SEED / 32))
for number in $(seq 0 $((device_tests - 1))); do
    # shellcheck disable=SC2086
    [ "$number" != $((turn % device_tests)) ] || run "all checks, $(basename "$1")" env $all LAVA_TEST_PART=$((turn / device_tests % 4)) "$1"
    shift
done
shift

# A quarter of the kinds, not the one above.
for eighth in 1 5; do
    # shellcheck disable=SC2086
    run "synchronization, $part, part $eighth" env $synchronization "$program" $part $(((LAVA_TEST_SEED / 2 + eighth) % 8))
done
shift $((turn / 12 % $#))
# shellcheck disable=SC2086
run "synchronization, $(basename "$1")" env $synchronization "$1"
exit $failed
