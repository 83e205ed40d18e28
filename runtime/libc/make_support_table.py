#!/usr/bin/env python3
"""Makes docs/libc-support.md from runtime/libc_wrapped_symbols.def and libc_variables.def.

usage: make_support_table.py FILE          write it
       make_support_table.py --check FILE  fail if it is not what would be written
"""
import pathlib
import re
import sys

RUNTIME = pathlib.Path(__file__).resolve().parent.parent

INTRODUCTION = """# The C library in a simulated rank

All ranks of a host process share one C library. What it remembers between calls is kept apart for them, its clocks
show simulated time, and what would reach the host process itself is refused, with the call, rank and source line.
`mpisimcc --coverage` names the uses of a program that are refused. Functions that are not listed work as they are: they
remember nothing, or may be shared.

*Per rank*: each rank has its own. *Simulated*: answers come from the simulation. *Refused*: ends the rank with status 2
and a message. *Shared*: one for all ranks of a host process.

Known limits: the time zone is shared by all ranks, and so is the locale that `std::locale::global` sets. Streams of a rank are byte streams: wide output is
converted, wide input is refused. What libraries open that `mpisimcc` did not link statically (C++ file streams) has no number
among the rank's descriptors. A rank that waits for a pipe or a
socket stands still in simulated time: a receive from any source whose message comes later than that waits for it.
Signals do not come from timers or sockets. Message queues and system calls by `syscall` are the
host's. Constructors (`__attribute__((constructor))`) run once, before the ranks start, on the
data that every rank then gets a copy of (pointers to it that they left on the heap stay behind); destructors run once,
at the end, on that template. `atexit` is per rank.
"""


def entries():
    """[(kind, title, [(name, note)])] in the order of the list."""
    sections = []
    for line in (RUNTIME / "libc_wrapped_symbols.def").read_text().splitlines():
        if heading := re.fullmatch(r"//= ([^:]+): (.+)", line):
            sections.append((heading[1], heading[2], []))
        elif entry := re.fullmatch(r"X\((\w+)\)(?:\s*// (.*))?", line):
            sections[-1][2].append((entry[1], entry[2] or ""))
    return sections


def table():
    text = [INTRODUCTION]
    for kind in ("per rank", "simulated", "shared", "refused"):
        text.append(f"## {kind.capitalize()}\n")
        for section_kind, title, names in entries():
            if section_kind != kind:
                continue
            text.append(f"### {title}\n")
            plain = [f"`{name}`" for name, note in names if not note]
            if plain:
                text.append(", ".join(plain) + "\n")
            noted = [f"- `{name}`: {note}" for name, note in names if note]
            if noted:
                text.append("\n".join(noted) + "\n")
    variables = re.findall(r"^X2?\((\w+),", (RUNTIME / "libc_variables.def").read_text(), re.MULTILINE)
    text.append("## Variables\n")
    text.append("Uses of these variables are rewritten by `mpisimcc`, so that each rank has its own (the time zone's and "
                "the program's name are shared):\n")
    text.append(", ".join(f"`{name}`" for name in variables) + "\n")
    return "\n".join(text)


def main():
    check = sys.argv[1] == "--check"
    path = pathlib.Path(sys.argv[-1])
    if not check:
        path.write_text(table())
    elif not path.exists() or path.read_text() != table():
        sys.exit(f"{path} is out of date: run {pathlib.Path(__file__).name} {path}")


main()
