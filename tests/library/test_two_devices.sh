#!/bin/sh
# Two devices in one process, as a user sees them: the commands name both, `lavablas explain` says that both share a product, the
# statistics count products on each, and the trace has a process for the second one whose spans lie within the calls, also those of
# the thread that works for it. Copies of lavapipe's manifest stand for two GPUs.
#
#   test_two_devices.sh LIBRARY LAVABLAS
set -eu
library=$(readlink -f "$1")
lavablas=$(readlink -f "$2")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

cat >"$folder/judge.py" <<'PYTHON'
import json
import sys

events = json.load(open(sys.argv[1]))
spans = [event for event in events if event["ph"] == "X"]
metadata = [event for event in events if event["ph"] == "M"]
processes = {event["pid"]: event["args"]["name"] for event in metadata if event["name"] == "process_name"}
threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in metadata if event["name"] == "thread_name"}
calls = [span for span in spans if span["name"] == "sgemm_"]
own = calls[0]["pid"]
assert sorted(processes.values()) == [f"lavablas ({own})", f"lavablas ({own}), device 1"], processes
assert {(span["pid"], span["tid"]) for span in spans} <= set(threads), threads
assert len({tid for _, tid in threads}) == len(threads), threads  # one number, one track
assert all((tid >= 1 << 22) == (name.startswith("GPU, ") or "crew" in name) for (_, tid), name in threads.items()), threads
# the thread of the second device is another one for each product, on one track
crew = [place for place, name in threads.items() if name == "lava-crew-1"]
assert len(crew) == 1 and processes[crew[0][0]].endswith("device 1"), threads
copied = [span for span in spans if (span["pid"], span["tid"]) == crew[0]]
copied.sort(key=lambda span: span["ts"])
assert copied and all(a["ts"] + a["dur"] <= b["ts"] + 0.001 for a, b in zip(copied, copied[1:])), copied
assert {span["pid"] for span in spans} != {own}
shared = 0
for call in calls:
    end = call["ts"] + call["dur"]
    inside = [span for span in spans if call["ts"] <= span["ts"] + span["dur"] / 2 <= end]
    first, second = ({span["name"] for span in inside if (span["pid"] == own) == is_first} for is_first in (True, False))
    both = first | second  # one may have taken all blocks
    assert {"copy to staging", "write back", "pack", "multiply"} <= both, (first, second)
    shared += {"pack", "multiply"} <= first & second
assert shared > 0
print(len(calls), "calls,", shared, "on both devices")
PYTHON

cp "$VK_DRIVER_FILES" "$folder/first.json" 2>/dev/null || { echo 'skipped: no lavapipe'; exit 77; }
cp "$VK_DRIVER_FILES" "$folder/second.json"
export VK_DRIVER_FILES="$folder/first.json:$folder/second.json" LAVABLAS_DEVICE=cpu:all LAVABLAS_CACHE=0

"$lavablas" info >"$folder/info" || fail "info: status $?"
grep -q '^device 1: ' "$folder/info" && grep -q '0,1: 2 devices of this model' "$folder/info" || fail "info says: $(cat "$folder/info")"
explained=$(LAVABLAS_MODE=gpu "$lavablas" explain --plan sgemm N N 300 2000 200) || fail "explain: status $?"
case $explained in *' on 2 devices, '*' on one, '*) ;; *) fail "explain says: $explained" ;; esac
explained=$(LAVABLAS_MODE=gpu LAVABLAS_DEVICE=0 "$lavablas" explain --plan sgemm N N 300 2000 200) || fail "explain: status $?"
case $explained in *' on 2 devices'*) fail "explain says of one device: $explained" ;; esac

LAVABLAS_MODE=gpu LAVABLAS_INIT=sync LAVABLAS_STATS="$folder/stats" LAVABLAS_TRACE="$folder/trace" \
    "$lavablas" bench --library "$library" --routine sgemm_ --sizes 300x2000x200 --seconds 1 || fail "bench: status $?"
skip_without_device "$folder/stats"
for line in 'device 0 of the process: [1-9]' 'device 1 of the process: [1-9]' 'several devices shared [1-9]'; do
    grep -q "^lavablas: $line" "$folder/stats" || fail "no '$line' in: $(cat "$folder/stats")"
done
LAVABLAS_DEVICE=nosuch LAVABLAS_MODE=gpu "$lavablas" explain sgemm N N 300 300 300 >"$folder/said" 2>&1 || :
grep -q 'LAVABLAS_DEVICE=nosuch asks for a device that is not there; there are: 0: .*; 1: ' "$folder/said" ||
    fail "no such device: $(cat "$folder/said")"
python3 "$folder/judge.py" "$folder/trace" || fail 'trace: see above'
exit $failed
