"""Runs one program in several variants, in random order, for compare: times, results, and what the library counted.

The first variant is the plain one, the last one has the library that is judged. All times are seconds. A program that fails raises
RuntimeError.
"""
import math
import os
import random
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LIMIT_SECONDS = 180  # of one process
STATISTICS = re.compile(r"lavablas: (\S+) (cpu|gpu) (\d+) calls, ([\d.]+) s, ([\d.]+) GFLOP: (?!nothing to multiply)(.*)")


@dataclass(frozen=True)
class Variant:
    """What is preloaded, or nothing for the plain program, and which start of the library it is: see starts.py."""
    label: str
    library: str = None
    start: str = None


@dataclass(frozen=True)
class Sample:
    """One run. Parts are other times that the program prints, as seconds_NAME."""
    seconds: float
    process_seconds: float
    parts: dict
    results: dict


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
    """Runs the program once, with variables besides those of this process. Returns a sample."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LAVABLAS_STATS")}
    environment.setdefault("LAVABLAS_HISTORY", "off")  # else each repeat would be another start
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
    parts = {name.partition("_")[2]: lines.pop(name)[0] for name in list(lines) if name.startswith("seconds_")}
    return Sample(lines.pop("seconds")[0], process, parts, lines)


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
        seconds = start(command, LD_PRELOAD=library, LAVABLAS_STATS=str(path), **settings).seconds
        found = STATISTICS.findall(path.read_text()) if path.exists() else []
    return seconds, [{"routine": routine, "place": place, "calls": int(calls), "seconds": float(elapsed),
                      "gflop": float(work), "reason": reason} for routine, place, calls, elapsed, work, reason in found]


def find_share(command, library, threads, **settings):
    """Returns the part of the plain time that products take: those of the routines that the library knows.

    They are timed by the library, which forwards all of them to the CPU BLAS here. Of several threads it is the part of
    their common time.
    """
    seconds, found = count_calls(command, library, LAVABLAS_MODE="cpu", **settings)
    inside = sum(counted["seconds"] for counted in found)
    return min(1.0, inside / (seconds * threads)) if seconds > 0 else 0.0


def count(command, library, threads, prepare):
    """Returns the share of products, and how many calls and flops came where, as JSON can hold it. Two runs, each with the settings
    that prepare returns."""
    share, counted = find_share(command, library, threads, **prepare()), count_calls(command, library, **prepare())[1]
    return {"share": share, "statistics": counted, **{
        what: {place: sum(row[what] for row in counted if row["place"] == place) for place in ("cpu", "gpu")} for what in ("calls", "gflop")}}


def time_repeat(command, variants, prepare, reference, order):
    """Runs each variant once, in an order that the seed decides. prepare returns the settings of a start. Returns members of lines."""
    variants, members = list(variants), []
    random.Random(order).shuffle(variants)
    for i, variant in enumerate(variants):
        settings = {"LD_PRELOAD": variant.library} if variant.library else {}
        settings.update(prepare(variant.start) if variant.start else {})
        sample = start(command, **settings)
        members.append({"variant": variant.label, "place": i, "seconds": sample.seconds, "process_seconds": sample.process_seconds,
                        "parts": sample.parts, "difference": difference(reference, sample.results)})
    return members
