"""Prints the commands of one section of a README: its indented lines.

Arguments: the file, the section's title."""

import sys


def main():
    section, found = None, False
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                section = line.strip("# \n")
            elif section == sys.argv[2] and line.startswith("    "):
                found = True
                print(line[4:].rstrip())
    return 0 if found else f"no commands in the section {sys.argv[2]}"


sys.exit(main())
