"""--profile and --partition graph: the same prediction with any partition, what is told about it, what is refused."""
import os
import unittest

from harness import Case, WORK, program, run

PREDICTED = ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io")
COUNTED = ["--compute", "counted"]


class Partition(Case):
    def profile(self, name):
        return os.path.join(WORK, name + ".profile")

    def record(self, name, ranks, program_name, *options, machine="sp2"):
        return self.succeeds(run(ranks, program_name, machine=machine,
                                 options=[*COUNTED, "--profile", self.profile(name), *options]))

    def graph(self, name, ranks, program_name, hosts, *options, machine="sp2"):
        return self.succeeds(run(ranks, program_name, machine=machine,
                                 options=[*COUNTED, "--hosts", hosts, "--partition", "graph", "--profile",
                                          self.profile(name), *options]))

    def same(self, one, other, what):
        for key in PREDICTED:
            self.assertEqual(one.data[key], other.data[key], f"{what} {key}")
        self.assertEqual(one.out, other.out, what)

    def rewrite(self, name, change):
        """Changes lines of a profile: change(words) returns new words."""
        with open(self.profile(name)) as file:
            lines = [change(line.split()) for line in file]
        with open(self.profile(name), "w") as file:
            file.writelines(" ".join(words) + "\n" for words in lines)

    def test_same_prediction(self):
        one = self.record("same", 7, "wildcards")
        for hosts in (1, 2, 3):
            for options in ([], ["--deterministic", "off"], ["--protocol", "conditional"]):
                other = self.graph("same", 7, "wildcards", hosts, *options)
                self.same(one, other, (hosts, options))
                self.assertEqual(other.data["partition"]["kind"], "graph")

    def test_recording_changes_nothing(self):
        plain = self.succeeds(run(6, "phases", options=COUNTED))
        for options in ([], ["--hosts", 2], ["--hosts", 3, "--partition", "round-robin"]):
            self.same(plain, self.record("record", 6, "phases", *options), options)
            with open(self.profile("record")) as file:
                lines = file.read().splitlines()
            self.assertEqual(lines[:3], ["mpisim-profile 1", "processes 6", "lps 7"])
            traffic = [line for line in lines if line.startswith("traffic ")]
            if options == []:
                first = traffic
            self.assertEqual(traffic, first, "what is sent depends on nothing but the program")
            self.assertFalse(os.path.exists(self.profile("record") + ".part"))

    def test_what_is_told(self):
        """A skewed load, as a profile tells it: block gives it to one host process, graph to all."""
        self.record("skewed", 8, "phases")
        self.rewrite("skewed", lambda words: [*words[:2], "9000000" if int(words[1]) < 4 else "1000"]
                     if words[0] == "load" else words)
        result = self.graph("skewed", 8, "phases", 2)
        partition = result.data["partition"]
        self.assertAlmostEqual(partition["block"]["imbalance"], 2, places=2)
        self.assertLess(partition["imbalance"], 1.06)
        self.assertGreater(partition["cut_events"], 0)
        self.assertGreater(partition["round_robin"]["cut_bytes"], partition["round_robin"]["cut_events"])
        self.assertRegex(result.err, r"partition +graph: [\d,]+ events and .* between host processes, imbalance 1\.0")
        self.assertRegex(result.err, r"\n +block +[\d,]+ events and .*, imbalance 2\.0")
        self.assertRegex(result.err, r"\n +round-robin +[\d,]+ events and ")
        # Every event that the cut promises is sent between host processes. The rest is of communicators.
        self.assertGreaterEqual(result.data["synchronisation"]["remote_events"], partition["cut_events"])

    def test_traffic_counts(self):
        """Heavy pairs (0, 4), (1, 5), ... stay together, which neither block nor round-robin with 3 does."""
        self.record("pairs", 8, "phases")
        with open(self.profile("pairs")) as file:
            lines = [line for line in file if not line.startswith(("traffic", "end", "load"))]
        lines += [f"load {lp} {1000000 if lp < 8 else 0}\n" for lp in range(9)]
        lines += [f"traffic {lp} {lp + 4} 1000 100000\n" for lp in range(4)]
        with open(self.profile("pairs"), "w") as file:
            file.writelines([*lines, "end 4\n"])
        partition = self.graph("pairs", 8, "phases", 2).data["partition"]
        self.assertEqual((partition["cut_events"], partition["imbalance"]), (0, 1))
        self.assertEqual(partition["block"]["cut_events"], 4000)

    def test_the_file_system_takes_part(self):
        options = ["--set", "placement.ranks_per_node=2"]
        one = self.record("files", 8, "filewrite", *options, machine="paragon")
        with open(self.profile("files")) as file:
            lines = file.read().splitlines()
        lps = int(lines[2].split()[1])
        self.assertGreater(lps, 8 + 4, "ranks, clients of their nodes, I/O nodes and disks")
        ends = {int(word) for line in lines if line.startswith("traffic ") for word in line.split()[1:3]}
        self.assertTrue(any(lp >= 8 + 4 for lp in ends), "requests reach the I/O nodes")
        for hosts in (2, 3):
            other = self.graph("files", 8, "filewrite", hosts, *options, machine="paragon")
            self.same(one, other, hosts)
        result = run(8, "filewrite", machine="paragon",
                     options=[*COUNTED, "--hosts", 2, "--partition", "graph", "--profile", self.profile("files"), *options,
                              "--set", "io.model=disk"])
        self.assertEqual(result.status, 2, str(result))
        self.assertEqual(result.err.count("is of a machine whose file system has"), 1, str(result))

    def test_refusals(self):
        hello = program("hello")
        words = ["run", "-n", 4, "-m", "ideal", "--partition", "graph"]
        self.refuses([*words, hello], "--partition graph needs --profile FILE")
        self.refuses([*words, "--profile", "no.profile", hello], "--profile", "no.profile")
        self.refuses(["run", "-n", 4, "-m", "ideal", "--profile", "no/such/folder/p", hello], "no/such/folder")
        for text, reason in (("", "is no profile"), ("not a profile\n", "is no profile"),
                             ("mpisim-profile 99\n", "is a profile of version 99, but this mpisim reads version 1"),
                             ("mpisim-profile 1\nprocesses 4\nlps 4\nload 0 x\n", ":4: `x` is no whole number"),
                             ("mpisim-profile 1\nprocesses 4\nlps 4\nload 0 1\n", ":4: the file ends too early")):
            with open(self.profile("bad"), "w") as file:
                file.write(text)
            self.refuses([*words, "--profile", self.profile("bad"), hello], self.profile("bad"), reason)
        self.record("other", 5, "hello")
        for hosts in (1, 2):
            self.refuses([*words, "--hosts", hosts, "--profile", self.profile("other"), hello],
                         "is of a run with 5 ranks, but this one has 4", "-n 4")

    def test_a_failed_run_leaves_no_old_profile(self):
        self.record("old", 4, "hello")
        result = run(4, "fail", "segfault", options=["--compute", "off", "--profile", self.profile("old")])
        self.assertEqual(result.status, 4, str(result))
        self.assertFalse(os.path.exists(self.profile("old")))


if __name__ == "__main__":
    unittest.main()
