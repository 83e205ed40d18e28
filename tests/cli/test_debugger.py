"""gdb with preprocessor/debugger/mpisim-gdb.py: the variables of the rank that runs."""
import os
import re
import shutil
import textwrap
import unittest

from harness import MPISIM, MPISIMCC, ROOT, WORK, Case, call

SCRIPT = os.path.join(ROOT, "preprocessor", "debugger", "mpisim-gdb.py")
PROGRAM = textwrap.dedent("""\
    #include <mpi.h>
    #include <stdio.h>
    struct point { int x, y; struct point *next; };
    static int counter = 5, table[4] = {1, 2, 3, 4}, *target = &table[1];
    struct point corner = {7, 8, 0};
    static double zeros[2][3];
    static int work(int rank) {
      static int calls = 40;
      struct point *mine = &corner;
      calls += rank;
      return calls + mine->x; /* here */
    }
    int main(int argc, char **argv) {
      int rank;
      MPI_Init(&argc, &argv);
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      counter += 10 * rank; *target = 300 + rank; corner.y = 200 + rank; corner.next = &corner; zeros[1][2] = rank + .5;
      MPI_Barrier(MPI_COMM_WORLD);
      printf("%d\\n", counter + work(rank));
      MPI_Finalize();
      return 0;
    }
    """)
LIBRARY = "static int hidden = 9;\nint visible = 11;\nint library_work(int rank) {\n  hidden += rank;\n  visible += rank;\n" \
          "  return hidden; /* here */\n}\n"
USER = "#include <mpi.h>\nint library_work(int);\nint own = 50;\nint main(int argc, char **argv) {\n  int rank;\n" \
       "  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  own += rank;\n  MPI_Barrier(MPI_COMM_WORLD);\n" \
       "  library_work(rank);\n  MPI_Finalize();\n  return 0;\n}\n"


def compiled(source, text, *options, output):
    path, output = os.path.join(WORK, source), os.path.join(WORK, output)
    with open(path, "w") as file:
        file.write(text)
    done = call(MPISIMCC, "-g", "-O0", path, *options, "-o", output)
    if done.status != 0:
        raise RuntimeError(f"mpisimcc {source}: {done}")
    return output


def place(text):
    """Line that the comment in the program marks."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if "/* here */" in line)


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Debugger(Case):
    def debug(self, program, stop, *expressions, command="rank-print"):
        """What each expression is on rank 2 of 3 at the breakpoint, and all that gdb said."""
        words = ["set pagination off", "set follow-fork-mode child", "set breakpoint pending on",
                 f"break {stop} if $running_rank() == 2", "run"]
        for number, expression in enumerate(expressions):
            words += [f"echo \\n<{number}>", f"{command} {expression}"]
        words += ["echo \\n<end>\\n", "rank-where", "kill"]
        options = [option for word in words for option in ("-ex", word)]
        done = call("gdb", "-nx", "-q", "-batch", "-x", SCRIPT, *options, "--args", MPISIM, "run", "--quiet", "-n", 3,
                    "-m", "ideal", "--compute", "off", program)
        # gdb tells what an expression is as `$1 = value`, a fault on standard error.
        return [re.sub(r"^\$\d+ = ", "", value.strip()) for value in re.findall(r"<\d+>([^<]*)", done.out)], done

    def check(self, program, stop, wanted):
        values, done = self.debug(program, stop, *wanted)
        self.assertEqual(dict(zip(wanted, values)), wanted, str(done))
        self.assertIn("\nrank 2\n", done.out, str(done))

    def test_program(self):
        program = compiled("debugged.c", PROGRAM, output="debugged.sim")
        self.check(program, f"debugged.c:{place(PROGRAM)}", {
            "counter": "25",
            "counter == 25 && rank == 2": "1",
            "table": "{1, 302, 3, 4}",
            "table[1] + counter": "327",
            "table[1]@2": "{302, 3}",
            "/x table[1]": "0x12e",
            "corner.y": "202",
            "corner.next->next->y": "202",
            "mine->y": "202",
            "mine == &corner": "1",
            "calls": "42",
            "work::calls": "42",
            "*target": "302",
            "target == &table[1]": "1",
            "zeros[1]": "{0, 0, 2.5}",
            "sizeof table": "16",
            "(counter = 77) + counter": "154",
        })

    def test_library(self):
        library = compiled("debuggedlib.c", LIBRARY, "-fPIC", "-shared", output="libdebugged.so")
        user = compiled("user.c", USER, library, f"-Wl,-rpath,{WORK}", output="user.sim")
        self.check(user, f"debuggedlib.c:{place(LIBRARY)}", {"hidden": "11", "visible": "13", "own": "52"})

    def test_the_image_is_another(self):
        program = compiled("debugged.c", PROGRAM, output="debugged.sim")
        values, done = self.debug(program, f"debugged.c:{place(PROGRAM)}", "counter", command="print")
        self.assertEqual(values, ["5"], str(done))

    def test_faults(self):
        done = call("gdb", "-nx", "-q", "-batch", "-x", SCRIPT, "-ex", "rank-print 2 * 3", "-ex", "rank-print nothing")
        self.assertIn("= 6", done.out)
        self.assertRegex(done.err, 'No symbol ("nothing" in current context|table is loaded)')
        self.assertIn("needs an expression", call("gdb", "-nx", "-q", "-batch", "-x", SCRIPT, "-ex", "rank-print").err)
        self.assertIn("not being run", call("gdb", "-nx", "-q", "-batch", "-x", SCRIPT, "-ex", "rank-where").err)


if __name__ == "__main__":
    unittest.main()
