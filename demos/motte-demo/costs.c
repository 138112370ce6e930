#include "motte-demo/costs.h"

static void add_query_costs(struct query_costs *sum, const struct query_costs *more) {
  sum->count += more->count;
  sum->seconds += more->seconds;
  sum->stats.scene_node_count += more->stats.scene_node_count;
  sum->stats.scene_block_count += more->stats.scene_block_count;
  sum->stats.shape_count += more->stats.shape_count;
  sum->stats.mesh_node_count += more->stats.mesh_node_count;
  sum->stats.mesh_block_count += more->stats.mesh_block_count;
  sum->stats.triangle_count += more->stats.triangle_count;
  sum->stats.mailbox_hit_count += more->stats.mailbox_hit_count;
}

void costs_add(struct costs *sum, const struct costs *more) {
  sum->frames += more->frames;
  sum->moves += more->moves;
  sum->update_seconds += more->update_seconds;
  add_query_costs(&sum->rays, &more->rays);
  add_query_costs(&sum->boxes, &more->boxes);
  add_query_costs(&sum->cube, &more->cube);
  sum->touched += more->touched;
  sum->nearby += more->nearby;
  sum->cells += more->cells;
  sum->reinserts += more->reinserts;
  sum->splits += more->splits;
  sum->merges += more->merges;
  sum->rebuilds += more->rebuilds;
}

static double per_query(double amount, const struct query_costs *costs) {
  return costs->count > 0 ? amount / (double)costs->count : 0.0;
}

double query_nodes(const struct query_costs *costs) {
  return per_query((double)(costs->stats.scene_node_count + costs->stats.mesh_node_count), costs);
}

double query_tests(const struct query_costs *costs) {
  return per_query((double)(costs->stats.shape_count + costs->stats.triangle_count), costs);
}

double query_microseconds(const struct query_costs *costs) {
  return per_query(1e6 * costs->seconds, costs);
}
