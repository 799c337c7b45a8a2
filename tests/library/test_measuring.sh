#!/bin/sh
# `lavablas bench`, `verify` and `replay`: what they print is complete and consistent, as a table and as JSON; a library with
# wrong results, a file that is no trace and wrong arguments are refused.
#
#   test_measuring.sh LAVABLAS RUN_PROGRAM LIBRARY_WITH_WRONG_RESULTS
set -eu
tool=$1
program=$2
wrong=$(readlink -f "$3")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"
export LAVABLAS_CACHE=0

expect() { # expect STATUS ARGUMENT...
    expected=$1
    shift
    status=0
    "$tool" "$@" >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = "$expected" ] || fail "$*: status $status: $(cat "$folder/output" "$folder/errors")"
}

judge() { # judge CONDITION: of the JSON in the output
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
assert eval(sys.argv[2])' "$folder/output" "$1" || fail "$1: $(cat "$folder/output")"
}

# bench
short='--seconds 0.01 --warmup 0'
# shellcheck disable=SC2086 # options are words
expect 0 bench $short --sizes 64,48x32x16 --routine dgemm_ --json
judge 'len(value) == 4 and all(row["right"] and row["min_s"] > 0 and row["calls"] > 0 for row in value)'
judge '[(row["m"], row["n"], row["k"]) for row in value] == 2 * [(64, 64, 64)] + 2 * [(48, 32, 16)]'
judge '"liblavablas" in value[0]["library"] and value[0]["place"] == "cpu" and "liblavablas" not in value[1]["library"]'
# shellcheck disable=SC2086
expect 1 bench $short --library "$wrong" --sizes 64 --routine dgemm_
grep -q FAIL "$folder/output" || fail 'the wrong library is not told'
expect 2 bench --sizes 64,x
expect 2 bench --routine nosuch_
expect 2 bench --library /nonexistent.so
expect 2 replay
expect 2 replay --top 0 trace
expect 2 verify --type cfp32
expect 1 replay "$folder/nosuch"
echo '{}' >"$folder/trace"
expect 1 replay "$folder/trace"
echo '[]' >"$folder/trace"
expect 1 replay "$folder/trace"

# replay: of a trace with known shapes, and of one that the library has written.
cat >"$folder/trace" <<'TRACE'
[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"GPU"}},
{"ph":"X","name":"scipy_cblas_dgemm64_","pid":1,"tid":2,"ts":1.5,"dur":1000.0,"args":{"where":"cpu","why":"x","m":60,"n":50,"k":40}},
{"ph":"X","name":"scipy_cblas_dgemm64_","pid":1,"tid":2,"ts":9.5,"dur":3000.0,"args":{"where":"gpu","why":"x","m":60,"n":50,"k":40}},
{"ph":"X","name":"dtrsm_","pid":1,"tid":2,"ts":9.5,"dur":500.0,"args":{"where":"cpu","why":"x","m":60,"n":50,"k":50}},
{"ph":"X","name":"dgesv_","pid":1,"tid":2,"ts":9.5,"dur":500.0,"args":{"where":"cpu","why":"x","m":60,"n":60,"k":60}},
{"ph":"X","name":"pack","pid":1,"tid":1,"ts":9.5,"dur":500.0,"args":{"bytes":5}}]
TRACE
expect 0 replay --seconds 0.01 --json "$folder/trace"
judge '[(s["routine"], s["calls"]) for s in value["shapes"]][0] == ("scipy_cblas_dgemm64_", 2)'
judge 'abs(value["shapes"][0]["recorded_s"] - 0.004) < 1e-9 and all(t > 0 for t in value["shapes"][0]["median_s"])'
judge 'sorted((s["m"], s["n"], s["k"]) for s in value["shapes"]) == [(50, 60, 50), (60, 50, 40), (60, 60, 60)]'
judge 'all(s["right"] for s in value["shapes"]) and [s["median_s"][0] is None for s in value["shapes"] if s["routine"] == "dgesv_"] == [True]'
expect 0 replay --seconds 0.01 --top 1 "$folder/trace"
grep -q '^left out: 2 calls' "$folder/output" || fail "left out: $(cat "$folder/output")"

# On lavapipe.
export LAVABLAS_DEVICE=cpu
"$tool" device >"$folder/device" || { cat "$folder/device"; echo 'without lavapipe'; exit $((failed ? 1 : 77)); }
expect 0 run --mode gpu --trace "$folder/trace" --output "$folder/report" -- "$program" multiply
expect 0 replay --seconds 0.01 --json "$folder/trace"
judge 'len(value["shapes"]) == 1 and value["shapes"][0]["calls"] == 3'
expect 0 verify --type fp64 --json
judge 'value["right"] and not value["failures"] and all(0 <= row["error"] <= 1 and row["comparisons"] > 0 for row in value["rows"])'
judge '{"products", "complex products", "solves", "LU factors", "QR factors", "inverses"} <= {row["operation"] for row in value["rows"]}'
judge '{row["type"] for row in value["rows"]} == {"fp64", "cfp64"}'
exit $failed
