"""Reads the printed texts of perf/results into documents of one form, which perf/results/schema.json describes. Called by
perf/results-json.

A document has the text's title, date, device and driver, and its measurements: a measurement is what one command printed
under one heading. Lines of other programs than those of ROWS are left in the text alone.
"""
import re

US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
BENCH = re.compile(r"(?:(?P<routine>[a-z]\w+) )?(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) +(?P<best>[\d.]+) (?P<best_unit>[num]?s) +"
                   r"(?P<median>[\d.]+) (?P<median_unit>[num]?s) +(?P<ratio>[\d.]+) +(?P<rate>[\d.]+) +(?P<place>gpu|cpu|-) +"
                   r"(?P<verdict>\w+) +(?P<library>\S+)$")
LAPACK = re.compile(r" *(\d+) ([sdcz])((?:  \w+ [\d.]+)+)$")
LINALG = re.compile(r"(\d+) (solve|inv|cholesky|qr raw) ([\d.]+) ms$")
PROGRAM = re.compile(r"(C|NumPy|SciPy|scikit-learn|Octave|R) (\w+) +([\d ]+?) +((?:\d+\.\d{3} +)+?) +((?:\d+\.\d\d +)+?)"
                     r" +(\d+\.\d{3}) +(\d+\.\d{3}) +(\d+)% +(\S+)  (.*)$")
CROSSOVER = re.compile(r"(\d+),(\d+),(\d+),([\d.]+),([\d.]+),(cpu|gpu),([\d.]+),")
BENCH_CSV = re.compile(r"(?P<m>\d+),(?P<n>\d+),(?P<k>\d+),[NT]{2},(?P<routine>\w+),(?P<library>[^,]+),(?P<place>gpu|cpu|-),\d+,"
                       r"(?P<best>[\d.e-]+),(?P<median>[\d.e-]+),[\d.]+,(?P<rate>[\d.]+),(?P<verdict>\w+)$")
LINALG_TORCH = re.compile(r" *(\d+) (float32|float64)((?:  (?:solve|inv|lu_factor|cholesky|qr, raw) [\d.]+)+)$")
SECONDS = re.compile(r" ?(?:(?:plain|cpu|old|new|x\d|sync) [\d.]+ ?)+$|(?:plain|cpu|pre) seconds [\d.]+$")
# Lines of numbers: kind, and the line, whose groups are the members of the row. median_ms of kernels is the time with the same operands again
# where the command has --rotate.
NUMBERS = (
    ("kernels", r"(?P<kernel>\w+) +(?P<c>\w+) +(?P<order>linear|grouped|hilbert) +(?P<workgroups>per tile|persistent) +(?P<m>\d+) x (?P<n>\d+)"
                r" x (?P<k>\d+) +\| +(?P<multiply_ms>[\d.]+) +(?P<median_ms>[\d.]+) +(?P<finish_ms>[\d.]+) \| +(?P<tflop_per_s>[\d.]+) +"
                r"(?:-|(?P<roof_percent>\d+)%).*?\| +(?P<pack_ms>[\d.]+) \|(?: +(?P<call_ms>[\d.]+) .*?\|)?.*split K (?P<slices>\d+)"),
    ("registers", r"(?P<kernel>\w+): Register Count (?P<registers>\d+),"),
    ("torch.matmul", r"(?P<m>\d+) x (?P<n>\d+) x (?P<k>\d+) +(?P<best_ms>[\d.]+) +(?P<tflop_per_s>[\d.]+) \| +(?P<rotating_ms>[\d.]+) "
                     r"+(?P<rotating_tflop_per_s>[\d.]+) +\d+$"),
    ("situations", r" *(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) (?P<situation>reused|new, after|new|after|four) +(?P<median_ms>[\d.]+) "
                   r"+(?P<longest_ms>[\d.]+) +[\d.]+$"),
    ("callers", r" *(?P<n>\d+) +(?P<threads>\d+) +\d+ +(?P<alone_ms>[\d.]+) +(?P<together_ms>[\d.]+) +(?P<ratio>[\d.]+) +\d+ +\d+  ok$"),
    ("first", r"(?P<library>old|new) +(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) (?P<situation>first|after idle) +(?P<best_ms>[\d.]+)  second +[\d.]+ "
              r" steady +[\d.]+  ratio +(?P<ratio>[\d.]+)$"),
    ("ready", r"(?P<library>old|new), (?P<situation>empty|cached): ready after (?P<seconds>[\d.]+) s$"),
    ("device_product", r"(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) +(?P<best_ms>[\d.]+) +(?P<tflop_per_s>[\d.]+) \|(?: +[\d.]+){3} \| ok$"),
    ("device_factor", r"(?P<routine>cholesky|lu|qr|form):(?P<n>\d+)(?:x(?P=n))? +(?P<best_ms>[\d.]+) \|(?: +[\d.]+){3} \| ok$"),
    ("batch", r"(?P<count>\d+)x(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) +(?P<kernel>\w+) +[\d.]+ +[\d.]+ \| +(?P<call_ms>[\d.]+) +[\d.]+ \| "
              r"+(?P<cpu_ms>[\d.]+) ok$"),
    ("batch_calls", r"(?P<count>\d+)x(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+) +(?P<best_ms>[\d.]+) ms best +(?P<median_ms>[\d.]+) median "
                    r"+(?P<gflop_per_s>[\d.]+) GFLOP/s  (?P<place>gpu|cpu) ok$"))
NUMBERS = tuple((kind, re.compile(line)) for kind, line in NUMBERS)
INTEGERS = {"m", "n", "k", "count", "threads", "registers", "slices", "roof_percent"}
DEVICE = re.compile(r"(NVIDIA [\w ]+?|lavapipe)(?:, (?:driver )?([\d.]+))?(?:[,:.]|$)", re.M)


def read_bench(line, context):
    found = BENCH.match(line)
    if not found:
        return None
    named = re.search(r"--routine (\w+)", context["command"]) or re.search(r"\b((?:cblas_)?[a-z]\w+_?)\b", context["label"])
    routine = found["routine"] or (named[1] if named else "")
    return "bench", [{"routine": routine, "m": int(found["m"]), "n": int(found["n"]), "k": int(found["k"]),
                      "best_us": round(float(found["best"]) * US[found["best_unit"]], 3),
                      "median_us": round(float(found["median"]) * US[found["median_unit"]], 3),
                      "gflop_per_s": float(found["rate"]), "place": found["place"], "verdict": found["verdict"],
                      "library": found["library"].rpartition("/")[2]}]


def read_bench_csv(line, _):
    found = BENCH_CSV.match(line)
    if not found:
        return None
    return "bench", [{"routine": found["routine"], "m": int(found["m"]), "n": int(found["n"]), "k": int(found["k"]),
                      "best_us": round(float(found["best"]) * 1e6, 3), "median_us": round(float(found["median"]) * 1e6, 3),
                      "gflop_per_s": float(found["rate"]), "place": found["place"], "verdict": found["verdict"],
                      "library": found["library"].rpartition("/")[2]}]


def read_numbers(line, _):
    for kind, pattern in NUMBERS:
        found = pattern.match(line)
        if found:
            members = {name: value for name, value in found.groupdict().items() if value is not None}
            return kind, [{name: int(value) if name in INTEGERS else float(value) if re.fullmatch(r"[\d.]+", value) else value
                           for name, value in members.items()}]
    return None


def read_torch(line, _):
    found = LINALG_TORCH.match(line)
    if not found:
        return None
    words = re.findall(r"  (\w[\w, ]*?) ([\d.]+)", found[3])
    return "torch.linalg", [{"routine": f"{found[2]} {name}", "n": int(found[1]), "best_ms": float(ms)} for name, ms in words]


def read_seconds(line, _):
    """What programs print, by the variant of the library; the section or the label is their command."""
    if not SECONDS.match(line):
        return None
    return "seconds", [{"variant": name, "seconds": float(value)} for name, value in re.findall(r"(\w+)(?: seconds)? ([\d.]+)", line)]


def read_lapack(line, _):
    found = LAPACK.match(line)
    if not found:
        return None
    words = found[3].split()
    return "lapack", [{"routine": found[2] + name, "n": int(found[1]), "best_ms": float(ms)}
                      for name, ms in zip(words[::2], words[1::2])]


def read_linalg(line, _):
    found = LINALG.match(line)
    return ("numpy.linalg", [{"routine": found[2], "n": int(found[1]), "best_ms": float(found[3])}]) if found else None


def read_program(line, _):
    found = PROGRAM.match(line)
    if not found:
        return None
    times, speedups = [float(word) for word in found[4].split()], [float(word) for word in found[5].split()]
    return "programs", [{"program": f"{found[1]} {found[2]}", "sizes": found[3], "plain_s": times[0], "preloaded_s": times[-1],
                         "others_s": times[1:-1], "speed_up": speedups[-1], "products_percent": int(found[8]), "on_device": found[10]}]


def read_crossover(line, _):
    found = CROSSOVER.match(line)
    if not found:
        return None
    return "crossover", [{"m": int(found[1]), "n": int(found[2]), "k": int(found[3]), "cpu_us": float(found[4]),
                          "gpu_us": float(found[5]), "place": found[6], "regret": float(found[7])}]


ROWS = (read_bench, read_bench_csv, read_lapack, read_linalg, read_torch, read_program, read_crossover, read_numbers, read_seconds)


def read_heads(lines, name):
    """Returns what the first lines say of the machine."""
    head = "\n".join(lines[:20])
    device = next((found for line in lines[:12] for found in [DEVICE.search(line.lstrip("# "))] if found and found[2]), None)
    device = device or DEVICE.search(head)
    date = re.search(r"\d{4}-\d\d-\d\d(?: \d\d:\d\d UTC)?", head)
    return {"source": name, "title": lines[0].lstrip("# "), "date": date[0] if date else name[:10],
            "device": device[1] if device else "unknown", "driver": device[2] if device else None,
            "revisions": sorted(set(re.findall(r"\b(?:commit|library of|with) ([0-9a-f]{7})\b", head)))}


def update_context(context, line):
    """Headings, commands, and lines that say of what the next rows are."""
    if re.match(r"# (?:Run|Part|A first version)|## part", line):
        context.update(run=line.lstrip("# "), section="", command="", label="")
    elif line.startswith(("## ", "== ")):
        context.update(section=line[3:], command="", label=line[3:])
    elif line.startswith("$ "):
        context.update(command=line[2:])
    elif re.match(r"(?:-- )?\w", line) and not line.startswith(("m x n x k", "m,n,k,ops")):
        context.update(label=line.removeprefix("-- "))


def read(text, name):
    """Returns the document. Rows that follow one another under the same heading and command are one measurement."""
    lines = text.split("\n")
    document = read_heads(lines, name)
    context, measurements = {"run": "", "section": "", "command": "", "label": ""}, []
    for line in lines:
        answer = next((answer for read_row in ROWS for answer in [read_row(line, context)] if answer), None)
        if not answer:
            update_context(context, line)
            continue
        kind, rows = answer
        if not measurements or measurements[-1]["kind"] != kind or any(measurements[-1][key] != context[key] for key in context):
            measurements.append({"kind": kind, **context, "rows": []})
        measurements[-1]["rows"] += rows
    document["measurements"] = measurements
    return document
