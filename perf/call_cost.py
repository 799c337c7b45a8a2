#!/usr/bin/env python3
"""What preloading costs a small call, with and without a report.

    call_cost.py BENCH LIBRARY...

Times a product of 8 x 8 x 8 by OpenBLAS and by each LIBRARY, preloaded into a process of its own with BENCH (perf/bench), in turn. A cost is
the best time of the preloaded routine without that of OpenBLAS in the same process. Prints for each routine and library the least, the median
and the greatest cost in ns, and the best time of OpenBLAS.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS, SECONDS = int(os.environ.get("MEASURE_ROUNDS", "7")), os.environ.get("MEASURE_SECONDS", "1")


def measure(bench, library, routine, report):
    """Returns the best ns of OpenBLAS and of the library."""
    with tempfile.TemporaryDirectory() as folder:
        settings = dict(os.environ, LD_PRELOAD=os.path.abspath(library), OPENBLAS_NUM_THREADS="1",
                        LAVABLAS_STATS=os.path.join(folder, "report.json") if report else "")
        command = [bench, "--library", "libopenblas.so.0", "--library", "preloaded", "--routine", routine, "--sizes", "8",
                   "--seconds", SECONDS, "--warmup", "0.1", "--json"]
        rows = json.loads(subprocess.run(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    if not all(row["right"] for row in rows):
        sys.exit(f"{library}: a wrong result of {routine}")
    return [row["min_s"] * 1e9 for row in rows]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, libraries = sys.argv[1], sys.argv[2:]
    cases = [(routine, report, library) for routine in ("dgemm_", "sgemm_") for report in (False, True) for library in libraries]
    times = {case: [] for case in cases}
    for _ in range(ROUNDS):
        for routine, report, library in cases:
            times[routine, report, library].append(measure(bench, library, routine, report))
    print("| routine | report | library | costs, ns: least | median | greatest | OpenBLAS, ns |\n|---|---|---|---|---|---|---|")
    for (routine, report, library), pairs in times.items():
        costs = [preloaded - plain for plain, preloaded in pairs]
        print(f"| {routine} | {'yes' if report else 'no'} | {library} | {min(costs):.1f} | {statistics.median(costs):.1f} | {max(costs):.1f} | "
              f"{min(plain for plain, _ in pairs):.1f} |")


main()
