/* Two equal meshes at fixed distances, and overlapping by fixed amounts: whether they touch, and
 * how far apart they are, in many rotations.
 *
 * After Trenkel, Weller and Zachmann, "A Benchmarking Suite for Static Collision Detection
 * Algorithms", WSCG 2007. Meshes are fitted to a cube of size 1. For each of a number of rotations
 * the second mesh is moved towards the first from a random side until it is at a given distance.
 * For overlaps it is moved on from where it touches: a negative distance is how far. */
#include <math.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "common/check.h"
#include "pairs_case.h"

enum { DISTANCES = 7 };

static const struct {
  const char *name;
  double value;
} distances[DISTANCES] = {{"-0.1", -0.1}, {"-0.01", -0.01}, {"0.0001", 1e-4}, {"0.001", 1e-3},
                          {"0.01", 0.01}, {"0.1", 0.1},     {"0.3", 0.3}};

static const char *distance_name(unsigned i) {
  return i < DISTANCES ? distances[i].name : NULL;
}

struct settings {
  bench_files files;
  bench_counts segments;
  const char *distances;
  uint32_t rotations, checked;
};

static double find_distance(const mo_mesh *mesh, const bench_pair_pose *pose) {
  mo_distance_mesh_def def = mo_default_distance_mesh_def();
  mo_closest_hit hits[2];
  def.other = mesh;
  def.other_transform = mo_transform_make(pose->translation, pose->rotation, (mo_vec3){1, 1, 1});
  check(mo_mesh_find_closest_mesh(mesh, &def, hits, NULL), "find a distance");
  return hits[0].distance;
}

static mo_vec3 scaled(mo_vec3 v, double by) {
  return (mo_vec3){(float)(v.x * by), (float)(v.y * by), (float)(v.z * by)};
}

/* Moves the second mesh towards the first, by what it is too far away, until that is less than a
 * hundredth of the distance; it can not get too near. What lies beside the way it passes. */
static void approach(const mo_mesh *mesh, bench_pair_pose *pose, mo_vec3 side, double distance) {
  double target = fmax(distance, 1e-4), away = 4;
  for (int step = 0; step < 1000 && away > -4; step++) {
    pose->translation = scaled(side, away);
    double excess = find_distance(mesh, pose) - target;
    if (excess < 0.01 * target) {
      break;
    }
    away -= excess;
  }
  if (distance < 0) {
    pose->translation = scaled(side, away + distance);
  }
}

static bench_pair_pose *make_poses(const bench_mesh *source, double distance, uint32_t count,
                                   uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  bench_pair_pose *poses = allocate(count, sizeof *poses);
  mo_mesh_def def = bench_mesh_def(source);
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "create a mesh");
  for (uint32_t i = 0; i < count; i++) {
    poses[i] = (bench_pair_pose){.rotation = bench_pair_rotation(&random)};
    mo_vec3 side = random_direction(&random);
    approach(mesh, &poses[i], side, distance);
  }
  mo_mesh_release(mesh);
  return poses;
}

static void run_distance(bench_run *run, const bench_mesh *mesh, unsigned i) {
  static const bench_pair_query queries[] = {BENCH_PAIR_TOUCH, BENCH_PAIR_DISTANCE};
  const struct settings *s = run->settings;
  bench_pair_pose *poses = make_poses(mesh, distances[i].value, s->rotations, run->seed);
  for (size_t q = 0; q < sizeof queries / sizeof *queries && !bench_interrupted(); q++) {
    bench_pair_run(run,
                   bench_format("%s/%u triangles/%s at %s", mesh->name,
                                mesh->triangles.triangle_count, bench_pair_query_names[queries[q]],
                                distances[i].name),
                   &(bench_pair_case){mesh, mesh, poses, s->rotations, queries[q], s->checked});
  }
  free(poses);
}

static void run_mesh(bench_run *run, bench_mesh *mesh) {
  const struct settings *s = run->settings;
  bench_mesh_normalise(mesh);
  for (uint32_t i = 0; i < mesh->triangles.vertex_count; i++) {
    mesh->triangles.positions[i] = scaled(mesh->triangles.positions[i], 0.5);
  }
  bench_mesh_find_bounds(mesh);
  bench_pair_create(run, mesh, mesh);
  for (unsigned i = 0; i < DISTANCES && !bench_interrupted(); i++) {
    if (bench_list_has(s->distances, distances[i].name, true)) {
      run_distance(run, mesh, i);
    }
  }
  bench_pair_destroy(run);
}

static void run_all(bench_run *run) {
  const struct settings *s = run->settings;
  for (size_t i = 0; s->files.count == 0 && i < s->segments.count; i++) {
    bench_each_mesh(run, &s->files, s->segments.item[i], run_mesh);
  }
  if (s->files.count > 0) {
    bench_each_mesh(run, &s->files, 0, run_mesh);
  }
}

static const bench_option options[] = {
    {"mesh", "FILE", "a mesh, beside itself; may be repeated", BENCH_FILES,
     .offset = offsetof(struct settings, files)},
    {"segments", "N,...", "of the knots that are generated if there is no file", BENCH_COUNTS,
     .offset = offsetof(struct settings, segments), .initial = "32,64,128", .quick = "32,64",
     .min = 16, .max = 4096},
    {"distances", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, distances),
     .name_at = distance_name},
    {"rotations", "N", "poses of each distance", BENCH_COUNT,
     .offset = offsetof(struct settings, rotations), .initial = "100", .quick = "10", .min = 1,
     .max = 1e6},
    {"checked", "N", "poses whose answers a loop over all pairs of triangles checks", BENCH_COUNT,
     .offset = offsetof(struct settings, checked), .initial = "1", .min = 0, .max = 1e6},
    {0},
};

const bench_suite bench_suite_static_pairs = {
    .name = "static-pairs",
    .summary = "two equal meshes at fixed distances",
    .purpose = "Finds whether two equal meshes, fitted to a cube of size 1, touch, and their "
               "distance, at fixed distances in many rotations (Trenkel and others 2007).",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_pair_motte[0].id,
    .engine_size = sizeof(bench_pair_engine),
    .chosen_engines = "motte",
    .needs_first = true,
    .peers = bench_pair_peers,
    .contender_size = sizeof(bench_pair_outcome),
    .headlines = "time",
    .run = run_all,
};
