"""Where the ranks are: Ctrl-C, --time-limit, SIGUSR1, and calls that keep the host waiting."""
import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

from harness import MPISIM, WORK, Case, call, mpisim, program, run
from test_interrupt import processes_of


def begin(name, hosts=1, options=(), stdin=subprocess.DEVNULL):
    """The command, once its program has printed its first line."""
    command = subprocess.Popen([MPISIM, "run", "-n", "4", "-m", "sp2", "--compute", "off", "--hosts", str(hosts), *options,
                                program(name)],
                               cwd=WORK, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    return command


class Whereabouts(Case):
    def check_places(self, text):
        self.assertRegex(text, r"rank 3 at .* in its own code \(\S*astray\.c:1[567]\)")
        for rank in range(3):
            self.assertRegex(text, rf"rank {rank} at .* in MPI_Recv \(\S*astray\.c:18\): receive from rank 3, tag 7")

    def test_interrupt(self):
        """Also by the terminal, which signals the whole group of processes."""
        for hosts in (1, 2):
            for to_group in (False, True):
                command = begin("astray", hosts)
                time.sleep(1.5 + hosts)
                (os.killpg if to_group else os.kill)(command.pid, signal.SIGINT)
                out, err = command.communicate(timeout=30)
                self.assertEqual(command.returncode, -signal.SIGINT, err)
                self.assertIn("interrupted; the ranks are here:", err)
                self.check_places(err)
                self.assertIn("begun", out)

    def test_time_limit(self):
        for hosts in (1, 2):
            path = os.path.join(WORK, "limited.json")
            result = mpisim("run", "-n", 4, "-m", "sp2", "--hosts", hosts, "--compute", "off", "--time-limit", "1 s", "--json", path,
                            program("astray"))
            self.assertEqual(result.status, 124, str(result))
            self.assertIn("the time limit is over; the ranks are here:", result.err)
            self.check_places(result.err)
            with open(path) as file:
                data = json.load(file)
            self.assertEqual((data["exit_code"], data["exit_reason"]), (124, "time-limit"))
        self.refuses(["run", "-n", 1, "-m", "sp2", "--time-limit", "soon", program("hello")], "--time-limit")
        self.refuses(["run", "-n", 1, "-m", "sp2", "--time-limit", "0 s", program("hello")], "--time-limit", "longer than 0 s")

    def test_time_limit_not_reached(self):
        self.succeeds(run(4, "phases", options=["--time-limit", "10 min"]))

    def test_question(self):
        """The host process answers SIGUSR1 and goes on."""
        command = begin("astray", options=["--time-limit", "4 s"])
        time.sleep(2)
        host, = [pid for pid in processes_of(program("astray")) if pid != command.pid]
        os.kill(host, signal.SIGUSR1)
        _, err = command.communicate(timeout=30)
        self.assertEqual(command.returncode, 124)
        self.assertEqual(err.count("the ranks are here:"), 2)
        first = err[:err.index("the time limit")]
        self.check_places(first)

    def test_waiting_for_host(self):
        path = os.path.join(WORK, "waiting.json")
        command = begin("waits_for_host", options=["--json", path])
        line = command.stderr.readline()
        self.assertRegex(line, r"rank 0 at .* in syscall \(\S*waits_for_host\.c:12\): the call waits for this host")
        _, err = command.communicate(timeout=30)
        self.assertEqual(command.returncode, 0, err)
        with open(path) as file:
            self.assertRegex("\n".join(json.load(file)["warnings"]), r"rank 0 in syscall .* the call waits for this host")

    def test_waiting_for_data(self):
        """Also where other ranks could go on."""
        command = begin("waits_for_data", stdin=subprocess.PIPE)
        self.assertRegex(command.stderr.readline(), r"rank 0 at .* in read \(\S*waits_for_data\.c:10\): the call waits for this host")
        _, err = command.communicate("x", timeout=30)
        self.assertEqual(command.returncode, 0, err)

    def test_slow_start(self):
        """Nobody is asked before it can answer."""
        for hosts in (1, 2):
            result = self.succeeds(run(2, "slow_start", options=["--hosts", hosts]))
            self.assertEqual(result.out.split(), ["begun", "begun"])

    def test_questions_do_not_end_waits(self):
        """Ranks that wait for data go on to let others run when they have been asked what they wait for."""
        command = begin("in_turn", stdin=subprocess.PIPE)
        self.assertIn("the call waits for this host", command.stderr.readline())
        time.sleep(1)
        out, err = command.communicate("x", timeout=30)
        self.assertEqual(command.returncode, 0, err)
        self.assertEqual(out.split("\n")[:-1], ["1: x", "2: x", "3: x"])

    def test_walk(self):
        for hosts in (1, 2):
            folder = tempfile.mkdtemp(dir=WORK)
            result = self.succeeds(run(3, "walkers", options=["--hosts", hosts], cwd=folder))
            self.assertEqual(sorted(result.out.split("\n")[:-1]), ["stays 1 1", "stays 1 1", "visits 2"])
            self.assertEqual(sorted(os.listdir(folder)), ["made_beside", "walked"])

    def test_progress_line(self):
        terminal, end = pty.openpty()
        command = subprocess.Popen([MPISIM, "run", "-n", "4", "-m", "sp2", "--compute", "off", "--time-limit", "4 s",
                                    program("astray")], stdout=subprocess.DEVNULL, stderr=end)
        os.close(end)
        shown = b""
        try:
            while True:
                part = os.read(terminal, 4096)
                if not part:
                    break
                shown += part
        except OSError:
            pass
        command.wait(timeout=30)
        self.assertRegex(shown.decode(), r"million events, .* simulated, the slowest: rank 3 at .* in its own code")


class TimeRange(Case):
    def test_too_long(self):
        for hosts in (1, 2):
            result = run(2, "sleeper", options=["--hosts", hosts, "--compute", "off"])
            self.assertEqual(result.status, 2, str(result))
            self.assertRegex(result.err, r"rank [01] at .*sleeper\.c:7\): simulated time: .* beyond the range of 106 days")


class Heap(Case):
    def counts(self, kind, hosts=1):
        result = self.succeeds(run(3, "leftovers", options=["--heap", kind, "--hosts", hosts]))
        lines = re.findall(r"(block|grown) (\d+): (\d+) not zero, (\d+) pattern", result.out)
        self.assertEqual(len(lines), 48)
        return [(what, int(size), int(other), int(pattern)) for what, size, other, pattern in lines]

    def test_zero(self):
        for options in ((), ("--heap", "zero")):
            result = self.succeeds(run(3, "leftovers", options=options))
            self.assertEqual(len(re.findall(r": 0 not zero, 0 pattern", result.out)), 48, result.out)

    def test_pattern(self):
        for what, size, other, pattern in self.counts("pattern"):
            whole = size // 8 if what == "block" else size // 8 - (size // 2 + 8) // 8
            self.assertEqual((other, pattern), (whole, whole), (what, size))

    def test_native(self):
        self.assertTrue(any(other > 0 for _, _, other, _ in self.counts("native")))


class Cycles(Case):
    def test_simulated(self):
        results = []
        for hosts in (1, 2):
            for options in (("--compute", "off"), ("--compute", "counted")):
                result = self.succeeds(run(2, "cycles", options=["--hosts", hosts, "--set", "processor.clock=2 GHz", *options]))
                steps = [int(step) for step in re.findall(r"^\d: (\d+)$", result.out, re.M)]
                self.assertEqual(len(steps), 10, result.out)
                for step in steps:
                    self.assertTrue(2_000_000 <= step < 2_100_000, result.out)
                self.assertEqual(result.out.count("processor 0, 60.75"), 2, result.out)
                results.append((options, result.out))
        self.assertEqual(results[:2], results[2:])

    def test_every_level(self):
        source = os.path.join(os.path.dirname(__file__), "programs", "cycles.c")
        for level in ("-O0", "-O2", "-O3"):
            path = os.path.join(WORK, "cycles" + level)
            self.succeeds(call(os.path.join(os.path.dirname(MPISIM), "mpisimcc"), level, "-mavx2", source, "-o", path))
            result = self.succeeds(run(1, path, options=["--compute", "off"]))
            self.assertIn("processor 0, 60.75", result.out)


if __name__ == "__main__":
    unittest.main()
