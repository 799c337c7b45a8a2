"""`lavablas jupyter`: a kernel for Jupyter whose environment preloads the library."""
from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sys
from typing import List

from ._library import BESIDE


def _kernels(is_sys_prefix: bool) -> str:
    """Returns the folder where Jupyter looks for kernels: this Python's, or the user's own."""
    if is_sys_prefix:
        return os.path.join(sys.prefix, "share", "jupyter", "kernels")
    shared = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(os.environ.get("JUPYTER_DATA_DIR") or os.path.join(shared, "jupyter"), "kernels")


def _is_ours(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
            return "liblavablas" in json.load(file).get("env", {}).get("LD_PRELOAD", "")
    except (OSError, ValueError, AttributeError):
        return False


def _fail(text: str) -> int:
    print(f"lavablas: {text}", file=sys.stderr)
    return 1


def _install(folder: str, title: str) -> int:
    if not os.path.exists(BESIDE):
        return _fail(f"{BESIDE} is missing: install the wheel (python3 -m pip install .)")
    if importlib.util.find_spec("ipykernel") is None:
        return _fail(f"{sys.executable} has no ipykernel, which the kernel needs: {sys.executable} -m pip install ipykernel")
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "env": {"LD_PRELOAD": BESIDE},
            "display_name": title, "language": "python", "metadata": {"debugger": True}}
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump(spec, file, indent=1)
        file.write("\n")
    print(f"{folder}: a kernel that runs {sys.executable} with LavaBLAS preloaded.\n"
          f"Choose \"{title}\" in Jupyter; `%load_ext lavablas` there gives %%lavablas, which measures a cell.")
    return 0


def main(arguments: List[str]) -> int:
    """Installs the kernel, or removes it. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="lavablas jupyter", description="Installs a kernel for Jupyter that runs this Python "
                                     "with LavaBLAS preloaded, in the user's folder of kernels. Other kernels stay as they are.")
    parser.add_argument("--sys-prefix", action="store_true", help=f"in this Python's folder, {sys.prefix}, instead")
    parser.add_argument("--name", default="lavablas", help="the kernel's name (lavablas)")
    parser.add_argument("--uninstall", action="store_true", help="remove it again")
    options = parser.parse_args(arguments)
    if not options.name.replace("-", "").replace("_", "").replace(".", "").isalnum() or options.name.startswith("."):
        return _fail(f"--name {options.name}: only letters, digits, -, _ and .")
    folder = os.path.join(_kernels(options.sys_prefix), options.name)
    if os.path.lexists(folder) and not _is_ours(folder):
        return _fail(f"{folder} is not a kernel of LavaBLAS; it stays")
    try:
        if not options.uninstall:
            return _install(folder, f"Python {sys.version_info[0]} (LavaBLAS)")
        if not os.path.lexists(folder):
            return _fail(f"{folder}: there is no such kernel")
        shutil.rmtree(folder)
    except OSError as error:
        return _fail(str(error))
    print(f"{folder}: removed")
    return 0
