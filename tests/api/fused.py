"""The library holds no fused multiply-add, which would round differently from a multiplication and an
addition, but for those that culling names (mo_f8_mul_sub_fast, mo_f8_mul_add_exact: eight
floats at a time).
Instruction sets that have it built in (AVX-512, AArch64) make it easy to slip in.

Arguments: the shared library, objdump."""

import re
import subprocess
import sys

from tap import Tap

SYMBOL = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# x86-64: vfmadd132ps and its kin; AArch64: fmadd, fnmsub, fmla, ...
FUSED = re.compile(r"^(vfn?m(add|sub)|fn?m(add|sub)$|fml[as])")
# Compilers may have the sum negated.
WANTED = re.compile(r"^vfm(add|sub)\d+ps\s.*%ymm")
ARITHMETIC = re.compile(r"^(v?mul[sp]s|fmul)$")


def main():
    library, objdump = sys.argv[1], sys.argv[2]
    code = subprocess.run([objdump, "--disassemble", "--no-show-raw-insn", library], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    symbol, found, products = "?", set(), 0
    for line in code.splitlines():
        start = SYMBOL.match(line)
        if start:
            symbol = start.group(1)
            continue
        words = line.split("\t")
        if len(words) > 1:
            instruction = words[1].split(" ")[0]
            products += ARITHMETIC.match(instruction) is not None
            if FUSED.match(instruction) and not WANTED.match(words[1]):
                found.add(f"{symbol}: {instruction}")
    tap = Tap()
    tap.check("the disassembly is understood", [] if products > 100 else [f"{products} products"])
    tap.check("no multiply-add is fused that should not be", sorted(found))
    tap.finish()


main()
