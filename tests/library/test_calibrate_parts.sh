#!/bin/sh
# lavablas calibrate says in a file what it does, a line for each step, while it does it; ended by SIGTERM or SIGKILL it has
# stored what it had measured, which the next command reads. An earlier figure stays until it is measured again.
#
#   test_calibrate_parts.sh LAVABLAS
set -eu
tool=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LAVABLAS_DEVICE=cpu XDG_CACHE_HOME="$folder/cache"
mkdir "$folder/cache"
failed=0

fail() {
    echo "FAILED: $*"
    cat "$folder/out"
    failed=1
}

"$tool" device >"$folder/out" || { cat "$folder/out"; echo 'skipped: no lavapipe'; exit 77; }

# An earlier run has measured this, and a row that is measured late.
echo 'cpu_family_ns dgetri 2048 123456789' >"$folder/earlier"
"$tool" calibrate --import "$folder/earlier" >"$folder/out" || fail "--import: status $?"

# end SIGNAL STATUS: ends a run once it has measured some products of the CPU.
end() {
    "$tool" calibrate --seconds 0.02 >"$folder/out" 2>&1 &
    process=$!
    waited=0
    until [ "$(grep -c '^[0-9]*/[0-9]* CPU .* s left$' "$folder/out")" -ge 6 ]; do
        sleep 0.1
        waited=$((waited + 1))
        [ $waited -lt 2400 ] && kill -0 "$process" || { fail 'the steps are not said as they come'; break; }
    done
    kill -s "$1" "$process" || fail 'it had ended'
    status=0
    wait "$process" || status=$?
    [ "$status" = "$2" ] || fail "$1: status $status"
    grep -q '^preparing fp32$' "$folder/out" || fail 'the preparation is not said'
    "$tool" calibrate --show >"$folder/shown" || fail "$1: nothing is stored"
    for row in '^device_call_latency_ns ' '^device_kernel_flops_per_s ' '^cpu_product_ns ' '^cpu_family_ns dgetri 2048 1.234568e8$'; do
        grep -q "$row" "$folder/shown" || fail "$1: no row $row in $(cat "$folder/shown")"
    done
    ! grep -q '^cpu_families ' "$folder/shown" || fail "$1: a part counts as whole"
    [ "$1" = KILL ] || [ "$(find "$folder/cache" -name 'figures-*' | wc -l)" = 1 ] || fail "$1: more files: $(ls "$folder/cache/lavablas")"
}

end TERM 143
grep -q 'interrupted after [0-9]* of [0-9]* steps.*The next run begins anew' "$folder/out" || fail 'it does not say what is kept'
end KILL 137
exit "$failed"
