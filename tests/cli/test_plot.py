"""The plots of the demonstration are whole SVG pictures."""
import os
import shutil
import sys
import unittest
import xml.etree.ElementTree as xml

from harness import Case, ROOT, WORK, call

sys.path.insert(0, os.path.join(ROOT, "scripts"))
import plot

RANKS = [1, 2, 4, 8]
SERIES = [("one & only", [(n, 8.0 / n) for n in RANKS]), ("another", [(n, 0.002 / n + 1e-4) for n in RANKS[:3]])]


class Plot(Case):
    def setUp(self):
        self.panel = plot.Panel("time", "ranks", "time in seconds", SERIES, guide=("ideal", [(n, n) for n in RANKS]))
        self.text = plot.figure("title", [self.panel, self.panel])

    def test_everything_is_named(self):
        texts = [e.text for e in xml.fromstring(self.text).iter() if e.tag.endswith("text")]
        for expected in ("title", "time", "ranks", "time in seconds", "one & only", "another", "ideal", "8"):
            self.assertIn(expected, texts)

    def test_points_are_inside(self):
        for _, points in SERIES:
            for x, y in points:
                self.assertTrue(plot.LEFT <= self.panel.x(x) <= plot.WIDTH - plot.RIGHT)
                self.assertTrue(plot.TOP <= self.panel.y(y) <= plot.HEIGHT - plot.BOTTOM)

    def test_axis_of_equal_values(self):
        panel = plot.Panel("t", "x", "y", [("a", [(1, 1.0), (2, 1.0)])])
        self.assertLess(panel.y_low, panel.y_high)
        panel.draw()

    def test_renders(self):
        if not shutil.which("rsvg-convert"):
            self.skipTest("librsvg2-bin is not installed")
        path = os.path.join(WORK, "plot.svg")
        with open(path, "w") as file:
            file.write(self.text)
        self.succeeds(call("rsvg-convert", path, "-o", path + ".png"))


if __name__ == "__main__":
    unittest.main()
