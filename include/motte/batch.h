/** \defgroup batch Batches of rays (motte/batch.h)
 *
 * Batches of rays: arrays in the caller's layout in, arrays in the caller's layout out.
 *
 * Each answer is that of the query for a single ray (motte/query.h), bit for bit, for any order of
 * the rays, any instruction set and any number of workers. A batch saves time. Coherent rays, which
 * are neighbours in the arrays and have similar origins and directions, are traced as packets,
 * unless the shapes of a scene are hardly wider than the distance between the rays. Incoherent rays
 * visit the nodes of a small scene together; elsewhere their traversals are interleaved, which
 * hides cache misses, and in a scene that exceeds the cache they are sorted by origin. In scenes
 * this takes scratch memory (mo_batch_def); without it each ray is traced by itself. So place
 * rays that are close in space next to each other in the arrays: an image row by row or, slightly
 * better, in tiles of 8 x 8. And pass as many rays per call as there are: the more there are, the
 * more cache misses overlap. Where a scene fits the cache, incoherent rays gain nothing by that.
 *
 * Nothing is allocated. The work is cut into chunks of 16,384 rays, and each thread that traces
 * them uses less than 64 KiB of its stack, that of callbacks not included. */
#ifndef MOTTE_BATCH_H
#define MOTTE_BATCH_H

#include <motte/query.h>

/** \{ */

/// An array of vectors. Vector i has its components `i * stride` bytes after *x, *y and *z, at any
/// alignment. An array of structs that begin with x, y, z is {&a[0].x, &a[0].y, &a[0].z, sizeof
/// *a}; three arrays of floats are {x, y, z, sizeof(float)}. A stride of 0 gives every ray the same
/// vector.
typedef struct mo_vec3_array {
  const void *x; ///< of floats: the first x
  const void *y; ///< of floats: the first y
  const void *z; ///< of floats: the first z
  size_t stride; ///< bytes from one vector to the next
} mo_vec3_array;

/// An array of numbers, `stride` bytes apart, at any alignment; 0 gives every ray the same. Null
/// data: not given.
typedef struct mo_float_array {
  const void *data; ///< of floats
  size_t stride;    ///< bytes from one number to the next
} mo_float_array;

/// Where one kind of answer goes: element i is written `i * stride` bytes after `data`, at any
/// alignment. A stride of 0 means without gaps. Null data: not wanted, and not computed.
typedef struct mo_output {
  void *data;    ///< the caller's memory
  size_t stride; ///< bytes from one element to the next
} mo_output;

/// Whether neighbours in the arrays of a batch are coherent: similar in origin and direction. It
/// makes no difference to the answers.
typedef enum mo_coherence {
  MO_COHERENCE_AUTO,       ///< decided from the rays
  MO_COHERENCE_COHERENT,   ///< neighbours form packets wherever that is possible
  MO_COHERENCE_INCOHERENT, ///< neighbours never form packets
} mo_coherence;

/// How much scratch memory one thread uses (mo_batch_def), in bytes.
#define MO_BATCH_SCRATCH_SIZE ((size_t)384 * 1024)

/// The rays of a batch.
typedef struct mo_batch_def {
  size_t count;             ///< how many rays
  mo_vec3_array origins;    ///< where the rays start, world (of a mesh: local)
  mo_vec3_array directions; ///< of rays; unused by segments
  mo_vec3_array ends;       ///< not null: segments from the origins to here, t = 0 to 1, as by
                            ///< mo_segment_def; within MO_MAX_COORDINATE
  mo_float_array min_t;     ///< null: that of `options`
  mo_float_array max_t;     ///< null: that of `options`, of segments 1
  /// What holds for all rays, from mo_default_ray_def; origin and direction are not read. Its
  /// callbacks may be called from several threads at once.
  mo_ray_def options;
  mo_coherence coherence; ///< whether neighbours are traced together
  /// Scratch memory for incoherent rays through a scene of several shapes, at any alignment, or
  /// null: MO_BATCH_SCRATCH_SIZE bytes for each thread that may work on the batch (at most the
  /// `workers` of the host's mo_tasks). No other call may use it at the same time; what it holds
  /// before and after means nothing. With it such rays are traced many at a time: up to a third of the
  /// time less where the scene exceeds the cache. A thread that finds none left traces them one by
  /// one.
  void *scratch;
  size_t scratch_size; ///< bytes of `scratch`; 0 with null
  uint32_t cookie;      ///< set by mo_default_batch_def; not for the caller
} mo_batch_def;

/// The answers. For a test of rays only `found` and `bits` may be wanted.
typedef struct mo_batch_output {
  mo_output found; ///< bool: the ray hit something (lines of sight: nothing is in the way)
  /// The same as bits: ray i is bit i % 32 of word i / 32. Bits beyond the last ray are 0. Null:
  /// not wanted.
  uint32_t *bits;
  mo_output t;        ///< float; INFINITY where nothing was hit
  mo_output triangle; ///< uint32_t; MO_NO_TRIANGLE where nothing, or no mesh, was hit
  mo_output shape;    ///< mo_shape_id; null where nothing was hit, and on a mesh alone
  mo_output weights;  ///< float[2]: u and v of mo_ray_hit; 0 where nothing was hit
  mo_output normal;   ///< mo_vec3: as in mo_ray_hit; zero where nothing was hit
  mo_output hit;      ///< mo_ray_hit, whole
} mo_batch_output;

MO_BEGIN_DECLS

/// No rays, with the options of mo_default_ray_def; arrays and count are for the caller to set.
MO_API mo_batch_def mo_default_batch_def(void);

/// Vectors that are `stride` bytes apart (sizeof(mo_vec3) for a plain array).
MO_API mo_vec3_array mo_vec3_array_of(const mo_vec3 *first, size_t stride);

/** \name Casting a batch
 * Large batches spread over threads by the tasks of the host of the mesh or scene; the answers do
 * not depend on it. With `stats` (may be null) the work is counted and done by the calling thread
 * alone; what a group of rays visits together counts once. Any number of threads may query at once.
 * Inputs and outputs must not overlap.
 *
 * Errors: those of the single queries. If a ray is refused, `*first_bad` (may be null) is its
 * index, the lowest if there are several, and what the outputs hold is not defined. After other
 * errors it is MO_NO_INDEX, and the outputs are as they were; after none it is not written.
 * MO_ERROR_NULL_ARGUMENT also for missing arrays where count > 0; MO_ERROR_INVALID_ARGUMENT also
 * for a stride of an output below the size of an element, and for outputs that a test does not
 * have. */
/** \{ */

/// The closest hits of rays with one mesh, as mo_mesh_cast_ray finds them; rays and answers are in
/// its local frame. All outputs may be wanted; `shape` is null.
MO_API mo_result mo_mesh_cast_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                                   const mo_batch_output *output, size_t *first_bad,
                                   mo_query_stats *stats);

/// Whether rays hit one mesh at all, as mo_mesh_test_ray says; rays in its local frame. Of the
/// outputs only `found` and `bits` are legal.
MO_API mo_result mo_mesh_test_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                                   const mo_batch_output *output, size_t *first_bad,
                                   mo_query_stats *stats);

/// The closest hits of rays with the shapes of a scene, as mo_scene_cast_ray finds them; rays and
/// answers are in the world. All outputs may be wanted.
MO_API mo_result mo_scene_cast_rays(const mo_scene *scene, const mo_batch_def *rays,
                                    const mo_batch_output *output, size_t *first_bad,
                                    mo_query_stats *stats);

/// Whether rays hit any shape of a scene, as mo_scene_test_ray says; rays in the world. Of the
/// outputs only `found` and `bits` are legal.
MO_API mo_result mo_scene_test_rays(const mo_scene *scene, const mo_batch_def *rays,
                                    const mo_batch_output *output, size_t *first_bad,
                                    mo_query_stats *stats);

/// Which segments (world) nothing lies on, ends included: as mo_scene_line_of_sight, with all of
/// `rays->options` heeded. `rays->ends` must be given. Of the outputs only `found` and `bits` are
/// legal.
MO_API mo_result mo_scene_lines_of_sight(const mo_scene *scene, const mo_batch_def *rays,
                                         const mo_batch_output *output, size_t *first_bad,
                                         mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
