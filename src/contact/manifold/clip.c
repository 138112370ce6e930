/* Features over each other: intersections of two convex polygons, or lines, across the normal.
 *
 * Neither of the two is the reference. A corner of the intersection is a corner of one over the
 * other, or a crossing of two edges, and its height on each is that on the plane of each; so ids
 * and points are the same with A and B exchanged. */
#include "contact/manifold/clip.h"

/* A feature seen along the normal. */
typedef struct outline_2d {
  const mo_contact_feature *of;
  double x[MO_MAX_OUTLINE], y[MO_MAX_OUTLINE];
  double winding;                  /* 1: counter-clockwise; -1: clockwise */
  double height, slope_x, slope_y; /* of a plane: at (0, 0), and how it rises */
} outline_2d;

typedef struct frame {
  mo_dvec3 u, v, n;
} frame;

/* Two rims cross up to four times. Further crossings of the same kind are told apart by this. */
#define MO_NEXT_CROSSING (UINT64_C(16) << 32)
/* Two points closer than this part of the size are one. */
static const double same_place = 0x1p-17;
/* And outlines are wider by this. */
static const double on_outline = 0x1p-36;
/* Lines are parallel below this sine. */
static const double parallel = 0x1p-6;

static frame frame_of(mo_dvec3 n) {
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  mo_dvec3 other = x <= y && x <= z ? mo_dvec(1.0, 0.0, 0.0)
                   : y <= z         ? mo_dvec(0.0, 1.0, 0.0)
                                    : mo_dvec(0.0, 0.0, 1.0);
  mo_dvec3 u = mo_dunit(mo_dcross(n, other));
  return (frame){u, mo_dcross(n, u), n};
}

void mo_place_candidate(mo_dvec3 normal, mo_candidate *candidate) {
  frame f = frame_of(normal);
  candidate->x = mo_ddot(f.u, candidate->position);
  candidate->y = mo_ddot(f.v, candidate->position);
}

static void flatten(const frame *f, const mo_contact_feature *feature, outline_2d *o) {
  o->of = feature;
  double area = 0.0;
  for (int i = 0; i < feature->count; i++) {
    o->x[i] = mo_ddot(f->u, feature->outline[i]);
    o->y[i] = mo_ddot(f->v, feature->outline[i]);
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
  }
}

static double height_at(const outline_2d *o, double x, double y) {
  return o->height + o->slope_x * x + o->slope_y * y;
}

/* How far a place is on the inner side of an edge, times the length of the edge. */
static double side_of(const outline_2d *o, int edge, double x, double y) {
  int next = edge + 1 == o->of->count ? 0 : edge + 1;
  double ex = o->x[next] - o->x[edge], ey = o->y[next] - o->y[edge];
  return o->winding * (ex * (y - o->y[edge]) - ey * (x - o->x[edge]));
}

static double length_of(const outline_2d *o, int edge) {
  int next = edge + 1 == o->of->count ? 0 : edge + 1;
  double ex = o->x[next] - o->x[edge], ey = o->y[next] - o->y[edge];
  return sqrt(ex * ex + ey * ey);
}

static bool contains(const outline_2d *o, double x, double y, double tolerance) {
  for (int i = 0; i < o->of->count; i++) {
    if (side_of(o, i, x, y) < -tolerance * length_of(o, i)) {
      return false;
    }
  }
  return true;
}

/* Adds a place with the heights of the surfaces there, unless they are too far apart. */
static void add(const mo_clip *clip, const frame *f, double x, double y, const double height[2],
                uint64_t id, mo_candidates *to) {
  double separation = height[1] - height[0];
  if (!(separation <= clip->most)) {
    return;
  }
  mo_dvec3 position = mo_dadd(mo_dadd(mo_dscale(x, f->u), mo_dscale(y, f->v)),
                              mo_dscale(0.5 * (height[0] + height[1]), f->n));
  mo_candidate candidate = {x, y, position, separation, id};
  double near = same_place * clip->size;
  for (int i = 0; i < to->count; i++) {
    mo_candidate *other = &to->items[i];
    if (other->id == candidate.id) {
      candidate.id += MO_NEXT_CROSSING;
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

/* Points of one face that lie over the other; `first` where it is that of A. */
static void add_corners(const mo_clip *clip, const frame *f, const outline_2d *of,
                        const outline_2d *over, bool first, mo_candidates *to) {
  const mo_contact_feature *feature = of->of;
  bool is_round = feature->rim_count > 0;
  int count = is_round ? feature->rim_count : feature->count;
  for (int i = 0; i < count; i++) {
    mo_dvec3 point = is_round ? feature->rim[i] : feature->outline[i];
    double x = mo_ddot(f->u, point), y = mo_ddot(f->v, point);
    if (contains(over, x, y, on_outline * clip->size)) {
      double own = mo_ddot(f->n, point), other = height_at(over, x, y);
      uint32_t id = is_round ? feature->rim_id[i] : feature->vertex[i];
      const double height[2] = {first ? own : other, first ? other : own};
      add(clip, f, x, y, height,
          first ? mo_contact_id(id, over->of->face) : mo_contact_id(over->of->face, id), to);
    }
  }
}

/* The id of an edge where it is crossed. A rim has two, by whether it goes in or out there. */
static uint32_t crossed(const outline_2d *o, int edge, bool enters) {
  return o->of->edge[edge] + (o->of->rim_count > 0 && enters ? 1 : 0);
}

static void add_crossings(const mo_clip *clip, const frame *f, const outline_2d *a,
                          const outline_2d *b, mo_candidates *to) {
  for (int j = 0; j < b->of->count; j++) {
    int j_next = j + 1 == b->of->count ? 0 : j + 1;
    double from = side_of(b, j, a->x[0], a->y[0]), start = from;
    for (int i = 0; i < a->of->count; i++) {
      int i_next = i + 1 == a->of->count ? 0 : i + 1;
      double next = i_next == 0 ? start : side_of(b, j, a->x[i_next], a->y[i_next]);
      double here = from;
      from = next;
      if ((here < 0.0) == (next < 0.0)) {
        continue;
      }
      double c = side_of(a, i, b->x[j], b->y[j]), d = side_of(a, i, b->x[j_next], b->y[j_next]);
      if ((c < 0.0) == (d < 0.0)) {
        continue;
      }
      double t = here / (here - next);
      double x = a->x[i] + t * (a->x[i_next] - a->x[i]), y = a->y[i] + t * (a->y[i_next] - a->y[i]);
      const double height[2] = {height_at(a, x, y), height_at(b, x, y)};
      /* Where A goes in, B goes out, if both go around in the same direction. */
      bool a_enters = next > here, b_enters = a_enters != (a->winding == b->winding);
      add(clip, f, x, y, height, mo_contact_id(crossed(a, i, a_enters), crossed(b, j, b_enters)),
          to);
    }
  }
}

/* A line over a face: its part between where it enters and leaves. */
static void clip_line(const mo_clip *clip, const frame *f, const outline_2d *line,
                      const outline_2d *face, bool line_first, mo_candidates *to) {
  double begin = 0.0, end = 1.0;
  uint32_t ids[2] = {line->of->vertex[0], line->of->vertex[1]};
  uint32_t others[2] = {face->of->face, face->of->face};
  for (int i = 0; i < face->of->count; i++) {
    double from = side_of(face, i, line->x[0], line->y[0]);
    double to_side = side_of(face, i, line->x[1], line->y[1]);
    double slack = on_outline * clip->size * length_of(face, i);
    if (from < -slack && to_side < -slack) {
      return;
    }
    double t = from / (from - to_side);
    if (from < -slack && t > begin) {
      begin = t;
      ids[0] = line->of->edge[0];
      others[0] = face->of->edge[i] + (face->of->rim_count > 0);
    } else if (to_side < -slack && t < end) {
      end = t;
      ids[1] = line->of->edge[0];
      others[1] = face->of->edge[i];
    }
  }
  if (!(begin <= end)) {
    return;
  }
  for (int i = 0; i < 2; i++) {
    double t = i == 0 ? begin : end;
    double x = line->x[0] + t * (line->x[1] - line->x[0]);
    double y = line->y[0] + t * (line->y[1] - line->y[0]);
    double low = mo_ddot(f->n, line->of->outline[0]), high = mo_ddot(f->n, line->of->outline[1]);
    double own = low + t * (high - low), other = height_at(face, x, y);
    const double height[2] = {line_first ? own : other, line_first ? other : own};
    add(clip, f, x, y, height,
        line_first ? mo_contact_id(ids[i], others[i]) : mo_contact_id(others[i], ids[i]), to);
  }
}

/* Two lines that are parallel, or nearly: both ends of the part that they have in common. */
static void clip_lines(const mo_clip *clip, const frame *f, const outline_2d *a,
                       const outline_2d *b, mo_candidates *to) {
  double ax = a->x[1] - a->x[0], ay = a->y[1] - a->y[0], bx = b->x[1] - b->x[0],
         by = b->y[1] - b->y[0];
  double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, turn = ax * by - ay * bx;
  if (!(a2 > 0.0) || !(b2 > 0.0) || turn * turn > parallel * parallel * a2 * b2) {
    return;
  }
  for (int side = 0; side < 2; side++) {
    const outline_2d *of = side == 0 ? a : b, *over = side == 0 ? b : a;
    double ox = over->x[1] - over->x[0], oy = over->y[1] - over->y[0];
    double o2 = side == 0 ? b2 : a2;
    for (int i = 0; i < 2; i++) {
      double t = ((of->x[i] - over->x[0]) * ox + (of->y[i] - over->y[0]) * oy) / o2;
      if (!(t >= -on_outline) || !(t <= 1.0 + on_outline)) {
        continue;
      }
      double x = over->x[0] + t * ox, y = over->y[0] + t * oy;
      double dx = of->x[i] - x, dy = of->y[i] - y;
      if (dx * dx + dy * dy > parallel * parallel * fmin(a2, b2)) {
        continue;
      }
      double low = mo_ddot(f->n, over->of->outline[0]), high = mo_ddot(f->n, over->of->outline[1]);
      double own = mo_ddot(f->n, of->of->outline[i]), other = low + t * (high - low);
      const double height[2] = {side == 0 ? own : other, side == 0 ? other : own};
      uint32_t vertex = of->of->vertex[i], edge = over->of->edge[0];
      add(clip, f, 0.5 * (x + of->x[i]), 0.5 * (y + of->y[i]), height,
          side == 0 ? mo_contact_id(vertex, edge) : mo_contact_id(edge, vertex), to);
    }
  }
}

void mo_clip_features(const mo_clip *clip, const mo_contact_feature *a, const mo_contact_feature *b,
                      mo_candidates *candidates) {
  candidates->count = 0;
  if (a->count < 2 || b->count < 2) {
    return;
  }
  frame f = frame_of(clip->normal);
  outline_2d flat_a, flat_b;
  flatten(&f, a, &flat_a);
  flatten(&f, b, &flat_b);
  if (a->count == 2 && b->count == 2) {
    clip_lines(clip, &f, &flat_a, &flat_b, candidates);
  } else if (a->count == 2) {
    clip_line(clip, &f, &flat_a, &flat_b, true, candidates);
  } else if (b->count == 2) {
    clip_line(clip, &f, &flat_b, &flat_a, false, candidates);
  } else {
    add_corners(clip, &f, &flat_a, &flat_b, true, candidates);
    add_corners(clip, &f, &flat_b, &flat_a, false, candidates);
    add_crossings(clip, &f, &flat_a, &flat_b, candidates);
  }
}
