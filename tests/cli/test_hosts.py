"""Several host processes: the same prediction and output; nothing of mpirun shows; failures keep their status."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from harness import Case, MPISIM, WORK, call, program, run
from test_interrupt import processes_of, wait_until

PREDICTED = ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io")


class Hosts(Case):
    def test_same_prediction(self):
        for name, ranks in (("phases", 6), ("hello", 5)):
            one = self.succeeds(run(ranks, name, options=["--compute", "counted"]))
            for options in (["--hosts", 2], ["--hosts", 3], ["--hosts", 2, "--partition", "round-robin"],
                            ["--hosts", 2, "--deterministic", "off"]):
                other = self.succeeds(run(ranks, name, options=["--compute", "counted", *options]))
                self.assertEqual(other.data["hosts"], options[1])
                self.assertEqual(other.data["protocol"], "combined")
                for key in PREDICTED:
                    self.assertEqual(one.data[key], other.data[key], f"{name} {options} {key}")
                self.assertEqual(one.out, other.out, options)

    def test_quiet_is_quiet(self):
        result = self.succeeds(run(4, "hello", options=["--hosts", 2, "--quiet"]))
        self.assertEqual(result.err, "")

    def test_counted_is_the_default(self):
        self.assertEqual(self.succeeds(run(4, "hello", options=["--hosts", 2])).data["compute"], "counted")

    def test_failures(self):
        for how, status, reason in ((["deadlock"], 3, "deadlock"), (["segfault"], 4, "crash"), (["truncate"], 5, "misuse"),
                                    (["exit", 9], 9, "exit"), (["abort", 11], 11, "abort")):
            for partition in ("block", "round-robin"):  # rank 1 at host 0, then at host 1
                result = run(4, "fail", *how, options=["--hosts", 2, "--compute", "off", "--partition", partition])
                self.assertEqual(result.status, status, f"{how} {partition}: {result}")
                self.assertEqual(result.data["exit_reason"], reason, f"{how} {partition}")
                self.assertNotIn("mpirun", result.err)
                self.assertNotIn("MPI_ABORT", result.err)

    def test_killed_host_process(self):
        path = program("forever")
        for hosts in (1, 2):
            run_ = subprocess.Popen([MPISIM, "run", "-n", "4", "-m", "sp2", "--compute", "counted", "--hosts", str(hosts), path],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                wait_until(lambda: len(processes_of(path)) > hosts, 30)
                time.sleep(0.5)
                os.kill(max(processes_of(path)), signal.SIGKILL)
                err = run_.communicate(timeout=30)[1]
                self.assertEqual(run_.returncode, 6, err)
                self.assertRegex(err, "host process.* was killed by signal 9")
                self.assertTrue(wait_until(lambda: not processes_of(path)))
            finally:
                run_.kill()
                run_.communicate()

    def test_ways_of_packets(self):
        """Host processes that cannot share memory exchange packets over Open MPI; on two machines, both."""
        ways = {"refused": """#include <errno.h>
                              int memfd_create(const char *name, unsigned flags) { errno = ENOSYS; return -1; }""",
                "machines": """#include <mpi.h>
                               int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
                               {
                                   int rank;
                                   MPI_Comm_rank(comm, &rank);
                                   return MPI_Comm_split(comm, rank % 2, key, part);
                               }"""}
        one = self.succeeds(run(12, "phases", options=["--compute", "counted"]))
        for name, text in ways.items():
            source, library = os.path.join(WORK, name + ".c"), os.path.join(WORK, name + ".so")
            with open(source, "w") as file:
                file.write(text)
            self.succeeds(call("mpicc", "-shared", "-fPIC", source, "-o", library))
            for hosts in (2, 4):
                other = self.succeeds(run(12, "phases", options=["--compute", "counted", "--hosts", hosts, "--mpirun-args",
                                                                 f"-x LD_PRELOAD={library}"]))
                for key in PREDICTED:
                    self.assertEqual(one.data[key], other.data[key], f"{name} {hosts} {key}")
                self.assertEqual(one.out, other.out, f"{name} {hosts}")

    def test_own_mpirun(self):
        mpirun = ["mpirun", "--oversubscribe", "-n", 2] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
        one = self.succeeds(run(6, "phases", options=["--compute", "counted"]))
        path = os.path.join(WORK, "own.json")
        words = ["run", "-n", 6, "-m", "sp2", "--json", path]
        result = self.succeeds(call(*mpirun, MPISIM, *words, program("phases")))
        with open(path) as file:
            data = json.load(file)
        self.assertEqual((data["hosts"], data["compute"]), (2, "counted"))
        for key in PREDICTED:
            self.assertEqual(one.data[key], data[key], key)
        self.assertEqual(one.out, result.out)
        result = call(*mpirun, MPISIM, *words, program("fail"), "exit", 9)
        self.assertEqual(result.status, 9, str(result))
        result = call(*mpirun, MPISIM, *words, "--hosts", 3, program("phases"))
        self.assertEqual(result.status, 2, str(result))
        self.assertEqual(result.err.count("--hosts 3, but mpirun has started 2 processes"), 1, str(result))

    def test_nobody_reads_on(self):
        """`mpisim run ... | head` ends like any filter: by SIGPIPE, at once, without a word or a trace."""
        path = program("chatter")
        for hosts in (1, 2, 3):
            for stream in ("stdout", "stderr"):
                with self.subTest(hosts=hosts, stream=stream), tempfile.TemporaryDirectory() as folder:
                    reader, writer = os.pipe()
                    with open(os.path.join(WORK, "other"), "w+") as other:
                        run_ = subprocess.Popen([MPISIM, "run", "-n", "3", "-m", "ideal", "--compute", "off", "--hosts",
                                                 str(hosts), path, stream], **{"stdout": other, "stderr": other, stream: writer},
                                                env={**os.environ, "TMPDIR": folder}, restore_signals=True)
                        os.close(writer)
                        with os.fdopen(reader) as lines:
                            self.assertEqual(lines.readline(), "line 0 of rank 0\n")
                        self.assertEqual(run_.wait(60), -signal.SIGPIPE)
                        other.seek(0)
                        self.assertEqual(other.read(), "")
                    self.assertTrue(wait_until(lambda: not processes_of(path)), "processes are left")
                    self.assertEqual(os.listdir(folder), [])
                    self.assertEqual([name for name in os.listdir("/dev/shm") if name.startswith(f"mpisim-run-{run_.pid}-")], [])

    def test_a_pipe_of_the_program_breaks(self):
        """That is no reader of ours who went away: it is told, and the JSON has it."""
        for hosts in (1, 2):
            with self.subTest(hosts=hosts):
                result = run(2, program("own_pipe"), options=["--hosts", hosts])
                self.assertEqual(result.status, 6, str(result))
                self.assertIn("was killed by signal 13", result.err)
                self.assertEqual(result.data["exit_reason"], "host-failure")

    def test_output_comes_while_the_program_runs(self):
        steps = 30
        words = [MPISIM, "run", "-n", "3", "-m", "ideal", "--compute", "off", "--quiet"]
        expected = "".join(f"step {step} of rank {rank}\n" for step in range(steps) for rank in range(3))
        for options in (["--hosts", "1"], ["--hosts", "3"], ["--hosts", "3", "--protocol", "null", "--deterministic", "off"]):
            with self.subTest(options=options):
                with subprocess.Popen([*words, *options, program("steps"), str(steps)], stdout=subprocess.PIPE,
                                      text=True) as run_:
                    first = run_.stdout.readline()
                    begun = time.monotonic()
                    rest = run_.stdout.read()
                self.assertEqual(run_.returncode, 0)
                self.assertEqual(first + rest, expected)
                # A step takes at least 3 times 10 ms, so that the whole takes more than 0.9 s.
                self.assertGreater(time.monotonic() - begun, 0.4)

    def test_much_output_takes_no_memory(self):
        """What cannot be printed yet waits in a file: rank 0 must not print before rank 2, but comes to it first."""
        path = program("hoarder")
        few = self.succeeds(run(3, path, 1, options=["--hosts", 2, "--compute", "off"]))
        many = self.succeeds(run(3, path, 3000, options=["--hosts", 2, "--compute", "off"]))
        self.assertEqual(len(many.out), len(few.out) - 100001 + 3000 * 100001)
        self.assertTrue(many.out.startswith("first\n"))
        self.assertLess(many.data["peak_rss_bytes"] - few.data["peak_rss_bytes"], 150 << 20)

    def test_bad_hostfile(self):
        result = run(2, "hello", options=["--hosts", 2, "--mpirun-args", "--no-such-option"])
        self.assertEqual(result.status, 6, str(result))
        self.assertIn("mpirun failed", result.err)


if __name__ == "__main__":
    unittest.main()
