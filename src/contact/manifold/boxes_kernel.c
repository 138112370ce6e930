/* The manifold of two boxes or parallelepipeds: separating axis test, then clipping of two faces.
 * Compiled once per instruction set.
 *
 * Separating axes (Gottschalk, Lin and Manocha 1996): all fifteen tests need only the components
 * of the axes of each box along the face normals of the other box. Along the cross product of its
 * own axis i with an axis e of the other box, the support distance of a box is a sum over the two
 * faces that axis i is parallel to: the component of e along the face's normal, times its area.
 *
 * Clipping: the middle of a face and its two half axes U and V map the square [-1, 1]^2 to the
 * face. The corners of each face are written in coordinates of the other face: s, t and height h of
 * a point p are given by p = middle + s U + t V + h n, with the contact normal n. There is no
 * reference and incident face. The corners of the intersection are corners of one face inside the
 * square of the other, and crossings of edges. A contact point lies halfway between the two planes
 * along n. Its position and separation are affine functions over each face, so they are computed at
 * the corners and interpolated between them. */
#include "contact/manifold/boxes.h"

#include <stddef.h>

#include "contact/body/limits.h"
#include "contact/manifold/reduce.h"
#include "contact/manifold/ridge.h"
#include "math/four.h"

/* How many contact points two faces can have: four corners of each, and 16 crossings of edges. */
enum { MAX_POINTS = 24 };

/* A box counts as flat if its volume, divided by the volume of a cuboid with sides of the same
 * areas and edges of the same lengths, is below this. */
static const double flat_volume_ratio = 0x1p-30;

typedef mo_contact_box box;

static inline mo_dvec3 vector_in_lane(const mo_d4vec *v, int lane) {
  return mo_dvec(v->x[lane], v->y[lane], v->z[lane]);
}

/* These functions rotate lanes: lane i receives axis i + 1, or axis i - 1 (modulo 3). */
static inline mo_d4vec next_axes(const mo_d4vec *v) {
  return (mo_d4vec){mo_d4_rotate_axes(v->x), mo_d4_rotate_axes(v->y), mo_d4_rotate_axes(v->z)};
}

static inline mo_d4vec previous_axes(const mo_d4vec *v) {
  return (mo_d4vec){mo_d4_rotate_axes_back(v->x), mo_d4_rotate_axes_back(v->y),
                    mo_d4_rotate_axes_back(v->z)};
}

static inline double sum_of_xyz(mo_d4 a) {
  return a[0] + a[1] + a[2];
}

static inline double min_of_xyz(mo_d4 a) {
  double min = a[0] < a[1] ? a[0] : a[1];
  return min < a[2] ? min : a[2];
}

void MO_ISA_FN(mo_contact_box_set)(mo_contact_box *b, const mo_placed_solid *from) {
  const mo_transform *map = from->map;
  const float *columns = (const float *)map; /* each load of 4 floats reads one beyond a column */
  mo_f4 rows[4] = {mo_f4_load(columns), mo_f4_load(columns + 3), mo_f4_load(columns + 6),
                   mo_f4_splat(0.0f)};
  mo_f4_transpose(rows);
  const mo_d4 half = mo_d4_of(from->solid->b.x, from->solid->b.y, from->solid->b.z, 0.0);
  const mo_d4 last = {0.0, 0.0, 0.0, 1.0};
  const mo_dvec3 c = from->solid->a;
  mo_d4 x = mo_f4_widen(rows[0]), y = mo_f4_widen(rows[1]), z = mo_f4_widen(rows[2]);
  b->origin = mo_widen(map->origin);
  b->center = mo_dvec(x[0] * c.x + x[1] * c.y + x[2] * c.z, y[0] * c.x + y[1] * c.y + y[2] * c.z,
                      z[0] * c.x + z[1] * c.y + z[2] * c.z);
  b->axis = (mo_d4vec){x * half, y * half, z * half};
  mo_d4vec next = next_axes(&b->axis), before = previous_axes(&b->axis),
           normal = mo_d4vec_cross(&next, &before);
  b->length = mo_d4_length(&b->axis);
  b->area = mo_d4_length(&normal);
  mo_d4 volume = normal.x * b->axis.x + normal.y * b->axis.y + normal.z * b->axis.z;
  mo_d4 scale = mo_d4_with_signs(mo_d4_splat(1.0), volume) / (b->area + last);
  b->face_normal = (mo_d4vec){scale * normal.x, scale * normal.y, scale * normal.z};
  b->face_plane_distance = scale * volume;
  /* If a width exceeds the length, the computation of an area has underflowed. */
  b->is_flat = (mo_d4_less_bits(flat_volume_ratio * b->length, b->face_plane_distance) &
                mo_d4_at_most_bits(b->face_plane_distance, 2.0 * b->length) & 7) != 7;
}

typedef struct search {
  const box *box[2];
  mo_dvec3 center[2]; /* relative to the origin of A */
  mo_dvec3 offset;    /* from the centre of A to that of B */
  double max_separation;
  double best;     /* the greatest separation so far */
  mo_dvec3 normal; /* the direction with that separation, from A to B */
  /* If `normal` is the cross product of an axis of A and an axis of B: the indices of these axes,
   * and the sine between them. */
  int edge[2];
  double edge_angle_sine;
  double face_separation; /* the greatest separation along face normals */
  mo_dvec3 face_normal;   /* the face normal with that separation */
} search;

/* Tries the normals of the faces of a box. `along`: the components of the offset of the centres
 * along the normals; `width`: the sums of the support distances of both boxes along them. */
static inline void try_face_normals(search *s, const box *own, mo_d4 along, mo_d4 width) {
  const mo_d4 separation = mo_d4_abs(along) - width;
  int best = -1;
  for (int i = 0; i < 3; i++) {
    best = separation[i] > s->best ? i : best;
    s->best = separation[i] > s->best ? separation[i] : s->best;
  }
  if (best >= 0) {
    const mo_dvec3 n = vector_in_lane(&own->face_normal, best);
    s->normal = along[best] < 0.0 ? mo_dscale(-1.0, n) : n;
  }
}

/* Tries the cross products of axis k of B with the three axes of A. `of_a`, `of_b`: the components
 * of the axes of each box along the face normals of the other one; `lever`: the cross products of
 * the offset with the axes of A. */
static inline void try_edge_cross_products(search *s, int k, const mo_d4 *of_a, const mo_d4 *of_b,
                                           const mo_d4vec *lever) {
  const box *a = s->box[0], *b = s->box[1];
  const int u = k < 2 ? k + 1 : 0, v = k > 0 ? k - 1 : 2;
  const mo_d4 along = mo_d4vec_dot_one(lever, vector_in_lane(&b->axis, k)),
              sides = a->area * of_b[k],
              reach = (mo_d4_rotate_axes(sides) + mo_d4_rotate_axes_back(sides)) +
                      (b->area[u] * of_a[u] + b->area[v] * of_a[v]); /* of both */
  mo_d4 gap = mo_d4_abs(along) - reach, lengths = a->length * b->length[k];
  /* `lengths` are at least the lengths of the cross products, so this culls without square roots.
   */
  double min = s->best < 0.0 ? s->best : 0.0;
  for (uint32_t lanes = mo_d4_less_bits(min * lengths, gap); lanes != 0; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    mo_dvec3 n = mo_dcross(vector_in_lane(&a->axis, i), vector_in_lane(&b->axis, k));
    double length = mo_dlength(n);
    if (length > MO_PARALLEL_EDGES_SINE * lengths[i] && gap[i] > s->best * length) {
      s->best = gap[i] / length;
      s->normal = mo_dscale((along[i] < 0.0 ? -1.0 : 1.0) / length, n);
      s->edge[0] = i;
      s->edge[1] = k;
      s->edge_angle_sine = length / lengths[i];
    }
  }
}

/* Finds the axis of greatest separation. Returns false if an axis separates by more than
 * `max_separation`. */
static inline bool find_axis(search *s) {
  const box *a = s->box[0], *b = s->box[1];
  /* components of the axes of B along the face normals of A, and of A along those of B */
  mo_d4 of_b[3], of_a[3];
  for (int k = 0; k < 3; k++) {
    of_b[k] = mo_d4_abs(mo_d4vec_dot_one(&a->face_normal, vector_in_lane(&b->axis, k)));
    of_a[k] = mo_d4_abs(mo_d4vec_dot_one(&a->axis, vector_in_lane(&b->face_normal, k)));
  }
  mo_d4 along_a = mo_d4vec_dot_one(&a->face_normal, s->offset),
        along_b = mo_d4vec_dot_one(&b->face_normal, s->offset);
  mo_d4 width_a = a->face_plane_distance + (of_b[0] + of_b[1] + of_b[2]);
  try_face_normals(s, a, along_a, width_a);
  if (s->best > s->max_separation) {
    return false;
  }
  const mo_d4 reach_a = {sum_of_xyz(of_a[0]), sum_of_xyz(of_a[1]), sum_of_xyz(of_a[2]), 0.0};
  try_face_normals(s, b, along_b, b->face_plane_distance + reach_a);
  if (s->best > s->max_separation) {
    return false;
  }
  s->face_separation = s->best;
  s->face_normal = s->normal;
  const mo_d4vec offset = mo_d4vec_splat(s->offset), lever = mo_d4vec_cross(&offset, &a->axis);
  try_edge_cross_products(s, 0, of_a, of_b, &lever);
  try_edge_cross_products(s, 1, of_a, of_b, &lever);
  try_edge_cross_products(s, 2, of_a, of_b, &lever);
  return s->best <= s->max_separation;
}

/* Of the two faces of a box beside an edge along axis i, the smaller slope against the plane
 * perpendicular to n. */
static inline double min_face_slope(const box *b, int i, mo_dvec3 n) {
  const double u = fabs(mo_ddot(vector_in_lane(&b->face_normal, (i + 1) % 3), n)),
               v = fabs(mo_ddot(vector_in_lane(&b->face_normal, (i + 2) % 3), n)),
               up = u > v ? u : v;
  return up < 1.0 ? sqrt(1.0 - up * up) / up : 0.0;
}

/* Whether the boxes touch along a long part of the two edges along whose cross product the
 * separation is greatest: then contact points may lie on both faces beside each edge. */
static inline bool boxes_touch_along_edges(const search *s) {
  const double a = min_face_slope(s->box[0], s->edge[0], s->normal),
               b = min_face_slope(s->box[1], s->edge[1], s->normal);
  const double half_a = s->box[0]->length[s->edge[0]], half_b = s->box[1]->length[s->edge[1]];
  return mo_ridge_contact_is_long(s->edge_angle_sine, a < b ? a : b, s->max_separation - s->best,
                                  half_a < half_b ? half_a : half_b);
}

/* A face of a box. Its corners and edges are numbered as in body/feature.c: corner 0 at -U -V,
 * corner 1 at U -V; edge i leads from corner i to the next. */
typedef struct face {
  uint32_t number; /* twice its axis; plus 1 for the face that the axis points to */
  mo_dvec3 middle, u, v;
  double slack_u, slack_v; /* points outside by less count as inside; in units of u and v */
} face;

/* Sets `f` to the face of a box whose normal is closest to n. Returns false if that face is too
 * steep for n. */
static inline bool set_face_along(face *f, const box *b, mo_dvec3 center, mo_dvec3 n, double size) {
  mo_d4 along = mo_d4vec_dot_one(&b->face_normal, n), aligned = mo_d4_abs(along);
  int axis = aligned[1] > aligned[0] ? 1 : 0;
  axis = aligned[2] > aligned[axis] ? 2 : axis;
  int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
  mo_d4 slack = MO_OUTLINE_TOLERANCE * size / b->length;
  const bool is_upper = along[axis] >= 0.0;
  f->number = 2 * (uint32_t)axis + is_upper;
  f->middle = is_upper ? mo_dadd(center, vector_in_lane(&b->axis, axis))
                       : mo_dsub(center, vector_in_lane(&b->axis, axis));
  f->u = vector_in_lane(&b->axis, u);
  f->v = vector_in_lane(&b->axis, v);
  f->slack_u = slack[u];
  f->slack_v = slack[v];
  return aligned[axis] > MO_STEEP_FACE_COSINE;
}

/* The indices of the corners and edges of a face, whose side is given by the bit of its axis, and
 * whose U and V are along the axes u and v. */
#define CORNERS(side, u, v)                                                                        \
  { side, side | 1 << u, side | 1 << u | 1 << v, side | 1 << v }
#define EDGES(side, u, v)                                                                          \
  { 8 * u + side, 8 * v + (side | 1 << u), 8 * u + (side | 1 << v), 8 * v + side }
/* Of each face by number: twice its axis, plus 1 for the upper one. */
static const uint8_t corners_of_faces[6][4] = {CORNERS(0, 1, 2), CORNERS(1, 1, 2),
                                               CORNERS(0, 2, 0), CORNERS(2, 2, 0),
                                               CORNERS(0, 0, 1), CORNERS(4, 0, 1)};
static const uint8_t edges_of_faces[6][4] = {EDGES(0, 1, 2), EDGES(1, 1, 2), EDGES(0, 2, 0),
                                             EDGES(2, 2, 0), EDGES(0, 0, 1), EDGES(4, 0, 1)};

static inline uint32_t face_id(const face *f) {
  return mo_feature_id(MO_FEATURE_FACE, f->number);
}

static inline uint32_t corner_id(const face *f, int i) {
  return mo_feature_id(MO_FEATURE_VERTEX, corners_of_faces[f->number][i]);
}

static inline uint32_t edge_id(const face *f, int i) {
  return mo_feature_id(MO_FEATURE_EDGE, edges_of_faces[f->number][i]);
}

/* The corners of one face in the coordinates of the other face. */
typedef struct corners {
  mo_d4 s, t;                   /* coordinates s and t in the other face; a lane for each corner */
  uint32_t corners_inside;      /* a bit for each corner inside the other face */
  uint32_t edge_line_crossings; /* bit 4 e + i: edge i of this face crosses the line of edge e of
                                   the other */
  mo_d4 at[4]; /* by corner: contact point (x, y, z), and the separation there (last lane) */
} corners;

/* Returns the point v at a height over the face, and the separation there in the last lane. `rise`:
 * what a unit of height adds to (x, y, z, separation). */
static inline mo_d4 point_at_height(mo_dvec3 v, double height, mo_d4 rise) {
  return mo_d4_of_vector(v) + height * rise;
}

/* Computes the corners of face `own` in the coordinates of face `other`. `rise`: what a unit of
 * height adds to the position of a contact point and its separation. */
static inline void set_corners(corners *c, const face *own, const face *other, mo_dvec3 n,
                               mo_d4 rise) {
  const mo_d4 on_u = {-1.0, 1.0, 1.0, -1.0}, on_v = {-1.0, -1.0, 1.0, 1.0};
  /* The inverse of the matrix (U V n); its rows are the lanes. */
  mo_dvec3 s = mo_dcross(other->v, n), t = mo_dcross(n, other->u),
           h = mo_dcross(other->u, other->v);
  double scale = 1.0 / mo_ddot(h, n);
  const mo_d4vec rows = {scale * mo_d4_of(s.x, t.x, h.x, 0.0), scale * mo_d4_of(s.y, t.y, h.y, 0.0),
                         scale * mo_d4_of(s.z, t.z, h.z, 0.0)};
  mo_d4 middle = mo_d4vec_dot_one(&rows, mo_dsub(own->middle, other->middle)),
        u = mo_d4vec_dot_one(&rows, own->u), v = mo_d4vec_dot_one(&rows, own->v);
  c->s = middle[0] + on_u * u[0] + on_v * v[0];
  c->t = middle[1] + on_u * u[1] + on_v * v[1];
  const double end_u = 1.0 + other->slack_u, end_v = 1.0 + other->slack_v;
  const mo_d4 one = mo_d4_splat(1.0);
  c->corners_inside = mo_d4_at_most_bits(mo_d4_abs(c->s), mo_d4_splat(end_u)) &
                      mo_d4_at_most_bits(mo_d4_abs(c->t), mo_d4_splat(end_v));
  uint32_t beyond = mo_d4_less_bits(c->t, -one) | mo_d4_less_bits(one, c->s) << 4 |
                    mo_d4_less_bits(one, c->t) << 8 | mo_d4_less_bits(c->s, -one) << 12;
  uint32_t next = (beyond >> 1 & 0x7777) | (beyond & 0x1111) << 3;
  c->edge_line_crossings = beyond ^ next;
  mo_d4 center = point_at_height(own->middle, middle[2], rise),
        to_u = point_at_height(own->u, u[2], rise), to_v = point_at_height(own->v, v[2], rise);
  mo_d4 low = center - to_v, high = center + to_v;
  c->at[0] = low - to_u;
  c->at[1] = low + to_u;
  c->at[2] = high + to_u;
  c->at[3] = high - to_u;
}

/* The contact points: corners of the intersection of the faces. */
typedef struct points {
  int count;
  mo_d4 merge_distance; /* points closer than this are merged; infinite in the unused last lane */
  double max_separation;
  mo_d4 at[MAX_POINTS]; /* position (x, y, z), and separation (last lane) */
  uint64_t id[MAX_POINTS];
} points;

static inline void add_point(points *to, mo_d4 at, uint64_t id) {
  if (!(at[3] <= to->max_separation)) {
    return;
  }
  int index = to->count;
  for (int i = 0; i < to->count; i++) {
    if (mo_d4_at_most_bits(mo_d4_abs(to->at[i] - at), to->merge_distance) == 15) {
      if (!mo_contact_id_before(id, to->id[i])) {
        return;
      }
      index = i;
      break;
    }
  }
  to->at[index] = at;
  to->id[index] = id;
  to->count += index == to->count;
}

/* Signed distances of the corners of one face from an edge of the other face, in coordinates in
 * which that face is the square [-1, 1]^2; positive inside. */
static inline mo_d4 edge_distances(const corners *c, int edge) {
  mo_d4 along = edge % 2 == 0 ? c->t : c->s;
  return edge == 0 || edge == 3 ? 1.0 + along : 1.0 - along;
}

static inline void intersect_faces(const face f[2], const corners of[2], points *to) {
  for (uint32_t lanes = of[0].corners_inside; lanes != 0; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    add_point(to, of[0].at[i], mo_contact_id(corner_id(&f[0], i), face_id(&f[1])));
  }
  for (uint32_t lanes = of[1].corners_inside; lanes != 0; lanes &= lanes - 1) {
    int i = __builtin_ctz(lanes);
    add_point(to, of[1].at[i], mo_contact_id(face_id(&f[0]), corner_id(&f[1], i)));
  }
  for (uint32_t crossed = of[0].edge_line_crossings; crossed != 0; crossed &= crossed - 1) {
    int j = __builtin_ctz(crossed) >> 2, i = __builtin_ctz(crossed) & 3, end = (i + 1) & 3;
    if (of[1].edge_line_crossings >> (4 * i + j) & 1) {
      const mo_d4 side = edge_distances(&of[0], j);
      const double here = side[i], there = side[end];
      const double slack = j % 2 == 0 ? f[1].slack_v : f[1].slack_u;
      if (fabs(here) <= slack && fabs(there) <= slack) {
        continue; /* the edges lie on one line, and their corners have been added already */
      }
      double t = here / (here - there);
      add_point(to, of[0].at[i] + t * (of[0].at[end] - of[0].at[i]),
                mo_contact_id(edge_id(&f[0], i), edge_id(&f[1], j)));
    }
  }
}

/* The origins of both transforms, and the manifold to write. */
typedef struct output {
  mo_dvec3 origin_a; /* world */
  mo_dvec3 origin_b; /* relative to `origin_a` */
  mo_manifold *manifold;
} output;

/* Chooses up to four points to keep, in the order of their ids; returns their number. */
static inline int choose_points(const points *from, mo_dvec3 normal, int kept[MAX_POINTS]) {
  uint64_t order[MAX_POINTS];
  for (int i = 0; i < from->count; i++) {
    const uint64_t id = from->id[i];
    order[i] = mo_contact_id_order(id);
    int k = i;
    for (; k > 0 && (order[i] != order[kept[k - 1]] ? order[i] < order[kept[k - 1]]
                                                    : id < from->id[kept[k - 1]]);
         k--) {
      kept[k] = kept[k - 1];
    }
    kept[k] = i;
  }
  if (from->count <= MO_MAX_MANIFOLD_POINTS) {
    return from->count;
  }
  int chosen[MO_MAX_MANIFOLD_POINTS];
  mo_candidate_groups c;
  c.count = from->count;
  const mo_contact_frame f = mo_contact_frame_of(normal);
  for (int i = 0; i < from->count; i++) {
    mo_d4 at = from->at[kept[i]];
    mo_dvec3 position = mo_dvec(at[0], at[1], at[2]);
    c.x[i >> 2][i & 3] = mo_ddot(f.u, position);
    c.y[i >> 2][i & 3] = mo_ddot(f.v, position);
    c.separation[i >> 2][i & 3] = at[3];
  }
  mo_choose_four(&c, chosen);
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) { /* chosen[i] >= i */
    kept[i] = kept[chosen[i]];
  }
  return MO_MAX_MANIFOLD_POINTS;
}

_Static_assert(offsetof(mo_manifold_point, anchor_a) == 3 * sizeof(float) &&
                   offsetof(mo_manifold_point, anchor_b) == 6 * sizeof(float) &&
                   offsetof(mo_manifold_point, separation) == 9 * sizeof(float),
               "points are written by four floats at a time");

static inline void write_manifold(const output *o, mo_dvec3 normal, const points *from) {
  int kept[MAX_POINTS], count = choose_points(from, normal, kept);
  mo_manifold *m = o->manifold;
  *m = (mo_manifold){.point_count = (uint32_t)count,
                     .normal = mo_narrow(mo_dadd(mo_dvec(0.0, 0.0, 0.0), normal))};
  const mo_d4 to_world = mo_d4_of_vector(o->origin_a);
  const mo_d4 to_b = mo_d4_of_vector(o->origin_b);
  for (int i = 0; i < count; i++) {
    float *to = (float *)(void *)&m->points[i];
    const mo_d4 at = from->at[kept[i]], none = {0.0, 0.0, 0.0, 0.0}; /* adding 0 turns -0 to 0 */
    const mo_f4 position = mo_d4_narrow(none + (to_world + at)), a = mo_d4_narrow(none + at),
                b = mo_d4_narrow(none + (at - to_b));
    memcpy(to, &position, sizeof position);
    memcpy(to + 3, &a, sizeof a);
    memcpy(to + 6, &b, sizeof b);
    m->points[i].id = from->id[kept[i]];
    m->touching = m->touching || at[3] <= 0.0;
  }
}

/* Writes the manifold along a normal. Returns false if the clipped faces have no point with a
 * separation of at most `max_deepest_separation`. */
static inline bool clip_along(const search *s, mo_dvec3 normal, double size,
                              double max_deepest_separation, const output *o) {
  face f[2];
  if (!set_face_along(&f[0], s->box[0], s->center[0], normal, size) ||
      !set_face_along(&f[1], s->box[1], s->center[1], mo_dscale(-1.0, normal), size)) {
    return false;
  }
  corners of[2];
  const mo_d4 n = mo_d4_of(-0.5 * normal.x, -0.5 * normal.y, -0.5 * normal.z, 0.0);
  const mo_d4 apart = {0.0, 0.0, 0.0, 1.0};
  set_corners(&of[0], &f[0], &f[1], normal, n - apart);
  set_corners(&of[1], &f[1], &f[0], normal, n + apart);
  const double near = MO_MERGE_DISTANCE * size;
  points found; /* left uninitialised beyond `count` */
  found.count = 0;
  found.merge_distance = mo_d4_of(near, near, near, INFINITY);
  found.max_separation = s->max_separation;
  intersect_faces(f, of, &found);
  double separation = INFINITY;
  for (int i = 0; i < found.count; i++) {
    separation = found.at[i][3] < separation ? found.at[i][3] : separation;
  }
  if (!(separation <= max_deepest_separation)) {
    return false;
  }
  write_manifold(o, normal, &found);
  return true;
}

mo_general_path MO_ISA_FN(mo_boxes_manifold)(const mo_contact_box *const boxes[2], double max,
                                             mo_manifold *manifold) {
  const mo_contact_box *a = boxes[0], *b = boxes[1];
  if (a->is_flat || b->is_flat) {
    return MO_GENERAL_PATH_FULL;
  }
  const mo_dvec3 origin_b = mo_dsub(b->origin, a->origin);
  const double size = sum_of_xyz(a->length) + sum_of_xyz(b->length);
  search s = {.box = {a, b},
              .center = {a->center, mo_dadd(origin_b, b->center)},
              .max_separation = max + MO_TOUCHING_GAP * size,
              .best = -INFINITY};
  s.offset = mo_dsub(s.center[1], s.center[0]);
  if (!find_axis(&s)) {
    *manifold = (mo_manifold){.touching = false};
    return MO_GENERAL_PATH_NONE;
  }
  /* The deepest clipped point must be about as deep as the boxes overlap along the best axis: else
   * the place where they are deepest lies outside the clipped faces. */
  const output o = {a->origin, origin_b, manifold};
  const double thin_a = min_of_xyz(a->length), thin_b = min_of_xyz(b->length);
  const double bias = MO_FACE_BIAS * (thin_a < thin_b ? thin_a : thin_b);
  const double limit = s.best <= 0.0 ? 0.0 : s.max_separation;
  const double deep = s.best + bias < limit ? s.best + bias : limit;
  const double min = deep + MO_TOUCHING_GAP * size;
  if (s.face_separation >= s.best - bias && clip_along(&s, s.face_normal, size, min, &o)) {
    return MO_GENERAL_PATH_NONE;
  }
  if (s.best > s.face_separation) {
    if (boxes_touch_along_edges(&s)) {
      return MO_GENERAL_PATH_FULL;
    }
    if (clip_along(&s, s.normal, size, min, &o)) {
      return MO_GENERAL_PATH_NONE;
    }
  }
  return s.best > 0.0 ? MO_GENERAL_PATH_BY_DISTANCE : MO_GENERAL_PATH_FULL;
}
