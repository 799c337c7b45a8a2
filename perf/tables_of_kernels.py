"""The tables of kernels with their operands on the device, for perf/tables."""
from table_parts import measurements, number, table, value_of

FP32, DOUBLE, PLANES = "2026-11-21-nvidia-h200-fp32", "2026-11-21-nvidia-h200-double", "2026-11-21-nvidia-h200-planes"
HALF, SQUARES, SHARED = "2026-11-21-nvidia-h200-half", "2026-11-21-nvidia-h200-half-squares", "2026-11-23-nvidia-h200-half"
FLOPS_PER_S, BYTES_PER_S = 645e12, 4.10e12  # the device's ceilings of that run, fp16 and copies
ORDERS = (1024, 2048, 4096, 8192)
LARGE = (*ORDERS, 16384)
SHAPES = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (16384, 16384, 16384), (16384, 4096, 4096), (4096, 16384, 4096),
          (2048, 2048, 32768))


def rate_of(row):
    """TFLOP/s: three digits."""
    return number(row["tflop_per_s"]) if row else ""


def at(rows, n, **wanted):
    """The row of a square product; None if it was not timed."""
    found = [row for row in rows if row["m"] == row["n"] == row["k"] == n and all(row[key] == value for key, value in wanted.items())]
    return found[0] if found else None


def registers_of(rows, kernel):
    return str(next((row["registers"] for row in rows if row["kernel"] == kernel), ""))


def rows_of_kernels(name, section, orders, with_registers=True, last=()):
    """A line for each kernel in the order of the text. last: what a cell behind the rates holds, for each row of the largest order."""
    source, registers = measurements(name, "kernels", section=section), measurements(name, "registers", may_lack=True, section=section)
    rows = []
    for kernel in dict.fromkeys(row["kernel"] for row in source):
        cells = [rate_of(at(source, n, kernel=kernel)) for n in orders]
        rows.append([kernel, *([registers_of(registers, kernel)] if with_registers else []), *cells, *(cell(source, kernel) for cell in last)])
    return rows


def fp32_rows():
    return table(["row", "registers", *map(str, ORDERS)], rows_of_kernels(FP32, "operands on the device", ORDERS))


def fp64_rows():
    return table(["row", *map(str, ORDERS[1:])], rows_of_kernels(DOUBLE, "fp64, every row", ORDERS[1:], with_registers=False))


def torch_rates(name, kind, orders):
    """The better of the same operands again and of operands in turn."""
    source = measurements(name, "torch.matmul", label=f", {kind}")
    return [number(max((row[member] for row in source if row["m"] == row["n"] == row["k"] == n
                        for member in ("tflop_per_s", "rotating_tflop_per_s")), default=None)) for n in orders]


def rows_by_planes():
    rows = rows_of_kernels(PLANES, "fp32 by planes", LARGE, last=(lambda source, kernel: number(at(source, 8192, kernel=kernel)["pack_ms"]),))
    rows.append(["cuBLAS (PyTorch, TF32 off)", "", *torch_rates(PLANES, "fp32", LARGE), ""])
    return table(["row", "registers", *map(str, LARGE), "pack at 8192"], rows)


def tile_orders(name, kernel, digits):
    source = measurements(name, "kernels", section="orders of tiles")
    kinds = [(order, workgroups) for order in ("linear", "grouped", "hilbert") for workgroups in ("per tile", "persistent")]
    rows = []
    for m, n, k in SHAPES:
        rates = [value_of(source, "tflop_per_s", kernel=kernel, m=m, n=n, k=k, order=order, workgroups=workgroups) for order, workgroups in kinds]
        rows.append([f"{m} x {n} x {k}", *(f"{rate:.{digits}f}" for rate in rates)])
    return table(["M x N x K", *map(", ".join, kinds)], rows)


def half_rows():
    rows = [[name.removeprefix("fp16_"), *cells] for name, *cells in rows_of_kernels(HALF, "fp16, every row", LARGE)]
    return table(["fp16 row", "registers", *map(str, LARGE)], rows)


def half_choices():
    """Multiply and epilogue, and the share of the ceiling, which checkgemm prints."""
    rows = []
    for kind in ("fp16", "bf16"):
        for c, words in (("fp32", "fp32"), ("half", kind)):
            source = measurements(SQUARES, "kernels", command=f"--type {kind} --c-type {c}")
            found = [at(source, n) for n in LARGE]
            rows.append([f"{kind} -> {words}", *(f"{rate_of(row)} ({row['roof_percent']}%)" for row in found)])
        rows.append([f"cuBLAS, {kind}", *torch_rates(HALF, kind, LARGE)])
    return table(["A, B -> C", *map(str, LARGE)], rows)


def kernels():
    """The library's kernels beside cuBLAS."""
    squares = {kind: measurements(SQUARES, "kernels", command=f"--type {kind} --c-type fp32") for kind in ("fp16", "bf16")}
    planes, double = measurements(PLANES, "kernels"), measurements(DOUBLE, "kernels")

    def line(name, source, **wanted):
        return [name, *(rate_of(at(source, n, **wanted)) for n in LARGE)]

    rows = [line("fp32 by three bf16 planes", planes, kernel="bf16x3_128x128"), line("fp32 arithmetic", planes, kernel="fp32_128x128_16x8"),
            ["cuBLAS, fp32 (PyTorch, TF32 off)", *torch_rates(PLANES, "fp32", LARGE)],
            line("complex fp32, 8 m n k counted", double, c="cfp32"), line("fp64", double, kernel="fp64_128x128", c="fp64"),
            line("complex fp64", double, c="cfp64"), ["cuBLAS, fp64", *torch_rates(DOUBLE, "fp64", LARGE)],
            line("fp16 to fp32", squares["fp16"]), line("bf16 to fp32", squares["bf16"]), ["cuBLAS, fp16", *torch_rates(HALF, "fp16", LARGE)]]
    return table(["M = N = K", *map(str, LARGE)], rows)


def share_of_roof(row, milliseconds):
    """Of the larger of operations over the ceiling and bytes over that of memory; C is fp32."""
    m, n, k = row["m"], row["n"], row["k"]
    roof = max(2 * m * n * k / FLOPS_PER_S, (2 * (m * k + k * n) + 4 * m * n) / BYTES_PER_S)
    return f"{1e3 * roof / milliseconds:.2f}"


def few_columns():
    """Multiply + epilogue, microseconds."""
    source = measurements(HALF, "kernels", section="few columns", command="--type fp16 --c-type fp32")
    torch = measurements(HALF, "torch.matmul", label=", fp16")
    rows = []
    for row in source:
        cells = []
        for milliseconds in (row["multiply_ms"], row["median_ms"]):
            cells += [f"{1e3 * milliseconds:.1f} + {1e3 * row['finish_ms']:.1f}", share_of_roof(row, milliseconds + row["finish_ms"])]
        times = [value_of(torch, member, m=row["m"], n=row["n"], k=row["k"]) for member in ("rotating_ms", "best_ms")]
        rows.append([f"{row['n']} x {row['k']}", f"{row['kernel'].removeprefix('fp16_fragments_')}, {row['slices']}", *cells,
                     *(f"{1e3 * milliseconds:.1f}" for milliseconds in times)])
    return table(["N x K", "chosen row, slices", "from memory", "share", "repeated", "share", "cuBLAS from memory", "repeated"], rows)


def median_of(label, n):
    """The first of two rounds."""
    return next(row for row in measurements(SHARED, "kernels", run="part 1", label=label) if row["n"] == n)


def shared_orders():
    kinds = (("old", "[k][m]", "k by k"), ("head", "[m][k]", "row by row"), ("final", "[m][k], stages share a row and its padding", "octets"))
    return table(["in shared memory", "packed", "128x128, K of 16", "64x64, K of 32"],
                 [[name, packed, *(f"{median_of(f'fp16_shared_{kernel}, {label}', 4096)['median_ms']:.3f}" for kernel in ("128x128", "64x64"))]
                  for label, name, packed in kinds])


def rounded_by():
    kinds = (("old", "matrices of sums in bf16 (not valid)"), ("head", "the epilogue"), ("patch1", "the kernel, one patch for each matrix"),
             ("patch2", "the kernel, the same with two patches in turns"), ("final", "the kernel, one patch as high as the part (the present one)"))
    rows = []
    for label, name in kinds:
        cells = []
        for n, digits in ((2048, 4), (4096, 3), (8192, 3)):
            row = median_of(f"bf16 to bf16, {label}", n)
            cells.append(f"{row['median_ms']:.{digits}f}" + (f" + {row['finish_ms']:.{digits}f}" if row["finish_ms"] else ""))
        rows.append([name, *cells])
    return table(["rounded by", "2048", "4096", "8192"], rows)


TABLES = {"kernels": kernels, "fp32 rows": fp32_rows, "fp64 rows": fp64_rows, "rows by planes": rows_by_planes,
          "tile orders of fp32": lambda: tile_orders(FP32, "fp32_128x128_16x8", 2), "half rows": half_rows, "half choices": half_choices,
          "tile orders of fp16": lambda: tile_orders(HALF, "fp16_fragments_128x128", 0), "few columns": few_columns,
          "shared orders": shared_orders, "rounded by": rounded_by}
