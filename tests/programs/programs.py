"""What the tests know of the target programs in examples/: arguments, rank counts, and how to run them."""
import dataclasses
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess

SKIPPED = 77  # exit status that ctest takes for "skipped"

COUNTS = (1, 2, 4, 8, 9, 16, 64)
SQUARES = (1, 4, 9, 16, 64)
MACHINES = ("ideal", "sp2", "paragon", "transputer", "cluster")


@dataclasses.dataclass
class Target:
    """A target program as it is tested: the folder in examples/, the arguments of quick and of nightly runs, the rank
    counts, and the files that it writes into its working directory."""

    folder: str
    quick: list
    nightly: list
    counts: tuple = COUNTS
    files: tuple = ()


PROGRAMS = {
    "ring": Target("ring", ["5", "1024"], ["50", "100000"]),
    "pingpong": Target("pingpong", ["65536", "3"], ["4194304", "5"]),
    "heat2d": Target("heat2d", ["64", "40"], ["300", "200", "rows"]),
    "heat2d.checkpoint": Target("heat2d", ["64", "40", "--checkpoint", "20"], ["300", "200", "--checkpoint", "50"], COUNTS,
                                ("heat2d-20.ckpt", "heat2d-40.ckpt")),
    "ep": Target("ep", ["S"], ["W"]),
    "is": Target("is", ["S"], ["W"]),
    "cg": Target("cg", ["S"], ["W"]),
    "mg": Target("mg", ["S"], ["W"]),
    "ft": Target("ft", ["S"], ["W"]),
    "bt": Target("bt", ["S", "10"], ["W"], SQUARES),
    "sp": Target("sp", ["W", "5"], ["A", "20"], SQUARES),
    "bt.simple": Target("bt", ["S", "10", "simple"], ["W", "40", "simple"], SQUARES, ("solution.bt",)),
    "bt.full": Target("bt", ["S", "60", "full"], ["W", "40", "full"], SQUARES, ("solution.bt",)),
    "lu": Target("lu", ["S"], ["W"]),
    "mgv": Target("mgv", ["6", "6"], ["9", "10"]),
    "masterworker": Target("masterworker", ["32", "200"], ["200", "2000"]),
    "sort": Target("sort", ["20000"], ["1000000", "7"]),
    "sort.files": Target("sort", ["20000", "2", "keys.dat", "sorted.dat"], ["1000000", "7", "keys.dat", "sorted.dat"], COUNTS,
                         ("keys.dat", "sorted.dat")),
    "matmul.staggered": Target("matmul", ["20", "staggered"], ["48", "staggered"], COUNTS,
                               ("matmul-a.dat", "matmul-b.dat", "matmul-c.dat")),
    "matmul.same": Target("matmul", ["20", "same"], ["48", "same"], COUNTS, ("matmul-c.dat",)),
    "matmul.collective": Target("matmul", ["20", "collective"], ["48", "collective"], COUNTS, ("matmul-c.dat",)),
    "iow": Target("iow", ["fm=creat+write+read", "nio=50", "sio=1000", "bio=24", "str=1024", "nf=2", "mt=2"],
                  ["fm=creat+read", "nio=500", "sio=65536", "cc=4000000"], COUNTS, ("iow-0.dat", "iow-1.dat")),
    "requests.random": Target("requests", ["64", "40", "40", "80", "1024"], ["1024", "1000", "1000"], COUNTS,
                              ("requests.dat",)),
    "iorlike.own": Target("iorlike", ["block=4096", "transfer=512", "order=random"], ["segments=8", "shift=3"]),
    "iorlike.one": Target("iorlike", ["api=mpiio", "files=one", "collective=1", "block=4096", "transfer=1024"],
                          ["api=mpiio", "files=one", "segments=8"]),
}


def sources(root, folder):
    """All C files of a program in examples/."""
    return sorted(glob.glob(os.path.join(root, "examples", folder, "*.c")))


class Failure(Exception):
    """A check that does not hold; the text says which command, and what came instead."""


def run(command, limit, environment=None, cwd=None):
    """Runs a command without input; returns (exit status, stdout, stderr)."""
    process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", cwd=cwd, start_new_session=True,
                               env=dict(os.environ, **(environment or {})))
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise Failure(f"{shown(command)}: no end within {limit} s")
    return process.returncode, out, err


def shown(command):
    return " ".join(str(part) for part in command)


def must_run(command, limit=60, environment=None, cwd=None):
    status, out, err = run(command, limit, environment, cwd)
    if status != 0:
        raise Failure(f"{shown(command)}: exit status {status}\n{tail(out)}\n{tail(err)}")
    return out, err


def tail(text, length=1500):
    return text if len(text) <= length else "..." + text[-length:]


def lines_of(output):
    """The lines that must be the same everywhere: without measurements, in an order that does not depend on when each
    rank came to print. Lines of ranks other than 0 carry the rank's number."""
    return sorted(line for line in output.splitlines() if not line.startswith("time"))


def must_be_same(expected, found, what):
    if lines_of(expected) == lines_of(found):
        return
    only_expected = [line for line in lines_of(expected) if line not in lines_of(found)]
    only_found = [line for line in lines_of(found) if line not in lines_of(expected)]
    raise Failure(f"{what} differ:\n  expected " + "\n           ".join(only_expected[:5]) + "\n  found    " +
                  "\n           ".join(only_found[:5]))


def slots(configs, machine):
    """How many ranks a machine file has room for; None: as many as one likes."""
    with open(os.path.join(configs, machine + ".yaml"), encoding="utf-8") as file:
        text = file.read()
    compute = re.search(r"^nodes:.*?compute:\s*(\w+)", text, re.M | re.S)
    if compute is None or compute.group(1) == "auto":
        return None
    per_node = re.search(r"ranks_per_node:\s*(\d+)", text)
    return int(compute.group(1)) * (int(per_node.group(1)) if per_node else 1)


class WrittenFiles:
    """The files that a program writes into `folder`: the same bytes in every run with the same arguments, whatever ran it,
    on however many ranks."""

    def __init__(self, folder, names):
        self.folder, self.names = folder, names
        self.first = None

    def remove(self):
        for name in self.names:
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                os.remove(path)

    def check(self, what):
        """Compares what is there with what the first run wrote."""
        found = {}
        for name in self.names:
            path = os.path.join(self.folder, name)
            if not os.path.exists(path):
                raise Failure(f"{what} has not written {name}")
            with open(path, "rb") as file:
                found[name] = (os.path.getsize(path), hashlib.sha256(file.read()).hexdigest())
        if self.first is None:
            self.first = (what, found)
        for name in self.names:
            if found[name] != self.first[1][name]:
                raise Failure(f"{name} of {what} is not that of {self.first[0]}: {found[name]} instead of "
                              f"{self.first[1][name]}")


class Simulator:
    """The commands under test."""

    def __init__(self, build, configs, work):
        self.compiler = os.path.join(build, "bin", "mpisimcc")
        self.command = os.path.join(build, "bin", "mpisim")
        self.configs = configs
        self.work = work

    def compile(self, sources, program, options=("-O2", "-std=c99")):
        must_run([self.compiler, *options, *sources, "-o", program, "-lm"], limit=300)
        return program

    def simulate(self, program, arguments, machine, ranks, options=(), limit=120):
        """Returns (the program's output, what --json wrote)."""
        report = os.path.join(self.work, "report.json")
        if os.path.exists(report):
            os.remove(report)
        command = [self.command, "run", "-n", ranks, "-m", os.path.join(self.configs, machine + ".yaml"), "--json", report,
                   "--quiet", *options, program, *arguments]
        out, _ = must_run(command, limit, cwd=self.work)
        with open(report, encoding="utf-8") as file:
            return out, json.load(file)


class Native:
    """Open MPI on this machine, to compare with; `found` is false where there is none."""

    def __init__(self, work):
        self.compiler = shutil.which("mpicc")
        self.launcher = shutil.which("mpirun")
        self.found = self.compiler is not None and self.launcher is not None
        self.work = work

    def compile(self, sources, program, options=("-O2", "-std=c99")):
        must_run([self.compiler, *options, *sources, "-o", program, "-lm"], limit=300)
        return program

    def execute(self, program, arguments, ranks, limit=120):
        command = [self.launcher, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", ranks, program,
                   *arguments]
        return must_run(command, limit, {"OMPI_MCA_mpi_yield_when_idle": "1"}, cwd=self.work)[0]
