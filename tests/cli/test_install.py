"""An installed mpisim works from wherever it was put, without the folder that it was built in."""
import os
import re
import unittest

from harness import BUILD, HERE, WORK, Case, call

PREFIX = os.path.join(WORK, "moved")
BIN = os.path.join(PREFIX, "bin")


def setUpModule():
    first = os.path.join(WORK, "installed")
    done = call("cmake", "--install", BUILD, "--prefix", first)
    if done.status != 0:
        raise RuntimeError(f"cmake --install: {done}")
    os.rename(first, PREFIX)


class Installed(Case):
    def test_machines_are_found(self):
        shown = self.succeeds(call(os.path.join(BIN, "mpisim"), "machine", "list", "--names")).out.split()
        self.assertEqual(shown, ["cluster", "cluster-burst-buffer", "cluster-lustre", "ideal", "paragon", "sp2",
                                 "transputer"])

    def test_compiles_and_runs(self):
        program = os.path.join(WORK, "hello-installed.sim")
        self.succeeds(call(os.path.join(BIN, "mpisimcc"), os.path.join(HERE, "programs", "hello.c"), "-o", program))
        for hosts in (1, 2):
            result = self.succeeds(call(os.path.join(BIN, "mpisim"), "run", "-n", "2", "-m", "sp2", "--hosts", hosts, program))
            self.assertIn("rank 1 of 2 got 0", result.out)
        library = re.search(r"libmpisim\.so => (\S+)", call("ldd", program).out)
        self.assertTrue(library and library.group(1).startswith(PREFIX), library)

    def test_documents(self):
        for name in ("share/man/man1/mpisim-run.1", "share/bash-completion/completions/mpisim",
                     "share/mpisim/examples/heat2d/heat2d.c", "include/mpisim/mpi.h", "share/man/man1/mpisimcc.1",
                     "share/doc/mpisim/README.md", "share/doc/mpisim/CHANGELOG.md", "share/doc/mpisim/docs/guide.md",
                     "share/doc/mpisim/docs/figures/growth.svg"):
            self.assertTrue(os.path.exists(os.path.join(PREFIX, name)), name)

    def test_manual_page_of_the_compiler(self):
        """It names every option of --help."""
        with open(os.path.join(PREFIX, "share/man/man1/mpisimcc.1")) as file:
            page = file.read().replace("\\-", "-")
        help_text = self.succeeds(call(os.path.join(BIN, "mpisimcc"), "--help")).out
        options = re.findall(r"^  (-[^ ,]+)", help_text, re.M)
        self.assertIn("-fno-counted", options)
        for option in options:
            self.assertIn(option, page)


if __name__ == "__main__":
    unittest.main()
