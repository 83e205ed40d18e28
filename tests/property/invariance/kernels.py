"""Generated programs on several kernels of one process, by the program invariance_kernels."""
import dataclasses
import subprocess

import programs
import shrink

LIMIT = 120  # seconds for some programs
SHRINKING_LIMIT = 10  # seconds for one, of which there are hundreds
DELIVERIES = 12  # orders of delivery that a smaller program is tried with: those of a fault change with the program


@dataclasses.dataclass
class Outcome:
    """How the runs of some programs ended: "ok", "differs", "bad end", "crash" or "no end"; and what was printed."""

    kind: str
    text: str


class Kernels:
    def __init__(self, build, fault=0):
        self.command = [str(build / "bin" / "invariance_kernels")] + (["--fault", str(fault)] if fault else [])

    def run(self, some, arguments, limit=LIMIT):
        text = "".join(program.text() for program in some)
        try:
            done = subprocess.run([*self.command, *arguments], input=text, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return Outcome("no end", f"no end within {limit} s")
        if done.returncode == 2:
            raise SystemExit(done.stderr)
        kind = {0: "ok", 1: "differs", 3: "bad end"}.get(done.returncode, "crash")
        return Outcome(kind, done.stdout + done.stderr)

    def first_fault(self, some, ways):
        """Runs the programs in so many drawn ways each. None if all agree, else (program, ways of the fault, outcome)."""
        outcome = self.run(some, ["--ways", str(ways)])
        if outcome.kind == "ok":
            return None
        for program in some:
            alone = self.run([program], ["--ways", str(ways)])
            if alone.kind == "differs":
                return program, [self.way_of(alone.text)], alone
            if alone.kind != "ok":
                return program, None, alone
        return some[0], None, Outcome(outcome.kind, outcome.text + "\n(only after other programs)")

    @staticmethod
    def way_of(text):
        line = next(line for line in text.splitlines() if line.startswith("differs "))
        return line.split(": ")[1]

    def shrink(self, program, ways, kind, drawn):
        """A smaller program with a fault of the same kind, and the outcome that shows it."""
        def arguments():
            if ways is None:
                return ["--ways", str(drawn)]
            found = []
            for way in ways:
                hosts, protocol, partition, determinism, seed = way.split()
                for delivery in [seed, *range(DELIVERIES)]:
                    found += ["--way", f"{hosts} {protocol} {partition} {determinism} {delivery}"]
            return found

        def fails(candidate):
            return self.run([candidate], arguments(), SHRINKING_LIMIT).kind == kind

        smallest = shrink.shrink(program, fails)
        return smallest, self.run([smallest], arguments(), SHRINKING_LIMIT)


def describe(build, program, outcome, original, fault=0):
    """What a person needs to see a fault again; the script is kept in the build folder."""
    folder = build / "invariance"
    folder.mkdir(exist_ok=True)
    file = folder / f"{program.name}.script"
    file.write_text(program.text())
    lines = [f"FAILED {program.name}: {outcome.kind}: {outcome.text.strip().splitlines()[0] if outcome.text.strip() else ''}",
             f"  shrunk from {len(original.steps)} steps of {original.ranks} ranks to {len(program.steps)} steps of "
             f"{program.ranks} ranks:"]
    lines += ["    " + line for line in program.text().splitlines()]
    again = f"{build}/bin/invariance_kernels" + (f" --fault {fault}" if fault else "")
    if outcome.kind == "differs":
        again += f" --way '{Kernels.way_of(outcome.text)}'"
    lines += [f"  again: {again} < {file}",
              f"  as a whole: tests/property/invariance/run kernels {build} --seeds {original.name.removeprefix('seed-')}"
              + (f" --fault {fault}" if fault else "")]
    return "\n".join(lines)


def check_seeds(build, seeds, ways, fault=0, batch=20, report=print, out_of_time=lambda: False):
    """Generated programs of these seeds; (programs, runs, faults). Ends early when out_of_time() says so."""
    kernels = Kernels(build, fault)
    done, runs, faults = 0, 0, []
    seeds = list(seeds)
    for at in range(0, len(seeds), batch):
        if out_of_time():
            break
        some = [programs.generate(seed) for seed in seeds[at:at + batch]]
        found = kernels.first_fault(some, ways)
        done += len(some)
        runs += len(some) * (ways + 1)
        if found is None:
            continue
        program, its_ways, outcome = found
        smallest, last = kernels.shrink(program, its_ways, outcome.kind, ways)
        report(describe(build, smallest, last if last.kind != "ok" else outcome, program, fault))
        faults.append(smallest)
        if fault:
            break
    return done, runs, faults
