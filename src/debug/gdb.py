"""Printers of vectors, transforms, boxes, nodes, blocks, bodies and contacts for gdb:

    (gdb) source src/debug/gdb.py

Empty slots of nodes and blocks are left out. `print/r` shows a value as it is."""

import gdb
import gdb.printing

WIDTH = 8
EMPTY, LEAF, NONE = 0xFFFFFFFF, 0x80000000, 0xFFFFFFFF
TRIANGLE, DUPLICATED = 0x3FFFFFFF, 0x40000000 # of the ids in a block of triangles


def number(value):
    return f"{float(value):g}"


def vector(value):
    return "(" + ", ".join(number(value[axis]) for axis in "xyz") + ")"


def box(value):
    return f"{vector(value['lower'])} to {vector(value['upper'])}"


def lane_of_bounds(bounds, lane):
    lower, upper = (", ".join(number(bounds[side][axis][lane]) for axis in range(3)) for side in ("lower", "upper"))
    return f"({lower}) to ({upper})"


def shape_id(value):
    return f"shape {int(value['index'])}.{int(value['generation'])}" if int(value["generation"]) else "no shape"


def transform(value):
    axes = ", ".join(f"{axis} {vector(value[axis + '_axis'])}" for axis in "xyz")
    return f"{axes}, origin {vector(value['origin'])}"


def bounds(value):
    return "; ".join(f"{lane}: {lane_of_bounds(value, lane)}" for lane in range(WIDTH)
                     if float(value["lower"][0][lane]) <= float(value["upper"][0][lane])) or "empty"


def node(value):
    children = []
    for slot in range(WIDTH):
        child = int(value["child"][slot])
        if child != EMPTY:
            kind = "leaf" if child & LEAF else "node"
            children.append(f"{slot}: {kind} {child & ~LEAF} {lane_of_bounds(value['bounds'], slot)}")
    return "; ".join(children) or "no children"


def scene_node(value):
    items = int(value["items"])
    own = "" if items == NONE else f"; own shapes from block {items}"
    return f"{int(value['count'])} shapes; {node(value)}{own}"


def triangle_block(value):
    triangles = []
    for lane in range(WIDTH):
        index = int(value["id"][lane])
        if index & TRIANGLE != TRIANGLE:
            corners = ("(" + ", ".join(number(value["corner"][i][axis][lane]) for axis in range(3)) + ")"
                       for i in range(3))
            again = " duplicated" if index & DUPLICATED else ""
            triangles.append(f"{index & TRIANGLE}{again} {' '.join(corners)}")
    return "; ".join(triangles) or "no triangles"


def shape_block(value):
    count = int(value["count"])
    shapes = (f"shape {int(value['shape'][lane])} {lane_of_bounds(value['bounds'], lane)}" for lane in range(count))
    next_block = int(value["next"])
    return ("; ".join(shapes) or "no shapes") + ("" if next_block == NONE else f"; next block {next_block}")


def solid(value):
    name = str(value["kind"]).replace("MO_SOLID_", "").lower()
    if name == "hull":
        return f"hull {value['hull']}"
    return f"{name} a {vector(value['a'])}, b {vector(value['b'])}, radius {number(value['radius'])}, " \
           f"rounding {number(value['rounding'])}"


def body(value):
    kind = str(value["kind"])
    if kind == "MO_BODY_TRIANGLE":
        return "triangle " + " ".join(vector(value["corners"][i]) for i in range(3))
    if kind == "MO_BODY_HALF_SPACE":
        plane = value["half_space"]
        return f"half-space, normal {vector(plane['normal'])}, through {vector(plane['origin'])}, " \
               f"offset {number(plane['offset'])}"
    convex = value["convex"]
    columns = " ".join(vector(convex["column"][i]) for i in range(3))
    return f"{solid(convex['solid'])}, columns {columns}, origin {vector(convex['origin'])}"


def manifold(value):
    count = int(value["point_count"])
    if count == 0:
        return "overlap, no points" if value["touching"] else "apart"
    points = (f"{vector(point['position'])} {number(point['separation'])}"
              for point in (value["points"][i] for i in range(count)))
    return f"{'touching' if value['touching'] else 'near'}, normal {vector(value['normal'])}; points " + "; ".join(points)


def contact(value):
    def side(name):
        triangle = int(value[f"triangle_{name}"])
        return shape_id(value[name]) + ("" if triangle == NONE else f", triangle {triangle}")
    return f"{side('a')} and {side('b')}: {manifold(value['manifold'])}"


FORMATS = {
    "mo_vec3": vector, "mo_dvec3": vector, "mo_aabb": box, "mo_transform": transform, "mo_shape_id": shape_id,
    "mo_bounds8": bounds, "mo_mesh_node": node, "mo_scene_node": scene_node, "mo_triangle_block": triangle_block,
    "mo_shape_block": shape_block, "mo_solid": solid, "mo_body": body, "mo_manifold": manifold, "mo_contact": contact,
}


class Printer:
    def __init__(self, value, text_of):
        self.value = value
        self.text_of = text_of

    def to_string(self):
        return self.text_of(self.value)


def printer_of(text_of):
    return lambda value: Printer(value, text_of)


printers = gdb.printing.RegexpCollectionPrettyPrinter("motte")
for name, text_of in FORMATS.items():
    printers.add_printer(name, f"^{name}$", printer_of(text_of))
gdb.printing.register_pretty_printer(gdb.current_objfile(), printers, replace=True)
