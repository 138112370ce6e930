/* Motte: a scene with one shape, or many; queries one by one or in batches. */
#include <math.h>
#include <motte/continuous.h>
#include <motte/query_batch.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "heights.h"

typedef struct world {
  mo_mesh *mesh;
  mo_scene *scene;
  mo_triangle_ref *triangles; /* as many as the mesh has */
  mo_shape_id *shapes;        /* as many as there are boxes */
  uint32_t count;             /* of these */
} world;

static mo_geometry geometry_of(const bench_question *question) {
  float half = question->width / 2;
  switch (question->form) {
  case BENCH_SPHERE:
    return (mo_geometry){.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, half}};
  case BENCH_CAPSULE:
    return (mo_geometry){.type = MO_SHAPE_CAPSULE,
                         .capsule = {{0, -half / 2, 0}, {0, half / 2, 0}, half / 2}};
  case BENCH_CYLINDER:
    return (mo_geometry){.type = MO_SHAPE_CYLINDER,
                         .cylinder = {{0, -half, 0}, {0, half, 0}, half / 2}};
  case BENCH_HULL:
    return (mo_geometry){.type = MO_SHAPE_HULL, .hull = question->hull};
  default:
    return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {half, half, half}}};
  }
}

mo_hull *bench_query_make_hull(mo_vec3 points[BENCH_HULL_POINTS]) {
  for (int i = 0; i < BENCH_HULL_POINTS; i++) {
    float height = 1 - 2 * ((float)i + 0.5f) / BENCH_HULL_POINTS, angle = 2.3999632f * (float)i;
    float radius = sqrtf(1 - height * height);
    points[i] = (mo_vec3){radius * cosf(angle) / 2, height / 2, radius * sinf(angle) / 2};
  }
  mo_hull_def def = mo_default_hull_def();
  def.positions = points;
  def.position_count = BENCH_HULL_POINTS;
  def.position_stride = sizeof *points;
  mo_hull *hull;
  check(mo_hull_create(&def, &hull), "make a hull");
  return hull;
}

mo_primitive bench_query_primitive(const bench_question *question, const bench_probe *probe) {
  if (question->form == BENCH_POINT) {
    return mo_primitive_of_point(probe->center);
  }
  float scale = question->form == BENCH_HULL ? question->width : 1;
  mo_geometry geometry = geometry_of(question);
  mo_transform transform =
      mo_transform_make(probe->center, probe->rotation, (mo_vec3){scale, scale, scale});
  return mo_primitive_of_geometry(&geometry, &transform);
}

mo_transform bench_target_transform(const bench_target *target) {
  float s = target->scale;
  return mo_transform_make(target->translation, target->rotation, (mo_vec3){s, s, s});
}

/* Each touch counts, as in a sweep, and hardly before it. */
static mo_impact_def impact_def(const bench_question *question) {
  mo_impact_def def = mo_default_impact_def();
  def.slop = 1e-4f * question->width;
  def.core = 1;
  return def;
}

uint32_t bench_target_size(const bench_target *target) {
  return target->boxes != NULL ? target->box_count : target->mesh->triangles.triangle_count;
}

static mo_geometry geometry_of_box(const bench_query_box *box) {
  return (mo_geometry){.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, box->half}};
}

static mo_primitive part_of(const bench_target *target, uint32_t index) {
  if (target->boxes != NULL) {
    const bench_query_box *box = &target->boxes[index];
    mo_geometry geometry = geometry_of_box(box);
    mo_transform transform = mo_transform_identity();
    transform.origin = box->center;
    return mo_primitive_of_geometry(&geometry, &transform);
  }
  mo_vec3 p[3];
  bench_mesh_corners(target->mesh, index, p);
  mo_primitive triangle = mo_primitive_of_triangle(p[0], p[1], p[2]);
  triangle.transform = bench_target_transform(target);
  return triangle;
}

bench_answer bench_query_brute_force(const bench_target *target, const bench_question *question,
                                     const bench_probe *probe) {
  mo_primitive shape = bench_query_primitive(question, probe);
  bool counts = bench_query_counts(question->query);
  bench_answer answer = counts ? 0 : INFINITY;
  for (uint32_t i = 0; i < bench_target_size(target); i++) {
    mo_primitive part = part_of(target, i);
    if (counts) {
      bool overlap;
      check(mo_primitive_overlap(&part, &shape, &overlap), "overlap two primitives");
      answer += overlap;
    } else if (question->query == BENCH_QUERY_IMPACT) {
      const mo_movement movement = {.displacement = probe->displacement};
      const mo_impact_def def = impact_def(question);
      mo_impact impact;
      check(mo_find_impact(&part, NULL, &shape, &movement, &def, &impact),
            "find the impact of two primitives");
      answer = impact.found && impact.t < answer ? impact.t : answer;
    } else if (question->query == BENCH_QUERY_CAST) {
      mo_primitive_contact contact;
      check(mo_primitive_cast(&part, &shape, probe->displacement, false, &contact),
            "cast a primitive");
      answer = contact.found && contact.t < answer ? contact.t : answer;
    } else {
      mo_primitive_distance distance;
      check(mo_primitive_find_distance(&part, &shape, answer, &distance),
            "find the distance of two primitives");
      answer = distance.found && distance.distance < answer ? distance.distance : answer;
    }
  }
  return question->query == BENCH_QUERY_ANY ? answer > 0 : answer;
}

static void add_boxes(world *self, const bench_target *target) {
  self->count = target->box_count;
  self->shapes = allocate(self->count, sizeof *self->shapes);
  mo_shape_def *defs = allocate(self->count, sizeof *defs);
  for (uint32_t i = 0; i < self->count; i++) {
    defs[i] = mo_default_shape_def(MO_SHAPE_BOX);
    defs[i].geometry = geometry_of_box(&target->boxes[i]);
    defs[i].transform.origin = target->boxes[i].center;
  }
  check(mo_scene_add_shapes(self->scene, defs, self->count, self->shapes, NULL), "add shapes");
  free(defs);
}

static void add_mesh(world *self, const bench_target *target, bool is_compact) {
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  if (target->ground != NULL) {
    self->mesh = bench_motte_ground(target->ground);
  } else {
    mo_mesh_def mesh_def = bench_mesh_def(target->mesh);
    mesh_def.build.compact = is_compact;
    check(mo_mesh_create(&mesh_def, &self->mesh), "build a mesh");
    shape.transform = bench_target_transform(target);
  }
  shape.geometry.mesh = self->mesh;
  mo_shape_id id;
  check(mo_scene_add_shape(self->scene, &shape, &id), "add a shape");
  self->count = mo_mesh_triangle_count(self->mesh);
  self->triangles = allocate(self->count, sizeof *self->triangles);
}

static void *create(const bench_query_engine *engine, const bench_target *target) {
  bool is_compact = *(const bool *)engine->variant;
  if (is_compact && target->boxes != NULL) {
    return NULL;
  }
  world *self = allocate(1, sizeof *self);
  mo_scene_def scene_def = mo_default_scene_def();
  check(mo_scene_create(&scene_def, &self->scene), "make a scene");
  if (target->boxes != NULL) {
    add_boxes(self, target);
  } else {
    add_mesh(self, target, is_compact);
  }
  check(mo_scene_update(self->scene, NULL), "update a scene");
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_scene_destroy(self->scene);
  mo_mesh_release(self->mesh);
  free(self->triangles);
  free(self->shapes);
  free(self);
}

static bool can(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  (void)question;
  return true;
}

static mo_overlap_def overlap_def(const bench_question *question, const bench_probe *probe) {
  mo_vec3 c = probe->center;
  float half = question->width / 2;
  if (question->form == BENCH_BOX) {
    return mo_overlap_aabb_def((mo_aabb){{c.x - half, c.y - half, c.z - half}, //
                                         {c.x + half, c.y + half, c.z + half}});
  }
  if (question->form == BENCH_SPHERE) {
    return mo_overlap_sphere_def((mo_sphere){c, half});
  }
  return mo_overlap_primitive_def(bench_query_primitive(question, probe));
}

static mo_sphere_cast_def sphere_cast_def(const bench_question *question,
                                          const bench_probe *probe) {
  mo_sphere_cast_def def = mo_default_sphere_cast_def();
  def.sphere = (mo_sphere){probe->center, question->width / 2};
  def.displacement = probe->displacement;
  return def;
}

static mo_shape_cast_def shape_cast_def(const bench_question *question, const bench_probe *probe) {
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = bench_query_primitive(question, probe);
  def.displacement = probe->displacement;
  return def;
}

static mo_closest_def closest_def(const bench_question *question, const bench_probe *probe) {
  (void)question;
  mo_closest_def def = mo_default_closest_def();
  def.point = probe->center;
  return def;
}

static mo_distance_def distance_def(const bench_question *question, const bench_probe *probe) {
  mo_distance_def def = mo_default_distance_def();
  def.primitive = bench_query_primitive(question, probe);
  return def;
}

static bench_answer of_cast(const mo_cast_hit *hit) {
  return hit->found ? hit->t : INFINITY;
}

static bench_answer of_closest(const mo_closest_hit *hit) {
  return hit->found ? hit->distance : INFINITY;
}

enum { BATCH = 128 };

/* Continuous collision of one to BATCH bodies that do not meet one another. */
static void find_impacts(const world *self, const bench_question *question,
                         const bench_probe *probes, uint32_t count, bench_answer *answers,
                         mo_query_stats *stats) {
  mo_shape_def defs[BATCH];
  mo_shape_id ids[BATCH];
  mo_mover movers[BATCH];
  mo_mover_memory memory[BATCH];
  mo_impact impacts[BATCH];
  uint32_t made = 0;
  do {
    mo_primitive shape = bench_query_primitive(question, &probes[made]);
    defs[made] = mo_default_shape_def(shape.geometry.type);
    defs[made].geometry = shape.geometry;
    defs[made].transform = shape.transform;
  } while (++made < count);
  check(mo_scene_add_shapes(self->scene, defs, count, ids, NULL), "add bodies");
  for (uint32_t i = 0; i < count; i++) {
    movers[i] = (mo_mover){.shape = ids[i],
                           .movement.displacement = probes[i].displacement,
                           .partners = MO_IMPACT_WITH_STILL};
  }
  mo_impact_search search = mo_default_impact_search();
  search.def = impact_def(question);
  search.movers = movers;
  search.memory = memory;
  search.count = count;
  check(mo_scene_find_impacts(self->scene, &search, impacts, NULL, stats), "find impacts");
  for (uint32_t i = 0; i < count; i++) {
    answers[i] = impacts[i].found ? impacts[i].t : INFINITY;
  }
  check(mo_scene_remove_shapes(self->scene, ids, count, NULL), "remove bodies");
}

static bench_answer run_one(const world *self, const bench_question *question,
                            const bench_probe *probe, mo_query_stats *stats) {
  const mo_scene *scene = self->scene;
  switch (question->query) {
  case BENCH_QUERY_ANY: {
    mo_overlap_def def = overlap_def(question, probe);
    bool found;
    check(mo_scene_test_overlap(scene, &def, &found, stats), "test an overlap");
    return found;
  }
  case BENCH_QUERY_TRIANGLES: {
    mo_overlap_def def = overlap_def(question, probe);
    uint32_t total;
    check(mo_scene_overlap_triangles(scene, &def, self->triangles, self->count, &total, stats),
          "list triangles");
    return total;
  }
  case BENCH_QUERY_SHAPES: {
    mo_overlap_def def = overlap_def(question, probe);
    uint32_t total;
    check(mo_scene_overlap_shapes(scene, &def, self->shapes, self->count, &total, stats),
          "list shapes");
    return total;
  }
  case BENCH_QUERY_CAST: {
    mo_cast_hit hit;
    if (question->form == BENCH_SPHERE) {
      mo_sphere_cast_def def = sphere_cast_def(question, probe);
      check(mo_scene_cast_sphere(scene, &def, &hit, stats), "cast a sphere");
    } else {
      mo_shape_cast_def def = shape_cast_def(question, probe);
      check(mo_scene_cast_shape(scene, &def, &hit, stats), "cast a shape");
    }
    return of_cast(&hit);
  }
  case BENCH_QUERY_IMPACT: {
    bench_answer answer;
    find_impacts(self, question, probe, 1, &answer, stats);
    return answer;
  }
  case BENCH_QUERY_CLOSEST: {
    mo_closest_def def = closest_def(question, probe);
    mo_closest_hit hit;
    check(mo_scene_closest_point(scene, &def, &hit, stats), "find a closest point");
    return of_closest(&hit);
  }
  default: {
    mo_distance_def def = distance_def(question, probe);
    mo_closest_hit hit;
    check(mo_scene_find_closest(scene, &def, &hit, stats), "find closest points");
    return of_closest(&hit);
  }
  }
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  for (size_t i = 0; i < count; i++) {
    answers[i] = run_one(opaque, question, &probes[i], NULL);
  }
}

static void count_work(void *opaque, const bench_question *question, const bench_probe *probes,
                       size_t count, mo_query_stats *stats) {
  memset(stats, 0, sizeof *stats);
  for (size_t i = 0; i < count; i++) {
    run_one(opaque, question, &probes[i], stats);
  }
}

/* Batches of defs, which are filled in within the time. */

/* Lists would need their lengths before. */
static bool can_batch(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  return question->query != BENCH_QUERY_TRIANGLES && question->query != BENCH_QUERY_SHAPES;
}

static void run_queries(const world *self, mo_query_type type, const void *defs, size_t count,
                        void *answers) {
  mo_query_batch batch = mo_query_batch_of(type, defs, count, answers);
  check(mo_scene_run_queries(self->scene, &batch, NULL, NULL), "run a batch of queries");
}

/* Of at least one. */
#define RUN_BATCH(type, def_type, make_def, hit_type, answer_of)                                   \
  do {                                                                                             \
    def_type defs[BATCH];                                                                          \
    hit_type hits[BATCH];                                                                          \
    size_t made = 0;                                                                               \
    do {                                                                                           \
      defs[made] = make_def(question, &probes[made]);                                              \
    } while (++made < count);                                                                      \
    run_queries(self, type, defs, count, hits);                                                    \
    for (size_t i = 0; i < count; i++) {                                                           \
      answers[i] = answer_of(&hits[i]);                                                            \
    }                                                                                              \
  } while (0)

static bench_answer of_test(const bool *found) {
  return *found;
}

static void run_few(const world *self, const bench_question *question, const bench_probe *probes,
                    size_t count, bench_answer *answers) {
  if (question->query == BENCH_QUERY_ANY) {
    RUN_BATCH(MO_QUERY_TEST_OVERLAP, mo_overlap_def, overlap_def, bool, of_test);
  } else if (question->query == BENCH_QUERY_CAST && question->form == BENCH_SPHERE) {
    RUN_BATCH(MO_QUERY_CAST_SPHERE, mo_sphere_cast_def, sphere_cast_def, mo_cast_hit, of_cast);
  } else if (question->query == BENCH_QUERY_IMPACT) {
    find_impacts(self, question, probes, (uint32_t)count, answers, NULL);
  } else if (question->query == BENCH_QUERY_CAST) {
    RUN_BATCH(MO_QUERY_CAST_SHAPE, mo_shape_cast_def, shape_cast_def, mo_cast_hit, of_cast);
  } else if (question->query == BENCH_QUERY_CLOSEST) {
    RUN_BATCH(MO_QUERY_CLOSEST_POINT, mo_closest_def, closest_def, mo_closest_hit, of_closest);
  } else {
    RUN_BATCH(MO_QUERY_FIND_CLOSEST, mo_distance_def, distance_def, mo_closest_hit, of_closest);
  }
}

static void run_batches(void *opaque, const bench_question *question, const bench_probe *probes,
                        size_t count, bench_answer *answers) {
  for (size_t first = 0; first < count; first += BATCH) {
    size_t few = count - first < BATCH ? count - first : BATCH;
    run_few(opaque, question, &probes[first], few, &answers[first]);
  }
}

#define ENGINE(label, is_compact)                                                                  \
  .id = {label, NULL}, .variant = &(const bool){is_compact}, .create = create, .destroy = destroy

const bench_query_engine bench_motte_query_engines[] = {
    {ENGINE("motte", false), .can = can, .run = run, .count_work = count_work},
    {ENGINE("motte-batch", false), .can = can_batch, .run = run_batches},
    {ENGINE("motte-compact", true), .can = can, .run = run, .count_work = count_work},
    {.id = {NULL, NULL}},
};
