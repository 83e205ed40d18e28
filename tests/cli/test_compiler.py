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

    def test_calls_of_later_standards_are_told_by_name(self):
        self.write("later.c", """\
            #include <mpi.h>
            int main(int argc, char **argv) {
              MPI_Session session = MPI_SESSION_NULL;
              MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
              MPI_Request request;
              MPI_Count many = 1;
              MPI_Init(&argc, &argv);
              if (argc > 1) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
              if (argc > 2) MPI_T_cvar_read(handle, &argc);
              if (argc > 3) MPI_Send_c(argv, many, MPI_INT, 0, 0, MPI_COMM_WORLD);
              if (argc > 4) PMPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
              MPI_Finalize();
              return 0;
            }
            """.replace("            ", ""))
        names = ("MPI_Session_init", "MPI_T_cvar_read", "MPI_Send_c", "PMPI_Barrier_init")
        for standard in ("-std=c99", "-std=gnu17", "-std=c23"):
            result = self.refused([standard, "later.c", "-o", "prog"], *(f"{n}: not supported yet" for n in names))
            self.assertNotIn("declaration", result.err)
        self.assertIn("later.c:8:", self.refused(["--coverage", "later.c"], *names).err)
        self.compiles("-fmpi-missing=run-time", "later.c", "-o", "prog")
        prog = os.path.join(self.folder, "prog")
        self.succeeds(call(MPISIM, "run", "-n", 2, "-m", "ideal", "--compute", "off", "-q", prog))
        result = call(MPISIM, "run", "-n", 2, "-m", "ideal", "--compute", "off", "-q", prog, "x")
        self.assertEqual((result.status, result.err), (2, "mpisim: rank 0: MPI_Session_init at later.c:8: not supported yet\n"))

    def test_probes_of_configure_scripts_link(self):
        self.write("probe.c", "char MPI_Init ();\nint main (void) { return MPI_Init (); }\n")
        self.compiles("probe.c", "-o", "probe")
        self.write("probe.c", "char MPI_Comm_spawn ();\nint main (void) { return MPI_Comm_spawn (); }\n")
        self.refused(["probe.c", "-o", "probe"], "MPI_Comm_spawn: not supported yet")
        self.write("probe.c", "char MPI_No_such_thing ();\nint main (void) { return MPI_No_such_thing (); }\n")
        self.refused(["probe.c", "-o", "probe"], "MPI_No_such_thing")
        # Called without a declaration: a warning as from a C compiler, and it works.
        self.write("main.c", MAIN.replace("#include <mpi.h>", "#include <mpi.h>\nint report(int);"))
        self.write("counter.c", COUNTER + "int report(int x) { MPI_Initialized(&x); return x; }\n")
        warned = self.compiles("main.c", "counter.c", "-o", "prog").err
        self.assertIn("counter.c:3:", warned)
        self.assertIn("implicit declaration of function 'MPI_Initialized'", warned.replace("call to undeclared", "implicit declaration of"))
        self.prints()

    def test_an_mpi_of_the_programs_own(self):
        """Programs that bring stubs for builds without MPI call those."""
        self.write("stubs.h", "int MPI_Init(void); int MPI_Comm_size(int, int *);\n")
        self.write("stubs.c", '#include "stubs.h"\nint MPI_Init(void) { return 41; }\n'
                              "int MPI_Comm_size(int c, int *size) { *size = c; return 0; }\n")
        self.write("main.c", '#include "stubs.h"\n#include <stdio.h>\nint main(void) { int n, r = MPI_Init();'
                             ' MPI_Comm_size(7, &n); printf("%d %d\\n", r, n); return 0; }\n')
        self.compiles("main.c", "stubs.c", "-o", "prog")
        self.assertEqual(self.succeeds(call(os.path.join(self.folder, "prog"))).out, "41 7\n")

    def test_calls_that_no_rank_may_make_are_refused_when_made(self):
        self.write("calls.c", """\
            #include <mpi.h>
            #include <pthread.h>
            #include <stdlib.h>
            #include <threads.h>
            #include <unistd.h>
            static void *run(void *p) { return p; }
            static int run_too(void *p) { return p != 0; }
            int main(int argc, char **argv) {
              pthread_t thread;
              thrd_t other;
              MPI_Init(&argc, &argv);
              switch (argc > 1 ? atoi(argv[1]) : 0) {
                case 1: fork(); break;
                case 2: pthread_create(&thread, 0, run, 0); break;
                case 3: thrd_create(&other, run_too, 0); break;
                case 4: execlp("ls", "ls", (char *)0); break;
                case 5: system("true"); break;
                case 6: execvpe("ls", argv, argv); break;
              }
              MPI_Finalize();
              return 0;
            }
            """.replace("            ", ""))
        calls = {1: "fork", 2: "pthread_create", 3: "thrd_create", 4: "execlp", 5: "system", 6: "execvpe"}
        warned = self.compiles("-D_GNU_SOURCE", "calls.c", "-o", "prog").err
        prog = os.path.join(self.folder, "prog")
        self.succeeds(call(MPISIM, "run", "-n", 2, "-m", "ideal", "--compute", "off", "-q", prog))
        for number, name in calls.items():
            line = 12 + number
            if name != "system":  # of which there is a use that works
                self.assertIn(f"calls.c:{line}:", warned)
                self.assertIn(f"warning: call of '{name}'", warned)
            result = call(MPISIM, "run", "-n", 2, "-m", "ideal", "--compute", "off", "-q", prog, number)
            self.assertEqual(result.status, 2, f"{name}: {result}")
            self.assertIn(f"rank 0: {name} at calls.c:{line}", result.err)
        self.refused(["-D_GNU_SOURCE", "--coverage", "calls.c"], "error: call of 'fork'", "error: call of 'pthread_create'")

    def test_a_weak_main_of_an_archive_is_no_conflict(self):
        self.write("weak.c", "int helper(void) { return 1; }\n__attribute__((weak)) int main(void) { return 5; }\n")
        for compiler in (MPISIMCC, "gcc"):
            self.succeeds(call(compiler, "-c", "weak.c", "-o", "weak.o", cwd=self.folder))
            self.succeeds(call("ar", "crs", "libweak.a", "weak.o", cwd=self.folder))
            self.compiles("main.c", "counter.c", "libweak.a", "-o", "prog")
            self.prints()
            self.write("user.c", "int helper(void);\nint use(void) { return helper(); }\n")
            self.compiles("main.c", "counter.c", "user.c", "libweak.a", "-o", "prog")
            self.prints()

    def test_sources_are_not_overwritten(self):
        for words in (["-o", "main.c", "counter.c"], ["-c", "counter.c", "-o", "counter.c"], ["-o", "main.c", "main.o"]):
            self.refused(words, "this is a source")
        with open(os.path.join(self.folder, "main.c")) as file:
            self.assertEqual(file.read(), MAIN)

    def test_coverage_of_gcc_is_refused(self):
        self.refused(["--coverage", "-c", "main.c"], "--coverage")
        self.refused(["--coverage", "main.c", "counter.c", "-o", "prog"], "--coverage")
        self.compiles("--coverage", "main.c", "counter.c")

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
        for name, text in (("static", "static int n; int get(void) { return n++; }\n"), ("none", "int get(void) { return 3; }\n")):
            self.write("library.c", text)
            subprocess.run(["gcc", "-shared", "-fPIC", "library.c", "-o", f"lib{name}.so"], cwd=self.folder, check=True)
            for words in ([f"lib{name}.so"], ["-L.", f"-l{name}"]):
                warned = self.compiles("main.c", "counter.c", *words, "-o", "prog").err
                self.assertEqual("share its variables" in warned, name == "static", warned)
        self.compiles("-shared", "-fPIC", "library.c", "-o", "libown.so")
        self.assertNotIn("share its", self.compiles("main.c", "counter.c", "libown.so", "-o", "prog").err)

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
