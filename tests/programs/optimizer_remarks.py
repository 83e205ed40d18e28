#!/usr/bin/env python3
"""What mpisimcc says of a program is what clang says of it: the same remarks of the optimizer and the same diagnostics, at
the same places, none of them twice.

usage: optimizer_remarks.py --build BUILD --root ROOT --work FOLDER

A remark that differs means that the optimizer has seen something else than the user's program, so that its plain body is no
longer native code; one that comes twice means that the body with counters shows.
"""
import argparse
import collections
import glob
import os
import re
import sys

from programs import Failure, must_run, run

REMARKS = ["-O2", "-Rpass=.*", "-Rpass-missed=loop-vectorize"]
# Without line tables clang names the function where the optimizer warns of a loop. mpisimcc always writes line tables, so
# that it knows the loop; both get to know it here.
DIAGNOSTICS = ["-Wall", "-gline-tables-only"]

# Warnings of the front end, of the analysis of control flow and of the optimizer, which cannot obey the demand for vectors
# and would say so of the loop in the body with counters too if it looked at that.
WARNINGS = """#include <mpi.h>
#include <stdio.h>

#define SIZE(array) (sizeof(array) / sizeof(array[0]))
static int never_used;
static double values[100], sum;
int missing(int value) {
  if (value > 3) return 1;
}
static void not_called(void) {}
void chain(void) {
#pragma clang loop vectorize(enable)
  for (unsigned i = 1; i < SIZE(values); ++i) values[i] = values[i - 1] / (values[i] + 1);
}
int main(int argc, char** argv) {
  int rank, unset, other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%s of %d\\n", rank, "text");
  if (rank = 1) sum += unset;
  chain();
  MPI_Finalize();
  return missing(rank);
}
"""

ERRORS = """#include <mpi.h>

static int counter
int second;
struct pair { int first; };
int main(int argc, char** argv) {
  struct pair pair = {1, 2};
  int unused;
  MPI_Init(&argc, &argv);
  MPI_Send(&pair, 1, MPI_INT, 0);
  pair.third = undeclared + 1;
  MPI_Barrier(pair);
  return pair;
}
"""


class Compilers:
    """mpisimcc and the clang that it calls."""

    def __init__(self, build, root, work):
        self.mpisimcc = os.path.join(build, "bin", "mpisimcc")
        self.include = os.path.join(root, "mpisim", "include")
        self.work = work
        shown, _ = must_run([self.mpisimcc, "-show", "-c", "program.c"])
        self.clang = shown.split()[0]
        if "clang" not in os.path.basename(self.clang):
            raise Failure(f"mpisimcc -show does not begin with the compiler: {shown}")

    def must_say_the_same(self, source, options, kinds, least, succeeds=True):
        """The diagnostics of these kinds, from both compilers: the same lines, each as often, at least so many."""
        said = []
        output = os.path.join(self.work, "program.o")
        for command in ([self.clang, "-isystem", self.include], [self.mpisimcc]):
            status, _, err = run([*command, *options, "-c", source, "-o", output], limit=100)
            if (status == 0) != succeeds:
                raise Failure(f"{command[0]} {' '.join(options)} {source}: exit status {status}\n{err}")
            said.append(collections.Counter(line for line in err.splitlines() if re.search(rf":\d+:\d+: (?:{kinds}): ", line)))
        clang, mpisimcc = said
        name = os.path.basename(source)
        if clang != mpisimcc:
            lines = ["only clang: " + line for line in sorted((clang - mpisimcc).elements())[:10]]
            lines += ["only mpisimcc: " + line for line in sorted((mpisimcc - clang).elements())[:10]]
            raise Failure(f"{name}, {' '.join(options)}:\n  " + "\n  ".join(lines))
        if clang.total() < least:
            raise Failure(f"{name}, {' '.join(options)}: {clang.total()} diagnostics, fewer than {least}; is this still a test?")
        print(f"  {name}: {clang.total()} diagnostics")


def check(options):
    compilers = Compilers(options.build, options.root, options.work)
    examples = sorted(glob.glob(os.path.join(options.root, "examples", "*", "*.c")))
    if not examples:
        raise Failure(f"no examples in {options.root}")
    for source in examples:
        compilers.must_say_the_same(source, REMARKS, "remark", 5)
    for name, text, least, succeeds in (("warnings.c", WARNINGS, 8, True), ("errors.c", ERRORS, 6, False)):
        source = os.path.join(options.work, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        for level in ("-O0", "-O2"):
            compilers.must_say_the_same(source, [*DIAGNOSTICS, level], "remark|note|warning|error|fatal error", least, succeeds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        check(options)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
