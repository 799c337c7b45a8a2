#!/bin/sh
# Installs into a folder and then uses only what is installed there. A program that uses all of BLAS is
# compiled as README.md says, with only the options that pkg-config gives. A program that is linked with
# libblas.so.3 gets the replacement. Both must be right, and their products must have been computed on
# lavapipe.
#
#   install.sh BUILD_FOLDER LIBDIR PROGRAM_SOURCE PROGRAM ROUTINE...    PROGRAM: linked with libblas.so.3
set -eu
build=$1
libdir=$2
source=$(readlink -f "$3")
program=$(readlink -f "$4")
shift 4
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

for tool in meson pkg-config cc; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
meson install -C "$build" --no-rebuild --quiet --destdir "$folder/root" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
libraries=$folder/root$libdir
[ -e "$libraries/lavablas/libblas.so.3" ] && [ -e "$libraries/lavablas/libcblas.so.3" ] &&
    [ -e "$libraries/lavablas/liblapack.so.3" ] ||
    fail 'the replacements are not installed'

run_program() { # run_program WHAT FOLDERS PROGRAM ROUTINE...
    what=$1
    folders=$2
    run=$3
    shift 3
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env LD_LIBRARY_PATH="$folders" $on_lavapipe LAVABLAS_STATS="$folder/stats" "$run" || fail "$what: status $?"
    [ -s "$folder/stats" ] || { fail "$what: no product came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@"
}

# The folder differs from the one that the library was configured for.
mkdir "$folder/pkgconfig"
sed "s,^prefix=,&$folder/root," "$libraries/pkgconfig/lavablas.pc" >"$folder/pkgconfig/lavablas.pc"
export PKG_CONFIG_PATH="$folder/pkgconfig"
# shellcheck disable=SC2046 # options are words
cc "$source" -o "$folder/program" $(pkg-config --cflags --libs lavablas) || fail 'it does not compile'
[ $failed = 1 ] || run_program 'pkg-config' "$libraries" "$folder/program" "$@"
[ $failed = 1 ] || run_program 'replacement' "$libraries/lavablas" "$program" "$@"
exit $failed
