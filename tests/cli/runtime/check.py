"""Compiles a program of this folder with mpisimcc, runs it on one and two host processes, and compares what its ranks
print with NAME.expected. Where Open MPI is there, it must print the same (except clocks, which are simulated).

usage: check.py --build DIR --work DIR NAME
"""
import argparse
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 4
INPUT = "a line for rank zero\n42\n"
STATUS = {"ending": 5}  # the highest of the ranks' own; all others end with 0
# "descriptors": Open MPI has opened some before.
# "ending": mpirun may drop what a process prints while another ends with a failure.
NOT_NATIVE = {"clocks", "refused", "ending", "streams", "descriptors"}


def call(*command, cwd, limit=120):
    done = subprocess.run([str(word) for word in command], cwd=cwd, input=INPUT, capture_output=True, text=True,
                          timeout=limit, env=dict(os.environ, GIVEN="given"))
    return done.returncode, done.stdout, done.stderr


def fail(text):
    sys.exit(f"FAILED: {text}")


def lines(text):
    """Lines of ranks, sorted: ranks print independently of one another."""
    return sorted(line[:100] for line in text.splitlines() if line.strip())


def must_print(expected, found, what):
    if lines(expected) != lines(found):
        missing = [line for line in lines(expected) if line not in lines(found)]
        extra = [line for line in lines(found) if line not in lines(expected)]
        fail(f"{what}: missing {missing}, extra {extra}")


def build(arguments, *command):
    program = os.path.join(arguments.work, f"{arguments.name}-{os.path.basename(str(command[0]))}")
    status, out, err = call(*command, "-O1", "-g", os.path.join(HERE, arguments.name + ".c"), "-o", program, "-lm",
                            cwd=arguments.work)
    if status != 0:
        fail(f"{command}: exit status {status}\n{out}{err}")
    return program


def simulate(arguments, program, hosts, *words):
    return call(os.path.join(arguments.build, "bin", "mpisim"), "run", "-n", RANKS, "-m", "ideal", "--hosts", hosts,
                "--protocol", "sequential" if hosts == 1 else "conditional", "--compute", "counted", "--quiet", program,
                *words, cwd=arguments.work)


def check_refusals(arguments, program):
    status, _, err = simulate(arguments, program, 1, "system")
    if status != 2 or "rank 1: system at " not in err or "refused.c:13" not in err:
        fail(f"system: exit status {status}, {err}")
    status, _, err = simulate(arguments, program, 1, "abort")
    if status != 4 or "refused.c:14" not in err:
        fail(f"abort: exit status {status}, {err}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("name")
    arguments = parser.parse_args()
    arguments.build, arguments.work = os.path.abspath(arguments.build), os.path.abspath(arguments.work)
    shutil.rmtree(arguments.work, ignore_errors=True)
    os.makedirs(arguments.work)
    program = build(arguments, os.path.join(arguments.build, "bin", "mpisimcc"))
    if arguments.name == "refused":
        return check_refusals(arguments, program)
    with open(os.path.join(HERE, arguments.name + ".expected"), encoding="utf-8") as file:
        expected = file.read()
    for hosts in (1, 2):
        status, out, err = simulate(arguments, program, hosts)
        if status != STATUS.get(arguments.name, 0):
            fail(f"--hosts {hosts}: exit status {status}\n{out[-2000:]}\n{err[-2000:]}")
        must_print(expected, out + err, f"--hosts {hosts}")
    if arguments.name not in NOT_NATIVE and shutil.which("mpicc") and shutil.which("mpirun"):
        native = build(arguments, "mpicc")
        _, out, err = call("mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", RANKS, native,
                           cwd=arguments.work)
        must_print(expected, out + err, "Open MPI")


main()
