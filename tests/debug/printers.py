"""The printers of src/debug/gdb.py show the values of printers.c. Arguments: the source folder, the program."""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "api"))
from tap import Tap  # noqa: E402

EXPECTED = {
    "vector": "(1, -2.5, 0.125)",
    "transform": "x (1, 0, 0), y (0, 1, 0), z (0, 0, 1), origin (1, -2.5, 0.125)",
    "box": "(0, 0, 0) to (1, 2, 3)",
    "none": "no shape",
    "shape": "shape 7.2",
    "no_bounds": "empty",
    "node": "1: node 12 (0, 0, 0) to (1, 2, 3); 4: leaf 3 (0, 0, 0) to (1, 2, 3)",
    "scene_node": "20 shapes; 1: node 12 (0, 0, 0) to (1, 2, 3); 4: leaf 3 (0, 0, 0) to (1, 2, 3); "
                  "own shapes from block 5",
    "triangles": "9 duplicated (0, 0, 0) (1, 0, 0) (0, 1, 0)",
    "shapes": "shape 42 (0, 0, 0) to (1, 2, 3)",
    "triangle": "triangle (0, 0, 0) (1, 0, 0) (0, 1, 0)",
    "aabb": "box a (0.5, 1, 1.5), b (0.5, 1, 1.5), radius 0, rounding 0, columns (1, 0, 0) (0, 1, 0) (0, 0, 1), "
            "origin (0, 0, 0)",
    "sphere": "sphere a (1, 2, 3), b (1, 2, 3), radius 0.5, rounding 0, columns (1, 0, 0) (0, 1, 0) (0, 0, 1), "
              "origin (0, 0, 0)",
    "contact": "shape 7.2 and shape 1.1, triangle 30: touching, normal (0, 0, -1); "
               "points (1, -2.5, 0.125) -0.25",
}


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    tap = Tap()
    gdb = shutil.which("gdb")
    if gdb is None:
        tap.skip("values are printed", "no gdb")
        tap.finish()
        return
    commands = [f"source {root / 'src' / 'debug' / 'gdb.py'}", "set width 0", "break shown", "run", "up",
                *(f"print {name}" for name in EXPECTED)]
    run = subprocess.run([gdb, "-nx", "-batch", *(word for command in commands for word in ("-ex", command)), program],
                         capture_output=True, text=True, check=False)
    if "Python scripting is not supported" in run.stderr or "ptrace" in run.stderr:
        tap.skip("values are printed", run.stderr.strip().splitlines()[0])
        tap.finish()
        return
    printed = [line.split(" = ", 1)[1] for line in run.stdout.splitlines() if line.startswith("$")]
    tap.check("every value is printed",
              [] if len(printed) == len(EXPECTED) else [run.stdout[-1000:], run.stderr[-1000:]])
    for (name, expected), found in zip(EXPECTED.items(), printed):
        tap.check(f"{name} is printed", [] if found == expected else [f"expected {expected}", f"found {found}"])
    tap.finish()


main()
