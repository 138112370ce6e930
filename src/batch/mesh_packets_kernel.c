/* Traces chunks of rays as packets. Compiled once per instruction set.
 *
 * A packet is up to eight groups of eight rays that descend the tree together. Its rays have the
 * same direction class: the same signs and the same main axis of their directions. The groups of a
 * packet come from the caller's arrays in one of two orders:
 *
 *   - groups below each other in a raster, if the chunk is recognized as an image stored row by
 *     row: a packet is a tile of 8 by 8 pixels;
 *   - else consecutive groups, if these are close to each other (images stored in tiles).
 *
 * The groups that are read together are called a bundle. If its rays are of several direction
 * classes, the rays of each direction class make a packet. Chunks of incoherent rays are passed on
 * to other kernels. */
#include "base/inline.h"
#include "batch/coherence.h"
#include "batch/packet_walk.h"
#include "batch/read.h"

/* --- answers --- */

/* Computes weights and facing of closest hits, by the same arithmetic that found them. */
static void find_weights(const mo_packet_query *query, const mo_packet *packet,
                         const mo_ray_group *group, mo_corners8 *corners, mo_answers8 *answers) {
  mo_read_corners8(query->mesh, group->triangle, answers->found, corners);
  answers->corners = corners;
  mo_f8 corner[3][3];
  for (int i = 0; i < 3; i++) {
    corner[i][0] = mo_f8_load(corners->lane[i][packet->kx]);
    corner[i][1] = mo_f8_load(corners->lane[i][packet->ky]);
    corner[i][2] = mo_f8_load(corners->lane[i][packet->kz]);
  }
  mo_triangle_hits found = {.front = 0};
  mo_f8 t;
  const mo_group_shear shear = mo_shear_of_group(packet, group);
  mo_group_test_triangle(packet, group, &shear, corner, answers->found,
                         mo_f8_load(group->rays.max_t), query->cull, true, &t, &found);
  memcpy(answers->u, found.u, sizeof found.u);
  memcpy(answers->v, found.v, sizeof found.v);
  answers->front = found.front;
}

/* Writes the answers of a group of a packet that was traced through a mesh. `corners` is memory for
 * the corners of its triangles. */
static void write_group_answers(const mo_packet_query *query, const mo_packet *packet,
                                uint32_t group, mo_corners8 *corners, mo_answers8 *answers) {
  const mo_ray_group *g = &packet->group[group];
  if (set_group_answers(packet, g, query->goal, g->triangle, answers) && query->want_weights &&
      answers->found != 0) {
    find_weights(query, packet, g, corners, answers);
  }
}

/* Computes the answers of group `g` of a traced packet. `corners` is memory for the corners of its
 * triangles. */
static inline void find_group_answers(const mo_batch *batch, const packet_tracer *tracer,
                                      uint32_t g, mo_corners8 *corners, mo_answers8 *answers) {
  if (batch->mesh == NULL) {
    batch->write_answers(batch, tracer->packet, g, answers);
  } else {
    write_group_answers(tracer->query, tracer->packet, g, corners, answers);
  }
}

/* --- bundles --- */

/* A chunk of rays while it is traced. */
typedef struct chunk_tracer {
  const mo_batch *batch;
  mo_reader reader;
  mo_ray_chunk *chunk;
  bounds_frame frame; /* made from the bounds of the mesh or scene */
} chunk_tracer;

/* Up to eight groups of rays that are read together: the index of the first ray of each in the
 * chunk. */
typedef uint16_t group_bundle[MO_PACKET_GROUPS];

/* A bundle while its rays are sorted by direction class. */
typedef struct bundle_sorter {
  mo_rays8 in[MO_PACKET_GROUPS];
  mo_answers8 out[MO_PACKET_GROUPS];
  /* A bit for each ray: */
  uint64_t signs[3];          /* by axis: set if the direction is negative */
  uint64_t main_y, main_z;    /* set if the main axis is y, or z; else it is x */
  uint64_t surely_legal_rays; /* set if a conservative test finds the ray legal and in no need of
                                 scaling */
  uint8_t ray_index[8 * MO_PACKET_GROUPS]; /* the rays of one direction class: their indices in the
                                              bundle */
} bundle_sorter;

/* Finds the direction signs and the main axis of each ray, and which rays are surely legal. */
static void find_signs_and_main_axes(bundle_sorter *s, uint32_t groups) {
  s->signs[0] = s->signs[1] = s->signs[2] = s->main_y = s->main_z = s->surely_legal_rays = 0;
  for (uint32_t g = 0; g < groups; g++) {
    const mo_rays8 *rays = &s->in[g];
    mo_f8 length[3];
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 d = mo_f8_load(rays->direction[axis]);
      s->signs[axis] |= (uint64_t)mo_f8_signs(d) << 8 * g;
      length[axis] = mo_f8_abs(d);
    }
    /* The main axis is the longest; of equal ones the first. */
    mo_f8 max = mo_f8_max(length[0], length[1]);
    uint32_t z = mo_m8_bits(mo_f8_lt(max, length[2]));
    uint32_t y = mo_m8_bits(mo_f8_lt(length[0], length[1])) & ~z;
    max = mo_f8_max(max, length[2]);
    /* The sum is NaN where a length is NaN. */
    mo_f8 sum = mo_f8_add(mo_f8_add(length[0], length[1]), length[2]);
    mo_m8 legal =
        mo_m8_and(mo_rays8_surely_legal(rays), mo_m8_and(mo_f8_le(mo_f8_splat(0x1p-20f), max),
                                                         mo_f8_le(sum, mo_f8_splat(0x1p20f))));
    s->main_y |= (uint64_t)y << 8 * g;
    s->main_z |= (uint64_t)z << 8 * g;
    s->surely_legal_rays |= (uint64_t)mo_m8_bits(legal) << 8 * g;
  }
}

/* Bit mask of the rays with the same direction signs and main axis as `ray`, of those that passed
 * the conservative test for legality. `direction_class` receives these signs and the axis. */
static inline uint64_t rays_of_same_direction_class(const bundle_sorter *s, uint32_t ray,
                                                    uint32_t *direction_class) {
  uint64_t unlike = 0;
  const uint64_t *bits[5] = {&s->signs[0], &s->signs[1], &s->signs[2], &s->main_y, &s->main_z};
  uint32_t is = 0;
  for (uint32_t i = 0; i < 5; i++) {
    uint64_t here = *bits[i] >> ray & 1;
    unlike |= *bits[i] ^ (0 - here);
    is |= (uint32_t)here << i;
  }
  *direction_class = is; /* signs, plus 8 if the main axis is y, or 16 if it is z */
  return ~unlike & s->surely_legal_rays;
}

/* Writes the answers of a group of gathered rays to their original lanes in the bundle, given by
 * `ray_index`. `shapes`: whether the answers contain shapes. */
static void scatter_answers(bundle_sorter *s, const mo_answers8 *answers, const uint8_t *ray_index,
                            uint32_t count, bool shapes) {
  for (uint32_t lane = 0; lane < count; lane++) {
    if (answers->found >> lane & 1) {
      uint32_t to = ray_index[lane] % 8;
      mo_answers8 *out = &s->out[ray_index[lane] / 8];
      out->found |= 1u << to;
      out->front |= (answers->front >> lane & 1) << to;
      out->found_in_mesh_space |= shapes ? (answers->found_in_mesh_space >> lane & 1) << to : 0;
      out->t[to] = answers->t[lane];
      out->triangle[to] = answers->triangle[lane];
      out->shape[to] = shapes ? answers->shape[lane] : 0;
      out->u[to] = answers->u[lane];
      out->v[to] = answers->v[lane];
    }
  }
}

/* Checks ray by ray the groups of which some ray did not pass the conservative test for legality
 * (its bit is set in `doubtful`). If a ray is illegal, sets chunk->first_refused_index to the first
 * and returns false. */
static bool check_doubtful_groups(const chunk_tracer *t, const bundle_sorter *s,
                                  const uint16_t *first, uint64_t doubtful) {
  bool legal = true;
  for (uint32_t g = 0; doubtful != 0; g++, doubtful >>= 8) {
    legal =
        ((doubtful & 0xff) == 0 || mo_batch_accepts8(t->batch, t->chunk, first[g], &s->in[g])) &&
        legal;
  }
  return legal;
}

/* A bit for each ray of a bundle; none for lanes beyond the end of the chunk. */
static inline uint64_t ray_mask_of(const chunk_tracer *t, const uint16_t *first, uint32_t groups) {
  uint64_t all = groups == MO_PACKET_GROUPS ? UINT64_MAX : ((uint64_t)1 << 8 * groups) - 1;
  for (uint32_t g = 0; g < groups; g++) {
    uint32_t rest = t->chunk->count - first[g];
    all &= rest < 8 ? ~((uint64_t)(0xffu << rest & 0xff) << 8 * g) : UINT64_MAX;
  }
  return all;
}

/* Traces a packet whose direction class is set, given the intervals of its origins and directions
 * (`all`). */
static inline void trace_with_intervals(const chunk_tracer *t, const packet_tracer *tracer,
                                        const packet_intervals *all) {
  if (t->batch->mesh == NULL) {
    t->batch->trace_packet(t->batch, tracer->packet);
    return;
  }
  prepare_packet_intervals(tracer->packet, all, tracer->reach, MO_RAY_MARGIN);
  trace_packet(tracer, t->batch->goal);
}

/* Traces a bundle whose rays may be of several direction classes, one packet per direction class.
 * Its rays have been read into the packet. */
static void trace_by_direction_class(const chunk_tracer *t, const packet_tracer *tracer,
                                     const uint16_t *first, uint32_t groups) {
  bundle_sorter s;
  mo_packet *packet = tracer->packet;
  for (uint32_t g = 0; g < groups; g++) {
    s.in[g] = packet->group[g].rays;
    mo_answers8_clear(&s.out[g]);
  }
  find_signs_and_main_axes(&s, groups);
  uint64_t left = ray_mask_of(t, first, groups);
  if ((left & ~s.surely_legal_rays) != 0 &&
      !check_doubtful_groups(t, &s, first, left & ~s.surely_legal_rays)) {
    return;
  }
  while (left != 0) {
    uint32_t direction_class, ray = (uint32_t)__builtin_ctzll(left);
    uint64_t alike = left & rays_of_same_direction_class(&s, ray, &direction_class);
    if (__builtin_popcountll(alike) <= MO_MAX_RAYS_TRACED_SINGLY) {
      for (alike |= (uint64_t)1 << ray; alike != 0; alike &= alike - 1) {
        ray = (uint32_t)__builtin_ctzll(alike);
        MO_ISA_FN(mo_batch_trace_ray)(t->batch, &s.in[ray / 8], ray % 8, &s.out[ray / 8]);
        left ^= (uint64_t)1 << ray;
      }
      continue;
    }
    left ^= alike;
    gather_rays(s.in, alike, packet, s.ray_index);
    set_packet_direction_class(packet, direction_class);
    packet_intervals all;
    (void)find_packet_intervals(packet, &all);
    trace_with_intervals(t, tracer, &all);
    uint32_t count = (uint32_t)__builtin_popcountll(alike);
    for (uint32_t g = 0; g < packet->group_count; g++) {
      mo_answers8 answers;
      mo_corners8 corners;
      answers.front = answers.found_in_mesh_space = 0;
      find_group_answers(t->batch, tracer, g, &corners, &answers);
      scatter_answers(&s, &answers, &s.ray_index[8 * g], count - 8 * g < 8 ? count - 8 * g : 8,
                      t->batch->mesh == NULL);
    }
  }
  for (uint32_t g = 0; g < groups; g++) {
    mo_batch_write8(t->batch, t->chunk, first[g], &s.out[g]);
  }
}

/* Reads and traces a bundle (up to eight groups of rays), and writes its answers. */
static void trace_bundle(const chunk_tracer *t, const packet_tracer *tracer, const uint16_t *first,
                         uint32_t groups) {
  mo_packet *packet = tracer->packet;
  mo_ray_chunk *chunk = t->chunk;
  for (uint32_t g = 0; g < groups; g++) {
    mo_reader_read8(&t->reader, chunk->first + first[g], chunk->count - first[g],
                    &packet->group[g].rays);
  }
  packet->group_count = groups;
  const mo_rays8 *rays = &packet->group[0].rays;
  uint32_t direction_class =
      ray_direction_class(rays->direction[0][0], rays->direction[1][0], rays->direction[2][0]);
  packet_intervals all;
  if (direction_class != DIRECTION_CLASS_TRACED_ALONE) {
    set_packet_direction_class(packet, direction_class);
  }
  if (direction_class == DIRECTION_CLASS_TRACED_ALONE || !find_packet_intervals(packet, &all)) {
    trace_by_direction_class(t, tracer, first, groups);
    return;
  }
  trace_with_intervals(t, tracer, &all);
  for (uint32_t g = 0; g < groups; g++) {
    mo_answers8 answers;
    mo_corners8 corners;
    find_group_answers(t->batch, tracer, g, &corners, &answers);
    mo_batch_write8(t->batch, chunk, first[g], &answers);
  }
}

/* --- chunks --- */

/* Traces the rays from `from` on: each eight consecutive groups as one packet. */
static void trace_consecutive_groups(const chunk_tracer *t, const packet_tracer *tracer,
                                     uint32_t from) {
  uint32_t end = t->chunk->count;
  for (; from < end; from += 8 * MO_PACKET_GROUPS) {
    group_bundle first;
    uint32_t groups = 0;
    mo_reader_prefetch(&t->reader, t->chunk->first + from + 16 * MO_PACKET_GROUPS,
                       8 * MO_PACKET_GROUPS);
    for (; groups < MO_PACKET_GROUPS && from + 8 * groups < end; groups++) {
      first[groups] = (uint16_t)(from + 8 * groups);
    }
    trace_bundle(t, tracer, first, groups);
  }
}

static inline float extent_of(const footprint *e) {
  return (e->upper[0] - e->lower[0]) + (e->upper[1] - e->lower[1]);
}

/* How the rays of a chunk are laid out. */
typedef enum chunk_layout {
  LAYOUT_INCOHERENT, /* no packets */
  LAYOUT_ROWS,       /* consecutive groups are near each other, perhaps in rows of an image */
  LAYOUT_TILES,      /* consecutive groups are as close together as a tile, and form packets */
} chunk_layout;

static inline footprint footprint_union(const footprint *a, const footprint *b) {
  footprint both = {.direction_class = a->direction_class};
  for (int axis = 0; axis < 2; axis++) {
    both.lower[axis] = mo_min(a->lower[axis], b->lower[axis]);
    both.upper[axis] = mo_max(a->upper[axis], b->upper[axis]);
  }
  return both;
}

/* Statistics of samples, each of up to eight consecutive groups. */
typedef struct layout_samples {
  uint32_t group_count, coherent_group_count; /* all groups, and those with coherent rays */
  uint32_t count_near_previous;               /* groups near the group before them */
  uint32_t coherent_sample_count,
      narrow_sample_count; /* samples with coherent groups; narrow ones of them */
  float extent_sum;        /* of the extents of coherent groups */
} layout_samples;

static void sample_groups(const chunk_tracer *t, uint32_t first, uint32_t end, layout_samples *s) {
  footprint all, last = {.direction_class = DIRECTION_CLASS_TRACED_ALONE};
  float extent = 0.0f;
  uint32_t coherent = 0;
  for (uint32_t i = first; i < end; i++) {
    footprint e;
    if (find_footprint(t->batch, &t->frame, t->chunk, i, &e)) {
      const footprint pair = footprint_union(&last, &e);
      s->count_near_previous +=
          last.direction_class == e.direction_class &&
          extent_of(&pair) <= MO_MAX_NEAR_GROUPS_WIDTH_RATIO * (extent_of(&last) + extent_of(&e));
      all = coherent == 0 ? e : footprint_union(&all, &e);
      extent += extent_of(&e);
      coherent++;
      last = e;
    }
  }
  s->group_count += end - first;
  s->coherent_group_count += coherent;
  s->extent_sum += extent;
  s->coherent_sample_count += coherent > 0;
  s->narrow_sample_count +=
      coherent > 0 && extent_of(&all) * (float)coherent <= MO_MAX_TILE_WIDTH_IN_GROUPS * extent;
}

/* Estimates the layout from a few samples. */
static chunk_layout estimate_layout(const chunk_tracer *t) {
  enum { LAYOUT_SAMPLE_COUNT = 4 };
  const mo_batch *batch = t->batch;
  const mo_coherence coherence = batch->def->coherence;
  uint32_t count = (t->chunk->count + 7) / 8;
  layout_samples s = {0};
  for (uint32_t i = 0; i < LAYOUT_SAMPLE_COUNT; i++) {
    uint32_t first = count / LAYOUT_SAMPLE_COUNT * i, rest = count - first;
    sample_groups(t, first, first + (rest < MO_PACKET_GROUPS ? rest : MO_PACKET_GROUPS), &s);
  }
  bool sparse = batch->mesh == NULL &&
                s.extent_sum > 8.0f * MO_MAX_COHERENT_SPACING_RATIO * batch->typical_shape_width *
                                   t->frame.scale * (float)s.coherent_group_count;
  if (coherence == MO_COHERENCE_INCOHERENT ||
      (coherence == MO_COHERENCE_AUTO && (sparse || 2 * s.count_near_previous < s.group_count))) {
    return LAYOUT_INCOHERENT;
  }
  return 2 * s.narrow_sample_count > s.coherent_sample_count ? LAYOUT_TILES : LAYOUT_ROWS;
}

/* Traces rows of an image in tiles of 8 by 8 rays. If the width is no multiple of 8, the last tile
 * of a row overlaps the one before it. */
static void trace_rows(const chunk_tracer *t, const packet_tracer *tracer, const raster *r) {
  int32_t pitch = (int32_t)r->pitch, begin = (int32_t)r->begin, end = (int32_t)r->rows_end;
  int32_t top = (int32_t)r->rows_begin - (r->rows_begin > r->begin ? pitch : 0);
  for (; top < end; top += MO_PACKET_GROUPS * pitch) {
    for (int32_t column = 0; column < pitch; column += 8) {
      group_bundle first;
      uint32_t groups = 0;
      for (int32_t row = 0; row < MO_PACKET_GROUPS; row++) {
        int32_t ray = top + row * pitch + (column + 8 <= pitch ? column : pitch - 8);
        if (ray > begin - 8 && ray < end) {
          ray = ray > begin ? ray : begin;
          mo_reader_prefetch(&t->reader, t->chunk->first + (size_t)ray + 8, 8);
          first[groups++] = (uint16_t)ray;
        }
      }
      if (groups > 0) {
        trace_bundle(t, tracer, first, groups);
      }
    }
  }
}

static packet_tracer packet_tracer_of(const mo_packet_query *query, mo_packet *packet) {
  const mo_mesh *mesh = query->mesh;
  return (packet_tracer){
      .query = query,
      .mesh = mesh,
      .reach = {mesh->reach.x, mesh->reach.y, mesh->reach.z},
      .tree = mo_tree_arrays_of(mesh, mesh->format),
      .packet = packet,
      .stats = query->stats,
      .ignore = query->ignore,
      .cull = query->cull,
  };
}

void MO_ISA_FN(mo_packet_trace)(const mo_packet_query *query, mo_packet *packet) {
  const packet_tracer tracer = packet_tracer_of(query, packet);
  packet_intervals all;
  (void)find_packet_intervals(packet, &all);
  prepare_packet_intervals(packet, &all, tracer.reach, MO_RAY_MARGIN);
  trace_packet(&tracer, query->goal);
}

/* Traces a chunk as packets. Not inlined, so that its large stack frame is not there while
 * incoherent rays are traced. */
static __attribute__((noinline)) void trace_packets(const chunk_tracer *t, chunk_layout layout) {
  const mo_batch *batch = t->batch;
  const mo_ray_def *options = &batch->def->options;
  const mo_packet_query query = {
      .mesh = batch->mesh,
      .goal = batch->goal,
      .want_weights = batch->want_weights,
      .cull = options->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE,
      .ignore = options->ignore_triangle,
      .stats = batch->stats,
  };
  mo_packet packet;
  const packet_tracer tracer =
      batch->mesh == NULL ? (packet_tracer){.packet = &packet} : packet_tracer_of(&query, &packet);
  uint32_t at = 0;
  if (layout == LAYOUT_ROWS) {
    raster r;
    while (r = find_raster(batch, &t->frame, t->chunk, at), r.pitch != 0) {
      trace_rows(t, &tracer, &r);
      at = r.rows_end;
    }
  }
  trace_consecutive_groups(t, &tracer, at);
}

void MO_ISA_FN(mo_batch_trace_chunk)(const mo_batch *batch, mo_ray_chunk *chunk) {
  const chunk_tracer t = {
      .batch = batch,
      .reader = mo_reader_of(batch),
      .chunk = chunk,
      .frame = bounds_frame_of(&batch->bounds),
  };
  chunk_layout layout = estimate_layout(&t);
  if (layout != LAYOUT_INCOHERENT) {
    trace_packets(&t, layout);
  } else {
    batch->trace_incoherent(batch, chunk);
  }
}
