"""The demonstration, without the build: its tables, commands and pictures."""
import os
import re
import shutil
import sys
import unittest
import xml.etree.ElementTree as xml

from harness import BUILD, ROOT, WORK, Case, call


class Demo(Case):
    def test_three_uses(self):
        output = os.path.join(WORK, "demo")
        result = self.succeeds(call(sys.executable, os.path.join(ROOT, "scripts", "demo.py"), ROOT, BUILD, output))
        for line in ("1. Compile", "2. Predict", "3. Vary"):
            self.assertIn("\n" + line, result.out)
        self.assertIn("heat2d: VERIFICATION SUCCESSFUL", result.out)
        self.assertTrue(os.path.exists(os.path.join(output, "heat2d-50.ckpt")))

        rows = [line.split() for line in result.out.splitlines() if re.match(r" +\d+ +[\d.]+ m?s \(", line)]
        self.assertGreaterEqual(len(rows), 3)
        ranks = [int(row[0]) for row in rows]
        self.assertEqual(ranks, sorted(ranks))

        pictures = [line.split()[-1] for line in result.out.splitlines() if line.startswith("   plot:")]
        self.assertGreaterEqual(len(pictures), 2)
        for name in pictures:
            path = os.path.join(WORK, name)
            texts = "".join(xml.parse(path).getroot().itertext())
            self.assertIn("ranks", texts)
            self.assertIn("predicted time", texts)
            if shutil.which("rsvg-convert"):
                self.succeeds(call("rsvg-convert", path, "-o", path + ".png"))


if __name__ == "__main__":
    unittest.main()
