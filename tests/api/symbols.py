"""The shared library exports the functions that the public headers declare, and nothing else.

Arguments: the source folder, the shared library, nm."""

import pathlib
import re
import subprocess
import sys

from tap import Tap

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
DIRECTIVE = re.compile(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
DECLARATION = re.compile(r"\bMO_API\b[^;]*?\b(\w+)\s*\(")


def declared(root):
    names = set()
    for path in sorted((root / "include" / "motte").glob("*.h")):
        code = DIRECTIVE.sub("", COMMENT.sub("", path.read_text()))
        names.update(DECLARATION.findall(code))
    return names


def exported(library, nm):
    lines = subprocess.run([nm, "--dynamic", "--defined-only", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def main():
    root, library, nm = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    names = declared(root)
    symbols = exported(library, nm)
    tap = Tap()
    tap.check("exported symbols begin with mo_",
              [name for name in sorted(symbols) if not name.startswith("mo_")])
    tap.check("exported symbols are declared in include/motte", sorted(symbols - names))
    tap.check("declared functions are exported", sorted(names - symbols))
    tap.finish()


main()
