#!/usr/bin/env python3
"""Golden tests of the preprocessor: one construct of C per file.

usage: golden.py BUILD FILE.c...
passes/*.c must behave under mpisimcc, at several levels of optimization, as when built natively: started directly as one
rank, and under `mpisim run` on 1 and 3 ranks, with the plain bodies of its functions and with those that count.
diagnosed/*.c must be refused with the messages that `// expect: LINE: TEXT` comments name, and no others;
`// link` in the first line has the file linked too, `// flags: ...` adds options.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VARIANTS = ["-O0", "-O1", "-O2", "-Os -fno-counted", "-O0 -fPIC", "-O3 -fPIC -mavx2"]


def call(*command, **options):
    p = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       errors="replace", stdin=subprocess.DEVNULL, timeout=120, **options)
    return p.returncode, p.stdout, p.stderr


class Failure(Exception):
    pass


def option(text, name):
    found = re.search(r"// %s: (.*)" % name, text)
    return found.group(1).split() if found else []


def expect(condition, what, *details):
    if not condition:
        raise Failure(what + "".join("\n    " + str(d).strip()[-1500:].replace("\n", "\n    ") for d in details if d))


def check_passing(source, build, work):
    text = open(source).read()
    flags = ["-I", HERE] + option(text, "flags")
    native = os.path.join(work, "native")
    rc, _, err = call("gcc", "-w", "-O1", *flags, source, "-o", native, "-lm")
    expect(rc == 0, "does not compile natively", err)
    rc, wanted, _ = call(native)
    expect(rc == 0, "fails natively", wanted)

    mpisimcc, mpisim = (os.path.join(build, "bin", n) for n in ("mpisimcc", "mpisim"))
    machine = os.path.join(ROOT, "configs", "ideal.yaml")
    with_mpi = os.path.exists(mpisim) and os.path.exists(machine) and "check.h" in text
    failures = []
    for number, level in enumerate(VARIANTS):
        try:
            program = os.path.join(work, f"program{number}")
            extra = ["-DGOLDEN_MPI"] if with_mpi else []
            rc, out, err = call(mpisimcc, "-w", *level.split(), *extra, *flags, source, "-o", program, "-lm")
            expect(rc == 0, f"{level}: mpisimcc fails", err)
            rc, out, err = call(program)
            expect(rc == 0 and out == wanted, f"{level}: started directly: exit {rc}", out, err)
            for compute in ("off",) if "-fno-counted" in level else ("off", "counted"):
                for ranks in (1, 3) if with_mpi else ():
                    rc, out, err = call(mpisim, "run", "--quiet", "-n", ranks, "-m", machine, "--compute", compute, program)
                    expect(rc == 0 and out == wanted * ranks, f"{level}: {compute}, {ranks} ranks: exit {rc}", out, err)
        except Failure as failure:
            failures.append(str(failure))
    expect(not failures, "\n  ".join(failures))


def check_diagnosed(source, build, work):
    text = open(source).read()
    wanted = [(int(line) if line != "-" else None, what.strip())
              for line, what in re.findall(r"expect: (\d+|-): (.*?)(?:\*/)?\n", text)]
    expect(wanted, "has no expectations")
    link = text.startswith("// link")
    output = os.path.join(work, "out")
    rc, _, err = call(os.path.join(build, "bin", "mpisimcc"), "-I", HERE, *option(text, "flags"), *([] if link else ["-c"]),
                      source, "-o", output)
    expect(rc != 0, "was not refused", err)
    expect(not os.path.exists(output), "left an output file")
    for line, what in wanted:
        place = f"{os.path.basename(source)}:{line}:" if line else ""
        expect(any(place in l and what in l for l in err.splitlines()), f"no message '{place} {what}'", err)
    errors = [l for l in err.splitlines() if re.search(r":\d+:\d+: (fatal )?error:|^mpisimcc: error:", l)]
    expect(len(errors) == len(wanted), f"{len(errors)} errors, not {len(wanted)}", err)


def main():
    build, failed = os.path.abspath(sys.argv[1]), 0
    for source in sys.argv[2:]:
        source = os.path.abspath(source)
        check = check_diagnosed if os.path.basename(os.path.dirname(source)) == "diagnosed" else check_passing
        with tempfile.TemporaryDirectory(prefix="golden-") as work:
            try:
                check(source, build, work)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAIL {os.path.basename(source)}: {failure}")
    print(f"{len(sys.argv) - 2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
