#!/bin/sh
# The wheel's Python module with NumPy's and SciPy's wheels, without building the wheel: its files, the library and the command in one
# folder. IPython comes from PyPI, too; without it its part is left out. Its types are checked if mypy is there.
#
#   python_module.sh LIBRARY LAVABLAS SOURCES FOLDER      LAVABLAS: the command; SOURCES: tools/python; FOLDER: as in python.sh
set -eu
library=$(readlink -f "$1")
command=$(readlink -f "$2")
sources=$(readlink -f "$3")
kept=$(readlink -f "$4")
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/programs/common.sh
. "$here/common.sh"

make_environment "$here/wheels.txt" "$kept"
mkdir "$folder/path"
cp -r "$sources" "$folder/path/lavablas"
ln -s "$library" "$folder/path/lavablas/liblavablas.so.0"
ln -s "$command" "$folder/path/lavablas/lavablas"
export PYTHONPATH="$folder/path" PYTHONDONTWRITEBYTECODE=1 LAVABLAS_CACHE=0 OPENBLAS_NUM_THREADS=1 FOLDER="$folder"

run() { # run PART VARIABLE=VALUE...
    part=$1
    shift
    env "$@" "$python" "$here/python_module.py" "$part" || fail "$part: status $?"
}

preloaded=LD_PRELOAD=$folder/path/lavablas/liblavablas.so.0
# The options of `run` that have a value are known to the module, which puts the interpreter before the script.
"$command" run --help | sed -n 's/^  \(--[a-z-]*\) [a-zA-Z].*/\1/p' | sort >"$folder/valued"
"$python" -c 'from lavablas.__main__ import VALUED; print("\n".join(sorted(VALUED)))' | diff - "$folder/valued" ||
    fail 'VALUED of tools/python/__main__.py does not have the options of lavablas run'
run unloaded PYTHONWARNINGS=error
# shellcheck disable=SC2086 # settings are words
LAVABLAS_STATS=$folder/stats env "$preloaded" $on_lavapipe "$python" -c 'import numpy; a = numpy.ones((200, 200)); a @ a'
skip_without_device "$folder/stats"
run info "$preloaded" LAVABLAS_DEVICE=cpu
# shellcheck disable=SC2086 # settings are words
run gpu "$preloaded" $on_lavapipe PYTHONWARNINGS=error
run cpu "$preloaded" LAVABLAS_MODE=cpu
run report "$preloaded" LAVABLAS_MODE=cpu
run jupyter JUPYTER_DATA_DIR="$folder"
if [ ! -d "$kept/ipython" ]; then
    "$python" -m pip --version >/dev/null 2>&1 && pip="$python -m pip" || pip='python3 -m pip'
    # shellcheck disable=SC2086 # a command
    $pip --python "$python" install --quiet --disable-pip-version-check --only-binary :all: --target "$kept/ipython.new" \
        --requirement "$here/ipython.txt" >"$folder/log" 2>&1 && mv "$kept/ipython.new" "$kept/ipython" || rm -rf "$kept/ipython.new"
fi
if [ -d "$kept/ipython" ]; then
    export IPYTHONDIR="$folder/ipython"
    PYTHONPATH=$PYTHONPATH:$kept/ipython
    # shellcheck disable=SC2086 # settings are words
    run magic "$preloaded" $on_lavapipe
    run magic
else
    echo 'not tested: IPython (needs pip and the network)'
fi
if "$python" -m mypy --version >/dev/null 2>&1; then
    "$python" -m mypy --strict "$folder/path/lavablas" || fail 'types'
fi
exit $failed
