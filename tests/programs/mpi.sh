#!/bin/sh
# HPL and ScaLAPACK's tester of the PBLAS under Open MPI, with the library preloaded into each rank: all tests of residuals pass, as
# they do without the library, and each rank's statistics show that lavapipe computed all its products and solves. The programs are
# packages of the system's release, which are unpacked into a folder.
#
#   mpi.sh LIBRARY UNPACK FOLDER hpl|hpl4|pblas|pblas4|ranks     UNPACK: tools/newer-packages; FOLDER: keeps the packages
#
# hpl and pblas have two ranks, hpl4 and pblas4 four. ranks is perf/ranks with one and four, in brief.
set -eu
library=$(readlink -f "$1")
unpack=$(readlink -f "$2")
packages=$3
program=$4
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
unpack_packages "$unpack" "$packages" openmpi-bin 'hpcc?' 'scalapack-mpi-test?'

# Open MPI finds its parts by these variables. Ranks share memory, and no other machine is asked.
libraries=$(dirname "$(echo "$root"/usr/lib/*/libmpi.so.40)")
export OPAL_PREFIX="$root/usr" OPAL_LIBDIR="$libraries/openmpi/lib" OPAL_PKGLIBDIR="$libraries/openmpi/lib/openmpi3" \
    OPAL_DATADIR="$root/usr/share" OPAL_PKGDATADIR="$root/usr/share/openmpi" OPAL_SYSCONFDIR="$root/etc/openmpi" \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 PMIX_MCA_pcompress_base_silence_warning=1
hpcc=$root/usr/bin/hpcc
pblas_tester=$libraries/scalapack/openmpi-tests/PBLAS/dpb3tst
export LD_LIBRARY_PATH="$links" OPENBLAS_NUM_THREADS=1

# Preloads the library into a rank, and nothing into mpirun.
cat >"$folder/rank" <<END
#!/bin/sh
exec env LD_PRELOAD='$library' LAVABLAS_STATS='$folder/stats.'\$OMPI_COMM_WORLD_RANK $on_lavapipe "\$@"
END
chmod +x "$folder/rank"

# run_ranks COUNT COMMAND...: leaves in "printed" what they print; fails if one does.
run_ranks() {
    ranks=$1
    shift
    (cd "$folder" && "$root/usr/bin/mpirun.openmpi" -n "$ranks" "$@" >printed 2>&1) || fail "$*: status $?"
}

# judge_ranks COUNT ROUTINE...: each rank called each, and had all of them computed on the device unless they were empty. A program
# calls Fortran's names or CBLAS's.
judge_ranks() {
    ranks=$1
    shift
    rank=0
    while [ "$rank" -lt "$ranks" ]; do
        statistics=$folder/stats.$rank
        [ -s "$statistics" ] || { fail "rank $rank: no call was intercepted"; return; }
        skip_without_device "$statistics"
        for routine; do
            on_device=0 others=0
            for name in "${routine}_" "cblas_$routine"; do
                on_device=$((on_device + $(calls "$statistics" "$name" gpu)))
                others=$((others + $(calls "$statistics" "$name" cpu) - $(calls "$statistics" "$name" cpu '^nothing to')))
            done
            echo "rank $rank of $ranks, $routine: $on_device calls on the device"
            [ "$on_device" -gt 0 ] && [ "$others" = 0 ] || fail "rank $rank, $routine: $others calls on the CPU"
        done
        rank=$((rank + 1))
    done
}

# write_hpl_input ROWS COLUMNS: of two grids of processes. Two depths of look-ahead, an order with a part of a block at its end.
write_hpl_input() {
    cat <<END
HPLinpack benchmark input file
LavaBLAS
HPL.out output file name
6       device out
1       # of problems sizes (N)
230     Ns
1       # of NBs
64      NBs
0       PMAP process mapping
2       # of process grids (P x Q)
$1     Ps
$2     Qs
16.0    threshold
1       # of panel fact
2       PFACTs
1       # of recursive stopping criterium
16      NBMINs
1       # of panels in recursion
2       NDIVs
1       # of recursive panel fact.
1       RFACTs
1       # of broadcast
1       BCASTs
2       # of lookahead depth
0 1     DEPTHs
2       SWAP
64      swapping threshold
0       L1 in transposed form
0       U in transposed form
1       Equilibration
8       memory alignment in double
END
}

# judge_hpl OUTPUT: all of HPL, and of HPCC's other benchmarks that check themselves.
judge_hpl() {
    grep -qE '^ +4 tests completed and passed residual checks,' "$1" && grep -q '^Success=1' "$1" &&
        [ "$(grep -c '^||Ax-b||.* PASSED' "$1")" = 4 ] && ! grep -E '(^|[^0-9])[1-9][0-9]* tests completed and failed|FAILED' "$1" || {
        cat "$folder/printed" "$1"
        fail 'HPL: not all tests passed'
    }
}

# worst_residual OUTPUT
worst_residual() { awk '/^\|\|Ax-b\|\|/ { value = $(NF - 2); if (value > worst) worst = value } END { print worst }' "$1"; }

# run_hpl RANKS ROWS COLUMNS: HPL allows 16. Its residuals are hundredths here, and the library's are at most a few times as large as those without it.
run_hpl() {
    write_hpl_input "$2" "$3" >"$folder/hpccinf.txt"
    for preloading in '' "$folder/rank"; do
        rm -f "$folder/hpccoutf.txt"
        run_ranks "$1" ${preloading:+"$preloading"} "$hpcc"
        judge_hpl "$folder/hpccoutf.txt"
        worst="${worst:+$worst }$(worst_residual "$folder/hpccoutf.txt")"
    done
    judge_ranks "$1" dgemm dtrsm
    echo "worst residuals, plain and preloaded: $worst"
    echo "$worst" | awk 'NF != 2 || $1 <= 0 || $2 <= 0 || $2 > 4 * $1 { exit 1 }' || fail "HPL: $worst"
}

# write_pblas_input GRIDS ROWS COLUMNS: four problems, beyond a tile, whose blocks and first elements differ.
write_pblas_input() {
    cat <<END
'Level 3 PBLAS, Testing input file'
'LavaBLAS'
'pblas.out' output file name
6 device out
F stop on failures
T test error exits
0 verbosity
10 leading dimension gap
16.0 threshold
32 logical computational blocksize
$1 process grids
$2
$3
2.0D0 ALPHA
3.0D0 BETA
4 problems
'N' 'U' 'N' 'U' DIAG
'L' 'R' 'L' 'R' SIDE
'N' 'T' 'N' 'T' TRANSA
'N' 'N' 'T' 'T' TRANSB
'U' 'L' 'L' 'U' UPLO
130 97 100 64 M
110 97 33 70 N
90 140 65 96 K
END
    for matrix in A B C; do # its sizes, its blocks' sizes, who has the first block, where the operand begins in it
        for values in '151 151 151 151 M' '151 151 151 151 N' '16 20 8 33 IMB' '16 20 8 33 INB' '16 20 8 33 MB' \
            '16 20 8 33 NB' '0 0 0 0 RSRC' '0 0 0 0 CSRC' '5 1 7 1 I' '5 1 7 1 J'; do
            echo "${values}_$matrix"
        done
    done
    for routine in GEMM SYMM SYRK SYR2K TRMM TRSM; do
        printf 'PD%-5s T\n' $routine
    done
    printf 'PDGEADD F\nPDTRADD F\n'
}

# judge_pblas OUTPUT TESTS: TESTS of each routine.
judge_pblas() {
    for routine in GEMM SYMM SYRK SYR2K TRMM TRSM; do
        grep -qE "^ *\| +PD$routine +$2 +$2 +0 +0 *\$" "$1" || fail "$routine: not all of $2 tests passed"
    done
    [ $failed = 0 ] || cat "$1"
}

# run_pblas RANKS GRIDS ROWS COLUMNS
run_pblas() {
    rm -f "$folder"/stats.*
    write_pblas_input "$2" "$3" "$4" >"$folder/PDBLAS3TST.dat"
    for preloading in '' "$folder/rank"; do
        run_ranks "$1" ${preloading:+"$preloading"} "$pblas_tester"
        judge_pblas "$folder/printed" $((4 * $2))
    done
    judge_ranks "$1" dgemm dtrsm
}

# run_ranks_script: every result is right, each rank names its device, and all products that count ran there. No HPL but HPCC's is in
# the packages, so that section says so.
run_ranks_script() {
    printed=$folder/printed
    here=$(cd "$(dirname "$0")" && pwd)
    RANKS_MPIRUN="$root/usr/bin/mpirun.openmpi --bind-to none" RANKS_DEVICE=cpu RANKS_NUMBERS='1 4' RANKS_HPL=/nonexistent/xhpl \
        RANKS_ORDERS=200 RANKS_PREPARE=0 RANKS_BLOCKS=32 RANKS_PLAIN_BLOCKS=32 RANKS_GEMM_BLOCKS=32 \
        RANKS_K_BLOCKS='32 64' RANKS_SECTIONS='hpl pdgemm pdgesv' \
        "$here/../../perf/ranks" "$(dirname "$library")/.." test >"$printed" 2>&1 && status=0 || status=$?
    if grep -q '^ranks: no device' "$printed"; then
        echo 'skipped: no lavapipe'
        exit 77
    fi
    [ $status = 0 ] || fail "perf/ranks: status $status"
    grep -q '^left out: there is no' "$printed" || fail 'perf/ranks: HPL is not left out'
    for routine in pdgemm pdgesv; do
        for ranks in 1 4; do
            for place in plain device; do
                grep -qE "^\| $routine \| 200 \| $ranks \| . x . \| 32 \| 32 \| $place \|.*\| ok \|" "$printed" ||
                    fail "perf/ranks: no line of $routine by $ranks, $place"
            done
        done
    done
    grep -q 'rank 3 on .*: device: llvmpipe .*number 0, UUID' "$printed" || fail 'perf/ranks: rank 3 names no device'
    grep -q '^all ranks: dgemm_ gpu' "$printed" && ! grep '^all ranks: dgemm_ cpu' "$printed" || fail 'perf/ranks: not all on the device'
    # pilaenv.so is preloaded for the second half: pdgemm makes fewer, larger products
    grep -A8 '4 device, k block' "$printed" | awk '/pdgemm/ && /[$]/ { asked = 1 } asked && /^all ranks: dgemm_ gpu/ { print $5; asked = 0 }' |
        awk '{ calls[NR] = $1 } END { exit !(NR == 2 && calls[2] < calls[1]) }' || fail 'perf/ranks: pilaenv_ changes nothing'
    [ $failed = 0 ] || cat "$printed"
}

# skip_without PROGRAM
skip_without() { [ -x "$1" ] || { echo "skipped: the release has no $1"; exit 77; }; }

case $program in
hpl)
    skip_without "$hpcc"
    run_hpl 2 '1 2' '2 1'
    ;;
hpl4)
    skip_without "$hpcc"
    run_hpl 4 '2 1' '2 4'
    ;;
pblas)
    skip_without "$pblas_tester"
    run_pblas 2 2 '1 2' '2 1'
    ;;
pblas4)
    skip_without "$pblas_tester"
    run_pblas 4 1 2 2
    ;;
ranks)
    run_ranks_script
    ;;
esac
exit $failed
