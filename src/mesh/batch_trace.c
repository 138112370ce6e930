/* Chunks of rays through the triangle octree; compiled once per instruction set.
 *
 * Eights of rays that go together are sorted by the signs and the main axis of their direction and
 * by where they cross the middle of the mesh, and neighbours make packets. So a picture row by row
 * is traced in tiles. */
#include "base/inline.h"
#include "mesh/batch_check.h"
#include "mesh/batch_order.h"
#include "mesh/batch_packet.h"

/* What a packet's traversal needs besides. */
typedef struct tracing {
  const mo_mesh *mesh;
  mo_packet *packet;
  mo_query_stats *stats;
  uint32_t ignore;
  mo_cull cull;
} tracing;

/* Preparing. */

static inline mo_f8 with_sign(mo_f8 magnitude, bool negative) {
  return negative ? mo_f8_sub(mo_f8_all(-0.0f), magnitude) : magnitude;
}

/* As mo_ray_init, for rays that it does not scale. */
static inline void prepare_group(mo_packet *packet, mo_ray_group *group, const float reach[3]) {
  mo_f8 d[3], size[3], reaches[3];
  for (int axis = 0; axis < 3; axis++) {
    d[axis] = mo_f8_load(group->rays.direction[axis]);
    size[axis] = mo_f8_abs(d[axis]);
    reaches[axis] =
        mo_f8_add(mo_f8_all(reach[axis]), mo_f8_abs(mo_f8_load(group->rays.origin[axis])));
  }
  mo_f8 sz = mo_f8_div(mo_f8_all(1.0f), d[packet->kz]);
  mo_f8_store(group->sz, sz);
  mo_f8_store(group->sx, mo_f8_mul(d[packet->kx], sz));
  mo_f8_store(group->sy, mo_f8_mul(d[packet->ky], sz));
  mo_f8 largest = mo_f8_max(mo_f8_max(size[0], size[1]), size[2]);
  mo_f8 least = mo_f8_mul(mo_f8_all(0x1p-60f), largest);
  mo_f8 raised =
      mo_f8_add(mo_f8_mul(mo_f8_mul(mo_f8_all(0x1p-58f), mo_f8_mul(largest, mo_f8_abs(sz))),
                          reaches[packet->kz]),
                mo_f8_all(0x1p-120f));
  for (int axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    mo_f8 slope = mo_f8_abs(mo_f8_mul(d[axis], sz));
    mo_f8 pad =
        mo_f8_add(mo_f8_mul(mo_f8_all(MO_RAY_MARGIN),
                            mo_f8_add(reaches[axis], mo_f8_mul(slope, reaches[packet->kz]))),
                  raised);
    mo_f8 origin = mo_f8_load(group->rays.origin[axis]);
    mo_f8 forward = mo_f8_add(origin, pad), backward = mo_f8_sub(origin, pad);
    mo_f8_store(group->near_origin[axis], negative ? backward : forward);
    mo_f8_store(group->far_origin[axis], negative ? forward : backward);
    mo_f8_store(group->inverse[axis],
                mo_f8_div(mo_f8_all(1.0f), with_sign(mo_f8_max(size[axis], least), negative)));
  }
  mo_f8 min_t = mo_f8_load(group->rays.min_t);
  mo_f8_store(group->near_t, mo_f8_sub(min_t, mo_f8_add(mo_f8_mul(min_t, mo_f8_all(0x1p-20f)),
                                                        mo_f8_all(0x1p-120f))));
  for (int lane = 0; lane < 8; lane++) {
    group->triangle[lane] = MO_NO_TRIANGLE;
  }
}

enum { SWAP_ONES = 0x67452301, SWAP_TWOS = 0x54761032, SWAP_FOURS = 0x32107654 };

static inline mo_f8 fold(mo_f8 a, mo_f8 b, bool greatest) {
  return greatest ? mo_f8_max(a, b) : mo_f8_min(a, b);
}

/* The least or greatest of all lanes, in all lanes. */
static inline mo_f8 fold_lanes(mo_f8 a, bool greatest) {
  a = fold(a, mo_f8_reorder(a, SWAP_ONES), greatest);
  a = fold(a, mo_f8_reorder(a, SWAP_TWOS), greatest);
  return fold(a, mo_f8_reorder(a, SWAP_FOURS), greatest);
}

/* Neighbouring lanes of a in those lanes where the mask is clear, of b where it is set. */
static inline mo_f8 fold_two(mo_f8 a, mo_f8 b, uint32_t order, uint32_t mask, bool greatest) {
  mo_m8 second = mo_m8_from_bits(mask);
  return fold(mo_f8_select(second, b, a),
              mo_f8_select(second, mo_f8_reorder(b, order), mo_f8_reorder(a, order)), greatest);
}

/* Lane g receives the least or greatest of all lanes of a row of group g, of which `row` is that of
 * group 0; groups beyond the last repeat it. */
static inline mo_f8 fold_rows(const mo_packet *packet, const float *row, bool greatest) {
  const size_t pitch = sizeof(mo_ray_group) / sizeof(float);
  uint32_t last = packet->groups - 1;
  mo_f8 a[4];
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t first = 2 * i < last ? 2 * i : last;
    uint32_t second = 2 * i + 1 < last ? 2 * i + 1 : last;
    a[i] = fold_two(mo_f8_load(row + first * pitch), mo_f8_load(row + second * pitch), SWAP_ONES,
                    0xaa, greatest);
  }
  mo_f8 b = fold_two(a[0], a[1], SWAP_TWOS, 0xcc, greatest);
  mo_f8 c = fold_two(a[2], a[3], SWAP_TWOS, 0xcc, greatest);
  return fold_two(b, c, SWAP_FOURS, 0xf0, greatest);
}

/* The spans of the groups. */
static void find_group_spans(mo_packet *packet) {
  const mo_ray_group *group = packet->group;
  for (uint32_t axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    mo_f8_store(packet->near_origin[axis], fold_rows(packet, group->near_origin[axis], !negative));
    mo_f8_store(packet->far_origin[axis], fold_rows(packet, group->far_origin[axis], negative));
    mo_f8_store(packet->inverse[0][axis], fold_rows(packet, group->inverse[axis], false));
    mo_f8_store(packet->inverse[1][axis], fold_rows(packet, group->inverse[axis], true));
  }
  mo_f8_store(packet->near_t, fold_rows(packet, group->near_t, false));
  mo_f8_store(packet->max_t,
              mo_f8_select(mo_m8_from_bits((1u << packet->groups) - 1),
                           fold_rows(packet, group->rays.max_t, true), mo_f8_all(-INFINITY)));
}

/* The least and the greatest number of all groups, in all lanes. */
typedef struct ends {
  mo_f8 least, greatest;
} ends;

static inline ends ends_of(const mo_packet *packet, const float *row) {
  const size_t pitch = sizeof(mo_ray_group) / sizeof(float);
  ends e = {mo_f8_load(row), mo_f8_load(row)};
  for (uint32_t g = 1; g < packet->groups; g++) {
    mo_f8 lanes = mo_f8_load(row + g * pitch);
    e.least = mo_f8_min(e.least, lanes);
    e.greatest = mo_f8_max(e.greatest, lanes);
  }
  return (ends){fold_lanes(e.least, false), fold_lanes(e.greatest, true)};
}

static inline float first_lane(mo_f8 a) {
  alignas(MO_ALIGNMENT) float lanes[8];
  mo_f8_store(lanes, a);
  return lanes[0];
}

/* The span of a packet, from the ends of what was given: what prepare_group does to one ray, done
 * to these, bounds it for all. */
static void find_span(mo_packet *packet, const float reach[3]) {
  const mo_rays8 *rays = &packet->group[0].rays;
  ends origin[3], size[3];
  mo_f8 reaches[3], slope[3];
  for (uint32_t axis = 0; axis < 3; axis++) {
    uint32_t negative = packet->signs >> axis & 1;
    ends d = ends_of(packet, rays->direction[axis]);
    origin[axis] = ends_of(packet, rays->origin[axis]);
    size[axis].least = mo_f8_abs(negative ? d.greatest : d.least);
    size[axis].greatest = mo_f8_abs(negative ? d.least : d.greatest);
    reaches[axis] = mo_f8_add(mo_f8_all(reach[axis]), mo_f8_max(mo_f8_abs(origin[axis].least),
                                                                mo_f8_abs(origin[axis].greatest)));
    packet->enter[axis] = (axis + 3 * negative) * MO_WIDTH;
    packet->leave[axis] = (axis + 3 * (1 - negative)) * MO_WIDTH;
  }
  mo_f8 sz = mo_f8_div(mo_f8_all(1.0f), size[packet->kz].least);
  mo_f8 largest[2] = {
      mo_f8_max(mo_f8_max(size[0].least, size[1].least), size[2].least),
      mo_f8_max(mo_f8_max(size[0].greatest, size[1].greatest), size[2].greatest),
  };
  mo_f8 raised = mo_f8_add(
      mo_f8_mul(mo_f8_mul(mo_f8_all(0x1p-58f), mo_f8_mul(largest[1], sz)), reaches[packet->kz]),
      mo_f8_all(0x1p-120f));
  for (uint32_t axis = 0; axis < 3; axis++) {
    bool negative = packet->signs >> axis & 1;
    slope[axis] = mo_f8_mul(size[axis].greatest, sz);
    mo_f8 pad =
        mo_f8_add(mo_f8_mul(mo_f8_all(MO_RAY_MARGIN),
                            mo_f8_add(reaches[axis], mo_f8_mul(slope[axis], reaches[packet->kz]))),
                  raised);
    mo_f8 backward = mo_f8_sub(origin[axis].least, pad);
    mo_f8 forward = mo_f8_add(origin[axis].greatest, pad);
    packet->span.near_origin[axis] = negative ? backward : forward;
    packet->span.far_origin[axis] = negative ? forward : backward;
    mo_f8 quickest = mo_f8_div(
        mo_f8_all(1.0f), mo_f8_max(size[axis].least, mo_f8_mul(mo_f8_all(0x1p-60f), largest[0])));
    mo_f8 slowest =
        mo_f8_div(mo_f8_all(1.0f),
                  mo_f8_max(size[axis].greatest, mo_f8_mul(mo_f8_all(0x1p-60f), largest[1])));
    packet->span.inverse[0][axis] = with_sign(quickest, negative);
    packet->span.inverse[1][axis] = with_sign(slowest, negative);
  }
  mo_f8 min_t = ends_of(packet, rays->min_t).least;
  packet->span.near_t =
      mo_f8_sub(min_t, mo_f8_add(mo_f8_mul(min_t, mo_f8_all(0x1p-20f)), mo_f8_all(0x1p-120f)));
  packet->greatest_t = first_lane(ends_of(packet, rays->max_t).greatest);
  packet->prepared = false;
}

static inline float greatest_of(const float lanes[8]) {
  return first_lane(fold_lanes(mo_f8_load(lanes), true));
}

static void set_kind(mo_packet *packet, uint32_t kind) {
  static const uint8_t next[6] = {1, 2, 0, 2, 0, 1};
  packet->signs = kind & 7;
  packet->kz = (int)(kind >> 3);
  int negative = packet->signs >> packet->kz & 1;
  packet->kx = next[packet->kz + 3 * negative];
  packet->ky = next[packet->kz + 3 * !negative];
}

/* Makes the rays themselves ready, which those of a packet that meets no leaf need not be. */
static __attribute__((noinline)) void prepare_packet(mo_packet *packet, const mo_mesh *mesh) {
  const float reach[3] = {mesh->reach.x, mesh->reach.y, mesh->reach.z};
  for (uint32_t g = 0; g < packet->groups; g++) {
    prepare_group(packet, &packet->group[g], reach);
  }
  find_group_spans(packet);
  packet->prepared = true;
}

/* Tracing. */

/* Hits of rays of a group with one triangle. */
MO_INLINE void take_hits(mo_ray_group *group, uint32_t hits, uint32_t triangle,
                         const mo_triangle_hits *found, mo_ray_goal goal) {
  for (; hits != 0; hits &= hits - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(hits);
    float t = found->t[lane];
    if (goal == MO_GOAL_ANY) {
      group->rays.max_t[lane] = -INFINITY;
      group->triangle[lane] = triangle;
    } else if (t < group->rays.max_t[lane] || triangle < group->triangle[lane]) {
      group->rays.max_t[lane] = t;
      group->triangle[lane] = triangle;
    }
  }
}

/* The rays of a group against some triangles of a block, a triangle at a time. */
MO_INLINE void test_by_triangle(const tracing *tracer, mo_ray_group *group,
                                const mo_triangle_block *block, uint32_t triangles, uint32_t rays,
                                mo_ray_goal goal) {
  const mo_packet *packet = tracer->packet;
  for (; triangles != 0; triangles &= triangles - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(triangles);
    mo_f8 corner[3][3];
    for (int i = 0; i < 3; i++) {
      corner[i][0] = mo_f8_all(block->corner[i][packet->kx][lane]);
      corner[i][1] = mo_f8_all(block->corner[i][packet->ky][lane]);
      corner[i][2] = mo_f8_all(block->corner[i][packet->kz][lane]);
    }
    mo_triangle_hits found;
    uint32_t hits = mo_group_triangle(packet, group, corner, rays, tracer->cull, false, &found);
    take_hits(group, hits, block->id[lane] & MO_LANE_TRIANGLE, &found, goal);
  }
}

/* The same, a ray at a time. */
MO_INLINE void test_by_ray(const tracing *tracer, mo_ray_group *group,
                           const mo_triangle_block *block, uint32_t triangles, uint32_t rays,
                           mo_ray_goal goal) {
  for (; rays != 0; rays &= rays - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rays);
    mo_ray ray;
    mo_group_ray(tracer->packet, group, lane, &ray);
    mo_triangle_hits found;
    uint32_t hits = mo_ray_triangle8(&ray, block->corner, triangles, group->rays.max_t[lane],
                                     tracer->cull, false, &found);
    for (; hits != 0; hits &= hits - 1) {
      uint32_t hit = (uint32_t)__builtin_ctz(hits);
      uint32_t triangle = block->id[hit] & MO_LANE_TRIANGLE;
      float t = found.t[hit];
      if (goal == MO_GOAL_ANY) {
        group->rays.max_t[lane] = -INFINITY;
        group->triangle[lane] = triangle;
        break;
      }
      if (t < group->rays.max_t[lane] ||
          (t == group->rays.max_t[lane] && triangle < group->triangle[lane])) {
        group->rays.max_t[lane] = t;
        group->triangle[lane] = triangle;
      }
    }
  }
}

MO_INLINE void test_leaf(const tracing *tracer, uint32_t first, const mo_bounds8 *bounds,
                         uint32_t slot, uint32_t groups, mo_ray_goal goal) {
  mo_packet *packet = tracer->packet;
  uint32_t rays[MO_PACKET_GROUPS];
  uint32_t active = 0;
  for (; groups != 0; groups &= groups - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(groups);
    rays[g] = mo_group_meets_box(packet, &packet->group[g], bounds, slot);
    active |= (uint32_t)(rays[g] != 0) << g;
  }
  if (active == 0) {
    return;
  }
  for (const mo_triangle_block *block = &tracer->mesh->blocks[first];; block++) {
    if (tracer->stats != NULL) {
      tracer->stats->mesh_blocks++;
    }
    uint32_t wanted = ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, MO_LANE_EMPTY) & 0xff;
    if (tracer->ignore != MO_NO_TRIANGLE) {
      wanted &= ~mo_u8_equal(block->id, MO_LANE_TRIANGLE, tracer->ignore);
    }
    mo_block_boxes boxes = mo_boxes_of_block(packet, block);
    for (uint32_t rest = active; rest != 0; rest &= rest - 1) {
      uint32_t g = (uint32_t)__builtin_ctz(rest);
      mo_ray_group *group = &packet->group[g];
      uint32_t triangles = mo_group_meets_boxes(packet, g, &boxes) & wanted;
      if (triangles == 0) {
        continue;
      }
      if (__builtin_popcount(triangles) <= __builtin_popcount(rays[g])) {
        test_by_triangle(tracer, group, block, triangles, rays[g], goal);
      } else {
        test_by_ray(tracer, group, block, triangles, rays[g], goal);
      }
    }
    if (block->id[0] & MO_LANE_LAST) {
      break;
    }
  }
  for (; active != 0; active &= active - 1) {
    uint32_t g = (uint32_t)__builtin_ctz(active);
    packet->max_t[g] = greatest_of(packet->group[g].rays.max_t);
  }
  packet->greatest_t = greatest_of(packet->max_t);
}

typedef struct waiting {
  uint32_t child, from; /* from: node << 3 | slot */
  float t;
} waiting;

MO_INLINE void trace_packet(const tracing *tracer, mo_ray_goal goal) {
  const mo_mesh *mesh = tracer->mesh;
  mo_packet *packet = tracer->packet;
  const mo_ray_span span = packet->span;
  waiting stack[MO_MESH_STACK];
  uint32_t depth = 0;
  waiting next = {0, 0, 0.0f};
  for (;;) {
    if (mo_child_is_leaf(next.child)) {
      const mo_bounds8 *bounds = &mesh->nodes[next.from >> 3].bounds;
      if (!packet->prepared) {
        prepare_packet(packet, mesh);
      }
      uint32_t groups = mo_packet_meets_box(packet, bounds, next.from & 7);
      if (groups != 0) {
        test_leaf(tracer, mo_child_index(next.child), bounds, next.from & 7, groups, goal);
      }
    } else {
      const mo_mesh_node *node = &mesh->nodes[next.child];
      if (tracer->stats != NULL) {
        mo_count_mesh_node(tracer->stats, mesh, next.child);
      }
      const float *floats = &node->bounds.lower[0][0];
      mo_f8 enter[3], leave[3];
      for (int axis = 0; axis < 3; axis++) {
        enter[axis] = mo_f8_load(floats + packet->enter[axis]);
        leave[axis] = mo_f8_load(floats + packet->leave[axis]);
      }
      mo_ray_slabs slabs = mo_span_slabs(&span, enter, leave, mo_f8_all(packet->greatest_t));
      uint32_t order = mo_mesh_order(node, packet->signs);
      mo_f8 near_t = mo_f8_reorder(slabs.near_t, order);
      uint32_t mask = mo_m8_bits(mo_f8_le(near_t, mo_f8_reorder(slabs.far_t, order)));
      alignas(MO_ALIGNMENT) float t[MO_WIDTH];
      mo_f8_store(t, near_t);
      while (mask != 0) {
        uint32_t i = 31u - (uint32_t)__builtin_clz(mask);
        mask ^= 1u << i;
        uint32_t slot = order >> (4 * i) & 7;
        stack[depth++] = (waiting){node->child[slot], next.child << 3 | slot, t[i]};
      }
    }
    do {
      if (depth == 0) {
        return;
      }
      next = stack[--depth];
    } while (next.t > packet->greatest_t);
  }
}

/* Answers. */

/* Weights and facing, by the test that found the triangles. */
static void find_weights(const tracing *tracer, const mo_ray_group *group, uint32_t hits,
                         mo_answers8 *answers) {
  const mo_packet *packet = tracer->packet;
  alignas(MO_ALIGNMENT) float lanes[3][3][8] = {{{0}}};
  for (uint32_t rest = hits; rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    mo_vec3 corners[3];
    mo_mesh_corners(tracer->mesh, group->triangle[lane], corners);
    for (int i = 0; i < 3; i++) {
      lanes[i][0][lane] = corners[i].x;
      lanes[i][1][lane] = corners[i].y;
      lanes[i][2][lane] = corners[i].z;
    }
  }
  mo_f8 corner[3][3];
  for (int i = 0; i < 3; i++) {
    corner[i][0] = mo_f8_load(lanes[i][packet->kx]);
    corner[i][1] = mo_f8_load(lanes[i][packet->ky]);
    corner[i][2] = mo_f8_load(lanes[i][packet->kz]);
  }
  mo_triangle_hits found = {.front = 0};
  mo_group_triangle(packet, group, corner, hits, tracer->cull, true, &found);
  memcpy(answers->u, found.u, sizeof found.u);
  memcpy(answers->v, found.v, sizeof found.v);
  answers->front = found.front;
}

static void take_answers(const mo_batch *batch, const tracing *tracer, mo_chunk *chunk,
                         const uint16_t index[MO_PACKET_GROUPS]) {
  for (uint32_t g = 0; g < tracer->packet->groups; g++) {
    const mo_ray_group *group = &tracer->packet->group[g];
    mo_answers8 answers;
    if (!tracer->packet->prepared) {
      mo_answer_nothing(&answers);
      mo_batch_write8(batch, chunk, 8u * index[g], &answers);
      continue;
    }
    answers.found = ~mo_u8_equal(group->triangle, UINT32_MAX, MO_NO_TRIANGLE) & 0xff;
    if (batch->goal == MO_GOAL_CLOSEST) {
      mo_f8_store(answers.t, mo_f8_select(mo_m8_from_bits(answers.found),
                                          mo_f8_load(group->rays.max_t), mo_f8_all(INFINITY)));
      memcpy(answers.triangle, group->triangle, sizeof answers.triangle);
      if (batch->want_weights && answers.found != 0) {
        find_weights(tracer, group, answers.found, &answers);
      }
    }
    mo_batch_write8(batch, chunk, 8u * index[g], &answers);
  }
}

/* Chunks. */

static inline bool is_of_kind(const mo_rays8 *rays, uint32_t kind) {
  uint32_t kz = kind >> 3, other = 0;
  mo_f8 length[3];
  for (uint32_t axis = 0; axis < 3; axis++) {
    mo_f8 d = mo_f8_load(rays->direction[axis]);
    other |= mo_f8_signs(d) ^ (kind >> axis & 1 ? 0xffu : 0u);
    length[axis] = mo_f8_abs(d);
  }
  /* Of equal ones the first is the main axis. */
  mo_f8 most = length[kz];
  mo_m8 fine = mo_m8_and(mo_f8_le(mo_f8_all(0x1p-20f), most), mo_f8_le(most, mo_f8_all(0x1p20f)));
  fine = mo_m8_and(fine, kz > 0 ? mo_f8_lt(length[0], most) : mo_f8_le(length[1], most));
  fine = mo_m8_and(fine, kz > 1 ? mo_f8_lt(length[1], most) : mo_f8_le(length[2], most));
  return other == 0 && mo_m8_bits(fine) == 0xff;
}

/* What chunks are traced with. */
typedef struct tools {
  const mo_batch *batch;
  mo_chunk *chunk;
  frame f;
  float fine;
  float reach[3];
  /* Eights that are traced ray by ray, after the packets. */
  uint32_t *apart_count;
  uint16_t *apart;
} tools;

static inline void set_apart(const tools *t, uint32_t eight_of_chunk) {
  t->apart[(*t->apart_count)++] = (uint16_t)eight_of_chunk;
}

/* Reads eights of rays into a packet. Those that turn out to be of another kind are traced at once.
 */
MO_INLINE void read_packet(const tools *t, uint32_t kind, const uint16_t *eights, uint32_t count,
                           mo_packet *packet, uint16_t index[MO_PACKET_GROUPS]) {
  mo_chunk *chunk = t->chunk;
  uint32_t kept = 0;
  set_kind(packet, kind);
  for (uint32_t g = 0; g < count; g++) {
    uint32_t ray = 8u * eights[g];
    mo_batch_read8(t->batch, chunk->first + ray, chunk->count - ray, &packet->group[g].rays);
  }
  for (uint32_t g = 0; g < count; g++) {
    mo_rays8 *rays = &packet->group[g].rays;
    if (!is_of_kind(rays, kind)) {
      set_apart(t, eights[g]);
      continue;
    }
    if (!mo_packet_accepts8(t->batch, chunk, 8u * eights[g], rays)) {
      continue;
    }
    if (kept < g) {
      packet->group[kept].rays = *rays;
    }
    index[kept++] = eights[g];
  }
  packet->groups = kept;
}

MO_INLINE void trace_eights(const tools *t, const tracing *tracer, uint32_t kind,
                            const uint16_t *eights, uint32_t count, mo_ray_goal goal) {
  uint16_t index[MO_PACKET_GROUPS];
  read_packet(t, kind, eights, count, tracer->packet, index);
  if (tracer->packet->groups > 0) {
    find_span(tracer->packet, t->reach);
    trace_packet(tracer, goal);
    take_answers(t->batch, tracer, t->chunk, index);
  }
}

/* Asks for the memory of eights of rays that are needed soon. */
static inline void prefetch_rays(const tools *t, uint32_t first, uint32_t count) {
  const mo_batch_def *def = t->batch->def;
  const mo_vec3_array *arrays[2] = {&def->origins,
                                    t->batch->segments ? &def->ends : &def->directions};
  for (int i = 0; i < 2; i++) {
    size_t stride = arrays[i]->stride;
    const char *from = (const char *)arrays[i]->x + (t->chunk->first + (size_t)8 * first) * stride;
    for (size_t at = 0; at < 8 * (size_t)count * stride; at += MO_ALIGNMENT) {
      __builtin_prefetch(from + at);
    }
    uintptr_t way = (uintptr_t)arrays[1]->x - (uintptr_t)arrays[0]->x;
    if (i == 0 && way < stride) {
      return; /* the same lines */
    }
  }
}

/* The kinds of the first rays of eights. */
static void find_kinds(const tools *t, uint32_t first, uint32_t count,
                       uint32_t kinds[MO_PACKET_GROUPS]) {
  const mo_batch_def *def = t->batch->def;
  for (uint32_t i = 0; i < count; i++) {
    size_t ray = t->chunk->first + 8 * (size_t)(first + i);
    mo_vec3 d = mo_read_vec3(t->batch->segments ? &def->ends : &def->directions, ray);
    if (t->batch->segments) {
      d = mo_sub(d, mo_read_vec3(&def->origins, ray));
    }
    kinds[i] = kind_of(d.x, d.y, d.z);
  }
}

MO_INLINE void trace_in_order(const tools *t, const tracing *tracer, mo_ray_goal goal) {
  uint32_t end = (t->chunk->count + 7) / 8;
  for (uint32_t first = 0; first < end; first += MO_PACKET_GROUPS) {
    uint32_t count = end - first < MO_PACKET_GROUPS ? end - first : MO_PACKET_GROUPS;
    uint32_t kinds[MO_PACKET_GROUPS];
    prefetch_rays(t, first + MO_PACKET_GROUPS, MO_PACKET_GROUPS);
    find_kinds(t, first, count, kinds);
    uint32_t left = (1u << count) - 1;
    while (left != 0) {
      uint32_t kind = kinds[__builtin_ctz(left)], taken = 0;
      uint16_t eights[MO_PACKET_GROUPS];
      for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        if (kinds[i] == kind) {
          eights[taken++] = (uint16_t)(first + i);
          left ^= 1u << i;
        }
      }
      if (kind != KIND_ODD) {
        trace_eights(t, tracer, kind, eights, taken, goal);
        continue;
      }
      for (uint32_t i = 0; i < taken; i++) {
        set_apart(t, eights[i]);
      }
    }
  }
}

/* Eights in a row make a packet eight times as wide, those of a tile one about four times as wide.
 */
#define MOST_COMPACT 7.5f

static inline float extent_of(const eight *e) {
  return (e->upper[0] - e->lower[0]) + (e->upper[1] - e->lower[1]);
}

/* Whether neighbours in the caller's arrays make good packets, by some of them: pictures may come
 * in tiles. */
static bool is_in_order(const tools *t) {
  enum { SAMPLES = 8 };
  uint32_t packets = t->chunk->count / (8 * MO_PACKET_GROUPS), compact = 0;
  uint32_t samples = packets < SAMPLES ? packets : SAMPLES;
  for (uint32_t i = 0; i < samples; i++) {
    uint32_t first = MO_PACKET_GROUPS * (i * packets / samples), together = 0;
    eight all = {.lower = {INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY}};
    float sum = 0.0f;
    for (uint32_t j = 0; j < MO_PACKET_GROUPS; j++) {
      eight e;
      if (describe(t->batch, &t->f, t->chunk, first + j, &e)) {
        together++;
        sum += extent_of(&e);
        for (int axis = 0; axis < 2; axis++) {
          all.lower[axis] = mo_min(all.lower[axis], e.lower[axis]);
          all.upper[axis] = mo_max(all.upper[axis], e.upper[axis]);
        }
      }
    }
    compact +=
        2 * together > MO_PACKET_GROUPS && extent_of(&all) * (float)together <= MOST_COMPACT * sum;
  }
  return samples > 0 && 8 * compact >= 5 * samples;
}

MO_INLINE void trace_sorted(const tools *t, const tracing *tracer, mo_ray_goal goal) {
  eight eights[MO_CHUNK_EIGHTS];
  uint16_t order[MO_CHUNK_EIGHTS], at[MO_CHUNK_EIGHTS];
  uint8_t size[MO_CHUNK_EIGHTS];
  uint32_t count = 0, all = (t->chunk->count + 7) / 8;
  for (uint32_t i = 0; i < all; i++) {
    at[i] = NO_EIGHT;
    prefetch_rays(t, i + 16, 1);
    if (describe(t->batch, &t->f, t->chunk, i, &eights[count])) {
      at[i] = (uint16_t)count++;
    } else {
      set_apart(t, i);
    }
  }
  uint32_t pitch = find_pitch(eights, at, all), packets;
  if (pitch != 0) {
    packets = cut_rows(eights, at, all, pitch, t->fine, order, size);
  } else {
    sort_eights(eights, count, order);
    packets = cut(eights, order, count, t->fine, size);
  }
  const uint16_t *next = order;
  for (uint32_t i = 0; i < packets; i++) {
    uint16_t index[MO_PACKET_GROUPS];
    for (uint32_t j = 0; j < size[i]; j++) {
      index[j] = eights[next[j]].index;
    }
    trace_eights(t, tracer, eights[next[0]].key >> 16, index, size[i], goal);
    next += size[i];
  }
}

MO_INLINE void trace_chunk(const mo_batch *batch, mo_chunk *chunk, mo_ray_goal goal) {
  const mo_mesh *mesh = batch->mesh;
  uint16_t apart[MO_CHUNK_EIGHTS];
  uint32_t apart_count = 0;
  const tools t = {
      .batch = batch,
      .apart_count = &apart_count,
      .apart = apart,
      .chunk = chunk,
      .f = frame_of(mesh),
      .fine = sqrtf(4.0f * (float)mesh->node_count),
      .reach = {mesh->reach.x, mesh->reach.y, mesh->reach.z},
  };
  mo_packet packet;
  const tracing tracer = {
      .mesh = mesh,
      .packet = &packet,
      .stats = batch->stats,
      .ignore = batch->def->options.ignore_triangle,
      .cull = batch->def->options.cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE,
  };
  if (is_in_order(&t)) {
    trace_in_order(&t, &tracer, goal);
  } else {
    trace_sorted(&t, &tracer, goal);
  }
  MO_ISA_FN(mo_batch_trace_apart)(batch, chunk, apart, apart_count);
}

static void closest(const mo_batch *batch, mo_chunk *chunk) {
  trace_chunk(batch, chunk, MO_GOAL_CLOSEST);
}

static void any(const mo_batch *batch, mo_chunk *chunk) {
  trace_chunk(batch, chunk, MO_GOAL_ANY);
}

const mo_mesh_batch_kernels MO_ISA_FN(mo_mesh_batch_kernels) = {closest, any};
