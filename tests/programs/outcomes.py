"""Prints the outcome of each test from pytest's report in JUnit's form: passed, failed, error or skipped, and its name.

  outcomes.py REPORT.xml

Exits with 1 if the report has no test.
"""
import sys
import xml.etree.ElementTree as ElementTree


def outcome_of(case):
    for tag, outcome in (('error', 'error'), ('failure', 'failed'), ('skipped', 'skipped')):
        if case.find(tag) is not None:
            return outcome
    return 'passed'


def main():
    outcomes = {}
    order = ('passed', 'skipped', 'failed', 'error')
    for case in ElementTree.parse(sys.argv[1]).iter('testcase'):
        name = f"{case.get('classname')}::{case.get('name')}".replace('\n', ' ')
        # A test that fails again when it is torn down comes twice.
        outcomes[name] = max(outcomes.get(name, 'passed'), outcome_of(case), key=order.index)
    for name in sorted(outcomes):
        print(outcomes[name], name)
    return 0 if outcomes else 1


if __name__ == '__main__':
    sys.exit(main())
