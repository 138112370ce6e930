/* Compact meshes: decoded boxes contain the exact ones and are no larger than they must be; answers
 * are those of the full format; validation finds a box that has lost something; memory use is as
 * documented. That they answer as brute force does is checked wherever families of meshes are. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "mesh/format/compact.h"
#include "mesh/format/read.h"
#include "reference/reference.h"
#include "support/check.h"
#include "support/families.h"
#include "support/samples.h"

/* Boxes of every size at every place, some of them empty, some flat. */
static void make_boxes(rng *r, mo_bounds8 *bounds) {
  static const float sizes[] = {0, 1e-45f, 1e-40f, 1e-30f, 1e-6f, 1, 1e6f, 1e20f, 1e30f};
  static const float places[] = {0, 1e-45f, 1e-38f, 1e-6f, 1, 1e6f, 1e30f};
  float size = sizes[rng_below(r, 9)], place = places[rng_below(r, 7)];
  mo_bounds8_clear(bounds);
  for (int slot = 0; slot < MO_LANE_COUNT; slot++) {
    if (rng_below(r, 4) == 0) {
      continue;
    }
    for (int axis = 0; axis < 3; axis++) {
      float a = place * rng_float(r, 0.99f, 1) + size * rng_float(r, -1, 1);
      float b = rng_below(r, 4) ? a + size * rng_float(r, 0, 1) : a;
      a = fminf(fmaxf(a, -MO_MAX_COORDINATE), MO_MAX_COORDINATE);
      b = fminf(fmaxf(b, a), MO_MAX_COORDINATE);
      bounds->lower[axis][slot] = rng_below(r, 16) ? a : a == 0 ? -0.0f : a;
      bounds->upper[axis][slot] = b;
    }
  }
}

static float decode(const mo_compact_boxes8 *c, int axis, uint32_t number) {
  return c->origin[axis] + (float)number * mo_compact_scale(c, axis);
}

static void check_axis(const mo_compact_boxes8 *c, const mo_bounds8 *b, int axis, uint32_t slot) {
  const uint8_t *lower = &c->side[axis * MO_LANE_COUNT], *upper = lower + 3 * MO_LANE_COUNT;
  float a = b->lower[axis][slot], z = b->upper[axis][slot];
  cr_assert_leq(decode(c, axis, lower[slot]), a, "axis %d, %a above %a", axis,
                (double)decode(c, axis, lower[slot]), (double)a);
  cr_assert_geq(decode(c, axis, upper[slot]), z, "axis %d, %a below %a", axis,
                (double)decode(c, axis, upper[slot]), (double)z);
  cr_assert(lower[slot] == 255 || decode(c, axis, lower[slot] + 1u) > a, "the tightest");
  cr_assert(upper[slot] == 0 || decode(c, axis, upper[slot] - 1u) < z, "the tightest");
}

/* What compact.h says of how far decoded sides may lie beyond. */
static void check_step(const mo_compact_boxes8 *c, const mo_bounds8 *b, int axis) {
  mo_aabb all = mo_bounds8_union(b);
  double size = (double)mo_get(all.upper, axis) - mo_get(all.lower, axis);
  double step = mo_compact_scale(c, axis);
  cr_assert(step == 0x1p-126 || step < size / 127 || size == 0, "a step of %a in %a", step, size);
}

Test(mesh_compact, boxes_contain_and_are_tight) {
  rng r = rng_make(rng_seed("mesh_compact/boxes", 71));
  uint64_t boxes = 0, flat = 0;
  for (uint64_t i = 0; i < rng_rounds(3000, 2000000); i++) {
    mo_bounds8 bounds, expanded;
    mo_compact_boxes8 compact;
    make_boxes(&r, &bounds);
    mo_compact_set(&compact, &bounds);
    cr_assert(mo_compact_is_sound(&compact));
    mo_compact_expand(&compact, &expanded);
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      mo_aabb box = mo_bounds8_get(&bounds, (int)slot), got = mo_compact_get(&compact, slot);
      mo_aabb wide = mo_bounds8_get(&expanded, (int)slot);
      cr_assert(memcmp(&got, &wide, sizeof got) == 0, "lanes decode as one does");
      if (mo_aabb_is_empty(box)) {
        cr_assert(mo_compact_side(&compact, 0, 0, slot) >=
                      mo_compact_side(&compact, 0, 3 * MO_LANE_COUNT, slot),
                  "the lower sides of an empty slot are not above its upper ones");
        continue;
      }
      boxes++;
      flat += box.lower.x == box.upper.x;
      for (int axis = 0; axis < 3; axis++) {
        check_axis(&compact, &bounds, axis, slot);
        check_step(&compact, &bounds, axis);
      }
    }
  }
  cr_assert(boxes > 1000 && flat > 100 && flat < boxes);
}

/* Sides so near zero that beside the grid's origin they are lost, and would decode to zero. */
Test(mesh_compact, boxes_contain_what_rounding_loses) {
  mo_bounds8 bounds;
  mo_compact_boxes8 compact;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, (mo_aabb){{-1, -1, -1}, {1, 1, 1}});
  mo_bounds8_set(&bounds, 1, (mo_aabb){{-1e-20f, -1e-20f, -1e-20f}, {1e-20f, 1e-20f, 1e-20f}});
  mo_compact_set(&compact, &bounds);
  for (uint32_t slot = 0; slot < 2; slot++) {
    cr_assert(mo_aabb_contains(mo_compact_get(&compact, slot), mo_bounds8_get(&bounds, (int)slot)));
  }
}

/* Boxes that are all flat at one place would decode rightly with a scale of zero, but no grid has
 * it. */
Test(mesh_compact, grids_have_a_scale) {
  mo_bounds8 bounds;
  mo_compact_boxes8 compact;
  mo_bounds8_clear(&bounds);
  mo_bounds8_set(&bounds, 0, (mo_aabb){{1, 2, 3}, {1, 2, 3}});
  mo_compact_set(&compact, &bounds);
  cr_assert(mo_compact_is_sound(&compact));
  for (int axis = 0; axis < 3; axis++) {
    cr_assert_geq(compact.exponent[axis], 1);
    mo_compact_boxes8 zero = compact;
    zero.exponent[axis] = 0;
    cr_assert_not(mo_compact_is_sound(&zero));
  }
}

static mo_mesh *build(const test_mesh *mesh, mo_mesh_builder builder, mo_mesh_quality quality,
                      bool compact) {
  mo_mesh_def def = test_mesh_def(mesh);
  mo_mesh *built = NULL;
  def.build.builder = builder;
  def.build.quality = quality;
  def.build.compact = compact;
  def.host.log = NULL;
  cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
  return built;
}

static bool same_closest(const mo_mesh *a, const mo_mesh *b, const mo_ray_def *ray) {
  mo_ray_hit x, y;
  bool any_x, any_y;
  cr_assert_eq(mo_mesh_cast_ray(a, ray, &x, NULL), mo_mesh_cast_ray(b, ray, &y, NULL));
  cr_assert_eq(mo_mesh_test_ray(a, ray, &any_x, NULL), mo_mesh_test_ray(b, ray, &any_y, NULL));
  return check_same_hit(&x, &y) && any_x == any_y;
}

static bool same_cursor(const mo_mesh *a, const mo_mesh *b, const mo_ray_def *ray) {
  mo_ray_cursor of_a, of_b;
  cr_assert_eq(mo_ray_cursor_init(&of_a, NULL), MO_OK);
  cr_assert_eq(mo_ray_cursor_init(&of_b, NULL), MO_OK);
  for (int i = 0; i < 100; i++) {
    mo_ray_hit x, y;
    cr_assert_eq(mo_mesh_next_hit(a, ray, &of_a, &x, NULL), MO_OK);
    cr_assert_eq(mo_mesh_next_hit(b, ray, &of_b, &y, NULL), MO_OK);
    if (!check_same_hit(&x, &y)) {
      return false;
    }
    if (!x.found) {
      break;
    }
  }
  return true;
}

/* On meshes too large for brute force. */
Test(mesh_compact, answers_as_the_full_format) {
  rng r = rng_make(rng_seed("mesh_compact/same", 72));
  static const test_mesh_kind kinds[] = {
      TEST_MESH_TERRAIN,   TEST_MESH_SPHERE,     TEST_MESH_OFFSET, TEST_MESH_CLUSTERS,
      TEST_MESH_LONG_THIN, TEST_MESH_COINCIDENT, TEST_MESH_MIXED};
  uint32_t hits = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    test_mesh mesh = test_mesh_make(kinds[k], 8000, &r);
    mo_mesh *full = build(&mesh, MO_MESH_BUILDER_SPLIT, MO_MESH_QUALITY_DEFAULT, false);
    mo_mesh *compact = build(&mesh, MO_MESH_BUILDER_SPLIT, MO_MESH_QUALITY_DEFAULT, true);
    cr_assert_eq(mo_mesh_validate(compact), MO_OK, "%s", mesh.name);
    for (uint64_t i = 0; i < rng_rounds(250, 200000); i++) {
      sample_target target = sample_target_of_mesh(&mesh, &r);
      mo_ray_def ray = sample_any_ray(&r, &target);
      mo_ray_hit hit;
      hits += mo_mesh_cast_ray(compact, &ray, &hit, NULL) == MO_OK && hit.found;
      cr_assert(same_closest(full, compact, &ray), "%s: %s", mesh.name, check_ray_text(&ray));
      cr_assert(i % 8 != 0 || mo_mesh_cast_ray(full, &ray, &hit, NULL) != MO_OK ||
                    same_cursor(full, compact, &ray),
                "%s, cursor: %s", mesh.name, check_ray_text(&ray));
    }
    for (uint32_t t = 0; t < mesh.triangle_count; t += 97) {
      mo_vec3 a[3], b[3];
      cr_assert_eq(mo_mesh_get_triangle(full, t, a, NULL), MO_OK);
      cr_assert_eq(mo_mesh_get_triangle(compact, t, b, NULL), MO_OK);
      cr_assert_eq(memcmp(a, b, sizeof a), 0, "triangles keep their bits");
    }
    mo_mesh_release(full);
    mo_mesh_release(compact);
    test_mesh_free(&mesh);
  }
  cr_assert_gt(hits, 150);
}

static size_t bytes_of(const mo_mesh *mesh) {
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(mesh, &stats), MO_OK);
  return stats.bytes;
}

/* A ray through a triangle close to a face of the box of one of its references. False if the
 * triangle is not there. */
static bool ray_beside(const mo_mesh *mesh, rng *r, mo_ray_def *ray) {
  const mo_duplicate *reference = &mesh->duplicates[rng_below(r, mesh->duplicate_count)];
  mo_aabb box = mo_mesh_child_box(mesh, reference->node, reference->slot);
  mo_vec3 corners[3], sides[2];
  mo_mesh_corners(mesh, reference->triangle, corners);
  int axis = (int)rng_below(r, 3);
  float lower = mo_get(box.lower, axis), upper = mo_get(box.upper, axis);
  float face = (rng_chance(r, 0.5) ? lower : upper) + rng_float(r, -0.02f, 0.02f) * (upper - lower);
  uint32_t found = 0;
  for (int i = 0; i < 40 && found != 3; i++) {
    float u = rng_float(r, 0, 1), v = rng_float(r, 0, 1 - u);
    mo_vec3 p = mo_add(mo_scale(1 - u - v, corners[0]),
                       mo_add(mo_scale(u, corners[1]), mo_scale(v, corners[2])));
    uint32_t side = mo_get(p, axis) >= face;
    sides[side] = p;
    found |= 1u << side;
  }
  if (found != 3) {
    return false;
  }
  float below = mo_get(sides[0], axis), above = mo_get(sides[1], axis);
  float share = (face - below) / (above - below);
  mo_vec3 at = mo_add(mo_scale(1 - share, sides[0]), mo_scale(share, sides[1]));
  *ray = mo_default_ray_def();
  ray->direction = rng_vec3(r, -1, 1);
  ray->origin = mo_sub(at, mo_scale(2, ray->direction));
  ray->max_t = INFINITY;
  return true;
}

/* Decoded boxes reach out of those of their parents. Where a ray meets only such a part of a box,
 * the reference traversal by planes must visit it nevertheless: the first reference of a triangle
 * that a ray gets to reports the triangle. */
Test(mesh_compact, plane_walks_visit_boxes_that_reach_out_of_their_parents) {
  static const test_mesh_kind kinds[] = {TEST_MESH_SOUP, TEST_MESH_TERRAIN};
  rng r = rng_make(rng_seed("mesh_compact/walks", 7));
  for (uint64_t round = 0; round < rng_rounds(12, 600); round++) {
    test_mesh mesh = test_mesh_make(kinds[round % 2], round % 4 < 2 ? 60 : 250, &r);
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.builder = MO_MESH_BUILDER_MIDPOINT;
    def.build.leaf_capacity = 1;
    def.build.max_depth = 9;
    def.build.compact = true;
    mo_mesh *made;
    cr_assert_eq(mo_mesh_create(&def, &made), MO_OK);
    cr_assert_gt(made->duplicate_count, 0);
    for (int i = 0; i < 2000; i++) {
      mo_ray_def ray;
      if (!ray_beside(made, &r, &ray)) {
        continue;
      }
      uint32_t fast = 0, walked = 0;
      cr_assert_eq(mo_mesh_cast_ray_all(made, &ray, NULL, 0, &fast, NULL), MO_OK);
      reference_ray walk = {.ray = mo_default_ray_def()};
      walk.ray = ray;
      walk.traversal = REFERENCE_PLANE_WALK;
      cr_assert_eq(reference_mesh_cast_ray_all(made, &walk, NULL, 0, &walked, NULL), MO_OK);
      cr_assert_eq(walked, fast, "round %lu, %s", (unsigned long)round, check_ray_text(&ray));
    }
    mo_mesh_release(made);
    test_mesh_free(&mesh);
  }
}

Test(mesh_compact, memory) {
  rng r = rng_make(rng_seed("mesh_compact/memory", 73));
  static const struct {
    test_mesh_kind kind;
    double max; /* of the full format */
  } cases[] = {{TEST_MESH_TERRAIN, 0.62}, {TEST_MESH_TORUS, 0.62}, {TEST_MESH_SOUP, 1.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_mesh mesh = test_mesh_make(cases[i].kind, 5000, &r);
    for (int quality = 0; quality < 3; quality++) {
      mo_mesh *full = build(&mesh, MO_MESH_BUILDER_SPLIT, (mo_mesh_quality)quality, false);
      mo_mesh *compact = build(&mesh, MO_MESH_BUILDER_SPLIT, (mo_mesh_quality)quality, true);
      cr_assert_lt((double)bytes_of(compact), cases[i].max * (double)bytes_of(full),
                   "%s, quality %d: %zu bytes of %zu", mesh.name, quality, bytes_of(compact),
                   bytes_of(full));
      mo_mesh_release(full);
      mo_mesh_release(compact);
    }
    test_mesh_free(&mesh);
  }
}

/* Sides moved inward by one, grids moved or made finer, and leaves that lead elsewhere. */
Test(mesh_compact, validation_finds_what_is_corrupt) {
  rng r = rng_make(rng_seed("mesh_compact/corrupt", 74));
  test_mesh mesh = test_mesh_make(TEST_MESH_IRREGULAR, 2000, &r);
  mo_mesh *built = build(&mesh, MO_MESH_BUILDER_SINGLE, MO_MESH_QUALITY_DEFAULT, true);
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  for (uint64_t i = 0; i < rng_rounds(60, 2000); i++) {
    mo_compact_node *node = &built->compact_nodes[rng_below(&r, built->node_count)];
    const mo_compact_node before = *node;
    uint32_t slot = rng_below(&r, MO_LANE_COUNT), axis = rng_below(&r, 3);
    if (node->child[slot] == MO_CHILD_EMPTY_LEAF) {
      continue;
    }
    switch (i % 6) {
    case 0:
      node->box.side[axis * MO_LANE_COUNT + slot]++;
      break;
    case 1:
      node->box.side[(axis + 3) * MO_LANE_COUNT + slot]--;
      break;
    case 2: /* coordinates are about one */
      node->box.origin[axis] += 0.5f;
      break;
    case 3:
      node->box.exponent[axis] = 0;
      break;
    case 4:
      node->box.origin[axis] = NAN;
      break;
    default:
      node->parent ^= 1;
      break;
    }
    cr_assert_eq(mo_mesh_validate(built), MO_ERROR_CORRUPT, "change %d is not found", (int)(i % 6));
    *node = before;
  }
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}

/* Rays that pass within their margin of the sides that an empty slot stores must not visit it as a
 * child. */
Test(mesh_compact, empty_slots_hold_nothing) {
  rng r = rng_make(rng_seed("mesh_compact/empty", 75));
  for (int size = 0; size < 12; size++) {
    /* Triangles that are tiny beside their distance: less than the margin of rays. */
    test_mesh mesh = {.name = "speck"};
    for (int i = 0; i < size; i++) {
      mo_vec3 c[3];
      for (int j = 0; j < 3; j++) {
        c[j] = (mo_vec3){1e6f + rng_float(&r, 0, 1), rng_float(&r, 0, 1e-3f), 1e6f};
      }
      test_mesh_add_corners(&mesh, c[0], c[1], c[2]);
    }
    mesh_family family;
    oracle_mesh oracle;
    mesh_family_build(&family, &mesh, true);
    oracle_mesh_read(&oracle, family.meshes[0]);
    for (int i = 0; i < 40; i++) {
      mo_ray_def ray = mo_segment_def(
          (mo_vec3){1e6f + rng_float(&r, -2, 2), rng_float(&r, -1, 1), 1e6f + 1},
          (mo_vec3){1e6f + rng_float(&r, -1, 2), rng_float(&r, -1e-3f, 2e-3f), 1e6f - 1});
      cr_assert(check_mesh_ray((const mo_mesh *const *)family.meshes, family.count, &oracle, &ray,
                               CHECK_FULL),
                "%s", check_why());
    }
    oracle_mesh_free(&oracle);
    cr_assert(mesh_family_free(&family));
    test_mesh_free(&mesh);
  }
}

Test(mesh_compact, does_not_change) {
  rng r = rng_make(1);
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 100, &r);
  mo_mesh *built = build(&mesh, MO_MESH_BUILDER_SINGLE, MO_MESH_QUALITY_DEFAULT, true);
  uint32_t first = 77;
  mo_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  cr_assert_eq(mo_mesh_insert_triangles(built, corners, 1, NULL, &first, NULL),
               MO_ERROR_UNSUPPORTED);
  cr_assert_eq(first, 77);
  cr_assert_eq(mo_mesh_refit(built, mesh.positions, sizeof(mo_vec3), mesh.vertex_count, NULL, NULL),
               MO_ERROR_UNSUPPORTED);
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  cr_assert_eq(mo_mesh_rebuild_parts(built, &options, NULL), MO_ERROR_UNSUPPORTED);
  mo_mesh_release(built);
  test_mesh_free(&mesh);
}
