#include "motte-demo/costs.h"

static void add_query_costs(struct query_costs *sum, const struct query_costs *more) {
  sum->count += more->count;
  sum->seconds += more->seconds;
  sum->stats.scene_nodes += more->stats.scene_nodes;
  sum->stats.scene_blocks += more->stats.scene_blocks;
  sum->stats.shapes += more->stats.shapes;
  sum->stats.mesh_nodes += more->stats.mesh_nodes;
  sum->stats.mesh_blocks += more->stats.mesh_blocks;
  sum->stats.triangles += more->stats.triangles;
  sum->stats.mailbox_saved += more->stats.mailbox_saved;
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
  return per_query((double)(costs->stats.scene_nodes + costs->stats.mesh_nodes), costs);
}

double query_tests(const struct query_costs *costs) {
  return per_query((double)(costs->stats.shapes + costs->stats.triangles), costs);
}

double query_microseconds(const struct query_costs *costs) {
  return per_query(1e6 * costs->seconds, costs);
}
