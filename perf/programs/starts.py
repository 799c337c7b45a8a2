"""Cache folders of a program's first and third start with the library, for compare --history.

`first` has no history of the program, `third` that of two starts. Both have this machine's figures and compiled pipelines, as another
program would have left them. Each timed run has a copy of its own (XDG_CACHE_HOME), which is made before it is timed, so that a program
starts from the same state in all repeats of a session. A driver that keeps compiled kernels there finds them, too.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import runs

FIRST, THIRD = "first", "third"
WITHOUT = {"LAVABLAS_HISTORY": "off"}
WITH = {"LAVABLAS_HISTORY": "on"}


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def fill(folder, library, tool):
    """Makes a cache folder that knows the device, and this machine's figures if there is the tool. It may be kept between sessions."""
    if Path(folder).exists():
        return
    part = str(folder) + ".part"  # so that an interrupted one is not taken for whole
    shutil.rmtree(part, ignore_errors=True)
    Path(part).mkdir(parents=True)
    environment = {**os.environ, **WITHOUT, "XDG_CACHE_HOME": str(Path(part).resolve())}
    if tool and os.environ.get("LAVABLAS_CALIBRATE") != "off":
        subprocess.run([tool, "calibrate"], env=environment, capture_output=True, check=False)
    subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL(None).lavablas_wait(None)"],
                   env={**environment, "LD_PRELOAD": library}, capture_output=True, check=False)
    os.replace(part, folder)


class Starts:
    """The folders of one program, below a temporary one."""

    def __init__(self, base, folder, command, library):
        """Runs the program three times: once without a history, which compiles what it needs, then its first and second start."""
        self.folders = {name: str(Path(folder, name)) for name in (FIRST, THIRD, "now")}
        copy(base, self.folders[FIRST])
        runs.start(command, LD_PRELOAD=library, XDG_CACHE_HOME=self.folders[FIRST], **WITHOUT)
        copy(self.folders[FIRST], self.folders[THIRD])
        for _ in range(2):
            runs.start(command, LD_PRELOAD=library, XDG_CACHE_HOME=self.folders[THIRD], **WITH)

    def prepare(self, start):
        """Returns the settings of the next run, which is that start."""
        copy(self.folders[start], self.folders["now"])
        return {"XDG_CACHE_HOME": self.folders["now"], **WITH}
