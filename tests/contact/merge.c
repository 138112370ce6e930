/* Coplanar contacts of two bodies, merged to four points (mo_contact_tracker_def::merge_coplanar):
 * against the contacts of a tracker that merges nothing, grouped by the definition. */
#include <stdlib.h>
#include <string.h>

#include "contact/flat_meshes.h"
#include "contact/floors.h"
#include "contact/tracking.h"
#include "support/counting_allocator.h"
#include "support/rng.h"

enum { MAX_SHAPES = 64, MAX_POINTS = 4096 };

/* A scene with two trackers, one of which merges. */
typedef struct stage {
  mo_scene *scene;
  mo_contact_tracker *merging, *plain;
  mo_shape_id ids[MAX_SHAPES]; /* of the body that is moved */
  mo_vec3 places[MAX_SHAPES];  /* in the body */
  uint32_t count;
} stage;

static mo_contact_tracker *tracker_of(mo_scene *scene, bool merges) {
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.keep_seams = true;
  def.merge_coplanar = merges;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(scene, &def, &tracker), MO_OK);
  return tracker;
}

static void begin(stage *s) {
  mo_scene_def def = mo_default_scene_def();
  def.margin = MO_CONTACT_MARGIN;
  *s = (stage){.count = 0};
  cr_assert_eq(mo_scene_create(&def, &s->scene), MO_OK);
  s->merging = tracker_of(s->scene, true);
  s->plain = tracker_of(s->scene, false);
}

static void end(stage *s) {
  mo_contact_tracker_destroy(s->merging);
  mo_contact_tracker_destroy(s->plain);
  mo_scene_destroy(s->scene);
}

static mo_shape_id add_part(mo_scene *scene, mo_geometry geometry, mo_vec3 place, uint64_t body,
                            mo_motion motion) {
  mo_shape_def def = mo_default_shape_def(geometry.type);
  def.geometry = geometry;
  def.transform.origin = place;
  def.body = body;
  def.motion = motion;
  mo_shape_id id;
  cr_assert_eq(mo_scene_add_shape(scene, &def, &id), MO_OK);
  return id;
}

static void add_to_body(stage *s, mo_geometry geometry, float x, float y, float z) {
  s->places[s->count] = mo_vec(x, y, z);
  s->ids[s->count++] = add_part(s->scene, geometry, mo_vec(x, y, z), 1, MO_MOTION_DYNAMIC);
}

/* A plate of boxes side by side, `n` by `n`, of one unit each. */
static void add_plate(stage *s, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      add_to_body(s, box_of(0.5f, 0.25f, 0.5f), (float)i - 0.5f * (float)(n - 1), 0,
                  (float)k - 0.5f * (float)(n - 1));
    }
  }
}

/* Tiles of a floor from -6 to 6, whose top is y = 0, as one body. */
static void add_tiles(stage *s, float size) {
  for (float x = -6; x < 6; x += size) {
    for (float z = -6; z < 6; z += size) {
      add_part(s->scene, box_of(0.5f * size, 0.5f, 0.5f * size),
               mo_vec(x + 0.5f * size, -0.5f, z + 0.5f * size), 2, MO_MOTION_STATIC);
    }
  }
}

static void place_body(stage *s, mo_vec3 origin, mo_quat rotation) {
  for (uint32_t i = 0; i < s->count; i++) {
    mo_transform of_body = mo_transform_make(origin, rotation, mo_vec(1, 1, 1));
    mo_transform map = of_body;
    map.origin = mo_transform_point(&of_body, s->places[i]);
    cr_assert_eq(mo_scene_set_transform(s->scene, s->ids[i], &map), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s->scene, NULL), MO_OK);
}

/* --- the definition --- */

/* A point of the tracker that merges nothing. */
typedef struct listed_point {
  uint32_t contact, point; /* of `plain` */
  bool kept;               /* whether the merging tracker has it too */
  int plane;
} listed_point;

static uint64_t body_of(const mo_scene *scene, mo_shape_id id) {
  uint64_t body;
  cr_assert_eq(mo_scene_get_body(scene, id, &body), MO_OK);
  return body != 0 ? body : UINT64_MAX - id.index;
}

static uint32_t points_of(const mo_contact_events *events) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < events->contact_count; i++) {
    count += events->contacts[i].contact.manifold.point_count;
  }
  return count;
}

static bool is_of(const mo_scene *scene, const mo_contact *c, uint64_t a, uint64_t b) {
  const uint64_t x = body_of(scene, c->a), y = body_of(scene, c->b);
  return (x == a && y == b) || (x == b && y == a);
}

static ldvec normal_from(const mo_scene *scene, const mo_contact *c, uint64_t a) {
  const ldvec normal = ld_float(c->manifold.normal);
  return body_of(scene, c->a) == a ? normal : ld_scale(-1, normal);
}

/* The contacts of both trackers are the same, but for points that are left out. */
static uint32_t list_points(const mo_contact_events *merged, const mo_contact_events *plain,
                            listed_point *points) {
  uint32_t count = 0;
  cr_assert_eq(merged->contact_count, plain->contact_count);
  for (uint32_t i = 0; i < plain->contact_count; i++) {
    const mo_tracked_contact *m = &merged->contacts[i], *p = &plain->contacts[i];
    cr_assert(same_id(m->contact.a, p->contact.a) && same_id(m->contact.b, p->contact.b));
    cr_assert(m->contact.triangle_a == p->contact.triangle_a &&
              m->contact.triangle_b == p->contact.triangle_b);
    cr_assert(m->touching == p->touching && m->began == p->began);
    uint32_t next = 0;
    for (uint32_t k = 0; k < p->contact.manifold.point_count; k++) {
      const mo_manifold *of = &m->contact.manifold;
      const bool kept =
          next < of->point_count && same_point(&of->points[next], &p->contact.manifold.points[k]);
      next += kept;
      cr_assert_lt(count, MAX_POINTS);
      points[count++] = (listed_point){i, k, kept, -1};
    }
    cr_assert_eq(next, m->contact.manifold.point_count, "a point that is none");
  }
  return count;
}

static const mo_manifold_point *point_of(const mo_contact_events *plain, const listed_point *p) {
  return &plain->contacts[p->contact].contact.manifold.points[p->point];
}

/* Of the points in a plane at most four are kept, and in each direction nearly half of the width of
 * all (a little less where depth decides);
 * one of them is as deep as any. Returns whether some were left out. */
static bool check_plane(const mo_contact_events *plain, const listed_point *points, uint32_t count,
                        int plane, ldvec normal) {
  uint32_t all = 0, kept = 0;
  float deepest = INFINITY, deepest_kept = INFINITY;
  long double size = 0;
  const ldvec other = fabsl(normal.x) < 0.6L ? (ldvec){1, 0, 0} : (ldvec){0, 1, 0};
  ldvec x = ld_sub(other, ld_scale(ld_dot(other, normal), normal));
  x = ld_scale(1 / ld_norm(x), x);
  const ldvec y = {normal.y * x.z - normal.z * x.y, normal.z * x.x - normal.x * x.z,
                   normal.x * x.y - normal.y * x.x};
  for (uint32_t i = 0; i < count; i++) {
    if (points[i].plane == plane) {
      const float separation = point_of(plain, &points[i])->separation;
      all++;
      kept += points[i].kept;
      deepest = fminf(deepest, separation);
      deepest_kept = points[i].kept ? fminf(deepest_kept, separation) : deepest_kept;
    }
  }
  cr_assert_eq(kept, all < 4 ? all : 4);
  for (int turn = 0; turn < 32; turn++) {
    const ldvec along = ld_add(ld_scale(cosl(0.1L * turn), x), ld_scale(sinl(0.1L * turn), y));
    long double of_all[2] = {INFINITY, -INFINITY}, of_kept[2] = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++) {
      if (points[i].plane == plane) {
        const long double at = ld_dot(along, ld_float(point_of(plain, &points[i])->position));
        of_all[0] = fminl(of_all[0], at);
        of_all[1] = fmaxl(of_all[1], at);
        of_kept[0] = points[i].kept ? fminl(of_kept[0], at) : of_kept[0];
        of_kept[1] = points[i].kept ? fmaxl(of_kept[1], at) : of_kept[1];
      }
    }
    size = fmaxl(size, of_all[1] - of_all[0]);
    const long double width = of_all[1] - of_all[0], left = of_kept[1] - of_kept[0];
    cr_assert_geq(left, 0.35L * width - 1e-5L, "%Lg of %Lg, of %u points", left, width, all);
  }
  cr_assert_leq((long double)deepest_kept, (long double)deepest + size / 1000);
  return all > 4;
}

/* Finds the planes of two bodies by the definition, and checks each. */
static uint32_t check_bodies(const stage *s, const mo_contact_events *plain, listed_point *points,
                             uint32_t count, uint64_t a, uint64_t b, int *planes) {
  uint32_t merged = 0;
  for (;;) {
    uint32_t leader = count;
    for (uint32_t i = 0; i < count; i++) {
      const mo_contact *c = &plain->contacts[points[i].contact].contact;
      if (points[i].plane < 0 && is_of(s->scene, c, a, b) &&
          (leader == count || point_of(plain, &points[i])->separation <
                                  point_of(plain, &points[leader])->separation)) {
        leader = i;
      }
    }
    if (leader == count) {
      return merged;
    }
    const mo_contact *of = &plain->contacts[points[leader].contact].contact;
    const ldvec normal = normal_from(s->scene, of, a);
    const ldvec origin = ld_float(point_of(plain, &points[leader])->position);
    const int plane = (*planes)++;
    for (uint32_t i = 0; i < plain->contact_count; i++) {
      const mo_contact *c = &plain->contacts[i].contact;
      bool in_plane = is_of(s->scene, c, a, b) && c->manifold.point_count > 0 &&
                      ld_dot(normal, normal_from(s->scene, c, a)) >= 0.99939L;
      for (uint32_t k = 0; in_plane && k < c->manifold.point_count; k++) {
        const ldvec to = ld_sub(ld_float(c->manifold.points[k].position), origin);
        in_plane = fabsl(ld_dot(normal, to)) <= 0.02L;
      }
      for (uint32_t k = 0; k < count; k++) {
        if (points[k].contact == i && points[k].plane < 0 &&
            (in_plane || points[k].contact == points[leader].contact)) {
          points[k].plane = plane;
        }
      }
    }
    merged += check_plane(plain, points, count, plane, normal);
  }
}

/* Updates both trackers and compares them. Returns how many planes were merged. */
static uint32_t check(stage *s) {
  static listed_point points[MAX_POINTS];
  const mo_contact_events merged = update(s->merging), plain = update(s->plain);
  cr_assert(merged.begin_count == plain.begin_count && merged.end_count == plain.end_count);
  cr_assert(merged.begin_count == 0 ||
            memcmp(merged.begins, plain.begins, merged.begin_count * sizeof *merged.begins) == 0);
  const uint32_t count = list_points(&merged, &plain, points);
  uint32_t planes = 0;
  int next = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (points[i].plane < 0) {
      const mo_contact *c = &plain.contacts[points[i].contact].contact;
      planes += check_bodies(s, &plain, points, count, body_of(s->scene, c->a),
                             body_of(s->scene, c->b), &next);
    }
  }
  return planes;
}

/* --- tests --- */

/* Sixteen boxes on a floor of tiles: the four corners of the plate, of some hundred points. */
Test(contact_merge, a_plate_of_boxes_has_four_points) {
  stage s;
  begin(&s);
  add_tiles(&s, 1.5f);
  add_plate(&s, 4);
  place_body(&s, mo_vec(0.1f, 0.25f, 0.2f), turned(mo_vec(0, 1, 0), 0.3));
  mo_contact_events plain = update(s.plain), merged = update(s.merging);
  cr_assert_gt(points_of(&plain), 60);
  cr_assert_eq(points_of(&merged), 4);
  cr_assert_eq(merged.contact_count, plain.contact_count);
  const mo_transform map =
      mo_transform_make(mo_vec(0.1f, 0.25f, 0.2f), turned(mo_vec(0, 1, 0), 0.3), mo_vec(1, 1, 1));
  for (int corner = 0; corner < 4; corner++) {
    const mo_vec3 at = mo_transform_point(
        &map, mo_vec(corner & 1 ? 2.0f : -2.0f, -0.25f, corner & 2 ? 2.0f : -2.0f));
    bool found = false;
    for (uint32_t i = 0; i < merged.contact_count; i++) {
      found = found || has_point(&merged.contacts[i].contact.manifold, at, 1e-3);
    }
    cr_assert(found, "corner %d", corner);
  }
  end(&s);
}

/* Plates, wedges and heaps of shapes in random poses on tiles, in a corner, and on a mesh. */
Test(contact_merge, by_the_definition) {
  rng r = rng_make(rng_seed("contact/merge", 3501));
  uint32_t merged = 0;
  for (uint64_t round = 0; round < rng_rounds(40, 2000); round++) {
    stage s;
    begin(&s);
    if (rng_chance(&r, 0.5)) { /* so that neither body has the lower index in all pairs */
      add_to_body(&s, box_of(0.5f, 0.25f, 0.5f), 0.9f, 0, 0.9f);
      add_to_body(&s, box_of(0.5f, 0.25f, 0.5f), -0.9f, 0, -0.9f);
    }
    const uint32_t ground = rng_below(&r, 3);
    if (ground < 2) {
      add_tiles(&s, rng_float(&r, 0.7f, 4));
    }
    if (ground == 1) { /* walls, of the same body and of another one */
      add_part(s.scene, box_of(0.5f, 3, 6), mo_vec(-2.5f, 2, 0), 2, MO_MOTION_STATIC);
      add_part(s.scene, box_of(6, 3, 0.5f), mo_vec(0, 2, -2.5f), 0, MO_MOTION_STATIC);
    }
    if (ground == 2) {
      const mo_transform identity = mo_transform_identity();
      test_mesh mesh = floor_mesh(&r, &identity);
      mo_mesh_def def = test_mesh_def(&mesh); /* without edges: many contacts in one plane */
      mo_mesh *built = NULL;
      cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
      add_part(s.scene, (mo_geometry){.type = MO_SHAPE_MESH, .mesh = built}, mo_vec(0, 0, 0), 0,
               MO_MOTION_STATIC);
      mo_mesh_release(built);
      test_mesh_free(&mesh);
    }
    if (rng_chance(&r, 0.5)) {
      add_plate(&s, 1 + (int)rng_below(&r, 4));
    } else {
      for (uint32_t i = 0; i < 12; i++) {
        const mo_vec3 at = rng_vec3(&r, -1, 1);
        add_to_body(&s, i % 3 == 0 ? capsule_of(0.4f, 0.25f) : box_of(0.4f, 0.25f, 0.3f), at.x,
                    i % 2 ? 0 : 0.1f * at.y, at.z);
      }
    }
    for (int step = 0; step < 6; step++) {
      const mo_vec3 at =
          mo_vec(rng_float(&r, -1, 1), rng_float(&r, 0.22f, 0.27f), rng_float(&r, -1, 1));
      const float tilt = rng_chance(&r, 0.5) ? 0 : rng_float(&r, -0.02f, 0.02f);
      place_body(&s, at,
                 rng_chance(&r, 0.5) ? turned(rng_direction(&r), (double)tilt)
                                     : turned(mo_vec(0, 1, 0), rng_float(&r, 0, 3)));
      merged += check(&s);
    }
    end(&s);
  }
  cr_assert_gt(merged, 60);
}

/* More points than a manifold is ever made of. */
Test(contact_merge, hundreds_of_points) {
  for (int many = 0; many < 2; many++) {
    stage s;
    begin(&s);
    add_tiles(&s, many ? 0.75f : 12);
    add_plate(&s, 8);
    for (int step = 0; step < 8; step++) {
      const float tilt = 0.0002f * (float)step;
      place_body(&s, mo_vec(0.1f, 0.25f, 0.2f), turned(mo_vec(1, 0, 0), (double)tilt));
      cr_assert_geq(check(&s), 1);
      const mo_contact_events plain = update(s.plain), merged = update(s.merging);
      cr_assert_gt(points_of(&plain), many ? 1000 : 129);
      cr_assert(many || points_of(&merged) == 4);
    }
    end(&s);
  }
}

static bool same_tracked(const mo_contact_events *a, const mo_contact_events *b) {
  bool same = a->contact_count == b->contact_count;
  for (uint32_t i = 0; i < a->contact_count && same; i++) {
    same = same_contact(&a->contacts[i].contact, &b->contacts[i].contact);
  }
  return same;
}

/* Whatever changes of a body, its contacts are those that a new tracker finds. */
Test(contact_merge, do_not_depend_on_the_past) {
  rng r = rng_make(rng_seed("contact/merge: past", 3502));
  stage s;
  begin(&s);
  add_tiles(&s, 1.5f);
  add_plate(&s, 5);
  place_body(&s, mo_vec(0, 0.25f, 0), turned(mo_vec(0, 1, 0), 0.3));
  for (uint64_t step = 0; step < rng_rounds(60, 2000); step++) {
    const uint32_t i = rng_below(&r, s.count);
    mo_shape_def def;
    cr_assert_eq(mo_scene_get_shape(s.scene, s.ids[i], &def), MO_OK);
    switch (rng_below(&r, 5)) {
    case 0:
      cr_assert_eq(mo_scene_remove_shape(s.scene, s.ids[i]), MO_OK);
      break;
    case 1:
      cr_assert_eq(mo_scene_set_body(s.scene, s.ids[i], def.body == 1 ? 3 : 1), MO_OK);
      break;
    case 2:
      def.transform.origin.y += rng_float(&r, -0.001f, 0.001f);
      cr_assert_eq(mo_scene_set_transform(s.scene, s.ids[i], &def.transform), MO_OK);
      break;
    case 3:
      cr_assert_eq(mo_contact_tracker_refresh_shape(s.merging, s.ids[i]), MO_OK);
      break;
    default:
      break;
    }
    cr_assert_eq(mo_scene_update(s.scene, NULL), MO_OK);
    mo_contact_tracker *fresh = tracker_of(s.scene, true);
    mo_contact_events now = update(s.merging), expected = update(fresh);
    cr_assert(same_tracked(&now, &expected), "step %u", (uint32_t)step);
    mo_contact_tracker_destroy(fresh);
    if (!mo_scene_is_valid(s.scene, s.ids[i])) {
      cr_assert_eq(mo_scene_add_shape(s.scene, &def, &s.ids[i]), MO_OK);
    }
  }
  end(&s);
}

/* The memory of the four points that are kept stays with them while the body moves a little. */
Test(contact_merge, points_keep_their_memory) {
  stage s;
  begin(&s);
  add_tiles(&s, 12);
  add_plate(&s, 3);
  for (int step = 0; step < 20; step++) {
    place_body(&s, mo_vec(0.001f * (float)step, 0.25f, 0), turned(mo_vec(0, 1, 0), 0.0));
    mo_contact_events events = update(s.merging);
    cr_assert_eq(points_of(&events), 4);
    for (uint32_t i = 0; i < events.contact_count; i++) {
      mo_tracked_contact *c = &events.contacts[i];
      for (uint32_t k = 0; k < c->contact.manifold.point_count; k++) {
        cr_assert_eq(c->kept >> k & 1, step > 0);
        cr_assert_eq(c->memory[k].values[0], step > 0 ? (float)(10 * i + k) : 0);
        c->memory[k].values[0] = (float)(10 * i + k);
      }
    }
  }
  end(&s);
}

/* --- two meshes --- */

static double area_of(const mo_vec3 *corner) { /* of four points in order around their centre */
  const mo_vec3 u = mo_sub(corner[2], corner[0]), v = mo_sub(corner[3], corner[1]);
  return 0.5 * fabs((double)u.x * (double)v.z - (double)u.z * (double)v.x);
}

/* The greatest area of four points in any order. */
static double max_area_of(const mo_vec3 p[4]) {
  const mo_vec3 orders[3][4] = {
      {p[0], p[1], p[2], p[3]}, {p[0], p[2], p[1], p[3]}, {p[0], p[1], p[3], p[2]}};
  return fmax(area_of(orders[0]), fmax(area_of(orders[1]), area_of(orders[2])));
}

/* A crate on a larger one, both of many triangles, stands on four points that span its bottom,
 * also without `merge_coplanar`. */
Test(contact_merge, a_mesh_stands_on_a_mesh_by_four_points) {
  rng r = rng_make(rng_seed("contact/merge/meshes", 7201));
  test_mesh shapes[2] = {crate(mo_vec(3, 0.5f, 3), 4), crate(mo_vec(1, 0.5f, 1), 3)};
  mo_mesh *meshes[2] = {build(&shapes[0]), build(&shapes[1])};
  for (int round = 0; round < 40; round++) {
    stage s;
    begin(&s);
    const float depth = rng_float(&r, 0, 0.02f);
    for (int i = 0; i < 2; i++) {
      const mo_geometry g = {.type = MO_SHAPE_MESH, .mesh = meshes[i]};
      const mo_shape_id id =
          add_part(s.scene, g, mo_vec(0, i == 0 ? -0.5f : 0.5f - depth, 0), 0, MO_MOTION_DYNAMIC);
      mo_transform map =
          mo_transform_make(mo_vec(0, i == 0 ? -0.5f : 0.5f - depth, 0),
                            turned(mo_vec(0, 1, 0), (double)rng_float(&r, -3, 3)), mo_vec(1, 1, 1));
      cr_assert_eq(mo_scene_set_transform(s.scene, id, &map), MO_OK);
    }
    cr_assert_eq(mo_scene_update(s.scene, NULL), MO_OK);
    const mo_contact_events events = update(s.plain);
    mo_vec3 points[4];
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.contact_count; i++) {
      const mo_manifold *m = &events.contacts[i].contact.manifold;
      for (uint32_t k = 0; k < m->point_count; k++) {
        cr_assert_lt(count, 4);
        cr_assert_gt(fabsf(m->normal.y), 0.9999f);
        cr_assert_float_eq(m->points[k].separation, -depth, 1e-5f);
        points[count++] = m->points[k].position;
      }
    }
    cr_assert_eq(count, 4);
    cr_assert_geq(max_area_of(points), 0.8 * 4, "round %u", (uint32_t)round);
    end(&s);
  }
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
}

/* Contacts of other materials are not merged. */
static void set_materials(mo_modified_pair *pair, void *context) {
  (void)context;
  for (uint32_t i = 0; i < pair->contact_count; i++) {
    pair->contacts[i].material.friction = pair->contacts[i].contact.user_data_a % 2 ? 0.1f : 0.9f;
  }
}

Test(contact_merge, materials_stay_apart) {
  stage s;
  begin(&s);
  add_plate(&s, 4);
  add_tiles(&s, 12);
  for (uint32_t i = 0; i < s.count; i++) {
    cr_assert_eq(mo_scene_set_user_data(s.scene, s.ids[i], i / 4), MO_OK);
  }
  place_body(&s, mo_vec(0, 0.25f, 0), turned(mo_vec(0, 1, 0), 0.3));
  mo_contact_tracker_def def = mo_default_contact_tracker_def();
  def.merge_coplanar = true;
  def.modify = set_materials;
  mo_contact_tracker *tracker = NULL;
  cr_assert_eq(mo_contact_tracker_create(s.scene, &def, &tracker), MO_OK);
  mo_contact_events events = update(tracker);
  cr_assert_eq(points_of(&events), 8, "four of each material");
  mo_contact_tracker_destroy(tracker);
  end(&s);
}

/* Contacts at rest keep their points; a shape that wakes brings back those of its whole body. */
Test(contact_merge, bodies_at_rest_wake_as_one) {
  stage s;
  begin(&s);
  add_tiles(&s, 12);
  add_plate(&s, 3);
  place_body(&s, mo_vec(0, 0.25f, 0), turned(mo_vec(0, 1, 0), 0.0));
  update(s.merging);
  cr_assert_eq(mo_scene_set_motion(s.scene, s.ids, s.count, MO_MOTION_SLEEPING, NULL), MO_OK);
  mo_contact_events events = update(s.merging);
  cr_assert_eq(events.contact_count, 0);
  cr_assert_eq(mo_contact_tracker_wake(s.merging, &s.ids[4], 1, &events), MO_OK);
  cr_assert_eq(points_of(&events), 4);
  cr_assert_eq(mo_scene_set_motion(s.scene, s.ids, s.count, MO_MOTION_DYNAMIC, NULL), MO_OK);
  events = update(s.merging);
  cr_assert_eq(points_of(&events), 4);
  end(&s);
}

/* Each allocation of an update fails in turn; the next one finds what a new tracker finds. */
Test(contact_merge, failing_allocations_change_nothing) {
  counting_allocator counter;
  counting_allocator_init(&counter);
  stage s = {.count = 0};
  mo_host host = counting_allocator_host(&counter);
  s.scene = scene_with(&host);
  s.merging = tracker_of(s.scene, true);
  add_tiles(&s, 3);
  add_plate(&s, 4);
  size_t failures = 0;
  mo_contact_events events;
  for (int step = 0; step < 3; step++) {
    place_body(&s, mo_vec(0.3f * (float)step, 0.25f, 0), turned(mo_vec(0, 1, 0), 0.3));
    mo_result result = MO_ERROR_OUT_OF_MEMORY;
    for (size_t nth = 1; result != MO_OK; nth++) {
      cr_assert_eq(mo_scene_set_body(s.scene, s.ids[3], nth % 2 ? 3 : 1), MO_OK);
      counting_allocator_fail_at(&counter, nth, false);
      result = mo_contact_tracker_update(s.merging, &events);
      counting_allocator_fail_at(&counter, 0, false);
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_MEMORY);
      cr_assert_eq(mo_contact_tracker_validate(s.merging), MO_OK);
      failures += result != MO_OK;
    }
    mo_contact_tracker *fresh = tracker_of(s.scene, true);
    mo_contact_events expected = update(fresh);
    cr_assert(same_tracked(&events, &expected));
    mo_contact_tracker_destroy(fresh);
  }
  cr_assert_gt(failures, 10);
  mo_contact_tracker_stats stats;
  mo_scene_stats of_scene;
  cr_assert_eq(mo_contact_tracker_get_stats(s.merging, &stats), MO_OK);
  cr_assert_eq(mo_scene_get_stats(s.scene, &of_scene), MO_OK);
  cr_assert_eq(stats.bytes + of_scene.bytes, counter.outstanding_bytes);
  mo_contact_tracker_destroy(s.merging);
  mo_scene_destroy(s.scene);
  cr_assert(counting_allocator_is_clean(&counter));
}
