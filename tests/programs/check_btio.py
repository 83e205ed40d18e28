#!/usr/bin/env python3
"""Counts the requests of BTIO (bt S 60 simple|full): 12 outputs of 12 x 12 x 12 points of 40 bytes. On q x q ranks a rank
has q cells of (12/q)^3 points; a row of a cell is one piece of the file.

usage: check_btio.py --build BUILD --root ROOT --work FOLDER
"""
import argparse
import os
import sys

from programs import Failure, Simulator, sources

OUTPUTS, POINTS = 12, 12
SIZE = OUTPUTS * POINTS ** 3 * 5 * 8


def merged_rows(q):
    """Rows of all cells that follow one another in the file inside one rank's access of one output: on one rank all; else
    the last row of a cell and the first of the next, where the next cell continues the row in the next plane."""
    if q == 1:
        return POINTS * POINTS - 1
    merged = 0
    for i in range(q):
        for j in range(q):
            for s in range(q - 1):
                last = ((i + s) % q, (j + s) % q)
                following = ((i + s + 1) % q, (j + s + 1) % q)
                merged += last == (q - 1, q - 1) and following == (0, 0)
    return merged


def check(simulator, program):
    def io_of(ranks, form, collective, coalesce):
        options = ["--compute", "off", "--set", f"io.collective={collective}", "--set", f"io.coalesce={coalesce}"]
        _, report = simulator.simulate(program, ["S", "60", form, "solution.bt", "unread"], "sp2", ranks, options)
        return report["io"]

    for q in (1, 2, 3, 4):
        rows = OUTPUTS * POINTS * POINTS * q
        for form, collective, coalesce, expected in (
                ("simple", "two-phase", "on", rows),
                ("full", "barrier", "off", rows if q > 1 else OUTPUTS),
                ("full", "barrier", "on", rows - OUTPUTS * merged_rows(q)),
                ("full", "two-phase", "off", OUTPUTS * q * q),
                ("full", "two-phase", "on", OUTPUTS * q * q)):
            found = io_of(q * q, form, collective, coalesce)
            what = f"{form}, {collective}, coalesce {coalesce}, {q * q} ranks"
            if (found["disk_writes"], found["disk_reads"], found["bytes_written"]) != (expected, 0, SIZE):
                raise Failure(f"{what}: {found}, not {expected} writes of {SIZE} bytes")
            print(f"  {what}: {found['disk_writes']} writes, {found['seeks']} seeks")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    simulator = Simulator(options.build, os.path.join(options.root, "configs"), options.work)
    try:
        check(simulator, simulator.compile(sources(options.root, "bt"), os.path.join(options.work, "bt.sim")))
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
