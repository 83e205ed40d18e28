"""A program that destroys its heap crashes: status 4 and a report, on one and on several host processes, every time."""
import unittest

from harness import Case, run

AT_ONCE = ("overflow", "double", "wild", "header")  # the C library notices in the very call


class Heap(Case):
    def test_reported(self):
        for hosts in (1, 2):
            for how in AT_ONCE:
                for attempt in range(2):
                    with self.subTest(hosts=hosts, how=how, attempt=attempt):
                        result = run(3, "heap", how, options=["--compute", "off", "--hosts", hosts])
                        self.assertEqual(result.status, 4, str(result))
                        self.assertRegex(result.err, r"rank 1 crashed at \S+ \S+: signal \d+ .*")
                        self.assertEqual((result.data["exit_code"], result.data["exit_reason"]), (4, "crash"))
                        self.assertRegex(result.err, r"#\d+ destroy at .*heap\.c:\d+")

    def test_noticed_later(self):
        """All ranks go on for a while, until the damaged block is freed."""
        for hosts in (1, 2):
            with self.subTest(hosts=hosts):
                result = run(3, "heap", "later", options=["--compute", "off", "--hosts", hosts])
                self.assertEqual(result.status, 4, str(result))
                self.assertRegex(result.err, r"rank 1 crashed at .*heap is corrupt")


if __name__ == "__main__":
    unittest.main()
