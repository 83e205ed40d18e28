"""`--compute counted`: operations of the program, one class of which has a price, against a count by hand."""
import os
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


class Counted(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mpisim-counted-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "main.c"), "w") as file:
            file.write(PROGRAM)

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


if __name__ == "__main__":
    unittest.main()
