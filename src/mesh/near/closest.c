/* Closest points of meshes: setting a query up, the test of one triangle, and the public query.
 *
 * Culling works in the mesh's space where that says enough about the world. With the matrix G of
 * the products of the transform's columns, a local vector v has the squared length v' G v in the
 * world. Scaled to a unit diagonal, G has no eigenvalue below 1 less the largest sum of magnitudes
 * beside the diagonal (Gershgorin), so the squared length is at least that times the sum of
 * G_ii v_i^2: exactly the sum where columns are orthogonal, as under rotation and scale per axis.
 */
#include "geometry/triangle.h"
#include "mesh/near/near.h"

/* The lower bound on eigenvalues from which culling is done in the mesh's space. */
#define LEAST_EIGENVALUE 0.25

static double magnitude(mo_dvec3 v, int axis) {
  return fabs(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

/* Culling in the space that corners and point are in; their differences are rounded once, and the
 * test of a triangle loses some more bits of them. */
static void cull_here(mo_mesh_closest *q, mo_vec3 reach) {
  const double from[3] = {q->point.x, q->point.y, q->point.z};
  double most = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    most += fabs(from[axis]) + (double)mo_get(reach, axis);
  }
  for (int axis = 0; axis < 3; axis++) {
    q->from[axis] = from[axis];
    q->error[axis] = 0x1p-46 * most;
    q->weight[axis] = 1.0;
  }
}

/* Culling in the mesh's space under a transform; false if that says too little. */
static bool cull_locally(mo_mesh_closest *q, const mo_mesh *mesh) {
  const mo_affine *affine = q->affine;
  if (!affine->invertible) {
    return false;
  }
  const mo_transform *map = &affine->to_world;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  double square[3], least = 1.0;
  for (int i = 0; i < 3; i++) {
    square[i] = mo_ddot(column[i], column[i]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double beside = fabs(mo_ddot(column[i], column[j])) / sqrt(square[i] * square[j]) +
                    fabs(mo_ddot(column[i], column[k])) / sqrt(square[i] * square[k]);
    least = fmin(least, 1.0 - beside - 0x1p-45);
  }
  if (!(least >= LEAST_EIGENVALUE)) {
    return false;
  }
  mo_dvec3 origin = mo_widen(map->origin), v = mo_dsub(q->point, origin);
  mo_f4 local = mo_affine_apply_inverse(affine, v);
  double world_terms[3], world_error = 0.0;
  for (int axis = 0; axis < 3; axis++) {
    world_terms[axis] = magnitude(q->point, axis) + magnitude(origin, axis);
    for (int i = 0; i < 3; i++) {
      world_terms[axis] += magnitude(column[i], axis) * (double)mo_get(mesh->reach, i);
    }
    world_error += 0x1p-46 * world_terms[axis];
  }
  for (int axis = 0; axis < 3; axis++) {
    /* The inverse and the local point are rounded to floats. */
    double rounding = 0.0;
    for (int i = 0; i < 3; i++) {
      double entry = fabs((double)affine->inverse[i][axis]);
      rounding += entry * (0x1p-22 * magnitude(v, i) + world_error);
    }
    q->from[axis] = local[axis];
    q->error[axis] = rounding + 0x1p-22 * fabs((double)local[axis]) + 0x1p-120;
    q->weight[axis] = least * square[axis];
    if (!(fabs(q->from[axis]) <= (double)FLT_MAX)) {
      return false;
    }
  }
  return true;
}

void mo_mesh_closest_init(mo_mesh_closest *query, const mo_mesh *mesh, mo_vec3 point,
                          const mo_affine *affine, float max_distance) {
  *query = (mo_mesh_closest){.point = mo_widen(point),
                             .affine = affine,
                             .distance = max_distance,
                             .triangle = MO_NO_TRIANGLE,
                             .limit = mo_closest_limit(max_distance)};
  if (affine == NULL) {
    cull_here(query, mesh->reach);
  } else if (!cull_locally(query, mesh)) {
    mo_aabb box = mo_affine_aabb_to_world(affine, mesh->bounds);
    query->bake = affine;
    cull_here(query, mo_aabb_is_empty(box) ? mo_vec(0.0f, 0.0f, 0.0f) : mo_aabb_reach(box));
  }
}

void mo_mesh_closest_find(mo_mesh_closest *query, mo_isa isa, const mo_mesh *mesh,
                          mo_query_stats *stats) {
  static void (*const full[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_closest *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_closest_full);
  static void (*const compact[MO_ISA_COUNT])(const mo_mesh *, mo_mesh_closest *, mo_query_stats *) =
      MO_ISA_TABLE(mo_mesh_closest_compact);
  (mesh->format == MO_MESH_FULL ? full : compact)[isa](mesh, query, stats);
}

void mo_mesh_closest_test(const mo_vec3 corners[3], uint32_t triangle, void *query) {
  mo_mesh_closest *q = query;
  mo_dvec3 relative[3];
  for (int i = 0; i < 3; i++) {
    mo_dvec3 corner =
        q->affine != NULL ? mo_affine_point_to_world(q->affine, corners[i]) : mo_widen(corners[i]);
    relative[i] = mo_dsub(corner, q->point);
  }
  mo_dvec3 here = mo_dvec(0.0, 0.0, 0.0);
  mo_dvec3 offset = mo_triangle_closest_point(relative, here);
  float distance = (float)sqrt(mo_ddot(offset, offset));
  if (distance < q->distance || (distance == q->distance && triangle < q->triangle)) {
    q->distance = distance;
    q->triangle = triangle;
    q->offset = offset;
    mo_triangle_closest_weights(relative, here, q->weights);
    q->limit = mo_closest_limit(distance);
  }
}

/* The part of the triangle that the closest point lies on. */
static void set_feature(const double weights[3], mo_closest_hit *hit) {
  uint32_t used = (uint32_t)(weights[0] > 0.0) | (uint32_t)(weights[1] > 0.0) << 1 |
                  (uint32_t)(weights[2] > 0.0) << 2;
  static const uint8_t edge_of[8] = {[3] = 0, [6] = 1, [5] = 2};
  static const uint8_t vertex_of[8] = {[1] = 0, [2] = 1, [4] = 2};
  switch (__builtin_popcount(used)) {
  case 1:
    hit->feature = MO_FEATURE_VERTEX;
    hit->feature_index = vertex_of[used];
    break;
  case 2:
    hit->feature = MO_FEATURE_EDGE;
    hit->feature_index = edge_of[used];
    break;
  default:
    hit->feature = MO_FEATURE_FACE;
  }
}

mo_closest_hit mo_mesh_closest_hit(const mo_mesh_closest *query, const mo_mesh *mesh) {
  mo_closest_hit hit = {.triangle = query->triangle};
  if (query->triangle == MO_NO_TRIANGLE) {
    return hit;
  }
  hit.found = true;
  hit.triangle_user_data = mesh->user_data != NULL ? mesh->user_data[query->triangle] : 0;
  hit.distance = query->distance;
  hit.point = mo_narrow(mo_dadd(query->point, query->offset));
  hit.u = (float)query->weights[1];
  hit.v = (float)query->weights[2];
  set_feature(query->weights, &hit);
  hit.normal = mo_unit_normal(mo_dscale(-1.0, query->offset));
  if (hit.normal.x == 0.0f && hit.normal.y == 0.0f && hit.normal.z == 0.0f) {
    mo_vec3 local[3];
    mo_dvec3 corner[3];
    mo_mesh_corners(mesh, query->triangle, local);
    for (int i = 0; i < 3; i++) {
      corner[i] = query->affine != NULL ? mo_affine_point_to_world(query->affine, local[i])
                                        : mo_widen(local[i]);
    }
    hit.normal =
        mo_unit_normal(mo_dcross(mo_dsub(corner[1], corner[0]), mo_dsub(corner[2], corner[0])));
    if (query->affine != NULL && mo_affine_mirrors(query->affine)) {
      hit.normal = mo_scale(-1.0f, hit.normal);
    }
  }
  return hit;
}

mo_result mo_mesh_closest_point(const mo_mesh *mesh, mo_vec3 point, float max_distance,
                                mo_closest_hit *hit, mo_query_stats *stats) {
  if (mesh == NULL || hit == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  mo_result result = mo_check_distance(point, max_distance);
  if (result != MO_OK) {
    return result;
  }
  mo_query_stats counts = mo_stats_begin(stats);
  mo_mesh_closest query;
  mo_mesh_closest_init(&query, mesh, point, NULL, max_distance);
  mo_mesh_closest_find(&query, mesh->isa, mesh, &counts);
  *hit = mo_mesh_closest_hit(&query, mesh);
  mo_stats_end(&counts, stats);
  return MO_OK;
}
