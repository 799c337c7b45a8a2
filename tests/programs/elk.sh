#!/bin/sh
# elk, an electronic structure program whose eigenvalue problems have two matrices: silicon, which has inversion symmetry and calls
# dsygvx, and boron arsenide, which calls zhegvx. Each step's energy is that of a run without the library to within 1e-6,
# and the statistics show that lavapipe computed. The package is unpacked into a folder.
#
#   elk.sh LIBRARY UNPACK FOLDER     UNPACK: tools/newer-packages; FOLDER: keeps the packages
set -eu
library=$(readlink -f "$1")
unpack=$(readlink -f "$2")
packages=$3
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"
unpack_packages "$unpack" "$packages" elk-lapw

libraries=$(dirname "$(echo "$root"/usr/lib/*/libmpi.so.40)")
export OPAL_PREFIX="$root/usr" OPAL_LIBDIR="$libraries/openmpi/lib" OPAL_PKGLIBDIR="$libraries/openmpi/lib/openmpi3" \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self \
    PMIX_MCA_pcompress_base_silence_warning=1 LD_LIBRARY_PATH="$links" OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# The energies are some 600 and 2300. OpenBLAS's kernels differ among themselves by up to 6e-8, and in a single step by 2.5e-7: those for
# Barcelona and Dunnington as lavapipe does.
bound=1e-6

# write_input ATOMS: two atoms in a cell as diamond's, one k-point beside gamma. A block ends with an empty line.
write_input() {
    cat <<END
tasks
  0

rgkmax
  5.5

ngridk
  2 1 1

avec
  0.0 5.2 5.2
  5.2 0.0 5.2
  5.2 5.2 0.0

sppath
  '$root/usr/share/elk-lapw/species/'

atoms
$1

END
}

# run_elk NAME [VARIABLE=VALUE...]: leaves the energies in NAME/TOTENERGY.OUT.
run_elk() {
    where=$folder/$1
    shift
    mkdir -p "$where"
    cp "$folder/elk.in" "$where"
    (cd "$where" && env "$@" "$root/usr/bin/elk-lapw" >printed 2>&1) || { cat "$where/printed"; fail "elk $*: status $?"; }
    [ -s "$where/TOTENERGY.OUT" ] || { cat "$where/printed"; fail "elk $*: no energies"; }
}

# compare ATOMS ROUTINE...
compare() {
    what=$1
    shift
    run_elk "plain $what"
    # shellcheck disable=SC2086 # settings are words
    run_elk "device $what" LD_PRELOAD="$library" LAVABLAS_STATS="$folder/stats" $on_lavapipe
    [ -s "$folder/stats" ] || { fail "$what: no call came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    paste "$folder/plain $what/TOTENERGY.OUT" "$folder/device $what/TOTENERGY.OUT" | awk -v bound=$bound -v what="$what" '
        NF != 2 { bad = 1 }
        { differs = $1 > $2 ? $1 - $2 : $2 - $1; most = differs > most ? differs : most }
        END { print what ": " NR " steps, energies differ by up to " most; exit bad || !NR || most > bound }' || fail "$what: energies"
    expect_calls "$folder/stats" gpu "$@"
    rm "$folder/stats"
}

write_input "  1
  'Si.in'
  2
  0.0 0.0 0.0  0.0 0.0 0.0
  0.25 0.25 0.25  0.0 0.0 0.0" >"$folder/elk.in"
compare silicon dsygvx_ dgemm_
write_input "  2
  'B.in'
  1
  0.0 0.0 0.0  0.0 0.0 0.0
  'As.in'
  1
  0.25 0.25 0.25  0.0 0.0 0.0" >"$folder/elk.in"
compare 'boron arsenide' zhegvx_ zgemm_
exit $failed
