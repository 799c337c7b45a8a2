#!/bin/sh
# Netlib's testers of LAPACK, on the system's liblapack.so.3, with the library preloaded, compared with the same run
# without it. They check residuals, orthogonality, info, pivots and error exits of each routine and driver for matrices
# of many kinds.
#
#   netlib_lapack.sh LIBRARY MODE TYPES PART    MODE: cpu, gpu (every call on lavapipe), hidden (as gpu, without the device's
#                                               fp64), auto (nothing set); TYPES: of s d c z; PART: linear (equations and least squares), sep
#                                               (eigenvalues), sg (of two matrices) or svd (singular values)
set -eu
library=$(readlink -f "$1")
mode=$2
types=$3
part=$4
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
export OPENBLAS_NUM_THREADS=1 # its threads spin while they wait, longer than such matrices take

for testers in /usr/lib/*/lapack /usr/lib64/lapack /usr/lib/lapack none; do
    [ ! -x "$testers/xlintsts" ] || break
done
[ "$testers" != none ] || { echo "skipped: no Netlib testers (Debian: liblapack-test)"; exit 77; }

case $mode in
cpu) settings='LAVABLAS_MODE=cpu' ;;
gpu) settings=$on_lavapipe ;;
hidden) settings=$without_fp64 ;;
auto) settings= ;;
esac

# write_linear CAPITAL: what the testers read. One order is beyond a block of the device's kernels. Of the matrices scaled near
# underflow those of GE are left out (type 10): GESVX then has residuals that are too large wherever subnormals are flushed.
write_linear() {
    cat <<END
Data file for testing LAPACK's linear equations
3                      Number of values of M
0 10 131               Values of M (row dimension)
3                      Number of values of N
0 10 131               Values of N (column dimension)
2                      Number of values of NRHS
1 15                   Values of NRHS (number of right hand sides)
1                      Number of values of NB
20                     Values of NB (the blocksize)
1                      Values of NX (crossover point)
1                      Number of values of RANK
50                     Values of rank (as a % of N)
30.0                   Threshold value of test ratio
T                      Put T to test the LAPACK routines
T                      Put T to test the driver routines
T                      Put T to test the error exits
$1GE   10
1 2 3 4 5 6 7 8 9 11
$1PO    9
1 2 3 4 5 6 7 8 9
$1QR    8
1 2 3 4 5 6 7 8
$1TR   17
1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
$1LS    6
1 2 3 4 5 6
END
}

# write_eigen CAPITAL: as above; the testers take orders up to 132. Of the kinds of matrices for eigenvalues those are left out that
# fail without the library, too (9), or have bands, which the generator makes for small orders only (16 to 18).
write_eigen() {
    rows='' kinds=''
    case $part in
    sep) name=SEP count=17 columns='0 1 3 20 131' kinds='1 2 3 4 5 6 7 8 10 11 12 13 14 15 19 20 21' ;;
    sg) name=${1}SG count=21 columns='0 1 3 16 65' ;;
    svd) name=SVD count=16 columns='0 1 10 30 65' rows='0 3 16 20 131' ;;
    esac
    echo "$name: orders up to one beyond a block"
    echo 5
    [ -z "$rows" ] || echo "$rows"
    echo "$columns"
    # one each of NB, NBMIN, NX and for singular values NRHS
    printf '%s\n' 1 20 2 1 ${rows:+2} 50.0 T T T 1 "$name $count"
    [ -z "$kinds" ] || echo "$kinds"
}

write_input() {
    capital=$(echo "$1" | tr '[:lower:]' '[:upper:]')
    case $part in
    linear) write_linear "$capital" ;;
    *) write_eigen "$capital" ;;
    esac
}

# read_failures FILE: prints what was tested, and how many tests failed, from a tester's output.
read_failures() {
    sed -nE 's/^ *All tests for +([A-Z]+) (routines|drivers) +passed the threshold.*/\1-\2 0/p
        s/^ *All tests for +([A-Z]+) passed the threshold.*/\1-routines 0/p
        s/^ *([A-Z]+): +([0-9]+) +out of.*failed to pass.*/\1-routines \2/p
        s/^ *([A-Z]+) (drivers): +([0-9]+) +out of.*failed to pass.*/\1-\2 \3/p
        s/^ *([A-Z]+) (routines|drivers) passed the tests of the error exits.*/\1-\2-exits 0/p
        s/^[ *]*([A-Z]+) (routines|drivers) failed the tests of the error exits.*/\1-\2-exits 1/p' "$1"
}

# run_tester TYPE OUTPUT [VARIABLE=VALUE...]
run_tester() {
    [ "$part" = linear ] && tester="$testers/xlintst$1" || tester="$testers/xeigtst$1"
    output=$2
    shift 2
    env "$@" "$tester" <"$folder/input" >"$output" 2>&1 || fail "$tester: status $?"
    grep -q 'End of tests' "$output" || fail "$tester: it did not end"
}

# judge TYPE SETS: fails if the library has more failures than the run without it, or there are not as many sets of tests.
judge() {
    read_failures "$folder/plain" >"$folder/expected"
    read_failures "$folder/output" >"$folder/found"
    awk -v type="$1" -v least="$2" '
        NR == FNR { found[$1] = $2; next }
        !($1 in found) { print type ": " $1 " has no result"; bad = 1; next }
        found[$1] > $2 { print type ": " $1 ": " found[$1] " failures, without the library " $2; bad = 1 }
        { sets++ }
        END { print type ": " sets + 0 " sets of tests"; exit bad || sets < least }' \
        "$folder/found" "$folder/expected" || fail "$1: see above"
}

# judge_statistics TYPE ROUTINE...: fails unless calls of each came to the library, and ran where they should. Calls that the
# CPU gets in mode gpu have nothing to compute, are invalid, or their matrix has no factor or is scaled.
judge_statistics() {
    type=$1
    shift
    for routine; do
        all=$(calls "$folder/stats" "$type$routine")
        on_device=$(calls "$folder/stats" "$type$routine" gpu)
        echo "$type$routine: $all calls, $on_device of them on the device"
        [ "$all" -gt 0 ] || fail "$type$routine: not intercepted"
        case $mode in
        cpu) [ "$on_device" = 0 ] || fail "$type$routine: calls on a device" ;;
        gpu)
            others=$(calls "$folder/stats" "$type$routine" cpu '^(nothing|invalid|the matrix|numbers are near underflow)')
            [ "$on_device" -gt 0 ] && [ $((on_device + others)) = "$all" ] || fail "$type$routine: not on the device"
            ;;
        esac
    done
}

for type in $types; do
    write_input "$type" >"$folder/input"
    run_tester "$type" "$folder/plain"
    # shellcheck disable=SC2086 # settings are words
    run_tester "$type" "$folder/output" $settings XDG_CACHE_HOME="$folder/cache" LAVABLAS_STATS="$folder/stats" \
        LD_PRELOAD="$library"
    [ "$mode" != gpu ] || skip_without_device "$folder/stats"
    case $type in
    [sd]) family=sy with_q='orgqr_ ormqr_' of_form='orgbr_ ormbr_' ;;
    *) family=he with_q='ungqr_ unmqr_' of_form='ungbr_ unmbr_' ;;
    esac
    case $part in # of linear: GE, PO, QR, TR and LS
    linear) sets=13 routines="getrf_ getrs_ getri_ gesv_ potrf_ potrs_ potri_ posv_ trtri_ trtrs_ geqrf_ gels_ gelsd_ gelss_ $with_q" ;;
    sep) sets=3 routines="${family}trd_ ${family}ev_ ${family}evd_ ${family}evr_ ${family}evx_" ;;
    sg) sets=1 routines="${family}gv_ ${family}gvd_ ${family}gvx_" ;;
    svd) sets=3 routines="gesvd_ gesdd_ gebrd_ $of_form" ;;
    esac
    judge "$type" $sets
    # shellcheck disable=SC2086 # routines are words
    judge_statistics "$type" $routines
    # The largest order is 132: all that goes to the device are products of LAPACK's own code.
    [ "$mode" != hidden ] || [ "$(calls "$folder/stats" "${type}gemm_" gpu)" -gt 0 ] || fail "$type: no product is on the device"
    [ $failed = 0 ] || { cat "$folder/output" "$folder/stats"; exit 1; }
    rm -f "$folder/stats"
done
