#!/bin/sh
# tools/coverage says how many tests failed, and fails then: with a meson and a gcovr that only print.
#
#   test_coverage.sh SOURCE_FOLDER
set -eu
source=$1
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

mkdir -p "$folder/tools" "$folder/build" "$folder/build-coverage" "$folder/bin"
touch "$folder/build/build.ninja" "$folder/build-coverage/build.ninja"
cp "$source/tools/coverage" "$folder/tools"
cat >"$folder/bin/meson" <<'END'
#!/bin/sh
[ "$1" = test ] || exit 0
printf "$MESON_PRINTS"
exit "$MESON_STATUS"
END
cat >"$folder/bin/gcovr" <<'END'
#!/bin/sh
printf -- '---\nlib/x.c 3 2 66%%\nTOTAL 3 2 66%%\n' >build-coverage/coverage.txt
END
chmod +x "$folder/bin/meson" "$folder/bin/gcovr"

expect() { # expect STATUS LAST_LINE MESON_STATUS MESON_PRINTS
    status=0
    MESON_STATUS=$3 MESON_PRINTS=$4 PATH=$folder/bin:$PATH "$folder/tools/coverage" >"$folder/output" || status=$?
    [ $status = "$1" ] || fail "status $status, not $1: $(cat "$folder/output")"
    [ "$(tail -n 1 "$folder/output")" = "coverage: $2" ] || fail "not '$2': $(cat "$folder/output")"
}

counts='Ok:                 7   \nExpected Fail:      1   \n'
expect 0 '0 tests failed' 0 "$counts"'Fail:               0   \nUnexpected Pass:    0   \nSkipped:            2   \nTimeout:            0   \n'
grep -q '^lib/x.c' "$folder/output" || fail 'the file is missing'
expect 1 '6 tests failed' 6 "$counts"'Fail:               3   \nUnexpected Pass:    1   \nSkipped:            9   \nTimeout:            2   \n'
grep -q '^lib/x.c' "$folder/output" || fail 'the file is missing after a failure'
expect 1 'the tests did not run, meson ended with 2' 2 'ERROR: no such test\n'
exit $failed
