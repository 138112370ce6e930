/* Bodies that lie on a floor side by side, and are pressed into a tall box that leans and stands
 * some way inside the floor. For the tall box, the bodies beside each other are a surface with
 * seams, and so is the floor beside each body. Yet no overlap may be left without a contact. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "contact/flat_meshes.h"
#include "contact/tracking.h"
#include "math/vector.h"
#include "support/rng.h"

/* Overlaps of less than this, in metres, need no contact. */
static const double clear_overlap = 0.001;

enum { MAX_ROW = 5 };

typedef enum wall_kind { PLAIN, ROUNDED, TRIANGLES, WALL_KINDS } wall_kind;

/* A shape, and the convex body that it is. */
typedef struct thing {
  mo_shape_id id;
  mo_primitive solid;
} thing;

typedef struct row {
  mo_scene *scene;
  thing floor, wall, bodies[MAX_ROW];
  uint32_t count;
  bool is_movable; /* the wall is */
  bool is_level;   /* all bodies are pressed in alike */
} row;

/* How many overlaps there are, and how many have lost their contact. */
typedef struct census {
  unsigned walls, lost_walls; /* of body and wall */
  unsigned floors, lost_floors;
} census;

static thing add_thing(mo_scene *scene, mo_geometry solid, mo_mesh *mesh, mo_transform at,
                       mo_motion motion) {
  thing t = {.solid = mo_primitive_of_geometry(&solid, &at)};
  mo_shape_def def = mo_default_shape_def(mesh != NULL ? MO_SHAPE_MESH : solid.type);
  if (mesh != NULL) {
    def.geometry.mesh = mesh;
  } else {
    def.geometry = solid;
  }
  def.transform = at;
  def.motion = motion;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &t.id), MO_OK);
  return t;
}

/* A box with these extents. */
static thing add_box(mo_scene *scene, mo_vec3 extents, mo_mesh *mesh, mo_vec3 at, mo_quat rotation,
                     mo_motion motion) {
  return add_thing(scene, box_of(0.5f, 0.5f, 0.5f), mesh, mo_transform_make(at, rotation, extents),
                   motion);
}

static mo_quat product(mo_quat a, mo_quat b) {
  const mo_vec3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z};
  const mo_vec3 n = mo_add(mo_cross(u, v), mo_add(mo_scale(a.w, v), mo_scale(b.w, u)));
  return (mo_quat){n.x, n.y, n.z, a.w * b.w - mo_dot(u, v)};
}

/* Its side towards +x crosses the floor at x = 0; its top leans towards -x, and somewhat along z.
 */
static void add_wall(row *w, wall_kind kind, mo_mesh *mesh, rng *r) {
  const float x = rng_float(r, 0.1f, 0.4f), y = rng_float(r, 0.4f, 1.5f);
  const float z = rng_float(r, 0.4f, 1), lean = rng_float(r, -0.03f, 0.06f);
  const float s = sinf(lean), c = cosf(lean), low = -x * fabsf(s) - y * c,
              up = rng_float(r, -0.04f, 0) - low;
  const mo_vec3 at = {-(x * c + y * s) - (up + x * s - y * c) * s / c, up, 0};
  const double along = rng_chance(r, 0.3) ? 0 : (double)rng_float(r, -0.03f, 0.03f);
  const mo_quat rotation =
      product(turned(mo_vec(1, 0, 0), along), turned(mo_vec(0, 0, 1), (double)lean));
  const mo_motion motion = w->is_movable ? MO_MOTION_DYNAMIC : MO_MOTION_STATIC;
  if (kind == ROUNDED) {
    mo_geometry g = box_of(x - 0.02f, y - 0.02f, z - 0.02f);
    g.rounding = 0.02f;
    w->wall =
        add_thing(w->scene, g, NULL, mo_transform_make(at, rotation, mo_vec(1, 1, 1)), motion);
  } else {
    w->wall = add_box(w->scene, mo_vec(2 * x, 2 * y, 2 * z), kind == TRIANGLES ? mesh : NULL, at,
                      rotation, motion);
  }
}

/* Lies on the floor, or somewhat in it, and is pressed into the wall. Begins at `z`, and returns
 * where it ends. */
static float add_body(row *w, mo_mesh *mesh, float press, float z, rng *r) {
  const float x = rng_float(r, 0.05f, 0.4f), y = rng_float(r, 0.05f, 0.3f);
  const mo_quat along = turned(mo_vec(0, 0, 1), 1.5707963267948966),
                yaw = turned(mo_vec(0, 1, 0),
                             w->is_level || rng_chance(r, 0.6) ? 0 : (double)rng_float(r, 0, 3)),
                upright = {0, 0, 0, 1};
  const float sunk = w->is_level || rng_chance(r, 0.5) ? 0 : rng_float(r, 0, 0.01f);
  const mo_vec3 no_scale = {1, 1, 1}, at = {0, 0, 0};
  thing *t = &w->bodies[w->count++];
  switch (rng_below(r, w->is_level ? 6 : 8)) {
  case 0:
  case 1:
  case 2: {
    const mo_vec3 extents = {2 * x, 2 * y, rng_float(r, 0.1f, 0.6f)};
    t[0] = add_box(w->scene, extents, rng_chance(r, 0.5) ? mesh : NULL, at, yaw, MO_MOTION_DYNAMIC);
    break;
  }
  case 3:
  case 4:
  case 5:
    t[0] = add_thing(w->scene, cylinder_of(x, y), NULL, mo_transform_make(at, along, no_scale),
                     MO_MOTION_DYNAMIC);
    break;
  case 6:
    t[0] = add_thing(w->scene, cylinder_of(y, x), NULL, mo_transform_make(at, upright, no_scale),
                     MO_MOTION_DYNAMIC);
    break;
  default:
    t[0] = add_thing(w->scene, capsule_of(x, y), NULL, mo_transform_make(at, yaw, no_scale),
                     MO_MOTION_DYNAMIC);
  }
  mo_aabb bounds;
  cr_assert_eq(mo_scene_get_tight_bounds(w->scene, t->id, &bounds), MO_OK);
  t->solid.transform.origin =
      mo_vec(-bounds.lower.x - press, -bounds.lower.y - sunk, z - bounds.lower.z);
  cr_assert_eq(mo_scene_set_transform(w->scene, t->id, &t->solid.transform), MO_OK);
  return z + bounds.upper.z - bounds.lower.z;
}

static row row_create(wall_kind kind, bool is_movable, mo_mesh *mesh, rng *r) {
  const mo_host host = mo_default_host();
  const mo_quat upright = {0, 0, 0, 1};
  row w = {.scene = scene_with(&host), .is_movable = is_movable, .is_level = rng_chance(r, 0.5)};
  w.floor = add_box(w.scene, mo_vec(10, 2, 10), rng_chance(r, 0.2) ? mesh : NULL, mo_vec(0, -1, 0),
                    upright, MO_MOTION_STATIC);
  add_wall(&w, kind, mesh, r);
  const float press = rng_float(r, 0, 0.04f);
  float z = rng_float(r, -0.6f, 0);
  for (uint32_t count = 1 + rng_below(r, MAX_ROW); count-- > 0;) {
    z = add_body(&w, mesh, w.is_level || rng_chance(r, 0.5) ? press : rng_float(r, 0, 0.04f), z, r);
  }
  cr_assert_eq(mo_scene_update(w.scene, NULL), MO_OK);
  return w;
}

/* The deepest overlap at a contact of two shapes; negative without one. */
static double depth_of(const mo_contact_events *events, mo_shape_id a, mo_shape_id b) {
  double depth = -1;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    if ((same_id(c->a, a) && same_id(c->b, b)) || (same_id(c->a, b) && same_id(c->b, a))) {
      depth = fmax(depth, -(double)min_separation(&c->manifold));
    }
  }
  return depth;
}

/* How two things overlap after the first one has been moved. */
static mo_primitive_penetration overlap_of(const thing *a, mo_vec3 by, const thing *b) {
  mo_primitive moved = a->solid;
  moved.transform.origin = mo_add(moved.transform.origin, by);
  mo_primitive_penetration p;
  cr_assert_eq(mo_primitive_find_penetration(&moved, &b->solid, &p), MO_OK);
  p.depth = p.found ? p.depth : 0;
  return p;
}

/* Whether an overlap of wall and body, whose contact is gone, is one that other contacts do not
 * resolve. What leads both out of the floor may also lead them out of each other. Where the
 * shortest way out is along no face of the wall or of a body that faces it, an edge of one crosses
 * an edge of the other: then so may what leads the wall out of other bodies. */
static bool is_lost(const row *w, const mo_contact_events *events, const thing *body) {
  const mo_vec3 side = w->wall.solid.transform.x_axis, nowhere = {0, 0, 0};
  const mo_vec3 normal = overlap_of(&w->wall, nowhere, body).normal;
  const float cosine = mo_dot(normal, side) / sqrtf(mo_dot(side, side));
  const bool is_along_face = fmaxf(cosine, normal.x) > 0.9998f;
  double up = -fmax(0, depth_of(events, w->floor.id, body->id)), out = 0;
  if (w->is_movable) {
    up += fmax(0, depth_of(events, w->floor.id, w->wall.id));
    for (uint32_t i = 0; i < w->count && !is_along_face; i++) {
      out = fmax(out, depth_of(events, w->wall.id, w->bodies[i].id));
    }
  }
  return overlap_of(&w->wall, mo_vec((float)-out, (float)up, 0), body).depth > clear_overlap;
}

static void examine(const row *w, census *n) {
  const mo_vec3 nowhere = {0, 0, 0};
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(w->scene, NULL, &tracker), MO_OK);
  const mo_contact_events events = update(tracker);
  for (uint32_t i = 0; i < w->count; i++) {
    const thing *body = &w->bodies[i];
    if (overlap_of(&w->wall, nowhere, body).depth > clear_overlap) {
      n->walls++;
      n->lost_walls += depth_of(&events, w->wall.id, body->id) < 0 && is_lost(w, &events, body);
    }
    if (overlap_of(&w->floor, nowhere, body).depth > clear_overlap) {
      n->floors++;
      n->lost_floors += depth_of(&events, w->floor.id, body->id) < 0.5 * clear_overlap;
    }
  }
  mo_contact_tracker_destroy(tracker);
}

Test(contact_seam_walls, what_is_pressed_into_a_wall_keeps_its_contacts) {
  static const char *const names[] = {"plain", "rounded", "mesh"};
  rng r = rng_make(rng_seed("contact/seam_walls", 1720));
  mo_mesh *mesh = cube();
  const uint64_t rounds = rng_few_rounds(1000, 50000);
  for (int i = 0; i < 2 * WALL_KINDS; i++) {
    census n = {0, 0, 0, 0};
    for (uint64_t k = 0; k < rounds; k++) {
      row w = row_create((wall_kind)(i / 2), i % 2 == 1, mesh, &r);
      examine(&w, &n);
      mo_scene_destroy(w.scene);
    }
    printf("%s wall, %s: %u of %u lost; of the floor %u of %u\n", names[i / 2],
           i % 2 == 1 ? "movable" : "static", n.lost_walls, n.walls, n.lost_floors, n.floors);
    cr_expect_leq(n.lost_walls * 2000, n.walls);
    cr_expect_leq(n.lost_floors * 2000, n.floors);
    cr_assert(n.walls > rounds && n.floors > rounds / 2);
  }
  mo_mesh_release(mesh);
}
