/* Moments of shapes that are no compounds. Those of solids are computed in geometry/solid, those of
 * meshes here. These functions have no host, so errors are not logged. */
#include "mesh/mass.h"

#include "geometry/body/body.h"
#include "geometry/solid/solids.h"
#include "geometry/sum.h"
#include "geometry/triangle/orient.h"
#include "mesh/closed.h"
#include "mesh/mesh.h"

/* Transforms moments by a linear map A and a translation: second moments m become A m A'.
 * `volume_scale` is the magnitude of the map's determinant. */
static mo_moments map_moments(const mo_moments *local, const mo_dvec3 column[3], mo_dvec3 origin,
                              double volume_scale) {
  const mo_symmetric_matrix *m = &local->second;
  /* The columns of A m. */
  const mo_dvec3 rows[3] = {{m->xx, m->xy, m->zx}, {m->xy, m->yy, m->yz}, {m->zx, m->yz, m->zz}};
  mo_symmetric_matrix second = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    second = mo_add_outer_product(second, 0.5 * volume_scale, mo_map_columns(column, rows[i]),
                                  column[i]);
  }
  return (mo_moments){volume_scale * local->volume,
                      mo_dadd(origin, mo_map_columns(column, local->centroid)), second};
}

/* The magnitude of the determinant of a map, accurate also if the map is nearly singular. */
static double volume_scale_of(const mo_dvec3 column[3]) {
  enum { ACCURATE_BITS = 40 }; /* bits of the determinant that must be right */
  const mo_vec3 corners[4] = {
      {0.0f, 0.0f, 0.0f}, mo_narrow(column[0]), mo_narrow(column[1]), mo_narrow(column[2])};
  return fabs(mo_orientation(corners, ldexp(1.0, -ACCURATE_BITS)));
}

/* --- meshes --- */

/* Sums over the triangles of a mesh: moments of the tetrahedra between each triangle and a
 * point. */
typedef struct mesh_sum {
  mo_dvec3 point;                     /* the apex of the tetrahedra */
  mo_sum volume, first[3], second[6]; /* moments of the volume of order 0, 1 and 2 */
  mo_sum area, area_first_moments[3]; /* moments of the surface, for meshes without volume */
  double magnitude;                   /* sum of the magnitudes of the products in `volume` */
  mo_edge_hash_sum edges;
} mesh_sum;

static void add_vector(mo_sum sum[3], double s, mo_dvec3 v) {
  mo_sum_add(&sum[0], s * v.x);
  mo_sum_add(&sum[1], s * v.y);
  mo_sum_add(&sum[2], s * v.z);
}

static double value_of(const mo_sum *sum) {
  return sum->value + sum->error;
}

static mo_dvec3 vector_of(const mo_sum sum[3]) {
  return mo_dvec(value_of(&sum[0]), value_of(&sum[1]), value_of(&sum[2]));
}

static void add_triangle(mesh_sum *m, const mo_vec3 corners[3]) {
  mo_dvec3 p[3], sum = {0.0, 0.0, 0.0};
  mo_symmetric_matrix second = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    p[i] = mo_dsub(mo_widen(corners[i]), m->point);
    sum = mo_dadd(sum, p[i]);
    second = mo_add_outer_square(second, 1.0, p[i]);
  }
  second = mo_add_outer_square(second, 1.0, sum);
  mo_dvec3 products = mo_cross_term_magnitudes(p[1], p[2]);
  double six = mo_ddot(p[0], mo_dcross(p[1], p[2])); /* six times the volume of the tetrahedron */
  m->magnitude += fabs(p[0].x) * products.x + fabs(p[0].y) * products.y + fabs(p[0].z) * products.z;
  mo_sum_add(&m->volume, six / 6.0);
  add_vector(m->first, six / 24.0, sum);
  const double entries[6] = {second.xx, second.yy, second.zz, second.xy, second.yz, second.zx};
  for (int i = 0; i < 6; i++) {
    mo_sum_add(&m->second[i], six / 120.0 * entries[i]);
  }
  double area = mo_dlength(mo_triangle_cross(corners));
  mo_sum_add(&m->area, area);
  add_vector(m->area_first_moments, area / 3.0, sum);
  mo_edge_hash_sum_add(&m->edges, corners);
}

/* The centre of the tight box around all triangles; mo_mesh_bounds may be larger. */
static mo_dvec3 middle_of(const mo_mesh *mesh) {
  mo_aabb box = mo_aabb_empty();
  mo_vec3 corners[3];
  for (uint32_t i = 0; mo_mesh_find_triangle(mesh, &i, corners); i++) {
    for (int k = 0; k < 3; k++) {
      box = mo_aabb_add_point(box, corners[k]);
    }
  }
  return !mo_aabb_is_empty(box) ? mo_dscale(0.5, mo_dadd(mo_widen(box.lower), mo_widen(box.upper)))
                                : mo_dvec(0.0, 0.0, 0.0);
}

static mo_moments moments_of(const mesh_sum *m) {
  if (fabs(m->volume.value) <= 0x1p-46 * m->magnitude) {
    double area = value_of(&m->area);
    mo_dvec3 offset = area > 0.0 ? mo_dscale(1.0 / area, vector_of(m->area_first_moments))
                                 : mo_dvec(0.0, 0.0, 0.0);
    return (mo_moments){.centroid = mo_dadd(m->point, offset)};
  }
  const mo_sum *s = m->second;
  const mo_moment_sum sum = {value_of(&m->volume),
                             vector_of(m->first),
                             {value_of(&s[0]), value_of(&s[1]), value_of(&s[2]), value_of(&s[3]),
                              value_of(&s[4]), value_of(&s[5])}};
  return mo_moments_of_sum(&sum, m->point, m->point);
}

static mo_result moments_of_mesh(const mo_geometry *geometry, const mo_transform *transform,
                                 mo_moments *moments, bool *closed) {
  const mo_mesh *mesh = geometry->mesh;
  if (mesh == NULL) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (geometry->rounding != 0.0f) {
    return isnan(geometry->rounding) ? MO_ERROR_NOT_FINITE : MO_ERROR_INVALID_ARGUMENT;
  }
  mo_result result = mo_check_transform(transform, NULL);
  if (result != MO_OK) {
    return result;
  }
  const mo_affine affine = {.to_world = *transform};
  mo_aabb image = mo_affine_aabb_to_world(&affine, mo_mesh_bounds(mesh));
  if (!mo_aabb_is_empty(mesh->bounds) &&
      !(mo_is_in_range(image.lower) && mo_is_in_range(image.upper))) {
    return MO_ERROR_OUT_OF_RANGE;
  }
  mesh_sum sum = {.point = middle_of(mesh)};
  mo_vec3 corners[3];
  for (uint32_t i = 0; mo_mesh_find_triangle(mesh, &i, corners); i++) {
    add_triangle(&sum, corners);
  }
  const mo_dvec3 column[3] = {mo_widen(transform->x_axis), mo_widen(transform->y_axis),
                              mo_widen(transform->z_axis)};
  const mo_moments local = moments_of(&sum);
  *moments = map_moments(&local, column, mo_widen(transform->origin), volume_scale_of(column));
  *closed = mo_edge_hash_sum_is_zero(&sum.edges);
  return MO_OK;
}

static mo_result moments_of_solid(const mo_geometry *geometry, const mo_transform *transform,
                                  mo_moments *moments, bool *closed) {
  mo_primitive primitive = mo_primitive_of_geometry(geometry, transform);
  mo_prepared_primitive p;
  mo_result result = mo_primitive_to_body(&p, &primitive, NULL);
  if (result == MO_OK && p.body.kind == MO_BODY_HALF_SPACE) {
    result = MO_ERROR_INVALID_ARGUMENT;
  }
  if (result == MO_OK) {
    const mo_convex *convex = &p.body.convex;
    const mo_moments local = mo_solid_moments(&convex->solid);
    *moments = map_moments(&local, convex->column, convex->origin, volume_scale_of(convex->column));
    *closed = true;
  }
  return result;
}

mo_result mo_geometry_moments(const mo_geometry *geometry, const mo_transform *transform,
                              mo_moments *moments, bool *closed) {
  return geometry->type == MO_SHAPE_MESH
             ? moments_of_mesh(geometry, transform, moments, closed)
             : moments_of_solid(geometry, transform, moments, closed); /* refuses unknown types */
}
