/* Bodies that reach into grounds: where they are, and what the oracle knows about them. */
#ifndef TEST_CONTACT_BENT_PLACES_H
#define TEST_CONTACT_BENT_PLACES_H

#include <criterion/criterion.h>
#include <motte/contact_tracker.h>

#include "contact/bent_bodies.h"
#include "contact/grounds.h"

enum { MAX_OVERLAPPING = 12 };

/* A ground in a scene. */
typedef struct place {
  ground ground;
  surface surface;
  mo_scene *scene, *tracked;
  mo_shape_id id, tracked_id;
  mo_contact_tracker *tracker;
  bool edges;
  mo_aabb extent; /* of the mesh in its own frame */
} place;

typedef struct pose {
  bent_body body;
  mo_transform map;
  polytope core, outer; /* in the world */
  uint32_t near[SURFACE_MAX], near_count;
  ldouble depth; /* of the overlap with one triangle, the greatest */
  nearest_pair nearest;
  bool pierced;
  uint32_t overlapping[MAX_OVERLAPPING], overlapping_count; /* some triangles that overlap */
} pose;

static inline mo_scene *scene_with(const ground *g, bool edges, mo_shape_id *id) {
  mo_mesh_def def = test_mesh_def(&g->mesh);
  def.build.edges = edges;
  mo_mesh *built = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = built;
  shape.transform = g->map;
  cr_assert_eq(mo_scene_add_shape(scene, &shape, id), MO_OK);
  mo_mesh_release(built);
  return scene;
}

static inline place place_make(ground g, bool edges) {
  place p = {.ground = g, .edges = edges};
  p.surface = surface_make(&g.mesh, &g.map);
  p.scene = scene_with(&g, edges, &p.id);
  p.tracked = scene_with(&g, edges, &p.tracked_id);
  cr_assert_eq(mo_contact_tracker_create(p.tracked, NULL, &p.tracker), MO_OK);
  p.extent = test_mesh_bounds(&g.mesh);
  return p;
}

/* Writes the contacts of a geometry at a place, of which there must be no more than `capacity`;
 * returns how many there are. */
static inline uint32_t place_contacts(const place *at, const mo_geometry *geometry,
                                      const mo_transform *map, mo_contact *contacts,
                                      uint32_t capacity) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  uint32_t total;
  def.primitive = mo_primitive_of_geometry(geometry, map);
  cr_assert_eq(mo_scene_collide_shape(at->scene, &def, contacts, capacity, &total, NULL), MO_OK);
  cr_assert_leq(total, capacity);
  return total;
}

static inline void place_free(place *p) {
  mo_contact_tracker_destroy(p->tracker);
  mo_scene_destroy(p->tracked);
  mo_scene_destroy(p->scene);
  surface_free(&p->surface);
}

/* What the oracle knows about a pose. */
static inline void examine(const place *at, pose *p) {
  p->core = polytope_mapped(&p->body.core, &p->map);
  p->outer = polytope_mapped(&p->body.outer, &p->map);
  mo_aabb box = polytope_bounds(&p->core, p->body.rounding);
  p->near_count = surface_near(&at->surface, &box, p->near);
  p->depth = -INFINITY;
  p->nearest = (nearest_pair){.distance = INFINITY};
  p->pierced = false;
  p->overlapping_count = 0;
  for (uint32_t i = 0; i < p->near_count; i++) {
    const ldvec *t = at->surface.corners[p->near[i]];
    ldouble depth = body_depth(&p->body, &p->core, t);
    p->depth = fmaxl(p->depth, depth);
    if (depth > 0 && p->overlapping_count < MAX_OVERLAPPING) {
      p->overlapping[p->overlapping_count++] = p->near[i];
    }
    if (p->core.vertex_count <= 2) {
      polytope_nearest(&p->core, t, &p->nearest);
      p->pierced = p->pierced || polytope_meets(&p->core, t);
    }
  }
}

/* Of positions in floats, and of what is computed from them. */
static inline ldouble noise(const pose *p) {
  mo_vec3 o = p->map.origin;
  float far = fmaxf(fabsf(o.x), fmaxf(fabsf(o.y), fabsf(o.z)));
  return 2e-5L * p->body.diameter + 1e-6L * (far + p->body.diameter);
}

static inline ldvec unit_normal(const ldvec t[3], bool *exists) {
  ldvec n = cross_of(ld_sub(t[1], t[0]), ld_sub(t[2], t[0]));
  ldouble length = ld_norm(n);
  *exists = length > 0;
  return *exists ? ld_scale(1 / length, n) : (ldvec){0, 0, 0};
}

/* How far the body has to be moved along some directions until it overlaps nothing; INFINITY: by
 * more than its size. */
static inline void clearances(const place *at, const pose *p, const ldvec *ways, uint32_t count,
                              ldouble *clearance) {
  find_clearances(&p->outer, &at->surface, ways, count, p->body.diameter, clearance);
}

static inline ldvec in_ground_frame(const ground *g, ldvec p) {
  ldvec d = ld_sub(p, ld_float(g->map.origin));
  ldvec x = ld_float(g->map.x_axis), y = ld_float(g->map.y_axis), z = ld_float(g->map.z_axis);
  return (ldvec){ld_dot(d, x) / ld_dot(x, x), ld_dot(d, y) / ld_dot(y, y),
                 ld_dot(d, z) / ld_dot(z, z)};
}

/* Whether an open ground continues on all sides of the body. */
static inline bool is_within(const place *at, const pose *p) {
  const ground *g = &at->ground;
  if (!g->open) {
    return false;
  }
  for (uint32_t i = 0; i < p->outer.vertex_count; i++) {
    ldvec v = in_ground_frame(g, p->outer.vertices[i]);
    if (v.x < at->extent.lower.x + 0.8L || v.x > at->extent.upper.x - 0.8L ||
        v.z < at->extent.lower.z + 0.8L || v.z > at->extent.upper.z - 0.8L) {
      return false;
    }
  }
  return true;
}

/* The centre of a body: of a hull, whose origin may be anywhere, the centroid. */
static inline ldvec center_of(const pose *p) {
  if (p->body.geometry.type != MO_SHAPE_HULL) {
    return ld_float(p->map.origin);
  }
  mo_hull_info info;
  cr_assert_eq(mo_hull_get_info(p->body.geometry.hull, &info), MO_OK);
  return ld_float(mo_transform_point(&p->map, info.centroid));
}

/* Whether the centre of the body is above an open ground, or where there is none. */
static inline bool is_above(const place *at, const pose *p) {
  const ground *g = &at->ground;
  ldvec c = in_ground_frame(g, center_of(p));
  for (uint32_t i = 0; i < g->mesh.triangle_count; i++) {
    mo_vec3 corners[3];
    test_mesh_corners(&g->mesh, i, corners);
    ldvec t[3] = {ld_float(corners[0]), ld_float(corners[1]), ld_float(corners[2])};
    ldvec n = cross_of(ld_sub(t[1], t[0]), ld_sub(t[2], t[0]));
    if (fabsl(n.y) < 1e-9L) {
      continue;
    }
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
      ldvec e = ld_sub(t[(k + 1) % 3], t[k]), d = ld_sub(c, t[k]);
      ldouble side = e.x * d.z - e.z * d.x;
      left += side >= 0;
      right += side <= 0;
    }
    if ((left == 3 || right == 3) && ld_dot(ld_sub(c, t[0]), n) / n.y <= 0) {
      return false;
    }
  }
  return true;
}

static inline mo_quat turn(mo_vec3 axis, float angle) {
  float s = steady_sine(0.5f * angle);
  return (mo_quat){s * axis.x, s * axis.y, s * axis.z, steady_cosine(0.5f * angle)};
}

static inline mo_quat product(mo_quat a, mo_quat b) {
  return (mo_quat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* Takes the y axis to `n`. */
static inline mo_quat upright_on(ldvec n) {
  mo_quat q = {(float)n.z, 0, (float)-n.x, (float)(1 + n.y)};
  return n.y < -0.999L ? (mo_quat){1, 0, 0, 0} : q;
}

static inline float power_between(rng *r, float low, float high) {
  return steady_power10(rng_float(r, low, high));
}

/* Any rotation; or one axis upright on a triangle, but for a small tilt. */
static inline mo_quat random_rotation(rng *r, ldvec normal) {
  if (rng_chance(r, 0.35)) {
    return rng_rotation(r);
  }
  mo_quat q = turn((mo_vec3){0, 1, 0}, rng_float(r, 0, 6.2831853f));
  if (rng_chance(r, 0.25)) {
    q = product(q, turn((mo_vec3){0, 0, 1}, 1.5707963f));
  }
  q = product(rng_chance(r, 0.7) ? upright_on(normal) : (mo_quat){0, 0, 0, 1}, q);
  if (rng_chance(r, 0.5)) {
    mo_vec3 axis = rng_direction(r);
    q = product(turn(axis, power_between(r, -5, -0.5f)), q);
  }
  return q;
}

static inline ldvec random_point_of_triangle(rng *r, const ldvec t[3]) {
  float w[3] = {rng_float(r, 0, 1), rng_float(r, 0, 1), rng_float(r, 0, 1)};
  if (rng_chance(r, 0.4)) {
    w[rng_below(r, 3)] = 0;
  }
  if (rng_chance(r, 0.2)) {
    w[rng_below(r, 3)] = 1e4f;
  }
  ldvec p = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    p = ld_add(p, ld_scale(w[k] / ((ldouble)w[0] + w[1] + w[2]), t[k]));
  }
  return p;
}

static inline void place_at(pose *p, ldvec at) {
  p->map.origin = (mo_vec3){(float)at.x, (float)at.y, (float)at.z};
}

/* A body that reaches a little into the surface, near a random triangle. */
static inline void random_pose(const place *at, body_kind kind, rng *r, pose *p) {
  float size = at->ground.spacing * power_between(r, -1, 1);
  uint32_t triangle;
  bool exists = false;
  ldvec n = {0, 0, 0};
  while (!exists) {
    triangle = rng_below(r, at->surface.count);
    n = unit_normal(at->surface.corners[triangle], &exists);
  }
  ldvec up = ld_float(at->ground.up);
  if (at->ground.open ? ld_dot(n, up) < 0 : rng_chance(r, 0.5)) {
    n = ld_scale(-1, n);
  }
  ldvec way = n;
  if (rng_chance(r, 0.5)) {
    float off = rng_float(r, 0, 0.8f);
    way = unit_of(ld_add(n, ld_scale(off, ld_float(rng_direction(r)))));
  }
  p->body = bent_body_make(kind, size, r);
  p->map = mo_transform_make((mo_vec3){0, 0, 0}, random_rotation(r, n), p->body.scale);
  ldvec foot = random_point_of_triangle(r, at->surface.corners[triangle]);
  polytope turned = polytope_mapped(&p->body.core, &p->map);
  ldouble low, high;
  range_along(turned.vertices, turned.vertex_count, way, &low, &high);
  ldouble depth = p->body.diameter * power_between(r, -4, -0.5f);
  if (kind != BODY_BALL && rng_chance(r, 0.5)) { /* beside the body's middle */
    float aside = rng_float(r, 0, 0.5f);
    ldvec d = ld_float(rng_direction(r));
    d = ld_sub(d, ld_scale(ld_dot(d, n), n));
    foot = ld_add(foot, ld_scale(aside * p->body.diameter, d));
  }
  ldvec origin = ld_add(foot, ld_scale(p->body.rounding - low - depth, way));
  place_at(p, origin);
  if (kind != BODY_BALL && rng_chance(r, 0.7)) { /* as deep at the deepest place */
    ldouble clearance;
    p->outer = polytope_mapped(&p->body.outer, &p->map);
    clearances(at, p, &way, 1, &clearance);
    if (clearance < INFINITY) {
      place_at(p, ld_add(origin, ld_scale(clearance - depth, way)));
    }
  }
}

#endif
