"""The layering of the sources. A file includes only its own part and the parts below it. Parts have rooms
(sub-folders): a room includes the headers in its part's own folder and the rooms listed before it, and
everybody else includes only the room's own headers named here. Only the math part and the optional header
know cglm."""

import pathlib
import re
import sys

from tap import Tap

PARTS = ["base", "math", "geometry", "octree", "mesh", "scene", "pairs", "query", "character", "batch", "contact", "debug"]
# Rooms of a part, lowest first, and what others may include of each. The sources in the part's own folder
# lie above its rooms, the headers there below them.
ROOMS = {
    "math": {"lanes": ["bytes.h", "lanes.h", "vectors.h", "vertices.h"]},
    "geometry": {"triangle": ["degenerate.h", "expansion.h", "normal.h", "orient.h", "triangle.h", "winding.h"],
                 "hull": ["hull.h"],
                 "solid": ["bounds.h", "solids.h"], "body": ["body.h"],
                 "ray": ["body.h", "init.h", "ray.h", "triangle.h"],
                 "difference": ["difference.h"], "overlap": ["overlap.h"], "distance": ["distance.h"],
                 "penetration": ["box_triangle.h", "penetration.h"],
                 "cast": ["approach.h", "bounds.h", "box_entry.h", "capsule.h", "convex.h", "half_space.h", "impact.h", "moving_triangle.h", "sphere.h",
                          "rotating.h"]},
    "mesh": {"format": ["read.h"], "visit": ["visit.h"], "rays": ["rays.h"],
             "culling": ["frame.h", "lanes.h", "placed.h", "sides.h", "swept.h", "swept_lanes.h"],
             "overlap": ["overlap.h"], "cast": ["cast.h", "translation_planes.h"],
             "near": ["near.h"], "pair": ["cast.h", "distance.h", "pair.h", "sweep.h"], "build": ["build.h", "edges.h", "part.h"], "refit": ["refit.h"], "edit": ["edit.h"],
             "height": ["height.h"], "swept": []},
    "scene": {"changes": ["change_log.h"], "bodies": ["bodies.h"],
              "shapes": ["bounds.h", "displacements.h", "shape.h", "traits.h", "unbounded.h"], "compounds": [],
              "octree": ["octree.h"], "bulk": ["bulk.h"], "moves": ["moves.h"]},
    "pairs": {"search": ["search.h"], "tracker": ["set.h", "tracker.h"]},
    "contact": {"body": ["body.h", "feature.h", "limits.h"], "normal": ["contact_normal.h", "polytope.h", "segments.h"],
                "manifold": ["fast_path.h", "manifold.h", "patch.h", "reduce.h", "reusable_contact.h"],
                "surface": ["sheet.h", "surface.h"],
                "pair": ["children.h", "pair.h", "seam.h"], "tracker": [], "impact": []},
    "query": {"ray": ["shape_ray.h"], "cast": [], "near": ["near.h"], "overlap": ["region.h"], "watch": []},
}
# The lowest part that implements something of a public header, where that is not the part of its name:
# queries on one mesh are declared beside those on scenes.
LOWEST = {"batch": "batch", "cast": "mesh", "compound": "scene", "contact_tracker": "contact", "continuous": "contact", "distance": "mesh", "height_field": "mesh", "hull": "geometry", "mass": "mesh", "movement": "geometry", "near": "query", "overlap": "mesh", "pair_tracker": "pairs",
          "query": "mesh", "query_batch": "batch", "separation": "mesh", "swept": "mesh", "watch": "query"}
MAX_LINES = 800
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def rank(part):
    return PARTS.index(part)


def room_of(path):
    """The room of "part/room/file.h", or None for a file in the part's own folder."""
    return path.split("/")[1] if path.count("/") > 1 else None


def check_room(shown, file, name):
    """An include of a file of some part by a file of src, both written "part/[room/]file"."""
    part, room = file.split("/")[0], room_of(file)
    other_part, other_room = name.split("/")[0], room_of(name)
    if part == other_part and (other_room == room or (other_room is None and name.endswith(".h"))):
        return []
    rooms = ROOMS.get(other_part, {})
    if other_room is not None:
        if other_room not in rooms:
            return [f"{shown}: {other_part}/{other_room} is no room known to tests/api/layers.py"]
        if name.split("/")[-1] not in rooms[other_room]:
            return [f"{shown}: {name} is private to its room"]
    if part != other_part:
        return []
    order = list(rooms)
    if room is None:
        return [f"{shown}: a header of the part's own folder lies below {name}"] if file.endswith(".h") else []
    if order.index(other_room) > order.index(room):
        return [f"{shown}: {name} lies in a room above {part}/{room}"]
    return []


def check_part(root, part):
    problems = []
    for path in sorted((root / "src" / part).glob("**/*.[ch]")):
        shown = path.relative_to(root)
        for quote, name in INCLUDE.findall(path.read_text()):
            first = name.split("/")[0]
            if quote == '"':
                if first not in PARTS or not (root / "src" / name).is_file():
                    problems.append(f'{shown}: "{name}" is not written "part/file.h"')
                elif rank(first) > rank(part):
                    problems.append(f"{shown}: {name} lies above {part}")
                else:
                    problems += check_room(shown, str(path.relative_to(root / "src")), name)
            elif first == "motte":
                header = pathlib.PurePath(name).stem
                if header not in PARTS and header not in LOWEST:
                    problems.append(f"{shown}: <{name}> is for users of the library")
                elif rank(LOWEST.get(header, header)) > rank(part):
                    problems.append(f"{shown}: <{name}> lies above {part}")
            elif first == "cglm" and part != "math":
                problems.append(f"{shown}: only the math part includes cglm")
            elif first in PARTS:
                problems.append(f'{shown}: <{name}> is written "{name}"')
    return problems


def check_public(root):
    problems = []
    for path in sorted((root / "include" / "motte").glob("*.h")):
        for quote, name in INCLUDE.findall(path.read_text()):
            header = pathlib.PurePath(name).stem
            if quote == '"':
                problems.append(f'{path.name}: public headers include <motte/...>, not "{name}"')
            elif name.startswith("motte/"):
                if path.stem in PARTS and rank(LOWEST.get(header, header)) > rank(path.stem):
                    problems.append(f"{path.name}: <{name}> lies above it")
                if header == "cglm":
                    problems.append(f"{path.name}: <motte/cglm.h> is optional")
            elif name.startswith("cglm/") and path.name != "cglm.h":
                problems.append(f"{path.name}: public headers do not need cglm")
    return problems


def check_parts_known(root):
    return [f"src/{folder.name}: no such part in tests/api/layers.py"
            for folder in sorted((root / "src").iterdir())
            if folder.is_dir() and folder.name not in PARTS]


def check_length(root):
    problems = []
    for folder in ["src", "include", "tests", "bench", "demos"]:
        for path in sorted((root / folder).glob("**/*.[ch]")):
            lines = len(path.read_text().splitlines())
            if lines > MAX_LINES:
                problems.append(f"{path.relative_to(root)}: {lines} lines want to be two files")
    return problems


def main():
    root = pathlib.Path(sys.argv[1])
    tap = Tap()
    tap.check("every folder of src is a known part", check_parts_known(root))
    for part in PARTS:
        if (root / "src" / part).is_dir():
            tap.check(f"{part} includes only itself and what lies below", check_part(root, part))
    tap.check("public headers are layered alike", check_public(root))
    tap.check(f"no file is longer than {MAX_LINES} lines", check_length(root))
    tap.finish()


main()
