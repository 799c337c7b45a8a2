#!/bin/sh
# What "lavablas explain" says of a call is what becomes of it: the same line as in the debug log of a program that makes
# the call, and the same place and reason as in its statistics, in each mode, on lavapipe. Every routine is known, with
# its types, and wrong arguments are refused.
#
#   test_explain.sh LAVABLAS ROUTINE_CALL
set -eu
tool=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LAVABLAS_DEVICE=cpu LAVABLAS_CACHE=0 LAVABLAS_INIT=sync
# The look for leaks crashes in a process that ends while the driver's threads are at work.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
failed=0
compared=0

fail() {
    echo "FAILED: $*"
    failed=1
}

"$tool" device >"$folder/device" || { cat "$folder/device"; echo 'skipped: no lavapipe'; exit 77; }

# agree MODE PLACE REASON ROUTINE ARGUMENT...: that is what the tool says, and what the program's statistics say. Where
# there is a plan the debug log begins with the tool's line. PLACE half: gpu, or cpu where the device has no kernel.
agree() {
    mode=$1
    place=$2
    reason=$3
    shift 3
    export LAVABLAS_MODE="$mode"
    "$tool" explain "$@" >"$folder/answer" 2>&1 || {
        fail "explain $*: status $?: $(cat "$folder/answer")"
        return
    }
    answer=$(head -n 1 "$folder/answer")
    if [ "$place" = half ]; then
        place=gpu
        case $answer in *"(the device has no kernel for this type)") place=cpu reason='the device has no kernel for this type' ;; esac
    fi
    case $answer in
    *": $(echo "$place" | tr '[:lower:]' '[:upper:]') ($reason)"*) ;;
    *) fail "explain $*, mode $mode: $answer" ;;
    esac
    rm -f "$folder/stats"
    name=$(LAVABLAS_LOG=debug LAVABLAS_STATS="$folder/stats" "$program" "$@" 2>"$folder/log") ||
        { fail "$program $*: status $?"; return; }
    grep -q "^lavablas: $name $place 1 calls, .*: $reason\$" "$folder/stats" ||
        fail "$*, mode $mode: not $place ($reason) but $(cat "$folder/stats")"
    logged=$(grep -m 1 ' m [0-9]* n [0-9]* k [0-9]*: ' "$folder/log" | sed 's/^lavablas: //; s/^debug: //') || logged=
    case $reason in
    'the mode is cpu' | 'below the cut-off' | 'nothing to multiply' | *'no kernel'*) [ -z "$logged" ] || fail "$*: a plan: $logged" ;;
    *) [ "$logged" = "$answer" ] || fail "$*, mode $mode: explained: $answer; logged: $logged" ;;
    esac
    compared=$((compared + 1))
}

for call in 'dgemm N T 300 200 100' 'dgemmt L N T 700 300' 'hgemm N N 64 64 64'; do
    # shellcheck disable=SC2086 # arguments are words
    agree cpu cpu 'the mode is cpu' $call
done
for call in 'sgemm T N 70 50 30' 'dgemm N T 300 200 100' 'cgemm3m N N 90 50 40' 'zgemm N C 128 64 32' \
    'dgemmt L N T 701 300' 'cgemmt U C N 300 100' 'sgemmtr U N N 100 100'; do
    # shellcheck disable=SC2086 # as above
    agree gpu gpu 'the mode is gpu' $call
done
agree gpu half 'the mode is gpu' hgemm N T 70 60 50
agree gpu half 'the mode is gpu' gemm_bf16bf16f32 N N 33 65 20
agree gpu cpu 'nothing to multiply' dgemm N T 30 20 0
agree auto cpu 'below the cut-off' sgemm N N 100 100 100
agree auto cpu 'below the cut-off' dgemmt U N N 150 90
agree auto cpu 'the CPU is estimated to be faster' sgemm N T 1000 900 800
agree auto cpu 'the CPU is estimated to be faster' dgemm T N 1000 900 800
agree auto cpu 'the CPU is estimated to be faster' dgemmt L N T 1500 900
[ $compared = 18 ] || fail "$compared calls were compared"

# same ARGUMENT... = ARGUMENT...: the same answer. In mode gpu, where it tells of types and kernel.
export LAVABLAS_MODE=gpu
same() {
    left=
    while [ "$1" != = ]; do
        left="$left $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # as above
    first=$("$tool" explain $left 2>&1) || fail "explain$left: status $?"
    second=$("$tool" explain "$@" 2>&1) || fail "explain $*: status $?"
    [ "$first" = "$second" ] || fail "explain$left: $first; explain $*: $second"
}
same 300 200 100 = sgemm N N 300 200 100
same --type fp64 300 200 100 = dgemm N N 300 200 100
same --type cfp64 300 200 100 = zgemm N N 300 200 100
same --c-type fp32 300 200 100 = cblas_sgemm n n 300 200 100
export LAVABLAS_MODE=cpu
same --type fp16 300 200 100 = shgemm N N 300 200 100
same --type bf16 --c-type bf16 300 200 100 = bgemm N N 300 200 100
LAVABLAS_MODE=gpu "$tool" explain --precision fast sgemm N N 300 200 100 >"$folder/fast"
LAVABLAS_MODE=gpu LAVABLAS_PRECISION=fast "$tool" explain sgemm N N 300 200 100 >"$folder/variable"
cmp "$folder/fast" "$folder/variable" || fail '--precision and LAVABLAS_PRECISION differ'

# known TYPES ROUTINE...: with these types of A, B and C.
known() {
    types=$1
    shift
    for routine; do
        case $routine in *gemmt*) set -- U N T 50 40 ;; *) set -- N T 60 50 40 ;; esac
        answer=$("$tool" explain "$routine" "$@" 2>&1) || fail "$routine: status $?"
        case $answer in "$types NT m "* | "$types upper NT m "*) ;; *) fail "$routine: $answer" ;; esac
    done
}
known fp32 sgemm sgemmt sgemmtr sgemm_ scipy_sgemm_64_
known fp64 dgemm dgemmt dgemmtr cblas_dgemm
known cfp32 cgemm cgemm3m cgemmt cgemmtr
known cfp64 zgemm zgemm3m zgemmt zgemmtr
known 'fp16 -> fp32' shgemm gemm_f16f16f32
known 'fp16 -> fp16' hgemm lavablas_hgemm
known 'bf16 -> fp32' sbgemm gemm_bf16bf16f32
known 'bf16 -> bf16' bgemm

refused() {
    status=0
    "$tool" explain "$@" >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/output" ] && grep -q '^usage: lavablas explain' "$folder/errors" ||
        fail "explain $*: status $status"
}
refused
refused 1 2
refused 1 2 3 4
refused 1 2 x
refused -1 2 3
refused 1 2 99999999999999999999
refused nosuch N N 1 2 3
refused dgemm
refused dgemm N N 1 2
refused dgemm N N 1 2 3 4
refused dgemm N X 1 2 3
refused dgemm N NN 1 2 3
refused dgemm N N 1 2 -3
refused dgemmt N N T 1 2
refused sgemm_batch N N 1 2 3
refused --type fp64 dgemm N N 1 2 3
refused --type fp64 --c-type fp32 1 2 3
refused --type fp8 1 2 3
refused --type
refused --precision exact 1 2 3
refused --nosuch 1 1 2 3

# Without a device the CPU is the answer, and the status tells of it.
status=0
LAVABLAS_MODE=gpu LAVABLAS_DEVICE='no such device' "$tool" explain dgemm N N 300 300 300 >"$folder/answer" || status=$?
[ $status = 1 ] && grep -q 'CPU (no usable device)' "$folder/answer" || fail "no device: status $status"
exit $failed
