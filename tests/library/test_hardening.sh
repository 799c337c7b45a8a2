#!/bin/sh
# What is installed is linked as it must be in other people's processes: every symbol is bound when it is loaded and the table of them
# is read-only then, no stack is executable, no code is changed by relocations, and stacks and (if the compiler optimizes) copies are
# guarded. No folder of the build is named in it.
#
#   test_hardening.sh is_fortified|not_fortified SOURCE_FOLDER FILE...
set -eu
fortified=$1
source=$2
shift 2
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

for file; do
    name=$(basename "$file")
    dynamic=$(readelf -dW "$file")
    segments=$(readelf -lW "$file")
    echo "$segments" | grep -q GNU_RELRO || fail "$name: no RELRO"
    echo "$dynamic" | grep -qE 'FLAGS.*(BIND_NOW|NOW)' || fail "$name: bound lazily"
    echo "$segments" | awk '$1 == "GNU_STACK" { exit !($7 == "RW") } END { if (!NR) exit 1 }' || fail "$name: an executable stack"
    echo "$segments" | awk '$1 == "LOAD" && /RWE/ { exit 1 }' || fail "$name: a segment that is written and executed"
    ! echo "$dynamic" | grep -q TEXTREL || fail "$name: relocations in code"
    case $name in lib*blas.so.3 | liblapack.so.3) continue ;; esac # no code
    symbols=$(nm -D --undefined-only "$file")
    echo "$symbols" | grep -q __stack_chk_fail || fail "$name: stacks are not guarded"
    [ "$fortified" = not_fortified ] || echo "$symbols" | grep -q '__memcpy_chk\|__snprintf_chk' || fail "$name: not fortified"
    ! strings -a "$file" | grep -qF "$source/" || fail "$name names $source"
done
exit $failed
