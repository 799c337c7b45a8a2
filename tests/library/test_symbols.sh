#!/bin/sh
# The library exports names of BLAS, LAPACK and lavablas_*, and one of libc, nothing else. Any other name could replace one of a
# program's. Its own names have the version in which they came, those of BLAS and LAPACK have none (lib/lavablas.map).
#
# Debian's file of symbols has each of them.
#
#   test_symbols.sh LIBRARY SYMBOLS      SYMBOLS: tools/debian/liblavablas0.symbols
set -eu
library=$1
symbols=$2
blas='cblas_shgemm cblas_gemm_f16f16f32 shgemm_ cblas_hgemm hgemm_ hgemm
    cblas_sbgemm cblas_gemm_bf16bf16f32 sbgemm_ cblas_bgemm bgemm_'
for routine in sgemm dgemm cgemm zgemm cgemm3m zgemm3m; do
    blas="$blas ${routine}_ $routine ${routine}_64_ ${routine}_64 scipy_${routine}_ scipy_${routine}_64_"
    blas="$blas cblas_$routine cblas_${routine}64_ cblas_${routine}_64 scipy_cblas_$routine scipy_cblas_${routine}64_"
done
for type in s d c z; do
    for routine in gemmt gemmtr syrk symm syr2k trmm trsm gemm_batch gemm_batch_strided syrk_batch syrk_batch_strided \
        trsm_batch trsm_batch_strided herk hemm her2k; do
        case $routine$type in he*s | he*d) continue ;; esac
        routine=$type$routine
        blas="$blas ${routine}_ $routine ${routine}_64_ ${routine}_64 scipy_${routine}_ scipy_${routine}_64_"
        blas="$blas cblas_$routine cblas_${routine}64_ cblas_${routine}_64 scipy_cblas_$routine scipy_cblas_${routine}64_"
    done
done
for routine in spotrf dpotrf cpotrf zpotrf sgetrf dgetrf cgetrf zgetrf spotrs dpotrs cpotrs zpotrs \
    sposv dposv cposv zposv sgetrs dgetrs cgetrs zgetrs sgesv dgesv cgesv zgesv \
    sgeqrf dgeqrf cgeqrf zgeqrf sorgqr dorgqr cungqr zungqr \
    sormqr dormqr cunmqr zunmqr sgels dgels cgels zgels \
    strtrs dtrtrs ctrtrs ztrtrs strtri dtrtri ctrtri ztrtri slauum dlauum clauum zlauum \
    spotri dpotri cpotri zpotri sgetri dgetri cgetri zgetri \
    ssytrd dsytrd chetrd zhetrd sgebrd dgebrd cgebrd zgebrd sorgbr dorgbr cungbr zungbr \
    sormbr dormbr cunmbr zunmbr ssyev dsyev cheev zheev ssyevd dsyevd cheevd zheevd \
    ssyevr dsyevr cheevr zheevr ssyevx dsyevx cheevx zheevx \
    ssygv dsygv chegv zhegv ssygvd dsygvd chegvd zhegvd ssygvx dsygvx chegvx zhegvx \
    sstedc dstedc cstedc zstedc sgeqp3 dgeqp3 cgeqp3 zgeqp3 \
    sgesdd dgesdd cgesdd zgesdd sgesvd dgesvd cgesvd zgesvd \
    sgelsd dgelsd cgelsd zgelsd sgelss dgelss cgelss zgelss; do # of LAPACK
    blas="$blas ${routine}_ $routine ${routine}_64_ ${routine}_64 scipy_${routine}_ scipy_${routine}_64_"
done
blas="$blas cblas_sbgemm_batch cblas_sbgemm_batch_strided"
for routine in scopy dcopy ccopy zcopy sgemv dgemv cgemv zgemv ssymv dsymv chemv zhemv \
    strmv dtrmv ctrmv ztrmv strsv dtrsv ctrsv ztrsv; do
    blas="$blas ${routine}_ ${routine}_64_ ${routine}_64 scipy_${routine}_ scipy_${routine}_64_"
    blas="$blas cblas_$routine cblas_${routine}64_ cblas_${routine}_64 scipy_cblas_$routine scipy_cblas_${routine}64_"
done
blas=$(echo $blas)
# A released name keeps its version for ever; a new one gets a line of a new version.
own='lavablas_hgemm@@LAVABLAS_1.0 lavablas_version@@LAVABLAS_1.0 lavablas_wait@@LAVABLAS_1.0
    lavablas_last_call@@LAVABLAS_1.0 lavablas_set_precision@@LAVABLAS_1.0 lavablas_precision@@LAVABLAS_1.0
    lavablas_state@@LAVABLAS_1.0 lavablas_wait_for@@LAVABLAS_1.0 lavablas_count_calls@@LAVABLAS_1.0
    lavablas_report@@LAVABLAS_1.0 lavablas_settings@@LAVABLAS_1.0'
own=$(echo $own)
# What is done when a program begins (lib/abi/loaded.c).
own="$own __libc_start_main"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v '^LAVABLAS_[0-9.]*$' | sort -u >"$folder/exported"
for name in $blas $own; do echo "$name"; done | sort -u >"$folder/expected"
failed=0
comm -23 "$folder/exported" "$folder/expected" |
    sed 's/^/exported, but neither a name of BLAS or LAPACK without a version nor one of lavablas_* with its own: /' >"$folder/wrong"
comm -13 "$folder/exported" "$folder/expected" | sed 's/^/not exported: /' >>"$folder/wrong"
[ ! -s "$folder/wrong" ] || { cat "$folder/wrong"; failed=1; }
# The patterns of names without a version are those of all; each has one.
sed -n 's/^ (regex)"\(.*\)@Base\$" .*/\1$/p' "$symbols" >"$folder/patterns"
sed -n 's/^ \([^(]*\)@Base .*/^\1$/p' "$symbols" >>"$folder/patterns"
[ "$(wc -l <"$folder/patterns")" -ge 8 ] || { echo "patterns of $symbols: not understood"; failed=1; }
grep -v '@@' "$folder/exported" | grep -v -E -f "$folder/patterns" | sed "s/^/not in Debian's file of symbols: /" >"$folder/wrong" || true
while read -r pattern; do
    grep -q -E -e "$pattern" "$folder/exported" || echo "Debian's file of symbols has in vain: $pattern" >>"$folder/wrong"
done <"$folder/patterns"
[ ! -s "$folder/wrong" ] || { cat "$folder/wrong"; failed=1; }
# A partial BLAS that needs libvulkan or a CPU BLAS by name would load it into every program.
needed=$(readelf -d "$library" | grep NEEDED) || needed=
case $needed in *libc.so*) ;; *) echo "not even libc is needed: $needed"; failed=1 ;; esac
if echo "$needed" | grep -E 'vulkan|blas'; then
    echo "loaded with the library: see above"
    failed=1
fi
exit $failed
