#!/usr/bin/env python3
"""What preloading the library costs a program that never multiplies.

    load_cost.py LIBRARY [RUNS]

Runs /bin/true RUNS times with LD_PRELOAD=LIBRARY and RUNS times without, alternately, and prints the medians
and their difference in microseconds.
"""
import os
import statistics
import sys
import time


def run(environment):
    start = time.perf_counter()
    process = os.posix_spawn("/bin/true", ["true"], environment)
    status = os.waitpid(process, 0)[1]
    elapsed = time.perf_counter() - start
    if status:
        sys.exit(f"/bin/true ended with status {status}")
    return elapsed * 1e6


def main():
    if len(sys.argv) < 2 or not os.path.isfile(sys.argv[1]):
        sys.exit(__doc__)
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    preloaded = dict(plain, LD_PRELOAD=os.path.abspath(sys.argv[1]))
    samples = {"plain": [], "preloaded": []}
    for i in range(runs + 10):
        for name, environment in (("plain", plain), ("preloaded", preloaded)):
            elapsed = run(environment)
            if i >= 10:  # the first runs fill the page cache
                samples[name].append(elapsed)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    print(f"/bin/true: {medians['plain']:.1f} us, preloaded: {medians['preloaded']:.1f} us, "
          f"difference: {medians['preloaded'] - medians['plain']:.1f} us ({runs} runs each, medians)")


main()
