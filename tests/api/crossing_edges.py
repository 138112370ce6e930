"""Frames for the suite of two frames, in which edges cross or do not, and the right answers by a loop.

Of each pair of triangles the first lies flat with an edge along x; the second stands on an edge
along y, and falls through the first if it has an odd number."""

import itertools
import json
import struct

PAIRS = 20


def frame(time):
    vertices = []
    for i in range(PAIRS):
        height = 1 - 2 * time if i % 2 else 1 + time
        vertices += [(4 * i - 1, 0, 0), (4 * i + 1, 0, 0), (4 * i, -5, 0)]
        vertices += [(4 * i, -1, height), (4 * i, 1, height), (4 * i, 0, height + 5)]
    return vertices


def edges():
    """In the order of their larger vertex, then of the smaller one."""
    return [(3 * t + a, 3 * t + b) for t in range(2 * PAIRS) for a, b in [(0, 1), (0, 2), (1, 2)]]


def touching():
    """How many pairs of edges have boxes around their movement that touch."""
    frames = frame(0), frame(1)
    boxes = [[(min(x), max(x)) for x in zip(*(vertices[v] for vertices in frames for v in edge))]
             for edge in edges()]
    return sum(all(p[0] <= q[1] and q[0] <= p[1] for p, q in zip(boxes[i], boxes[j]))
               for j in range(len(boxes)) for i in range(j))


def expected():
    return {"pair_count": touching(), "collisions": PAIRS // 2, "false_negatives": 0,
            "false_positives": 0}


def write(scene):
    """With coordinates as doubles."""
    write_frames(scene, [frame(0), frame(1)],
                 [(3 * t, 3 * t + 1, 3 * t + 2) for t in range(2 * PAIRS)])
    # Boxes of vertices are numbered before those of edges. Pairs may be in either order.
    first = 6 * PAIRS
    pairs = [[first + 6 * i, first + 6 * i + 3][::1 if i % 4 else -1] for i in range(1, PAIRS, 2)]
    (scene / "boxes" / "7ee.json").write_text(json.dumps(pairs))
    (scene / "mma_bool" / "7ee_mma_bool.json").write_text(json.dumps([True] * len(pairs)))


def write_fan(scene):
    """More faces than vertices: all triangles of eight points."""
    points = [(i, i * i, i * i * i) for i in range(8)]
    write_frames(scene, [points, points], list(itertools.combinations(range(8), 3)))
    (scene / "boxes" / "7vf.json").write_text("[]")


def write_frames(scene, frames, faces):
    for part in ["frames", "boxes", "mma_bool"]:
        (scene / part).mkdir(parents=True)
    head = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(frames[0])}\n"
            "property double x\nproperty double y\nproperty double z\n"
            f"element face {len(faces)}\nproperty list uint8 int32 vertex_indices\nend_header\n")
    for time, vertices in enumerate(frames):
        bytes_ = b"".join(struct.pack("<ddd", *vertex) for vertex in vertices)
        bytes_ += b"".join(struct.pack("<Biii", 3, *face) for face in faces)
        (scene / "frames" / f"{7 + time}.ply").write_bytes(head.encode() + bytes_)
