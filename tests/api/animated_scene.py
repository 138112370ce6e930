"""Files of BART for the suite of instances, and what is wrong in others."""

HEAD = "v from 0 2 9 at 0 1 0 up 0 1 0 angle 60 hither 1 resolution 8 8\na 0 2 3\n"
SCENE = HEAD + """# a comment
% another one
b 0 0 0   am 1 1 1
l 1 2 3   l 1 2 3 0.5 0.5 0.5   la lamp 1 2 3
f 1 1 1 0.5 0.5 3 0 1
fm 1 1 1  1 1 1  1 1 1  3 0 1
p 4  -9 0 -9  -9 0 9  9 0 9  9 0 -9
i 0 limb.aff
i 1 absent_detail.aff
tpa 2 0  2 1 0 0 0 1  3 1 0 0 0 1  2 2 0 0 0 1
      2  2 1 2 0 0 1  3 1 2 0 0 1  2 3 2 0 0 1
"""
LIMB = """x limb {
  s 0 1 0 1
  xs 1 2 1  0 0 1 90  1 0 0 { c 0 0 0 0.5  0 1 0 0.2 }
  pp 3  0 0 0 0 0 1  1 0 0 0 0 1  0 1 0 0 0 1
  tt wall.ppm  0 0 0 0 0  1 0 0 1 0  0 1 0 0 1
  ttp wall.ppm  0 0 1 0 0 1 0 0  1 0 1 0 0 1 1 0  0 1 1 0 0 1 0 1
  m vertices 3  0 0 2  1 0 2  0 1 2
    normals 1  0 0 1
    texturecoords 1 wall.ppm  0 0
    triangles 1  0 1 2  0 0 0  0 0 0
}
k limb {
  transl 4  -1 -2 0 0 0 0 0  0 -1 0 0 0 0 0  2 1 0 0 0 0 0  3 2 0 0 0 0 0
  rot 4  -1 0 1 0 0 0 0 0  0 0 1 0 0 0 0 0  2 0 1 0 180 0 0 0  3 0 1 0 270 0 0 0
}
"""
MOVES = "transl 4 0 1 1 1 0 0 0 1 1 1 1 0 0 0 2 1 1 1 0 0 0 3 1 1 1 0 0 0"
TRIANGLE = "p 3 0 0 0 1 0 0 0 1 0\n"
# Text behind HEAD, which has two lines; the line that is named; a word of the message.
BROKEN = [
    ("q 1 2 3\n", 3, '"q"'),
    ("\np 2 0 0 0 1 1 1\n", 4, "3 to"),
    ("p 3 0 0 0 1 0 0 0 x 0\n", 3, '"x"'),
    ("p 3 0 0 0 1 0 0 0 nan 0\n", 3, '"nan"'),
    ("p 3 0 0 0 1 0 0 0 1e999 0\n", 3, '"1e999"'),
    ("p 3 0 0 0 1 0 0 0 1e99 0\n", 3, "out of range"),
    ("p 3 0 0 0 1 0 0", 3, "a number"),
    ("p 99999999999 0 0 0\n", 3, "whole number"),
    ("s 0 0 0 1e39\n", 3, "out of range"),
    ("c 0 0 0 1\n 0 0 0 1\n", 4, "length"),
    ("m vertices 3 0 0 0 1 0 0 0 1 0\ntriangles 1 0 1\n3\n", 5, "whole number"),
    ("m vertices 3 0 0 0 1 0 0 0 1 0\nnormals 1 0 0 1\ntriangles 1 0 1 2 0 0 1\n", 5, "whole number"),
    ("m vertices 3 0 0 0 1 0 0 0 1 0\nfaces 1\n", 4, '"triangles"'),
    ("m normals 1\n", 3, '"vertices"'),
    ("tpa 2 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0\n1 0\n", 4, "rise"),
    ("xs 1 1 1 0 0 0 45 0 0 0 { }\n", 3, "axis"),
    ("xs 1 1 1 0 0 0 0 0 0 0\n" + TRIANGLE, 4, '"{"'),
    ("x a {\nx b {\n}\n" + TRIANGLE, 3, "not closed"),
    (TRIANGLE + "}\n", 4, "without {"),
    ("xs 1 1 1 0 0 0 0 0 0 0 {\n" * 300, 258, "256"),
    ("x {\n", 3, "the name"),
    ("i 0 absent.aff\n", 3, "absent.aff"),
    ("i 0 broken.aff\n", 1, "256"), # itself
    ("k a {\ntransl 3 0 0 0 0 0 0 0\n}\n", 4, "4 to"),
    ("k a {\nrot 4 0 0 0 0 5 0 0 0\n}\n", 4, "axis"),
    ("k a {\n" + MOVES + "\n" + MOVES + "\n}\n", 5, "a second time"),
    ("k a {\n" + MOVES.replace(" 1 1 1 1 0 0 0", " 0 1 1 1 0 0 0").replace(
        " 2 1 1 1", " 0 1 1 1") + "\n}\n", 4, "in order of time"),
    ("k a {\nvisibility 1 0 1\n}\n", 4, "not supported"),
    ("k a {\nspin 4\n}\n", 4, "transl"),
    ("k a {\n", 4, "transl"),
    ("v from 0 0 0 at 0 0 0 up 0 1 0 angle 40 hither 1 resolution 1 1\n", 3, "the same point"),
    ("v from 0 0 1 at 0 0 0 up 0 1 0 angle 180 hither 1 resolution 1 1\n", 3, "180"),
    ("v from 0 0 1 to\n", 3, '"at"'),
    ("a 1 1 5\n", 3, "before it begins"),
]


def write(folder):
    folder.mkdir(parents=True)
    (folder / "scene.aff").write_text(SCENE)
    (folder / "limb.aff").write_text(LIMB)
    (folder / "absent_detail.aff").write_text("nothing to read")
    return folder / "scene.aff"


def check(tap, run, refused, folder):
    """`run` and `refused` are those of bench.py."""
    scene = write(folder)
    result = run("run", "instances", "--aff", str(scene), "--rays", "100", "--frames", "3",
                 "--engines", "all")
    tap.check("an animated scene is measured",
              [result.stderr] * (result.returncode != 0)
              + ["no case"] * (not result.stdout.startswith("instances scene/3\n")))
    broken = folder / "broken.aff"
    for text, line, word in BROKEN:
        broken.write_text(HEAD + text)
        tap.check(f"a broken animated scene: {word}, {len(text)} bytes", # before kinds is measured
                  refused(["run", "kinds", "instances", "--aff", str(broken)],
                          f"{broken}:{line}:", word))
    for text, word in [(HEAD, "triangles"), (TRIANGLE, "view"),
                       (HEAD.split("\na", maxsplit=1)[0] + "\n" + TRIANGLE, "start")]:
        broken.write_text(text)
        tap.check(f"an animated scene without {word}",
                  refused(["run", "instances", "--aff", str(broken)], str(broken), word))
