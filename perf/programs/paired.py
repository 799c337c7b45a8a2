"""Statistics of paired runs, for compare and short_processes: the ratio of a variant, its interval, and what they say.

A repeat runs each variant once. The ratio of a variant is the median, over the repeats, of its time over the plain time of the same
repeat. A ratio of two medians would compare runs of different minutes, and of different sessions if these are merged: what slows
the machine for a while slows all runs of a repeat alike. The middle of two ratios is their geometric mean, so the ratio of plain to
variant is the inverse.

The interval is a percentile bootstrap: repeats are drawn with replacement, as many as there are. The same ratios in any order and
the same seed give the same interval. The control, which is the plain program once more, shows how wide it is without any difference.
"""
import math
import random
import statistics
from dataclasses import dataclass

SLOWER = 1.02  # a variant is slower if all of its interval is above this
FASTER = 1 / SLOWER
LEAST_REPEATS = 6  # the median lies within all of n repeats with 1 - 2**(1 - n): 0.94 for 5, 0.97 for 6
CONFIDENCE = 0.95
RESAMPLES = 4000


@dataclass(frozen=True)
class Estimate:
    """Time over plain time. low and high are the ends of the interval."""
    ratio: float
    low: float
    high: float
    repeats: int


# The first that holds counts.
VERDICTS = (
    ("too few", lambda estimate: estimate.repeats < LEAST_REPEATS),
    ("slower", lambda estimate: estimate.low > SLOWER),
    ("faster", lambda estimate: estimate.high < FASTER),
    ("not slower", lambda estimate: estimate.high <= SLOWER),
    ("open", lambda estimate: True),  # the interval has 1.02 in it: more repeats are needed
)


def find_interval(values, seed):
    """Returns the ends of the interval of the median."""
    generator, ordered = random.Random(str(seed)), sorted(values)
    medians = sorted(statistics.median(generator.choices(ordered, k=len(ordered))) for _ in range(RESAMPLES))
    outside = int(RESAMPLES * (1 - CONFIDENCE) / 2)
    return medians[outside], medians[-1 - outside]


def estimate(pairs, seed):
    """Pairs are the plain and the variant's time of each repeat. Returns nothing without a pair of times that can be divided."""
    logs = [math.log(variant / plain) for plain, variant in pairs if plain > 0 and variant > 0]
    if not logs:
        return None
    low, high = find_interval(logs, seed)
    return Estimate(math.exp(statistics.median(logs)), math.exp(low), math.exp(high), len(logs))


def verdict(found):
    return next(name for name, holds in VERDICTS if holds(found))


def describe(found):
    """Returns plain over variant with its interval, and the verdict: 2.13 [2.05 2.21] faster."""
    if not found:
        return "-"
    return f"{1 / found.ratio:.2f} [{1 / found.high:.2f} {1 / found.low:.2f}] {verdict(found)}"


def find_mean(ratios):
    """Returns the geometric mean, or nothing of nothing."""
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
