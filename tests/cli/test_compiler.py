"""mpisimcc as make, CMake and people call it: inputs, outputs, several files, libraries, refusals."""
import os
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from harness import Case, MPISIM, MPISIMCC, call

COUNTER = "int counter = 5;\nint *where(void) { return &counter; }\n"
# Each rank adds to the counter of another file in its own way and looks whether anybody else did.
MAIN = textwrap.dedent("""\
    #include <mpi.h>
    #include <stdio.h>
    extern int counter;
    int *where(void);
    int main(int argc, char **argv) {
      int rank;
      MPI_Init(&argc, &argv);
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      counter += 10 * rank;
      MPI_Barrier(MPI_COMM_WORLD);
      *where() += 1;
      MPI_Barrier(MPI_COMM_WORLD);
      printf("rank %d has %d\\n", rank, counter);
      MPI_Finalize();
      return 0;
    }
    """)
EXPECTED = "rank 0 has 6\nrank 1 has 16\nrank 2 has 26\n"


class Compiler(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mpisim-compiler-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("counter.c", COUNTER)
        self.write("main.c", MAIN)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def compile(self, *words, **keywords):
        return call(MPISIMCC, *words, cwd=self.folder, **keywords)

    def compiles(self, *words, **keywords):
        return self.succeeds(self.compile(*words, **keywords))

    def refused(self, words, *expected):
        result = self.compile(*words)
        self.assertNotEqual(result.status, 0, f"{words}: {result}")
        for text in expected:
            self.assertIn(text, result.err, f"{words}: {result}")
        return result

    def prints(self, program="prog", expected=EXPECTED, environment=None):
        for hosts in (1, 2):
            result = call(MPISIM, "run", "-n", 3, "-m", "ideal", "--hosts", hosts, "--compute", "off", "--quiet", "./" + program,
                          cwd=self.folder, environment=environment)
            self.assertEqual((result.status, result.out), (0, expected), f"--hosts {hosts}: {result}")

    def test_several_sources(self):
        self.compiles("main.c", "counter.c", "-o", "prog")
        self.prints()

    def test_objects_of_all_levels(self):
        for first, second in (("-O0", "-O3"), ("-O2", "-O0 -fno-counted"), ("-O1 -fno-counted", "-Os")):
            self.compiles(*first.split(), "-c", "main.c")
            self.compiles(*second.split(), "-c", "counter.c", "-o", "other.o")
            self.compiles("main.o", "other.o", "-o", "prog")
            self.prints()

    def test_archive(self):
        self.compiles("-c", "counter.c")
        subprocess.run(["ar", "rcs", "libcounter.a", "counter.o"], cwd=self.folder, check=True)
        self.compiles("main.c", "-L.", "-lcounter", "-o", "prog")
        self.prints()
        self.compiles("main.c", "libcounter.a", "-o", "prog")
        self.prints()

    def test_shared_library(self):
        self.compiles("-shared", "-fPIC", "counter.c", "-o", "libcounter.so")
        self.compiles("main.c", "-L.", "-lcounter", "-Wl,-rpath," + self.folder, "-o", "prog")
        self.prints()

    def test_relocatable_object(self):
        self.compiles("-c", "main.c", "counter.c")
        self.compiles("-r", "main.o", "counter.o", "-o", "both.o")
        self.compiles("both.o", "-o", "prog")
        self.prints()

    def test_default_output(self):
        self.compiles("main.c", "counter.c")
        self.prints("a.out")

    def test_standard_input_and_language(self):
        self.compiles("-x", "c", "-", "-c", "-o", "main.o", stdin=MAIN)
        shutil.copy(os.path.join(self.folder, "counter.c"), os.path.join(self.folder, "counter.txt"))
        self.compiles("main.o", "-x", "c", "counter.txt", "-o", "prog")
        self.prints()

    def test_response_file(self):
        self.write("words", 'main.c "counter.c"\n-o prog -DUNUSED=\'"a b"\'\n')
        self.compiles("@words")
        self.prints()

    def test_dependencies(self):
        self.write("value.h", "#define VALUE 5\n")
        self.write("counter.c", '#include "value.h"\nint counter = VALUE;\nint *where(void) { return &counter; }\n')
        self.compiles("-MD", "-MP", "-c", "counter.c", "-o", "counter.o")
        with open(os.path.join(self.folder, "counter.d")) as file:
            rule = file.read()
        self.assertTrue(rule.startswith("counter.o:"), rule)
        self.assertIn("value.h", rule)
        self.compiles("-MMD", "-MF", "deps", "-MT", "target", "-c", "counter.c")
        with open(os.path.join(self.folder, "deps")) as file:
            rule = file.read()
        self.assertTrue(rule.startswith("target:"), rule)
        self.assertNotIn("/usr", rule)
        printed = self.compiles("-M", "main.c").out
        self.assertIn("mpi.h", printed)
        self.assertNotIn("/usr", self.compiles("-MM", "counter.c").out)

    def test_files_beside_the_object_have_clangs_names(self):
        self.compiles("-g", "-gsplit-dwarf", "-c", "counter.c", "-o", "part.o")
        self.compiles("-g", "-gsplit-dwarf", "main.c", "part.o", "-o", "prog")
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.endswith(".dwo")), ["part.dwo", "prog-main.dwo"])
        self.prints()

    def test_preprocessed_and_assembly(self):
        text = self.compiles("-E", "-DX=counter", "counter.c").out
        self.assertIn("int counter = 5;", text)
        self.compiles("-E", "main.c", "-o", "main.i")
        self.compiles("-S", "counter.c")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "counter.s")))
        self.compiles("main.i", "counter.s", "-o", "prog")
        self.prints()

    def test_show_runs_nothing(self):
        result = self.compiles("-show", "main.c", "counter.c", "-o", "prog")
        self.assertIn("libmpisim", result.out)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "prog")))

    def test_syntax_only_and_warnings(self):
        self.write("warn.c", "int f(int x) { int unused; return x; }\n")
        result = self.compiles("-fsyntax-only", "-Wall", "warn.c")
        self.assertIn("warn.c:1:", result.err)
        result = self.refused(["-Wall", "-Werror", "-c", "warn.c"], "warn.c:1:")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "warn.o")))

    def test_common_variables_are_one(self):
        self.write("counter.c", "int counter;\nint *where(void) { return &counter; }\n")
        self.write("main.c", MAIN.replace("extern int counter", "int counter"))
        self.refused(["-fno-common", "main.c", "counter.c", "-o", "prog"], "counter")
        for level in ("-O0", "-O2"):
            self.compiles(level, "-fcommon", "main.c", "counter.c", "-o", "prog")
            self.prints(expected="rank 0 has 1\nrank 1 has 11\nrank 2 has 21\n")
        self.write("counter.c", COUNTER)  # one with a value, one tentative
        self.compiles("-fcommon", "main.c", "counter.c", "-o", "prog")
        self.prints()
        self.write("counter.c", "long counter;\nint *where(void) { return (int *)&counter; }\n")
        self.refused(["-fcommon", "main.c", "counter.c", "-o", "prog"], "counter has 8 bytes here and 4 in")

    def test_faults_of_the_program(self):
        self.write("bad.c", "int f(void) { return missing; }\nint g(void) { return gone; }\n")
        result = self.refused(["-c", "bad.c"], "bad.c:1:", "missing", "bad.c:2:", "gone")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "bad.o")), result)

    def test_a_failed_build_leaves_no_program(self):
        self.compiles("main.c", "counter.c", "-o", "prog")
        self.write("counter.c", "int counter = ;\n")
        self.refused(["main.c", "counter.c", "-o", "prog"], "counter.c:1:")
        self.write("counter.c", "int counter = 1;\n")  # where() is missing
        self.refused(["main.c", "counter.c", "-o", "other"], "where")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "other")))

    def test_refusals(self):
        self.write("plus.cpp", "int x;\n")
        self.refused(["-c", "plus.cpp"], "plus.cpp", "C++")
        self.refused(["-flto", "-c", "main.c"], "-flto")
        self.refused(["-c", "none.c"], "none.c")
        self.refused(["-c", "main.c", "counter.c", "-o", "x.o"], "-o")
        self.refused([], "no input")
        self.write("call.c", "int MPI_Barrier(int);\nint other(void) { return MPI_Barrier(0); }\n")
        subprocess.run(["gcc", "-c", "call.c", "-o", "foreign.o"], cwd=self.folder, check=True)
        self.refused(["main.c", "counter.c", "foreign.o", "-o", "prog"], "foreign.o", "MPI_Barrier")

    def test_missing_calls_at_run_time(self):
        self.write("missing.c", """\
            #include <mpi.h>
            #include <stdio.h>
            int main(int argc, char **argv) {
              int rank;
              char port[MPI_MAX_PORT_NAME];
              MPI_Init(&argc, &argv);
              MPI_Comm_rank(MPI_COMM_WORLD, &rank);
              printf("rank %d was here\\n", rank);
              if (argc > 1 && rank == 1) MPI_Open_port(MPI_INFO_NULL, port);
              if (argc > 2) PMPI_Close_port(port);
              MPI_Finalize();
              return 0;
            }
            """.replace("            ", ""))
        self.refused(["missing.c", "-o", "prog"], "MPI_Open_port: not supported yet", "PMPI_Close_port")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "prog")))
        self.refused(["-fmpi-missing=never", "missing.c", "-o", "prog"], "-fmpi-missing=never", "link", "run-time")
        self.refused(["-fmpi-missing=link", "missing.c", "-o", "prog"], "MPI_Open_port")
        for more in ([], ["-shared", "-fPIC"], ["-fno-counted"]):  # a library's is its own
            warned = self.compiles("-fmpi-missing=run-time", *more, "missing.c", "-o", "prog").err
            self.assertIn("warning: MPI_Open_port: not supported yet (used in missing.c)", warned)
        # Fine as long as nobody calls them, at the linker's -O0 as at -O2, and on several host processes.
        options = ["run", "-n", 3, "-m", "ideal", "--compute", "off", "-q"]
        self.compiles("-fmpi-missing=run-time", "-O2", "missing.c", "-o", "prog")
        prog = os.path.join(self.folder, "prog")
        self.assertEqual(self.succeeds(call(MPISIM, *options, prog)).out.count("was here"), 3)
        for hosts in (1, 2):
            result = call(MPISIM, *options, "--hosts", hosts, prog, "x")
            self.assertEqual(result.status, 2, str(result))
            self.assertEqual(result.err, "mpisim: rank 1: MPI_Open_port at missing.c:9: not supported yet\n")
            self.assertEqual(result.out.count("was here"), 3)

    def test_started_directly_runs_at_the_speed_of_the_host(self):
        self.write("clock.c", """\
            #include <mpi.h>
            #include <stdio.h>
            #include <sys/syscall.h>
            #include <time.h>
            #include <unistd.h>
            static double real(void) {  /* past the C library, whose clocks are simulated */
              struct timespec now;
              syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
              return now.tv_sec + 1e-9 * now.tv_nsec;
            }
            int main(int argc, char **argv) {
              MPI_Init(&argc, &argv);
              double simulated_start = MPI_Wtime(), start = real();
              volatile double sum = 0;
              for (int i = 0; i < 50000000; i++) sum += i;
              double passed = real() - start;
              printf("%f\\n", (MPI_Wtime() - simulated_start) / passed);
              MPI_Finalize();
              return 0;
            }
            """)
        self.compiles("-O1", "clock.c", "-o", "prog")
        ratio = float(self.succeeds(call(os.path.join(self.folder, "prog"))).out)
        self.assertTrue(0.8 < ratio < 1.25, ratio)

    def test_foreign_data_is_warned_of(self):
        self.write("data.c", "int shared = 3;\nint get(void) { return shared++; }\n")
        subprocess.run(["gcc", "-c", "data.c", "-o", "data.o"], cwd=self.folder, check=True)
        self.assertIn("data.o", self.compiles("main.c", "counter.c", "data.o", "-o", "prog").err)

    @unittest.skipUnless(shutil.which("make"), "make is not here")
    def test_make(self):
        self.write("Makefile", "CFLAGS = -O2 -Wall\nprog: main.o counter.o\n\t$(CC) $(CFLAGS) $^ -o $@\n")
        self.succeeds(call("make", "CC=" + MPISIMCC, cwd=self.folder))
        self.prints()

    @unittest.skipUnless(shutil.which("cmake"), "cmake is not here")
    def test_cmake(self):
        self.write("CMakeLists.txt", textwrap.dedent("""\
            cmake_minimum_required(VERSION 3.20)
            project(prog C)
            find_package(MPI REQUIRED COMPONENTS C)
            add_library(counter SHARED counter.c)
            add_executable(prog main.c)
            target_link_libraries(prog PRIVATE counter MPI::MPI_C)
            """))
        self.succeeds(call("cmake", "-S", ".", "-B", ".", "-DCMAKE_C_COMPILER=" + MPISIMCC, "-DMPI_C_COMPILER=" + MPISIMCC,
                           "-DCMAKE_BUILD_TYPE=Release", cwd=self.folder))
        self.succeeds(call("cmake", "--build", ".", cwd=self.folder))
        self.prints()


if __name__ == "__main__":
    unittest.main()
