"""What motte-bench does with its command line: mistakes are named before anything is measured, tables
fit a terminal, and an interrupted run keeps what it has.

Argument: motte-bench."""

import csv
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import animated_scene
import crossing_edges
import planar_arm
import report_pages
from tap import Tap

BENCH = sys.argv[1]
SMALL = {
    "rays": ["--rays", "500", "--repeats", "1"],
    "moving": ["--shapes", "300", "--frames", "2", "--repeats", "1"],
    "refit": ["--rays", "200", "--frames", "2", "--repeats", "1"],
    "edits": ["--triangles", "3000", "--edits", "4", "--rays", "200", "--repeats", "1"],
    "instances": ["--shapes", "100", "--figures", "2", "--rays", "50", "--frames", "2"],
    "queries": ["--probes", "5", "--repeats", "1", "--queries", "cast,closest,overlap-shapes",
                "--sea", "8"],
    "kinds": ["--shapes", "100", "--frames", "2", "--kinds", "box,hull"],
    "step": ["--bodies", "60", "--frames", "20"],
    "engine-scenes": ["--bodies", "60", "--frames", "6"],
    "broadmark": ["--shapes", "200,300", "--frames", "4", "--workload", "walk,fly"],
    "ccd-queries": ["--max-queries", "10", "--repeats", "2"],
    "ccd-frames": ["--repeats", "2"],
    "motion-planning": ["--repeats", "2", "--forms", "spheres,meshes"],
    "hulls": ["--pairs", "50", "--repeats", "2"],
    "heights": ["--samples", "32", "--queries", "10", "--bodies", "8", "--edits", "2", "--repeats",
                "1"],
    "meshes": ["--poses", "10", "--segments", "32", "--repeats", "1"],
    "static-pairs": ["--rotations", "3", "--segments", "32", "--repeats", "1", "--distances",
                     "-0.01,0.1"],
    "classics": ["--shapes", "300", "--instances", "20", "--rays", "200", "--frames", "2",
                 "--probes", "20", "--repeats", "1"],
}
# What suites with data read: folders of files that the test makes.
VERTEX_THROUGH_FACE = ["0,1,0,1,1,1", "-1,1,-1,1,0,1", "1,1,-1,1,0,1", "0,1,2,1,0,1",
                       "0,1,0,1,-1,1", "-1,1,-1,1,0,1", "1,1,-1,1,0,1", "0,1,2,1,0,1"]
VERTEX_BESIDE_FACE = ["5,2,0,1,1,1", *VERTEX_THROUGH_FACE[1:4], "5,2,0,1,-1,1",
                      *VERTEX_THROUGH_FACE[1:4]]
CROSSING_EDGES = ["-1,1,0,1,1,1", "1,1,0,1,1,1", "0,1,-1,1,0,1", "0,1,1,1,0,1",
                  "-1,1,0,1,-1,1", "1,1,0,1,-1,1", "0,1,-1,1,0,1", "0,1,1,1,0,1"]


def csv_of(queries):
    return "".join(f"{line},{int(collides)}\n" for lines, collides in queries for line in lines)


def make_data(folder):
    """A little of what each suite with data reads."""
    scene = folder / "ccd-sample-queries" / "made"
    for kind, queries in [("vertex-face", [(VERTEX_THROUGH_FACE, True), (VERTEX_BESIDE_FACE, False)]),
                          ("edge-edge", [(CROSSING_EDGES, True)])]:
        (scene / kind).mkdir(parents=True)
        (scene / kind / "0.csv").write_text(csv_of(queries) * 1000)


    write_frames(folder / "ccd-unc-frames" / "made")
    # A name may be the number alone.
    write_frames(folder / "ccd-unc-frames" / "numbers", 3, "")
    crossing_edges.write(folder / "ccd-unc-frames" / "edges")
    crossing_edges.write_fan(folder / "ccd-unc-frames" / "fan")
    planar_arm.write(folder / "motion-bench-maker")
    (folder / "jolt-hulls").mkdir()
    (folder / "jolt-hulls" / "convex_hulls.bin").write_bytes(b"".join(map(cloud_of, CLOUDS)))


# The corners of boxes and a pyramid, whose hulls they are, with points inside; and a square.
CLOUDS = [[(x * a, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
          + [(0.1 * i, 0.2, -0.1 * i) for i in range(a)] for a in range(1, 8)]
CLOUDS += [[(0, 0, 5), (1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (0, 0, 1)],
           [(0, 0, 7), (1, 0, 7), (1, 1, 7), (0, 1, 7), (0.5, 0.5, 7)]]


def cloud_of(points):
    return struct.pack("<I", len(points)) + b"".join(struct.pack("<fff", *p) for p in points)


def ply_of(vertices, faces):
    head = (f"ply\nformat binary_big_endian 1.0\nelement vertex {len(vertices)}\n"
            "property float x\nproperty float y\nproperty float z\nproperty uchar red\n"
            f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n")
    return (head.encode() + b"".join(struct.pack(">fffB", *vertex, 7) for vertex in vertices)
            + b"".join(struct.pack(">Biii", 3, *face) for face in faces))


def write_frames(scene, triangles=300, name="run1_"):
    """A floor of separate triangles, and a small triangle above each, of which every second one
    sinks through the floor from one frame to the next."""
    frames, faces, known = ([], []), [], []
    for i in range(triangles):
        for t, frame in enumerate(frames):
            height = 1 - 2 * t if i % 2 else 1 + t
            frame += [(4 * i + x, y, 0) for x, y in [(-1, -1), (1, -1), (0, 1)]]
            frame += [(4 * i + x, y, height) for x, y in [(-.1, -.1), (.1, -.1), (0, .1)]]
        faces += [(6 * i, 6 * i + 1, 6 * i + 2), (6 * i + 3, 6 * i + 4, 6 * i + 5)]
        if i % 2:
            # Boxes of vertices, of edges and of faces are numbered one after another.
            known += [[6 * i + 3 + k, 12 * triangles + 2 * i] for k in range(3)]
    for part in ["frames", "boxes", "mma_bool"]:
        (scene / part).mkdir(parents=True)
    for t, frame in enumerate(frames):
        (scene / "frames" / f"{name}{9 + t}.ply").write_bytes(ply_of(frame, faces))
    known.reverse()
    (scene / "boxes" / "9vf.json").write_text(json.dumps(known))
    (scene / "mma_bool" / "9vf_mma_bool.json").write_text(json.dumps([True] * len(known)))


WITH_DATA = {"ccd-queries": "ccd-sample-queries", "ccd-frames": "ccd-unc-frames",
             "motion-planning": "motion-bench-maker", "hulls": "jolt-hulls"}
# More than can be measured before the interruption.
ENDLESS = {
    "rays": ["--rays", "500", "--repeats", "1000"],
    "moving": ["--shapes", "300", "--frames", "100000"],
    "edits": ["--triangles", "20000", "--repeats", "1000"],
    "refit": ["--rays", "200", "--frames", "100000"],
    "instances": ["--shapes", "100", "--rays", "50", "--frames", "100000"],
    "queries": ["--probes", "500", "--repeats", "1000", "--queries", "cast"],
    "kinds": ["--shapes", "300", "--frames", "100000"],
    "step": ["--bodies", "60", "--frames", "20", "--repeats", "1000", "--scene", "pile"],
    "engine-scenes": ["--bodies", "60", "--frames", "20", "--repeats", "1000", "--scene",
                      "bullet-boxes"],
    "broadmark": ["--shapes", "300", "--frames", "100000"],
    "ccd-queries": ["--repeats", "1000"],
    "ccd-frames": ["--repeats", "1000"],
    "motion-planning": ["--repeats", "1000"],
    "hulls": ["--repeats", "1000"],
    "heights": ["--samples", "64", "--queries", "2000", "--repeats", "1000", "--parts", "rays"],
    "meshes": ["--poses", "200", "--segments", "32", "--repeats", "1000", "--queries", "list"],
    "static-pairs": ["--rotations", "50", "--segments", "32", "--repeats", "1000", "--distances",
                     "0.1"],
    "classics": ["--claims", "loose", "--shapes", "300", "--frames", "100000"],
}
WIDTH = 120
ABSENT = "not in this build" # of a suite whose libraries were not found
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
    tap.check("an unknown command",
              refused(["nosuch"], '"nosuch"', "list", "run", "compare", "report",
                      "counts"))
    tap.check("an unknown suite", refused(["run", "nosuch"], '"nosuch"', *SMALL))
    tap.check("an unknown suite beside a known one", refused(["run", "rays", "nosuch"], '"nosuch"'))
    tap.check("a file where suites are expected", refused(["run", "rays", BENCH], BENCH, "--mesh"))
    tap.check("no suite", refused(["run"], "motte-bench list"))
    tap.check("an option that no suite has", refused(["run", "rays", "--shapes", "5"], "--shapes"))
    tap.check("a file that is no option", refused(["run", "kinds", "--shapes", "5", "x.obj"], "x.obj"))
    for suite in SMALL:
        engine = "motte-refit" if suite == "refit" else "motte"
        tap.check(f"an unknown engine of {suite}",
                  refused(["run", suite, "--engines", "nosuch"], "--engines", '"nosuch"', "all", engine))
        tap.check(f"an unknown peer of {suite}",
                  refused(["run", suite, "--peers", "nosuch"], "--peers", '"nosuch"', "none"))
    for suite in ["moving", "broadmark"]:
        tap.check(f"an unknown workload of {suite}",
                  refused(["run", suite, "--workload", "nosuch"], "--workload", '"nosuch"', *WORKLOADS))


def check_workloads(tap):
    problems = []
    for name, letter in WORKLOADS.items():
        for spelling in [name, letter]:
            output = run("run", "moving", *SMALL["moving"], "--workload", spelling).stdout
            if not output.startswith(f"moving {name}/300/boxes\n"):
                problems.append(f"--workload {spelling}: {output[:40]!r}")
    tap.check("workloads have names and letters", problems)
    output = run("run", "moving", *SMALL["moving"], "--moving", "0.25").stdout
    tap.check("a share has the name of its percentage",
              [] if output.startswith("moving walk-25/300/boxes\n") else [output[:40]])


def check_threads(tap):
    """Several workers have rows of their own, and the same answers."""
    for suite, engine in [("rays", "motte-batch"), ("moving", "motte"), ("broadmark", "motte")]:
        result = run("run", suite, *SMALL[suite], "--threads", "1,2", "--json", "-")
        engines = {row["engine"] for row in json.loads(result.stdout)["results"]}
        tap.check(f"two workers in {suite}", [result.stderr] * (result.returncode != 0)
                  + [str(engines)] * (f"{engine}-2-workers" not in engines))


def check_json(tap, folder):
    absent = folder / "absent" / "x.json"
    tap.check("an unwritable file is refused before the run",
              refused(["run", "moving", "--json", str(absent)], "cannot write", str(absent)))
    tap.check("a folder is refused before the run",
              refused(["run", "moving", "--json", str(folder)], "cannot write", str(folder)))
    kept, new = folder / "kept.json", folder / "new.json"
    kept.write_text("before")
    for file in [kept, new]:
        run("run", "moving", "--json", str(file), "--engines", "nosuch")
    tap.check("a refused run leaves files alone",
              ["changed"] * (kept.read_text() != "before") + ["made"] * new.exists())
    run("run", "moving", *SMALL["moving"], "--json", str(kept))
    report = json.loads(kept.read_text())
    tap.check("a whole run is written",
              ["no results"] * (not report["results"]) + ["interrupted"] * report["interrupted"])


def check_files(tap, folder):
    """Files have names in a report, not places."""
    meshes = [folder / "one.off", folder / "two.off"]
    for mesh in meshes:
        mesh.write_text("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                        "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n")
    result = run("run", "rays", *SMALL["rays"], "--distributions", "primary", "--json", "-",
                 *(f"--mesh={mesh}" for mesh in meshes))
    tap.check("a report names all files that were given", [result.stderr] if result.returncode else
              [] if json.loads(result.stdout)["suites"]["rays"]["mesh"] == "one.off,two.off"
              else ["other files"])


def check_list(tap):
    lines = run("list").stdout.splitlines()
    names = [line.split()[0] for line in lines if not line.startswith(" ")]
    problems = [f"does not list {name}" for name in SMALL if name not in names]
    absent = [line.split()[0] for line in lines if ABSENT in line]
    problems += [f"{name} is not in SMALL and ENDLESS of bench.py" for name in names
                 if name not in absent and (name not in SMALL or name not in ENDLESS)]
    problems += ["no engines"] * (sum("engines: motte" in line for line in lines) != len(names))
    tap.check("suites are listed with their engines", problems)


def read(file):
    return json.loads(file.read_text())


def check_two_suites(tap, folder):
    """Two suites in one file, with options of one and of both."""
    file, table = folder / "two.json", folder / "two.csv"
    result = run("run", "moving", "kinds", "--shapes", "100", "--frames", "2", "--kinds", "box",
                 "--repeats", "2", "--seed", "3", "--json", str(file), "--csv", str(table))
    report = read(file)
    problems = [result.stderr] * (result.returncode != 0)
    problems += ["other suites"] * ({row["suite"] for row in report["results"]}
                                    != {"moving", "kinds"})
    for suite in ["moving", "kinds"]:
        options = report["suites"][suite]
        problems += [f"options of {suite}"] * (options["shapes"] != "100" or options["seed"] != "3")
    tap.check("two suites are written to one file", problems)
    missing = [key for key in ["cpu", "isa", "compiler", "motte", "commit", "build", "peers"]
               if key not in report["machine"]]
    missing += ["command"] * (report["command"][1:3] != ["run", "moving"])
    timed = [row for row in report["results"] if row["timed"]]
    missing += [f"percentiles of {row['metric']}" for row in timed
                if not row["worst"] >= row["p99"] >= 0 and row["better"] == "less"]
    tap.check("the file names machine, compiler, command and percentiles", missing)
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    different = [row for row, other in zip(rows, report["results"])
                 if row["metric"] != other["metric"] or row["case"] != other["case"]
                 or abs(float(row["value"]) - other["value"]) > 1e-5 * abs(other["value"])]
    tap.check("the CSV has the same rows", ["other number of rows"]
              * (len(rows) != len(report["results"])) + [str(row) for row in different[:3]])


def check_counts(tap, folder):
    """What is counted does not depend on the run, if the seed is the same."""
    counts = []
    for name in ["first", "second"]:
        file = folder / f"{name}.json"
        run("run", "moving", *SMALL["moving"], "--json", str(file))
        counts.append([(row["case"], row["engine"], row["metric"], row["value"])
                       for row in read(file)["results"] if not row["timed"]])
    tap.check("equal seeds count the same", ["other counts"] * (counts[0] != counts[1])
              + ["no counts"] * (len(counts[0]) < 10))


def changed(source, file, metric, factor):
    """A copy of a report with one metric times a factor."""
    report = read(source)
    for row in report["results"]:
        if row["metric"] == metric:
            row["value"] *= factor
            row["spread"] = 0.01
    file.write_text(json.dumps(report))


def check_compare(tap, folder):
    first, worse, better = folder / "first.json", folder / "worse.json", folder / "better.json"
    changed(first, first, "update", 1)
    changed(first, worse, "update", 1.5)
    changed(first, better, "update", 0.5)
    same = run("compare", str(first), str(first))
    tap.check("a file compared with itself has not moved",
              [same.stdout[-300:]] * (same.returncode != 0 or " 0 are better, 0 worse" not in
                                      same.stdout))
    result = run("compare", str(first), str(worse))
    moved = [line for line in result.stdout.splitlines() if line.endswith("worse")]
    tap.check("what is worse is named, with its ratio, by exit code 3",
              [f"exit code {result.returncode}", *moved] * (result.returncode != 3)
              + ["not three engines"] * (len(moved) != 3)
              + [line for line in moved if "update" not in line or "1.500" not in line])
    result = run("compare", str(first), str(better))
    tap.check("what is better is no failure",
              [f"exit code {result.returncode}"] * (result.returncode != 0)
              + ["not named"] * (" 3 are better, 0 worse" not in result.stdout))
    changed(first, worse, "build", 2)
    result = run("compare", str(first), str(worse))
    unknown = [line for line in result.stdout.splitlines() if line.endswith("?") and " build " in line]
    tap.check("of a single measurement no spread is known",
              [f"exit code {result.returncode}"] * (result.returncode != 0)
              + ["not three engines"] * (len(unknown) != 3))
    tap.check("a file that is no report", refused(["compare", str(first), BENCH], BENCH))
    tap.check("a file that is not there", refused(["report", str(folder / "none.json")], "none.json"))
    tap.check("compare wants two files", refused(["compare", str(first)], "two files"))


def check_warnings(tap, folder):
    """Runs that are hard to compare."""
    first, other = folder / "first.json", folder / "other.json"
    same = run("compare", str(first), str(first))
    tap.check("equal runs need no warning", [same.stderr] * bool(same.stderr))
    report = read(first)
    report["machine"]["cpu"] = "another one"
    report["machine"]["compiler"] = "cc 1"
    report["suites"]["moving"]["seed"] = "77"
    del report["suites"]["moving"]["shapes"]
    other.write_text(json.dumps(report))
    result = run("compare", str(first), str(other))
    tap.check("runs of other machines, compilers, options and seeds are compared with a warning",
              [f"no {word!r}: {result.stderr}" for word in
               ["cpu: ", "not another one", "compiler: ", "not cc 1", "--seed: 1, not 77",
                "--shapes: 300, not none"] if word not in result.stderr])


def check_standard_output(tap):
    """A file on standard output stands there alone."""
    for option, parse in [("--json", json.loads), ("--csv", lambda text: list(csv.reader(
            text.splitlines(), strict=True))), ("--html", lambda text: xml.etree.ElementTree
                                                .fromstring(text.partition("\n")[2]))]:
        output = run("run", "moving", *SMALL["moving"], option, "-").stdout
        try:
            parse(output)
            problems = []
        except (ValueError, csv.Error, xml.etree.ElementTree.ParseError) as error:
            problems = [str(error), output[:100]]
        tap.check(f"{option} - writes no tables", problems)
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder) / "pages"
        result = run("run", "moving", *SMALL["moving"], "--markdown", str(pages))
        tap.check("a run writes its page into a folder",
                  [result.stderr] * (not (pages / "README.md").exists()
                                     or not (pages / "moving.md").exists()))
        tap.check("a page whose folder cannot be made",
                  refused(["run", "moving", "--markdown", f"{folder}/absent/x"], "cannot make"))
    tap.check("two files on standard output",
              refused(["run", "moving", "--json", "-", "--html", "-"], "only one"))


def check_counts_file(tap, folder):
    file = folder / "counts.txt"
    result = run("counts", "--write", str(file), "moving")
    lines = file.read_text().splitlines()
    tap.check("counts are written, without tables",
              [result.stderr[-300:]] * (result.returncode != 0) + ["tables"] * bool(result.stdout)
              + ["few counts"] * (len(lines) < 20)
              + [line for line in lines if not line.startswith("moving ")])
    factors = [0.95, 0.98, 1.05]
    names = [" ".join(line.split()[:4]) for line in lines[:3]]
    changed_lines = [f"{name} {float(line.split()[4]) * factor}"
                     for name, line, factor in zip(names, lines, factors)]
    file.write_text("\n".join([*changed_lines, *lines[3:]]) + "\n")
    result = run("counts", str(file), "moving")
    named = [f"{name}: " in result.stdout for name in names]
    tap.check("a count that has risen by 5 % is a failure",
              [f"exit code {result.returncode}"] * (result.returncode != 3)
              + [f"named: {named}"] * (named != [True, False, True]))
    file.write_text("\n".join(lines[1:]) + "\n")
    tap.check("a count that the file lacks", [] if run("counts", str(file), "moving").returncode == 1
              else ["no failure"])


def check_quick(tap, data):
    begin = time.monotonic()
    result = run("run", "all", "--quick", "--peers", "none", "--data", str(data), "--repeats", "1",
                 "--probes", "5")
    headings = {line.split()[0] for line in result.stdout.splitlines()
                if line and not line.startswith(" ")}
    tap.check("all suites have a quick run",
              [result.stderr[-300:]] * (result.returncode != 0)
              + [f"no {suite}" for suite in SMALL if suite not in headings]
              + ["a minute"] * (time.monotonic() - begin > 60))


def check_tables(tap):
    for suite, options in SMALL.items():
        wide = [line for line in run("run", suite, *options, "--engines", "all").stdout.splitlines()
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
    with subprocess.Popen([BENCH, "run", suite, *ENDLESS[suite], "--json", str(file)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until_busy(process, 0.25)
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


def check_data(tap, data):
    for suite, name in WITH_DATA.items():
        tap.check(f"{suite} without data",
                  refused(["run", suite], suite, "--data", name, "bench/DATA.md"))
        tap.check(f"{suite} without its folder in the data",
                  refused(["run", suite, "--data", str(data / name)], suite, name, "bench/DATA.md"))
    result = run("run", "ccd-queries", "--data", "/nosuch", "--data", str(data), "--json", "-")
    rows = [row for row in json.loads(result.stdout)["results"] if row["engine"] == "motte"]
    found = {(row["case"], row["metric"]): row["value"] for row in rows}
    wrong = [f"{case} {metric}: {found.get((case, metric))}, not {value}" for case, metric, value in
             [("made/vertex-face", "queries", 2000), ("made/vertex-face", "collisions", 1000),
              ("made/edge-edge", "collisions", 1000)] if found.get((case, metric)) != value]
    wrong += [str(key) for key, value in found.items() if key[1].startswith("false_") and value]
    tap.check("queries of continuous collision have the known answers", wrong)
    result = run("run", "ccd-frames", "--data", str(data), "--json", "-")
    rows = [row for row in json.loads(result.stdout)["results"] if row["engine"] == "motte"]
    # Each vertex touches its own face by its box, and that of half of the small triangles the floor.
    for case, expected in [("made/frame 9", {"pair_count": 300 * 6 + 150 * 3, "collisions": 450,
                                             "false_negatives": 0, "false_positives": 0}),
                           ("edges/edges of frame 7", crossing_edges.expected())]:
        found = {row["metric"]: row["value"] for row in rows if row["case"] == case}
        tap.check(f"pairs of {case} have the known answers",
                  [f"{name}: {found.get(name)}, not {value}" for name, value in expected.items()
                   if found.get(name) != value])
    wrong = data / "wrong" / "ccd-unc-frames" / "x"
    write_frames(wrong, 4)
    answers = wrong / "mma_bool" / "9vf_mma_bool.json"
    answers.write_text(json.dumps([True] * 5 + [False]))
    arguments = ["run", "ccd-frames", "--data", str(data / "wrong"), "--peers", "none", "--json", "-"]
    rows = json.loads(run(*arguments).stdout)["results"]
    extra = [row["value"] for row in rows if row["metric"] == "false_positives"]
    tap.check("collisions of frames are compared with the data",
              [str(extra)] * (extra != [1]))
    answers.unlink()
    rows = json.loads(run(*arguments).stdout)["results"]
    tap.check("without answers the narrow phase is not measured",
              [str(row) for row in rows if row["metric"] in ["narrow", "collisions"]])
    (data / "empty" / "ccd-unc-frames").mkdir(parents=True)
    (data / "empty" / "ccd-sample-queries").mkdir()
    for suite in ["ccd-queries", "ccd-frames"]:
        tap.check(f"data of {suite} without a case",
                  refused(["run", suite, "--data", str(data / "empty")], "has no SCENE/"))
    bad = data / "bad" / "ccd-unc-frames" / "x"
    write_frames(bad, 6)
    for name, change, word in [
            ("frames/run1_9.ply", lambda bytes_: bytes_[:-5], "ends too early"),
            ("frames/run1_9.ply", lambda bytes_: bytes_[:-1] + b"\xee", "vertex"),
            ("frames/run1_9.ply", lambda bytes_: bytes_.replace(b"binary_big_endian", b"ascii"),
             "not binary"),
            ("boxes/9vf.json", lambda bytes_: b"[[0, 5]]", "9vf.json"),
            ("boxes/9vf.json", lambda bytes_: b"nothing", "9vf.json"),
            ("mma_bool/9vf_mma_bool.json", lambda bytes_: bytes_[:-1] + b", true]", "9 pairs"),
            ("mma_bool/9vf_mma_bool.json", lambda bytes_: bytes_.replace(b"true", b"2", 1), "neither")]:
        whole = (bad / name).read_bytes()
        (bad / name).write_bytes(change(whole))
        tap.check(f"broken frames: {word}, {len(change(whole))} bytes", # before kinds is measured
                  refused(["run", "kinds", "ccd-frames", "--data", str(data / "bad")], word))
        (bad / name).write_bytes(whole)
    (bad / "frames" / "run1_10.ply").unlink()
    tap.check("a frame without its successor",
              refused(["run", "ccd-frames", "--data", str(data / "bad")], "10.ply"))
    bad = data / "bad" / "ccd-sample-queries" / "x" / "edge-edge"
    bad.mkdir(parents=True)
    query = csv_of([(CROSSING_EDGES, True)])
    for text, word in [("1,2,3\n", "0.csv:1"), (query[:-40], "0.csv"),
                       (query.replace(",1\n", ",2\n", 1), "0.csv:1"),
                       (query.replace(",1\n", ",10\n", 1), "0.csv:1"),
                       (query[:-2] + "0\n", "0.csv:8")]:
        (bad / "0.csv").write_text(text)
        tap.check(f"a broken file of queries, of {len(text)} characters",
                  refused(["run", "ccd-queries", "--data", str(data / "bad")], word))


def check_motion_planning(tap, data):
    """What is read of robots and scenes, and the answers of all engines for a planar arm."""
    arguments = ["run", "motion-planning", "--data", str(data), "--edges", "1", "--engines", "all",
                 "--repeats", "1", "--json", "-"]
    rows = [row for row in json.loads(run(*arguments).stdout)["results"]
            if row["metric"] == "colliding"]
    wrong = [f"{row['case']} {row['engine']}: {row['value']} %" for row in rows if abs(
        row["value"] - planar_arm.colliding_share(*reversed(row["case"].split("/")))) > 1e-3]
    wrong += ["few rows"] * (len({row["case"] for row in rows}) != 6 or len(rows) < 12)
    tap.check("a planar arm collides where plane geometry says so", wrong)
    robot = data / "motion-bench-maker"
    scene = "problems/post_panda/scene0001.yaml"
    request = "problems/post_panda/request0001.yaml"
    for name, old, new, word in [
            ("panda.urdf", "</robot>", "", "panda.urdf:10: no element found"),
            ("panda.urdf", "robot", "model", "panda.urdf:2: the first element is <model>"),
            ("panda.urdf", "continuous", "floating", 'panda.urdf:5: joint "shoulder" has the type'),
            ("panda.urdf", "1.05 0 0", "1.05 zero 0", "panda.urdf:3: xyz="),
            ("panda.urdf", "1.05 0 0", "1.05 0 0 0", "panda.urdf:3: xyz="),
            ("panda.urdf", "0 0 2", "0 0 0", "panda.urdf:4: the axis"),
            ("panda.urdf", '<link name="tip"/>', "", 'joint "end" has no link "tip"'),
            ("panda.urdf", '<link name="tip"/>', '<link name="arm"/>', "is there twice"),
            ("panda.urdf", 'type="fixed"><parent link="hand"/><child link="tip"/>',
             'type="fixed"><parent link="hand"/><child link="arm"/>', "is the child of two joints"),
            ("panda.urdf", '<parent link="base"/>', '<parent link="hand"/>', "form a loop"),
            ("panda.urdf", 'name="tip"/>', 'name="tip"/><link name="other"/>', "do not connect"),
            ("panda.urdf", "hand.obj", "nosuch.obj", "nosuch.obj"),
            ("panda.urdf", "<mesh", "<capsule", "is a <capsule>"),
            ("panda_spherized.urdf", 'radius="0.05"', 'radius="-1"', "_spherized.urdf:7: a sphere"),
            ("panda.srdf", 'link1="base"', 'link1="bass"', 'panda.srdf:1: the robot has no link "bass"'),
            ("panda.srdf", 'link1="base"', "", "panda.srdf:1: <disable_collisions> has no link1"),
            (scene, "cylinder", "cone", 'scene0001.yaml:6: an obstacle is a "cone"'),
            (scene, "[1, 0.1]", "[1, -0.1]", "scene0001.yaml:6: an obstacle without size"),
            (scene, "[1, 0.1]", "[1]", "scene0001.yaml:6: 1 numbers, not 2"),
            (scene, "[0, 0, 0, 1]", "[0, 0, 0, 0]", "scene0001.yaml:9: a quaternion"),
            (scene, "primitive_poses", "poses", 'scene0001.yaml:4: no "primitive_poses"'),
            (scene, "world:", "world: {", "scene0001.yaml:4: no YAML"),
            (request, "name: wrist", "name: rist", 'request0001.yaml:7: no value of joint "wrist"'),
            (request, "[0, 7, 0]", "[0, 7]", "request0001.yaml:3: 2 values of 3 joints"),
            (request, "[0, 7, 0]", "[0, 7, a]", 'request0001.yaml:3: "a" is no number')]:
        whole = (robot / name).read_text()
        (robot / name).write_text(whole.replace(old, new, 1))
        problems = ["nothing changed"] * (old not in whole)
        tap.check(f"broken motion planning: {word}", problems
                  + refused(["run", "kinds", "motion-planning", "--data", str(data)], word))
        (robot / name).write_text(whole)
    tap.check("a robot that is not there",
              refused(["run", "motion-planning", "--data", str(data), "--robot", "nosuch"],
                      "nosuch_spherized.urdf"))
    (robot / request).unlink()
    tap.check("a scene without its request",
              refused(["run", "motion-planning", "--data", str(data)], "request0001.yaml"))
    shutil.rmtree(robot / "problems")
    tap.check("a robot without scenes",
              refused(["run", "motion-planning", "--data", str(data)], "tar -xjf problems.tar.bz2"))


def cases_of(result):
    return {row["case"] for row in json.loads(result.stdout)["results"]}


def check_engine_scenes(tap, data):
    """As many bodies as the scenes have that they follow, and real hulls only with data."""
    small = ["run", "engine-scenes", "--peers", "none", "--engines", "motte", "--json", "-"]
    published = {"jolt-pyramid": 15 * 16 * 31 // 6, "bullet-stacks": 650 + 3 * 78 + 8 * 24,
                 "bullet-ragdolls": 11 * 16 * 17 // 2, "bullet-hulls": 8 * 8 * 15}
    found = cases_of(run(*small, "--bodies", "0", "--frames", "2", "--scene", ",".join(published)))
    expected = {f"{name}-{count}/{phase}" for name, count in published.items()
                for phase in ["early", "late"]}
    tap.check("scenes of engines have the published numbers of bodies",
              sorted(map(str, found ^ expected)))
    hulls = [*small, "--bodies", "20", "--frames", "2", "--scene", "jolt-hulls,bullet-boxes"]
    result = run(*hulls)
    tap.check("without data real hulls are left out, which is said",
              [str(cases_of(result))] * (len(cases_of(result)) != 2)
              + [result.stderr] * ("jolt-hulls: no --data DIR" not in result.stderr))
    tap.check("with data they are not",
              ["left out"] * ("jolt-hulls-20/early" not in cases_of(run(*hulls, "--data", str(data)))))
    file = data / "jolt-hulls" / "convex_hulls.bin"
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    tap.check("broken data of real hulls", # before kinds is measured
              refused(["run", "kinds", "engine-scenes", "--data", str(data)], "ends within cloud"))
    file.write_bytes(whole)


def check_hulls(tap, data):
    rows = json.loads(run("run", "hulls", "--data", str(data), "--pairs", "2000", "--repeats", "1",
                          "--peers", "none", "--json", "-").stdout)["results"]
    found = [row["value"] for row in rows if (row["metric"], row["engine"]) == ("vertices", "motte")]
    expected = (7 * 8 + 5 + 4) / len(CLOUDS)
    tap.check("hulls have the known vertices",
              [f"{found}, not {expected}"] * (len(found) != 1 or abs(found[0] - expected) > 1e-4))
    wrong = [f"{row['case']}: {row['value']} %" for row in rows if row["value"] != 0
             and (row["metric"], row["engine"]) == ("wrong", "motte")]
    tap.check("no answer of two hulls is wrong", wrong + ["no rows"] * (len(rows) < 12))
    file = data / "jolt-hulls" / "convex_hulls.bin"
    whole = file.read_bytes()
    for content, word in [(b"", "cloud 0"), (whole[:-1], "ends within cloud 8"),
                          (whole + b"\1\0", "within the number of points of cloud 9"),
                          (whole + cloud_of(CLOUDS[0][:3]), "cloud 9 has 3 points"),
                          (whole + b"\xff" * 4, "cloud 9 has 4294967295 points"),
                          (whole + cloud_of([(0, 0, float("nan"))] * 4), "point 0 of cloud 9"),
                          (whole + cloud_of([(i, i, i) for i in range(5)]), "cloud 9 is on a line")]:
        file.write_bytes(content)
        tap.check(f"a broken file of clouds: {word}",
                  refused(["run", "kinds", "hulls", "--data", str(data)], word))
    file.write_bytes(whole)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        make_data(data)
        if ABSENT in run("list").stdout:
            for suites in [SMALL, ENDLESS, WITH_DATA]:
                del suites["motion-planning"]
            tap.check("motion planning in a build without its libraries",
                      refused(["run", "motion-planning", "--data", str(data)], "built without"))
        else:
            planar_arm.write(folder / "robots" / "motion-bench-maker")
            check_motion_planning(tap, folder / "robots")
        for suite in WITH_DATA:
            for options in [SMALL, ENDLESS]:
                options[suite] += ["--data", str(data)]
        check_data(tap, data)
        check_hulls(tap, data)
        animated_scene.check(tap, run, refused, folder / "animated")
        check_engine_scenes(tap, data)
        check_names(tap)
        check_workloads(tap)
        check_threads(tap)
        check_tables(tap)
        check_list(tap)
        check_quick(tap, data)
        check_json(tap, folder)
        check_two_suites(tap, folder)
        check_files(tap, folder)
        check_counts(tap, folder)
        check_compare(tap, folder)
        check_warnings(tap, folder)
        report_pages.check(tap, BENCH, run, refused, folder)
        check_standard_output(tap)
        check_counts_file(tap, folder)
        for suite in ENDLESS:
            check_interrupt(tap, folder, suite)
    tap.finish()


main()
