"""The README shows demos/hello.c as it is, and names only files that exist."""

import pathlib
import re
import sys

from tap import Tap

BLOCK = re.compile(r"```c\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")


def main():
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text()
    hello = (root / "demos" / "hello.c").read_text()
    tap = Tap()
    tap.check("a block equals demos/hello.c",
              [] if hello in BLOCK.findall(readme) else ["copy demos/hello.c into README.md"])
    tap.check("links lead to files", [link for link in LINK.findall(readme)
                                      if not (root / link).exists()])
    tap.finish()


main()
