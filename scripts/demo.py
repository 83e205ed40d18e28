"""The demonstration that scripts/demo runs: a heat program on four machines.

usage: demo.py ROOT BUILD OUTPUT
"""
import json
import os
import shlex
import subprocess
import sys

import plot

PLATE, STEPS = 256, 50
RANKS = [1, 2, 4, 8, 16, 32, 64]
MACHINES = [  # machine file, label, most ranks that its nodes hold as described
    ("paragon", "Intel Paragon XP/S", 56),
    ("sp2", "IBM SP2", None),
    ("transputer", "T800 transputers", 72),
    ("cluster", "InfiniBand cluster", None),
]
UNITS = [(1e-3, "us", 1e6), (1, "ms", 1e3), (float("inf"), "s", 1)]


def show_time(seconds):
    _, unit, factor = next(u for u in UNITS if seconds < u[0])
    return f"{seconds * factor:.3g} {unit}"


class Demo:
    def __init__(self, root, build, output):
        self.root, self.build, self.output = root, build, output
        self.commands = []
        os.makedirs(output, exist_ok=True)

    def call(self, *words):
        """Runs one command as a user would type it from the project's folder; shows what went wrong."""
        shown = [os.path.relpath(w, self.root) if os.path.isabs(w) else w for w in map(str, words)]
        shown[0] = shown[0] if os.sep in shown[0] else "./" + shown[0]
        self.commands.append(shlex.join(shown))
        run = subprocess.run(shown, cwd=self.root, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{self.commands[-1]}\n{run.stdout}{run.stderr}\nexit status {run.returncode}")
        return run.stdout

    def predict(self, program, machine, ranks):
        result = os.path.join(self.output, f"{machine}-{ranks}.json")
        text = self.call(os.path.join(self.build, "bin", "mpisim"), "run", "-n", ranks, "-m", machine, "--compute",
                         "counted", "--quiet", "--json", result, program, PLATE, STEPS)
        if "VERIFICATION SUCCESSFUL" not in text:
            sys.exit(f"the program's result is wrong:\n{text}")
        with open(result) as file:
            return json.load(file)


def share(part, whole):
    return f"{100 * part / whole:4.0f} %" if whole else "     "


def main():
    root, build, output = (os.path.abspath(a) for a in sys.argv[1:4])
    demo = Demo(root, build, output)
    program = os.path.join(output, "heat2d.sim")
    source = os.path.join(root, "examples", "heat2d", "heat2d.c")
    demo.call(os.path.join(build, "bin", "mpisimcc"), "-O2", source, "-o", program, "-lm")

    print(f"2-D heat equation, {PLATE} x {PLATE} points, {STEPS} steps. The program really runs, and checks its result;")
    print("its time is predicted for machines that are not here.\n")
    print(f"{'machine':<20}{'ranks':>6}{'predicted':>12}{'speedup':>9}{'compute':>10}{'communication':>15}{'messages':>10}")
    series = []
    for machine, label, most in MACHINES:
        points = []
        for ranks in RANKS:
            if most and ranks > most:
                continue
            data = demo.predict(program, machine, ranks)
            seconds = data["predicted_time_s"]
            points.append((ranks, seconds))
            whole, parts = data["predicted_time_ps"], data["breakdown"]
            print(f"{label:<20}{ranks:>6}{show_time(seconds):>12}{points[0][1] / seconds:>9.2f}"
                  f"{share(parts['compute_ps']['mean'], whole):>10}{share(parts['communication_ps']['mean'], whole):>15}"
                  f"{data['messages']:>10}", flush=True)
        series.append((label, points))
        print()

    times = plot.Panel("predicted time", "ranks", "time in seconds", series)
    speedups = plot.Panel("speedup", "ranks", "time of 1 rank / time",
                          [(label, [(n, points[0][1] / t) for n, t in points]) for label, points in series],
                          guide=("ideal", [(n, n) for n in RANKS]))
    picture = os.path.join(output, "heat2d.svg")
    with open(picture, "w") as file:
        file.write(plot.figure(f"heat2d {PLATE} x {PLATE}, {STEPS} steps, as mpisim predicts it", [times, speedups]))

    shown = [demo.commands[0], next(c for c in demo.commands if "-n 16 -m paragon" in c)]
    print(f"plot:     {os.path.relpath(picture)}")
    print("commands, from the project's folder:")
    for command in shown:
        print("  " + command)
    print(f"  (and so on; without --quiet a run explains itself; machines: {os.path.relpath(build, root)}/bin/mpisim machine list)")


if __name__ == "__main__":
    main()
