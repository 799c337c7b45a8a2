#!/usr/bin/env python3
"""What PyTorch's matrix product reaches on the same GPU, for comparison.

    torch_matmul.py fp16|bf16|fp32|fp64 [SECONDS] SIZE...        SIZE: N or MxNxK, or --check: only whether it can run

Column-major operands and result on the device, sums in fp32, C in the operands' type. For each size the least
time of one product; then the same with copies of the operands taking turns, 512 MiB of them, so that no cache
holds them.
"""
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("no torch")
if not torch.cuda.is_available():
    sys.exit("torch has no CUDA device")
if sys.argv[1:] == ["--check"]:
    sys.exit(0)

TYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64}
ROTATED_BYTES = 512 << 20


def milliseconds(copies, out, seconds):
    """Returns the minimum of several batches, each long enough to hide launching, after a warm-up of the same length."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    best, batch, timed = None, 1, False
    begin = time.perf_counter()
    while True:
        start.record()
        for i in range(batch):
            a, b = copies[i % len(copies)]
            torch.mm(a, b, out=out)
        end.record()
        end.synchronize()
        one = start.elapsed_time(end) / batch
        batch = max(len(copies), min(2000, int(30 / one) + 1))
        elapsed = time.perf_counter() - begin
        if timed:
            best = one if best is None else min(best, one)
            if elapsed > seconds:
                return best
        elif elapsed > seconds:
            timed, begin = True, time.perf_counter()


def operands(m, n, k, element):
    """Column-major operands, as transposed views of torch's arrays."""
    def matrix(rows, columns):
        return (torch.rand(columns, rows, device="cuda") * 2 - 1).to(element).t()
    return matrix(m, k), matrix(k, n)


def main():
    element, seconds, sizes = TYPES[sys.argv[1]], 0.3, sys.argv[2:]
    if sizes and "." in sizes[0]:
        seconds = float(sizes.pop(0))
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}, {sys.argv[1]}")
    print(f"{'m x n x k':22} {'ms':>9} {'TFLOP/s':>9} | {'rotating':>9} {'TFLOP/s':>9} {'copies':>6}")
    for size in sizes:
        m, n, k = [int(x) for x in size.split("x")] if "x" in size else [int(size)] * 3
        pair = operands(m, n, k, element)
        out = torch.empty(n, m, device="cuda", dtype=element).t()
        flops = 2.0 * m * n * k
        same = milliseconds([pair], out, seconds)
        count = min(64, ROTATED_BYTES // (pair[0].nbytes + pair[1].nbytes) + 1)
        # clone keeps a transposed view's strides
        copies = [pair] + [(pair[0].clone(), pair[1].clone()) for _ in range(count - 1)]
        rotating = milliseconds(copies, out, seconds)
        print(f"{m} x {n} x {k}".ljust(22) + f" {same:9.4f} {flops / same * 1e-9:9.2f} |"
              f" {rotating:9.4f} {flops / rotating * 1e-9:9.2f} {count:6}", flush=True)


main()
