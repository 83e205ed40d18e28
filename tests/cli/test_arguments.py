"""Every fault of a command line: exit status 2 and one message that says what to do."""
import os
import unittest

from harness import Case, WORK, call, mpisim, program


def run(*options, prog=None):
    words = ["run", *options]
    if "-n" not in options and "--ranks" not in options and not any(str(o).startswith("--ranks=") for o in options):
        words[1:1] = ["-n", "2"]
    if "-m" not in options:
        words[1:1] = ["-m", "sp2"]
    return words + [prog or program("hello")]


class Commands(Case):
    def test_nothing(self):
        self.refuses([], "a command is missing", "mpisim --help")

    def test_unknown_command(self):
        self.refuses(["rnu"], "unknown command 'rnu'", "did you mean 'run'?")
        self.refuses(["frobnicate"], "unknown command 'frobnicate'")

    def test_unknown_option_before_a_command(self):
        self.refuses(["--verison"], "unknown option '--verison'")

    def test_group_without_command(self):
        self.refuses(["machine"], "a command is missing", "mpisim machine --help")

    def test_unknown_command_of_a_group(self):
        self.refuses(["machine", "sow"], "unknown command 'sow'", "did you mean 'show'?")

    def test_commands_of_later_versions(self):
        for name in ("replay", "analyze", "calibrate"):
            self.refuses([name, "x"], "not available in this version")
            self.assertEqual(mpisim(name, "--help").status, 0)


class RunOptions(Case):
    def test_missing(self):
        self.refuses(["run", "-m", "sp2", program("hello")], "-n, --ranks RANKS is missing")
        self.refuses(["run", "-n", "2", program("hello")], "-m, --machine MACHINE is missing")
        self.refuses(["run", "-n", "2", "-m", "sp2"], "PROGRAM is missing")

    def test_ranks(self):
        for bad in ("0", "x", "-3", "2.5", "", "99999999999999999999"):
            self.refuses(run("-n", bad), "-n must be a whole number from 1 to")

    def test_unknown_option(self):
        self.refuses(run("--frobnicate"), "unknown option '--frobnicate'")
        self.refuses(run("--protocl", "null"), "unknown option '--protocl'", "did you mean '--protocol'?")
        self.refuses(run("--protocl=null"), "did you mean '--protocol'?")

    def test_no_abbreviations(self):
        self.refuses(run("--prot", "sequential"), "unknown option '--prot'", "did you mean '--protocol'?")

    def test_missing_value(self):
        self.refuses(["run", "-n", "2", "-m"], "-m")

    def test_value_for_a_switch(self):
        self.refuses(run("--quiet=yes"), "--quiet")

    def test_twice(self):
        self.refuses(run("--compute", "off", "--compute", "counted"), "--compute is given more than once")

    def test_choices(self):
        self.refuses(run("--protocol", "magic"), "unknown value 'magic' for --protocol", "sequential", "conditional")
        self.refuses(run("--compute", "mesured"), "did you mean 'measured'?")
        self.refuses(run("--deterministic", "maybe"), "on, off")
        self.refuses(run("--partition", "blocks"), "did you mean 'block'?")
        self.refuses(run("--partition", "graph"), "--profile FILE")

    def test_later_options(self):
        for option in ("trace", "report"):
            self.refuses(run("--" + option, "x"), f"--{option} is not available in this version")

    def test_hosts(self):
        self.refuses(run("--hosts", "0"), "--hosts must be a whole number from 1")
        self.refuses(run("--hosts", "3"), "3 host processes cannot share 2 ranks", "--hosts 2")
        self.refuses(run("--hosts", "2", "--protocol", "sequential"), "one host process")
        self.refuses(run("--hostfile", "/dev/null"), "--hostfile needs --hosts")
        self.refuses(run("--mpirun-args", "--verbose"), "--mpirun-args needs --hosts")
        self.refuses(run("--hosts", "2", "--hostfile", "nowhere"), "cannot read the file nowhere")

    def test_stack_size(self):
        for bad in ("8", "8 parsecs", "big"):
            self.refuses(run("--stack-size", bad), "--stack-size", "KiB")
        self.refuses(run("--stack-size", "1 KiB"), "from 16 KiB to 16 GiB")

    def test_epoch(self):
        for bad in ("yesterday", "2000-13-01", "2001-02-29", "1969-12-31", "-5", ""):
            self.refuses(run("--epoch", bad), "--epoch must be")

    def test_set(self):
        self.refuses(run("--set", "network.latency"), "--set needs PATH=VALUE")
        self.refuses(run("--set", "network.nothing=3"), "network.nothing")
        self.refuses(run("--set", "mpi.progres=asynchronous"), "mpi.progress")

    def test_record(self):
        self.refuses(run("--compute", "recorded"), "needs --record FILE")
        self.refuses(run("--compute", "recorded", "--record", "nowhere"), "cannot read the file nowhere")
        self.refuses(run("--compute", "off", "--record", "x"), "--record goes with --compute measured")

    def test_json(self):
        self.refuses(run("--json", "no/such/folder/x.json"), "there is no folder")
        self.refuses(run("--json", WORK), "is a folder")


class Machines(Case):
    def test_missing_file(self):
        self.refuses(["run", "-n", "2", "-m", "nowhere.yaml", program("hello")], "nowhere.yaml")

    def test_too_small(self):
        self.refuses(["run", "-n", "100000", "-m", "paragon", program("hello")], "nodes", "--set nodes.compute=")

    def test_bad_file_names_the_place(self):
        path = os.path.join(WORK, "bad.yaml")
        with open(path, "w") as file:
            file.write("schema_version: 1\nname: x\nnodes: {compute: 4}\nnetwork: {model: idael}\n")
        self.refuses(["run", "-n", "2", "-m", path, program("hello")], "bad.yaml:4", "ideal")


class Programs(Case):
    def test_missing(self):
        self.refuses(run(prog="./nothing.sim"), "cannot find the program ./nothing.sim")
        self.refuses(run(prog="nothing.sim"), "nothing.sim")

    def test_not_ours(self):
        self.refuses(run(prog="/bin/true"), "/bin/true was not linked by mpisimcc")

    def test_no_program_at_all(self):
        path = os.path.join(WORK, "script.sh")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n")
        self.refuses(run(prog=path), "script.sh is not an executable")
        self.refuses(run(prog=WORK), "is a directory")

    def test_object_file(self):
        source, target = os.path.join(WORK, "x.c"), os.path.join(WORK, "x.o")
        with open(source, "w") as file:
            file.write("int main(void) { return 0; }\n")
        call("gcc", "-c", source, "-o", target)
        self.refuses(run(prog=target), "x.o was not linked by mpisimcc")

    def test_options_behind_the_program_are_its_own(self):
        result = mpisim("run", "-n", "1", "-m", "ideal", "-q", program("hello"), "--version", "-n", "7")
        self.succeeds(result)
        self.assertIn("argument --version", result.out)
        self.assertIn("argument 7", result.out)

    def test_found_in_the_current_folder(self):
        name = os.path.basename(program("hello"))
        self.succeeds(mpisim("run", "-n", "1", "-m", "ideal", name, cwd=WORK))


class OtherCommands(Case):
    def test_operands(self):
        self.refuses(["machine", "show"], "MACHINE is missing")
        self.refuses(["machine", "show", "sp2", "paragon"], "unexpected argument 'paragon'")
        self.refuses(["completion"], "SHELL is missing")
        self.refuses(["completion", "csh"], "unknown SHELL 'csh'", "bash, zsh, fish")
        self.refuses(["man", "fly"], "no manual page for 'fly'")
        self.refuses(["man", "replay"], "no manual page for 'replay'")


if __name__ == "__main__":
    unittest.main()
