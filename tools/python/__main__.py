"""`python -m lavablas ...` is the command `lavablas ...`, which lies beside this file with the library.

`lavablas run script.py` runs the script with this Python, and `lavablas jupyter` is in Python. Everything else is passed on as
it is.
"""
from __future__ import annotations

import os
import sys
from typing import List

# The options of `lavablas run` that are followed by a value.
VALUED = ("--mode", "--device", "--precision", "--trace", "--output", "--profile")


def with_python(arguments: List[str]) -> List[str]:
    """Returns the arguments of `run`, with this Python before a script."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "--":
        at += 2 if arguments[at] in VALUED else 1
    if arguments[at:at + 1] == ["--"]:
        at += 1
    program = arguments[at] if at < len(arguments) else ""
    is_script = program.endswith(".py") and os.path.isfile(program)
    return [*arguments[:at], sys.executable, *arguments[at:]] if is_script else arguments


def main() -> None:
    """Becomes the command."""
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lavablas")
    arguments = sys.argv[1:]
    if arguments[:1] == ["jupyter"]:
        from ._jupyter import main as jupyter  # pylint: disable=import-outside-toplevel

        sys.exit(jupyter(arguments[1:]))
    if arguments[:1] == ["run"]:
        arguments = ["run", *with_python(arguments[1:])]
    try:
        os.execv(command, [command, *arguments])
    except OSError as error:
        sys.exit(f"lavablas: {command}: {error.strerror}")


if __name__ == "__main__":
    main()
