#include "heights_make.h"

#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/random.h"
#include "common/vector.h"

#define DEGREE 0.017453293f
#define TOP (BENCH_HEIGHT_LEVELS * BENCH_HEIGHT_UNIT)

static float length_of(const bench_terrain *terrain) {
  return (float)(terrain->side - 1);
}

/* --- rays --- */

/* By an angle above the horizon. */
static mo_vec3 direction_at(struct random_stream *random, float elevation) {
  float around = random_between(random, 0, 6.2831853f);
  return vec3(cosf(elevation) * cosf(around), sinf(elevation), cosf(elevation) * sinf(around));
}

/* The height of the nearest sample: of cells around it the terrain may be higher. */
static float ground_at(const bench_terrain *terrain, float x, float z) {
  float max = length_of(terrain);
  return bench_terrain_height(terrain, (uint32_t)(fminf(fmaxf(x, 0), max) + 0.5f),
                              (uint32_t)(fminf(fmaxf(z, 0), max) + 0.5f));
}

static mo_vec3 random_point_above(const bench_terrain *terrain, struct random_stream *random,
                                  float min, float max) {
  float x = random_between(random, 0, length_of(terrain)),
        z = random_between(random, 0, length_of(terrain));
  return vec3(x, ground_at(terrain, x, z) + random_between(random, min, max), z);
}

static bench_ray slanting_ray(const bench_terrain *terrain, struct random_stream *random) {
  bool is_level = random_chance(random, 0.1f);
  float elevation = is_level ? random_between(random, -1, 1) : random_between(random, -20, -1);
  mo_vec3 origin = is_level ? random_point_above(terrain, random, 1, 5)
                            : random_point_above(terrain, random, 3, 60);
  return (bench_ray){origin, direction_at(random, elevation * DEGREE), length_of(terrain)};
}

bench_ray *bench_height_rays(const bench_terrain *terrain, bool is_slanting, size_t count,
                             uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  bench_ray *rays = allocate(count, sizeof *rays);
  for (size_t i = 0; i < count; i++) {
    if (is_slanting) {
      rays[i] = slanting_ray(terrain, &random);
    } else {
      mo_vec3 origin = random_point_above(terrain, &random, 5, 100);
      float elevation = random_between(&random, -90, -70) * DEGREE;
      rays[i] = (bench_ray){origin, direction_at(&random, elevation), 2 * TOP};
    }
  }
  return rays;
}

bench_ray *bench_height_rays_into(const bench_height_edit *edits, uint32_t edit_count, size_t count,
                                  uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  bench_ray *rays = allocate(count, sizeof *rays);
  for (size_t i = 0; i < count; i++) {
    const bench_height_edit *edit = &edits[i % edit_count];
    float x = (float)edit->column + random_between(&random, 0, (float)edit->columns),
          z = (float)edit->row + random_between(&random, 0, (float)edit->rows);
    rays[i] =
        (bench_ray){vec3(x, TOP + 1, z),
                    direction_at(&random, random_between(&random, -90, -80) * DEGREE), 2 * TOP};
  }
  return rays;
}

/* --- casts --- */

static mo_quat random_rotation(struct random_stream *random) {
  mo_vec3 axis = random_direction(random);
  return quat_around(axis, random_between(random, 0, 6.2831853f));
}

/* Sets a shape on the ground, from above. */
static void drop(const bench_dropper *dropper, const bench_question *question, bench_probe *probe) {
  const float height = TOP + 2 * question->width, way = 2 * height;
  const bench_question cast = {BENCH_QUERY_CAST, question->form, question->width,
                               question->hull_points, question->hull};
  bench_answer t;
  probe->center.y = height;
  probe->displacement = vec3(0, -way, 0);
  dropper->engine->run(dropper->world, &cast, probe, 1, &t);
  if (t > 1) {
    fail("a shape at (%g, %g) does not fall on the terrain", (double)probe->center.x,
         (double)probe->center.z);
  }
  probe->center.y = height - (float)t * way;
}

void bench_height_casts(const bench_dropper *dropper, const bench_question *question, bool is_sweep,
                        bench_probe *probes, size_t count, uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  const float side = length_of(dropper->terrain), long_way = fminf(200, side / 3);
  for (size_t i = 0; i < count; i++) {
    bench_probe *probe = &probes[i];
    probe->center = vec3(random_between(&random, 0, side), 0, random_between(&random, 0, side));
    probe->rotation = random_rotation(&random);
    drop(dropper, question, probe);
    if (is_sweep) {
      probe->center.y += random_between(&random, 5, 40);
      float elevation = random_between(&random, -20, -3) * DEGREE;
      probe->displacement = vec3_scale(long_way, direction_at(&random, elevation));
    } else {
      probe->center.y += random_between(&random, 0.2f, 2);
      float elevation = random_between(&random, -90, -60) * DEGREE;
      probe->displacement = vec3_scale(3, direction_at(&random, elevation));
    }
  }
}

/* --- bodies --- */

/* Pieces are along z, shapes of queries along y: this turns z to y. */
static const mo_quat z_to_y = {-0.70710678f, 0, 0, 0.70710678f};

static bench_piece piece_of(const bench_question *question) {
  const float half = question->width / 2;
  bench_piece piece = {.mass = 1};
  switch (question->form) {
  case BENCH_SPHERE:
    piece.kind = BENCH_PIECE_BALL;
    piece.half = vec3(half, half, half);
    break;
  case BENCH_CAPSULE:
    piece.kind = BENCH_PIECE_CAPSULE;
    piece.half = vec3(half / 2, half / 2, half / 2);
    break;
  case BENCH_CYLINDER:
    piece.kind = BENCH_PIECE_CYLINDER;
    piece.half = vec3(half / 2, half / 2, half);
    break;
  case BENCH_HULL:
    piece.kind = BENCH_PIECE_HULL;
    piece.half = vec3(half, half, half);
    break;
  default:
    piece.kind = BENCH_PIECE_BOX;
    piece.half = vec3(half, half, half);
  }
  return piece;
}

static bool is_along_an_axis(const bench_question *question) {
  return question->form == BENCH_CAPSULE || question->form == BENCH_CYLINDER;
}

static void add_hull(bench_step_scene *scene, const bench_question *question) {
  bench_step_hull *hull = scene->hulls = allocate(1, sizeof *hull);
  scene->hull_count = 1;
  hull->count = BENCH_HULL_POINTS;
  hull->points = allocate(BENCH_HULL_POINTS, sizeof *hull->points);
  for (int i = 0; i < BENCH_HULL_POINTS; i++) {
    hull->points[i] = vec3_scale(question->width, question->hull_points[i]);
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = hull->points;
  def.position_count = BENCH_HULL_POINTS;
  def.position_stride = sizeof *hull->points;
  check(mo_hull_create(&def, &hull->hull), "make a hull");
}

/* A body's way: from frame to frame it goes on, turns, and is set on the ground anew. */
static void record(const bench_dropper *dropper, const bench_question *question, mo_vec3 start,
                   struct random_stream *random, bench_pose *poses, uint32_t frames,
                   uint32_t stride) {
  const float penetration = random_chance(random, 2.0f / 3) ? random_between(random, 0, 0.02f)
                                                            : -random_between(random, 0, 0.05f);
  const mo_vec3 way = vec3_scale(0.05f, direction_at(random, 0));
  const mo_quat turn = quat_around(random_direction(random), 2 * DEGREE);
  bench_probe probe = {.center = start, .rotation = random_rotation(random)};
  for (uint32_t f = 0; f < frames; f++) {
    drop(dropper, question, &probe);
    bench_pose *pose = &poses[(size_t)f * stride];
    pose->position = vec3_sub(probe.center, vec3(0, penetration * question->width, 0));
    pose->rotation = is_along_an_axis(question) ? quat_mul(probe.rotation, z_to_y) : probe.rotation;
    probe.center = vec3_add(probe.center, way);
    probe.rotation = quat_mul(turn, probe.rotation);
  }
}

bench_step_scene *bench_height_scene(const bench_dropper *dropper, const bench_question *question,
                                     uint32_t bodies, uint32_t frames, uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  const float side = length_of(dropper->terrain),
              apart = 3 * question->width + 0.1f * (float)frames;
  uint32_t rows = (uint32_t)ceilf(sqrtf((float)bodies));
  rows =
      fminf((float)rows, floorf(side / apart)) < 1 ? 1 : (uint32_t)fminf((float)rows, side / apart);
  const float cell = side / (float)rows, free_way = (cell - apart) / 2;
  bodies = bodies < rows * rows ? bodies : rows * rows;
  bench_step_scene *scene = allocate(1, sizeof *scene);
  *scene = (bench_step_scene){.count = bodies + 1, .static_count = 1, .frames = frames};
  scene->pieces = allocate(scene->count, sizeof *scene->pieces);
  scene->start = allocate(scene->count, sizeof *scene->start);
  scene->recorded = allocate((size_t)bodies * frames, sizeof *scene->recorded);
  scene->pieces[0].kind = BENCH_PIECE_HEIGHTS;
  scene->start[0].rotation = (mo_quat){0, 0, 0, 1};
  if (question->form == BENCH_HULL) {
    add_hull(scene, question);
  }
  for (uint32_t i = 0; i < bodies; i++) {
    mo_vec3 middle = vec3(((float)(i % rows) + 0.5f) * cell, 0, ((float)(i / rows) + 0.5f) * cell);
    mo_vec3 start = vec3_add(middle, vec3(random_between(&random, -free_way, free_way), 0,
                                          random_between(&random, -free_way, free_way)));
    record(dropper, question, start, &random, &scene->recorded[i], frames, bodies);
    scene->pieces[i + 1] = piece_of(question);
    scene->start[i + 1] = scene->recorded[i];
  }
  return scene;
}

void bench_height_scene_free(bench_step_scene *scene) {
  for (size_t i = 0; i < scene->hull_count; i++) {
    mo_hull_release(scene->hulls[i].hull);
    free(scene->hulls[i].points);
  }
  free(scene->hulls);
  free(scene->pieces);
  free(scene->start);
  free(scene->recorded);
  free(scene);
}

/* --- changes --- */

/* Smooth, up to 2 m high or deep in its middle, 0 at its border. */
static float hill(const bench_height_edit *edit, uint32_t column, uint32_t row, float height) {
  float x = (float)column / (float)(edit->columns - 1), z = (float)row / (float)(edit->rows - 1);
  return height * sinf(3.1415927f * x) * sinf(3.1415927f * z);
}

static void add_hill(const bench_terrain *terrain, bench_height_edit *edit, float height) {
  for (uint32_t r = 0; r < edit->rows; r++) {
    for (uint32_t c = 0; c < edit->columns; c++) {
      float old = bench_terrain_height(terrain, edit->column + c, edit->row + r);
      edit->heights[r * edit->columns + c] = bench_terrain_round(old + hill(edit, c, r, height));
    }
  }
}

bench_height_edit *bench_height_edits(const bench_terrain *terrain, uint32_t size, uint32_t *count,
                                      uint64_t seed) {
  struct random_stream random = random_from_seed(seed);
  const uint32_t rows = terrain->side / (size + 2); /* of places */
  *count = *count < rows * rows ? *count : rows * rows;
  bench_height_edit *edits = allocate(*count, sizeof *edits);
  uint32_t *places = allocate((size_t)rows * rows, sizeof *places);
  for (uint32_t i = 0; i < rows * rows; i++) {
    uint32_t k = random_below(&random, i + 1); /* a random order */
    places[i] = places[k];
    places[k] = i;
  }
  for (uint32_t i = 0; i < *count; i++) {
    edits[i] = (bench_height_edit){.column = places[i] % rows * (size + 2) & ~1u,
                                   .row = places[i] / rows * (size + 2) & ~1u,
                                   .columns = size,
                                   .rows = size,
                                   .heights = allocate((size_t)size * size, sizeof(float))};
    add_hill(terrain, &edits[i], random_between(&random, -2, 2));
  }
  free(places);
  return edits;
}

bench_height_edit *bench_height_edits_back(const bench_terrain *terrain,
                                           const bench_height_edit *edits, uint32_t count) {
  bench_height_edit *back = allocate(count, sizeof *back);
  for (uint32_t i = 0; i < count; i++) {
    back[i] = edits[i];
    back[i].heights = allocate((size_t)edits[i].columns * edits[i].rows, sizeof(float));
    add_hill(terrain, &back[i], 0);
  }
  return back;
}

void bench_height_edits_free(bench_height_edit *edits, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    free(edits[i].heights);
  }
  free(edits);
}
