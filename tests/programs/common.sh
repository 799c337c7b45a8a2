# Sourced by the tests in this folder: a temporary folder, an environment without settings, and functions
# that read the file written by LAVABLAS_STATS.
# shellcheck shell=sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
PATH=$PATH:/usr/sbin:/sbin # for ldconfig, which is not in a user's on Debian
layer=${LAVABLAS_TEST_LAYER_PATH:-none} # which is not set from here on
# shellcheck disable=SC2046 # names are words
unset LD_PRELOAD LD_LIBRARY_PATH $(env | sed -n 's/^\(LAVABLAS_[A-Z_]*\)=.*/\1/p')
failed=0
# Runs every product on lavapipe, whatever its size.
# shellcheck disable=SC2034 # for who sources this
on_lavapipe='LAVABLAS_MODE=gpu LAVABLAS_DEVICE=cpu LAVABLAS_INIT=sync LAVABLAS_CACHE=0'
# The same, without its fp64. A short or small product stays on the CPU.
# shellcheck disable=SC2034 # as above
without_fp64="$on_lavapipe VK_LAYER_PATH=$layer VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test LAVABLAS_TEST_LAYER=without=shaderFloat64"

# shellcheck disable=SC2034 # as above
fail() {
    echo "FAILED: $*"
    failed=1
}

# calls FILE ROUTINE [PLACE [REASON]]: prints the number of calls; PLACE, REASON: patterns of awk.
calls() {
    awk -v routine="$2" -v place="${3:-.}" -v reason="${4:-.}" '
        $1 == "lavablas:" && $2 == routine && $3 ~ place {
            text = $0
            sub(/.* GFLOP: /, "", text)
            if (text ~ reason) sum += $4
        }
        END { print sum + 0 }' "$1"
}

# expect_calls FILE PLACE ROUTINE...: fails unless each was called and some of its calls were computed there.
expect_calls() {
    statistics=$1
    expected_place=$2
    shift 2
    for routine; do
        [ "$(calls "$statistics" "$routine" "$expected_place")" -gt 0 ] || fail "no call of $routine on: $expected_place"
    done
}

# skip_without_device FILE: ends the test if no lavapipe is installed.
skip_without_device() {
    ! grep -q 'no usable device' "$1" || {
        echo 'skipped: no lavapipe (Debian: mesa-vulkan-drivers)'
        exit 77
    }
}

# create_environment REQUIREMENTS FOLDER: returns 1 if that is not possible.
create_environment() {
    for creator in python3 /usr/bin/python3; do
        rm -rf "$2/new"
        ! { "$creator" -m venv --without-pip "$2/new" &&
            "$creator" -m pip --python "$2/new/bin/python3" install --quiet --disable-pip-version-check \
                --only-binary :all: --requirement "$1" &&
            cp "$1" "$2/new/requirements.txt" && rm -rf "$2/environment" && mv "$2/new" "$2/environment"; } >>"$folder/log" 2>&1 ||
            return 0
    done
    return 1
}

# make_environment REQUIREMENTS FOLDER: a virtual environment with PyPI's packages, which is kept in the folder. Sets $python. Ends
# the test if that is not possible. Of several tests that want it at the same time one makes it, and the others wait.
make_environment() {
    python=$2/environment/bin/python3
    mkdir -p "$2"
    exec 9>"$2/environment.lock"
    flock 9
    { cmp -s "$2/environment/requirements.txt" "$1" && "$python" -c ''; } || create_environment "$@" || {
        cat "$folder/log"
        echo 'skipped: no virtual environment with the wheels (needs pip and the network)'
        exit 77
    }
    exec 9>&-
}

# unpack_packages UNPACK FOLDER PACKAGE...: the packages of the system's release, with all that they depend on, which are kept in the
# folder; UNPACK is tools/newer-packages. Sets $root, and $links to a folder of those of their libraries that the system does not
# have: its own libc has to stay. Ends the test if that is not possible.
unpack_packages() {
    unpacker=$1
    kept=$2
    shift 2
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    "$unpacker" "$kept" "$release" "$@" >>"$folder/log" 2>&1 || {
        cat "$folder/log"
        echo "skipped: no packages $* of $release (needs apt and the network)"
        exit 77
    }
    root=$(readlink -f "$kept")/root
    links=$folder/libraries
    mkdir "$links"
    for file in "$root"/usr/lib/*/*.so.* "$root"/lib/*/*.so.*; do
        system=/usr/lib/$(basename "$(dirname "$file")")/$(basename "$file")
        [ -e "$system" ] || ln -sf "$file" "$links"
    done
}
