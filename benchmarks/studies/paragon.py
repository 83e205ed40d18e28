"""Tables of the studies of the Paragon's parallel file system: what iow has printed beside the report's figures."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import plot  # noqa: E402

MIB = 1 << 20


def io_seconds(point, mode):
    """From iow's lines of its times: of the accesses of a phase, opening and closing left out."""
    return float(re.search(rf"time: file 0 {mode}, rank 0:.* total ([0-9.]+) ms", point["output"])[1]) / 1e3


def table_7_5(points):
    """One node writes and reads 7332864 B: seconds, and MiB/s."""
    report = {"creat": 1.600534, "read": 2.766347}
    print(f"{'disks':<8}{'begins on':>10}{'':>3}{'access':<8}{'seconds':>9}{'MiB/s':>8}{'report: seconds':>17}{'MiB/s':>8}{'rate':>9}")
    rows = []
    for point in points:
        slow = "slow" if "reads" in point["io.slow_disk"] else "sound"
        for mode in ("creat", "read"):
            # The report's output file begins on node 1 (disk 0), its input file on node 2.
            begins = int(point["io.start_disk"])
            of_report = begins == (0 if mode == "creat" else 1) and slow == "slow"
            seconds = io_seconds(point, mode)
            row = {"disks": slow, "begins_on": begins, "access": mode, "seconds": seconds, "MiB_s": 7332864 / MIB / seconds}
            line = f"{slow:<8}{begins:>10}   {'write' if mode == 'creat' else 'read':<8}{seconds:>9.3f}{row['MiB_s']:>8.3f}"
            if of_report:
                measured = report[mode]
                row |= {"report_seconds": measured, "rate_over_report": measured / seconds}
                line += f"{measured:>17.3f}{7332864 / MIB / measured:>8.3f}{100 * (measured / seconds - 1):>+8.1f}%"
            print(line)
            rows.append(row)
    return rows


def figure_7_14(points):
    """Rate of writing by size of the record, on 1 to 3 disks: MB/s, and ms for each record."""
    print(f"{'record':>10}" + "".join(f"{f'{disks} disk' + 's' * (disks > 1):>20}" for disks in (1, 2, 3)) + "   (MB/s, ms)")
    rows = []
    for point in points:
        records, size = (int(number) for number in re.findall(r"=([0-9]+)", point["program.arguments"]))
        seconds = io_seconds(point, "creat")
        rows.append({"record": size, "disks": int(point["nodes.io"]), "MB_s": records * size / 1e6 / seconds,
                     "ms": 1e3 * seconds / records})
    for size in sorted({row["record"] for row in rows}):
        found = {row["disks"]: row for row in rows if row["record"] == size}
        print(f"{size:>10}" + "".join(f"{found[disks]['MB_s']:>10.4f}{found[disks]['ms']:>10.2f}" for disks in (1, 2, 3)))
    return rows


def draw_figure_7_14(rows):
    series = [(f"{disks} disk" + "s" * (disks > 1), sorted((row["record"] / 1024, row["MB_s"]) for row in rows if row["disks"] == disks))
              for disks in (1, 2, 3)]
    panel = plot.Panel("one compute node", "KiB of a record", "MB/s", series)
    panel.x_ticks = [4**i / 16 for i in range(0, 11, 2)]
    return plot.figure("Rate of writing to the Paragon's PFS", [panel])


figure_7_14.draw = draw_figure_7_14


def table_7_3(points):
    """Time to open a file together, by nodes: seconds, mean of the ranks, and the report's with synchronisation."""
    report = {1: 0.101, 2: 0.291, 3: 0.459, 4: 0.564, 6: 0.794, 8: 1.110, 11: 1.507}
    print(f"{'nodes':>6}{'open':>9}{'per node':>10}{'report':>9}{'per node':>10}")
    rows = []
    for point in points:
        nodes = point["ranks"]
        opens = [float(us) / 1e6 for us in
                 re.findall(r"time: file 0 read, rank \d+:.* open [0-9.]+ \+ ([0-9.]+) us", point["output"])]
        mean = sum(opens) / len(opens)
        print(f"{nodes:>6}{mean:>9.3f}{mean / nodes:>10.3f}{report[nodes]:>9.3f}{report[nodes] / nodes:>10.3f}")
        rows.append({"nodes": nodes, "seconds": mean, "report_seconds": report[nodes]})
    return rows


def draw_table_7_3(rows):
    panel = plot.Panel("opens of one file", "nodes", "s", [("simulated", [(r["nodes"], r["seconds"]) for r in rows]),
                                                          ("report", [(r["nodes"], r["report_seconds"]) for r in rows])])
    return plot.figure("Time to open a file together", [panel])


table_7_3.draw = draw_table_7_3
