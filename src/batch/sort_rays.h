/* Decides which groups of a chunk form packets: sorts groups by direction and position, and splits
 * the sorted row into packets. For inclusion in one translation unit. */
#ifndef MO_BATCH_SORT_RAYS_H
#define MO_BATCH_SORT_RAYS_H

#include "base/assert.h"
#include "batch/batch.h"

/* The kind of a ray: its direction signs and main axis, or that it is traced on its own. */
enum { KIND_SINGLE = 24, KEY_BITS = 21 };

/* Magnitudes are compared by their bits, as integers. Rays with directions that mo_ray_init would
 * scale are traced on their own, and so are those without a direction. */
static inline uint32_t kind_of(float dx, float dy, float dz) {
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
  return max < shortest || max > longest ? KIND_SINGLE : axis << 3 | signs;
}

/* The footprint of a group, from its first and last ray: where these cross the plane through the
 * middle of the mesh that is perpendicular to their main axis, in units of the mesh's largest
 * extent. */
typedef struct footprint {
  uint32_t key;   /* kind, then position in Morton order */
  uint16_t index; /* index of the group in the chunk */
  float lower[2], upper[2];
} footprint;

typedef struct crossing {
  uint32_t kind;
  float place[2], slope[2];
} crossing;

/* The bounds of the mesh or scene: middle, lower corner, and the factor to units of the largest
 * extent. */
typedef struct frame {
  float middle[3], lower[3], scale;
} frame;

static frame frame_of(const mo_aabb *box) {
  const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
  const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
  frame f;
  float extent = 0.0f;
  for (int axis = 0; axis < 3; axis++) {
    f.middle[axis] = 0.5f * lower[axis] + 0.5f * upper[axis];
    f.lower[axis] = lower[axis];
    extent = mo_max(extent, upper[axis] - lower[axis]);
  }
  f.scale = 1.0f / extent;
  return f;
}

static inline crossing find_crossing(const frame *f, const float o[3], const float d[3]) {
  crossing c = {.kind = kind_of(d[0], d[1], d[2])};
  if (c.kind == KIND_SINGLE) {
    return c;
  }
  uint32_t kz = c.kind >> 3;
  float inverse = 1.0f / d[kz], step = f->middle[kz] - o[kz];
  for (uint32_t j = 0; j < 2; j++) {
    uint32_t axis = kz == 0 ? j + 1 : kz == 1 ? 2 * j : j;
    c.slope[j] = d[axis] * inverse;
    c.place[j] = (o[axis] + step * c.slope[j] - f->lower[axis]) * f->scale;
  }
  return c;
}

static inline crossing find_crossing_of(const mo_batch *batch, const frame *f, size_t i) {
  const mo_batch_def *def = batch->def;
  mo_vec3 from = mo_read_vec3(&def->origins, i);
  mo_vec3 to = mo_read_vec3(batch->segments ? &def->ends : &def->directions, i);
  if (batch->segments) {
    to = mo_sub(to, from);
  }
  const float o[3] = {from.x, from.y, from.z}, d[3] = {to.x, to.y, to.z};
  return find_crossing(f, o, d);
}

static inline uint32_t cell_of(float place) {
  return place > 0.0f ? place < 1.0f ? (uint32_t)(256.0f * place) : 255 : 0;
}

/* Spreads the low eight bits to the even bit positions. */
static inline uint32_t spread_bits(uint32_t x) {
  x = (x | x << 4) & 0x0f0f;
  x = (x | x << 2) & 0x3333;
  return (x | x << 1) & 0x5555;
}

/* Describes a group. Returns whether its rays are coherent. */
static bool describe(const mo_batch *batch, const frame *f, const mo_chunk *chunk, uint32_t index,
                     footprint *e) {
  size_t first = chunk->first + (size_t)8 * index;
  uint32_t rest = chunk->count - 8 * index;
  crossing a = find_crossing_of(batch, f, first);
  crossing b = find_crossing_of(batch, f, first + (rest < 8 ? rest - 1 : 7));
  if (a.kind == KIND_SINGLE || a.kind != b.kind ||
      batch->def->coherence == MO_COHERENCE_INCOHERENT) {
    return false;
  }
  bool together = true;
  for (int j = 0; j < 2; j++) {
    e->lower[j] = mo_min(a.place[j], b.place[j]);
    e->upper[j] = mo_max(a.place[j], b.place[j]);
    together =
        together && e->upper[j] - e->lower[j] < 0.0625f && fabsf(a.slope[j] - b.slope[j]) < 0.25f;
  }
  e->index = (uint16_t)index;
  e->key = a.kind << 16 | spread_bits(cell_of(a.place[0])) | spread_bits(cell_of(a.place[1])) << 1;
  return together || batch->def->coherence == MO_COHERENCE_COHERENT;
}

/* Sorts groups by key (radix sort). `order` receives their indices in sorted order. */
static void sort_groups(const footprint *groups, uint32_t count, uint16_t order[MO_SORTED_GROUPS]) {
  uint16_t other[MO_SORTED_GROUPS];
  for (uint32_t i = 0; i < count; i++) {
    other[i] = (uint16_t)i;
  }
  uint16_t *from = other, *to = order;
  for (uint32_t shift = 0; shift < KEY_BITS; shift += 7) {
    uint16_t next[128] = {0};
    for (uint32_t i = 0; i < count; i++) {
      next[groups[i].key >> shift & 127]++;
    }
    uint16_t sum = 0;
    for (uint32_t i = 0; i < 128; i++) {
      uint16_t here = next[i];
      next[i] = sum;
      sum = (uint16_t)(sum + here);
    }
    for (uint32_t i = 0; i < count; i++) {
      MO_ASSERT(from[i] < count && next[groups[from[i]].key >> shift & 127] < count);
      to[next[groups[from[i]].key >> shift & 127]++] = from[i];
    }
    uint16_t *swap = from;
    from = to;
    to = swap;
  }
}

/* The expected number of leaves that rays through a rectangle visit. `leaf_density`: leaves per
 * extent. */
static inline float visits_of(const float lower[2], const float upper[2], float leaf_density) {
  return ((upper[0] - lower[0]) * leaf_density + 1.0f) *
         ((upper[1] - lower[1]) * leaf_density + 1.0f);
}

/* A packet under construction. */
typedef struct heap {
  uint32_t kind, count;
  float lower[2], upper[2], visits;
} heap;

static inline heap heap_of(const footprint *e, float leaf_density) {
  return (heap){.kind = e->key >> 16,
                .count = 1,
                .lower = {e->lower[0], e->lower[1]},
                .upper = {e->upper[0], e->upper[1]},
                .visits = visits_of(e->lower, e->upper, leaf_density)};
}

/* Adds a group to a packet if that costs less than a packet of its own. */
static inline bool heap_takes(heap *h, const footprint *e, float leaf_density) {
  float lower[2] = {mo_min(h->lower[0], e->lower[0]), mo_min(h->lower[1], e->lower[1])};
  float upper[2] = {mo_max(h->upper[0], e->upper[0]), mo_max(h->upper[1], e->upper[1])};
  float visits = visits_of(lower, upper, leaf_density);
  if (h->count == MO_PACKET_GROUPS || e->key >> 16 != h->kind ||
      !(visits <= h->visits + visits_of(e->lower, e->upper, leaf_density) + MO_PACKET_OVERHEAD)) {
    return false;
  }
  memcpy(h->lower, lower, sizeof lower);
  memcpy(h->upper, upper, sizeof upper);
  h->visits = visits;
  h->count++;
  return true;
}

/* Splits a row of groups into packets. `size` receives the number of groups in each. Returns the
 * number of packets. */
static uint32_t cut(const footprint *groups, const uint16_t *order, uint32_t count,
                    float leaf_density, uint8_t *size) {
  uint32_t packets = 0;
  for (uint32_t i = 0; i < count; packets++) {
    heap h = heap_of(&groups[order[i++]], leaf_density);
    while (i < count && heap_takes(&h, &groups[order[i]], leaf_density)) {
      i++;
    }
    MO_ASSERT(h.count >= 1 && h.count <= MO_PACKET_GROUPS);
    size[packets] = (uint8_t)h.count;
  }
  return packets;
}

/* Images stored row by row. */

/* Where rows of an image begin in a chunk: at ray `first`, and every `pitch` rays from there. A
 * pitch of 0: not an image. */
typedef struct raster {
  uint32_t first, pitch;
} raster;

/* A distance of two rays: that of their origins in units of the mesh's extent, plus that of their
 * directions relative to the longest component. NaN if one of these is not finite. */
static inline float distance_of(const mo_batch *batch, const frame *f, size_t i, size_t j) {
  const mo_batch_def *def = batch->def;
  const mo_vec3_array *aims = batch->segments ? &def->ends : &def->directions;
  mo_vec3 from = mo_read_vec3(&def->origins, i), aim = mo_read_vec3(aims, i);
  mo_vec3 away = mo_sub(mo_read_vec3(&def->origins, j), from);
  mo_vec3 turn = mo_sub(mo_read_vec3(aims, j), aim);
  if (batch->segments) {
    aim = mo_sub(aim, from);
    turn = mo_sub(turn, away);
  }
  float length = mo_max(mo_max(fabsf(aim.x), fabsf(aim.y)), fabsf(aim.z));
  return (fabsf(away.x) + fabsf(away.y) + fabsf(away.z)) * f->scale +
         (fabsf(turn.x) + fabsf(turn.y) + fabsf(turn.z)) / length;
}

static raster find_raster(const mo_batch *batch, const frame *f, const mo_chunk *chunk) {
  const raster none = {0, 0};
  uint32_t end = chunk->count - 1;
  if (chunk->count < 4 * MO_PITCH_MIN) {
    return none;
  }
  float step = mo_min(distance_of(batch, f, chunk->first, chunk->first + 1),
                      distance_of(batch, f, chunk->first + 1, chunk->first + 2));
  uint32_t first = 0, second = 0;
  for (uint32_t i = 0; i < end && i < first + MO_PITCH_MAX && second == 0; i++) {
    if (!(distance_of(batch, f, chunk->first + i, chunk->first + i + 1) <= MO_ROW_STEP * step)) {
      *(first == 0 ? &first : &second) = i + 1;
    }
  }
  uint32_t pitch = second - first;
  /* The chunk may begin inside a row; the rest of that row is not longer than a whole row. */
  if (second == 0 || pitch < MO_PITCH_MIN || first > pitch || first + 3 * pitch > chunk->count) {
    return none;
  }
  /* Check that further rows follow at that pitch and are adjacent in space. */
  uint32_t count = (chunk->count - first) / pitch - 1, good = 0;
  for (uint32_t i = 0; i < 4; i++) {
    size_t begin = chunk->first + first + (size_t)(count * i / 4) * pitch,
           middle = begin + pitch / 2;
    float along = distance_of(batch, f, middle, middle + 1);
    float across = distance_of(batch, f, middle, middle + pitch);
    float back = distance_of(batch, f, begin + pitch - 1, begin + pitch);
    good += across <= MO_ROW_STEP * along && back > MO_ROW_STEP * along;
  }
  return good >= 3 ? (raster){first, pitch} : none;
}

#endif
