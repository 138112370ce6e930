/* Where triangles of two meshes intersect. The part of one triangle that lies in the plane of the
 * other is a segment, or the whole triangle if both are coplanar. This part is clipped to the edges
 * of the other triangle (Sutherland and Hodgman 1974). */
#include "geometry/distance/distance.h"
#include "mesh/pair/pair.h"

/* A triangle has at most three vertices in a plane; clipping to each of three edges adds at most
 * one. */
enum { MAX_CLIPPED_VERTICES = 6 };

typedef struct polygon {
  mo_dvec3 vertex[2 * MAX_CLIPPED_VERTICES];
  int count;
} polygon;

/* Distances from a plane below these shares of sizes and of coordinates are rounding errors. */
static const double rounding_per_size = 0x1p-40, rounding_per_coordinate = 0x1p-48;

static double rounding_of(const mo_dvec3 a[3], const mo_dvec3 b[3]) {
  double size = 0.0, far = 0.0;
  for (int i = 0; i < 3; i++) {
    size += mo_sum_of_magnitudes(mo_dsub(a[i], a[0])) + mo_sum_of_magnitudes(mo_dsub(b[i], b[0]));
    far += mo_sum_of_magnitudes(a[i]) + mo_sum_of_magnitudes(b[i]);
  }
  return rounding_per_size * size + rounding_per_coordinate * far;
}

/* The distance of a point from a plane, 0 if it is no more than rounding. */
static double height_of(mo_dvec3 point, mo_dvec3 on_plane, mo_dvec3 unit, double rounding) {
  const double height = mo_ddot(unit, mo_dsub(point, on_plane));
  return fabs(height) <= rounding ? 0.0 : height;
}

/* The part of a polygon that lies in a plane; with `above`, the part in the half-space to which the
 * plane's normal points. Polygons may be segments or points. */
static polygon clip_to_plane(const polygon *p, mo_dvec3 on_plane, mo_dvec3 unit, double rounding,
                             bool above) {
  polygon part = {.count = 0};
  for (int i = 0; i < p->count; i++) {
    const mo_dvec3 from = p->vertex[i], to = p->vertex[(i + 1) % p->count];
    const double start = height_of(from, on_plane, unit, rounding),
                 end = height_of(to, on_plane, unit, rounding);
    if (start == 0.0 || (above && start > 0.0)) {
      part.vertex[part.count++] = from;
    }
    if (start * end < 0.0) {
      const double t = start / (start - end);
      part.vertex[part.count++] = mo_dadd(from, mo_dscale(t, mo_dsub(to, from)));
    }
  }
  return part;
}

/* The part of a triangle `a` that lies in a triangle `b` with this unit normal. */
static polygon clip_to_triangle(const mo_dvec3 a[3], const mo_dvec3 b[3], mo_dvec3 normal) {
  const double rounding = rounding_of(a, b);
  polygon part = {.vertex = {a[0], a[1], a[2]}, .count = 3};
  part = clip_to_plane(&part, b[0], normal, rounding, false);
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 inward = mo_dcross(normal, mo_dsub(b[(i + 1) % 3], b[i]));
    part = clip_to_plane(&part, b[i], mo_dscale(1.0 / mo_dlength(inward), inward), rounding, true);
  }
  return part;
}

/* The two vertices that are farthest apart. Returns the square of their distance. */
static double find_farthest_vertices(const polygon *p, mo_dvec3 end[2]) {
  double max = 0.0;
  end[0] = end[1] = p->vertex[0];
  for (int i = 0; i < p->count; i++) {
    for (int k = i + 1; k < p->count; k++) {
      const mo_dvec3 between = mo_dsub(p->vertex[k], p->vertex[i]);
      if (mo_ddot(between, between) > max) {
        max = mo_ddot(between, between);
        end[0] = p->vertex[i];
        end[1] = p->vertex[k];
      }
    }
  }
  return max;
}

static bool is_zero(mo_dvec3 v) {
  return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static bool is_in_plane(const mo_dvec3 a[3], const mo_dvec3 b[3], mo_dvec3 normal) {
  const double rounding = rounding_of(a, b);
  return height_of(a[0], b[0], normal, rounding) == 0.0 &&
         height_of(a[1], b[0], normal, rounding) == 0.0 &&
         height_of(a[2], b[0], normal, rounding) == 0.0;
}

/* The intersection of two triangles. Each is clipped to the other, and the longer part counts: the
 * plane of a small triangle is too uncertain for a large one. */
static mo_triangle_segment intersection_segment(const mo_body *a, const mo_body *b) {
  const mo_dvec3 *const corners[2] = {a->corners, b->corners};
  const mo_dvec3 normal[2] = {mo_corners_normal(a->corners), mo_corners_normal(b->corners)};
  const bool have_planes = !is_zero(normal[0]) && !is_zero(normal[1]);
  mo_triangle_segment segment = {.is_coplanar = false};
  mo_dvec3 ends[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  double max = -1.0;
  for (int plane = 1; plane >= 0; plane--) {
    const mo_dvec3 *clipped = corners[plane ^ 1];
    if (is_zero(normal[plane])) {
      continue;
    }
    const polygon part = clip_to_triangle(clipped, corners[plane], normal[plane]);
    mo_dvec3 end[2];
    const double length = part.count > 0 ? find_farthest_vertices(&part, end) : -1.0;
    if (length > max) {
      max = length;
      ends[0] = end[0];
      ends[1] = end[1];
    }
    segment.is_coplanar |= have_planes && is_in_plane(clipped, corners[plane], normal[plane]);
  }
  if (max < 0.0) { /* no common part: they touch within tolerance only, or both are degenerate */
    const mo_convex_gap gap = mo_bodies_distance(a, b, INFINITY);
    ends[0] = ends[1] = mo_dscale(0.5, mo_dadd(gap.points[0], gap.points[1]));
  }
  segment.from = mo_narrow(ends[0]);
  segment.to = mo_narrow(ends[1]);
  return segment;
}

static mo_result check_pairs(const mo_mesh *const mesh[2], const mo_triangle_pair *pairs,
                             uint32_t count, const mo_refusal *refusal) {
  for (uint32_t i = 0; i < count; i++) {
    if (!mo_mesh_has_triangle(mesh[0], pairs[i].triangle) ||
        !mo_mesh_has_triangle(mesh[1], pairs[i].other)) {
      const mo_refusal item = mo_refusal_in(refusal, "", i);
      return mo_refuse(&item, MO_ERROR_INVALID_INDEX, " has a triangle that there is not");
    }
  }
  return MO_OK;
}

mo_result mo_mesh_get_overlap_segments(const mo_mesh *mesh, const mo_overlap_mesh_def *def,
                                       const mo_triangle_pair *pairs, uint32_t count,
                                       mo_triangle_segment *segments) {
  const char *missing = def == NULL                     ? "def"
                        : count > 0 && pairs == NULL    ? "pairs"
                        : count > 0 && segments == NULL ? "segments"
                                                        : NULL;
  if (mesh == NULL || missing != NULL) {
    return mo_refuse_null(mo_mesh_host(mesh), __func__, missing);
  }
  const mo_refusal refusal = mo_refusal_of(&mesh->host, __func__, "def"),
                   list = mo_refusal_of(&mesh->host, __func__, "pairs");
  const mo_mesh *const meshes[2] = {mesh, def->other};
  mo_affine affine[2];
  mo_result result = mo_mesh_pair_check_def(meshes, def, &refusal, affine);
  if (result == MO_OK) {
    result = check_pairs(meshes, pairs, count, &list);
  }
  for (uint32_t i = 0; i < count && result == MO_OK; i++) {
    mo_vec3 corners[2][3];
    mo_mesh_corners(meshes[0], pairs[i].triangle, corners[0]);
    mo_mesh_corners(meshes[1], pairs[i].other, corners[1]);
    const mo_body a = mo_mesh_pair_body(&affine[0], corners[0]),
                  b = mo_mesh_pair_body(&affine[1], corners[1]);
    segments[i] = intersection_segment(&a, &b);
  }
  return result;
}
