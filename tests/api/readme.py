"""The pages of the repository: the front page is short and shows demos/hello.c as it is, and a part of
demos/step.c; pages with a program beside them (include/docs/bodies.md) show parts of it. Links lead to files and
headings that exist, lines have at most 120 characters, and the parts and rooms in src/README.md are those of src."""

import pathlib
import re
import sys

from tap import Tap

BLOCK = re.compile(r"```c\n(.*?)```", re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s:…]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
ROW_ID = re.compile(r'<a id="([^"]*)"></a>')
FOLDERS = [".", "include/docs", "src", "tests", "bench", "demos"]
FRONT_PAGE_LENGTH, LINE_LENGTH = 13000, 120
# Their tables say in words what was tried or what a thing is for; those of RESULTS.md have figures.
LONG_ROWS = re.compile(r"^(\||!\[)")
ROW = re.compile(r"^\| ([a-z]*) ?\| ([a-z, ]*?) ?\|", re.MULTILINE)


def anchors(page):
    """Those that GitHub gives the headings of a page, and those of rows of the benchmark's report."""
    text = FENCED.sub("", page.read_text())
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", title).lower()).replace(" ", "-")
            for title in HEADING.findall(text)} | set(ROW_ID.findall(text))


def broken_links(root, pages):
    broken = []
    for page in pages:
        for link in LINK.findall(FENCED.sub("", page.read_text())):
            name, _, anchor = link.partition("#")
            path = page.parent / name if name else page
            if not path.exists() or (anchor and anchor not in anchors(path)):
                broken.append(f"{page.relative_to(root)}: {link}")
    return broken


def long_lines(root, pages):
    return [f"{page.relative_to(root)}:{number}: {len(line)} characters" for page in pages
            for number, line in enumerate(page.read_text().splitlines(), 1) if len(line) > LINE_LENGTH
            and (page.name == "RESULTS.md" or not LONG_ROWS.match(line))]


def foreign_blocks(docs):
    """Blocks of code in pages of the manual that are no part of the program of the page's name."""
    foreign = []
    for page in docs.glob("*.md"):
        blocks, program = BLOCK.findall(page.read_text()), page.with_suffix(".c")
        code = program.read_text() if program.exists() else ""
        foreign += [f"{page.name}: {block.splitlines()[0]}" for block in blocks if block not in code]
        if code and not blocks:
            foreign.append(f"{page.name}: shows nothing of {program.name}")
    return foreign


def unlisted_rooms(root):
    """Folders of src that the table of parts and rooms leaves out, and rows without a folder."""
    listed, part = set(), ""
    table = (root / "src" / "README.md").read_text().split("\n## ")[1]
    for name, rooms in ROW.findall(table):
        if name == "part":
            continue
        part = name or part
        listed |= {part} | {f"{part}/{room}" for room in rooms.split(", ") if room}
    there = {str(path.relative_to(root / "src")) for path in (root / "src").glob("**/")} - {"."}
    return sorted(listed ^ there)


def main():
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text()
    hello = (root / "demos" / "hello.c").read_text()
    tap = Tap()
    tap.check("a block equals demos/hello.c",
              [] if hello in BLOCK.findall(readme) else ["copy demos/hello.c into README.md"])
    step = (root / "demos" / "step.c").read_text()
    tap.check("a block is a part of demos/step.c",
              [] if any(block in step for block in BLOCK.findall(readme)) else ["copy it into README.md"])
    tap.check("the front page is short",
              [f"{len(readme)} characters"] if len(readme) > FRONT_PAGE_LENGTH else [])
    commands = re.findall(r"^    .*", readme.split("## Using it")[1], re.MULTILINE)
    building = (root / "include" / "docs" / "building.md").read_text().splitlines()
    tap.check("building.md has the commands of the front page",
              [command for command in commands if command not in building] if commands else ["no commands"])
    tap.check("code in the manual is part of programs", foreign_blocks(root / "include" / "docs"))
    pages = sorted(page for folder in FOLDERS for page in (root / folder).glob("*.md"))
    tap.check("links lead to files and headings", broken_links(root, pages))
    tap.check("lines have at most 120 characters", long_lines(root, pages))
    tap.check("src/README.md lists the parts and rooms", unlisted_rooms(root))
    tap.finish()


main()
