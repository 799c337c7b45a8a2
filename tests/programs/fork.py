"""A Python program whose children write at their end. Started by fork.sh, which reads what they wrote.

  fork.py exit|multiprocessing BLAS     BLAS: a file, or empty for the library itself
"""
import atexit
import ctypes
import multiprocessing
import multiprocessing.util
import os
import sys

CHILDREN = 5
ctypes.CDLL(sys.argv[2] or None, mode=ctypes.RTLD_GLOBAL)
gemm = ctypes.CDLL(None).dgemm_


def multiply(n):
    a, c = (ctypes.c_double * (n * n))(*[1.0] * (n * n)), (ctypes.c_double * (n * n))()
    number, one, zero = ctypes.byref(ctypes.c_int(n)), ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
    gemm(b"N", b"T", number, number, number, one, a, number, a, number, zero, c, number)
    return c[n * n - 1]


def work(child):
    print("output", child)
    assert child % 2 == 0 or multiply(200) == 200


def leave(child):
    atexit.register(print, "end", child)
    work(child)
    sys.exit(5)


def finish(child):
    multiprocessing.util.Finalize(None, print, args=("end", child), exitpriority=1)
    work(child)


assert multiply(200) == 200
for child in range(CHILDREN):
    if sys.argv[1] == "multiprocessing":
        process = multiprocessing.get_context("fork").Process(target=finish, args=(child,))
        process.start()
        process.join()
        assert process.exitcode == 0, process.exitcode
        continue
    if os.fork() == 0:
        leave(child)
    status = os.waitstatus_to_exitcode(os.wait()[1])
    assert status == 5, status
