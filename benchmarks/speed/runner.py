"""Builds and runs the programs of this folder: under mpisim, under SMPI, natively, and the floor beside them."""
import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = ["bt", "cg", "ep", "ft", "heat2d", "is", "lu", "masterworker", "mgv", "pingpong", "ring", "sp"]

SMPI_HOSTS = 1024
SMPI_SECONDS = 30  # of patience with one run
# Bare contexts, small stacks, no replay of computation: what makes SMPI fastest.
SMPI_OPTIONS = ["--cfg=contexts/factory:raw", "--cfg=contexts/stack-size:64", "--cfg=contexts/guard-size:0",
                "--cfg=smpi/simulate-computation:no", "--log=root.thres:error"]


def child_seconds():
    """Processor time, user and system, of all children that have ended."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def run_quietly(command, timeout=None, **more):
    """What the command prints. After `timeout` it ends with all that it has started: smpirun is a script, whose simulator
    would go on."""
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True, start_new_session=True, **more) as process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return output


def cpu_seconds(command, **more):
    """Processor time of the command and all that it starts; with its output."""
    before = child_seconds()
    output = run_quietly(command, **more)
    return child_seconds() - before, output


class Runner:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def sources(self):
        yield from ((path.stem, [path]) for path in sorted(HERE.glob("*.c")) if path.stem != "outside_mpi")
        yield from ((name, sorted((ROOT / "examples" / name).glob("*.c"))) for name in EXAMPLES)

    def compile(self, programs=None):
        """All programs, and the floor; or only these, one file each."""
        for name, files in self.sources() if programs is None else ((path.stem, [path]) for path in programs):
            subprocess.run([self.build / "bin" / "mpisimcc", "-O2", "-o", self.folder / name, *files, "-lm"], check=True)
        if programs is not None:
            return
        self.floor_program = self.folder / "floor"
        subprocess.run(["c++", "-O2", "-std=c++20", "-o", self.floor_program, HERE / "floor.cpp", "-lboost_context"],
                       check=True)

    def command(self, program, arguments, ranks, hosts, report, options=()):
        return [self.build / "bin" / "mpisim", "run", "-n", ranks, "-m", "ideal", "--compute", "off", "--quiet",
                "--json", report, "--hosts", hosts, *options, self.folder / program, *arguments]

    def run(self, program, arguments, ranks, hosts=1, options=()):
        """The JSON of one run, with its processor time."""
        report = self.folder / "run.json"
        seconds, _ = cpu_seconds(self.command(program, arguments, ranks, hosts, report, options))
        return {**json.loads(report.read_text()), "cpu_s": seconds}

    def run_side_by_side(self, program, arguments, ranks, count):
        """The JSON of `count` independent runs at the same time, with the processor time of each on average."""
        reports = [self.folder / f"run-{i}.json" for i in range(count)]
        before = child_seconds()
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            list(pool.map(lambda report: run_quietly(self.command(program, arguments, ranks, 1, report)), reports))
        seconds = (child_seconds() - before) / count
        return [{**json.loads(report.read_text()), "cpu_s": seconds} for report in reports]

    def floor(self, *arguments):
        """Nanoseconds."""
        return float(cpu_seconds([self.floor_program, *arguments])[1])

    def native_work(self, name, arguments, ranks):
        """Processor seconds of all ranks outside of MPI calls, under the host's own MPI; None without one."""
        if not shutil.which("mpicc"):
            return None
        binary = self.folder / (name + ".native")
        if not binary.exists():
            subprocess.run(["mpicc", "-O2", "-o", binary, *dict(self.sources())[name], HERE / "outside_mpi.c", "-lm"],
                           check=True)
        environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        _, output = cpu_seconds(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", ranks,
                                 binary, *arguments], env=environment)
        return sum(float(line.split()[-1]) for line in output.splitlines() if line.startswith("outside MPI calls:"))

    def smpi(self, program, arguments, ranks):
        """Processor seconds of SMPI on the same program, the better of its default and its Open MPI selection of
        collectives; None where it is not installed or does not manage it."""
        if not shutil.which("smpicc"):
            return None
        binary = self.folder / (program + ".smpi")
        if not binary.exists():
            subprocess.run(["smpicc", "-O2", "-o", binary, *dict(self.sources())[program], "-lm"], check=True,
                           capture_output=True)
            (self.folder / "cluster.xml").write_text(
                '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                f'<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-{SMPI_HOSTS - 1}" speed="1Gf"'
                ' bw="1GBps" lat="1us"/></platform>')
            (self.folder / "hosts").write_text("".join(f"n{i}\n" for i in range(SMPI_HOSTS)))
        # Programs of this folder have no globals; the examples need copies of theirs.
        private = "no" if (HERE / f"{program}.c").exists() else "dlopen"
        seconds = []
        for selector in ("default", "ompi"):
            command = ["smpirun", "-np", ranks, "-platform", self.folder / "cluster.xml", "-hostfile",
                       self.folder / "hosts", *SMPI_OPTIONS, f"--cfg=smpi/privatization:{private}",
                       f"--cfg=smpi/coll-selector:{selector}", binary, *arguments]
            try:
                seconds.append(cpu_seconds(command, stderr=subprocess.DEVNULL, timeout=SMPI_SECONDS)[0])
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
                pass
        return min(seconds, default=None)
