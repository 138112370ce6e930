/* Shapes, transforms and what else a scene is made of, decoded from bytes. */
#include "fuzz/shapes.h"

#include "support/hulls.h"
#include "support/meshes.h"

static mo_mesh *make_mesh(test_mesh_kind kind, uint32_t size, bool edges, bool compact) {
  rng r = rng_make(17);
  test_mesh mesh = test_mesh_make(kind, size, &r);
  mo_mesh_def def = test_mesh_def(&mesh);
  mo_mesh *made = NULL;
  def.build.edges = edges;
  def.build.compact = compact;
  mo_result result = mo_mesh_create(&def, &made);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  test_mesh_free(&mesh);
  return made;
}

/* Two sheets that meet in a straight ridge, as a roof. */
static mo_mesh *make_roof(void) {
  static const float positions[6][3] = {{-2, 0, -2}, {-2, 0, 2}, {0, 1, -2},
                                        {0, 1, 2},   {2, 0, -2}, {2, 0, 2}};
  static const uint32_t indices[12] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4};
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *made = NULL;
  def.positions = positions;
  def.vertex_count = 6;
  def.indices = indices;
  def.triangle_count = 4;
  def.build.edges = true;
  mo_result result = mo_mesh_create(&def, &made);
  FUZZ_CHECK(result == MO_OK, "%s", mo_result_name(result));
  return made;
}

const fuzz_supplies *fuzz_supplies_get(void) {
  static fuzz_supplies s;
  if (s.meshes[0] == NULL) {
    s = (fuzz_supplies){
        {make_roof(), make_mesh(TEST_MESH_TERRAIN, 40, true, false),
         make_mesh(TEST_MESH_FLAT, 18, true, true), make_mesh(TEST_MESH_BOX, 12, true, false),
         make_mesh(TEST_MESH_SPHERE, 20, false, false), make_mesh(TEST_MESH_SOUP, 12, false, true),
         make_mesh(TEST_MESH_DEGENERATE, 12, true, false),
         make_mesh(TEST_MESH_ZERO, 0, false, false)},
        {test_hull(TEST_HULL_TETRAHEDRON), test_hull(TEST_HULL_CUBE), test_hull(TEST_HULL_BALL),
         test_hull(TEST_HULL_PLATE), test_hull(TEST_HULL_FLAKE), test_hull(TEST_HULL_STONE)}};
  }
  return &s;
}

typedef enum map_kind {
  MAP_MOVED,
  MAP_TURNED_BY_QUARTERS,
  MAP_TURNED,
  MAP_SCALED,
  MAP_STRETCHED,
  MAP_MIRRORED,
  MAP_SHEARED,
  MAP_FLAT,
  MAP_KINDS
} map_kind;

static mo_quat any_rotation(fuzz_bytes *b) {
  float x = fuzz_eighths(b);
  float y = fuzz_eighths(b);
  float z = fuzz_eighths(b);
  float w = fuzz_eighths(b);
  return (mo_quat){x, y, z, w};
}

/* Two quarters about axes of the world. */
static mo_quat quarters(fuzz_bytes *b) {
  static const mo_quat rotations[6] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1},
                                       {1, 1, 1, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}};
  return rotations[fuzz_below(b, 6)];
}

mo_transform fuzz_transform(fuzz_bytes *b) {
  mo_vec3 origin = fuzz_vec3(b), scale = {1, 1, 1};
  map_kind kind = (map_kind)(fuzz_byte(b) / 4 % (2 * MAP_KINDS));
  kind = kind >= MAP_KINDS ? MAP_MOVED : kind; /* half of them */
  mo_quat rotation = kind == MAP_MOVED                ? (mo_quat){0, 0, 0, 1}
                     : kind == MAP_TURNED_BY_QUARTERS ? quarters(b)
                                                      : any_rotation(b);
  if (kind == MAP_SCALED) {
    scale.x = scale.y = scale.z = fuzz_length(b);
  } else if (kind >= MAP_STRETCHED) {
    scale = fuzz_lengths(b);
  }
  if (kind == MAP_MIRRORED) {
    scale.x = -scale.x;
  } else if (kind == MAP_FLAT) {
    scale.y = 0;
  }
  mo_transform map = mo_transform_make(origin, rotation, scale);
  if (kind == MAP_SHEARED) {
    map.x_axis = fuzz_vec3(b);
  }
  return map;
}

static void decode_ends(fuzz_bytes *b, mo_vec3 *from, mo_vec3 *to) {
  *from = fuzz_vec3(b);
  *to = fuzz_vec3(b);
  if (!b->wild && from->x == to->x && from->y == to->y && from->z == to->z) {
    to->y += 1;
  }
}

static void decode_box(fuzz_bytes *b, mo_aabb *box) {
  mo_vec3 p = fuzz_vec3(b), size = fuzz_lengths(b);
  *box = (mo_aabb){p, {p.x + size.x, p.y + size.y, p.z + size.z}};
}

static void decode_half_space(fuzz_bytes *b, mo_half_space *half_space) {
  half_space->normal = fuzz_vec3(b);
  half_space->offset = fuzz_coordinate(b);
  if (!b->wild && half_space->normal.x == 0 && half_space->normal.z == 0) {
    half_space->normal.y = 1;
  }
}

static void decode_geometry_of(fuzz_bytes *b, mo_geometry *g) {
  const fuzz_supplies *s = fuzz_supplies_get();
  switch (g->type) {
  case MO_SHAPE_MESH:
    g->mesh = s->meshes[fuzz_below(b, FUZZ_MESHES)];
    break;
  case MO_SHAPE_SPHERE:
    g->sphere.radius = fuzz_length(b);
    g->sphere.center = fuzz_vec3(b);
    break;
  case MO_SHAPE_BOX:
    g->box.half_extents = fuzz_lengths(b);
    g->box.center = fuzz_vec3(b);
    break;
  case MO_SHAPE_CAPSULE:
    decode_ends(b, &g->capsule.a, &g->capsule.b);
    g->capsule.radius = fuzz_length(b);
    break;
  case MO_SHAPE_CYLINDER:
    decode_ends(b, &g->cylinder.a, &g->cylinder.b);
    g->cylinder.radius = fuzz_length(b);
    break;
  case MO_SHAPE_CONE:
    decode_ends(b, &g->cone.a, &g->cone.b);
    g->cone.radius = fuzz_length(b);
    break;
  case MO_SHAPE_HULL:
    g->hull = s->hulls[fuzz_below(b, FUZZ_HULLS)];
    break;
  case MO_SHAPE_VOLUME:
    decode_box(b, &g->volume);
    break;
  case MO_SHAPE_HALF_SPACE:
    decode_half_space(b, &g->half_space);
    break;
  case MO_SHAPE_COMPOUND: /* null, which is refused */
    break;
  }
}

/* Half of the time that of the default def, of size one around the origin. */
static mo_geometry geometry_of(fuzz_bytes *b, mo_shape_type type) {
  mo_geometry g = mo_default_shape_def(type).geometry;
  bool plain = !fuzz_chance(b, 128);
  if (!plain || type == MO_SHAPE_MESH || type == MO_SHAPE_HULL) {
    decode_geometry_of(b, &g);
  }
  bool roundable =
      b->wild || (type != MO_SHAPE_MESH && type != MO_SHAPE_VOLUME && type != MO_SHAPE_HALF_SPACE);
  if (!plain && roundable && fuzz_chance(b, 32)) {
    g.rounding = fuzz_length(b);
  }
  return g;
}

mo_geometry fuzz_geometry(fuzz_bytes *b) {
  static const mo_shape_type types[] = {
      MO_SHAPE_BOX,      MO_SHAPE_MESH,    MO_SHAPE_SPHERE,    MO_SHAPE_CAPSULE, MO_SHAPE_HULL,
      MO_SHAPE_CYLINDER, MO_SHAPE_CONE,    MO_SHAPE_BOX,       MO_SHAPE_MESH,    MO_SHAPE_VOLUME,
      MO_SHAPE_SPHERE,   MO_SHAPE_CAPSULE, MO_SHAPE_HALF_SPACE};
  return geometry_of(b, types[fuzz_below(b, sizeof types / sizeof *types)]);
}

mo_primitive fuzz_primitive_or_mesh(fuzz_bytes *b) {
  mo_primitive p = {.type = (mo_primitive_type)(fuzz_below(b, 16))};
  p.type = p.type > MO_PRIMITIVE_HALF_SPACE ? MO_PRIMITIVE_GEOMETRY : p.type;
  p.transform = fuzz_transform(b);
  if (p.type == MO_PRIMITIVE_HALF_SPACE) {
    decode_half_space(b, &p.half_space);
  } else if (p.type != MO_PRIMITIVE_GEOMETRY) {
    for (int i = 0; i < 3; i++) {
      p.points[i] = fuzz_vec3(b);
    }
  } else {
    p.geometry = fuzz_geometry(b);
  }
  return p;
}

mo_primitive fuzz_primitive(fuzz_bytes *b) {
  mo_primitive p = fuzz_primitive_or_mesh(b);
  if (p.type == MO_PRIMITIVE_GEOMETRY && p.geometry.type == MO_SHAPE_MESH) {
    p.geometry = mo_default_shape_def(MO_SHAPE_CONE).geometry;
  }
  return p;
}

mo_shape_def fuzz_shape(fuzz_bytes *b) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = fuzz_geometry(b);
  def.transform = fuzz_transform(b);
  uint8_t bits = fuzz_byte(b);
  def.motion = (mo_motion)(bits % 4);
  def.category = 1u << (bits >> 2 & 3);
  def.body = (bits >> 4 & 3) == 3 ? 1 + (uint64_t)(bits >> 6) : 0;
  def.user_data = bits;
  uint8_t more = fuzz_byte(b);
  def.mask = more % 8 == 7 ? more : UINT64_MAX;
  def.margin = more >= 128 ? (float)(more % 16) / 16 : MO_MARGIN_OF_SCENE;
  if (b->wild && fuzz_chance(b, 8)) {
    def.margin = fuzz_limit_float(b);
  }
  return def;
}

mo_filter fuzz_filter(fuzz_bytes *b) {
  mo_filter filter = mo_default_filter();
  if (fuzz_chance(b, 64)) {
    filter.mask = fuzz_byte(b);
    filter.category = fuzz_byte(b);
    filter.ignore = (mo_shape_id){fuzz_below(b, 16), 1};
  }
  return filter;
}
