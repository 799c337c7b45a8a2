#!/bin/sh
# The commands of doc/ that measure and draw, each in brief: perf/measure on the CPU, with perf/level3 on what it printed, perf/scale on
# the software device, and what draws pictures on files of perf/results, if there is matplotlib.
#
#   test_commands.sh BUILD_FOLDER measure|scale|pictures
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(readlink -f "$1")
# shellcheck source=tests/programs/common.sh
. "$here/../tests/programs/common.sh"
export LAVABLAS_DEVICE=cpu OPENBLAS_NUM_THREADS=1

expect() { grep -qE "$1" "$2" || { cat "$2"; fail "$2 does not have: $1"; }; }

run_measure() {
    # without a driver: kernels for the software device take a minute with perf/measure's empty cache
    VK_DRIVER_FILES=/nonexistent MEASURE_SECONDS=0.01 MEASURE_SMALL=64 MEASURE_LARGE=96 MEASURE_TILES=2048 \
        "$here/measure" "$build" 'a label' level3_s >"$folder/s.txt" ||
        fail "perf/measure: status $?"
    expect '^64,64,64,NN,sgemm_,.*liblavablas.*,ok$' "$folder/s.txt"
    "$here/level3" "$folder/s.txt" >"$folder/tables" || fail "perf/level3: status $?"
    expect '^\| *sgemm' "$folder/tables"
    "$here/measure" --list | grep -q ' crossover ' || fail 'perf/measure has no section crossover'
}

run_scale() {
    export SCALE_DEVICE=cpu:all SCALE_SECONDS=0
    SCALE_SECTIONS=products SCALE_ROUTINES=dgemm_ SCALE_SIZES=64 "$here/scale" "$build" LABEL >"$folder/products" || fail "products: status $?"
    expect 'dgemm_' "$folder/products"
    SCALE_SECTIONS=level3 SCALE_LEVEL3=ssyrk_ SCALE_SIZES=64 "$here/scale" "$build" LABEL >"$folder/level3" || fail "level 3: status $?"
    expect 'ssyrk_' "$folder/level3"
    SCALE_SECTIONS=batches SCALE_BATCHES=20x16x16x16 "$here/scale" "$build" LABEL >"$folder/batches" || fail "batches: status $?"
    expect '20x16x16x16|20 x 16' "$folder/batches"
}

draws() { # draws FILE COMMAND...
    picture=$1
    shift
    "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$*: status $?"; }
    [ -s "$folder/$picture" ] || fail "$*: no picture"
}

run_pictures() {
    python3 -c 'import matplotlib' 2>/dev/null || { echo 'skipped: no matplotlib'; exit 77; }
    draws rates.png "$here/pictures" "$folder"
    for picture in programs roofline crossover report top; do
        [ -s "$folder/$picture.png" ] || fail "perf/pictures: no $picture.png"
    done
    results=$here/results
    draws map.png "$here/crossover" --from "$results/2026-11-21-nvidia-h200-decisions.txt" --plot "$folder/map.png" --title 'NVIDIA H200'
    draws errors.png "$here/accuracy-plot" "$results/2026-11-21-accuracy.txt" "$folder/errors.png" --schemes fp32,bf16x3,fp16x3
}

"run_$2"
exit $failed
