#!/usr/bin/env python3
"""Writes docs/c-support.md from the golden tests' titles.

usage: support_table.py [--check] OUTPUT     --check: exits 1 if OUTPUT is not up to date
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTRODUCTION = """# What of C mpisimcc supports

Generated from the tests in `tests/golden` (by `tests/golden/support_table.py`); do not edit. mpisimcc compiles the C that
clang 19 compiles: C89 to C23 with GNU extensions. Each construct has one test, which is compiled natively and by mpisimcc
at several levels of optimization, as position independent code for shared libraries too, and run on 1 and 3 ranks, with
and without counters. *passes*: every rank has its own data and the program behaves as built natively. *diagnosed*:
refused with file and line, all faults of a file at once. Besides, `generated.py` tries variables of every linkage,
qualifier and kind, and `random_programs.py` programs made at random.

| construct | | test |
|---|---|---|
"""
UNSUPPORTED = """
Not supported, beyond what is diagnosed: variables of libraries that mpisimcc did not compile are shared by all ranks of a
host process (a warning names such objects on the link line); `dlopen` of libraries that mpisimcc made works only for
libraries that the program is also linked with.
"""


def rows(folder, verdict):
    for name in sorted(os.listdir(os.path.join(HERE, folder))):
        text = open(os.path.join(HERE, folder, name)).read()
        title = re.search(r"/\* (.*?) \*/", text).group(1).replace("|", "\\|")
        yield f"| {title} | {verdict} | `{folder}/{name}` |\n"


def main():
    text = INTRODUCTION + "".join(rows("passes", "passes")) + "".join(rows("diagnosed", "diagnosed")) + UNSUPPORTED
    output = sys.argv[-1]
    if "--check" in sys.argv:
        if open(output).read() != text:
            print(f"{output} is not up to date: run {os.path.relpath(__file__)} {output}")
            return 1
        return 0
    open(output, "w").write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
