"""How a build compiles the library: fails unless each of its files has the given optimization level.

Arguments: compile_commands.json, the level (-O3), that of the scalar kernels if it is another (-O2)."""

import json
import re
import shlex
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        commands = json.load(file)
    library = [command for command in commands if re.search(r"(^|/)libmotte_\w+\.a\.p/", command["output"])]
    wrong = []
    for command in library:
        levels = [word for word in shlex.split(command["command"]) if re.fullmatch(r"-O\w*", word)]
        expected = sys.argv[-1] if "libmotte_scalar" in command["output"] else sys.argv[2]
        if levels[-1:] != [expected]:
            wrong.append(f"{command['file']}: {levels[-1:] or 'none'}")
    print(f"{len(library)} files of the library, {len(wrong)} without {' or '.join(sys.argv[2:])}")
    print("\n".join(wrong[:10]))
    return 1 if wrong or not library else 0


sys.exit(main())
