/* Casts of a moving ball, convex body or mesh against a mesh: setup of a query, the test of one
 * triangle, and the data of a contact. */
#include "geometry/cast/rotating.h"
#include "geometry/triangle/triangle.h"
#include "mesh/cast/cast.h"

/* Sets up culling by the path of a ball or body, or by the plane of a half-space. */
static void init_culling(mo_mesh_cast *query) {
  const mo_moving_body *moving = &query->cast->body;
  const mo_mesh *mesh = query->mesh;
  const mo_affine *affine = query->affine;
  const mo_moving_ball *ball = &query->cast->ball;
  if (query->cast->is_ball) {
    mo_swept_culling_set(&query->culling, mesh, affine, mo_aabb_empty(),
                         mo_widen(ball->displacement), &query->cast->volumes, 0.0);
    return;
  }
  const mo_aabb image = mo_mesh_bounds_in_world(mesh, affine);
  query->culls_by_plane = moving->body.kind == MO_BODY_HALF_SPACE;
  if (query->culls_by_plane) {
    query->plane = mo_moving_plane_path(moving, affine, mesh->reach, image);
    return;
  }
  const mo_dvec3 extents = mo_dsub(mo_widen(moving->bounds.upper), mo_widen(moving->bounds.lower));
  const mo_dvec3 reach = mo_widen(mo_aabb_max_coordinates_or_zero(image));
  const double early =
      mo_relative_culling_margin(moving) *
      (0.5 * (extents.x + extents.y + extents.z) + 2.0 * (reach.x + reach.y + reach.z));
  mo_swept_culling_set(&query->culling, mesh, affine, moving->bounds,
                       mo_widen(moving->displacement), &query->cast->volumes, early);
}

void mo_mesh_cast_init_unculled(mo_mesh_cast *query, const mo_mesh *mesh, const mo_cast *cast,
                                const mo_affine *affine, mo_shape_id shape, float max_t) {
  *query = (mo_mesh_cast){
      .cast = cast,
      .mesh = mesh,
      .affine = affine,
      .shape = shape,
      .t = max_t,
      .distance = INFINITY,
      .triangle = MO_NO_TRIANGLE,
      .own_triangle = MO_NO_TRIANGLE,
      .limit = mo_cast_unrounded_limit(max_t),
      .min_depth = -INFINITY,
  };
}

void mo_mesh_cast_init(mo_mesh_cast *query, const mo_mesh *mesh, mo_cast *cast,
                       const mo_affine *affine, mo_shape_id shape, float max_t) {
  mo_mesh_cast_init_unculled(query, mesh, cast, affine, shape, max_t);
  mo_cast_set_culling(cast);
  init_culling(query);
}

void mo_mesh_cast_find(mo_mesh_cast *query, mo_isa isa, mo_query_stats *stats) {
  mo_convex_contact met;
  query->last_contact = &met;
  query->stats = stats;
  mo_mesh_cast_visit_by_isa[isa](query, stats);
  query->last_contact = NULL;
  stats->distance_count += query->cast->is_ball ? 0 : query->depth_count;
}

static mo_moving_body moving_triangle(const mo_cast *cast, const mo_body *triangle) {
  mo_moving_body moving;
  const mo_result result = mo_moving_body_make(&moving, triangle, &cast->movement, NULL);
  (void)result; /* the box around the mesh has been checked */
  return moving;
}

mo_moving_body mo_cast_moving_triangle(const mo_cast *cast, uint32_t triangle) {
  const mo_body body = mo_body_of_mesh_triangle(cast->mesh, triangle, &cast->affine);
  return moving_triangle(cast, &body);
}

/* Whether a ball certainly misses a triangle before the limit of t. Separating planes show this for
 * most triangles near the path, at a fifth of the cost of the exact test. */
static bool ball_surely_misses(const mo_mesh_cast *q, const mo_dvec3 relative[3]) {
  const mo_moving_ball *ball = &q->cast->ball;
  const mo_bounding_capsule around = {.half = {0.0, 0.0, 0.0}, .radius = ball->radius};
  mo_dvec3 displacement = mo_widen(ball->displacement);
  double size = around.radius + mo_sum_of_magnitudes(displacement);
  for (int i = 0; i < 3; i++) {
    size += mo_sum_of_magnitudes(relative[i]);
  }
  return mo_capsule_is_separated(&around, displacement, relative, MO_CAPSULE_RELATIVE_MARGIN * size,
                                 q->limit);
}

/* The time of a ball's contact with a triangle; at t = 0 also the distance of the ball's centre
 * from the triangle. */
static mo_convex_contact find_ball_contact(const mo_mesh_cast *q, const mo_vec3 corners[3]) {
  const mo_moving_ball *ball = &q->cast->ball;
  mo_dvec3 relative[3];
  mo_relative_corners(q->affine, corners, mo_widen(ball->center), relative);
  if (ball_surely_misses(q, relative)) {
    return (mo_convex_contact){.t = INFINITY};
  }
  mo_convex_contact contact = {
      .t = mo_cast_sphere_triangle(relative, ball->radius, mo_widen(ball->displacement))};
  if ((float)contact.t == 0.0f) {
    mo_dvec3 closest = mo_triangle_closest_point(relative, mo_dvec(0.0, 0.0, 0.0));
    contact.distance = sqrt(mo_ddot(closest, closest));
  }
  return contact;
}

static mo_convex_contact find_body_contact(const mo_mesh_cast *q, const mo_vec3 corners[3],
                                           double limit) {
  const mo_body triangle = mo_body_of_local_triangle(q->affine, corners);
  if (q->cast_with_roles_exchanged != NULL) {
    const mo_moving_body moving = moving_triangle(q->cast_with_roles_exchanged->cast, &triangle);
    return mo_cast_convex_min_depth(q->cast_with_roles_exchanged->still, &moving, limit,
                                    q->min_depth);
  }
  return mo_cast_convex_min_depth(&triangle, &q->cast->body, limit, q->min_depth);
}

/* Not for casts that move a mesh. */
static mo_convex_contact find_contact(const mo_mesh_cast *q, const mo_vec3 corners[3],
                                      double limit) {
  return q->cast->is_ball ? find_ball_contact(q, corners) : find_body_contact(q, corners, limit);
}

/* Contact normal for a ball whose centre lies on a degenerate triangle: perpendicular to the
 * segment that the triangle is, and as far as possible against the ball's displacement. */
static mo_vec3 normal_to_segment(const mo_dvec3 corners[3], mo_dvec3 displacement) {
  mo_dvec3 along = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    mo_dvec3 edge = mo_dsub(corners[(i + 1) % 3], corners[i]);
    along = mo_ddot(edge, edge) > mo_ddot(along, along) ? edge : along;
  }
  double square = mo_ddot(along, along);
  mo_dvec3 back = mo_dscale(-1.0, displacement), out = back;
  if (square > 0.0) {
    out = mo_dsub(back, mo_dscale(mo_ddot(back, along) / square, along));
  }
  if (mo_ddot(out, out) > 0x1p-52 * mo_ddot(back, back)) {
    return mo_unit_normal(out);
  }
  const mo_dvec3 axis = mo_most_perpendicular_axis(along);
  return square > 0.0 ? mo_unit_normal(mo_dcross(along, axis)) : mo_narrow(axis);
}

/* Fills in where a ball touches a triangle. */
static void complete_ball_hit(const mo_mesh_cast *q, double exact_t, mo_cast_hit *hit) {
  const mo_moving_ball *ball = &q->cast->ball;
  const mo_dvec3 center = mo_widen(ball->center), displacement = mo_widen(ball->displacement);
  mo_vec3 corners[3];
  mo_dvec3 relative[3];
  mo_mesh_corners(q->mesh, hit->triangle, corners);
  mo_relative_corners(q->affine, corners, center, relative);
  mo_dvec3 at = mo_dscale(exact_t, displacement);
  mo_dvec3 contact = mo_triangle_closest_point(relative, at), out = mo_dsub(at, contact);
  hit->point = mo_narrow(mo_dadd(center, contact));
  hit->normal = mo_unit_normal(out);
  if (hit->t == 0.0f) {
    double depth = (double)ball->radius - sqrt(mo_ddot(out, out));
    hit->depth = (float)(0.0 + fmax(depth, 0.0));
  }
  double gap = mo_gap_rounding_error(relative);
  if (mo_ddot(out, out) <= gap * gap) {
    /* The ball's centre lies on the triangle: the normal points to the side that the ball comes
     * from. */
    mo_vec3 normal = mo_mesh_world_normal(q->mesh, hit->triangle, q->affine);
    double along = mo_ddot(mo_widen(normal), displacement);
    hit->normal = along > 0.0 ? mo_scale(-1.0f, normal) : normal;
    if (normal.x == 0.0f && normal.y == 0.0f && normal.z == 0.0f) {
      hit->normal = normal_to_segment(relative, displacement);
    }
  }
}

static mo_cast_hit hit_of(const mo_mesh_cast *q, const mo_convex_contact *contact,
                          uint32_t triangle, uint32_t own_triangle) {
  const mo_mesh *mesh = q->mesh;
  mo_cast_hit hit = {
      .found = true,
      .shape = q->shape,
      .child = q->child,
      .triangle = triangle,
      .triangle_user_data = mo_mesh_user_data(mesh, triangle),
      .t = (float)contact->t,
      .own_triangle = own_triangle,
      .own_child = q->cast->own_child,
  };
  if (own_triangle != MO_NO_TRIANGLE) {
    hit.own_triangle_user_data = mo_mesh_user_data(q->cast->mesh, own_triangle);
  }
  if (q->cast->is_ball) {
    complete_ball_hit(q, contact->t, &hit);
  } else {
    hit.point = mo_narrow(contact->point);
    hit.normal = mo_narrow(contact->normal);
    hit.depth = (float)contact->depth;
  }
  return hit;
}

static bool is_triangle_ignored(const mo_cast_options *options, mo_shape_id shape, uint32_t child,
                                uint32_t triangle) {
  return triangle == options->ignore_triangle && child == options->ignore_triangle_child &&
         (shape.generation == 0 || (shape.index == options->ignore_triangle_shape.index &&
                                    shape.generation == options->ignore_triangle_shape.generation));
}

/* Whether the options of the cast accept a contact. */
static bool is_contact_accepted(const mo_mesh_cast *q, uint32_t triangle,
                                const mo_convex_contact *contact) {
  const mo_cast_options *options = q->cast->options;
  mo_dvec3 velocity = mo_cast_velocity(q->cast, contact);
  if (is_triangle_ignored(options, q->shape, q->child, triangle)) {
    return false;
  }
  if (options->cull_back_faces) {
    mo_dvec3 normal = mo_widen(mo_mesh_world_normal(q->mesh, triangle, q->affine));
    if (mo_ddot(normal, velocity) > 0.0) {
      return false;
    }
  }
  if (options->min_approach >= 0.0f &&
      !mo_cast_approaches(options, hit_of(q, contact, triangle, MO_NO_TRIANGLE).normal, velocity)) {
    return false;
  }
  return options->accept_triangle == NULL ||
         options->accept_triangle((mo_triangle_ref){q->shape, triangle, q->child},
                                  (float)contact->t, options->accept_context);
}

/* A triangle whose contacts with the moving mesh are looked for. */
typedef struct target_triangle {
  const mo_mesh_cast *query;
  uint32_t triangle;
} target_triangle;

static bool accept_contact(const mo_convex_contact *contact, const void *context) {
  const target_triangle *touched = context;
  return is_contact_accepted(touched->query, touched->triangle, contact);
}

/* The first contact of the moving mesh with a triangle, up to `max_t`, that counts. */
static mo_moving_mesh_contact find_contact_of_mesh(const mo_mesh_cast *q, const mo_vec3 corners[3],
                                                   uint32_t triangle, float max_t) {
  const target_triangle touched = {q, triangle};
  const mo_body still = mo_body_of_local_triangle(q->affine, corners);
  const mo_moving_mesh_cast search = {q->cast, &still, accept_contact, &touched};
  return mo_moving_mesh_cast_find(&search, max_t, q->min_depth, q->stats);
}

/* Whether a contact is better than the best so far. */
static bool is_better(const mo_mesh_cast *q, const mo_moving_mesh_contact *own, uint32_t triangle) {
  const float t = (float)own->contact.t, distance = (float)own->contact.distance;
  return t != q->t                 ? t < q->t
         : distance != q->distance ? distance < q->distance
         : triangle != q->triangle ? triangle < q->triangle
                                   : own->triangle < q->own_triangle;
}

/* Makes a contact the best. */
static void set_best_contact(mo_mesh_cast *q, const mo_moving_mesh_contact *own,
                             uint32_t triangle) {
  const float t = (float)own->contact.t, distance = (float)own->contact.distance;
  q->t = t;
  q->distance = distance;
  q->triangle = triangle;
  q->own_triangle = own->triangle;
  q->contact = own->contact;
  q->limit = q->cast->goal == MO_CAST_ANY ? -INFINITY : mo_cast_unrounded_limit(t);
  q->min_depth = fmax(q->min_depth, mo_cast_min_competing_depth(t, distance));
}

/* Whether the options, or those of the exchanged cast, accept a contact. */
static bool accepts(const mo_mesh_cast *q, uint32_t triangle, const mo_convex_contact *contact) {
  return q->cast_with_roles_exchanged != NULL
             ? q->cast_with_roles_exchanged->accepts(contact, q->cast_with_roles_exchanged->context)
             : is_contact_accepted(q, triangle, contact);
}

void mo_mesh_cast_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_cast *q = query;
  const bool moves_mesh = q->cast->mesh != NULL;
  /* At equal t > 0 the lower triangle is better, so a higher one needs an earlier contact. (The
   * same triangle of a moving mesh may have another contact.) At t = 0 the deeper contact is
   * better. */
  const bool ties =
      triangle < q->triangle || q->t == 0.0f || (moves_mesh && triangle == q->triangle);
  const float max_t = ties ? q->t : nextafterf(q->t, 0.0f);
  if (moves_mesh) {
    const mo_moving_mesh_contact own = find_contact_of_mesh(q, corners, triangle, max_t);
    if (own.contact.t < INFINITY && is_better(q, &own, triangle)) {
      set_best_contact(q, &own, triangle);
    }
    return;
  }
  const mo_moving_mesh_contact found = {
      find_contact(q, corners, ties ? q->limit : mo_cast_unrounded_limit(max_t)), MO_NO_TRIANGLE};
  q->depth_count += found.contact.t == 0.0;
  if (is_better(q, &found, triangle) && accepts(q, triangle, &found.contact)) {
    set_best_contact(q, &found, triangle);
  }
}

void mo_mesh_cast_test_pair(mo_mesh_cast *q, uint32_t triangle, uint32_t own_triangle) {
  const mo_body still = mo_body_of_mesh_triangle(q->mesh, triangle, q->affine);
  const mo_moving_body moving = mo_cast_moving_triangle(q->cast, own_triangle);
  const mo_moving_mesh_contact own = {
      mo_cast_convex_min_depth(&still, &moving, q->limit, q->min_depth), own_triangle};
  q->depth_count += own.contact.t == 0.0;
  if (is_better(q, &own, triangle) && is_contact_accepted(q, triangle, &own.contact)) {
    set_best_contact(q, &own, triangle);
  }
}

bool mo_mesh_cast_hits_triangle(const mo_vec3 corners[3], const void *query) {
  const mo_mesh_cast *q = query;
  if (q->cast->mesh != NULL) {
    return true; /* which contact counts depends on the triangle's index: see below */
  }
  *q->last_contact = find_contact(q, corners, q->limit);
  return (float)q->last_contact->t <= q->t;
}

static void list_contact_of_mesh(mo_mesh_cast *q, uint32_t triangle) {
  mo_vec3 corners[3];
  mo_mesh_corners(q->mesh, triangle, corners);
  const mo_moving_mesh_contact own = find_contact_of_mesh(q, corners, triangle, q->t);
  if (own.contact.t < INFINITY) {
    const mo_cast_hit hit = hit_of(q, &own.contact, triangle, own.triangle);
    mo_bounded_offer(q->hits, &hit, sizeof hit, mo_cast_hit_before);
  }
}

bool mo_mesh_cast_list_contact(uint32_t triangle, void *query) {
  mo_mesh_cast *q = query;
  if (q->cast->mesh != NULL) {
    list_contact_of_mesh(q, triangle);
    return true;
  }
  q->depth_count += q->last_contact->t == 0.0;
  if (is_contact_accepted(q, triangle, q->last_contact)) {
    mo_cast_hit hit = hit_of(q, q->last_contact, triangle, MO_NO_TRIANGLE);
    mo_bounded_offer(q->hits, &hit, sizeof hit, mo_cast_hit_before);
  }
  return true;
}

mo_cast_hit mo_mesh_cast_result(const mo_mesh_cast *query) {
  return query->triangle != MO_NO_TRIANGLE
             ? hit_of(query, &query->contact, query->triangle, query->own_triangle)
             : (mo_cast_hit){.triangle = MO_NO_TRIANGLE, .own_triangle = MO_NO_TRIANGLE};
}

void mo_cast_set_features(const mo_cast *cast, const mo_body *still, mo_cast_hit *hit) {
  mo_contact_features met;
  if (cast->is_ball) {
    met.still = mo_feature_along(still, mo_widen(hit->normal));
    met.moving = (mo_body_feature){MO_FEATURE_VERTEX, 0};
  } else if (cast->uses_bounds_only && cast->body.body.kind != MO_BODY_HALF_SPACE) {
    const mo_moving_body moving = {.body = mo_body_of_aabb(cast->body.bounds)};
    met = mo_find_contact_features(still, &moving, hit->t, hit->normal);
  } else if (cast->mesh != NULL) {
    const mo_moving_body moving = mo_cast_moving_triangle(cast, hit->own_triangle);
    met = mo_find_contact_features(still, &moving, hit->t, hit->normal);
  } else {
    met = mo_find_contact_features(still, &cast->body, hit->t, hit->normal);
  }
  hit->feature = met.still.kind;
  hit->feature_index = met.still.index;
  hit->own_feature = met.moving.kind;
  hit->own_feature_index = met.moving.index;
}

void mo_mesh_cast_set_features(const mo_cast *cast, const mo_mesh *mesh, const mo_affine *affine,
                               mo_cast_hit *hit) {
  const mo_body still = mo_body_of_mesh_triangle(mesh, hit->triangle, affine);
  mo_cast_set_features(cast, &still, hit);
}
