"""IPython's and Jupyter's %lavablas and %%lavablas. `%load_ext lavablas` calls register."""
from __future__ import annotations

from typing import Any, Optional

from ._control import precision
from ._library import ADVICE, is_loaded
from ._measure import measure


def register(ipython: Any) -> None:
    """Makes the magic known to a shell of IPython."""

    def lavablas(line: str, cell: Optional[str] = None) -> None:
        """Runs a statement or a cell, then prints what its calls of BLAS and LAPACK did, and where.

        %lavablas STATEMENT
        %%lavablas [ieee|standard|fast]
        """
        code, wanted = (line, "") if cell is None else (cell, line.strip())
        if not is_loaded():
            ipython.run_cell(code)
            print(ADVICE)
            return
        before = precision()
        try:
            if wanted:
                precision(wanted)
            with measure() as measured:
                ipython.run_cell(code)
        finally:
            precision(before)
        print(measured)

    ipython.register_magic_function(lavablas, magic_kind="line_cell", magic_name="lavablas")
