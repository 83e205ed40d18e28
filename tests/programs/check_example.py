#!/usr/bin/env python3
"""Compiles one program of examples/ with mpisimcc and runs it on several rank counts and machine files.

usage: check_example.py --build BUILD --root ROOT --work FOLDER [--nightly] NAME      (of PROGRAMS in programs.py)

Checks that every run verifies, that the same run predicts the same time again and with two host processes, that the output
is that of Open MPI with the same number of ranks, and that files are the same in all of these runs. Quick runs: every rank
count on `ideal`, 4 and 9 ranks on every machine. Nightly: larger problems too, and every rank count on every machine that
has room for it.
"""
import argparse
import os
import sys

from programs import (MACHINES, PROGRAMS, Failure, Native, Simulator, WrittenFiles, must_be_same, must_run, slots,
                      sources)


def combinations(simulator, counts, nightly):
    for machine in MACHINES:
        room = slots(simulator.configs, machine)
        for ranks in counts:
            if room is not None and ranks > room:
                print(f"  {machine}: no room for {ranks} ranks, skipped")
            elif nightly or machine == "ideal" or ranks in (4, 9):
                yield machine, ranks


def check_verified(target, output, what):
    if f"{target.folder}: VERIFICATION SUCCESSFUL" not in output.splitlines():
        raise Failure(f"{what}: no successful verification in the output:\n{output}")


class Example:
    """A program, compiled, and what its runs must agree on."""

    def __init__(self, name, simulator, native, source_files):
        self.name, self.target = name, PROGRAMS[name]
        self.simulator, self.native = simulator, native
        self.program = simulator.compile(source_files, os.path.join(simulator.work, name + ".sim"))
        self.binary = None
        if native.found:
            self.binary = native.compile(source_files, os.path.join(native.work, name + ".native"), options=())
        self.files = WrittenFiles(simulator.work, self.target.files)

    def simulate(self, machine, ranks, options=("--compute", "counted")):
        """A quick run that must verify; returns (output, report)."""
        what = f"{self.name} {' '.join(self.target.quick)} on {ranks} ranks of {machine} {' '.join(options)}"
        self.files.remove()
        output, report = self.simulator.simulate(self.program, self.target.quick, machine, ranks, options)
        check_verified(self.target, output, what)
        self.files.check(what)
        if report["ranks"] != ranks or report["predicted_time_ps"] <= 0:
            raise Failure(f"{what}: the report says {report['ranks']} ranks, {report['predicted_time_ps']} ps")
        return output, report

    def start_directly(self):
        self.files.remove()
        output, _ = must_run([self.program, *self.target.quick], cwd=self.simulator.work)
        check_verified(self.target, output, "started directly")
        self.files.check("a direct start")
        return output

    def execute(self, ranks):
        """The output under Open MPI."""
        self.files.remove()
        output = self.native.execute(self.binary, self.target.quick, ranks)
        self.files.check(f"Open MPI with {ranks} ranks")
        return output


def check_several_hosts(example, machine):
    """One host process and two tell the same of 9 ranks, and the program prints the same, line for line."""
    counted = ["--compute", "counted"]
    output, report = example.simulate(machine, 9, counted)
    with_two, report_of_two = example.simulate(machine, 9, [*counted, "--hosts", "2", "--protocol", "conditional"])
    for field in ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io"):
        if report[field] != report_of_two[field]:
            raise Failure(f"{example.name} on {machine}: {field} is {report[field]} with one host process, "
                          f"{report_of_two[field]} with two")
    if output != with_two:
        must_be_same(output, with_two, f"{example.name}: outputs with one host process and with two")
        raise Failure(f"{example.name}: with two host processes lines come in another order:\n{with_two}\ninstead of\n"
                      f"{output}")


def check(example, nightly):
    target, simulator = example.target, example.simulator
    native_counts = [n for n in target.counts if n <= 16] if nightly else [4]
    expected = {}
    if example.native.found:
        for ranks in native_counts:
            expected[ranks] = example.execute(ranks)
    else:
        print("  no Open MPI here: nothing to compare with")

    alone = example.start_directly()
    for machine, ranks in combinations(simulator, target.counts, nightly):
        what = f"{example.name} on {ranks} ranks of {machine}"
        output, report = example.simulate(machine, ranks)
        if ranks in expected:
            must_be_same(expected[ranks], output, f"outputs of Open MPI and of {what}")
        if ranks == 1:
            must_be_same(alone, output, f"outputs of a direct start and of {what}")
        print(f"  {what}: {report['predicted_time_s']:.6g} s")

    first, again = (example.simulate("sp2", 4)[1] for _ in range(2))
    for field in ("predicted_time_ps", "messages", "bytes", "breakdown", "io"):
        if first[field] != again[field]:
            raise Failure(f"{example.name}: {field} is {first[field]} in one run and {again[field]} in the next")
    check_several_hosts(example, "sp2")
    if target.files:  # on the SP2 each rank has a disk of its own, on the Paragon disks are shared
        check_several_hosts(example, "paragon")
    example.simulate("cluster", 4, ["--compute", "measured"])

    if nightly:
        for machine in MACHINES:
            output, _ = simulator.simulate(example.program, target.nightly, machine, 16, ["--compute", "counted"],
                                           limit=600)
            check_verified(target, output, f"{example.name} {' '.join(target.nightly)} on {machine}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--nightly", action="store_true")
    parser.add_argument("program", choices=sorted(PROGRAMS))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    simulator = Simulator(options.build, os.path.join(options.root, "configs"), options.work)
    try:
        example = Example(options.program, simulator, Native(options.work),
                          sources(options.root, PROGRAMS[options.program].folder))
        check(example, options.nightly)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
