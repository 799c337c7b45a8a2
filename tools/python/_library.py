"""Finds LavaBLAS in this process, by ctypes. It is never loaded here: a BLAS that comes after NumPy's is called by nobody."""
from __future__ import annotations

import ctypes
import importlib
import os
import sys
from typing import Optional

# What lies beside this file in the wheel.
BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "liblavablas.so.0")


class NotLoaded(RuntimeError):
    """LavaBLAS is not in this process, so that the CPU computes everything. The text says what to do."""


ADVICE = f"""LavaBLAS is not loaded in this process: the CPU computes everything. It must be there before Python starts.
  a script:  lavablas run script.py
  Jupyter:   lavablas jupyter     (installs a kernel that has it)
  or:        LD_PRELOAD={BESIDE} {os.path.basename(sys.executable or 'python3')} ..."""


def _find() -> Optional[ctypes.CDLL]:
    """Preloaded or linked, its symbols are global. As part of a replaced libblas.so.3 they may not be."""
    everything = ctypes.CDLL(None)
    if hasattr(everything, "lavablas_version"):
        return everything
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            files = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/liblavablas.so" in line}
    except OSError:
        return None
    for file in files:
        try:
            return ctypes.CDLL(file, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        except OSError:
            continue
    return None


def _declare(found: ctypes.CDLL) -> ctypes.CDLL:
    """The functions of include/lavablas.h that this package calls."""
    why = ctypes.POINTER(ctypes.c_char_p)
    for name, result, arguments in (
            ("lavablas_version", ctypes.c_char_p, ()),
            ("lavablas_state", ctypes.c_int, (why,)),
            ("lavablas_wait_for", ctypes.c_int, (ctypes.c_double, why)),
            ("lavablas_set_precision", ctypes.c_int, (ctypes.c_int,)),
            ("lavablas_precision", ctypes.c_int, ()),
            ("lavablas_count_calls", None, ()),
            ("lavablas_report", ctypes.c_size_t, (ctypes.c_char_p, ctypes.c_size_t)),
            ("lavablas_settings", ctypes.c_size_t, (ctypes.c_char_p, ctypes.c_size_t))):
        try:
            function = getattr(found, name)
        except AttributeError as error:
            version = found.lavablas_version
            version.restype = ctypes.c_char_p
            raise NotLoaded(f"the LavaBLAS in this process is version {version().decode()} and has no {name}: this module "
                            "belongs to another one") from error
        function.restype, function.argtypes = result, arguments
    return found


_loaded: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """Returns the library of this process. Raises NotLoaded."""
    global _loaded  # pylint: disable=global-statement
    if _loaded is None:
        found = _find()
        if found is None:
            raise NotLoaded(ADVICE)
        _loaded = _declare(found)
    return _loaded


def is_loaded() -> bool:
    """Returns whether LavaBLAS is in this process, so that the functions of this module work."""
    try:
        library()
    except NotLoaded:
        return False
    return True


def with_numpy() -> ctypes.CDLL:
    """The same for functions that look for the CPU BLAS: the library does so once, and should find NumPy's, if there is NumPy."""
    found = library()
    try:
        importlib.import_module("numpy")
    except ImportError:
        pass
    return found


def text_of(function: str) -> str:
    """Returns what a function writes that works as snprintf does. What it tells may grow between two calls."""
    call = getattr(with_numpy(), function)
    size = 1 << 16
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = call(buffer, size)
        if length == 0:
            raise MemoryError(function)
        if length < size:
            return buffer.value.decode("utf-8", "replace")
        size = 2 * length


def path() -> Optional[str]:
    """Returns the file of the library in this process."""
    address = ctypes.cast(library().lavablas_version, ctypes.c_void_p).value or 0
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                fields = line.rstrip("\n").split(maxsplit=5)
                first, last = (int(part, 16) for part in fields[0].split("-"))
                if first <= address < last:
                    return fields[5] if len(fields) > 5 else None
    except OSError:
        pass
    return None
