/* Makes moving shapes from shapes of a scene, and tests a mover against another shape: finds their
 * impact, or the times of their first and last touch. Convex shapes are tested as two bodies,
 * a mesh triangle by triangle, two meshes by pairs of triangles: those that a sweep of both finds,
 * or if that finds too many, each triangle of the mover along its path; a compound child by
 * child. */
#include "contact/impact/impact.h"

#include "geometry/cast/approach.h"
#include "mesh/pair/sweep.h"
#include "query/solid.h"
#include "scene/shapes/shape.h"

/* Sets the kind of a shape, and its body; for a mesh or compound the body is a box around it.
 * Returns false for a mesh without triangles, and a compound without children in range. */
static bool set_kind_and_body(mo_impact_shape *made, mo_body *body, const mo_scene *scene) {
  const mo_shape *shape = mo_tested_shape(scene, made->slot, made->child);
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH: {
    made->kind = MO_IMPACT_OF_MESH;
    made->mesh = shape->geometry.mesh;
    const bool is_empty = mo_aabb_is_empty(made->mesh->bounds);
    const mo_aabb origin = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    *body = mo_body_of_aabb(is_empty ? origin : mo_mesh_image_bounds(made->mesh, &shape->affine));
    return !is_empty;
  }
  case MO_SHAPE_COMPOUND: {
    made->kind = MO_IMPACT_OF_COMPOUND;
    mo_aabb box = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    const bool has_children = !mo_aabb_is_empty(shape->geometry.compound->bounds) &&
                              mo_geometry_bounds(&shape->geometry, &shape->affine, &box) == MO_OK;
    *body = mo_body_of_aabb(box);
    return has_children;
  }
    MO_CASES_OF_BODIES {
      made->kind = MO_IMPACT_OF_BODY;
      *body = mo_tested_body(scene, made->slot, made->child);
      return true;
    }
  }
  __builtin_unreachable();
}

bool mo_impact_shape_make(mo_impact_shape *made, const mo_scene *scene, uint32_t slot,
                          const mo_placed_child *child, const mo_movement *movement,
                          const mo_impact_rules *rules, const mo_refusal *refusal,
                          mo_result *result) {
  made->slot = slot;
  made->child = child;
  made->affine = &mo_tested_shape(scene, slot, child)->affine;
  made->movement = movement;
  mo_body body;
  const bool has_points = set_kind_and_body(made, &body, scene);
  if (movement == NULL) {
    made->body.whole = mo_still_body(&body);
    *result = MO_OK;
  } else {
    *result = mo_moving_body_make(&made->body.whole, &body, movement, refusal);
  }
  if (*result != MO_OK || !has_points) {
    return false;
  }
  made->body.has_core = false;
  switch (made->kind) {
  case MO_IMPACT_OF_BODY:
    if (rules != NULL) {
      mo_impact_body_set_core(&made->body, rules->core_scale);
    }
    return true;
  case MO_IMPACT_OF_MESH:     /* bodies of its triangles are made when the triangles are tested */
  case MO_IMPACT_OF_COMPOUND: /* those of its children, when they are tested */
    return true;
  }
  __builtin_unreachable();
}

mo_aabb mo_impact_swept_box(const mo_impact_rules *rules, const mo_moving_body *moving) {
  const mo_dvec3 by = mo_widen(moving->displacement), none = {0.0, 0.0, 0.0};
  const double margin = mo_impact_margin(rules, moving, 0.0);
  const mo_dvec3 out = {margin, margin, margin};
  return mo_aabb_around(
      mo_dsub(mo_dadd(mo_widen(moving->bounds.lower), mo_dvec_min(by, none)), out),
      mo_dadd(mo_dadd(mo_widen(moving->bounds.upper), mo_dvec_max(by, none)), out));
}

/* Keeps an impact if it is the best so far. The first shape of `impact` is the one with the lower
 * slot; if that is not the mover, normal and features are swapped. */
static void keep_if_better(mo_impact_finder *f, const mo_time_of_impact *impact, uint32_t other,
                           uint32_t triangle, uint32_t other_triangle) {
  float t = mo_round_down(impact->t);
  bool better = t != f->t                                ? t < f->t
                : other != f->other                      ? other < f->other
                : f->tested_child_numbers[0] != f->child ? f->tested_child_numbers[0] < f->child
                : f->tested_child_numbers[1] != f->other_child
                    ? f->tested_child_numbers[1] < f->other_child
                : triangle != f->triangle ? triangle < f->triangle
                                          : other_triangle < f->other_triangle;
  if (!better) {
    return;
  }
  f->t = t;
  f->limit = fmin(nextafterf(t, INFINITY), 1.0);
  f->other = other;
  f->child = f->tested_child_numbers[0];
  f->other_child = f->tested_child_numbers[1];
  f->triangle = triangle;
  f->other_triangle = other_triangle;
  f->found = *impact;
  if (other < f->mover->slot) {
    f->found.normal = mo_dscale(-1.0, impact->normal);
    f->found.feature[0] = impact->feature[1];
    f->found.feature[1] = impact->feature[0];
  }
}

/* Whether the other shape touches the back of a triangle; false if `triangle` is MO_NO_TRIANGLE.
 * `side`: which of the two shapes the mesh is. */
static bool touches_back_face(const mo_impact_shape *mesh, uint32_t triangle, int side,
                              const mo_time_of_impact *impact) {
  if (triangle == MO_NO_TRIANGLE) {
    return false;
  }
  const mo_moving_body *moving = &mesh->body.whole;
  mo_dvec3 normal = mo_widen(mo_mesh_world_normal(mesh->mesh, triangle, mesh->affine));
  mo_dvec3 out = mo_dscale(side == 0 ? 1.0 : -1.0, impact->normal);
  return mo_ddot(mo_rotate_at(&moving->rotation, impact->t, normal), out) < 0.0;
}

/* Tests two bodies: the mover and another shape, or triangles of theirs. The first is of the shape
 * with the lower slot. In a search for crossings, extends the time interval in which both shapes
 * touch by the interval in which the bodies do. */
static void test_two_bodies(mo_impact_finder *f, const mo_impact_shape *const shape[2],
                            const mo_impact_body *const body[2], const uint32_t triangle[2]) {
  f->stats->pair_count++;
  if (f->crossings != NULL) {
    const mo_time_of_touch touch = mo_find_time_of_touch(body[0], body[1]);
    f->stats->distance_count += touch.distance_count;
    f->touch_times.enter = fmin(f->touch_times.enter, touch.enter);
    f->touch_times.leave = fmax(f->touch_times.leave, touch.leave);
    return;
  }
  const mo_time_of_impact found = mo_find_time_of_impact(body[0], body[1], &f->rules, f->limit);
  f->stats->distance_count += found.distance_count;
  const int mover = shape[0] == f->mover ? 0 : 1;
  if (found.t <= f->limit &&
      !(f->search->cull_back_faces && (touches_back_face(shape[0], triangle[0], 0, &found) ||
                                       touches_back_face(shape[1], triangle[1], 1, &found)))) {
    keep_if_better(f, &found, shape[mover ^ 1]->slot, triangle[mover], triangle[mover ^ 1]);
  }
}

/* --- triangles of meshes --- */

/* Sets up culling of a mesh that does not rotate. `volumes`: memory for those around the body. */
static void set_culling_by_path(const mo_impact_triangles *q, const mo_moving_body *moving,
                                mo_bounding_volumes *volumes, mo_swept_culling *culling) {
  const mo_moving_body *mesh = &q->mesh->body.whole;
  const mo_dvec3 displacement =
      mo_dsub(mo_widen(moving->displacement), mo_widen(mesh->displacement));
  const double margin =
      mo_impact_margin(&q->finder->rules, moving, mo_moving_coordinate_magnitude(mesh)) +
      mo_impact_coarse_tolerance(mesh, moving);
  if (moving->rotates) {
    mo_bounding_volumes_make_of_bounds(volumes, moving->bounds);
  } else { /* bodies at rest and cores come without these two */
    const mo_box_body box = mo_box_body_of(&moving->body);
    const mo_bounding_capsule capsule = mo_bounding_capsule_of(&moving->body);
    mo_bounding_volumes_make(volumes, &moving->body, &box, &capsule, displacement);
  }
  mo_swept_culling_set(culling, q->mesh->mesh, q->mesh->affine, moving->bounds, displacement,
                       volumes, margin);
}

/* Makes the path for culling a mesh by a half-space: heights of the mesh above the plane at t = 0,
 * and an upper bound of the speed of approach. */
static mo_plane_path make_plane_path(const mo_impact_triangles *q) {
  const mo_moving_body *mesh = &q->mesh->body.whole, *half_space = &q->other->whole;
  mo_plane_path path =
      mo_plane_path_of(&half_space->body.half_space, q->mesh->affine, q->mesh->mesh->reach);
  path.offset -=
      mo_impact_margin(&q->finder->rules, mesh, mo_moving_coordinate_magnitude(half_space));
  mo_approach approach;
  mo_approach_init(&approach, half_space, mesh, 1.0);
  path.speed = approach.speed * (1.0 + 0x1p-40);
  return path;
}

static void test_triangles(mo_impact_triangles *q) {
  const mo_isa isa = q->finder->isa;
  q->culls_by_plane = q->other->whole.body.kind == MO_BODY_HALF_SPACE;
  if (q->culls_by_plane) {
    q->plane = make_plane_path(q);
    mo_impact_visit_triangles_by_isa[isa](q);
    return;
  }
  if (q->slices != NULL) {
    mo_slice_boxes_make(q->slices, &q->other->whole, &q->boxes);
    mo_impact_visit_triangles_by_isa[isa](q);
    return;
  }
  mo_bounding_volumes volumes, core_volumes;
  set_culling_by_path(q, &q->other->whole, &volumes, &q->culling);
  q->culls_by_core = q->other->has_core && q->finder->rules.core_scale < 1.0;
  if (q->culls_by_core) {
    set_culling_by_path(q, &q->other->core, &core_volumes, &q->core_culling);
  }
  mo_impact_visit_triangles_by_isa[isa](q);
}

static void make_triangle_body(mo_impact_body *made, const mo_impact_shape *mesh,
                               const mo_vec3 corners[3]) {
  const mo_moving_body *moving = &mesh->body.whole;
  mo_dvec3 world[3];
  mo_relative_corners(mesh->affine, corners, mo_dvec(0.0, 0.0, 0.0), world);
  const mo_body body = mo_body_of_triangle(world);
  made->whole = mo_still_body(&body);
  made->whole.displacement = moving->displacement;
  if (moving->rotates) {
    mo_moving_body_set_rotation(&made->whole, &moving->rotation);
  }
  mo_impact_body_set_core(made, 1.0);
}

/* --- two meshes --- */

struct mo_impact_mesh_pair {
  mo_impact_finder *finder;
  const mo_impact_shape *mesh[2]; /* the mesh with the lower slot first */
  int mover;                      /* which of the two is the mover */
  /* The moving bodies of the triangles that were tested last; MO_NO_TRIANGLE: none. */
  uint32_t triangle[2];
  mo_impact_body body[2];
  /* For culling in the other mesh by a triangle of the mover; null if no mesh rotates. */
  const mo_sliced_motion *slices;
};

static void set_triangle(mo_impact_mesh_pair *p, int side, uint32_t triangle) {
  if (triangle != p->triangle[side]) {
    mo_vec3 corners[3];
    p->triangle[side] = triangle;
    mo_mesh_corners(p->mesh[side]->mesh, triangle, corners);
    make_triangle_body(&p->body[side], p->mesh[side], corners);
  }
}

static void test_triangle_pair(uint32_t a, uint32_t b, void *context) {
  mo_impact_mesh_pair *p = context;
  set_triangle(p, 0, a);
  set_triangle(p, 1, b);
  const mo_impact_body *const body[2] = {&p->body[0], &p->body[1]};
  test_two_bodies(p->finder, p->mesh, body, p->triangle);
}

/* Visits triangles of mesh `side`. Of the mover: those near the other mesh. Of the other mesh:
 * those near the path of the mover's triangle that set_triangle has chosen. */
static void visit_triangles(mo_impact_mesh_pair *p, int side, const mo_sliced_motion *slices) {
  const bool is_mover = side == p->mover;
  mo_impact_triangles q = {.finder = p->finder,
                           .mesh = p->mesh[side],
                           .partner = p->mesh[side ^ 1],
                           .other = is_mover ? &p->mesh[side ^ 1]->body : &p->body[side ^ 1],
                           .slices = slices,
                           .pair = p};
  test_triangles(&q);
}

/* Tests a triangle of the mover against the other mesh, or a triangle of that mesh against the
 * mover's triangle that set_triangle has chosen. */
static void test_triangle_of_meshes(const mo_impact_triangles *q, uint32_t triangle) {
  mo_impact_mesh_pair *p = q->pair;
  if (q->mesh == p->mesh[p->mover]) {
    set_triangle(p, p->mover, triangle);
    visit_triangles(p, p->mover ^ 1, p->slices);
  } else if (p->mover == 0) {
    test_triangle_pair(p->triangle[0], triangle, p);
  } else {
    test_triangle_pair(triangle, p->triangle[1], p);
  }
}

/* Tests each pair of triangles at most once: each triangle of the mover that comes near the other
 * mesh visits those along its path. */
static void test_along_paths(mo_impact_mesh_pair *p) {
  const mo_impact_shape *mover = p->mesh[p->mover], *other = p->mesh[p->mover ^ 1];
  mo_sliced_motion of_mover, of_other;
  const bool rotates = mover->body.whole.rotates || other->body.whole.rotates;
  if (rotates) {
    mo_sliced_motion_init(&of_mover, &p->finder->rules, mover, &other->body.whole);
    mo_sliced_motion_init(&of_other, &p->finder->rules, other, &mover->body.whole);
    p->slices = &of_other;
  }
  visit_triangles(p, p->mover, rotates ? &of_mover : NULL);
}

/* Sweeps both meshes, testing at most as many pairs as they have triangles. Returns whether that
 * was enough. */
static bool sweep_pairs(mo_impact_mesh_pair *p) {
  mo_impact_finder *f = p->finder;
  const mo_impact_shape *a = p->mesh[0], *b = p->mesh[1];
  const mo_moving_body *first = &a->body.whole, *second = &b->body.whole;
  const mo_mesh_sweep sweep = {
      .mesh = {a->mesh, b->mesh},
      .affine = {a->affine, b->affine},
      .moving = {first, second},
      .margin = mo_impact_margin(&f->rules, first, mo_moving_coordinate_magnitude(second)) +
                mo_impact_coarse_tolerance(first, second),
      .limit = &f->limit,
      .max_tests = (uint64_t)a->mesh->triangle_count + b->mesh->triangle_count,
      .test = test_triangle_pair,
      .context = p,
      .stats = f->stats};
  return mo_mesh_sweep_find(&sweep, f->isa) >= 1.0;
}

/* A sweep is cheapest if few pairs come close before the impact. It tests pairs that stay close
 * again and again; so if there are many, it is given up. For a crossing all pairs count that ever
 * touch, until the end of the step. */
void mo_impact_test_meshes(mo_impact_finder *f, const mo_impact_shape *other) {
  const int mover = f->mover->slot < other->slot ? 0 : 1;
  mo_impact_mesh_pair pair = {
      .finder = f, .mover = mover, .triangle = {MO_NO_TRIANGLE, MO_NO_TRIANGLE}};
  pair.mesh[mover] = f->mover;
  pair.mesh[mover ^ 1] = other;
  if (f->crossings != NULL || !sweep_pairs(&pair)) {
    test_along_paths(&pair);
  }
}

/* --- bodies --- */

void mo_impact_test_triangle(const mo_vec3 corners[3], uint32_t triangle, void *triangles) {
  const mo_impact_triangles *q = triangles;
  if (q->pair != NULL) {
    test_triangle_of_meshes(q, triangle);
    return;
  }
  mo_impact_body own;
  make_triangle_body(&own, q->mesh, corners);
  const int side = q->mesh->slot < q->partner->slot ? 0 : 1;
  const mo_impact_shape *const shape[2] = {side == 0 ? q->mesh : q->partner,
                                           side == 0 ? q->partner : q->mesh};
  const mo_impact_body *const body[2] = {side == 0 ? &own : q->other, side == 0 ? q->other : &own};
  const uint32_t triangles_of_both[2] = {side == 0 ? triangle : MO_NO_TRIANGLE,
                                         side == 0 ? MO_NO_TRIANGLE : triangle};
  test_two_bodies(q->finder, shape, body, triangles_of_both);
}

static void test_bodies(mo_impact_finder *f, const mo_impact_shape *other) {
  const bool in_order = f->mover->slot < other->slot;
  const mo_impact_shape *const shape[2] = {in_order ? f->mover : other,
                                           in_order ? other : f->mover};
  const mo_impact_body *const body[2] = {&shape[0]->body, &shape[1]->body};
  const uint32_t none[2] = {MO_NO_TRIANGLE, MO_NO_TRIANGLE};
  test_two_bodies(f, shape, body, none);
}

static void test_mesh(mo_impact_finder *f, const mo_impact_shape *mesh,
                      const mo_impact_shape *shape) {
  mo_impact_triangles q = {.finder = f, .mesh = mesh, .partner = shape, .other = &shape->body};
  mo_sliced_motion slices;
  if (mesh->body.whole.rotates && shape->body.whole.body.kind != MO_BODY_HALF_SPACE) {
    mo_sliced_motion_init(&slices, &f->rules, mesh, &shape->body.whole);
    q.slices = &slices;
  }
  test_triangles(&q);
}

/* --- compounds --- */

typedef struct children_visit {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  mo_impact_finder *finder;
  const mo_impact_shape *compound, *partner;
  mo_aabb partner_swept_box; /* box around the path of the partner */
} children_visit;

static bool test_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  const children_visit *v = query;
  mo_impact_finder *f = v->finder;
  mo_impact_shape own;
  mo_result result;
  if (!mo_impact_shape_make(&own, f->scene, child->slot, child, v->compound->movement, &f->rules,
                            NULL, &result) ||
      !mo_aabb_overlap(mo_impact_swept_box(&f->rules, &own.body.whole), v->partner_swept_box)) {
    return true;
  }
  if (v->compound == f->mover) {
    f->mover = &own;
    mo_impact_test_shape(f, v->partner);
    f->mover = v->compound;
  } else {
    mo_impact_test_shape(f, &own);
  }
  return true;
}

/* Tests each child near the path of the partner; one of the two is the mover. Children, and the
 * compounds on their paths, must pass the filter of the partner's shape in the scene. */
static void test_children(mo_impact_finder *f, const mo_impact_shape *compound,
                          const mo_impact_shape *partner) {
  const mo_filter filter = mo_filter_of_shape(&f->scene->shapes[partner->slot]);
  const double limit = 0.0;
  children_visit v = {{.box = mo_aabb_infinite()},
                      f,
                      compound,
                      partner,
                      mo_impact_swept_box(&f->rules, &partner->body.whole)};
  if (compound->movement == NULL) {
    v.region.box =
        mo_aabb_grown(v.partner_swept_box, mo_impact_margin(&f->rules, &compound->body.whole, 0.0));
  }
  const mo_child_visitor visitor = {
      mo_child_region_keys, &limit, test_child, &v, &filter, NULL, f->stats};
  mo_visit_children(f->scene, compound->slot, &visitor);
}

/* Tests the mover against another shape, both no compounds. */
static void test_pair(mo_impact_finder *f, const mo_impact_shape *other) {
  f->stats->shape_count++;
  f->tested_child_numbers[0] = mo_child_number(f->mover->child);
  f->tested_child_numbers[1] = mo_child_number(other->child);
  const bool other_is_mesh = other->kind == MO_IMPACT_OF_MESH;
  switch (f->mover->kind) {
  case MO_IMPACT_OF_MESH:
    if (other_is_mesh) {
      mo_impact_test_meshes(f, other);
    } else {
      test_mesh(f, f->mover, other);
    }
    return;
  case MO_IMPACT_OF_BODY:
    if (other_is_mesh) {
      test_mesh(f, other, f->mover);
    } else {
      test_bodies(f, other);
    }
    return;
  case MO_IMPACT_OF_COMPOUND:
    break;
  }
  __builtin_unreachable();
}

void mo_impact_test_shape(mo_impact_finder *f, const mo_impact_shape *other) {
  if (f->mover->kind == MO_IMPACT_OF_COMPOUND) {
    test_children(f, f->mover, other);
  } else if (other->kind == MO_IMPACT_OF_COMPOUND) {
    test_children(f, other, f->mover);
  } else if ((f->mover->child == NULL && other->child == NULL) ||
             mo_impact_children_may_touch(f, other)) {
    test_pair(f, other);
  }
}
