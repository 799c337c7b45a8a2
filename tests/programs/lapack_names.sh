#!/bin/sh
# The liblapack.so.3 of the replacement folder has every routine of the system's, those that LavaBLAS declares from LavaBLAS.
#
#   lapack_names.sh REPLACEMENT_NAMES LIBRARY HEADER    REPLACEMENT_NAMES: the program; LIBRARY: a liblapack.so.3
set -eu
program=$1
library=$2
header=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

for system in /usr/lib/*/openblas*/liblapack.so.3 /usr/lib/*/lapack/liblapack.so.3 /usr/lib/*/liblapack.so.3 \
    /usr/lib64/liblapack.so.3 none; do
    [ ! -e "$system" ] || break
done
[ "$system" != none ] || { echo 'skipped: no liblapack.so.3 to compare with (Debian: libopenblas0-pthread)'; exit 77; }
nm -D --defined-only "$system" | sed -nE 's/.* [TW] ([^@]+).*/\1/p' | grep -vE '^_(init|fini)$' >"$folder/names"
# shellcheck disable=SC2046 # names are words
"$program" "$library" "$folder/names" $(sed -nE 's/^void ([a-z0-9]+_)\(.*/\1/p' "$header")
