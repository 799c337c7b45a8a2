#!/usr/bin/env python3
"""The walks of doc/contributing.md lead through files that exist and names that stand in them, and the tables that they
tell of have the form that is described there.

    test_contributing.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

LEAST_ROWS = 30  # of the walks, so that a change of the page's form is noticed

KERNEL_ROW = r'\{"(?P<name>\w+)",\s+LAVA_TYPE_(?P<type>\w+),\s+LAVA_SCHEME_(?P<scheme>\w+),\s+LAVA_MODULE_\w+,' \
             r'\s*(?P<m>\d+),\s*(?P<n>\d+),\s*\d+,\s*\d+,\s*\d+,\s*\d,\s*(?:NULL|"\w+")\},'
PROFILE_ROW = r'\{"(\w+)",\s+[\d.e]+,\s*\d+,\s*[\d.]+,\s*\d+,\s*(?:LINEAR|GROUPED|HILBERT),\s*(?:PER_TILE|PERSISTENT)\},'
ROUTINE_ROW = r"(?:LAVA_FORMS_\w+\(\s*|LAVA_IN_\w+_TYPES\(LAVA_FORMS_\w+, )X,\s*(\w+),\s*(\w+)(?:,\s*\w+,\s*\w+,\s*\w+)?\s*\)"
TYPE_ROW = r'\[(LAVA_TYPE_\w+)\]\s*=\s*\{"\w+",\s*\d+,\s*(?:true|false),\s*(?:true|false),'
MODULE_ROW = r"\['(\w+)',\s*'(\w+)',\s*\[[^]]*\],\s*(?:'[\w ]+'|[a-z_ +]+)\],"
failed = 0


def fail(text):
    global failed
    failed = 1
    print(f"FAILED: {text}")


def walks(page):
    """Returns the rows of the walks: file, names."""
    rows = re.findall(r"^\| `([^`]+)` \|([^|]*)\| [^|]* \|$", page, re.M)
    return [(file, re.findall(r"`([^`]+)`", names)) for file, names in rows]


def check_walks(root, page):
    rows = walks(page)
    if len(rows) < LEAST_ROWS:
        fail(f"only {len(rows)} rows of walks were found")
    for file, names in rows:
        path = root / file
        if not path.is_file():
            fail(f"there is no {file}")
            continue
        text = path.read_text(encoding="utf-8")
        for name in names:
            if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                fail(f"{file} has no {name}")


def check_mentions(root, page):
    """Files that are named in the text, also in the last column."""
    for name in re.findall(r"`((?:dispatch|doc|include|lib|perf|shaders|tests|tools)/[\w./-]+)`", page):
        if not (root / name).exists():
            fail(f"there is no {name}")


def section(text, begin, end):
    """Returns what stands between two lines; fails if one is missing."""
    at = text.find(begin)
    to = text.find(end, at + 1)
    if at < 0 or to < 0:
        fail(f"no table from {begin!r} to {end!r}")
        return ""
    return text[at + len(begin):to]


def rows_of(what, text, pattern, begins, least):
    """Returns the rows; each line that begins a row has to be one."""
    rows = list(re.finditer(pattern, text))
    begun = len(re.findall(begins, text, re.M))
    if len(rows) != begun or begun < least:
        fail(f"{what}: {begun} rows (at least {least} expected), {len(rows)} of them of the form described")
    return rows


def check_kernels(root):
    text = (root / "dispatch/kernels.c").read_text(encoding="utf-8")
    table = section(text, "static const struct lava_kernel table[] = {", "\n};")
    rows = rows_of("kernels", table, KERNEL_ROW, r'^\s*\{"', 20)
    for row in rows:
        first = row["type"] if row["scheme"] == "NONE" else row["scheme"]
        name = rf"{first.lower()}_(?:\w+_)?{row['m']}x{row['n']}(?:_\w+)?"
        if not re.fullmatch(name, row["name"]):
            fail(f"kernels: {row['name']} is not named by its type or scheme, and its tile")
    return {row["name"] for row in rows}


def check_profiles(root, kernels):
    text = (root / "dispatch/profiles.c").read_text(encoding="utf-8")
    table = section(text, "static const struct lava_profile table[] = {", "\n};")
    for row in rows_of("profiles", table, PROFILE_ROW, r'^\s*\{"', 50):
        if row[1] not in kernels:
            fail(f"profiles: no kernel {row[1]}")
    labels = re.findall(r"\.label = ", table)
    for member in (".multiprocessors", ".upload_bytes_per_s", ".download_bytes_per_s", ".memory_bytes_per_s", ".call_latency_ns"):
        if table.count(f"{member} = ") != len(labels):
            fail(f"profiles: {member} is not in each of the {len(labels)}")


def check_routines(root):
    text = (root / "lib/base/routines.h").read_text(encoding="utf-8")
    rows = rows_of("routines", text, ROUTINE_ROW, r"LAVA_(?:FORMS_\w+\(\s*|IN_\w+_TYPES\(LAVA_FORMS_\w+, )X, +[A-Z]", 40)
    families = set(re.findall(r"^    LAVA_FAMILY_(\w+)", section(text, "enum lava_family {", "};"), re.M))
    if {row[1] for row in rows} != families:
        fail(f"routines: families of the lists and of the enum differ: {sorted({row[1] for row in rows} ^ families)}")
    listed = section(text, "#define LAVA_ROUTINES(X)", "\n\n")
    for name in re.findall(r"#define (LAVA_\w+_ROUTINES)\(X\)", text):
        if name not in ("LAVA_COPY_ROUTINES", "LAVA_OTHER_ROUTINES") and name not in listed:
            fail(f"routines: LAVA_ROUTINES does not have {name}")


def check_types(root):
    header = (root / "dispatch/types.h").read_text(encoding="utf-8")
    text = (root / "dispatch/types.c").read_text(encoding="utf-8")
    rows = {row[1] for row in rows_of("types", text, TYPE_ROW, r"^    \[LAVA_TYPE_", 6)}
    names = re.findall(r"^    (LAVA_TYPE_\w+)", section(header, "enum lava_type {", "};"), re.M)
    if rows != {name for name in names if not name.endswith("_COUNT")}:
        fail(f"types: the table has {sorted(rows)}")


def check_modules(root):
    text = (root / "shaders/meson.build").read_text(encoding="utf-8")
    for row in rows_of("modules", text, MODULE_ROW, r"^  \['\w", 60):
        if not (root / "shaders" / f"{row[1]}.comp").is_file():
            fail(f"modules: there is no shaders/{row[1]}.comp")


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "doc/contributing.md").read_text(encoding="utf-8")
    check_walks(root, page)
    check_mentions(root, page)
    check_profiles(root, check_kernels(root))
    check_routines(root)
    check_types(root)
    check_modules(root)
    sys.exit(failed)


main()
