#!/bin/sh
# What "lavablas explain" says of a call is what becomes of it: --plan's line is that in the debug log of a program that makes
# the call, and the same place and reason as in its statistics, in each mode, on lavapipe. Every routine is known, with
# its types, and wrong arguments are refused. One of twenty-four calls on the device is made, which take a second or two
# each: others in each run. LAVA_TEST_SEED says which.
#
#   test_explain.sh LAVABLAS ROUTINE_CALL
set -eu
tool=$1
program=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LAVABLAS_DEVICE=cpu LAVABLAS_CACHE=0 LAVABLAS_INIT=sync
# The look for leaks crashes in a process that ends while the driver's threads are at work.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
failed=0
compared=0
left_out=0
: "${LAVA_TEST_SEED:=$(date +%s)}"
echo "LAVA_TEST_SEED=$LAVA_TEST_SEED"

fail() {
    echo "FAILED: $*"
    failed=1
}

"$tool" device >"$folder/device" || { cat "$folder/device"; echo 'skipped: no lavapipe'; exit 77; }

# is_chosen: whether the next call is one of those that this run makes.
is_chosen() {
    [ $(((compared + left_out + LAVA_TEST_SEED) % 24)) = 0 ] || { left_out=$((left_out + 1)); return 1; }
}

# agree MODE PLACE REASON ROUTINE ARGUMENT...: that is what the tool says, and what the program's statistics say. If
# there is a plan the debug log begins with the tool's line. PLACE half: gpu, or cpu if the device has no kernel.
agree() {
    mode=$1
    place=$2
    reason=$3
    shift 3
    export LAVABLAS_MODE="$mode"
    "$tool" explain --plan "$@" >"$folder/answer" 2>&1 || {
        fail "explain $*: status $?: $(cat "$folder/answer")"
        return
    }
    answer=$(sed -n 2p "$folder/answer")
    if [ "$place" = half ]; then
        place=gpu
        case $answer in *"(the device has no kernel for this type)") place=cpu reason='the device has no kernel for this type' ;; esac
    fi
    upper=$(echo "$place" | tr '[:lower:]' '[:upper:]')
    case $answer in *": $upper ($reason)"*) ;; *) fail "explain $*, mode $mode: $answer" ;; esac
    verdict=$(head -n 1 "$folder/answer")
    case $verdict in "$upper: "*. | "$upper, because "*.) ;; *) fail "explain $*, mode $mode, in words: $verdict" ;; esac
    rm -f "$folder/stats"
    name=$(LAVABLAS_LOG=debug LAVABLAS_STATS="$folder/stats" "$program" "$@" 2>"$folder/log") ||
        { fail "$program $*: status $?"; return; }
    grep -q "^lavablas: $name $place 1 calls, .*: $reason\$" "$folder/stats" ||
        fail "$*, mode $mode: not $place ($reason) but $(cat "$folder/stats")"
    # Lines with a time are those of the call itself, and of its parts.
    logged=$(grep -v ': [cg]pu, [0-9.]* ms[:,] ' "$folder/log" | grep -m 1 ' m [0-9]* n [0-9]* k [0-9]*: ' | sed 's/^lavablas: //; s/^debug: //') || logged=
    case $reason in
    'the mode is cpu' | 'below the cut-off' | 'nothing to multiply' | *'no kernel'*) [ -z "$logged" ] || fail "$*: a plan: $logged" ;;
    *) [ "$logged" = "$answer" ] || fail "$*, mode $mode: explained: $answer; logged: $logged" ;;
    esac
    compared=$((compared + 1))
}

for call in 'dgemm N T 300 200 100' 'dgemmt L N T 700 300' 'dsyrk U T 700 300' 'hgemm N N 64 64 64' \
    'ssymm L U 300 200' 'zhemm R L 90 80' 'cher2k U N 200 100' 'dtrmm L U N U 300 200' 'ztrsm R L C N 90 80' \
    'dpotrf L 200' 'cgetrf 200 180' 'dgesv 200 3' 'zpotrs U 100 80' 'dgels N 200 100 3' 'ctrtrs L C N 90 80'; do
    # shellcheck disable=SC2086 # arguments are words
    agree cpu cpu 'the mode is cpu' $call
done
for call in 'sgemm T N 70 50 30' 'dgemm N T 300 200 100' 'cgemm3m N N 90 50 40' 'zgemm N C 128 64 32' \
    'dgemmt L N T 701 300' 'cgemmt U C N 300 100' 'sgemmtr U N N 100 100' 'dsyrk L N 501 200' \
    'dsyrk U T 333 100' 'csyrk U N 120 70' 'zherk L N 200 90' 'zherk U C 257 60'; do
    # shellcheck disable=SC2086 # as above
    ! is_chosen || agree gpu gpu 'the mode is gpu' $call
done
agree gpu half 'the mode is gpu' hgemm N T 70 60 50
agree gpu half 'the mode is gpu' gemm_bf16bf16f32 N N 33 65 20
agree gpu cpu 'nothing to multiply' dgemm N T 30 20 0
agree auto cpu 'below the cut-off' sgemm N N 100 100 100
agree auto cpu 'below the cut-off' dgemmt U N N 150 90
agree auto cpu 'below the cut-off' dsyrk U N 150 90
agree auto cpu 'below the cut-off' zherk L C 60 50
agree auto cpu 'below the cut-off' dsymm L U 100 90
agree auto cpu 'below the cut-off' csyr2k U N 90 60
agree auto cpu 'below the cut-off' strmm R L T N 100 120
agree auto cpu 'below the cut-off' ctrsm L U C N 60 50
agree auto cpu 'below the cut-off' spotrf U 100
agree auto cpu 'below the cut-off' sgesv 100 2
agree auto cpu 'below the cut-off' sgels N 100 90 2
agree auto cpu 'below the cut-off' dtrtrs U T N 150 2
agree gpu cpu 'nothing to multiply' dgels N 150 140 0
agree gpu cpu 'nothing to multiply' dgetrs T 150 0
agree auto cpu 'the CPU is estimated to be faster' strsm R U N N 900 1500
for call in 'dsymm R U 300 200' 'cher2k L C 200 300' 'dtrmm L L T U 300 200' 'strsm R U N N 90 150' 'spotrf U 300' \
    'zpotrf L 200' 'dgetrf 150 300' 'sgesv 200 3' 'zposv U 90 100' 'dgetrs T 150 40' 'cgetrs C 90 1' 'spotrs L 200 9' \
    'zgeqrf 300 150' 'dorgqr 300 200 150' 'sormqr L T 300 200 150' 'zunmqr R N 90 200 70' \
    'cgels N 200 150 3' 'dgels T 150 140 3' 'zgels N 140 150 3' 'sgels T 140 200 3' 'dtrtrs U T N 200 30' 'ztrtrs L C U 150 9' \
    'dsytrd L 200' 'cgebrd 150 90' 'dgebrd 90 150' 'dorgbr Q 200 150 150' 'zungbr P 150 150 150' 'sormbr P L T 200 150 150' 'cunmbr Q R N 150 200 100' 'chetrd U 150' 'dsyevd V L 160' 'cheevr N U 150' 'ssyevx V U 150' 'zheev N L 90' \
    'dsygvd 1 V L 150' 'chegvx 3 N U 120' 'ssygv 2 V U 130' 'dstedc I 150' 'cstedc V 130' 'zstedc N 90' 'dgeqp3 200 150' 'cgeqp3 90 200' \
    'dgesdd S 150 140' 'cgesvd N N 160 90' 'dgelsd 150 60 5' 'sgelss 60 150 2'; do
    # shellcheck disable=SC2086 # arguments are words
    ! is_chosen || agree gpu gpu 'the mode is gpu' $call
done
agree auto cpu 'the CPU is estimated to be faster' sgemm N T 1000 900 800
agree auto cpu 'the CPU is estimated to be faster' dgemm T N 1000 900 800
agree auto cpu 'the CPU is estimated to be faster' dgemmt L N T 1500 900
agree auto cpu 'the CPU is estimated to be faster' dsyrk L T 1500 900
agree auto cpu 'the CPU is estimated to be faster' zherk U N 900 700
[ $((compared + left_out)) = 96 ] || fail "$compared calls were compared, $left_out left out"

# same ARGUMENT... = ARGUMENT...: the same answer. In mode gpu, if it tells of types and kernel.
export LAVABLAS_MODE=gpu
same() {
    left=
    while [ "$1" != = ]; do
        left="$left $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # as above
    first=$("$tool" explain --plan $left 2>&1) || fail "explain$left: status $?"
    second=$("$tool" explain --plan "$@" 2>&1) || fail "explain $*: status $?"
    [ "$first" = "$second" ] || fail "explain$left: $first; explain $*: $second"
}
same 300 200 100 = sgemm N N 300 200 100
same --type fp64 300 200 100 = dgemm N N 300 200 100
same --type cfp64 300 200 100 = zgemm N N 300 200 100
same --c-type fp32 300 200 100 = cblas_sgemm n n 300 200 100
export LAVABLAS_MODE=cpu
same --type fp16 300 200 100 = shgemm N N 300 200 100
same --type bf16 --c-type bf16 300 200 100 = bgemm N N 300 200 100
LAVABLAS_MODE=gpu "$tool" explain --precision fast sgemm N N 300 200 100 >"$folder/fast"
LAVABLAS_MODE=gpu LAVABLAS_PRECISION=fast "$tool" explain sgemm N N 300 200 100 >"$folder/variable"
cmp "$folder/fast" "$folder/variable" || fail '--precision and LAVABLAS_PRECISION differ'
# Products by residues are named, and `ieee` takes none.
by_residues() { LAVABLAS_MODE=gpu LAVABLAS_RESIDUES="$1" "$tool" explain --plan --precision "$2" "${3-dgemm}" N T 300 200 100; }
by_residues on standard | grep -q '^fp64 by residues (.*NT m 300 .*: GPU' || fail 'LAVABLAS_RESIDUES=on has no residues'
by_residues on standard zgemm | grep -q '^cfp64 by residues (.*NT m 300 .*: GPU' || fail 'complex products have no residues'
by_residues on ieee | grep -q '^fp64 NT m 300 .*: GPU' || fail 'ieee has residues'
by_residues off standard | grep -q '^fp64 NT m 300 .*: GPU' || fail 'LAVABLAS_RESIDUES=off has residues'

# Operands that stay: 2048 x 1024 and 1024 x 512 elements of 8 bytes.
for routine in 'dgetri 1024' 'dtrsm L U N N 1024 1024'; do
    LAVABLAS_MODE=gpu "$tool" explain --plan --stays A $routine | grep -qE ', A stays: [48]\.0 MiB need not go up, ' ||
        fail "--stays A $routine"
done
for pair in 'A=A stays: 16.0 MiB' 'B=B stays: 4.0 MiB' 'AB=A and B stay: 20.0 MiB'; do
    LAVABLAS_MODE=gpu "$tool" explain --plan --stays "${pair%%=*}" dgemm N N 2048 512 1024 >"$folder/stays"
    grep -qF ", ${pair#*=} need not go up, " "$folder/stays" || fail "--stays ${pair%%=*}: $(cat "$folder/stays")"
done

# known TYPES ROUTINE...: with these types of A, B and C.
known() {
    types=$1
    shift
    for routine; do
        case $routine in
        *gemmt*) region=' upper NT m 50 n 50 k 40' && set -- U N T 50 40 ;;
        *r2k*) region=' twice upper NT m 50 n 50 k 40' && set -- U N 50 40 ;;
        *syrk* | *herk*) region=' upper NT m 50 n 50 k 40' && set -- U N 50 40 ;;
        *) region=' NT m 60 n 50 k 40' && set -- N T 60 50 40 ;;
        esac
        case $routine in
        *symm*) region=' upper symmetric left NN m 60 n 50 k 60' && set -- L U 60 50 ;;
        *hemm*) region=' upper Hermitian left NN m 60 n 50 k 60' && set -- L U 60 50 ;;
        *trmm*) region=' upper triangular right NT m 60 n 50 k 50' && set -- R U T N 60 50 ;;
        *trsm*) region=' solve upper triangular right NT m 60 n 50 k 50' && set -- R U T N 60 50 ;;
        esac
        case $routine in
        *potrf*) region=' Cholesky upper NN m 50 n 50 k 50' && set -- U 50 ;;
        *getrf*) region=' LU NN m 60 n 50 k 50' && set -- 60 50 ;;
        *trtri*) region=' inverse upper NN m 50 n 50 k 50' && set -- U N 50 ;;
        *lauum*) region=' square upper NN m 50 n 50 k 50' && set -- U 50 ;;
        *potri*) region=' inverse by Cholesky upper NN m 50 n 50 k 50' && set -- U 50 ;;
        *gv*) region=' generalized eigenvectors upper NN m 50 n 50 k 50' && set -- 1 V U 50 ;;
        *evd*) region=' eigenvectors upper NN m 50 n 50 k 50' && set -- V U 50 ;;
        *[ye]ev*) region=' eigenvalues upper NN m 50 n 50 k 50' && set -- N U 50 ;;
        *trd*) region=' tridiagonal upper NN m 50 n 50 k 50' && set -- U 50 ;;
        *gbr*) region=' Q of QR NN m 60 n 50 k 40' && set -- Q 60 50 40 ;;
        *mbr*) region=' Q of QR left NN m 60 n 50 k 40' && set -- Q L N 60 50 40 ;;
        *gebrd*) region=' bidiagonal NN m 60 n 50 k 50' && set -- 60 50 ;;
        *getri*) region=' inverse by LU NN m 50 n 50 k 50' && set -- 50 ;;
        *potrs*) region=' solve 7 sides by Cholesky upper NN m 50 n 50 k 50' && set -- U 50 7 ;;
        *posv*) region=' Cholesky and solve 7 sides upper NN m 50 n 50 k 50' && set -- U 50 7 ;;
        *getrs*) region=' solve 7 sides by LU TN m 50 n 50 k 50' && set -- T 50 7 ;;
        *gesv*) region=' LU and solve 7 sides NN m 50 n 50 k 50' && set -- 50 7 ;;
        *gels*) region=' QR and solve 7 sides NN m 60 n 50 k 50' && set -- N 60 50 7 ;;
        *trtrs*) region=' solve upper triangular left TN m 50 n 7 k 50' && set -- U T N 50 7 ;;
        *geqp3*) region=' pivoted QR NN m 60 n 50 k 50' && set -- 60 50 ;;
        *geqrf*) region=' QR NN m 60 n 50 k 50' && set -- 60 50 ;;
        *mqr*) region=' Q of QR left NN m 60 n 50 k 40' && set -- L N 60 50 40 ;;
        *gqr*) region=' Q of QR NN m 60 n 50 k 40' && set -- 60 50 40 ;;
        esac
        case $routine in
        *gemv*) region=' vector TN m 50 n 1 k 60' && set -- T 60 50 ;;
        *symv*) region=' vector upper symmetric left NN m 50 n 1 k 50' && set -- U 50 ;;
        *hemv*) region=' vector upper Hermitian left NN m 50 n 1 k 50' && set -- U 50 ;;
        *trmv*) region=' triangle times vector upper triangular left TN m 50 n 1 k 50' && set -- U T N 50 ;;
        *trsv*) region=' solve for a vector upper triangular left TN m 50 n 1 k 50' && set -- U T N 50 ;;
        esac
        "$tool" explain --plan "$routine" "$@" >"$folder/answer" 2>&1 || fail "$routine: status $?"
        answer=$(sed -n 2p "$folder/answer")
        case $answer in "$types$region: "*) ;; *) fail "$routine: $answer" ;; esac
    done
}
known fp32 sgeqp3 sorgbr_ ssytrd_ ssyev_ ssyevr sgemm sgemmt sgemmtr sgemm_ scipy_sgemm_64_ ssyrk ssyrk_ ssymm ssyr2k_ strmm strsm_64 spotrf_ sgetrf sgesv_ sgeqrf sorgqr_ sormqr strtri_ sgels strtrs sgemv ssymv_
known fp64 dsygvd dgebrd_ dgemm dgemmt dgemmtr cblas_dgemm dsyrk cblas_dsyrk cblas_dsymm dsyr2k dtrmm_ cblas_dtrsm dpotrf dgetrf_ dposv dgeqrf_64_ dorgqr dormqr_ dpotri dgels_64_ dtrtrs_ cblas_dgemv dtrsv
known cfp32 cunmbr cgemm cgemm3m cgemmt cgemmtr csyrk cherk csymm chemm csyr2k cher2k ctrmm ctrsm cpotrf_64_ cgetrf cgetrs cgeqrf cungqr cunmqr_64_ clauum cgels ctrtrs cgemv_64_ chemv
known cfp64 zgeqp3_64_ zgebrd zhegvx_ zhetrd zheevd_64_ zheevx zgemm zgemm3m zgemmt zgemmtr zsyrk zherk_ zsymm zhemm_ zsyr2k zher2k ztrmm ztrsm zpotrf zgetrf zpotrs_ zgeqrf_ zungqr zunmqr zgetri_64_ zgels_ ztrtrs zhemv ztrmv_
known 'fp16 -> fp32' shgemm gemm_f16f16f32
known 'fp16 -> fp16' hgemm lavablas_hgemm
known 'bf16 -> fp32' sbgemm gemm_bf16bf16f32
known 'bf16 -> bf16' bgemm

refused() {
    status=0
    "$tool" explain "$@" >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/output" ] && grep -q '^usage: lavablas explain' "$folder/errors" ||
        fail "explain $*: status $status"
}
refused
refused 1 2
refused 1 2 3 4
refused 1 2 x
refused -1 2 3
refused 1 2 99999999999999999999
refused nosuch N N 1 2 3
refused dgemm
refused dgemm N N 1 2
refused dgemm N N 1 2 3 4
refused dgemm N X 1 2 3
refused dgemm N NN 1 2 3
refused dgemm N N 1 2 -3
refused dgemmt N N T 1 2
refused dsyrk N N 1 2
refused dsyrk U N 1 2 3
refused dsymm L N 1 2
refused dsymm U L 1 2
refused dtrsm L U N 1 2
refused dtrsm L U N X 1 2
refused dpotrf X 10
refused dpotrf U
refused dgesv 10
refused dgetrs 10 10
refused dgels N 10 10
refused dtrtrs U N 10 10
refused sgemm_batch N N 1 2 3
refused --type fp64 dgemm N N 1 2 3
refused --type fp64 --c-type fp32 1 2 3
refused --type fp8 1 2 3
refused --type
refused --precision exact 1 2 3
refused --stays C sgemm N N 1 2 3
refused --stays A dgetrf 100 100
refused --stays B dgetri 100
refused --nosuch 1 1 2 3

# invalid ARGUMENT...: the routine itself refuses these.
invalid() {
    [ "$("$tool" explain "$@")" = 'CPU: BLAS refuses these arguments.' ] || fail "explain $*: not invalid"
}
export LAVABLAS_MODE=gpu
invalid zherk U T 50 40
invalid zsyrk U C 50 40
invalid csyrk L C 50 40
invalid zher2k U T 50 40
invalid csyr2k L C 50 40
invalid dgels C 50 40 2
invalid cgels T 50 40 2

# planned ARGUMENT...: --plan adds a line and a program to the answer, with the strips of a triangle that this line
# tells of: each is packed, multiplied and downloaded once, in order.
planned() {
    "$tool" explain "$@" | head -n 1 >"$folder/line"
    "$tool" explain --plan "$@" >"$folder/all" || fail "explain --plan $*: status $?"
    head -n 1 "$folder/all" | cmp -s - "$folder/line" || fail "explain --plan $*: another first line"
    sed 1d "$folder/all" >"$folder/plan"
    awk '
        function wrong(why) { print "line " NR ", " why ": " $0; is_wrong = 1 }
        function task(name) { return $1 == name || $1 " " $2 == name }
        # The word after the given one, after which the range that begins is "FIRST to END".
        function at(word,    i) { for (i = 1; i < NF; i++) if ($i == word) return i + 1; return 0 }
        NR == 1 {
            for (i = 2; i < NF; i++) {
                if ($i == "m") m = $(i + 1) + 0
                if ($i == "k") k = $(i + 1) + 0
                if ($i == "strips" || $i == "strip") { strips = $(i - 1); rows = $(i + 2); depth = $(i + 4) + 0 }
            }
            epilogue = /, epilogue,/
            region = $2
            if (!strips) wrong("no strips")
        }
        task("pack A") {
            if (packs != multiplies) wrong("a strip before is not multiplied")
            first = $(at("rows")); end = $(at("rows") + 2) + 0
            if (first != packs * rows || end != (first + rows < m ? first + rows : m)) wrong("not the next strip")
            if (!/the same as B/) wrong("B is not A")
            packs++
        }
        task("pack B") { wrong("A is packed for both") }
        task("multiply") || task("epilogue") || task("download") {
            r = at("rows"); c = at("columns"); each = depth / k
            ok = region == "lower" ? $r == first && $c == 0 : $r == 0 && $c == first * each
            if (!ok || $(r + 2) + 0 != end || $(c + 2) + 0 != end * each) wrong("not the strip")
        }
        task("multiply") { multiplies++ }
        task("epilogue") { epilogues++ }
        task("download") { downloads++; last = NR }
        task("write back") { if ($4 == 0) written = NR }
        END {
            if (packs != strips || multiplies != strips || downloads != strips) wrong(strips " strips in the first line")
            if (epilogues != (epilogue ? strips : 0)) wrong("the epilogues")
            if (end != m) wrong("rows are left")
            if (written < last) wrong("not all is written back")
            exit is_wrong
        }' "$folder/plan" || fail "explain --plan $*: $(cat "$folder/plan")"
}
# described TEXT ARGUMENT...: the line of --plan names the operation so, and the rest a wide matrix's turns.
described() {
    text=$1
    shift
    "$tool" explain --plan "$@" >"$folder/plan" || fail "explain --plan $*: status $?"
    grep -q "$text" "$folder/plan" || fail "explain --plan $*: no '$text': $(cat "$folder/plan")"
    turns=$(grep -c '^  turn ' "$folder/plan") || :
    case $text in
    *LQ*) [ "$turns" = 2 ] || fail "explain --plan $*: $turns turns" ;;
    *) [ "$turns" = 0 ] || fail "explain --plan $*: $turns turns" ;;
    esac
}
described 'QR and solve 3 sides TN m 700 n 600 k 600' dgels T 700 600 3
described 'LQ and solve 3 sides NN m 600 n 700 k 600' dgels N 600 700 3
described 'LQ and solve 3 sides TN m 600 n 700 k 600' cgels C 600 700 3

planned dsyrk L N 700 300
planned dsyrk U T 1000 200
planned ssyrk L T 90 50
planned zherk U C 500 300
planned cherk L N 777 111

# As JSON: the same answer.
LAVABLAS_MODE=gpu "$tool" explain --json dgemm N T 300 200 100 >"$folder/json" || fail "explain --json: status $?"
LAVABLAS_MODE=gpu "$tool" explain --plan dgemm N T 300 200 100 >"$folder/answer"
python3 - "$folder/json" "$folder/answer" <<'END' || fail "explain --json: $(cat "$folder/json")"
import json, sys
answer, (verdict, text) = json.load(open(sys.argv[1])), open(sys.argv[2]).readlines()[:2]
ratio = answer["cpu_ns"] / answer["gpu_ns"]
words = f"it is {ratio:.1f} times as fast" if ratio > 1 else f"it takes {1 / ratio:.1f} times as long"
assert verdict.startswith(f"GPU, because LAVABLAS_MODE is gpu: {words} as the CPU (estimated: {answer['gpu_ns'] / 1e6:.3f} ms instead of "), verdict
assert (answer["type"], answer["m"], answer["n"], answer["k"], answer["place"]) == ("fp64", 300, 200, 100, "gpu")
assert f"GPU ({answer['reason']})" in text and f"kernel {answer['kernel']}" in text and f"profile {answer['profile']}" in text
assert f"CPU {answer['cpu_ns'] / 1e6:.3f} ms, GPU {answer['gpu_ns'] / 1e6:.3f} ms" in text
assert answer["memory_bytes"] > 0 and answer["flops_per_s"] > 0 and not answer["is_measured"]
END

# A file of calls: each line's answer is that of --json. A batch is decided as one. A wrong line is told.
printf '%s\n' 'dgemm N T 300 200 100' '# a comment' '' 'ssyrk L N 300 200' >"$folder/calls"
for call in 'dgemm N T 300 200 100' 'ssyrk L N 300 200'; do
    # shellcheck disable=SC2086 # a word each
    LAVABLAS_MODE=gpu "$tool" explain --json $call
done >"$folder/answer"
LAVABLAS_MODE=gpu "$tool" explain --from "$folder/calls" >"$folder/json" || fail "explain --from: status $?"
cmp "$folder/answer" "$folder/json" || fail "explain --from: $(cat "$folder/json")"
echo 'sgemm_batch_strided N N 40 30 20 1000' | LAVABLAS_MODE=gpu "$tool" explain --from - >"$folder/json" || fail "batch: status $?"
grep -q '"place":"gpu"' "$folder/json" || fail "a batch: $(cat "$folder/json")"
for wrong in 'sgemm_batch_strided N N 40 30 20 0' 'dgemm N T 300'; do
    status=0
    echo "$wrong" | "$tool" explain --from - >"$folder/json" 2>&1 || status=$?
    [ $status = 2 ] || grep -q 'invalid' "$folder/json" || fail "explain --from, $wrong: status $status: $(cat "$folder/json")"
done

# A device of the profiles' table, which need not be there: an estimate, and said to be one.
profiled() { # profiled PROFILE VERDICT ARGUMENT...
    name=$1
    verdict=$2
    shift 2
    LAVABLAS_DEVICE='no such device' LAVABLAS_MODE='' "$tool" explain --profile "$name" "$@" >"$folder/answer" 2>&1 || fail "--profile: status $?"
    case $(head -n 1 "$folder/answer") in
    'An estimate for '*' GiB of memory: '$verdict) ;;
    *) fail "explain --profile $name $*: $(cat "$folder/answer")" ;;
    esac
}
profiled h200 'GPU: * times as fast as the CPU (estimated: * ms instead of * ms).' dgemm N N 8192 8192 8192
profiled h200 'GPU: * times as fast as the CPU (estimated: *).' zheevd V L 8192
profiled mali 'CPU: the GPU would take * times as long as the CPU, because the matrices must be copied to it and back (*).' sgemm N N 6000 6000 2
profiled h200 'CPU: the call is so small that no GPU would be faster.' dgemm N N 50 50 50
profiled h200 'CPU: a product with a vector reads each number once,*' dgemv N 8000 8000
profiled h200 'GPU: *' --stays A dgemv N 8000 8000
"$tool" explain --profile h200 --plan dgemm N N 3000 3000 3000 >"$folder/answer" || fail '--plan behind another option'
grep -q '^fp64 NN m 3000 n 3000 k 3000: GPU (the GPU is estimated to be faster), ' "$folder/answer" || fail "no plan: $(cat "$folder/answer")"
for name in nosuch N; do
    status=0
    "$tool" explain --profile "$name" dgemm N N 1 2 3 >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/output" ] && grep -qx '  NVIDIA H200' "$folder/errors" || fail "--profile $name: status $status"
done

# Without a device the CPU is the answer, and the status tells of it.
status=0
LAVABLAS_MODE=gpu LAVABLAS_DEVICE='no such device' "$tool" explain dgemm N N 300 300 300 >"$folder/answer" || status=$?
[ $status = 1 ] && grep -q '^CPU: there is no usable device (.*)\.$' "$folder/answer" || fail "no device: status $status"
grep -qF ' says what is missing; --profile ' "$folder/answer" || fail 'no device: no remedy'
exit $failed
