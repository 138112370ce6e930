/* Many static boxes to query, as PEEL's seas of statics (Terdiman): a square lattice of boxes of
 * sizes and places that vary. */
#ifndef BENCH_QUERIES_SEA_H
#define BENCH_QUERIES_SEA_H

#include "common/random.h"
#include "queries.h"

/* `side` times `side` boxes, for free(). */
bench_query_box *bench_sea_create(uint32_t side, uint64_t seed);

mo_aabb bench_sea_bounds(const bench_query_box *boxes, uint32_t count);

/* Where a cast of a shape begins, which it gets, and where it goes: from above down into the sea,
 * or level from beside it across all of it, at any height at which it may meet something and a
 * little more. */
bench_probe bench_sea_cast_down(mo_aabb sea, float width, struct random_stream *random);
bench_probe bench_sea_cast_across(mo_aabb sea, float width, struct random_stream *random);

#endif
