/* Makes planes around convex bodies, for culling (sides.h). */
#include "mesh/culling/sides.h"

#include "geometry/difference/difference.h"

/* Number of planes that touch the lateral surface of a cylinder or cone. */
enum { LATERAL_PLANE_COUNT = 16 };

/* The cosines of the angles of the lateral planes, rounded: normals are scaled to unit length
 * later.
 */
static const double lateral_plane_cosines[LATERAL_PLANE_COUNT] = {
    1.0,  0.9239,  0.7071,  0.3827,  0.0, -0.3827, -0.7071, -0.9239,
    -1.0, -0.9239, -0.7071, -0.3827, 0.0, 0.3827,  0.7071,  0.9239};

typedef struct box_frame {
  const mo_rounded_box *box;
  mo_dvec3 displacement, center; /* center: of the body, relative to the centre of the box */
} box_frame;

static void to_frame_of_box(const box_frame *f, mo_dvec3 v, float placed[3]) {
  for (int k = 0; k < 3; ++k) {
    placed[k] = (float)mo_ddot(f->box->axis[k], v);
  }
}

/* Adds a plane with an outward unit normal, which the body touches at `reach` from its centre. */
static void add_plane(mo_bounding_planes *bounding_planes, const box_frame *f, mo_dvec3 normal,
                      double reach) {
  const double speed = mo_ddot(normal, f->displacement);
  const double error = 0x1p-20 * mo_sum_of_magnitudes(f->displacement) + 0x1p-90;
  const bool is_behind = speed < -4.0 * error;
  const int at = is_behind ? --bounding_planes->first_trailing : bounding_planes->leading_count++;
  to_frame_of_box(f, normal, bounding_planes->normal[at]);
  bounding_planes->reach[at] = (float)(reach + mo_ddot(normal, f->center));
  bounding_planes->inverse_speed[at] =
      (float)(1.0 / (is_behind ? speed + error : fmax(speed, 0.0) + error));
}

/* Adds planes for the faces of a hull under a linear map. The body is a Minkowski sum of the hull
 * and `rounding`. */
static void add_hull_planes(mo_bounding_planes *bounding_planes, const box_frame *f,
                            const mo_hull_image *image, mo_minkowski *rounding) {
  const mo_hull *hull = image->hull;
  const mo_dvec3 *c = image->column;
  mo_dvec3 cofactor[3] = {mo_dcross(c[1], c[2]), mo_dcross(c[2], c[0]), mo_dcross(c[0], c[1])};
  const double sign = mo_ddot(cofactor[0], c[0]) < 0.0 ? -1.0 : 1.0;
  const double length[3] = {mo_dlength(c[0]), mo_dlength(c[1]), mo_dlength(c[2])};
  /* Faces with shorter normals are left out: their direction is not exact enough for the vertices
   * of the face to reach farthest along it. */
  const double min =
      0x1p-20 * (length[0] * length[1] + length[1] * length[2] + length[2] * length[0]);
  mo_dvec3 vertices[MO_HULL_TABLE_MAX_VERTICES];
  for (uint32_t i = 0; i < hull->vertex_count; ++i) {
    vertices[i] = mo_hull_image_vertex(image, i);
  }
  for (uint32_t i = 0; i < hull->face_count; ++i) {
    const mo_hull_polygon *face = &hull->faces[i];
    mo_dvec3 normal = mo_map_columns(cofactor, face->normal);
    const double size = mo_dlength(normal);
    if (!(size > min && size < 1e100)) {
      continue;
    }
    normal = mo_dscale(sign / size, normal);
    double reach = -INFINITY;
    for (uint32_t k = 0; k < face->count; ++k) {
      const uint32_t vertex = hull->half_edges[face->first + k].vertex;
      reach = fmax(reach, mo_ddot(normal, vertices[vertex]));
    }
    add_plane(bounding_planes, f, normal, reach + mo_minkowski_support_distance(rounding, normal));
  }
}

/* Adds planes along the lateral surface of a cylinder or cone, and at its ends. The apex of a cone
 * (`is_cone`) is at -half. */
static void add_lateral_planes(mo_bounding_planes *bounding_planes, const box_frame *f,
                               mo_dvec3 half, const mo_dvec3 disc[2], bool is_cone,
                               mo_minkowski *sum) {
  const double length = sqrt(mo_ddot(half, half)), radius = sqrt(mo_ddot(disc[0], disc[0]));
  if (!(length > 1e-100 && radius > 1e-100)) {
    return;
  }
  const mo_dvec3 axis = mo_dscale(1.0 / length, half);
  for (int i = 0; i < LATERAL_PLANE_COUNT; ++i) {
    const double x = lateral_plane_cosines[i],
                 y = lateral_plane_cosines[(i + LATERAL_PLANE_COUNT * 3 / 4) % LATERAL_PLANE_COUNT];
    mo_dvec3 normal = mo_dadd(mo_dscale(x, disc[0]), mo_dscale(y, disc[1]));
    normal = mo_dsub(normal, mo_dscale(mo_ddot(normal, axis), axis));
    if (is_cone) {
      normal = mo_dsub(normal, mo_dscale(0.5 * radius * radius / length, axis));
    }
    const double square = mo_ddot(normal, normal);
    if (square > 1e-200 && square < 1e200) {
      normal = mo_dscale(1.0 / sqrt(square), normal);
      add_plane(bounding_planes, f, normal, mo_minkowski_support_distance(sum, normal));
    }
  }
  for (int i = 0; i < 2; ++i) {
    const mo_dvec3 normal = mo_dscale(i == 0 ? 1.0 : -1.0, axis);
    add_plane(bounding_planes, f, normal, mo_minkowski_support_distance(sum, normal));
  }
}

/* Stores the body in `bounding_planes` as the Minkowski sum `sum`, in floats. */
static void set_minkowski_sum(mo_bounding_planes *bounding_planes, const box_frame *f,
                              const mo_minkowski *sum) {
  to_frame_of_box(f, f->center, bounding_planes->middle);
  bounding_planes->segment_count = sum->segment_count;
  bounding_planes->ellipsoid_count = sum->ellipsoid_count;
  bounding_planes->has_cone = sum->cone_count > 0;
  bounding_planes->vertex_count = 0;
  for (int i = 0; i < sum->segment_count; ++i) {
    to_frame_of_box(f, sum->segment[i], bounding_planes->segment[i]);
  }
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    for (int k = 0; k < 3; ++k) {
      to_frame_of_box(f, sum->axes[i][k], bounding_planes->ellipsoid[i][k]);
    }
  }
  if (bounding_planes->has_cone) {
    to_frame_of_box(f, sum->cone[0].half, bounding_planes->cone[0]);
    to_frame_of_box(f, sum->cone[0].disc[0], bounding_planes->cone[1]);
    to_frame_of_box(f, sum->cone[0].disc[1], bounding_planes->cone[2]);
  }
  if (sum->hull_count > 0) {
    bounding_planes->vertex_count = (int)sum->hull[0].hull->vertex_count;
    for (int i = 0; i < bounding_planes->vertex_count; ++i) {
      to_frame_of_box(f, mo_hull_image_vertex(&sum->hull[0], (uint32_t)i),
                      bounding_planes->vertex[i]);
    }
  }
}

/* Whether the rounded box around a solid is the solid itself, or hardly larger. */
static bool is_nearly_its_box(mo_solid_kind kind) {
  return kind == MO_SOLID_SPHERE || kind == MO_SOLID_BOX || kind == MO_SOLID_CAPSULE;
}

bool mo_bounding_planes_make(mo_bounding_planes *bounding_planes, const mo_body *body,
                             const mo_rounded_box *box, mo_dvec3 displacement) {
  if (body->kind != MO_BODY_SOLID || is_nearly_its_box(body->convex.solid.kind)) {
    return false;
  }
  mo_minkowski sum;
  const box_frame f = {box, displacement, mo_dsub(mo_minkowski_of(&sum, body), box->center)};
  bounding_planes->leading_count = 0;
  bounding_planes->first_trailing = MO_HULL_TABLE_MAX_FACES;
  switch (body->convex.solid.kind) {
  case MO_SOLID_SPHERE:
  case MO_SOLID_BOX:
  case MO_SOLID_CAPSULE:
    break;
  case MO_SOLID_CYLINDER:
    if (sum.segment_count != 1 || sum.ellipsoid_count == 0) {
      return false;
    }
    add_lateral_planes(bounding_planes, &f, sum.segment[0], sum.axes[0], false, &sum);
    break;
  case MO_SOLID_CONE:
    if (sum.cone_count != 1) {
      return false;
    }
    add_lateral_planes(bounding_planes, &f, sum.cone[0].half, sum.cone[0].disc, true, &sum);
    break;
  case MO_SOLID_HULL: {
    mo_hull_image image = sum.hull[0];
    if (image.hull->planes == NULL) {
      return false;
    }
    sum.hull_count = 0;
    add_hull_planes(bounding_planes, &f, &image, &sum);
    sum.hull_count = 1;
    break;
  }
  }
  set_minkowski_sum(bounding_planes, &f, &sum);
  return true;
}
