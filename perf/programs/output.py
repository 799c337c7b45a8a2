"""What compare prints of its measurements: a line for each program, tables of intervals, a Markdown table, a summary.

A record is what run_lines.record_of returns. The ratio of a variant is its time over the plain time (paired.py); the tables have the
inverse, the speed-up.
"""
import paired

MOSTLY = 0.5  # a larger share of the plain time counts as mostly products
TITLES = {"seconds": "the computation", "process_seconds": "the whole process"}


def find_ratio(record, label, time="seconds"):
    found = record["estimates"][time].get(label)
    return found.ratio if found else 1.0


def name_of(record):
    return f"{record['language']} {record['name']}"


def describe_device(record):
    """Says how much of the work the device did."""
    calls = record["calls"]
    total = sum(calls.values())
    if total == 0:
        return "no calls"
    work = record["gflop"]
    flops = f", {100 * work['gpu'] / sum(work.values()):.0f}% of flops" if any(work.values()) else ""
    return f"{calls['gpu']} of {total} calls{flops}"


def print_heading(labels):
    times = " ".join(f"{label[:9] + ' s':>11}" for label in labels)
    speedups = " ".join(f"{label[:9]:>9}" for label in labels[1:])
    print(f"{'program':29} {'sizes':24} {times}  speed-up: {speedups} {'process before, after':>22} {'products':>9} "
          f"{'difference':>10}  on the device")


def print_record(record, labels):
    if "error" in record:
        print(f"FAIL {record['error']}", flush=True)
        return
    times = " ".join(f"{record['median_seconds'][label]:11.3f}" for label in labels)
    speedups = " ".join(f"{1 / find_ratio(record, label):9.2f}" for label in labels[1:])
    process = record["median_process_seconds"]
    print(f"{times}            {speedups} {process[labels[0]]:13.3f} {process[labels[-1]]:8.3f} "
          f"{100 * record['share']:8.0f}% {max(record['difference'].values()):10.1e}  "
          f"{describe_device(record)}{'' if record['ok'] else ' FAIL'}", flush=True)


def print_estimates(records, labels, time, title):
    """Prints plain milliseconds, and each variant's speed-up with its interval and what it says."""
    print(f"\n{title}: speed-up [95 % interval]")
    print(f"{'program':29} {'sizes':24} {'plain ms':>9} {'repeats':>7}  " + " ".join(f"{label:29}" for label in labels[1:]))
    for record in records:
        found = record["estimates"][time]
        repeats = max((estimate.repeats for estimate in found.values() if estimate), default=0)
        plain = record["median_" + time][labels[0]] if time in TITLES else record["part_medians"][time]
        print(f"{name_of(record):29} {record['sizes']:24} {1000 * plain:9.1f} {repeats:7}  "
              + " ".join(f"{paired.describe(found.get(label)):29}" for label in labels[1:]).rstrip())


def print_tables(records, labels):
    """Prints the table of the computation, of the process, and of each part that some programs tell."""
    for time, title in TITLES.items():
        print_estimates(records, labels, time, title)
    for part in dict.fromkeys(part for record in records for part in record["part_medians"]):
        print_estimates([record for record in records if part in record["part_medians"]], labels, part, f"the part {part}")
    print()


def print_markdown(records, labels):
    """Prints the table as doc/benchmarks.md has it."""
    print("\n| program | sizes | in products | plain, ms |", *(f"{label} |" for label in labels[1:]), "on the device |")
    print("|---" * (4 + len(labels)) + "|")
    for record in records:
        cells = [name_of(record), record["sizes"], f"{100 * record['share']:.0f}%", f"{1000 * record['median_seconds'][labels[0]]:.4g}"]
        cells += [paired.describe(record["estimates"]["seconds"].get(label)) for label in labels[1:]]
        print("| " + " | ".join(cells + [describe_device(record)]) + " |")
    print()


def summarize(records, label):
    """Returns the figures by which the library is judged, as a dictionary; nothing if no program has the variant."""
    records = [record for record in records if record["estimates"]["seconds"].get(label)]
    if not records:
        return None
    named = {f"{name_of(record)} {record['sizes']}": record for record in records}
    worst = max(named, key=lambda name: find_ratio(named[name], label))

    def names(time, holds):
        return [name for name, record in named.items() if record["estimates"][time].get(label) and holds(record["estimates"][time][label])]

    mostly = [find_ratio(record, label) for record in records if record["share"] > MOSTLY]
    nothing = {name for name, record in named.items() if not record["calls"]["gpu"]}
    differ = names("seconds", lambda found: paired.verdict(found) != "too few" and not found.low <= 1 <= found.high)
    mean = paired.find_mean(mostly)
    return {
        "worst_program": worst,
        "worst_ratio": find_ratio(named[worst], label),
        "slower": names("seconds", lambda found: paired.verdict(found) == "slower"),
        "slower_processes": names("process_seconds", lambda found: paired.verdict(found) == "slower"),
        "open": names("seconds", lambda found: paired.verdict(found) in ("open", "too few")),
        "changed_by_nothing": [name for name in differ if name in nothing],
        "programs": len(named),
        "mostly_products": len(mostly),
        "speedup_of_mostly_products": 1 / mean if mean else None,
    }


def print_summary(summary, label):
    def listed(what):
        return f"{len(summary[what])} of {summary['programs']}", ": " + "; ".join(summary[what]) if summary[what] else ""

    print(f"{label}: the worst program takes {summary['worst_ratio']:.3f} of its plain time: {summary['worst_program']}")
    for what, text in (("slower", f"are slower (all of the interval above {paired.SLOWER})"), ("slower_processes", "are slower as a process"),
                       ("open", "are open: more repeats are needed"),
                       ("changed_by_nothing", "have nothing on the device, and 1.00 is not within the interval")):
        count, names = listed(what)
        print(f"{label}: {count} {text}{names}")
    if summary["mostly_products"]:
        print(f"{label}: {summary['mostly_products']} spend more than half of their plain time in products; their speed-up "
              f"is {summary['speedup_of_mostly_products']:.2f} (geometric mean)")
