#!/bin/sh
# `lavablas doctor` and `info`: each cause that keeps the GPU from being used is found and has a remedy, in folders made for
# that; on lavapipe the device is found and tested. Both tell the same as JSON, and answer --help.
#
#   test_doctor.sh LAVABLAS OWN_PROGRAM STUB_NVML
set -eu
tool=$1
own=$2
nvml=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"
export LAVABLAS_CACHE=0

for command in info doctor device kernels profiles explain run calibrate bench verify replay; do
    "$tool" $command --help >"$folder/help" 2>"$folder/errors" || fail "$command --help: status $?"
    grep -q "^usage: lavablas $command" "$folder/help" || fail "$command --help: $(cat "$folder/help")"
    [ ! -s "$folder/errors" ] || fail "$command --help: stderr: $(cat "$folder/errors")"
done
for command in info doctor device kernels profiles; do
    status=0
    "$tool" $command --nosuch >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = 2 ] || fail "$command --nosuch: status $status"
    grep -q "^usage: lavablas $command" "$folder/errors" || fail "$command --nosuch: no usage"
    [ ! -s "$folder/output" ] || fail "$command --nosuch: output"
    "$tool" $command --json >"$folder/json" 2>/dev/null || :
    python3 -m json.tool "$folder/json" >/dev/null || fail "$command --json: $(cat "$folder/json")"
done
"$tool" --help | grep -q '^usage: lavablas COMMAND' || fail '--help'
[ "$("$tool" --version)" ] || fail '--version'
status=0
"$tool" nosuch 2>/dev/null || status=$?
[ $status = 2 ] || fail "no such command: status $status"

# finds STATUS PATTERN ARGUMENT...: the doctor's exit status, and one finding with a remedy behind it.
finds() {
    expected=$1
    pattern=$2
    shift 2
    status=0
    "$tool" doctor "$@" >"$folder/findings" 2>"$folder/errors" || status=$?
    [ $status = "$expected" ] || fail "doctor $*: status $status: $(cat "$folder/findings" "$folder/errors")"
    grep -A 1 -E "$pattern" "$folder/findings" | grep -q '^ *remedy: ..' ||
        fail "doctor $*: no remedy behind: $pattern: $(cat "$folder/findings")"
}

mkdir -p "$folder/root/sys/bus/pci/devices/0000:01:00.0" "$folder/root/dev/dri" "$folder/root/usr/share/vulkan/icd.d"
cd "$folder/root/sys/bus/pci/devices/0000:01:00.0"
echo 0x030000 >class
echo 0x1002 >vendor
echo 0x744c >device
cd - >/dev/null
export XDG_DATA_DIRS=/usr/share
finds 1 '^bad   device node: there is neither' --root "$folder/root"
grep -q '^good  hardware: AMD 1002:744c at 0000:01:00.0' "$folder/findings" || fail 'the hardware'
finds 1 '^bad   driver: there is no Vulkan driver in any' --root "$folder/root"
grep -A 1 '^bad   driver' "$folder/findings" | grep -q 'vulkan-radeon' || fail 'the remedy of the vendor'
echo '{"ICD": {"library_path": "/nonexistent/libvulkan_radeon.so", "api_version": "1.3.0"}}' \
    >"$folder/root/usr/share/vulkan/icd.d/radeon.json"
echo '{"ICD": ' >"$folder/root/usr/share/vulkan/icd.d/broken.json"
finds 1 '^note  driver: .*radeon.json names /nonexistent/libvulkan_radeon.so, which cannot be loaded' --root "$folder/root"
finds 1 '^note  driver: .*broken.json is not a manifest' --root "$folder/root"
: >"$folder/root/dev/dri/renderD128"
[ "$(id -u)" != 0 ] || chgrp 54321 "$folder/root/dev/dri/renderD128"
finds 1 '^bad   driver' --root "$folder/root"
grep -q '^good  device node: .*/renderD128 can be' "$folder/findings" || fail 'the device node'
chmod 060 "$folder/root/dev/dri/renderD128"
# Root may read everything: then another user looks.
readable=$tool
cp "$tool" "$folder/lavablas"
chmod 755 "$folder" "$folder/lavablas"
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups "$folder/lavablas" --version >/dev/null 2>&1; then
    printf '#!/bin/sh\nexec setpriv --reuid 65534 --clear-groups "%s" "$@"\n' "$folder/lavablas" >"$folder/other_user"
    chmod 755 "$folder/other_user"
    tool=$folder/other_user
fi
if [ "$tool" != "$readable" ] || [ ! -r "$folder/root/dev/dri/renderD128" ]; then
    finds 1 '^bad   device node: no permission' --root "$folder/root"
    if [ "$tool" != "$readable" ]; then
        grep -q 'usermod -aG 54321' "$folder/findings" || fail 'the group'
        chgrp 0 "$folder/root/dev/dri/renderD128"
        chmod 0 "$folder/root/dev/dri/renderD128"
        finds 1 '^bad   device node: no permission .*its group, root, does not give' --root "$folder/root"
        ! grep -q usermod "$folder/findings" || fail 'advice to join the group of root'
    fi
    chmod 0 "$folder/root/dev/dri/renderD128"
    finds 1 '^bad   device node: no permission .* does not give either' --root "$folder/root"
else
    echo 'no other user: permissions are not checked'
fi
tool=$readable

# A GPU of NVIDIA's that is initialized for each program; not one that its library does not know.
gpu=$folder/root/sys/bus/pci/devices/0000:02:00.0
cp -r "$folder/root/sys/bus/pci/devices/0000:01:00.0" "$gpu"
echo 0x10de >"$gpu/vendor"
mkdir "$folder/nvidia"
cp "$nvml" "$folder/nvidia/libnvidia-ml.so.1"
LD_LIBRARY_PATH=$folder/nvidia finds 1 '^note  driver: the GPU at 0000:02:00.0 has persistence mode off' --root "$folder/root"
mv "$gpu" "$folder/root/sys/bus/pci/devices/0000:03:00.0"
LD_LIBRARY_PATH=$folder/nvidia "$tool" doctor --root "$folder/root" >"$folder/findings" || :
! grep -q 'persistence mode' "$folder/findings" || fail 'persistence mode of a GPU that is not known'
rm -r "$folder/root/sys/bus/pci/devices/0000:03:00.0"

VK_DRIVER_FILES=/nonexistent/driver.json VK_ICD_FILENAMES=/nonexistent/driver.json finds 1 '^bad   driver: .*VK_DRIVER_FILES'
mkdir "$folder/broken"
: >"$folder/broken/libvulkan.so.1"
LD_LIBRARY_PATH="$folder/broken" finds 1 '^bad   Vulkan loader: none' --root "$folder/root"
mkdir "$folder/empty"
VK_DRIVER_FILES='' VK_ICD_FILENAMES='' finds 1 '^bad   hardware: there is no GPU here' --root "$folder/empty"
! grep -q '^bad   driver' "$folder/findings" || fail 'a driver is missed where there is no GPU'
LAVABLAS_MOD=cpu finds 1 '^note  setting: LAVABLAS_MOD=cpu is no setting'
grep -q 'remedy: set LAVABLAS_MODE instead' "$folder/findings" || fail 'the name that is meant'

# A program with a BLAS of its own, one for another word size, and slow CPU BLASes.
finds 1 '^bad   .*: the program contains its BLAS, .*(dgemm_)' "$own"
printf '\177ELF\001\001\001' >"$folder/narrow"
head -c 100 /dev/zero >>"$folder/narrow"
chmod 755 "$folder/narrow"
[ "$(getconf LONG_BIT)" != 64 ] || finds 1 '^bad   .*/narrow: it is a 32-bit program' "$folder/narrow"
if "$tool" info | grep -q 'version .*OpenBLAS.*DYNAMIC_ARCH' && grep -qw avx2 /proc/cpuinfo; then
    OPENBLAS_CORETYPE=Prescott finds 1 '^note  CPU BLAS: .* runs old kernels, for Prescott'
    grep -qE 'OPENBLAS_CORETYPE=(HASWELL|SKYLAKEX)' "$folder/findings" || fail 'the core type'
    rate() { OPENBLAS_CORETYPE=$1 "$tool" info | sed -n 's/^CPU BLAS: .*estimated \([0-9]*\) .*/\1/p'; }
    old=$(rate Prescott)
    new=$(rate Haswell)
    [ $((2 * old)) -le "$new" ] || fail "guessed: $old of old kernels, $new of new ones"
    OPENBLAS_CORETYPE=Prescott "$tool" info | grep -q '^  slow .*Prescott' || fail 'info: old kernels'
    OPENBLAS_CORETYPE=Haswell "$tool" doctor >"$folder/findings" || :
    grep -q '^good  CPU BLAS' "$folder/findings" || fail 'the kernels of Haswell'
fi
for reference in /usr/lib/*/blas/libblas.so.3; do
    [ -e "$reference" ] || continue
    LAVABLAS_CPU_BLAS=$reference finds 1 '^note  CPU BLAS: .* the slow reference BLAS'
    LAVABLAS_CPU_BLAS=$reference "$tool" info | grep -qE '^CPU BLAS: .*estimated [0-9] GFLOP/s in fp32' || fail 'its rate'
done
LAVABLAS_MODE=cpu finds 1 '^bad   LAVABLAS_MODE=cpu'
cp "$own" "$folder/secure"
chmod 4755 "$folder/secure"
[ ! -u "$folder/secure" ] || finds 1 '^bad   .*/secure: a set-user-ID program' "$folder/secure"
finds 1 '^bad   .*nosuch: there is no such program' "$folder/nosuch"

# On lavapipe.
export LAVABLAS_DEVICE=cpu
"$tool" device >"$folder/device" || { cat "$folder/device"; echo 'without lavapipe'; exit $((failed ? 1 : 77)); }
finds 1 '^bad   figures: by them the CPU is faster'
grep -q '^good  test: kernels of fp64 compute right results' "$folder/findings" || fail "the test: $(cat "$folder/findings")"
LAVABLAS_MODE=gpu finds 0 '^note  LAVABLAS_MODE=gpu'
LAVABLAS_DEVICE='no such device' finds 1 'is not what LAVABLAS_DEVICE=no such device asks for'
LAVABLAS_DEVICE='' finds 1 '^bad   device: there is only a software device' --root "$folder/root"
LAVABLAS_MODE=gpu LAVABLAS_MEMORY=16M finds 0 '^note  memory: only 16 MiB'
"$tool" info >"$folder/info" || fail "info: status $?"
for line in '^LavaBLAS [0-9]' '^CPU BLAS: /' '^  threads  *[0-9]' '^LAPACK: ' '^  version  *3\.[0-9]*\.[0-9]*$' '^Vulkan loader: /' '^device: llvmpipe' '^  kernel for fp64  *fp64_' \
    '^matrices that stay: LAVABLAS_RESIDENT=auto; the'; do
    grep -q "$line" "$folder/info" || fail "info: no line $line"
done
"$tool" info --json >"$folder/json"
python3 -c '
import json, sys
info = json.load(open(sys.argv[1]))
assert info["device"]["kind"] == "software" and info["cpu_blas"]["threads"] > 0 and info["vulkan"]["loader"]
assert {row["type"] for row in info["kernels"]} == {"fp32", "fp16", "bf16", "fp64", "cfp32", "cfp64"}
assert info["lapack_version"] is None or info["lapack_version"].startswith("3.")
assert info["resident"] == "auto" and (info["unwatched"] is None or info["unwatched"])
assert not info["figures"]["measured"]' "$folder/json" || fail "info --json: $(cat "$folder/json")"
exit $failed
