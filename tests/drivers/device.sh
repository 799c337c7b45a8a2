#!/bin/sh
# The tests of a device of devices.txt. They run under the Khronos validation layers if they are installed, and
# fail if these say anything.
#
#   device.sh DEVICE SHIMS pipelines PROGRAM        every pipeline can be created, no row spills
#   device.sh DEVICE SHIMS residues PROGRAM         the same for what multiplies fp64 matrices by residues
#   device.sh DEVICE SHIMS refused PROGRAM STUB     the self-test refuses the device, the CPU computes
set -u
here=$(dirname "$0")
device=$1 shims=$2 test=$3 program=$4
output=$(mktemp)
trap 'rm -f "$output"' EXIT

export VK_LOADER_LAYERS_ENABLE='*validation*' VK_LAYER_LOG_FILENAME=stdout VK_LAYER_DEBUG_ACTION=VK_DBG_LAYER_ACTION_LOG_MSG
export LAVABLAS_CACHE=0 LAVABLAS_LOG=warn
case $test in
pipelines | residues)
    called=$(awk -v device="$device" '$1 == device && $6 != "-" { gsub("_", " ", $6); print $6 }' "$here/devices.txt")
    set -- "$program" ${called:+"$called"}
    ;;
refused)
    export LAVABLAS_MODE=gpu LAVABLAS_CPU_BLAS="$5"
    set -- "$program" "$5"
    ;;
esac

status=0
VK_LOADER_DEBUG=layer "$here/with-device" "$device" "$shims" "$@" >"$output" 2>&1 || status=$?
grep -v '^\[Vulkan Loader\]' "$output"
[ $status = 0 ] || exit $status
if ! grep -q 'Insert.*libVkLayer_khronos_validation' "$output"; then
    echo 'without the validation layers, which are not installed'
elif [ -n "$(awk -f "$here/complaints.awk" "$output")" ]; then
    echo 'FAILED: the validation layers complain:'
    awk -f "$here/complaints.awk" "$output"
    exit 1
fi
