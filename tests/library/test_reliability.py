#!/usr/bin/env python3
"""Each test that doc/reliability.md names is registered: in this build, or if it is marked with *, in a meson.build of the
tests, for builds with fault injection.

    test_reliability.py SOURCE_FOLDER BUILD_FOLDER
"""
import json
import pathlib
import re
import sys

LEAST = 40  # mentions, so that a change of the page's form is noticed


def mentions(page):
    """Returns the tests of the tables' last columns, and whether each is marked."""
    columns = re.findall(r"^\| [^|]*[^|-] \| (`[^|]*) \|$", page, re.M)
    return [found for column in columns for found in re.findall(r"`([^`]+)`(\*?)", column)]


def fault_tests(root):
    """Returns the names of the tests for builds with fault injection, as a pattern for each."""
    text = (root / "tests/robustness/meson.build").read_text(encoding="utf-8")
    names = re.findall(r"^\s+test\('([\w-]+)'( \+ faults)?", text[text.index("if get_option('fault_injection')"):], re.M)
    return {name + ("faults" if added else "") for name, added in names}


def main():
    root, build = (pathlib.Path(argument) for argument in sys.argv[1:3])
    page = (root / "doc/reliability.md").read_text(encoding="utf-8")
    listed = json.loads((build / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    registered = {test["name"] for test in listed}
    named = [(name, mark) for name, mark in mentions(page) if "/" not in name]  # else a tool
    with_faults = fault_tests(root)
    missing = sorted({name for name, mark in named if name not in (with_faults if mark else registered)})
    for name in missing:
        print(f"FAILED: no test is named {name}")
    if len(named) < LEAST:
        print(f"FAILED: only {len(named)} tests were found in the page")
    print(f"{len(named)} tests are named")
    return 1 if missing or len(named) < LEAST else 0


sys.exit(main())
