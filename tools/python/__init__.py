"""LavaBLAS runs large matrix products and factorizations on a Vulkan GPU, for programs that call BLAS and LAPACK.

The library has to be in the process before NumPy loads its own BLAS: `lavablas run script.py` and the kernel that
`lavablas jupyter` installs see to that. This module then tells what the library has done, and sets what a program may set:

    import lavablas

    lavablas.wait()                        # until the device is ready; without it the first products run on the CPU
    with lavablas.measure() as measured:   # what this block did, where, how fast, and why
        a @ b
    print(measured)
    with lavablas.precision("ieee"):       # fp32 multiply-adds alone, in this thread
        a @ b
    lavablas.report()                      # all counts of the process
    lavablas.info()                        # version, device, driver, state, settings

In IPython and Jupyter `%load_ext lavablas` gives `%%lavablas`, which measures a cell. If the library is not in the process,
functions raise NotLoaded, which says what to do. It needs no other package.
"""
from __future__ import annotations

from ._control import State, count, info, precision, report, wait
from ._library import NotLoaded, is_loaded
from ._measure import Measurement, Row, measure

__all__ = ["Measurement", "NotLoaded", "Row", "State", "count", "info", "is_loaded", "measure", "precision", "report", "wait"]


def load_ipython_extension(ipython: object) -> None:
    """`%load_ext lavablas`: IPython calls this."""
    from ._magic import register  # pylint: disable=import-outside-toplevel

    register(ipython)
