#!/usr/bin/env python3
"""How the sources hang together: no module includes itself by way of others, each folder of the library includes those that
the table of doc/design.md lists for it, a file that a comment or a document names exists, a link of a document leads to a file
and a heading, and LAPACK's kinds of operations are named by their tables and by who makes them alone.

    test_structure.py SOURCE_FOLDER

A module is a .c file and its .h file.
"""
import pathlib
import re
import sys

FOLDERS = ("dispatch", "doc", "include", "lib", "perf", "shaders", "tests", "tools")
C_FILES = (".c", ".h", ".cpp", ".comp", ".glsl")
LEAST_FILES = 500  # so that a tree that is read elsewhere is noticed
# Files of other projects, of a program, or of an installation, and those that a build makes.
ELSEWHERE = {"cblas.h", "cmocka.h", "dynamic_arm64.c", "include/uapi/drm/drm.h", "lapack.h", "lib/x.c", "xe_drm.h"}
INSTALLED = "lib/x86_64-linux-gnu"
# The tables of kinds, and who makes operations of LAPACK's kinds. All others ask an operation's row.
NAME_KINDS = ("dispatch/kinds.h", "dispatch/kind_rows.c", "dispatch/operation.c", "dispatch/vector_plan.c", "lib/abi/", "lib/offload/way_rows.c", "lib/offload/self_test_lapack.c", "lib/offload/self_test_vectors.c",
              "tools/explain_makers.c")
failed = 0


def fail(text):
    global failed
    failed = 1
    print(f"FAILED: {text}")


def read_tree(root):
    """Returns the text of each file that may include or name others, by its path."""
    paths = [path for folder in FOLDERS for path in (root / folder).rglob("*")] + list(root.glob("*.md"))
    texts = {}
    for path in sorted(paths):
        is_script = path.is_file() and not path.suffix and path.read_bytes()[:2] == b"#!"
        if is_script or (path.suffix in C_FILES + (".md", ".py", ".sh", ".build") and path.is_file()):
            texts[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
    if len(texts) < LEAST_FILES:
        fail(f"only {len(texts)} files were found")
    return texts


def folder_of(name):
    return name.rpartition("/")[0]


def includes_of(name, text, texts):
    """Returns the files of the tree that a file includes. What a build makes is named by its path."""
    found = []
    for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        places = [included, f"{folder_of(name)}/{included}", f"include/{included}"]
        found.append(next((place for place in places if place in texts), included))
    return found


def circles_of(graph):
    """Returns the sets of modules that reach each other, by Tarjan's algorithm."""
    order, low, stack, circles = {}, {}, [], []

    def visit(module):
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in sorted(graph.get(module, ())):
            if other not in order:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == order[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                circles.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(graph):
        if module not in order:
            visit(module)
    return circles


def check_circles(includes):
    graph = {}
    for name, others in includes.items():
        module = name.rpartition(".")[0]
        graph.setdefault(module, set()).update({other.rpartition(".")[0] for other in others} - {module})
    for circle in circles_of(graph):
        fail(f"these include each other in a circle: {', '.join(circle)}")


def check_folders(includes, page):
    """The rows of the table: what a folder includes is told in full, and stands below it."""
    rows = re.findall(r"^\| `((?:lib/\w+)|dispatch|shaders)` \|[^|]*\|([^|]*)\|$", page, re.M)
    told = {folder: set(re.findall(r"`([\w/]+)`", others)) for folder, others in rows}
    order = [folder for folder, _ in rows]
    seen = {}
    for name, others in includes.items():
        if name.startswith(("dispatch/", "lib/", "shaders/")):
            seen.setdefault(folder_of(name), set()).update({folder_of(other) for other in others} - {folder_of(name)})
    if seen.keys() != told.keys():
        fail(f"doc/design.md: the rows of folders differ from the folders: {sorted(seen.keys() ^ told.keys())}")
        return
    for folder in order:
        for other in sorted(seen[folder] - told[folder]):
            fail(f"{folder} includes {other}, which doc/design.md does not allow")
        for other in sorted(told[folder] - seen[folder]):
            fail(f"{folder} does not include {other}, as doc/design.md says")
        for other in sorted(told[folder] & set(order[:order.index(folder)])):
            fail(f"doc/design.md: {folder} includes {other}, which is above it")


def check_kinds(texts):
    kinds = set(re.findall(r"\bLAVA_OPERATION_[A-Z_]+\b", texts["dispatch/kinds.h"])) - {"LAVA_OPERATION_KINDS"}
    lapack = kinds - {"LAVA_OPERATION_PRODUCT", "LAVA_OPERATION_SOLVE"}
    for name, text in texts.items():
        named = lapack & set(re.findall(r"\bLAVA_OPERATION_[A-Z_]+\b", text))
        if named and name.startswith(("dispatch/", "lib/", "tools/")) and not name.startswith(NAME_KINDS):
            fail(f"{name} names {', '.join(sorted(named))}: dispatch/kinds.h says what is asked instead")
    for table in ("dispatch/kind_rows.c", "lib/offload/way_rows.c"):
        for kind in sorted(kinds - set(re.findall(r"\[(LAVA_OPERATION_[A-Z_]+)\]", texts[table]))):
            fail(f"{table} has no row for {kind}")


def prose_of(name, text):
    """Returns all of a document, or each comment of a source or a script."""
    if name.endswith(C_FILES):
        return re.findall(r"/\*.*?\*/|//[^\n]*", text, re.S)
    if name.endswith(".md"):
        return [text]
    return re.findall(r"^\s*#[^\n]*", text, re.M)


def names_of(prose):
    """Returns the paths that are named in a text, and the C files that are named without a folder."""
    paths = re.findall(rf"(?<![\w./$-])((?:{'|'.join(FOLDERS)})/[\w./*-]*[\w*])", prose)
    names = re.findall(r"(?<![\w./<*-])([a-z]\w*\.(?:c|h|comp|glsl|md))(?!\w|\()", prose)
    return paths, names


def check_names(root, texts):
    bases = {name.rpartition("/")[2] for name in texts}
    count = 0
    for name, text in texts.items():
        is_source = name.startswith(("dispatch/", "lib/", "perf/", "shaders/", "tools/")) and name.endswith(C_FILES)
        for prose in prose_of(name, text):
            paths, bare = names_of(prose)
            count += len(paths) + len(bare)
            for path in paths:
                there = (root / path).exists() or any(root.glob(path)) or any(root.glob(f"{path}.*"))
                if not there and path not in ELSEWHERE and not path.startswith(INSTALLED):
                    fail(f"{name} names {path}, which does not exist")
            # In a source, a name without a folder is of its own folder, or of one that the comment has named.
            near = {folder_of(name)} | {folder_of(path) for path in paths}
            for file in bare:
                there = any(f"{folder}/{file}" in texts for folder in near) if is_source else file in bases
                if not there and file not in ELSEWHERE:
                    fail(f"{name} names {file}, which does not exist{' there' if is_source else ''}")
    if count < 1000:
        fail(f"only {count} names of files were found")
    print(f"{count} names of files")


def headings_of(page):
    """Returns the anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(root, texts):
    """Each relative link of a document leads to a file, and behind # to a heading; each note is in the index of the notes."""
    count = 0
    for name, text in texts.items():
        if not name.endswith(".md"):
            continue
        for path, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
            count += 1
            target = (root / folder_of(name) / path).resolve() if path else (root / name).resolve()
            if not target.exists():
                fail(f"{name} links to {path}, which does not exist")
            elif anchor and anchor not in headings_of(target.read_text(encoding="utf-8")):
                fail(f"{name} links to {path}#{anchor}, a heading that does not exist")
    for name in texts:
        if name.startswith("doc/notes/") and f"({name.rpartition('/')[2]})" not in texts["doc/notes/README.md"]:
            if not name.endswith("/README.md"):
                fail(f"doc/notes/README.md does not list {name}")
    if count < 100:
        fail(f"only {count} links were found")


def main():
    root = pathlib.Path(sys.argv[1])
    texts = read_tree(root)
    includes = {name: includes_of(name, text, texts) for name, text in texts.items() if name.endswith(C_FILES)}
    check_circles(includes)
    check_folders(includes, texts["doc/design.md"])
    check_kinds(texts)
    check_names(root, texts)
    check_links(root, texts)
    return failed


sys.exit(main())
