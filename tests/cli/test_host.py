"""What a run says of the host: how much it disturbed measured times, and how fast it is beside the modelled processor."""
import os
import subprocess
import sys
import unittest

from harness import WORK, Case, mpisim, run

SPIN = "while True: pass"
TEN_LINES = """schema_version: 1
name: two-switches
nodes: {compute: auto}
processor: {clock: 2 GHz}
network:
  model: hockney
  pieces: [{latency: 1.5 us, bandwidth: 10 GB/s}]
"""


class Disturbed(Case):
    """Beside two programs that want the same processor and never wait: a rank then gets about a third of it."""

    def setUp(self):
        allowed = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        os.sched_setaffinity(0, {min(allowed)})  # what is started from here has this processor alone
        for _ in range(2):
            other = subprocess.Popen([sys.executable, "-c", SPIN])
            self.addCleanup(other.wait)
            self.addCleanup(other.kill)

    def test_measured_warns(self):
        for hosts in (1, 2):
            result = self.succeeds(run(2, "burn", options=["--compute", "measured", "--hosts", hosts]))
            disturbance = result.data["disturbance"]
            self.assertGreater(disturbance["waited_share"], 0.05)
            self.assertGreater(disturbance["waited_s"], 0)
            self.assertGreater(disturbance["involuntary_switches"], 0)
            self.assertGreater(disturbance["minor_faults"], 0)
            warnings = [text for text in result.data["warnings"] if "the host disturbed what was measured" in text]
            self.assertEqual(len(warnings), 1, result.data["warnings"])
            self.assertIn("limits: 5 % waited", warnings[0])
            self.assertIn("warning: " + warnings[0], result.err)
            self.assertRegex(result.err, r"disturbance +waited \d+\.\d % of the time for a processor \(\d+ times taken away\)")

    def test_what_is_not_measured_does_not_warn(self):
        for compute in ("counted", "off"):
            result = self.succeeds(run(2, "burn", options=["--compute", compute]))
            self.assertEqual(result.data["warnings"], [])
            self.assertNotIn("disturbance", result.err)
            self.assertIn("waited_share", result.data["disturbance"])  # the JSON tells it of every run


class Processor(Case):
    def machine(self):
        path = os.path.join(WORK, "two-switches.yaml")
        with open(path, "w") as file:
            file.write(TEN_LINES)
        return path

    def test_the_default_is_a_processor_of_today(self):
        shown = self.succeeds(mpisim("machine", "show", self.machine()))
        self.assertRegex(shown.out, r"class: out-of-order-2020 +# default")
        self.assertRegex(shown.out, r"memory: 0.2 cycles +# class out-of-order-2020")
        old = self.succeeds(mpisim("machine", "show", self.machine(), "--set", "processor.class=in-order-1995"))
        self.assertRegex(old.out, r"memory: 2 cycles +# class in-order-1995")
        self.refuses(["machine", "check", self.machine(), "--set", "processor.class=modern"], "processor.class",
                     "in-order-1995, out-of-order-2000")

    def test_counted_tells_how_it_compares_with_the_host(self):
        result = self.succeeds(run(1, "burn", machine=self.machine(), options=["--compute", "counted"]))
        self.assertEqual(result.data["processor"],
                         {"class": "out-of-order-2020", "clock_hz": 2e9, "own_prices": 0})
        comparison = result.data["host_comparison"]
        compute = result.data["breakdown"]["compute_ps"]["mean"] * 1e-12
        self.assertAlmostEqual(comparison["slowdown_code_at_least"], compute / comparison["host_compute_s"])
        self.assertRegex(result.err, r"processor +2 GHz, prices of out-of-order-2020; takes at least [0-9.]+ times as long "
                                     r"as this host for this code \([0-9.]+ s, with counters\)")

    def test_short_runs_are_compared_by_calibration_or_not_at_all(self):
        home = os.path.join(WORK, "cache")
        os.makedirs(home, exist_ok=True)
        words = {"environment": {"XDG_CACHE_HOME": home}}
        fresh = self.succeeds(run(2, "hello", options=["--compute", "counted"], **words))
        self.assertEqual(set(fresh.data["host_comparison"].values()), {None})
        self.assertIn("12 of 12 prices its own; not compared with this host: too short", fresh.err)
        measured = self.succeeds(run(2, "hello", options=["--compute", "measured"], **words))
        self.assertGreater(measured.data["host_comparison"]["slowdown_kernel"], 1)
        again = self.succeeds(run(2, "hello", options=["--compute", "counted"], **words))
        self.assertEqual(again.data["host_comparison"], measured.data["host_comparison"])
        off = self.succeeds(run(2, "hello", options=["--compute", "off"], **words))
        self.assertIn("not compared with this host: nothing was computed here for its time", off.err)


if __name__ == "__main__":
    unittest.main()
