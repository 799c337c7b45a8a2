#!/bin/sh
# What processes have counted is told although they end without exit(), and while they run: `lavablas run`, `lavablas report` and
# `lavablas top`. No file is left.
#
#   test_left_reports.sh LAVABLAS RUN_PROGRAM LIBRARY
set -eu
tool=$1
program=$2
library=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"
export LAVABLAS_LOG=none LAVABLAS_MODE=cpu TMPDIR="$folder/temporary"
mkdir "$TMPDIR"

# look EXPRESSION: of the report in the file.
look() {
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$folder/json" "$1"
}

equal() { # equal EXPECTED GOT WHAT
    [ "$1" = "$2" ] || fail "$3: $2 instead of $1; $(cat "$folder/json" "$folder/errors" 2>/dev/null)"
}

nothing_is_left() { # nothing_is_left WHAT
    equal '' "$(ls "$TMPDIR")" "$1: files that are left"
}

# way, calls, processes, those that did not tell themselves
while read -r way calls processes unfinished; do
    "$tool" run --json --output "$folder/json" -- "$program" "$way" 2>"$folder/errors" || :
    equal "$calls" "$(look 'report["total"]["cpu_calls"]')" "$way: calls"
    equal "$processes" "$(look 'len(report["processes"])')" "$way: processes"
    equal "$unfinished" "$(look 'sum(process["unfinished"] for process in report["processes"])')" "$way: unfinished"
    equal 'the mode is cpu' "$(look 'report["reasons"][0]["reason"]')" "$way: reason"
    nothing_is_left "$way"
done <<END
multiply 3 1 0
killed 1 1 1
leaves 2 2 2
becomes 4 2 1
END
"$tool" run -- "$program" killed 2>"$folder/errors" || :
grep -q '^lavablas: 1 process ended by a signal, by a crash or by _exit(): what it had counted is in here$' "$folder/errors" ||
    fail "what the text says: $(cat "$folder/errors")"

# At random times: the report has each call that had ended, perhaps the one that had not, and no file is left.
rounds=${LEFT_REPORTS_ROUNDS:-5} told=0
for round in $(seq "$rounds"); do
    rm -f "$folder/begun"
    "$tool" run --json --output "$folder/json" -- "$program" goes-on "$folder/begun" 2>"$folder/errors" &
    runner=$!
    while [ ! -s "$folder/begun" ]; do sleep 0.01; done
    sleep "0.0$(($(od -An -N1 -tu1 /dev/urandom) % 10))"
    kill -KILL "$(cat "$folder/begun")"
    wait $runner || :
    ended=$(od -An -t u8 "$folder/begun.calls" | tr -d ' ') calls=$(look 'report["total"]["cpu_calls"]')
    [ "$calls" -eq "$ended" ] || [ "$calls" -eq $((ended + 1)) ] || fail "round $round: $ended calls have ended, $calls are told"
    equal 9 "$(look 'report["signal"]')" 'the signal'
    nothing_is_left "round $round"
    told=$((told + calls))
done
[ "$failed" = 1 ] || echo "$rounds processes killed at random times: $told calls told, none lost, no file left"

# A job's own file: while it runs, after it was killed, and once that is settled.
reports=$folder/job.json
LAVABLAS_STATS=$reports LD_PRELOAD=$library "$program" multiply
LAVABLAS_STATS=$reports LD_PRELOAD=$library "$program" goes-on "$folder/begun2" &
running=$!
while [ ! -s "$folder/begun2" ]; do sleep 0.01; done
"$tool" top --once $running >"$folder/text" || fail 'top'
grep -q "^$running  .*run_program$" "$folder/text" || fail "top, the program: $(cat "$folder/text")"
grep -q '^  dgemm_  *128 to 255  *0  *0\.000  *[1-9]' "$folder/text" || fail "top, the calls: $(cat "$folder/text")"
"$tool" top --once >"$folder/text" || fail 'top of all'
grep -q "^$running  " "$folder/text" || fail "top of all: $(cat "$folder/text")"
"$tool" report "$reports" >"$folder/text" || fail 'report'
grep -q '^lavablas: 1 process still running: ' "$folder/text" || fail "still running: $(cat "$folder/text")"
"$tool" report --settle "$reports" >"$folder/text" || fail 'report --settle of a process that runs'
equal 1 "$(ls "$reports".*.live | wc -l)" 'the file of a process that runs'
kill -KILL $running
wait $running || :
"$tool" report --json "$reports" >"$folder/json" || fail 'report --json'
python3 "$(dirname "$0")/check_schema.py" "$(dirname "$0")/../../doc/report.schema.json" "$folder/json" || fail 'the schema'
equal 1 "$(look 'sum(process["unfinished"] for process in report["processes"])')" 'killed'
equal 2 "$(look 'len(report["processes"])')" 'processes of the job'
calls=$(look 'report["total"]["cpu_calls"]')
"$tool" report --settle --json "$reports" >"$folder/json" || fail 'report --settle'
equal "$calls" "$(look 'report["total"]["cpu_calls"]')" 'calls once they are settled'
equal 2 "$(wc -l <"$reports")" 'lines of the job'
ls "$reports".*.live >/dev/null 2>&1 && fail 'a settled file is left'
"$tool" report "$reports" "$reports" >"$folder/text" || fail 'two files'
! "$tool" report "$folder/nosuch.json" 2>"$folder/errors" || fail 'no such file'
grep -qF "$folder/nosuch.json: No such file or directory" "$folder/errors" || fail "no such file: $(cat "$folder/errors")"
! "$tool" top --once $running >"$folder/text" 2>&1 || fail 'top of a process that is gone'

# What the command itself calls is in no report.
LAVABLAS_STATS=$folder/own.json "$tool" doctor >"$folder/text" 2>&1 || :
[ ! -e "$folder/own.json" ] || fail "a report of the command: $(cat "$folder/own.json")"

# The file of another build is named, not read.
head -c 100000 /dev/zero >"$folder/other.json.1-0.live"
! "$tool" report "$folder/other.json" >"$folder/text" 2>&1 || fail 'the file of another build'

# Where there is no room for the file, the program runs and reports at its end.
(
    ulimit -f 100
    LAVABLAS_STATS=$folder/small.json LD_PRELOAD=$library "$program" multiply
) || fail 'with a limit on files'
equal 1 "$(wc -l <"$folder/small.json")" 'the report with a limit on files'
ls "$folder"/small.json.* >/dev/null 2>&1 && fail 'a file beyond the limit is left'
exit $failed
