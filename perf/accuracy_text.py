"""Reads the tables of errors that perf/accuracy prints, for perf/accuracy-plot and perf/tables."""
import re
from typing import NamedTuple

ROW = re.compile(r"^(.{14}) +(\d+) +(\S+) +(\S+) (.*)")
HEAD_CHARACTERS, CELL_CHARACTERS = 39, 29  # as perf/accuracy/study.c prints them: data, K, CPU and fp32; a scheme


class Error(NamedTuple):
    """Of a scheme on one kind of data: the largest error in u G, the same by the CPU BLAS's, and the criterion missed, or a point."""

    largest: float
    ratio: float
    missed: str


class Row(NamedTuple):
    line: str
    kind: str
    k: int
    cpu: float
    fp32: float
    errors: dict  # by the schemes that computed by planes


def read_row(names, line):
    """Returns a row of a table with these schemes; None if the line is none."""
    found = ROW.match(line)
    if not found:
        return None
    kind, k, cpu, fp32, rest = found.groups()
    cells = rest.split()
    if len(cells) != 5 * len(names):
        return None
    errors = {}
    for i, name in enumerate(names):
        largest, ratio, _, missed, share = cells[5 * i:5 * i + 5]
        if largest != "-" and share != "0%":
            errors[name] = Error(float(largest), float(ratio), missed)
    return Row(line, kind.strip(), int(k), float(cpu), float(fp32), errors)


def read_tables(text):
    """Returns tables that have rows, each with a title, its first line, the names of its schemes, and rows."""
    tables, title = [], ""
    for line in text.splitlines():
        if line.startswith("Computed on "):
            title = line[len("Computed on "):].split(",")[0]
        elif "; unit " in line and line.startswith("Largest error"):
            title = "unit " + line.split("; unit ")[1]
        elif line.startswith("data  ") and line.split()[1:4] == ["K", "CPU", "fp32"]:
            tables.append({"title": title, "head": line, "names": line.split()[4:], "rows": []})
        elif tables:
            row = read_row(tables[-1]["names"], line)
            tables[-1]["rows"] += [row] if row else []
    return [table for table in tables if table["rows"]]


def columns_of(table, line, schemes):
    """Returns a line of the table with the columns of these schemes alone."""
    begins = [HEAD_CHARACTERS + CELL_CHARACTERS * table["names"].index(scheme) for scheme in schemes]
    return line[:HEAD_CHARACTERS] + "".join(line[begin:begin + CELL_CHARACTERS] for begin in begins)
