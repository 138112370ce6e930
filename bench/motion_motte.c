/* A robot among obstacles, by Motte: obstacles are shapes of a scene, and each part of the robot a
 * query. Links that must not touch each other are tested by the geometry of their parts. */
#include <motte/motte.h>
#include <stdlib.h>

#include "common/check.h"
#include "motion.h"

typedef struct world {
  const bench_motion_links *links;
  mo_primitive *parts; /* with geometry; placed for each configuration */
  /* Of links and of parts, in the configuration at hand. */
  mo_aabb *boxes, *part_boxes;
  mo_scene *scene;
  /* Of batches: the queries of a block of configurations. */
  mo_overlap_def *defs;
  bool *found;
} world;

/* Geometry. */

static mo_geometry geometry_of(const bench_motion_body *body) {
  mo_geometry geometry = {.type = MO_SHAPE_BOX};
  switch (body->shape) {
  case BENCH_MOTION_SPHERE:
    geometry.type = MO_SHAPE_SPHERE;
    geometry.sphere.radius = body->radius; /* the transform has its place */
    break;
  case BENCH_MOTION_BOX:
    geometry.box.half_extents = body->half;
    break;
  case BENCH_MOTION_CYLINDER:
    geometry.type = MO_SHAPE_CYLINDER;
    geometry.cylinder =
        (mo_cylinder){{0, 0, -body->half_length}, {0, 0, body->half_length}, body->radius};
    break;
  case BENCH_MOTION_HULL: {
    mo_hull_def def = mo_default_hull_def();
    def.positions = body->mesh->triangles.positions;
    def.position_count = body->mesh->triangles.vertex_count;
    geometry.type = MO_SHAPE_HULL;
    check(mo_hull_create(&def, &geometry.hull), "create a hull");
    break;
  }
  case BENCH_MOTION_MESH: {
    mo_mesh_def def = bench_mesh_def(body->mesh);
    geometry.type = MO_SHAPE_MESH;
    check(mo_mesh_create(&def, &geometry.mesh), "create a mesh");
    break;
  }
  }
  return geometry;
}

/* Spheres are moved alone: they look the same in every rotation. */
static mo_transform place_of(const bench_motion_body *body, const mo_transform *pose) {
  mo_transform place = *pose;
  if (body->shape == BENCH_MOTION_SPHERE) {
    place = mo_transform_identity();
    place.origin = mo_transform_point(pose, body->center);
  }
  return place;
}

static uint32_t part_count(const world *self) {
  return self->links->first_part[self->links->count];
}

static void *create(const bench_motion_links *links) {
  world *self = allocate(1, sizeof *self);
  const mo_transform origin = mo_transform_identity();
  self->links = links;
  self->parts = allocate(part_count(self), sizeof *self->parts);
  self->boxes = allocate(links->count, sizeof *self->boxes);
  self->part_boxes = allocate(part_count(self), sizeof *self->part_boxes);
  self->defs = allocate((size_t)BENCH_MOTION_BLOCK * part_count(self), sizeof *self->defs);
  self->found = allocate((size_t)BENCH_MOTION_BLOCK * part_count(self), sizeof *self->found);
  for (uint32_t i = 0; i < part_count(self); i++) {
    mo_geometry geometry = geometry_of(&links->parts[i]);
    self->parts[i] = mo_primitive_of_geometry(&geometry, &origin);
  }
  return self;
}

static void destroy(void *opaque) {
  world *self = opaque;
  for (uint32_t i = 0; i < part_count(self); i++) {
    const mo_geometry *geometry = &self->parts[i].geometry;
    if (geometry->type == MO_SHAPE_HULL) {
      mo_hull_release(geometry->hull);
    } else if (geometry->type == MO_SHAPE_MESH) {
      mo_mesh_release(geometry->mesh);
    }
  }
  mo_scene_destroy(self->scene);
  free(self->parts);
  free(self->boxes);
  free(self->part_boxes);
  free(self->defs);
  free(self->found);
  free(self);
}

static void load(void *opaque, const bench_motion_body *obstacles, size_t count) {
  world *self = opaque;
  mo_scene_def def = mo_default_scene_def();
  mo_scene_destroy(self->scene);
  check(mo_scene_create(&def, &self->scene), "create a scene");
  for (size_t i = 0; i < count; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    mo_shape_id id;
    shape.geometry = geometry_of(&obstacles[i]);
    shape.transform = obstacles[i].pose;
    check(mo_scene_add_shape(self->scene, &shape, &id), "add an obstacle");
  }
  check(mo_scene_update(self->scene, NULL), "update a scene");
}

/* One query at a time. */

static void place_parts(const world *self, uint32_t link, const mo_transform *pose) {
  for (uint32_t i = self->links->first_part[link]; i < self->links->first_part[link + 1]; i++) {
    self->parts[i].transform = place_of(&self->links->parts[i], pose);
  }
}

static mo_overlap_def query_of(const mo_primitive *part) {
  return part->geometry.type == MO_SHAPE_SPHERE
             ? mo_overlap_sphere_def(
                   (mo_sphere){part->transform.origin, part->geometry.sphere.radius})
             : mo_overlap_primitive_def(*part);
}

static bool part_touches(const world *self, const mo_primitive *part) {
  mo_overlap_def def = query_of(part);
  bool found;
  check(mo_scene_test_overlap(self->scene, &def, &found, NULL), "test a part");
  return found;
}

static bool link_touches(const world *self, uint32_t link) {
  bool found = false;
  for (uint32_t i = self->links->first_part[link]; i < self->links->first_part[link + 1] && !found;
       i++) {
    found = part_touches(self, &self->parts[i]);
  }
  return found;
}

static void check_links(void *opaque, const mo_transform *poses, size_t count, bool *touches) {
  world *self = opaque;
  const uint32_t links = self->links->count;
  for (size_t i = 0; i < count * links; i++) {
    const uint32_t link = (uint32_t)(i % links);
    place_parts(self, link, &poses[i]);
    touches[i] = link_touches(self, link);
  }
}

/* Links that must not touch. */

static bool parts_touch(const mo_primitive *a, const mo_primitive *b) {
  bool found;
  if (a->geometry.type == MO_SHAPE_MESH && b->geometry.type == MO_SHAPE_MESH) {
    mo_overlap_mesh_def def = mo_default_overlap_mesh_def();
    def.transform = a->transform;
    def.other = b->geometry.mesh;
    def.other_transform = b->transform;
    check(mo_mesh_test_overlap_mesh(a->geometry.mesh, &def, &found, NULL), "test two meshes");
  } else {
    check(mo_primitive_overlap(a, b, &found), "test two parts");
  }
  return found;
}

static bool links_touch(const world *self, uint32_t a, uint32_t b) {
  const uint32_t *first = self->links->first_part;
  if (!bench_motion_boxes_touch(&self->boxes[a], &self->boxes[b])) {
    return false;
  }
  for (uint32_t i = first[a]; i < first[a + 1]; i++) {
    for (uint32_t k = first[b]; k < first[b + 1]; k++) {
      if (bench_motion_boxes_touch(&self->part_boxes[i], &self->part_boxes[k]) &&
          parts_touch(&self->parts[i], &self->parts[k])) {
        return true;
      }
    }
  }
  return false;
}

static bool touches_itself(const world *self) {
  for (uint32_t i = 0; i < self->links->pair_count; i++) {
    if (links_touch(self, self->links->pairs[i][0], self->links->pairs[i][1])) {
      return true;
    }
  }
  return false;
}

static void place_all(const world *self, const mo_transform *poses) {
  for (uint32_t link = 0; link < self->links->count; link++) {
    place_parts(self, link, &poses[link]);
    self->boxes[link] = bench_motion_world_box(&self->links->bounds[link], &poses[link]);
    for (uint32_t i = self->links->first_part[link]; i < self->links->first_part[link + 1]; i++) {
      const mo_aabb bounds = bench_motion_part_bounds(&self->links->parts[i]);
      self->part_boxes[i] = bench_motion_world_box(&bounds, &poses[link]);
    }
  }
}

static bool collides(const world *self, const mo_transform *poses) {
  bool found = false;
  place_all(self, poses);
  for (uint32_t link = 0; link < self->links->count && !found; link++) {
    found = link_touches(self, link);
  }
  return found || touches_itself(self);
}

static void check_all(void *opaque, const mo_transform *poses, size_t count, bool *answers) {
  const world *self = opaque;
  for (size_t i = 0; i < count; i++) {
    answers[i] = collides(self, &poses[i * self->links->count]);
  }
}

static bool check_edge(void *opaque, const mo_transform *poses, size_t count) {
  const world *self = opaque;
  bool found = false;
  for (size_t i = 0; i < count && !found; i++) {
    found = collides(self, &poses[i * self->links->count]);
  }
  return found;
}

/* All parts of a block of configurations in one batch. */

static void run_block(const world *self, const mo_transform *poses, size_t count) {
  const uint32_t parts = part_count(self);
  for (size_t i = 0; i < count * parts; i++) {
    const bench_motion_body *body = &self->links->parts[i % parts];
    mo_primitive *part = &self->parts[i % parts];
    part->transform = place_of(body, &poses[i / parts * self->links->count + body->link]);
    self->defs[i] = query_of(part);
  }
  mo_query_batch batch =
      mo_query_batch_of(MO_QUERY_TEST_OVERLAP, self->defs, count * parts, self->found);
  size_t first_bad;
  check(mo_scene_run_queries(self->scene, &batch, &first_bad, NULL), "test a batch of parts");
}

typedef void visit_block(const world *self, const mo_transform *poses, size_t count, bool *answers);

static void check_links_of_block(const world *self, const mo_transform *poses, size_t count,
                                 bool *touches) {
  const uint32_t parts = part_count(self), links = self->links->count;
  run_block(self, poses, count);
  for (size_t i = 0; i < count * links; i++) {
    touches[i] = false;
  }
  for (size_t i = 0; i < count * parts; i++) {
    bool *touch = &touches[i / parts * links + self->links->parts[i % parts].link];
    *touch = *touch || self->found[i];
  }
}

static void check_block(const world *self, const mo_transform *poses, size_t count, bool *answers) {
  const uint32_t parts = part_count(self), links = self->links->count;
  run_block(self, poses, count);
  for (size_t i = 0; i < count; i++) {
    answers[i] = false;
    for (uint32_t k = 0; k < parts; k++) {
      answers[i] = answers[i] || self->found[i * parts + k];
    }
    if (!answers[i]) {
      place_all(self, &poses[i * links]);
      answers[i] = touches_itself(self);
    }
  }
}

static void each_block(const world *self, const mo_transform *poses, size_t count, size_t answers,
                       bool *to, visit_block *visit) {
  for (size_t i = 0; i < count; i += BENCH_MOTION_BLOCK) {
    size_t size = count - i < BENCH_MOTION_BLOCK ? count - i : BENCH_MOTION_BLOCK;
    visit(self, &poses[i * self->links->count], size, &to[i * answers]);
  }
}

static void check_links_batched(void *opaque, const mo_transform *poses, size_t count,
                                bool *touches) {
  const world *self = opaque;
  each_block(self, poses, count, self->links->count, touches, check_links_of_block);
}

static void check_all_batched(void *opaque, const mo_transform *poses, size_t count,
                              bool *answers) {
  each_block(opaque, poses, count, 1, answers, check_block);
}

static bool check_edge_batched(void *opaque, const mo_transform *poses, size_t count) {
  const world *self = opaque;
  for (size_t i = 0; i < count; i += BENCH_MOTION_BLOCK) {
    size_t size = count - i < BENCH_MOTION_BLOCK ? count - i : BENCH_MOTION_BLOCK;
    bool answers[BENCH_MOTION_BLOCK];
    check_block(self, &poses[i * self->links->count], size, answers);
    for (size_t k = 0; k < size; k++) {
      if (answers[k]) {
        return true;
      }
    }
  }
  return false;
}

const bench_motion_engine bench_motion_motte[] = {
    {{"motte", NULL}, create, destroy, load, check_links, check_all, check_edge},
    {{"motte-batch", NULL},
     create,
     destroy,
     load,
     check_links_batched,
     check_all_batched,
     check_edge_batched},
    {.id = {NULL, NULL}},
};
