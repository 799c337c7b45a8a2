#!/bin/sh
# Products under the Khronos validation layers: once with the checks of synchronization, once with those that run on
# the device, each over shared memory and over memory of the device's own. Anything the layers say fails the test.
#
#   validation.sh EXECUTOR_PRODUCTS [LIBRARY_TEST ...]    further programs are run as they are, with the first setting
set -u
program=$1
shift
output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
export VK_LOADER_LAYERS_ENABLE='*validation*' LAVABLAS_DEVICE=cpu LAVABLAS_MODE=gpu LAVABLAS_CACHE=0

# run NAME COMMAND...
run() {
    name=$1
    shift
    status=0
    "$@" >"$output" 2>&1 || status=$?
    # The first two are the layer's about itself: which features it turns on, which checks are slow together.
    complaints=$(grep -vE 'WARNING-GPU-Assisted-Validation|VALIDATION-SETTINGS' "$output" |
        grep -E 'Validation (Error|Warning|Performance Warning)|VUID|SYNC-HAZARD')
    if [ $status != 0 ] || [ -n "$complaints" ]; then
        head -c 20000 "$output"
        echo "$name: FAILED (status $status)"
        failed=1
    else
        echo "$name: nothing to complain about"
    fi
}

# The layers must be there, and the loader must take them.
if ! VK_LOADER_DEBUG=layer "$program" unified 2>&1 | grep -q 'Insert.*VK_LAYER_KHRONOS_validation\|libVkLayer_khronos_validation'; then
    echo 'no validation layers: skipped'
    exit 77
fi

# They print to stdout, where nothing is lost.
export VK_LAYER_LOG_FILENAME=stdout VK_LAYER_DEBUG_ACTION=VK_DBG_LAYER_ACTION_LOG_MSG
for path in unified discrete; do
    run "synchronization, $path" env VK_LAYER_VALIDATE_SYNC=1 "$program" $path
    run "on the device, $path" env VK_LAYER_GPUAV_ENABLE=1 "$program" $path
done
for program; do
    run "synchronization, $(basename "$program")" env VK_LAYER_VALIDATE_SYNC=1 "$program"
done
exit $failed
