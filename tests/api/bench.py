"""What motte-bench does with its command line: mistakes are named before anything is measured, tables
fit a terminal, and an interrupted run keeps what it has.

Argument: motte-bench."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from tap import Tap

BENCH = sys.argv[1]
SMALL = {
    "rays": ["--rays", "500", "--repeats", "1"],
    "moving": ["--shapes", "300", "--frames", "2", "--repeats", "1"],
    "refit": ["--rays", "200", "--frames", "2", "--repeats", "1"],
    "instances": ["--shapes", "100", "--rays", "50", "--frames", "2"],
    "queries": ["--probes", "5", "--repeats", "1", "--queries", "cast,closest"],
    "kinds": ["--shapes", "100", "--frames", "2", "--kinds", "box,hull"],
    "step": ["--bodies", "60", "--frames", "20"],
    "broadmark": ["--shapes", "200,300", "--frames", "4", "--workload", "walk,fly"],
}
# More than can be measured before the interruption.
ENDLESS = {
    "rays": ["--rays", "500", "--repeats", "1000"],
    "moving": ["--shapes", "300", "--frames", "100000"],
    "refit": ["--rays", "200", "--frames", "100000"],
    "instances": ["--shapes", "100", "--rays", "50", "--frames", "100000"],
    "queries": ["--probes", "500", "--repeats", "1000", "--queries", "cast"],
    "kinds": ["--shapes", "300", "--frames", "100000"],
    "step": ["--bodies", "60", "--frames", "20", "--repeats", "1000", "--scene", "pile"],
    "broadmark": ["--shapes", "300", "--frames", "100000"],
}
WIDTH = 120
WORKLOADS = {"walk": "a", "fly": "A", "dart": "v", "explode": "x", "walk-10": "b", "walk-1": "c",
             "walk-0.1": "h", "sizes": "d", "clusters": "e", "teleport-10": "f", "teleport": "F",
             "replace-1": "g", "stream": "s"}


def run(*arguments):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=False)


def refused(arguments, *named):
    """Problems unless the program refuses the arguments, naming these words, and measures nothing."""
    result = run(*arguments)
    problems = [f"does not say {word!r}: {result.stderr}" for word in named
                if word not in result.stderr]
    if result.returncode == 0:
        problems.append("exit code 0")
    if result.stdout:
        problems.append("measured all the same")
    return problems


def check_names(tap):
    tap.check("an unknown suite", refused(["nosuch"], '"nosuch"', *SMALL))
    for suite in SMALL:
        engine = "motte-refit" if suite == "refit" else "motte"
        tap.check(f"an unknown engine of {suite}",
                  refused([suite, "--engines", "nosuch"], "--engines", '"nosuch"', "all", engine))
        tap.check(f"an unknown peer of {suite}",
                  refused([suite, "--peers", "nosuch"], "--peers", '"nosuch"', "none"))
    for suite in ["moving", "broadmark"]:
        tap.check(f"an unknown workload of {suite}",
                  refused([suite, "--workload", "nosuch"], "--workload", '"nosuch"', *WORKLOADS))


def check_workloads(tap):
    problems = []
    for name, letter in WORKLOADS.items():
        for spelling in [name, letter]:
            output = run("moving", *SMALL["moving"], "--workload", spelling).stdout
            if not output.startswith(f"moving {name}/300/boxes\n"):
                problems.append(f"--workload {spelling}: {output[:40]!r}")
    tap.check("workloads have names and letters", problems)
    output = run("moving", *SMALL["moving"], "--moving", "0.25").stdout
    tap.check("a share has the name of its percentage",
              [] if output.startswith("moving walk-25/300/boxes\n") else [output[:40]])


def check_json(tap, folder):
    absent = folder / "absent" / "x.json"
    tap.check("an unwritable file is refused before the run",
              refused(["moving", "--json", str(absent)], "cannot write", str(absent)))
    tap.check("a folder is refused before the run",
              refused(["moving", "--json", str(folder)], "cannot write", str(folder)))
    kept, new = folder / "kept.json", folder / "new.json"
    kept.write_text("before")
    for file in [kept, new]:
        run("moving", "--json", str(file), "--engines", "nosuch")
    tap.check("a refused run leaves files alone",
              ["changed"] * (kept.read_text() != "before") + ["made"] * new.exists())
    run("moving", *SMALL["moving"], "--json", str(kept))
    report = json.loads(kept.read_text())
    tap.check("a whole run is written",
              ["no results"] * (not report["results"]) + ["interrupted"] * report["interrupted"])


def check_tables(tap):
    for suite, options in SMALL.items():
        wide = [line for line in run(suite, *options, "--engines", "all").stdout.splitlines()
                if len(line) > WIDTH]
        tap.check(f"tables of {suite} are {WIDTH} columns wide at most", wide[:3])


def wait_until_busy(process, seconds):
    """Until the process has used that much processor time: others may use the processors, too."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        if (int(fields[11]) + int(fields[12])) / ticks >= seconds:
            return
        time.sleep(0.02)


def check_interrupt(tap, folder, suite):
    file = folder / f"{suite}.json"
    with subprocess.Popen([BENCH, suite, *ENDLESS[suite], "--json", str(file)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until_busy(process, 1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    problems = []
    if process.returncode != 130:
        problems.append(f"exit code {process.returncode}: {errors[-200:]}")
    if not output.startswith(f"{suite} "):
        problems.append("no table")
    if file.exists():
        report = json.loads(file.read_text())
        timed = [result for result in report["results"] if result["repeats"] > 1]
        problems += ["not marked as interrupted"] * (not report["interrupted"])
        problems += ["nothing that was timed"] * (not timed)
    else:
        problems.append("no JSON")
    tap.check(f"Ctrl-C in {suite} keeps what was measured", problems)


def main():
    tap = Tap()
    check_names(tap)
    check_workloads(tap)
    check_tables(tap)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_json(tap, folder)
        for suite in ENDLESS:
            check_interrupt(tap, folder, suite)
    tap.finish()


main()
