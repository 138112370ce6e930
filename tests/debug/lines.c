/* Drawing as lines: which boxes, where, in which order and colour. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "debug/subjects.h"
#include "math/aabb.h"
#include "support/meshes.h"

static subject subjects[SUBJECTS];
static int subject_count;

static void setup(void) {
  subject_count = subjects_make(subjects);
}

static void teardown(void) {
  subjects_free(subjects, subject_count);
}

TestSuite(lines, .init = setup, .fini = teardown);

static bool same_lines(const drawn_line *a, const drawn_line *b, uint32_t count) {
  return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

Test(lines, boxes_are_as_many_as_cells) {
  for (int i = 0; i < subject_count; i++) {
    const subject *s = &subjects[i];
    for (int boxes = 0; boxes < 2; boxes++) {
      mo_debug_def def = mo_default_debug_def();
      def.boxes = (mo_debug_boxes)boxes;
      uint32_t boxes_due = s->nodes + s->leaves;
      boxes_due -= def.boxes == MO_DEBUG_BOXES_TIGHT ? s->empty_nodes : 0;
      drawing all = subject_draw(s, &def);
      cr_assert_eq(all.count, 12 * boxes_due, "%s: %u lines", s->name, all.count);
      def.leaves_only = true;
      drawing leaves = subject_draw(s, &def);
      cr_assert_eq(leaves.count, 12 * s->leaves, "%s: %u lines", s->name, leaves.count);
      drawing_free(&all);
      drawing_free(&leaves);
    }
  }
}

Test(lines, leaves_are_at_the_depths_of_the_statistics) {
  for (int i = 0; i < subject_count; i++) {
    const subject *s = &subjects[i];
    if (s->mesh == NULL) {
      continue;
    }
    mo_mesh_stats stats;
    cr_assert_eq(mo_mesh_get_stats(s->mesh, &stats), MO_OK);
    for (uint32_t depth = 0; depth <= stats.max_depth; depth++) {
      mo_debug_def def = mo_default_debug_def();
      def.boxes = MO_DEBUG_BOXES_CELLS;
      def.leaves_only = true;
      def.min_depth = depth;
      def.max_depth = depth;
      drawing d = subject_draw(s, &def);
      cr_assert_eq(d.count, 12 * stats.leaf_count_at_depth[depth], "%s, depth %u", s->name, depth);
      drawing_free(&d);
    }
  }
}

Test(lines, each_box_has_its_twelve_edges) {
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    drawing d = subject_draw(&subjects[i], &def);
    for (uint32_t box = 0; box < d.count / 12; box++) {
      mo_aabb bounds = drawing_box(&d, box);
      int along[3] = {0, 0, 0};
      for (uint32_t k = 12 * box; k < 12 * box + 12; k++) {
        for (int axis = 0; axis < 3; axis++) {
          float from = mo_get(d.lines[k].from, axis);
          float to = mo_get(d.lines[k].to, axis);
          cr_assert(from == mo_get(bounds.lower, axis) || from == mo_get(bounds.upper, axis));
          cr_assert(to == mo_get(bounds.lower, axis) || to == mo_get(bounds.upper, axis));
          along[axis] += from != to;
        }
        cr_assert_eq(d.lines[k].rgba, d.lines[12 * box].rgba, "one colour a box");
      }
      for (int axis = 0; axis < 3; axis++) {
        bool flat = mo_get(bounds.lower, axis) == mo_get(bounds.upper, axis);
        cr_assert_eq(along[axis], flat ? 0 : 4, "%s", subjects[i].name);
      }
    }
    drawing_free(&d);
  }
}

Test(lines, the_root_holds_all_boxes) {
  for (int i = 0; i < subject_count; i++) {
    for (int boxes = 0; boxes < 2; boxes++) {
      mo_debug_def def = mo_default_debug_def();
      def.boxes = (mo_debug_boxes)boxes;
      drawing d = subject_draw(&subjects[i], &def);
      for (uint32_t box = 1; box < d.count / 12; box++) {
        cr_assert(mo_aabb_contains(drawing_box(&d, 0), drawing_box(&d, box)), "%s, box %u",
                  subjects[i].name, box);
      }
      drawing_free(&d);
    }
  }
}

static bool share_volume(mo_aabb a, mo_aabb b) {
  for (int axis = 0; axis < 3; axis++) {
    if (!(mo_max(mo_get(a.lower, axis), mo_get(b.lower, axis)) <
          mo_min(mo_get(a.upper, axis), mo_get(b.upper, axis)))) {
      return false;
    }
  }
  return true;
}

Test(lines, cells_of_leaves_are_apart) {
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    def.boxes = MO_DEBUG_BOXES_CELLS;
    def.leaves_only = true;
    drawing d = subject_draw(&subjects[i], &def);
    for (uint32_t a = 0; a < d.count / 12; a++) {
      for (uint32_t b = a + 1; b < d.count / 12; b++) {
        cr_assert(!share_volume(drawing_box(&d, a), drawing_box(&d, b)), "%s, boxes %u and %u",
                  subjects[i].name, a, b);
      }
    }
    drawing_free(&d);
  }
}

/* The same boxes as depth-first, and one depth after the other. */
Test(lines, breadth_first_goes_depth_by_depth) {
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    drawing depth_first = subject_draw(&subjects[i], &def);
    def.order = MO_DEBUG_BREADTH_FIRST;
    drawing all = subject_draw(&subjects[i], &def);
    cr_assert_eq(all.count, depth_first.count, "%s", subjects[i].name);
    uint32_t seen = 0;
    for (uint32_t depth = 0; seen < all.count; depth++) {
      def.order = MO_DEBUG_DEPTH_FIRST;
      def.min_depth = depth;
      def.max_depth = depth;
      drawing level = subject_draw(&subjects[i], &def);
      cr_assert_gt(level.count, 0, "%s: nothing at depth %u", subjects[i].name, depth);
      cr_assert_leq(seen + level.count, all.count);
      cr_assert(same_lines(all.lines + seen, level.lines, level.count), "%s, depth %u",
                subjects[i].name, depth);
      seen += level.count;
      drawing_free(&level);
    }
    drawing_free(&depth_first);
    drawing_free(&all);
  }
}

Test(lines, depths_are_kept_to) {
  const subject *s = &subjects[0];
  mo_debug_def def = mo_default_debug_def();
  def.min_depth = 1;
  def.max_depth = 2;
  drawing both = subject_draw(s, &def);
  def.min_depth = def.max_depth = 1;
  drawing first = subject_draw(s, &def);
  def.min_depth = def.max_depth = 2;
  drawing second = subject_draw(s, &def);
  cr_assert_eq(both.count, first.count + second.count);
  cr_assert(first.count > 0 && second.count > 0);
  def.min_depth = def.max_depth = 1000;
  drawing none = subject_draw(s, &def);
  cr_assert_eq(none.count, 0);
  drawing_free(&both);
  drawing_free(&first);
  drawing_free(&second);
}

Test(lines, the_transform_moves_corners) {
  rng r = rng_make(7);
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    drawing still = subject_draw(&subjects[i], &def);
    def.transform = rng_transform(&r, RNG_SHEAR, 10);
    drawing moved = subject_draw(&subjects[i], &def);
    cr_assert_eq(still.count, moved.count);
    for (uint32_t k = 0; k < still.count; k++) {
      drawn_line expected = {mo_transform_point(&def.transform, still.lines[k].from),
                             mo_transform_point(&def.transform, still.lines[k].to),
                             still.lines[k].rgba};
      cr_assert(same_lines(&moved.lines[k], &expected, 1), "%s", subjects[i].name);
    }
    drawing_free(&still);
    drawing_free(&moved);
  }
}

static const uint32_t blue = 0x3366ffff;
static const uint32_t red = 0xff3b30ff;

Test(lines, the_root_is_blue_and_the_deepest_red) {
  for (int i = 0; i < subject_count; i++) {
    mo_debug_def def = mo_default_debug_def();
    def.order = MO_DEBUG_BREADTH_FIRST;
    drawing d = subject_draw(&subjects[i], &def);
    if (d.count > 0) {
      cr_assert_eq(d.lines[0].rgba, blue, "%s: %08x", subjects[i].name, d.lines[0].rgba);
    }
    if (d.count > 12) {
      cr_assert_eq(d.lines[d.count - 1].rgba, red, "%s", subjects[i].name);
    }
    drawing_free(&d);
  }
}

Test(lines, a_full_leaf_is_red) {
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.tree.capacity = 12;
  subject s = {.name = "full leaf"};
  cr_assert_eq(mo_scene_create(&scene_def, &s.scene), MO_OK);
  for (int i = 0; i < 12; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_BOX);
    mo_shape_id id;
    shape.transform.origin.x = (float)(4 * i);
    cr_assert_eq(mo_scene_add_shape(s.scene, &shape, &id), MO_OK);
  }
  cr_assert_eq(mo_scene_update(s.scene, NULL), MO_OK);
  mo_debug_def def = mo_default_debug_def();
  def.color = MO_DEBUG_COLOR_OCCUPANCY;
  drawing d = subject_draw(&s, &def);
  cr_assert_eq(d.count, 12, "%u lines", d.count);
  cr_assert_eq(d.lines[0].rgba, red, "%08x", d.lines[0].rgba);
  drawing_free(&d);
  mo_scene_destroy(s.scene);
}

Test(lines, occupancy_counts_triangles) {
  rng r = rng_make(1);
  test_mesh one = test_mesh_make(TEST_MESH_ONE, 1, &r);
  mo_mesh_def mesh_def = test_mesh_def(&one);
  mesh_def.build.leaf_capacity = 1;
  subject s = {.name = "one triangle"};
  cr_assert_eq(mo_mesh_create(&mesh_def, &s.mesh), MO_OK);
  mo_debug_def def = mo_default_debug_def();
  def.color = MO_DEBUG_COLOR_OCCUPANCY;
  def.order = MO_DEBUG_BREADTH_FIRST;
  drawing d = subject_draw(&s, &def);
  cr_assert_eq(d.count, 24);
  cr_assert_eq(d.lines[0].rgba, blue, "an inner node holds no triangles");
  cr_assert_eq(d.lines[12].rgba, red, "a leaf of capacity one holds one");
  drawing_free(&d);
  mo_mesh_release(s.mesh);
  test_mesh_free(&one);
}

/* The root was visited most; what was not visited is blue, and so is all beyond the map. */
Test(lines, visits_colour_boxes) {
  for (int i = 0; i < subject_count; i++) {
    const subject *s = &subjects[i];
    uint32_t count = s->scene != NULL ? mo_scene_node_count(s->scene) : mo_mesh_node_count(s->mesh);
    if (s->nodes < 2) {
      continue;
    }
    cr_assert_geq(count, s->nodes);
    uint32_t *visits = calloc(count, sizeof *visits);
    cr_assert_not_null(visits);
    for (uint32_t node = 0; node < count; node++) {
      visits[node] = 10;
    }
    mo_debug_def def = mo_default_debug_def();
    def.color = MO_DEBUG_COLOR_VISITS;
    def.visits = visits;
    def.visit_capacity = count;
    drawing all_alike = subject_draw(s, &def);
    def.visit_capacity = 0;
    drawing beyond = subject_draw(s, &def);
    for (uint32_t k = 0; k < all_alike.count; k++) {
      cr_assert_eq(all_alike.lines[k].rgba, red);
      cr_assert_eq(beyond.lines[k].rgba, blue);
    }
    drawing_free(&all_alike);
    drawing_free(&beyond);
    free(visits);
  }
}

Test(lines, visits_come_from_queries) {
  for (int i = 0; i < subject_count; i++) {
    const subject *s = &subjects[i];
    if (s->nodes < 2) {
      continue;
    }
    uint32_t count = s->scene != NULL ? mo_scene_node_count(s->scene) : mo_mesh_node_count(s->mesh);
    uint32_t *visits = calloc(count, sizeof *visits);
    cr_assert_not_null(visits);
    mo_query_stats stats = {0};
    stats.scene_visits = s->scene != NULL ? visits : NULL;
    stats.scene_visit_capacity = s->scene != NULL ? count : 0;
    stats.mesh_visits = s->mesh != NULL ? visits : NULL;
    stats.mesh_visit_capacity = s->mesh != NULL ? count : 0;
    stats.visited_mesh = s->mesh;
    mo_debug_def def = mo_default_debug_def();
    drawing root = subject_draw(s, &def);
    mo_aabb bounds = drawing_box(&root, 0);
    mo_ray_def ray = mo_default_ray_def();
    ray.origin = mo_sub(bounds.lower, mo_vec(1, 1, 1));
    ray.direction = mo_sub(bounds.upper, ray.origin);
    mo_ray_hit hit;
    for (int k = 0; k < 5; k++) {
      mo_result code = s->scene != NULL ? mo_scene_cast_ray(s->scene, &ray, &hit, &stats)
                                        : mo_mesh_cast_ray(s->mesh, &ray, &hit, &stats);
      cr_assert_eq(code, MO_OK);
    }
    def.color = MO_DEBUG_COLOR_VISITS;
    def.visits = visits;
    def.visit_capacity = count;
    drawing d = subject_draw(s, &def);
    cr_assert_eq(d.lines[0].rgba, red, "%s: every ray visits the root", s->name);
    drawing_free(&root);
    drawing_free(&d);
    free(visits);
  }
}
