/* Boxes against triangles by separating axes.
 *
 * Thirteen axes decide: the normals of the triangle and of the box's sides, and the cross products
 * of their edges (Gottschalk, Lin and Manocha, "OBBTree", 1996). A moving box and a triangle
 * overlap along each axis during an interval of t. They touch from the time at which the last of
 * these intervals begins until the first one ends (Ericson, Real-Time Collision Detection,
 * 2005, 5.5.8).
 *
 * The axes suffice for flat boxes and degenerate triangles too, since the three directions of a box
 * are always independent: if both bodies lie in one plane, the normal of an edge within the plane
 * is found from the cross product with at least one of the directions.
 *
 * Any vector is a valid separating axis. So the rounding error of an axis does not matter, only
 * that of the projections on it: all corners and segments are projected, also those that are
 * perpendicular to the axis but for rounding. Axes need not have unit length, and may be zero. */
#include "geometry/penetration/box_triangle.h"

#include "geometry/triangle/triangle.h"

/* Boxes are usable only if their unit directions span a volume of at least about this. */
static const double min_relative_volume = 0x1p-10;

/* Returns s * v, without negative zeros. */
static mo_dvec3 scaled(double s, mo_dvec3 v) {
  return mo_dvec(s * v.x + 0.0, s * v.y + 0.0, s * v.z + 0.0);
}

mo_box_body mo_box_body_of(const mo_body *body) {
  mo_box_body box = {.is_usable = false};
  const mo_convex *convex = &body->convex;
  if ((body->kind != MO_BODY_SOLID && body->kind != MO_BODY_AABB) ||
      convex->solid.kind != MO_SOLID_BOX || convex->solid.rounding > 0.0) {
    return box;
  }
  const double half[3] = {convex->solid.b.x, convex->solid.b.y, convex->solid.b.z};
  mo_sum4 center = {.value = mo_d4_splat(0.0)};
  mo_convex_add_center(convex, 1.0, &center);
  box.center = mo_d4_to_vector(center.value);
  box.center_remainder = mo_d4_to_vector(center.error);
  for (int i = 0; i < 3; ++i) {
    double square = mo_ddot(convex->column[i], convex->column[i]);
    if (!(square > 0x1p-200 && square < 0x1p200)) {
      return box;
    }
    box.direction[i] = mo_dscale(1.0 / sqrt(square), convex->column[i]);
    box.segment[i] = mo_dscale(half[i], convex->column[i]);
  }
  for (int i = 0; i < 3; ++i) {
    mo_dvec3 normal = mo_dcross(box.direction[(i + 1) % 3], box.direction[(i + 2) % 3]);
    double square = mo_ddot(normal, normal);
    if (!(square >= min_relative_volume * min_relative_volume)) {
      return box;
    }
    box.normal[i] = mo_dscale(1.0 / sqrt(square), normal);
  }
  box.is_usable = fabs(mo_ddot(box.normal[0], box.direction[0])) >= min_relative_volume;
  return box;
}

/* The numbers of the separating axes: first the triangle's normal, then the normals of the box's
 * sides, then the cross products of edges. */
enum { TRIANGLE_NORMAL_AXIS = 0, FIRST_SIDE_AXIS = 1, FIRST_EDGE_AXIS = 4, AXIS_COUNT = 13 };

/* A box and a triangle, relative to the centre of the box. */
typedef struct box_and_triangle {
  const mo_box_body *box;
  mo_dvec3 corner[3], edge[3];
} box_and_triangle;

static box_and_triangle box_triangle_pair(const mo_box_body *box, const mo_dvec3 corners[3]) {
  box_and_triangle p = {.box = box};
  for (int i = 0; i < 3; ++i) {
    p.corner[i] = mo_dsub(mo_dsub(corners[i], box->center), box->center_remainder);
  }
  for (int i = 0; i < 3; ++i) {
    p.edge[i] = mo_dsub(p.corner[(i + 1) % 3], p.corner[i]);
  }
  return p;
}

/* The projections of a triangle and a box on an axis. */
typedef struct projection {
  mo_dvec3 axis;
  double low, high; /* the triangle extends from low to high */
  double reach;     /* the box extends from -reach to reach */
} projection;

static projection project_on_axis(const box_and_triangle *p, int i) {
  const mo_box_body *box = p->box;
  projection on = {.axis = i == TRIANGLE_NORMAL_AXIS ? mo_dcross(p->edge[0], p->edge[1])
                           : i < FIRST_EDGE_AXIS
                               ? box->normal[i - FIRST_SIDE_AXIS]
                               : mo_dcross(p->edge[(i - FIRST_EDGE_AXIS) / 3],
                                           box->direction[(i - FIRST_EDGE_AXIS) % 3])};
  double a = mo_ddot(on.axis, p->corner[0]), b = mo_ddot(on.axis, p->corner[1]);
  double c = mo_ddot(on.axis, p->corner[2]);
  on.low = mo_dmin(mo_dmin(a, b), c);
  on.high = mo_dmax(mo_dmax(a, b), c);
  on.reach = fabs(mo_ddot(on.axis, box->segment[0])) + fabs(mo_ddot(on.axis, box->segment[1])) +
             fabs(mo_ddot(on.axis, box->segment[2]));
  return on;
}

/* If the results of two axes differ by less than this, relatively, the first axis is preferred. */
static const double tie_tolerance = 0x1p-50;

/* The times at which a moving box and a triangle overlap along all axes tested so far, and the axis
 * along which they touch last, which points to the box. */
typedef struct contact_times {
  double enter, leave;
  mo_dvec3 axis;
} contact_times;

static bool narrow_times(contact_times *s, const projection *on, const mo_box_path *path) {
  double speed = mo_ddot(on->axis, path->displacement), length = mo_sum_of_magnitudes(on->axis);
  bool back = speed < 0.0;
  double ahead = (back ? -on->high : on->low) - on->reach;
  double behind = (back ? -on->low : on->high) + on->reach + path->touch_distance * length;
  if (behind < 0.0) {
    return false;
  }
  if (!(fabs(speed) > 0x1p-48 * mo_sum_of_magnitudes(path->displacement) * length)) {
    return ahead <= path->touch_distance * length; /* the motion does not change the gap */
  }
  if (ahead > s->enter * (1.0 + tie_tolerance) * fabs(speed)) {
    s->enter = ahead / fabs(speed);
    s->axis = scaled(back ? 1.0 : -1.0, on->axis);
  }
  if (behind < s->leave * fabs(speed)) {
    s->leave = behind / fabs(speed);
  }
  return s->enter <= s->leave && s->enter <= path->limit;
}

mo_box_sweep mo_box_sweep_triangle(const mo_box_body *box, const mo_dvec3 corners[3],
                                   const mo_box_path *path) {
  const box_and_triangle p = box_triangle_pair(box, corners);
  contact_times s = {.leave = INFINITY, .axis = {0.0, 0.0, 0.0}};
  bool meets = true, starts_near = true;
  for (int i = 0; i < AXIS_COUNT && (meets || starts_near); ++i) {
    const projection on = project_on_axis(&p, i);
    double gap = mo_dmax(on.low, -on.high) - on.reach;
    starts_near = starts_near && gap <= path->near_distance * mo_sum_of_magnitudes(on.axis);
    meets = meets && narrow_times(&s, &on, path);
  }
  double length = mo_dlength(s.axis);
  return (mo_box_sweep){.t = meets ? s.enter : INFINITY,
                        .starts_near = starts_near,
                        .normal = scaled(length > 0.0 ? 1.0 / length : 0.0, s.axis)};
}

mo_box_push_out mo_box_find_push_out(const mo_box_body *box, const mo_dvec3 corners[3],
                                     double min_depth) {
  const box_and_triangle p = box_triangle_pair(box, corners);
  mo_box_push_out push_out = {.depth = INFINITY};
  for (int i = 0; i < AXIS_COUNT && push_out.depth >= min_depth; ++i) {
    const projection on = project_on_axis(&p, i);
    double square = mo_ddot(on.axis, on.axis);
    if (!(square > 0x1p-800)) {
      continue;
    }
    double up = on.high + on.reach, down = on.reach - on.low;
    double scale = 1.0 / sqrt(square), depth = scale * mo_dmin(up, down);
    if (depth < push_out.depth - tie_tolerance * fabs(depth)) {
      push_out.depth = depth;
      push_out.normal = scaled(up <= down ? scale : -scale, on.axis);
    }
  }
  return push_out;
}

/* The part of a segment that remains after clipping: the points from + u * along, where u goes from
 * `first` to `last`. */
typedef struct segment_part {
  mo_dvec3 from, along; /* start of the segment, and the vector to its end */
  double tolerance;     /* how far a segment parallel to a clipping plane may be outside */
  double first, last;   /* the range of u that remains */
  bool is_outside;      /* all of it is clipped by a plane that is parallel to it */
} segment_part;

static segment_part whole_segment(mo_dvec3 from, mo_dvec3 along, double tolerance) {
  return (segment_part){
      .from = from, .along = along, .tolerance = tolerance, .first = 0.0, .last = 1.0};
}

/* Clips a segment part to the back of a plane: the side to which its normal does not point. */
static void clip(segment_part *p, mo_dvec3 normal, mo_dvec3 point) {
  double slope = mo_ddot(normal, p->along), height = mo_ddot(normal, mo_dsub(p->from, point));
  double min = p->tolerance * mo_dlength(normal);
  if (slope > min) {
    p->last = mo_dmin(p->last, -height / slope);
  } else if (slope < -min) {
    p->first = mo_dmax(p->first, -height / slope);
  } else {
    p->is_outside = p->is_outside || height > min;
  }
}

static mo_dvec3 middle_of(const segment_part *p) {
  double u = mo_dmin(mo_dmax(0.5 * (p->first + p->last), 0.0), 1.0);
  return mo_dadd(p->from, mo_dscale(u, p->along));
}

/* The part of the box that touches the triangle: a vertex, edge or face. */
typedef struct touching_feature {
  mo_dvec3 middle;  /* the vertex, or the middle of the edge or face */
  mo_dvec3 half[3]; /* half segments that span the edge or face */
  int count;        /* entries of `half`: 0 for a vertex, 1 for an edge, 2 for a face */
  double tolerance;
} touching_feature;

static touching_feature touching_feature_of(const mo_box_body *box, mo_dvec3 normal,
                                            double tolerance) {
  touching_feature s = {.middle = {0.0, 0.0, 0.0}, .count = 0, .tolerance = tolerance};
  for (int i = 0; i < 3; ++i) {
    mo_dvec3 v = box->segment[i];
    double height = mo_ddot(normal, v);
    if (fabs(height) > tolerance) {
      s.middle = height > 0.0 ? mo_dsub(s.middle, v) : mo_dadd(s.middle, v);
    } else if (min_relative_volume * mo_dlength(v) > 2.0 * tolerance) {
      s.half[s.count++] = v; /* at most twice: the segments are independent */
    }
  }
  return s;
}

/* The part of an edge of the triangle that lies in an edge or face of the box. */
static segment_part edge_part_in_feature(const touching_feature *s, mo_dvec3 from, mo_dvec3 along,
                                         mo_dvec3 normal) {
  segment_part p = whole_segment(from, along, s->tolerance);
  mo_dvec3 across = mo_dcross(s->half[0], normal);
  double slope = mo_ddot(across, along);
  if (s->count == 1 && slope * slope > 0x1p-40 * mo_ddot(across, across) * mo_ddot(along, along)) {
    p.first = p.last = mo_ddot(across, mo_dsub(s->middle, from)) / slope; /* where both cross */
    return p;
  }
  for (int k = 0; k < s->count; ++k) {
    mo_dvec3 half = s->half[k];
    mo_dvec3 out = s->count == 1 ? half : mo_dcross(s->half[1 - k], normal);
    out = mo_ddot(out, half) < 0.0 ? mo_dscale(-1.0, out) : out;
    clip(&p, out, mo_dadd(s->middle, half));
    clip(&p, mo_dscale(-1.0, out), mo_dsub(s->middle, half));
  }
  return p;
}

/* A point at which an edge or face of the box touches the face of the triangle. */
static mo_dvec3 point_on_face(const touching_feature *s, const box_and_triangle *triangle,
                              mo_dvec3 normal) {
  const mo_dvec3 *corners = triangle->corner, *edge = triangle->edge;
  if (s->count == 1) {
    segment_part p =
        whole_segment(mo_dsub(s->middle, s->half[0]), mo_dscale(2.0, s->half[0]), s->tolerance);
    mo_dvec3 up = mo_dcross(edge[0], edge[1]);
    for (int i = 0; i < 3; ++i) {
      clip(&p, mo_dcross(edge[i], up), corners[i]);
    }
    return mo_triangle_closest_point(corners, middle_of(&p));
  }
  double longest = 0.0;
  mo_dvec3 point = mo_triangle_closest_point(corners, s->middle);
  for (int i = 0; i < 3; ++i) {
    segment_part p = edge_part_in_feature(s, corners[i], edge[i], normal);
    double length = (p.last - p.first) * mo_dlength(edge[i]);
    if (!p.is_outside && length > longest) {
      longest = length;
      point = middle_of(&p);
    }
  }
  return point;
}

/* The longest edge of the triangle with both corners touching the box; -1 if the whole face
 * touches. */
static int touching_edge_of(const box_and_triangle *p, const bool touches[3], int count) {
  int longest = 0;
  double max = -1.0;
  for (int i = 0; i < 3; ++i) {
    double square = mo_ddot(p->edge[i], p->edge[i]);
    if (touches[i] && touches[(i + 1) % 3] && square > max) {
      max = square;
      longest = i;
    }
  }
  mo_dvec3 area = mo_dcross(p->edge[0], p->edge[1]);
  return count == 3 && mo_ddot(area, area) > 0x1p-80 * max * max ? -1 : longest;
}

mo_dvec3 mo_box_find_touch_point(const mo_box_body *box, mo_dvec3 shift, mo_dvec3 normal,
                                 const mo_dvec3 corners[3]) {
  box_and_triangle p = box_triangle_pair(box, corners);
  double height[3], top = -INFINITY, tolerance = 0.0;
  for (int i = 0; i < 3; ++i) {
    p.corner[i] = mo_dsub(p.corner[i], shift);
    tolerance +=
        0x1p-28 * (mo_sum_of_magnitudes(p.edge[i]) + mo_sum_of_magnitudes(box->segment[i]));
    height[i] = mo_ddot(normal, p.corner[i]);
    top = mo_dmax(top, height[i]);
  }
  bool touches[3];
  int count = 0, last = 0;
  for (int i = 0; i < 3; ++i) {
    touches[i] = height[i] >= top - tolerance;
    count += touches[i];
    last = touches[i] ? i : last;
  }
  if (count == 1) {
    return corners[last];
  }
  const touching_feature s = touching_feature_of(box, normal, tolerance);
  mo_dvec3 point;
  int edge = s.count > 0 ? touching_edge_of(&p, touches, count) : -1;
  if (s.count == 0) {
    point = mo_triangle_closest_point(p.corner, s.middle);
  } else if (edge < 0) {
    point = point_on_face(&s, &p, normal);
  } else {
    segment_part found = edge_part_in_feature(&s, p.corner[edge], p.edge[edge], normal);
    point = middle_of(&found);
  }
  return mo_dadd(mo_dadd(point, shift), mo_dadd(box->center, box->center_remainder));
}
