"""Runs clang-tidy on the project's sources within a time budget.

usage: tidy.py BUILD [--all] [--seconds N]

The whole project takes longer than a test run may: files are checked in the order of their last change, newest first,
until N seconds (default 300) are over; what was left out is told. --all checks everything.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time


def files_by_last_change(root, sources):
    """Newest commit first; files that git does not know come before all."""
    listing = subprocess.run(["git", "-C", root, "log", "--name-only", "--format="], capture_output=True, text=True)
    order = {}
    for name in listing.stdout.split("\n"):
        order.setdefault(name, len(order))
    return sorted(sources, key=lambda s: (order.get(os.path.relpath(s, root), -1), s))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(options.build, "compile_commands.json")) as database:
        sources = sorted({entry["file"] for entry in json.load(database) if entry["file"].endswith(".cpp")})
    sources = files_by_last_change(root, [s for s in sources if s.startswith(root + os.sep)])
    deadline = time.monotonic() + options.seconds

    def check(source):
        """Returns nothing if time is over, else clang-tidy's findings ("" if there are none)."""
        if not options.all and time.monotonic() > deadline:
            return None
        run = subprocess.run(["clang-tidy-19", "-p", options.build, "--quiet", "--warnings-as-errors=*", source],
                             capture_output=True, text=True)
        return "" if run.returncode == 0 else run.stdout + run.stderr

    checked = faults = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for findings in pool.map(check, sources):
            checked += findings is not None
            if findings:
                faults += 1
                print(findings, flush=True)
    left = len(sources) - checked
    print(f"clang-tidy: {checked} of {len(sources)} files checked, {faults} with faults"
          + (f"; {left} of the longest unchanged ones left out for time (tidy.py BUILD --all)" if left else ""))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
