/** \defgroup batch Batches of rays (motte/batch.h)
 *
 * Batches of rays: arrays of rays in, arrays of answers out, both in the caller's layout.
 *
 * Each answer is that of the query for a single ray (motte/query.h), bit for bit, for any order of
 * the rays, any instruction set and any number of workers. A batch only saves time. Coherent rays,
 * which are neighbours in the arrays and have similar origins and directions, are traced as
 * packets, unless the shapes of a scene are hardly wider than the distance between the rays.
 * Incoherent rays visit the nodes of a scene of up to some 20,000 shapes together, which needs
 * scratch memory (mo_batch_def). In meshes that exceed the cache, their traversals are interleaved,
 * which hides the latency of cache misses. Elsewhere each is traced by itself, as fast as by a
 * query for a single ray.
 *
 * For speed, place rays that are close in space next to each other in the arrays: an image row by
 * row or, slightly better, in tiles of 8 x 8. Pass coherent and incoherent rays in different calls,
 * and many rays per call: a thousand or more. Rays of several images may be in one call, one image
 * after another.
 *
 * Nothing is allocated. The work is split into chunks of 16,384 rays. Each thread that traces them
 * uses less than 64 KiB of its stack, not counting that of callbacks. */
#ifndef MOTTE_BATCH_H
#define MOTTE_BATCH_H

#include <motte/query.h>

/** \{ */

/// An array of vectors. The components of vector i are `i * stride` bytes after `x`, `y` and `z`,
/// at any alignment. An array of structs that begin with x, y, z is {&a[0].x, &a[0].y, &a[0].z,
/// sizeof *a}; three arrays of floats are {x, y, z, sizeof(float)}. A stride of 0 gives every ray
/// the same vector.
typedef struct mo_vec3_array {
  const void *x; ///< address of the first x, a float
  const void *y; ///< address of the first y, a float
  const void *z; ///< address of the first z, a float
  size_t stride; ///< bytes from one vector to the next
} mo_vec3_array;

/// An array of floats, `stride` bytes apart, at any alignment. A stride of 0 gives every ray the
/// same number. Null `data`: the array is not given.
typedef struct mo_float_array {
  const void *data; ///< address of the first number, a float
  size_t stride;    ///< bytes from one number to the next
} mo_float_array;

/// An output array: element i is written `i * stride` bytes after `data`, at any alignment. A
/// stride of 0 means without gaps. If `data` is null, the output is not computed.
typedef struct mo_output {
  void *data;    ///< where element 0 is written, or null
  size_t stride; ///< bytes from one element to the next
} mo_output;

/// Whether neighbours in the arrays of a batch are coherent: similar in origin and direction. A
/// hint for speed only; it does not change the answers.
typedef enum mo_coherence {
  MO_COHERENCE_AUTO,       ///< decided from the rays
  MO_COHERENCE_COHERENT,   ///< neighbours form packets wherever that is possible
  MO_COHERENCE_INCOHERENT, ///< neighbours never form packets
} mo_coherence;

/// How much scratch memory one thread uses (mo_batch_def), in bytes.
#define MO_BATCH_SCRATCH_SIZE ((size_t)256 * 1024)

/// The rays of a batch. All arrays are the caller's and are used during the call only.
typedef struct mo_batch_def {
  size_t count;             ///< how many rays
  mo_vec3_array origins;    ///< where the rays start, world (for a mesh: local)
  mo_vec3_array directions; ///< direction of each ray; not used for segments
  /// If given, the rays are segments from the origins to these points, with t from 0 to 1, as by
  /// mo_segment_def; coordinates within MO_MAX_COORDINATE
  mo_vec3_array ends;
  mo_float_array min_t; ///< min_t of each ray; null: that of `options` for all
  mo_float_array max_t; ///< max_t of each ray; null: that of `options` for all, 1 for segments
  /// Options for all rays, from mo_default_ray_def; its origin and direction are not read. Its
  /// callbacks may be called from several threads at once.
  mo_ray_def options;
  mo_coherence coherence; ///< whether neighbouring rays are similar; a hint for speed
  /// Scratch memory for incoherent rays through a scene of several shapes, at any alignment, or
  /// null: MO_BATCH_SCRATCH_SIZE bytes for each thread that may work on the batch (at most the
  /// `worker_count` of the host's mo_tasks). No other call may use it at the same time; its
  /// contents need not be set and are left undefined. With scratch memory incoherent rays are
  /// traced a thousand at a time, which takes half to nine tenths of the time in scenes of up to
  /// some 20,000 shapes. A thread for which no scratch is left traces them one by one.
  void *scratch;
  size_t scratch_size; ///< bytes of `scratch`; 0 with null
  uint32_t cookie;     ///< set by mo_default_batch_def; not for the caller
} mo_batch_def;

/// The output arrays of a batch. Functions that only test rays write `found` and `bits`; their
/// other outputs must be null.
typedef struct mo_batch_output {
  mo_output found; ///< bool: the ray hit something (for lines of sight: nothing is in the way)
  /// `found` as bits: ray i is bit i % 32 of word i / 32. Bits beyond the last ray are 0. Null: not
  /// wanted.
  uint32_t *bits;
  mo_output t;        ///< float; INFINITY where nothing was hit
  mo_output triangle; ///< uint32_t; MO_NO_TRIANGLE where no mesh was hit
  mo_output shape;    ///< mo_shape_id; null where nothing was hit, and for queries on one mesh
  mo_output child;    ///< uint32_t: which child of the shape was hit (mo_ray_hit); else 0
  mo_output weights;  ///< float[2]: u and v of mo_ray_hit; 0 where nothing was hit
  mo_output normal;   ///< mo_vec3: as in mo_ray_hit; zero where nothing was hit
  mo_output hit;      ///< mo_ray_hit: the whole hit
} mo_batch_output;

MO_BEGIN_DECLS

/// A def of a batch with the options of mo_default_ray_def and a count of 0; the caller sets the
/// arrays and the count.
MO_API mo_batch_def mo_default_batch_def(void);

/// An array of vectors that are `stride` bytes apart (sizeof(mo_vec3) for a plain array).
MO_API mo_vec3_array mo_vec3_array_of(const mo_vec3 *first, size_t stride);

/** \name Casting a batch
 * Large batches are spread over threads by the tasks of the mesh's or scene's host; the answers do
 * not depend on that. With `stats` (may be null) the work is counted, and done by the calling
 * thread alone; a node that a packet of rays visits together counts once. Any number of threads may
 * query at once. Inputs and outputs must not overlap.
 *
 * Errors: those of the single queries. If a ray is refused, `*first_bad` (may be null) is its
 * index, the lowest if there are several, and the contents of the outputs are undefined. After
 * other errors it is MO_NO_INDEX, and the outputs are as they were; without an error it is not
 * written. MO_ERROR_NULL_ARGUMENT also for missing arrays where count > 0;
 * MO_ERROR_INVALID_ARGUMENT also for a stride of an output below the size of an element, and for
 * outputs that a test does not have. */
/** \{ */

/// Finds the closest hits of rays with one mesh, as mo_mesh_cast_ray does; rays and answers are in
/// its local frame. All outputs may be given; `shape` receives the null id.
MO_API mo_result mo_mesh_cast_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                                   const mo_batch_output *output, size_t *first_bad,
                                   mo_query_stats *stats);

/// Tests whether rays hit one mesh at all, as mo_mesh_test_ray does; rays are in its local frame.
/// Of the outputs only `found` and `bits` may be given.
MO_API mo_result mo_mesh_test_rays(const mo_mesh *mesh, const mo_batch_def *rays,
                                   const mo_batch_output *output, size_t *first_bad,
                                   mo_query_stats *stats);

/// Finds the closest hits of rays with the shapes of a scene, as mo_scene_cast_ray does; rays and
/// answers are in the world. All outputs may be given.
MO_API mo_result mo_scene_cast_rays(const mo_scene *scene, const mo_batch_def *rays,
                                    const mo_batch_output *output, size_t *first_bad,
                                    mo_query_stats *stats);

/// Tests whether rays hit any shape of a scene, as mo_scene_test_ray does; rays are in the world.
/// Of the outputs only `found` and `bits` may be given.
MO_API mo_result mo_scene_test_rays(const mo_scene *scene, const mo_batch_def *rays,
                                    const mo_batch_output *output, size_t *first_bad,
                                    mo_query_stats *stats);

/// Tests which segments (world) no shape blocks, ends included: as mo_scene_line_of_sight, but with
/// all of `rays->options` applied. `rays->ends` must be given. Of the outputs only `found` and
/// `bits` may be given.
MO_API mo_result mo_scene_lines_of_sight(const mo_scene *scene, const mo_batch_def *rays,
                                         const mo_batch_output *output, size_t *first_bad,
                                         mo_query_stats *stats);

/** \} */

MO_END_DECLS

/** \} */

#endif
