#!/bin/sh
# The machine's configuration and figures, as an administrator and users meet them: the file's settings count unless a variable
# says otherwise, its errors are told with their lines, `lavablas info` tells where each setting comes from, and figures for all
# users serve who has none of their own, or older ones.
#
#   test_settings.sh LAVABLAS RUN_PROGRAM LIBRARY
set -eu
tool=$1
program=$2
library=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The look for leaks crashes in a process that ends while the driver's threads are at work.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export XDG_CACHE_HOME="$folder/cache" LAVABLAS_STATE="$folder/not/there/state" LAVABLAS_CONFIG="$folder/lavablas.conf"
failed=0

fail() {
    echo "FAILED: $*"
    cat "$folder/out"
    failed=1
}

# came FROM NAME VALUE: `lavablas info` says so.
came() {
    "$tool" info --json >"$folder/out" 2>"$folder/errors" || :
    python3 - "$folder/out" "$@" <<'END' || fail "$2: not $3 from $1"
import json, sys
setting = next(each for each in json.load(open(sys.argv[1]))["settings"] if each["name"] == "LAVABLAS_" + sys.argv[3])
assert (setting["from"], setting["value"]) == (sys.argv[2], sys.argv[4]), setting
END
}

printf '%s\n' '# for everyone' 'LAVABLAS_LOG = calls' '' 'LAVABLAS_MODE=cpu' 'LAVABLAS_IDLE=never' 'no setting' 'LAVABLAS_LOK=1' \
    "LAVABLAS_LOG_FILE=$folder/log" >"$LAVABLAS_CONFIG"
LD_PRELOAD=$library "$program" multiply >"$folder/out" 2>&1 || fail "a program: status $?"
for line in '5: LAVABLAS_IDLE=never is not understood (expected: a number of seconds, 0: never) and changes nothing' \
    '6: =no setting is not understood (expected: NAME=VALUE) and changes nothing' \
    "7: LAVABLAS_LOK=1 is not understood (expected: a setting's name) and changes nothing"; do
    grep -qxF "lavablas: $LAVABLAS_CONFIG:$line" "$folder/out" || fail "no line: $line"
done
[ "$(wc -l <"$folder/out")" = 3 ] || fail 'more lines'
[ "$(grep -c ': the mode is cpu$' "$folder/log")" = 3 ] || fail "the log: $(cat "$folder/log")"
rm "$folder/log"
LAVABLAS_LOG=error LD_PRELOAD=$library "$program" multiply >"$folder/out" 2>&1 || fail "another program: status $?"
[ ! -e "$folder/log" ] || fail 'a variable does not come before the file'
export LAVABLAS_MODE='' LAVABLAS_DEVICE=cpu
came "$LAVABLAS_CONFIG:4" MODE cpu
came "$LAVABLAS_CONFIG:2" LOG calls
came environment DEVICE cpu
came default IDLE 10
LAVABLAS_MODE=auto came environment MODE auto
rm -f "$folder/log"

# The library's own answer has each setting of the document, and what the file and the environment have made of them.
LD_PRELOAD=$library "$program" settings >"$folder/out" 2>"$folder/errors" || fail "lavablas_settings: status $?"
python3 - "$folder/out" "$(dirname "$0")/../../doc/settings.md" "$LAVABLAS_CONFIG" "$LAVABLAS_STATE" <<'END' || fail 'lavablas_settings'
import json, re, sys
got, document = json.load(open(sys.argv[1])), open(sys.argv[2], encoding="utf-8").read()
got.pop("fault", None)  # of builds with fault injection alone
names = {name.lower() for name in re.findall(r"^\| `LAVABLAS_([A-Z_]+)` \|", document, re.M)}
assert len(names) > 20 and got.keys() == names, got.keys() ^ names
wanted = {"config": sys.argv[3], "state": sys.argv[4], "log": "calls", "mode": "cpu", "device": "cpu", "residues": "auto",
          "idle": 10, "pinned": 256 << 20, "lanes": 0, "stats": None, "cache": "1"}
assert {name: got[name] for name in wanted} == wanted, got
END

# Ignored: what everybody may write, and a file that is not there.
chmod 666 "$LAVABLAS_CONFIG"
LD_PRELOAD=$library "$program" multiply >"$folder/out" 2>&1 || fail "who may write: status $?"
[ "$(cat "$folder/out")" = "lavablas: $LAVABLAS_CONFIG is ignored: everybody may write it" ] || fail 'who may write'
[ ! -e "$folder/log" ] || fail 'a file that everybody may write counts'
rm "$LAVABLAS_CONFIG"
LAVABLAS_MODE=cpu LD_PRELOAD=$library "$program" multiply >"$folder/out" 2>&1 || fail "no file: status $?"
[ "$(cat "$folder/out")" = "lavablas: $LAVABLAS_CONFIG is ignored: No such file or directory" ] || fail 'no file'
export LAVABLAS_CONFIG=none
LAVABLAS_MODE=cpu LD_PRELOAD=$library "$program" multiply >"$folder/out" 2>&1 || fail "none: status $?"
[ ! -s "$folder/out" ] || fail 'LAVABLAS_CONFIG=none'

# Figures. In each file another one, by which it is known.
"$tool" device >"$folder/out" || { cat "$folder/out"; echo 'without lavapipe'; exit $((failed ? 1 : 77)); }
shown() { # shown NS [OPTION]: the figure that --show prints
    ns=$1
    shift
    "$tool" calibrate --show "$@" >"$folder/out" 2>&1 || :
    grep -q "^cpu_family_ns dgetri 2048 $ns\$" "$folder/out" || fail "not the figure $ns"
}
echo 'cpu_family_ns dgetri 2048 100000000' >"$folder/all"
echo 'cpu_family_ns dgetri 2048 200000000' >"$folder/own"
! "$tool" calibrate --show >"$folder/out" 2>&1 || fail 'figures from nowhere'
(umask 077 && "$tool" calibrate --system --import "$folder/all") >"$folder/out" || fail '--system --import'
[ "$(stat -c %a "$folder/not/there/state/lavablas" "$folder/not/there/state"/lavablas/figures-* | tr '\n' ' ')" = '755 644 ' ] ||
    fail "not for all users: $(ls -lR "$folder/not/there/state")"
shown 1e8
LAVABLAS_MODE=gpu "$tool" explain dgemm N N 300 300 300 >"$folder/out" || fail 'explain'
grep -q "^figures: measured, $folder/not/there/state/lavablas/figures-" "$folder/out" || fail 'explain does not decide by them'
LAVABLAS_CACHE=0 "$tool" device >"$folder/out"
grep -q 'starting values' "$folder/out" || fail 'LAVABLAS_CACHE=0'
"$tool" calibrate --import "$folder/own" >"$folder/out" || fail '--import'
shown 2e8
shown 1e8 --system
touch -d '1 hour ago' "$folder"/cache/lavablas/figures-*
shown 1e8
chmod 666 "$folder"/not/there/state/lavablas/figures-*
shown 2e8
"$tool" calibrate --quick --system --force >"$folder/out" 2>&1 || fail "--force: status $?"
! grep -q 'not measured' "$folder/out" || fail '--force'
grep -q '^device_kernel_flops_per_s ' "$folder/out" || fail '--force measured nothing'
exit $failed
