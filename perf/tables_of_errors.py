"""The tables of errors, for perf/tables. The texts of perf/accuracy and perf/lapack_errors.py have no JSON; they are read as they were printed."""
import re
from collections import Counter
from math import sqrt

from accuracy_text import columns_of, read_tables
from table_parts import ROOT, table

EMULATED, DEVICE = "2026-11-21-accuracy", "2026-11-21-nvidia-h200-accuracy"
LAPACK = "2026-11-25-nvidia-h200-lapack-errors"
SCHEMES, DEPTHS = ("bf16x3", "fp16x3", "S3s", "S1b"), (128, 4096)
NOT_HELD = "bf16x1"  # to any criterion: it is for LAVABLAS_PRECISION=fast
LARGEST_PRINTED = 99.99


def first_table(name):
    return read_tables((ROOT / "perf/results" / f"{name}.txt").read_text(encoding="utf-8"))[0]


def emulated_errors():
    """Lines and columns as they were printed, indented."""
    source = first_table(EMULATED)
    lines = [source["head"], *(row.line for row in source["rows"] if row.k in DEPTHS)]
    return ["", *("    " + columns_of(source, line, SCHEMES) for line in lines), ""]


def largest_ratio(found):
    """The largest that is printed as it is, after the kinds of data on which it is larger. found: rows and a scheme's errors."""
    beyond = dict.fromkeys(row.kind for row, error in found if error.ratio >= LARGEST_PRINTED)
    row, error = max((pair for pair in found if pair[1].ratio < LARGEST_PRINTED), key=lambda pair: pair[1].ratio)
    words = [f"99 and more (`{kind}`)" for kind in beyond]
    return ", ".join([*words, f"{error.ratio:.2f}" + (f" (`{row.kind}`, {row.k})" if error.ratio > 1 else "")])


def device_errors():
    """What the device's schemes by planes have on the elements that they compute. s is 4 sqrt(K + 2) u G."""
    source, rows = first_table(DEVICE), []
    for name in source["names"][1:]:  # the first one is fp32 arithmetic
        scheme = name.rpartition("_")[0]
        found = [(row, row.errors[name]) for row in source["rows"] if name in row.errors]
        cells = ["-", "-", "-"]
        if scheme != NOT_HELD:
            missed = Counter(error.missed for _, error in found if error.missed != ".")
            cells = [f"{max(error.largest / (4 * sqrt(row.k + 2)) for row, error in found):.2f}", largest_ratio(found),
                     ", ".join(f"{criterion}, {times} times" for criterion, times in missed.items()) or "none"]
        rows.append([f"`{scheme}`", str(len(found)), *cells])
    return table(["scheme", f"products computed by planes, of {len(source['rows'])}", "largest error / s", "/ OpenBLAS's", "missed"], rows)


def short(word):
    return f"{float(word):.0f}" if float(word) >= 100 else f"{float(word):.3g}"


def lapack_errors():
    """Each type and order, and under it who computed."""
    lines, label, found = (ROOT / "perf/results" / f"{LAPACK}.txt").read_text(encoding="utf-8").split("\n"), "", {}
    for line in lines:
        label = line.removeprefix("-- ") if line.startswith("-- ") else label
        row = re.fullmatch(r"([sdcz]) +(\d+) u  (.+)", line)
        if row:
            words = row[3].split()
            found[row[1], int(row[2]), label] = dict(zip(words[::2], words[1::2]))
    names = list(next(iter(found.values())))
    kinds = sorted({key[:2] for key in found}, key=lambda kind: ("sdcz".index(kind[0]), kind[1]))
    rows = [[f"{letter}, {order}: {label}", *(short(errors[name]) for name in names)]
            for letter, order in kinds for (type_, size, label), errors in found.items() if (type_, size) == (letter, order)]
    return table(["", *names], rows)


TABLES = {"emulated errors": emulated_errors, "errors on a device": device_errors, "errors of LAPACK": lapack_errors}
