"""No mask of AVX-512 is stored as a byte and read back as more than that, as GCC 12 does where registers
are scarce (src/math/lanes/lanes_avx512.h).

Arguments: the shared library, objdump."""

import re
import subprocess
import sys

from tap import Tap

SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")
STORE = re.compile(r"^kmovb\s+%k\d,(\S*\(%r[sb]p\))$")
LOAD = re.compile(r"^(\w+)\s+(\S*\(%r[sb]p\)),%(?:e\w\w|r[a-ds]\w|r\d+[dw]?)$") # no byte, as %r11b is
WIDER = re.compile(r"^v?mov\w*\s+[%$][^,]+,(\S*\(%r[sb]p\))$")
EXTENDING = ("movz", "movs")


def main():
    library, objdump = sys.argv[1], sys.argv[2]
    code = subprocess.run([objdump, "--disassemble", "--no-show-raw-insn", library], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    symbol, stored, found, masks = "?", set(), [], 0
    for line in code.splitlines():
        start = SYMBOL.match(line)
        if start:
            symbol, stored = start.group(1), set()
            continue
        words = line.split("\t")
        instruction = words[1].strip() if len(words) > 1 else ""
        masks += instruction.startswith("kmovb")
        store, load, wider = STORE.match(instruction), LOAD.match(instruction), WIDER.match(instruction)
        if store:
            stored.add(store.group(1))
        elif wider:
            stored.discard(wider.group(1)) # the place is used for something else
        elif load and load.group(2) in stored and not load.group(1).startswith(EXTENDING):
            found.append(f"{symbol}: {instruction}")
    tap = Tap()
    tap.check("the disassembly is understood", [] if masks > 100 else [f"{masks} moves of masks"])
    tap.check("no mask is read with more bits than were stored", found)
    tap.finish()


main()
