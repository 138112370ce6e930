/* Penetration depth by the expanding polytope algorithm, EPA (van den Bergen, "Proximity Queries
 * and Penetration Depth Computation on 3D Game Objects", 2001), in double precision.
 *
 * Two bodies overlap if their Minkowski difference A - B, a convex body, contains the origin.
 * Moving B by t moves the difference by -t, so the shortest translation that separates them goes
 * from the origin to the closest point of the difference's boundary. A polytope grows inside the
 * difference: the face closest to the origin is replaced by faces to the support point along its
 * normal. The distance of the closest face is a lower bound of the depth. The plane through each
 * support point gives an upper bound: a translation beyond that plane separates the bodies. The
 * result is the least upper bound with its normal, so the translation always separates them,
 * whether the search ends because the bounds agree, the polytope is full, or rounding prevents
 * progress. In the latter cases the normal is improved by local descent
 * (geometry/penetration/descent.c).
 *
 * The first tetrahedron need not contain the origin: a face with the origin on its outer side has a
 * negative distance, and is replaced first. A difference without volume (as for flat bodies in one
 * plane) has depth 0 perpendicular to its plane.
 *
 * For boxes and triangles there is a closed form (geometry/penetration/box_triangle.c). */
#include "geometry/penetration/penetration.h"

#include <float.h>
#include <string.h>

#include "base/assert.h"
#include "geometry/difference/difference.h"
#include "geometry/penetration/box_triangle.h"
#include "geometry/penetration/push_outs.h"

/* EPA has converged if its bounds differ by at most this, relative to the sizes. */
static const double convergence_tolerance = 0x1p-36;

enum { MAX_VERTICES = 128, MAX_FACES = 2 * MAX_VERTICES };

typedef struct face {
  int vertex[3];
  int neighbor[3]; /* the face at the edge from vertex[i] to vertex[(i + 1) % 3] */
  mo_dvec3 normal; /* unit, outward; zero if the face has no area */
  double distance; /* of its plane from the origin; INFINITY if it has no plane */
  bool used, visible;
  bool is_sliver; /* too narrow for its plane to be well defined: never expanded */
} face;

typedef struct polytope {
  mo_difference_point vertices[MAX_VERTICES];
  face faces[MAX_FACES];
  int vertex_count, face_count;
  int first_unused; /* all slots of faces before this one are used */
  double size;      /* magnitude of the vertices' coordinates */
  double rounding;  /* rounding error of the vertices' coordinates */
  double tolerance; /* EPA ends if the bounds of the depth differ by at most this */
} polytope;

static mo_dvec3 difference_at(const polytope *p, int vertex) {
  return p->vertices[vertex].difference;
}

static mo_dvec3 unit(mo_dvec3 v) {
  return mo_dscale(1.0 / mo_dlength(v), v);
}

/* Computes the plane of a face, from the corner between its two shortest edges, whose cross product
 * has the least cancellation. */
static void set_plane(const polytope *p, face *f) {
  mo_dvec3 a = difference_at(p, f->vertex[0]), b = difference_at(p, f->vertex[1]),
           c = difference_at(p, f->vertex[2]);
  mo_dvec3 ab = mo_dsub(b, a), bc = mo_dsub(c, b), ca = mo_dsub(a, c);
  double l0 = mo_dsquare(ab), l1 = mo_dsquare(bc), l2 = mo_dsquare(ca);
  const int side = mo_largest_of_three(l0, l1, l2);
  mo_dvec3 n = side == 0 ? mo_dcross(bc, ca) : side == 1 ? mo_dcross(ca, ab) : mo_dcross(ab, bc);
  double longest = sqrt(mo_dmax(mo_dmax(l0, l1), l2)), area = mo_dlength(n);
  f->is_sliver = !(area > 0x1p-26 * p->size * longest);
  if (area > p->rounding * longest) {
    f->normal = mo_dscale(1.0 / area, n);
    f->distance =
        mo_dmax(mo_dmax(mo_ddot(f->normal, a), mo_ddot(f->normal, b)), mo_ddot(f->normal, c));
  } else {
    f->normal = mo_dvec(0.0, 0.0, 0.0);
    f->distance = INFINITY;
  }
}

/* Adds a face in an unused slot; the caller sets its neighbours. Returns the slot; negative if all
 * are used. */
static int add_face(polytope *p, int u, int v, int w) {
  int i = p->first_unused;
  while (i < p->face_count && p->faces[i].used) {
    i++;
  }
  if (i == MAX_FACES) {
    return -1;
  }
  p->face_count += i == p->face_count;
  p->first_unused = i + 1;
  face *f = &p->faces[i];
  *f = (face){.vertex = {u, v, w}, .used = true};
  set_plane(p, f);
  return i;
}

/* An edge of the horizon, the border of the visible faces. An array is indexed by the vertex at
 * which the edge starts. */
typedef struct horizon_edge {
  int to;      /* the vertex at which it ends; negative: no edge starts here */
  int outside; /* the invisible face at this edge */
} horizon_edge;

static void set_neighbor(face *f, int from, int to, int neighbour) {
  for (int i = 0; i < 3; i++) {
    if (f->vertex[i] == to && f->vertex[(i + 1) % 3] == from) {
      f->neighbor[i] = neighbour;
    }
  }
}

/* Marks the faces visible from a vertex, by a flood fill that starts at one of them. */
static void mark_visible(polytope *p, int first, mo_dvec3 eye) {
  int stack[MAX_FACES], depth = 0;
  p->faces[first].visible = true;
  stack[depth++] = first;
  while (depth > 0) {
    const face *f = &p->faces[stack[--depth]];
    for (int i = 0; i < 3; i++) {
      face *g = &p->faces[f->neighbor[i]];
      if (!g->visible &&
          (g->distance == INFINITY || mo_ddot(g->normal, eye) > g->distance + p->rounding)) {
        g->visible = true;
        MO_ASSERT(g->used && depth < MAX_FACES);
        stack[depth++] = f->neighbor[i];
      }
    }
  }
}

/* Replaces the faces visible from a new vertex, `first` among them, by faces from the horizon to
 * the vertex. Returns false if rounding made the horizon anything but one loop, or if no slot is
 * free; the polytope is then invalid. */
static bool expand(polytope *p, int first, const mo_difference_point *point) {
  MO_ASSERT(p->vertex_count < MAX_VERTICES && p->faces[first].used);
  int apex = p->vertex_count++;
  p->vertices[apex] = *point;
  mark_visible(p, first, point->difference);
  horizon_edge horizon[MAX_VERTICES];
  for (int i = 0; i < p->vertex_count; i++) {
    horizon[i].to = -1;
  }
  int edges = 0, start = -1;
  for (int i = 0; i < p->face_count; i++) {
    face *f = &p->faces[i];
    if (!f->visible) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      if (!p->faces[f->neighbor[k]].visible) {
        start = f->vertex[k];
        if (horizon[start].to >= 0) {
          return false;
        }
        horizon[start] = (horizon_edge){f->vertex[(k + 1) % 3], f->neighbor[k]};
        edges++;
      }
    }
  }
  for (int i = p->face_count - 1; i >= 0; i--) {
    if (p->faces[i].visible) {
      p->faces[i].used = p->faces[i].visible = false;
      p->first_unused = i < p->first_unused ? i : p->first_unused;
    }
  }
  int begin = -1, previous = -1, from = start;
  for (int i = 0; i < edges; i++) {
    if (from < 0 || horizon[from].to < 0) {
      return false;
    }
    horizon_edge edge = horizon[from];
    int added = add_face(p, from, edge.to, apex);
    if (added < 0) {
      return false;
    }
    p->faces[added].neighbor[0] = edge.outside;
    set_neighbor(&p->faces[edge.outside], from, edge.to, added);
    if (previous >= 0) {
      p->faces[added].neighbor[2] = previous;
      p->faces[previous].neighbor[1] = added;
    } else {
      begin = added;
    }
    previous = added;
    horizon[from].to = -1;
    from = edge.to;
  }
  if (edges < 3 || from != start) {
    return false;
  }
  p->faces[begin].neighbor[2] = previous;
  p->faces[previous].neighbor[1] = begin;
  return true;
}

/* The smallest upper bound of the depth found so far, and the normal of that translation. */
typedef struct depth_search {
  mo_difference *difference;
  double depth;
  mo_dvec3 normal;
} depth_search;

/* Returns the support point along a unit normal. `height` receives the distance of its plane from
 * the origin, which is an upper bound of the depth. */
static mo_difference_point support(depth_search *s, mo_dvec3 normal, double *height) {
  mo_difference_point w = mo_difference_support(s->difference, normal);
  *height = mo_ddot(normal, w.difference);
  if (*height < s->depth) {
    s->depth = *height;
    s->normal = normal;
  }
  return w;
}

static mo_dvec3 perpendicular_unit(mo_dvec3 v) {
  return unit(mo_dcross(v, mo_most_perpendicular_axis(v)));
}

/* Of the support points along a normal and against it, returns the one that is farther from the
 * plane through `origin`, with its distance. */
static mo_difference_point farther_support(depth_search *s, mo_dvec3 normal, mo_dvec3 origin,
                                           double *distance) {
  double height, from = mo_ddot(normal, origin);
  mo_difference_point above = support(s, normal, &height);
  double up = height - from;
  mo_difference_point below = support(s, mo_dscale(-1.0, normal), &height);
  double down = height + from;
  *distance = up >= down ? up : down;
  return up >= down ? above : below;
}

/* Builds the first tetrahedron, of support points. Returns false if the difference has no volume;
 * `s` then contains the final depth and normal. */
static bool make_tetrahedron(depth_search *s, polytope *p) {
  const mo_dvec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  mo_difference_point ends[2];
  double height, widest = -1.0, size = mo_dmax_magnitude(s->difference->offset);
  for (int i = 0; i < 3; i++) {
    mo_difference_point above = support(s, axes[i], &height);
    mo_difference_point below = support(s, mo_dscale(-1.0, axes[i]), &height);
    double width = mo_dsquare(mo_dsub(above.difference, below.difference));
    size =
        fmax(size, fmax(mo_dmax_magnitude(above.difference), mo_dmax_magnitude(below.difference)));
    if (width > widest) {
      widest = width;
      ends[0] = above;
      ends[1] = below;
    }
  }
  p->size = size;
  p->rounding = 16.0 * DBL_EPSILON * size;
  p->tolerance = 0x1p-40 * size;
  p->vertices[0] = ends[0];
  p->vertices[1] = ends[1];
  mo_dvec3 edge = mo_dsub(ends[1].difference, ends[0].difference);
  if (!(sqrt(widest) > p->rounding)) {
    return false; /* the difference is a point */
  }
  mo_dvec3 side = perpendicular_unit(edge);
  double distance, other;
  p->vertices[2] = farther_support(s, side, ends[0].difference, &distance);
  mo_difference_point third =
      farther_support(s, unit(mo_dcross(edge, side)), ends[0].difference, &other);
  if (other > distance) {
    p->vertices[2] = third;
    distance = other;
  }
  if (!(distance > p->rounding)) {
    return false; /* the difference is a segment */
  }
  mo_dvec3 normal = mo_dcross(edge, mo_dsub(difference_at(p, 2), difference_at(p, 0)));
  p->vertices[3] = farther_support(s, unit(normal), ends[0].difference, &distance);
  if (!(distance > p->rounding)) {
    return false; /* the difference is flat */
  }
  p->vertex_count = 4;
  bool positive = mo_ddot(normal, mo_dsub(difference_at(p, 3), difference_at(p, 0))) > 0.0;
  int b = positive ? 2 : 1, c = positive ? 1 : 2;
  /* The faces are counter-clockwise as seen from outside. */
  add_face(p, 0, b, c);
  add_face(p, 0, c, 3);
  add_face(p, c, b, 3);
  add_face(p, b, 0, 3);
  const int beside[4][3] = {{3, 2, 1}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      p->faces[i].neighbor[k] = beside[i][k];
    }
  }
  return true;
}

static int closest_face(const polytope *p) {
  int best = -1;
  for (int i = 0; i < p->face_count; i++) {
    const face *f = &p->faces[i];
    if (f->used && !f->is_sliver && (best < 0 || f->distance < p->faces[best].distance)) {
      best = i;
    }
  }
  return best;
}

/* Finds depth and normal by EPA, not the points. If `asked` is not INFINITY, the search ends as
 * soon as the bounds prove that the depth is at least `asked`, or that it is less. It also ends
 * once the upper bound, which is returned as the depth, is less than `min_depth`. */
static mo_convex_penetration expand_polytope(mo_difference *d, double asked, double min_depth) {
  depth_search s = {.difference = d, .depth = INFINITY};
  polytope p; /* not cleared: 32 KiB would take as long as a few faces */
  p.vertex_count = p.face_count = p.first_unused = 0;
  double lower = 0.0;
  bool going = make_tetrahedron(&s, &p);
  for (int i; going && (i = closest_face(&p)) >= 0;) {
    const face f = p.faces[i];
    double height;
    mo_difference_point w = support(&s, f.normal, &height);
    lower = f.distance;
    if ((asked < INFINITY && (lower >= asked || s.depth < asked)) ||
        s.depth < min_depth - p.tolerance) {
      break;
    }
    going = height - lower > p.tolerance && p.vertex_count < MAX_VERTICES && expand(&p, i, &w);
  }
  return (mo_convex_penetration){.depth = s.depth, .lower = lower, .normal = s.normal};
}

/* The smallest and largest total half width, over all directions, of the balls that were removed
 * from a sum; they may be ellipsoids that are nearly balls. */
typedef struct ball_width {
  double min, max;
} ball_width;

/* Removes the balls from a sum: the ellipsoids whose axes are perpendicular and of equal length, to
 * within the rounding of a rotation. */
static void remove_balls(mo_minkowski *sum, ball_width *width) {
  int kept = 0;
  for (int i = 0; i < sum->ellipsoid_count; ++i) {
    const mo_dvec3 *axes = sum->axes[i];
    double xx = mo_dsquare(axes[0]), yy = mo_dsquare(axes[1]), zz = mo_dsquare(axes[2]);
    double off = fabs(mo_ddot(axes[0], axes[1])) + fabs(mo_ddot(axes[1], axes[2])) +
                 fabs(mo_ddot(axes[2], axes[0]));
    /* Gershgorin's bounds of the squared semi-axes. */
    double min = fmin(xx, fmin(yy, zz)) - off, max = fmax(xx, fmax(yy, zz)) + off;
    if (min >= (1.0 - 0x1p-18) * max) {
      width->min += sqrt(min);
      width->max += sqrt(max);
    } else {
      memmove(sum->axes[kept++], axes, sizeof sum->axes[i]);
    }
  }
  sum->ellipsoid_count = kept;
}

static double sum_of_support_distances(mo_minkowski *sum) {
  return mo_minkowski_support_distance(sum, mo_dvec(1.0, 0.0, 0.0)) +
         mo_minkowski_support_distance(sum, mo_dvec(0.0, 1.0, 0.0)) +
         mo_minkowski_support_distance(sum, mo_dvec(0.0, 0.0, 1.0));
}

/* The penetration of overlapping bodies, without the points, by EPA. If EPA does not converge, as
 * with curved sides, its best direction is improved by local descent. A depth below `min_depth` is
 * only an upper bound. */
static mo_convex_penetration find_penetration_by_epa(mo_difference *d, double min_depth) {
  mo_convex_penetration result = expand_polytope(d, INFINITY, min_depth);
  const double size = sum_of_support_distances(&d->a) + sum_of_support_distances(&d->b);
  if (result.depth > 0.0 && result.depth >= min_depth &&
      result.depth - result.lower > convergence_tolerance * size) {
    mo_push_out out = {result.normal, result.depth};
    mo_difference_shorten_push_out(d, size, &out);
    result.normal = out.normal;
    result.depth = out.depth;
  }
  return result;
}

/* The penetration of two bodies, without the points. For bodies with balls as summands, the cores
 * without the balls give the normal, which is cheaper and more accurate, and the whole bodies give
 * the depth along the normal. A depth below `min_depth` is only an upper bound. */
static mo_convex_penetration find_penetration_by_cores(mo_difference *whole, mo_difference *cores,
                                                       const ball_width *balls, double min_depth) {
  mo_push_out push_out;
  mo_convex_penetration result;
  if (mo_difference_push_out_of_round_solid(cores, &push_out)) {
    result = (mo_convex_penetration){.lower = push_out.depth, .normal = push_out.normal};
  } else if (balls->max > 0.0) {
    mo_convex_gap gap = mo_difference_distance(cores, INFINITY, NULL);
    result = (mo_convex_penetration){.lower = -gap.distance, .normal = gap.normal};
    if (!(gap.lower > 0.0)) {
      result = find_penetration_by_epa(cores, min_depth - (1.0 + 0x1p-40) * balls->max);
    }
  } else {
    return find_penetration_by_epa(whole, min_depth);
  }
  result.lower += balls->min;
  result.depth = mo_ddot(result.normal, mo_difference_support(whole, result.normal).difference);
  return result;
}

typedef struct box_and_triangle {
  mo_box_body box; /* is_usable is false for pairs of other kinds */
  const mo_dvec3 *corners;
  double sign; /* -1 if the box is body A, 1 if it is body B */
} box_and_triangle;

static box_and_triangle box_and_triangle_of(const mo_body *a, const mo_body *b) {
  bool box_first = b->kind == MO_BODY_TRIANGLE;
  if ((a->kind == MO_BODY_TRIANGLE) == box_first) {
    return (box_and_triangle){.sign = 0.0};
  }
  return (box_and_triangle){mo_box_body_of(box_first ? a : b), box_first ? b->corners : a->corners,
                            box_first ? -1.0 : 1.0};
}

/* As mo_convex_find_depth, but a depth below `min_depth` is only an upper bound. */
static mo_convex_penetration find_depth_with_min_depth(const mo_body *a, const mo_body *b,
                                                       double min_depth) {
  const box_and_triangle pair = box_and_triangle_of(a, b);
  if (pair.box.is_usable) {
    mo_box_push_out out = mo_box_find_push_out(&pair.box, pair.corners, min_depth);
    double depth = 0.0 + fmax(out.depth, 0.0);
    return (mo_convex_penetration){
        .depth = depth, .lower = depth, .normal = mo_dscale(pair.sign, out.normal)};
  }
  mo_difference whole = mo_difference_of(a, b), cores = whole;
  ball_width balls = {0.0, 0.0};
  remove_balls(&cores.a, &balls);
  remove_balls(&cores.b, &balls);
  mo_convex_penetration result = find_penetration_by_cores(&whole, &cores, &balls, min_depth);
  MO_ASSERT(mo_is_unit(result.normal));
  result.depth = 0.0 + fmax(result.depth, 0.0);
  result.lower = 0.0 + fmin(fmax(result.lower, 0.0), result.depth);
  return result;
}

mo_convex_penetration mo_convex_find_depth(const mo_body *a, const mo_body *b) {
  return find_depth_with_min_depth(a, b, -INFINITY);
}

bool mo_convex_overlap_deeper(const mo_body *a, const mo_body *b, double depth) {
  mo_difference d = mo_difference_of(a, b);
  return expand_polytope(&d, depth, -INFINITY).lower >= depth;
}

/* The deepest points are found as the closest points after B has been moved out of A and a little
 * farther, where these points are well defined. */
void mo_convex_find_deepest(const mo_body *a, const mo_body *b,
                            mo_convex_penetration *penetration) {
  const box_and_triangle pair = box_and_triangle_of(a, b);
  if (pair.box.is_usable) {
    mo_dvec3 out = mo_dscale(pair.sign, penetration->normal);
    mo_dvec3 shift = mo_dscale(penetration->depth, out);
    mo_dvec3 point = mo_box_find_touch_point(&pair.box, shift, out, pair.corners);
    penetration->points[pair.sign < 0.0] = point;
    penetration->points[pair.sign > 0.0] = mo_dsub(point, shift);
    return;
  }
  mo_difference whole = mo_difference_of(a, b);
  double clear = penetration->depth +
                 0.25 * (sum_of_support_distances(&whole.a) + sum_of_support_distances(&whole.b));
  whole.offset = mo_dsub(whole.offset, mo_dscale(clear, penetration->normal));
  mo_convex_gap touch = mo_difference_distance(&whole, INFINITY, NULL);
  penetration->points[0] = touch.points[0];
  penetration->points[1] = touch.points[1];
}

mo_convex_penetration mo_half_space_find_penetration(const mo_body *a, const mo_body *b) {
  const mo_half_space_pair s = mo_half_space_pair_of(a, b);
  if (s.height == -INFINITY) {
    return (mo_convex_penetration){
        .depth = INFINITY, .lower = INFINITY, .points = {s.point, s.point}};
  }
  const mo_dvec3 n = s.half_space->normal;
  const double depth = 0.0 + fmax(-s.height, 0.0);
  mo_convex_penetration p = {
      .depth = depth, .lower = depth, .normal = mo_dscale(s.half_space_is_first ? 1.0 : -1.0, n)};
  p.points[s.half_space_is_first ? 0 : 1] = mo_dadd(s.point, mo_dscale(depth, n));
  p.points[s.half_space_is_first ? 1 : 0] = s.point;
  return p;
}

bool mo_convex_find_penetration_min_depth(const mo_body *a, const mo_body *b, double min_depth,
                                          mo_convex_penetration *penetration) {
  if (mo_either_is_half_space(a, b)) {
    *penetration = mo_half_space_find_penetration(a, b);
    return true;
  }
  *penetration = find_depth_with_min_depth(a, b, min_depth);
  if (penetration->depth < min_depth) {
    return false;
  }
  mo_convex_find_deepest(a, b, penetration);
  return true;
}

mo_convex_penetration mo_convex_find_penetration(const mo_body *a, const mo_body *b) {
  mo_convex_penetration result;
  mo_convex_find_penetration_min_depth(a, b, -INFINITY, &result);
  return result;
}
