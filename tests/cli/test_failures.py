"""Programs that fail: exit status, explanation, and the reason in the JSON."""
import os
import re
import unittest

from harness import Case, HERE, program, run


def line_of(mark):
    """Number of the line of fail.c that holds this text."""
    with open(os.path.join(HERE, "programs", "fail.c")) as file:
        return next(i for i, line in enumerate(file, 1) if mark in line)


class Failures(Case):
    def fails(self, how, status, reason, *expected, ranks=3, options=("--compute", "off")):
        result = run(ranks, "fail", *how, options=list(options))
        self.assertEqual(result.status, status, str(result))
        for text in expected:
            self.assertRegex(result.err, text, str(result))
        self.assertIsNotNone(result.data, "no JSON")
        self.assertEqual((result.data["exit_code"], result.data["exit_reason"]), (status, reason))
        return result

    def test_deadlock(self):
        result = self.fails(["deadlock"], 3, "deadlock", "MPI_Recv", "77", "MPI_COMM_WORLD",
                            f"fail.c:{line_of('77, MPI_COMM_WORLD, MPI_STATUS')}")
        self.assertIn("rank 0 begins", result.out)

    def test_deadlock_of_many_ranks_is_grouped(self):
        result = self.fails(["deadlock"], 3, "deadlock", "MPI_Recv", ranks=500)
        self.assertLess(len(result.err.splitlines()), 100)

    def test_livelock(self):
        self.fails(["livelock"], 3, "livelock", "MPI_Test")

    def test_segfault(self):
        result = self.fails(["segfault"], 4, "crash", r"rank 1\b", "Segmentation fault",
                            f"main at .*fail.c:{line_of('*(volatile int *)8')}")
        self.assertIn("rank 1 begins", result.out)

    def test_division(self):
        self.fails(["divide"], 4, "crash", r"rank 1\b", "Floating point", f"fail.c:{line_of(') / zero')}")

    def test_abort_of_the_c_library(self):
        self.fails(["assert"], 4, "crash", r"rank 1\b", "Aborted", f"fail.c:{line_of(' abort();')}")

    def test_stack_overflow(self):
        self.fails(["overflow"], 4, "crash", r"rank 1\b", "stack", "--stack-size")

    def test_truncation(self):
        self.fails(["truncate"], 5, "misuse", r"rank 1\b", f"fail.c:{line_of('buffer, 1, MPI_INT, 0, 0')}")

    def test_bad_rank(self):
        self.fails(["badrank"], 5, "misuse", "MPI_Send", f"fail.c:{line_of('MPI_INT, size')}")

    def test_call_before_init(self):
        self.fails(["early"], 5, "misuse", "MPI_Comm_rank", "called before MPI_Init",
                   "fail.c:%d" % line_of('"early"'))

    def test_call_after_finalize(self):
        self.fails(["afterwards"], 5, "misuse", "MPI_Comm_size", "called after MPI_Finalize",
                   "fail.c:%d" % line_of('"afterwards"'))

    def test_own_status(self):
        for status in (0, 1, 7, 77):
            self.fails(["exit", status], status, "exit")

    def test_abort_code(self):
        for status in (1, 11):
            self.fails(["abort", status], status, "abort")

    def test_same_status_for_two_reasons(self):
        self.fails(["exit", 4], 4, "exit")
        self.fails(["segfault"], 4, "crash")


if __name__ == "__main__":
    unittest.main()
