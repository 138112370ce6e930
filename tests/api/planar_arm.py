"""A robot arm in the plane, as data for the suite of motion planning, and its right answers by plane
geometry.

The arm turns about z at the origin, and its hand about z at the end of the arm. In the set "post" the
arm passes a cylinder, in the set "fold" the hand folds back onto the base, far from a box."""

import math

ARM, WIDTH, ELBOW = (0.1, 1.0), 0.05, 1.05 # along x; half of the edges along y and z; of the hand
BASE = 0.06 # half edge
SPACING = 0.05 # of the spheres
POST, POST_RADIUS = (0.8 * math.cos(math.pi / 4), 0.8 * math.sin(math.pi / 4)), 0.1
SETS = {"post": ((0, 0), (math.pi / 2, 0)), "fold": ((0.1, 0.5), (0.1, math.pi))}
CYLINDER = f"""
    - id: post
      primitives:
        - {{type: cylinder, dimensions: [1, {POST_RADIUS}]}}
      primitive_poses:
        - position: [{POST[0]}, {POST[1]}, 0]
          orientation: [0, 0, 0, 1]"""
BOX = """
    - id: far
      pose: {position: [5, 5, 0], orientation: [0, 0, 1, 0]}
      primitives:
        - {type: box, dimensions: [1, 2, 3]}
      primitive_poses:
        - {position: [1, 0, 0], orientation: [0, 0, 0, 1]}"""


def box_of(low, high, half):
    """A box as OBJ."""
    corners = [(x, y, z) for x in (low, high) for y in (-half, half) for z in (-half, half)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    return ("".join(f"v {x} {y} {z}\n" for x, y, z in corners)
            + "".join(f"f {' '.join(map(str, face))}\n" for face in faces))


def sphere_centers():
    low, high = ARM
    return [low + SPACING * i for i in range(round((high - low) / SPACING) + 1)]


def collision(name, form):
    if form == "meshes":
        return (f'<collision><geometry><mesh filename="package://meshes/{name}.obj"/></geometry>'
                "</collision>")
    if name == "base":
        return f'<collision><geometry><sphere radius="{BASE}"/></geometry></collision>'
    return "".join(f'<collision><origin xyz="{x} 0 0" rpy="0 0 0"/>'
                   f'<geometry><sphere radius="{WIDTH}"/></geometry></collision>'
                   for x in sphere_centers())


def urdf_of(form):
    """Joints come before the links that they connect, and children before their parents."""
    return f"""<?xml version="1.0"?>
<robot name="planar">
<joint name="wrist" type="revolute"><origin xyz="{ELBOW} 0 0"/><parent link="arm"/>
<child link="hand"/><axis xyz="0 0 2"/><limit lower="-3.2" upper="3.2"/></joint>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 1"/></joint>
{"".join(f'<link name="{name}"><visual/>{collision(name, form)}</link>' for name in
         ["hand", "base", "arm"])}
<link name="tip"/><joint name="end" type="fixed"><parent link="hand"/><child link="tip"/></joint>
</robot>
"""


SRDF = """<robot name="planar"><disable_collisions link1="base" link2="arm"/>
<disable_collisions link1="hand" link2="arm" reason="Adjacent"/></robot>
"""


def write(folder, robot="panda"):
    """All that the suite reads."""
    (folder / "meshes").mkdir(parents=True)
    for name, box in [("base", (-BASE, BASE, BASE)), ("arm", (*ARM, WIDTH)), ("hand", (*ARM, WIDTH))]:
        (folder / "meshes" / f"{name}.obj").write_text(box_of(*box))
    (folder / f"{robot}.urdf").write_text(urdf_of("meshes"))
    (folder / f"{robot}_spherized.urdf").write_text(urdf_of("spheres"))
    (folder / f"{robot}.srdf").write_text(SRDF)
    for name, (start, goal) in SETS.items():
        problems = folder / "problems" / f"{name}_{robot}"
        problems.mkdir(parents=True)
        (problems / "scene0001.yaml").write_text(
            f"name: made\nworld:\n  collision_objects:{CYLINDER if name == 'post' else BOX}\n")
        (problems / "request0001.yaml").write_text(f"""start_state:
  joint_state:
    position: [{start[1]}, 7, {start[0]}]
    name: [wrist, elsewhere, shoulder]
goal_constraints:
  - joint_constraints:
      - joint_name: shoulder
        position: {goal[0]}
      - position: {goal[1]}
        joint_name: wrist
""")


def rotated(point, angle):
    x, y = point
    return (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle))


def disc_touches_bar(center, radius, angle):
    x, y = rotated(center, -angle)
    return math.hypot(x - min(max(x, ARM[0]), ARM[1]), y - min(max(y, -WIDTH), WIDTH)) <= radius


def boxes_touch(first, second):
    """Of convex polygons, by separating axes."""
    for polygon in [first, second]:
        for (x, y), (u, v) in zip(polygon, polygon[1:] + polygon[:1]):
            sides = [[(v - y) * p - (u - x) * q for p, q in other] for other in [first, second]]
            if max(sides[0]) < min(sides[1]) or max(sides[1]) < min(sides[0]):
                return False
    return True


def hand_frame(shoulder, wrist, point):
    x, y = rotated(point, wrist)
    return rotated((x + ELBOW, y), shoulder)


def collides(form, name, shoulder, wrist):
    if form == "spheres":
        arm = [rotated((x, 0), shoulder) for x in sphere_centers()]
        hand = [hand_frame(shoulder, wrist, (x, 0)) for x in sphere_centers()]
        if name == "post":
            return any(math.dist(p, POST) <= WIDTH + POST_RADIUS for p in arm + hand)
        return any(math.hypot(*p) <= WIDTH + BASE for p in hand)
    if name == "post": # the hand is beyond the post
        return disc_touches_bar(POST, POST_RADIUS, shoulder)
    base = [(-BASE, -BASE), (BASE, -BASE), (BASE, BASE), (-BASE, BASE)]
    bar = [(ARM[0], -WIDTH), (ARM[1], -WIDTH), (ARM[1], WIDTH), (ARM[0], WIDTH)]
    return boxes_touch(base, [hand_frame(shoulder, wrist, p) for p in bar])


def colliding_share(form, name, resolution=32):
    """In percent, of the configurations from start to goal."""
    start, goal = SETS[name]
    steps = 8 * math.ceil(math.dist(start, goal) * resolution / 8)
    found = sum(collides(form, name, *(a + (b - a) * (k + 1) / steps for a, b in zip(start, goal)))
                for k in range(steps))
    return 100 * found / steps
