#!/usr/bin/env python3
"""perf/programs: the statistics of paired runs on known times, files of runs that are merged, and compare with a program of known times.

That program is a script, so no BLAS and no device is needed. It takes half of its plain time if a library is preloaded.

    test_paired_runs.py SOURCE_FOLDER
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source folder stays as it is
ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "perf/programs"))

import output  # noqa: E402
import paired  # noqa: E402
import run_lines  # noqa: E402
import table  # noqa: E402

NAMES = {"language": "C", "name": "inverse", "sizes": "300 16"}
PROGRAM = """#!/bin/sh
# Says how long it took, and in STARTS_LOG from which caches. Statistics as the library would write them.
seconds=0.010
if [ -n "${LD_PRELOAD:-}" ]; then
    seconds=0.005
    [ -z "${XDG_CACHE_HOME:-}" ] || echo "$LAVABLAS_HISTORY" >>"$XDG_CACHE_HOME/lavablas/starts"
    [ -z "${XDG_CACHE_HOME:-}" ] || [ -n "${LAVABLAS_STATS:-}" ] || tr '\\n' ' ' <"$XDG_CACHE_HOME/lavablas/starts" >>"$STARTS_LOG"
    [ -z "${XDG_CACHE_HOME:-}" ] || [ -n "${LAVABLAS_STATS:-}" ] || echo >>"$STARTS_LOG"
    [ -z "${LAVABLAS_STATS:-}" ] || echo "lavablas: sgemm_ gpu 3 calls, 0.004 s, 1.0 GFLOP: faster" >"$LAVABLAS_STATS"
fi
printf 'seconds %s\\nseconds_import 0.2\\nsums %s\\n' "$seconds" "${RESULT:-1 2}"
"""


def near(value, expected, tolerance=1e-12):
    return math.isclose(value, expected, rel_tol=tolerance)


def test_estimates():
    """Eleven ratios: the bootstrap of a median of eleven ends at the third and the ninth."""
    ratios = [0.90 + 0.02 * i for i in range(11)]
    pairs = [(2.0, 2.0 * ratio) for ratio in ratios]
    found = paired.estimate(pairs, 1)
    assert near(found.ratio, 1.0) and near(found.low, ratios[2]) and near(found.high, ratios[8]), found
    assert paired.estimate(pairs[::-1], 1) == found  # in any order
    assert paired.describe(found) == "1.00 [0.94 1.06] open", paired.describe(found)
    turned = paired.estimate([(variant, plain) for plain, variant in pairs], 1)
    assert near(turned.ratio, 1 / found.ratio) and near(turned.low, 1 / found.high) and near(turned.high, 1 / found.low)
    even = paired.estimate([(1.0, 1.0), (1.0, 4.0)], 1)  # the geometric mean of the two
    assert near(even.ratio, 2.0) and near(even.low, 1.0) and near(even.high, 4.0)
    assert paired.estimate([(0.0, 1.0)], 1) is None and paired.describe(None) == "-"
    # What slows all of a repeat alike changes nothing.
    slowed = paired.estimate([(plain * (1 + i), variant * (1 + i)) for i, (plain, variant) in enumerate(pairs)], 1)
    assert near(slowed.ratio, found.ratio) and near(slowed.low, found.low)
    assert near(paired.find_mean([1.0, 4.0]), 2.0) and paired.find_mean([]) is None


def test_coverage():
    """The interval of the median holds the true one about as often as it says: 0.93 to 0.96 for eleven repeats."""
    import random
    generator, held = random.Random(3), 0
    for i in range(120):
        found = paired.estimate([(1.0, math.exp(generator.gauss(0, 0.1))) for _ in range(11)], i)
        held += found.low <= 1 <= found.high
    assert 0.86 <= held / 120 <= 0.995, held


def test_verdicts():
    for low, high, repeats, expected in ((1.021, 1.3, 11, "slower"), (1.0, 1.3, 11, "open"), (0.9, 1.02, 11, "not slower"),
                                         (0.9, 0.98, 11, "faster"), (1.021, 1.3, 5, "too few"), (1.02, 1.03, 6, "open")):
        found = paired.verdict(paired.Estimate((low * high)**0.5, low, high, repeats))
        assert found == expected, (low, high, found)


def session_of(name, date, library="a", variants=("plain", "control", "preloaded"), **changes):
    machine = {"device": "D", "processors": 2, "CPU BLAS": "B", "processor": "P"}
    return {"kind": "session", "session": name, "date": date, "library": library, "machine": {**machine, **changes}, "versions": {},
            "set": "tiny", "seed": 1, "repeats": 3, "variants": list(variants)}


def lines_of(session, repeats, ratio, without=()):
    """Returns a program's lines of a session: the plain time is that of the repeat, another one the ratio times as long."""
    lines = [{"kind": "program", "session": session["session"], **NAMES, "tolerance": 1e-5, "forced": False, "share": 0.6, "statistics": [],
              "calls": {"cpu": 0, "gpu": 1}, "gflop": {"cpu": 0, "gpu": 1}}]
    for repeat in range(repeats):
        for label in session["variants"]:
            seconds = (1 + repeat) * (ratio if label not in ("plain", "control") else 1)
            if (repeat, label) not in without:
                lines.append({"kind": "run", "session": session["session"], **NAMES, "repeat": repeat, "place": 0, "variant": label,
                              "seconds": seconds, "process_seconds": 2 * seconds, "parts": {}, "difference": 0.0})
    return [session] + lines


def test_merge():
    one, two = session_of("s1", "2026-01-01"), session_of("s2", "2026-01-02", variants=("plain", "third"))
    lines = lines_of(one, 4, 2.0, without={(3, "control")}) + lines_of(two, 5, 0.5)
    sessions, labels, records = run_lines.collect(lines + lines, 1)  # the same file twice
    assert len(sessions) == 2 and labels == ["plain", "control", "preloaded", "third"] and len(records) == 1
    found = records[0]["estimates"]["seconds"]
    assert found["preloaded"] == paired.Estimate(2.0, 2.0, 2.0, 3)  # the fourth repeat was interrupted
    assert near(found["third"].ratio, 0.5) and found["third"].repeats == 5 and records[0]["ok"]
    assert run_lines.collect(lines[::-1], 1)[2][0]["estimates"]["seconds"] == found
    summary = output.summarize(records, "third")
    assert near(summary["speedup_of_mostly_products"], 2.0) and summary["open"] and not summary["slower"]
    # The library that was measured last counts, of two.
    later = lines_of(session_of("s3", "2026-01-03", library="b"), 6, 1.5)
    record = run_lines.collect(later + lines, 1)[2][0]
    assert near(record["estimates"]["seconds"]["preloaded"].ratio, 1.5) and record["library"] == "b"
    assert output.summarize([record], "preloaded")["slower"] == ["C inverse 300 16"]
    # A failure counts until a later session runs the program.
    failure = {"kind": "failure", "session": "s2", **NAMES, "tolerance": 1e-5, "error": "ended with 1"}
    assert run_lines.collect(lines + [failure], 1)[2][0]["error"] == "ended with 1"
    assert run_lines.collect(lines + [failure] + later, 1)[2][0]["ok"]
    assert run_lines.find_strange([one, two]) is None
    cards = [session_of(name, "2026-01-01", device=f"NVIDIA H100, number {name}, UUID {name}: ready for fp32") for name in "12"]
    assert run_lines.find_strange(cards) is None
    assert "device is D" in run_lines.find_strange([one, session_of("s4", "2026-01-04", device="E")])


def test_sizes():
    """Each set of sizes has as many numbers as the others."""
    for program in table.PROGRAMS:
        counts = {len(size.split()) for sizes in (program.tiny, program.small, program.usual, program.short) for size in sizes.split("|")}
        assert len(counts) == 1, program


def compare(*words, **environment):
    return subprocess.run([sys.executable, str(ROOT / "perf/programs/compare"), *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, "LAVABLAS_CALIBRATE": "off", **environment})


def runs_of(path):
    return [line for line in map(json.loads, path.read_text().splitlines()) if line["kind"] == "run"]


def test_compare(folder):
    """All repeats, in different orders; the same again runs nothing; more repeats go on; files are merged; a wrong result fails."""
    build, lines, document = folder / "build", folder / "lines", folder / "json"
    command = [build, "--only", "C/inverse", "--tiny", "--runs", lines]
    result = compare(*command, "--repeats", 6, "--json", document)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "2.00 [2.00 2.00] faster" in result.stdout and "seed of the intervals: 1" in result.stdout, result.stdout
    record = json.loads(document.read_text())["programs"][0]
    assert record["estimates"]["seconds"]["control"] == {"ratio": 1.0, "low": 1.0, "high": 1.0, "repeats": 6}
    assert "the part import" in result.stdout and record["part_medians"] == {"import": 0.2}
    tables = subprocess.run([sys.executable, str(ROOT / "perf/tables"), "--programs", str(document)], capture_output=True, text=True, check=True)
    assert "| C inverse 300 16 | 10.0 | 1.00 [1.00 1.00] not slower | 2.00 [2.00 2.00] faster |" in tables.stdout, tables.stdout
    runs = runs_of(lines)
    orders = {tuple(run["variant"] for run in runs if run["repeat"] == repeat) for repeat in range(6)}
    assert len(runs) == 18 and len(orders) > 1 and all(len(set(order)) == 3 for order in orders), orders

    assert compare(*command, "--repeats", 6).returncode == 0 and len(runs_of(lines)) == 18
    with open(lines, "a", encoding="utf-8") as file:
        file.write('{"kind": "run", "sess')  # as an interruption leaves it
    assert compare(*command, "--repeats", 8).returncode == 0
    assert "left out" in compare("--merge", lines).stderr and "       8  1.00" in compare("--merge", lines).stdout
    assert "The time is over" in compare(*command, "--repeats", 50, "--total-seconds", 1e-6).stdout

    refused = compare(build, "--only", "C/inverse", "--small", "--runs", lines)
    assert refused.returncode == 1 and "set is tiny" in refused.stderr and "small" not in lines.read_text(), refused.stderr

    other = folder / "other"
    assert compare(build, "--only", "C/inverse", "--tiny", "--runs", other, "--repeats", 3).returncode == 0
    merged = compare("--merge", lines, other, "--markdown")
    assert "      11  1.00" in merged.stdout and "| C inverse | 300 16 | 80% | 10 |" in merged.stdout, merged.stdout
    wrong = compare(build, "--only", "C/inverse", "--tiny", "--repeats", 1, "--library", f"old={build}/liblavablas.so.0", RESULT="nan")
    assert wrong.returncode == 1 and "FAIL C inverse" in wrong.stdout, wrong.stdout


def test_starts(folder):
    """Each timed first start finds no history, each third one that of two; none sees what another one left."""
    log = folder / "log"
    result = compare(folder / "build", "--only", "C/inverse", "--tiny", "--repeats", 2, "--history", "--cache", folder / "cache", STARTS_LOG=str(log))
    assert result.returncode == 0 and "third" in result.stdout, result.stdout + result.stderr
    seen = log.read_text().splitlines()
    assert [line.split() for line in seen[:3]] == [["off"], ["off", "on"], ["off", "on", "on"]], seen
    assert sorted(line.split() for line in seen[3:]) == 2 * [["off", "on"]] + 2 * [["off", "on", "on", "on"]], seen
    assert not list((folder / "cache").rglob("starts"))


def main():
    test_estimates()
    test_coverage()
    test_verdicts()
    test_merge()
    test_sizes()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        (folder / "cache/lavablas").mkdir(parents=True)
        (folder / "build/liblavablas.so.0").write_text("no library")
        program = folder / "build/programs"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        test_compare(folder)
        test_starts(folder)


if __name__ == "__main__":
    main()
