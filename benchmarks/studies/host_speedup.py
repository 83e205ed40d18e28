"""Figure 8.7 of the report: how many times faster the simulator is with two host processes, on BTIO. Needs two idle processors."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import plot  # noqa: E402

FORMS = {"simple": ("simple", "barrier"), "full, barrier": ("full", "barrier"), "full, grouping": ("full", "grouping"),
         "full, two-phase": ("full", "two-phase")}
CLASSES = ("S", "W")
RANKS = (4, 9, 16)


def figure_8_7(build, program, folder):
    """Wall seconds of the simulator with one and with two host processes (the best of three), and how many times faster it is with two."""
    print(f"{'BTIO':<18}{'class':>6}{'ranks':>6}{'one':>9}{'two':>9}{'speedup':>9}")
    rows = []
    for size in CLASSES:
        for form, (argument, collective) in FORMS.items():
            for ranks in RANKS:
                one, two = (min(wall_seconds(build, program, folder, size, ranks, hosts, argument, collective) for _ in range(3))
                            for hosts in (1, 2))
                print(f"{form:<18}{size:>6}{ranks:>6}{one:>9.3f}{two:>9.3f}{one / two:>9.2f}", flush=True)
                rows.append({"form": form, "class": size, "ranks": ranks, "wall_s": [one, two], "speedup": one / two})
    return rows


def wall_seconds(build, program, folder, size, ranks, hosts, form, collective):
    report = folder / "report.json"
    subprocess.run([build / "bin" / "mpisim", "run", "-n", str(ranks), "-m", HERE / "sp2-simple-disk.yaml", "--hosts", str(hosts),
                    "--set", f"io.collective={collective}", "--compute", "counted", "--quiet", "--json", report, program, size, "60",
                    form, folder / "solution.bt", "unread"], check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["wall_time_s"]


def draw(rows):
    """One panel per class, as many groups of bars as problem sizes."""
    panels = []
    for size in CLASSES:
        series = [(form, [row["speedup"] for row in rows if row["class"] == size and row["form"] == form]) for form in FORMS]
        panels.append(plot.Bars(f"BTIO class {size}", "ranks", "speed-up by a second host process",
                                [str(ranks) for ranks in RANKS], series, top=2.0))
    return plot.figure("Simulator with two host processes", panels)


figure_8_7.draw = draw
