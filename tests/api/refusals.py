"""Every error that a function of the public headers documents is provoked by a row of the program
test_api_refusals: each code that the function's own comment names, or the comment of the function
that it refers to, and a null argument for every function that returns a result.

Arguments: the root of the repository, the program."""

import pathlib
import re
import subprocess
import sys

from tap import Tap

FUNCTION = re.compile(r"((?:^///[^\n]*\n)+)(?:MO_API|static inline) mo_result (mo_\w+)\(",
                      re.MULTILINE)
DECLARED = re.compile(r"^(?:MO_API|static inline) mo_result (mo_\w+)\(", re.MULTILINE)
CODE = re.compile(r"\bMO_ERROR_\w+")
AS_FUNCTION = re.compile(r"(?:[Ee]rrors:? (?:as|those of|as of)|[Oo]therwise as|; as|what) (mo_\w+)")

# Codes that no argument alone provokes: of memory and threads, and of defects of the library.
ELSEWHERE = {"MO_ERROR_OUT_OF_MEMORY", "MO_ERROR_NO_THREAD", "MO_ERROR_CORRUPT"}
# What cannot be provoked here, and why.
EXCEPT = {
    ("mo_scene_create", "MO_ERROR_UNSUPPORTED"): "every instruction set may be there: base/isa",
    ("mo_mesh_create", "MO_ERROR_UNSUPPORTED"): "every instruction set may be there: base/isa",
    ("mo_swept_mesh_create", "MO_ERROR_UNSUPPORTED"): "every instruction set may be there: base/isa",
    ("mo_mesh_create_height_field", "MO_ERROR_UNSUPPORTED"): "every instruction set may be there: base/isa",
    ("mo_pair_tracker_update", "MO_ERROR_TOO_MANY"): "takes billions of pairs",
    ("mo_contact_tracker_update", "MO_ERROR_TOO_MANY"): "takes billions of contacts",
    ("mo_contact_tracker_wake", "MO_ERROR_TOO_MANY"): "takes billions of contacts",
    ("mo_contact_tracker_restore", "MO_ERROR_TOO_MANY"): "takes billions of contacts",
    ("mo_contact_tracker_set_joints", "MO_ERROR_TOO_MANY"): "takes a billion joints",
    ("mo_watch_update", "MO_ERROR_TOO_MANY"): "takes billions of shapes in regions",
    ("mo_watch_add_region", "MO_ERROR_TOO_MANY"): "takes billions of regions",
    ("mo_mesh_refit", "MO_ERROR_TOO_MANY"): "takes a mesh beyond what a refit can index",
    ("mo_scene_draw_buffers", "MO_ERROR_TOO_MANY"): "takes hundreds of millions of nodes",
    ("mo_mesh_draw_buffers", "MO_ERROR_TOO_MANY"): "takes hundreds of millions of nodes",
    ("mo_from_glm_mat4", "MO_ERROR_NULL_ARGUMENT"): "takes an array",
    ("mo_planes_from_glm", "MO_ERROR_NULL_ARGUMENT"): "takes an array",
}


def documented(root):
    """The codes of each function, and the functions whose errors are also its own."""
    codes, others = {}, {}
    for header in sorted((root / "include" / "motte").glob("*.h")):
        text = header.read_text()
        for name in DECLARED.findall(text):
            codes[name] = {"MO_ERROR_NULL_ARGUMENT"}
        for comment, name in FUNCTION.findall(text):
            words = re.sub(r"\s*\n/// ?", " ", comment)
            codes[name] |= set(CODE.findall(words))
            others[name] = set(AS_FUNCTION.findall(words))
    for name, references in others.items():
        for other in references & codes.keys():
            codes[name] |= codes[other] - {"MO_ERROR_TOO_MANY", "MO_ERROR_UNSUPPORTED"}
    return codes


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    output = subprocess.run([program, "rows"], text=True, stdout=subprocess.PIPE).stdout
    rows = {tuple(line.split()) for line in output.splitlines() if len(line.split()) == 2}
    codes = documented(root)
    wanted = {(name, code) for name in codes for code in codes[name] - ELSEWHERE} - EXCEPT.keys()
    tap = Tap()
    tap.check("functions are found", [] if len(codes) > 80 else [f"only {len(codes)}"])
    tap.check("documented errors are provoked",
              [f"{name}: no row expects {code}" for name, code in sorted(wanted - rows)])
    tap.check("exceptions are documented errors without a row",
              [f"{name} {code}" for name, code in sorted(EXCEPT)
               if code not in codes.get(name, ()) or (name, code) in rows])
    tap.finish()


if __name__ == "__main__":
    main()
