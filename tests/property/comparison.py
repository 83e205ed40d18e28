"""Runs of `mpisim run` and what two of them must agree in."""
import itertools
import json
import os
import signal
import subprocess

# The rest of the JSON is what a run cost the host, and how it was made.
FIELDS = ("machine", "ranks", "exact", "compute", "predicted_time_ps", "predicted_time_s", "messages", "bytes",
          "exit_code", "exit_reason", "breakdown", "per_rank", "io")


def simulate(mpisim, program, arguments, machine, ranks, options, folder, limit=120):
    """Exit status (None: no end within `limit` seconds), output, messages and JSON of a run in `folder`; and its command."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [str(part) for part in
               [mpisim, "run", "-n", ranks, "-m", machine, *options, "--quiet", "--per-rank", "--json", report, program,
                *arguments]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          cwd=folder, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return {"exit": None, "output": [], "errors": f"no end within {limit} s"}, " ".join(command)
    result = {"exit": process.returncode, "output": out.splitlines(), "errors": err}
    if report.exists():
        result["json"] = json.loads(report.read_text())
    return result, " ".join(command)


def differences(expected, got, stopped=False):
    """Readable differences. A run that a rank stopped prints what its host processes had got to: only the end agrees."""
    found = []
    if expected["exit"] != got["exit"]:
        found.append(f"exit status {got['exit']} instead of {expected['exit']}; {got['errors'].strip()[-500:]}")
    if "json" not in got or "json" not in expected:
        if expected.get("json") is not got.get("json"):
            found.append("no JSON from one of them")
        return found
    fields = ("exit_code", "exit_reason") if stopped else FIELDS
    for field in fields:
        a, b = expected["json"].get(field), got["json"].get(field)
        if a == b:
            continue
        if field == "per_rank":
            for one, other in zip(a or [], b or []):
                found += [f"rank {one['rank']}: {key} {other.get(key)} instead of {value}" for key, value in one.items()
                          if other.get(key) != value][:2]
        else:
            found.append(f"{field}: {b} instead of {a}")
    if not stopped and expected["output"] != got["output"]:
        lines = [f"  {b!r} instead of {a!r}" for a, b in itertools.zip_longest(expected["output"], got["output"])
                 if a != b]
        found.append(f"output differs in {len(lines)} lines:\n" + "\n".join(lines[:3]))
    return found
