"""Runs one program in several variants, in turn, for compare: times, results, and what the library counted.

A variant is a label and a library to preload, or None for the plain program. The first variant is the plain one. All
times are seconds. A program that fails raises RuntimeError.
"""
import math
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

LIMIT_SECONDS = 180  # of one process
STATISTICS = re.compile(r"lavablas: (\S+) (cpu|gpu) (\d+) calls, ([\d.]+) s, ([\d.]+) GFLOP: (?!nothing to multiply)(.*)")


def describe_threads(process_id):
    """Returns a line for each kind of thread: how many, their states, seconds of processor time, and what they wait in."""
    kinds = {}
    for folder in Path("/proc", str(process_id), "task").glob("*"):
        try:
            name, fields = (folder / "comm").read_text().strip(), (folder / "stat").read_text().rpartition(")")[2].split()
            place = (folder / "wchan").read_text() if os.access(folder / "wchan", os.R_OK) else "?"
        except OSError:  # it has ended
            continue
        name = "main thread" if folder.name == str(process_id) else name
        kind = kinds.setdefault((name, fields[0], place), [0, 0.0])
        kind[0] += 1
        kind[1] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return "; ".join(f"{count} {name} {state} {seconds:.1f} s in {place}"
                     for (name, state, place), (count, seconds) in sorted(kinds.items()))


def start(command, **settings):
    """Returns the seconds of the computation and of the process, and the results by name."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LAVABLAS_STATS")}
    environment.update(settings, PYTHONDONTWRITEBYTECODE="1")
    begin = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            output, errors = running.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            threads = describe_threads(running.pid)
            running.kill()
            raise RuntimeError(f"takes more than {LIMIT_SECONDS} s with {sorted(settings)}; threads: {threads}") from None
    process = time.perf_counter() - begin
    lines = {words[0]: [float(word) for word in words[1:]] for words in map(str.split, output.splitlines()) if words}
    if running.returncode or "seconds" not in lines:
        raise RuntimeError(f"ended with {running.returncode}: {errors.strip()[-500:]}")
    return lines.pop("seconds")[0], process, lines


def difference(before, after):
    """Returns the largest of all lines; infinite if a value is missing or not finite."""
    if not before or before.keys() != after.keys():
        return math.inf
    largest = 0.0
    for name, values in before.items():
        if len(values) != len(after[name]) or not all(map(math.isfinite, values + after[name])):
            return math.inf
        scale = max(map(abs, values)) or 1
        largest = max([largest] + [abs(x - y) / scale for x, y in zip(values, after[name])])
    return largest


def count_calls(command, library, **settings):
    """Runs it once more. Returns the seconds of the computation, and the library's statistics as a list."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "statistics")
        seconds = start(command, LD_PRELOAD=library, LAVABLAS_STATS=str(path), **settings)[0]
        found = STATISTICS.findall(path.read_text()) if path.exists() else []
    return seconds, [{"routine": routine, "place": place, "calls": int(calls), "seconds": float(elapsed),
                      "gflop": float(work), "reason": reason} for routine, place, calls, elapsed, work, reason in found]


def find_share(command, library, threads):
    """Returns the part of the plain time that products take: those of the routines that the library knows.

    They are timed by the library, which forwards all of them to the CPU BLAS here. Of several threads it is the part of
    their common time.
    """
    seconds, found = count_calls(command, library, LAVABLAS_MODE="cpu")
    inside = sum(counted["seconds"] for counted in found)
    return min(1.0, inside / (seconds * threads)) if seconds > 0 else 0.0


def run_variants(command, variants, repeats):
    """Returns samples by label: seconds, process seconds and results. Each repeat begins with the next variant."""
    samples = {label: [] for label, _ in variants}
    for repeat in range(repeats):
        first = repeat % len(variants)
        for label, library in variants[first:] + variants[:first]:
            samples[label].append(start(command, **({"LD_PRELOAD": library} if library else {})))
    return samples


def measure(program, command, variants, repeats):
    """Returns everything that is known of a program, as a dictionary that JSON can hold."""
    samples = run_variants(command, variants, repeats)
    plain, library = variants[0][0], variants[-1][1]
    reference = samples[plain][0][2]
    seconds = {label: [sample[0] for sample in rows] for label, rows in samples.items()}
    process = {label: [sample[1] for sample in rows] for label, rows in samples.items()}
    counted = count_calls(command, library)[1]
    return {
        "seconds": seconds,
        "process_seconds": process,
        "median_seconds": {label: statistics.median(values) for label, values in seconds.items()},
        "median_process_seconds": {label: statistics.median(values) for label, values in process.items()},
        "difference": {label: max(difference(reference, sample[2]) for sample in rows)
                       for label, rows in samples.items()},
        "share": find_share(command, library, program.threads or len(os.sched_getaffinity(0))),
        "statistics": counted,
        "calls": {place: sum(row["calls"] for row in counted if row["place"] == place) for place in ("cpu", "gpu")},
        "gflop": {place: sum(row["gflop"] for row in counted if row["place"] == place) for place in ("cpu", "gpu")},
    }
