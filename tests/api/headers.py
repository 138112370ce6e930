"""Each public header compiles alone, as C17 and as C++17, without a warning.

Arguments: the source folder; then compiler commands, each after --c or --cpp."""

import pathlib
import subprocess
import sys
import tempfile

from tap import Tap

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]


def parse(arguments):
    compilers = {}
    for argument in arguments:
        if argument in ("--c", "--cpp"):
            current = compilers.setdefault(argument[2:], [])
        else:
            current.append(argument)
    return compilers


def compile_alone(compiler, standard, suffix, include, header):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / f"alone{suffix}"
        # Twice: the include guard is checked as well.
        source.write_text(f"#include <motte/{header}>\n" * 2)
        run = subprocess.run(
            [*compiler, f"-std={standard}", *WARNINGS, "-I", include, "-fsyntax-only", source],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode == 0:
            return []
        return run.stdout.splitlines() or ["the compiler failed without a word"]


def main():
    root = pathlib.Path(sys.argv[1])
    compilers = parse(sys.argv[2:])
    include = root / "include"
    tap = Tap()
    for language, standard, suffix in [("c", "c17", ".c"), ("cpp", "c++17", ".cpp")]:
        for path in sorted((include / "motte").glob("*.h")):
            name = f"{path.name} compiles alone as {standard}"
            if path.name == "cglm.h":
                continue  # tests/api/cglm.c and cglm.cpp include it where cglm was found
            if language not in compilers:
                tap.skip(name, "no compiler")
                continue
            tap.check(name, compile_alone(compilers[language], standard, suffix, include, path.name))
    tap.finish()


main()
