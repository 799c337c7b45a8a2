"""The table of products by two devices, for perf/tables."""
from table_parts import best_of, measurements, number, table

SHARED, BESIDE = "2026-11-25-nvidia-h100-two-shared-staging", "2026-11-25-nvidia-h100-two"
PRODUCTS = (("sgemm_", (4096, 8192, 16384)), ("dgemm_", (8192, 16384)), ("cblas_hgemm", (4096, 8192, 16384)))


def best(name, routine, order, command):
    """Milliseconds, the least of all processes of the command; None where there is none."""
    return best_of(measurements(name, "bench", may_lack=True, command=command), routine, order, "")


def two_devices():
    rows = []
    for routine, orders in PRODUCTS:
        for order in orders:
            one, two = (best(SHARED, routine, order, f"LAVABLAS_DEVICE={devices} bench --library new") for devices in ("0", "0,1"))
            beside = [best(BESIDE, routine, order, f"LAVABLAS_DEVICE={devices} bench --library libnvblas") for devices in ("0", "0,1")]
            rows.append([f"{routine.removeprefix('cblas_').rstrip('_')} {order}", number(one), number(two), f"{one / two:.2f}", *map(number, beside)])
    return table(["product", "one GPU", "two", "times", "NVBLAS, one", "two"], rows)


TABLES = {"two devices": two_devices}
