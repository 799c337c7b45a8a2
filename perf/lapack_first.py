#!/usr/bin/env python3
"""The first calls of LAPACK's work in a program, from an empty cache in the default mode: plain, with the library preloaded,
and PyTorch on the same GPU.

    lapack_first.py [--library PATH] [--calls N] [--types float64] [--routines inv,qr,...] [--order C,F] [--plain N]
                    [--seconds S] [N ...]

Each routine runs in a process of its own, which begins with XDG_CACHE_HOME empty and calls it N times (5); each call is
printed, in ms, and where the library computed what it was called for. LAVABLAS_* of the environment count. NumPy takes
matrices in C's order (--order C), SciPy in Fortran's too (F). PyTorch is left out if it is not installed; its matrices
begin and end in the host's memory.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NUMPY = ("dot", "solve", "inv", "cholesky", "qr")
SCIPY = ("lu_factor", "cho_factor", "cho_solve", "sp_qr", "sp_inv", "lstsq")


def arrange(matrix, order):
    import numpy
    return numpy.asfortranarray(matrix) if order == "F" else numpy.ascontiguousarray(matrix)


def numpy_call(routine, n, dtype, order):
    """Returns a function that calls the routine once. Its matrices are made without BLAS."""
    import numpy
    random = numpy.random.default_rng(1)
    general = arrange(random.standard_normal((n, n), dtype), order)
    if routine in ("cholesky", "cho_factor", "cho_solve"):
        general = arrange((general + general.T) / 2 + 4 * numpy.sqrt(n) * numpy.eye(n, dtype=dtype), order).astype(dtype, copy=False)
    right = arrange(random.standard_normal((n, 64), dtype), order)
    if routine in NUMPY:
        return {"dot": lambda: general.dot(general),
                "solve": lambda: numpy.linalg.solve(general, right),
                "inv": lambda: numpy.linalg.inv(general),
                "cholesky": lambda: numpy.linalg.cholesky(general),
                "qr": lambda: numpy.linalg.qr(general, mode="raw")}[routine]
    import scipy.linalg
    unchecked = {"check_finite": False}
    return {"lu_factor": lambda: scipy.linalg.lu_factor(general, **unchecked),
            "cho_factor": lambda: scipy.linalg.cho_factor(general, **unchecked),
            "cho_solve": lambda: scipy.linalg.cho_solve((general, False), right, **unchecked),
            "sp_qr": lambda: scipy.linalg.qr(general, mode="raw", **unchecked),
            "sp_inv": lambda: scipy.linalg.inv(general, **unchecked),
            "lstsq": lambda: scipy.linalg.lstsq(general, right, lapack_driver="gelsy", **unchecked)}[routine]


def torch_call(routine, n, dtype, _):
    import torch
    if not torch.cuda.is_available():
        raise ImportError("no CUDA device")
    general, right = torch.randn(n, n, dtype=getattr(torch, dtype)), torch.ones(n, 64, dtype=getattr(torch, dtype))
    if routine in ("cholesky", "cho_factor", "cho_solve"):
        general = (general + general.T) / 2 + 4 * n**0.5 * torch.eye(n, dtype=general.dtype)
    function = {"dot": lambda a, b: (a @ a,), "solve": lambda a, b: (torch.linalg.solve(a, b),),
                "inv": lambda a, b: (torch.linalg.inv(a),), "sp_inv": lambda a, b: (torch.linalg.inv(a),),
                "cholesky": lambda a, b: (torch.linalg.cholesky(a),), "cho_factor": lambda a, b: (torch.linalg.cholesky(a),),
                "cho_solve": lambda a, b: (torch.cholesky_solve(b, a),), "qr": lambda a, b: torch.geqrf(a),
                "sp_qr": lambda a, b: torch.geqrf(a), "lu_factor": lambda a, b: torch.linalg.lu_factor(a),
                "lstsq": lambda a, b: (torch.linalg.lstsq(a, b).solution,)}[routine]
    return lambda: [result.cpu() for result in function(general.cuda(), right.cuda())]


def time_calls(make, routine, n, dtype, order, calls):
    """Prints the times of the calls as JSON. Runs in the process of one routine."""
    call, times = make(routine, n, dtype, order), []
    for _ in range(calls):
        before = time.perf_counter()
        call()
        times.append(round(1e3 * (time.perf_counter() - before), 1))
    print(json.dumps(times))


def run(how, task, calls, library):
    """Returns the times, and what the library says; None if it cannot run."""
    with tempfile.TemporaryDirectory() as folder:
        statistics = Path(folder) / "statistics.json"
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        environment["XDG_CACHE_HOME"] = folder
        if how == "preloaded":
            environment.update(LD_PRELOAD=library, LAVABLAS_STATS=str(statistics))
        program = subprocess.Popen([sys.executable, __file__, "--task", how, str(calls), *task], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        output, errors = program.communicate()
        if program.returncode:
            return None, (errors.strip().splitlines() or ["failed"])[-1]
        return json.loads(output.splitlines()[-1]), places(statistics, program.pid)


def places(path, pid):
    """Returns the library's calls of that process, by routine and place, those with the most time first."""
    if not path.exists():
        return ""
    processes = [json.loads(line) for line in path.read_text().splitlines() if line]
    calls = [call for process in processes if process["pid"] == pid for call in process["calls"]]
    return "; ".join(f"{call['routine']} {call['place']} {call['calls']} x {1e-6 * call['ns'] / call['calls']:.0f} ms ({call['reason']})"
                     for call in sorted(calls, key=lambda call: -call["ns"]) if call["ns"] > 1e6)


def find_library():
    found = sorted(Path(__file__).resolve().parent.parent.glob("build/lib/liblavablas.so.0"))
    if not found:
        sys.exit("lapack_first.py: no build/lib/liblavablas.so.0; --library PATH")
    return str(found[0])


def print_row(task, how, times, what):
    shown = " ".join(f"{time_ms:9.1f}" for time_ms in times) if times else "-"
    print(f"{task[0]:12} {task[1]:>6} {task[2]:8} {task[3]} {how:10} {shown}  {what}", flush=True)


def main():
    if sys.argv[1:2] == ["--task"]:
        how, calls, routine, n, dtype, order = sys.argv[2:]
        time_calls(torch_call if how == "torch" else numpy_call, routine, int(n), dtype, order, int(calls))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", metavar="PATH", help="default: build/lib/liblavablas.so.0")
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--types", default="float64")
    parser.add_argument("--routines", default="solve,inv,cholesky,qr,lu_factor,cho_factor", help=",".join(NUMPY + SCIPY))
    parser.add_argument("--order", default="C,F", help="of the matrices' elements; NumPy's routines take C alone")
    parser.add_argument("--plain", type=int, default=2, metavar="N", help="calls without the library (2)")
    parser.add_argument("--seconds", type=float, default=1e9, help="no routine begins later")
    parser.add_argument("sizes", nargs="*", type=int)
    arguments = parser.parse_args()
    library, begin, has_torch = arguments.library or find_library(), time.monotonic(), True
    print("routine       order type      calls, ms")
    tasks = [(routine, str(n), dtype, order) for n in arguments.sizes or [4096, 8192] for dtype in arguments.types.split(",")
             for routine in arguments.routines.split(",") for order in arguments.order.split(",")
             if order == "C" or routine in SCIPY]
    for task in tasks:
        if time.monotonic() - begin > arguments.seconds:
            print(*task, "left out: no time")
            continue
        print_row(task, "plain", *run("plain", task, arguments.plain, library))
        print_row(task, "preloaded", *run("preloaded", task, arguments.calls, library))
        if has_torch and task[3] == "C":
            times, what = run("torch", task, arguments.calls, library)
            has_torch = times is not None
            print_row(task, "torch", times, what)


if __name__ == "__main__":
    main()
