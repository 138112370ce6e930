/* Motte: a scene with one shape, asked about one probe after the other. */
#include <math.h>
#include <motte/cast.h>
#include <motte/distance.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "queries.h"

typedef struct world {
  mo_mesh *mesh;
  mo_scene *scene;
  mo_triangle_ref *triangles; /* as many as the mesh has */
  uint32_t triangle_count;
} world;

static mo_primitive rounded_segment(mo_shape_type type, const bench_question *question,
                                    const mo_transform *transform) {
  float radius = question->width / 4;
  float half = question->width / 2 - (type == MO_SHAPE_CAPSULE ? radius : 0);
  mo_geometry geometry = {.type = type};
  mo_vec3 a = {0, -half, 0}, b = {0, half, 0};
  if (type == MO_SHAPE_CAPSULE) {
    geometry.capsule = (mo_capsule){a, b, radius};
  } else {
    geometry.cylinder = (mo_cylinder){a, b, radius};
  }
  return mo_primitive_of_geometry(&geometry, transform);
}

mo_primitive bench_query_primitive(const bench_question *question, const bench_probe *probe) {
  mo_transform transform = mo_transform_make(probe->center, probe->rotation, (mo_vec3){1, 1, 1});
  float half = question->width / 2;
  switch (question->form) {
  case BENCH_CAPSULE:
    return rounded_segment(MO_SHAPE_CAPSULE, question, &transform);
  case BENCH_CYLINDER:
    return rounded_segment(MO_SHAPE_CYLINDER, question, &transform);
  case BENCH_SPHERE: {
    mo_geometry geometry = {.type = MO_SHAPE_SPHERE, .sphere = {{0, 0, 0}, half}};
    return mo_primitive_of_geometry(&geometry, &transform);
  }
  case BENCH_POINT:
    return mo_primitive_of_point(probe->center);
  default: {
    mo_geometry geometry = {.type = MO_SHAPE_BOX, .box = {{0, 0, 0}, {half, half, half}}};
    return mo_primitive_of_geometry(&geometry, &transform);
  }
  }
}

mo_transform bench_target_transform(const bench_target *target) {
  float s = target->scale;
  return mo_transform_make(target->translation, target->rotation, (mo_vec3){s, s, s});
}

bench_answer bench_query_brute_force(const bench_target *target, const bench_question *question,
                                     const bench_probe *probe) {
  mo_transform transform = bench_target_transform(target);
  mo_primitive shape = bench_query_primitive(question, probe);
  bool counts = question->query <= BENCH_QUERY_TRIANGLES;
  bench_answer answer = counts ? 0 : INFINITY;
  for (uint32_t i = 0; i < target->mesh->triangles.triangle_count; i++) {
    mo_vec3 p[3];
    bench_mesh_corners(target->mesh, i, p);
    mo_primitive triangle = mo_primitive_of_triangle(p[0], p[1], p[2]);
    triangle.transform = transform;
    if (counts) {
      bool overlap;
      check(mo_primitive_overlap(&triangle, &shape, &overlap), "overlap two primitives");
      answer += overlap;
    } else if (question->query == BENCH_QUERY_CAST) {
      mo_primitive_contact contact;
      check(mo_primitive_cast(&triangle, &shape, probe->displacement, &contact),
            "cast a primitive");
      answer = contact.found && contact.t < answer ? contact.t : answer;
    } else {
      mo_primitive_distance distance;
      check(mo_primitive_find_distance(&triangle, &shape, answer, &distance),
            "find the distance of two primitives");
      answer = distance.found && distance.distance < answer ? distance.distance : answer;
    }
  }
  return question->query == BENCH_QUERY_ANY ? answer > 0 : answer;
}

static void *create(const bench_query_engine *engine, const bench_target *target) {
  world *self = allocate(1, sizeof *self);
  mo_mesh_def mesh_def = bench_mesh_def(target->mesh);
  mesh_def.build.compact = *(const bool *)engine->variant;
  check(mo_mesh_create(&mesh_def, &self->mesh), "build a mesh");
  mo_scene_def scene_def = mo_default_scene_def();
  check(mo_scene_create(&scene_def, &self->scene), "make a scene");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = self->mesh;
  shape.transform = bench_target_transform(target);
  mo_shape_id id;
  check(mo_scene_add_shape(self->scene, &shape, &id), "add a shape");
  check(mo_scene_update(self->scene, NULL), "update a scene");
  self->triangle_count = target->mesh->triangles.triangle_count;
  self->triangles = allocate(self->triangle_count, sizeof *self->triangles);
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  mo_scene_destroy(self->scene);
  mo_mesh_release(self->mesh);
  free(self->triangles);
  free(self);
}

static bool can(const bench_query_engine *engine, const bench_question *question) {
  (void)engine;
  (void)question;
  return true;
}

static mo_overlap_def region_of(const bench_question *question, const bench_probe *probe) {
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

static bench_answer overlap(const world *self, const bench_question *question,
                            const bench_probe *probe, mo_query_stats *stats) {
  mo_overlap_def def = region_of(question, probe);
  if (question->query == BENCH_QUERY_ANY) {
    bool found;
    check(mo_scene_test_overlap(self->scene, &def, &found, stats), "test an overlap");
    return found;
  }
  uint32_t total;
  check(mo_scene_overlap_triangles(self->scene, &def, self->triangles, self->triangle_count, &total,
                                   stats),
        "list triangles");
  return total;
}

static bench_answer cast(const world *self, const bench_question *question,
                         const bench_probe *probe, mo_query_stats *stats) {
  mo_cast_hit hit;
  if (question->form == BENCH_SPHERE) {
    mo_sphere_cast_def def = mo_default_sphere_cast_def();
    def.sphere = (mo_sphere){probe->center, question->width / 2};
    def.displacement = probe->displacement;
    check(mo_scene_cast_sphere(self->scene, &def, &hit, stats), "cast a sphere");
  } else {
    mo_shape_cast_def def = mo_default_shape_cast_def();
    def.primitive = bench_query_primitive(question, probe);
    def.displacement = probe->displacement;
    check(mo_scene_cast_shape(self->scene, &def, &hit, stats), "cast a shape");
  }
  return hit.found ? hit.t : INFINITY;
}

static bench_answer closest(const world *self, const bench_question *question,
                            const bench_probe *probe, mo_query_stats *stats) {
  mo_closest_hit hit;
  if (question->query == BENCH_QUERY_CLOSEST) {
    mo_closest_def def = mo_default_closest_def();
    def.point = probe->center;
    def.max_distance = INFINITY;
    check(mo_scene_closest_point(self->scene, &def, &hit, stats), "find a closest point");
  } else {
    mo_distance_def def = mo_default_distance_def();
    def.primitive = bench_query_primitive(question, probe);
    check(mo_scene_find_closest(self->scene, &def, &hit, stats), "find closest points");
  }
  return hit.found ? hit.distance : INFINITY;
}

static void run_all(const world *self, const bench_question *question, const bench_probe *probes,
                    size_t count, bench_answer *answers, mo_query_stats *stats) {
  static bench_answer (*const queries[BENCH_QUERIES])(const world *, const bench_question *,
                                                      const bench_probe *, mo_query_stats *) = {
      [BENCH_QUERY_ANY] = overlap,     [BENCH_QUERY_TRIANGLES] = overlap, [BENCH_QUERY_CAST] = cast,
      [BENCH_QUERY_CLOSEST] = closest, [BENCH_QUERY_DISTANCE] = closest,
  };
  for (size_t i = 0; i < count; i++) {
    bench_answer answer = queries[question->query](self, question, &probes[i], stats);
    if (answers != NULL) {
      answers[i] = answer;
    }
  }
}

static void run(void *opaque, const bench_question *question, const bench_probe *probes,
                size_t count, bench_answer *answers) {
  run_all(opaque, question, probes, count, answers, NULL);
}

static void count_work(void *opaque, const bench_question *question, const bench_probe *probes,
                       size_t count, mo_query_stats *stats) {
  memset(stats, 0, sizeof *stats);
  run_all(opaque, question, probes, count, NULL, stats);
}

#define ENGINE(label, is_compact)                                                                  \
  {                                                                                                \
    .name = label, .variant = &(const bool){is_compact}, .create = create, .destroy = destroy,     \
    .can = can, .run = run, .count_work = count_work,                                              \
  }

const bench_query_engine bench_motte_query_engines[] = {
    ENGINE("motte", false),
    ENGINE("motte-compact", true),
};

const size_t bench_motte_query_engine_count =
    sizeof bench_motte_query_engines / sizeof *bench_motte_query_engines;
