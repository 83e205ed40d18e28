"""Help, version, completion scripts and manual pages, all from one table."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import Case, MPISIM, WORK, call, mpisim

COMMANDS = (["run"], ["machine", "show"], ["machine", "check"], ["machine", "list"], ["sweep"], ["completion"], ["man"])


class Help(Case):
    def test_everywhere(self):
        for words in ([], ["machine"], *COMMANDS):
            for flag in ("--help", "-h"):
                result = self.succeeds(mpisim(*words, flag))
                self.assertTrue(result.out.startswith("usage: mpisim " + " ".join(words)), result.out)
                self.assertEqual(result.err, "")

    def test_even_with_other_faults(self):
        self.succeeds(mpisim("run", "--help", "-n", "0"))

    def test_lines_fit(self):
        for words in ([], *COMMANDS):
            for line in mpisim(*words, "--help").out.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_tells_what_is_there_only(self):
        text = mpisim("--help").out
        for later in ("replay", "analyze", "calibrate"):
            self.assertNotIn(later, text)
        text = mpisim("run", "--help").out
        for later in ("--trace", "--report"):
            self.assertNotIn(later, text)

    def test_exit_statuses(self):
        text = mpisim("run", "--help").out
        for word in ("Deadlock", "crashed", "misuse", "host process failed"):
            self.assertIn(word, text)


class Version(Case):
    def test_everywhere(self):
        for words in ([], *COMMANDS):
            result = self.succeeds(mpisim(*words, "--version"))
            self.assertRegex(result.out, r"^mpisim \d+\.\d+\.\d+\n$")


class Manual(Case):
    def test_same_options_as_the_help(self):
        for words in COMMANDS:
            options = set(re.findall(r"--[a-z-]+", mpisim(*words, "--help").out))
            page = self.succeeds(mpisim("man", *words)).out.replace("\\-", "-")
            for option in options:
                self.assertIn(option, page, words)

    def test_well_formed(self):
        if not shutil.which("lexgrog") or not shutil.which("man"):
            self.skipTest("man-db is not installed")
        pages = os.path.join(WORK, "man")
        self.succeeds(mpisim("man", "--all", pages))
        self.assertEqual(sorted(os.listdir(pages)),
                         sorted(["mpisim.1"] + ["mpisim-" + "-".join(c) + ".1" for c in COMMANDS]))
        for page in os.listdir(pages):
            path = os.path.join(pages, page)
            self.assertIn(" - ", self.succeeds(call("lexgrog", path)).out)
            shown = call("man", "--warnings", "-E", "UTF-8", "-l", path, environment={"MANWIDTH": "80"})
            self.assertEqual(shown.err, "", page)


class Completion(Case):
    def complete(self, *words):
        """What bash offers for the last word."""
        quoted = " ".join(f"'{w}'" for w in words)
        script = (f"source <('{MPISIM}' completion bash); PATH='{os.path.dirname(MPISIM)}':$PATH; COMP_WORDS=({quoted}); "
                  f"COMP_CWORD={len(words) - 1}; _mpisim; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return set(subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=WORK).stdout.split())

    def test_bash(self):
        self.assertEqual(self.complete("mpisim", "ru"), {"run"})
        self.assertEqual(self.complete("mpisim", "machine", ""), {"show", "check", "list"})
        self.assertEqual(self.complete("mpisim", "run", "--det"), {"--deterministic"})
        self.assertEqual(self.complete("mpisim", "run", "--compute", ""), {"measured", "counted", "recorded", "off"})
        self.assertEqual(self.complete("mpisim", "run", "-m", "para"), {"paragon"})
        self.assertEqual(self.complete("mpisim", "completion", "f"), {"fish"})
        self.assertNotIn("--trace", self.complete("mpisim", "run", "--"))

    def test_scripts_are_valid(self):
        for shell in ("bash", "zsh", "fish"):
            text = self.succeeds(mpisim("completion", shell)).out
            self.assertIn("deterministic", text)
            if shutil.which(shell):
                check = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True)
                self.assertEqual((check.returncode, check.stderr), (0, ""), shell)

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        script = self.succeeds(mpisim("completion", "fish")).out
        ask = script + "\ncomplete -C 'mpisim run --determ'; complete -C 'mpisim run --compute cou'"
        answer = subprocess.run(["fish", "-N"], input=ask, text=True, capture_output=True).stdout
        self.assertEqual([line.split("\t")[0] for line in answer.splitlines()], ["--deterministic", "counted"])

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_loads_it_by_name(self):
        """The first completion, which loads the file as a function, has to answer already."""
        folder = tempfile.mkdtemp(dir=WORK)
        with open(os.path.join(folder, "_mpisim"), "w") as file:
            file.write(self.succeeds(mpisim("completion", "zsh")).out)
        # A shell with a terminal, which runs until it has answered.
        talk = ("zmodload zsh/zpty; zpty z zsh -f -i; "
                f"zpty -w z 'fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -d {folder}/dump; print rea''dy'; "
                "zpty -r -m z out '*ready*'; zpty -w -n z $'mpisim run --determ\t'; "
                "zpty -r -m z out '*--deterministic*' && print found; zpty -d z")
        answer = subprocess.run(["zsh", "-f", "-c", talk], text=True, capture_output=True, timeout=60)
        self.assertIn("found", answer.stdout, str(answer))


if __name__ == "__main__":
    unittest.main()
