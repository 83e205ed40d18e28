"""The locale is each rank's own, and not the simulator's."""
import os
import shutil
import unittest

from harness import Case, WORK, call, run

NAME = "de_DE.UTF-8"


@unittest.skipUnless(shutil.which("localedef") and os.path.exists("/usr/share/i18n/locales/de_DE"), "no locales here")
class Locale(Case):
    def setUp(self):
        self.folder = os.path.join(WORK, "locales")
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, NAME)):
            call("localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", os.path.join(self.folder, NAME))

    def run_locale(self, hosts, *arguments):
        return run(3, "locale", NAME, *arguments, options=["--compute", "off", "--hosts", hosts],
                   environment={"LOCPATH": self.folder})

    def test_ranks(self):
        for hosts in (1, 2):
            with self.subTest(hosts=hosts):
                result = self.run_locale(hosts)
                self.succeeds(result)
                self.assertEqual(sorted(result.out.splitlines()), [
                    "rank 0: 1.50 . C 2.25", "rank 0: at first C",
                    "rank 1: 1,50 , de_DE.UTF-8 2,25", "rank 1: again 1,50", "rank 1: at first C",
                    "rank 1: plain 1.50, before none",
                    "rank 2: 1.50 . C 2.25", "rank 2: at first C"])

    def test_simulator(self):
        """The summary and the data of a run whose last rank to run has a decimal comma."""
        result = self.run_locale(1, "wait")
        self.assertEqual(result.status, 3, str(result))
        self.assertEqual(result.data["exit_reason"], "deadlock")
        self.assertNotRegex(result.err, r"\d,\d+ (s|ms|us|ns)\b")


if __name__ == "__main__":
    unittest.main()
