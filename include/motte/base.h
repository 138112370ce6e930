/** \defgroup base Base (motte/base.h)
 *
 * Result codes, allocator, log hook, tasks and instruction sets: what every other header needs.
 *
 * Counts follow the same naming and types in all headers:
 *   - `count`, `<thing>_count`: the length of an array that is passed in or returned; the number of
 *     elements that an object has (mo_scene_shape_count); in statistics also how often something
 *     happened.
 *   - `capacity`, `<thing>_capacity`: the length of a buffer that the caller provides. The buffer
 *     may be null if the capacity is 0.
 *   - `uint32_t *total`, `<thing>_total`: how many results exist, whatever the capacity; saturates
 *     at UINT32_MAX. The first `capacity` of them are written, in the order that the call
 *     documents.
 *   - `uint32_t *count`: how many results were written, by calls that stop searching once the
 *     buffer is full.
 *
 * Counts of things with 32-bit ids or indices are uint32_t. Counts that may be larger (pairs,
 * events) are uint64_t. Bytes, the rays of a batch and `first_bad`, the index of an array element,
 * are size_t. */
#ifndef MOTTE_BASE_H
#define MOTTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** \{ */

#define MO_VERSION_MAJOR 0 ///< 0 as long as the API may change
#define MO_VERSION_MINOR 2 ///< changes when the API changes
#define MO_VERSION_PATCH 0 ///< changes with bug fixes that keep the API

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
  X(MO_ERROR_INVALID_INDEX, "a vertex or triangle that does not exist is named")                   \
  X(MO_ERROR_STALE_ID, "a shape id does not name a living shape of this scene")                    \
  X(MO_ERROR_PROJECTIVE_MATRIX, "a transform matrix has a projective last row")                    \
  X(MO_ERROR_TOO_MANY, "a count exceeds what the library can index")                               \
  X(MO_ERROR_OUT_OF_MEMORY, "the allocator returned null")                                         \
  X(MO_ERROR_UNSUPPORTED, "this object or this machine does not offer the requested feature")      \
  X(MO_ERROR_CORRUPT, "a validate function found a broken invariant")                              \
  X(MO_ERROR_NO_THREAD, "the system would not start another thread")                               \
  X(MO_ERROR_UNINITIALIZED_DEF, "a def was not made by its mo_default_..._def()")

/// The return value of every function that can fail. After any code but MO_OK, the objects passed
/// to the call are unchanged and its outputs are not written, unless its comment says otherwise.
typedef enum mo_result {
#define MO_RESULT_ENUM(name, text) name,
  MO_RESULTS(MO_RESULT_ENUM)
#undef MO_RESULT_ENUM
} mo_result;

/// Coordinates, extents and translations beyond this magnitude (in any frame) are refused with
/// MO_ERROR_OUT_OF_RANGE: the culling arithmetic is proven free of overflow up to it.
#define MO_MAX_COORDINATE 1.0e30f

/* Defs are structs of options. If a def has a default function (mo_default_ray_def() makes a
 * mo_ray_def), create it with that function, then change members: later versions may add members,
 * and zero is not the default of all of them. The default function sets the last member, `cookie`;
 * calls refuse a def without the cookie, also one inside another def (a ray's filter), with
 * MO_ERROR_UNINITIALIZED_DEF. Defs that a call fills in (mo_segment_def, mo_scene_get_shape, ...)
 * are valid too. mo_allocator and mo_host have no cookie. If a def with a host lacks its cookie
 * (mo_scene_create, mo_mesh_create), the host's log is not used either. */

/// "No element" wherever the index of an array's element is expected.
///
/// Calls that take arrays report the invalid element through `size_t *first_bad`, an argument or a
/// member of the def with the arrays; it may be null. After an error `*first_bad` is the index, in
/// the caller's order, of the first invalid element, or MO_NO_INDEX if the error is not about an
/// element. Without an error it is not written.
#define MO_NO_INDEX SIZE_MAX

/// The severity of a log message.
typedef enum mo_log_level {
  MO_LOG_INFO,    ///< explains an error or a cost
  MO_LOG_WARNING, ///< something is wrong, such as a broken invariant that a validate function found
  MO_LOG_DEBUG,   ///< how a result was found; only with options that enable it
} mo_log_level;

/// The source of all memory of an object. Both functions may be called from any thread that calls
/// into the object. The default is mimalloc if the library was built with it, else aligned_alloc
/// and free.
typedef struct mo_allocator {
  /// Returns `size` bytes (never 0) aligned to `alignment` (a power of two), or null on failure.
  void *(*allocate)(size_t size, size_t alignment, void *context);
  /// Frees memory that `allocate` returned, given the same size and alignment. Never called with
  /// null.
  void (*release)(void *memory, size_t size, size_t alignment, void *context);
  void *context; ///< passed to both functions
} mo_allocator;

/// Runs part `index` of a parallel job; see mo_tasks.
typedef void mo_task(uint32_t index, void *task_context);

/// How large jobs (builds, updates, batches) are spread over threads. The library starts no threads
/// itself: it hands tasks to this hook, which may call the host's own job system or a pool from
/// mo_task_pool_create. Results do not depend on the number of workers.
typedef struct mo_tasks {
  /// Calls task(i, task_context) exactly once for each i below `count` (which is not 0), in any
  /// order, on any threads, and returns when all calls have returned. Writes of the caller before
  /// the call must be visible to the tasks, and writes of the tasks to the caller afterwards. May
  /// be called from several threads at once, and from inside a task. A nested call must not
  /// deadlock: it is enough that a waiting thread runs those of its tasks that no other thread has
  /// started. Null (the default) runs all tasks in the calling thread.
  void (*for_each)(uint32_t count, mo_task *task, void *task_context, void *context);
  /// How many tasks may run at once, including the one in the calling thread; the library divides
  /// its jobs accordingly. 0 counts as 1.
  uint32_t worker_count;
  void *context; ///< passed to `for_each`
} mo_tasks;

/// Services that the host provides to an object for the object's whole lifetime.
typedef struct mo_host {
  mo_allocator allocator; ///< where all memory of the object comes from
  /// Receives log messages, one line each; null (the default) disables the log. When a call refuses
  /// its arguments, a message at MO_LOG_INFO names the function, argument, index and value:
  /// "mo_scene_add_shapes: defs[17].transform.x_axis.y is NaN". It runs in the thread that made the
  /// call, possibly in several threads at once, and must not use the object. Functions without a
  /// host (motte/math.h, the task pool) log nothing.
  void (*log)(mo_log_level level, const char *message, void *context);
  void *log_context; ///< passed to `log`
  /// How work is spread over threads. All zero (the default): work stays in the calling thread.
  mo_tasks tasks;
} mo_host;

/// A pool of worker threads that run tasks.
typedef struct mo_task_pool mo_task_pool;

/// The largest number of workers of a task pool.
#define MO_MAX_TASK_WORKERS 1024

/// The instruction sets that queries are compiled for. Results do not depend on the choice.
typedef enum mo_isa {
  MO_ISA_AUTO,   ///< the set named by the environment variable MOTTE_ISA, else the fastest
  MO_ISA_SCALAR, ///< plain C, the reference
  MO_ISA_SSE4,   ///< x86-64 with SSE4.2
  MO_ISA_AVX2,   ///< x86-64 with AVX2, FMA, BMI 1 and 2, and LZCNT
  MO_ISA_AVX512, ///< AVX2 and AVX-512 F, VL, BW and DQ
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

/// Starts a pool that runs up to `worker_count` tasks of one call at once. The calling thread runs
/// tasks too, so `worker_count - 1` threads are started. 0 means the number of processors that the
/// calling thread may run on. `allocator` (null for the default) is copied; its context must
/// outlive the pool. Idle threads spin for some microseconds, then sleep; signals are blocked in
/// them. Errors: MO_ERROR_NULL_ARGUMENT (`pool`, or a function of the allocator), MO_ERROR_TOO_MANY
/// (above MO_MAX_TASK_WORKERS), MO_ERROR_OUT_OF_MEMORY, MO_ERROR_NO_THREAD.
MO_API mo_result mo_task_pool_create(const mo_allocator *allocator, uint32_t worker_count,
                                     mo_task_pool **pool);

/// The hook of a pool, for the `tasks` member of hosts; all zero if `pool` is null. One pool serves
/// any number of objects and threads; concurrent calls share its threads. A call allocates nothing.
/// Indices are handed out one by one, so a task should take at least some microseconds. The hook
/// refers to the pool, which must outlive every object that uses it. Any thread.
MO_API mo_tasks mo_task_pool_tasks(mo_task_pool *pool);

/// Ends the threads and frees the pool. No call of its hook may be running, and none may follow:
/// destroy the objects that use it first. Must not be called from a thread of the pool. Null is
/// ignored.
MO_API void mo_task_pool_destroy(mo_task_pool *pool);

/// Resolves `requested` to an instruction set of this machine: MO_ISA_AUTO becomes the set named by
/// the environment variable MOTTE_ISA, or else the best one that the processor supports. Errors:
/// MO_ERROR_UNSUPPORTED (the processor or the build lacks the set that the argument or the
/// environment names, or the name is unknown); MO_ERROR_NULL_ARGUMENT; MO_ERROR_INVALID_ARGUMENT
/// (no such number). Any thread, as long as no thread changes the environment.
MO_API mo_result mo_isa_resolve(mo_isa requested, mo_isa *resolved);

/// The name of an instruction set: "auto", "scalar", "sse4", "avx2", "avx512" or "neon"; "unknown"
/// for other numbers. The string is constant and never freed. Any thread.
MO_API const char *mo_isa_name(mo_isa isa);

MO_END_DECLS

/** \} */

#endif
