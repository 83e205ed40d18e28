"""Files of results that cannot be written, devices and links in their place, and warnings."""
import os
import stat
import subprocess
import tempfile
import threading
import unittest

from harness import Case, MPISIM, mpisim, program, run

OPTIONS = {"--json": [], "--record": ["--compute", "measured"], "--order": [], "--profile": []}


class LostFiles(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mpisim-lost-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def full_device(self):
        """One of our own, for a test that fails must not cost the system's."""
        try:
            os.mknod(self.path("full"), stat.S_IFCHR | 0o666, os.makedev(1, 7))
            with open(self.path("full")):
                return self.path("full")
        except OSError:
            return "/dev/full"

    def test_a_full_disk_costs_only_the_file(self):
        full = self.full_device()
        for option, more in OPTIONS.items():
            for hosts in (1, 2):
                if option == "--record" and hosts == 2:
                    continue
                words = ["run", "-n", 2, "-m", "sp2", "--hosts", hosts, *more, option, full, program("hello")]
                result = self.succeeds(mpisim(*words))
                self.assertNotEqual(result.out, "", words)
                self.assertIn("predicted time", result.err, words)
                self.assertIn(f"cannot write {full}: No space left on device", result.err, words)
                self.assertTrue(stat.S_ISCHR(os.stat(full).st_mode), words)

    def test_pipes_and_links_stay_what_they_are(self):
        for option, more in OPTIONS.items():
            fifo, target, link = self.path("fifo"), self.path("target"), self.path("link")
            os.mkfifo(fifo)
            os.symlink(target, link)
            came = []

            def read():
                with open(fifo, "rb") as file:
                    came.append(file.read())
            reader = threading.Thread(target=read)
            reader.start()
            for file in (fifo, link):
                self.succeeds(mpisim("run", "-q", "-n", 2, "-m", "sp2", *more, option, file, program("hello")))
            reader.join()
            self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode) and came[0], option)
            self.assertTrue(os.path.islink(link) and os.path.getsize(target) > 0, option)
            self.assertEqual(sorted(os.listdir(self.folder)), ["fifo", "link", "target"], option)
            for file in (fifo, target, link):
                os.remove(file)

    def test_standard_output_by_its_name(self):
        with open(self.path("out"), "w+") as out:
            subprocess.run([MPISIM, "run", "-n", "2", "-m", "sp2", "-q", "--compute", "off", "--json", "/dev/stdout",
                            program("hello")], stdout=out, check=True)
            out.seek(0)
            text = out.read()
        self.assertIn("of 2", text)
        self.assertIn('"predicted_time_ps"', text)

    def test_what_can_be_checked_is_checked_before_the_run(self):
        for option, more in OPTIONS.items():
            for place in ("none/file", "."):
                result = mpisim("run", "-n", 2, "-m", "sp2", *more, option, self.path(place), program("hello"))
                self.assertEqual((result.status, result.out), (2, ""), f"{option}: {result}")

    def test_warnings_are_in_the_json_and_said_with_quiet(self):
        for hosts in (1, 2):
            for words, text in ([], "rank 1 never received 1 message"), (["x"], "without MPI_Finalize"):
                result = self.succeeds(run(2, "unreceived", *words, options=["--hosts", hosts, "--quiet", "--compute", "off"]))
                self.assertTrue(any(text in warning for warning in result.data["warnings"]), result.data["warnings"])
                self.assertIn("warning: ", result.err)
                self.assertIn(text, result.err)
        self.assertEqual(run(2, "hello", options=["--compute", "off"]).data["warnings"], [])

    def test_bad_files_are_bad_input(self):
        record = self.write("bad.rec", "garbage\n")
        for hosts in (1, 2):
            self.refuses(["run", "-n", 2, "-m", "sp2", "--hosts", hosts, "--compute", "recorded", "--record", record,
                          program("hello")], "bad.rec:1: not a compute record")
        self.refuses(["sweep", self.folder], "cannot be read", "it is a folder")
        study = f"program: {{command: {program('hello')}, ranks: [2]}}\nmachine: sp2\n"
        self.refuses(["sweep", self.write("study.yaml", study + "output: /proc/none\n")], "study.yaml", "/proc/none")
        values = "[" + ", ".join(f"{i} KiB" for i in range(1, 400)) + "]"
        self.write("large.yaml", study + f"output: out\nvary: {{mpi.eager_limit: {values}, mpi.control_size: {values}}}\n")
        self.refuses(["sweep", self.path("large.yaml")], "more than 100000 points")
        self.refuses(["machine", "check", self.write("zero.yaml", "include: /dev/zero\n")], "more than 16 MiB", status=2)
        bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
        for before, name in zip("abcdefghij", "bcdefghijk"):
            bomb += f"{name}: &{name} [" + ", ".join(["*" + before] * 9) + "]\n"
        self.refuses(["machine", "check", self.write("bomb.yaml", bomb)], "more than 1000000 values", status=2)
        self.refuses(["run", "-n", 2, "-m", "idael", program("hello")], "did you mean 'ideal'")

    def test_no_folder_for_temporary_files(self):
        result = mpisim("run", "-n", 2, "-m", "sp2", "--hosts", 2, program("hello"), environment={"TMPDIR": self.path("none")})
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("TMPDIR", result.err)
        self.assertNotIn("filesystem error", result.err)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([MPISIM, "machine", "list"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "mpisim: cannot write to standard output: No space left on device\n")

    def test_one_rank(self):
        self.assertIn("mpisim: 1 rank on ", mpisim("run", "-n", 1, "-m", "sp2", program("hello")).err)


if __name__ == "__main__":
    unittest.main()
