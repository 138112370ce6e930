/* Casts of a mesh at a body at rest.
 *
 * Without rotation, the body moves in the opposite way relative to the mesh, so triangles are
 * culled as in a cast of the body at the mesh. If the mesh rotates, the body moves along a curve in
 * the frame that moves with the mesh. That curve is cut into parts of equal time. In each part, the
 * body is a box around its pose in the middle, enlarged by how far it moves until the ends of the
 * part. The exact test is always that of a moving triangle and the body, in the world. */
#include "geometry/cast/rotating.h"
#include "mesh/cast/cast.h"
#include "mesh/overlap/overlap.h"

/* Into how many parts the path of a rotating mesh is cut. */
enum { PATH_PARTS = 16 };

/* The opposite of the movement of a mesh that rotates, for the body at rest. */
typedef struct opposite_path {
  mo_moving_body rotating_body; /* the body, with the opposite rotation */
  mo_dvec3 displacement;        /* of the mesh */
  double margin;                /* by which the boxes of all parts are enlarged */
} opposite_path;

/* At a contact, the point of the body is no farther from the axis than the mesh reaches; it gets
 * away from the axis only by the displacement. */
static opposite_path opposite_path_of(const mo_moving_mesh_cast *search) {
  const mo_moving_body *whole = &search->cast->body;
  opposite_path path = {.rotating_body = mo_still_body(search->still),
                        .displacement = mo_widen(whole->displacement)};
  mo_movement_rotation opposite = whole->rotation;
  opposite.angle = -opposite.angle;
  mo_moving_body_set_rotation(&path.rotating_body, &opposite);
  const double length = mo_dlength(path.displacement),
               reach = whole->rotation.reach + whole->rotation.round_radius,
               speed = length + fabs(opposite.angle) * (reach + length / PATH_PARTS),
               coordinates = mo_rotating_coordinate_magnitude(whole, path.rotating_body.bounds),
               sizes =
                   mo_sum_of_extents(whole->bounds) + mo_sum_of_extents(path.rotating_body.bounds);
  path.margin = 0.5 / PATH_PARTS * speed * (1.0 + 0x1p-40) +
                2.0 * mo_relative_culling_margin(whole) * (sizes + coordinates);
  return path;
}

/* The box of the body in a part of the path around the time `middle`. */
static mo_aabb box_of_path_part(const opposite_path *path, double middle) {
  const mo_body body = mo_body_at(&path->rotating_body, middle);
  const mo_aabb box = mo_body_bounds(&body);
  const mo_dvec3 by =
      mo_rotate_at(&path->rotating_body.rotation, middle, mo_dscale(-middle, path->displacement));
  const mo_dvec3 margin = {path->margin, path->margin, path->margin};
  return mo_aabb_clamped(mo_aabb_around(mo_dsub(mo_dadd(mo_widen(box.lower), by), margin),
                                        mo_dadd(mo_dadd(mo_widen(box.upper), by), margin)));
}

/* The search for the contact of a rotating mesh. A triangle may be near the body in several parts
 * of the path; the last ones that were tested are not tested again. */
typedef struct rotating_search {
  mo_mesh_cast *query;
  uint32_t tested[256]; /* triangles tested last, by the lowest bits of their indices */
} rotating_search;

static bool test_triangle(uint32_t triangle, void *search) {
  rotating_search *s = search;
  mo_mesh_cast *q = s->query;
  mo_vec3 corners[3];
  if (s->tested[triangle & 255] == triangle) {
    return true;
  }
  s->tested[triangle & 255] = triangle;
  mo_mesh_corners(q->mesh, triangle, corners);
  mo_mesh_cast_test(corners, triangle, q);
  return q->limit >= 0.0;
}

static void test_triangles_in_box(rotating_search *s, mo_aabb box, mo_query_stats *stats) {
  const mo_mesh_cast *q = s->query;
  const mo_region region = {.kind = MO_REGION_BOX, .box = box};
  mo_mesh_overlap overlap;
  mo_mesh_overlap_init(&overlap, &region, q->affine, stats);
  overlap.report = test_triangle;
  overlap.context = s;
  mo_mesh_overlap_run(q->mesh, q->mesh->isa, &overlap);
}

/* Tests the triangles of a rotating mesh, in the order of the times at which they may be touched. A
 * half-space has no box, so all triangles are tested. */
static void cast_rotating(mo_mesh_cast *q, mo_query_stats *stats) {
  static const mo_aabb all = {{-MO_MAX_COORDINATE, -MO_MAX_COORDINATE, -MO_MAX_COORDINATE},
                              {MO_MAX_COORDINATE, MO_MAX_COORDINATE, MO_MAX_COORDINATE}};
  rotating_search search = {.query = q};
  memset(search.tested, 0xff, sizeof search.tested);
  if (q->cast_with_roles_exchanged->still->kind == MO_BODY_HALF_SPACE) {
    test_triangles_in_box(&search, all, stats);
    return;
  }
  const opposite_path path = opposite_path_of(q->cast_with_roles_exchanged);
  for (int part = 0; part < PATH_PARTS && (double)part / PATH_PARTS <= q->limit; part++) {
    test_triangles_in_box(&search, box_of_path_part(&path, ((double)part + 0.5) / PATH_PARTS),
                          stats);
  }
}

/* The cast of the body at the mesh, in the opposite way. */
static mo_cast opposite_cast(const mo_moving_mesh_cast *search) {
  const mo_cast *cast = search->cast;
  const mo_movement movement = {.displacement = mo_scale(-1.0f, cast->body.displacement)};
  mo_cast opposite = {.goal = cast->goal == MO_CAST_ANY ? MO_CAST_ANY : MO_CAST_FIRST,
                      .options = cast->options};
  const mo_result result = mo_moving_body_make(&opposite.body, search->still, &movement, NULL);
  (void)result; /* a checked displacement is legal in both ways */
  return opposite;
}

mo_moving_mesh_contact mo_moving_mesh_cast_find(const mo_moving_mesh_cast *search, float max_t,
                                                double min_depth, mo_query_stats *stats) {
  const mo_cast *cast = search->cast;
  mo_cast opposite = opposite_cast(search);
  const mo_shape_id no_shape = {0};
  mo_mesh_cast query;
  if (cast->body.rotates) {
    mo_mesh_cast_init_unculled(&query, cast->mesh, &opposite, &cast->affine, no_shape, max_t);
  } else {
    mo_mesh_cast_init(&query, cast->mesh, &opposite, &cast->affine, no_shape, max_t);
  }
  query.cast_with_roles_exchanged = search;
  query.min_depth = min_depth;
  if (cast->body.rotates) {
    cast_rotating(&query, stats);
    stats->distance_count += query.depth_count;
  } else {
    mo_mesh_cast_find(&query, cast->mesh->isa, stats);
  }
  mo_moving_mesh_contact own = {.contact = query.contact, .triangle = query.triangle};
  if (own.triangle == MO_NO_TRIANGLE) {
    own.contact.t = INFINITY;
  }
  return own;
}
