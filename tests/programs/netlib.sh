#!/bin/sh
# Netlib's testers of level 3, or of level 2, with the library preloaded. They compare every combination
# of arguments with their own computation, and replace xerbla by their own error handler, which a forwarded call
# must reach.
# The Fortran testers run on the system's libblas.so.3. Those of CBLAS run on Netlib's, because they use
# internal variables that no other library has.
#
#   netlib.sh LIBRARY MODE TYPES [LEVEL]     MODE: cpu, gpu (every product on lavapipe), auto (nothing set);
#                                            hidden (as gpu, without the device's fp64, by the layer of tests/layer);
#                                            TYPES: of s d c z; LEVEL: 3, or 2
set -eu
library=$(readlink -f "$1")
mode=$2
types=$3
level=${4:-3}
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

for testers in /usr/lib/*/blas /usr/lib64/blas /usr/lib/blas none; do
    [ ! -x "$testers/xblat3s" ] || break
done
[ "$testers" != none ] || { echo "skipped: no Netlib testers (Debian: libblas-test)"; exit 77; }
netlib_cblas=
if [ -e "$testers/libblas.so.3" ] && [ -x "$testers/xscblat3" ]; then
    netlib_cblas=$testers
else
    echo "not tested: CBLAS, for lack of Netlib's own libblas.so.3 beside the testers (Debian: libblas3)"
fi

# Families that the device computes. Of the others, mode gpu asks only that their calls are intercepted.
device_families='gemm syrk herk symm hemm syr2k her2k trmm trsm'
[ "$level" = 3 ] || device_families='gemv symv hemv trmv trsv'

columns='COLUMN-MAJOR COMPUTATIONAL TESTS'
rows='ROW-MAJOR +COMPUTATIONAL TESTS'
if [ "$level" = 2 ]; then # where those of complex types do not say which layout it was
    columns='(COLUMN-MAJOR )?COMPUTATIONAL TESTS'
    rows='(ROW-MAJOR +)?COMPUTATIONAL TESTS'
fi

case $mode in
cpu) settings='LAVABLAS_MODE=cpu' ;;
gpu) settings="$on_lavapipe LAVABLAS_RESIDENT=auto" ;; # without copies level 2 stays on the CPU
hidden) settings=$without_fp64 ;;
auto) settings= ;;
esac

# judge WHAT ROUTINES PATTERN...: fails unless the tester's output has a line of each pattern for each routine, and
# none of a failure.
judge() {
    what=$1
    routines=$2
    shift 2
    ! grep -E 'FAIL|ABORTED|FATAL|SUSPECT|\*\*\*\*\*' "$folder/output" || fail "$what: see above"
    for pattern; do
        for routine in $routines; do
            grep -qiE "^ *${routine%_} +PASSED THE $pattern" "$folder/output" ||
                fail "$what: no line: $routine PASSED THE $pattern"
        done
    done
    grep -q 'END OF TESTS' "$folder/output" || fail "$what: it did not end"
}

# judge_statistics WHAT ROUTINE: fails unless every one of the tester's calls came to the library and ran
# where it should.
judge_statistics() {
    [ "$mode" != gpu ] && [ "$mode" != hidden ] || skip_without_device "$folder/stats"
    made=$(sed -nE "s/^ *${2%_} +PASSED THE .*\( *([0-9]+) CALLS\).*/\1/Ip" "$folder/output" |
        awk '{ sum += $1 } END { print sum + 0 }')
    invalid=$(calls "$folder/stats" "$2" cpu '^invalid arguments')
    seen=$(($(calls "$folder/stats" "$2") - invalid))
    [ "$made" = "$seen" ] && [ "$seen" -gt 0 ] || fail "$1, $2: $made calls made, $seen intercepted"
    [ -z "$error_exits" ] || [ "$invalid" -gt 0 ] || fail "$1, $2: no error exit was forwarded"
    on_device=$(calls "$folder/stats" "$2" gpu)
    family=${2#cblas_?}
    [ "$family" != "$2" ] || family=${2#?}
    where=$mode
    case " $device_families " in *" ${family%_} "*) ;; *) [ "$mode" != gpu ] || where=any ;; esac
    case $where in
    cpu) [ "$on_device" = 0 ] || fail "$1, $2: $on_device products on a device" ;;
    gpu)
        rest=$(calls "$folder/stats" "$2" cpu '^nothing to multiply')
        [ "$on_device" -gt 0 ] && [ $((on_device + rest)) = "$seen" ] ||
            fail "$1, $2: of $seen products $on_device on the device, $rest empty"
        ;;
    esac
    echo "$1, $2: $seen products, $on_device of them on the device"
}

# run_program PROGRAM INPUT OUTPUT_FILE FOLDER_OF_LIBBLAS [VARIABLE=VALUE...]: leaves in "output" what the tester
# prints, and what the Fortran testers write to OUTPUT_FILE in addition.
run_program() {
    program=$1
    input=$2
    written=$3
    libraries=$4
    shift 4
    (cd "$folder" && rm -f "$written" && env ${libraries:+LD_LIBRARY_PATH="$libraries"} "$@" "$testers/$program" \
        <"$input" >"$folder/printed" 2>&1) || fail "$program: status $?"
    cat "$folder/printed" >"$folder/output"
    [ ! -e "$folder/$written" ] || cat "$folder/$written" >>"$folder/output"
}

# find_error_exits PROGRAM INPUT OUTPUT_FILE FOLDER_OF_LIBBLAS: sets wrong_exits to the routines whose error exits
# fail without the library, as an extended regular expression; nothing if there are none. A release's tester and
# its BLAS may disagree (Debian 13's do, about the name that OpenBLAS's DSYR2K complains by).
find_error_exits() {
    sed -E 's/^[0-9 ]+(NUMBER OF VALUES OF N)/1 \1/; s/^[0-9 ]+(VALUES OF N)/1 \1/' "$2" >"$2.exits" # they have no sizes
    run_program "$1" "$2.exits" "$3" "$4"
    input=$2
    wrong_exits=$(sed -nE 's/^[ *]*([A-Za-z0-9_]+) +FAILED THE TESTS OF ERROR-EXITS.*/\1/p' "$folder/output" |
        tr '[:upper:]\n' '[:lower:]|' | sed 's/|$//')
    ! grep -q 'FAILED THE TESTS OF ERROR-EXITS' "$folder/output" || [ -n "$wrong_exits" ] ||
        fail "$1: error exits fail without the library, of no routine that is known"
    [ -z "$wrong_exits" ] || echo "$1: error exits that fail without the library, and are not tested: $wrong_exits"
}

# run_with_library PROGRAM INPUT OUTPUT_FILE ROUTINES FOLDER_OF_LIBBLAS PATTERN...
run_with_library() {
    program=$1
    input=$2
    written=$3
    tested=$4
    libraries=$5
    shift 5
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    run_program "$program" "$input" "$written" "$libraries" $settings XDG_CACHE_HOME="$folder/cache" \
        LAVABLAS_STATS="$folder/stats" LD_PRELOAD="$library"
    judge "$program" "$tested" ${error_exits:+"$error_exits"} "$@"
    if [ -e "$folder/stats" ]; then
        for routine in $tested; do
            judge_statistics "$program" "$routine"
        done
    else
        fail "$program: no call was intercepted"
    fi
}

# run_tester PROGRAM INPUT OUTPUT_FILE ROUTINES FOLDER_OF_LIBBLAS PATTERN...: with error exits, then without them
# those routines whose error exits fail anyway.
run_tester() {
    program=$1
    input=$2
    written=$3
    all=$4
    libraries=$5
    shift 5
    find_error_exits "$program" "$input" "$written" "$libraries"
    right=
    wrong=
    for routine in $all; do
        if echo "${routine%_}" | grep -qxE "${wrong_exits:-none}"; then wrong="$wrong $routine"; else right="$right $routine"; fi
    done
    cp "$input" "$input.all"
    [ -z "$wrong" ] || sed -E -i "/^($wrong_exits) /Is/ T PUT F FOR NO TEST/ F &/" "$input"
    error_exits='TESTS OF ERROR-EXITS'
    run_with_library "$program" "$input" "$written" "$right" "$libraries" "$@"
    [ -n "$wrong" ] || return 0
    error_exits=
    sed -E "/^($wrong_exits) /I!s/ T PUT F FOR NO TEST/ F &/
        s/^T( *LOGICAL FLAG, T TO TEST ERROR EXITS)/F\\1/" "$input.all" >"$input"
    run_with_library "$program" "$input" "$written" "$wrong" "$libraries" "$@"
}

# run_testers TYPE PREPARED: PREPARED is a sed script that changes the package's input.
run_testers() {
    type=$1
    fortran=
    cblas=
    case $level$type in
    2[cz]) families='gemv hemv trmv trsv' ;;
    2*) families='gemv symv trmv trsv' ;;
    3[cz]) families='gemm symm trmm trsm syrk syr2k hemm herk her2k' ;;
    *) families='gemm symm trmm trsm syrk syr2k' ;;
    esac
    for family in $families; do
        fortran="$fortran $type${family}_"
        cblas="$cblas cblas_$type$family"
    done
    sed -E "$2" "$testers/${type}blat$level.in" >"$folder/input"
    run_tester "xblat$level$type" "$folder/input" "${type}blat$level.out" "$fortran" '' \
        'COMPUTATIONAL TESTS'
    [ -n "$netlib_cblas" ] || return 0
    sed -E "$2" "$testers/${type}in$level" >"$folder/input"
    run_tester "x${type}cblat$level" "$folder/input" none "$cblas" "$netlib_cblas" \
        "$columns" "$rows"
}

# What else a release's tester may know is not tested.
others_off='/('$(echo "$device_families" | tr ' ' '|')') /I!s/ T PUT F FOR NO TEST/ F &/'

for type in $types; do
    run_testers "$type" "$others_off"
    [ $failed = 0 ] || { cat "$folder/output"; exit 1; }
    # The package's largest matrix is 9 x 9. These sizes are the testers' largest, and extend over the edge
    # of a tile.
    run_testers "$type" 's/^[0-9 ]+(NUMBER OF VALUES OF N)/2 \1/; s/^[0-9 ]+(VALUES OF N)/33 65 \1/
        '"$others_off"
    grep -qE 'FOR N +33 +65' "$folder/output" || fail "$type: the sizes were not changed"
    [ "$mode" != hidden ] || grep -qE 'gemm_? gpu' "$folder/stats" || fail "$type: no product is on the device"
    [ $failed = 0 ] || { cat "$folder/output"; exit 1; }
done
