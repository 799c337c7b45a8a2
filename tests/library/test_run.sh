#!/bin/sh
# `lavablas run`: the program keeps its status, its signals and its output; the report counts every call of every process,
# says where it ran, and names what cannot be intercepted. Without a device it says that nothing helped.
#
#   test_run.sh LAVABLAS RUN_PROGRAM OWN_PROGRAM OWN_PROGRAM_STATIC|'' LIBRARY_WITH_SCIPY_DGEMM LIBRARY FOLDER \
#       LIBRARY_WITH_OTHER_NAMES
#
# FOLDER: that of the library from that of the command, if both are installed.
set -eu
tool=$1
program=$2
own=$3
own_static=$4
other=$(readlink -f "$5")
library=$6
library_folder=$7
renamed=$(readlink -f "$8")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"

# value NAME...: the member of the JSON object in the file, by a path of names.
value() {
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    value = value[int(name) if name.lstrip("-").isdigit() else name]
print(value)' "$folder/json" "$@"
}

report() { # report ARGUMENT...: runs the command with a report as JSON in a file
    rm -f "$folder/json"
    status=0
    "$tool" run --json --output "$folder/json" "$@" >"$folder/output" 2>"$folder/errors" || status=$?
    [ ! -s "$folder/json" ] || python3 "$(dirname "$0")/check_schema.py" "$(dirname "$0")/../../doc/report.schema.json" "$folder/json" || failed=1
}

equal() { # equal EXPECTED GOT WHAT
    [ "$1" = "$2" ] || fail "$3: $2 instead of $1; $(cat "$folder/json" "$folder/errors" 2>/dev/null)"
}

# Statuses and signals.
for expected in 0 1 7 126 127 255; do
    report --mode cpu -- "$program" status "$expected"
    equal "$expected" $status "status $expected"
    equal "$expected" "$(value status)" "status in the report"
done
report -- "$program" signal 15
equal 143 $status 'SIGTERM'
equal 15 "$(value signal)" 'signal in the report'
report "$folder/nosuch"
equal 127 $status 'no such program'
: >"$folder/plain"
chmod 644 "$folder/plain"
report "$folder/plain"
equal 126 $status 'no program'
report --nosuch true
equal 125 $status 'no such option'
report
equal 125 $status 'no program given'
"$tool" run --help | grep -q '^usage: lavablas run' || fail '--help'

grep -q '^lavablas: no program given' "$folder/errors" || fail 'which word was missing'
report --mode fast true
equal 125 $status 'no such mode'
equal 'lavablas: --mode fast: not auto, cpu or gpu' "$(head -n 1 "$folder/errors")" 'the first line'
report --precision double true
equal 'lavablas: --precision double: not ieee, standard or fast' "$(head -n 1 "$folder/errors")" 'the first line'
for words in 'explian|no command explian' 'info foo|not an option, or one too many: foo' \
    'verify --type cfp32|--type cfp32: not fp32, fp64, fp16 or bf16' "replay $folder/nosuch|$folder/nosuch: No such file or directory"; do
    # shellcheck disable=SC2086 # words
    "$tool" ${words%%|*} >"$folder/output" 2>"$folder/errors" && fail "${words%%|*}: right"
    head -n 1 "$folder/errors" | grep -qF "lavablas: ${words#*|}" || fail "${words%%|*}: $(head -n 1 "$folder/errors")"
done

# If the report cannot be written, the program keeps its status.
status=0
"$tool" run --mode cpu --output "$folder/nosuch/text" -- sh -c 'exit 6' 2>"$folder/errors" || status=$?
equal 6 $status 'no such output'
equal "lavablas: $folder/nosuch/text: No such file or directory; the report goes to standard error" "$(head -n 1 "$folder/errors")" 'no output'
grep -q '^lavablas: ended with status 6' "$folder/errors" || fail 'the report is lost'
status=0
TMPDIR=$folder/nosuch "$tool" run true 2>"$folder/errors" || status=$?
equal 125 $status 'no such TMPDIR'
grep -qF "TMPDIR, $folder/nosuch: No such file" "$folder/errors" || fail "TMPDIR: $(cat "$folder/errors")"
{ "$tool" run --mode cpu sh -c 'sleep 0.3; exit 7' 2>&1 || echo $? >"$folder/status"; } | head -c0
equal 7 "$(cat "$folder/status")" 'a report that nobody reads'

# Compared: six runs of which the first one's input and output count.
printf 'one\n' >"$folder/input"
# shellcheck disable=SC2016 # for the program's shell
"$tool" run --mode cpu --compare --json --output "$folder/json" -- sh -c 'cat; echo run >>"$1"' sh "$folder/runs" \
    <"$folder/input" >"$folder/output" 2>"$folder/errors" || fail '--compare'
equal one "$(cat "$folder/output")" 'what the first run writes'
equal 6 "$(wc -l <"$folder/runs")" 'runs'
equal 3 "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["compare"]["cpu_ns"]))' "$folder/json")" 'plain runs'
LAVABLAS_LOG=none "$tool" run --mode cpu --compare -- sleep 0.1 2>"$folder/errors" || fail '--compare as text'
grep -q '^lavablas: compared, medians of 3 runs each in turn: with LavaBLAS .* with the CPU alone .*: ' "$folder/errors" || fail 'the comparison'

# A signal is passed on to the program.
"$tool" run --output "$folder/text" -- "$program" wait "$folder/waits" &
runner=$!
for _ in $(seq 500); do
    [ ! -e "$folder/waits" ] || break
    sleep 0.02
done
kill -USR1 $runner
status=0
wait $runner || status=$?
equal 5 $status 'SIGUSR1 is passed on'

# The program's own output is alone on stdout; the report is on stderr.
output=$("$tool" run --mode cpu -- sh -c 'echo hello; exit 3' 2>"$folder/errors") && status=0 || status=$?
equal 3 $status 'status of a shell'
equal hello "$output" 'stdout'
grep -q '^lavablas: ended with status 3' "$folder/errors" || fail "stderr: $(cat "$folder/errors")"

# On the CPU.
report --mode cpu -- "$program" multiply
equal 3 "$(value total cpu_calls)" 'calls on the CPU'
equal 0 "$(value total gpu_calls)" 'calls on the GPU'
equal 90000000 "$(value total flop)" 'operations'
equal 4440000 "$(value total bytes)" 'bytes'
equal 128 "$(value shapes 0 least_order)" 'size'
equal dgemm_ "$(value shapes 0 routine)" 'routine'
equal 'the mode is cpu' "$(value reasons 0 reason)" 'reason'
equal False "$(value total cpu_alone_is_estimated)" 'measured'
equal '[]' "$(value not_intercepted)" 'everything is intercepted'
LAVABLAS_LOG=none "$tool" run --mode cpu --stats -- "$program" multiply 2>"$folder/errors" || fail '--stats'
head -n 1 "$folder/errors" | grep -q '^lavablas: it did not help: all calls ran on the CPU, for [0-9.]* s$' || fail "verdict: $(cat "$folder/errors")"
sed -n 2p "$folder/errors" | grep -q "^lavablas: [0-9]* % of the program's [0-9.]* s passed outside of these calls, where no BLAS makes it faster\$" ||
    fail "where the time went: $(cat "$folder/errors")"
grep -q 'dgemm_  *3 calls .*the mode is cpu' "$folder/errors" || fail "reasons: $(cat "$folder/errors")"
"$tool" run --mode cpu -- "$program" multiply 2>"$folder/errors" || fail 'without details'
! grep -q 'the mode is cpu' "$folder/errors" || fail "details that nobody asked for: $(cat "$folder/errors")"

# A log of calls, by the number of the process; and routines that are switched off.
LAVABLAS_LOG=calls LAVABLAS_LOG_FILE="$folder/log-%p-%r" LAVABLAS_MODE=cpu LD_PRELOAD=$library "$program" multiply 2>"$folder/errors" || fail 'a log of calls'
equal 3 "$(grep -c '^lavablas: dgemm_ m 300 n 250 k 200: cpu, [0-9.]* ms: the mode is cpu$' "$folder"/log-*-0)" 'lines of the log'
equal '' "$(cat "$folder/errors")" 'standard error beside the file'
LAVABLAS_OFF=dsyrk,cblas_dgemm report --mode gpu -- "$program" multiply
equal False "$(value reasons | grep -q 'switched off' && echo True || echo False)" 'another routine is switched off'
LAVABLAS_OFF=zgemm,dgemm report --mode gpu -- "$program" multiply
equal 'the routine is switched off' "$(value reasons 0 reason)" 'the routine is switched off'
LAVABLAS_OFF=dgem LAVABLAS_MODE=cpu LD_PRELOAD=$library "$program" multiply 2>"$folder/errors" || fail 'no such routine'
grep -q '^lavablas: LAVABLAS_OFF=dgem is not understood' "$folder/errors" || fail "no such routine: $(cat "$folder/errors")"

# What a device that is not there would have done: by the calls of a run, and by a log of them.
"$tool" run --profile list | grep -qx '  NVIDIA H200' || fail 'the profiles'
"$tool" run --profile h200 -- "$program" multiply 2>"$folder/errors" || fail '--profile'
head -n 1 "$folder/errors" | grep -q '^lavablas: an estimate, nothing was measured on such a device: NVIDIA H200 with 130 GiB of memory and ready from the start ' ||
    fail "--profile: $(cat "$folder/errors")"
grep -Eq '^  dgemm_ +300 x 250 x 200 +3 +[0-9.]+ +[0-9.]+  [CG]PU$' "$folder/errors" || fail "--profile, the calls: $(cat "$folder/errors")"
grep -q '^lavablas: it did not help: all calls ran on the CPU' "$folder/errors" || fail 'the report behind the estimate'
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 2 -path '*/lavablas-*' -name '*calls-*' 2>/dev/null)" ] || fail 'logs are left'
status=0
"$tool" run --profile nosuch true 2>"$folder/errors" || status=$?
equal 125 $status 'no such profile'
printf 'lavablas: %s\n' 'CPU BLAS: /x' 'rank 1 on host: dgemm_ m 8000 n 8000 k 8000: cpu, 10000.000 ms: the mode is cpu' \
    'dgemm_ m 8000 n 8000 k 8000: cpu, 30000.000 ms: the mode is cpu' 'dgemm_ m 20 n 20 k 20: cpu, 1000.000 ms: below the cut-off' \
    'dsymv_ m 9 n 1 k 9: cpu, 9000.000 ms, in dsyevd_: below the cut-off' 'dgemm_: cpu: invalid arguments' \
    'sgemm_batch_strided m 40 n 40 k 40 products 9: cpu, 1000.000 ms: below the cut-off' \
    'dgesv_ m 8000 n 8000 k 8000 sides 7: cpu, 20000.000 ms: the mode is cpu' >"$folder/calls"
"$tool" replay --profile h200 "$folder/calls" >"$folder/output" || fail 'replay --profile'
grep -Eq 'would compute in [0-9.]+ s what takes 62\.000 s on this CPU: [0-9.]+ times as fast, with 4 of 5 calls on the GPU$' "$folder/output" ||
    fail "the sum: $(cat "$folder/output")"
for row in 'dgemm_ +8000 x 8000 x 8000 +2 +40\.000 +0\.[0-9]+  GPU' 'dgesv_ +8000 x 8000 x 8000, 7 sides +1 +20\.000 +[01]\.[0-9]+  GPU' \
    'dgemm_ +20 x 20 x 20 +1 +1\.000 +1\.000  CPU' 'sgemm_batch_strided +40 x 40 x 40, 9 products +1 +1\.000 +[0-9.]+  GPU'; do
    grep -Eq "^  $row\$" "$folder/output" || fail "no row $row: $(cat "$folder/output")"
done
equal 6 "$(wc -l <"$folder/output")" 'lines of the estimate'
! "$tool" replay --profile h200 "$folder/nosuch" >"$folder/output" 2>&1 || fail 'no such log'

# Children of fork() and programs that they start.
report --mode cpu -- "$program" fork
equal 5 "$(value total cpu_calls)" 'calls of all processes'
equal 3 "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["processes"]))' "$folder/json")" 'processes'

# What cannot be intercepted.
report -- "$own"
equal 3 $status 'the program with its own routine'
equal dgemm_ "$(value not_intercepted 0 routine)" 'the routine in the program'
case $(value not_intercepted 0 why) in *'comes before every preloaded library'*) ;; *) fail 'why, in the program' ;; esac
if [ -n "$own_static" ]; then
    report -- "$own_static"
    equal 3 $status 'the static program'
    case $(value not_intercepted 0 why) in *'linked statically'*) ;; *) fail 'why, static' ;; esac
fi
report -- "$program" by-address "$other"
equal 0 $status 'by address'
equal 0 "$(value total cpu_calls)" 'calls by address'
equal "$other" "$(value not_intercepted 0 path)" 'the library by address'

LD_PRELOAD=$renamed report -- /bin/true
equal 0 $status 'a BLAS with other names'
equal "$renamed" "$(value not_intercepted 0 path)" 'the library with other names'
equal mkl_blas_dgemm "$(value not_intercepted 0 routine)" 'its routine'

# The library is found where both are installed, also through a link to the command; without it nothing runs.
mkdir -p "$folder/prefix/bin" "$folder/prefix/bin/$library_folder" "$folder/links"
cp "$tool" "$folder/prefix/bin/lavablas"
cp "$library" "$folder/prefix/bin/$library_folder/liblavablas.so.0"
ln -s "$folder/prefix/bin/lavablas" "$folder/links/lavablas"
"$folder/links/lavablas" run --json --output "$folder/json" --mode cpu -- "$program" multiply || fail 'installed'
equal 3 "$(value total cpu_calls)" 'calls with the installed library'
rm "$folder/prefix/bin/$library_folder/liblavablas.so.0"
status=0
"$folder/links/lavablas" run true 2>"$folder/errors" || status=$?
equal 125 $status 'no library'
grep -q 'there is no liblavablas.so.0' "$folder/errors" || fail "no library: $(cat "$folder/errors")"

# By Python's package of the wheel: a script is run by the same Python. Only the wheel's own build has the library in the same folder.
mkdir "$folder/lavablas" "$folder/lib"
cp "$(dirname "$0")"/../../tools/python/*.py "$tool" "$folder/lavablas"
cp "$library" "$folder/lib/liblavablas.so.0"
echo 'import os, sys; open(sys.argv[1], "w").write(sys.executable + os.environ["LD_PRELOAD"]); sys.exit(9)' >"$folder/script.py"
for dashes in '' --; do
    rm -f "$folder/words"
    status=0
    # shellcheck disable=SC2086 # none or one
    PYTHONPATH=$folder python3 -m lavablas run --mode cpu --json --output "$folder/json" $dashes "$folder/script.py" "$folder/words" || status=$?
    equal 9 $status 'status of a script'
    equal "$(python3 -c 'import sys; print(sys.executable)')$folder/lib/liblavablas.so.0" "$(cat "$folder/words")" 'Python and the library'
done
status=0
PYTHONPATH=$folder python3 -m lavablas run --output "$folder/text" sh -c 'exit 4' "$folder/script.py" || status=$?
equal 4 $status 'a program that is no script'

# On lavapipe, compared with a run of the CPU alone.
report --mode gpu --device cpu --trace "$folder/trace" --compare -- "$program" multiply
equal 0 $status 'on lavapipe'
if [ "$(value no_device)" != None ]; then
    echo "without lavapipe: $(value no_device)"
    exit $((failed ? 1 : 77))
fi
equal 3 "$(value total gpu_calls)" 'calls on the device'
equal True "$(value total cpu_alone_is_estimated)" 'estimated'
equal 'the mode is gpu' "$(value reasons 0 reason)" 'reason on the device'
[ "$(value cpu_run_ns)" -gt 0 ] || fail 'the run of the CPU alone'
[ "$(value total gpu_ns)" -gt 0 ] || fail 'the time on the device'
# Each C goes back once. Lavapipe reads A and B where they are.
equal 1800000 "$(value transfers down_bytes)" 'bytes of C'
[ "$(value transfers down_ns)" -gt 0 ] && [ "$(value transfers down_ns)" -lt "$(value total gpu_ns)" ] || fail 'the time of copies'
[ "$(value transfers up_bytes)" -lt 1000 ] || fail 'A and B were copied'
[ "$(value total cpu_alone_ns)" -gt 0 ] || fail 'the estimate for the CPU'
equal "$(value total gpu_lost_ns)" "$(value shapes 0 gpu_lost_ns)" 'what the only routine lost'
equal "it did not help" "$(value verdict | cut -d: -f1)" 'the verdict'
equal "100 % of the calls' time was on the GPU, because LAVABLAS_MODE is gpu: with auto only calls go there that gain" "$(value advice)" 'the advice'
[ "$(value shapes 0 gpu_lost_ns)" -gt 0 ] && [ "$(value shapes 0 gpu_lost_ns)" -lt "$(value shapes 0 gpu_ns)" ] || fail 'what was lost'
LAVABLAS_LOG=none "$tool" run --details --mode gpu --device cpu -- "$program" multiply 2>"$folder/errors" || fail 'on lavapipe, as text'
head -n 1 "$folder/errors" | grep -q '^lavablas: it did not help: the calls took .* times as long (estimated by ' || fail "verdict: $(cat "$folder/errors")"
grep -q '^lost: calls on the GPU took [0-9.]* s longer than the CPU.s estimate$' "$folder/errors" || fail "what was lost: $(cat "$folder/errors")"
grep -q '^  dgemm_  *128 to 255  *[0-9.]* s on the GPU$' "$folder/errors" || fail "what was lost: $(cat "$folder/errors")"
grep -q '^copied: [0-9.]* GiB to the device.*, 0\.002 GiB back in [0-9.]* s ([0-9]* %); percent of the calls. time on the GPU$' "$folder/errors" ||
    fail "what was copied: $(cat "$folder/errors")"
grep -q dgemm_ "$folder/trace" || fail 'the trace'

# Matrices that stay. One is stored by the second call and used by the fourth, and another one is written before each.
LAVABLAS_RESIDENT=check report --mode gpu --device cpu --trace "$folder/trace" -- "$program" stays
equal 0 $status 'matrices that stay'
if value copies why >"$folder/why" 2>&1 && [ "$(cat "$folder/why")" != None ]; then
    echo "no matrix stays: $(cat "$folder/why")"
else
    for pair in stored=1 used=2 refreshed=0 refreshed_bytes=0 forgotten=0 evicted=0 differences=0; do
        equal "${pair#*=}" "$(value copies "${pair%=*}")" "copies, ${pair%=*}"
    done
    equal 2 "$(value transfers stayed_uses)" 'uses without an upload'
    equal 2496000 "$(value transfers stayed_bytes)" 'bytes that need not have gone up'
    for pair in rows=520 columns=300 bytes=1248000 uses=2 why=None; do
        equal "${pair#*=}" "$(value copies matrices 0 "${pair%=*}")" "the matrix that stays, ${pair%=*}"
    done
    equal 0 "$(value copies matrices 1 uses)" 'uses of the matrix that is written'
    equal 'the program writes it between calls' "$(value copies matrices 1 why)" 'why it does not stay'
    grep -q '"matrix that stays".*"bytes":1248000' "$folder/trace" || fail 'the matrix that stays, in the trace'
    LAVABLAS_RESIDENT=check LAVABLAS_LOG=none "$tool" run --details --mode gpu --device cpu -- "$program" stays 2>"$folder/errors" || fail 'matrices that stay, as text'
    grep -q '^not copied: 0\.002 GiB of matrices that stayed on the device, in 2 uses$' "$folder/errors" || fail "what was not copied: $(cat "$folder/errors")"
    grep -q '^copies of matrices on the device: 1 stored, 2 used, 0 uploaded anew by 0\.000 GiB, 0 forgotten, 0 evicted, 0 differences$' "$folder/errors" ||
        fail "copies: $(cat "$folder/errors")"
    grep -q '^  0x[0-9a-f]*  *520 x 300  *1\.2 MiB: 2 uses, [0-9.]* ms saved$' "$folder/errors" || fail "the matrix that stays: $(cat "$folder/errors")"
    grep -q '^  0x[0-9a-f]*  *520 x 300  *1\.2 MiB: does not stay: the program writes it between calls$' "$folder/errors" ||
        fail "the matrix that is written: $(cat "$folder/errors")"
    LAVABLAS_RESIDENT=check LAVABLAS_STATS=1 LAVABLAS_MODE=gpu LAVABLAS_DEVICE=cpu LD_PRELOAD=$library "$program" stays 2>"$folder/errors" || fail 'statistics'
    grep -q '^lavablas: their copies: 1 stored, 2 used, 0 uploaded anew by 0\.0 GB, 0 forgotten, 0 evicted, 0 differences$' "$folder/errors" ||
        fail "copies in the statistics: $(cat "$folder/errors")"
    grep -q '^lavablas: the matrix at 0x[0-9a-f]*, 520 x 300, 1\.2 MiB: stays, 2 uses, [0-9.]* ms saved$' "$folder/errors" ||
        fail "a matrix in the statistics: $(cat "$folder/errors")"
    grep -q '^lavablas: the matrix at .*: does not stay: the program writes it between calls; 0 uses, 0\.0 ms saved$' "$folder/errors" ||
        fail "another matrix in the statistics: $(cat "$folder/errors")"
fi
exit $failed
