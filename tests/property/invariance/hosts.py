"""Examples and generated programs on several host processes: every value of protocol, determinism, hosts, partition,
machine, computation and program beside every other (a pairwise covering array), or all of them together."""
import itertools
import pathlib
import random
import subprocess
import sys

import covering
import programs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.append(str(HERE.parent))
from comparison import differences, simulate  # noqa: E402

LIMIT = 180  # seconds for one run

# name: folder of examples/, arguments, ranks
EXAMPLES = {
    "ring": ("ring", ["5", "1024"], 64),
    "cg": ("cg", ["S"], 8),
    "mgv": ("mgv", ["5", "3"], 27),
    "masterworker": ("masterworker", ["32", "200"], 12),
    "heat2d": ("heat2d", ["48", "20", "--checkpoint", "10"], 6),
    "bt": ("bt", ["S", "10", "full"], 9),
    "sp": ("sp", ["S", "10"], 16),
    "sort": ("sort", ["20000", "2", "keys.dat", "sorted.dat"], 5),
    "iow": ("iow", ["fm=creat+write+read", "nio=20", "sio=1000", "bio=24", "str=1024", "nf=2", "mt=2"], 4),
}
# name: seed, ranks, with files
GENERATED = {
    "generated-4": (1, 4, False),
    "generated-7": (2, 7, True),
    "generated-16": (3, 16, False),
    "generated-20": (4, 20, True),
}
# Programs without decisions, which the protocol `none` can simulate.
DETERMINISTIC = ("ring", "cg", "sp")

TARGETS = {
    "ideal": ["ideal"],
    "cluster": ["cluster", "placement.ranks_per_node=3", "mpi.progress=in-calls"],
    "paragon": ["paragon", "nodes.compute=64", "network.shape=[9, 8]"],
    "sp2": ["sp2", "mpi.progress=in-calls"],
    "transputer": ["transputer"],
}
FACTORS = {
    "protocol": ["sequential", "null", "conditional", "combined", "quantum", "ideal", "none"],
    "determinism": ["on", "off"],
    "hosts": [1, 2, 3, 4],
    "partition": ["block", "round-robin", "graph"],
    "machine": list(TARGETS),
    "compute": ["counted", "off", "recorded"],
    "program": [*EXAMPLES, *GENERATED],
}
# Null messages creep by the least latency, and with more host processes than processors each step waits for the operating
# system: they are left to runs that are at most so many latencies long, on two host processes.
MOST_LATENCIES = 3000


class Array:
    def __init__(self, build, folder, report=print):
        self.build, self.folder, self.report = build, folder, report
        self.mpisim = build / "bin" / "mpisim"
        self.executables = {}
        self.expected = {}  # by program, machine, computation
        self.runs = self.parallel_runs = 0
        self.faults = []

    # ---- what runs ----

    def compile(self, sources, name, options=()):
        subprocess.run([self.build / "bin" / "mpisimcc", "-O1", "-std=c99", *options, *sources, "-o", self.folder / name, "-lm"],
                       check=True)
        return self.folder / name

    def target(self, name):
        """Executable, arguments, ranks."""
        if name in EXAMPLES:
            folder, arguments, ranks = EXAMPLES[name]
            if folder not in self.executables:
                self.executables[folder] = self.compile(sorted((ROOT / "examples" / folder).glob("*.c")), folder)
            return self.executables[folder], arguments, ranks
        seed, ranks, files = GENERATED[name]
        program = programs.generate(seed, ranks=ranks, machine=["ideal"], files=files, length=80)
        return self.script(program)

    def script(self, program):
        # A program that can cancel receives needs more synchronisation, also where it does not.
        kind = "script" if program.has("cancel") else "script-without-cancel"
        if kind not in self.executables:
            self.executables[kind] = self.compile([HERE / "program.c", *sorted(HERE.glob("script*.c"))], kind,
                                                  ["-DWITHOUT_CANCEL"] if kind != "script" else [])
        file = self.folder / f"{program.name}-{program.ranks}.script"
        file.write_text(program.text())
        return self.executables[kind], [file], program.ranks

    def simulate(self, target, machine, options):
        executable, arguments, ranks = target
        settings = [part for setting in machine[1:] for part in ("--set", setting)]
        self.runs += 1
        return simulate(self.mpisim, executable, arguments, machine[0], ranks, [*settings, *options], self.folder, LIMIT)

    # ---- what is expected ----

    def order(self, program, machine, compute):
        return self.folder / f"{program}-{machine}-{compute}.order"

    def profile(self, program, machine, compute):
        return self.folder / f"{program}-{machine}-{compute}.profile"

    def compute_options(self, program, machine, compute):
        if compute != "recorded":
            return ["--compute", compute]
        record = self.folder / f"{program}-{machine}.record"
        if not record.exists():
            result, command = self.simulate(self.target(program), TARGETS[machine],
                                            ["--compute", "measured", "--record", record])
            if result["exit"] != 0:
                raise SystemExit(f"{command}: {result['errors']}")
        return ["--compute", "recorded", "--record", record]

    def expect(self, program, machine, compute):
        """The sequential run."""
        key = (program, machine, compute)
        if key not in self.expected:
            options = self.compute_options(program, machine, compute)
            result, command = self.simulate(self.target(program), TARGETS[machine],
                                            [*options, "--order", self.order(*key), "--profile", self.profile(*key)])
            if result["exit"] != 0 or "json" not in result:
                raise SystemExit(f"{command}: exit status {result['exit']}: {result['errors']}")
            self.expected[key] = result
        return self.expected[key]

    def creeps(self, program, machine):
        json = self.expect(program, machine, "off")["json"]
        return json["predicted_time_ps"] > MOST_LATENCIES * json["synchronisation"]["lookahead_ps"]

    # ---- which runs ----

    def allowed(self, row):
        protocol, hosts = row.get("protocol"), row.get("hosts")
        if protocol == "sequential" and hosts not in (None, 1):
            return False
        if protocol == "none":
            return row.get("determinism") != "off" and row.get("program", "ring") in DETERMINISTIC
        if protocol == "null":
            if hosts not in (None, 1, 2):
                return False
            if "program" in row and "machine" in row:
                return not self.creeps(row["program"], row["machine"])
        return True

    def pairwise(self, seed):
        return covering.covering_array(FACTORS, self.allowed, seed)

    def product_by_turns(self, seed):
        """Every combination of all factors but the program, in a random order; programs come by turns, each as often as
        combinations allow it."""
        others = {name: values for name, values in FACTORS.items() if name != "program"}
        rows = [dict(zip(others, values)) for values in itertools.product(*others.values())]
        random.Random(seed).shuffle(rows)
        turns = list(FACTORS["program"])
        for row in rows:
            program = next((name for name in turns if self.allowed({**row, "program": name})), None)
            if program is not None:
                turns.remove(program)
                turns.append(program)
                yield {**row, "program": program}

    def product(self, seed):
        """Every combination, in a random order."""
        rows = [dict(zip(FACTORS, values)) for values in itertools.product(*FACTORS.values())]
        random.Random(seed).shuffle(rows)
        return (row for row in rows if self.allowed(row))

    def check(self, row):
        key = (row["program"], row["machine"], row["compute"])
        expected = self.expect(*key)
        options = self.compute_options(*key)
        options += ["--hosts", row["hosts"], "--protocol", row["protocol"], "--partition", row["partition"],
                    "--deterministic", row["determinism"]]
        if row["protocol"] == "ideal":
            options += ["--order", self.order(*key)]
        if row["partition"] == "graph":
            options += ["--profile", self.profile(*key)]
        got, command = self.simulate(self.target(row["program"]), TARGETS[row["machine"]], options)
        self.parallel_runs += row["hosts"] > 1
        if found := differences(expected, got):
            self.faults.append(row)
            self.report(f"FAILED {command}\n  " + "\n  ".join(found[:8]))
