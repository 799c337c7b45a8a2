#!/bin/sh
# `lavablas bench --png` on lavapipe: the file is a PNG of its size that shows lines of two colours, drawn by gnuplot without the
# user's settings. Names of files are never commands. Without gnuplot, with one that is too old or fails, and if the file cannot
# be written, it says so.
#
#   test_picture.sh LAVABLAS LIBRARY
set -eu
tool=$(readlink -f "$1")
library=$(readlink -f "$2")
# shellcheck source=tests/programs/common.sh
. "$(dirname "$0")/../programs/common.sh"
command -v gnuplot >/dev/null || {
    echo 'skipped: no gnuplot (Debian: gnuplot-nox)'
    exit 77
}
export LAVABLAS_DEVICE=cpu LAVABLAS_MODE=gpu LAVABLAS_CACHE=0
"$tool" device >"$folder/device" || { cat "$folder/device"; echo 'skipped: no lavapipe'; exit 77; }

bench() { # bench STATUS FILE ARGUMENT...
    expected=$1 file=$2 status=0
    shift 2
    "$tool" bench --seconds 0.01 --warmup 0 --routine dgemm_ --png "$file" "$@" >"$folder/output" 2>"$folder/errors" || status=$?
    [ $status = "$expected" ] || fail "$*: status $status: $(cat "$folder/output" "$folder/errors")"
}

says() { # says WORDS: in the errors
    grep -qF -e "$1" "$folder/errors" || fail "not said: $1: $(cat "$folder/errors")"
}

# Pixels of an 8-bit PNG, for which no library is needed.
cat >"$folder/judge.py" <<'PYTHON'
import collections
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
place, packed, palette, header = 8, b"", [], None
while place < len(data):
    length, kind = struct.unpack(">I4s", data[place:place + 8])
    body = data[place + 8:place + 8 + length]
    assert struct.unpack(">I", data[place + 8 + length:place + 12 + length])[0] == zlib.crc32(kind + body)
    place += 12 + length
    header = struct.unpack(">IIBBBBB", body) if kind == b"IHDR" else header
    palette = [tuple(body[i:i + 3]) for i in range(0, length, 3)] if kind == b"PLTE" else palette
    packed += body if kind == b"IDAT" else b""
assert kind == b"IEND"
width, height, depth, colour, _, _, interlaced = header
assert (width, height, depth, interlaced) == (900, 540, 8, 0), header
each = {2: 3, 3: 1, 6: 4}[colour]
rows, before, found = zlib.decompress(packed), bytearray(width * each), collections.Counter()
for y in range(height):
    way, row = rows[y * (width * each + 1)], bytearray(rows[y * (width * each + 1) + 1:(y + 1) * (width * each + 1)])
    for x in range(len(row)):
        a, b, c = row[x - each] if x >= each else 0, before[x], before[x - each] if x >= each else 0
        nearest = min((a, b, c), key=lambda value: abs(a + b - c - value))
        row[x] = (row[x] + (0, a, b, (a + b) // 2, nearest)[way]) % 256
    found.update(palette[row[x]] if palette else tuple(row[x:x + 3]) for x in range(0, len(row), each))
    before = row
assert found[(255, 255, 255)] < width * height, "blank"
for wanted in sys.argv[2:]:
    assert found[tuple(bytes.fromhex(wanted))] > 50, (wanted, found.most_common(8))
print(len(data), "bytes,", len(found), "colours")
PYTHON

# Both sides, a name of a file that a shell or gnuplot would run, and settings that would spoil the picture.
mkdir "$folder/home"
echo 'exit status 3' >"$folder/home/.gnuplot"
export HOME="$folder/home"
bench 0 "$folder/rates.png" --sizes 64,32,48x32x16
python3 "$folder/judge.py" "$folder/rates.png" d95f02 636363 || fail 'the picture: see above'
[ ! -s "$folder/errors" ] || fail "gnuplot said: $(cat "$folder/errors")"
export LAVABLAS_MODE=cpu # the rest needs no kernel
cd "$folder"
odd="| touch run; '\`touch run\`\$(touch run)"
bench 0 "$odd" --sizes 32
python3 judge.py "$odd" d95f02 || fail 'the oddly named picture: see above'
copy="it's' ; system('touch run') #\`touch run\`.so"
cp "$library" "$copy"
bench 0 two.png --library "./$copy" --library "$library" --sizes 32,64
python3 judge.py two.png d95f02 636363 || fail 'the picture of an oddly named library: see above'
[ ! -e run ] || fail 'a name was run'

# What is missing is told before anything is timed.
bench 1 "$folder/nosuch/rates.png" --sizes 32
says "$folder/nosuch/rates.png cannot be written: "
[ ! -s "$folder/output" ] || fail 'it was timed although the file cannot be written'
mkdir "$folder/bin"
path=$PATH
PATH="$folder/bin" bench 1 "$folder/rates.png" --sizes 32
says '--png needs gnuplot 5.2 or later (Debian: gnuplot-nox), which is not installed'
python3 judge.py rates.png d95f02 || fail 'the picture of before is gone'
gnuplot_is() { # gnuplot_is COMMAND: instead of drawing
    printf '#!/bin/sh\n[ "$1" = --version ] && { echo "gnuplot %s patchlevel 0"; exit 0; }\n%s\n' "$1" "$2" >"$folder/bin/gnuplot"
    chmod +x "$folder/bin/gnuplot"
}
gnuplot_is 5.0 'exit 0'
PATH="$folder/bin:$path" bench 1 "$folder/rates.png" --sizes 32
says 'needs gnuplot 5.2 or later (Debian: gnuplot-nox); this is 5.0'
for way in 'exit 1' 'cat >/dev/null; exit 1'; do
    gnuplot_is 6.0 "$way"
    PATH="$folder/bin:$path" bench 1 "$folder/rates.png" --sizes 32
    says "gnuplot could not draw $folder/rates.png"
    grep -q '^32x32x32' "$folder/output" || fail "no table: $(cat "$folder/output")"
done
exit $failed
