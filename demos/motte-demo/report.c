#include "motte-demo/report.h"

#include <stdio.h>

#include "common/arguments.h"
#include "common/check.h"

void report_options(const struct options *options) {
  printf("%u shapes, %.0f %% of them moving, %u frames, %u rays a frame, %s octree, seed %llu\n\n",
         options->shape_count, 100.0 * (double)options->moving_share, options->frame_count,
         options->ray_count, policy_name(options->policy), (unsigned long long)options->seed);
}

void report_mesh(const char *name, const mo_mesh *mesh, double seconds) {
  mo_mesh_stats stats;
  check(mo_mesh_get_stats(mesh, &stats), "read the statistics of a mesh");
  printf("%-24s %8u triangles, octree of %6u nodes, depth %2u, built in %6.1f ms\n", name,
         stats.triangle_count, stats.node_count, stats.max_depth, 1e3 * seconds);
}

void report_scene(const mo_scene *scene, double seconds) {
  mo_scene_stats stats;
  check(mo_scene_get_stats(scene, &stats), "read the statistics");
  printf("%-24s %8u shapes,    octree of %6u nodes, depth %2u, filled in %5.1f ms\n\n", "scene",
         stats.shape_count, stats.node_count, stats.max_depth, 1e3 * seconds);
}

void report_table_head(void) {
  printf("Processor time:\n"
         "        update |   a ray             |   a box             |   cube asks, finds     "
         "|   the shape octree\n"
         "  frame     ms |    us  nodes  tests |    us  nodes  tests |    us touch near cells "
         "| reinsert split merge rebuild\n");
}

static void print_query(const struct query_costs *costs) {
  printf(" |%6.2f %6.1f %6.1f", query_microseconds(costs), query_nodes(costs), query_tests(costs));
}

void report_table_row(uint32_t last_frame, const struct costs *costs) {
  double frames = (double)costs->frames;
  printf("%7u %6.3f", last_frame, 1e3 * costs->update_seconds / frames);
  print_query(&costs->rays);
  print_query(&costs->boxes);
  printf(" |%6.1f %5.1f %4.0f %5.0f", query_microseconds(&costs->cube),
         (double)costs->touched / frames, (double)costs->nearby / frames,
         (double)costs->cells / frames);
  printf(" | %8.1f %5.1f %5.1f %7llu\n", (double)costs->reinserts / frames,
         (double)costs->splits / frames, (double)costs->merges / frames,
         (unsigned long long)costs->rebuilds);
}

void report_summary(const struct costs *costs, const mo_scene *scene) {
  mo_scene_stats stats;
  check(mo_scene_get_stats(scene, &stats), "read the statistics");
  double moves = costs->moves > 0 ? (double)costs->moves : 1.0;
  printf("\nAfter %u frames and %llu moves, of which %.1f %% were reinserts:\n", costs->frames,
         (unsigned long long)costs->moves, 100.0 * (double)costs->reinserts / moves);
  printf(
      "  a move cost %.2f us of processor time, a ray %.2f us, a box query %.2f us, a query of the "
      "cube %.1f us\n",
      1e6 * costs->update_seconds / moves, query_microseconds(&costs->rays),
      query_microseconds(&costs->boxes), query_microseconds(&costs->cube));
  printf("  a ray visited %.1f nodes and tested %.1f shapes and triangles; mailboxes saved %.2f "
         "tests\n",
         query_nodes(&costs->rays), query_tests(&costs->rays),
         (double)costs->rays.stats.mailbox_hit_count / (double)costs->rays.count);
  printf(
      "  the shape octree has %u nodes and %u leaves at depth %u or less, %u straddling shapes,\n"
      "  %.0f kB, and was rebuilt %llu times\n",
      stats.node_count, stats.leaf_count, stats.max_depth, stats.inner_shape_count,
      1e-3 * (double)stats.tree_bytes, (unsigned long long)stats.rebuild_count);
}
