#include "oracle/signed.h"

#include <math.h>

#include "geometry/triangle/winding.h"

static void relative_corners(const oracle_triangle *t, const oracle_shape *shape, mo_vec3 point,
                             mo_dvec3 relative[3]) {
  for (int i = 0; i < 3; i++) {
    mo_dvec3 c = shape != NULL ? mo_affine_point_to_world(&shape->affine, t->corners[i])
                               : mo_widen(t->corners[i]);
    relative[i] = mo_dsub(c, mo_widen(point));
  }
}

static mo_aabb own_box(const oracle_mesh *mesh, const oracle_shape *shape) {
  return shape != NULL ? shape->own : oracle_mesh_bounds(mesh);
}

static double depth_in(mo_aabb box, mo_vec3 p) {
  double x = fmin((double)p.x - box.lower.x, (double)box.upper.x - p.x);
  double y = fmin((double)p.y - box.lower.y, (double)box.upper.y - p.y);
  double z = fmin((double)p.z - box.lower.z, (double)box.upper.z - p.z);
  return fmin(x, fmin(y, z));
}

int32_t oracle_winding(const oracle_mesh *mesh, const oracle_shape *shape, mo_vec3 point) {
  if (!(depth_in(own_box(mesh, shape), point) >= 0)) {
    return 0;
  }
  int32_t sum = 0;
  for (uint32_t i = 0; i < mesh->count; i++) {
    mo_dvec3 relative[3];
    relative_corners(&mesh->triangles[i], shape, point, relative);
    sum += mo_triangle_winding(relative);
  }
  return shape != NULL && mo_affine_mirrors(&shape->affine) ? -sum : sum;
}

static long double dot(const long double a[3], const long double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

long double oracle_solid_angle(const oracle_mesh *mesh, const oracle_shape *shape, mo_vec3 point) {
  long double sum = 0;
  for (uint32_t i = 0; i < mesh->count; i++) {
    mo_dvec3 r[3];
    long double v[3][3], length[3];
    relative_corners(&mesh->triangles[i], shape, point, r);
    for (int k = 0; k < 3; k++) {
      v[k][0] = r[k].x;
      v[k][1] = r[k].y;
      v[k][2] = r[k].z;
      length[k] = sqrtl(dot(v[k], v[k]));
      for (int axis = 0; axis < 3; axis++) {
        v[k][axis] /= length[k];
      }
    }
    long double cross[3] = {v[1][1] * v[2][2] - v[1][2] * v[2][1],
                            v[1][2] * v[2][0] - v[1][0] * v[2][2],
                            v[1][0] * v[2][1] - v[1][1] * v[2][0]};
    long double volume = dot(v[0], cross);
    long double rest = 1 + dot(v[0], v[1]) + dot(v[1], v[2]) + dot(v[2], v[0]);
    sum += 2 * atan2l(volume, rest);
  }
  sum /= 4 * acosl(-1);
  return shape != NULL && mo_affine_mirrors(&shape->affine) ? -sum : sum;
}

static oracle_signed of_surface(float distance, uint32_t triangle, int32_t winding, double depth) {
  oracle_signed s = {.triangle = triangle, .distance = distance};
  if (winding != 0 && distance > 0) {
    s.distance = -(float)fmin(distance, depth);
  }
  return s;
}

oracle_signed oracle_mesh_signed(const oracle_mesh *oracle, mo_vec3 point, float max_distance) {
  int32_t winding = oracle_winding(oracle, NULL, point);
  float distance;
  uint32_t triangle =
      oracle_mesh_closest(oracle, point, winding != 0 ? INFINITY : max_distance, &distance);
  return of_surface(distance, triangle, winding, depth_in(own_box(oracle, NULL), point));
}

static bool is_shape(mo_shape_id shape, uint64_t user_data, void *context) {
  (void)user_data;
  return shape.index == ((const oracle_shape *)context)->id.index;
}

/* Of one shape; not found by `shape` alone. */
static oracle_signed signed_of(const oracle_scene *oracle, const oracle_shape *shape,
                               const mo_closest_def *def) {
  mo_closest_def own = *def;
  own.filter = mo_default_filter();
  own.filter.category = UINT64_MAX;
  own.filter.accept = is_shape;
  own.filter.context = (void *)shape;
  own.max_distance = INFINITY;
  oracle_closest c = oracle_scene_closest(oracle, &own);
  oracle_signed s = {.triangle = MO_NO_TRIANGLE, .distance = INFINITY};
  if (c.shape == NULL) {
    return s;
  }
  if (shape->def.geometry.type == MO_SHAPE_MESH) {
    const oracle_mesh *mesh = &oracle->meshes[shape->mesh];
    s = of_surface(c.distance, c.triangle, oracle_winding(mesh, shape, def->point),
                   depth_in(own_box(mesh, shape), def->point));
  } else {
    s.distance = c.distance;
    if (c.distance == 0) {
      mo_primitive solid = mo_primitive_of_geometry(&shape->def.geometry, &shape->def.transform);
      mo_primitive at = mo_primitive_of_point(def->point);
      mo_primitive_penetration out;
      oracle_expect(mo_primitive_find_penetration(&solid, &at, &out), "a penetration");
      bool endless = shape->def.geometry.type == MO_SHAPE_HALF_SPACE;
      double max = endless ? INFINITY : depth_in(shape->own, def->point);
      s.distance = out.found ? -(float)fmax(fmin(out.depth, max), 0) : 0;
    }
  }
  s.shape = shape;
  return s;
}

oracle_signed oracle_scene_signed(const oracle_scene *oracle, const mo_closest_def *def) {
  oracle_signed best = {.triangle = MO_NO_TRIANGLE, .distance = def->max_distance};
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (!oracle_filter_passes(&def->filter, shape) ||
        (shape->def.geometry.type == MO_SHAPE_VOLUME && !def->hit_volumes)) {
      continue;
    }
    oracle_signed s = signed_of(oracle, shape, def);
    if (s.shape != NULL &&
        (s.distance < best.distance || (s.distance == best.distance && best.shape == NULL))) {
      best = s;
    }
  }
  return best;
}
