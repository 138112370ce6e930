/* Bodies of all kinds on flat floors that are made of several shapes in all ways: as the floor is
 * flat, nothing but its faces may be felt. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "contact/flat_meshes.h"
#include "contact/floors.h"
#include "contact/tracking.h"
#include "math/vector.h"
#include "support/rng.h"

enum { MAX_PARTS = 4 };

static const mo_quat upright = {0, 0, 0, 1};

/* --- meshes --- */

/* A square of 4 by 4 metres around the origin. */
static mo_mesh *square(void) {
  test_mesh mesh = {0};
  const mo_vec3 corner[4] = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, 2}, {2, 0, -2}};
  test_mesh_add_corners(&mesh, corner[0], corner[1], corner[2]);
  test_mesh_add_corners(&mesh, corner[0], corner[2], corner[3]);
  return build(&mesh);
}

/* --- floors --- */

static mo_shape_id add_scaled(mo_scene *scene, mo_geometry geometry, mo_vec3 at, mo_vec3 scale) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform = mo_transform_make(at, upright, scale);
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

/* What a floor is made of, on one side of x = 0. A sheared plate is a box whose sides are all but
 * parallel to its top. */
typedef enum part_kind {
  BOX,
  HULL,
  TILE,
  CYLINDER,
  SHEARED,
  FRUSTUM,
  ROUNDED,
  PLANE,
  PART_KINDS
} part_kind;

/* With its top in the plane y = 0; its sides lean by 40 degrees, and the part beside it hides them.
 */
static mo_hull *frustum(void) {
  mo_vec3 corners[8];
  for (int i = 0; i < 8; i++) {
    const float wide = i & 4 ? 2.4195f : 2;
    corners[i] = mo_vec(i & 1 ? wide : -wide, i & 4 ? -0.5f : 0, i & 2 ? wide : -wide);
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = corners;
  def.position_count = 8;
  mo_hull *made;
  cr_assert_eq(mo_hull_create(&def, &made), MO_OK);
  return made;
}

static mo_shape_id add_part(mo_scene *scene, part_kind kind, float x, mo_vec3 far) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  mo_vec3 at = {x, -1, 0}, scale = {1, 1, 1};
  def.geometry = box_of(2, 1, 2);
  switch (kind) {
  case HULL:
    def.geometry = hull_of(TEST_HULL_CUBE);
    scale = mo_vec(2, 1, 2);
    break;
  case TILE:
    def.geometry = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = square()};
    at.y = 0;
    break;
  case CYLINDER: /* reaches a little over the middle */
    def.geometry = cylinder_of(1, 3);
    at.x *= 1.4f;
    break;
  case SHEARED:
    def.geometry = box_of(1, 1, 1);
    at = mo_vec(x - 2, -0.001f, 0);
    break;
  case FRUSTUM:
    def.geometry = (mo_geometry){.type = MO_SHAPE_HULL, .hull = frustum()};
    at.y = 0;
    break;
  case ROUNDED: /* with a groove that is too narrow to be felt */
    def.geometry = box_of(1.998f, 0.998f, 1.998f);
    def.geometry.rounding = 0.002f;
    break;
  case PLANE:
    def.geometry = (mo_geometry){.type = MO_SHAPE_HALF_SPACE, .half_space = {{0, 1, 0}, 0}};
    at.y = 0;
    break;
  case BOX:
  case PART_KINDS:
    break;
  }
  def.transform = mo_transform_make(mo_add(far, at), upright, scale);
  if (kind == SHEARED) {
    def.transform.x_axis = mo_vec(2, 0, 0);
    def.transform.y_axis = mo_vec(2, 0.001f, 0);
    def.transform.z_axis = mo_vec(0, 0, 2);
  }
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  if (kind == TILE) {
    mo_mesh_release((mo_mesh *)def.geometry.mesh);
  }
  if (kind == FRUSTUM) {
    mo_hull_release((mo_hull *)def.geometry.hull);
  }
  return id;
}

/* --- bodies --- */

typedef enum body_kind {
  A_BOX,
  A_HULL,
  A_MESH,
  A_ROUNDED_BOX,
  A_CYLINDER,
  A_CAPSULE,
  A_BALL,
  BODY_KINDS
} body_kind;

static bool is_flat(body_kind kind) {
  return kind != A_CAPSULE && kind != A_BALL;
}

/* All reach half a metre down. */
static mo_shape_id add_body(mo_scene *scene, body_kind kind) {
  const mo_vec3 at = {0, 10, 0};
  mo_geometry g = box_of(0.5f, 0.5f, 0.5f);
  mo_vec3 scale = {1, 1, 1};
  switch (kind) {
  case A_HULL:
    g = hull_of(TEST_HULL_CUBE);
    scale = mo_vec(0.5f, 0.5f, 0.5f);
    break;
  case A_MESH:
    g = (mo_geometry){.type = MO_SHAPE_MESH, .mesh = cube()};
    break;
  case A_ROUNDED_BOX:
    g = box_of(0.45f, 0.45f, 0.45f);
    g.rounding = 0.05f;
    break;
  case A_CYLINDER:
    g = cylinder_of(0.5f, 0.5f);
    break;
  case A_CAPSULE:
    g = capsule_of(0.4f, 0.5f);
    break;
  case A_BALL:
    g = sphere_of(mo_vec(0, 0, 0), 0.5f);
    break;
  case A_BOX:
  case BODY_KINDS:
    break;
  }
  mo_shape_id id = add_scaled(scene, g, at, scale);
  if (kind == A_MESH) {
    mo_mesh_release((mo_mesh *)g.mesh);
  }
  cr_assert_eq(mo_scene_set_margin(scene, id, 0.02f), MO_OK);
  return id;
}

/* --- all of them --- */

typedef struct flat_case {
  part_kind left, right;
  body_kind body;
  bool fixed;
  mo_vec3 far;
  char name[80];
} flat_case;

/* How far an upright body has sunk in, how it is tilted about z and turned about y. */
typedef struct pose {
  float x, depth;
  double tilt, turn;
} pose;

/* The lowest point of a cube or upright cylinder that is tilted, below its centre. */
static double foot_of(body_kind kind, double tilt) {
  switch (kind) {
  case A_CAPSULE:
    return 0.5 + 0.4 * sin(tilt);
  case A_BALL:
    return 0.5;
  case A_ROUNDED_BOX:
    return 0.05 + 0.45 * (cos(tilt) + sin(tilt));
  case A_BOX:
  case A_HULL:
  case A_MESH:
  case A_CYLINDER:
  case BODY_KINDS:
    break;
  }
  return 0.5 * (cos(tilt) + sin(tilt));
}

static mo_quat product(mo_quat a, mo_quat b) {
  return (mo_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* Whether some contact with the body has a point that is near a place, as seen from above. */
static bool has_point_near(const mo_contact_events *events, mo_shape_id body, mo_vec3 place,
                           float distance) {
  bool found = false;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    const mo_contact *c = &events->contacts[i].contact;
    const bool is_own = same_id(c->a, body) || same_id(c->b, body);
    for (uint32_t k = 0; k < c->manifold.point_count && is_own; k++) {
      const mo_vec3 to = mo_sub(c->manifold.points[k].position, place);
      found = found || to.x * to.x + to.z * to.z <= distance * distance;
    }
  }
  return found;
}

/* A cube stands on all of its corners that are in the floor: as far as it reaches sideways into a
 * part, less than it has sunk in, that part is felt only at its border. */
static void check_corners(const mo_contact_events *events, mo_shape_id body, const flat_case *c,
                          const pose *p, const mo_transform *map) {
  for (int i = 0; i < 4; i++) {
    const float half = c->body == A_HULL ? 1 : 0.5f;
    const mo_vec3 corner = {i & 1 ? half : -half, -half, i & 2 ? half : -half},
                  at = mo_transform_point(map, corner);
    cr_assert(at.y > c->far.y - 0.001f || has_point_near(events, body, at, 0.02f + p->depth),
              "%s: x %g depth %g tilt %g turn %g: no point at %g %g %g", c->name, (double)p->x,
              (double)p->depth, p->tilt, p->turn, (double)at.x, (double)at.y, (double)at.z);
  }
}

static void check_pose(mo_scene *scene, mo_contact_tracker *tracker, mo_shape_id body,
                       const flat_case *c, const pose *p) {
  const double foot = foot_of(c->body, p->tilt);
  const mo_vec3 at = mo_add(c->far, mo_vec(p->x, (float)(foot - (double)p->depth), 0.1f));
  const mo_quat turn = product(turned(mo_vec(0, 1, 0), p->turn), turned(mo_vec(0, 0, 1), p->tilt));
  const mo_transform map =
      mo_transform_make(at, turn, c->body == A_HULL ? mo_vec(0.5f, 0.5f, 0.5f) : mo_vec(1, 1, 1));
  cr_assert_eq(mo_scene_set_transform(scene, body, &map), MO_OK);
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  const mo_contact_events events = update(tracker);
  double deepest = -1;
  for (uint32_t i = 0; i < events.contact_count; i++) {
    const mo_contact *k = &events.contacts[i].contact;
    if (!same_id(k->a, body) && !same_id(k->b, body)) {
      continue;
    }
    const double up = (double)k->manifold.normal.y * (same_id(k->b, body) ? 1 : -1);
    const double least = is_flat(c->body) ? cos(p->tilt + 0.02) : 0.99999;
    cr_assert(up >= least, "%s: x %g depth %g tilt %g turn %g: normal %g %g %g", c->name,
              (double)p->x, (double)p->depth, p->tilt, p->turn, (double)k->manifold.normal.x,
              (double)k->manifold.normal.y, (double)k->manifold.normal.z);
    deepest = fmax(deepest, -(double)min_separation(&k->manifold));
  }
  const double depth = (double)p->depth;
  cr_assert(fabs(deepest - depth) <= 0.03 * depth + 0.002,
            "%s: x %g depth %g tilt %g turn %g: deepest %g", c->name, (double)p->x, depth, p->tilt,
            p->turn, deepest);
  if (c->body == A_BOX || c->body == A_HULL) {
    check_corners(&events, body, c, p, &map);
  }
}

static void set_static(mo_scene *scene, mo_shape_id id) {
  cr_assert_eq(mo_scene_set_motion(scene, &id, 1, MO_MOTION_STATIC, NULL), MO_OK);
}

static void check_case(const flat_case *c) {
  static const float depths[] = {-0.002f, 0.003f, 0.01f, 0.1f};
  static const double tilts[] = {0, 0.012, 0.04};
  /* of the body's centre; dense where a side of it is at the seam */
  static const float places[] = {0,       0.35f,   0.4807f, 0.4917f, 0.4939f, 0.4983f,
                                 0.4998f, 0.5046f, 0.5068f, 0.52f,   0.7f};
  mo_host host = mo_default_host();
  mo_scene *scene = scene_with(&host);
  const mo_shape_id left = add_part(scene, c->left, -2, c->far),
                    right = add_part(scene, c->right, 2, c->far), body = add_body(scene, c->body);
  if (c->fixed) {
    set_static(scene, left);
    set_static(scene, right);
  }
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
    const bool deep = depths[d] > 0.05f;
    /* deep in the floor, only if it cannot be moved */
    for (int k = deep && !c->fixed ? 6 : 0; k < (deep ? 1 : 6); k++) {
      for (size_t i = 0; i < 2 * sizeof places / sizeof *places; i++) {
        const float x = i % 2 == 0 ? places[i / 2] : -places[i / 2];
        const pose p = {x, depths[d], tilts[k % 3], k / 3 == 0 ? 0.0 : 0.5};
        check_pose(scene, tracker, body, c, &p);
      }
    }
  }
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(contact_seam_floors, flat_floors_have_no_edges) {
  static const part_kind rights[] = {BOX, HULL, TILE, FRUSTUM};
  for (int i = 0; i < PART_KINDS * BODY_KINDS * 2; i++) {
    for (size_t k = 0; k < sizeof rights / sizeof *rights; k++) {
      flat_case c = {.left = (part_kind)(i / 2 % PART_KINDS),
                     .right = rights[k],
                     .body = (body_kind)(i / 2 / PART_KINDS),
                     .fixed = i % 2 == 0};
      snprintf(c.name, sizeof c.name, "floor of %d and %d, body %d, %s", (int)c.left, (int)c.right,
               (int)c.body, c.fixed ? "static" : "movable");
      /* a sheet does not hide the sides below it; meshes among themselves have rules of their own
       */
      const bool is_sheet = c.left == TILE || c.left == SHEARED,
                 is_bare = c.left == FRUSTUM || (c.right == FRUSTUM && is_sheet),
                 has_tile = c.left == TILE || c.right == TILE;
      if (!is_bare && (c.body != A_MESH || !has_tile)) {
        check_case(&c);
      }
    }
  }
}

/* --- a box of one metre over two shapes of which one carries it --- */

typedef struct seam_case {
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id supporter, other, body;
} seam_case;

/* The supporter is a static box with its top at y = 0, up to x = 0. */
static seam_case seam_create(const mo_shape_def *other, bool is_fixed, mo_geometry body) {
  mo_host host = mo_default_host();
  seam_case s = {.scene = scene_with(&host)};
  s.supporter = add(s.scene, box_of(2, 1, 2), -2, -1, 0);
  set_static(s.scene, s.supporter);
  cr_assert_eq(mo_scene_add_shape(s.scene, other, &s.other), MO_OK);
  if (is_fixed) {
    set_static(s.scene, s.other);
  }
  s.body = add(s.scene, body, 0, 10, 0);
  cr_assert_eq(mo_scene_set_margin(s.scene, s.body, 0.02f), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(s.scene, NULL, &s.tracker), MO_OK);
  return s;
}

static void seam_destroy(seam_case *s) {
  mo_contact_tracker_destroy(s->tracker);
  mo_scene_destroy(s->scene);
}

/* Normals towards the body. */
typedef struct seam_normals {
  bool found; /* whether there is a contact with the other shape */
  mo_vec3 of_other;
  float lowest;   /* height of the lowest point of that contact */
  float least_up; /* of all */
} seam_normals;

static seam_normals seam_at(const seam_case *s, float x, float y) {
  move(s->scene, s->body, x, y, 0);
  const mo_contact_events events = update(s->tracker);
  seam_normals n = {.least_up = 1, .lowest = INFINITY};
  for (uint32_t i = 0; i < events.contact_count; i++) {
    const mo_contact *c = &events.contacts[i].contact;
    const bool is_b = same_id(c->b, s->body);
    if (!is_b && !same_id(c->a, s->body)) {
      continue;
    }
    const mo_vec3 normal = mo_scale(is_b ? 1 : -1, c->manifold.normal);
    n.least_up = fminf(n.least_up, normal.y);
    if (same_id(is_b ? c->a : c->b, s->other)) {
      n.found = true;
      n.of_other = normal;
      for (uint32_t k = 0; k < c->manifold.point_count; k++) {
        n.lowest = fminf(n.lowest, c->manifold.points[k].position.y);
      }
    }
  }
  return n;
}

static mo_shape_def box_def(float x, float y, float z, float at_x, float at_y) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(x, y, z);
  def.transform.origin = mo_vec(at_x, at_y, 0);
  return def;
}

/* The tops of two boxes at a height of 65,536 m differ by the 8 mm to which coordinates are rounded
 * there: that is no step. */
Test(contact_seam_floors, rounding_makes_no_step) {
  const float far = 65536, ulp = 0x1p-7f;
  for (int step = -1; step <= 1; step++) {
    mo_host host = mo_default_host();
    mo_scene *scene = scene_with(&host);
    set_static(scene, add(scene, box_of(2, 1, 2), -2, far - 1, 0));
    set_static(scene, add(scene, box_of(2, 1, 2), 2, far - 1 + (float)step * ulp, 0));
    const mo_shape_id body = add(scene, box_of(0.5f, 0.5f, 0.5f), 0, far + 10, 0);
    mo_contact_tracker *tracker;
    cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
    for (int depth = 0; depth < 4; depth++) {
      for (float x = -0.55f; x < 0.55f; x += 0.001f) {
        move(scene, body, x, far + 0.5f - (float)depth * ulp, 0);
        const mo_contact_events events = update(tracker);
        for (uint32_t i = 0; i < events.contact_count; i++) {
          const mo_vec3 n = events.contacts[i].contact.manifold.normal;
          cr_assert(fabsf(n.y) > 0.99f, "step %d depth %d x %g: %g %g %g", step, depth, (double)x,
                    (double)n.x, (double)n.y, (double)n.z);
        }
      }
    }
    mo_contact_tracker_destroy(tracker);
    mo_scene_destroy(scene);
  }
}

/* A box that has sunk in slides over the foot of a ramp that rises by 3 degrees: the steepest
 * normal is that of the ramp. */
Test(contact_seam_floors, ramps_begin_without_an_edge) {
  const double angle = 0.05;
  mo_shape_def ramp = mo_default_shape_def(MO_SHAPE_BOX);
  ramp.geometry = box_of(2, 1, 2);
  ramp.geometry.box.center = mo_vec(2, -1, 0);
  ramp.transform =
      mo_transform_make(mo_vec(0, 0, 0), turned(mo_vec(0, 0, 1), angle), mo_vec(1, 1, 1));
  for (int fixed = 0; fixed < 2; fixed++) {
    seam_case s = seam_create(&ramp, fixed == 1, box_of(0.5f, 0.5f, 0.5f));
    for (float x = -0.51f; x < -0.3f; x += 0.002f) {
      const seam_normals n = seam_at(&s, x, 0.48f);
      cr_assert(n.least_up > (float)cos(angle + 0.02), "x %g: %g", (double)x, (double)n.least_up);
    }
    seam_destroy(&s);
  }
}

/* A box that rises by a twentieth up to the plane of the supporter, one metre away from it. */
static mo_shape_def rising_box(void) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry.box = (mo_box){{-0.5f, -1, 0}, {0.5f, 1, 2}};
  def.transform =
      mo_transform_make(mo_vec(1, 0, 0), turned(mo_vec(0, 0, 1), 0.05), mo_vec(1, 1, 1));
  return def;
}

/* What can be moved by itself keeps a contact of its own, with all its points, where the body
 * overlaps it by more than a sixteenth of its size, or where it ends below the supporter. What
 * cannot be is part of the floor, if its top is level. */
Test(contact_seam_floors, what_can_be_moved_keeps_deep_contacts) {
  mo_shape_def sheet = mo_default_shape_def(MO_SHAPE_MESH); /* 12 mm below */
  mo_mesh *mesh = square();
  sheet.geometry.mesh = mesh;
  sheet.transform.origin = mo_vec(2, -0.012f, 0);
  const struct {
    mo_shape_def other;
    float x, depth;
    bool stays;
  } cases[] = {
      {sheet, -0.496f, 0.03f, true},
      {box_def(2, 1, 2, 2, -1), -0.46f, 0.1f, false},          /* by 4 cm */
      {box_def(2, 1, 2, 2, -1), -0.41f, 0.1f, true},           /* by 9 cm */
      {box_def(0.1f, 1, 0.1f, 0.1f, -1), -0.46f, 0.1f, false}, /* high: its longest side counts */
      {box_def(0.1f, 0.1f, 0.1f, 0.1f, -0.1f), -0.49f, 0.1f, false}, /* by 1 cm of 20 */
      {box_def(0.1f, 0.1f, 0.1f, 0.1f, -0.1f), -0.46f, 0.1f, true},  /* by 4 cm of 20 */
      {box_def(2, 1, 2, 2, -1.05f), -0.496f, 0.06f, true},           /* 5 cm below */
      {box_def(2, 1, 2, 2, -1.012f), -0.496f, 0.03f, true},          /* 12 mm below */
      {rising_box(), -0.494f, 0.06f, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int fixed = 0; fixed < 2; fixed++) {
      const bool is_rising = i + 1 == sizeof cases / sizeof *cases;
      seam_case s = seam_create(&cases[i].other, fixed == 1, box_of(0.5f, 0.5f, 0.5f));
      const seam_normals n = seam_at(&s, cases[i].x, 0.5f - cases[i].depth);
      const bool stays = n.found && n.of_other.x < -0.9f;
      cr_assert_eq(stays, cases[i].stays && (fixed == 0 || is_rising), "case %zu, fixed %d", i,
                   fixed);
      cr_assert(!stays || i == 0 || n.lowest < 0.002f - cases[i].depth, "case %zu, fixed %d: %g", i,
                fixed, (double)n.lowest);
      seam_destroy(&s);
    }
  }
  mo_mesh_release(mesh);
}

/* A prism along z that stands on a side of one metre, as high as wide. */
static mo_hull *prism(void) {
  const mo_vec3 corners[6] = {{-0.5f, -0.5f, -0.5f}, {-0.5f, -0.5f, 0.5f}, {0.5f, -0.5f, -0.5f},
                              {0.5f, -0.5f, 0.5f},   {0, 0.5f, -0.5f},     {0, 0.5f, 0.5f}};
  mo_hull_def def = mo_default_hull_def();
  def.positions = corners;
  def.position_count = 6;
  mo_hull *made;
  cr_assert_eq(mo_hull_create(&def, &made), MO_OK);
  return made;
}

/* What stands on the floor is in the way, a mesh as well, and the slope of a half-space; a prism
 * touches it only where the floor is. */
Test(contact_seam_floors, walls_of_meshes_and_half_spaces_stay) {
  mo_shape_def walls[2] = {mo_default_shape_def(MO_SHAPE_MESH),
                           mo_default_shape_def(MO_SHAPE_HALF_SPACE)};
  mo_mesh *mesh = cube();
  mo_hull *hull = prism();
  walls[0].geometry.mesh = mesh;
  walls[0].transform.origin = mo_vec(0, 0.5f, 0); /* begins at x = -0.5 */
  walls[1].geometry.half_space = (mo_half_space){{-0.8f, 0.6f, 0}, 0.4f};
  const mo_geometry bodies[] = {box_of(0.5f, 0.5f, 0.5f),
                                sphere_of(mo_vec(0, 0, 0), 0.5f),
                                {.type = MO_SHAPE_HULL, .hull = hull}};
  for (int i = 0; i < 12; i++) {
    const int wall = i / 2 % 2, body = i / 4;
    seam_case s = seam_create(&walls[wall], i % 2 == 0, bodies[body]);
    for (int step = 0; step < 5; step++) {
      const float x = wall == 1 && body == 1 ? -0.75f : -0.9995f;
      const seam_normals n = seam_at(&s, x + 0.0005f * (float)step, 0.4995f);
      cr_assert(n.found && n.of_other.x < -0.75f, "wall %d, body %d, step %d: %d %g %g", wall, body,
                step, n.found, (double)n.of_other.x, (double)n.of_other.y);
    }
    seam_destroy(&s);
  }
  mo_hull_release(hull);
  mo_mesh_release(mesh);
}

/* Steps of a few thousandths of its size are felt by a ball. */
Test(contact_seam_floors, balls_feel_low_steps) {
  for (int i = 0; i < 10; i++) {
    const float height = 0.00125f + 0.00025f * (float)(i / 2),
                away = sqrtf(height - height * height); /* of a ball that touches both */
    const mo_shape_def step = box_def(1, 0.5f * height, 1, 0.5f, 0.5f * height);
    seam_case s = seam_create(&step, i % 2 == 0, sphere_of(mo_vec(0, 0, 0), 0.5f));
    const seam_normals n = seam_at(&s, -0.5f - away + 0.0001f, 0.5f);
    cr_assert(n.found && n.of_other.x < -away, "height %g: %d %g", (double)height, n.found,
              (double)n.of_other.x);
    seam_destroy(&s);
  }
}

/* Two squares that meet at a ridge along z. */
static mo_mesh *tent(void) {
  test_mesh mesh = {0};
  const mo_vec3 ridge[2] = {{0, 0, -2}, {0, 0, 2}};
  for (int side = -1; side <= 1; side += 2) {
    const mo_vec3 foot[2] = {{(float)side, -1, -2}, {(float)side, -1, 2}};
    test_mesh_add_corners(&mesh, ridge[0], ridge[1], side < 0 ? foot[0] : foot[1]);
    test_mesh_add_corners(&mesh, side < 0 ? foot[0] : ridge[0], side < 0 ? ridge[1] : foot[1],
                          side < 0 ? foot[1] : foot[0]);
  }
  return build(&mesh);
}

/* A gap of 2 cm in a floor lets a ball feel the edge beyond it, unless a face that is level with
 * both sides fills it there. */
Test(contact_seam_floors, only_a_level_face_fills_a_gap) {
  enum {
    LEVEL,
    MESH,
    MIRRORED,
    LOWER,
    LOWER_MESH,
    PLANE_BELOW,
    EDGE,
    RIDGE,
    ASIDE,
    BEYOND,
    FILLERS
  };
  const mo_vec3 z = {0, 0, 1};
  const double eighth = 0.7853981633974483;
  mo_mesh *flat = square(), *ridge = tent();
  mo_shape_def fillers[FILLERS];
  for (int i = 0; i < FILLERS; i++) {
    const bool is_mesh = i == MESH || i == MIRRORED || i == LOWER_MESH || i == RIDGE;
    fillers[i] = box_def(0.01f, 1, 2, 0.01f, -1);
    if (is_mesh) {
      fillers[i] = mo_default_shape_def(MO_SHAPE_MESH);
      fillers[i].geometry.mesh = i == RIDGE ? ridge : flat;
      if (i != RIDGE) { /* as narrow as the gap */
        fillers[i].transform.x_axis.x = 0.005f;
        fillers[i].transform.origin.x = 0.01f;
      }
    }
  }
  fillers[MIRRORED].transform.z_axis.z = -1;
  fillers[LOWER].transform.origin.y -= 0.01f;
  fillers[LOWER_MESH].transform.origin.y -= 0.01f;
  fillers[PLANE_BELOW] = mo_default_shape_def(MO_SHAPE_HALF_SPACE);
  fillers[PLANE_BELOW].geometry.half_space = (mo_half_space){{0, 1, 0}, -0.01f};
  /* edges just before the one beyond the gap */
  fillers[EDGE].geometry = box_of(0.7f, 0.7f, 2);
  fillers[EDGE].transform =
      mo_transform_make(mo_vec(0.0185f, -0.7f * sqrtf(2), 0), turned(z, eighth), mo_vec(1, 1, 1));
  fillers[RIDGE].transform.origin.x = 0.0185f;
  /* rotated, so that its AABB is where the ball is; and farther away */
  fillers[ASIDE].geometry = box_of(0.2f, 1, 0.2f);
  fillers[ASIDE].transform =
      mo_transform_make(mo_vec(0.2f, -1, 0.2f), turned(mo_vec(0, 1, 0), eighth), mo_vec(1, 1, 1));
  fillers[BEYOND].transform.origin.z = 2.1f;
  for (int i = 0; i < 2 * FILLERS; i++) {
    const mo_shape_def right = box_def(2, 1, 2, 2.02f, -1), *filler = &fillers[i / 2];
    seam_case s = seam_create(&right, true, sphere_of(mo_vec(0, 0, 0), 0.5f));
    if (i % 2 == 1) {
      cr_assert_eq(mo_scene_remove_shape(s.scene, s.supporter), MO_OK);
      set_static(s.scene, add_part(s.scene, TILE, -2, mo_vec(0, 0, 0)));
    }
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(s.scene, filler, &id), MO_OK);
    set_static(s.scene, id);
    const seam_normals n = seam_at(&s, -0.01f, 0.5f);
    cr_assert_eq(n.found, i / 2 > MIRRORED, "filler %d, floor %d", i / 2, i % 2);
    seam_destroy(&s);
  }
  mo_mesh_release(flat);
  mo_mesh_release(ridge);
}

/* Two boxes with their tops in the plane of a half-space. */
Test(contact_seam_floors, boxes_in_a_half_space_have_no_edges) {
  const mo_shape_def right = box_def(2, 1, 2, 2, -1);
  const mo_geometry bodies[] = {box_of(0.5f, 0.5f, 0.5f), sphere_of(mo_vec(0, 0, 0), 0.5f)};
  for (int i = 0; i < 2; i++) {
    seam_case s = seam_create(&right, true, bodies[i]);
    set_static(s.scene, add_part(s.scene, PLANE, 0, mo_vec(0, 0, 0)));
    for (float x = -0.51f; x < 0.51f; x += 0.01f) {
      const seam_normals n = seam_at(&s, x, 0.49f);
      cr_assert(n.least_up > 0.9999f, "body %d, x %g: %g", i, (double)x, (double)n.least_up);
    }
    seam_destroy(&s);
  }
}
