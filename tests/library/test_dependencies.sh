#!/bin/sh
# OpenBLAS's development files are told from another BLAS's, which have a cblas.h too: tools/install-deps reports them as missing
# without openblas.pc. tools/configure-build configures again when they have come after the build was configured, and when a newer
# glslc has; else not. A new folder has Debian's folder for libraries. Meson is a stub here.
#
#   test_dependencies.sh SOURCE_FOLDER
set -u
tools=$1/tools
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
command -v pkg-config >/dev/null || { echo 'skipped: no pkg-config'; exit 77; }
failed=0
fail() { echo "FAILED: $*"; failed=1; }

unset PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR="$folder/pkgconfig" LAVABLAS_DEPS="$folder/deps"
build=$folder/build
mkdir -p "$PKG_CONFIG_LIBDIR" "$LAVABLAS_DEPS/glslc" "$folder/bin" "$build/meson-private"
printf '#!/bin/sh\necho "meson $*" >>"%s"\n' "$folder/calls" >"$folder/bin/meson"
chmod +x "$folder/bin/meson"

expect_missing() { # expect_missing yes|no
    "$tools/install-deps" --check build >"$folder/output" 2>&1
    if grep -qw 'libopenblas-dev' "$folder/output"; then found=yes; else found=no; fi
    [ $found = "$1" ] || fail "libopenblas-dev missing: $found, $1 expected: $(cat "$folder/output")"
}

expect_call() { # expect_call WHEN CALL: what configure-build calls of Meson, perhaps nothing
    rm -f "$folder/calls"
    PATH=$folder/bin:$PATH "$tools/configure-build" "$build" -Done || fail "$1: status $?"
    called=$(cat "$folder/calls" 2>/dev/null)
    [ "$called" = "$2" ] || fail "$1: called '$called', not '$2'"
}

again="meson setup --reconfigure $build -Ddeps=$LAVABLAS_DEPS"
# Meson sets the folder where dpkg-architecture is, and configure-build where gcc alone knows it.
printf '#!/bin/sh\necho x86_64-linux-gnu\n' >"$folder/bin/gcc"
chmod +x "$folder/bin/gcc"
if command -v dpkg-architecture >/dev/null; then libdir=; else libdir=--libdir=lib/x86_64-linux-gnu; fi
expect_missing yes
expect_call 'a new folder' "meson setup $build -Ddeps=$LAVABLAS_DEPS${libdir:+ $libdir} -Done"
: >"$build/build.ninja"
printf 'Name: LavaBLAS\nVersion: 1\nDescription: d\nLibs: -llavablas\n' >"$build/meson-private/lavablas.pc"
expect_call 'no OpenBLAS, then and now' ''
printf 'Name: openblas\nVersion: 1\nDescription: d\nLibs: -lopenblas\n' >"$PKG_CONFIG_LIBDIR/openblas.pc"
expect_missing no
expect_call 'OpenBLAS has come' "$again"
echo 'Requires: openblas' >>"$build/meson-private/lavablas.pc"
expect_call 'OpenBLAS was there' ''
touch -d '2000-01-01' "$build/build.ninja"
: >"$LAVABLAS_DEPS/glslc/packages"
expect_call 'a newer glslc has come' "$again"
exit $failed
