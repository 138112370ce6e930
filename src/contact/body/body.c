/* Builds contact bodies from primitives and triangles, and computes their support points. */
#include "contact/body/body.h"

#include "contact/body/limits.h"

bool mo_contact_map_keeps_angles(const mo_dvec3 column[3], double *scale) {
  double xx = mo_ddot(column[0], column[0]), yy = mo_ddot(column[1], column[1]),
         zz = mo_ddot(column[2], column[2]);
  double off = fabs(mo_ddot(column[0], column[1])) + fabs(mo_ddot(column[1], column[2])) +
               fabs(mo_ddot(column[2], column[0]));
  /* not fmin and fmax, which compile to function calls */
  double min = xx < yy ? xx : yy, max = xx < yy ? yy : xx;
  min = zz < min ? zz : min;
  max = zz > max ? zz : max;
  *scale = sqrt((xx + yy + zz) / 3.0);
  return min - off >= (1.0 - 0x1p-18) * (max + off);
}

static void set_rounding(mo_contact_body *body, double radius) {
  double scale;
  body->ball_radius = 0.0;
  body->ellipsoid_radius = 0.0;
  if (radius > 0.0 && mo_contact_map_keeps_angles(body->column, &scale)) {
    body->ball_radius = scale * radius;
  } else {
    body->ellipsoid_radius = radius;
  }
}

static void set_map(mo_contact_body *body, const mo_transform *map, mo_dvec3 reference) {
  body->polytope = NULL;
  body->column[0] = mo_widen(map->x_axis);
  body->column[1] = mo_widen(map->y_axis);
  body->column[2] = mo_widen(map->z_axis);
  body->origin = mo_dsub(mo_widen(map->origin), reference);
}

/* Computes the unit side normals of a box. `length`: the lengths of its half axes. */
static void set_side_normals(mo_contact_body *body, const double length[3]) {
  for (int i = 0; i < 3; i++) {
    int u = (i + 1) % 3, v = (i + 2) % 3;
    mo_dvec3 normal = mo_dcross(body->axis[u], body->axis[v]);
    double area = mo_dlength(normal);
    bool is_flat = !(area > 0x1p-40 * length[u] * length[v]) || !(area > 0.0);
    double outward = mo_ddot(normal, body->axis[i]) < 0.0 ? -1.0 : 1.0;
    body->face_normal[i] = is_flat ? mo_dvec(0.0, 0.0, 0.0) : mo_dscale(outward / area, normal);
  }
}

/* Sets the core of a body that is the Minkowski sum of up to three centred segments. It is a point
 * if none of them has a length, a segment (axis[0]) if one has, and otherwise a box. */
static void set_core_of_segments(mo_contact_body *body, const mo_solid_image *sum) {
  int count = 0;
  double shortest = INFINITY, length[3];
  body->size = 0.0;
  for (int i = 0; i < sum->segment_count; i++) {
    length[i] = mo_dlength(sum->segment[i]);
    count += length[i] > 0.0;
    body->axis[i] = sum->segment[i];
    body->size += length[i];
    shortest = length[i] < shortest ? length[i] : shortest;
  }
  body->thickness = 0.0;
  if (count == 0) {
    body->kind = MO_CORE_POINT;
  } else if (count == 1) {
    body->kind = MO_CORE_SEGMENT;
    for (int i = 0; i < sum->segment_count; i++) {
      if (length[i] > 0.0) {
        body->axis[0] = sum->segment[i];
      }
    }
  } else {
    body->kind = MO_CORE_BOX;
    body->thickness = shortest;
    set_side_normals(body, length);
  }
}

void mo_contact_body_of_solid(mo_contact_body *body, const mo_solid *solid, const mo_transform *map,
                              mo_dvec3 reference) {
  set_map(body, map, reference);
  mo_solid_image sum = mo_solid_linear_image(solid, body->column);
  body->center = mo_dadd(body->origin, mo_map_columns(body->column, mo_solid_center(solid)));
  body->hull = sum.hull;
  set_rounding(body, sum.ball);
  mo_solid core = *solid;
  if (body->ball_radius > 0.0) {
    core.rounding = 0.0;
    core.radius = core.kind == MO_SOLID_SPHERE || core.kind == MO_SOLID_CAPSULE ? 0.0 : core.radius;
  }
  body->core.kind = MO_BODY_SOLID;
  body->core.bounds = mo_aabb_empty();
  body->core.has_loose_bounds = false;
  body->core.convex = mo_convex_make(&core, map);
  body->core.convex.origin = body->origin;
  if (sum.hull != NULL) {
    body->kind = MO_CORE_HULL;
    const mo_aabb *box = &sum.hull->bounds;
    mo_dvec3 half = sum.hull->half, extent = mo_dsub(mo_widen(box->upper), mo_widen(box->lower));
    double x = mo_dlength(body->column[0]), y = mo_dlength(body->column[1]),
           z = mo_dlength(body->column[2]);
    body->size = half.x * x + half.y * y + half.z * z;
    body->thickness =
        sum.hull->flat ? 0.0 : 0.5 * mo_dmin(extent.x * x, mo_dmin(extent.y * y, extent.z * z));
  } else if (sum.has_disc && solid->radius > 0.0) {
    body->kind = sum.is_cone ? MO_CORE_CONE : MO_CORE_CYLINDER;
    body->axis[0] = sum.segment[0];
    body->axis[1] = sum.disc[0];
    body->axis[2] = sum.disc[1];
    double along = mo_dlength(body->axis[0]), u = mo_dlength(body->axis[1]),
           v = mo_dlength(body->axis[2]);
    body->size = along + u + v;
    body->thickness = 0.5 * mo_dmin(along, mo_dmin(u, v));
  } else {
    set_core_of_segments(body, &sum);
  }
  for (int i = 0; i < 3 && body->ellipsoid_radius > 0.0; i++) {
    body->size += body->ellipsoid_radius * mo_dlength(body->column[i]);
  }
}

void mo_contact_body_of_corners(mo_contact_body *body, const mo_dvec3 corner[3],
                                const mo_transform *map, mo_dvec3 reference) {
  set_map(body, map, reference);
  body->kind = MO_CORE_TRIANGLE;
  body->core.kind = MO_BODY_TRIANGLE;
  body->core.bounds = mo_aabb_empty();
  body->core.has_loose_bounds = false;
  body->hull = NULL;
  body->ball_radius = 0.0;
  body->ellipsoid_radius = 0.0;
  body->thickness = 0.0;
  mo_dvec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3; i++) {
    body->core.corners[i] = corner[i];
    sum = mo_dadd(sum, corner[i]);
  }
  body->center = mo_dscale(1.0 / 3.0, sum);
  body->size = 0.0;
  for (int i = 0; i < 3; i++) {
    body->size = mo_dmax(body->size, mo_dlength(mo_dsub(body->core.corners[i], body->center)));
  }
}

void mo_contact_body_of_triangle(mo_contact_body *body, const mo_vec3 local[3],
                                 const mo_transform *map, mo_dvec3 reference) {
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
                 origin = mo_dsub(mo_widen(map->origin), reference);
  mo_dvec3 corner[3];
  for (int i = 0; i < 3; i++) {
    corner[i] = mo_dadd(origin, mo_map_columns(column, mo_widen(local[i])));
  }
  mo_contact_body_of_corners(body, corner, map, reference);
}

void mo_contact_body_of_half_space(mo_contact_body *body, const mo_half_space_body *half_space,
                                   mo_dvec3 reference) {
  body->polytope = NULL;
  body->core = mo_body_of_half_space(half_space);
  body->origin = mo_dsub(half_space->origin, reference);
}

mo_dvec3 mo_contact_body_rounding(const mo_contact_body *body, mo_dvec3 n) {
  if (body->ellipsoid_radius > 0.0) {
    mo_dvec3 along = mo_dot_columns(body->column, n);
    double width = mo_dlength(along);
    return width > 0.0
               ? mo_dscale(body->ellipsoid_radius / width, mo_map_columns(body->column, along))
               : mo_dvec(0.0, 0.0, 0.0);
  }
  return mo_dscale(body->ball_radius, n);
}

/* The support point of the elliptic rim along n, relative to the centre of the rim. */
static mo_dvec3 rim_support(const mo_contact_body *body, mo_dvec3 n) {
  double u = mo_ddot(body->axis[1], n), v = mo_ddot(body->axis[2], n), width = sqrt(u * u + v * v);
  if (!(width > 0.0)) {
    return mo_dvec(0.0, 0.0, 0.0);
  }
  return mo_dadd(mo_dscale(u / width, body->axis[1]), mo_dscale(v / width, body->axis[2]));
}

/* The farther along n of the two points at the vector `half` on either side of a middle. */
static mo_dvec3 farther_end(mo_dvec3 middle, mo_dvec3 half, mo_dvec3 n) {
  return mo_ddot(half, n) < 0.0 ? mo_dsub(middle, half) : mo_dadd(middle, half);
}

mo_dvec3 mo_contact_body_support(const mo_contact_body *body, mo_dvec3 n) {
  mo_dvec3 point = body->center;
  switch (body->kind) {
  case MO_CORE_POINT:
    return point;
  case MO_CORE_SEGMENT:
    return farther_end(point, body->axis[0], n);
  case MO_CORE_BOX:
    for (int i = 0; i < 3; i++) {
      point = farther_end(point, body->axis[i], n);
    }
    return point;
  case MO_CORE_TRIANGLE: {
    double a = mo_ddot(body->core.corners[0], n), b = mo_ddot(body->core.corners[1], n),
           c = mo_ddot(body->core.corners[2], n);
    return body->core.corners[a >= b ? (a >= c ? 0 : 2) : b >= c ? 1 : 2];
  }
  case MO_CORE_HULL: {
    const mo_dvec3 local = mo_dot_columns(body->column, n);
    return mo_contact_hull_vertex(body, mo_hull_farthest_vertex(body->hull, local, MO_NONE));
  }
  case MO_CORE_CYLINDER:
    return mo_dadd(farther_end(point, body->axis[0], n), rim_support(body, n));
  case MO_CORE_CONE: {
    mo_dvec3 base = mo_dadd(mo_dadd(point, body->axis[0]), rim_support(body, n));
    mo_dvec3 apex = mo_dsub(point, body->axis[0]);
    return mo_ddot(apex, n) > mo_ddot(base, n) ? apex : base;
  }
  }
  __builtin_unreachable();
}

static double rounded_thickness(const mo_contact_body *body) {
  return body->thickness + body->ball_radius;
}

double mo_contact_face_bias(const mo_contact_body *a, const mo_contact_body *b) {
  double x = rounded_thickness(a), y = rounded_thickness(b);
  return MO_FACE_BIAS * (x > 0.0 && y > 0.0 ? mo_dmin(x, y) : mo_dmax(x, y));
}
