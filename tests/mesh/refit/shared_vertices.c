/* The ways in which deformable meshes store vertices: few or many to a block, near each other or
 * far apart in the array of the caller. In each, and by every instruction set, refitting puts the
 * vertices where they belong, and leaves the same bits. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/refit/refit.h"
#include "support/families.h"
#include "support/meshes.h"
#include "support/rng.h"

/* How the triangles of a mesh share vertices. */
typedef enum arrangement {
  AS_MADE,
  FAR_APART,   /* nine no nearer than a block's offsets reach */
  SOME_SHARED, /* others are the triangle's own */
  NONE_SHARED,
  ARRANGEMENTS,
} arrangement;

static void arrange(test_mesh *mesh, arrangement how, rng *r) {
  uint32_t corners = 3 * mesh->triangle_count, apart = how == FAR_APART ? 8192 : 1;
  uint32_t count = mesh->vertex_count * apart + corners;
  mo_vec3 *positions = calloc(count + 1, sizeof *positions);
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    positions[i * apart] = mesh->positions[i];
  }
  uint32_t used = (mesh->vertex_count - 1) * apart + 1;
  for (uint32_t i = 0; i < corners; i++) {
    uint32_t vertex = mesh->indices[i];
    bool own = how == NONE_SHARED || (how == SOME_SHARED && rng_below(r, 2));
    mesh->indices[i] = own ? used : vertex * apart;
    if (own) {
      positions[used++] = mesh->positions[vertex];
    }
  }
  free(mesh->positions);
  mesh->positions = positions;
  mesh->vertex_count = used;
}

/* To a coarse grid, with zeros of both signs. */
static void snap(test_mesh *mesh, rng *r) {
  for (uint32_t i = 0; i < mesh->triangle_count * 3; i++) {
    mo_vec3 *p = &mesh->positions[mesh->indices[i]];
    float *axis[3] = {&p->x, &p->y, &p->z};
    for (int a = 0; a < 3; a++) {
      *axis[a] = roundf(*axis[a] * 6) / 6 * (rng_below(r, 2) ? 1.0f : -1.0f);
    }
  }
}

/* Of blocks, by how their vertices are kept. */
typedef struct tally {
  uint32_t few, many, listed, last;
} tally;

static void count_slots(const mo_mesh *mesh, tally *t) {
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    uint32_t count = mesh->deformation->slots[b].count;
    t->few += count >= 1 && count <= 12;
    t->many += count >= 13 && count <= 16;
    t->listed += count == MO_VERTICES_LISTED;
    t->last += count == MO_VERTICES_LISTED_WITH_LAST;
  }
}

static void check_corners(const test_mesh *mesh, const mo_mesh *built) {
  cr_assert_eq(mo_mesh_validate(built), MO_OK);
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    mo_vec3 expected[3], corners[3];
    test_mesh_corners(mesh, t, expected);
    cr_assert_eq(mo_mesh_get_triangle(built, t, corners, NULL), MO_OK);
    cr_assert(memcmp(corners, expected, sizeof corners) == 0, "triangle %u", t);
  }
}

static void check_bits(const mo_mesh *a, const mo_mesh *b) {
  cr_assert(a->node_count == b->node_count && a->block_count == b->block_count);
  cr_assert(memcmp(&a->bounds, &b->bounds, sizeof a->bounds) == 0);
  cr_assert(memcmp(a->nodes, b->nodes, a->node_count * sizeof *a->nodes) == 0);
  cr_assert(memcmp(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) == 0);
  for (uint32_t n = 0; n < a->node_count; n++) {
    const mo_refit_node *x = &a->deformation->nodes[n], *y = &b->deformation->nodes[n];
    mo_aabb x_box = mo_padded_aabb_get(&x->box), y_box = mo_padded_aabb_get(&y->box);
    cr_assert(memcmp(&x_box, &y_box, sizeof x_box) == 0);
    cr_assert(memcmp(&x->half_area_sum, &y->half_area_sum, sizeof x->half_area_sum) == 0);
  }
}

Test(mesh_refit_bits, any_sharing_of_vertices) {
  rng r = rng_make(rng_seed("mesh_refit_bits/shares", 131));
  tally t = {0};
  for (int how = 0; how < ARRANGEMENTS; how++) {
    test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, how == FAR_APART ? 300 : 1500, &r);
    arrange(&mesh, (arrangement)how, &r);
    mo_mesh *meshes[MO_ISA_COUNT];
    uint32_t count = family_isa_count();
    for (uint32_t i = 0; i < count; i++) {
      mo_mesh_def def = test_mesh_def(&mesh);
      def.build.builder = MO_MESH_BUILDER_SINGLE;
      def.build.deformable = true;
      def.isa = family_isa(i);
      cr_assert_eq(mo_mesh_create(&def, &meshes[i]), MO_OK);
    }
    count_slots(meshes[0], &t);
    snap(&mesh, &r);
    for (uint32_t i = 0; i < count; i++) {
      mo_result result =
          mo_mesh_refit(meshes[i], mesh.positions, 12, mesh.vertex_count, NULL, NULL);
      cr_assert_eq(result, MO_OK);
      check_corners(&mesh, meshes[i]);
      check_bits(meshes[0], meshes[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
      mo_mesh_release(meshes[i]);
    }
    test_mesh_free(&mesh);
  }
  cr_assert(t.few > 0 && t.many > 0 && t.listed > 0 && t.last > 0, "%u %u %u %u", t.few, t.many,
            t.listed, t.last);
}

/* Two vertices of a block as far apart as it can say, one more, and less. */
Test(mesh_refit_bits, as_far_as_offsets_reach) {
  for (uint32_t apart = UINT16_MAX - 1; apart <= UINT16_MAX + 2u; apart++) {
    test_mesh mesh = {.vertex_count = apart + 5, .triangle_count = 2};
    mesh.positions = calloc(mesh.vertex_count, sizeof *mesh.positions);
    mesh.indices = calloc(6, sizeof *mesh.indices);
    const uint32_t indices[6] = {3, 4, 3 + apart, 4, 5, 3 + apart};
    memcpy(mesh.indices, indices, sizeof indices);
    mesh.positions[4].x = mesh.positions[5].y = mesh.positions[3 + apart].z = 1;
    mo_mesh_def def = test_mesh_def(&mesh);
    def.build.builder = MO_MESH_BUILDER_SINGLE;
    def.build.deformable = true;
    mo_mesh *built = NULL;
    cr_assert_eq(mo_mesh_create(&def, &built), MO_OK);
    mesh.positions[3 + apart].x = 7;
    cr_assert_eq(mo_mesh_refit(built, mesh.positions, 12, mesh.vertex_count, NULL, NULL), MO_OK);
    check_corners(&mesh, built);
    bool is_listed = built->deformation->slots[0].count == MO_VERTICES_LISTED;
    cr_assert_eq(is_listed, apart > UINT16_MAX);
    mo_mesh_release(built);
    free(mesh.positions);
    free(mesh.indices);
  }
}
