"""The README shows demos/hello.c as it is, and a part of demos/step.c; include/docs/bodies.md shows parts of
include/docs/bodies.c. The pages of the repository link
only to files that exist, and the parts and rooms in src/README.md are those of src."""

import pathlib
import re
import sys

from tap import Tap

BLOCK = re.compile(r"```c\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:…]+)\)")
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "include/docs/bodies.md", "src/README.md",
         "tests/README.md", "bench/RESULTS.md", "bench/NOTEBOOK.md"]
ROW = re.compile(r"^\| ([a-z]*) ?\| ([a-z, ]*?) ?\|", re.MULTILINE)


def broken_links(root):
    return [f"{page}: {link}" for page in PAGES for link in LINK.findall((root / page).read_text())
            if not (root / page).parent.joinpath(link).exists()]


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
    docs = root / "include" / "docs"
    bodies = (docs / "bodies.c").read_text()
    blocks = BLOCK.findall((docs / "bodies.md").read_text())
    tap.check("blocks of bodies.md are parts of bodies.c",
              [block.splitlines()[0] for block in blocks if block not in bodies] if blocks else ["no blocks"])
    tap.check("links lead to files", broken_links(root))
    tap.check("src/README.md lists the parts and rooms", unlisted_rooms(root))
    tap.finish()


main()
