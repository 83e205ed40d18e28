"""Benchmarks do not take for good what they could not measure."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import unittest

from harness import ROOT

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "speed"))
import differences  # noqa: E402


def script(path):
    loader = importlib.machinery.SourceFileLoader("script", os.path.join(ROOT, "benchmarks", path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
    loader.exec_module(module)
    return module


class Noisy:
    """Runs that take the seconds of a list, one after the other."""

    def __init__(self, *seconds):
        self.seconds = list(seconds)

    def run(self, *_arguments, **_options):
        return {"cpu_s": self.seconds.pop(0) if len(self.seconds) > 1 else self.seconds[0]}

    def smpi(self, *_arguments):
        return None


class Benchmarks(unittest.TestCase):
    def test_negative_differences_are_measured_again(self):
        values = [-1.0, 0.0, 2.0]
        self.assertEqual(differences.positive(lambda: values.pop(0), "it"), 2.0)
        with self.assertRaises(differences.NotMeasurable):
            differences.positive(lambda: -1.0, "it")

    def operations(self, *seconds):
        speed = script("speed/run")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            table = speed.Table()
            speed.OPERATIONS = [("Alltoall, 1000 B", "alltoall", 2, ["1000"], 1024, 0.8)]
            speed.Benchmark(Noisy(*seconds), table, 1, False).operations()
        return table, out.getvalue()

    def test_a_difference_that_is_never_positive_misses_its_target(self):
        table, out = self.operations(1.0)
        self.assertEqual(table.missed, ["Alltoall, 1000 B, 1024 ranks"])
        self.assertIn("not measurable", out)
        self.assertIsNone(table.rows[0]["value"])

    def test_a_difference_that_is_positive_at_last_counts(self):
        table, _ = self.operations(1.0, 0.9, 1.0, 1.2)
        self.assertEqual(table.missed, [])
        self.assertAlmostEqual(table.rows[0]["value"], 100)

    def test_scaling_says_what_is_below_noise(self):
        scaling = script("scaling/run")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            measurement = scaling.Measurement(Noisy(1.0), 1)
            self.assertEqual(measurement.smaller(-1, "payload"), 0.0)
            self.assertEqual(measurement.unmeasured, ["payload"])
            with self.assertRaises(scaling.NotMeasurable):
                measurement.median(lambda: -1, "hand-over")
        self.assertIn("payload: below what can be measured", out.getvalue())


if __name__ == "__main__":
    unittest.main()
