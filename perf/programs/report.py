"""Shared by the Python programs of this folder: sizes from the command line, and the lines that compare reads."""
import sys


def sizes(*names):
    """Returns one integer from the command line for each name."""
    if len(sys.argv) != 1 + len(names):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(names)}")
    return [int(word) for word in sys.argv[1:]]


def report(seconds, **results):
    """Prints the time, then for each result a line of numbers of the same scale."""
    print(f"seconds {seconds:.6f}")
    for name, values in results.items():
        print(name, *(f"{float(value):.12g}" for value in values))
