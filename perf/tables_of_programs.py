"""The tables of whole programs, plain and preloaded, for perf/tables.

What perf/programs/compare --json wrote is in perf/results/programs: one set of files DATE-MACHINE-N.json for each kind of machine,
as a call's time is limited. A set is one table. Where a program is in several files, the last one counts.
"""
import json
import sys

from table_parts import ROOT, measurements, number, table

LATER, DAY, BEFORE = "2026-11-24-nvidia-h200-programs-later", "2026-11-24-nvidia-h200-programs", "2026-11-23-nvidia-h200-programs"
SITUATIONS, LONG = "2026-11-23-nvidia-h200-situations", "2026-11-23-nvidia-h200-long-products"
PREFIXES = {"scipy_": "SciPy ", "sklearn_": "scikit-learn "}  # of the files of perf/programs
FOLDER = ROOT / "perf/results/programs"
LANGUAGES = ("C", "NumPy", "SciPy", "scikit-learn", "Octave", "R")
ONE_MACHINE = ("device", "processors")  # what the files of a set have in common, beside versions, sizes and repeats


def read_files(paths):
    """Returns the programs of all files by their languages. Measurements of different machines, versions or sizes are no set."""
    programs, same = {}, {}
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        facts = {name: document["machine"][name] for name in ONE_MACHINE}
        facts.update(document["versions"], sizes=document["set"], repeats=document["repeats"])
        for name, value in facts.items():
            if same.setdefault(name, value) != value:
                sys.exit(f"tables: {path.name}: {name} is {value}, and {same[name]} in a file before it")
        for record in document["programs"]:
            programs[record["language"], record["name"], record["sizes"]] = {**record, "device": document["machine"]["device"]}
    if not programs:
        sys.exit("tables: no programs")
    return sorted(programs.values(), key=lambda record: LANGUAGES.index(record["language"]))


def remark_on(record):
    """Says where nothing reached the device, if there is one, or a result was wrong."""
    if not record["ok"]:
        return ": a wrong result"
    return ": nothing on the device" if record["device"] and not record["calls"]["gpu"] else ""


def cells_of(record):
    """Program, plain, preloaded, speed-up, the same of the whole process, and the share of products."""
    name = f"{record['language']} {record['name']} {record['sizes']}"
    if "error" in record:
        return [name, "", "", "failed", "", ""]
    (plain, after), (whole, whole_after) = ((medians["plain"], medians["preloaded"])
                                            for medians in (record["median_seconds"], record["median_process_seconds"]))
    return [name, number(plain, 3), number(after, 3), f"{plain / after:.2f}{remark_on(record)}", f"{number(whole, 2)}, {number(whole_after, 2)}",
            f"{100 * record['share']:.0f}%"]


def whole_table(records):
    """With --control a program ran plain twice as often: a column shows how far two medians of the same are apart."""
    heads, rows = ["program", "plain", "preloaded", "speed-up", "process, before and after", "in products"], [cells_of(r) for r in records]
    if all("again" in record.get("median_seconds", {}) for record in records):
        heads.insert(2, "plain again")
        for row, record in zip(rows, records):
            row.insert(2, number(record["median_seconds"]["again"], 3))
    return table(heads, rows)


def two_a_line(cells):
    """Cells: program, plain, preloaded, gain."""
    half = (len(cells) + 1) // 2
    return table(["program", "plain", "preloaded", "gain"] * 2,
                 [cells[i] + (cells[i + half] if i + half < len(cells) else [""] * 4) for i in range(half)])


def brief_table(records):
    return two_a_line([[name, plain, preloaded, gain.partition(":")[0]] for name, plain, preloaded, gain, _, _ in map(cells_of, records)])


def earlier(name, **wanted):
    rows = []
    for row in measurements(name, "programs", **wanted):
        unused = ": nothing on the device" if row["on_device"].startswith("0 of") else ""
        rows.append([f"{row['program']} {row['sizes']}", number(row["plain_s"], 3), number(row["preloaded_s"], 3),
                     f"{row['speed_up']:.2f}{unused}", f"{row['products_percent']}%"])
    return rows


def table_of(rows):
    return table(["program", "plain", "preloaded", "speed-up", "in products"], rows)


def programs_later():
    return table_of(earlier(LATER))


def programs_of_the_day():
    return table_of(earlier(DAY, run="Run 3") + earlier(DAY, run="Run 1"))


def programs_before_and_now():
    """Plain, an older library, and this one."""
    return table(["program", "plain", "0963b8f", "now", "speed-up"],
                 [[f"{row['program']} {row['sizes']}", number(row["plain_s"], 3), number(row["others_s"][0], 3), number(row["preloaded_s"], 3),
                   f"{row['speed_up']:.2f}"] for row in measurements(BEFORE, "programs") if row["others_s"]])


def command_name(command):
    """python3 perf/programs/scipy_expm.py 1500 12: SciPy expm 1500 12."""
    name = command.rpartition("/")[2].replace(".py", "")
    if "python3" not in command:
        return name.replace("programs ", "C ")
    return next((language + name.removeprefix(prefix) for prefix, language in PREFIXES.items() if name.startswith(prefix)), f"NumPy {name}")


def medians_of(command, heading):
    rows = measurements(DAY, "seconds", run="Run 2", section=command)
    variants = {name: sorted(row["seconds"] for row in rows if row["variant"] == name) for name in heading}
    return [command_name(command), *(f"{values[len(values) // 2]:.2f}" for values in variants.values())]


def programs_prepared():
    """Medians of three."""
    commands = ("scipy_stiff.py 5000 5 10", "scipy_expm.py 1500 12", "sklearn_ridge.py 40000 3000 256", "sklearn_kernel_ridge.py 8000 500 8000",
                "gru.py 20 64 128 1024 512")
    return table(["program", "plain", "87dbf17", "6e5c77c"],
                 [medians_of(f"python3 perf/programs/{command}", ("plain", "old", "new")) for command in commands])


def long_products():
    rows = []
    for command in ("python3 perf/programs/product.py 8192", "python3 perf/programs/product.py 16384", "programs pca 50000 4096",
                    "python3 perf/programs/gru.py 20 64 128 1024 512", "python3 perf/programs/kmeans.py 100000 128 1024 10"):
        source = measurements(LONG, "seconds", label=command)
        rows.append([command_name(command), *(", ".join(number(row["seconds"]) for row in source if row["variant"] == name) for name in ("plain", "pre"))])
    return table(["program", "plain", "preloaded"], rows)


def programs_in_brief():
    return two_a_line([[name, plain, preloaded, gain.partition(":")[0]] for name, plain, preloaded, gain, _ in earlier(LATER)])


def print_files(paths):
    """Prints both tables of files that need not be in perf/results."""
    records = read_files(paths)
    print(*whole_table(records), "", *brief_table(records), sep="\n")


def set_of(path):
    return path.stem.rpartition("-")[0]


def tables_of_sets():
    """Two for each set: that of the programs DATE-MACHINE for doc/benchmarks.md, and the same in brief, which README may have."""
    files, tables = {}, {}
    for path in sorted(FOLDER.glob("*-[0-9].json")):
        files.setdefault(set_of(path), []).append(path)
    for name, paths in files.items():
        tables[f"programs {name}"] = lambda paths=paths: whole_table(read_files(paths))
        tables[f"programs {name} in brief"] = lambda paths=paths: brief_table(read_files(paths))
    return tables


TABLES = {"programs in brief": programs_in_brief, "programs later": programs_later, "programs of 2026-11-23": lambda: table_of(earlier(SITUATIONS)),
          "programs before and now": programs_before_and_now, "long products": long_products, "programs prepared": programs_prepared,
          "programs of the day": programs_of_the_day, **tables_of_sets()}
OPTIONAL = {name for name in tables_of_sets() if name.endswith("in brief")}
