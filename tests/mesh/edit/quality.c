/* How good the octree of an edited mesh is: what rays visit and test, and the expected visits,
 * after many edits, beside a new mesh of the same triangles. Counts, never times. */
#include <math.h>
#include <motte/query.h>
#include <stdio.h>

#define EDITED_MAX_TRIANGLES 65536
#include "mesh/edit/edited.h"

/* What the rays of a seed visit in a mesh: nodes, and blocks of triangles. */
static double work_of_rays(const mo_mesh *mesh, uint64_t seed) {
  rng r = rng_make(seed);
  mo_query_stats stats = {0};
  const mo_aabb box = mo_mesh_bounds(mesh);
  for (int i = 0; i < 2000; i++) {
    mo_ray_def ray = mo_default_ray_def();
    mo_ray_hit hit;
    const mo_vec3 to = rng_point_in(&r, box);
    ray.origin = rng_point_in(&r, box);
    ray.direction = (mo_vec3){to.x - ray.origin.x, to.y - ray.origin.y, to.z - ray.origin.z};
    cr_assert_eq(mo_mesh_cast_ray(mesh, &ray, &hit, &stats), MO_OK);
  }
  return (double)stats.mesh_node_count + (double)stats.mesh_block_count;
}

static double expected_work(const mo_mesh *mesh) {
  mo_mesh_stats stats;
  cr_assert_eq(mo_mesh_get_stats(mesh, &stats), MO_OK);
  return stats.expected_node_visits + stats.expected_block_visits;
}

/* Compares with a new mesh: by rays, and by expected visits. */
static void check_quality(edited *e, const char *what) {
  edited_make_fresh(e);
  cr_assert_eq(mo_mesh_validate(e->mesh), MO_OK);
  const double rays = work_of_rays(e->mesh, 5) / work_of_rays(e->fresh, 5);
  const double expected = expected_work(e->mesh) / expected_work(e->fresh);
  mo_mesh_stats a, b;
  mo_mesh_get_stats(e->mesh, &a);
  mo_mesh_get_stats(e->fresh, &b);
  fprintf(stderr,
          "%s: %.3f times the visits of rays, %.3f times the expected ones; %zu of %zu bytes\n",
          what, rays, expected, a.bytes, b.bytes);
  cr_assert_lt(rays, 1.1, "%s", what);
  cr_assert_lt(expected, 1.1, "%s", what);
  cr_assert_lt((double)a.bytes, 3.0 * (double)b.bytes + 65536, "%s", what);
}

/* --- kinds of edits: each changes up to 16 triangles of the mesh --- */

/* Triangles move to another place. */
static void replace_anywhere(edited *e, edited_step *s, const mo_aabb *box, rng *r) {
  s->def = mo_default_mesh_edit_def();
  s->def.moved_vertices = s->moved;
  s->def.moved_positions = s->moved_positions;
  const mo_vec3 middle = rng_point_in(r, *box);
  const float size = 0.02f * (box->upper.x - box->lower.x);
  const uint32_t t = edited_any_triangle(e, r);
  for (uint32_t i = 0; i < 3; i++) {
    const mo_vec3 d = rng_vec3(r, -size, size);
    s->moved[i] = e->vertices[t][i];
    s->moved_positions[i] = (mo_vec3){middle.x + d.x, middle.y + d.y, middle.z + d.z};
  }
  s->def.moved_vertex_count = 3;
}

/* Some triangles are removed; or the last ones removed are added again. */
static void remove_and_add(edited *e, edited_step *s, const mo_aabb *box, rng *r) {
  (void)box;
  static uint32_t vertices_of[EDITED_MAX_TRIANGLES][3];
  s->def = mo_default_mesh_edit_def();
  const uint32_t count = 1 + rng_below(r, 16);
  if (e->free_count + count > e->triangle_count / 2 ||
      (e->free_count > count && rng_chance(r, 0.5))) {
    s->def.added_indices = s->added_indices;
    s->def.added_triangles = s->added;
    for (uint32_t i = 0; i < count; i++) {
      memcpy(&s->added_indices[3 * i], vertices_of[e->free[e->free_count - 1 - i]], 12);
    }
    s->def.added_triangle_count = count;
    return;
  }
  s->def.removed_triangles = s->removed;
  const uint32_t first = rng_below(r, e->triangle_count);
  for (uint32_t i = 0; i < e->triangle_count && s->def.removed_triangle_count < count; i++) {
    const uint32_t t = (first + i) % e->triangle_count;
    if (e->live[t]) {
      memcpy(vertices_of[t], e->vertices[t], 12);
      s->removed[s->def.removed_triangle_count++] = t;
    }
  }
}

/* A vertex moves a little. */
static void move_vertex(edited *e, edited_step *s, const mo_aabb *box, rng *r) {
  const float size = 0.02f * (box->upper.x - box->lower.x);
  s->def = mo_default_mesh_edit_def();
  s->def.moved_vertices = s->moved;
  s->def.moved_positions = s->moved_positions;
  s->moved[0] = rng_below(r, e->vertex_count);
  const mo_vec3 p = e->positions[s->moved[0]], d = rng_vec3(r, -size, size);
  s->moved_positions[0] = (mo_vec3){p.x + d.x, p.y + d.y, p.z + d.z};
  s->def.moved_vertex_count = 1;
}

/* A triangle becomes as large as the mesh, or small again. */
static void resize_triangle(edited *e, edited_step *s, const mo_aabb *box, rng *r) {
  replace_anywhere(e, s, box, r);
  if (rng_chance(r, 0.02)) {
    for (int i = 0; i < 3; i++) {
      s->moved_positions[i] = rng_point_in(r, *box);
    }
  }
}

/* How often the quality is measured, as it is worst just before a part is rebuilt. */
enum { CHECKS = 20 };

typedef void make_step(edited *e, edited_step *s, const mo_aabb *box, rng *r);

static void check_edits(test_mesh_kind kind, uint32_t size, make_step *make, const char *what,
                        uint64_t edits, uint64_t seed) {
  static edited_step step;
  rng r = rng_make(seed);
  test_mesh mesh = test_mesh_make(kind, size, &r);
  edited *e = edited_make(&mesh, edited_def(&mesh, false));
  const mo_aabb box = test_mesh_bounds(&mesh);
  for (uint64_t i = 0; i < edits; i++) {
    make(e, &step, &box, &r);
    edited_do(e, &step);
    if (i % (edits / CHECKS) == edits / CHECKS - 1) {
      check_quality(e, what);
    }
  }
  edited_free(e);
  test_mesh_free(&mesh);
}

/* In the long suite, a million edits. */
static uint64_t edit_count(void) {
  return rng_few_rounds(4000, 250000);
}

Test(mesh_edit_quality, triangles_go_elsewhere) {
  check_edits(TEST_MESH_SOUP, 2000, replace_anywhere, "elsewhere", edit_count(),
              rng_seed("mesh_edit_quality/elsewhere", 41));
}

Test(mesh_edit_quality, triangles_of_a_large_mesh_go_elsewhere) {
  check_edits(TEST_MESH_SOUP, 16000, replace_anywhere, "large-elsewhere", 8 * edit_count(),
              rng_seed("mesh_edit_quality/large elsewhere", 45));
}

Test(mesh_edit_quality, triangles_go_and_come) {
  check_edits(TEST_MESH_TERRAIN, 2000, remove_and_add, "go and come", edit_count(),
              rng_seed("mesh_edit_quality/go and come", 42));
}

Test(mesh_edit_quality, vertices_move) {
  check_edits(TEST_MESH_SPHERE, 2000, move_vertex, "vertices move", edit_count(),
              rng_seed("mesh_edit_quality/vertices", 43));
}

Test(mesh_edit_quality, large_triangles) {
  check_edits(TEST_MESH_SOUP, 2000, resize_triangle, "large", edit_count(),
              rng_seed("mesh_edit_quality/large", 44));
}
