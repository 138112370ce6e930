/* The suite of classics: claims about scenes. Boxes move; then the shapes in frustums are found,
 * and rays are cast. */
#include <math.h>
#include <motte/hull.h>
#include <stdlib.h>

#include "classics.h"
#include "common/check.h"

static const bench_metric frustum_time = {"frustum", "us", BENCH_LESS_IS_BETTER};
static const bench_metric frustum_tests = {"frustum_tests", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric frustum_nodes = {"frustum_nodes", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric frustum_blocks = {"frustum_blocks", "1/query", BENCH_LESS_IS_BETTER};
static const bench_metric frustum_found = {"frustum_found", "1/query", BENCH_NEITHER_IS_BETTER};
static const bench_metric ray_tests = {"ray_tests", "1/ray", BENCH_LESS_IS_BETTER};
static const bench_metric scene_bytes = {"tree_bytes_per_shape", "B", BENCH_LESS_IS_BETTER};

enum { FRUSTUM_CORNERS = 8 };

/* A frustum: how far its near and far plane are, and half a width and height at a distance of 1. */
static const float near_plane = 0.5f, far_plane = 25, half_width = 0.5f, half_height = 0.4f;

static void create_scene(const bench_classic_state *state, const bench_classic *engine,
                         bench_classic_outcome *outcome) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = engine->policy;
  def.tree.max_straddlers = engine->straddlers > 0 ? engine->straddlers : def.tree.max_straddlers;
  def.tree.looseness = engine->looseness > 0 ? engine->looseness : def.tree.looseness;
  const uint32_t count = state->workload->count;
  mo_shape_def *shapes = allocate(count, sizeof *shapes);
  for (uint32_t i = 0; i < count; i++) {
    float half = state->workload->bodies[i].half;
    shapes[i] = mo_default_shape_def(MO_SHAPE_BOX);
    shapes[i].geometry.box.half_extents = (mo_vec3){half, half, half};
    shapes[i].transform.origin = state->workload->bodies[i].center;
  }
  check(mo_scene_create(&def, &outcome->scene), "make a scene");
  check(mo_scene_add_shapes(outcome->scene, shapes, count, outcome->ids, NULL), "add shapes");
  check(mo_scene_update(outcome->scene, NULL), "update a scene");
  free(shapes);
}

static void create(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  bench_classic_outcome *outcome = contender->data;
  outcome->ids = allocate(state->workload->count, sizeof *outcome->ids);
  create_scene(state, bench_classic_of(contender), outcome);
}

/* A camera where a body is, and a ray from anywhere, both in any direction. */
static bench_classic_view make_view(const bench_classic_state *state) {
  bench_workload *workload = state->workload;
  struct random_stream *random = &workload->random;
  mo_vec3 axis = random_direction(random);
  float half = random_between(random, 0, 3.1415927f), s = sinf(half);
  mo_vec3 at = workload->bodies[random_below(random, workload->count)].center;
  float world = (float)workload->world / 2;
  mo_aabb anywhere = {{-world, -world, -world}, {world, world, world}};
  mo_quat rotation = {s * axis.x, s * axis.y, s * axis.z, cosf(half)};
  return (bench_classic_view){
      .camera = mo_transform_make(at, rotation, (mo_vec3){1, 1, 1}),
      .ray = {random_point_in(random, anywhere), random_direction(random), 50},
  };
}

static void move(bench_run *run, uint32_t frame) {
  (void)frame;
  const bench_classic_state *state = run->data;
  bench_workload_step(state->workload);
  for (uint32_t k = 0; k < state->workload->mover_count; k++) {
    state->transforms[k] = mo_transform_identity();
    state->transforms[k].origin = state->workload->bodies[state->workload->movers[k]].center;
  }
  for (uint32_t i = 0; i < state->count; i++) {
    state->views[i] = make_view(state);
  }
}

static void update(const bench_classic_state *state, const bench_classic *engine,
                   bench_classic_outcome *outcome) {
  const bench_workload *workload = state->workload;
  if (engine->rebuilds) {
    mo_scene_destroy(outcome->scene);
    create_scene(state, engine, outcome);
    return;
  }
  mo_shape_id *moved = allocate(workload->mover_count, sizeof *moved);
  for (uint32_t k = 0; k < workload->mover_count; k++) {
    moved[k] = outcome->ids[workload->movers[k]];
  }
  mo_update_def def = mo_default_update_def();
  def.ids = moved;
  def.transforms = state->transforms;
  def.count = workload->mover_count;
  check(mo_scene_update(outcome->scene, &def), "move shapes");
  free(moved);
}

static void find_in_frustums(const bench_classic_state *state, const bench_classic_outcome *outcome,
                             mo_query_stats *stats) {
  mo_geometry frustum = {.type = MO_SHAPE_HULL};
  frustum.hull = state->frustum;
  for (uint32_t i = 0; i < state->count; i++) {
    mo_overlap_def def =
        mo_overlap_primitive_def(mo_primitive_of_geometry(&frustum, &state->views[i].camera));
    check(mo_scene_overlap_shapes(outcome->scene, &def, NULL, 0, &outcome->found[i], stats),
          "find the shapes in a frustum");
  }
}

static void cast_in_scene(const bench_classic_state *state, const bench_classic_outcome *outcome,
                          mo_query_stats *stats) {
  mo_ray_def ray = mo_default_ray_def();
  for (uint32_t i = 0; i < state->count; i++) {
    mo_ray_hit hit;
    ray.origin = state->views[i].ray.origin;
    ray.direction = state->views[i].ray.direction;
    ray.max_t = state->views[i].ray.max_t;
    check(mo_scene_cast_ray(outcome->scene, &ray, &hit, stats), "cast a ray");
    outcome->hits[i].t = hit.found ? hit.t : INFINITY;
  }
}

static void measure(bench_run *run, bench_contender *contender, uint32_t frame) {
  (void)frame;
  const bench_classic_state *state = run->data;
  bench_classic_outcome *outcome = contender->data;
  double start = bench_clock();
  update(state, bench_classic_of(contender), outcome);
  double updated = bench_clock();
  find_in_frustums(state, outcome, NULL);
  double found = bench_clock();
  cast_in_scene(state, outcome, NULL);
  double cast = bench_clock();
  bench_sample(run, contender, &bench_classic_update, 1e3 * (updated - start));
  bench_sample(run, contender, &frustum_time, 1e6 * (found - updated) / state->count);
  bench_sample(run, contender, &bench_classic_ray, 1e6 * (cast - found) / state->count);
}

/* Where a box's centre is in a view, and how far its corners reach in its axes. */
static mo_vec3 to_camera(const bench_classic_view *view, const bench_body *body, mo_vec3 *reach) {
  mo_vec3 d = {body->center.x - view->camera.origin.x, body->center.y - view->camera.origin.y,
               body->center.z - view->camera.origin.z};
  const mo_vec3 axes[3] = {view->camera.x_axis, view->camera.y_axis, view->camera.z_axis};
  float at[3], extent[3];
  for (int i = 0; i < 3; i++) {
    at[i] = d.x * axes[i].x + d.y * axes[i].y + d.z * axes[i].z;
    extent[i] = body->half * (fabsf(axes[i].x) + fabsf(axes[i].y) + fabsf(axes[i].z));
  }
  *reach = (mo_vec3){extent[0], extent[1], extent[2]};
  return (mo_vec3){at[0], at[1], -at[2]};
}

/* Boxes whose centre is well inside the frustum are in it; those in it are not outside of the box
 * around it in the camera's axes. */
static void bound_found(const bench_classic_state *state, const bench_classic_view *view,
                        uint32_t *min, uint32_t *max) {
  const float slack = 1e-3f;
  for (uint32_t i = 0; i < state->workload->count; i++) {
    mo_vec3 reach, p = to_camera(view, &state->workload->bodies[i], &reach);
    *min += p.z > near_plane + slack && p.z < far_plane - slack &&
            fabsf(p.x) < half_width * p.z - slack && fabsf(p.y) < half_height * p.z - slack;
    *max += p.z + reach.z > near_plane - slack && p.z - reach.z < far_plane + slack &&
            fabsf(p.x) - reach.x < half_width * far_plane + slack &&
            fabsf(p.y) - reach.y < half_height * far_plane + slack;
  }
}

/* Where a ray enters the first box, by a loop over all. */
static double first_entry(const bench_classic_state *state, const bench_ray *ray) {
  const double o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
  const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
  double first = INFINITY;
  for (uint32_t i = 0; i < state->workload->count; i++) {
    const bench_body *body = &state->workload->bodies[i];
    const double c[3] = {body->center.x, body->center.y, body->center.z};
    double enter = 0, leave = ray->max_t;
    for (int axis = 0; axis < 3; axis++) {
      double a = (c[axis] - body->half - o[axis]) / d[axis];
      double b = (c[axis] + body->half - o[axis]) / d[axis];
      enter = fmax(enter, fmin(a, b));
      leave = fmin(leave, fmax(a, b));
    }
    first = enter <= leave ? fmin(first, enter) : first;
  }
  return first;
}

/* The first engine by loops over all boxes. */
static void check_views(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *outcome = contender->data;
  for (uint32_t i = 0; i < BENCH_CLASSIC_SAMPLE && i < state->count; i++) {
    uint32_t min = 0, max = 0;
    bound_found(state, &state->views[i], &min, &max);
    double t = first_entry(state, &state->views[i].ray), hit = outcome->hits[i].t;
    if (outcome->found[i] < min || outcome->found[i] > max ||
        (t != hit && !(fabs(t - hit) < 1e-4))) {
      bench_refuse(run, contender,
                   "%u shapes in a frustum, a ray hits at %.9g; loops say %u to %u, and %.9g",
                   outcome->found[i], hit, min, max, t);
    }
  }
}

static void compare_found(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *first = bench_classic_first(run), *outcome = contender->data;
  bench_classic_compare_hits(run, contender);
  if (first == outcome) {
    check_views(run, contender);
  }
  for (uint32_t i = 0; i < state->count; i++) {
    if (first->found[i] != outcome->found[i]) {
      bench_refuse(run, contender, "%u shapes in a frustum, the first engine finds %u",
                   outcome->found[i], first->found[i]);
    }
  }
}

static void compare_frame(bench_run *run, uint32_t frame) {
  (void)frame;
  bench_check_each(run, compare_found);
}

static void count_queries(bench_run *run, bench_contender *contender) {
  const bench_classic_state *state = run->data;
  const bench_classic_outcome *outcome = contender->data;
  mo_query_stats frustums = {0}, rays = {0};
  mo_scene_stats tree;
  double each = 1.0 / state->count, found = 0;
  find_in_frustums(state, outcome, &frustums);
  cast_in_scene(state, outcome, &rays);
  check(mo_scene_get_stats(outcome->scene, &tree), "read scene statistics");
  for (uint32_t i = 0; i < state->count; i++) {
    found += outcome->found[i];
  }
  bench_count(run, contender, &frustum_tests, (double)frustums.shape_count * each);
  bench_count(run, contender, &frustum_nodes, (double)frustums.scene_node_count * each);
  bench_count(run, contender, &frustum_blocks, (double)frustums.scene_block_count * each);
  bench_count(run, contender, &frustum_found, found * each);
  bench_count(run, contender, &ray_tests, (double)rays.shape_count * each);
  bench_count(run, contender, &bench_classic_ray_nodes, (double)rays.scene_node_count * each);
  bench_count(run, contender, &bench_classic_ray_blocks, (double)rays.scene_block_count * each);
  bench_count(run, contender, &bench_classic_ray_hits, bench_classic_hits(outcome, state->count));
  bench_count(run, contender, &scene_bytes, (double)tree.tree_bytes / state->workload->count);
}

static mo_hull *make_frustum(void) {
  mo_vec3 corners[FRUSTUM_CORNERS];
  for (int i = 0; i < FRUSTUM_CORNERS; i++) {
    float z = i & 4 ? far_plane : near_plane;
    corners[i] = (mo_vec3){(i & 1 ? half_width : -half_width) * z,
                           (i & 2 ? half_height : -half_height) * z, -z};
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = corners;
  def.position_count = FRUSTUM_CORNERS;
  mo_hull *hull;
  check(mo_hull_create(&def, &hull), "make a frustum");
  return hull;
}

void bench_classic_run_scene(bench_run *run, const char *workload) {
  bench_classic_state *state = run->data;
  const bench_classic_settings *settings = state->settings;
  if (bench_interrupted()) {
    return;
  }
  state->workload =
      bench_workload_create(bench_find_recipe(workload), settings->shapes, false, run->seed);
  state->transforms = allocate(settings->shapes, sizeof *state->transforms);
  state->views = allocate(settings->queries, sizeof *state->views);
  state->frustum = make_frustum();
  bench_classic_begin(
      run, bench_format("%s/%s/%u", bench_claim_names[state->claim], workload, settings->shapes),
      settings->queries);
  bench_each(run, create);
  uint32_t frames =
      bench_play(run, &(bench_rounds){settings->frames, 1, move, measure, compare_frame});
  bench_classic_end(run, frames > 0 ? count_queries : NULL);
  mo_hull_release(state->frustum);
  free(state->views);
  free(state->transforms);
  bench_workload_destroy(state->workload);
}
