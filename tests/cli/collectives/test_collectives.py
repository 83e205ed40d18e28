"""Collectives as programs call them: the same results as another MPI library with every algorithm, and misuse told."""
import functools
import os
import shutil
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import harness  # noqa: E402

# One setting per line of the tables in docs/collectives.md.
ALGORITHMS = {
    "barrier": ["recursive-doubling", "tree", "linear"],
    "bcast": ["linear", "scatter-allgather", "scatter-recursive-doubling", "chain", "binary"],
    "gather": ["linear", "binomial"],
    "gatherv": ["binomial"],
    "scatter": ["linear", "binomial"],
    "scatterv": ["binomial"],
    "allgather": ["ring", "recursive-doubling", "bruck", "neighbor-exchange"],
    "allgatherv": ["ring", "bruck", "gather-bcast"],
    "alltoall": ["pairwise", "linear", "bruck"],
    "alltoallv": ["pairwise"],
    "alltoallw": ["pairwise"],
    "reduce": ["linear", "binomial", "rabenseifner"],
    "allreduce": ["recursive-doubling", "rabenseifner", "ring", "reduce-bcast"],
    "reduce_scatter": ["pairwise", "recursive-halving", "reduce-scatterv"],
    "reduce_scatter_block": ["pairwise", "recursive-halving", "reduce-scatterv"],
    "scan": ["linear", "recursive-doubling"],
    "exscan": ["linear", "recursive-doubling"],
}


@functools.cache
def compiled(name):
    output = os.path.join(harness.WORK, name + ".sim")
    done = harness.call(harness.MPISIMCC, "-g", "-O1", os.path.join(HERE, name + ".c"), "-o", output)
    if done.status != 0:
        raise RuntimeError(f"mpisimcc {name}.c: {done}")
    return output


@functools.cache
def reference(ranks):
    """Lines of every_operation under the host's MPI library; None if there is none."""
    if not shutil.which("mpicc") or not shutil.which("mpirun"):
        return None
    native = os.path.join(harness.WORK, "every_operation.native")
    if not os.path.exists(native):
        done = harness.call("mpicc", "-O1", os.path.join(HERE, "every_operation.c"), "-o", native)
        if done.status != 0:
            raise RuntimeError(f"mpicc: {done}")
    done = harness.call("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks, native)
    if done.status != 0:
        raise RuntimeError(f"mpirun: {done}")
    return sorted(done.out.splitlines())


class Results(harness.Case):
    def same_as_reference(self, ranks, *options, machine="ideal"):
        expected = reference(ranks)
        if expected is None:
            self.skipTest("no mpicc or mpirun on this host to compare with")
        result = self.succeeds(harness.run(ranks, compiled("every_operation"), machine=machine, options=options))
        self.assertEqual(sorted(result.out.splitlines()), expected, f"{ranks} ranks, {options}")
        return result

    def test_defaults(self):
        for ranks in (1, 2, 3, 4, 5, 8, 9):
            with self.subTest(ranks=ranks):
                self.same_as_reference(ranks)

    def test_defaults_on_another_machine(self):
        self.same_as_reference(6, machine="sp2")

    def test_every_algorithm(self):
        for turn in range(max(len(names) for names in ALGORITHMS.values())):
            options = []
            for operation, names in ALGORITHMS.items():
                options += ["--set", f"mpi.collectives.{operation}={names[turn % len(names)]}"]
            for ranks in (6, 8):
                with self.subTest(turn=turn, ranks=ranks):
                    self.same_as_reference(ranks, *options)

    def test_every_algorithm_with_rendezvous_only(self):
        for turn in range(2):
            options = ["--set", "mpi.eager_limit=0 B"]
            for operation, names in ALGORITHMS.items():
                options += ["--set", f"mpi.collectives.{operation}={names[-1 - turn % len(names)]}"]
            self.same_as_reference(7, *options)

    def test_two_hosts_predict_the_same(self):
        options = ("--compute", "off")
        one = self.same_as_reference(6, *options)
        two = self.same_as_reference(6, "--hosts", "2", *options)
        self.assertEqual(one.data["predicted_time_ps"], two.data["predicted_time_ps"])
        self.assertEqual(one.data["messages"], two.data["messages"])
        self.assertEqual(one.data["bytes"], two.data["bytes"])

    def test_unknown_algorithm(self):
        self.refuses(["run", "-n", "2", "-m", "ideal", "--set", "mpi.collectives.bcast=quick",
                      compiled("every_operation")], "quick", "binomial", "scatter-allgather")


class Misuse(harness.Case):
    def misuse(self, what, *expected, ranks=3):
        result = harness.run(ranks, compiled("misuse"), what, machine="ideal")
        self.assertEqual(result.status, 5, f"{what}: {result}")
        for text in expected:
            self.assertIn(text, result.err, f"{what}: {result}")

    def test_mismatched(self):
        self.misuse("swapped", "mismatched collectives", "MPI_Barrier", "MPI_Allreduce", "rank 0", "rank 1")

    def test_mismatched_operations_and_data(self):
        for hosts in ([], ["--hosts", "2"]):
            result = harness.run(3, compiled("misuse"), "operations", machine="ideal", options=["--compute", "off", *hosts])
            self.assertEqual(result.status, 5, str(result))
            self.assertRegex(result.err, r"mismatched collectives on one communicator: rank \d is in MPI_Allreduce with MPI_(SUM|MAX) "
                                         r"\(.*misuse.c:\d+\), rank \d in MPI_Allreduce with MPI_(SUM|MAX)\n")
            result = self.succeeds(harness.run(3, compiled("misuse"), "data", machine="ideal", options=["--compute", "off", *hosts]))
            self.assertRegex(result.err, r"warning: .*misuse.c:\d+: rank 0 calls MPI_Bcast for 4-byte integers, but this rank for "
                                         r"8-byte floating-point numbers")
            result = self.succeeds(harness.run(3, compiled("misuse"), "bytes", machine="ideal", options=["--compute", "off", *hosts]))
            self.assertNotIn("warning", result.err)

    def test_arguments(self):
        self.misuse("root", "MPI_Bcast", "root is 3", "MPI_ERR_ROOT", "misuse.c:")
        self.misuse("count", "MPI_Allreduce", "count is -1", "MPI_ERR_COUNT")
        self.misuse("operation", "MPI_BAND is not defined for MPI_DOUBLE", "MPI_ERR_OP")
        self.misuse("null-operation", "MPI_OP_NULL", "MPI_ERR_OP")
        self.misuse("type", "not committed", "MPI_ERR_TYPE")
        self.misuse("in-place", "MPI_IN_PLACE", "MPI_ERR_BUFFER")

    def test_truncated(self):
        self.misuse("truncated", "MPI_Bcast", "rank 0 sent more than the 16 bytes", "MPI_ERR_TRUNCATE")

    def test_missing_member_is_a_deadlock(self):
        result = harness.run(4, compiled("misuse"), "missing", machine="ideal")
        self.assertEqual(result.status, 3, str(result))
        self.assertIn("MPI_Barrier", result.err)

    def test_errors_are_returned(self):
        result = self.succeeds(harness.run(2, compiled("misuse"), "returned", machine="ideal"))
        self.assertEqual(result.out, "classes checked\n")


if __name__ == "__main__":
    unittest.main()
