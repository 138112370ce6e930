/* The visitor of two octrees on scenes and meshes, against all pairs by definition: each active
 * pair that touches is given exactly once, and no other. */
#include "octree/visit_pairs.h"

#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdlib.h>

#include "mesh/format/read.h"
#include "scene/octree/octree.h"
#include "support/rng.h"

/* Of two trees with so many shapes or triangles each. */
typedef struct question {
  const mo_scene *scene[2];
  const mo_mesh *mesh[2];
  bool itself, masked;
  uint8_t *times; /* by pair: how often it was given */
  uint32_t items, visits, left;
} question;

static uint32_t touching(uint32_t side, const mo_bounds8 *boxes, const mo_pair_child *part,
                         const void *query) {
  (void)side;
  (void)query;
  uint32_t mask = 0;
  for (int i = 0; i < MO_LANE_COUNT; i++) {
    mask |= (uint32_t)mo_aabb_overlap(mo_bounds8_get(boxes, i),
                                      mo_bounds8_get(part->bounds, (int)part->lane))
            << i;
  }
  return mask;
}

static void count(void *query) {
  ((question *)query)->visits++;
}

static void note(question *q, uint32_t a, uint32_t b) {
  uint32_t low = q->itself && b < a ? b : a, high = low == a ? b : a;
  q->times[low * q->items + high]++;
}

/* --- scenes --- */

static mo_pair_node scene_node(uint32_t side, uint32_t index, mo_pair_node_buffer *memory,
                               const void *query) {
  (void)memory;
  const mo_scene_node *node = mo_scene_node_at(((const question *)query)->scene[side], index);
  return (mo_pair_node){&node->bounds, node->child, MO_CHILD_LEAF | node->items};
}

static mo_aabb scene_items_box(uint32_t side, uint32_t items, const void *query) {
  return mo_block_list_bounds(((const question *)query)->scene[side], mo_child_index(items));
}

static uint32_t scene_active(uint32_t side, uint32_t index, const void *query) {
  const question *q = query;
  return q->masked ? q->scene[side]->motion_marks[index].dynamic : 0xff;
}

static bool scene_leaf_active(uint32_t side, uint32_t leaf, const void *query) {
  const question *q = query;
  return !q->masked || mo_block_list_motion_marks(q->scene[side], mo_child_index(leaf)).dynamic;
}

/* Slots of a list; returns how many. */
static uint32_t slots_of(const mo_scene *scene, uint32_t leaf, uint32_t *slots) {
  uint32_t found = 0;
  for (uint32_t b = mo_child_index(leaf); b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, b);
    for (uint32_t lane = 0; lane < block->count; lane++) {
      slots[found++] = block->shape[lane];
    }
  }
  return found;
}

enum { SHAPES = 400 };

static bool scene_leaves(const mo_pair_child *a, const mo_pair_child *b, void *query) {
  question *q = query;
  uint32_t first[SHAPES], second[SHAPES];
  uint32_t count_a = slots_of(q->scene[0], a->child, first);
  uint32_t count_b = slots_of(q->scene[1], b->child, second);
  for (uint32_t i = 0; i < count_a * count_b; i++) {
    note(q, first[i % count_a], second[i / count_a]);
  }
  return --q->left > 0;
}

static bool scene_leaf(uint32_t leaf, void *query) {
  question *q = query;
  uint32_t slots[SHAPES], found = slots_of(q->scene[0], leaf, slots);
  for (uint32_t i = 0; i < found; i++) {
    for (uint32_t j = 0; j < i; j++) {
      note(q, slots[i], slots[j]);
    }
  }
  return --q->left > 0;
}

static const mo_pair_visitor scene_visitor = {
    scene_node, scene_items_box, scene_active, scene_leaf_active,
    touching,   scene_leaves,    scene_leaf,   count};

static bool visit_scenes(question *q) {
  const uint32_t root[2] = {q->scene[0]->root, q->scene[1]->root};
  const mo_aabb box[2] = {q->scene[0]->root_bounds, q->scene[1]->root_bounds};
  return mo_visit_pairs(&scene_visitor, root, box, q->itself, q);
}

static mo_vec3 random_point(rng *r, float size) {
  float x = rng_float(r, 0, size), y = rng_float(r, 0, size);
  return (mo_vec3){x, y, rng_float(r, 0, size)};
}

/* Boxes of all sizes, the larger ones rare; some are static. */
static mo_scene *random_scene(rng *r, uint32_t shapes) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = (mo_tree_policy)rng_below(r, 3);
  def.tree.capacity = 1 + rng_below(r, 20);
  mo_scene *scene;
  cr_assert_eq(mo_scene_create(&def, &scene), MO_OK);
  float size = rng_float(r, 1, 40), still = rng_float(r, 0, 1);
  for (uint32_t i = 0; i < shapes; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    float half = 0.05f / (0.002f + rng_float(r, 0, 1));
    shape.geometry.box.half_extents = (mo_vec3){half, half, half};
    shape.transform.origin = random_point(r, size);
    shape.motion = rng_chance(r, still) ? MO_MOTION_STATIC : MO_MOTION_DYNAMIC;
    mo_shape_id id;
    cr_assert_eq(mo_scene_add_shape(scene, &shape, &id), MO_OK);
  }
  cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
  return scene;
}

static void check_scenes(question *q) {
  for (uint32_t a = 0; a < q->scene[0]->slot_count; a++) {
    for (uint32_t b = q->itself ? a + 1 : 0; b < q->scene[1]->slot_count; b++) {
      uint32_t times = q->times[a * q->items + b];
      bool both_static =
          q->scene[0]->traits[a] & q->scene[1]->traits[b] & (uint32_t)MO_TRAIT_IMMOVABLE;
      cr_assert_leq(times, 1, "shapes %u and %u: %u times", a, b, times);
      cr_assert(times == 1 || (q->masked && both_static) ||
                    !mo_aabb_overlap(mo_slot_box(q->scene[0], a), mo_slot_box(q->scene[1], b)),
                "shapes %u and %u touch", a, b);
    }
  }
}

Test(visit_pairs, two_scenes_and_one_against_itself) {
  rng r = rng_make(rng_seed("two_scenes_and_one_against_itself", 71));
  for (uint64_t i = 0, rounds = rng_rounds(40, 2000); i < rounds; i++) {
    question q = {.items = SHAPES, .itself = rng_chance(&r, 0.5), .left = UINT32_MAX};
    q.masked = rng_chance(&r, 0.5);
    mo_scene *a = random_scene(&r, rng_below(&r, SHAPES));
    mo_scene *b = q.itself ? a : random_scene(&r, rng_below(&r, SHAPES));
    q.scene[0] = a;
    q.scene[1] = b;
    q.times = calloc((size_t)SHAPES * SHAPES, 1);
    cr_assert_not_null(q.times);
    cr_assert(visit_scenes(&q));
    check_scenes(&q);
    uint32_t calls = UINT32_MAX - q.left;
    if (calls > 0) { /* ends early, at any of the calls */
      uint32_t max = 1 + rng_below(&r, calls);
      q.left = max;
      cr_assert_not(visit_scenes(&q));
      cr_assert_eq(q.left, 0);
    }
    free(q.times);
    if (b != a) {
      mo_scene_destroy(b);
    }
    mo_scene_destroy(a);
  }
}

/* Where nothing of one tree is near the other, no node but the roots is expanded. */
Test(visit_pairs, few_nodes_far_apart) {
  rng r = rng_make(rng_seed("few_nodes_far_apart", 72));
  mo_scene *a = random_scene(&r, SHAPES), *b = random_scene(&r, SHAPES);
  mo_shape_id ids[SHAPES];
  uint32_t total;
  cr_assert_eq(mo_scene_get_shapes(b, ids, SHAPES, &total), MO_OK);
  for (uint32_t i = 0; i < total; i++) {
    mo_transform transform = mo_transform_identity();
    transform.origin = (mo_vec3){1000.0f + (float)i, 0, 0};
    cr_assert_eq(mo_scene_set_transform(b, ids[i], &transform), MO_OK);
  }
  cr_assert_eq(mo_scene_update(b, NULL), MO_OK);
  question q = {.scene = {a, b}, .left = UINT32_MAX};
  cr_assert(visit_scenes(&q));
  cr_assert_eq(q.left, UINT32_MAX, "leaves far apart were given");
  cr_assert_leq(q.visits, 1);
  mo_scene_destroy(a);
  mo_scene_destroy(b);
}

/* --- meshes --- */

static mo_pair_node mesh_node(uint32_t side, uint32_t index, mo_pair_node_buffer *memory,
                              const void *query) {
  const mo_mesh *mesh = ((const question *)query)->mesh[side];
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    memory->child[slot] = mo_mesh_child(mesh, index, slot);
  }
  return (mo_pair_node){mo_mesh_bounds8(mesh, index, &memory->bounds), memory->child,
                        MO_CHILD_EMPTY};
}

enum { TRIANGLES = 300 };

static uint32_t triangles_of(const mo_mesh *mesh, uint32_t leaf, uint32_t *triangles) {
  const mo_tree_arrays tree = mo_tree_arrays_of(mesh, mesh->format);
  uint32_t found = 0;
  for (uint32_t at = mo_child_index(leaf);; at = mo_block_after(&tree, mesh->format, at)) {
    mo_triangle_block memory;
    const mo_triangle_block *block = mo_load_block(&tree, mesh->format, at, &memory);
    for (int lane = 0; lane < MO_LANE_COUNT; lane++) {
      uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      if (triangle != MO_LANE_EMPTY) {
        triangles[found++] = triangle;
      }
    }
    if (block->id[0] & MO_LANE_LAST_BLOCK) {
      return found;
    }
  }
}

static bool mesh_leaves(const mo_pair_child *a, const mo_pair_child *b, void *query) {
  question *q = query;
  uint32_t first[TRIANGLES], second[TRIANGLES];
  uint32_t count_a = triangles_of(q->mesh[0], a->child, first);
  uint32_t count_b = triangles_of(q->mesh[1], b->child, second);
  for (uint32_t i = 0; i < count_a * count_b; i++) {
    note(q, first[i % count_a], second[i / count_a]);
  }
  return true;
}

static const mo_pair_visitor mesh_visitor = {.load_node = mesh_node,
                                             .cull = touching,
                                             .visit_leaf_pair = mesh_leaves,
                                             .count_expansion = count};

static mo_mesh *random_mesh(rng *r, uint32_t triangles) {
  mo_vec3 vertices[3 * TRIANGLES];
  for (uint32_t i = 0; i < 3 * triangles; i++) {
    mo_vec3 offset = random_point(r, 1);
    vertices[i] = i % 3 == 0 ? random_point(r, 8) : mo_add(vertices[i - i % 3], offset);
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = vertices;
  def.vertex_count = 3 * triangles;
  def.index_type = MO_INDEX_NONE;
  def.triangle_count = triangles;
  def.build.compact = rng_chance(r, 0.5);
  mo_mesh *mesh;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static mo_aabb triangle_box(const mo_mesh *mesh, uint32_t triangle) {
  mo_vec3 corners[3];
  mo_mesh_corners(mesh, triangle, corners);
  mo_aabb box = {corners[0], corners[0]};
  box = mo_aabb_union(box, (mo_aabb){corners[1], corners[1]});
  return mo_aabb_union(box, (mo_aabb){corners[2], corners[2]});
}

Test(visit_pairs, two_meshes) {
  rng r = rng_make(rng_seed("two_meshes", 73));
  for (uint64_t i = 0, rounds = rng_rounds(20, 1000); i < rounds; i++) {
    uint32_t counts[2] = {1 + rng_below(&r, TRIANGLES), 0};
    counts[1] = 1 + rng_below(&r, TRIANGLES);
    mo_mesh *a = random_mesh(&r, counts[0]), *b = random_mesh(&r, counts[1]);
    question q = {.mesh = {a, b}, .items = TRIANGLES};
    q.times = calloc((size_t)TRIANGLES * TRIANGLES, 1);
    cr_assert_not_null(q.times);
    const mo_aabb box[2] = {mo_mesh_node_box(a, 0), mo_mesh_node_box(b, 0)};
    cr_assert(mo_visit_pairs(&mesh_visitor, (uint32_t[2]){0, 0}, box, false, &q));
    for (uint32_t t = 0; t < counts[0] * counts[1]; t++) {
      uint32_t first = t % counts[0], second = t / counts[0];
      uint32_t times = q.times[first * q.items + second];
      cr_assert_leq(times, 1, "triangles %u and %u: %u times", first, second, times);
      cr_assert(times == 1 || !mo_aabb_overlap(triangle_box(a, first), triangle_box(b, second)),
                "triangles %u and %u touch", first, second);
    }
    free(q.times);
    mo_mesh_release(a);
    mo_mesh_release(b);
  }
}
