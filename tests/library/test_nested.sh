#!/bin/sh
# The report counts calls that other calls make under these, not in the total: the total is never more than the time that the
# program's own calls took. And it says that not all small calls were timed.
#
#   test_nested.sh LAVABLAS PROGRAM_WITH_SLOW_BLAS PROGRAM_WITH_OPENBLAS|''
set -eu
tool=$1
slow=$2
openblas=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

judge() { # judge CONDITION: of the report, the program's time and the text of the table
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1] + "/json"))
own_ns = float(open(sys.argv[1] + "/output").read())
total_ns = report["total"]["cpu_ns"] + report["total"]["gpu_ns"]
under = {(row["outer"], row["routine"]): row for row in report["under"]}
assert eval(sys.argv[2])' "$folder" "$1" || fail "order $order: $1: $(cat "$folder/json") $(cat "$folder/output")"
}

run() { # run PROGRAM: with a report as JSON and its output in files
    "$tool" run --mode cpu --json --output "$folder/json" -- "$1" "$order" >"$folder/output" 2>"$folder/errors" ||
        fail "$1 $order: $(cat "$folder/errors")"
}

# Below the cut-off, where calls are only counted, and above.
for order in 12 900; do
    run "$slow"
    judge 'own_ns / 2 < total_ns <= own_ns'
    judge 'report["total"]["cpu_calls"] == 1002 and len(report["shapes"]) == 3'
    judge 'set(under) >= {("dpotri_", "dtrtri_"), ("dpotri_", "dlauum_"), ("dgesv_", "dtrsm_"), ("dgesv_", "dgemm_")}'
    judge 'all(row["calls"] == (2 if names[1] == "dtrsm_" else 1) for names, row in under.items())'
    judge '39e6 < under["dpotri_", "dtrtri_"]["ns"] + under["dpotri_", "dlauum_"]["ns"] < total_ns'
    judge '64 < report["small"]["timed"] < report["small"]["calls"]'
    LAVABLAS_LOG=none "$tool" run --details --mode cpu -- "$slow" "$order" >"$folder/output" 2>"$folder/errors" || fail 'as text'
    grep -q '^called by other calls, and counted in theirs:$' "$folder/errors" || fail "no nested rows: $(cat "$folder/errors")"
    grep -q '^  dtrtri_  *under dpotri_  *1 calls on the CPU  *[0-9.]* s ' "$folder/errors" || fail "dtrtri_: $(cat "$folder/errors")"
    grep -q '^  dtrsm_  *under dgesv_  *2 calls on the CPU  *[0-9.]* s ' "$folder/errors" || fail "dtrsm_: $(cat "$folder/errors")"
    grep -q '^small calls: [0-9]* of 100[0-9] were timed, the times of the others are estimated$' "$folder/errors" ||
        fail "the small calls: $(cat "$folder/errors")"
done

if [ -n "$openblas" ]; then
    for order in 12 900; do
        run "$openblas"
        judge 'total_ns <= own_ns'
        judge 'report["total"]["cpu_calls"] == 1002'
    done
fi
exit $failed
