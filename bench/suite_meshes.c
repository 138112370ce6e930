/* Two meshes: whether they touch, all pairs of triangles that do, how far apart they are, how to
 * separate them, contacts for a solver, and when one comes into touch with the other on its way.
 *
 * Poses are random: the second mesh is rotated in any way, with its middle anywhere in the box of
 * the first one, grown by half of the radius of the second. In the cases named `frames` it moves
 * from one of these to the next in small steps, as from frame to frame. */
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "pairs_case.h"

struct settings {
  bench_files files;
  const char *queries;
  uint32_t poses, segments, checked;
};

static mo_vec3 middle_of(mo_aabb box) {
  return (mo_vec3){0.5f * (box.lower.x + box.upper.x), 0.5f * (box.lower.y + box.upper.y),
                   0.5f * (box.lower.z + box.upper.z)};
}

static float radius_of(mo_aabb box) {
  mo_vec3 m = middle_of(box);
  return sqrtf((box.upper.x - m.x) * (box.upper.x - m.x) +
               (box.upper.y - m.y) * (box.upper.y - m.y) +
               (box.upper.z - m.z) * (box.upper.z - m.z));
}

static mo_aabb grown(mo_aabb box, float by) {
  return (mo_aabb){{box.lower.x - by, box.lower.y - by, box.lower.z - by},
                   {box.upper.x + by, box.upper.y + by, box.upper.z + by}};
}

/* The translation that brings the middle of a rotated mesh somewhere. */
static mo_vec3 translation_to(mo_vec3 target, mo_vec3 middle, mo_quat rotation) {
  mo_transform turn = mo_transform_make((mo_vec3){0, 0, 0}, rotation, (mo_vec3){1, 1, 1});
  mo_vec3 m = mo_transform_point(&turn, middle);
  return (mo_vec3){target.x - m.x, target.y - m.y, target.z - m.z};
}

static bench_pair_pose *make_poses(const bench_mesh *a, const bench_mesh *b, uint32_t count,
                                   uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  bench_pair_pose *poses = allocate(count, sizeof *poses);
  float radius = radius_of(b->bounds);
  mo_aabb box = grown(a->bounds, 0.5f * radius);
  for (uint32_t i = 0; i < count; i++) {
    bench_pair_pose *pose = &poses[i];
    mo_vec3 target = random_point_in(&random, box), to = random_point_in(&random, box);
    pose->rotation = bench_pair_rotation(&random);
    pose->translation = translation_to(target, middle_of(b->bounds), pose->rotation);
    pose->displacement = (mo_vec3){to.x - target.x, to.y - target.y, to.z - target.z};
    pose->axis = random_direction(&random);
    pose->angle = random_between(&random, -1, 1);
    pose->follows = false;
  }
  return poses;
}

enum { STEPS_OF_FRAMES = 20 }; /* from one random pose to the next */

static mo_vec3 between(mo_vec3 a, mo_vec3 b, float share) {
  return (mo_vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
}

static mo_quat rotation_between(mo_quat a, mo_quat b, float share) {
  const float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -1 : 1;
  const mo_quat q = {a.x + share * (sign * b.x - a.x), a.y + share * (sign * b.y - a.y),
                     a.z + share * (sign * b.z - a.z), a.w + share * (sign * b.w - a.w)};
  const float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return (mo_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static bench_pair_pose *make_frames(const bench_mesh *a, const bench_mesh *b, uint32_t count,
                                    uint64_t seed) {
  bench_pair_pose *keys = make_poses(a, b, count / STEPS_OF_FRAMES + 2, seed);
  bench_pair_pose *poses = allocate(count, sizeof *poses);
  for (uint32_t i = 0; i < count; i++) {
    const bench_pair_pose *from = &keys[i / STEPS_OF_FRAMES], *to = from + 1;
    const float share = (float)(i % STEPS_OF_FRAMES) / STEPS_OF_FRAMES;
    poses[i] = *from;
    poses[i].translation = between(from->translation, to->translation, share);
    poses[i].rotation = rotation_between(from->rotation, to->rotation, share);
    poses[i].follows = i > 0;
  }
  free(keys);
  return poses;
}

/* Impacts are those of meshes that begin apart: these come first. Returns how many. */
static uint32_t sort_apart(const bench_run *run, bench_pair_pose *poses, uint32_t count) {
  const bench_pair_engine *engine = (const bench_pair_engine *)run->contenders[0].engine;
  uint32_t apart = 0;
  for (uint32_t i = 0; i < count; i++) {
    bench_pair_answer answer;
    engine->run(run->contenders[0].world, BENCH_PAIR_TOUCH, &poses[i], 1, &answer);
    if (!answer.found) {
      bench_pair_pose swapped = poses[apart];
      poses[apart++] = poses[i];
      poses[i] = swapped;
    }
  }
  return apart;
}

static mo_quat rotation_about(mo_vec3 axis, float angle) {
  const float s = sinf(0.5f * angle);
  return (mo_quat){s * axis.x, s * axis.y, s * axis.z, cosf(0.5f * angle)};
}

static mo_quat product(mo_quat p, mo_quat q) {
  return (mo_quat){
      p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
      p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

/* Contacts are those of a physics step: meshes that begin apart are moved to their impact, and on
 * by a two hundredth of the radius of the second. Returns how many. */
static uint32_t move_to_impacts(const bench_run *run, bench_pair_pose *poses, uint32_t count,
                                float radius) {
  const bench_pair_engine *engine = (const bench_pair_engine *)run->contenders[0].engine;
  const uint32_t apart = sort_apart(run, poses, count);
  uint32_t moved = 0;
  for (uint32_t i = 0; i < apart; i++) {
    bench_pair_pose pose = poses[i];
    const mo_vec3 d = pose.displacement;
    const float length = sqrtf(d.x * d.x + d.y * d.y + d.z * d.z);
    bench_pair_answer answer;
    engine->run(run->contenders[0].world, BENCH_PAIR_IMPACT, &pose, 1, &answer);
    if (answer.found && length > 0) {
      const float t = (float)answer.number, by = t + 0.005f * radius / length;
      pose.translation.x += by * d.x;
      pose.translation.y += by * d.y;
      pose.translation.z += by * d.z;
      pose.rotation = product(rotation_about(pose.axis, t * pose.angle), pose.rotation);
      poses[moved++] = pose;
    }
  }
  return moved;
}

/* How many poses a query takes: some take a hundred times as long as others. */
static uint32_t share_of(bench_pair_query query, uint32_t poses) {
  static const uint32_t divisors[BENCH_PAIR_QUERIES] = {1, 1, 2, 50, 20, 20};
  uint32_t count = poses / divisors[query];
  return count > 0 ? count : 1;
}

static void run_query(bench_run *run, const bench_mesh *a, const bench_mesh *b,
                      bench_pair_query query) {
  const struct settings *s = run->settings;
  bench_pair_pose *poses = make_poses(a, b, s->poses, run->seed);
  uint32_t count = share_of(query, s->poses), usable = s->poses;
  if (query == BENCH_PAIR_IMPACT) {
    usable = sort_apart(run, poses, s->poses);
  } else if (query == BENCH_PAIR_CONTACTS) {
    usable = move_to_impacts(run, poses, s->poses, radius_of(b->bounds));
  }
  count = count < usable ? count : usable;
  if (count > 0) {
    bench_pair_run(run, bench_format("%s-%s/%s", a->name, b->name, bench_pair_query_names[query]),
                   &(bench_pair_case){a, b, poses, count, query, s->checked});
  }
  free(poses);
}

/* Poses of a motion, for the queries that are asked of each frame. */
static void run_frames(bench_run *run, const bench_mesh *a, const bench_mesh *b,
                       bench_pair_query query) {
  const struct settings *s = run->settings;
  bench_pair_pose *poses = make_frames(a, b, s->poses, run->seed);
  bench_pair_run(run,
                 bench_format("%s-%s-frames/%s", a->name, b->name, bench_pair_query_names[query]),
                 &(bench_pair_case){a, b, poses, share_of(query, s->poses), query, s->checked});
  free(poses);
}

static void run_pair(bench_run *run, const bench_mesh *a, const bench_mesh *b) {
  const struct settings *s = run->settings;
  bench_pair_create(run, a, b);
  for (bench_pair_query q = 0; q < BENCH_PAIR_QUERIES && !bench_interrupted(); q++) {
    if (bench_list_has(s->queries, bench_pair_query_names[q], true)) {
      run_query(run, a, b, q);
      if (q <= BENCH_PAIR_DISTANCE && !bench_interrupted()) {
        run_frames(run, a, b, q);
      }
    }
  }
  bench_pair_destroy(run);
}

/* Files in pairs; one that is left over with itself. */
static void run_all(bench_run *run) {
  const struct settings *s = run->settings;
  for (size_t i = 0; (i == 0 || i < s->files.count) && !bench_interrupted(); i += 2) {
    bench_mesh *a = bench_load_or_generate(s->files.path[i], s->segments);
    bench_mesh *b = i + 1 < s->files.count ? bench_mesh_load(s->files.path[i + 1]) : a;
    run_pair(run, a, b);
    if (b != a) {
      bench_mesh_free(b);
    }
    bench_mesh_free(a);
  }
}

static const bench_option options[] = {
    {"mesh", "FILE", "meshes: the first and the second are a pair, and so on", BENCH_FILES,
     .offset = offsetof(struct settings, files)},
    {"queries", "LIST", "of", BENCH_LIST, .offset = offsetof(struct settings, queries),
     .name_at = bench_pair_query_name},
    {"poses", "N", "poses of a pair; the more expensive queries take fewer", BENCH_COUNT,
     .offset = offsetof(struct settings, poses), .initial = "1000", .quick = "50", .min = 1,
     .max = 1e6},
    {"segments", "N", "of the knot that is generated if there is no file", BENCH_COUNT,
     .offset = offsetof(struct settings, segments), .initial = "128", .quick = "64", .min = 16,
     .max = 4096},
    {"checked", "N", "poses whose answers a loop over all pairs of triangles checks", BENCH_COUNT,
     .offset = offsetof(struct settings, checked), .initial = "2", .quick = "1", .min = 0,
     .max = 1e6},
    {0},
};

const bench_suite bench_suite_meshes = {
    .name = "meshes",
    .summary = "queries of two meshes",
    .purpose =
        "Finds whether two meshes touch, where, how far apart they are, how to separate "
        "them, their contacts, and when they come into touch, in random poses and from frame "
        "to frame.",
    .options = options,
    .settings_size = sizeof(struct settings),
    .engines = &bench_pair_motte[0].id,
    .engine_size = sizeof(bench_pair_engine),
    .chosen_engines = "motte",
    .needs_first = true,
    .peers = bench_pair_peers,
    .contender_size = sizeof(bench_pair_outcome),
    .headlines = "time",
    .compared = {&bench_pair_time},
    .run = run_all,
};
