"""The table of what it costs to watch memory, for perf/tables."""
from table_parts import ROOT

MEASURED = "2026-11-27-epyc-watch-cost"


def watch_cost():
    """As perf/watch_cost prints it."""
    text = (ROOT / "perf/results" / f"{MEASURED}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("|")]


TABLES = {"cost of the watch": watch_cost}
