/* Bodies on the triangles of a flat floor have one contact, as on a half-space, whatever the
 * triangulation; its points stay the same ones while the body slides over the triangles. */
#include <motte/contact_tracker.h>
#include <stdio.h>
#include <string.h>

#include "contact/floors.h"
#include "contact/tracking.h"

enum { MAX = 64, TRIANGLES = 2 * FLOOR_SIDE * FLOOR_SIDE };

static mo_contact contacts[MAX];
static uint32_t total;

static mo_scene *scene_of(const test_mesh *mesh, const uint32_t *user_data, mo_shape_id *ground) {
  const mo_transform identity = mo_transform_identity();
  return surface_scene(mesh, user_data, &identity, ground);
}

static void collide_with(const mo_scene *scene, const mo_primitive *p) {
  total = collide_all(scene, p, contacts, MAX);
}

static mo_geometry random_kind(rng *r) {
  mo_geometry kinds[] = {
      box_of(0.5f, 0.3f, 0.4f),   sphere_of(mo_vec(0, 0, 0), 0.4f),
      capsule_of(0.6f, 0.3f),     cylinder_of(0.3f, 0.5f),
      hull_of(TEST_HULL_CUBE),    hull_of(TEST_HULL_STONE),
      box_of(0.05f, 0.3f, 0.05f), box_of(2, 0.3f, 1.5f),
      box_of(0.6f, 0.02f, 0.6f),  hull_of(TEST_HULL_PRISM),
  };
  mo_geometry g = kinds[rng_below(r, sizeof kinds / sizeof *kinds)];
  g.rounding = g.type == MO_SHAPE_BOX && rng_chance(r, 0.3) ? 0.1f : 0;
  return g;
}

/* A place and a rotation about the vertical, or a little tilted, or any; such that the lowest point
 * is at the height. */
static mo_primitive placed_at_height(mo_geometry g, double height, rng *r) {
  mo_quat q = turned(mo_vec(0, 1, 0), (double)rng_float(r, 0, 6.28f));
  if (rng_chance(r, 0.3)) {
    q = rng_rotation(r);
  } else if (rng_chance(r, 0.5)) {
    q = turned(rng_direction(r), (double)rng_float(r, 0, 0.1f));
  }
  mo_vec3 at = rng_vec3(r, -2, 2);
  mo_primitive p = placed(g, mo_vec(at.x, 0, at.z), q);
  mo_primitive below = mo_primitive_of_half_space(mo_vec(0, 1, 0), -100);
  mo_primitive_distance d;
  cr_assert_eq(mo_primitive_find_distance(&below, &p, INFINITY, &d), MO_OK);
  p.transform.origin.y = (float)(100 - d.distance + height);
  return p;
}

static const char *text_of(const mo_manifold *m, int which) {
  static char text[2][400];
  int at = snprintf(text[which], sizeof *text, "%s", m->touching ? "touching" : "apart");
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    at += snprintf(text[which] + at, sizeof *text - (size_t)at, ", %llx: %g %g %g; %g",
                   (unsigned long long)p->id, (double)p->position.x, (double)p->position.y,
                   (double)p->position.z, (double)p->separation);
  }
  return text[which];
}

/* Whether a point is one that is fixed to the rim of a cylinder. */
static bool is_fixed_to_rim(const mo_manifold_point *p) {
  return p->id >> 62 == MO_FEATURE_VERTEX && (p->id >> 32 & 7) < 4;
}

/* While a cylinder is tilted by one to five degrees, one point of its rim moves out to the deepest
 * one. On a triangle, it is less deep than the rim by up to 1/128 of the thickness (0.6); and where
 * an edge crosses the rim at a corner of the polygon on it, that may be a point as well. The others
 * are those on the half-space. */
static bool is_as_on_half_space(const mo_manifold *m, const mo_manifold *expected) {
  const float later = min_separation(m) - min_separation(expected);
  bool same = m->point_count > 0 && later >= -1e-6f && later <= 0.6f / 128;
  for (uint32_t i = 0; i < expected->point_count && same && m->point_count < 4; i++) {
    same =
        !is_fixed_to_rim(&expected->points[i]) || has_point(m, expected->points[i].position, 1e-6);
  }
  return same;
}

Test(flat, one_contact_as_on_a_half_space) {
  rng r = rng_make(rng_seed("flat", 208));
  mo_transform identity = mo_transform_identity();
  mo_primitive plane = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  for (uint64_t i = 0; i < rng_rounds(1000, 50000); i++) {
    mo_geometry g = random_kind(&r);
    mo_primitive p = placed_at_height(g, (double)rng_float(&r, -0.015f, 0.03f), &r);
    mo_manifold expected = collide(p, plane);
    collide_with(scene, &p);
    const bool is_cylinder = g.type == MO_SHAPE_CYLINDER;
    cr_assert(total == (expected.point_count > 0) ||
                  (is_cylinder && total == 0 && min_separation(&expected) > 0.02f - 0.6f / 128),
              "round %d, kind %d: %u contacts, %u points", (int)i, (int)g.type, total,
              expected.point_count);
    if (total == 0) {
      continue;
    }
    const mo_manifold *m = &contacts[0].manifold;
    cr_assert(apart(m->normal, expected.normal) <= 1e-6);
    bool same = m->point_count == expected.point_count && m->touching == expected.touching;
    for (uint32_t k = 0; k < m->point_count && same; k++) {
      const mo_manifold_point *a = &m->points[k], *b = &expected.points[k];
      same = apart(a->position, b->position) <= 1e-6 && a->id == b->id &&
             fabsf(a->separation - b->separation) <= 1e-6f;
    }
    same = same || (is_cylinder && is_as_on_half_space(m, &expected));
    cr_assert(same, "round %d, kind %d: %s, not %s", (int)i, (int)g.type, text_of(m, 0),
              text_of(&expected, 1));
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* As a tracker sees a box that slides and turns over the triangles: one contact, the same four
 * points all the time. */
Test(flat, points_are_kept_while_a_box_slides) {
  rng r = rng_make(rng_seed("flat slide", 209));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_shape_id ground, box;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_BOX);
  def.geometry = box_of(0.6f, 0.2f, 0.4f);
  def.transform.origin = mo_vec(-4, 0.198f, 0.1f);
  cr_assert_eq(mo_scene_add_shape(scene, &def, &box), MO_OK);
  mo_contact_tracker *tracker;
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  uint32_t lowest = MO_NO_TRIANGLE, changes = 0;
  for (int i = 0; i < 400; i++) {
    mo_vec3 at = mo_vec(-4 + 0.02f * (float)i, 0.198f, 0.1f);
    mo_transform map = mo_transform_make(at, turned(mo_vec(0, 1, 0), 0.1 * i), mo_vec(1, 1, 1));
    cr_assert_eq(mo_scene_set_transform(scene, box, &map), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_events events;
    cr_assert_eq(mo_contact_tracker_update(tracker, &events), MO_OK);
    cr_assert_eq(events.contact_count, 1, "step %d: %u", i, events.contact_count);
    mo_tracked_contact *c = &events.contacts[0];
    cr_assert_eq(c->contact.manifold.point_count, 4);
    cr_assert_eq(c->kept, i == 0 ? 0 : 15, "step %d: %x", i, c->kept);
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t corner = (uint32_t)(c->contact.manifold.points[k].id >> 32) & 7;
      corner = c->contact.a.index == ground.index ? (uint32_t)c->contact.manifold.points[k].id & 7
                                                  : corner;
      cr_assert(i == 0 || c->memory[k].values[0] == (float)(1 + corner));
      c->memory[k].values[0] = (float)(1 + corner);
    }
    changes += c->contact.triangle_a != lowest;
    lowest = c->contact.triangle_a;
  }
  cr_assert(changes > 5, "%u", changes);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* Cylinders that all but touch the floor at one point of their rim: the triangle below that point
 * has no contact beside the one of the plane. */
Test(flat, rims_that_just_touch_have_one_contact) {
  rng r = rng_make(rng_seed("flat rims", 211));
  mo_transform identity = mo_transform_identity();
  mo_primitive plane = mo_primitive_of_half_space(mo_vec(0, 1, 0), 0);
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  for (int i = 0; i < 2000; i++) {
    const double tilt = (double)rng_float(&r, 0.01f, 0.1f),
                 around = (double)rng_float(&r, 0, 6.28f);
    const mo_vec3 axis = mo_vec((float)cos(around), 0, (float)sin(around));
    mo_primitive p = placed(cylinder_of(0.3f, 0.5f), rng_vec3(&r, -2, 2), turned(axis, tilt));
    /* the lowest point of the rim, 1e-6 to 1e-4 below the floor */
    const double low = 0.3 * cos(tilt) + 0.5 * sin(tilt);
    p.transform.origin.y = (float)(low - pow(10, (double)rng_float(&r, -6, -4)));
    collide_with(scene, &p);
    cr_assert_eq(total, 1, "round %d: %u contacts", i, total);
    const mo_manifold expected = collide(p, plane);
    cr_assert_float_eq(min_separation(&contacts[0].manifold), min_separation(&expected), 1e-6);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* A thin plate stands through a floor beside the border, parallel to an edge: the triangles between
 * that edge and the border are out of its reach. It is out of the floor once it has been moved over
 * the border, and its contacts are no more than twice as deep. */
Test(flat, plates_beside_triangles_out_of_reach) {
  enum { CORNERS = 5 };
  /* on a line, the edge; beyond it, the border */
  const mo_vec3 at[CORNERS] = {{-4, 0, 0}, {0, 0, 0}, {4, 0, 0}, {0, 0, 8}, {0, 0, -0.3f}};
  test_mesh mesh = {0};
  test_mesh_add_corners(&mesh, at[0], at[3], at[1]);
  test_mesh_add_corners(&mesh, at[1], at[3], at[2]);
  test_mesh_add_corners(&mesh, at[0], at[1], at[4]);
  test_mesh_add_corners(&mesh, at[1], at[2], at[4]);
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  for (int i = 1; i <= 20; i++) {
    const float beside = 0.05f * (float)i, thickness = 0.02f;
    const mo_primitive plate =
        placed(box_of(0.5f, 2, thickness), mo_vec(0, 1, beside), turned(mo_vec(0, 1, 0), 0));
    const float way_out = beside + 0.3f + thickness;
    collide_with(scene, &plate);
    cr_assert(total > 0);
    for (uint32_t k = 0; k < total; k++) {
      cr_assert_geq(min_separation(&contacts[k].manifold), -2.02f * way_out, "%g beside: %g",
                    (double)beside, (double)min_separation(&contacts[k].manifold));
    }
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* Whether a box as the first shape has a point at a corner: not where an edge of it crosses another
 * one nearby. */
static bool has_corner(const mo_manifold *m, mo_vec3 place) {
  bool found = false;
  for (uint32_t i = 0; i < m->point_count; i++) {
    found = found || (m->points[i].id >> 62 == MO_FEATURE_VERTEX &&
                      apart(m->points[i].position, place) <= 1e-3);
  }
  return found;
}

/* Whether a place is on a triangle of the floor of some material: cells that are not convex overlap
 * with others. */
static bool is_over(const test_mesh *mesh, const uint32_t *user_data, uint32_t material,
                    mo_vec3 place) {
  bool over = false;
  for (uint32_t i = 0; i < mesh->triangle_count; i++) {
    mo_vec3 c[3];
    test_mesh_corners(mesh, i, c);
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
      const mo_vec3 e = mo_sub(c[(k + 1) % 3], c[k]), to = mo_sub(place, c[k]);
      const float side = e.x * to.z - e.z * to.x;
      left += side >= -1e-6f;
      right += side <= 1e-6f;
    }
    over = over || (user_data[i] == material && (left == 3 || right == 3));
  }
  return over;
}

/* Triangles of two materials: two contacts, each with user data of its own; together they have
 * most corners of the box, each with the material below it. */
Test(flat, materials_stay_apart) {
  rng r = rng_make(rng_seed("flat materials", 210));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  static uint32_t user_data[TRIANGLES];
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    const uint32_t *corner = &mesh.indices[3 * i];
    float x =
        mesh.positions[corner[0]].x + mesh.positions[corner[1]].x + mesh.positions[corner[2]].x;
    user_data[i] = x < 0 ? 3 : 4;
  }
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, user_data, &ground);
  for (int i = 0; i < 200; i++) {
    mo_quat q = turned(mo_vec(0, 1, 0), (double)rng_float(&r, 0, 6.28f));
    mo_primitive box = placed(box_of(1.5f, 0.3f, 1), mo_vec(0, 0.29f, 0), q);
    collide_with(scene, &box);
    cr_assert_eq(total, 2);
    cr_assert_eq(contacts[0].triangle_user_data_b + contacts[1].triangle_user_data_b, 7);
    int found = 0;
    for (int k = 0; k < 4; k++) {
      mo_vec3 corner = mo_transform_point(
          &box.transform, mo_vec(k & 1 ? 1.5f : -1.5f, -0.295f, k & 2 ? 1.0f : -1.0f));
      int times = 0;
      for (int side = 0; side < 2; side++) {
        const bool has = has_corner(&contacts[side].manifold, corner);
        cr_assert(!has || is_over(&mesh, user_data, contacts[side].triangle_user_data_b, corner));
        times += has;
      }
      found += times > 0;
    }
    cr_assert(found >= 3, "round %d: %d", i, found);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* A box on more triangles than are taken together has few contacts, and points near its corners. */
Test(flat, box_on_very_many_triangles) {
  enum { CELLS = 60 };
  test_mesh mesh = {0};
  for (int i = 0; i < CELLS * CELLS; i++) {
    float x = (float)(i % CELLS), z = (float)(i / CELLS);
    mo_vec3 c[4] = {{x, 0, z}, {x + 1, 0, z}, {x + 1, 0, z + 1}, {x, 0, z + 1}};
    test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    test_mesh_add_corners(&mesh, c[0], c[2], c[3]);
  }
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  mo_primitive box =
      placed(box_of(25, 1, 20), mo_vec(30.3f, 0.99f, 30.1f), turned(mo_vec(0, 1, 0), 0.3));
  collide_with(scene, &box);
  cr_assert(total > 0 && total <= 4, "%u", total);
  for (int k = 0; k < 4; k++) {
    mo_vec3 corner =
        mo_transform_point(&box.transform, mo_vec(k & 1 ? 25 : -25, -0.995f, k & 2 ? 20 : -20));
    bool found = false;
    for (uint32_t i = 0; i < total; i++) {
      cr_assert_eq(contacts[i].manifold.point_count, 4);
      found = found || has_point(&contacts[i].manifold, corner, 2.5);
    }
    cr_assert(found, "corner %d", k);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* The contact with a scene against that with the half-space y <= 0. */
static void expect_half_space(const mo_scene *scene, const mo_primitive *p) {
  mo_manifold expected = collide(*p, mo_primitive_of_half_space(mo_vec(0, 1, 0), 0));
  collide_with(scene, p);
  cr_assert(total == 1 && contacts[0].manifold.point_count == expected.point_count, "%u contacts",
            total);
  cr_assert(farthest_of(&contacts[0].manifold, &expected) <= 1e-5);
}

/* 300 triangles round a vertex, and small ones that end on the side of a large one. */
Test(flat, fans_and_t_junctions) {
  enum { BLADES = 300 };
  test_mesh fan = {0}, junction = {0};
  for (int i = 0; i < BLADES; i++) {
    double angle = 2 * 3.14159265358979 * i / BLADES,
           next = 2 * 3.14159265358979 * (i + 1) / BLADES;
    test_mesh_add_corners(&fan, mo_vec(0, 0, 0),
                          mo_vec((float)(2 * cos(angle)), 0, (float)(2 * sin(angle))),
                          mo_vec((float)(2 * cos(next)), 0, (float)(2 * sin(next))));
  }
  test_mesh_add_corners(&junction, mo_vec(0, 0, -2), mo_vec(0, 0, 2), mo_vec(4, 0, 0));
  for (int i = 0; i < 7; i++) {
    float z = (float)i * 4 / 7 - 2;
    test_mesh_add_corners(&junction, mo_vec(0, 0, z), mo_vec(0, 0, z + 4.0f / 7), mo_vec(-4, 0, 0));
  }
  rng r = rng_make(rng_seed("flat fans", 213));
  mo_shape_id ground;
  mo_scene *scenes[2] = {scene_of(&fan, NULL, &ground), scene_of(&junction, NULL, &ground)};
  for (int i = 0; i < 200; i++) {
    mo_geometry kinds[] = {box_of(0.5f, 0.3f, 0.4f), sphere_of(mo_vec(0, 0, 0), 0.3f),
                           capsule_of(0.4f, 0.3f), cylinder_of(0.3f, 0.5f)};
    float x = rng_float(&r, -0.3f, 0.3f), z = rng_float(&r, -0.3f, 0.3f);
    mo_vec3 at = mo_vec(x, 0.29f, z);
    mo_primitive p =
        placed(kinds[i % 4], at, turned(mo_vec(0, 1, 0), (double)rng_float(&r, 0, 6.28f)));
    for (int k = 0; k < 2; k++) {
      expect_half_space(scenes[k], &p);
    }
  }
  mo_scene_destroy(scenes[0]);
  mo_scene_destroy(scenes[1]);
  test_mesh_free(&fan);
  test_mesh_free(&junction);
}

/* A plate of a kilometre, a box or a hull, rests on small triangles wherever these are. */
Test(flat, kilometre_on_small_triangles) {
  rng r = rng_make(rng_seed("flat kilometre", 214));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  mo_geometry kinds[2] = {box_of(500, 1, 500), hull_of(TEST_HULL_CUBE)};
  for (int i = 0; i < 20; i++) {
    mo_vec3 at = mo_vec(rng_float(&r, -340, 340), 0.99f, rng_float(&r, -340, 340));
    mo_transform map =
        mo_transform_make(at, turned(mo_vec(0, 1, 0), (double)rng_float(&r, 0, 6.28f)),
                          i % 2 ? mo_vec(500, 1, 500) : mo_vec(1, 1, 1));
    mo_primitive plate = mo_primitive_of_geometry(&kinds[i % 2], &map);
    collide_with(scene, &plate);
    cr_assert(total >= 1 && total <= 2, "%u contacts", total);
    mo_vec3 lower = {INFINITY, 0, INFINITY}, upper = {-INFINITY, 0, -INFINITY};
    for (uint32_t k = 0; k < total; k++) {
      const mo_manifold *m = &contacts[k].manifold;
      cr_assert(apart(m->normal, mo_vec(0, -1, 0)) <= 1e-4);
      for (uint32_t n = 0; n < m->point_count; n++) {
        lower = mo_vec(fminf(lower.x, m->points[n].position.x), 0,
                       fminf(lower.z, m->points[n].position.z));
        upper = mo_vec(fmaxf(upper.x, m->points[n].position.x), 0,
                       fmaxf(upper.z, m->points[n].position.z));
        cr_assert(fabsf(m->points[n].separation + 0.01f) <= 1e-3f);
      }
    }
    cr_assert(upper.x - lower.x > 10 && upper.z - lower.z > 10);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* 100 km from the origin, as far as floats there can say it: the same points, seen from the body.
 */
Test(flat, far_away_as_at_the_origin) {
  rng r = rng_make(rng_seed("flat far", 216));
  mo_transform identity = mo_transform_identity();
  test_mesh mesh = floor_mesh(&r, &identity);
  const mo_vec3 away = {98304, 0, -98304};
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  for (int i = 0; i < 100; i++) {
    mo_primitive p = placed_at_height(random_kind(&r), -0.01, &r);
    p.transform.origin.x = roundf(64 * p.transform.origin.x) / 64;
    p.transform.origin.z = roundf(64 * p.transform.origin.z) / 64;
    mo_transform floor_at = identity;
    cr_assert_eq(mo_scene_set_transform(scene, ground, &floor_at), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    collide_with(scene, &p);
    cr_assert_eq(total, 1);
    const mo_contact here = contacts[0];
    floor_at.origin = away;
    p.transform.origin = mo_add(p.transform.origin, away);
    cr_assert_eq(mo_scene_set_transform(scene, ground, &floor_at), MO_OK);
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    collide_with(scene, &p);
    const mo_manifold *m = &contacts[0].manifold, *n = &here.manifold;
    cr_assert(total == 1 && m->point_count == n->point_count);
    cr_assert_eq(contacts[0].triangle_b, here.triangle_b);
    for (uint32_t k = 0; k < m->point_count; k++) {
      cr_assert(m->points[k].id == n->points[k].id &&
                apart(m->points[k].anchor_a, n->points[k].anchor_a) <= 1e-6 &&
                fabsf(m->points[k].separation - n->points[k].separation) <= 1e-6f);
    }
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

/* The contacts of a pair, which have to be sorted, with points that differ. */
static void collide_pair(const mo_scene *scene, mo_pair pair, uint32_t capacity) {
  mo_collide_def def = mo_default_collide_def();
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, contacts, capacity, &total), MO_OK);
  cr_assert(total <= MAX, "%u", total);
  for (uint32_t i = 0; i < total && i < capacity; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    cr_assert(i == 0 || contacts[i - 1].triangle_a < contacts[i].triangle_a ||
              contacts[i - 1].triangle_b < contacts[i].triangle_b);
    cr_assert(m->point_count > 0 && m->point_count <= MO_MAX_MANIFOLD_POINTS);
    cr_assert(m->touching == (min_separation(m) <= 0) && min_separation(m) <= 0.0201f);
    for (uint32_t k = 0; k < m->point_count; k++) {
      for (uint32_t n = 0; n < k; n++) {
        cr_assert_neq(m->points[k].id, m->points[n].id);
      }
    }
  }
}

/* On meshes of all kinds: nearly the same with body and mesh exchanged, and the first ones where
 * there is room for some. */
Test(flat, exchanged_and_cut_off) {
  rng r = rng_make(rng_seed("flat exchanged", 215));
  static mo_contact first[MAX];
  uint32_t compared = 0, differ = 0, merged = 0;
  for (int kind = 0; kind < TEST_MESH_KIND_COUNT; kind++) {
    test_mesh mesh = test_mesh_make((test_mesh_kind)kind, 16, &r);
    mo_shape_id ground, body;
    mo_scene *scene = scene_of(&mesh, NULL, &ground);
    for (uint64_t i = 0; i < rng_rounds(15, 1000) && mesh.vertex_count > 0; i++) {
      mo_geometry g = random_kind(&r);
      mo_shape_def def = mo_default_shape_def(g.type);
      def.geometry = g;
      mo_vec3 at = mesh.positions[rng_below(&r, mesh.vertex_count)];
      if (!(mo_max_magnitude(at) < 1e3f)) {
        continue;
      }
      def.transform = mo_transform_make(mo_add(at, rng_vec3(&r, -0.4f, 0.4f)), rng_rotation(&r),
                                        mo_vec(1, 1, 1));
      cr_assert_eq(mo_scene_add_shape(scene, &def, &body), MO_OK);
      mo_collide_def any = mo_default_collide_def();
      uint32_t count;
      cr_assert_eq(mo_scene_collide_pair(scene, &(mo_pair){ground, body}, &any, NULL, 0, &count),
                   MO_OK);
      if (count > 0 && count <= MAX) {
        collide_pair(scene, (mo_pair){ground, body}, MAX);
        cr_assert_eq(total, count);
        memcpy(first, contacts, sizeof first);
        uint32_t capacity = rng_below(&r, count + 1);
        collide_pair(scene, (mo_pair){ground, body}, capacity);
        for (uint32_t k = 0; k < capacity; k++) {
          cr_assert(contacts[k].triangle_a == first[k].triangle_a &&
                    contacts[k].manifold.points[0].id == first[k].manifold.points[0].id);
        }
        collide_pair(scene, (mo_pair){body, ground}, MAX);
        compared++;
        bool same = total == count;
        for (uint32_t k = 0; k < total && same; k++) {
          const mo_manifold *m = &contacts[k].manifold, *n = &first[k].manifold;
          same = contacts[k].triangle_b == first[k].triangle_a &&
                 m->point_count == n->point_count && farthest_of(m, n) <= 1e-4;
          merged += m->point_count > 0 && (uint32_t)m->points[0].id >> 30 == MO_FEATURE_FACE;
        }
        differ += !same;
      }
      cr_assert_eq(mo_scene_remove_shape(scene, body), MO_OK);
    }
    mo_scene_destroy(scene);
    test_mesh_free(&mesh);
  }
  cr_assert(compared > 100 && merged > 100 && differ <= compared / 10, "%u of %u, %u", differ,
            compared, merged);
}

/* What is tilted by as little as some millionths of a radian lies on one triangle, which is larger
 * or smaller than it: the normal is that of the triangle, to a millionth. */
Test(flat, normals_are_those_of_the_triangle) {
  const mo_geometry bodies[] = {box_of(0.5f, 0.5f, 0.5f), hull_of(TEST_HULL_CUBE),
                                cylinder_of(0.5f, 0.5f)};
  const float feet[] = {0.5f, 1, 0.5f}, sizes[] = {9, 0.1f};
  for (int size = 0; size < 2; size++) {
    const float s = sizes[size];
    test_mesh mesh = {0};
    test_mesh_add_corners(&mesh, mo_vec(-s, 0, -s), mo_vec(0, 0, s), mo_vec(s, 0, -s));
    mo_shape_id ground;
    mo_scene *scene = scene_of(&mesh, NULL, &ground);
    test_mesh_free(&mesh);
    for (int i = 0; i < 3 * 40; i++) {
      const double tilt = 5e-7 * (i / 3 - 20);
      for (int axis = 0; axis < 2; axis++) {
        const mo_primitive p = placed(bodies[i % 3], mo_vec(0.1f, feet[i % 3] - 0.001f, 0),
                                      turned(mo_vec((float)axis, 0, (float)(1 - axis)), tilt));
        collide_with(scene, &p);
        cr_assert_eq(total, 1);
        const mo_vec3 n = contacts[0].manifold.normal;
        cr_assert(fabsf(n.x) < 1.1e-6f && fabsf(n.z) < 1.1e-6f, "body %d, tilt %g: %g %g %g", i % 3,
                  tilt, (double)n.x, (double)n.y, (double)n.z);
      }
    }
    mo_scene_destroy(scene);
  }
}

/* A box at the border of a sheet, and its centre beside it. It touches both sides of the sheet: of
 * the triangles on one of them, those below its corners have only flat edges, and all others have
 * contacts over the border. */
Test(flat, contacts_name_their_triangles) {
  enum { COLUMNS = 3, ROWS = 6 };
  test_mesh mesh = {0};
  for (int k = 0; k < ROWS; k++) {
    for (int i = 0; i < COLUMNS; i++) {
      mo_vec3 c[4]; /* the diagonals alternate */
      for (int corner = 0; corner < 4; corner++) {
        c[corner] = mo_vec((float)(i + (corner & 1)), 0, 1.1f * (float)(k - 1 + corner / 2));
      }
      const bool is_odd = (i + k) % 2 == 1;
      test_mesh_add_corners(&mesh, c[0], c[2], is_odd ? c[3] : c[1]);
      test_mesh_add_corners(&mesh, is_odd ? c[0] : c[3], is_odd ? c[3] : c[1],
                            is_odd ? c[1] : c[2]);
    }
  }
  mo_shape_id ground;
  mo_scene *scene = scene_of(&mesh, NULL, &ground);
  const mo_quat turn = {0.700996f, -0.429724f, -0.567996f, 0.036345f};
  const mo_primitive box = placed(box_of(0.84f, 1.04f, 1.08f), mo_vec(-0.56f, -0.08f, 2.78f), turn);
  collide_with(scene, &box);
  cr_assert_geq(total, 3);
  for (uint32_t i = 0; i < total; i++) {
    cr_assert_lt(contacts[i].triangle_b, 2 * COLUMNS * ROWS, "contact %u names triangle %u", i,
                 contacts[i].triangle_b);
  }
  mo_scene_destroy(scene);
  test_mesh_free(&mesh);
}

static void ignore(mo_log_level level, const char *message, void *context) {
  (void)level;
  (void)message;
  (void)context;
}

/* Where the surface is level, the contacts of single triangles are found only to be logged. So a
 * tracker that logs its rules and one that does not find the same contacts in two ways. */
Test(flat, contacts_do_not_depend_on_the_log) {
  enum { BODIES = 40, LOGGED = 2 };
  rng r = rng_make(rng_seed("flat/log", 211));
  mo_host host = mo_default_host();
  host.log = ignore;
  uint32_t touching = 0;
  for (uint64_t round = 0; round < rng_rounds(60, 3000); round++) {
    const mo_vec3 scale = mo_vec(rng_chance(&r, 0.2) ? -1 : 1, 1, rng_float(&r, 0.5f, 1.5f));
    const mo_transform map = mo_transform_make(mo_vec(0, 0, 0), (mo_quat){0, 0, 0, 1}, scale);
    const mo_transform identity = mo_transform_identity();
    test_mesh mesh = floor_mesh(&r, &identity);
    mo_mesh_def mesh_def = test_mesh_def(&mesh);
    mesh_def.build.edges = true;
    mo_shape_def floor = mo_default_shape_def(MO_SHAPE_MESH);
    cr_assert_eq(mo_mesh_create(&mesh_def, &floor.geometry.mesh), MO_OK);
    mo_scene *scene = scene_with(&host);
    mo_shape_id id;
    floor.transform = map;
    floor.category = 1;
    cr_assert_eq(mo_scene_add_shape(scene, &floor, &id), MO_OK);
    for (int i = 0; i < BODIES; i++) {
      const double height = (double)rng_float(&r, rng_chance(&r, 0.2) ? -0.5f : -0.03f, 0.03f);
      const mo_primitive p = placed_at_height(random_kind(&r), height, &r);
      mo_shape_def body = mo_default_shape_def(p.geometry.type);
      body.geometry = p.geometry;
      body.transform = p.transform;
      body.category = LOGGED;
      body.mask = 1;
      body.motion = MO_MOTION_DYNAMIC;
      cr_assert_eq(mo_scene_add_shape(scene, &body, &id), MO_OK);
    }
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    mo_contact_tracker *trackers[2];
    mo_contact_events events[2];
    for (int k = 0; k < 2; k++) {
      mo_contact_tracker_def def = mo_default_contact_tracker_def();
      def.log_categories = k == 0 ? LOGGED : 0;
      def.cull_back_faces = round % 2 == 1;
      cr_assert_eq(mo_contact_tracker_create(scene, &def, &trackers[k]), MO_OK);
      events[k] = update(trackers[k]);
    }
    cr_assert_eq(events[0].contact_count, events[1].contact_count, "round %u", (unsigned)round);
    for (uint32_t i = 0; i < events[0].contact_count; i++) {
      cr_assert(same_contact(&events[0].contacts[i].contact, &events[1].contacts[i].contact),
                "round %u: %s, not %s", (unsigned)round,
                text_of(&events[1].contacts[i].contact.manifold, 0),
                text_of(&events[0].contacts[i].contact.manifold, 1));
      touching += events[0].contacts[i].touching;
    }
    mo_contact_tracker_destroy(trackers[0]);
    mo_contact_tracker_destroy(trackers[1]);
    mo_scene_destroy(scene);
    mo_mesh_release(floor.geometry.mesh);
    test_mesh_free(&mesh);
  }
  cr_assert_gt(touching, 1000);
}
