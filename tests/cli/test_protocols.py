"""Every protocol gives the same prediction and output; what is asked of each, and how it says no."""
import os
import unittest

from harness import HERE, Case, WORK, program, run

PREDICTED = ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io")
COUNTED = ["--compute", "counted"]


class Protocols(Case):
    def order(self, name):
        return os.path.join(WORK, name + ".order")

    def same(self, one, other, what):
        for key in PREDICTED:
            self.assertEqual(one.data[key], other.data[key], f"{what} {key}")
        self.assertEqual(one.out, other.out, what)

    def test_same_prediction_under_all(self):
        one = self.succeeds(run(6, "wildcards", options=[*COUNTED, "--order", self.order("w")]))
        self.assertEqual(one.data["sync_rounds"], 0)
        for hosts in (1, 2, 3):
            for protocol in ("null", "conditional", "combined", "quantum", "ideal"):
                if (hosts, protocol) == (3, "null"):
                    continue  # creeps by the latency: minutes where host processes share processors
                for deterministic in ("on", "off"):
                    words = ["--hosts", hosts, "--protocol", protocol, "--deterministic", deterministic]
                    if protocol == "ideal":
                        words += ["--order", self.order("w")]
                    other = self.succeeds(run(6, "wildcards", options=[*COUNTED, *words]))
                    self.same(one, other, words)
                    self.assertTrue(other.data["exact"], words)
                    self.assertEqual(other.data["protocol"], protocol)
                    if protocol == "ideal" or hosts == 1 and protocol == "null":
                        self.assertEqual((other.data["sync_rounds"], other.data["null_messages"]), (0, 0), words)

    def test_recordings_are_the_same_everywhere(self):
        contents = []
        for hosts, protocol in ((1, "sequential"), (2, "combined"), (2, "null")):
            self.succeeds(run(6, "wildcards", options=[*COUNTED, "--hosts", hosts, "--protocol", protocol, "--order",
                                                       self.order("x")]))
            with open(self.order("x"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertEqual(contents[0], contents[2])

    def test_none_simulates_deterministic_programs(self):
        one = self.succeeds(run(5, "hello", options=COUNTED))
        for hosts in (1, 2):
            other = self.succeeds(run(5, "hello", options=[*COUNTED, "--hosts", hosts, "--protocol", "none"]))
            self.same(one, other, hosts)
            result = run(6, "wildcards", options=[*COUNTED, "--hosts", hosts, "--protocol", "none"])
            self.assertEqual((result.status, result.data["exit_reason"]), (2, "bad-input"), str(result))
            self.assertRegex(result.err, r"rank 0 at .*: MPI_Recv at .*wildcards\.c:\d+ .*any rank.* needs synchronisation")

    def test_promised_tags_are_deterministic(self):
        one = self.succeeds(run(5, "promise", options=COUNTED))
        for words in (["--protocol", "none"], ["--hosts", 2, "--protocol", "none"], ["--hosts", 3]):
            other = self.succeeds(run(5, "promise", options=[*COUNTED, *words]))
            self.same(one, other, words)
            self.assertEqual(other.data["sync_rounds"], 0, words)
        self.assertEqual(run(5, "promise", "silent", options=[*COUNTED, "--protocol", "none"]).status, 2)
        with open(os.path.join(HERE, "programs", "promise.c")) as file:
            line = next(number for number, text in enumerate(file, 1) if "MPIX_" in text)
        for words in ([], ["--hosts", 2], ["--hosts", 2, "--partition", "round-robin"], ["--deterministic", "off"]):
            result = run(5, "promise", "broken", options=[*COUNTED, *words])
            self.assertEqual((result.status, result.data["exit_reason"]), (5, "misuse"), str(result))
            self.assertRegex(result.err, rf"rank 0 at .*: MPIX_Mpisim_deterministic \(.*promise\.c:{line}\) promised that tag 2 "
                                         r"comes from one source, but ranks 2 and 3 of the communicator both send it")

    def test_a_long_quantum_is_not_exact(self):
        result = self.succeeds(run(6, "wildcards", options=[*COUNTED, "--hosts", 2, "--protocol", "quantum", "--quantum",
                                                            "1 ms"]))
        self.assertFalse(result.data["exact"])
        self.assertIn("the quantum 1 ms is longer than the least latency", result.err)
        short = self.succeeds(run(6, "wildcards", options=[*COUNTED, "--hosts", 2, "--protocol", "quantum", "--quantum",
                                                           "100 ns"]))
        self.assertTrue(short.data["exact"])

    def test_refusals(self):
        words = ["run", "-n", 4, "-m", "ideal"]
        hello = program("hello")
        self.refuses([*words, "--protocol", "ideal", hello], "--order FILE")
        self.refuses([*words, "--protocol", "ideal", "--order", "none.order", hello], "none.order")
        with open(self.order("text"), "w") as file:
            file.write("not an order")
        self.refuses([*words, "--protocol", "ideal", "--order", self.order("text"), hello], "is no recorded order")
        self.refuses([*words, "--quantum", "1 us", hello], "--quantum needs --protocol quantum")
        self.refuses([*words, "--protocol", "quantum", "--quantum", "1 apple", hello], "--quantum", "apple")
        self.refuses([*words, "--protocol", "quantum", "--quantum", "0 us", hello], "longer than zero")
        self.refuses([*words, "--protocol", "none", "--deterministic", "off", hello], "relies on determinism")
        self.refuses([*words, "--protocol", "sequential", "--hosts", 2, hello], "one host process")
        self.refuses([*words, "--order", "no/such/folder/order", hello], "no/such/folder")

    def test_order_of_another_simulation(self):
        self.succeeds(run(6, "wildcards", options=[*COUNTED, "--order", self.order("other")]))
        result = run(6, "wildcards", options=["--compute", "off", "--protocol", "ideal", "--order", self.order("other")])
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("not of this simulation", result.err)

    def test_order_of_another_simulation_with_several_hosts(self):
        """One host process finds out: the other must not wait for it."""
        self.succeeds(run(6, "wildcards", options=[*COUNTED, "--order", self.order("foreign")]))
        result = run(6, "wildcards", options=["--compute", "off", "--hosts", 2, "--protocol", "ideal", "--order",
                                              self.order("foreign")])
        self.assertEqual(result.status, 2, str(result))
        self.assertRegex(result.err, "host process [01]: .*not of this simulation")

    def test_no_order_of_a_run_that_was_ended(self):
        run(2, "fail", "abort", 3, options=[*COUNTED, "--order", self.order("ended")])
        self.assertFalse(os.path.exists(self.order("ended")))


if __name__ == "__main__":
    unittest.main()
