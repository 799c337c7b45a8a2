#!/bin/sh
# Runs products under the Khronos validation layers with synchronization checks, once with shared memory and once with
# the device's own memory. One of the two, the other one in the next run, also has the checks that run on the device,
# which take most of the time: a quarter of the kinds of products, the others in other runs. LAVA_TEST_SEED says which: even is
# unified, and its half says the quarter. Any message of the layers fails the test.
#
#   validation.sh ENGINE_PRODUCTS [LIBRARY_TEST ...]    further programs run unchanged, with checks of
#                                                         synchronization alone
set -u
program=$1
shift
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

# The layers must be installed, and the loader must load them.
if ! VK_LOADER_DEBUG=layer "$program" none 2>&1 | grep -q 'Insert.*VK_LAYER_KHRONOS_validation\|libVkLayer_khronos_validation'; then
    echo 'no validation layers: skipped'
    exit 77
fi

# They print to stdout, so that nothing is lost.
export VK_LAYER_LOG_FILENAME=stdout VK_LAYER_DEBUG_ACTION=VK_DBG_LAYER_ACTION_LOG_MSG
whole=unified
part=discrete
[ $((LAVA_TEST_SEED % 2)) = 0 ] || { whole=discrete part=unified; }
# Without LLVM's optimizations the shaders that the layers have made longer take 0.6 of the time, compiled and run.
run "all checks, $whole" env GALLIVM_PERF=nopt VK_LAYER_VALIDATE_SYNC=1 VK_LAYER_GPUAV_ENABLE=1 "$program" $whole $((LAVA_TEST_SEED / 2 % 4))
run "synchronization, $part" env VK_LAYER_VALIDATE_SYNC=1 "$program" $part
for program; do
    run "synchronization, $(basename "$program")" env VK_LAYER_VALIDATE_SYNC=1 "$program"
done
exit $failed
