"""Sums up the log of `meson test`: prints "N passed, N failed", counting the tests inside each program.

Argument: meson-logs/testlog.json. A program that fails without a failed test of its own (a crash, a
timeout, an exit code) counts as one failure."""

import json
import re
import sys

LINE = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)
SKIPPED = re.compile(r"#\s*SKIP\b", re.IGNORECASE)


def main():
    passed = failed = skipped = 0
    with open(sys.argv[1], encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            good = bad = skips = 0
            for failure, rest in LINE.findall(test.get("stdout") or ""):
                if SKIPPED.search(rest):
                    skips += 1
                elif failure:
                    bad += 1
                else:
                    good += 1
            if test["result"] in ("OK", "EXPECTEDFAIL"):
                # Programs without a report of their own count as one test.
                good += good + skips == 0
            elif test["result"] == "SKIP":
                skips += skips == 0
            else:
                bad += bad == 0
            passed += good
            failed += bad
            skipped += skips
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")


main()
