"""The demonstration that scripts/demo runs: compile a heat program, predict it, and vary machine and program.

usage: demo.py ROOT BUILD OUTPUT
"""
import json
import os
import shlex
import subprocess
import sys

import plot

STUDY = os.path.join("examples", "heat2d", "checkpoints.yaml")
PARAGON_RANKS, CHECKPOINTS = 16, 25  # of the run that is shown in full
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

    def call(self, *words, folder=None):
        """Runs one command as a user would type it, from `folder` (the project's by default); returns what it printed."""
        folder = folder or self.root
        shown = [os.path.relpath(w, folder) if os.path.isabs(w) else w for w in map(str, words)]
        shown[0] = shown[0] if os.sep in shown[0] else "./" + shown[0]
        self.commands.append(shlex.join(shown))
        run = subprocess.run(shown, cwd=folder, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{self.commands[-1]}\n{run.stdout}{run.stderr}\nexit status {run.returncode}")
        return run.stdout, run.stderr

    def mpisim(self, *words, folder=None):
        return self.call(os.path.join(self.build, "bin", "mpisim"), *words, folder=folder)

    def predict(self, program, machine, ranks):
        result = os.path.join(self.output, f"{machine}-{ranks}.json")
        text, _ = self.mpisim("run", "-n", ranks, "-m", machine, "--compute", "counted", "--quiet", "--json", result, program,
                              PLATE, STEPS)
        if "VERIFICATION SUCCESSFUL" not in text:
            sys.exit(f"the program's result is wrong:\n{text}")
        with open(result) as file:
            return json.load(file)


def share(part, whole):
    return f"{100 * part / whole:4.0f} %" if whole else "     "


def headline(number, words):
    print(f"\n{number}. {words}")


def indented(text):
    return "".join(f"   {line}\n" for line in text.splitlines())


def compile_program(demo):
    headline(1, "Compile: an unmodified MPI program, a 2-D heat equation with checkpoints through MPI-IO")
    program = os.path.join(demo.output, "heat2d.sim")
    demo.call(os.path.join(demo.build, "bin", "mpisimcc"), "-O2", os.path.join(demo.root, "examples", "heat2d", "heat2d.c"),
              "-o", program, "-lm")
    print(f"   {demo.commands[-1]}")
    return program


def predict_checkpoints(demo, program):
    headline(2, f"Predict: on {PARAGON_RANKS} nodes of an Intel Paragon, a checkpoint every {CHECKPOINTS} steps")
    text, summary = demo.mpisim("run", "-n", PARAGON_RANKS, "-m", "paragon", "--compute", "counted", program, PLATE, STEPS,
                                "--checkpoint", CHECKPOINTS, "--prefix", os.path.join(demo.output, "heat2d"))
    print(f"   {demo.commands[-1]}")
    print(indented(text))
    print(indented(summary), end="")


def compare_machines(demo, program):
    print(f"\n   The same on four machines, without checkpoints: {PLATE} x {PLATE} points, {STEPS} steps. The program really")
    print("   runs, and checks its result; its time is predicted for machines that are not here.\n")
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
    picture = os.path.join(demo.output, "heat2d.svg")
    with open(picture, "w") as file:
        file.write(plot.figure(f"heat2d {PLATE} x {PLATE}, {STEPS} steps, as mpisim predicts it", [times, speedups]))

    print(f"   plot:    {os.path.relpath(picture)}")
    print(f"   command: {next(c for c in demo.commands if '-n 16 -m sp2' in c)}")


def show_study(demo):
    """Runs the study; its table has the numbers of ranks down and the values of the machine across."""
    headline(3, f"Vary: {STUDY}, every combination, side by side on this computer's processors")
    demo.mpisim("sweep", os.path.join(demo.root, STUDY), folder=demo.output)
    with open(os.path.join(demo.output, "checkpoints", "results.json")) as file:
        points = json.load(file)["points"]
    path = list(points[0])[2]  # behind the point's number and its ranks
    values = list(dict.fromkeys(p[path] for p in points))
    predicted = {(p["ranks"], p[path]): p for p in points}
    print(f"   in {os.path.relpath(demo.output)}: {demo.commands[-1]}\n")
    print(f"   predicted time (share of I/O), ranks down, {path} across:")
    print(f"   {'ranks':>6}" + "".join(f"{value:>20}" for value in values))
    for ranks in dict.fromkeys(p["ranks"] for p in points):
        row = [predicted[ranks, value] for value in values]
        cells = [show_time(p["predicted_time_s"]) + f" ({share(p['io_mean_ps'], p['predicted_time_ps']).strip()})" for p in row]
        print(f"   {ranks:>6}" + "".join(f"{cell:>20}" for cell in cells))
    fastest = min(points, key=lambda p: p["predicted_time_ps"])
    print(f"\n   fastest: {fastest['ranks']} ranks with {path} = {fastest[path]}")
    plots = [name for name in sorted(os.listdir(os.path.join(demo.output, "checkpoints"))) if name.endswith(".svg")]
    for name in plots:
        print(f"   plot:    {os.path.relpath(os.path.join(demo.output, 'checkpoints', name))}")


def main():
    demo = Demo(*(os.path.abspath(a) for a in sys.argv[1:4]))
    program = compile_program(demo)
    predict_checkpoints(demo, program)
    compare_machines(demo, program)
    show_study(demo)
    print(f"\nCommands are from the project's folder unless said otherwise; other machines: "
          f"{os.path.relpath(demo.build, demo.root)}/bin/mpisim machine list")


if __name__ == "__main__":
    main()
