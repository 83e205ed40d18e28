#!/usr/bin/env python3
"""Variables of every linkage × qualifier × kind, at every level of optimization: none may be another rank's.

usage: generated.py BUILD [--keep FOLDER]

Makes a program of two units and a header. Each combination is a variable that the first unit defines, in the way of its
linkage, and that both units read, write (unless it is constant), index, take addresses of and hand to each other. It is
built and run natively first, then by mpisimcc as one executable and with the second unit in a shared library.
"""
import argparse
import itertools
import os
import sys
import tempfile

from golden import HERE, ROOT, Failure, call, expect

# kind: (type with the declarator's name as {}, initial value, an lvalue in it of type T, T, its initial value)
KINDS = {
    "int": ("int {}", "7", "{}", "int", "7"),
    "zero": ("long {}", "0", "{}", "long", "0"),
    "double": ("double {}", "2.5", "{}", "double", "2.5"),
    "long_double": ("long double {}", "2.5L", "{}", "long double", "2.5L"),
    "complex": ("double _Complex {}", "3", "{}", "double _Complex", "3"),
    "array": ("int {}[5]", "{1, 2, 3, 4, 5}", "{}[index_of(3)]", "int", "4"),
    "constant_index": ("short {}[5]", "{1, 2, 3, 4, 5}", "{}[2]", "short", "3"),
    "matrix": ("double {}[3][4]", "{{1}, {0, 2}}", "{}[1][index_of(1)]", "double", "2"),
    "string": ("char {}[8]", '"abcdefg"', "{}[index_of(1)]", "char", "'b'"),
    "structure": ("struct pair {}", "{1, {5, 6, 7}}", "{}.many[index_of(2)]", "int", "7"),
    "structures": ("struct pair {}[2]", "{{1, {1}}, {2, {8, 9}}}", "{}[index_of(1)].many[1]", "int", "9"),
    "bits": ("struct bits {}", "{1, 9}", "{}.high", "unsigned", "9"),
    "union": ("union either {}", "{.number = 77}", "{}.number", "unsigned long", "77"),
    "pointer": ("int *{}", "&target", "*{}", "int", "11"),
    "pointers": ("int *{}[3]", "{&target, table + 1, &table[2]}", "*{}[index_of(2)]", "int", "23"),
    "constant_pointer": ("const char *{}", '"xyz"', "{}[index_of(2)]", "const char", "'z'"),
    "holder": ("struct holder {}", "{1, &target, step}", "*{}.where", "int", "11"),
    "function": ("int (*{})(int)", "step", "{}", "int (*)(int)", "step"),
}
LINKAGES = ("static", "external", "tentative", "header", "local", "hidden", "weak", "thread", "common")
QUALIFIERS = ("", "const", "volatile", "const volatile")

HEADER = """#include "check.h"
struct pair { int one; int many[3]; };
struct bits { unsigned low : 3; unsigned high : 13; };
union either { unsigned long number; char bytes[8]; };
struct holder { int count; int *where; int (*how)(int); };
extern int target, table[3];
int step(int);
int index_of(int);   /* what the optimizer does not see through */
extern int failures;
#define EXPECT(c, name) do { if (!(c)) { printf("%s: %s (line %d)\\n", name, #c, __LINE__); failures++; } } while (0)
"""
MAIN = """int target = 11, table[3] = {21, 22, 23}, failures;
int step(int x) { return x + 1; }
int index_of(int i) { volatile int j = i; return j; }
"""


def changeable(linkage, qualifier, kind):
    """Whether the program may write to the lvalue of the kind."""
    if kind in ("constant_pointer",):
        return False
    return "const" not in qualifier or kind in ("pointer", "pointers", "holder")


def combinations():
    for linkage, qualifier, kind in itertools.product(LINKAGES, QUALIFIERS, KINDS):
        if linkage in ("tentative", "common") and ("const" in qualifier or kind != "zero"):
            if not (linkage == "common" and kind == "zero" and qualifier == ""):
                if not (linkage == "tentative" and kind in ("zero", "int", "array", "structure", "pointer") and qualifier in ("", "volatile")):
                    continue
        if linkage == "thread" and kind in ("complex", "long_double"):
            continue
        yield linkage, qualifier, kind


def generate():
    """The texts of the header, the unit that defines, and the other one."""
    header, first, second, checks_first, checks_second = [], [], [], [], []
    for linkage, qualifier, kind in combinations():
        declarator, initial, lvalue, type_of, value = KINDS[kind]
        name = "_".join(["v", linkage, *qualifier.split(), kind])
        # The qualifier belongs to the variable, not to what it points to.
        declared = declarator.format(name)
        if qualifier:
            declared = (declarator.replace("*{}", f"*{qualifier} {{}}") if "*{}" in declarator
                        else f"{qualifier} {declarator}").format(name)
        no_value = linkage in ("tentative", "common")
        if no_value:
            value = {"structure": "0", "int": "0", "zero": "0", "array": "0", "pointer": "0"}[kind]
        place = lvalue.format(name)
        text = {
            "static": f"static {declared} = {initial};",
            "external": f"{declared} = {initial};",
            "tentative": f"{declared}; {declared};",
            "header": f"{declared} = {initial};",
            "local": f"static {declared} = {initial};",
            "hidden": f"__attribute__((visibility(\"hidden\"))) {declared} = {initial};",
            "weak": f"__attribute__((weak)) {declared} = {initial};",
            "thread": f"_Thread_local {declared} = {initial};",
            "common": f"__attribute__((common)) {declared};",
        }[linkage]
        if linkage != "local":
            first.append(text)
        shared = linkage in ("external", "tentative", "header", "weak", "common", "thread")
        if shared:
            (header if linkage == "header" else second).append(("extern _Thread_local " if linkage == "thread" else "extern ") + declared + ";")
        body = [f'    const char *name = "{name}";']
        if linkage == "local":
            body.append("    " + text)
        pointer_without_target = no_value and kind == "pointer"
        if pointer_without_target:
            body.append(f"    EXPECT({name} == 0, name); {name} = &target;")
            value = "target"
        compared = place if kind != "constant_pointer" else place
        body.append(f"    EXPECT({compared} == ({type_of.replace('const ', '')})({value}), name);" if kind not in ("function", "complex")
                    else f"    EXPECT({compared} == {value}, name);")
        body.append(f"    EXPECT(sizeof {name} == sizeof *&{name} && (char *)&{name} + sizeof {name} > (char *)&{name}, name);")
        if kind != "bits":
            body.append(f"    const volatile void *here = &{place};")
            if shared:
                body.append(f"    EXPECT(here == other_{name}(), name);")
                checks_second.append(f"const volatile void *other_{name}(void) {{ return &{place}; }}")
                header.append(f"const volatile void *other_{name}(void);")
        if changeable(linkage, qualifier, kind) and kind not in ("function",):
            target_kind = kind in ("pointer", "pointers", "holder")
            body += [f"    {place} = golden_rank() + 1;", "    MEET();", f"    EXPECT({place} == golden_rank() + 1, name);"]
            if shared:
                body += [f"    write_{name}(golden_rank() + 2);", "    MEET();", f"    EXPECT({place} == golden_rank() + 2, name);"]
                checks_second.append(f"void write_{name}(int x) {{ {place} = x; }}")
                header.append(f"void write_{name}(int);")
            body.append(f"    {place} = {value};" if not target_kind else f"    target = 11, table[2] = 23;")
        elif kind == "function":
            body.append(f"    EXPECT({place}(3) == 4, name);")
        first.append(f"static void check_{name}(void) {{\n" + "\n".join(body) + "\n}")
        checks_first.append(f"  check_{name}();")
    main = ("int main(void) {\n  START();\n" + "\n".join(checks_first) +
            "\n  golden_bad = failures != 0;\n  VERDICT();\n  return golden_bad;\n}\n")
    return ("\n".join([HEADER, *header]) + "\n",
            '#include "generated.h"\n' + MAIN + "\n".join(first) + "\n" + main,
            '#include "generated.h"\n' + "\n".join(second + checks_second) + "\n")


def check(build, work):
    for name, text in zip(("generated.h", "first.c", "second.c"), generate()):
        with open(os.path.join(work, name), "w") as file:
            file.write(text)
    first, second = (os.path.join(work, n) for n in ("first.c", "second.c"))
    flags = ["-w", "-I", HERE, "-I", work]
    native = os.path.join(work, "native")
    rc, _, err = call("gcc", *flags, "-O1", first, second, "-o", native)
    expect(rc == 0, "does not compile natively", err)
    rc, wanted, _ = call(native)
    expect(rc == 0 and wanted == "ok\n", "fails natively", wanted)
    mpisimcc, mpisim = (os.path.join(build, "bin", n) for n in ("mpisimcc", "mpisim"))
    failures = []
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fno-counted", "-O2 -fno-semantic-interposition"):
        for in_library in (False, True):
            try:
                name = f"{level}{', second unit in a library' if in_library else ''}"
                program, parts = os.path.join(work, "program"), [second]
                if in_library:
                    library = os.path.join(work, "libsecond.so")
                    rc, _, err = call(mpisimcc, *flags, *level.split(), "-DGOLDEN_MPI", "-shared", "-fPIC", second, "-o", library)
                    expect(rc == 0, f"{name}: library", err)
                    parts = [library, "-Wl,-rpath," + work]
                rc, _, err = call(mpisimcc, *flags, *level.split(), "-DGOLDEN_MPI", first, *parts, "-o", program)
                expect(rc == 0, f"{name}: mpisimcc fails", err)
                for compute in ("off",) if "-fno-counted" in level else ("off", "counted"):
                    rc, out, err = call(mpisim, "run", "--quiet", "-n", 3, "-m", os.path.join(ROOT, "configs", "ideal.yaml"),
                                        "--compute", compute, program)
                    expect(rc == 0 and out == wanted * 3, f"{name}: {compute}: exit {rc}", out, err)
            except Failure as failure:
                failures.append(str(failure))
    expect(not failures, "\n  ".join(failures))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--keep", help="where the program is left")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="golden-") as work:
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
            check(os.path.abspath(options.build), options.keep and os.path.abspath(options.keep) or work)
    except Failure as failure:
        print(f"FAIL {failure}")
        return 1
    print(f"{len(list(combinations()))} combinations passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
