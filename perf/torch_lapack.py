#!/usr/bin/env python3
"""What PyTorch and cuSOLVER take for LAPACK's work on the same GPU, for comparison with perf/lapack.py.

    torch_lapack.py [--seconds S] [--types float32,float64] N ...      or --check: only whether it can run

Matrices begin and end in the host's memory, and both copies count. The best of a few calls.
"""
import argparse
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("no torch")


def calls_of(n, dtype):
    """Yields a name and a call; its operands are in the host's memory, and what it returns is brought there."""
    general = torch.randn(n, n, dtype=dtype)
    definite = (general.double() @ general.double().T + n * torch.eye(n, dtype=torch.float64)).to(dtype)
    right = torch.ones(n, 64, dtype=dtype)
    yield 'solve', (general, right), lambda a, b: (torch.linalg.solve(a, b),)
    yield 'inv', (general,), lambda a: (torch.linalg.inv(a),)
    yield 'lu_factor', (general,), lambda a: torch.linalg.lu_factor(a)
    yield 'cholesky', (definite,), lambda a: (torch.linalg.cholesky(a),)
    yield 'qr, raw', (general,), lambda a: torch.geqrf(a)


def best_of(seconds, operands, call):
    best, start, count = float('inf'), time.perf_counter(), 0
    while count < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        results = [result.cpu() for result in call(*[operand.cuda() for operand in operands])]
        best = min(best, time.perf_counter() - before)
        count += len(results) > 0
    return 1e3 * best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=float, default=1)
    parser.add_argument('--types', default='float32,float64')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('sizes', nargs='*', type=int)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("torch has no CUDA device")
    if arguments.check:
        return
    torch.backends.cuda.matmul.allow_tf32 = False
    print('torch %s, %s, ms' % (torch.__version__, torch.cuda.get_device_name()))
    for n in arguments.sizes:
        for dtype in arguments.types.split(','):
            times = ['%s %.1f' % (name, best_of(arguments.seconds, operands, call))
                     for name, operands, call in calls_of(n, getattr(torch, dtype))]
            print('%5d %s  %s' % (n, dtype, '  '.join(times)), flush=True)


main()
