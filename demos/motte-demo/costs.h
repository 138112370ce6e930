/* What a run of frames has cost: processor time, and what the octrees did meanwhile. */
#ifndef DEMO_COSTS_H
#define DEMO_COSTS_H

#include <motte/query.h>

/* One kind of query. */
struct query_costs {
  uint64_t count;
  double seconds;
  mo_query_stats stats;
};

struct costs {
  uint32_t frames;
  uint64_t moves;
  double update_seconds;
  struct query_costs rays;
  struct query_costs boxes; /* the crowd's looks ahead */
  struct query_costs cube;  /* what it touches, and what is nearby: two queries a frame */
  uint64_t touched, nearby, cells;
  uint64_t reinserts, splits, merges, rebuilds;
};

/* Adds `more` to `sum`. */
void costs_add(struct costs *sum, const struct costs *more);

/* Nodes of both octrees visited, shapes and triangles tested, per query. */
double query_nodes(const struct query_costs *costs);
double query_tests(const struct query_costs *costs);
double query_microseconds(const struct query_costs *costs);

#endif
