/* Decides whether the rays of a chunk are coherent, and how they are laid out. For inclusion in one
 * translation unit. */
#ifndef MO_BATCH_COHERENCE_H
#define MO_BATCH_COHERENCE_H

#include "batch/packet.h"

/* The direction class of a ray with this direction. Rays whose direction is zero or would be scaled
 * by mo_ray_init are traced on their own. Magnitudes are compared by their bits, as integers. */
static inline uint32_t ray_direction_class(float dx, float dy, float dz) {
  uint32_t x, y, z, shortest, longest;
  const float limits[2] = {0x1p-20f, 0x1p20f};
  memcpy(&x, &dx, sizeof x);
  memcpy(&y, &dy, sizeof y);
  memcpy(&z, &dz, sizeof z);
  memcpy(&shortest, &limits[0], sizeof shortest);
  memcpy(&longest, &limits[1], sizeof longest);
  uint32_t signs = x >> 31 | y >> 31 << 1 | z >> 31 << 2;
  x &= 0x7fffffffu;
  y &= 0x7fffffffu;
  z &= 0x7fffffffu;
  uint32_t axis = y > x ? 1u : 0u, max = y > x ? y : x;
  axis = z > max ? 2u : axis;
  max = z > max ? z : max;
  return max < shortest || max > longest ? DIRECTION_CLASS_TRACED_ALONE : axis << 3 | signs;
}

/* The footprint of a group, from its first and last ray: where these cross the plane through the
 * middle of the mesh that is perpendicular to their main axis, in units of the mesh's largest
 * extent. */
typedef struct footprint {
  uint32_t direction_class;
  float lower[2], upper[2]; /* the rectangle around the group's crossings of the plane */
} footprint;

/* Where a ray crosses the plane through the middle of the bounds that is perpendicular to its main
 * axis. */
typedef struct plane_crossing {
  uint32_t direction_class;
  float point[2], slope[2]; /* the crossing point; its change per unit along the main axis */
} plane_crossing;

/* The bounds of the mesh or scene: middle, lower corner, and the factor to units of the largest
 * extent. */
typedef struct bounds_frame {
  float middle[3], lower[3], scale;
} bounds_frame;

static bounds_frame bounds_frame_of(const mo_aabb *box) {
  const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
  const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
  bounds_frame f;
  float extent = 0.0f;
  for (int axis = 0; axis < 3; axis++) {
    f.middle[axis] = 0.5f * lower[axis] + 0.5f * upper[axis];
    f.lower[axis] = lower[axis];
    extent = mo_max(extent, upper[axis] - lower[axis]);
  }
  f.scale = 1.0f / extent;
  return f;
}

static inline plane_crossing find_crossing(const mo_batch *batch, const bounds_frame *f, size_t i) {
  mo_vec3 from = mo_read_vec3(&batch->def->origins, i), to = mo_read_vec3(batch->aims, i);
  if (batch->rays_are_segments) {
    to = mo_sub(to, from);
  }
  const float o[3] = {from.x, from.y, from.z}, d[3] = {to.x, to.y, to.z};
  plane_crossing c = {.direction_class = ray_direction_class(d[0], d[1], d[2])};
  if (c.direction_class == DIRECTION_CLASS_TRACED_ALONE) {
    return c;
  }
  uint32_t kz = c.direction_class >> 3;
  float inverse = 1.0f / d[kz], step = f->middle[kz] - o[kz];
  for (uint32_t j = 0; j < 2; j++) {
    uint32_t axis = kz == 0 ? j + 1 : kz == 1 ? 2 * j : j;
    c.slope[j] = d[axis] * inverse;
    c.point[j] = (o[axis] + step * c.slope[j] - f->lower[axis]) * f->scale;
  }
  return c;
}

/* Computes the footprint of a group. Returns whether its rays are coherent. */
static bool find_footprint(const mo_batch *batch, const bounds_frame *f, const mo_ray_chunk *chunk,
                           uint32_t index, footprint *e) {
  size_t first = chunk->first + (size_t)8 * index;
  uint32_t rest = chunk->count - 8 * index;
  plane_crossing a = find_crossing(batch, f, first);
  plane_crossing b = find_crossing(batch, f, first + (rest < 8 ? rest - 1 : 7));
  if (a.direction_class == DIRECTION_CLASS_TRACED_ALONE || a.direction_class != b.direction_class) {
    return false;
  }
  bool together = true;
  e->direction_class = a.direction_class;
  for (int j = 0; j < 2; j++) {
    e->lower[j] = mo_min(a.point[j], b.point[j]);
    e->upper[j] = mo_max(a.point[j], b.point[j]);
    together =
        together && e->upper[j] - e->lower[j] < 0.125f && fabsf(a.slope[j] - b.slope[j]) < 0.25f;
  }
  return together || batch->def->coherence == MO_COHERENCE_COHERENT;
}

/* --- images stored row by row --- */

/* The rows of an image that follow each other in a chunk. Rays from `begin` to `rows_begin` are the
 * end of a row; from there to `rows_end` there are complete rows. */
typedef struct raster {
  uint32_t begin, rows_begin, rows_end; /* indices of rays in the chunk */
  uint32_t pitch;                       /* rays per row; 0: no image */
} raster;

/* How different two rays are: the distance of their origins in units of the mesh's extent, plus
 * that of their directions relative to the longest component. NaN if a term is not finite. */
static inline float ray_difference(const mo_batch *batch, const bounds_frame *f, size_t i,
                                   size_t j) {
  const mo_vec3_array *origins = &batch->def->origins, *aims = batch->aims;
  mo_vec3 from = mo_read_vec3(origins, i), aim = mo_read_vec3(aims, i);
  mo_vec3 away = mo_sub(mo_read_vec3(origins, j), from);
  mo_vec3 direction_change = mo_sub(mo_read_vec3(aims, j), aim);
  if (batch->rays_are_segments) {
    aim = mo_sub(aim, from);
    direction_change = mo_sub(direction_change, away);
  }
  float length = mo_max(mo_max(fabsf(aim.x), fabsf(aim.y)), fabsf(aim.z));
  return (fabsf(away.x) + fabsf(away.y) + fabsf(away.z)) * f->scale +
         (fabsf(direction_change.x) + fabsf(direction_change.y) + fabsf(direction_change.z)) /
             length;
}

/* Whether the rays from `i` on are a complete row of an image: after it there is a step to the next
 * row, and it lies beside the row before it. */
static bool is_image_row(const mo_batch *batch, const bounds_frame *f, const mo_ray_chunk *chunk,
                         const raster *r, uint32_t i) {
  size_t begin = chunk->first + i, middle = begin + r->pitch / 2, next = begin + r->pitch;
  float step = MO_MIN_ROW_STEP_RATIO * ray_difference(batch, f, middle, middle + 1);
  return (i + r->pitch == chunk->count || !(ray_difference(batch, f, next - 1, next) <= step)) &&
         (i == r->rows_begin || ray_difference(batch, f, middle - r->pitch, middle) <= step);
}

/* Recognizes whether the rays from `begin` on are rows of an image, and finds these rows. */
static raster find_raster(const mo_batch *batch, const bounds_frame *f, const mo_ray_chunk *chunk,
                          uint32_t begin) {
  raster r = {.begin = begin};
  uint32_t last = chunk->count - 1, ends[2], count = 0;
  if (chunk->count - begin < 4 * MO_MIN_RAYS_PER_IMAGE_ROW) {
    return r;
  }
  size_t from = chunk->first + begin;
  float step = mo_min(ray_difference(batch, f, from, from + 1),
                      ray_difference(batch, f, from + 1, from + 2));
  for (uint32_t i = begin, begun = begin;
       i < last && i < begun + MO_MAX_RAYS_PER_IMAGE_ROW && count < 2; i++) {
    size_t ray = chunk->first + i;
    if (!(ray_difference(batch, f, ray, ray + 1) <= MO_MIN_ROW_STEP_RATIO * step)) {
      ends[count++] = begun = i + 1;
    }
  }
  /* The chunk may begin inside a row; the rest of that row is not longer than a whole row. */
  if (count < 2 || ends[1] - ends[0] < MO_MIN_RAYS_PER_IMAGE_ROW ||
      ends[0] - begin > ends[1] - ends[0]) {
    return r;
  }
  r.rows_begin = r.rows_end = ends[0];
  r.pitch = ends[1] - ends[0];
  while (r.rows_end + r.pitch <= chunk->count && is_image_row(batch, f, chunk, &r, r.rows_end)) {
    r.rows_end += r.pitch;
  }
  r.pitch = r.rows_end - r.rows_begin >= 3 * r.pitch ? r.pitch : 0;
  return r;
}

#endif
