"""Commands for gdb that know the variables of ranks: `source mpisim-gdb.py`, or gdb -x mpisim-gdb.py.

rank-print[/FORMAT] EXPRESSION   print, with the global and static variables of the rank that runs
rank-where                       which rank runs, and where
$running_rank()                  its number, for conditions of breakpoints: break f if $running_rank() == 2

The debugger knows where a private variable lies in the image of its module. The running rank's lies GS base behind that,
and in a shared library the displacement of that library besides (see runtime/target_abi.h). Pointers that a rank holds
lead to its own data already.
"""
import os
import re

import gdb

# What an expression is made of, as far as names of variables must be told from everything else. A name may be qualified by
# the function or the file that it is static in: f::x, 'file.c'::x.
TOKENS = re.compile(r"""
    (?P<skip> "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'(?!\s*::) | \$\w* | \d[\w.]* | (?:\.|->)\s*[A-Za-z_]\w*
            | (?:struct|union|enum)\s+[A-Za-z_]\w* )
  | (?P<name> (?:(?:[A-Za-z_]\w*|'[^']*')\s*::\s*)* [A-Za-z_]\w* )
""", re.VERBOSE)
IMAGE_SECTION = re.compile(r"(0x[0-9a-f]+) - (0x[0-9a-f]+) is \.mpisim_(?:data|bss)(?: in (.*))?")


def image_sections():
    """(begin, end, file of the shared library or None) of the parts of all modules' images."""
    text = gdb.execute("info files", to_string=True)
    return [(int(begin, 16), int(end, 16), file) for begin, end, file in IMAGE_SECTION.findall(text)]


def library_offset(file):
    """What image addresses of this shared library are displaced by. Every library has a symbol of that name, so that no
    expression can name this one's."""
    for objfile in gdb.objfiles():
        if objfile.filename and os.path.realpath(objfile.filename) == os.path.realpath(file):
            symbols = gdb.execute(f'maint print msymbols -objfile "{objfile.filename}"', to_string=True)
            found = re.search(r"(0x[0-9a-f]+) __mpisim_module_offset\b", symbols)
            if found:
                return int(gdb.parse_and_eval(f"*(long *){found.group(1)}"))
    raise gdb.GdbError(f"{file} has no symbol table, which tells where its variables are")


def gs_base():
    try:
        return int(gdb.parse_and_eval("(unsigned long)$gs_base"))
    except gdb.error:
        raise gdb.GdbError("The program is not being run.") from None


def pointer_to_rank_variable(name, sections):
    """Pointer to the running rank's copy; None if the name is not that of a private variable."""
    try:
        image = gdb.parse_and_eval(name).address
    except gdb.error:
        return None
    if image is None:
        return None
    address = int(image)
    for begin, end, file in sections:
        if begin <= address < end:
            rank_address = address + gs_base() + (library_offset(file) if file else 0)
            return gdb.Value(rank_address % (1 << 64)).cast(image.type)
    return None


def with_rank_variables(expression):
    """The expression, in which convenience variables lead to the rank's variables: those have types without names too."""
    sections, pointers = image_sections(), {}

    def replace(token):
        name = token.group("name")
        if name is None:
            return token.group()
        if name not in pointers:
            pointer = pointer_to_rank_variable(name, sections)
            pointers[name] = None if pointer is None else f"_rank{len(pointers)}"
            if pointer is not None:
                gdb.set_convenience_variable(pointers[name], pointer)
        return f"(*${pointers[name]})" if pointers[name] else name

    return TOKENS.sub(replace, expression)


class RankPrint(gdb.Command):
    """Print the value of an expression, with global and static variables of the rank that runs.
Usage: rank-print[/FORMAT] EXPRESSION

Formats, the value history and assignments are those of print."""

    def __init__(self):
        super().__init__("rank-print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        form = re.match(r"\s*(/\w+)?\s*(.*)", argument, re.DOTALL)
        if not form.group(2):
            raise gdb.GdbError("rank-print needs an expression")
        try:
            gdb.execute(f"with print symbol off -- print {form.group(1) or ''} {with_rank_variables(form.group(2))}", from_tty)
        except gdb.error as error:
            raise gdb.GdbError(str(error)) from None


def running_rank():
    """Its number; None if none runs."""
    gs_base()
    symbol = gdb.lookup_global_symbol("mpisim::mpi::detail::running_rank")
    if symbol is None:
        raise gdb.GdbError("Which rank runs is not known: libmpisim has no debugging information, or is not loaded.")
    try:
        rank = symbol.value()
        return int(rank["id_"]) if rank else None
    except gdb.error:  # the thread has no variables of libmpisim yet
        return None


class RunningRank(gdb.Function):
    """Number of the rank that runs, -1 if none does: for conditions of breakpoints.
Usage: $running_rank()"""

    def __init__(self):
        super().__init__("running_rank")

    def invoke(self):
        rank = running_rank()
        return -1 if rank is None else rank


class RankWhere(gdb.Command):
    """Tell which rank runs, and where it is in the program.
Usage: rank-where"""

    def __init__(self):
        super().__init__("rank-where", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        rank = running_rank()
        print("no rank runs" if rank is None else f"rank {rank}")
        gdb.execute("frame", from_tty)


RankPrint()
RankWhere()
RunningRank()
