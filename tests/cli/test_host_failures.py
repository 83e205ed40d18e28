"""A host process that dies, stops or runs out of memory: all others end soon, the run names it, and nothing is left over."""
import json
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from harness import Case, MPISIM, WORK, call, program, run
from test_interrupt import processes_of, wait_until

LIMIT = 60  # seconds until a run that hangs is given up; ends take far less


def host_processes(path):
    """Process ids by number of the host process."""
    found = {}
    for pid in processes_of(path):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        for word in words:
            if word.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(word.split(b"=")[1])] = pid
    return found


def mpirun_of(path):
    for pid in processes_of(path):
        try:
            with open(f"/proc/{pid}/comm") as file:
                if file.read().strip() in ("mpirun", "orterun"):
                    return pid
        except OSError:
            pass
    return None


class HostFailures(Case):
    def start(self, path, folder, hosts, protocol, ranks=5, limit=None):
        words = [MPISIM, "run", "-n", str(ranks), "-m", "ideal", "--compute", "off", "--hosts", str(hosts), "--json",
                 f"{folder}/result.json", "--order", f"{folder}/order", "--profile", f"{folder}/profile"]
        if protocol:
            words += ["--protocol", protocol]
        return subprocess.Popen([*words, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": folder},
                                preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None)

    def check_end(self, run, path, folder, pattern):
        err = run.communicate(timeout=LIMIT)[1]
        self.assertEqual(run.returncode, 6, err)
        self.assertRegex(err, pattern)
        self.assertNotIn("mpirun noticed", err)
        self.assertTrue(wait_until(lambda: not processes_of(path)), "processes are left")
        self.assertEqual(os.listdir(folder), ["result.json"])
        with open(f"{folder}/result.json") as file:
            data = json.load(file)
        self.assertEqual((data["exit_code"], data["exit_reason"]), (6, "host-failure"))

    def kill(self, hosts, protocol, victim, stop_first):
        path = program("endless")
        with self.subTest(hosts=hosts, protocol=protocol), tempfile.TemporaryDirectory() as folder:
            run = self.start(path, folder, hosts, protocol)
            try:
                self.assertTrue(wait_until(lambda: len(host_processes(path)) == hosts, LIMIT), "not all have started")
                time.sleep(0.5)  # into the simulation; a kill before that must end it just as well
                pid = host_processes(path)[victim]
                if stop_first:
                    os.kill(pid, signal.SIGSTOP)
                    time.sleep(0.5)  # the others wait for it
                    self.assertIsNone(run.poll())
                os.kill(pid, signal.SIGKILL)
                self.check_end(run, path, folder, rf"host process {victim} was killed by signal 9")
            finally:
                run.kill()
                run.communicate()

    def test_killed(self):
        for protocol in ("combined", "conditional", "null"):
            self.kill(2, protocol, victim=1, stop_first=False)
            self.kill(4, protocol, victim=2, stop_first=True)
        self.kill(2, "combined", victim=0, stop_first=True)

    def test_mpirun_is_killed(self):
        path = program("endless")
        with tempfile.TemporaryDirectory() as folder:
            run = self.start(path, folder, 2, "combined")
            try:
                self.assertTrue(wait_until(lambda: len(host_processes(path)) == 2, LIMIT))
                time.sleep(0.5)
                os.kill(mpirun_of(path), signal.SIGKILL)
                self.check_end(run, path, folder, "mpirun was killed by signal 9")
            finally:
                run.kill()
                run.communicate()

    def test_out_of_memory(self):
        path = program("hoard")
        for hosts, who in ((1, "the host process"), (2, "host process 0")):
            with self.subTest(hosts=hosts), tempfile.TemporaryDirectory() as folder:
                run = self.start(path, folder, hosts, None, ranks=4, limit=1 << 30)
                try:
                    self.check_end(run, path, folder, f"{who} ran out of memory")
                finally:
                    run.kill()
                    run.communicate()

    def test_mpi_fails_while_it_is_taken_down(self):
        """Other people's libraries may fail at the very end, above all on a loaded machine: the result stands."""
        source, library = os.path.join(WORK, "fails.c"), os.path.join(WORK, "fails.so")
        with open(source, "w") as file:
            file.write("""#include <signal.h>
                          int MPI_Finalize(void) { volatile int *nowhere = (int *)16; return *nowhere; }""")
        self.succeeds(call("cc", "-g", "-shared", "-fPIC", source, "-o", library))
        for hosts in (2, 3):
            result = run(5, "hello", options=["--compute", "off", "--hosts", hosts, "--mpirun-args", f"-x LD_PRELOAD={library}"])
            self.succeeds(result)
            self.assertEqual(result.out, run(5, "hello", options=["--compute", "off"]).out)
            self.assertEqual((result.data["exit_code"], result.data["exit_reason"]), (0, "exit"))
            self.assertIn("predicted time", result.err)
            # What went wrong is told nevertheless, with all that is needed to find it.
            self.assertRegex(result.err, rf"internal error: host process \d of {hosts} got signal 11 \(SIGSEGV\), code 1 "
                             r"\(SEGV_MAPERR.*\), address 0x10, in its main thread, while taking down MPI, protocol combined")
            self.assertRegex(result.err, r"#0 0x\w+ fails.so\+0x\w+ MPI_Finalize\+0x")
            self.assertRegex(result.err, r"#1 0x\w+ libmpisim_openmpi.so\+0x\w+ _ZN6mpisim6kernel")


if __name__ == "__main__":
    unittest.main()
