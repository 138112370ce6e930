/* Heaps of bricks, hulls, capsules and balls, and walls that fall, by the solver of demos/step.c:
 * a tracker that removes points at seams is compared with one that keeps all. What it removes must
 * be a seam, by the corners of the three shapes; and a shape that is moved out of the one that is
 * left must be out of the other. */
#define main step_main
__attribute__((unused)) static int step_main(void);
#include "../demos/step.c"
#undef main

#include <criterion/criterion.h>

#include "contact/rubble_poses.h"
#include "oracle/primitive.h"
#include "support/rng.h"

static mo_scene *scene;
static mo_contact_tracker *tracker, *keeper;

static void begin(void) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  check(mo_scene_create(&def, &scene));
  mo_contact_tracker_def tracker_def = mo_default_contact_tracker_def();
  tracker_def.material.friction = 0.6f;
  check(mo_contact_tracker_create(scene, &tracker_def, &tracker));
  tracker_def.keep_seams = true;
  check(mo_contact_tracker_create(scene, &tracker_def, &keeper));
  body_count = 0;
}

static void end(void) {
  mo_contact_tracker_destroy(tracker);
  mo_contact_tracker_destroy(keeper);
  mo_scene_destroy(scene);
}

static mo_shape_def box_of(float x, float y, float z) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box.half_extents = (mo_vec3){x, y, z};
  return def;
}

static mo_shape_def brick(void) {
  return box_of(0.3f, 0.15f, 0.15f);
}

static void add_ground(void) {
  mo_shape_def def = box_of(40, 1, 40);
  def.transform.origin.y = -1;
  add_body(scene, def, 0, 0);
}

/* --- the oracle: shapes as points with a radius around them --- */

enum { MAX_POINTS = 16, MAX_DIRECTIONS = 4096 };

typedef struct cloud {
  ldvec points[MAX_POINTS];
  int count;
  ldouble radius, shortest, longest; /* extents of its bounds */
} cloud;

static ldvec placed(const mo_transform *map, mo_vec3 p) {
  ldvec x = ld_scale((ldouble)p.x, ld_float(map->x_axis)),
        y = ld_scale((ldouble)p.y, ld_float(map->y_axis)),
        z = ld_scale((ldouble)p.z, ld_float(map->z_axis));
  return ld_add(ld_float(map->origin), ld_add(x, ld_add(y, z)));
}

static void add_points(cloud *c, const mo_geometry *g, const mo_transform *map) {
  static mo_vec3 vertices[MAX_POINTS];
  uint32_t total;
  switch (g->type) {
  case MO_SHAPE_BOX:
    for (int i = 0; i < 8; i++) {
      const mo_vec3 h = g->box.half_extents;
      const mo_vec3 p = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
      c->points[c->count++] = placed(map, p);
    }
    break;
  case MO_SHAPE_SPHERE:
    c->points[c->count++] = placed(map, g->sphere.center);
    c->radius = (ldouble)g->sphere.radius;
    break;
  case MO_SHAPE_CAPSULE:
    c->points[c->count++] = placed(map, g->capsule.a);
    c->points[c->count++] = placed(map, g->capsule.b);
    c->radius = (ldouble)g->capsule.radius;
    break;
  default:
    cr_assert_eq(g->type, MO_SHAPE_HULL);
    check(mo_hull_get_vertices(g->hull, vertices, MAX_POINTS, &total));
    cr_assert_leq(total, MAX_POINTS);
    for (uint32_t i = 0; i < total; i++) {
      c->points[c->count++] = placed(map, vertices[i]);
    }
  }
}

static ldouble top_of(const cloud *c, ldvec along) {
  ldouble top = -INFINITY;
  for (int i = 0; i < c->count; i++) {
    top = fmaxl(top, ld_dot(c->points[i], along));
  }
  return top + c->radius;
}

static cloud cloud_of(uint32_t index) {
  mo_shape_def def;
  check(mo_scene_get_shape(scene, shapes[index], &def));
  cloud c = {.count = 0};
  add_points(&c, &def.geometry, &def.transform);
  c.shortest = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    ldvec along = {axis == 0, axis == 1, axis == 2};
    ldouble extent = top_of(&c, along) + top_of(&c, ld_scale(-1, along));
    c.shortest = fminl(c.shortest, extent);
    c.longest = fmaxl(c.longest, extent);
  }
  return c;
}

static ldvec crossed(ldvec a, ldvec b) {
  return (ldvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The gap of two clouds along a direction of any length; `moved` is added to the first. */
static ldouble gap_along(const cloud *a, const cloud *b, ldvec moved, ldvec along) {
  ldouble length = ld_norm(along);
  if (length < 1e-12L) {
    return -INFINITY;
  }
  along = ld_scale(1 / length, along);
  return ld_dot(moved, along) - top_of(a, ld_scale(-1, along)) - top_of(b, along);
}

/* Directions in which convex shapes may be apart: those between their points, and across two of
 * those of one shape or of both. */
static ldouble best_gap(const cloud *a, const cloud *b, ldvec moved, ldouble enough) {
  ldouble best = -INFINITY;
  static ldvec sides[MAX_DIRECTIONS];
  int count = 0;
  for (int k = 0; k < 2; k++) {
    const cloud *c = k == 0 ? a : b;
    for (int i = 0; i < c->count; i++) {
      for (int j = i + 1; j < c->count && count < MAX_DIRECTIONS; j++) {
        sides[count++] = ld_sub(c->points[j], c->points[i]);
      }
    }
  }
  for (int i = 0; i < a->count && best < enough; i++) {
    for (int j = 0; j < b->count; j++) {
      best = fmaxl(best, gap_along(a, b, moved, ld_sub(a->points[i], b->points[j])));
    }
  }
  for (int i = 0; i < count && best < enough; i++) {
    for (int j = i + 1; j < count && best < enough; j++) {
      ldvec n = crossed(sides[i], sides[j]);
      best = fmaxl(best, fmaxl(gap_along(a, b, moved, n), gap_along(a, b, moved, ld_scale(-1, n))));
    }
  }
  return best;
}

static ldouble depth_of(const mo_contact *c) {
  ldouble depth = -INFINITY;
  for (uint32_t i = 0; i < c->manifold.point_count; i++) {
    depth = fmaxl(depth, -(ldouble)c->manifold.points[i].separation);
  }
  return depth;
}

/* Whether a body's contact with `other` may have been removed because of one with a third. */
static bool is_seam(uint32_t one, uint32_t other, const mo_contact *removed,
                    const mo_contact *carrying) {
  const bool is_b = carrying->user_data_b == one;
  const uint32_t third = (uint32_t)(is_b ? carrying->user_data_a : carrying->user_data_b);
  const ldvec up = ld_scale(is_b ? 1 : -1, ld_float(carrying->manifold.normal));
  const cloud own = cloud_of(one), second = cloud_of(other), supporter = cloud_of(third);
  const ldouble size = fminl(own.shortest, second.longest), tolerance = 1.1L * size / 1024,
                depth = depth_of(removed), carried = fmaxl(0, depth_of(carrying)),
                plane = top_of(&supporter, up), left = tolerance + fmaxl(depth, carried) / 4;
  const ldouble height = top_of(&second, up) - plane;
  /* level, or rising by at most 1 in 10 */
  const bool is_level = height > -5 * tolerance && height < tolerance + second.longest / 9;
  const bool is_shallow = bodies[other].inverse_mass == 0 || depth <= size / 15;
  return is_level && is_shallow && best_gap(&own, &second, ld_scale(carried, up), -left) >= -left;
}

static bool is_at_seam(const mo_contact *removed, const mo_contact_events *left) {
  const uint32_t a = (uint32_t)removed->user_data_a, b = (uint32_t)removed->user_data_b;
  for (uint32_t i = 0; i < left->contact_count; i++) {
    const mo_contact *c = &left->contacts[i].contact;
    const bool has_a = c->user_data_a == a || c->user_data_b == a,
               has_b = c->user_data_a == b || c->user_data_b == b;
    if (has_a != has_b && is_seam(has_a ? a : b, has_a ? b : a, removed, c)) {
      return true;
    }
  }
  return false;
}

/* What has been removed, and how deep. */
typedef struct census {
  unsigned contacts, removed, overlaps; /* `overlaps`: removed, though shapes overlap there */
} census;

static bool same_pair(const mo_contact *c, const mo_contact *d) {
  return c->user_data_a == d->user_data_a && c->user_data_b == d->user_data_b;
}

static void compare(const mo_contact_events *all, const mo_contact_events *left, census *n) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < all->contact_count; i++) {
    const mo_contact *c = &all->contacts[i].contact;
    ldouble depth = depth_of(c), depth_left = -INFINITY;
    uint32_t points = 0;
    if (next < left->contact_count && same_pair(c, &left->contacts[next].contact)) {
      points = left->contacts[next].contact.manifold.point_count;
      depth_left = depth_of(&left->contacts[next++].contact);
    }
    n->contacts++;
    n->removed += points < c->manifold.point_count;
    if (depth > 2e-4L && depth_left < depth) {
      n->overlaps++;
      cr_assert(is_at_seam(c, left), "bodies %u and %u: depth %g, of which %g is left",
                (unsigned)c->user_data_a, (unsigned)c->user_data_b, (double)depth,
                (double)depth_left);
    }
  }
  cr_assert_eq(next, left->contact_count);
}

/* Lets everything fall for so many steps. */
static void watch(int steps, census *n) {
  for (int i = 0; i < steps; i++) {
    mo_contact_events left = step(scene, tracker), all;
    check(mo_contact_tracker_update(keeper, &all));
    compare(&all, &left, n);
  }
}

/* --- heaps --- */

static void place(body *b, rng *r) {
  const mo_vec3 up = {0, 1, 0}, axis = rng_chance(r, 0.5) ? up : rng_direction(r);
  const float half = rng_float(r, 0, 1.6f), s = sinf(half);
  b->rotation = (mo_quat){axis.x * s, axis.y * s, axis.z * s, cosf(half)};
}

static mo_shape_def random_shape(rng *r) {
  const float size = rng_float(r, 0.2f, 0.35f);
  mo_shape_def def = brick();
  switch (rng_below(r, 4)) {
  case 0:
    def = mo_default_shape_def(MO_SHAPE_SPHERE);
    def.geometry.sphere.radius = size;
    break;
  case 1:
    def = mo_default_shape_def(MO_SHAPE_CAPSULE);
    def.geometry.capsule = (mo_capsule){{-size, 0, 0}, {size, 0, 0}, 0.6f * size};
    break;
  case 2: {
    mo_vec3 points[MAX_POINTS];
    for (int i = 0; i < MAX_POINTS; i++) {
      const mo_vec3 p = rng_direction(r);
      points[i] = (mo_vec3){0.4f * p.x, 0.3f * p.y, 0.3f * p.z};
    }
    mo_hull_def hull = mo_default_hull_def();
    hull.positions = points;
    hull.position_count = MAX_POINTS;
    mo_hull *made;
    check(mo_hull_create(&hull, &made));
    def = mo_default_shape_def(MO_SHAPE_HULL);
    def.geometry.hull = made;
    break;
  }
  default:
    break;
  }
  return def;
}

static void add_random(mo_shape_def def, mo_vec3 at, rng *r) {
  def.transform.origin = at;
  place(add_body(scene, def, 1, 0.025f), r);
  if (def.geometry.type == MO_SHAPE_HULL) {
    mo_hull_release((mo_hull *)def.geometry.hull);
  }
}

static void heap(rng *r, bool mixed, census *n) {
  enum { SIDE = 4 };
  begin();
  add_ground();
  while (body_count < MAX_BODIES) {
    const int i = (int)body_count - 1;
    const float x = rng_float(r, -0.1f, 0.1f), z = rng_float(r, -0.1f, 0.1f);
    const mo_vec3 at = {0.65f * (float)(i % SIDE) + x, 0.4f + 0.45f * (float)(i / (SIDE * SIDE)),
                        0.65f * (float)(i / SIDE % SIDE) + z};
    add_random(mixed ? random_shape(r) : brick(), at, r);
  }
  watch(100, n);
  end();
}

Test(rubble, heaps_keep_what_overlaps) {
  rng r = rng_make(rng_seed("contact/rubble", 971));
  census n = {0, 0, 0};
  for (uint64_t i = rng_few_rounds(6, 300); i-- > 0;) {
    heap(&r, i % 2 == 1, &n);
  }
  printf("%u contacts, points of %u removed, of %u overlapping\n", n.contacts, n.removed,
         n.overlaps);
  /* bricks seldom lie side by side by chance */
  cr_assert(n.overlaps * 10000 <= n.contacts);
}

/* Bricks in a bond with small gaps, which a ball or a brick hits. */
static void wall(rng *r, census *n) {
  enum { COLUMNS = 8, ROWS = 7 };
  begin();
  add_ground();
  const float gap = rng_float(r, 0, 0.001f);
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    const int row = i / COLUMNS;
    mo_shape_def def = brick();
    def.transform.origin.x = (0.6f + gap) * ((float)(i % COLUMNS) - 0.5f * (COLUMNS - row % 2));
    def.transform.origin.y = 0.15f * (float)(2 * row + 1);
    add_body(scene, def, 1, 0.03f);
  }
  const mo_vec3 at = {rng_float(r, -1, 1), rng_float(r, 0.6f, 1.5f), -2};
  mo_shape_def hits = rng_chance(r, 0.5) ? brick() : mo_default_shape_def(MO_SHAPE_SPHERE);
  if (hits.geometry.type == MO_SHAPE_SPHERE) {
    hits.geometry.sphere.radius = 0.5f;
  }
  add_random(hits, at, r);
  bodies[body_count - 1].velocity.linear = (mo_vec3){rng_float(r, -5, 5), 0, rng_float(r, 10, 25)};
  watch(120, n);
  end();
}

Test(rubble, walls_that_fall) {
  rng r = rng_make(rng_seed("contact/rubble/walls", 972));
  census n = {0, 0, 0};
  for (uint64_t i = rng_few_rounds(8, 300); i-- > 0;) {
    wall(&r, &n);
  }
  printf("%u contacts, points of %u removed, of %u overlapping\n", n.contacts, n.removed,
         n.overlaps);
}

/* --- what once lost its contact --- */

static void expect_contact(const float (*poses)[7], size_t count, uint32_t a, uint32_t b,
                           float depth) {
  begin();
  add_ground();
  for (size_t i = 0; i < count; i++) {
    const float *p = poses[i];
    body *added = add_body(scene, brick(), 1, 0.03f);
    added->position = (mo_vec3){p[0], p[1], p[2]};
    added->rotation = (mo_quat){p[3], p[4], p[5], p[6]};
  }
  mo_contact_events events = step(scene, tracker);
  ldouble found = -INFINITY;
  for (uint32_t i = 0; i < events.contact_count; i++) {
    const mo_contact *c = &events.contacts[i].contact;
    if (c->user_data_a == a + 1 && c->user_data_b == b + 1) {
      found = fmaxl(found, depth_of(c));
    }
  }
  cr_assert(fabsl(found - (ldouble)depth) < 1e-5L, "%g in place of %g", (double)found,
            (double)depth);
  end();
}

/* The first point is deep inside of the brick beside its own. The second is on the top face of its
 * own brick, which is tilted by a degree. */
Test(rubble, bricks_beside_others_keep_their_contacts) {
  expect_contact(rubble_0, sizeof rubble_0 / sizeof *rubble_0, RUBBLE_0_A, RUBBLE_0_B, 0.00459204f);
  expect_contact(rubble_1, sizeof rubble_1 / sizeof *rubble_1, RUBBLE_1_A, RUBBLE_1_B, 0.00126169f);
}
