"""C and C++ are written as clang-format writes them with the repository's .clang-format. Major versions of
clang-format differ, so only that of Debian 12 decides."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import Tap

MAJOR = 14
FOLDERS = ["src", "include", "tests", "bench", "demos"]
SUFFIXES = {".c", ".h", ".cpp"}
AT_ONCE = 40  # files of one process
DIFFERENT = re.compile(r"^(.+?):(\d+):\d+: .*\[-Wclang-format-violations\]$", re.MULTILINE)


def find_clang_format():
    """The path of clang-format of the right major version, or None and why not."""
    why = f"no clang-format {MAJOR}"
    for name in [f"clang-format-{MAJOR}", "clang-format"]:
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        version = re.search(r"version (\d+)", said)
        if version and int(version[1]) == MAJOR:
            return path, None
        why = f"{name} is not of version {MAJOR}: {said.strip()}"
    return None, why


def differences(clang_format, root, paths):
    """The files that differ, each with its first line that does."""
    run = subprocess.run([clang_format, "--dry-run", "--style=file", *paths], cwd=root, capture_output=True,
                         text=True)
    first = {}
    for path, line in DIFFERENT.findall(run.stderr):
        first.setdefault(path, f"{path}:{line}: differs; clang-format -i {path}")
    problems = list(first.values())
    if run.returncode != 0:
        problems.append(f"clang-format ended with {run.returncode}: {run.stderr[-500:]}")
    return problems


def check_folder(clang_format, root, folder):
    paths = sorted(str(path.relative_to(root)) for path in (root / folder).glob("**/*")
                   if path.suffix in SUFFIXES)
    if not paths:
        return [f"no sources in {folder}"]
    chunks = [paths[i:i + AT_ONCE] for i in range(0, len(paths), AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda chunk: differences(clang_format, root, chunk), chunks)
        return [problem for problems in found for problem in problems]


def main():
    root = pathlib.Path(sys.argv[1])
    tap = Tap()
    clang_format, why = find_clang_format()
    for folder in FOLDERS:
        name = f"{folder} is formatted"
        if clang_format is None:
            tap.skip(name, why)
        else:
            tap.check(name, check_folder(clang_format, root, folder))
    tap.finish()


main()
