"""Ctrl-C and other ends from outside: everything ends at once, and no process or file is left behind."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

from harness import Case, MPISIM, program


def processes_of(program_path):
    """Processes that run this program, and those of mpirun that started it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                if program_path in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


class Interrupt(Case):
    def interrupt(self, hosts, number, to_group):
        path = program("forever")
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.Popen([MPISIM, "run", "-n", "4", "-m", "sp2", "--compute", "counted", "--hosts", str(hosts), path],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   env={**os.environ, "TMPDIR": folder})
            try:
                started = wait_until(lambda: len(processes_of(path)) > hosts, 30)
                time.sleep(0.5)  # into the simulation
                self.assertTrue(started and run.poll() is None, "the run has ended too early")
                begun = time.monotonic()
                (os.killpg if to_group else os.kill)(run.pid, number)
                run.wait(timeout=10)
                self.assertLess(time.monotonic() - begun, 3)
                self.assertEqual(run.returncode, -number)
                self.assertTrue(wait_until(lambda: not processes_of(path)), processes_of(path))
                if number != signal.SIGKILL:
                    self.assertEqual(os.listdir(folder), [])
            finally:
                run.kill()
                run.communicate()

    def test_one_host_process(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupt(1, number, to_group=False)

    def test_keyboard(self):
        self.interrupt(1, signal.SIGINT, to_group=True)

    def test_killed(self):
        self.interrupt(1, signal.SIGKILL, to_group=False)

    def test_several_host_processes(self):
        self.interrupt(2, signal.SIGINT, to_group=True)
        self.interrupt(2, signal.SIGTERM, to_group=False)

    def test_several_host_processes_killed(self):
        self.interrupt(2, signal.SIGKILL, to_group=False)


if __name__ == "__main__":
    unittest.main()
