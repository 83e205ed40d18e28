"""mpisim machine show, check and list."""
import os
import unittest

from harness import Case, WORK, mpisim

BUNDLED = ("cluster", "cluster-burst-buffer", "cluster-lustre", "ideal", "paragon", "sp2", "transputer")


class Machine(Case):
    def test_list(self):
        lines = self.succeeds(mpisim("machine", "list")).out.splitlines()
        for name in BUNDLED:
            self.assertTrue(any(line.startswith(name + " ") for line in lines), name)
        self.assertEqual(tuple(mpisim("machine", "list", "--names").out.split()), BUNDLED)

    def test_list_of_own_folder(self):
        folder = os.path.join(WORK, "machines")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "mine.yaml"), "w") as file:
            file.write(mpisim("machine", "show", "ideal").out)
        environment = {"MPISIM_CONFIGS": folder}
        self.assertIn("mine", mpisim("machine", "list", "--names", environment=environment).out.split())
        self.succeeds(mpisim("machine", "check", "mine", environment=environment))

    def test_check(self):
        for name in BUNDLED:
            self.assertIn("good", self.succeeds(mpisim("machine", "check", name)).out)

    def test_check_reports_all_faults_with_places(self):
        path = os.path.join(WORK, "faulty.yaml")
        with open(path, "w") as file:
            file.write("schema_version: 1\nname: x\nnodes: {compute: 4}\nnetwork: {model: ideal, latncy: 1 us}\n"
                       "mpi: {eager_limit: 4 parsecs}\n")
        result = self.refuses(["machine", "check", path], "faulty.yaml:4", "latency", "faulty.yaml:5", "KiB")
        self.assertGreaterEqual(len(result.err.splitlines()), 2)

    def test_show_is_a_machine_file(self):
        for name in BUNDLED:
            path = os.path.join(WORK, f"shown-{name}.yaml")
            with open(path, "w") as file:
                file.write(self.succeeds(mpisim("machine", "show", name)).out)
            self.succeeds(mpisim("machine", "check", path))

    def test_set(self):
        shown = self.succeeds(mpisim("machine", "show", "sp2", "--set", "mpi.eager_limit=1 KiB")).out
        self.assertRegex(shown, r"eager_limit: 1 KiB")
        self.refuses(["machine", "show", "sp2", "--set", "mpi.eager_limt=1 KiB"], "eager_limit")
        self.refuses(["machine", "check", "sp2", "--set", "mpi.eager_limit=soon"], "eager_limit")


if __name__ == "__main__":
    unittest.main()
