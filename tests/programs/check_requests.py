#!/usr/bin/env python3
"""Counts the requests of programs whose access pattern tells how many there must be.

usage: check_requests.py --build BUILD --root ROOT --work FOLDER
"""
import argparse
import os
import sys

from programs import Failure, Simulator, sources

MATRIX = 12


class Counting:
    def __init__(self, build, root, work):
        self.simulator = Simulator(build, os.path.join(root, "configs"), work)
        self.root, self.programs = root, {}

    def io_of(self, name, arguments, ranks, *settings):
        if name not in self.programs:
            self.programs[name] = self.simulator.compile(sources(self.root, name),
                                                         os.path.join(self.simulator.work, name + ".sim"))
        options = ["--compute", "off"]
        for setting in settings:
            options += ["--set", setting]
        return self.simulator.simulate(self.programs[name], arguments, "sp2", ranks, options)[1]["io"]

    @staticmethod
    def must_be(found, what, **expected):
        for field, value in expected.items():
            if found[field] != value:
                raise Failure(f"{what}: {field} is {found[field]}, not {value}: {found}")
        print(f"  {what}: {expected}, {found['seeks']} seeks")


def merged_rows(q, points):
    """Rows of bt that follow one another in the file inside one rank's access of one output: on one rank all; else the last
    row of a cell and the first of the next, where the next cell continues the row in the next plane."""
    if q == 1:
        return points * points - 1
    merged = 0
    for i in range(q):
        for j in range(q):
            for s in range(q - 1):
                last = ((i + s) % q, (j + s) % q)
                following = ((i + s + 1) % q, (j + s + 1) % q)
                merged += last == (q - 1, q - 1) and following == (0, 0)
    return merged


def check_bt(counting):
    """12 outputs of 12 x 12 x 12 points of 40 bytes. On q x q ranks a rank has q cells of (12/q)^3 points; a row of a cell is
    one piece of the file."""
    outputs, points = 12, 12
    for q in (1, 2, 3, 4):
        rows = outputs * points * points * q
        apart = rows - outputs * merged_rows(q, points) - outputs  # at offset 0, later where the last output ended
        for form, collective, coalesce, expected in (
                ("simple", "two-phase", "on", rows),
                ("full", "barrier", "off", rows if q > 1 else outputs),
                ("full", "barrier", "on", rows - outputs * merged_rows(q, points)),
                ("full", "barrier", "etype", outputs * points ** 3),
                ("full", "two-phase", "off", outputs * q * q),
                ("full", "two-phase", "on", outputs * q * q)):
            found = counting.io_of("bt", ["S", "60", form, "solution.bt", "unread"], q * q, f"io.collective={collective}",
                                   f"io.coalesce={coalesce}")
            what = f"bt {form}, {collective}, coalesce {coalesce}, {q * q} ranks"
            counting.must_be(found, what, requests=expected, bytes_read=0, bytes_written=outputs * points ** 3 * 40)
            if form == "full":
                counting.must_be(found, what, seeks=apart if collective == "barrier" or q == 1 else expected - 1)


def check_matmul(counting):
    """Every element of B is read for each row of A. Collective reads get each column once for as many rows as there are ranks.
    A is read by rows, C once by every rank."""
    n = MATRIX
    for ranks in (1, 4, 5):
        turns = (n + ranks - 1) // ranks
        writes = 2 * ranks + n  # A and B, C
        for pattern, collective, elements in (("staggered", "two-phase", n ** 3), ("same", "two-phase", n ** 3),
                                              ("collective", "barrier", n ** 3), ("collective", "two-phase", n * n * turns)):
            found = counting.io_of("matmul", [str(n), pattern], ranks, f"io.collective={collective}")
            if pattern == "collective" and collective == "two-phase" and ranks == 5:
                # domains of a fifth of a column's range cut some elements in two
                if not elements <= found["requests"] - writes - n - ranks <= elements + (ranks - 1) * n * turns:
                    raise Failure(f"matmul collective, 5 ranks: {found}")
                continue
            counting.must_be(found, f"matmul {pattern}, {collective}, {ranks} ranks", requests=elements + n + ranks + writes,
                             bytes_written=3 * 8 * n * n)
            if elements == n ** 3 and found["bytes_read"] != 8 * (n ** 3 + 2 * n * n):
                raise Failure(f"matmul {pattern}: {found}")


def check_iow(counting):
    for ranks in (1, 3):
        found = counting.io_of("iow", ["fm=creat+read", "nio=20", "sio=500", "str=700", "nf=2", "check=0"], ranks)
        counting.must_be(found, f"iow, {ranks} ranks", requests=80, bytes_written=20000, bytes_read=20000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        counting = Counting(options.build, options.root, options.work)
        check_bt(counting)
        check_matmul(counting)
        check_iow(counting)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
