#!/bin/sh
# LAVABLAS_TRACE: a program's calls and what the device did for them, as JSON that a parser accepts: also when another
# thread ends the program by exit(). GPU spans lie within the call that they belong to. Without the variable nothing is
# written, and a file that cannot be written is reported once.
#
#   test_trace.sh LIBRARY TRACED_PROGRAM
set -eu
library=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

cat >"$folder/judge.py" <<'PYTHON'
import json
import sys

path, least = sys.argv[1], int(sys.argv[2])
events = json.load(open(path))
spans = [event for event in events if event["ph"] == "X"]
names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
calls = [span for span in spans if span["name"] == "sgemm_"]
assert len(calls) >= least, f"{len(calls)} calls of sgemm_"
assert all(span["dur"] >= 0 for span in spans)
assert sorted(names.values()) == ["GPU, compute queue", "GPU, download queue", "GPU, upload queue"], names
host = {"copy to staging", "write back"}
for call in calls:
    assert call["args"]["where"] == "gpu" and call["args"]["m"] == 300 and call["args"]["k"] == 200, call
    end = call["ts"] + call["dur"]
    inside = [span for span in spans if span is not call and call["ts"] <= span["ts"] + span["dur"] / 2 <= end]
    found = {span["name"] for span in inside}
    assert host | {"pack", "multiply"} <= found, found
    # the first call also waits for the device's preparation, which runs products of its own on another thread
    assert host <= {span["name"] for span in inside if span["tid"] == call["tid"]}
    assert all(span["tid"] in names for span in inside if span["name"] in ("pack", "multiply"))
for name, work in ("strmm_", {"pack", "multiply"}), ("strsm_", {"multiply", "download"}):
    found = [span for span in spans if span["name"] == name]
    assert len(found) == 1 and found[0]["args"]["where"] == "gpu" and found[0]["args"]["m"] == 300, found
    begin, end = found[0]["ts"], found[0]["ts"] + found[0]["dur"]
    inside = {span["name"] for span in spans if begin <= span["ts"] + span["dur"] / 2 <= end}
    assert host | work <= inside, (name, inside)
print(len(calls), "calls,", len(spans), "spans")
PYTHON

run_program() { # run_program WAY
    # shellcheck disable=SC2086 # settings are words
    env $on_lavapipe LD_PRELOAD="$library" LAVABLAS_TRACE="$folder/trace" LAVABLAS_STATS="$folder/stats" "$program" "$1" ||
        fail "$1: status $?"
    skip_without_device "$folder/stats"
    python3 "$folder/judge.py" "$folder/trace" 3 || fail "$1: see above"
}
run_program return
run_program exit
# shellcheck disable=SC2086
env $on_lavapipe LD_PRELOAD="$library" "$program" return || fail 'without the variable'
# shellcheck disable=SC2086
lines=$(env $on_lavapipe LD_PRELOAD="$library" LAVABLAS_TRACE=/nonexistent/trace "$program" return 2>&1) || fail 'no file'
[ "$(printf '%s\n' "$lines" | grep -c 'LAVABLAS_TRACE')" = 1 ] || fail "it said: $lines"
exit $failed
