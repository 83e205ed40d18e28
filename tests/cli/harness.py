"""What the tests of the command line share: calling the commands, compiling the programs beside this file."""
import functools
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("MPISIM_BUILD", os.path.join(ROOT, "build")))
MPISIM = os.path.join(BUILD, "bin", "mpisim")
MPISIMCC = os.environ.get("MPISIM_TEST_COMPILER", os.path.join(BUILD, "bin", "mpisimcc"))
LIMIT = 120  # seconds for one command

_work = tempfile.TemporaryDirectory(prefix="mpisim-cli-")
WORK = _work.name


class Result:
    """How a command ended."""

    def __init__(self, status, out, err, data=None):
        self.status, self.out, self.err, self.data = status, out, err, data

    def __repr__(self):
        return f"exit status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def call(*words, cwd=WORK, environment=None, stdin=None):
    run = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True, errors="replace",
                         input=stdin if stdin is not None else "", timeout=LIMIT,
                         env=None if environment is None else {**os.environ, **environment})
    return Result(run.returncode, run.stdout, run.stderr)


def mpisim(*words, **keywords):
    return call(MPISIM, *words, **keywords)


@functools.cache
def program(name):
    """Path of tests/cli/programs/NAME.c, compiled by mpisimcc."""
    output = os.path.join(WORK, name + ".sim")
    done = call(MPISIMCC, "-g", "-O1", os.path.join(HERE, "programs", name + ".c"), "-o", output, "-lm")
    if done.status != 0:
        raise RuntimeError(f"mpisimcc {name}.c: {done}")
    return output


def run(ranks, name, *arguments, machine="sp2", options=(), **keywords):
    """mpisim run with a JSON file; Result.data is its content, None if there is none."""
    path = os.path.join(WORK, "result.json")
    if os.path.exists(path):
        os.remove(path)
    path_or_name = name if os.sep in name else program(name)
    result = mpisim("run", "-n", ranks, "-m", machine, "--json", path, *options, path_or_name, *arguments, **keywords)
    if os.path.exists(path):
        with open(path) as file:
            result.data = json.load(file)
    return result


class Case(unittest.TestCase):
    maxDiff = None

    def refuses(self, words, *expected, status=2):
        """The command ends with this status and one message on stderr that holds all of `expected`."""
        result = mpisim(*words)
        self.assertEqual(result.status, status, f"{words}: {result}")
        self.assertEqual(result.out, "", f"{words}: a fault belongs on stderr")
        for text in expected:
            self.assertIn(text, result.err, f"{words}: {result}")
        return result

    def succeeds(self, result):
        self.assertEqual(result.status, 0, str(result))
        return result
