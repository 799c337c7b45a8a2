#!/bin/sh
# A program that is linked with libblas.so.3 and does not know LavaBLAS. The replacement of that name is put
# in place by LD_LIBRARY_PATH, by update-alternatives (in the test's own folders) and behind a library like
# FlexiBLAS. The program's results must be right, and its products must have been computed on lavapipe.
#
#   replacement.sh WAY REPLACEMENT PROGRAM ROUTINE...
#       WAY: path, alternatives or switch; REPLACEMENT: a libblas.so.3; ROUTINE: what the program calls
set -eu
way=$1
replacement=$(readlink -f "$2")
program=$(readlink -f "$3")
shift 3
routines=$*
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

replacements=$(dirname "$replacement")

run_program() { # run_program PLACE VARIABLE=VALUE...: PLACE is where its products must be computed
    place=$1
    shift
    rm -f "$folder/stats"
    env "$@" LAVABLAS_STATS="$folder/stats" "$program" || fail "$way: status $?"
    if [ -s "$folder/stats" ]; then
        [ "$place" = cpu ] || skip_without_device "$folder/stats"
        # shellcheck disable=SC2086 # routines are words
        expect_calls "$folder/stats" "$place" $routines
    else
        fail "$way: no product came to LavaBLAS"
    fi
}

# shellcheck disable=SC2086 # settings are words
case $way in
path)
    run_program gpu $on_lavapipe LD_LIBRARY_PATH="$replacements"
    ;;
alternatives)
    command -v update-alternatives >/dev/null || { echo 'skipped: no update-alternatives'; exit 77; }
    mkdir "$folder/etc" "$folder/admin" "$folder/lib"
    set_alternatives() {
        update-alternatives --altdir "$folder/etc" --admindir "$folder/admin" --log /dev/null "$@"
    }
    for others in /usr/lib/*/libblas.so.3; do
        others=$(readlink -f "$others")
    done
    set_alternatives --install "$folder/lib/libblas.so.3" libblas.so.3-test "$others" 100
    set_alternatives --install "$folder/lib/libblas.so.3" libblas.so.3-test "$replacement" 200
    # The second folder stands for ldconfig, which finds an installed liblavablas.so.0.
    run_program gpu $on_lavapipe LD_LIBRARY_PATH="$folder/lib:$(dirname "$replacements")"
    set_alternatives --remove libblas.so.3-test "$replacement"
    [ "$(readlink -f "$folder/lib/libblas.so.3")" = "$others" ] || fail 'the link does not lead back'
    ;;
switch)
    run_program gpu $on_lavapipe SWITCH_BACKEND="$replacement"
    run_program gpu $on_lavapipe SWITCH_BACKEND="$replacement" SWITCH_DEEP=1
    # A forwarded product must not come back through the switch.
    run_program cpu LAVABLAS_MODE=cpu SWITCH_BACKEND="$replacement"
    ;;
esac
exit $failed
