"""Pages of reports, in Markdown and HTML, with their plots."""

import json
import os
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def read(file):
    return json.loads(file.read_text())


def text_of(folder):
    """All pages of a report in a folder, the first one first."""
    pages = sorted(folder.glob("*.md"), key=lambda path: path.name != "README.md")
    return "\n".join(path.read_text() for path in pages)


def tables_of(page):
    """The rows of each table of a page in Markdown, whose rows must be as wide as its headings."""
    tables, problems = [], []
    for line in page.splitlines():
        if not line.startswith("|"):
            tables.append([])
        else:
            tables[-1].append([cell.strip() for cell in line.strip("|").split(" | ")])
    for table in tables:
        problems += [str(row) for row in table if len(row) != len(table[0]) and "---" not in row[0]]
    return [table for table in tables if table], problems


def check_report(tap, run, folder):
    page = run("report", str(folder / "two.json")).stdout
    tables, problems = tables_of(page)
    problems += [f"no {word!r}" for word in ["# What motte-bench measured", "| compiler |",
                                            "| commit |", "| build |", "## moving", "## kinds",
                                            "| walk/100/boxes | update, ms |",
                                            "box/turning | update, ms |"] if word not in page]
    problems += ["few tables"] * (len(tables) < 3)
    tap.check("a report has a table for each suite", problems)
    page = run("report", str(folder / "first.json"), str(folder / "better.json")).stdout
    tap.check("two runs stand side by side",
              [f"no {word!r}" for word in ["Run A: ", "Run B: ", "motte (A)", "motte-loose (B)"]
               if word not in page] + ["options twice"] * ("Options (A)" in page))


def parse_html(file):
    """The root of a page, which is well-formed XML but for its first line."""
    text = file.read_text()
    assert text.startswith("<!DOCTYPE html>\n")
    return text, xml.etree.ElementTree.fromstring(text.partition("\n")[2])


def has(root, tag):
    return next(root.iter(tag), None) is not None


def check_hostile(tap, bench, run, refused, folder):
    """Reports come from others: no name in them is a command, markup or a path."""
    plots, source, page = folder / "plots", folder / "hostile.json", folder / "hostile.html"
    made = folder / "made"
    report = read(folder / "sizes.json")
    report["suites"] = {}
    evil = f"update'\nsystem('touch {made}')\n<script>x</script>|`\n# *y*\n"
    for row in report["results"]:
        row.update(suite="../<script>x</script>", metric=row["metric"].replace("update", evil),
                   engine=evil + row["engine"], unit=evil)
    report["command"] = ["a\n# b"]
    report["machine"]["cpu"] = evil
    source.write_text(json.dumps(report))
    run("report", str(source), "--markdown", str(plots))
    text = text_of(plots)
    lines = [line for line in text.splitlines() if not line.startswith("    ")]
    problems = ["a command was run"] * made.exists()
    problems += [line for line in lines if line.startswith(("# *", "# b")) or "\\<script" not in line
                 and "<script" in line][:3]
    if shutil.which("gnuplot"):
        names = [path.name for path in plots.iterdir() if path.suffix != ".md"]
        problems += [str(names)] * (names != ["___" + "_script_x__script_-growth.svg"])
    problems += ["a file elsewhere"] * bool(list(folder.glob("*script*")))
    tap.check("names in a report are text in Markdown and in plots", problems)
    run("report", str(source), "--html", str(page))
    root = parse_html(page)[1]
    tap.check("names in a report are text in HTML", ["a command was run"] * made.exists()
              + ["a script"] * has(root, "script"))
    environment = {**os.environ, "TMPDIR": str(folder / "none")}
    result = subprocess.run([bench, "report", str(folder / "sizes.json"), "--html", str(page)],
                            check=False, text=True, capture_output=True, env=environment)
    tap.check("without a folder for temporary files a page has tables alone",
              [result.stderr] * (result.returncode != 0)
              + ["plots"] * has(parse_html(page)[1], "svg"))
    for key, value in [("machine", ["a", "b"]), ("suites", ["a"]), ("suites", {"moving": ["a"]}),
                       ("machine", {"peers": ["a"]})]:
        source.write_text(json.dumps({**report, key: value}))
        tap.check(f"a report with {key} {value}", refused(["report", str(source)], "is no object"))


def check_html(tap, bench, run, refused, folder):
    file, other, source = folder / "page.html", folder / "sizes.html", folder / "sizes.json"
    run("run", "broadmark", "--shapes", "200,400,800", "--frames", "4", "--workload", "walk",
        "--peers", "none", "--json", str(source), "--html", str(file))
    result = run("report", str(source), str(folder / "two.json"), "--html", str(other))
    for path, plots in [(file, 1), (other, 3)]:
        text, root = parse_html(path)
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        problems = ["an id twice"] * (len(ids) != len(set(ids)))
        problems += ["scripts"] * has(root, "script")
        problems += [word for word in ["http:", "https:", "url(", "@import"] if word in text
                     .replace("url(#", "")]
        problems += [value for element in root.iter() for name, value in element.items()
                     if name in ["href", "src"] and not value.startswith("#")]
        headings = [element.text for element in root.iter("h2")]
        problems += [] if headings[0] == "Where Motte leads, and where not" else headings
        if shutil.which("gnuplot"):
            problems += ["other plots"] * (len(list(root.iter("svg"))) != plots)
        tap.check(f"{path.name} is one well-formed page that needs no other file", problems)
    tap.check("a report in a file prints nothing", [result.stdout] * bool(result.stdout))
    text = other.read_text()
    tap.check("what grows with a number has its exponents",
              ["none"] * ("<td class=\"label\">walk/N</td>" not in text))
    environment = {**os.environ, "PATH": str(folder)}
    result = subprocess.run([bench, "report", str(source), "--html", str(other)], check=False,
                            capture_output=True, text=True, env=environment)
    _, root = parse_html(other)
    tap.check("without gnuplot a page has tables alone, and the program says so",
              ["no message"] * (result.stderr.count("gnuplot was not found") != 1)
              + ["plots"] * has(root, "svg") + ["no tables"] * (not has(root, "table")))
    pages = folder / "pages"
    result = run("report", str(source), "--markdown", str(pages))
    problems = [result.stdout] * bool(result.stdout)
    if shutil.which("gnuplot"):
        problems += ["not linked"] * ("![broadmark-growth](broadmark-growth.svg)" not in
                                      (pages / "broadmark.md").read_text())
        root = xml.etree.ElementTree.parse(pages / "broadmark-growth.svg").getroot()
        problems += [root.tag] * (root.tag != "{http://www.w3.org/2000/svg}svg")
        tap.check("plots of a page in Markdown are files", problems)
    tap.check("plots of a page in HTML are in it",
              refused(["report", str(source), "--html", "-", "--markdown", str(folder)], "not both"))
    result = run("report", *[str(source)] * 16)
    tap.check("as many files as a report takes", [result.stderr] * (result.returncode != 0))
    report = read(source)
    peer = "peer"
    report["machine"]["peers"] = {peer: "1"}
    others = [dict(row, engine=peer) for row in report["results"] if row["engine"] == "motte"]
    report["results"] += others
    other.write_text(json.dumps(report))
    compared = run("report", str(other)).stdout
    report["do_less"] = [{"suite": "broadmark", "engine": peer, "reason": "which is a copy"}]
    other.write_text(json.dumps(report))
    page = run("report", str(other)).stdout
    tap.check("Motte is not compared with a peer that does less",
              ["no ratios"] * ("Over each peer" not in compared)
              + ["ratios"] * ("Over each peer" in page)
              + ["not said"] * ("No peer is compared." not in page or "which is a copy" not in page))
    tap.check("an unknown option of report", refused(["report", str(source), "--htm", "x"], "--htm"))
    tap.check("a page that cannot be written",
              refused(["report", str(source), "--html", str(folder)], "cannot write"))


# Each series of a plot has an element of its own, and these say how it is drawn.
STYLES = ["stroke", "stroke-dasharray", "color"]


def styles_of(svg):
    """The colours, dashes and shapes of each series of a plot."""
    root = xml.etree.ElementTree.parse(svg).getroot()
    return [frozenset((name, value) for element in group.iter() for name, value in element.items()
                      if name in STYLES or (name == "href" and element.tag == SVG + "use"))
            for group in root.iter(SVG + "g") if "gnuplot_plot" in group.get("id", "")], [
                element.text.strip() for element in root.iter(SVG + "text") if element.text]


def row_of(case, engine, value):
    return {"suite": "many", "case": case, "engine": engine, "metric": "time", "value": value,
            "unit": "ms", "better": "less", "timed": True, "spread": 0.01, "repeats": 5,
            "p99": value, "worst": value}


def check_series(tap, run, folder):
    """Plots leave no series and no case out, however many there are, and no two look alike."""
    source, plots = folder / "many.json", folder / "many"
    engines = ["motte", *(f"peer{i}" for i in range(23))]
    machine = {"peers": {name: "1" for name in engines[1:]}}
    cases = [f"case{i}" for i in range(130)]
    for names, kind in [(cases, ""), ([f"walk/{n}" for n in (100, 200, 400)], "-growth")]:
        source.write_text(json.dumps({"machine": machine, "results": [
            row_of(case, engine, i + 1 + 0.01 * k)
            for k, case in enumerate(names) for i, engine in enumerate(engines)]}))
        run("report", str(source), str(source), "--markdown", str(plots))
        page = text_of(plots)
        if not shutil.which("gnuplot"):
            return
        styles, texts = styles_of(plots / f"many{kind}.svg")
        shown = engines if kind else engines[1:]
        problems = [f"no {engine} ({run_letter})" for engine in shown for run_letter in "AB"
                    if f"{engine} ({run_letter})" not in texts]
        problems += [f"no {case}" for case in names if not kind and case not in texts]
        problems += [f"{len(styles) - len(set(styles))} of {len(styles)} alike"] * (
            len(set(styles)) < 2 * len(shown) or len(styles) % (2 * len(shown)) != 0)
        problems += ["not linked"] * (f"(many{kind}.svg)" not in page)
        tap.check(f"plots have all series and cases: many{kind}", problems)


def check_links(tap, run, folder):
    """Rows have ids, which READMEs link to; ratios are those of cases that end alike, too; a page says
    nothing of folders."""
    source, pages = folder / "links.json", folder / "links"
    worlds = {"a": 2, "b": 8}
    source.write_text(json.dumps({
        "machine": {"peers": {"peer": "1", "peer-fast": "1"}},
        "command": ["/home/someone/motte-bench", "run", "--json=/home/someone/x.json", "a/b"],
        "results": [row_of(f"{world}/{how}", engine, value)
                    for world, times in worlds.items() for how in ["cast", "touch"]
                    for engine, value in [("motte", 1), ("peer", times), ("peer-fast", 0.5)]]}))
    run("report", str(source), "--markdown", str(pages))
    page = text_of(pages)
    wanted = ["| [many](many.md) | time | 0.50 | 0 of 4 | 0.50 | a/cast (peer-fast) |",
              '| <a id="many-time"></a>time | all | **4.00 (2.00 to 8.00)** |',
              '| <a id="many-time-cast"></a>time | cast | **4.00 (2.00 to 8.00)** |',
              '| <a id="many-a_cast"></a>a/cast | time, ms |', "| peer, peer-fast | 1 |",
              "    motte-bench run --json=x.json a/b"]
    tap.check("rows of a report have ids, and pages no folders of the machine",
              [f"no {text!r}" for text in wanted if text not in page]
              + ["a folder"] * ("someone" in page or str(folder) in page))


def check_joined(tap, run, folder):
    """Runs of different suites on one machine are one run; those of another commit are not."""
    paths = []
    for suite, engine, commit in [("x", "peer", "1"), ("y", "other", "1"), ("z", "other", "2")]:
        paths.append(str(folder / f"{suite}.json"))
        pathlib.Path(paths[-1]).write_text(json.dumps({
            "machine": {"commit": commit, "date": suite, "peers": {engine: "1"}},
            "suites": {suite: {"seed": "7"}}, "command": ["run", suite],
            "do_less": [{"suite": suite, "engine": engine, "reason": "which is slow"}],
            "results": [dict(row_of("a", name, 1), suite=suite) for name in ["motte", engine]]}))
    page = run("report", *paths[:2]).stdout
    wanted = ["## x", "## y", "| peer, other | 1 |", "    run x\n    run y\n",
              "Not counted in y: other, which is slow.", "Options: seed 7."]
    problems = [f"no {text!r}" for text in wanted if text not in page]
    problems += ["two runs"] * ("(A)" in page) + ["no options of y"] * (page.count("seed 7") != 2)
    page = run("report", *paths).stdout
    problems += ["joined"] * ("| Run A: x.json, y.json | Run B: z.json |" not in page)
    problems += ["joined with itself"] * ("Run B: x.json" not in run("report", paths[0], paths[0]).stdout)
    tap.check("runs of one machine with different suites are one run", problems)


def check(tap, bench, run, refused, folder):
    """`folder` has two.json, first.json and better.json, which are reports."""
    check_report(tap, run, folder)
    check_html(tap, bench, run, refused, folder)
    check_hostile(tap, bench, run, refused, folder)
    check_series(tap, run, folder)
    check_links(tap, run, folder)
    check_joined(tap, run, folder)
