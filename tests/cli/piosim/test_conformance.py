"""suite.c and corners.c, with every way of collective I/O, on several host processes, and under Open MPI."""
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from harness import Case, MPISIMCC, WORK, call, run  # noqa: E402

PARTS = ("async-multiple", "noncontig", "noncontig_coll", "i_noncontig", "i_noncontig_coll", "split_coll", "darray",
         "external32", "datarep", "large_file", "file_info", "atomicity", "shared", "errors")
CORNERS = ("nothing", "ends", "handlers", "communicators", "sequence", "pending", "sieving")
# Parts that Open MPI's own MPI-IO passes always: what it does in atomic mode depends on which rank is first.
UNDER_OPEN_MPI = ("async-multiple", "noncontig", "noncontig_coll", "i_noncontig", "i_noncontig_coll", "split_coll", "darray",
                  "shared")


class Conformance(Case):
    def test_suite(self):
        self.passes("suite", PARTS)

    def test_corners(self):
        self.passes("corners", CORNERS)

    def passes(self, name, parts):
        program = os.path.join(WORK, name + ".sim")
        self.succeeds(call(MPISIMCC, "-g", "-O1", os.path.join(HERE, name + ".c"), "-o", program))
        expected = "".join(f"{part}: ok\n" for part in parts)
        for machine, collective in (("sp2", "two-phase"), ("paragon", "two-phase"), ("paragon", "list"),
                                    ("paragon", "disk-directed"), ("paragon", "grouping"), ("sp2", "barrier")):
            times = []
            for ranks, hosts in ((3, 1), (3, 2), (4, 1)):
                with tempfile.TemporaryDirectory() as place:
                    result = self.succeeds(run(ranks, program, place, machine=machine, options=[
                        "--compute", "off", "--set", f"io.collective={collective}", "--hosts", hosts]))
                self.assertEqual(result.out, expected, f"{machine} {collective} {ranks} ranks, {hosts} hosts")
                times.append(result.data["predicted_time_ps"])
            self.assertEqual(times[0], times[1], f"{machine} {collective}")

    def test_open_mpi(self):
        if not (shutil.which("mpicc") and shutil.which("mpirun")):
            self.skipTest("no Open MPI to compare with")
        native = os.path.join(WORK, "suite.native")
        self.succeeds(call("mpicc", os.path.join(HERE, "suite.c"), "-o", native))
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        with tempfile.TemporaryDirectory() as place:
            result = call("mpirun", "--oversubscribe", *root, "--mca", "io", "ompio", "-n", "3", native, place, "short")
        for part in UNDER_OPEN_MPI:
            self.assertIn(f"{part}: ok\n", result.out)


if __name__ == "__main__":
    unittest.main()
