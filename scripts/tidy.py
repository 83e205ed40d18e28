"""Runs clang-tidy on the project's sources; any finding is a failure.

usage: tidy.py [--analyze] BUILD [FILE ...]

Checks every C++ source of the build, or only FILEs, side by side on all processors. Needs the target tidy_scope of the
build, which keeps clang-tidy from looking at libraries' headers. --analyze runs Clang's static analyzer, too, which takes ten
times as long: once in a while, not in every test run.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--analyze", action="store_true")
    parser.add_argument("build")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    plugin = os.path.join(options.build, "lib", "libtidy_scope.so")
    if not os.path.exists(plugin):
        sys.exit(f"tidy.py: {plugin} is missing: scripts/build tidy_scope")
    with open(os.path.join(options.build, "compile_commands.json")) as database:
        sources = {entry["file"] for entry in json.load(database) if entry["file"].endswith(".cpp")}
    sources = [s for s in sources if s.startswith(root + os.sep)]
    if options.files:
        wanted = {os.path.abspath(name) for name in options.files}
        unknown = wanted - set(sources)
        if unknown:
            sys.exit(f"tidy.py: not a source of the build: {', '.join(sorted(unknown))}")
        sources = wanted
    sources = sorted(sources, key=os.path.getsize, reverse=True)  # the long ones first: all processors end together

    checks = [] if options.analyze else ["--checks=-clang-analyzer-*"]

    def check(source):
        run = subprocess.run(["clang-tidy-19", "-p", options.build, "--quiet", "--load", plugin,
                              *checks, "--warnings-as-errors=*", source], capture_output=True, text=True)
        return "" if run.returncode == 0 else run.stdout + run.stderr

    faults = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for findings in pool.map(check, sources):
            if findings:
                faults += 1
                print(findings, flush=True)
    print(f"clang-tidy: {len(sources)} files checked, {faults} with faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
