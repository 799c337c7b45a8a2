"""The tables of whole programs, plain and preloaded, for perf/tables.

What perf/programs/compare --json wrote is in perf/results/programs: one set of files DATE-MACHINE-N.json for each kind of machine,
as a call's time is limited. A set is one table. If a program is in several files, the last one counts.
"""
import json
import sys

from table_parts import ROOT, number, table

sys.path.append(str(ROOT / "perf/programs"))
import paired  # noqa: E402
import run_lines  # noqa: E402

FOLDER = ROOT / "perf/results/programs"
PRELOADED = ("third", "preloaded")  # which variant is judged: the first that there is
CONTROL = ("control", "again")  # the plain program once more; "again" in files before paired runs


def read_files(paths):
    """Returns the programs of all files by their languages. Measurements of different machines, versions or sizes are no set."""
    programs, same = {}, {}
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        facts = {**run_lines.facts_of(document), "repeats": document["repeats"]}
        for name, value in facts.items():
            if same.setdefault(name, value) != value:
                sys.exit(f"tables: {path.name}: {name} is {value}, and {same[name]} in a file before it")
        for record in document["programs"]:
            programs[record["language"], record["name"], record["sizes"]] = {**record, "device": document["machine"]["device"]}
    if not programs:
        sys.exit("tables: no programs")
    return sorted(programs.values(), key=lambda record: run_lines.LANGUAGES.index(record["language"]))


def remark_on(record):
    """Says if nothing reached the device, if there is one, or a result was wrong."""
    if not record["ok"]:
        return ": a wrong result"
    return ": nothing on the device" if record["device"] and not record["calls"]["gpu"] else ""


def label_of(record, labels):
    """Returns which of the labels the record has, or nothing."""
    return next((label for label in labels if label in record.get("median_seconds", {})), None)


def cells_of(record):
    """Program, plain, preloaded, speed-up, the same of the whole process, and the share of products."""
    name = f"{record['language']} {record['name']} {record['sizes']}"
    if "error" in record:
        return [name, "", "", "failed", "", ""]
    judged = label_of(record, PRELOADED)
    (plain, after), (whole, whole_after) = ((medians["plain"], medians[judged])
                                            for medians in (record["median_seconds"], record["median_process_seconds"]))
    return [name, number(plain, 3), number(after, 3), f"{plain / after:.2f}{remark_on(record)}", f"{number(whole, 2)}, {number(whole_after, 2)}",
            f"{100 * record['share']:.0f}%"]


def whole_table(records):
    """With a control a program ran plain twice as often: a column shows how far two medians of the same are apart."""
    heads, rows = ["program", "plain", "preloaded", "speed-up", "process, before and after", "in products"], [cells_of(r) for r in records]
    if all(label_of(record, CONTROL) for record in records):
        heads.insert(2, "plain again")
        for row, record in zip(rows, records):
            row.insert(2, number(record["median_seconds"][label_of(record, CONTROL)], 3))
    return table(heads, rows)


def two_a_line(cells):
    """Cells: program, plain, preloaded, gain."""
    half = (len(cells) + 1) // 2
    return table(["program", "plain", "preloaded", "gain"] * 2,
                 [cells[i] + (cells[i + half] if i + half < len(cells) else [""] * 4) for i in range(half)])


def brief_table(records):
    return two_a_line([[name, plain, preloaded, gain.partition(":")[0]] for name, plain, preloaded, gain, _, _ in map(cells_of, records)])


def interval_table(records):
    """Plain time over that of each variant, with the interval and what it says. Files of before paired runs have none."""
    records = [record for record in records if "estimates" in record]
    labels = list(dict.fromkeys(label for record in records for label in record["estimates"]["seconds"]))
    rows = [[f"{record['language']} {record['name']} {record['sizes']}{remark_on(record)}", number(1000 * record["median_seconds"]["plain"], 3),
             *(describe(record["estimates"]["seconds"].get(label)) for label in labels)] for record in records]
    return table(["program", "plain, ms", *labels], rows) if rows else []


def describe(found):
    return paired.describe(found and paired.Estimate(**found))


def print_files(paths):
    """Prints the tables of files that need not be in perf/results."""
    records = read_files(paths)
    print(*whole_table(records), "", *brief_table(records), *([""] + interval_table(records)), sep="\n")


def set_of(path):
    return path.stem.rpartition("-")[0]


def tables_of_sets():
    """Three for each set: that of the programs DATE-MACHINE for doc/benchmarks.md, in brief, and with intervals."""
    files, tables = {}, {}
    for path in sorted(FOLDER.glob("*-[0-9].json")):
        files.setdefault(set_of(path), []).append(path)
    for name, paths in files.items():
        tables[f"programs {name}"] = lambda paths=paths: whole_table(read_files(paths))
        tables[f"programs {name} with intervals"] = lambda paths=paths: interval_table(read_files(paths))
        tables[f"programs {name} in brief"] = lambda paths=paths: brief_table(read_files(paths))
    return tables


TABLES = tables_of_sets()
OPTIONAL = {name for name in TABLES if name.endswith((" in brief", " with intervals"))}
