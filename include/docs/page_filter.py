"""Doxygen's filter for pages: prints a page with an id for each heading, so that links lead to pages, headings
and headers of the reference. A link to anything else in the repository becomes its text.

Arguments: the root of the repository, the page."""

import os
import pathlib
import re
import sys

ROOT, PAGE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
FRONT = ROOT / "README.md"  # the main page of the reference
HEADING = re.compile(r"^(#+) (.*)$")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def page_id(path):
    return "page_" + re.sub(r"\W", "_", str(path.relative_to(ROOT).with_suffix("")))


def heading_id(path, slug):
    return f"{page_id(path)}_{slug.replace('-', '_')}"


def slug_of(title):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def is_page(path):
    return path.suffix == ".md" and path.parent in (ROOT / "include/docs", ROOT / "bench", ROOT / "demos")


def link(match):
    picture, text, target = match.groups()
    name, _, slug = target.partition("#")
    if picture or ":" in name:
        return match[0]
    path = pathlib.Path(os.path.normpath(PAGE.parent / name)) if name else PAGE
    if slug and (is_page(path) or path == FRONT):
        return f"[{text}](\\ref {heading_id(path, slug)})"
    if path == FRONT:
        return f"[{text}](\\ref index)"
    if is_page(path):
        return f"[{text}](\\ref {page_id(path)})"
    if path.parent == ROOT / "include/motte":
        return f"[{text}](\\ref {path.stem})"
    if path.suffix == ".c" and path.parent in (ROOT / "include/docs", ROOT / "demos"):
        return f"[{text}]({path.name})"  # copied beside the pages
    return text


def main():
    fenced = False
    for number, line in enumerate(PAGE.read_text().splitlines()):
        fenced ^= line.startswith("```")
        heading = HEADING.match(line)
        if heading and not fenced and (number > 0 or PAGE != FRONT):
            name = page_id(PAGE) if number == 0 else heading_id(PAGE, slug_of(heading[2]))
            line = f"{line} {{#{name}}}"
        print(line if fenced or line.startswith("    ") else LINK.sub(link, line))


main()
