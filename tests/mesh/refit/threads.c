/* Refitting and rebuilding by one to eight workers, or with tasks in another order, gives the same
 * bits. A plain program, because
 * Criterion does not start under the thread sanitizer. */
#include <stdio.h>
#include <string.h>

#include "mesh/refit/refit.h"
#include "oracle/oracle.h"
#include "support/meshes.h"
#include "support/task_order.h"

/* The last mesh is that of tasks which run backwards. */
enum { MAX_WORKERS = 8, MESHES, FRAMES = 4 };

static mo_mesh *build(const test_mesh *mesh, mo_tasks tasks) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  def.host.tasks = tasks;
  mo_mesh *built = NULL;
  oracle_expect(mo_mesh_create(&def, &built), "building");
  return built;
}

/* The same positions for every mesh; frame by frame worse. */
static void move_vertices(test_mesh *mesh, rng *r) {
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mo_vec3 d = rng_vec3(r, -0.03f, 0.03f), *p = &mesh->positions[i];
    *p = (mo_vec3){p->x + d.x, p->y + d.y, p->z + d.z};
  }
}

static bool same_bits(const mo_mesh *a, const mo_mesh *b) {
  const mo_deformation *x = a->deformation, *y = b->deformation;
  size_t nodes = a->node_count, blocks = a->block_count;
  bool same = nodes == b->node_count && blocks == b->block_count && a->depth == b->depth &&
              memcmp(&a->bounds, &b->bounds, sizeof a->bounds) == 0 &&
              memcmp(&a->reach, &b->reach, sizeof a->reach) == 0 &&
              memcmp(a->nodes, b->nodes, nodes * sizeof *a->nodes) == 0 &&
              memcmp(a->blocks, b->blocks, blocks * sizeof *a->blocks) == 0 &&
              memcmp(a->triangle_places, b->triangle_places,
                     a->triangle_count * sizeof *a->triangle_places) == 0 &&
              memcmp(x->slots, y->slots, blocks * sizeof *x->slots) == 0 &&
              x->listed_count == y->listed_count &&
              memcmp(x->listed, y->listed, x->listed_count * sizeof *x->listed) == 0 &&
              memcmp(x->built_visits, y->built_visits, nodes * sizeof *x->built_visits) == 0;
  for (size_t n = 0; n < nodes && same; n++) {
    same = x->nodes[n].half_area_sum == y->nodes[n].half_area_sum;
  }
  return same;
}

int main(void) {
  rng r = rng_make(rng_seed("mesh/refit/threads", 121));
  test_mesh mesh = test_mesh_make(TEST_MESH_SPHERE, 20000, &r);
  mo_task_pool *pools[MAX_WORKERS];
  mo_mesh *meshes[MESHES];
  for (uint32_t i = 0; i < MAX_WORKERS; i++) {
    if (mo_task_pool_create(NULL, i + 1, &pools[i]) != MO_OK) {
      fprintf(stderr, "no thread to be had\n");
      return 77; /* skipped */
    }
    meshes[i] = build(&mesh, mo_task_pool_tasks(pools[i]));
  }
  meshes[MAX_WORKERS] = build(&mesh, tasks_backwards(MAX_WORKERS));
  int wrong = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    move_vertices(&mesh, &r);
    uint32_t bad = rng_below(&r, mesh.vertex_count);
    float kept = mesh.positions[bad].y;
    mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
    options.threshold = 1.1f;
    options.max_triangles = frame % 2 ? mesh.triangle_count / 4 : UINT32_MAX;
    for (uint32_t i = 0; i < MESHES; i++) {
      mesh.positions[bad].y = NAN; /* found by one of the tasks */
      wrong += mo_mesh_refit(meshes[i], mesh.positions, 12, mesh.vertex_count, NULL, NULL) !=
               MO_ERROR_NOT_FINITE;
      mesh.positions[bad].y = kept;
      oracle_expect(mo_mesh_refit(meshes[i], mesh.positions, 12, mesh.vertex_count, NULL, NULL),
                    "refitting");
      wrong += !same_bits(meshes[0], meshes[i]);
    }
    for (uint32_t i = 0; i < MESHES; i++) {
      mo_mesh_rebuild_info info;
      oracle_expect(mo_mesh_rebuild_parts(meshes[i], &options, &info), "rebuilding");
      wrong += !same_bits(meshes[0], meshes[i]);
      if (i == 0) {
        printf("frame %d: %u triangles rebuilt\n", frame, info.triangle_count);
      }
    }
  }
  for (uint32_t i = 0; i < MESHES; i++) {
    wrong += mo_mesh_validate(meshes[i]) != MO_OK;
    mo_mesh_release(meshes[i]);
  }
  for (uint32_t i = 0; i < MAX_WORKERS; i++) {
    mo_task_pool_destroy(pools[i]);
  }
  test_mesh_free(&mesh);
  printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
