"""What a program may ask of the library and set: its reports, the device's state, the precision of a thread."""
from __future__ import annotations

import ctypes
import json
import time
from types import TracebackType
from typing import Any, Dict, NamedTuple, Optional, Type, Union, overload

from ._library import library, path, text_of, with_numpy

# enum lavablas_state and enum lavablas_precision of include/lavablas.h.
_STATES = {0: "ready", -1: "never", 1: "starting", 2: "unused"}
_PRECISIONS = {0: "default", 1: "ieee", 2: "standard", 3: "fast"}
_SLICE_S = 0.1  # of a wait, so that Ctrl-C ends it


class State(NamedTuple):
    """What has become of the device, and why it is not ready; true if it is."""

    state: str  # "ready", "starting", "never" (it will not be, or has failed) or "unused" (nothing has needed it)
    reason: str  # in words; "" if it is ready

    def __bool__(self) -> bool:
        return self.state == "ready"


def _state(code: int, why: ctypes.c_char_p) -> State:
    return State(_STATES[code], (why.value or b"").decode())


def wait(timeout: Optional[float] = None) -> State:
    """Starts the preparation of the device, if nothing has, and waits until it is ready for single precision.

    Without it the first products run on the CPU while the device is prepared in the background. timeout: the most seconds;
    "starting" is then the state that is returned, and the preparation goes on.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        why = ctypes.c_char_p()
        left = _SLICE_S if end is None else min(_SLICE_S, max(0.0, end - time.monotonic()))
        state = _state(with_numpy().lavablas_wait_for(left, ctypes.byref(why)), why)
        if state.state != "starting" or (end is not None and time.monotonic() >= end):
            return state


def count() -> None:
    """Counts all calls from now on, as LAVABLAS_STATS does from the first one on.

    Without either only calls that are large enough for a device are counted. report and measure call it. A small call takes
    some 0.1 us longer from then on.
    """
    with_numpy().lavablas_count_calls()


def report() -> Dict[str, Any]:
    """Returns what this process has counted so far, with the keys of the report of LAVABLAS_STATS=FILE.json.

    "calls" has a row for each routine, place and reason, "shapes" for each routine, place and order of size; times are
    nanoseconds, work is in floating-point operations. Small calls are counted from the first report on, or from the first call
    on with `lavablas run` and LAVABLAS_STATS.
    """
    count()
    counted: Dict[str, Any] = json.loads(text_of("lavablas_report"))
    counted["objects"] = [name for name in counted["objects"] if name]
    return counted


def info() -> Dict[str, Any]:
    """Returns version, library (its file), state, reason, device, driver, cpu_blas and settings.

    Starts nothing: device and driver are None until a device is open. settings are those of doc/settings.md, in small letters
    and without LAVABLAS_; sizes are in bytes.
    """
    counted = json.loads(text_of("lavablas_report"))
    why = ctypes.c_char_p()
    state = _state(library().lavablas_state(ctypes.byref(why)), why)
    return {"version": library().lavablas_version().decode(), "library": path(), "state": state.state, "reason": state.reason,
            **{name: counted.get(name) for name in ("device", "driver", "cpu_blas")},
            "settings": json.loads(text_of("lavablas_settings"))}


class Precision:
    """What precision(name) returns: as a context manager it sets the thread's earlier precision again."""

    def __init__(self, name: str, before: str) -> None:
        self.name, self._before = name, before

    def __enter__(self) -> Precision:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        _set_precision(self._before)

    def __repr__(self) -> str:
        return f"<precision {self.name}>"


def _set_precision(name: str) -> None:
    codes = {known: code for code, known in _PRECISIONS.items()}
    if name not in codes:
        raise ValueError(f"precision {name!r}: not one of {', '.join(codes)}")
    library().lavablas_set_precision(codes[name])


@overload
def precision() -> str: ...


@overload
def precision(name: str) -> Precision: ...


def precision(name: Optional[str] = None) -> Union[str, Precision]:
    """Returns or sets what the fp32 products of this thread on the device have to be.

    "ieee": fp32 multiply-adds alone. "standard": tensor cores too, within fp32's error bounds. "fast": elements of A and B may
    be rounded to bf16. "default": what LAVABLAS_PRECISION says. Without a name it returns the one in use. With a name it sets
    it, until it is set again or the end of the `with` block that it begins.
    """
    before = _PRECISIONS[library().lavablas_precision()]
    if name is None:
        return before
    _set_precision(name)
    return Precision(name, before)
