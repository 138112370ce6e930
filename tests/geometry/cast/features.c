/* Which features meet in the contacts of casts: by hand; and of random pairs, also those of signed
 * distances, by their definition in motte/geometry.h: the point of contact lies on both, each is
 * across the normal, and nothing of the shape reaches farther. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/cast.h>
#include <motte/movement.h>

#include "math/vector.h"
#include "support/defs.h"
#include "support/hulls.h"
#include "support/rng.h"

/* By hand. */

static const float s = 0.70710678f;

static mo_transform map(mo_vec3 x, mo_vec3 y, mo_vec3 z) {
  return (mo_transform){x, y, z, {0, 0, 0}};
}

/* A turn by an angle around z, y or x. */
static mo_transform turned(int axis, float angle) {
  float c = cosf(angle), d = sinf(angle);
  return axis == 2   ? map(mo_vec(c, d, 0), mo_vec(-d, c, 0), mo_vec(0, 0, 1))
         : axis == 1 ? map(mo_vec(c, 0, -d), mo_vec(0, 1, 0), mo_vec(d, 0, c))
                     : map(mo_vec(1, 0, 0), mo_vec(0, c, d), mo_vec(0, -d, c));
}

/* Stands on its corner 0: the diagonal leads up along z. */
static mo_transform on_corner(void) {
  float a = 0.81649658f, b = 0.40824829f, c = 0.57735027f;
  return map(mo_vec(a, 0, c), mo_vec(-b, s, c), mo_vec(-b, -s, c));
}

static mo_primitive placed(mo_geometry geometry, mo_transform transform, float height) {
  transform.origin.z = height;
  return mo_primitive_of_geometry(&geometry, &transform);
}

static mo_geometry box(float x, float y, float z) {
  return (mo_geometry){.type = MO_SHAPE_BOX, .box = {.half_extents = {x, y, z}}};
}

static void expect(const char *what, const mo_primitive *still, const mo_primitive *moving,
                   mo_feature feature, uint32_t index, mo_feature own, uint32_t own_index) {
  mo_primitive_contact c;
  cr_assert_eq(mo_primitive_cast(still, moving, mo_vec(0, 0, -20), false, &c), MO_OK);
  cr_assert(c.found && c.t > 0, "%s", what);
  cr_assert(c.feature == feature && c.feature_index == index, "%s: touched %d %u", what, c.feature,
            c.feature_index);
  cr_assert(c.own_feature == own && c.own_feature_index == own_index, "%s: with %d %u", what,
            c.own_feature, c.own_feature_index);
}

static const mo_feature FACE = MO_FEATURE_FACE, EDGE = MO_FEATURE_EDGE, VERTEX = MO_FEATURE_VERTEX;

Test(features, of_boxes) {
  mo_transform none = mo_transform_identity();
  mo_primitive floor = placed(box(5, 5, 1), none, 0);
  mo_primitive cube = placed(box(1, 1, 1), on_corner(), 9);
  expect("a corner on a face", &floor, &cube, FACE, 5, VERTEX, 0);
  cube = placed(box(1, 1, 1), on_corner(), 0);
  mo_primitive lid = placed(box(5, 5, 1), none, 9);
  expect("a face on a corner", &cube, &lid, VERTEX, 7, FACE, 4);
  for (int i = 0; i < 8; i++) {
    cube = placed(box(1, 1, 1), turned(2, 0.1f * (float)i), 9);
    expect("a face on a face", &floor, &cube, FACE, 5, FACE, 4);
  }
  mo_primitive roof = placed(box(5, 1, 1), turned(0, 0.785398163f), 0);
  mo_primitive keel = placed(box(1, 5, 1), turned(1, 0.785398163f), 9);
  expect("an edge across an edge", &roof, &keel, EDGE, 6, EDGE, 9);
  cube = placed(box(1, 1, 1), none, 9);
  expect("a face on an edge", &roof, &cube, EDGE, 6, FACE, 4);
  cube = placed(box(1, 1, 1), turned(0, 1e-7f), 9);
  expect("a face, but for rounding", &floor, &cube, FACE, 5, FACE, 4);
  cube = placed(box(1, 1, 1), turned(0, 1e-3f), 9);
  expect("an edge, nearly a face", &floor, &cube, FACE, 5, EDGE, 0);
  mo_geometry sheet = box(1, 0, 1);
  sheet.rounding = 0.1f;
  cube = placed(sheet, none, 9);
  expect("a flat box, on its edge", &floor, &cube, FACE, 5, EDGE, 0);
  cube = placed(sheet, turned(0, 1.57079633f), 9);
  expect("a flat box, on its side", &floor, &cube, FACE, 5, FACE, 2);
  mo_geometry volume = {.type = MO_SHAPE_VOLUME, .volume = {{-1, -1, -1}, {1, 1, 1}}};
  cube = placed(volume, none, 0);
  keel = mo_primitive_of_point(mo_vec(0, 0, 9));
  expect("a volume", &cube, &keel, FACE, 5, VERTEX, 0);
}

Test(features, of_what_is_round) {
  mo_transform none = mo_transform_identity();
  mo_primitive floor = mo_primitive_of_half_space(mo_vec(0, 0, 3), 1);
  mo_primitive p = placed((mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {.radius = 1}}, none, 9);
  expect("a ball", &floor, &p, FACE, 0, VERTEX, 0);
  mo_geometry capsule = {.type = MO_SHAPE_CAPSULE, .capsule = {{0, 0, -1}, {0, 0, 1}, 0.5f}};
  mo_geometry cylinder = {.type = MO_SHAPE_CYLINDER, .cylinder = {{0, 0, -1}, {0, 0, 1}, 0.5f}};
  mo_geometry cone = {.type = MO_SHAPE_CONE, .cone = {{0, 0, -1}, {0, 0, 1}, 0.5f}};
  const float half_turn = 3.14159265f, quarter = 1.57079633f, slope = 0.24497866f;
  const struct {
    const char *what;
    const mo_geometry *geometry;
    float angle;
    mo_feature own;
    uint32_t index;
  } rows[] = {{"a capsule on a", &capsule, 0, VERTEX, 0},
              {"a capsule on b", &capsule, half_turn, VERTEX, 1},
              {"a capsule on its side", &capsule, quarter, EDGE, 0},
              {"a cylinder on a", &cylinder, 0, FACE, 0},
              {"a cylinder on b", &cylinder, half_turn, FACE, 1},
              {"a cylinder on its side", &cylinder, -quarter, FACE, 2},
              {"a cylinder on the rim of a", &cylinder, 0.3f, EDGE, 0},
              {"a cylinder on the rim of b", &cylinder, 2.8f, EDGE, 1},
              {"a cone on its apex", &cone, 0.3f, VERTEX, 0},
              {"a cone on its base", &cone, half_turn, FACE, 1},
              {"a cone on its rim", &cone, 2, EDGE, 1},
              {"a cone on its side", &cone, quarter - slope, FACE, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    p = placed(*rows[i].geometry, turned(0, rows[i].angle), 9);
    expect(rows[i].what, &floor, &p, FACE, 0, rows[i].own, rows[i].index);
  }
}

Test(features, of_triangles_and_segments) {
  mo_primitive t = mo_primitive_of_triangle(mo_vec(-4, -4, 0), mo_vec(4, -4, 0), mo_vec(0, 4, 0));
  mo_transform none = mo_transform_identity();
  mo_geometry ball = {.type = MO_SHAPE_SPHERE, .sphere = {.radius = 1}};
  mo_primitive p = placed(ball, none, 9);
  expect("a ball on a face", &t, &p, FACE, 0, VERTEX, 0);
  p.transform.origin.y = -4.5f;
  expect("a ball on an edge", &t, &p, EDGE, 0, VERTEX, 0);
  p.transform.origin.y = 4.5f;
  expect("a ball on a vertex", &t, &p, VERTEX, 2, VERTEX, 0);
  p = mo_primitive_of_segment(mo_vec(-9, 0, 9), mo_vec(9, 0, 9));
  expect("a segment along a face", &t, &p, FACE, 0, EDGE, 0);
  p = mo_primitive_of_segment(mo_vec(0, 0, 9), mo_vec(9, 0, 8));
  expect("a segment across an edge", &t, &p, EDGE, 1, EDGE, 0);
  p = mo_primitive_of_segment(mo_vec(0, 0, 9), mo_vec(9, 0, 14));
  expect("the end of a segment", &t, &p, FACE, 0, VERTEX, 0);
  p = mo_primitive_of_triangle(mo_vec(0, 0, 10), mo_vec(1, 0, 11), mo_vec(0, 1, 9));
  expect("the corner of a triangle", &t, &p, FACE, 0, VERTEX, 2);
}

Test(features, as_a_shape_stands_when_it_has_turned) {
  mo_transform none = mo_transform_identity();
  mo_primitive floor = placed(box(9, 9, 1), none, 0), cube = placed(box(1, 1, 1), none, 9);
  const struct {
    mo_vec3 axis;
    mo_feature own;
    uint32_t index;
  } rows[] = {
      {{1, 0, 0}, EDGE, 0}, {{-1, 0, 0}, EDGE, 2}, {{0, -1, 0}, EDGE, 8}, {{0, 0, 1}, FACE, 4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mo_movement movement = {.displacement = {0, 0, -9}, .pivot = {0, 0, 9}, .angle = 0.5f};
    movement.axis = rows[i].axis;
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast_turning(&floor, &cube, &movement, false, &c), MO_OK);
    cr_assert(c.found && c.feature == FACE && c.feature_index == 5, "row %zu", i);
    cr_assert(c.own_feature == rows[i].own && c.own_feature_index == rows[i].index,
              "row %zu: %d %u", i, c.own_feature, c.own_feature_index);
  }
}

/* By bounds it is boxes that meet, whatever is in them. */
Test(features, of_bounds) {
  mo_scene *scene = NULL;
  mo_scene_def scene_def = mo_default_scene_def();
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_SPHERE);
  shape.geometry.sphere.radius = 1;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = placed(box(1, 1, 1), on_corner(), 9);
  def.primitive.transform.origin.x = 0.25f;
  def.displacement.z = -20;
  def.precision = MO_PRECISION_BOUNDS;
  mo_cast_hit hit;
  cr_assert_eq(mo_scene_cast_shape(scene, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.feature == FACE && hit.feature_index == 5 && hit.own_feature == FACE &&
            hit.own_feature_index == 4);
  def.precision = MO_PRECISION_GEOMETRY;
  cr_assert_eq(mo_scene_cast_shape(scene, &def, &hit, NULL), MO_OK);
  cr_assert(hit.found && hit.feature == VERTEX && hit.own_feature != FACE);
  mo_scene_destroy(scene);
}

/* Random pairs. */

enum { MAX_CORNERS = 64 };

/* A shape with corners: where they are in the world, and those of one feature. */
typedef struct outline {
  mo_dvec3 all[MAX_CORNERS], corners[MAX_CORNERS];
  uint32_t all_count, count;
  double rounding, size;
  bool moves;
} outline;

static mo_dvec3 to_world(const mo_transform *t, mo_vec3 p) {
  mo_dvec3 w = mo_dadd(mo_dscale((double)p.x, mo_widen(t->x_axis)),
                       mo_dscale((double)p.y, mo_widen(t->y_axis)));
  return mo_dadd(mo_dadd(w, mo_dscale((double)p.z, mo_widen(t->z_axis))), mo_widen(t->origin));
}

static mo_vec3 box_corner(const mo_box *b, uint32_t i) {
  mo_vec3 h = b->half_extents;
  return mo_add(b->center, mo_vec(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
}

/* Local corners of all of a shape, and the numbers of those of a feature, in order around a face.
 */
static uint32_t corners_of(const mo_primitive *p, mo_vec3 local[], uint32_t numbers[],
                           mo_feature feature, uint32_t index, uint32_t *total) {
  if (p->type == MO_PRIMITIVE_TRIANGLE) {
    *total = 3;
    for (uint32_t i = 0; i < 3; i++) {
      local[i] = p->points[i];
      numbers[i] = feature == FACE ? i : (index + i) % 3;
    }
    return feature == FACE ? 3 : feature == EDGE ? 2 : 1;
  }
  if (p->geometry.type == MO_SHAPE_BOX) {
    *total = 8;
    for (uint32_t i = 0; i < 8; i++) {
      local[i] = box_corner(&p->geometry.box, i);
    }
    uint32_t axis = feature == FACE ? index / 2 : index / 8, count = 1;
    numbers[0] = feature == FACE ? (index % 2) << axis : index % 8;
    if (feature == EDGE) {
      numbers[1] = numbers[0] | 1u << axis;
      count = 2;
    } else if (feature == FACE) {
      uint32_t u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
      numbers[1] = numbers[0] | u;
      numbers[2] = numbers[0] | u | v;
      numbers[3] = numbers[0] | v;
      count = 4;
    }
    return count;
  }
  const mo_hull *hull = p->geometry.hull;
  cr_assert_eq(mo_hull_get_vertices(hull, local, MAX_CORNERS, total), MO_OK);
  cr_assert(*total <= MAX_CORNERS);
  numbers[0] = index;
  if (feature == EDGE) {
    static mo_hull_edge edges[3 * MAX_CORNERS];
    uint32_t edge_count;
    cr_assert_eq(mo_hull_get_edges(hull, edges, 3 * MAX_CORNERS, &edge_count), MO_OK);
    cr_assert_lt(index, edge_count);
    numbers[0] = edges[index].vertices[0];
    numbers[1] = edges[index].vertices[1];
    return 2;
  }
  mo_hull_face face = {.vertex_count = 1};
  if (feature == FACE) {
    cr_assert_eq(mo_hull_get_face(hull, index, &face, numbers, MAX_CORNERS), MO_OK);
  }
  return face.vertex_count;
}

static outline outline_of(const mo_primitive *p, mo_feature feature, uint32_t index) {
  mo_vec3 local[MAX_CORNERS];
  uint32_t numbers[MAX_CORNERS];
  outline o = {.rounding = p->type == MO_PRIMITIVE_GEOMETRY ? (double)p->geometry.rounding : 0.0};
  o.count = corners_of(p, local, numbers, feature, index, &o.all_count);
  for (uint32_t i = 0; i < o.all_count; i++) {
    o.all[i] = to_world(&p->transform, local[i]);
    o.size = fmax(o.size, mo_dlength(mo_dsub(o.all[i], o.all[0])));
  }
  for (uint32_t i = 0; i < o.count; i++) {
    cr_assert_lt(numbers[i], o.all_count);
    o.corners[i] = o.all[numbers[i]];
  }
  return o;
}

static double slack_of(const outline *o) {
  return 1e-4 * o->size + 2e-5;
}

static double distance_of(const outline *o, mo_dvec3 point) {
  double min = INFINITY;
  for (uint32_t i = 0; i + 2 < o->count || i == 0; i++) {
    mo_vec3 c[3];
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t which = k == 0 ? 0 : i + k < o->count ? i + k : o->count - 1;
      c[k] = mo_narrow(mo_dsub(o->corners[which], point));
    }
    mo_primitive part = mo_primitive_of_triangle(c[0], c[1], c[2]);
    mo_primitive_distance d;
    cr_assert_eq(mo_primitive_closest_point(&part, mo_vec(0, 0, 0), INFINITY, &d), MO_OK);
    min = fmin(min, d.distance);
  }
  return min;
}

/* Whether a point is on another face of a hull that is nearly in one plane with the outline. */
static bool is_beside(const mo_primitive *p, const outline *o, mo_dvec3 point, mo_dvec3 n) {
  mo_hull_info info = {.face_count = 0};
  if (o->count > 2 && p->type == MO_PRIMITIVE_GEOMETRY && p->geometry.type == MO_SHAPE_HULL) {
    cr_assert_eq(mo_hull_get_info(p->geometry.hull, &info), MO_OK);
  }
  for (uint32_t i = 0; i < info.face_count; i++) {
    outline other = outline_of(p, FACE, i);
    bool level = distance_of(&other, point) <= slack_of(&other);
    for (uint32_t k = 0; k < other.count; k++) {
      level &= fabs(mo_ddot(mo_dsub(other.corners[k], o->corners[0]), n)) <= slack_of(&other);
    }
    if (level) {
      return true;
    }
  }
  return false;
}

/* The definition; `point` is that of the contact on the surface, n leads out there. */
static void check_feature(const mo_primitive *p, const outline *o, mo_dvec3 point, mo_dvec3 n,
                          unsigned long long round) {
  const char *whose = o->moves ? "what moves" : "what is touched";
  double slack = slack_of(o);
  mo_dvec3 on_core = mo_dsub(point, mo_dscale(o->rounding, n));
  cr_assert(distance_of(o, on_core) <= slack || is_beside(p, o, on_core, n),
            "round %llu: %s is %g away", round, whose, distance_of(o, on_core));
  double height = mo_ddot(mo_dsub(o->corners[0], point), n);
  for (uint32_t i = 0; i < o->count; i++) {
    double other = mo_ddot(mo_dsub(o->corners[i], point), n);
    cr_assert(fabs(other - height) <= slack, "round %llu: %s is not across the normal", round,
              whose);
  }
  for (uint32_t i = 0; i < o->all_count; i++) {
    double other = mo_ddot(mo_dsub(o->all[i], point), n);
    cr_assert(other <= height + slack, "round %llu: %s is not the farthest", round, whose);
  }
}

static mo_primitive some_primitive(rng *r, mo_hull *hull) {
  static const rng_transform_kind kinds[] = {RNG_RIGID, RNG_NONUNIFORM_SCALE, RNG_SHEAR};
  uint32_t kind = rng_below(r, 3);
  mo_transform transform = rng_transform(r, kinds[kind], 1);
  if (rng_chance(r, 0.3)) { /* along the axes: faces meet edges and faces */
    transform = mo_transform_identity();
    transform.origin = rng_vec3(r, -1, 1);
    kind = 0;
  }
  uint32_t choice = rng_below(r, 3);
  if (choice == 0) {
    mo_vec3 a = rng_vec3(r, -1, 1), b = rng_vec3(r, -1, 1), c = rng_vec3(r, -1, 1);
    mo_primitive p = mo_primitive_of_triangle(a, b, c);
    p.transform = transform;
    return p;
  }
  mo_geometry g = box(1, 1, 1);
  g.box.center = rng_vec3(r, -0.5f, 0.5f);
  g.box.half_extents = rng_vec3(r, 0.1f, 1);
  if (choice == 1) {
    g = (mo_geometry){.type = MO_SHAPE_HULL, .hull = hull};
  }
  g.rounding = kind == 0 && rng_chance(r, 0.5) ? rng_float(r, 0, 0.5f) : 0;
  return mo_primitive_of_geometry(&g, &transform);
}

static mo_hull *some_hull(rng *r) {
  mo_vec3 points[24];
  uint32_t count = 5 + rng_below(r, 19);
  for (uint32_t i = 0; i < count; i++) {
    points[i] = rng_vec3(r, -1, 1);
    if (i % 3 == 0) { /* some in a common plane */
      points[i].x = 1;
    }
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = count;
  mo_hull *hull = NULL;
  cr_assert_eq(mo_hull_create(&def, &hull), MO_OK);
  return hull;
}

Test(features, of_random_pairs) {
  rng r = rng_make(rng_seed("features/pairs", 371));
  uint64_t rounds = rng_rounds(3000, 100000), met = 0, kinds[3] = {0, 0, 0};
  for (uint64_t i = 0; i < rounds; i++) {
    mo_hull *hulls[2] = {some_hull(&r), some_hull(&r)};
    mo_primitive still = some_primitive(&r, hulls[0]), moving = some_primitive(&r, hulls[1]);
    mo_vec3 to = rng_vec3(&r, -0.5f, 0.5f);
    if (rng_chance(&r, 0.8)) {
      moving.transform.origin = mo_add(moving.transform.origin, mo_scale(6, rng_direction(&r)));
    }
    mo_vec3 way = mo_scale(2, mo_sub(to, moving.transform.origin));
    if (rng_chance(&r, 0.1)) {
      way = mo_vec(0, 0, way.z);
    }
    mo_primitive_contact c;
    cr_assert_eq(mo_primitive_cast(&still, &moving, way, false, &c), MO_OK);
    if (c.found) {
      unsigned long long round = (unsigned long long)i;
      met++;
      kinds[c.feature]++;
      mo_dvec3 point = mo_widen(c.point), n = mo_widen(c.normal);
      outline o = outline_of(&still, c.feature, c.feature_index);
      check_feature(&still, &o, point, n, round);
      o = outline_of(&moving, c.own_feature, c.own_feature_index);
      /* As seen from the moving shape; at the start, moved out until it only touches. */
      point = mo_dsub(point, mo_dscale((double)c.t, mo_widen(way)));
      point = mo_dsub(point, mo_dscale((double)c.depth, n));
      o.moves = true;
      check_feature(&moving, &o, point, mo_dscale(-1, n), round);
    }
    mo_hull_release(hulls[0]);
    mo_hull_release(hulls[1]);
  }
  cr_assert(met > rounds / 3 && kinds[FACE] > met / 20 && kinds[EDGE] > met / 20 &&
            kinds[VERTEX] > met / 20);
}

/* The same for shapes apart, and for shapes that overlap. */
Test(features, of_signed_distances) {
  rng r = rng_make(rng_seed("features/signed distances", 372));
  uint64_t rounds = rng_rounds(2000, 100000), deep = 0, kinds[3] = {0, 0, 0};
  for (uint64_t i = 0; i < rounds; i++) {
    mo_hull *hulls[2] = {some_hull(&r), some_hull(&r)};
    mo_primitive a = some_primitive(&r, hulls[0]), b = some_primitive(&r, hulls[1]);
    b.transform.origin =
        mo_add(b.transform.origin, mo_scale(rng_float(&r, 0, 3), rng_direction(&r)));
    mo_primitive_signed_distance d;
    cr_assert_eq(mo_primitive_find_signed_distance(&a, &b, INFINITY, &d), MO_OK);
    unsigned long long round = (unsigned long long)i;
    deep += d.distance < 0;
    kinds[d.feature]++;
    outline o = outline_of(&a, d.feature, d.feature_index);
    check_feature(&a, &o, mo_widen(d.point_a), mo_widen(d.normal), round);
    o = outline_of(&b, d.other_feature, d.other_feature_index);
    o.moves = true;
    check_feature(&b, &o, mo_widen(d.point_b), mo_dscale(-1, mo_widen(d.normal)), round);
    mo_hull_release(hulls[0]);
    mo_hull_release(hulls[1]);
  }
  cr_assert(deep > rounds / 5 && deep < rounds - rounds / 5 && kinds[FACE] > rounds / 20 &&
            kinds[EDGE] > rounds / 20 && kinds[VERTEX] > rounds / 20);
}
