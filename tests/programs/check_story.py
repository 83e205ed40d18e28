#!/usr/bin/env python3
"""A user's first steps, outside the project's tree: copies the installed examples elsewhere, and compiles each with plain
`mpicc *.c -lm`, without warnings, as the README promises; then one of them with mpisimcc by a Makefile with CC.

usage: check_story.py --build BUILD --root ROOT --work FOLDER
"""
import argparse
import os
import shutil
import sys

from programs import PROGRAMS, SKIPPED, Failure, Native, Simulator, must_be_same, must_run, sources

MAKEFILE = """CFLAGS = -O1 -Wall
heat2d: heat2d.o
\t$(CC) -o $@ $^ -lm
"""


def check(root, work, build):
    native = Native(work)
    shutil.copytree(os.path.join(root, "examples"), os.path.join(work, "examples"))
    for name in sorted({target.folder for target in PROGRAMS.values()}):
        folder = os.path.join(work, "examples", name)
        if native.found:
            files = sources(work, name)
            _, warnings = must_run([native.compiler, "-Wall", "-Wextra", *files, "-lm"], cwd=folder)
            if warnings:
                raise Failure(f"{name} compiles with warnings:\n{warnings}")
            must_run([native.compiler, *files, "-lm"], cwd=folder)

    simulator = Simulator(build, os.path.join(root, "configs"), work)
    folder = os.path.join(work, "examples", "heat2d")
    with open(os.path.join(folder, "Makefile"), "w", encoding="utf-8") as file:
        file.write(MAKEFILE)
    must_run(["make", "CC=" + simulator.compiler], cwd=folder)
    program = os.path.join(folder, "heat2d")
    output, _ = simulator.simulate(program, ["32", "10"], "sp2", 6, ["--compute", "off"])
    if native.found:
        must_be_same(native.execute(os.path.join(folder, "a.out"), ["32", "10"], 6), output, "Open MPI and mpisim")
    return 0 if native.found else SKIPPED


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    try:
        status = check(options.root, options.work, options.build)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    if status == SKIPPED:
        print("no Open MPI here: only mpisimcc was tried")
    return status


if __name__ == "__main__":
    sys.exit(main())
