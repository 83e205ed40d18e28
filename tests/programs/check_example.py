#!/usr/bin/env python3
"""Compiles one program of examples/ with mpisimcc and runs it on several rank counts and machine files.

usage: check_example.py --build BUILD --root ROOT --work FOLDER [--nightly] PROGRAM

Checks that every run verifies, that the same run predicts the same time again and with two host processes, and that the
output is that of Open MPI with the same number of ranks. Quick runs: every rank count on `ideal`, 4 and 9 ranks on every machine. Nightly: larger problems
too, and every rank count on every machine that has room for it.
"""
import argparse
import os
import sys

from programs import MACHINES, PROGRAMS, Failure, Native, Simulator, must_be_same, must_run, slots


def combinations(simulator, counts, nightly):
    for machine in MACHINES:
        room = slots(simulator.configs, machine)
        for ranks in counts:
            if room is not None and ranks > room:
                print(f"  {machine}: no room for {ranks} ranks, skipped")
            elif nightly or machine == "ideal" or ranks in (4, 9):
                yield machine, ranks


def check_verified(name, output, what):
    if f"{name}: VERIFICATION SUCCESSFUL" not in output.splitlines():
        raise Failure(f"{what}: no successful verification in the output:\n{output}")


def check_several_hosts(name, simulator, program, arguments):
    """One host process and two tell the same of 9 ranks, and the program prints the same, line for line."""
    counted = ["--compute", "counted"]
    output, report = simulator.simulate(program, arguments, "sp2", 9, counted)
    with_two, report_of_two = simulator.simulate(program, arguments, "sp2", 9,
                                                 [*counted, "--hosts", "2", "--protocol", "conditional"])
    for field in ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank"):
        if report[field] != report_of_two[field]:
            raise Failure(f"{name}: {field} is {report[field]} with one host process, {report_of_two[field]} with two")
    if output != with_two:
        must_be_same(output, with_two, f"{name}: outputs with one host process and with two")
        raise Failure(f"{name}: with two host processes lines come in another order:\n{with_two}\ninstead of\n{output}")


def check(name, simulator, native, source, nightly):
    quick, nightly_arguments, counts = PROGRAMS[name]
    program = simulator.compile([source], os.path.join(simulator.work, name + ".sim"))
    native_counts = [n for n in counts if n <= 16] if nightly else [4]
    expected = {}
    if native.found:
        binary = native.compile([source], os.path.join(simulator.work, name + ".native"), options=())
        for ranks in native_counts:
            expected[ranks] = native.execute(binary, quick, ranks)
    else:
        print("  no Open MPI here: nothing to compare with")

    alone, _ = must_run([program, *quick], cwd=simulator.work)
    check_verified(name, alone, "started directly")
    for machine, ranks in combinations(simulator, counts, nightly):
        what = f"{name} {' '.join(quick)} on {ranks} ranks of {machine}"
        output, report = simulator.simulate(program, quick, machine, ranks, ["--compute", "counted"])
        check_verified(name, output, what)
        if report["ranks"] != ranks or report["predicted_time_ps"] <= 0:
            raise Failure(f"{what}: the report says {report['ranks']} ranks, {report['predicted_time_ps']} ps")
        if ranks in expected:
            must_be_same(expected[ranks], output, f"outputs of Open MPI and of {what}")
        if ranks == 1:
            must_be_same(alone, output, f"outputs of a direct start and of {what}")
        print(f"  {what}: {report['predicted_time_s']:.6g} s")

    first, again = (simulator.simulate(program, quick, "sp2", 4, ["--compute", "counted"])[1] for _ in range(2))
    for field in ("predicted_time_ps", "messages", "bytes", "breakdown"):
        if first[field] != again[field]:
            raise Failure(f"{name}: {field} is {first[field]} in one run and {again[field]} in the next")
    check_several_hosts(name, simulator, program, quick)
    output, _ = simulator.simulate(program, quick, "cluster", 4, ["--compute", "measured"])
    check_verified(name, output, f"{name} with measured compute")

    if nightly:
        for machine in MACHINES:
            output, _ = simulator.simulate(program, nightly_arguments, machine, 16, ["--compute", "counted"], limit=600)
            check_verified(name, output, f"{name} {' '.join(nightly_arguments)} on {machine}")


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
    source = os.path.join(options.root, "examples", options.program, options.program + ".c")
    try:
        check(options.program, simulator, Native(options.work), source, options.nightly)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
