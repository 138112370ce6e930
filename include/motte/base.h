/* Result codes, allocator, log hook and instruction sets: what every other header needs. */
#ifndef MOTTE_BASE_H
#define MOTTE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MO_VERSION_MAJOR 0
#define MO_VERSION_MINOR 1
#define MO_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define MO_API __attribute__((visibility("default")))
#else
#define MO_API
#endif

#ifdef __cplusplus
#define MO_BEGIN_DECLS extern "C" {
#define MO_END_DECLS }
#else
#define MO_BEGIN_DECLS
#define MO_END_DECLS
#endif

/* The table of result codes: name, text. */
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
  X(MO_ERROR_CORRUPT, "a validate function found a broken invariant")

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

/// How much a log message matters.
typedef enum mo_log_level { MO_LOG_INFO, MO_LOG_WARNING } mo_log_level;

/// Where all memory of an object comes from. Both functions may be called from any thread that
/// calls into the object. The default is mimalloc where the library was built with it, else
/// aligned_alloc and free.
typedef struct mo_allocator {
  /// Returns `size` bytes (never 0) aligned to `alignment` (a power of two), or null on failure.
  void *(*allocate)(size_t size, size_t alignment, void *context);
  /// Takes back memory of `allocate`, with the same size and alignment. Never called with null.
  void (*release)(void *memory, size_t size, size_t alignment, void *context);
  void *context;
} mo_allocator;

/// Services that the host lends to an object for its whole life.
typedef struct mo_host {
  mo_allocator allocator;
  /// Receives one line per noteworthy event; null (the default) for silence.
  void (*log)(mo_log_level level, const char *message, void *context);
  void *log_context;
} mo_host;

/// The instruction sets that queries are compiled for. Answers do not depend on the choice.
typedef enum mo_isa {
  MO_ISA_AUTO,   ///< the environment variable MOTTE_ISA (scalar, avx2) if set, else the best here
  MO_ISA_SCALAR, ///< plain C, the reference
  MO_ISA_AVX2,   ///< x86-64 with AVX2
} mo_isa;

MO_BEGIN_DECLS

/// The name of a result code, such as "MO_ERROR_STALE_ID"; "unknown" for other numbers.
MO_API const char *mo_result_name(mo_result result);

/// One sentence about a result code, without capital or full stop.
MO_API const char *mo_result_text(mo_result result);

/// The default allocator; see mo_allocator.
MO_API mo_allocator mo_default_allocator(void);

/// A host with the default allocator and no log.
MO_API mo_host mo_default_host(void);

/// The instruction set that `requested` means here: MO_ISA_AUTO is resolved through the environment
/// variable MOTTE_ISA, then through what the processor has. Returns MO_ERROR_UNSUPPORTED if the
/// processor or the build lacks a set asked for by argument or by environment.
MO_API mo_result mo_isa_resolve(mo_isa requested, mo_isa *resolved);

/// "auto", "scalar" or "avx2".
MO_API const char *mo_isa_name(mo_isa isa);

MO_END_DECLS

#endif
