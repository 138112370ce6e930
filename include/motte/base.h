/** \defgroup base Base (motte/base.h)
 *
 * Result codes, allocator, log hook, tasks and instruction sets: what every other header needs.
 *
 * Counts are named and typed alike in all headers.
 *   - `count`, `<thing>_count`: the length of an array that is given or returned; how many of a
 *     thing an object has (mo_scene_shape_count); in statistics also how often something happened.
 *   - `capacity`, `<thing>_capacity`: the length of a buffer of the caller's, which may be null
 *     where it is 0.
 *   - `uint32_t *total`, `<thing>_total`: how many results there are, whatever the capacity; stops
 *     at UINT32_MAX. The first `capacity` of them, in the order that the call states, are written.
 *   - `uint32_t *count`: how many results were written, by calls that look for no more of them than
 *     the buffer takes.
 *
 * They are of type uint32_t where ids and indices have 32 bits; uint64_t where there may be more
 * (pairs, and what happened); size_t for bytes, for the rays of a batch, and for `first_bad`, the
 * index of an element of an array. */
#ifndef MOTTE_BASE_H
#define MOTTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** \{ */

#define MO_VERSION_MAJOR 0 ///< 0 as long as the API may change
#define MO_VERSION_MINOR 1 ///< changes when the API changes
#define MO_VERSION_PATCH 0 ///< changes when the library is repaired under the same API

/// Exports a function from the shared library.
#if defined(__GNUC__) || defined(__clang__)
#define MO_API __attribute__((visibility("default")))
#else
#define MO_API
#endif

/** \def MO_BEGIN_DECLS
 * Begins declarations with C linkage, also in C++. */
/** \def MO_END_DECLS
 * Ends declarations with C linkage. */
#ifdef __cplusplus
#define MO_BEGIN_DECLS extern "C" {
#define MO_END_DECLS }
#else
#define MO_BEGIN_DECLS
#define MO_END_DECLS
#endif

/// The table of result codes: X(name, text) for each.
#define MO_RESULTS(X)                                                                              \
  X(MO_OK, "success")                                                                              \
  X(MO_ERROR_NULL_ARGUMENT, "a required pointer is null")                                          \
  X(MO_ERROR_INVALID_ARGUMENT, "an argument is outside its documented range")                      \
  X(MO_ERROR_NOT_FINITE, "a number is NaN or infinite where it must be finite")                    \
  X(MO_ERROR_OUT_OF_RANGE, "a coordinate exceeds MO_MAX_COORDINATE or the declared bounds")        \
  X(MO_ERROR_INVALID_INDEX, "a triangle refers to a vertex that does not exist")                   \
  X(MO_ERROR_STALE_ID, "a shape id does not name a living shape of this scene")                    \
  X(MO_ERROR_PROJECTIVE_MATRIX, "a transform matrix has a projective last row")                    \
  X(MO_ERROR_TOO_MANY, "a count exceeds what the library can index")                               \
  X(MO_ERROR_OUT_OF_MEMORY, "the allocator returned null")                                         \
  X(MO_ERROR_UNSUPPORTED, "this object or this machine does not offer the requested feature")      \
  X(MO_ERROR_CORRUPT, "a validate function found a broken invariant")                              \
  X(MO_ERROR_NO_THREAD, "the system would not start another thread")                               \
  X(MO_ERROR_UNINITIALIZED_DEF, "a def was not made by its default function")

/// What a function that can fail returns. After any code but MO_OK the objects passed to the call
/// are as they were before it, and its outputs are not written unless its comment says otherwise.
typedef enum mo_result {
#define MO_RESULT_ENUM(name, text) name,
  MO_RESULTS(MO_RESULT_ENUM)
#undef MO_RESULT_ENUM
} mo_result;

/// Coordinates, extents and translations beyond this magnitude (in any frame) are refused with
/// MO_ERROR_OUT_OF_RANGE: the culling arithmetic is proven free of overflow up to it.
#define MO_MAX_COORDINATE 1.0e30f

/* Defs. A struct that has a default function (mo_default_ray_def() makes a mo_ray_def) is made by
 * it, then changed: members may be added to it, and zero is not the default of all. Its last
 * member, `cookie`, shows that; calls refuse others with MO_ERROR_UNINITIALIZED_DEF, also inside
 * another def (a ray's filter). Defs that a call fills in (mo_segment_def, mo_scene_get_shape, ...)
 * may be passed to others as well. mo_allocator and mo_host have no cookie; and of a def that has a
 * host and no cookie (mo_scene_create, mo_mesh_create) not even the log is used. */

/// "No element" wherever the index of an array's element is expected.
///
/// Calls that take arrays say which element they refuse by `size_t *first_bad`, an argument or a
/// member of the def that has the arrays; null: not wanted. After an error `*first_bad` is the
/// index of the first element of the caller's order that is refused, or MO_NO_INDEX where no
/// element is to blame; without an error it is not written.
#define MO_NO_INDEX SIZE_MAX

/// How much a log message matters.
typedef enum mo_log_level {
  MO_LOG_INFO,    ///< for someone who looks for the reason of an error or of a cost
  MO_LOG_WARNING, ///< something is wrong, such as a broken invariant that a validate function found
} mo_log_level;

/// Where all memory of an object comes from. Both functions may be called from any thread that
/// calls into the object. The default is mimalloc where the library was built with it, else
/// aligned_alloc and free.
typedef struct mo_allocator {
  /// Returns `size` bytes (never 0) aligned to `alignment` (a power of two), or null on failure.
  void *(*allocate)(size_t size, size_t alignment, void *context);
  /// Takes back memory of `allocate`, with the same size and alignment. Never called with null.
  void (*release)(void *memory, size_t size, size_t alignment, void *context);
  void *context; ///< passed to both functions
} mo_allocator;

/// One of the equal parts of a larger work; see mo_tasks.
typedef void mo_task(uint32_t index, void *task_context);

/// How large pieces of work (builds, updates, batches) spread over threads. The library starts no
/// thread itself: it hands tasks to this hook, which may be the host's own job system or a pool of
/// mo_task_pool_create. Answers do not depend on the number of workers.
typedef struct mo_tasks {
  /// Calls task(i, task_context) exactly once for each i below `count` (which is not 0), in any
  /// order, on any threads, and returns when all calls have returned. What the caller wrote before
  /// is visible to the tasks, and what they wrote to the caller after. May be called from several
  /// threads at once, and from inside a task: then too it must finish, which it does if a thread
  /// that waits for tasks that no other thread has begun runs them itself. Null (the default) runs
  /// all tasks in the calling thread.
  void (*for_each)(uint32_t count, mo_task *task, void *task_context, void *context);
  /// How many tasks may run at once, that of the calling thread included: how finely work is worth
  /// cutting. 0 counts as 1.
  uint32_t worker_count;
  void *context; ///< passed to `for_each`
} mo_tasks;

/// Services that the host lends to an object for its whole life.
typedef struct mo_host {
  mo_allocator allocator; ///< where all memory of the object comes from
  /// Receives one line per noteworthy event; null (the default) for silence. When a call is
  /// refused it says at MO_LOG_INFO what was wrong, by function, argument, index and value:
  /// "mo_scene_add_shapes: defs[17].transform.x_axis.y is NaN". It is called from the thread that
  /// made the call, maybe from several at once, and must not use the object. Functions that know
  /// no host (of motte/math.h, of tasks) tell nobody.
  void (*log)(mo_log_level level, const char *message, void *context);
  void *log_context; ///< passed to `log`
  /// All zero (the default) to work in the calling thread alone.
  mo_tasks tasks;
} mo_host;

/// Threads that wait for tasks.
typedef struct mo_task_pool mo_task_pool;

/// The most workers that a pool may have.
#define MO_MAX_TASK_WORKERS 1024

/// The instruction sets that queries are compiled for. Answers do not depend on the choice.
typedef enum mo_isa {
  MO_ISA_AUTO,   ///< the environment variable MOTTE_ISA (a name below) if set, else the best here
  MO_ISA_SCALAR, ///< plain C, the reference
  MO_ISA_SSE4,   ///< x86-64 with SSE4.2
  MO_ISA_AVX2,   ///< x86-64 with AVX2, FMA, BMI 1 and 2, and LZCNT
  MO_ISA_AVX512, ///< the same and AVX-512 F, VL, BW and DQ
  MO_ISA_NEON,   ///< AArch64
} mo_isa;

MO_BEGIN_DECLS

/// The name of a result code, such as "MO_ERROR_STALE_ID"; "unknown" for other numbers. The string
/// is constant and never freed. Any thread.
MO_API const char *mo_result_name(mo_result result);

/// One sentence about a result code, without capital or full stop; "unknown result code" for other
/// numbers. The string is constant and never freed. Any thread.
MO_API const char *mo_result_text(mo_result result);

/// The default allocator; see mo_allocator. Any thread.
MO_API mo_allocator mo_default_allocator(void);

/// A host with the default allocator, no log and no tasks. Any thread.
MO_API mo_host mo_default_host(void);

/// Starts a pool in which `worker_count` tasks of one call run at once: the calling thread runs
/// some itself, so `worker_count - 1` threads are started. 0 stands for the processors that the
/// calling thread may run on. `allocator` (null for the default) is copied; its context must
/// outlive the pool. Idle threads sleep, after having looked out for more work for some
/// microseconds; signals are blocked in them. Errors: MO_ERROR_NULL_ARGUMENT (`pool`, or a function
/// of the allocator), MO_ERROR_TOO_MANY (above MO_MAX_TASK_WORKERS), MO_ERROR_OUT_OF_MEMORY,
/// MO_ERROR_NO_THREAD.
MO_API mo_result mo_task_pool_create(const mo_allocator *allocator, uint32_t worker_count,
                                     mo_task_pool **pool);

/// The hook of a pool, to be put into the `tasks` of hosts; all zero for null. One pool serves any
/// number of objects and threads; calls at the same time share its threads. A call allocates
/// nothing, and indices are handed out one by one: a task should be worth some microseconds. The
/// hook refers to the pool, which has to outlive every object that has it. Any thread.
MO_API mo_tasks mo_task_pool_tasks(mo_task_pool *pool);

/// Ends the threads and releases the pool. No call of its hook may be running, and none may follow:
/// destroy the objects that hold it first. Not from one of its own threads. Null is ignored.
MO_API void mo_task_pool_destroy(mo_task_pool *pool);

/// The instruction set that `requested` means here: MO_ISA_AUTO is resolved through the environment
/// variable MOTTE_ISA, then through what the processor has. Returns MO_ERROR_UNSUPPORTED if the
/// processor or the build lacks a set that the argument or the environment names (or there is no
/// such name), MO_ERROR_NULL_ARGUMENT, MO_ERROR_INVALID_ARGUMENT (no such number). Any thread, as
/// long as none changes the environment.
MO_API mo_result mo_isa_resolve(mo_isa requested, mo_isa *resolved);

/// The name of an instruction set: "auto", "scalar", "sse4", "avx2", "avx512" or "neon"; "unknown"
/// for other numbers. The string is constant and never freed. Any thread.
MO_API const char *mo_isa_name(mo_isa isa);

MO_END_DECLS

/** \} */

#endif
