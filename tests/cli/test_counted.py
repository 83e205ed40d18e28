"""`--compute counted`: operations of the source, one class of which has a price, against a count by hand."""
import os
import tempfile
import textwrap
import unittest

from harness import Case, MPISIM, MPISIMCC, call

MULTIPLICATIONS = textwrap.dedent("""\
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
    "x = falling(n)": 1001,  # both sides of a conditional expression are counted
    "{ double here __attribute__((cleanup(leave))) = 1; (void)here; }": 3,
    "for (int i = 0; i < n; i++) x = copied(1, i % 8)": 1000,
    "x = (double)sizeof(product(1, 1))": 0,
}


class Counted(Case):
    def test_multiplications(self):
        with tempfile.TemporaryDirectory(prefix="mpisim-counted-") as folder:
            with open(os.path.join(folder, "main.c"), "w") as file:
                file.write(MULTIPLICATIONS)
            free = [word for name in ("int", "int_mul", "int_div", "fp_add", "fp_div", "memory", "branch", "call", "math",
                                      "library", "byte") for word in ("--set", f"processor.cost.{name}=0 s")]
            for options in (["-O0"], ["-O2"], ["-O2", "--mpisim-cc=gcc"]):
                self.succeeds(call(MPISIMCC, *options, "main.c", "-o", "prog", cwd=folder))
                result = self.succeeds(call(MPISIM, "run", "-n", 1, "-m", "ideal", "--compute", "counted", "--quiet", *free,
                                            "--set", "processor.cost.fp_mul=1 us", "./prog", "1000", cwd=folder))
                counted = {line.rsplit(None, 1)[0]: float(line.rsplit(None, 1)[1]) for line in result.out.splitlines()}
                self.assertEqual(counted, EXPECTED, f"{options}: {result}")


if __name__ == "__main__":
    unittest.main()
