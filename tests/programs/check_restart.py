#!/usr/bin/env python3
"""Heat2d restarted from a checkpoint ends with the bits of the uninterrupted run, on other rank counts, other cuts of the
plate and two host processes, and from Open MPI's checkpoints as well as Open MPI from ours; a file that is no checkpoint is
refused.

usage: check_restart.py --build BUILD --root ROOT --work FOLDER
"""
import argparse
import os
import shutil
import sys

from programs import Failure, Native, Simulator, run, sources

PLATE, STEPS, RESTART = ["50", "40"], ["--checkpoint", "10"], "heat2d-20.ckpt"
LAST = "heat2d-40.ckpt"


def content(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def bits(output):
    return [line for line in output.splitlines() if line.startswith("heat2d: all bits")]


class Restart:
    def __init__(self, build, root, work):
        self.work = work
        self.simulator = Simulator(build, os.path.join(root, "configs"), work)
        self.native = Native(work)
        self.program = self.simulator.compile(sources(root, "heat2d"), os.path.join(work, "heat2d.sim"))
        self.binary = None
        if self.native.found:
            self.binary = self.native.compile(sources(root, "heat2d"), os.path.join(work, "heat2d.native"))

    def folder(self, name):
        place = os.path.join(self.work, name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        return place

    def simulate(self, folder, ranks, arguments, *options, machine="sp2"):
        self.simulator.work = folder
        return self.simulator.simulate(self.program, [*PLATE, *arguments], machine, ranks, ["--compute", "off", *options])[0]

    def execute(self, folder, ranks, arguments):
        self.native.work = folder
        return self.native.execute(self.binary, [*PLATE, *arguments], ranks)

    def must_end_alike(self, folder, output, what):
        if bits(output) != self.bits or len(self.bits) != 1 or "heat2d: VERIFICATION SUCCESSFUL" not in output.splitlines():
            raise Failure(f"{what}: {output}\ninstead of {self.bits}")
        if content(folder, LAST) != self.last:
            raise Failure(f"{what}: {LAST} differs from that of the uninterrupted run")
        print(f"  {what}: same bits")

    def check(self):
        whole = self.folder("whole")
        self.bits = bits(self.simulate(whole, 4, STEPS))
        self.last = content(whole, LAST)
        checkpoint = os.path.join(whole, RESTART)
        if len(content(whole, RESTART)) != 64 + 8 * 50 * 50:
            raise Failure(f"{RESTART} has {len(content(whole, RESTART))} bytes")
        for ranks, more, options in ((1, [], []), (2, ["rows"], []), (6, [], ["--hosts", "2"]), (9, [], []),
                                     (16, ["rows"], []), (64, [], ["--set", "io.collective=barrier"])):
            place = self.folder("again")
            output = self.simulate(place, ranks, [*more, *STEPS, "--restart", checkpoint], *options)
            if os.path.exists(os.path.join(place, RESTART)):
                raise Failure(f"restarted with {ranks} ranks, it has begun from step 0")
            self.must_end_alike(place, output, f"{ranks} ranks {' '.join([*more, *options])}")
        place = self.folder("tiny")  # more ranks than rows or columns: some have no points
        if "VERIFICATION SUCCESSFUL" not in self.simulator.simulate(
                self.program, ["3", "4", "--checkpoint", "2", "--prefix", os.path.join(place, "t")], "sp2", 16)[0]:
            raise Failure("3 x 3 points on 16 ranks")
        self.simulator.simulate(self.program, ["3", "6", "--restart", os.path.join(place, "t-4.ckpt")], "sp2", 16)
        if self.native.found:
            place = self.folder("native")
            self.must_end_alike(place, self.execute(place, 4, STEPS), "Open MPI")
            theirs = os.path.join(place, RESTART)
            place = self.folder("again")
            output = self.simulate(place, 9, [*STEPS, "--restart", theirs])
            self.must_end_alike(place, output, "from a checkpoint of Open MPI")
            place = self.folder("again")
            output = self.execute(place, 6, [*STEPS, "--restart", checkpoint])
            self.must_end_alike(place, output, "Open MPI from a checkpoint of mpisim")

    def refused(self, data, arguments, message):
        place = self.folder("refused")
        if data is not None:
            with open(os.path.join(place, "bad.ckpt"), "wb") as file:
                file.write(data)
        status, out, err = run([self.simulator.command, "run", "-n", "4", "-m", "sp2", "--quiet", self.program,
                                *arguments, "--restart", "bad.ckpt"], 60, cwd=place)
        if status != 2 or message not in err or "VERIFICATION" in out:
            raise Failure(f"expected status 2 and `{message}`, got {status}\n{out}\n{err}")

    def check_refusals(self):
        good = content(os.path.join(self.work, "whole"), RESTART)
        self.refused(None, PLATE, "cannot open bad.ckpt")
        self.refused(good[:-8], PLATE, "bad.ckpt is no complete checkpoint")
        self.refused(bytes(64) + good[64:], PLATE, "bad.ckpt is no complete checkpoint")
        self.refused(b"", PLATE, "bad.ckpt is no complete checkpoint")
        self.refused(good, ["51", "40"], "does not fit 51 x 51 points")
        self.refused(good, ["50", "10"], "does not fit 50 x 50 points, 10 steps")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    try:
        restart = Restart(options.build, options.root, options.work)
        restart.check()
        restart.check_refusals()
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
