"""The table of products by two devices, for perf/tables."""
from table_parts import best_of, measurements, number, table, value_of

MEASURED, LEVEL3 = "2026-11-26-nvidia-h200-two", "2026-11-26-nvidia-h200-two-level3"
SOLVES, TRIANGULAR = "2026-11-26-nvidia-h200-two-level3-before", "2026-11-25-nvidia-h200-two-level3"
PRODUCTS = tuple((routine, (4096, 8192, 16384)) for routine in ("sgemm_", "dgemm_", "cblas_hgemm"))
TRIANGLES = tuple((routine, (8192, 16384)) for routine in ("ssyrk_", "ssyr2k_", "dsyrk_"))
OTHERS = (*((routine, LEVEL3) for routine in ("ssymm_", "dsymm_", "strmm_", "dtrmm_")), ("strsm_", SOLVES), ("dtrsm_", SOLVES))
CUTS = "2026-11-26-nvidia-h200-two-cuts"
BATCHES = ((20000, 64), (100000, 64), (10000, 128), (2000, 256))
DEVICES = ("0", "0,1")


def short(routine):
    return routine.removeprefix("cblas_").rstrip("_")


def best(name, routine, order, library):
    """Milliseconds by one device and by two, the least of all processes; None if there is none."""
    return [best_of(measurements(name, "bench", may_lack=True, command=f"LAVABLAS_DEVICE={devices} bench --library {library}"),
                    routine, order, "") for devices in DEVICES]


def beside_nvblas(products, name):
    rows = []
    for routine, orders in products:
        for order in orders:
            one, two = best(name, routine, order, "liblavablas")
            rows.append([f"{short(routine)} {order}", number(one), number(two), f"{one / two:.2f}",
                         *map(number, best(name, routine, order, "libnvblas"))])
    return table(["product", "one GPU", "two", "times", "NVBLAS, one", "two"], rows)


def two_devices():
    return beside_nvblas(PRODUCTS, MEASURED)


def triangles_of_two_devices():
    return beside_nvblas(TRIANGLES, TRIANGULAR)


def others_of_two_devices():
    """Symmetric and triangular matrices: how many times as fast as one, by orders."""
    rows = []
    for routine, name in OTHERS:
        cells = [short(routine)]
        for order in (8192, 16384):
            one, two = best(name, routine, order, "liblavablas")
            cells += [number(one), number(two), f"{one / two:.2f}"]
        rows.append(cells)
    return table(["", "8192: one GPU", "two", "times", "16384: one GPU", "two", "times"], rows)


def batches_of_two_devices():
    rows = []
    for letter in "sd":
        rows_of = [measurements(MEASURED, "batch_calls", command=f"LAVABLAS_DEVICE={devices} batch_calls --library "
                                f"liblavablas.so.0.1.0 --routine cblas_{letter}gemm") for devices in DEVICES]
        for count, order in BATCHES:
            one, two = (value_of(found, "best_ms", count=count, m=order) for found in rows_of)
            place = value_of(rows_of[0], "place", count=count, m=order)
            rows.append([f"{letter}gemm, {count} of {order}", number(one), number(two), f"{one / two:.2f}" if place == "gpu" else "on the CPU"])
    return table(["batch", "one GPU", "two", "times"], rows)


def cuts_of_two_devices():
    """Ways to cut a shared product, by the blocks of each device's half of C."""
    rows = []
    for routine, order in (("sgemm_", 8192), ("dgemm_", 8192), ("cblas_hgemm", 8192), ("cblas_hgemm", 16384)):
        section = f"{routine} {order}: one, then old, new"
        times = [measurements(CUTS, "bench", section=section, label=label)[0]["best_us"] / 1e3
                 for label in (section, "try 1,1", "try 4,1", "try 2,4")]
        rows.append([f"{short(routine)} {order}", *map(number, times)])
    return table(["product", "one GPU", "one", "four of 1/4", "one of 1/2, four of 1/8"], rows)


def callers_of_two_devices():
    """Threads that multiply at once, milliseconds for each product, the last measurement of each."""
    found = {}
    for devices in DEVICES:
        for row in measurements(MEASURED, "callers", command=f"LAVABLAS_DEVICE={devices} callers"):
            found[row["threads"], devices] = row["together_ms"]
    return table(["threads", "one GPU", "two", "times"],
                 [[str(threads), *(number(found[threads, devices]) for devices in DEVICES),
                   f"{found[threads, '0'] / found[threads, '0,1']:.2f}"] for threads in (16, 64)])


TABLES = {"two devices": two_devices, "triangles of two devices": triangles_of_two_devices, "callers of two devices": callers_of_two_devices,
          "others of two devices": others_of_two_devices, "batches of two devices": batches_of_two_devices,
          "cuts of two devices": cuts_of_two_devices}
