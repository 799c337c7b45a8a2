"""The tables of single routines, for perf/tables."""
from table_parts import best_of, measurements, number, table

SYRK, STRUCTURE, LAPACK = "2026-11-22-nvidia-h200-syrk", "2026-11-22-nvidia-h200-structure", "2026-11-23-nvidia-h200-lapack"
ORDERS = (1024, 2048, 4096, 8192)


def products():
    """The best of all measurements of the run: each was timed in several sections."""
    everything = measurements(SYRK, "bench")
    rows = []
    for routine in ("sgemm_", "dgemm_", "ssyrk_"):
        for label in ("OpenBLAS", "NVBLAS", "LavaBLAS"):
            times = (best_of(everything, routine, n, f"lib{label.lower()}") for n in ORDERS)
            rows.append([f"{routine.rstrip('_')}, {label}", *map(number, times)])
    return table(["order of all matrices", *map(str, ORDERS)], rows)


def lapack():
    """OpenBLAS, and the device, of run 5."""
    wanted = {"run": "Run 5", "section": "LAPACK"}
    sides = {"OpenBLAS": "plain", "device": "preloaded, LAVABLAS_MODE=gpu"}
    times = {side: {(row["routine"], row["n"]): row["best_ms"] for row in measurements(LAPACK, "lapack", label=label, **wanted)}
             for side, label in sides.items()}
    rows, orders = [], (512, *ORDERS)
    for routine in ("spotrf", "dpotrf", "sgetrf", "dgetrf", "sgeqrf", "dgeqrf", "dorgqr", "sgesv", "dgesv", "dposv", "dgetrs",
                    "dgetri", "dpotri"):
        for side in sides:
            rows.append([f"{routine}, {side}", *(number(times[side].get((routine, n))) for n in orders)])
    return table(["", *map(str, orders)], rows)


def linalg():
    wanted = {"run": "Run 5"}
    times = {label: {(row["routine"], row["n"]): row["best_ms"] for row in measurements(LAPACK, "numpy.linalg", label=label, **wanted)}
             for label in ("plain", "preloaded")}
    rows = []
    for routine, name in (("solve", "solve, 64 right-hand sides"), ("inv", "inv"), ("cholesky", "cholesky"), ("qr raw", "qr, raw")):
        for label, head in (("plain", f"{name}: plain"), ("preloaded", "preloaded")):
            rows.append([head, *(number(times[label].get((routine, n)), 1) for n in ORDERS)])
    return table(["", *map(str, ORDERS)], rows)


def triangles():
    source = measurements(STRUCTURE, "bench", run="part 1", section="syrk beside gemm")
    rows = []
    for routine in ("sgemm_", "ssyrk_", "dgemm_", "dsyrk_", "csyrk_", "zsyrk_"):
        times = [best_of(source, routine, n, "") for n in ORDERS]
        rows.append([routine.rstrip("_"), *map(number, times)])
        if routine in ("ssyrk_", "dsyrk_"):
            whole = [best_of(source, routine.replace("syrk", "gemm"), n, "") for n in ORDERS]
            rows.append(["ratio", *(f"{part / all_of:.2f}" for part, all_of in zip(times, whole))])
    return table(["order", *map(str, ORDERS)], rows)


TABLES = {"products": products, "lapack": lapack, "numpy.linalg": linalg, "triangles": triangles}
