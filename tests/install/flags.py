"""How a build compiles the library: fails unless each of its files has the given optimization level.

Arguments: compile_commands.json of Meson or CMake, the level (-O3), that of the scalar kernels if it is another
(-O2)."""

import json
import re
import shlex
import sys

LIBRARY = re.compile(r"(^|/)(libmotte_\w+\.a\.p|motte(_\w+)?\.dir)/")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        commands = [(command["file"], shlex.split(command["command"])) for command in json.load(file)]
    count, wrong = 0, []
    for file, words in commands:
        output = words[words.index("-o") + 1]
        if not LIBRARY.search(output):
            continue
        count += 1
        levels = [word for word in words if re.fullmatch(r"-O\w*", word)]
        expected = sys.argv[-1] if "motte_scalar" in output else sys.argv[2]
        if levels[-1:] != [expected]:
            wrong.append(f"{file}: {levels[-1:] or 'none'}")
    print(f"{count} files of the library, {len(wrong)} without {' or '.join(sys.argv[2:])}")
    print("\n".join(wrong[:10]))
    return 1 if wrong or not count else 0


sys.exit(main())
