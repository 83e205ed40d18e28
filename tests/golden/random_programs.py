#!/usr/bin/env python3
"""Small C programs made at random, compared with their native run.

usage: random_programs.py BUILD [--count N] [--seed S] [--keep FOLDER]

Each program has two units with variables of all kinds, functions that change them, loops, tables of addresses and of
functions, switches, copies; nothing in it is undefined. It prints a sum over all its variables. mpisimcc's program must
print, started directly and on every rank, with and without counters, what the native one prints; and count the same at
every level of optimization. A program that fails is kept, and its seed is printed.
"""
import argparse
import json
import os
import random
import shutil
import sys
import tempfile

from golden import ROOT, Failure, call, expect

TYPES = ("int", "unsigned", "long", "unsigned char", "short", "double", "unsigned long")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.scalars, self.arrays, self.pointers, self.structures, self.functions = [], [], [], [], []
        self.units = [[], []]
        self.header = ["struct pack { int a; long b[4]; double c; unsigned char d; int *link; };"]
        self.make_variables()
        for i in range(self.random.randint(4, 8)):
            self.make_function(i)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return self.random.choice((0, 1, 2, 3, 5, 7, 100, 255, 4097, 65535))

    def define(self, declaration, value):
        """A variable of either unit, static, external or shared by both; returns where it can be used."""
        unit = self.random.randrange(2)
        linkage = self.pick("static", "", "", "shared", "__attribute__((visibility(\"hidden\"))) shared")
        prefix = linkage.replace("shared", "").strip()
        self.units[unit].append(f"{prefix} {declaration}{' = ' + value if value else ''};".strip())
        if "shared" in linkage:
            self.header.append(f"extern {prefix} {declaration};")
            return {0, 1}
        return {unit}

    def make_variables(self):
        for i in range(self.random.randint(5, 12)):
            kind = self.random.choice(TYPES)
            where = self.define(f"{self.pick('', '', 'volatile ')}{kind} s{i}", self.pick("", str(self.number())))
            self.scalars.append((f"s{i}", kind, where))
        for i in range(self.random.randint(3, 8)):
            kind, size = self.random.choice(TYPES), self.random.choice((4, 8, 16, 64))
            constant = self.random.random() < 0.25
            values = "{" + ", ".join(str(self.number() % 200) for _ in range(self.random.randint(1, size))) + "}"
            where = self.define(f"{'const ' if constant else ''}{kind} a{i}[{size}]", values if constant else self.pick("", values))
            self.arrays.append((f"a{i}", kind, size, where, constant))
        # Pointers to private data in the other tables' units only where that is declared.
        for i in range(self.random.randint(1, 4)):
            unit = self.random.randrange(2)
            arrays = [a for a in self.arrays if unit in a[3] and a[1] == "long" and not a[4]]
            if not arrays:
                continue
            name, _, size, _, _ = self.random.choice(arrays)
            targets = ", ".join(f"{name} + {self.random.randrange(size)}" for _ in range(4))
            self.units[unit].append(f"static long *{self.pick('', 'const ')}p{i}[4] = {{{targets}}};")
            self.pointers.append((f"p{i}", {unit}))
        for i in range(self.random.randint(1, 3)):
            where = self.define(f"struct pack t{i}", self.pick("", "{1, {2, 3}, 4.5, 6}"))
            self.structures.append((f"t{i}", where))

    def here(self, things, unit):
        return [t for t in things if unit in next(x for x in t if isinstance(x, set))]

    def value(self, unit, depth=0):
        options = [str(self.number()), "i", "x"]
        for name, kind, _ in self.here(self.scalars, unit):
            options.append(f"(long){name}" if kind == "double" else name)
        for name, kind, size, _, _ in self.here(self.arrays, unit):
            index = self.pick(str(self.random.randrange(size)), f"(unsigned long)i % {size}", f"(unsigned long)x % {size}")
            options.append(f"(long){name}[{index}]" if kind == "double" else f"{name}[{index}]")
        for name, _ in self.here(self.pointers, unit):
            options.append(f"*{name}[(unsigned long)i % 4]")
        for name, _ in self.here(self.structures, unit):
            options += [f"{name}.a", f"{name}.b[(unsigned long)x % 4]", f"(long){name}.c", f"{name}.d"]
        choice = f"(long)({self.random.choice(options)})"
        if depth > 2 or self.random.random() < 0.3:
            return choice
        operator = self.pick("+", "-", "*", "^", "&", "|")
        other = self.value(unit, depth + 1)
        return f"(long)((unsigned long){choice} {operator} (unsigned long){other})"

    def statement(self, unit, depth, functions):
        pad = "  " * (depth + 1)
        kinds = ["scalar", "array", "array", "structure", "pointer", "copy", "call"]
        if depth < 3:
            kinds += ["loop", "loop", "if", "switch"]
        kind = self.random.choice(kinds)
        small = f"({self.value(unit)} & 1023)"
        if kind == "scalar" and self.here(self.scalars, unit):
            name, of, _ = self.random.choice(self.here(self.scalars, unit))
            return f"{pad}{name} {self.pick('=', '=') if of == 'double' else '='} {small};"
        writable = [a for a in self.here(self.arrays, unit) if not a[4]]
        if kind == "array" and writable:
            name, of, size, _, _ = self.random.choice(writable)
            return f"{pad}{name}[{self.pick(f'(unsigned long)i % {size}', str(self.random.randrange(size)))}] = {small};"
        if kind == "structure" and self.here(self.structures, unit):
            name, _ = self.random.choice(self.here(self.structures, unit))
            member = self.pick("a", "b[(unsigned long)i % 4]", "c", "d")
            return f"{pad}{name}.{member} = {small}; {name}.link = &{name}.a; *{name}.link += {self.random.randrange(5)};"
        if kind == "pointer" and self.here(self.pointers, unit):
            name, _ = self.random.choice(self.here(self.pointers, unit))
            return f"{pad}*{name}[(unsigned long)x % 4] = {small};"
        if kind == "copy":
            same = [(a, b) for a in self.here(self.arrays, unit) for b in writable if a[1:3] == b[1:3] and a[0] != b[0]]
            if same:
                a, b = self.random.choice(same)
                return self.pick(f"{pad}memcpy({b[0]}, {a[0]}, sizeof {b[0]});",
                                 f"{pad}for (int k = 0; k < {b[2]}; k++) {b[0]}[k] = {a[0]}[k];")
            packs = self.here(self.structures, unit)
            if len(packs) > 1:
                return f"{pad}{packs[0][0]} = {packs[1][0]}; {packs[0][0]}.link = 0;"
        if kind == "call" and functions:
            return f"{pad}x = {self.random.choice(functions)}(x ^ {self.number()}, i) & 0xffff;"
        if kind == "loop":
            inner = "\n".join(self.statement(unit, depth + 1, []) for _ in range(self.random.randint(1, 3)))
            return f"{pad}for (int i = 0; i < {self.random.choice((3, 16, 37))}; i++) {{\n{inner}\n{pad}}}"
        if kind == "if":
            return f"{pad}if ({self.value(unit)} > {self.number()}) {{\n{self.statement(unit, depth + 1, functions)}\n{pad}}}"
        if kind == "switch":
            cases = "\n".join(f"{pad}case {k}:\n{self.statement(unit, depth + 1, functions)}\n{pad}  break;"
                              for k in range(self.random.randint(2, 6)))
            return f"{pad}switch ((unsigned long){self.value(unit)} % 7) {{\n{cases}\n{pad}}}"
        return f"{pad}x = {small};"

    def make_function(self, number):
        unit = self.random.randrange(2)
        callable_here = [name for name, where in self.functions if unit in where]
        body = "\n".join(self.statement(unit, 0, callable_here) for _ in range(self.random.randint(3, 7)))
        where = {unit}
        if self.random.random() < 0.5:
            self.header.append(f"long f{number}(long x, long i);")
            where, linkage = {0, 1}, ""
        else:
            linkage = self.pick("static ", "static ", "static inline ", "static __attribute__((noinline)) ")
        self.units[unit].append(f"{linkage}long f{number}(long x, long i) {{\n{body}\n  return x;\n}}")
        self.functions.append((f"f{number}", where))

    def finish(self, unit):
        lines = [f"long sum{unit}(void) {{", "  unsigned long sum = 17, i = 0;", "  (void)i;"]
        mix = "sum = sum * 31 + (unsigned long)(long)"
        for name, _, _ in self.here(self.scalars, unit):
            lines.append(f"  {mix}{name};")
        for name, _, size, _, _ in self.here(self.arrays, unit):
            lines.append(f"  for (i = 0; i < {size}; i++) {mix}{name}[i];")
        for name, _ in self.here(self.structures, unit):
            lines.append(f"  {mix}{name}.a; {mix}{name}.b[1]; {mix}{name}.c; {mix}{name}.d;")
        here = [name for name, where in self.functions if unit in where]
        table = ", ".join(here) if here else "0"
        lines += ["  return (long)sum;", "}", f"static long (*const functions{unit}[])(long, long) = {{{table}}};",
                  f"void work{unit}(int step) {{",
                  f"  for (unsigned k = 0; k < {len(here)}; k++) functions{unit}[k](step * 13 + k, step);", "}"]
        return lines

    def texts(self):
        """Header and both units."""
        header = "#include <string.h>\n" + "\n".join(self.header) + (
            "\nlong sum0(void), sum1(void);\nvoid work0(int), work1(int);\n")
        main = """#ifdef RANDOM_MPI
#include <mpi.h>
#endif
#include <stdio.h>
int main(int argc, char **argv) {
#ifdef RANDOM_MPI
  MPI_Init(&argc, &argv);
#endif
  for (int step = 0; step < 5; step++) {
    work0(step); work1(step);
#ifdef RANDOM_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
  }
  printf("%lx %lx\\n", sum0(), sum1());
#ifdef RANDOM_MPI
  MPI_Finalize();
#endif
  return 0;
}
"""
        units = ['#include "random.h"\n' + "\n".join(self.units[u] + self.finish(u)) + "\n" for u in (0, 1)]
        return {"random.h": header, "unit0.c": units[0] + main, "unit1.c": units[1]}


def check(seed, build, work):
    program = Program(seed)
    for name, text in program.texts().items():
        with open(os.path.join(work, name), "w") as file:
            file.write(text)
    units = [os.path.join(work, u) for u in ("unit0.c", "unit1.c")]
    native = os.path.join(work, "native")
    rc, _, err = call("gcc", "-w", "-fwrapv", "-O0", *units, "-o", native)
    expect(rc == 0, "does not compile natively", err)
    rc, wanted, _ = call(native)
    expect(rc == 0, "fails natively")
    mpisimcc, mpisim = (os.path.join(build, "bin", n) for n in ("mpisimcc", "mpisim"))
    machine = os.path.join(ROOT, "configs", "cluster.yaml")
    predictions = {}
    for level in ("-O0", program.pick("-O1", "-Os"), program.pick("-O2", "-O3", "-O2 -fPIC", "-O3 -march=native")):
        target = os.path.join(work, "program")
        rc, _, err = call(mpisimcc, "-w", "-fwrapv", *level.split(), "-DRANDOM_MPI", *units, "-o", target)
        expect(rc == 0, f"{level}: mpisimcc fails", err)
        rc, out, err = call(target)
        expect(rc == 0 and out == wanted, f"{level}: started directly: exit {rc}", out, wanted, err)
        for compute in ("off", "counted"):
            report = os.path.join(work, "report.json")
            rc, out, err = call(mpisim, "run", "--quiet", "-n", 3, "-m", machine, "--compute", compute, "--json", report, target)
            expect(rc == 0 and out == wanted * 3, f"{level}: {compute}: exit {rc}", out, wanted, err)
            with open(report) as file:
                data = json.load(file)
        predictions[level] = data["predicted_time_ps"]
    expect(len(set(predictions.values())) == 1, f"counts depend on the level of optimization: {predictions}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="/tmp/mpisim-random-programs", help="where programs that fail are left")
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.TemporaryDirectory(prefix="random-") as work:
            try:
                check(seed, os.path.abspath(options.build), work)
            except Failure as failure:
                failed += 1
                kept = os.path.join(options.keep, str(seed))
                shutil.copytree(work, kept, dirs_exist_ok=True)
                print(f"FAIL seed {seed} (kept in {kept}): {failure}", flush=True)
    print(f"{options.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
