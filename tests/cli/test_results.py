"""What a run that goes well prints and writes."""
import json
import os
import pty
import subprocess
import unittest

from harness import MPISIM, WORK, Case, call, mpisim, program, run

FIELDS = ("mpisim machine ranks hosts protocol deterministic exact compute processor uncounted predicted_time_ps predicted_time_s wall_time_s "
          "startup_s host_comparison disturbance events events_per_second messages bytes sync_rounds null_messages synchronisation partition "
          "host_processes peak_rss_bytes exit_code exit_reason warnings "
          "breakdown per_rank io").split()


class Json(Case):
    def test_fields(self):
        data = self.succeeds(run(4, "phases", options=["--compute", "counted"])).data
        self.assertEqual(list(data), FIELDS)
        self.assertEqual((data["ranks"], data["hosts"], data["protocol"], data["compute"]), (4, 1, "sequential", "counted"))
        self.assertEqual((data["deterministic"], data["exact"]), (True, True))
        self.assertEqual((data["exit_code"], data["exit_reason"]), (0, "exit"))
        self.assertIsInstance(data["predicted_time_ps"], int)
        self.assertAlmostEqual(data["predicted_time_s"], data["predicted_time_ps"] * 1e-12)
        self.assertGreater(data["peak_rss_bytes"], 1 << 20)
        self.assertEqual(set(data["io"]), {"requests", "disk_reads", "disk_writes", "seeks", "disk_seeks", "bytes_read",
                                           "bytes_written", "metadata_calls", "cache"})
        self.assertEqual(set(data["io"]["cache"]), {"cnode_hits", "remote_hits", "ionode_hits", "misses", "read_ahead"})

    def test_host_processes(self):
        """What each did adds up to what all did; what kinds of messages there are depends on the protocol."""
        for hosts, protocol in ((1, "sequential"), (2, "null"), (3, "conditional"), (3, "combined"), (2, "quantum")):
            data = self.succeeds(run(6, "wildcards", options=["--compute", "counted", "--hosts", hosts, "--protocol",
                                                              protocol])).data
            parts = data["host_processes"]
            self.assertEqual([part["host"] for part in parts], list(range(hosts)), protocol)
            for part in parts:
                self.assertEqual(part["ranks"], 6 // hosts, protocol)
                self.assertGreater(part["events_per_second"], 0)
                self.assertGreater(part["mean_run_lookaheads"], 0)
                self.assertGreaterEqual(part["rounds"], part["conditional_rounds"])
                if protocol != "combined":  # sends them where a host process waits for long
                    self.assertEqual(part["null_messages"] > 0, protocol == "null", protocol)
                if protocol in ("conditional", "quantum"):
                    self.assertEqual(part["rounds"], part["conditional_rounds"], protocol)
                    self.assertGreater(part["rounds"], 0)
                if protocol in ("sequential", "null"):
                    self.assertEqual(part["conditional_rounds"], 0, protocol)
            self.assertEqual(sum(part["events"] for part in parts), data["events"])
            self.assertEqual(sum(part["peak_rss_bytes"] for part in parts), data["peak_rss_bytes"])
            self.assertGreater(min(part["peak_rss_bytes"] for part in parts), 1 << 20)
            self.assertEqual(sum(part["null_messages"] for part in parts), data["null_messages"])
            self.assertAlmostEqual(sum(part["rounds"] for part in parts) / hosts, data["sync_rounds"])
            together = data["synchronisation"]
            for field in ("remote_events", "resumes"):
                self.assertEqual(sum(part[field] for part in parts), together[field], f"{protocol} {field}")
            self.assertAlmostEqual(sum(part["blocked_s"] for part in parts) / hosts, together["blocked_s"])
            runs = [part["mean_run_lookaheads"] for part in parts]
            self.assertTrue(min(runs) <= together["mean_run_lookaheads"] <= max(runs) * (1 + 1e-9), runs)

    def test_breakdown_is_what_the_ranks_say(self):
        data = self.succeeds(run(5, "phases", options=["--compute", "counted"])).data
        self.assertEqual(max(r["predicted_time_ps"] for r in data["per_rank"]), data["predicted_time_ps"])
        for kind in ("compute_ps", "communication_ps", "io_ps"):
            values = [r[kind] for r in data["per_rank"]]
            self.assertEqual(data["breakdown"][kind],
                             {"mean": sum(values) // len(values), "min": min(values), "max": max(values)})
        for rank in data["per_rank"]:
            self.assertEqual(rank["compute_ps"] + rank["communication_ps"] + rank["io_ps"], rank["predicted_time_ps"])
            self.assertEqual(rank["communication_ps"], sum(rank[k] for k in (
                "point_to_point_ps", "completion_ps", "collective_ps", "other_ps")))
        self.assertEqual(sum(r["messages"] for r in data["per_rank"]), data["messages"])
        self.assertEqual(sum(r["bytes"] for r in data["per_rank"]), data["bytes"])

    def test_imbalance_is_seen(self):
        ranks = self.succeeds(run(4, "phases", options=["--compute", "counted"])).data["per_rank"]
        times = [r["compute_ps"] for r in ranks]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[3], 2 * times[0])
        self.assertGreater(ranks[0]["collective_ps"], ranks[3]["collective_ps"])

    def test_same_twice(self):
        for compute in ("counted", "off"):
            first, second = (self.succeeds(run(6, "phases", options=["--compute", compute])) for _ in range(2))
            for key in ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank"):
                self.assertEqual(first.data[key], second.data[key], key)
            self.assertEqual(first.out, second.out)

    def test_many_ranks_are_listed_on_demand(self):
        data = self.succeeds(run(5000, "hello", machine="ideal", options=["--compute", "off"])).data
        self.assertNotIn("per_rank", data)
        data = self.succeeds(run(5000, "hello", machine="ideal", options=["--compute", "off", "--per-rank"])).data
        self.assertEqual(len(data["per_rank"]), 5000)

    def test_no_leftover_of_an_earlier_run(self):
        path = os.path.join(WORK, "old.json")
        with open(path, "w") as file:
            file.write("{}")
        mpisim("run", "-n", "1", "-m", "ideal", "--json", path, program("fail"), "divide")
        with open(path) as file:
            self.assertIn("mpisim", json.load(file))
        self.assertEqual([f for f in os.listdir(WORK) if f.startswith("old.json.")], [])

    def test_to_a_device(self):
        result = self.succeeds(mpisim("run", "-n", "1", "-m", "ideal", "-q", "--json", "/dev/stdout", program("hello")))
        self.assertIn('"predicted_time_ps"', result.out)

    def test_to_standard_output(self):
        for hosts in (1, 2):
            words = ["run", "-n", "2", "-m", "ideal", "-q", "--compute", "off", "--hosts", hosts, "--json", "-"]
            result = self.succeeds(mpisim(*words, program("hello")))
            printed, brace, text = result.out.partition("{")
            self.assertEqual(sorted(printed.splitlines()), ["rank 0 of 2 got 1", "rank 1 of 2 got 0"])
            self.assertEqual(json.loads(brace + text)["ranks"], 2)
            self.assertFalse(os.path.exists(os.path.join(WORK, "-")))
            # Redirected to a file it follows the program's output there, too; a failure is told as well.
            path = os.path.join(WORK, "redirected")
            with open(path, "w") as file:
                status = subprocess.call([MPISIM, *map(str, words), program("fail"), "exit", "9"], stdout=file)
            self.assertEqual(status, 9)
            with open(path) as file:
                printed, brace, text = file.read().partition("{")
            self.assertEqual(printed.count("begins"), 2)
            self.assertEqual(json.loads(brace + text)["exit_code"], 9)


class Output(Case):
    def test_streams_pass_through(self):
        result = self.succeeds(run(3, "phases", options=["--compute", "counted", "--quiet"]))
        self.assertEqual(result.err, "the last rank was here\n")
        self.assertEqual(sorted(line.split(":")[0] for line in result.out.splitlines()[:3]), ["rank 0", "rank 1", "rank 2"])
        self.assertTrue(result.out.splitlines()[3].startswith("total "))

    def test_in_order_of_simulated_time(self):
        result = self.succeeds(run(4, "phases", options=["--compute", "counted", "--quiet"]))
        self.assertEqual([line.split(":")[0] for line in result.out.splitlines()[:4]], [f"rank {i}" for i in range(4)])

    def test_summary(self):
        text = self.succeeds(run(4, "phases", options=["--compute", "counted"])).err
        for part in ("4 ranks on ibm-sp2: predicted time", "where it went", "compute", "communication", "collective", "I/O",
                     "slowest rank", "messages", "host cost", "events", "peak memory"):
            self.assertIn(part, text)
        self.assertNotIn("  calibration", text)

    def test_summary_of_measured_compute(self):
        text = self.succeeds(run(2, "phases", options=["--compute", "measured"])).err
        self.assertRegex(text, r"calibration .*Gop/s")
        self.assertRegex(text, r"[\d.]+ % of the predicted compute time was measured")

    def test_recorded(self):
        record = os.path.join(WORK, "durations")
        measured = self.succeeds(run(3, "phases", options=["--compute", "measured", "--record", record]))
        runs = [self.succeeds(run(3, "phases", options=["--compute", "recorded", "--record", record])) for _ in range(2)]
        self.assertEqual(runs[0].data["per_rank"], runs[1].data["per_rank"])
        for one, other in zip(measured.data["per_rank"], runs[0].data["per_rank"]):
            self.assertEqual(one["compute_ps"], other["compute_ps"])

    def test_epoch_and_overrides(self):
        slow = self.succeeds(run(2, "hello", machine="ideal", options=["--compute", "off", "--set", "network.latency=1 ms"]))
        self.assertGreater(slow.data["predicted_time_s"], 1e-3)
        self.succeeds(run(2, "hello", options=["--epoch", "1994-05-01", "--compute", "off"]))

    def test_closed_pipe_ends_quietly(self):
        command = f"'{MPISIM}' run -q -n 2000 -m ideal --compute off '{program('hello')}' | head -1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        self.assertTrue(done.stdout.startswith("rank "))
        self.assertEqual(done.stderr, "")


class Terminal(Case):
    """A long run shows a progress line on a terminal, and takes it away before it prints anything else."""

    def on_terminal(self, *words):
        """The command's exit status, and what it wrote to a terminal."""
        terminal, command_side = pty.openpty()
        run = subprocess.Popen([MPISIM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=command_side,
                               stderr=command_side)
        os.close(command_side)
        written = b""
        try:
            while data := os.read(terminal, 4096):
                written += data
        except OSError:  # Linux says so when the last writer has gone
            pass
        os.close(terminal)
        return run.wait(timeout=60), written.decode()

    def test_progress(self):
        words = ["run", "-n", 2, "-m", "sp2", "--compute", "off", program("rounds"), 3.5]
        status, written = self.on_terminal(*words)
        self.assertEqual(status, 0, written)
        self.assertRegex(written, r"\r\x1b\[Kmpisim: [\d.e+]+ million events[^\n]*\r\x1b\[Kdone")
        status, written = self.on_terminal(words[0], "--quiet", *words[1:])
        self.assertEqual(written, "done\r\n")


@unittest.skipIf("MPISIM_TEST_COMPILER" in os.environ, "a sanitizer's library must come first, which mpisim run sees to")
class Native(Case):
    def test_started_directly_is_one_rank(self):
        result = call(program("hello"), "x")
        self.assertEqual((result.status, result.out, result.err), (0, "argument x\nrank 0 of 1 got 0\n", ""))

    def test_status(self):
        self.assertEqual(call(program("fail"), "exit", "3").status, 0)  # only rank 1 fails


if __name__ == "__main__":
    unittest.main()
