"""src/CMakeLists.txt compiles what src/meson.build does: Meson lists every file under src, kernels apart, where
CMake goes by names, and both give the kernels of an instruction set the same flags. The headers say the same version."""

import pathlib
import re
import sys

from tap import Tap

LIST = re.compile(r"motte_(\w+) \+= files\((.*?)\)", re.DOTALL)


def listed_files(source):
    """What Meson lists: the kernels, and the other files."""
    kernels, others = set(), set()
    for path in source.glob("*/meson.build"):
        for kind, names in LIST.findall(path.read_text()):
            files = {str(path.parent.relative_to(source) / name) for name in re.findall(r"'([^']+)'", names)}
            (kernels if kind == "isa_sources" else others).update(files)
    return kernels, others


def named_files(source):
    """The files as CMake tells them apart."""
    files = {str(path.relative_to(source)) for path in source.glob("**/*.c")}
    kernels = {name for name in files if name.endswith("_kernel.c")}
    return kernels, files - kernels


def meson_flags(text):
    sets = re.search(r"isa_sets = \{\n(.*?)\n  \}", text, re.DOTALL)[1]
    return {name: re.findall(r"-m[\w.=-]+", flags)
            for name, flags in re.findall(r"'(\w+)': (.*?)(?=\n    '|\Z)", sets, re.DOTALL)}


def cmake_flags(text):
    flags = {}
    for name, words in re.findall(r"(?:set\(|APPEND )motte_flags_(\w+)\s([^)]*)\)", text):
        flags.setdefault(name, []).extend(re.findall(r"-m[\w.=-]+", words))
    return {name: words for name, words in flags.items() if words}


def main():
    root = pathlib.Path(sys.argv[1])
    tap = Tap()
    for kind, listed, named in zip(["kernels", "other files"], listed_files(root / "src"), named_files(root / "src")):
        tap.check(f"Meson and CMake have the same {kind}",
                  sorted(f"src/{name}" for name in listed ^ named) if listed else ["none"])
    meson = (root / "src" / "meson.build").read_text()
    cmake = (root / "src" / "CMakeLists.txt").read_text()
    expected, found = meson_flags(meson), cmake_flags(cmake)
    tap.check("both give kernels the same flags",
              [] if expected and expected == found else [f"Meson: {expected}", f"CMake: {found}"])
    project = {flag for flag in re.findall(r"'(-f[\w=-]+)'", (root / "meson.build").read_text())
               if not flag.startswith("-fsanitize") and not flag.startswith("-fno-sanitize")}
    tap.check("both give all files the same flags",
              [flag for flag in sorted(project) if flag not in cmake] if project else ["none"])
    version = re.search(r"version: '([\d.]+)'", (root / "meson.build").read_text())[1]
    macros = re.findall(r"#define MO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                        (root / "include" / "motte" / "base.h").read_text())
    tap.check("the headers say Meson's version", [] if macros == version.split(".") else [f"{macros}, {version}"])
    tap.finish()


main()
