"""Measures a block: the difference between two reports of the process."""
from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Type

from ._control import report


class Row(NamedTuple):
    """Calls of one routine that ran at one place for one reason."""

    routine: str  # as it was called: "cblas_dgemm64_", "dpotrf_" ...
    place: str  # "gpu" or "cpu"
    reason: str
    calls: int
    seconds: float  # in these calls; of many small ones an estimate from those that were timed
    flops: float  # floating-point operations

    @property
    def rate(self) -> float:
        """Floating-point operations a second."""
        return self.flops / self.seconds if self.seconds > 0 else 0.0


def _sums(counted: Dict[str, Any]) -> Dict[Tuple[str, str, str], Tuple[int, int, float]]:
    return {(row["routine"], row["place"], row["reason"]): (row["calls"], row["ns"], row["flop"]) for row in counted["calls"]}


class Measurement:
    """What the calls of BLAS and LAPACK did between the begin and the end of a block, in all threads of the process.

    A call that another call makes is a part of that one. Until the block has ended there are no rows.
    """

    def __init__(self) -> None:
        self.seconds = 0.0  # of the whole block
        self.rows: List[Row] = []  # the longest first
        self.up_bytes = self.down_bytes = 0  # copied to the device and back
        self.stayed_uses = self.stayed_bytes = 0  # of matrices that were on the device already
        self._before: Optional[Dict[str, Any]] = None
        self._began = 0.0

    def __enter__(self) -> Measurement:
        self._before = report()
        self._began = time.perf_counter()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.seconds = time.perf_counter() - self._began
        after = report()
        before = self._before or {}
        self._before = None
        earlier = _sums(before)
        for key, sums in _sums(after).items():
            then = earlier.get(key, (0, 0, 0.0))
            if sums[0] > then[0]:
                self.rows.append(Row(*key, sums[0] - then[0], (sums[1] - then[1]) * 1e-9, sums[2] - then[2]))
        self.rows.sort(key=lambda row: -row.seconds)
        for name in ("up_bytes", "down_bytes", "stayed_uses", "stayed_bytes"):
            setattr(self, name, after["transfers"][name] - before["transfers"][name])

    def calls(self, place: Optional[str] = None) -> int:
        """Returns the number of calls; place: "gpu" or "cpu" alone."""
        return sum(row.calls for row in self.rows if place in (None, row.place))

    def on_cpu(self) -> Dict[str, int]:
        """Returns why calls stayed on the CPU, and how many for each reason."""
        reasons: Dict[str, int] = {}
        for row in self.rows:
            if row.place == "cpu":
                reasons[row.reason] = reasons.get(row.reason, 0) + row.calls
        return reasons

    def __str__(self) -> str:
        lines = [f"lavablas: {self.seconds:.3f} s; {self.calls('gpu')} calls on the GPU, {self.calls('cpu')} on the CPU"]
        width = max((len(row.routine) for row in self.rows), default=0)
        for row in self.rows:
            lines.append(f"  {row.routine:{width}} {row.place} {row.calls:7} calls {row.seconds:10.4f} s "
                         f"{row.rate * 1e-9:9.1f} GFLOP/s  {row.reason}")
        if self.up_bytes or self.down_bytes:
            lines.append(f"  copied: {self.up_bytes * 1e-9:.3f} GB to the device, {self.down_bytes * 1e-9:.3f} GB back")
        if self.stayed_uses:
            lines.append(f"  already there: {self.stayed_bytes * 1e-9:.3f} GB in {self.stayed_uses} uses of matrices that stay")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Measurement: {self.seconds:.3f} s, {self.calls('gpu')} calls on the GPU, {self.calls('cpu')} on the CPU>"


def measure() -> Measurement:
    """Returns a context manager that measures its block; print it, or read its members, after the block."""
    return Measurement()
