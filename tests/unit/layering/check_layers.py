"""Checks the arrows between the project's folders from their include lines, and that headers and namespaces fit.

usage: check_layers.py ROOT

Each folder may include itself, what it names below, and what those may include in turn. A folder that is missing from
the table, or an include of a project header that does not exist, is a fault too.
"""
import os
import re
import sys

# folder: folders that it stands on directly
LAYERS = {
    "instrument": [],
    "simkernel": ["instrument"],
    "network_models": ["simkernel"],
    "disk_models": ["simkernel"],
    "runtime": ["simkernel"],
    "mpisim": ["network_models", "runtime"],
    "pfssim": ["network_models", "disk_models"],
    "piosim": ["mpisim", "pfssim"],
    "machine": ["piosim"],
    "analysis": ["instrument", "simkernel"],
    "app": ["analysis", "machine"],
    # mpisimcc shares with the simulator only the contract with generated code.
    "preprocessor": [],
}
# What simkernel must know nothing of, and so on: words that must not appear in a folder's code.
FORBIDDEN_WORDS = {
    "simkernel": r"\bMPI_[A-Z]\w+|\byaml\b|\bYAML\b|\bdisk\b",
    "network_models": r"\bMPI_[A-Z]\w+",
}
# Files that speak to a real MPI on purpose.
EXEMPT = {"simkernel/openmpi_transport.cpp"}
SHARED_CONTRACTS = {"runtime/target_abi.h", "runtime/libc_wrapped_symbols.def", "runtime/libc_variables.def",
                    "mpisim/include/mpi.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def reachable(folder):
    seen, todo = set(), [folder]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo += LAYERS[current]
    return seen


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def faults_of(root, folder):
    allowed = reachable(folder)
    for place, folders, files in os.walk(os.path.join(root, folder)):
        folders.sort()
        for name in sorted(files):
            if not name.endswith((".cpp", ".hpp", ".h", ".c", ".def")):
                continue
            path = os.path.join(place, name)
            shown = os.path.relpath(path, root)
            with open(path, errors="replace") as file:
                text = file.read()
            for included in INCLUDE.findall(text):
                target = included.split("/")[0]
                if target in LAYERS:
                    if not os.path.exists(os.path.join(root, included)):
                        yield f"{shown}: includes {included}, which does not exist"
                    elif target not in allowed and included not in SHARED_CONTRACTS:
                        yield f"{shown}: {folder} may not use {target} ({included})"
            if name.endswith(".hpp") and not re.search(r"^#pragma once", text, re.M):
                yield f"{shown}: header without #pragma once"
            words = FORBIDDEN_WORDS.get(folder)
            found = words and shown not in EXEMPT and re.search(words, without_comments(text))
            if found:
                yield f"{shown}: {folder} must know nothing of '{found.group()}'"


def main():
    root = sys.argv[1]
    faults = []
    for folder in LAYERS:
        if os.path.isdir(os.path.join(root, folder)):
            faults += faults_of(root, folder)
    known = set(LAYERS) | {"configs", "examples", "benchmarks", "tests", "docs", "scripts", "web", "cmake"}
    for folder in sorted(os.listdir(root)):
        if os.path.isdir(os.path.join(root, folder)) and folder not in known and not folder.startswith((".", "build")):
            faults.append(f"{folder}/: not in the table of layers")
    print("\n".join(faults) or "all includes point down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
