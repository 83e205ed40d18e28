"""Programs with MPI-IO: real files, times and statistics, the same on several host processes; failures are told."""
import hashlib
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from harness import Case, MPISIMCC, WORK, call, run  # noqa: E402

PREDICTED = ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io")


def compiled(name, *options):
    output = os.path.join(WORK, name + ".sim")
    done = call(MPISIMCC, "-g", "-O1", *options, os.path.join(HERE, name + ".c"), "-o", output)
    return output, done


class Files(Case):
    def matrix(self, ranks, *options, machine="sp2"):
        program, _ = compiled("matrix")
        with tempfile.TemporaryDirectory() as place:
            result = self.succeeds(run(ranks, program, place, machine=machine,
                                       options=["--compute", "counted", *options]))
            self.assertEqual(result.out, "matrix ok\n")
            with open(os.path.join(place, "matrix.dat"), "rb") as file:
                result.content = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(result.data["io"]["bytes_written"], 12 * 5 * ranks * 8)
        self.assertGreater(result.data["breakdown"]["io_ps"]["min"], 0)
        return result

    def test_same_everywhere(self):
        for ranks in (1, 5):
            contents = set()
            for machine in ("sp2", "paragon"):
                for collective in ("barrier", "two-phase"):
                    options = ("--set", f"io.collective={collective}")
                    one = self.matrix(ranks, *options, machine=machine)
                    contents.add(one.content)
                    if ranks == 1:
                        continue
                    two = self.matrix(ranks, "--hosts", 2, *options, machine=machine)
                    contents.add(two.content)
                    for key in PREDICTED:
                        self.assertEqual(one.data[key], two.data[key], f"{machine} {collective} {key}")
            self.assertEqual(len(contents), 1)

    def test_disk_of_the_machine_counts(self):
        slow = self.matrix(4, "--set", "io.disk.latency=100 ms")
        fast = self.matrix(4, "--set", "io.disk.latency=1 ms")
        self.assertGreater(slow.data["predicted_time_ps"], fast.data["predicted_time_ps"])
        self.assertEqual(slow.data["io"], fast.data["io"])

    def test_missing_directory(self):
        program, done = compiled("absent")
        self.succeeds(done)
        result = self.succeeds(run(3, program))
        self.assertEqual(result.out, "absent\n")
        self.assertIn("none/absent.dat", result.err)
        self.assertIn("MPI_ERR_NO_SUCH_FILE", result.err)

    def test_what_is_missing_fails_at_link(self):
        _, done = compiled("absent", "-DSHARED_POINTER")
        self.assertNotEqual(done.status, 0)
        self.assertIn("MPI_File_write_shared", done.err)

    def test_parallel_file_system_is_refused(self):
        program, _ = compiled("matrix")
        result = run(2, program, machine="paragon", options=["--set", "io.model=pfs"])
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("io.model: pfs is not supported yet", result.err)


if __name__ == "__main__":
    unittest.main()
