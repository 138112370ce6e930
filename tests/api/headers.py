"""Each public header is installed, and compiles alone, as C17 and as C++17, without a warning.

Arguments: the source folder; then compiler commands, each after --c or --cpp. motte/cglm.h is checked
where the compiler finds the headers of cglm by itself."""

import pathlib
import re
import subprocess
import sys
import tempfile

from tap import Tap

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


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
        source.write_text(f"#include <{header}>\n" * 2)
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
    installed = re.findall(r"'(motte/\w+\.h)'", (include / "meson.build").read_text())
    tap.check("all headers are installed",
              [f"include/meson.build does not name motte/{path.name}"
               for path in sorted((include / "motte").glob("*.h")) if f"motte/{path.name}" not in installed])
    for language, standard, suffix in [("c", "c17", ".c"), ("cpp", "c++17", ".cpp")]:
        for path in sorted((include / "motte").glob("*.h")):
            name = f"{path.name} compiles alone as {standard}"
            if language not in compilers:
                tap.skip(name, "no compiler")
                continue

            def problems(header):
                return compile_alone(compilers[language], standard, suffix, include, header)
            if path.name == "cglm.h" and problems("cglm/cglm.h"):
                tap.skip(name, "the compiler does not find cglm by itself")
                continue
            tap.check(name, problems(f"motte/{path.name}"))
    tap.finish()


main()
