"""The file of compare --runs: a line of JSON for each run, and what compare --merge makes of such files.

A line has a kind:

    session    one call of compare: machine, versions, set, library, seed, repeats, the variants in their order
    program    what a session found out of a program before it was timed: tolerance, share of products, calls, flops
    run        one timed run: repeat, place in it, variant, seconds; the difference of its results from the plain ones
    failure    a program that failed, and how; it counts until a later session runs the program

Every line names its session; those of a program have language, name and sizes. Lines are only added. Files may be merged in any order
and more than once. Only whole repeats count: an interrupted session leaves a part of one. A program's runs are of one library: if
there are several, of the one that was measured last.
"""
import json
import statistics
import sys
from pathlib import Path

import paired

LANGUAGES = ("C", "NumPy", "SciPy", "scikit-learn", "Octave", "R")
COUNTED = ("tolerance", "share", "statistics", "calls", "gflop")  # of a line of the kind program, beside forced
TIMES = ("seconds", "process_seconds")


def key_of(line):
    return line["language"], line["name"], line["sizes"]


class Writer:
    """Adds lines to a file, or keeps them alone. Each line is written at once."""

    def __init__(self, path, session):
        self.path, self.session, self.lines = path, session, []

    def add(self, kind, **members):
        line = {"kind": kind, "session": self.session, **members}
        self.lines.append(line)
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def read(path):
    """Returns the lines of a file; a last one that was cut off is left out, and ended for what is added behind it."""
    text = Path(path).read_text(encoding="utf-8")
    lines = []
    for i, line in enumerate(text.splitlines()):
        try:
            lines.append(json.loads(line))
        except ValueError:
            print(f"{path}:{i + 1}: left out, not a line of JSON", file=sys.stderr)
    return lines


def end_last_line(path):
    """So that a line which an interruption cut off does not spoil the next one."""
    if Path(path).exists() and Path(path).read_bytes()[-1:] not in (b"", b"\n"):
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n")


def kind_of(device):
    """Returns a device's name without its number, UUID and state, which are those of one card and one moment."""
    return device and device.partition(", number ")[0].partition(": ")[0]


def facts_of(session):
    """Returns what sessions have in common that are one measurement. session may be a document of compare --json, too."""
    return {"device": kind_of(session["machine"]["device"]), "processors": session["machine"]["processors"], **session["versions"],
            "set": session["set"]}


def find_strange(sessions):
    """Returns what differs between sessions that cannot be merged, in words, or nothing."""
    same = {}
    for session in sessions:
        for name, value in facts_of(session).items():
            if same.setdefault(name, value) != value:
                return f"{name} is {same[name]} in one session, and {value} in session {session['session']}"
    return None


def whole_repeats(runs, sessions):
    """Returns the runs by session and repeat, each a dictionary of variants; without those that lack a variant."""
    repeats = {}
    for run in runs:
        repeats.setdefault((run["session"], run["repeat"]), {})[run["variant"]] = run
    return {key: repeat for key, repeat in sorted(repeats.items())
            if all(label in repeat for label in sessions[key[0]]["variants"])}


def pairs_of(repeats, label, plain, find):
    """Returns the times of plain and of a variant, by find, of each repeat that has both."""
    return [(find(repeat[plain]), find(repeat[label])) for repeat in repeats.values() if plain in repeat and label in repeat]


def estimates_of(repeats, labels, parts, name, seed):
    """Returns an estimate for each time and each variant but the first: of the computation, the process, and parts if they are told."""
    finders = {time: lambda run, time=time: run[time] for time in TIMES}
    finders.update({part: lambda run, part=part: run["parts"].get(part, 0) for part in parts})
    return {time: {label: paired.estimate(pairs_of(repeats, label, labels[0], find), f"{seed} {name} {time} {label}")
                   for label in labels[1:]} for time, find in finders.items()}


def is_right(record, forced):
    """Without a call LavaBLAS was not there to compare with; with LAVABLAS_MODE=gpu (forced) no call is left to the CPU."""
    calls = record["calls"]
    return max(record["difference"].values()) <= record["tolerance"] and sum(calls.values()) > 0 and not (forced and calls["cpu"] > 0)


def newest(lines, kind, sessions):
    """Returns the line of a kind that was written last."""
    return max((line for line in lines if line["kind"] == kind), key=lambda line: sessions[line["session"]]["date"], default=None)


def record_of(key, lines, sessions, labels, seed):
    """Returns what is known of one program, in the form of compare --json, with its estimates; nothing if it was never run."""
    record, failure, run = dict(zip(("language", "name", "sizes"), key)), newest(lines, "failure", sessions), newest(lines, "run", sessions)
    if failure and (not run or sessions[failure["session"]]["date"] >= sessions[run["session"]]["date"]):
        return {**record, "tolerance": failure["tolerance"], "ok": False, "error": failure["error"]}
    library = sessions[run["session"]]["library"] if run else None
    of_library = [line for line in lines if sessions[line["session"]]["library"] == library]
    last, runs = newest(of_library, "program", sessions), [line for line in of_library if line["kind"] == "run"]
    repeats = whole_repeats(runs, sessions)
    if not last or not repeats:
        return None
    record.update({name: last[name] for name in COUNTED}, library=library)
    known = [label for label in labels if any(label in repeat for repeat in repeats.values())]
    for time in TIMES:
        record[time] = {label: [repeat[label][time] for repeat in repeats.values() if label in repeat] for label in known}
        record["median_" + time] = {label: statistics.median(values) for label, values in record[time].items()}
    parts = dict.fromkeys(part for repeat in repeats.values() for run in repeat.values() for part in run["parts"])
    record["part_medians"] = {part: statistics.median(repeat[labels[0]]["parts"].get(part, 0) for repeat in repeats.values())
                              for part in parts}
    record["difference"] = {label: max(repeat[label]["difference"] for repeat in repeats.values() if label in repeat)
                            for label in known}
    record["estimates"] = estimates_of(repeats, known, parts, " ".join(key), seed)
    record["ok"] = is_right(record, last["forced"])
    return record


def collect(lines, seed):
    """Returns sessions, labels of variants, and records in the order of languages and of their first lines."""
    sessions = {line["session"]: line for line in lines if line["kind"] == "session"}
    labels = list(dict.fromkeys(label for session in sessions.values() for label in session["variants"]))
    programs = {}
    for line in {json.dumps(line): line for line in lines}.values():  # a file may be given twice
        if line["kind"] != "session" and line["session"] in sessions:
            programs.setdefault(key_of(line), []).append(line)
    ordered = sorted(programs.items(), key=lambda item: LANGUAGES.index(item[0][0]))
    records = [record_of(key, of_program, sessions, labels, seed) for key, of_program in ordered]
    return sessions, labels, [record for record in records if record]
