"""Writes a C table of the codes that the public headers document for each function: those of its own
comment and of what that refers to (tests/api/refusals.py), those of the comments over its group and
over its header, and those of all calls that need memory.

Arguments: the root of the repository, the file to write."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from refusals import CODE, DECLARED, FUNCTION, documented  # noqa: E402

GROUP = re.compile(r"/\*\*.*?\*/", re.DOTALL)
# Headers whose functions have the errors of all queries, which motte/query.h lists.
QUERIES = {"query.h", "overlap.h", "near.h", "reference.h", "batch.h", "query_batch.h"}


# What follows in a comment may name functions whose errors are also those of this one.
ERRORS = re.compile(r"[Ee]rrors?\b.*|[Oo]therwise (?:as|like) .*| as there.*|with the same errors.*")
NAME = re.compile(r"\bmo_\w+")


def references(words):
    """The functions that a comment may refer to: those after "Errors", or all if it says "there"."""
    found = ERRORS.search(words)
    if found is None:
        return set()
    everywhere = "there" in found.group() or "same errors" in found.group()
    return set(NAME.findall(words if everywhere else found.group()))


def add_references(headers, codes):
    others = {}
    for header in headers:
        for comment, name in FUNCTION.findall(header.read_text()):
            others[name] = references(re.sub(r"\s*\n/// ?", " ", comment)) & codes.keys()
    for _ in range(4):  # references to references
        for name, names in others.items():
            codes[name] = codes[name].union(*(codes[other] for other in names))


def codes_of_groups(text):
    return {code for group in GROUP.findall(text) for code in CODE.findall(group)}


def main():
    root, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    headers = sorted((root / "include" / "motte").glob("*.h"))
    base = (root / "include" / "motte" / "base.h").read_text()
    numbers = {"MO_OK": 0}
    for name in re.findall(r"X\((MO_\w+),", base):
        numbers.setdefault(name, len(numbers))
    codes = documented(root)
    of_queries = codes_of_groups((root / "include" / "motte" / "query.h").read_text())
    for header in headers:
        text = header.read_text()
        shared = codes_of_groups(text) | (of_queries if header.name in QUERIES else set())
        for name in DECLARED.findall(text):
            codes[name] |= shared
    add_references(headers, codes)
    rows = "".join(
        f'    {{"{name}", {sum(1 << numbers[code] for code in codes[name])}u}},\n'
        for name in sorted(codes))
    output.write_text(
        "/* Made by documented.py: the codes of each function, as bits. */\n#include <stdint.h>\n\n"
        "static const struct {\n  const char *function;\n  uint32_t codes;\n"
        f"}} documented[] = {{\n{rows}}};\n")


main()
