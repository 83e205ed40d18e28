"""`--compute counted`: operations of the program, one class of which has a price, against a count by hand."""
import json
import os
import subprocess
import tempfile
import textwrap
import unittest

from harness import Case, MPISIM, MPISIMCC, call

PROGRAM = textwrap.dedent("""\
    #include <mpi.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>

    static double product(double a, double b) { return a * b; }
    static double cube(double a) { double square = product(a, a); return product(square, a); }
    static double either(double a) { if (a > 1) return a * a * a; return a; }
    static double repeated(double a, int n) { for (int i = 0; i < n; i++) a *= 2; return a; }
    static double through_pointer(double a) { return a * a; }
    static double at_both_places(double a) { return a * a; }
    static double falling(int n) { return n == 0 ? 1 : n * falling(n - 1); }
    static void leave(double *a) { *a = *a * *a * *a * *a; }
    static double copied(double a, int n) {
      double to[8], from[8] = {a, a, a, a, a, a, a, a};
      memcpy(to, from, n * sizeof to[0]);
      return to[0] * to[1];
    }
    static inline double prefetch(double a) { return a * a; }  /* named like a hint to the compiler */
    static double length(double a) { return a * a; }
    static double rarely(double a) { return a * a * a * a; }
    static char bytes[200000];
    static void clear(void) { memset(bytes, 0, 40000); }
    __attribute__((pure)) static double uncounted(double a) { return at_both_places(a); }
    static double (*volatile pointer)(double) = through_pointer;
    static volatile double x = 1;

    #define COUNT(what) do { \\
        double start = MPI_Wtime(); \\
        what; \\
        double end = MPI_Wtime(); \\
        printf("%-40s %.0f\\n", #what, (end - start) * 1e6); \\
      } while (0)

    int main(int argc, char **argv) {
      int n = argc > 1 ? atoi(argv[1]) : 0;
      MPI_Init(&argc, &argv);
      COUNT(x = x * x);
      COUNT(x = product(x, x));
      COUNT(for (int i = 0; i < n; i++) x = product(x, x));
      COUNT(for (int i = 0; i < n; i++) x = cube(x));
      COUNT(x = either(0));
      COUNT(x = either(2));
      COUNT(x = repeated(1, n));
      COUNT(x = pointer(1));
      COUNT(x = through_pointer(1));
      COUNT(x = at_both_places(1));
      COUNT(x = falling(n));
      COUNT({ double here __attribute__((cleanup(leave))) = 1; (void)here; });
      COUNT(for (int i = 0; i < n; i++) x = copied(1, i % 8));
      COUNT(x = (double)sizeof(product(1, 1)));
      COUNT(x = prefetch(1));
      COUNT({ double here[(int)length(1)]; here[0] = 1; x = here[0]; });
      COUNT(x = n < 0 ? rarely(x) : 1);
      COUNT(x = n < 0 && rarely(x) > 0);
      COUNT({ clear(); clear(); });
      COUNT(memset(bytes, 0, sizeof bytes));
      MPI_Finalize();
      return 0;
    }
    """)
EXPECTED = {
    "x = x * x": 1,
    "x = product(x, x)": 1,
    "for (int i = 0; i < n; i++) x = product(x, x)": 1000,
    "for (int i = 0; i < n; i++) x = cube(x)": 2000,
    "x = either(0)": 0,
    "x = either(2)": 2,
    "x = repeated(1, n)": 1000,
    "x = pointer(1)": 1,
    "x = through_pointer(1)": 1,
    "x = at_both_places(1)": 1,
    "x = falling(n)": 1000,
    "{ double here __attribute__((cleanup(leave))) = 1; (void)here; }": 3,
    "for (int i = 0; i < n; i++) x = copied(1, i % 8)": 1000,
    "x = (double)sizeof(product(1, 1))": 0,
    "x = prefetch(1)": 1,
    "{ double here[(int)length(1)]; here[0] = 1; x = here[0]; }": 1,
    "x = n < 0 ? rarely(x) : 1": 0,
    "x = n < 0 && rarely(x) > 0": 0,
    "{ clear(); clear(); }": 0,
    "memset(bytes, 0, sizeof bytes)": 0,
}


CLASSES = ("int", "int_mul", "int_div", "fp_add", "fp_mul", "fp_div", "memory", "branch", "call", "math", "library", "byte")


class Folder(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mpisim-counted-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "main.c"), "w") as file:
            file.write(PROGRAM)


class Counted(Folder):
    def counted(self, kind, *options):
        """What each line of the program counts of one class of operations."""
        self.succeeds(call(MPISIMCC, *options, "main.c", "-o", "prog", cwd=self.folder))
        prices = ["--set", "processor.score=1e9 op/s"]
        prices += [word for name in CLASSES
                   for word in ("--set", f"processor.cost.{name}={'1 us' if name == kind else '0 s'}")]
        result = self.succeeds(call(MPISIM, "run", "-n", 1, "-m", "ideal", "--compute", "counted", "--quiet", *prices, "./prog",
                                    "1000", cwd=self.folder))
        return {line.rsplit(None, 1)[0]: float(line.rsplit(None, 1)[1]) for line in result.out.splitlines()}

    def test_multiplications(self):
        for options in (["-O0"], ["-O1"], ["-O2"], ["-O3", "-fPIC"], ["-Os"]):
            self.assertEqual(self.counted("fp_mul", *options), EXPECTED, options)

    def test_bytes(self):
        counted = self.counted("byte", "-O2")
        self.assertEqual(counted["{ clear(); clear(); }"], 80_000)
        self.assertEqual(counted["memset(bytes, 0, sizeof bytes)"], 200_000)


HEAD = "#include <mpi.h>\n#include <stdio.h>\n"
TIMED = """
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double start = MPI_Wtime();
  WORK;
  printf("%.0f\\n", (MPI_Wtime() - start) * 1e6);
  MPI_Finalize();
  return 0;
}
"""


class Elsewhere(Folder):
    """What has no counters: priced by a table, or said."""

    def program(self, name, text, work):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(HEAD + text + TIMED.replace("WORK", work))

    def run_it(self, *options, compute="counted"):
        return call(MPISIM, "run", "-n", 1, "-m", "cluster", "--compute", compute, *options, "./prog", cwd=self.folder)

    def foreign(self, name, text):
        with open(os.path.join(self.folder, name + ".c"), "w") as file:
            file.write(text)
        subprocess.run(["gcc", "-O1", "-c", name + ".c"], cwd=self.folder, check=True)

    def test_nothing_counted_is_refused(self):
        self.succeeds(call(MPISIMCC, "-fno-counted", "main.c", "-o", "prog", cwd=self.folder))
        result = self.run_it()
        self.assertEqual(result.status, 2, str(result))
        for text in ("./prog has no counters", "-fno-counted", "mpisimcc", "measured"):
            self.assertIn(text, result.err)
        self.succeeds(self.run_it(compute="off"))

    def test_objects_without_counters_are_named(self):
        self.foreign("burn", "double burn(int n) { double s = 0; for (int i = 0; i < n; i++)\n"
                             "  for (int j = 0; j < 1000; j++) s += 1.0 / (i + j + 1); return s; }")
        self.program("host.c", "double burn(int);", "burn(250000)")
        linked = self.succeeds(call(MPISIMCC, "host.c", "burn.o", "-o", "prog", cwd=self.folder))
        self.assertRegex(linked.err, r"note: without cost counters, .*: burn\.o$")
        self.assertEqual(self.succeeds(call(MPISIMCC, "-fno-counted", "host.c", "burn.o", "-o", "other", cwd=self.folder)).err, "")
        result = self.succeeds(self.run_it("--json", "out.json"))
        self.assertRegex(result.err, r"\d+ % of the ranks' processor time was in code without counters, "
                                     r"most of it in the program's own objects")
        with open(os.path.join(self.folder, "out.json")) as file:
            uncounted = json.load(file)["uncounted"]
        self.assertGreater(uncounted["share"], 0.8)
        self.assertAlmostEqual(uncounted["places"]["the program's own objects"], uncounted["share"])

    def test_all_counted_says_nothing(self):
        self.program("host.c", "static double burn(int n) { double s = 0; for (int i = 0; i < n; i++)\n"
                               "  for (int j = 0; j < 1000; j++) s += 1.0 / (i + j + 1); return s; }", "volatile double s = burn(250000); (void)s")
        linked = self.succeeds(call(MPISIMCC, "-O1", "host.c", "-o", "prog", cwd=self.folder))
        self.assertEqual(linked.err, "")
        result = self.succeeds(self.run_it("--json", "out.json"))
        self.assertNotIn("without counters", result.err)
        with open(os.path.join(self.folder, "out.json")) as file:
            uncounted = json.load(file)["uncounted"]
        self.assertGreaterEqual(uncounted["samples"], 25)
        self.assertLess(uncounted["share"], 0.05)

    def test_linear_algebra_is_priced_by_its_operations(self):
        self.foreign("blas", "void dgemm_(void) {} void cblas_daxpy(void) {} void zdscal(void) {}")
        prices = ["--set", "processor.score=1e9 op/s"] + [word for name in CLASSES for word in (
            "--set", f"processor.cost.{name}={'1 us' if name == 'fp_mul' else '0 s'}")]
        for work, expected in (("dgemm_(\"N\", \"N\", &m, &n, &k, &one, a, &m, a, &k, &one, a, &m)", 60),
                               ("cblas_daxpy(n, 1.0, a, 1, a, 1)", 4), ("zdscal(n)", 0)):
            self.program("host.c", """
                void dgemm_(const char *, const char *, int *, int *, int *, double *, double *, int *, double *, int *,
                            double *, double *, int *);
                void cblas_daxpy(int, double, const double *, int, double *, int);
                void zdscal(int);
                static int m = 3, n = 4, k = 5;
                static double one = 1, a[100];
                """, work)
            for level in ("-O0", "-O2"):
                self.succeeds(call(MPISIMCC, level, "-w", "host.c", "blas.o", "-o", "prog", cwd=self.folder))
                self.assertEqual(float(self.succeeds(self.run_it("--quiet", *prices)).out), expected, work)

    def test_vector_instructions_count_once(self):
        prices = ["--set", "processor.score=1e9 op/s"] + [word for name in CLASSES for word in (
            "--set", f"processor.cost.{name}={'1 us' if name in ('fp_add', 'call', 'library') else '0 s'}")]
        self.program("host.c", "#include <emmintrin.h>\nstatic double a[64], sum[2];",
                     "__m128d s = _mm_setzero_pd(); for (int i = 0; i < 64; i += 2) s = _mm_add_pd(s, _mm_loadu_pd(a + i)); "
                     "_mm_storeu_pd(sum, s)")
        for level in ("-O0", "-O2"):
            self.succeeds(call(MPISIMCC, level, "host.c", "-o", "prog", cwd=self.folder))
            self.assertEqual(float(self.succeeds(self.run_it("--quiet", *prices)).out), 32 + 1, level)  # and MPI_Wtime


if __name__ == "__main__":
    unittest.main()
