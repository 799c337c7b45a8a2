#!/usr/bin/env python3
"""Times one NumPy product as programs meet it, beside the same product alone with C reused.

    situations.py [--sizes 1024,2048,...] [--calls N] [--first N] [--idle N] [--ready]

Run it plain, or with LavaBLAS preloaded. A size is N, or MxNxK. Situations, each in its own loop:

    reused      np.matmul(A, B, out=C)
    new         C = A @ B: C's pages are new each time
    after       the first, right after a product of 300 x 300 on the CPU with all its threads
    new, after  both
    four        four threads, each with its own matrices; milliseconds for one product

Prints median and maximum of the calls in milliseconds, and the median's ratio to that of the first situation. The
other modes take a process each, because they time what happens once:

    --first N   the first product after the device is ready, then the median of the next
    --idle N    the same after the device's memory was given back (set LAVABLAS_IDLE to a second)
    --ready     seconds from the first product until one runs on the device, by LAVABLAS_STATS=/dev/null
"""
import argparse
import ctypes
import statistics
import threading
import time

import numpy as np

PAUSE = 1.6  # seconds; longer than LAVABLAS_IDLE


class Call(ctypes.Structure):
    """struct lavablas_call, as far as it is read here."""
    _fields_ = [("size", ctypes.c_size_t), ("routine", ctypes.c_char_p), ("place", ctypes.c_char_p),
                ("rest", ctypes.c_char * 256)]


def library():
    """Returns the preloaded LavaBLAS, or nothing."""
    process = ctypes.CDLL(None)
    return process if hasattr(process, "lavablas_wait") else None


def wait():
    """Waits for the device; prints what it is, or that there is none."""
    lava = library()
    if not lava:
        print("plain")
        return
    why = ctypes.c_char_p()
    ready = lava.lavablas_wait(ctypes.byref(why)) == 0
    print("LavaBLAS,", "device ready" if ready else why.value.decode())


def dimensions(text):
    parts = [int(part) for part in text.split("x")]
    return parts * 3 if len(parts) == 1 else parts


def matrices(size):
    m, n, k = size
    random = np.random.default_rng(1)
    return random.random((m, k), dtype=np.float32), random.random((k, n), dtype=np.float32)


def timed(function, before, calls):
    """Returns the milliseconds of each call, after a warm-up of 0.4 s; `before` runs before each, untimed."""
    end = time.perf_counter() + 0.4
    warm = 0
    while warm < 3 or time.perf_counter() < end:
        before()
        function()
        warm += 1
    times = []
    for _ in range(calls):
        before()
        start = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def together(size, calls):
    """Returns the milliseconds for one product while four threads multiply at once, three times."""
    count = 4

    def work(a, b, c, start):
        start.wait()
        for _ in range(calls):
            np.matmul(a, b, out=c)

    operands = [(*matrices(size), np.ones((size[0], size[1]), np.float32)) for _ in range(count)]
    times = []
    for _ in range(3):
        start = threading.Barrier(count + 1)
        threads = [threading.Thread(target=work, args=(*each, start)) for each in operands]
        for thread in threads:
            thread.start()
        start.wait()
        begin = time.perf_counter()
        for thread in threads:
            thread.join()
        times.append(1e3 * (time.perf_counter() - begin) / (count * calls))
    return times


def situations(size, calls):
    a, b = matrices(size)
    c = np.ones((size[0], size[1]), np.float32)
    small = np.ones((300, 300), np.float32)
    kept = {}

    def reused():
        np.matmul(a, b, out=c)

    def new():
        kept["c"] = a @ b

    def nothing():
        pass

    def neighbour():
        small @ small

    first = None
    for name, function, before in (("reused", reused, nothing), ("new", new, nothing), ("after", reused, neighbour),
                                   ("new, after", new, neighbour), ("four", None, None)):
        times = timed(function, before, calls) if function else together(size, max(calls // 8, 3))
        median = statistics.median(times)
        first = first or median
        print(f"{'x'.join(map(str, size)):>16} {name:12} {median:9.3f} {max(times):9.3f} {median / first:6.2f}", flush=True)


def once(size, pause):
    """Times a product now, and the next ones."""
    a, b = matrices(size)
    c = np.ones((size[0], size[1]), np.float32)
    if pause:
        timed(lambda: np.matmul(a, b, out=c), lambda: None, 20)
        time.sleep(PAUSE)
    start = time.perf_counter()
    np.matmul(a, b, out=c)
    first = 1e3 * (time.perf_counter() - start)
    second = time.perf_counter()
    np.matmul(a, b, out=c)
    second = 1e3 * (time.perf_counter() - second)
    steady = statistics.median(timed(lambda: np.matmul(a, b, out=c), lambda: None, 20))
    print(f"{'x'.join(map(str, size)):>16} {'after idle' if pause else 'first':12} {first:9.3f}  second {second:9.3f}  "
          f"steady {steady:9.3f}  ratio {first / steady:6.2f}", flush=True)


def ready():
    lava = library()
    a, b = matrices((2048, 2048, 2048))
    c = np.ones((2048, 2048), np.float32)
    call = Call(size=ctypes.sizeof(Call))
    start = time.perf_counter()
    while time.perf_counter() - start < 20:
        np.matmul(a, b, out=c)
        if lava and lava.lavablas_last_call(ctypes.byref(call)) == 0 and call.place == b"gpu":
            print(f"ready after {time.perf_counter() - start:.3f} s")
            return
    print("never ready")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sizes", default="1024,2048,2048x1024x2048,4096,8192")
    parser.add_argument("--calls", type=int, default=60, metavar="N", help="calls of each situation")
    parser.add_argument("--first", metavar="SIZE", help="only the first product of this size")
    parser.add_argument("--idle", metavar="SIZE", help="only a product of this size after the memory was given back")
    parser.add_argument("--ready", action="store_true", help="only the time until the device computes")
    arguments = parser.parse_args()
    if arguments.ready:
        ready()
        return
    wait()
    if arguments.first or arguments.idle:
        once(dimensions(arguments.first or arguments.idle), bool(arguments.idle))
        return
    print(f"{'m x n x k':>16} {'situation':12} {'median ms':>9} {'maximum':>9} {'ratio':>6}")
    for size in arguments.sizes.split(","):
        situations(dimensions(size), arguments.calls)


main()
