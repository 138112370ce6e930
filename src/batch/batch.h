/* Internals of ray batches.
 *
 * The caller's arrays are read and written eight rays at a time. A *group* is eight consecutive
 * rays. A batch is split into *chunks* of MO_CHUNK_RAYS rays, which are independent tasks. Chunks
 * begin at multiples of MO_CHUNK_RAYS, so that threads never write to the same word of the bit
 * array. */
#ifndef MO_BATCH_BATCH_H
#define MO_BATCH_BATCH_H

#include <stdatomic.h>

#include <motte/batch.h>

#include "batch/policy.h"
#include "mesh/rays/rays.h"

_Static_assert(MO_CHUNK_RAYS % 32 == 0, "chunks share no word of the bits");

/* A group of rays as given by the caller. Lanes beyond the end of the batch repeat its last ray. */
typedef struct mo_rays8 {
  alignas(MO_ALIGNMENT) float origin[3][8];
  float direction[3][8];
  float min_t[8], max_t[8];
} mo_rays8;

/* The corners of eight triangles, by corner, axis and lane. */
typedef struct mo_corners8 {
  alignas(MO_ALIGNMENT) float lane[3][3][8];
} mo_corners8;

/* The answers of a group. For closest hits: if `t` is INFINITY nothing was hit, and only `triangle`
 * (MO_NO_TRIANGLE) is set besides. For any-hit rays only `found` is set. */
typedef struct mo_answers8 {
  alignas(MO_ALIGNMENT) float t[8];
  uint32_t triangle[8];
  uint32_t shape[8]; /* in scenes: the slot of the shape */
  uint32_t child[8]; /* if mo_batch.has_children: the number of the child of the shape */
  float u[8], v[8];  /* barycentric weights, if wanted */
  uint32_t front;    /* if wanted: a bit for each lane that hits a front face */
  uint32_t found;    /* a bit for each lane that hits anything */
  uint32_t
      found_in_mesh_space;    /* in scenes: a bit for each hit surely found in a mesh's own space */
  const mo_corners8 *corners; /* corners of the triangles hit, if they have been read; else null */
} mo_answers8;

static inline void mo_answers8_clear(mo_answers8 *answers) {
  for (int lane = 0; lane < 8; lane++) {
    answers->t[lane] = INFINITY;
    answers->triangle[lane] = MO_NO_TRIANGLE;
  }
  answers->found = answers->front = answers->found_in_mesh_space = 0;
  answers->corners = NULL;
}

/* Sets the answer of one lane from a closest hit. */
static inline void mo_answers8_set_mesh_hit(mo_answers8 *answers, uint32_t lane,
                                            const mo_mesh_hit *best) {
  if (best->triangle != MO_NO_TRIANGLE) {
    answers->found |= 1u << lane;
    answers->t[lane] = best->max_t;
    answers->triangle[lane] = best->triangle;
    answers->u[lane] = best->u;
    answers->v[lane] = best->v;
    answers->front |= (uint32_t)best->front << lane;
  }
}

/* Part of a batch: rays `first` to `first + count - 1`. */
typedef struct mo_ray_chunk {
  size_t first;                       /* index of the chunk's first ray in the batch */
  uint32_t count;                     /* number of rays in the chunk */
  uint32_t first_refused_index;       /* the first ray of the chunk that is refused, or MO_NONE */
  uint32_t found[MO_CHUNK_RAYS / 32]; /* a bit for each ray of the chunk that hits anything */
} mo_ray_chunk;

/* A batch of rays on a mesh or a scene. */
typedef struct mo_batch mo_batch;
typedef struct mo_packet mo_packet; /* defined in batch/packet.h */

struct mo_batch {
  const mo_batch_def *def;
  const mo_batch_output *output;
  mo_ray_goal goal;
  bool rays_are_segments;    /* rays are given by two points */
  const mo_vec3_array *aims; /* the ends of segments; else the directions */
  bool want_weights;         /* u, v and front of closest hits are wanted */
  bool has_children;         /* the scene has compounds */
  bool lines_of_sight;       /* rays must be segments; `found` means that nothing was hit */
  const mo_mesh *mesh;       /* null for a scene */
  const void *subject;       /* the scene, or null */
  mo_aabb bounds;            /* bounds of everything that may be hit */
  float typical_shape_width; /* width of a typical shape that may be hit; infinite if unknown */
  const mo_host *host;
  const char *function;             /* the name of the public function */
  mo_query_stats *stats;            /* statistics to count in, or null */
  struct mo_batch_scratch *scratch; /* array of workspaces (mo_batch_acquire_scratch) */
  size_t scratch_count;
  /* Traces a chunk. Also checks every ray (mo_batch_accepts8). */
  void (*trace)(const mo_batch *batch, mo_ray_chunk *chunk);
  /* Traces the rays of a chunk as incoherent rays. */
  void (*trace_incoherent)(const mo_batch *batch, mo_ray_chunk *chunk);
  /* For a scene: traces a packet whose rays, direction signs and main axis are set. */
  void (*trace_packet)(const mo_batch *batch, mo_packet *packet);
  /* For a scene: writes the answers of a group of a traced packet. */
  void (*write_answers)(const mo_batch *batch, const mo_packet *packet, uint32_t group,
                        mo_answers8 *answers);
  /* Traces a legal ray on the general path of single rays, with statistics and callbacks. The
   * answer of its lane must be initialised to nothing found. */
  void (*trace_general)(const mo_batch *batch, const mo_ray_def *ray, uint32_t lane,
                        mo_answers8 *answers);
  /* Writes weights and normals, if wanted: mo_batch_write_weights_and_normals. */
  void (*write_weights_and_normals)(const mo_batch *batch, size_t first, uint32_t count,
                                    const mo_answers8 *answers);
  /* Completes a hit with user data, point and normal; all other members are set. */
  void (*complete)(const mo_batch *batch, const mo_ray_def *ray, mo_ray_hit *hit);
  mo_shape_id (*shape_id)(const mo_batch *batch, uint32_t slot); /* null for a single mesh */
};

/* A workspace in the caller's scratch memory, for one thread at a time. Its size is a multiple of
 * MO_ALIGNMENT, and less than MO_BATCH_SCRATCH_SIZE by MO_ALIGNMENT, so that the caller's memory
 * fits one workspace per thread at any address. */
typedef struct mo_batch_scratch {
  alignas(MO_ALIGNMENT) atomic_bool taken;
  alignas(MO_ALIGNMENT) unsigned char memory[MO_BATCH_SCRATCH_SIZE - 2 * MO_ALIGNMENT];
} mo_batch_scratch;

_Static_assert(sizeof(mo_batch_scratch) == MO_BATCH_SCRATCH_SIZE - MO_ALIGNMENT,
               "room to align the first");

/* Takes a workspace that no other thread uses, or returns null if there is none. */
mo_batch_scratch *mo_batch_acquire_scratch(const mo_batch *batch);
void mo_batch_release_scratch(mo_batch_scratch *scratch);

/* Reports that the mesh or scene, the def or the output of a public batch call is null. */
MO_COLD mo_result mo_batch_refuse_null(const mo_batch *batch, const mo_host *host,
                                       size_t *first_bad);

/* Runs a public batch call after its null checks; counts in `stats`, if it is not null. */
mo_result mo_batch_run(mo_batch *batch, size_t *first_bad, mo_query_stats *stats);

static inline float mo_read_float(const void *first, size_t stride, size_t i) {
  float value;
  memcpy(&value, (const char *)first + i * stride, sizeof value);
  return value;
}

static inline mo_vec3 mo_read_vec3(const mo_vec3_array *array, size_t i) {
  return mo_vec(mo_read_float(array->x, array->stride, i),
                mo_read_float(array->y, array->stride, i),
                mo_read_float(array->z, array->stride, i));
}

/* Reads vectors first to first + 7. If fewer than eight remain (`count`), the last one is repeated.
 */
static inline void mo_read_vec3s(const mo_vec3_array *array, size_t first, size_t count,
                                 float lanes[3][8]) {
  for (size_t lane = 0; lane < 8; lane++) {
    mo_vec3 v = mo_read_vec3(array, first + (lane < count ? lane : count - 1));
    lanes[0][lane] = v.x;
    lanes[1][lane] = v.y;
    lanes[2][lane] = v.z;
  }
}

static inline void mo_read_floats(const mo_float_array *array, size_t first, size_t count,
                                  float otherwise, float lanes[8]) {
  if (array->data == NULL) {
    for (size_t lane = 0; lane < 8; lane++) {
      lanes[lane] = otherwise;
    }
    return;
  }
  for (size_t lane = 0; lane < 8; lane++) {
    lanes[lane] =
        mo_read_float(array->data, array->stride, first + (lane < count ? lane : count - 1));
  }
}

/* Reads the t ranges of rays first to first + 7. */
static inline void mo_batch_read_ranges8(const mo_batch *batch, size_t first, size_t count,
                                         mo_rays8 *rays) {
  const mo_batch_def *def = batch->def;
  mo_read_floats(&def->min_t, first, count, def->options.min_t, rays->min_t);
  mo_read_floats(&def->max_t, first, count, batch->rays_are_segments ? 1.0f : def->options.max_t,
                 rays->max_t);
}

/* Reads rays first to first + 7. `count`: how many rays there are from `first` on, not 0. */
static inline void mo_batch_read8(const mo_batch *batch, size_t first, size_t count,
                                  mo_rays8 *rays) {
  mo_read_vec3s(&batch->def->origins, first, count, rays->origin);
  mo_read_vec3s(batch->aims, first, count, rays->direction);
  for (int axis = 0; axis < 3 && batch->rays_are_segments; axis++) {
    for (int lane = 0; lane < 8; lane++) {
      rays->direction[axis][lane] -= rays->origin[axis][lane];
    }
  }
  mo_batch_read_ranges8(batch, first, count, rays);
}

/* One ray of a group as a def, with the options of the batch. */
static inline mo_ray_def mo_batch_ray(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane) {
  mo_ray_def ray = batch->def->options;
  ray.origin = mo_vec(rays->origin[0][lane], rays->origin[1][lane], rays->origin[2][lane]);
  ray.direction =
      mo_vec(rays->direction[0][lane], rays->direction[1][lane], rays->direction[2][lane]);
  ray.min_t = rays->min_t[lane];
  ray.max_t = rays->max_t[lane];
  return ray;
}

/* Whether rays i to i + 7 of the chunk are legal. If not, sets chunk->first_refused_index to the
 * first illegal one.
 */
bool mo_batch_accepts8(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                       const mo_rays8 *rays);

/* Whether ray i of the chunk is legal. If not, sets chunk->first_refused_index to i, unless it is
 * less already. */
bool mo_batch_accepts(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                      const mo_ray_def *ray);

/* Writes the answers of rays i to i + 7 of the chunk, or as many as there are. */
void mo_batch_write8(const mo_batch *batch, mo_ray_chunk *chunk, uint32_t i,
                     const mo_answers8 *answers);

/* Makes the public hit of one lane, with user data, point and normal. */
void mo_batch_complete_hit(const mo_batch *batch, const mo_rays8 *rays, uint32_t lane,
                           const mo_answers8 *answers, mo_ray_hit *hit);

/* The address of element i of an output. */
static inline void *mo_output_at(const mo_output *output, size_t size, size_t i) {
  return (char *)output->data + i * (output->stride != 0 ? output->stride : size);
}

/* Writes weights and normals of `count` rays from `first` on, if wanted. */
MO_ISA_DECLARE(void, mo_batch_write_weights_and_normals,
               (const mo_batch *batch, size_t first, uint32_t count, const mo_answers8 *answers));

/* Reads the corners of the triangles of some lanes (bit mask `lanes`); 0 in the other lanes. */
static inline void mo_read_corners8(const mo_mesh *mesh, const uint32_t triangle[8], uint32_t lanes,
                                    mo_corners8 *all) {
  memset(all, 0, sizeof *all);
  for (; lanes != 0; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    mo_vec3 corners[3];
    mo_mesh_corners(mesh, triangle[lane], corners);
    for (int i = 0; i < 3; i++) {
      all->lane[i][0][lane] = corners[i].x;
      all->lane[i][1][lane] = corners[i].y;
      all->lane[i][2][lane] = corners[i].z;
    }
  }
}

/* Traces a chunk of rays as packets if they are coherent, else as incoherent rays. Not for batches
 * with a callback for triangles, nor for empty scenes. */
MO_ISA_DECLARE(void, mo_batch_trace_chunk, (const mo_batch *batch, mo_ray_chunk *chunk));

/* Traces the rays of a chunk through a mesh as incoherent rays. */
MO_ISA_DECLARE(void, mo_batch_trace_incoherent, (const mo_batch *batch, mo_ray_chunk *chunk));

/* Traces the rays of a chunk one by one. */
MO_ISA_DECLARE(void, mo_batch_trace_singly, (const mo_batch *batch, mo_ray_chunk *chunk));

/* Traces one lane of a group of legal rays by itself. The answer of that lane must be initialised
 * to nothing found. */
MO_ISA_DECLARE(void, mo_batch_trace_ray,
               (const mo_batch *batch, const mo_rays8 *rays, uint32_t lane, mo_answers8 *answers));

/* Options for tracing a packet through a mesh. */
typedef struct mo_packet_query {
  const mo_mesh *mesh;
  mo_ray_goal goal;
  mo_cull cull;
  uint32_t ignore;       /* a triangle, or MO_NO_TRIANGLE */
  bool want_weights;     /* whether u, v and facing of closest hits are wanted */
  mo_query_stats *stats; /* null if nothing is to be counted */
} mo_packet_query;

/* Traces a packet through a mesh. Its rays are legal, in the mesh's own space, and need no scaling;
 * its direction signs and main axis are set. The main axis may be any axis along which directions
 * are not small (geometry/ray/ray.h). If the packet is not `prepared` afterwards, nothing was
 * found. */
MO_ISA_DECLARE(void, mo_packet_trace, (const mo_packet_query *query, mo_packet *packet));

#endif
