"""What compare prints of its measurements: a line for each program, a Markdown table, a summary.

A record is what runs.measure returns, with language, name and sizes. The ratio of a program is its preloaded time over
its plain time, both medians; the speed-up is the inverse.
"""
import math

SLOWER = 1.03  # a larger ratio counts as slower; smaller ones may be noise
MOSTLY = 0.5  # a larger share of the plain time counts as mostly products


def find_ratio(record, label):
    medians = list(record["median_seconds"].values())
    return record["median_seconds"][label] / medians[0] if medians[0] > 0 else 1.0


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


def print_record(record, labels, is_right):
    times = " ".join(f"{record['median_seconds'][label]:11.3f}" for label in labels)
    speedups = " ".join(f"{1 / find_ratio(record, label):9.2f}" for label in labels[1:])
    process = record["median_process_seconds"]
    print(f"{times}            {speedups} {process[labels[0]]:13.3f} {process[labels[-1]]:8.3f} "
          f"{100 * record['share']:8.0f}% {max(record['difference'].values()):10.1e}  "
          f"{describe_device(record)}{'' if is_right else ' FAIL'}", flush=True)


def print_markdown(records, labels):
    """Prints the table as doc/benchmarks.md has it."""
    print("\n| program | sizes | in products |", *(f"{label}, s |" for label in labels),
          *(f"{label}: speed-up |" for label in labels[1:]), "on the device |")
    print("|---" * (4 + 2 * len(labels) - 1) + "|")
    for record in records:
        cells = [f"{record['language']} {record['name']}", record["sizes"], f"{100 * record['share']:.0f}%"]
        cells += [f"{record['median_seconds'][label]:.3g}" for label in labels]
        cells += [f"{1 / find_ratio(record, label):.2f}" for label in labels[1:]]
        print("| " + " | ".join(cells + [describe_device(record)]) + " |")
    print()


def summarize(records, label):
    """Returns the figures by which the library is judged, as a dictionary."""
    ratios = {(record["language"], record["name"], record["sizes"]): find_ratio(record, label) for record in records}
    worst = max(ratios, key=ratios.get)
    mostly = [find_ratio(record, label) for record in records if record["share"] > MOSTLY]
    return {
        "worst_program": " ".join(worst),
        "worst_ratio": ratios[worst],
        "slower": [" ".join(name) for name, ratio in ratios.items() if ratio > SLOWER],
        "programs": len(ratios),
        "mostly_products": len(mostly),
        "speedup_of_mostly_products": math.exp(-sum(map(math.log, mostly)) / len(mostly)) if mostly else None,
    }


def print_summary(summary, label):
    print(f"{label}: the worst program takes {summary['worst_ratio']:.3f} of its plain time: {summary['worst_program']}")
    print(f"{label}: {len(summary['slower'])} of {summary['programs']} take more than {SLOWER}"
          + (": " + "; ".join(summary["slower"]) if summary["slower"] else ""))
    if summary["mostly_products"]:
        print(f"{label}: {summary['mostly_products']} spend more than half of their plain time in products; their speed-up "
              f"is {summary['speedup_of_mostly_products']:.2f} (geometric mean)")
