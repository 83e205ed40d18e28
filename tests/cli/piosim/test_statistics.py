"""What runs say of files, nodes and disks, against a program whose requests are known by hand; nothing is lost."""
import glob
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from harness import Case, MPISIMCC, WORK, call, run  # noqa: E402

KIB = 1024
SYSTEM = [word for setting in ("io.model=pfs", "nodes.io=2", "io.stripe_unit=64 KiB") for word in ("--set", setting)]
WRITE_BACK = [word for node in ("cnode", "ionode") for setting in ("size=4 MiB", "block=8 KiB", "write=back",
                                                                   "on_write_miss=allocate")
              for word in ("--set", f"io.cache.{node}.{setting}")]

TITLES = ("ranks", "files", "compute nodes", "burst buffers", "I/O nodes", "metadata servers", "disks (node.disk)")
SIZES = ("<1 KiB", "1-4 KiB", "4-16 KiB", "16-64 KiB", "64-256 KiB", "256-1024 KiB", ">=1 MiB")


class Known(Case):
    @classmethod
    def setUpClass(cls):
        cls.program = os.path.join(WORK, "known.sim")
        done = call(MPISIMCC, "-g", "-O1", os.path.join(HERE, "known.c"), "-o", cls.program)
        if done.status != 0:
            raise RuntimeError(str(done))

    def known(self, *options, end="", system=SYSTEM, status=0):
        with tempfile.TemporaryDirectory() as place:
            result = run(2, self.program, *([end] if end else []), machine="sp2", cwd=place,
                         options=["--compute", "off", *system, *options])
            self.assertEqual(result.status, status, str(result))
            content = {}
            for path in glob.glob(os.path.join(place, "*.dat")):
                with open(path, "rb") as file:
                    content[os.path.basename(path)] = file.read()
        return result.data, content

    def whole(self, content):
        a = content["a.dat"]
        self.assertEqual(len(a), 1024 * KIB + 64 * KIB + 16 * KIB)
        for rank, letter in enumerate((b"a", b"b")):
            self.assertEqual(a[rank * 64 * KIB:rank * 64 * KIB + 2048], letter * 2048)
            begin = 1024 * KIB + rank * 64 * KIB
            self.assertEqual(a[begin:begin + 16 * KIB], letter * 16 * KIB)

    def test_counts(self):
        for system in (SYSTEM, []):
            data, content = self.known(system=system)
            self.whole(content)
            self.assertEqual(content["b.dat"], b"a" * 100 * KIB)
            self.assertEqual(data["size_limits"], [2**10, 2**12, 2**14, 2**16, 2**18, 2**20])
            first, second = (rank["io"] for rank in data["per_rank"])
            self.assertEqual(first["requests"], {"reads": 1, "writes": 7, "bytes_read": 8 * KIB,
                                                 "bytes_written": 118 * KIB, "by_size": [4, 0, 3, 0, 1, 0, 0]})
            self.assertEqual(second["requests"], {"reads": 1, "writes": 6, "bytes_read": 8 * KIB,
                                                  "bytes_written": 18 * KIB, "by_size": [4, 0, 3, 0, 0, 0, 0]})
            self.assertEqual((first["seeks"], second["seeks"]), (2, 3))  # the second does not begin at 0
            a, b = data["files"]
            self.assertEqual([os.path.basename(file["path"]) for file in (a, b)], ["a.dat", "b.dat"])
            self.assertEqual((a["ranks"], b["ranks"]), (2, 1))
            self.assertEqual(a["requests"], {"reads": 2, "writes": 12, "bytes_read": 16 * KIB,
                                             "bytes_written": 36 * KIB, "by_size": [8, 0, 6, 0, 0, 0, 0]})
            self.assertEqual(b["requests"], {"reads": 0, "writes": 1, "bytes_read": 0, "bytes_written": 100 * KIB,
                                             "by_size": [0, 0, 0, 0, 1, 0, 0]})
            self.assertEqual((a["seeks"], b["seeks"]), (5, 0))
            self.assertEqual((a["served"]["disk_reads"], a["served"]["disk_writes"]), (2, 12))
            self.assertEqual(b["served"]["disk_writes"], 2 if system else 1)  # in two stripes
            for key, counted in (("disk_reads", "disk_reads"), ("disk_writes", "disk_writes")):
                self.assertEqual(a["served"][key] + b["served"][key], data["io"][counted])
            self.assertEqual(a["seeks"] + b["seeks"], data["io"]["seeks"])

    def test_file_system(self):
        data, _ = self.known()
        system = data["file_system"]
        cnodes, io_nodes = system["cnodes"], system["ionodes"]
        self.assertEqual([cnode["requests"] for cnode in cnodes[:2]],
                         [data["per_rank"][rank]["io"]["requests"] for rank in (0, 1)])
        self.assertEqual(len(io_nodes), 2)
        for node in io_nodes:  # 4 requests of 512 B and 2 of 8 KiB, a read; a part of b.dat: 64 and 36 KiB
            self.assertEqual((node["requests"]["writes"], node["requests"]["reads"]), (7, 1))
            self.assertEqual(node["requests"]["by_size"][:3], [4, 0, 3])
        self.assertEqual(sorted(node["requests"]["bytes_written"] for node in io_nodes), [54 * KIB, 82 * KIB])
        for node in io_nodes:
            self.assertLessEqual(node["utilisation"], 1)
            self.assertEqual(node["served"]["disk_writes"], node["requests"]["writes"])
        self.assertEqual([file["requests"] for file in system["files"]],
                         [file["requests"] for file in data["files"]])
        self.assertEqual((system["invalidated"], system["forwarded"], system["written_back"]), (0, 0, 0))
        disks = data["io"]["disks"]
        self.assertEqual(sum(disk["writes"] for disk in disks), 14)
        self.assertEqual(sum(disk["reads"] for disk in disks), 2)
        self.assertEqual(data["io"]["all_disks"]["requests"], 16)
        self.assertEqual(data["io"]["all_disks"]["utilisation_max"], max(disk["utilisation"] for disk in disks))
        self.assertEqual(data["io"]["all_disks"]["longest_queue"], max(disk["longest_queue"] for disk in disks))

    def tables(self, *options, ranks=2):
        """The tables of the summary: by title the heads, and by name the cells below them; what the JSON says."""
        with tempfile.TemporaryDirectory() as place:
            result = self.succeeds(run(ranks, self.program, machine="sp2", cwd=place,
                                       options=["--compute", "off", *SYSTEM, *options]))
        tables, title = {}, None
        for line in result.err.splitlines():
            cells = re.split(r"  +", line.strip())
            if cells[0] in TITLES:
                title, heads = cells[0], cells[1:]
                tables[title] = {}
            elif title is not None and line.startswith("    "):
                tables[title][cells[0]] = dict(zip(heads, cells[1:], strict=True))
            elif not line.startswith("    "):
                title = None
        return tables, result

    def test_tables_of_the_summary(self):
        tables, result = self.tables("--io-tables", "all")
        data = result.data
        self.assertEqual(list(tables), ["ranks", "files", "compute nodes", "I/O nodes", "disks (node.disk)"])
        for rank in (0, 1):
            requests = data["per_rank"][rank]["io"]["requests"]
            cells = tables["ranks"][str(rank)]
            self.assertEqual(cells["reads"], str(requests["reads"]))
            self.assertEqual(cells["writes"], str(requests["writes"]))
            self.assertEqual(cells["KiB read"], f"{requests['bytes_read'] / KIB:.1f}")
            self.assertEqual(cells["KiB written"], f"{requests['bytes_written'] / KIB:.1f}")
            classes = [cells.get(head, "0") for head in SIZES]
            self.assertEqual(classes, [str(number) for number in requests["by_size"]])
            self.assertEqual(cells["seeks"], str(data["per_rank"][rank]["io"]["seeks"]))
        total = tables["ranks"]["all 2"]
        self.assertEqual((total["reads"], total["writes"], total["KiB written"]), ("2", "13", "136.0"))
        a, b = data["files"]
        self.assertEqual(tables["files"][a["path"]]["writes"], "12")
        self.assertEqual(tables["files"][a["path"]]["ranks"], "2")
        self.assertEqual(tables["files"][b["path"]]["64-256 KiB"], "1")
        self.assertEqual(tables["files"]["all 2"]["writes"], "13")
        for node in data["file_system"]["ionodes"]:
            cells = tables["I/O nodes"][str(node["number"])]
            self.assertEqual(cells["disk writes"], str(node["served"]["disk_writes"]))
            self.assertEqual(cells["busy %"], f"{100 * node['utilisation']:.1f}")
            self.assertEqual(cells["longest queue"], str(node["most_waiting"]))
        for disk in data["io"]["disks"]:
            cells = tables["disks (node.disk)"][f"{disk['io_node']}.{disk['disk']}"]
            self.assertEqual(cells["writes"], str(disk["writes"]))
            self.assertEqual(cells["seeks"], str(disk["seeks"]))
            self.assertEqual(cells["busy %"], f"{100 * disk['utilisation']:.1f}")
            self.assertAlmostEqual(float(cells.get("mean wait ms", "0")), disk["mean_wait_ps"] / 1e9, delta=0.001)
            self.assertAlmostEqual(float(cells.get("mean queue", "0")), disk["mean_queue"], delta=0.005)

    def test_queue_of_all_disks(self):
        """It is the mean of their mean queues."""
        tables, result = self.tables("--io-tables", "all", ranks=9)
        queues = [disk["mean_queue"] for disk in result.data["io"]["disks"]]
        mean = sum(queues) / len(queues)
        self.assertGreater(sum(queues) - mean, 0.02)
        cells = tables["disks (node.disk)"][f"all {len(queues)}"]
        self.assertAlmostEqual(float(cells["mean queue"]), mean, delta=0.005)

    def test_tables_with_caches(self):
        """Hits by level, written-back blocks and invalidations are those of the JSON."""
        tables, result = self.tables("--io-tables", "all", *WRITE_BACK)
        columns = {"own cache": "cnode_hits", "other caches": "remote_hits", "I/O caches": "ionode_hits", "missed": "misses"}
        for node in result.data["file_system"]["cnodes"][:2]:
            cells = tables["compute nodes"][str(node["number"])]
            for head, key in columns.items():
                self.assertEqual(cells.get(head, "0"), str(node["served"][key] + node["background"][key]), head)
            self.assertEqual(cells.get("written back", "0"), str(node["written_back"]))
            self.assertEqual(cells.get("invalidated", "0"), str(node["invalidated"]))
        self.assertGreater(sum(int(line["written back"].replace(",", "")) for name, line in
                               tables["compute nodes"].items() if name.isdigit()), 0)

    def test_long_tables_are_cut(self):
        with tempfile.TemporaryDirectory() as place:
            for words, lines in (((), 5), (("--io-tables", "all"), 9), (("--io-tables", "none"), 0)):
                result = self.succeeds(run(9, self.program, machine="sp2", cwd=place,
                                           options=["--compute", "off", "--hosts", 2, *SYSTEM, *words]))
                ranks = re.search(r"^  ranks  .*\n((?:    .*\n)*)", result.err, re.M)
                rows = ranks.group(1).splitlines() if ranks else []
                self.assertEqual(len([row for row in rows if re.match(r"    \d", row)]), lines, result.err)
                if lines == 5:
                    self.assertIn("    and 4 more: --io-tables all, or `per_rank[].io` in the JSON", rows)
                    self.assertRegex(rows[1], "^    0 ")  # it writes most
                if rows:
                    self.assertRegex(rows[0], "^    all 9 ")

    def test_busy_servers(self):
        """No share of time is larger than the whole."""
        data, _ = self.known("--set", "io.server_overhead=100 ms")
        for node in data["file_system"]["ionodes"]:
            self.assertLessEqual(node["utilisation"], 1)
        self.assertGreater(max(node["utilisation"] for node in data["file_system"]["ionodes"]), 0.1)

    def test_same_on_several_hosts(self):
        one, _ = self.known(*WRITE_BACK)
        two, _ = self.known(*WRITE_BACK, "--hosts", 2)
        for key in ("per_rank", "io"):
            self.assertEqual(one[key], two[key])
        for key in ("cnodes", "ionodes"):
            self.assertEqual(one["file_system"][key], two["file_system"][key])

    def test_write_back_loses_nothing(self):
        for end in ("", "sync", "leave"):
            data, content = self.known(*WRITE_BACK, end=end)
            self.whole(content)
            nodes = data["file_system"]["cnodes"] + data["file_system"]["ionodes"]
            self.assertEqual([node["left_dirty"] for node in nodes], [0] * len(nodes))
            # Of a.dat two blocks of 8 KiB hold the small writes and four the large ones.
            self.assertGreaterEqual(data["file_system"]["written_back"], 6)
            written = sum(disk["bytes_written"] for disk in data["io"]["disks"])
            self.assertGreaterEqual(written, 2 * 2048 + 4 * 8 * KIB + 100 * KIB)

    def test_crash_loses_nothing(self):
        """What a write has returned for is in the file, however the program ends."""
        for end, status in (("abort", 9), ("crash", 4)):
            for hosts in (1, 2):
                _, content = self.known(*WRITE_BACK, "--hosts", hosts, end=end, status=status)
                self.whole(content)
                self.assertNotIn("b.dat", content)


if __name__ == "__main__":
    unittest.main()
