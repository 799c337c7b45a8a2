"""The tables of single routines, for perf/tables."""
from table_parts import best_at, best_of, measurements, milliseconds, number, table, value_of

SYRK, STRUCTURE, LAPACK = "2026-11-26-nvidia-h200-products", "2026-11-22-nvidia-h200-structure", "2026-11-23-nvidia-h200-lapack"
HOST, PLANES, DOUBLE = "2026-11-21-nvidia-h200-host-to-host", "2026-11-21-nvidia-h200-planes", "2026-11-21-nvidia-h200-double"
STREAMS, BESIDE, LATER = "2026-11-22-nvidia-h200-streams", "2026-11-25-nvidia-h200-level3-beside", "2026-11-26-nvidia-h200-lapack"
CHAINS = "2026-11-25-nvidia-h200-lapack-errors"
OLD_NEW = "2026-11-25-nvidia-h200-kernels-old-new"
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


def place_of(row, other):
    """Says where a call ran if that was the CPU, or was wrong."""
    if not row or not other:
        return ""
    return ", CPU" if row["place"] == "cpu" else ", GPU: a wrong choice" if row["best_us"] > 1.03 * other["best_us"] else ""


def beside_nvblas(name, routine, size, **wanted):
    """The best of NVBLAS's tile sizes, and LavaBLAS beside it at that size."""
    pairs = []
    for tile in (1024, 2048, 4096, 8192):
        rows = [row for row in tiles(name, tile, **wanted) if row["routine"] == routine]
        if best_at(rows, routine, size, "libnvblas"):
            pairs.append((best_at(rows, routine, size, "libnvblas"), best_at(rows, routine, size, "liblavablas")))
    return min(pairs, key=lambda pair: pair[0]["best_us"], default=(None, None))


def tiles(name, tile, **wanted):
    """Rows measured beside NVBLAS with a tile size; none if it was not measured with that."""
    return measurements(name, "bench", may_lack=True, label=f"NVBLAS_TILE_DIM {tile}", command="libnvblas", **wanted)


def host_to_host():
    """Each beside one other library."""
    alone = measurements(HOST, "bench", section="against OpenBLAS")
    sizes = (512, 1024, 2048, 4096, 8192, 16384, (16384, 1024, 4096), (64, 8192, 8192), (8192, 64, 8192), (8192, 8192, 64))
    rows = []
    for size in sizes:
        other, ours = (best_at(alone, "sgemm_", size, library) for library in ("libopenblas", "liblavablas"))
        nvblas, beside = beside_nvblas(HOST, "sgemm_", size)
        shape = " x ".join(map(str, (size, size, size) if isinstance(size, int) else size))
        rows.append([shape, milliseconds(other, 3), milliseconds(ours, 3) + place_of(ours, other), milliseconds(nvblas), milliseconds(beside, 3)])
    return table(["m x n x k", "OpenBLAS", "LavaBLAS beside it", "NVBLAS", "LavaBLAS beside it"], rows)


def by_precision():
    orders = (*ORDERS, 16384)
    rows = []
    for precision in ("ieee", "standard"):
        source = measurements(PLANES, "bench", label=f"LAVABLAS_PRECISION {precision}")
        rows.append([f"`{precision}`", *(milliseconds(best_at(source, "sgemm_", n), 3) for n in orders)])
    return table(["M = N = K", *map(str, orders)], rows)


def double_and_complex():
    orders = (512, *ORDERS)
    rows = []
    for routine in ("dgemm", "cgemm", "zgemm"):
        source = measurements(DOUBLE, "bench", label="host to host", command="libopenblas")
        pairs = [[best_at(source, f"{routine}_", n, library) for library in ("libopenblas", "liblavablas")] for n in orders]
        rows.append([f"{routine}, OpenBLAS", *(milliseconds(other, 3) for other, _ in pairs)])
        rows.append([f"{routine}, LavaBLAS beside it", *(milliseconds(ours, 3) + place_of(ours, other) for other, ours in pairs)])
        if routine == "dgemm":
            pairs = [beside_nvblas(DOUBLE, "dgemm_", n) for n in orders]
            rows.append(["dgemm, NVBLAS", *(milliseconds(other) for other, _ in pairs)])
            rows.append(["dgemm, LavaBLAS beside it", *(milliseconds(ours) for _, ours in pairs)])
    return table(["M = N = K", *map(str, orders)], rows)


def span(values, digits=3):
    """The least and the largest of several runs, with `digits` digits."""
    low, high = (number(value, digits) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def batches():
    before, now = (measurements(STREAMS, "batch", command=command) for command in ("batch-old ", "batch --"))
    rows = []
    for count, n, kernel in ((10000, 64, "fp32"), (1000, 200, "fp32"), (5000, 64, "fp64"), (500, 200, "fp64"), (20000, 32, "fp32"),
                             (50, 500, "fp32"), (100, 64, "fp32")):
        old, new = ([row for row in side if row["count"] == count and row["n"] == n and row["kernel"].startswith(kernel)] for side in (before, now))
        rows.append([f"{count:,} of {n} x {n} x {n}, {kernel}", span([row["call_ms"] for row in old]), span([row["call_ms"] for row in new]),
                     span([row["cpu_ms"] for row in old + new])])
    return table(["products", "before (two rounds at a time)", "now", "OpenBLAS, one by one"], rows)


def share(row, other):
    return f"{row['best_us'] / other['best_us']:.2f}" if row and other else ""


def level3_beside():
    wanted = {"run": "Run 1", "section": "beside OpenBLAS and NVBLAS"}
    source = measurements(BESIDE, "bench", command="libopenblas", **wanted)
    rows = []
    for letter in "sd":
        for name in ("gemm", "symm", "syr2k", "trmm", "trsm"):
            routine, cells = f"{letter}{name}_", []
            for n in (512, 1024, 2048):
                other, ours = (best_at(source, routine, n, library) for library in ("libopenblas", "liblavablas"))
                cells.append(f"{milliseconds(ours, 3)}, {share(ours, other)}" + (" (CPU)" if ours["place"] == "cpu" else "") if ours else "")
            for n in (4096, 8192):
                other, ours = beside_nvblas(BESIDE, routine, n, **wanted)
                cells += [milliseconds(ours), f"{milliseconds(other)}: {share(ours, other)}" if other else ""]
            rows.append([letter + name, *cells])
    return table(["", "512", "1024", "2048", "4096", "NVBLAS, 4096", "8192", "NVBLAS, 8192"], rows)


def level3_complex():
    sources = {letter: measurements(BESIDE, "bench", section=f"level 3 of type {letter}") for letter in "cz"}

    def rate(row):
        """By the operations that BLAS counts: gflop_per_s is of the median."""
        return row["gflop_per_s"] * row["median_us"] / row["best_us"]

    rows = []
    for letter in "cz":
        for name in ("gemm", "symm", "hemm", "syr2k", "her2k", "trmm", "trsm"):
            found = [best_at(sources[letter], f"{letter}{name}_", n, "liblavablas") for n in (512, *ORDERS)]
            cells = [milliseconds(row, 3) for row in found[:3]]
            for row in found[3:]:
                gemm = best_at(sources[letter], f"{letter}gemm_", row["n"], "liblavablas")
                cells += [milliseconds(row), "" if name == "gemm" else f"{rate(row) / rate(gemm):.2f}"]
            rows.append([letter + name, *cells])
    return table(["", "512", "1024", "2048", "4096", "rate", "8192", "rate"], rows)


def old_new():
    """The last run in which the routine was timed."""
    rows = []
    for routine in ("dgemm_", "dsymm_", "dtrmm_", "dtrsm_", "zgemm_", "ztrmm_", "ztrsm_", "cgemm_", "ctrmm_", "ctrsm_"):
        cells = []
        for n in (1024, 4096, 8192):
            runs = [measurements(OLD_NEW, "bench", may_lack=True, run=f"Run {run}", label=routine) for run in (3, 2, 1)]
            sides = [[best_at(run, routine, n, library) for library in ("old", "new")] for run in runs]
            old, new = next((side for side in sides if all(side)), (None, None))
            cells += [f"{milliseconds(old, 3)}, {milliseconds(new, 3)}: {share(new, old)}" if old else ""]
        rows.append([routine.rstrip("_"), *cells])
    return table(["old, new: share", "1024", "4096", "8192"], rows)


def lapack_later():
    names = ("potrf", "getrf", "geqrf", "orgqr", "gesv", "posv", "getrs", "getri", "potri", "gels", "gels4", "gelsW", "gesvN")
    rows = []
    for run, label, head, orders in (("Run 1", "plain", "OpenBLAS", (4096,)),
                                     ("Run 2", "preloaded, LAVABLAS_MODE=gpu", "device", (4096, 8192))):
        source = measurements(LATER, "lapack", run=run, label=label)
        for letter in "sd":
            for n in orders:
                times = [value_of(source, "best_ms", routine=letter + name, n=n) for name in names]
                rows.append([f"{head}: {letter}, {n}", *map(number, times)])
    return table(["", *names], rows)


def torch_lapack():
    """PyTorch's four beside the device's, at 8192."""
    torch = measurements(LAPACK, "torch.linalg", run="Run 5")
    device = measurements(LAPACK, "lapack", run="Run 5", section="LAPACK", label="preloaded, LAVABLAS_MODE=gpu")
    rows = []
    for letter, kind in (("s", "float32"), ("d", "float64")):
        times = [value_of(torch, "best_ms", routine=f"{kind} {name}", n=8192) for name in ("solve", "lu_factor", "cholesky", "qr, raw")]
        rows.append([f"{kind}, PyTorch", *map(number, times)])
        times = [value_of(device, "best_ms", routine=letter + name, n=8192) for name in ("gesv", "getrf", "potrf", "geqrf")]
        rows.append([f"{kind}, `?gesv`, `?getrf`, `?potrf`, `?geqrf` on the device", *map(number, times)])
    return table(["8192", "solve, 64 right-hand sides", "LU", "Cholesky", "QR, raw"], rows)


def device_product():
    types = ("fp32", "fp64", "cfp32", "cfp64")
    source = [measurements(STREAMS, "device_product", label=f", {name}, 10 products") for name in types]
    rows = []
    for n, k in ((512, 512), *((n, n) for n in ORDERS), (8192, 256), (8192, 512)):
        found = [next(row for row in side if (row["n"], row["k"]) == (n, k)) for side in source]
        rows.append([f"{n} x {n} x {k}", *(cell for row in found for cell in (number(row["best_ms"], 3), number(row["tflop_per_s"])))])
    return table(["m x n x k", *(cell for name in types for cell in (name, ""))], rows)


def device_factor():
    """Milliseconds, and the share of the rate of a product of that order on the device."""
    rows = []
    for routine, name, cubes in (("cholesky", "Cholesky", 1 / 3), ("lu", "LU", 2 / 3), ("qr", "QR", 4 / 3)):
        cells = []
        for kind in ("fp32", "fp64"):
            times = measurements(CHAINS, "device_factor", run="Run 2", label=f", {kind}, times")
            products = measurements(STREAMS, "device_product", label=f", {kind}, 10 products")
            for n in (1024, 4096, 8192):
                time, rate = value_of(times, "best_ms", routine=routine, n=n), value_of(products, "tflop_per_s", m=n, n=n, k=n)
                percent = 100 * cubes * n**3 / time / rate / 1e9 if time else 0
                cells.append(f"{number(time)}, {percent:.1f}%" if time else "")
        rows.append([name, *cells])
    return table(["", "fp32 1024", "4096", "8192", "fp64 1024", "4096", "8192"], rows)


TABLES = {"products": products, "host to host": host_to_host, "by precision": by_precision, "double and complex": double_and_complex,
          "batches": batches, "level 3 beside": level3_beside, "level 3, old and new": old_new, "lapack later": lapack_later,
          "complex level 3": level3_complex, "lapack": lapack, "torch lapack": torch_lapack, "numpy.linalg": linalg, "triangles": triangles,
          "device product": device_product, "device factor": device_factor}
