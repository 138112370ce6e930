/* Polygon clipping: intersects two convex polygons, or segments, projected along the contact
 * normal.
 *
 * There is no reference and incident face: both features are treated alike. A corner of the
 * intersection is a corner of one polygon inside the other, or a crossing of two edges. Its height
 * on each body is the height of the plane of that body's face. So points and ids are the same with
 * A and B exchanged. Compiled once per instruction set. */
#include "contact/manifold/clip.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "math/four.h"

/* Capacity for the corners of an outline, the first one repeated, padded to whole SIMD vectors. */
enum { MAX_PADDED_CORNERS = MO_MAX_OUTLINE_CORNERS + 4 };

/* A feature projected along the normal. */
typedef struct outline_2d {
  const mo_contact_feature *source;
  double x[MAX_PADDED_CORNERS], y[MAX_PADDED_CORNERS];
  /* By edge of a face: the vector along the edge, counter-clockwise, and its length times the
   * distance within which points count as on the edge. */
  double edge_x[MO_MAX_OUTLINE_CORNERS], edge_y[MO_MAX_OUTLINE_CORNERS],
      scaled_edge_tolerance[MO_MAX_OUTLINE_CORNERS];
  double winding;                  /* 1: counter-clockwise; -1: clockwise */
  double height, slope_x, slope_y; /* plane of a face: its height at (0, 0), and its slopes */
} outline_2d;

/* On which side of each edge of one face each corner of the other face lies. */
typedef struct corner_sides {
  /* by edge and corner: see scaled_edge_distance */
  double scaled_distance[MO_MAX_OUTLINE_CORNERS][MO_MAX_OUTLINE_CORNERS];
  uint32_t corners_beyond_edge[MO_MAX_OUTLINE_CORNERS]; /* by edge: bits of corners with a negative
                                                           distance */
  uint32_t corners_outside; /* bit i: corner i is beyond some edge by more than the tolerance */
} corner_sides;

/* The state of clipping: two projected features, and the candidates found. */
typedef struct clip_state {
  const mo_clip *clip;
  mo_contact_frame frame;
  outline_2d feature[2]; /* features of A and B, projected along the normal */
  /* if both are faces: [0] corners of A against edges of B, [1] corners of B against edges of A */
  corner_sides sides[2];
  mo_candidates *candidates;
} clip_state;

/* Two rims cross up to four times. Added to the id of an edge crossing until the id is unused, so
 * that ids differ. */
#define MO_CROSSING_ID_INCREMENT (UINT64_C(16) << 32)

static inline mo_d4 load(const double *from) {
  mo_d4 four;
  memcpy(&four, from, sizeof four);
  return four;
}

static inline void store(double *to, mo_d4 four) {
  memcpy(to, &four, sizeof four);
}

static inline void set_edges(outline_2d *o, double tolerance) {
  for (int i = 0; i < o->source->count; i += 4) {
    const mo_d4 x = load(o->x + i + 1) - load(o->x + i), y = load(o->y + i + 1) - load(o->y + i);
    mo_d4 length = x * x + y * y;
    mo_d4_sqrt(&length);
    store(o->edge_x + i, o->winding * x);
    store(o->edge_y + i, o->winding * y);
    store(o->scaled_edge_tolerance + i, tolerance * length);
  }
}

static void project_feature(const mo_contact_frame *f, double size,
                            const mo_contact_feature *feature, outline_2d *o) {
  o->source = feature;
  double area = 0.0;
  for (int i = 0; i < feature->count; i++) {
    o->x[i] = mo_ddot(f->u, feature->outline[i]);
    o->y[i] = mo_ddot(f->v, feature->outline[i]);
  }
  for (int i = feature->count; i <= ((feature->count + 3) & ~3); i++) {
    o->x[i] = o->x[0];
    o->y[i] = o->y[0];
  }
  for (int i = 1; i + 1 < feature->count; i++) {
    area += (o->x[i] - o->x[0]) * (o->y[i + 1] - o->y[0]) -
            (o->y[i] - o->y[0]) * (o->x[i + 1] - o->x[0]);
  }
  o->winding = area < 0.0 ? -1.0 : 1.0;
  if (feature->count > 2) {
    double across = mo_ddot(feature->normal, f->n);
    o->slope_x = -mo_ddot(feature->normal, f->u) / across;
    o->slope_y = -mo_ddot(feature->normal, f->v) / across;
    o->height = mo_ddot(f->n, feature->outline[0]) - o->slope_x * o->x[0] - o->slope_y * o->y[0];
    set_edges(o, MO_OUTLINE_TOLERANCE * size);
  }
}

static double height_at(const outline_2d *o, double x, double y) {
  return o->height + o->slope_x * x + o->slope_y * y;
}

/* Signed distance of a point from an edge, positive on the inner side, times the length of the
 * edge. */
static double scaled_edge_distance(const outline_2d *o, int edge, double x, double y) {
  return o->edge_x[edge] * (y - o->y[edge]) - o->edge_y[edge] * (x - o->x[edge]);
}

static inline void find_corner_sides(const outline_2d *edges, const outline_2d *corners,
                                     corner_sides *s) {
  s->corners_outside = 0;
  for (int i = 0; i < edges->source->count; i++) {
    s->corners_beyond_edge[i] = 0;
    for (int k = 0; k < corners->source->count; k += 4) {
      const mo_d4 distance = edges->edge_x[i] * (load(corners->y + k) - edges->y[i]) -
                             edges->edge_y[i] * (load(corners->x + k) - edges->x[i]);
      store(s->scaled_distance[i] + k, distance);
      s->corners_beyond_edge[i] |= mo_d4_less_bits(distance, mo_d4_splat(0.0)) << k;
      s->corners_outside |= mo_d4_less_bits(distance, mo_d4_splat(-edges->scaled_edge_tolerance[i]))
                            << k;
    }
  }
}

static bool outline_contains(const outline_2d *o, double x, double y) {
  for (int i = 0; i < o->source->count; i++) {
    if (scaled_edge_distance(o, i, x, y) < -o->scaled_edge_tolerance[i]) {
      return false;
    }
  }
  return true;
}

/* Adds a candidate at (x, y), where the surfaces of A and B have the heights `height`, unless the
 * surfaces are too far apart there. Candidates at the same place are merged: the id that comes
 * first is kept. */
static void add_candidate(const clip_state *o, double x, double y, const double height[2],
                          uint64_t id) {
  const mo_contact_frame *f = &o->frame;
  mo_candidates *to = o->candidates;
  MO_ASSERT(to->count >= 0 && to->count < MO_MAX_CANDIDATES);
  double separation = height[1] - height[0];
  if (!(separation <= o->clip->max)) {
    return;
  }
  mo_dvec3 position = mo_dadd(mo_dadd(mo_dscale(x, f->u), mo_dscale(y, f->v)),
                              mo_dscale(0.5 * (height[0] + height[1]), f->n));
  mo_candidate candidate = {x, y, position, separation, id};
  double near = MO_MERGE_DISTANCE * o->clip->size;
  for (int i = 0; i < to->count; i++) {
    mo_candidate *other = &to->items[i];
    if (other->id == candidate.id) {
      candidate.id += MO_CROSSING_ID_INCREMENT;
    }
    if (fabs(other->x - x) <= near && fabs(other->y - y) <= near) {
      if (mo_contact_id_before(id, other->id)) {
        *other = candidate;
      }
      return;
    }
  }
  if (to->count < MO_MAX_CANDIDATES - 1) {
    to->items[to->count++] = candidate;
  }
}

/* Adds a corner or rim point of face `which` (0 or 1) that lies inside the outline of the other. */
static void add_point(const clip_state *o, int which, mo_dvec3 point, const double at[2],
                      uint32_t id) {
  const outline_2d *over = &o->feature[1 - which];
  double own = mo_ddot(o->frame.n, point), other = height_at(over, at[0], at[1]);
  const double height[2] = {which == 0 ? own : other, which == 0 ? other : own};
  add_candidate(o, at[0], at[1], height,
                which == 0 ? mo_contact_id(id, over->source->face)
                           : mo_contact_id(over->source->face, id));
}

/* Adds the corners or rim points of face `which` that lie inside the outline of the other face. */
static void add_corners(const clip_state *o, int which) {
  const outline_2d *own = &o->feature[which];
  const mo_contact_feature *feature = own->source;
  for (int i = 0; i < feature->rim_count; i++) {
    const double at[2] = {mo_ddot(o->frame.u, feature->rim[i]),
                          mo_ddot(o->frame.v, feature->rim[i])};
    if (outline_contains(&o->feature[1 - which], at[0], at[1])) {
      add_point(o, which, feature->rim[i], at, feature->rim_id[i]);
    }
  }
  for (int i = 0; i < feature->count && feature->rim_count == 0; i++) {
    if ((o->sides[which].corners_outside >> i & 1) == 0) {
      const double at[2] = {own->x[i], own->y[i]};
      add_point(o, which, feature->outline[i], at, feature->vertex[i]);
    }
  }
}

/* The id of an edge for a crossing. The polygon on a rim has two ids: one for where it enters the
 * other face, one for where it leaves. */
static uint32_t edge_crossing_id(const outline_2d *o, int edge, bool enters) {
  return o->source->edge[edge] + (o->source->rim_count > 0 && enters ? 1 : 0);
}

static void add_edge_crossing(const clip_state *o, int i, int j) {
  const outline_2d *a = &o->feature[0], *b = &o->feature[1];
  const int i_next = i + 1 == a->source->count ? 0 : i + 1,
            j_next = j + 1 == b->source->count ? 0 : j + 1;
  const double here = o->sides[0].scaled_distance[j][i],
               next = o->sides[0].scaled_distance[j][i_next];
  if ((o->sides[1].corners_beyond_edge[i] >> j & 1) ==
          (o->sides[1].corners_beyond_edge[i] >> j_next & 1) ||
      (fabs(here) <= b->scaled_edge_tolerance[j] && fabs(next) <= b->scaled_edge_tolerance[j])) {
    return;
  }
  const double t = here / (here - next);
  double x = a->x[i] + t * (a->x[i_next] - a->x[i]), y = a->y[i] + t * (a->y[i_next] - a->y[i]);
  const double height[2] = {height_at(a, x, y), height_at(b, x, y)};
  /* Where outline A enters outline B, B leaves A if both have the same winding; else B enters A. */
  bool a_enters = next > here, b_enters = a_enters != (a->winding == b->winding);
  add_candidate(o, x, y, height,
                mo_contact_id(edge_crossing_id(a, i, a_enters), edge_crossing_id(b, j, b_enters)));
}

/* Adds the crossings of the edges of two faces. Edges on one line do not cross: where they overlap,
 * their corners have been added already. */
static void add_edge_crossings(const clip_state *o) {
  const int last = o->feature[0].source->count - 1;
  for (int j = 0; j < o->feature[1].source->count; j++) {
    const uint64_t beyond = o->sides[0].corners_beyond_edge[j], next = beyond >> 1 | (beyond & 1)
                                                                                         << last;
    uint64_t crosses = (beyond ^ next) & (((uint64_t)2 << last) - 1);
    for (; crosses != 0; crosses &= crosses - 1) {
      add_edge_crossing(o, __builtin_ctzll(crosses), j);
    }
  }
}

/* The id, for a point of a line, of the end of the line that is within a tolerance of the point; if
 * there is none, `otherwise`. Without the tolerance, rounding errors would decide which id a point
 * gets where a clipped line ends close to its own end. */
static uint32_t line_end_id(const clip_state *o, const outline_2d *line, double x, double y,
                            uint32_t otherwise) {
  const double near = MO_MERGE_DISTANCE * o->clip->size;
  for (int k = 0; k < 2; k++) {
    if (fabs(x - line->x[k]) <= near && fabs(y - line->y[k]) <= near) {
      otherwise = line->source->vertex[k];
    }
  }
  return otherwise;
}

/* The id of the corner or edge of a face that is within a tolerance of a point; if there is none,
 * `otherwise`. */
static uint32_t face_feature_id(const clip_state *o, const outline_2d *face, double x, double y,
                                uint32_t otherwise) {
  const mo_contact_feature *f = face->source;
  const double near = MO_MERGE_DISTANCE * o->clip->size;
  if (f->rim_count > 0) {
    return otherwise;
  }
  for (int i = 0; i < f->count; i++) {
    if (fabs(face->x[i] - x) <= near && fabs(face->y[i] - y) <= near) {
      return f->vertex[i];
    }
  }
  for (int i = 0; i < f->count; i++) {
    if (scaled_edge_distance(face, i, x, y) <=
        face->scaled_edge_tolerance[i] * (MO_MERGE_DISTANCE / MO_OUTLINE_TOLERANCE)) {
      return f->edge[i];
    }
  }
  return otherwise;
}

/* Clips feature `which`, a line, against the other feature, a face, and adds the two ends of the
 * part of the line inside the face. */
static void clip_line(const clip_state *o, int which) {
  const outline_2d *line = &o->feature[which], *face = &o->feature[1 - which];
  double begin = 0.0, end = 1.0;
  uint32_t ids[2] = {line->source->vertex[0], line->source->vertex[1]};
  uint32_t others[2] = {face->source->face, face->source->face};
  for (int i = 0; i < face->source->count; i++) {
    double from = scaled_edge_distance(face, i, line->x[0], line->y[0]);
    double to_side = scaled_edge_distance(face, i, line->x[1], line->y[1]);
    double slack = face->scaled_edge_tolerance[i];
    if (from < -slack && to_side < -slack) {
      return;
    }
    double t = from / (from - to_side);
    if (from < -slack && t > begin) {
      begin = t;
      ids[0] = line->source->edge[0];
      others[0] = face->source->edge[i] + (face->source->rim_count > 0);
    } else if (to_side < -slack && t < end) {
      end = t;
      ids[1] = line->source->edge[0];
      others[1] = face->source->edge[i];
    }
  }
  if (!(begin <= end)) {
    return;
  }
  for (int i = 0; i < 2; i++) {
    double t = i == 0 ? begin : end;
    double x = line->x[0] + t * (line->x[1] - line->x[0]);
    double y = line->y[0] + t * (line->y[1] - line->y[0]);
    if (!o->clip->surface_continues) {
      ids[i] = line_end_id(o, line, x, y, ids[i]);
      others[i] = face_feature_id(o, face, x, y, others[i]);
    }
    double low = mo_ddot(o->frame.n, line->source->outline[0]),
           high = mo_ddot(o->frame.n, line->source->outline[1]);
    double own = low + t * (high - low), other = height_at(face, x, y);
    const double height[2] = {which == 0 ? own : other, which == 0 ? other : own};
    add_candidate(o, x, y, height,
                  which == 0 ? mo_contact_id(ids[i], others[i]) : mo_contact_id(others[i], ids[i]));
  }
}

/* Adds the two ends of the overlap of two parallel or nearly parallel lines. */
static void clip_lines(const clip_state *o) {
  const outline_2d *a = &o->feature[0], *b = &o->feature[1];
  double ax = a->x[1] - a->x[0], ay = a->y[1] - a->y[0], bx = b->x[1] - b->x[0],
         by = b->y[1] - b->y[0];
  double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, cross = ax * by - ay * bx;
  if (!(a2 > 0.0) || !(b2 > 0.0) ||
      cross * cross > MO_PARALLEL_LINES_SINE * MO_PARALLEL_LINES_SINE * a2 * b2) {
    return;
  }
  for (int side = 0; side < 2; side++) {
    const outline_2d *of = side == 0 ? a : b, *over = side == 0 ? b : a;
    double ox = over->x[1] - over->x[0], oy = over->y[1] - over->y[0];
    double o2 = side == 0 ? b2 : a2;
    for (int i = 0; i < 2; i++) {
      double t = ((of->x[i] - over->x[0]) * ox + (of->y[i] - over->y[0]) * oy) / o2;
      if (!(t >= -MO_OUTLINE_TOLERANCE) || !(t <= 1.0 + MO_OUTLINE_TOLERANCE)) {
        continue;
      }
      double x = over->x[0] + t * ox, y = over->y[0] + t * oy;
      double dx = of->x[i] - x, dy = of->y[i] - y;
      if (dx * dx + dy * dy > MO_PARALLEL_LINES_SINE * MO_PARALLEL_LINES_SINE * fmin(a2, b2)) {
        continue;
      }
      double low = mo_ddot(o->frame.n, over->source->outline[0]),
             high = mo_ddot(o->frame.n, over->source->outline[1]);
      double own = mo_ddot(o->frame.n, of->source->outline[i]), other = low + t * (high - low);
      const double height[2] = {side == 0 ? own : other, side == 0 ? other : own};
      uint32_t vertex = of->source->vertex[i], edge = over->source->edge[0];
      add_candidate(o, 0.5 * (x + of->x[i]), 0.5 * (y + of->y[i]), height,
                    side == 0 ? mo_contact_id(vertex, edge) : mo_contact_id(edge, vertex));
    }
  }
}

void MO_ISA_FN(mo_clip_features)(const mo_clip *clip, const mo_contact_feature *a,
                                 const mo_contact_feature *b, mo_candidates *candidates) {
  MO_ASSERT(a->count <= MO_MAX_OUTLINE_CORNERS && b->count <= MO_MAX_OUTLINE_CORNERS);
  MO_ASSERT(mo_is_unit(clip->normal));
  candidates->count = 0;
  if (a->count < 2 || b->count < 2) {
    return;
  }
  clip_state o;
  o.clip = clip;
  o.frame = mo_contact_frame_of(clip->normal);
  o.candidates = candidates;
  project_feature(&o.frame, clip->size, a, &o.feature[0]);
  project_feature(&o.frame, clip->size, b, &o.feature[1]);
  if (a->count == 2 && b->count == 2) {
    clip_lines(&o);
  } else if (a->count == 2 || b->count == 2) {
    clip_line(&o, a->count == 2 ? 0 : 1);
  } else {
    find_corner_sides(&o.feature[1], &o.feature[0], &o.sides[0]);
    find_corner_sides(&o.feature[0], &o.feature[1], &o.sides[1]);
    add_corners(&o, 0);
    add_corners(&o, 1);
    add_edge_crossings(&o);
  }
}
