"""What the library chooses for every family of routines, by figures that were never measured, in part, and whole.

perf/crossover --families calls it. perf/side_times times the calls with the CPU BLAS and with LAVABLAS_MODE=gpu, once.
A decision depends on the call and the figures alone, so `lavablas explain --from` gives those of each state without
running anything: its decision is lib/offload's own. The states are

    never         an empty cache
    process-T-I   what a program that calls routines of type T has stored after its I-th part
    first-P       the whole figures' first P percent of rows (the CPU's), at least one
    device-P      the same with the device's rows first, as lavablas calibrate measures them
    whole         lavablas calibrate

and are kept in the folder --states as texts of `lavablas calibrate --show`, if one is given; those that are there are
not measured again.
"""
import csv
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = ["state", "call", "family", "cpu_us", "gpu_us", "chosen", "regret", "reason", "cpu_estimate_us",
           "gpu_estimate_us"]
HEADER = ",".join(COLUMNS)
ORDERS = [256, 512, 1024, 2048, 4096, 8192]
# Each call of a family in the words of explain; n is each order. Then the shapes that are not square.
CALLS = {
    "gemm": (["{t}gemm N N {n} {n} {n}"], ["{t}gemm N N 4096 64 4096", "{t}gemm N N 4096 4096 64", "{t}gemm T N 256 256 8192"]),
    "syrk": (["{t}syrk L N {n} {n}"], ["{t}syrk L N 4096 64", "{t}syrk L T 256 8192"]),
    "syr2k": (["{t}syr2k L N {n} {n}"], []),
    "symm": (["{t}symm L L {n} {n}"], ["{t}symm L L 4096 64"]),
    "trmm": (["{t}trmm L L N N {n} {n}"], ["{t}trmm L L N N 4096 64"]),
    "trsm": (["{t}trsm L L N N {n} {n}"], ["{t}trsm L L N N 4096 64"]),
    "Cholesky": (["{t}potrf L {n}"], []),
    "LU": (["{t}getrf {n} {n}"], ["{t}getrf 8192 512"]),
    "QR": (["{t}geqrf {n} {n}"], ["{t}geqrf 8192 512"]),
    "solves": (["{t}gesv {n} 64", "{t}posv L {n} 64", "{t}getrs N {n} 64", "{t}potrs L {n} 64"],
               ["{t}gesv 4096 1", "{t}potrs L 4096 4096"]),
    "inverses": (["{t}getri {n}", "{t}potri L {n}"], []),
    "least squares": (["{t}gels N {n} {n} 64"], ["{t}gels N 8192 1024 1", "{t}gels N 4096 256 64"]),
    "tridiagonal": (["{t}{h}trd L {n}"], []),
    "bidiagonal": (["{t}gebrd {n} {n}"], ["{t}gebrd 8192 512"]),
    "eigenvalues": (["{t}{h}evd N L {n}", "{t}{h}evd V L {n}", "{t}{h}evr V L {n}"], []),
    "tridiagonal eigenvalues": (["{t}stedc N {n}", "{t}stedc I {n}", "{t}stedc V {n}"], []),
    "generalized eigenvalues": (["{t}{h}gvd 1 V L {n}"], []),
    "singular values": (["{t}gesdd N {n} {n}", "{t}gesdd S {n} {n}"], ["{t}gesdd S 8192 512", "{t}gesdd S 512 4096"]),
    "least squares by singular values": (["{t}gelsd {n} {n} 64"], ["{t}gelsd 4096 256 1"]),
    "pivoted QR": (["{t}geqp3 {n} {n}"], ["{t}geqp3 8192 512"]),
    "batches": ([], ["{t}gemm_batch_strided N N %d %d %d %d" % (n, n, n, count)
                     for n, count in ((16, 10000), (32, 4000), (64, 2000), (128, 1000), (256, 200), (512, 50))]),
}
GROUPS = {"never": 1.10, "part": 1.10, "whole": 1.03}  # the aims of the mean regret
LONG_US = 5e3  # a decision that costs more than this must not be worse than
WRONG = 1.5
# A program's calls while its calibration is under way, with pauses in which that measures.
PROCESS = {"s": "sgemm N N 640 640 640", "d": "dpotrf L 1024", "c": "cgemm N N 640 640 640", "z": "zgemm N N 640 640 640"}
PAUSE_S, PAUSES = 0.25, 60
POLL_S = 0.005
CPU_SHARE = 0.6  # of the time that the two sides have


def add_options(parser):
    group = parser.add_argument_group("every family, see perf/crossover_families.py")
    group.add_argument("--families", nargs="?", const="all", metavar="NAME,...", help="these, or all: " + ", ".join(CALLS))
    group.add_argument("--types", default="s,d", help="of --families: out of s,d,c,z")
    group.add_argument("--orders", metavar="N,...", help="of --families, instead of " + ",".join(map(str, ORDERS)))
    group.add_argument("--budget", type=float, default=1e9, metavar="S", help="for all times; the largest are left out")
    group.add_argument("--times", metavar="FILE", help="times of both sides from the CSV of an earlier run")
    group.add_argument("--states", metavar="FOLDER", help="where the figures of the states are kept")
    group.add_argument("--skip", default="", metavar="STATE,...", help="states that are not measured: process, whole")
    group.add_argument("--parts", default="0,25,50,75", metavar="P,...", help="of the whole figures, in percent")
    group.add_argument("--calibrate", default="", metavar="OPTIONS", help="of lavablas calibrate: --seconds=0.2")


# The calls


def work_of(call):
    sizes = [int(word) for word in call.split() if word.isdigit()]
    if "batch" in call:
        return math.prod(sizes)
    solved = re.match(r".(gesv|posv|getrs|potrs|gels)", call)
    if solved and solved[1] != "gels":
        return sizes[0]**2 * (sizes[1] + (sizes[0] if solved[1] in ("gesv", "posv") else 0))
    sizes = sizes[:2] if solved else sizes
    values = re.match(r".(gelsd|..gvd)", call)  # with right-hand sides, or the problem's number
    if values:
        sizes = sizes[:2] if values[1] == "gelsd" else sizes[1:]
    return math.prod(sizes) * (min(sizes) if len(sizes) == 2 else 1) if len(sizes) > 1 else sizes[0]**3


def list_calls(arguments):
    """Returns the family of each call, those with the least work first."""
    orders = [int(n) for n in arguments.orders.split(",")] if arguments.orders else ORDERS
    names = list(CALLS) if arguments.families == "all" else arguments.families.split(",")
    most = int(arguments.largest or 1 << 30)
    found = {}
    for name in names:
        if name not in CALLS:
            sys.exit(f"crossover: no family {name}")
        square, others = CALLS[name]
        for letter in arguments.types.split(","):
            words = {"t": letter, "h": "he" if letter in "cz" else "sy"}
            texts = [text.format(n=n, **words) for text in square for n in orders]
            texts += [text.format(**words) for text in others if not arguments.orders]
            found.update({text: name for text in texts
                          if all(int(word) <= most for word in text.split()[:7] if word.isdigit() and "batch" not in text)})
    return dict(sorted(found.items(), key=lambda item: work_of(item[0])))


# The sides


class Machine:
    """The built programs, and the environment they run in."""

    def __init__(self, side_times, tool, library, cpu_blas):
        self.side_times, self.tool, self.library, self.cpu_blas = side_times, tool, library, cpu_blas
        self.pipelines = tempfile.mkdtemp(prefix="crossover-")  # what the driver compiled, for all states

    def environment(self, cache, **settings):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("LD_PRELOAD", "LAVABLAS_LOG", "LAVABLAS_STATS", "LAVABLAS_MODE", "LAVABLAS_CALIBRATE",
                                "LAVABLAS_LEARN", "LAVABLAS_CACHE")}
        return dict(kept, XDG_CACHE_HOME=str(cache), LAVABLAS_CPU_BLAS=self.cpu_blas, LAVABLAS_INIT="sync", **settings)

    def run(self, command, environment, words=None):
        result = subprocess.run(command, env=environment, input=words, capture_output=True, text=True)
        if result.returncode:
            print(f"crossover: {' '.join(command)} failed ({result.returncode}):\n{result.stderr[-2000:]}", file=sys.stderr)
            sys.exit(77 if result.returncode == 77 else 1)  # there is no device, or the machine has too much other work
        return result

    def give_pipelines(self, cache, back=False):
        """Copies them into an empty cache, or back."""
        one, other = Path(self.pipelines), Path(cache) / "lavablas"
        one, other = (other, one) if back else (one, other)
        other.mkdir(parents=True, exist_ok=True)
        other.chmod(0o700)
        for path in one.glob("pipelines-*"):
            shutil.copy2(path, other / path.name)


def say(text):
    print(f"crossover: {text}", file=sys.stderr, flush=True)


def time_side(machine, name, calls, budget, by):
    library = machine.cpu_blas if name == "cpu" else machine.library
    with tempfile.TemporaryDirectory() as cache:
        machine.give_pipelines(cache)
        result = machine.run([machine.side_times, "--library", library, "--budget", str(budget)],
                             machine.environment(cache, LAVABLAS_MODE="gpu", LAVABLAS_CALIBRATE="off", LAVABLAS_LEARN="off"),
                             "\n".join(calls) + "\n")
        machine.give_pipelines(cache, back=True)
    for line in result.stderr.splitlines():
        say(line)
    times = {}
    for line in result.stdout.splitlines()[1:]:
        call, best, median, _, place, reason = line.split(",", 5)
        if place in ("-", "gpu"):
            times[call] = float(best if by == "best" else median)
        else:
            say(f"{call}: not computed on the device: {reason}")
    return times


def time_sides(machine, calls, arguments):
    begin = time.monotonic()
    say(f"the CPU's times of {len(calls)} calls")
    cpu = time_side(machine, "cpu", calls, CPU_SHARE * arguments.budget, arguments.by)
    rest = arguments.budget - (time.monotonic() - begin)
    say(f"the device's times, after {time.monotonic() - begin:.0f} s")
    gpu = time_side(machine, "gpu", list(cpu), rest, arguments.by)
    say(f"both sides are timed, after {time.monotonic() - begin:.0f} s")
    return {call: (cpu[call], gpu[call]) for call in cpu if call in gpu}


# The states


def text_of(path):
    """Returns the figures in a file of the cache; "" while there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    _, _, header, key, payload, _ = struct.unpack("=8sIIQQQ", data[:40])
    return data[header + key:header + key + payload].rstrip(b"\0").decode()


def record_process(machine, letter):
    """Runs a program in the default mode. Returns each part of the figures that it has stored."""
    parts = []
    with tempfile.TemporaryDirectory() as cache:
        machine.give_pipelines(cache)
        program = subprocess.Popen([machine.side_times, "--library", machine.library],
                                   env=machine.environment(cache, LAVABLAS_MODE="auto"), stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        since = 0
        for _ in range(PAUSES):
            program.stdin.write(PROCESS[letter] + "\n")
            program.stdin.flush()
            end = time.monotonic() + PAUSE_S
            since += 1
            while time.monotonic() < end:
                text = "".join(text_of(path) for path in Path(cache).glob("lavablas/figures-*") if path.name[-7:-6] != ".")
                if text and text not in parts:
                    parts.append(text)
                    since = 0
                time.sleep(POLL_S)
            if since > PAUSES // 3 and parts:
                break
        program.stdin.close()
        program.wait()
    return parts


def cut(whole, parts):
    """Returns parts of the whole figures, by state."""
    lines = whole.splitlines(keepends=True)
    device_first = [line for line in lines if line.startswith("device_")] + [line for line in lines if line[:3] == "cpu"]
    return {f"{name}-{percent}": "".join(order[:max(1, len(order) * percent // 100)])
            for name, order in (("first", lines), ("device", device_first)) for percent in parts}


def find_states(machine, arguments):
    """Returns the text of the figures by state."""
    folder = Path(arguments.states) if arguments.states else None
    states = {"never": ""}
    if folder and folder.is_dir():
        states.update({path.stem: path.read_text() for path in sorted(folder.glob("*.txt"))})
    skipped = arguments.skip.split(",")
    for letter in arguments.types.split(","):
        if "process" not in skipped and not any(name.startswith(f"process-{letter}-") for name in states):
            say(f"parts that a process of type {letter} stores")
            for i, text in enumerate(record_process(machine, letter)):
                states[f"process-{letter}-{i + 1}"] = text
    if "whole" not in skipped and "whole" not in states:
        say("lavablas calibrate")
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as cache:
            machine.give_pipelines(cache)
            result = machine.run([machine.tool, "calibrate", *arguments.calibrate.split()], machine.environment(cache))
        states["whole"] = result.stdout.split("\n", 1)[1]
        say(f"lavablas calibrate took {time.monotonic() - begin:.0f} s")
    if "whole" in states:
        states.update(cut(states["whole"], [int(part) for part in arguments.parts.split(",")]))
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in states.items():
            if text and not name.startswith(("first-", "device-")):
                (folder / f"{name}.txt").write_text(text)
    return states


def decide(machine, text, calls):
    """Returns explain's answer to each call, by the figures of the text."""
    with tempfile.TemporaryDirectory() as cache:
        machine.give_pipelines(cache)
        environment = machine.environment(cache, LAVABLAS_MODE="auto", LAVABLAS_CALIBRATE="off", LAVABLAS_LEARN="off")
        if text:
            figures = Path(cache) / "figures.txt"
            figures.write_text(text)
            machine.run([machine.tool, "calibrate", "--import", str(figures)], environment)
        result = machine.run([machine.tool, "explain", "--from", "-"], environment, "\n".join(calls) + "\n")
        machine.give_pipelines(cache, back=True)
    answers = dict(zip(calls, map(json.loads, result.stdout.splitlines())))
    if text and any(answer.get("is_measured") is False for answer in answers.values()):
        sys.exit("crossover: the stored figures were not used")
    return answers


def judge(calls, times, state, answers):
    for call in times:
        answer, (cpu_us, gpu_us) = answers[call], times[call]
        chosen_us = cpu_us if answer["place"] == "cpu" else gpu_us
        yield dict(zip(COLUMNS, [state, call, calls[call], cpu_us, gpu_us, answer["place"],
                                 chosen_us / min(cpu_us, gpu_us), answer["reason"], answer.get("cpu_ns", 0) / 1e3,
                                 answer.get("gpu_ns", 0) / 1e3]))


# Results


def read(path):
    """Reads the rows of a CSV, or of a text that contains one."""
    lines = Path(path).read_text().splitlines()
    if HEADER not in lines:
        sys.exit(f"crossover: {path} has no line {HEADER}")
    rows = []
    for row in csv.DictReader(lines[lines.index(HEADER):]):
        if None in row.values() or not row["state"]:
            break
        row.update({name: float(row[name]) for name in COLUMNS if name.endswith("_us") or name == "regret"})
        rows.append(row)
    return rows


def is_of_families(path):
    return HEADER in Path(path).read_text().splitlines()


def write(rows, path):
    file = sys.stdout if path == "-" else open(path, "w", newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([f"{row[name]:.3f}" if isinstance(row[name], float) else row[name] for name in COLUMNS])
    if file is not sys.stdout:
        file.close()


def group_of(state):
    return state if state in ("never", "whole") else "part"


def mean(rows):
    return math.exp(sum(math.log(row["regret"]) for row in rows) / len(rows))


def wrong_of(rows):
    """Returns the rows of decisions that take long and take much longer than the other side."""
    return [row for row in rows if row["regret"] > WRONG and row[row["chosen"] + "_us"] > LONG_US]


def print_line(label, rows):
    worst = max(rows, key=lambda row: row["regret"])
    print(f"{label:26} {len({row['call'] for row in rows}):6} {mean(rows):7.3f} {worst['regret']:8.2f} {len(wrong_of(rows)):6}"
          f"  {worst['call']} ({worst['state']})")


def print_tables(rows, worst):
    if not rows:
        sys.exit("crossover: no calls")
    print(f"{'family, state':26} {'shapes':>6} {'mean':>7} {'worst':>8} {'wrong':>6}  the worst")
    families = list(dict.fromkeys(row["family"] for row in rows))
    for group in GROUPS:
        of_group = [row for row in rows if group_of(row["state"]) == group]
        for family in families:
            of_both = [row for row in of_group if row["family"] == family]
            if of_both:
                print_line(f"{family}, {group}", of_both)
        if of_group:
            print_line(f"all, {group} (aim {GROUPS[group]:.2f})", of_group)
    print("\nparts one by one")
    for state in dict.fromkeys(row["state"] for row in rows if group_of(row["state"]) == "part"):
        print_line(state, [row for row in rows if row["state"] == state])
    wrong = sorted(wrong_of(rows), key=lambda row: -row["regret"])
    print(f"\ndecisions that take over {LONG_US / 1e3:g} ms and over {WRONG:g} times as long as the other side: {len(wrong)}")
    for row in wrong[:worst]:
        print(f"{row['state']:14} {row['call']:32} {row['chosen']} regret {row['regret']:.2f}, ms: CPU {row['cpu_us'] / 1e3:.2f} "
              f"(estimated {row['cpu_estimate_us'] / 1e3:.2f}), GPU {row['gpu_us'] / 1e3:.2f} "
              f"({row['gpu_estimate_us'] / 1e3:.2f}): {row['reason']}")


def measure(machine, arguments):
    calls = list_calls(arguments)
    if arguments.times:
        stored = {row["call"]: (row["cpu_us"], row["gpu_us"]) for row in read(arguments.times)}
        times = {call: stored[call] for call in calls if call in stored}
    else:
        times = time_sides(machine, list(calls), arguments)
        if arguments.csv and arguments.csv != "-":  # what is measured is kept, whatever comes
            write([dict.fromkeys(COLUMNS, 0.0) | {"state": "times", "call": call, "family": calls[call], "cpu_us": cpu_us,
                                                  "gpu_us": gpu_us, "chosen": "cpu", "reason": ""}
                   for call, (cpu_us, gpu_us) in times.items()], arguments.csv)
    rows = []
    for state, text in find_states(machine, arguments).items():
        say(f"decisions: {state}")
        rows += judge(calls, times, state, decide(machine, text, list(times)))
    shutil.rmtree(machine.pipelines)
    return rows
