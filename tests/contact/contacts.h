/* Primitives and manifolds for tests of contacts. */
#ifndef TEST_CONTACT_CONTACTS_H
#define TEST_CONTACT_CONTACTS_H

#include <criterion/criterion.h>
#include <motte/contact.h>
#include <motte/continuous.h>

#include "oracle/primitive.h"
#include "support/hulls.h"

static inline mo_geometry sphere_of(mo_vec3 center, float radius) {
  return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {center, radius}};
}

static inline mo_geometry box_of(float x, float y, float z) {
  return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {x, y, z}}};
}

static inline mo_geometry capsule_of(float half, float radius) {
  return (mo_geometry){.type = MO_SHAPE_CAPSULE, .capsule = {{-half, 0, 0}, {half, 0, 0}, radius}};
}

/* Along y. */
static inline mo_geometry cylinder_of(float half, float radius) {
  return (mo_geometry){.type = MO_SHAPE_CYLINDER,
                       .cylinder = {{0, -half, 0}, {0, half, 0}, radius}};
}

static inline mo_geometry hull_of(test_hull_kind kind) {
  return (mo_geometry){.type = MO_SHAPE_HULL, .hull = test_hull(kind)};
}

/* A solid of any kind, rounded or not, of about one. */
static inline mo_geometry random_geometry(rng *r) {
  mo_geometry g = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, 0.5f}};
  mo_vec3 half = rng_vec3(r, 0.1f, 1), center = rng_vec3(r, -0.3f, 0.3f);
  float radius = rng_float(r, 0.1f, 0.7f);
  mo_vec3 end = mo_add(center, mo_scale(rng_float(r, 0.2f, 2), rng_direction(r)));
  switch (rng_below(r, 6)) {
  case 0:
    g.sphere = (mo_sphere){center, radius};
    break;
  case 1:
    g.type = MO_SHAPE_BOX;
    g.box = (mo_box){center, half};
    break;
  case 2:
    g.type = MO_SHAPE_CAPSULE;
    g.capsule = (mo_capsule){center, end, radius};
    break;
  case 3:
    g.type = MO_SHAPE_CYLINDER;
    g.cylinder = (mo_cylinder){center, end, radius};
    break;
  case 4:
    g.type = MO_SHAPE_CONE;
    g.cone = (mo_cone){center, end, radius};
    break;
  default:
    g.type = MO_SHAPE_HULL;
    g.hull = test_hull_random(r);
  }
  g.rounding = rng_chance(r, 0.25) ? rng_float(r, 0, 0.3f) : 0;
  return g;
}

static inline mo_primitive placed(mo_geometry g, mo_vec3 origin, mo_quat rotation) {
  mo_transform map = mo_transform_make(origin, rotation, mo_vec(1, 1, 1));
  return mo_primitive_of_geometry(&g, &map);
}

static inline mo_primitive moved(mo_geometry g, float x, float y, float z) {
  return placed(g, mo_vec(x, y, z), (mo_quat){0, 0, 0, 1});
}

/* About an axis of unit length. */
static inline mo_quat turned(mo_vec3 axis, double angle) {
  float s = (float)sin(0.5 * angle);
  return (mo_quat){s * axis.x, s * axis.y, s * axis.z, (float)cos(0.5 * angle)};
}

static inline mo_manifold collide_within(const mo_primitive *a, const mo_primitive *b,
                                         float distance) {
  mo_collide_def def = mo_default_collide_def();
  def.speculative_distance = distance;
  mo_manifold m;
  cr_assert_eq(mo_collide(a, b, &def, &m), MO_OK);
  cr_assert(m.point_count <= MO_MAX_MANIFOLD_POINTS);
  return m;
}

static inline mo_manifold collide(mo_primitive a, mo_primitive b) {
  return collide_within(&a, &b, 0.02f);
}

static inline float min_separation(const mo_manifold *m) {
  float min = INFINITY;
  for (uint32_t i = 0; i < m->point_count; i++) {
    min = fminf(min, m->points[i].separation);
  }
  return min;
}

static inline double apart(mo_vec3 a, mo_vec3 b) {
  return (double)ld_norm(ld_sub(ld_float(a), ld_float(b)));
}

/* Whether a manifold has a point near a place. */
static inline bool has_point(const mo_manifold *m, mo_vec3 place, double tolerance) {
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (apart(m->points[i].position, place) <= tolerance) {
      return true;
    }
  }
  return false;
}

/* How far the points of a manifold are from the nearest of another one, at most. */
static inline double farthest_of(const mo_manifold *of, const mo_manifold *from) {
  double max = 0;
  for (uint32_t i = 0; i < of->point_count; i++) {
    double nearest = INFINITY;
    for (uint32_t k = 0; k < from->point_count; k++) {
      nearest = fmin(nearest, apart(of->points[i].position, from->points[k].position));
    }
    max = fmax(max, nearest);
  }
  return max;
}

/* At a time of their movements. */
static inline double distance_at(mo_primitive a, const mo_movement *of_a, mo_primitive b,
                                 const mo_movement *of_b, float t) {
  mo_primitive_distance d;
  cr_assert_eq(mo_movement_transform(of_a, t, &a.transform, &a.transform), MO_OK);
  cr_assert_eq(mo_movement_transform(of_b, t, &b.transform, &b.transform), MO_OK);
  cr_assert_eq(mo_primitive_find_distance(&a, &b, (double)INFINITY, &d), MO_OK);
  return d.distance;
}

#endif
