"""What the Python programs of this folder share: sizes from the command line, and the lines that compare reads."""
import sys


def sizes(*names):
    """One whole number of the command line for each name."""
    if len(sys.argv) != 1 + len(names):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(names)}")
    return [int(word) for word in sys.argv[1:]]


def report(seconds, **results):
    """The time, then a line of numbers of one scale for each result."""
    print(f"seconds {seconds:.6f}")
    for name, values in results.items():
        print(name, *(f"{float(value):.12g}" for value in values))
