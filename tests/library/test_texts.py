#!/usr/bin/env python3
"""Every text by which the library tells of trouble stands in doc/troubleshooting.md, with what to do.

These are its warnings and errors, what it prints at every level, why there is no device, and the reasons of the
statistics. A text with %s and the like is there if its fixed parts are, in order, in one line.

    test_texts.py SOURCE_FOLDER
"""
import pathlib
import re
import sys

LITERALS = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
SOURCES = {
    "messages at every level": (r"lava_log_always\(\s*" + LITERALS, "lib/**/*.[ch]"),
    "warnings and errors": (r"LAVA_LOG\(\s*(?:WARN|ERROR)\s*,\s*" + LITERALS, "lib/**/*.[ch]"),
    "why there is no device": (r"\*why = (?:config->device\s*\?\s*)?" + LITERALS, "lib/**/*.[ch]"),
    "why there is no other device": (r"\*why = config->device\s*\?[^:;]*:\s*" + LITERALS, "lib/**/*.[ch]"),
    "what becomes of a preparation": (r"(?:why =|\] = \{|\? )\s*" + LITERALS, "lib/offload/[pr][re][ea][pd]*.c"),
    "reasons": (r"\[LAVA_REASON_\w+\]\s*=\s*" + LITERALS, "dispatch/policy_text.c"),
    "statuses": (r"\[LAVA_ERROR_\w+\]\s*=\s*" + LITERALS, "lib/base/status.c"),
}
# At least this many of each are known, so that a pattern which no longer fits the code is noticed.
LEAST = {"messages at every level": 8, "warnings and errors": 9, "why there is no device": 6, "why there is no other device": 1,
         "what becomes of a preparation": 6, "reasons": 20, "statuses": 8}


def join(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace('\\"', '"')


def is_told(text, lines):
    parts = [part.strip() for part in re.split(r"%[-+ #0]*[\d.]*(?:ll|z)?[a-zA-Z]", text)]
    parts = [part for part in parts if re.search(r"\w{3}", part)]
    if not parts:
        return True  # a line of somebody else's words
    pattern = re.compile(".*".join(re.escape(part) for part in parts))
    return any(pattern.search(line) for line in lines)


def main():
    root = pathlib.Path(sys.argv[1])
    lines = (root / "doc" / "troubleshooting.md").read_text(encoding="utf-8").replace("`", "").splitlines()
    failed = False
    for kind, (pattern, files) in SOURCES.items():
        texts = set()
        for path in sorted(root.glob(files)):
            texts |= {join(found) for found in re.findall(pattern, path.read_text(encoding="utf-8"))}
        texts.discard("")
        if len(texts) < LEAST[kind]:
            print(f"FAILED: only {len(texts)} {kind} were found in the sources: {sorted(texts)}")
            failed = True
        for text in sorted(texts):
            if not is_told(text, lines):
                print(f"FAILED: doc/troubleshooting.md does not tell of this ({kind}): {text}")
                failed = True
    assert not is_told("no such text stands in any document", lines)
    sys.exit(failed)


if __name__ == "__main__":
    main()
