"""Programs with MPI-IO: real files, times and statistics, the same on several host processes; failures are told."""
import hashlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from harness import Case, LIMIT, MPISIM, MPISIMCC, ROOT, Result, WORK, call, run  # noqa: E402

PREDICTED = ("predicted_time_ps", "messages", "bytes", "breakdown", "per_rank", "io")


# What refusals.c says where nothing is wrong with us.
REFUSALS = {
    "missing directory": "MPI_ERR_NO_SUCH_FILE",
    "missing file": "MPI_ERR_NO_SUCH_FILE",
    "two accesses": "MPI_ERR_AMODE",
    "no access": "MPI_ERR_AMODE",
    "create and read only": "MPI_ERR_AMODE",
    "sequential and both": "MPI_ERR_AMODE",
    "exclusive and there": "MPI_ERR_FILE_EXISTS",
    "read-only file": "MPI_ERR_ACCESS",
    "read-only file to read": "MPI_SUCCESS",
    "writing what is open to read": "MPI_ERR_READ_ONLY",
    "together": "MPI_ERR_READ_ONLY",
    "reading what is open to write": "MPI_ERR_ACCESS",
    "shorter than the view": "MPI_SUCCESS",
    "shorter than the view, together": "MPI_SUCCESS",
    "full disk": "MPI_ERR_NO_SPACE",
    "full disk, together": "MPI_ERR_NO_SPACE",
}
REFUSAL_MESSAGES = (
    'none/new.dat": No such file or directory [MPI_ERR_NO_SUCH_FILE',
    "amode must have one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR",
    "MPI_MODE_RDONLY cannot go with MPI_MODE_CREATE",
    'short.dat" was opened with MPI_MODE_RDONLY [MPI_ERR_READ_ONLY',
    '0 of 5000 bytes written to file "/dev/full": No space left on device [MPI_ERR_NO_SPACE',
    "3 ranks (rank 0 and others) in MPI_File_write_at (",
)
SAME_UNDER_OPEN_MPI = ("missing directory", "missing file", "two accesses", "no access", "create and read only",
                       "sequential and both", "exclusive and there", "read-only file", "read-only file to read",
                       "writing what is open to read", "shorter than the view")


# What chapter.c prints, by part.
CHAPTER = {
    "shared": ["write_shared: 1 2 3", "get_position_shared: 6 6 6", "read_shared: 2 2 2", "seek_shared to the end: 6 6 6",
               "the individual pointer: 0 0 0", "shared: abbccc"],
    "ordered": ["write_ordered: 3 2 1", "write_ordered_end: 1 1 1", "read_ordered: 97097 98098 99097",
                "read_ordered_end: 98 99 99", "ordered: aaabbcabc"],
    "nonblocking": ["position behind iwrite: 3 3 3", "iwrite: 3 3 3", "iwrite_at: 2 2 2", "iwrite_at_all: 1 1 1",
                    "iread_at: 5065 5066 5067", "iread: 65097 66098 67099", "iread_at_all: 97065 98066 99067",
                    "nonblocking: abcABCabcabcABCabcABC"],
    "split": ["write_all_end: 3 3 3", "write_at_all_end: 2 2 2", "a second split collective: MPI_ERR_IO",
              "read_all_end: 97065 98066 99067", "an end without a beginning: MPI_ERR_IO",
              "read_at_all_end: 65097 66098 67099", "split: abcabcABCabcabc"],
    "atomic": ["atomicity: 0 0 0", "atomicity that was set: 1 1 1", "bytes of other writes: 0 0 0"],
    "sizes": ["set_size: 100 100 100", "preallocate less: 100 100 100", "preallocate more: 200 200 200",
              "get_amode: 1 1 1", "get_group: 1 1 1", "a closed file: 1 1 1", "exclusive and there: MPI_ERR_FILE_EXISTS",
              "append: 200 200 200", "delete on close: no file", "delete: no file",
              "delete what is not there: MPI_ERR_NO_SUCH_FILE"],
    "views": ["get_byte_offset: 124 124 124", "get_byte_offset in the next tile: 152 152 152",
              "get_view: 100024 100024 100024", "representation: native", "get_type_extent: 48 48 48",
              "an unknown representation: MPI_ERR_UNSUPPORTED_DATAREP", "a current displacement: MPI_ERR_ARG",
              "a negative displacement: MPI_ERR_ARG", "a negative count: MPI_ERR_COUNT", "a negative offset: MPI_ERR_ARG",
              "part of an etype: MPI_ERR_IO"],
    "handlers": ["the default handler: 1 1 1", "the default handler that was set: MPI_ERR_NO_SUCH_FILE",
                 "the file's handler: MPI_ERR_ACCESS", "call_errhandler: 1 1 1"],
}


def ordinary_user():
    """Whom root can become to be refused something; None if we are not root, or cannot."""
    if os.geteuid() != 0:
        return None
    os.chmod(WORK, 0o755)
    try:
        done = subprocess.run([MPISIM, "--version"], user=65534, group=65534, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return 65534 if done.returncode == 0 else None


def limited(words, user=None, file_size=None):
    """Calls a command as another user or where no file may be larger than `file_size` bytes."""
    def set_limit():
        if file_size is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    other = {} if user is None else {"user": user, "group": user}
    done = subprocess.run([str(w) for w in words], cwd=WORK, capture_output=True, text=True, errors="replace",
                          timeout=LIMIT, stdin=subprocess.DEVNULL, preexec_fn=set_limit, **other)
    return Result(done.returncode, done.stdout, done.stderr)


def compiled(name, *options):
    output = os.path.join(WORK, name + ".sim")
    done = call(MPISIMCC, "-g", "-O1", *options, os.path.join(HERE, name + ".c"), "-o", output)
    return output, done


class Files(Case):
    def matrix(self, ranks, *options, machine="sp2"):
        program, _ = compiled("matrix")
        with tempfile.TemporaryDirectory() as place:
            result = self.succeeds(run(ranks, program, place, machine=machine,
                                       options=["--compute", "counted", *options]))
            self.assertEqual(result.out, "matrix ok\n")
            with open(os.path.join(place, "matrix.dat"), "rb") as file:
                result.content = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(result.data["io"]["bytes_written"], 12 * 5 * ranks * 8)
        self.assertGreater(result.data["breakdown"]["io_ps"]["min"], 0)
        return result

    def test_same_everywhere(self):
        for ranks in (1, 5):
            contents = set()
            for machine in ("sp2", "paragon"):
                for collective in ("barrier", "two-phase"):
                    options = ("--set", f"io.collective={collective}")
                    one = self.matrix(ranks, *options, machine=machine)
                    contents.add(one.content)
                    if ranks == 1:
                        continue
                    two = self.matrix(ranks, "--hosts", 2, *options, machine=machine)
                    contents.add(two.content)
                    for key in PREDICTED:
                        self.assertEqual(one.data[key], two.data[key], f"{machine} {collective} {key}")
            self.assertEqual(len(contents), 1)

    def test_disk_of_the_machine_counts(self):
        slow = self.matrix(4, "--set", "io.disk.latency=100 ms")
        fast = self.matrix(4, "--set", "io.disk.latency=1 ms")
        self.assertGreater(slow.data["predicted_time_ps"], fast.data["predicted_time_ps"])
        self.assertEqual(slow.data["io"], fast.data["io"])

    def test_missing_directory(self):
        program, done = compiled("absent")
        self.succeeds(done)
        result = self.succeeds(run(3, program))
        self.assertEqual(result.out, "absent\n")
        self.assertIn("none/absent.dat", result.err)
        self.assertIn("MPI_ERR_NO_SUCH_FILE", result.err)

    def example(self, name):
        program = os.path.join(WORK, name + ".sim")
        self.succeeds(call(MPISIMCC, "-O1", os.path.join(ROOT, "examples", name, name + ".c"), "-o", program, "-lm"))
        return program

    def test_refusals(self):
        """MPI's error class on all ranks, a message, and nothing is created or changed."""
        program, done = compiled("refusals")
        self.succeeds(done)
        expected = dict(REFUSALS)
        user = ordinary_user()
        stays_root = os.geteuid() == 0 and user is None
        if stays_root:  # who may write what is read-only
            expected["read-only file"] = "MPI_SUCCESS"
        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, "short.dat"), "wb") as file:
                file.write(struct.pack("20i", *range(20)))
            with open(os.path.join(place, "readonly.dat"), "wb") as file:
                file.write(b"as it was")
            os.chmod(place, 0o777)
            os.chmod(os.path.join(place, "short.dat"), 0o666)
            os.chmod(os.path.join(place, "readonly.dat"), 0o444)
            for options in ([], ["--set", "io.collective=barrier"], ["--hosts", "2"]):
                result = self.succeeds(limited([MPISIM, "run", "-n", "3", "-m", "sp2", "--compute", "off", *options,
                                                program, place, "/dev/full"], user=user))
                self.assertEqual(dict(line.split(": ") for line in result.out.splitlines()), expected, str(result))
                for message in REFUSAL_MESSAGES:
                    self.assertIn(message, result.err)
            native = os.path.join(WORK, "refusals.native")
            if shutil.which("mpicc") and shutil.which("mpirun"):  # which takes full disks and some others for successes
                self.succeeds(call("mpicc", os.path.join(HERE, "refusals.c"), "-o", native))
                result = self.succeeds(limited(["mpirun", "--oversubscribe", *(["--allow-run-as-root"] if stays_root else []),
                                                "-n", "3", native, place, "/dev/full"], user=user))
                found = dict(line.split(": ") for line in result.out.splitlines())
                for case in SAME_UNDER_OPEN_MPI:
                    self.assertEqual(found[case], expected[case], case)
            self.assertEqual(sorted(os.listdir(place)), ["readonly.dat", "short.dat"])
            with open(os.path.join(place, "short.dat"), "rb") as file:
                self.assertEqual(file.read(), struct.pack("20i", *range(20)))
            with open(os.path.join(place, "readonly.dat"), "rb") as file:
                self.assertEqual(file.read(), b"as it was")

    def test_full_disk_in_the_middle(self):
        """A checkpoint of 512 KiB where files may have 64 KiB: the program is told, ends in order, and leaves no part."""
        program = self.example("heat2d")
        for collective in ("two-phase", "barrier"):
            with tempfile.TemporaryDirectory() as place:
                report = os.path.join(place, "report.json")
                result = limited([MPISIM, "run", "-n", "4", "-m", "sp2", "--compute", "off", "--set",
                                  f"io.collective={collective}", "--json", report, program, "256", "4", "--checkpoint", "2",
                                  "--prefix", os.path.join(place, "h")], file_size=65536)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn("h-2.ckpt: MPI_ERR_NO_SPACE: no space left", result.err)
                self.assertIn("File too large [MPI_ERR_NO_SPACE", result.err)
                with open(report) as file:
                    self.assertEqual(json.load(file)["exit_code"], 2)
                self.assertEqual(os.listdir(place), ["report.json"])

    def test_full_disk_for_results(self):
        """Results are whole or not there."""
        program, _ = compiled("absent")
        with tempfile.TemporaryDirectory() as place:
            report = os.path.join(place, "report.json")
            for hosts in (1, 2):
                result = call(MPISIM, "run", "-n", 2, "-m", "sp2", "--json", "/dev/full", "--hosts", hosts, program)
                self.assertEqual(result.status, 0, str(result))
                self.assertIn("cannot write /dev/full: No space left on device", result.err)
                with open("/dev/full", "w") as full:
                    done = subprocess.run([MPISIM, "run", "-n", "2", "-m", "sp2", "--hosts", str(hosts), program],
                                          cwd=WORK, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT,
                                          stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertEqual(done.stderr.count("cannot write to standard output: No space left on device"), 1)
                self.assertNotIn("predicted time", done.stderr)
            result = limited([MPISIM, "run", "-n", "2", "-m", "sp2", "--json", report, program], file_size=500)
            self.assertEqual(result.status, 0, str(result))
            self.assertIn(f"cannot write {report}: File too large", result.err)
            self.assertEqual(os.listdir(place), [])

            study = os.path.join(place, "study.yaml")
            with open(study, "w") as file:
                file.write(f'program: {{command: "{program}", ranks: [1, 2]}}\nmachine: sp2\noutput: {place}/out\n')
            result = limited([MPISIM, "sweep", study], file_size=500)
            self.assertNotEqual(result.status, 0, str(result))
            self.assertIn("File too large", result.err)
            left = [name for _, _, names in os.walk(os.path.join(place, "out")) for name in names]
            self.assertFalse([name for name in left if name.endswith(".json") or ".tmp" in name], left)

    def test_what_is_missing_fails_at_link(self):
        _, done = compiled("absent", "-DPORT")
        self.assertNotEqual(done.status, 0)
        self.assertIn("MPI_Open_port", done.err)

    def test_chapter(self):
        """MPI-IO call by call: what each gives, on every host count and file system, and under Open MPI."""
        program, done = compiled("chapter")
        self.succeeds(done)

        def chapter(*options, machine="sp2"):
            with tempfile.TemporaryDirectory() as place:
                result = self.succeeds(run(3, program, place, machine=machine, options=["--compute", "off", *options]))
            return result

        expected = "".join(line + "\n" for part in CHAPTER.values() for line in part)
        for machine, options in (("sp2", []), ("paragon", []), ("sp2", ["--set", "io.collective=barrier"])):
            one = chapter(*options, machine=machine)
            self.assertEqual(one.out, expected)
            for hosts in (2, 3):
                other = chapter(*options, "--hosts", hosts, machine=machine)
                self.assertEqual(other.out, expected)
                for key in PREDICTED:
                    self.assertEqual(one.data[key], other.data[key], f"{machine} {options} {hosts} hosts: {key}")
        if not (shutil.which("mpicc") and shutil.which("mpirun") and shutil.which("ompi_info")):
            return
        native = os.path.join(WORK, "chapter.native")
        self.succeeds(call("mpicc", os.path.join(HERE, "chapter.c"), "-o", native))
        known = call("ompi_info", "--parsable").out
        romio = next((line.split(":")[2] for line in known.splitlines() if line.startswith("mca:io:romio")), None)
        # What each of Open MPI's two implementations can do without hanging or crashing.
        for component, parts in (("ompio", ("shared", "nonblocking", "atomic", "sizes", "handlers")),
                                 (romio, ("shared", "ordered", "split", "atomic", "sizes", "views", "handlers"))):
            if component is None:
                continue
            with tempfile.TemporaryDirectory() as place:
                root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
                result = self.succeeds(call("mpirun", "--oversubscribe", *root, "--mca", "io", component, "-n", "3",
                                            native, place, *parts))
            self.assertEqual(result.out, "".join(line + "\n" for part in parts for line in CHAPTER[part]), component)

    def test_lengths(self):
        """POSIX and stdio calls see, and leave, the same lengths of open files with data and without, on every host count."""
        program, _ = compiled("lengths")
        for seed in range(1, 7):
            seen = {}
            for data, hosts in (("real", 1), ("none", 1), ("none", 2), ("none", 3)):
                with tempfile.TemporaryDirectory() as place:
                    result = self.succeeds(run(3, program, place, seed, options=[
                        "--compute", "off", "--hosts", hosts, "--set", f"io.data={data}"]))
                    seen[data, hosts] = result.out
            lines = seen["real", 1].splitlines()
            self.assertEqual(len(lines), 41)
            for line in lines[:-1]:
                looked, of = (int(word) for word in re.search(r": (\d+) of (\d+),", line).groups())
                self.assertEqual(looked, of, line)
            for key, out in seen.items():
                self.assertEqual(out, seen["real", 1], f"seed {seed}, {key}")

    def test_a_length_that_the_host_refuses(self):
        program, done = compiled("refused_length")
        self.succeeds(done)
        for limit in (None, 2_000_000):
            with tempfile.TemporaryDirectory() as place:
                result = limited([MPISIM, "run", "-n", 1, "-m", "sp2", "--compute", "off", "--quiet", "--set", "io.data=none",
                                  program, place], file_size=limit)
                self.assertEqual((result.status, result.out.splitlines()), (0, [
                    "longer than the host allows: 3000000", "truncate: 0", "shortened by the program: 1000",
                    "and written behind that: 1010", "truncate: 0", "emptied by the program: 0"]), f"limit {limit}: {result}")

    def test_atomic_mode_needs_synchronisation(self):
        program, _ = compiled("chapter")
        with tempfile.TemporaryDirectory() as place:
            result = run(3, program, place, "atomic", options=["--compute", "off", "--protocol", "none"])
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("shared file pointers, files in atomic mode, and names of files that are created or deleted serve requests "
                          "in the order of time", result.err)
            self.assertEqual(run(3, program, place, "sizes", options=["--compute", "off", "--protocol", "none"]).status, 2)
            self.succeeds(run(3, program, place, "views", options=["--compute", "off", "--protocol", "none"]))

    def test_parallel_file_system_on_several_host_processes(self):
        one = self.matrix(6, "--set", "placement.ranks_per_node=2", machine="paragon")
        self.assertGreater(one.data["io"]["disk_writes"], 0)
        self.assertGreater(one.data["io"]["disk_reads"], 0)
        self.assertGreater(one.data["io"]["disk_seeks"], 0)
        for hosts, partition, deterministic in ((2, "round-robin", "on"), (3, "block", "off"), (4, "block", "on")):
            other = self.matrix(6, "--set", "placement.ranks_per_node=2", "--hosts", hosts, "--partition", partition,
                                "--deterministic", deterministic, machine="paragon")
            for key in PREDICTED:
                self.assertEqual(one.data[key], other.data[key], f"{hosts} hosts, {partition}: {key}")

    def test_io_nodes_share_the_work(self):
        # Stripes of 64 B, so that the small matrix goes to all of them; opens have one server in any case.
        settings = ("io.stripe_unit=64 B", "io.collective=barrier", "io.open_cost=0 s", "io.metadata_cost=0 s")
        options = [word for setting in settings for word in ("--set", setting)]
        times = [self.matrix(8, "--set", f"nodes.io={nodes}", *options,
                             machine="paragon").data["breakdown"]["io_ps"]["max"] for nodes in (1, 2, 4)]
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertLess(times[2], 0.7 * times[0])

    def test_own_files(self):
        program, done = compiled("own")
        self.succeeds(done)

        def own(*options, ranks=4):
            with tempfile.TemporaryDirectory() as place:
                result = self.succeeds(run(ranks, program, place, machine="paragon",
                                           options=["--compute", "counted", *options]))
            self.assertEqual(result.out, "own files ok\n")
            return result.data

        free, local, pfs = (own("--set", f"io.posix={where}") for where in ("free", "local", "pfs"))
        self.assertEqual(free["breakdown"]["io_ps"]["max"], 0)
        self.assertGreater(local["breakdown"]["io_ps"]["min"], 10 * 10**9)  # each read elsewhere seeks for 21 ms
        self.assertEqual(local["io"], free["io"])
        self.assertEqual(local["io"]["requests"], 0)
        self.assertEqual(pfs["io"]["bytes_read"], 4 * 10_000)
        self.assertEqual(pfs["io"]["bytes_written"], 4 * 10_000)
        self.assertEqual(pfs["io"]["disk_reads"], 4 * 10)
        for hosts in (2, 3):
            for where, one in (("local", local), ("pfs", pfs)):
                other = own("--set", f"io.posix={where}", "--hosts", hosts)
                for key in PREDICTED:
                    self.assertEqual(one[key], other[key], f"{where}, {hosts} hosts: {key}")

    def stream(self, what, *options):
        """Statistics and microseconds of stream.c on one rank of cluster-lustre; the file it reads is there before."""
        program, done = compiled("stream")
        self.succeeds(done)
        with tempfile.TemporaryDirectory() as place:
            name = os.path.join(place, "file")
            if what == "read":
                with open(name, "wb") as file:
                    file.write(bytes(16 << 20))
            result = self.succeeds(run(1, program, what, name, machine="cluster-lustre",
                                       options=["--compute", "counted", *options]))
        return result, {line.split()[0]: float(line.split()[1]) for line in result.out.splitlines()}

    def test_closing_keeps_what_is_dirty(self):
        """Lustre's clients write nothing back when a file is closed; with fsync, or where the machine says so, they do."""
        to_disk = 5000  # microseconds at least for two RPCs to each of eight targets
        for what in ("posix", "mpi"):
            result, times = self.stream(what)
            self.assertLess(times["close"], 400, what)
            self.assertEqual(result.data["io"]["bytes_written"], 16 << 20)
            self.assertGreater(result.data["io"]["disk_writes"], 0)  # after the end of the program
            self.assertGreater(self.stream(what, "--set", "io.objects.flush_on_close=true")[1]["close"], to_disk)
        times = self.stream("synced")[1]
        self.assertGreater(times["sync"], to_disk)
        self.assertLess(times["close"], 400)

    def test_reading_ahead_ends_with_the_file(self):
        """Disks read each byte of a file once, and what they read ahead is told."""
        result, _ = self.stream("read")
        io = result.data["io"]
        self.assertEqual(sum(disk["bytes_read"] for disk in io["disks"]), 16 << 20)
        self.assertEqual(io["disk_reads"], (16 << 20) // (128 << 10))  # chunks of the arrays
        self.assertEqual(io["cache"]["misses"] + io["cache"]["read_ahead"], 4096)
        self.assertGreater(io["cache"]["read_ahead"], 0)
        rpcs = result.data["file_system"]["cnodes"][0]["rpcs"]
        self.assertEqual(rpcs["reads"], 16)
        self.assertEqual(256 * rpcs["reads_ahead"], io["cache"]["read_ahead"])
        self.assertIn(f"16 RPCs read ({rpcs['reads_ahead']} of them ahead)", result.err)
        self.assertIn(f"{io['cache']['read_ahead']:,} read ahead of the programs", result.err)
        # What the node has written is in its cache: no disk has anything to read.
        io = self.stream("reread")[0].data["io"]
        self.assertEqual((io["disk_reads"], io["cache"]["misses"], io["cache"]["read_ahead"]), (0, 0, 0))
        self.assertEqual(io["cache"]["cnode_hits"], 4096)

    def test_calls_about_names(self):
        """What metadata benchmarks count costs a round trip to the metadata server and its time there."""
        program, done = compiled("metadata")
        self.succeeds(done)

        def names(*options, ranks=4):
            with tempfile.TemporaryDirectory() as place:
                result = self.succeeds(run(ranks, program, place, machine="cluster-lustre",
                                           options=["--compute", "counted", *options]))
            return result.data, {line.split()[0]: float(line.split()[1]) for line in result.out.splitlines()}

        data, times = names()
        files = 25
        for what, least in (("stat", 200e3), ("access", 200e3), ("truncate", 200e3), ("rename", 400e3),
                            ("creat", 800e3), ("unlink", 600e3)):
            self.assertGreater(times[what], files * least, what)
            self.assertLess(times[what], files * (least + 100e3), what)
        for what, least in (("mkdir", 400e3), ("readdir", 400e3), ("rmdir", 600e3)):
            self.assertGreater(times[what], least, what)
        self.assertEqual(data["file_system"]["metadata_servers"][0]["metadata"],
                         {"opens": 4 * files, "creates": 4 * files, "removes": 4 * (files + 1), "makes": 4,
                          "renames": 4 * files, "inquiries": 4 * (4 * files + 2)})
        self.assertEqual(data["io"]["metadata_calls"], 4 * (7 * files + 4))
        for hosts in (2, 4):
            other, other_times = names("--hosts", hosts)
            self.assertEqual(other_times, times)
            for key in PREDICTED:
                self.assertEqual(other[key], data[key], f"{hosts} hosts: {key}")
        # One thread of the server has a queue.
        queue = names("--set", "io.metadata.threads=1", ranks=16)[1]
        self.assertGreater(queue["stat"], 0.99 * 16 * files * 200e3)
        for where in ("local", "free"):
            cheap, cheap_times = names("--set", f"io.posix={where}")
            self.assertEqual(cheap["io"]["metadata_calls"], 0)
            self.assertLess(cheap_times["stat"], files * 10e3)

    def test_file_per_process(self):
        """The pattern of IOR: what the program's own files cost on the parallel file system."""
        program = os.path.join(WORK, "iorlike.sim")
        self.succeeds(call(MPISIMCC, "-O1", os.path.join(ROOT, "examples", "iorlike", "iorlike.c"), "-o", program))

        def ior(*arguments, options=(), ranks=4):
            with tempfile.TemporaryDirectory() as place:
                result = self.succeeds(run(ranks, program, f"name={place}/f", "block=32768", *arguments, machine="paragon",
                                           options=["--compute", "off", *options]))
                self.assertEqual(os.listdir(place), [])
            self.assertIn("VERIFICATION SUCCESSFUL", result.out)
            return result.data

        pfs = ["--set", "io.posix=pfs"]
        own = ior(options=pfs)
        requests = 4 * 2 * 4  # ranks, segments, transfers of 8 KiB
        self.assertEqual(own["io"]["requests"], 2 * requests)
        self.assertEqual(own["io"]["bytes_written"], 4 * 65536)
        self.assertEqual(own["io"]["bytes_read"], 4 * 65536)
        self.assertGreaterEqual(own["io"]["disk_writes"], requests)
        # The same requests as those of MPI-IO with files of their own.
        mpiio = ior("api=mpiio", options=pfs)
        for key in ("requests", "disk_reads", "disk_writes", "bytes_read", "bytes_written"):
            self.assertEqual(own["io"][key], mpiio["io"][key], key)
        # Otherwise they are on disks of the ranks, which do not wait for each other.
        local = ior(options=["--set", "io.posix=local"])
        self.assertEqual(local["io"]["requests"], 0)
        self.assertLess(local["predicted_time_ps"], own["predicted_time_ps"])
        # One server opens the files, one after the other.
        opens = [ior(options=[*pfs, "--set", f"io.open_cost={cost}"])["predicted_time_ps"] for cost in ("0 s", "1 s")]
        self.assertGreater(opens[1] - opens[0], 2 * 3.9 * 10**12)
        # More I/O nodes, less time.
        few, many = (ior(options=[*pfs, "--set", f"nodes.io={nodes}", "--set", "io.open_cost=0 s"])["predicted_time_ps"]
                     for nodes in (1, 4))
        self.assertLess(many, 0.5 * few)
        for hosts in (2, 3):
            other = ior(options=[*pfs, "--hosts", hosts])
            for key in PREDICTED:
                self.assertEqual(own[key], other[key], f"{hosts} hosts: {key}")

    def test_collective_implementations(self):
        """Every implementation makes the same file, on every host count."""
        contents = set()
        for machine in ("sp2", "paragon"):
            for collective in ("barrier", "grouping", "two-phase", "list", "disk-directed"):
                options = ("--set", f"io.collective={collective}", "--set", "io.group_size=2")
                one = self.matrix(5, *options, machine=machine)
                two = self.matrix(5, "--hosts", 3, *options, machine=machine)
                contents |= {one.content, two.content}
                for key in PREDICTED:
                    self.assertEqual(one.data[key], two.data[key], f"{machine} {collective} {key}")
        self.assertEqual(len(contents), 1)

    def test_disks(self):
        """Every disk model, queue and array through the whole file system, the same with one host process and two."""
        zoned = ("io.disk.heads=4", "io.disk.rotation=8 ms",
                 "io.disk.zones=[{cylinders: 500, sectors: 200}, {cylinders: 500, sectors: 100}]")
        predictions = set()
        for settings in (("io.disk.model=analytic",), ("io.disk.model=simple", "io.disk.queue=sstf"),
                         ("io.disk.model=hp97560",), ("io.disk.model=hp97560", "io.disk.queue=c-look"),
                         ("io.disk.model=zoned", "io.disk.queue=scan", *zoned), ("io.disk.model=nvme",),
                         ("io.raid.level=5",), ("io.raid.level=1", "io.raid.members=2"),
                         ("io.raid.level=0", "io.disk.model=analytic")):
            options = [word for setting in ("io.collective=barrier", *settings) for word in ("--set", setting)]
            one = self.matrix(6, *options, machine="paragon")
            two = self.matrix(6, "--hosts", 2, *options, machine="paragon")
            for key in PREDICTED:
                self.assertEqual(one.data[key], two.data[key], f"{settings} {key}")
            disks = one.data["io"]["disks"]
            self.assertEqual(sum(disk["reads"] + disk["writes"] for disk in disks),
                             one.data["io"]["disk_reads"] + one.data["io"]["disk_writes"], settings)
            for disk in disks:
                self.assertEqual(sum(each["reads"] for each in disk["by_size"]), disk["reads"])
                self.assertEqual(sum(each["writes"] for each in disk["by_size"]), disk["writes"])
                self.assertTrue(0 <= disk["utilisation"] <= 1, disk)
                self.assertTrue(disk["mean_queue"] <= disk["longest_queue"], disk)
            self.assertIn(f"disks           {len(disks)}, busy", one.err)
            predictions.add(one.data["predicted_time_ps"])
        self.assertEqual(len(predictions), 9)
        self.assertNotIn("disks", self.matrix(4, machine="sp2").data["io"])

    def test_caches(self):
        """Caches change times and counts, never data; the same on every host count."""
        contents = set()
        back = ("--set", "io.cache.cnode.write=back", "--set", "io.cache.cnode.on_write_miss=allocate",
                "--set", "io.cache.ionode.write=back", "--set", "io.cache.ionode.on_write_miss=allocate")
        sizes = ("--set", "io.cache.cnode.size=64 KiB", "--set", "io.cache.ionode.size=64 KiB",
                 "--set", "io.stripe_unit=8 KiB")
        for policy, collective, more in (("base", "barrier", back), ("greedy", "list", ()), ("coordinated", "barrier", ()),
                                         ("global", "disk-directed", back), ("global-spread", "barrier", back),
                                         ("n-chance", "two-phase", back)):
            options = ("--set", f"io.cache.policy={policy}", "--set", f"io.collective={collective}", *sizes, *more)
            one = self.matrix(5, *options, machine="paragon")
            two = self.matrix(5, "--hosts", 3, *options, machine="paragon")
            contents |= {one.content, two.content}
            for key in PREDICTED:
                self.assertEqual(one.data[key], two.data[key], f"{policy} {collective} {key}")
            if collective != "disk-directed":
                self.assertGreater(sum(one.data["io"]["cache"].values()), 0, policy)
            self.assertGreater(one.data["io"]["disk_writes"], 0, "what was written is on disk at the close")
        self.assertEqual(len(contents), 1)

    def test_order_of_policies(self):
        """Figures 8.9 and 8.10 of the SESAME report on a smaller scale: the more the caches cooperate, the fewer blocks
        come from disk, and the less time passes."""
        program = os.path.join(WORK, "requests.sim")
        call(MPISIMCC, "-O2", "-o", program, os.path.join(ROOT, "examples", "requests", "requests.c"))
        for io_nodes, ranks in ((1, 4), (4, 4), (2, 8)):
            times, reads = [], []
            for policy in ("base", "greedy", "coordinated", "global"):
                settings = {"nodes.io": io_nodes, "io.model": "pfs", "io.stripe_unit": "8 KiB", "io.cache.policy": policy,
                            "io.cache.cnode.size": "128 KiB", "io.cache.ionode.size": "512 KiB",
                            "io.cache.ionode.divided": "true"}
                options = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
                result = run(ranks, program, 256, 300, 300, machine="sp2", options=["--compute", "off", *options])
                self.assertEqual(result.status, 0, str(result))
                times.append(result.data["predicted_time_ps"])
                reads.append(result.data["io"]["cache"]["misses"])
            self.assertEqual(times, sorted(times, reverse=True), f"{io_nodes} I/O nodes, {ranks} ranks: {times}")
            self.assertEqual(reads, sorted(reads, reverse=True), f"{io_nodes} I/O nodes, {ranks} ranks: {reads}")

    def test_file_systems_that_cannot_be(self):
        program, _ = compiled("matrix")
        for machine, setting, message in (
                ("sp2", "io.model=pfs", "io.model: pfs needs I/O nodes, nodes.io is 0: --set nodes.io=1"),
                ("paragon", "nodes.io=0", "io.model: pfs needs I/O nodes"),
                ("paragon", "io.disk.model=hp97561", "io.disk.model: `hp97561` is not known"),
                ("paragon", "io.cache.policy=greedier", "io.cache.policy: `greedier` is not known"),
                ("paragon", "io.cache.ionode.size=1 KiB", "io.cache.ionode.size: 1024 B are less than a block"),
                ("paragon", "io.disk.sector=1000 B", "are no whole number of sectors of 1000 B"),
                ("paragon", "io.stripe_unit=64", "io.stripe_unit: `64` needs a unit")):
            result = run(2, program, machine=machine, options=["--set", setting])
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(message, result.err)


if __name__ == "__main__":
    unittest.main()
