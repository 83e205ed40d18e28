"""mpisim sweep: combinations, folders, resumption, failing points, plots, and faults of a study."""
import csv
import json
import os
import statistics
import unittest
import xml.etree.ElementTree

from harness import WORK, Case, mpisim, program


class Sweep(Case):
    def study(self, name, text):
        path = os.path.join(WORK, name + ".yaml")
        with open(path, "w") as file:
            file.write(text)
        return path

    def good(self, name, extra=""):
        output = os.path.join(WORK, name)
        return output, self.study(name, f"""program: {{command: "{program('phases')}", ranks: [2, 3]}}
machine: cluster
vary: {{mpi.send_overhead: [1 us, 10 us], placement.ranks_per_node: [1, 2]}}
options: {{compute: "off"}}
output: {output}
plots: [{{x: mpi.send_overhead, y: predicted_time_s, series: ranks}}]
{extra}""")

    def rows(self, output):
        with open(os.path.join(output, "results.csv")) as file:
            return list(csv.DictReader(file))

    def test_every_combination_with_its_prediction(self):
        output, study = self.good("all")
        self.succeeds(mpisim("sweep", study))
        rows = self.rows(output)
        self.assertEqual([(r["ranks"], r["mpi.send_overhead"], r["placement.ranks_per_node"]) for r in rows],
                         [(n, o, p) for n in "23" for o in ("1 us", "10 us") for p in "12"])
        by_hand = self.succeeds(mpisim("run", "-n", 3, "-m", "cluster", "--set", "mpi.send_overhead=10 us", "--set",
                                       "placement.ranks_per_node=2", "--compute", "off", "--json", "/dev/stdout",
                                       "--quiet", program("phases")))
        prediction = json.loads(by_hand.out[by_hand.out.index("{"):])["predicted_time_ps"]
        self.assertEqual(int(rows[-1]["predicted_time_ps"]), prediction)
        with open(os.path.join(output, "results.json")) as file:
            self.assertEqual(len(json.load(file)["points"]), 8)
        svg = xml.etree.ElementTree.parse(os.path.join(output, "predicted_time_s-over-mpi.send_overhead.svg"))
        words = "".join(svg.getroot().itertext())
        for label in ("predicted time (µs)", "mpi.send_overhead, logarithmic scale", "ranks", "10 us",
                      "Each mark is the mean of 2 points over placement.ranks_per_node (1, 2)."):
            self.assertIn(label, words)

    def test_series_differ_without_colours(self):
        output = os.path.join(WORK, "many")
        study = self.study("many", f"""program: {{command: "{program('phases')}", ranks: [1, 2, 3, 4, 5, 6]}}
machine: cluster
vary: {{mpi.send_overhead: [1 us, 10 us]}}
options: {{compute: "off"}}
output: {output}
plots: [{{x: mpi.send_overhead, y: predicted_time_s, series: ranks}}]
""")
        self.succeeds(mpisim("sweep", study))
        svg = xml.etree.ElementTree.parse(os.path.join(output, "predicted_time_s-over-mpi.send_overhead.svg"))
        elements = list(svg.getroot())
        looks = set()
        for line, marker in zip(elements, elements[1:]):
            if line.tag.endswith("line") and "stroke-dasharray" in line.attrib:  # of the legend
                shape = marker.attrib.get("d", "").lstrip("M0123456789. ")
                looks.add((line.attrib["stroke-dasharray"], marker.tag, shape))
        self.assertEqual(len(looks), 6)

    def test_finished_points_are_not_run_again_and_changed_ones_are(self):
        output, study = self.good("resumed")
        self.succeeds(mpisim("sweep", study))
        marks = {n: os.stat(os.path.join(output, "points", str(n), "result.json")).st_mtime_ns for n in range(1, 9)}
        os.remove(os.path.join(output, "points", "5", "point.json"))  # as if it had been interrupted
        again = self.succeeds(mpisim("sweep", study))
        self.assertIn("7 of 8 points were finished before", again.err)
        for n, mark in marks.items():
            now = os.stat(os.path.join(output, "points", str(n), "result.json")).st_mtime_ns
            self.assertEqual(now != mark, n == 5, f"point {n}")

    def test_dry_run_lists_and_runs_nothing(self):
        output, study = self.good("dry")
        listed = self.succeeds(mpisim("sweep", study, "--dry-run"))
        self.assertEqual(listed.out.count("mpisim run"), 8)
        self.assertFalse(os.path.exists(output))

    def test_a_failing_point_fails_the_sweep_at_its_end(self):
        output = os.path.join(WORK, "failing")
        study = self.study("failing", f"""program: {{command: "{program('fail')}", ranks: 2}}
machine: sp2
vary: {{program.arguments: [fine, deadlock]}}
output: {output}
""")
        result = mpisim("sweep", study)
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("point 2 (ranks=2 program.arguments=deadlock) failed with exit status 3", result.err)
        self.assertEqual([r["exit_code"] for r in self.rows(output)], ["0", "3"])

    def test_a_point_that_cannot_run_is_skipped_and_the_others_run(self):
        output = os.path.join(WORK, "skipping")
        study = self.study("skipping", f"""program: {{command: "{program('phases')}", ranks: [2, 57, 3]}}
machine: paragon
vary: {{nodes.io: [1, 99]}}
options: {{compute: "off"}}
output: {output}
plots: [{{x: ranks, y: predicted_time_s, y_scale: log, title: "{'long ' * 40}title"}}]
""")
        listed = mpisim("sweep", study, "--dry-run")
        self.assertEqual(listed.status, 1, str(listed))
        self.assertEqual((listed.out.count("mpisim run"), listed.out.count("cannot run:")), (2, 4))
        result = mpisim("sweep", study)
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("ranks=57 nodes.io=1: skipped: paragon-xps: has 56 compute nodes", result.err)
        self.assertIn("4 of 6 points skipped", result.err)
        rows = self.rows(output)
        self.assertEqual([r["status"] for r in rows],
                         ["finished", "skipped", "skipped", "skipped", "finished", "skipped"])
        self.assertIn("too small for 57 ranks: use at most 56 ranks", rows[2]["reason"])
        self.assertIn("network", rows[1]["reason"])
        self.assertEqual((rows[2]["exit_code"], rows[2]["predicted_time_s"], rows[0]["reason"]), ("2", "", ""))
        with open(os.path.join(output, "results.json")) as file:
            self.assertEqual(json.load(file)["points"][2]["reason"], rows[2]["reason"])
        self.assertEqual(sorted(os.listdir(os.path.join(output, "points"))), ["1", "5"])
        words = self.words(output, "predicted_time_s-over-ranks.svg")
        self.assertIn("Left out: 4 of 6 points, skipped.", words)
        self.assertIn("predicted time (µs), logarithmic scale", words)
        self.assertEqual(" ".join(words).count("long"), 40)

    def words(self, output, name):
        svg = xml.etree.ElementTree.parse(os.path.join(output, name))
        return [e.text for e in svg.getroot().iter() if e.tag.endswith("text")]

    def test_repetitions_have_mean_and_spread(self):
        output = os.path.join(WORK, "repeated")
        text = f"""program: {{command: "{program('phases')}", ranks: [2, 3]}}
machine: cluster
options: {{compute: measured}}
output: {output}
plots: [{{x: ranks, y: predicted_time_s}}]
"""
        self.succeeds(mpisim("sweep", self.study("repeated", text)))
        first = os.stat(os.path.join(output, "points", "1", "result.json")).st_mtime_ns
        again = self.succeeds(mpisim("sweep", self.study("repeated", text + "repeat: 3\n")))
        self.assertIn("2 of 6 runs were finished before", again.err)
        self.assertEqual(os.stat(os.path.join(output, "points", "1", "result.json")).st_mtime_ns, first)
        for number, row in enumerate(self.rows(output), 1):
            times = []
            for folder in (f"{number}", f"{number}.2", f"{number}.3"):
                with open(os.path.join(output, "points", folder, "result.json")) as file:
                    times.append(json.load(file)["predicted_time_s"])
            self.assertEqual(row["repetitions"], "3")
            self.assertAlmostEqual(float(row["predicted_time_s"]), statistics.mean(times))
            self.assertAlmostEqual(float(row["predicted_time_s_sd"]), statistics.stdev(times))
            self.assertEqual([float(row["predicted_time_s_min"]), float(row["predicted_time_s_max"])],
                             [min(times), max(times)])
        svg = xml.etree.ElementTree.parse(os.path.join(output, "predicted_time_s-over-ranks.svg"))
        self.assertEqual(sum(e.attrib.get("class") == "bar" for e in svg.getroot().iter()), 2)
        self.assertIn("Marks are means of 3 repetitions, bars reach from the least to the largest.",
                      self.words(output, "predicted_time_s-over-ranks.svg"))

    def test_repetitions_that_cannot_differ_are_told(self):
        output, study = self.good("same", "repeat: 2")
        self.assertIn("with --compute off all repetitions predict the same time",
                      self.succeeds(mpisim("sweep", study)).err)
        self.assertEqual({r["predicted_time_ps_sd"] for r in self.rows(output)}, {"0.0"})

    def test_an_input_named_like_the_output_is_not_written(self):
        data = os.path.join(WORK, "output.txt")
        with open(data, "w") as file:
            file.write("data")
        output, study = self.good("kept", f"inputs: [{data}]")
        result = mpisim("sweep", study)
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("output.txt and errors.txt of a point: Too many levels of symbolic links", result.err)
        self.assertEqual([r["exit_code"] for r in self.rows(output)], ["6"] * 8)
        with open(data) as file:
            self.assertEqual(file.read(), "data")

    def test_inputs_are_linked(self):
        data = os.path.join(WORK, "input.dat")
        with open(data, "w") as file:
            file.write("data")
        output, study = self.good("inputs", f"inputs: [{data}]")
        self.succeeds(mpisim("sweep", study))
        with open(os.path.join(output, "points", "3", "input.dat")) as file:
            self.assertEqual(file.read(), "data")

    def test_faults_name_line_and_mend(self):
        good = f"program: {{command: {program('phases')}, ranks: 2}}\nmachine: sp2\noutput: {WORK}/none\n"
        for text, *expected in (
                (good + "vari: {}\n", "bad.yaml:4:1: unknown key 'vari'", "vary"),
                (good + "vary: {nodes.compute: []}\n", "bad.yaml:4", "no values for 'nodes.compute'"),
                (good + "vary: {mpi.eager_limt: [1 KiB]}\n", "mpi.eager_limt", "eager_limit"),
                (good + "plots: [{x: nodes.io, y: predicted_time_s}]\n", "bad.yaml:4", "'nodes.io' is not varied"),
                (good + "plots: [{x: ranks, y: predicted}]\n", "no result 'predicted'"),
                (good + "plots: [{x: ranks, y: messages, y_scale: decibel}]\n", "bad.yaml:4", "neither linear nor log"),
                (good + "repeat: often\n", "bad.yaml:4:9: repeat", "a whole number from 1 to 1000"),
                (good.replace("ranks: 2", "ranks: [1000, 2000]").replace("sp2", "paragon"), "too small for 1000 ranks",
                 "too small for 2000 ranks"),
                (good + "options: {computer: off}\n", "unknown key 'computer'", "compute"),
                (good.replace("ranks: 2", "ranks: none"), "bad.yaml:1", "'none' is no number of ranks"),
                (good.replace("machine: sp2", "machine: nowhere"), "bad.yaml:2", "there is no machine 'nowhere'"),
                (good.replace(program("phases"), "./nothing.sim"), "bad.yaml:1", "'./nothing.sim'"),
                ("[unclosed", "bad.yaml:1"), (good.replace("output", "#"), "`output` is missing")):
            self.refuses(["sweep", self.study("bad", text)], *expected)
        self.refuses(["sweep", "nowhere.yaml"], "nowhere.yaml")
        self.refuses(["sweep", self.study("jobs", good), "--jobs", "0"], "jobs")


if __name__ == "__main__":
    unittest.main()
