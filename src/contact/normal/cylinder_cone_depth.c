/* The penetration depth of a cylinder or cone and a polytope: the least overlap along all
 * directions that may have it. The Minkowski difference of the two is convex. At the point of its
 * boundary that is closest to the origin, the normal is of one of these kinds: the normal of a face
 * of either body; a normal of the round side perpendicular to an edge of the polytope; a normal of
 * the round side that leads to a corner of the polytope; a direction perpendicular to an edge along
 * which a rim supports the round body. The last kind is searched for along the arc of normals of
 * the edge, by branch and bound; all others are closed forms. */
#include "contact/normal/cylinder_cone.h"
#include "contact/normal/polytope.h"

enum { MAX_REGULA_FALSI_STEPS = 60, MAX_ARC_HALVINGS = 10 };

/* Fractions of the size of the cylinder or cone. Positions closer than `position_tolerance` are the
 * same. Derivatives of the separation below `slope_tolerance` are rounding errors. */
static const double position_tolerance = 0x1p-34, slope_tolerance = 0x1p-48;

typedef struct depth_search {
  const mo_cylinder_cone *round;
  const mo_contact_polytope *polytope;
  mo_best_direction best;
  double height[MO_HULL_TABLE_MAX_FACES]; /* by face: height of the round body's centre over it */
} depth_search;

/* How far the cylinder or cone reaches from its centre along a unit vector (support distance). */
static double support_distance(const mo_cylinder_cone *r, mo_dvec3 n) {
  double along = mo_ddot(n, r->frame[2]), across2 = 1.0 - along * along;
  return mo_cylinder_cone_reach(r, along, sqrt(across2 > 0.0 ? across2 : 0.0));
}

/* The height, along n, of the polytope's lowest vertex over the centre of the cylinder or cone. */
static double min_vertex_height(const depth_search *s, mo_dvec3 n) {
  double min = INFINITY;
  for (uint32_t i = 0; i < s->polytope->vertex_count; i++) {
    double height = mo_ddot(n, mo_dsub(s->polytope->vertices[i], s->round->center));
    min = height < min ? height : min;
  }
  return min;
}

/* Tries the normals of both ends of a cylinder, or of the base of a cone. */
static void try_ends(depth_search *s) {
  mo_dvec3 up = s->round->frame[2], down = mo_dscale(-1.0, up);
  mo_keep_better_direction(&s->best, min_vertex_height(s, up) - s->round->half_height, up);
  if (!s->round->is_cone) {
    mo_keep_better_direction(&s->best, min_vertex_height(s, down) - s->round->half_height, down);
  }
}

static void try_faces(depth_search *s) {
  const mo_contact_polytope *p = s->polytope;
  for (uint32_t i = 0; i < p->axis_face_count; i++) {
    mo_dvec3 n = mo_dscale(-1.0, p->normals[i]);
    mo_keep_better_direction(&s->best, s->height[i] - support_distance(s->round, n), n);
  }
}

/* Tries the directions perpendicular to the axis, for the side of a cylinder. Projected along the
 * axis, the bodies are a circle and the silhouette polygon of the polytope. */
static void try_cylinder_side(depth_search *s) {
  const mo_cylinder_cone *r = s->round;
  const mo_contact_polytope *p = s->polytope;
  const double small = position_tolerance * (r->radius + r->half_height);
  double closest2 = INFINITY, inside = INFINITY;
  mo_dvec3 closest = {0.0, 0.0, 0.0}, inward = closest;
  for (uint32_t i = 0; i < p->edge_count; i++) {
    const mo_hull_table_edge *e = &p->edges[i];
    double rise = mo_ddot(p->normals[e->faces[0]], r->frame[2]);
    if (rise * mo_ddot(p->normals[e->faces[1]], r->frame[2]) > 0.0) {
      continue;
    }
    mo_dvec3 start = mo_cylinder_cone_radial(r, mo_dsub(p->vertices[e->start], r->center)),
             end = mo_cylinder_cone_radial(r, mo_dsub(p->vertices[e->end], r->center)),
             along = mo_dsub(end, start);
    double length2 = mo_ddot(along, along), t = -mo_ddot(start, along);
    t = t > 0.0 ? (t < length2 ? t / length2 : 1.0) : 0.0;
    mo_dvec3 point = mo_dadd(start, mo_dscale(t, along));
    double distance2 = mo_ddot(point, point);
    if (distance2 < closest2) {
      closest2 = distance2;
      closest = point;
    }
    mo_dvec3 in = mo_dunit(mo_dcross(along, r->frame[2]));
    double from_center = mo_ddot(in, mo_dsub(p->vertices[e->start], p->center));
    in = from_center > 0.0 ? mo_dscale(-1.0, in) : in;
    double depth = -mo_ddot(in, start);
    if (length2 > small * small && (fabs(from_center) <= small || depth < inside)) {
      inside = fabs(from_center) <= small ? -INFINITY : depth;
      inward = in;
    }
  }
  double distance = sqrt(closest2);
  if (inside > 0.0 && inside < INFINITY) {
    mo_keep_better_direction(&s->best, -inside - r->radius, inward);
  } else if (distance > small) {
    mo_keep_better_direction(&s->best, distance - r->radius, mo_dscale(1.0 / distance, closest));
  } else {
    mo_keep_better_direction(&s->best, -r->radius, inward);
  }
}

/* Tries the normal of the side of a cone at the radial direction `out`. `corner`: the corner of the
 * polytope that is to be the lowest along that normal. */
static void try_cone_side(depth_search *s, mo_dvec3 out, mo_dvec3 corner) {
  const mo_cylinder_cone *r = s->round;
  double length = mo_dlength(out);
  mo_dvec3 n = mo_dadd(mo_dscale(r->side_z, r->frame[2]), mo_dscale(r->side_rho / length, out));
  if (length > 0.0 &&
      mo_ddot(n, mo_dsub(corner, r->center)) - support_distance(r, n) > s->best.separation) {
    mo_keep_better_direction(&s->best, min_vertex_height(s, n) - support_distance(r, n), n);
  }
}

/* Tries the normals of the side of a cone that lead to corners of the polytope or are perpendicular
 * to its edges. */
static void try_cone_sides(depth_search *s) {
  const mo_cylinder_cone *r = s->round;
  const mo_contact_polytope *p = s->polytope;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    try_cone_side(s, mo_cylinder_cone_radial(r, mo_dsub(p->vertices[i], r->center)),
                  p->vertices[i]);
  }
  for (uint32_t i = 0; i < p->edge_count; i++) {
    const mo_hull_table_edge *e = &p->edges[i];
    mo_dvec3 along = mo_dsub(p->vertices[e->end], p->vertices[e->start]);
    mo_dvec3 flat = mo_cylinder_cone_radial(r, along);
    double length = mo_dlength(flat);
    double cosine = -r->side_z * mo_ddot(along, r->frame[2]) / (r->side_rho * length);
    if (length > 0.0 && fabs(cosine) <= 1.0) {
      mo_dvec3 u = mo_dscale(cosine / length, flat),
               v = mo_dscale(sqrt(1.0 - cosine * cosine) / length, mo_dcross(r->frame[2], flat));
      try_cone_side(s, mo_dadd(u, v), p->vertices[e->start]);
      try_cone_side(s, mo_dsub(u, v), p->vertices[e->start]);
    }
  }
}

/* The arc of normals of an edge of the polytope: the directions between the normals of its two
 * faces. Only the part along which one rim supports the cylinder or cone is searched. */
typedef struct arc {
  const mo_cylinder_cone *round;
  mo_dvec3 along; /* the unit direction of the edge: the axis that the arc rotates about */
  mo_dvec3 middle_to_corner; /* from the middle of the rim to a corner of the edge */
  mo_dvec3 apex_to_corner;   /* from the apex of a cone to the same corner */
} arc;

/* A direction of the arc, from the cylinder or cone to the edge. */
typedef struct arc_direction {
  mo_dvec3 normal;          /* unit */
  mo_dvec3 tangent;         /* derivative of `normal` along the arc */
  mo_dvec3 rim_to_corner;   /* from the support point of the rim to the corner */
  double separation, slope; /* separation along `normal`, and its derivative along the arc */
} arc_direction;

/* The direction of the arc along `n`, which may have any length. If `n` is parallel to the axis,
 * the whole rim supports; then the middle of the rim is used. */
static arc_direction arc_direction_at(const arc *a, mo_dvec3 n) {
  arc_direction m = {.normal = mo_dunit(n)};
  mo_dvec3 out = mo_cylinder_cone_radial(a->round, m.normal);
  m.tangent = mo_dcross(a->along, m.normal);
  double across = mo_dlength(out),
         rim = across > position_tolerance ? a->round->radius / across : 0.0;
  m.rim_to_corner = mo_dsub(a->middle_to_corner, mo_dscale(rim, out));
  m.separation = mo_ddot(m.normal, m.rim_to_corner);
  m.slope = mo_ddot(m.tangent, m.rim_to_corner);
  return m;
}

/* The greatest dot product of v with a direction of the arc between `low` and `high`. */
static double max_dot_on_arc(const arc_direction *low, const arc_direction *high, mo_dvec3 v) {
  double first = mo_ddot(low->normal, v), last = mo_ddot(high->normal, v);
  double rise = mo_ddot(low->tangent, v);
  if (rise > 0.0 && mo_ddot(high->tangent, v) < 0.0) {
    return sqrt(first * first + rise * rise);
  }
  return first > last ? first : last;
}

/* Finds the direction of the greatest separation between `low`, where the separation increases, and
 * `high`, where it decreases: by the regula falsi with the Illinois modification, which halves the
 * value at an end that is kept. */
static arc_direction find_max_on_arc(const arc *a, const arc_direction *low,
                                     const arc_direction *high) {
  const mo_dvec3 chord = mo_dsub(high->normal, low->normal);
  const double flat = slope_tolerance * (a->round->radius + a->round->half_height);
  double begin = 0.0, end = 1.0, rising = low->slope, falling = high->slope;
  arc_direction m = *low;
  for (int i = 0; i < MAX_REGULA_FALSI_STEPS && end - begin > 0x1p-44 && fabs(m.slope) > flat;
       i++) {
    double t = (begin * falling - end * rising) / (falling - rising);
    t = t > begin && t < end ? t : 0.5 * (begin + end);
    m = arc_direction_at(a, mo_dadd(low->normal, mo_dscale(t, chord)));
    if (m.slope > 0.0) {
      begin = t;
      rising = m.slope;
      falling *= 0.5;
    } else {
      end = t;
      falling = m.slope;
      rising *= 0.5;
    }
  }
  return m;
}

/* Keeps a direction of the arc if the separation along it is the greatest so far. The apex of a
 * cone may reach farther than its rim. */
static void keep_arc_direction(depth_search *s, const arc *a, const arc_direction *m) {
  double separation = m->separation;
  if (a->round->is_cone) {
    double of_apex = mo_ddot(m->normal, a->apex_to_corner);
    separation = of_apex < separation ? of_apex : separation;
  }
  mo_keep_better_direction(&s->best, separation, m->normal);
}

/* Searches the arc between two directions by bisection. Halves of the arc are culled by an upper
 * bound: the separation along a direction is at most the component, along it, of `rim_to_corner` of
 * any other direction, and at most the separation of the apex. */
static void try_arc(depth_search *s, const arc *a, const arc_direction *low,
                    const arc_direction *high, int halvings) {
  const double size = a->round->radius + a->round->half_height,
               min = s->best.separation + position_tolerance * size;
  if (max_dot_on_arc(low, high, low->rim_to_corner) <= min ||
      max_dot_on_arc(low, high, high->rim_to_corner) <= min ||
      (a->round->is_cone && max_dot_on_arc(low, high, a->apex_to_corner) <= min)) {
    return;
  }
  if (halvings > 0) {
    const arc_direction m =
        low->slope > slope_tolerance * size && high->slope < -slope_tolerance * size
            ? find_max_on_arc(a, low, high)
            : arc_direction_at(a, mo_dadd(low->normal, high->normal));
    keep_arc_direction(s, a, &m);
    try_arc(s, a, low, &m, halvings - 1);
    try_arc(s, a, &m, high, halvings - 1);
  }
}

/* Tries the arc of normals of an edge with the rims. For a cylinder the arc is split where it
 * crosses the plane perpendicular to the axis, as there the supporting rim changes. */
static void try_edge_with_rims(depth_search *s, const mo_hull_table_edge *e) {
  const mo_contact_polytope *p = s->polytope;
  const mo_cylinder_cone *r = s->round;
  const mo_dvec3 axis = r->frame[2];
  const uint8_t *faces = e->faces;
  mo_dvec3 ends[3] = {mo_dscale(-1.0, p->normals[faces[0]])};
  int parts = 1;
  ends[1] = mo_dscale(-1.0, p->normals[faces[1]]);
  /* The support distance of the cylinder or cone is at least the radius of a ball inside it. */
  double out = r->is_cone ? 0.5 * r->side_rho * r->radius : r->radius;
  double ball = out < r->half_height ? out : r->half_height;
  if (!mo_edge_height_may_exceed(
          s->height[faces[0]], s->height[faces[1]], mo_ddot(ends[0], ends[1]),
          s->best.separation + ball - position_tolerance * (r->radius + r->half_height))) {
    return;
  }
  mo_dvec3 along = mo_dunit(mo_dsub(p->vertices[e->end], p->vertices[e->start]));
  if (mo_ddot(mo_dcross(ends[0], ends[1]), along) < 0.0) {
    along = mo_dscale(-1.0, along);
  }
  double from = mo_ddot(ends[0], axis), to = mo_ddot(ends[1], axis);
  if (!r->is_cone && from * to < 0.0) {
    ends[2] = ends[1];
    ends[1] = mo_dadd(mo_dscale(to / (to - from), ends[0]), mo_dscale(from / (from - to), ends[2]));
    parts = 2;
  }
  for (int i = 0; i < parts; i++) {
    double up = mo_ddot(mo_dadd(ends[i], ends[i + 1]), axis);
    mo_dvec3 rim = mo_dadd(
        r->center, mo_dscale(up < 0.0 && !r->is_cone ? -r->half_height : r->half_height, axis));
    const mo_dvec3 middle = mo_dsub(p->vertices[e->start], rim);
    const arc a = {r, along, middle, mo_dadd(middle, mo_dscale(2.0 * r->half_height, axis))};
    const arc_direction low = arc_direction_at(&a, ends[i]),
                        high = arc_direction_at(&a, ends[i + 1]);
    try_arc(s, &a, &low, &high, MAX_ARC_HALVINGS);
  }
}

bool mo_cylinder_cone_depth(const mo_contact_body *round, const mo_contact_body *other,
                            mo_dvec3 *normal, double *depth) {
  mo_cylinder_cone r;
  if (other->ellipsoid_radius > 0.0 || !mo_contact_body_is_polytope(other) ||
      !mo_cylinder_cone_of(&r, round)) {
    return false;
  }
  mo_contact_polytope made, *p = mo_contact_polytope_get(other, &made);
  if (!p->has_volume) {
    return false;
  }
  mo_contact_polytope_make_all(p);
  depth_search s;
  s.round = &r;
  s.polytope = p;
  s.best = (mo_best_direction){.separation = -INFINITY};
  for (uint32_t i = 0; i < p->face_count; i++) {
    s.height[i] = mo_ddot(p->normals[i], r.center) - p->offsets[i];
  }
  try_ends(&s);
  try_faces(&s);
  if (r.is_cone) {
    try_cone_sides(&s);
  } else {
    try_cylinder_side(&s);
  }
  for (uint32_t i = 0; i < p->edge_count; i++) {
    try_edge_with_rims(&s, &p->edges[i]);
  }
  *normal = s.best.normal;
  /* recomputed from support points, so that rounding errors of the face planes do not matter */
  *depth = support_distance(&r, *normal) - min_vertex_height(&s, *normal);
  return s.best.separation > -INFINITY;
}
