"""What perf/tables makes its tables with: the rows of perf/results/*.json, and Markdown."""
import json
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def measurements(name, kind, may_lack=False, **wanted):
    """Returns the rows of a file's measurements whose run, section, command and label contain what is wanted."""
    document = json.loads((ROOT / "perf/results" / f"{name}.json").read_text(encoding="utf-8"))
    chosen = [m for m in document["measurements"] if m["kind"] == kind and all(word in m[key] for key, word in wanted.items())]
    if not chosen and not may_lack:
        sys.exit(f"tables: {name} has no {kind} of {wanted}")
    return [row for measurement in chosen for row in measurement["rows"]]


def number(value, places=2):
    """Three digits, at most `places` of them behind the point; nothing for None. A half is rounded up, as one reads it."""
    if value is None:
        return ""
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.9995 else places
    return str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-min(digits, places)), ROUND_HALF_UP))


def row_of(*cells):
    return "| " + " | ".join(cells) + " |"


def table(heads, rows):
    return [row_of(*heads).replace("|  |", "| |"), "|" + "---|" * len(heads), *(re.sub(r"\|  (?=\|)", "| ", row_of(*row)) for row in rows)]


def best_of(rows, routine, n, library):
    """Milliseconds of a product of order n; None if it was not timed."""
    times = [row["best_us"] / 1e3 for row in rows
             if row["routine"] == routine and row["m"] == row["n"] == row["k"] == n and library in row["library"]]
    return min(times) if times else None


def best_at(rows, routine, size, library=""):
    """The row of the least time at a size, an order or (m, n, k); None if it was not timed."""
    m, n, k = (size, size, size) if isinstance(size, int) else size
    found = [row for row in rows if row["routine"] == routine and (row["m"], row["n"], row["k"]) == (m, n, k) and library in row["library"]]
    return min(found, key=lambda row: row["best_us"], default=None)


def value_of(rows, name, **wanted):
    """The one value of the rows that have what is wanted; None if there is no such row."""
    found = [row[name] for row in rows if all(row[key] == word for key, word in wanted.items())]
    if len(found) > 1:
        sys.exit(f"tables: {len(found)} rows of {wanted}")
    return found[0] if found else None


def milliseconds(row, places=2):
    return number(row["best_us"] / 1e3, places) if row else ""
