#!/bin/sh
# LAVABLAS_TRACE: a program's calls and what the device did for them, as JSON that a parser accepts: also when another
# thread ends the program by exit(). GPU spans lie within the call that they belong to. Without the variable nothing is
# written, and a file that cannot be written is reported once. Every track has a name, a queue's number is no thread's, and
# perf/trace-plot reads the file.
#
#   test_trace.sh LIBRARY TRACED_PROGRAM
set -eu
library=$(readlink -f "$1")
program=$(readlink -f "$2")
plot=$(dirname "$0")/../../perf/trace-plot
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

cat >"$folder/judge.py" <<'PYTHON'
import json
import sys

path, least = sys.argv[1], int(sys.argv[2])
events = json.load(open(path))
spans = [event for event in events if event["ph"] == "X"]
metadata = [event for event in events if event["ph"] == "M"]
named = [(event["pid"], event["tid"]) for event in metadata if event["name"] == "thread_name"]
names = {event["tid"]: event["args"]["name"] for event in metadata if event["name"] == "thread_name"}
processes = [event["args"]["name"] for event in metadata if event["name"] == "process_name"]
calls = [span for span in spans if span["name"] == "sgemm_"]
assert len(calls) >= least, f"{len(calls)} calls of sgemm_"
assert all(span["dur"] >= 0 for span in spans)
assert processes == [f"traced_program ({events[0]['pid']})"], processes
assert len(named) == len(set(named)) and {(span["pid"], span["tid"]) for span in spans} <= set(named), named
queues = {tid for tid, name in names.items() if name.startswith("GPU, ")}
assert sorted(names[tid] for tid in queues) == ["GPU, compute queue", "GPU, download queue", "GPU, upload queue"], names
# a thread is the program's, which has named none, or the library's; kernel.pid_max is 2^22 at most, so this is no thread's number
threads = set(names) - queues
assert all(names[tid] == "traced_program" or names[tid].startswith("lava-") for tid in threads), names
assert min(queues) >= 1 << 22 > max(threads), names
host, device = {"copy to staging", "write back"}, {"pack", "multiply", "epilogue", "upload", "download"}
copiers = {tid for tid in threads if names[tid] == "lava-copy"}
for call in calls:
    assert call["args"]["where"] == "gpu" and call["args"]["m"] == 300 and call["args"]["k"] == 200, call
    end = call["ts"] + call["dur"]
    inside = [span for span in spans if span is not call and call["ts"] <= span["ts"] + span["dur"] / 2 <= end]
    found = {span["name"] for span in inside}
    assert host | {"pack", "multiply"} <= found, found
    # the first call also waits for the device's preparation, which runs products of its own on another thread
    assert host <= {span["name"] for span in inside if span["tid"] in copiers | {call["tid"]}}
    assert all((span["tid"] in queues) == (span["name"] in device) for span in inside), inside
    # A and B are too small for the copy threads, so the caller copies them, and their spans are where it does so
    small = [span for span in inside if span["tid"] == call["tid"] and span["name"] == "copy to staging"]
    assert sum(span["args"]["bytes"] for span in small) == 4 * (300 * 200 + 200 * 250), small
    assert all(span["dur"] > 0 for span in small), small
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
cat >"$folder/plot.py" <<'PYTHON'
import importlib.machinery
import importlib.util
import sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("plot", sys.argv[1])
plot = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
loader.exec_module(plot)
call, lanes = plot.read_call(sys.argv[2], 3)
lanes = {name: {span["name"] for span in lane} for name, lane in lanes}
assert call["name"] == "sgemm_" and call["args"]["k"] == 200, call
assert "copy to staging" in lanes["calling thread"] and "multiply" in lanes["GPU, compute queue"], lanes
assert set(lanes) <= {"calling thread", "lava-copy"} | {f"GPU, {role} queue" for role in ("compute", "upload", "download")}, lanes
PYTHON
python3 "$folder/plot.py" "$plot" "$folder/trace" || fail 'trace-plot: see above'
if python3 -c 'import matplotlib' 2>"$folder/errors"; then
    "$plot" "$folder/trace" "$folder/picture.png" || fail "trace-plot: status $?"
    [ "$(head -c 8 "$folder/picture.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail 'trace-plot drew no PNG'
fi
run_program exit
# shellcheck disable=SC2086
env $on_lavapipe LD_PRELOAD="$library" "$program" return || fail 'without the variable'
# shellcheck disable=SC2086
lines=$(env $on_lavapipe LD_PRELOAD="$library" LAVABLAS_TRACE=/nonexistent/trace "$program" return 2>&1) || fail 'no file'
[ "$(printf '%s\n' "$lines" | grep -c 'LAVABLAS_TRACE')" = 1 ] || fail "it said: $lines"
exit $failed
