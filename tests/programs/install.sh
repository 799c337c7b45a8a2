#!/bin/sh
# Installs into a folder and then uses only what is installed there. Every file is where it should be. A program that uses all of BLAS is
# compiled as README.md says, with only the options that pkg-config gives, and by CMake if that is installed; so is a small one in C++ and in
# Fortran if there is a compiler. A program that is linked with
# libblas.so.3 gets the replacement. Both must be right, and their products must have been computed on
# lavapipe.
#
#   install.sh BUILD_FOLDER LIBDIR PROGRAM_SOURCE PROGRAM ROUTINE...    PROGRAM: linked with libblas.so.3
set -eu
build=$1
libdir=$2
source=$(readlink -f "$3")
program=$(readlink -f "$4")
shift 4
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/common.sh"

for tool in meson pkg-config cc; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
meson install -C "$build" --no-rebuild --quiet --destdir "$folder/root" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
libraries=$folder/root$libdir
prefix=$folder/root${libdir%/lib*}
for file in bin/lavablas include/lavablas.h include/lavablas_cblas.h include/lavablas_batch.h include/lavablas_level2.h include/lavablas_cblas64.h \
    include/lavablas_lapack.h include/lavablas_lapack64.h share/man/man1/lavablas.1 share/bash-completion/completions/lavablas; do
    [ -s "$prefix/$file" ] || fail "not installed: $file"
done
for file in liblavablas.so liblavablas.so.0 pkgconfig/lavablas.pc cmake/lavablas/lavablas-config.cmake \
    cmake/lavablas/lavablas-config-version.cmake lavablas/libblas.so.3 lavablas/libcblas.so.3 lavablas/liblapack.so.3; do
    [ -s "$libraries/$file" ] || fail "not installed: $libdir/$file"
done
# Nothing of the build's own: no static library, no test.
others=$(find "$folder/root" -name '*.a' -o -name 'test_*')
[ -z "$others" ] || fail "installed, and should not be: $others"
"$prefix/bin/lavablas" info >"$folder/info" 2>&1 || :
grep -q "$libraries/liblavablas.so.0" "$folder/info" || fail "the command does not find its library: $(head -n 1 "$folder/info")"

run_program() { # run_program WHAT FOLDERS PROGRAM ROUTINE...
    what=$1
    folders=$2
    run=$3
    shift 3
    rm -f "$folder/stats"
    # shellcheck disable=SC2086 # settings are words
    env LD_LIBRARY_PATH="$folders" $on_lavapipe LAVABLAS_STATS="$folder/stats" "$run" || fail "$what: status $?"
    [ -s "$folder/stats" ] || { fail "$what: no product came to LavaBLAS"; return; }
    skip_without_device "$folder/stats"
    expect_calls "$folder/stats" gpu "$@"
}

# The folder differs from the one that the library was configured for.
mkdir "$folder/pkgconfig"
sed "s,^prefix=,&$folder/root," "$libraries/pkgconfig/lavablas.pc" >"$folder/pkgconfig/lavablas.pc"
export PKG_CONFIG_PATH="$folder/pkgconfig:${PKG_CONFIG_PATH-}"
# shellcheck disable=SC2046 # options are words
cc "$source" -o "$folder/program" $(pkg-config --cflags --libs lavablas) || fail 'it does not compile'
[ $failed = 1 ] || run_program 'pkg-config' "$libraries" "$folder/program" "$@"

cat >"$folder/program.cpp" <<'EOF'
#include <lavablas_cblas.h>
#include <vector>
int main() {
    const int n = 96;
    std::vector<float> a(n * n, 1), c(n * n, -1);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a.data(), n, a.data(), n, 0, c.data(), n);
    for (float sum : c)
        if (sum != n)
            return 1;
    return 0;
}
EOF
cat >"$folder/program.f90" <<'EOF'
program user
    integer, parameter :: n = 96
    real :: a(n, n), c(n, n)
    a = 1
    c = -1
    call sgemm('N', 'T', n, n, n, 1.0, a, n, a, n, 0.0, c, n)
    if (any(c /= n)) stop 1
end program
EOF
# shellcheck disable=SC2046 # options are words
if command -v c++ >/dev/null; then
    c++ "$folder/program.cpp" -o "$folder/program_cpp" $(pkg-config --cflags --libs lavablas) || fail 'C++ does not compile'
    [ $failed = 1 ] || run_program 'C++' "$libraries" "$folder/program_cpp" cblas_sgemm
else
    echo 'not tested: C++ (no c++)'
fi
# shellcheck disable=SC2046
if command -v gfortran >/dev/null; then
    gfortran "$folder/program.f90" -o "$folder/program_f90" $(pkg-config --libs lavablas) || fail 'Fortran does not compile'
    [ $failed = 1 ] || run_program 'Fortran' "$libraries" "$folder/program_f90" sgemm_
else
    echo 'not tested: Fortran (no gfortran)'
fi
if command -v cmake >/dev/null; then
    mkdir "$folder/cmake"
    cat >"$folder/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(lavablas 1.0 REQUIRED)
add_executable(program "$source")
target_link_libraries(program PRIVATE LavaBLAS::lavablas)
EOF
    cmake -S "$folder/cmake" -B "$folder/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" 2>&1 &&
        cmake --build "$folder/cmake/build" >>"$folder/log" 2>&1 || { cat "$folder/log"; fail 'CMake does not build it'; }
    [ $failed = 1 ] || run_program 'CMake' "$libraries" "$folder/cmake/build/program" "$@"
    # A release of another first number is not taken.
    sed -i 's/lavablas 1.0/lavablas 2.0/' "$folder/cmake/CMakeLists.txt"
    ! cmake -S "$folder/cmake" -B "$folder/cmake/later" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 || fail 'CMake took 1.0 for 2.0'
    # A project that does not know LavaBLAS, in both ways of doc/use.md.
    cat >"$folder/cmake/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(BLAS REQUIRED)
find_package(LAPACK REQUIRED)
add_executable(program "$source")
target_include_directories(program PRIVATE "$prefix/include" $(pkg-config --cflags-only-I openblas | sed 's/-I//g'))
target_link_libraries(program PRIVATE \${LAPACK_LIBRARIES} \${BLAS_LIBRARIES})
EOF
    build_unchanged() { # build_unchanged NAME OPTION...
        name=$1
        shift
        cmake -S "$folder/cmake" -B "$folder/cmake/$name" "$@" >"$folder/log" 2>&1 &&
            cmake --build "$folder/cmake/$name" >>"$folder/log" 2>&1 || { cat "$folder/log"; fail "CMake, $name: it is not built"; }
    }
    openblas=$(pkg-config --variable=libdir openblas)/libopenblas.so
    build_unchanged libraries -DBLAS_LIBRARIES="$libraries/liblavablas.so;$openblas"
    build_unchanged pkgconfig -DBLA_PREFER_PKGCONFIG=ON -DBLA_PKGCONFIG_BLAS=lavablas -DBLA_PKGCONFIG_LAPACK=lavablas
    [ $failed = 1 ] || run_program 'CMake, BLAS_LIBRARIES' "$libraries" "$folder/cmake/libraries/program" "$@"
    [ $failed = 1 ] || run_program 'CMake, pkg-config' "$libraries" "$folder/cmake/pkgconfig/program" "$@"
else
    echo 'not tested: the CMake package (no cmake)'
fi
# ldconfig finds the library once its folder is among those that it looks through, as /usr/local/lib is.
echo "$libraries" >"$folder/folders"
if (PATH=$PATH:/sbin:/usr/sbin && ldconfig -X -C "$folder/cache" -f "$folder/folders" && ldconfig -p -C "$folder/cache") >"$folder/log" 2>&1; then
    grep -q "liblavablas.so.0 .*$libraries/" "$folder/log" || fail 'ldconfig does not find the library'
else
    echo 'not tested: ldconfig'
fi
[ $failed = 1 ] || run_program 'replacement' "$libraries/lavablas" "$program" "$@"
exit $failed
