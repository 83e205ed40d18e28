"""Every command that README, documents and help print works as printed."""
import os
import re
import shutil
import tempfile
import unittest

from harness import BUILD, Case, ROOT, call, mpisim

# Run by tests of their own, which make what they need.
ELSEWHERE = {
    "./scripts/demo": "cli.demo",
    "./scripts/test": "what runs this test",
    "gdb -x": "cli.debugger",
    "mpisim run -n 4 -m paragon --set io.disk.model=drum": "unit.test_extending",
}
OWN_PROGRAM = """#include <mpi.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank;
  double x = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File log;
  MPI_File_open(MPI_COMM_WORLD, "log", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &log);
  MPI_File_write_at(log, rank * sizeof x, &x, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&log);
  for (int i = 0; i < 1000; i++) x = sqrt(x + rank);
  MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\\n", sum);
  MPI_Finalize();
  return 0;
}
"""
CONFIGURE = """#!/bin/sh
echo 'int main(void) { return 0; }' > conftest.c && $CC conftest.c -o conftest && ./conftest
"""
COMMANDS = re.compile(r"(?:export PATH|mpisim |mpisimcc |make |cmake |CC=|gdb |\./scripts/|source <\(mpisim)")


def blocks(text):
    """The fenced blocks of a document, with the language that they name."""
    return re.findall(r"^[ ]*```(\w*)\n(.*?)^[ ]*```", text, re.M | re.S)


def commands(name):
    with open(os.path.join(ROOT, name)) as file:
        text = file.read()
    for language, block in blocks(text):
        if language:
            continue
        for line in block.splitlines():
            words = line.strip()
            if COMMANDS.match(words) and not re.match(r"mpisim \w+: |mpisim: ", words):
                yield words


def documents():
    return ["README.md"] + [
        "docs/" + name for name in sorted(os.listdir(os.path.join(ROOT, "docs"))) if name.endswith(".md")]


class Documents(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="mpisim-documents-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.environment = {"PATH": os.path.join(BUILD, "bin") + ":" + os.environ["PATH"], "HOME": cls.folder}
        shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(cls.folder, "examples"))
        for name in ("configs", "preprocessor"):
            os.symlink(os.path.join(ROOT, name), os.path.join(cls.folder, name))
        cls.write("program.c", OWN_PROGRAM)
        cls.write("Makefile", "program: program.c\n\t$(CC) $< -o $@ -lm\n")
        cls.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(own C)\n"
                                    "add_executable(own program.c)\ntarget_link_libraries(own m)\n")
        cls.write("configure", CONFIGURE)
        os.chmod(os.path.join(cls.folder, "configure"), 0o755)
        with open(os.path.join(ROOT, "README.md")) as file:
            machine = next(block for language, block in blocks(file.read()) if language == "yaml")
        for name in ("own.yaml", "two-switches.yaml", "my-cluster.yaml"):
            cls.write(name, machine)
        with open(os.path.join(ROOT, "docs", "guide.md")) as file:
            study = next(block for _, block in blocks(file.read()) if block.startswith("program: {command:"))
        cls.write("study.yaml", study)
        os.makedirs(os.path.join(cls.folder, ".config/fish/completions"))
        for program in ("heat2d", "cg", "ring"):
            cls.shell(f"mpisimcc -O2 examples/{program}/{program}.c -o {program}.sim -lm")
        cls.shell("mpisimcc -O2 program.c -o program.sim -lm")

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w") as file:
            file.write(text)

    @classmethod
    def shell(cls, line, folder="."):
        result = call("bash", "-e", "-c", line, cwd=os.path.join(cls.folder, folder), environment=cls.environment)
        if result.status != 0:
            raise AssertionError(f"{line}: {result}")
        return result

    def try_all(self, lines, folder="."):
        tried = 0
        for line in lines:
            if any(line.startswith(start) for start in ELSEWHERE):
                continue
            with self.subTest(line):
                shutil.rmtree(os.path.join(self.folder, "build"), ignore_errors=True)
                self.shell(line, folder)
                tried += 1
        return tried

    def test_documents(self):
        found = [line for name in documents() for line in commands(name)]
        self.assertGreater(len(found), 25)
        self.try_all(found)
        self.try_all(commands("examples/README.md"), "examples")

    def test_help(self):
        lines = []
        for command in ("run", "sweep", "machine show", "machine check", "machine list", "completion", "man"):
            examples = mpisim(*command.split(), "--help").out.split("Examples:")[-1]
            lines += [line.strip() for line in examples.splitlines() if COMMANDS.match(line.strip())]
        self.assertGreater(self.try_all(lines), 8)


if __name__ == "__main__":
    unittest.main()
