"""The table of products by two devices, for perf/tables."""
from table_parts import best_of, measurements, number, table

MEASURED, DOUBLE = "2026-11-25-nvidia-h200-two", "2026-11-25-nvidia-h200-two-dgemm"
LEVEL3 = "2026-11-25-nvidia-h200-two-level3"
PRODUCTS = (("sgemm_", (4096, 8192, 16384, 32768)), ("dgemm_", (4096, 8192, 16384)), ("cblas_hgemm", (4096, 8192, 16384, 32768)))
TRIANGLES = tuple((routine, (8192, 16384)) for routine in ("ssyrk_", "ssyr2k_", "dsyrk_"))
DEVICES = ("0", "0,1")


def best(name, routine, order, library):
    """Milliseconds by one device and by two, the least of all processes; None where there is none."""
    return [best_of(measurements(name, "bench", may_lack=True, command=f"LAVABLAS_DEVICE={devices} bench --library {library}"),
                    routine, order, "") for devices in DEVICES]


def beside_nvblas(products, source_of):
    rows = []
    for routine, orders in products:
        for order in orders:
            name = source_of(routine)
            one, two = best(name, routine, order, "liblavablas")
            rows.append([f"{routine.removeprefix('cblas_').rstrip('_')} {order}", number(one), number(two), f"{one / two:.2f}",
                         *map(number, best(name, routine, order, "libnvblas"))])
    return table(["product", "one GPU", "two", "times", "NVBLAS, one", "two"], rows)


def two_devices():
    return beside_nvblas(PRODUCTS, lambda routine: DOUBLE if routine == "dgemm_" else MEASURED)


def triangles_of_two_devices():
    return beside_nvblas(TRIANGLES, lambda routine: LEVEL3)


def callers_of_two_devices():
    """Threads that multiply at once, milliseconds for each product, the last measurement of each."""
    found = {}
    for devices in DEVICES:
        for row in measurements(MEASURED, "callers", command=f"LAVABLAS_DEVICE={devices} callers"):
            found[row["threads"], devices] = row["together_ms"]
    return table(["threads", "one GPU", "two", "times"],
                 [[str(threads), *(number(found[threads, devices]) for devices in DEVICES),
                   f"{found[threads, '0'] / found[threads, '0,1']:.2f}"] for threads in (16, 64)])


TABLES = {"two devices": two_devices, "triangles of two devices": triangles_of_two_devices, "callers of two devices": callers_of_two_devices}
