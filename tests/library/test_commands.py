#!/usr/bin/env python3
"""Every command of README.md and doc/ is known to commands.txt, which says who runs it.

A command is a line of an indented or fenced block. What stands behind two spaces, or behind " #", is a comment. A block
that is no commands is a picture or a table; commands.txt names its first line.

    test_commands.py SOURCE_FOLDER LAVABLAS      LAVABLAS: the command, which runs what is marked as run here
"""
import os
import pathlib
import re
import subprocess
import sys

TABLE = "tests/library/commands.txt"
failed = 0


def fail(text):
    global failed
    failed = 1
    print(f"FAILED: {text}")


def blocks_of(text):
    """Returns the blocks of a document, each a list of lines without their indentation."""
    blocks, block, fenced, before = [], [], False, ""
    for line in text.split("\n") + [""]:
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or (line.startswith("    ") and (block or not before.strip())):
            block.append(line if fenced else line[4:])
        elif block:
            blocks.append(block)
            block = []
        before = line
    return blocks


def command_of(line):
    return re.split(r"\s{2,}|\s#\s", line.strip())[0].strip()


def commands_of(block):
    """Returns the commands; a line that ends with a backslash, or begins with a space, continues the one before."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(block))
    return [command_of(line) for line in re.sub(r"\n\s+", " ", joined).split("\n") if line.strip()]


def read_table(root):
    """Returns how each command is run, and the first lines of blocks that are no commands."""
    known, texts, command = {}, [], None
    for line in (root / TABLE).read_text(encoding="utf-8").split("\n"):
        if line.startswith("text: "):
            texts.append(line[len("text: "):])
        elif line.startswith("    ") and command:
            known[command] = line.strip()
            command = None
        elif line and not line.startswith("#"):
            if command:
                fail(f"{TABLE}: nothing is said of: {command}")
            command = line
            if command in known:
                fail(f"{TABLE}: twice: {command}")
    return known, texts


def check_how(root, command, how):
    """by FILE: WORDS: this test has these words."""
    if how == "run here":
        return
    found = re.fullmatch(r"by (\S+): (.+)", how)
    if not found:
        fail(f"{TABLE}: {command}: not understood: {how}")
    elif not (root / found[1]).is_file() or found[2] not in (root / found[1]).read_text(encoding="utf-8"):
        fail(f"{TABLE}: {command}: {found[1]} does not have: {found[2]}")


def run_here(command, root, lavablas):
    """The answer may be that there is no device."""
    words = command.split()
    program = lavablas if pathlib.Path(words[0]).name == "lavablas" else root / words[0]
    environment = {**os.environ, "LAVABLAS_DEVICE": "cpu", "LAVABLAS_CACHE": "0"}
    try:
        result = subprocess.run([program, *words[1:]], capture_output=True, text=True, env=environment, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        fail(f"{command}: it has not ended after a minute")
        return
    if result.returncode not in (0, 1) or not result.stdout:
        fail(f"{command}: status {result.returncode}: {result.stderr}")


def check_front_page(lines):
    """README.md is a front page: short, and readable in any terminal."""
    if len(lines) > 110 or max(map(len, lines)) > 140:
        fail(f"README.md has {len(lines)} lines, of up to {max(map(len, lines))} characters; 110 and 140 are the most")


def main():
    root, lavablas = pathlib.Path(sys.argv[1]), sys.argv[2]
    check_front_page((root / "README.md").read_text(encoding="utf-8").splitlines())
    known, texts = read_table(root)
    used, begun = set(), set()
    for path in [root / "README.md", *sorted((root / "doc").rglob("*.md"))]:
        for block in blocks_of(path.read_text(encoding="utf-8")):
            first = " ".join(block[0].split())
            begins = [text for text in texts if first.startswith(text)]
            begun.update(begins)
            for command in commands_of(block) if not begins else ():
                used.add(command)
                if command not in known:
                    fail(f"{path.name}: {TABLE} does not know who runs: {command}")
    for command, how in known.items():
        check_how(root, command, how)
        if command not in used:
            fail(f"{TABLE}: no document has: {command}")
        elif how == "run here" and not failed:
            run_here(command, root, lavablas)
    for text in set(texts) - begun:
        fail(f"{TABLE}: no document has a block that begins so: {text}")
    if len(used) < 60 or sum(how == "run here" for how in known.values()) < 5:
        fail(f"only {len(used)} commands were found")
    print(f"{len(used)} commands")
    sys.exit(failed)


main()
