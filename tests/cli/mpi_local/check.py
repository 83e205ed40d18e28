"""usage: check.py BUILD WORK NAME: compiles NAME.c with mpisimcc and mpicc; their ranks must print the same lines.

Skipped (77) where Open MPI is not installed."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = 6


def call(*command, work):
    done = subprocess.run([str(word) for word in command], cwd=work, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return sorted(done.stdout.splitlines())


def compare(expected, found, what):
    if expected != found:
        missing = [line for line in expected if line not in found]
        extra = [line for line in found if line not in expected]
        sys.exit(f"FAILED: {what}: under Open MPI only {missing[:10]}, here only {extra[:10]}")


def main():
    build, work, name = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        print("Open MPI is not installed")
        sys.exit(77)
    os.makedirs(work, exist_ok=True)
    source = os.path.join(HERE, name + ".c")
    call("mpicc", "-O1", source, "-o", "native", work=work)
    call(os.path.join(build, "bin", "mpisimcc"), "-O1", source, "-o", "simulated", work=work)
    expected = call("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", RANKS, "./native", work=work)
    if not expected:
        sys.exit("FAILED: the program prints nothing")
    run = [os.path.join(build, "bin", "mpisim"), "run", "-n", RANKS, "-m", "ideal", "--quiet", "--compute", "off"]
    compare(expected, call(*run, "./simulated", work=work), "one host process")
    compare(expected, call(*run, "--hosts", 2, "./simulated", work=work), "two host processes")
    print(f"{len(expected)} lines are the same")


main()
