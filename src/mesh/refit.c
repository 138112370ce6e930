/* Deformable meshes: what they keep, and mo_mesh_refit. */
#include "mesh/refit.h"

#include "base/tasks.h"

/* Positions that a task checks. */
enum { POSITIONS_AT_ONCE = 16384 };

/* What the tasks of one refit share. */
typedef struct refit {
  const mo_refit_kernels *kernels;
  mo_mesh *mesh;
  mo_positions positions;
  atomic_bool faulty; /* some position is not legal */
} refit;

/* The end of task `index` over `count` items, `at_once` a task. */
static uint32_t end_of(uint32_t index, uint32_t count, uint32_t at_once) {
  uint32_t begin = index * at_once;
  return count - begin < at_once ? count : begin + at_once;
}

static void check_some(uint32_t index, void *context) {
  refit *r = context;
  uint32_t end = end_of(index, r->positions.count, POSITIONS_AT_ONCE);
  if (!r->kernels->check(&r->positions, index * POSITIONS_AT_ONCE, end)) {
    atomic_store_explicit(&r->faulty, true, memory_order_relaxed);
  }
}

static void refit_some(uint32_t index, void *context) {
  const refit *r = context;
  uint32_t end = end_of(index, r->mesh->node_count, MO_REFIT_RUN);
  r->kernels->run(r->mesh, &r->positions, index * MO_REFIT_RUN, end);
}

static uint32_t task_count(uint32_t count, uint32_t at_once) {
  return count / at_once + (count % at_once != 0);
}

static void check_all(refit *r) {
  mo_tasks_run(&r->mesh->host, task_count(r->positions.count, POSITIONS_AT_ONCE), check_some, r);
}

static void refit_all(refit *r) {
  mo_tasks_run(&r->mesh->host, task_count(r->mesh->node_count, MO_REFIT_RUN), refit_some, r);
  r->kernels->upper(r->mesh);
}

const mo_refit_kernels *mo_refit_kernels_for(mo_isa isa) {
  static const mo_refit_kernels *const kernels[MO_ISA_COUNT] = MO_ISA_TABLE(&mo_refit_kernels);
  return kernels[isa];
}

double mo_refit_visits(const mo_refit_node *node) {
  double area = mo_aabb_half_area(mo_box4_get(&node->box));
  return area > 0.0 ? 1.0 + node->work / area : 1.0;
}

static void list_vertices(mo_mesh *mesh, const mo_mesh_def *def) {
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    mo_triangle_block *block = &mesh->blocks[b];
    block->id[2] |= MO_LANE_SOME_DEGENERATE; /* whenever vertices move */
    for (uint32_t lane = 0; lane < MO_WIDTH; lane++) {
      uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      triangle = triangle == MO_LANE_EMPTY ? block->id[0] & MO_LANE_TRIANGLE : triangle;
      for (uint32_t corner = 0; corner < 3; corner++) {
        mesh->deformation->vertices[b].vertex[corner][lane] =
            mo_index_at(def, 3 * (size_t)triangle + corner);
      }
    }
  }
}

/* Finds the nodes whose subtree leaves their run. */
static void find_upper(mo_mesh *mesh) {
  mo_deformation *d = mesh->deformation;
  d->upper_count = 0;
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    d->nodes[n].is_upper = false;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = mesh->nodes[n].child[slot];
      if (!mo_child_is_leaf(child) &&
          (child / MO_REFIT_RUN != n / MO_REFIT_RUN || d->nodes[child].is_upper)) {
        d->nodes[n].is_upper = true;
      }
    }
    if (d->nodes[n].is_upper) {
      d->upper[d->upper_count++] = n;
    }
  }
}

/* As the kernels do, in the same order. */
static void measure_node(mo_mesh *mesh, uint32_t n) {
  mo_deformation *d = mesh->deformation;
  const mo_mesh_node *node = &mesh->nodes[n];
  mo_aabb box = mo_bounds8_union(&node->bounds);
  double work = 0.0;
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot];
    if (child != MO_CHILD_EMPTY && mo_child_is_leaf(child)) {
      uint32_t first = mo_child_index(child), b = first;
      while (!(mesh->blocks[b].id[0] & MO_LANE_LAST)) {
        b++;
      }
      work += mo_aabb_half_area(mo_bounds8_get(&node->bounds, slot)) * (b - first + 1);
    }
  }
  for (int slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot];
    if (!mo_child_is_leaf(child)) {
      work += mo_aabb_half_area(mo_bounds8_get(&node->bounds, slot)) + d->nodes[child].work;
    }
  }
  d->nodes[n].box = (mo_box4){{box.lower.x, box.lower.y, box.lower.z, 0.0f},
                              {box.upper.x, box.upper.y, box.upper.z, 0.0f}};
  d->nodes[n].work = work;
}

void mo_refit_measure(mo_mesh *mesh) {
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    measure_node(mesh, n);
  }
  find_upper(mesh);
}

bool mo_deformation_make(mo_deformation *d, const mo_allocator *allocator, uint32_t nodes,
                         uint32_t blocks) {
  *d = (mo_deformation){.node_capacity = nodes, .block_capacity = blocks};
  d->nodes = mo_allocate(allocator, nodes, sizeof *d->nodes);
  d->built_visits = mo_allocate(allocator, nodes, sizeof *d->built_visits);
  d->upper = mo_allocate(allocator, nodes, sizeof *d->upper);
  d->vertices = mo_allocate(allocator, blocks, sizeof *d->vertices);
  return d->nodes != NULL && d->built_visits != NULL && d->upper != NULL &&
         (d->vertices != NULL || blocks == 0);
}

void mo_deformation_free(mo_deformation *d, const mo_allocator *allocator) {
  mo_deallocate(allocator, d->vertices, d->block_capacity, sizeof *d->vertices);
  mo_deallocate(allocator, d->nodes, d->node_capacity, sizeof *d->nodes);
  mo_deallocate(allocator, d->built_visits, d->node_capacity, sizeof *d->built_visits);
  mo_deallocate(allocator, d->upper, d->node_capacity, sizeof *d->upper);
}

mo_result mo_mesh_make_deformable(mo_mesh *mesh, const mo_mesh_def *def) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mesh->deformation = mo_allocate(allocator, 1, sizeof *mesh->deformation);
  if (mesh->deformation == NULL ||
      !mo_deformation_make(mesh->deformation, allocator, mesh->node_count, mesh->block_count)) {
    return MO_ERROR_OUT_OF_MEMORY; /* what there is goes with the mesh */
  }
  list_vertices(mesh, def);
  mo_refit_measure(mesh);
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    mesh->deformation->built_visits[n] = mo_refit_visits(&mesh->deformation->nodes[n]);
  }
  return MO_OK;
}

void mo_deformation_destroy(mo_mesh *mesh) {
  if (mesh->deformation != NULL) {
    mo_deformation_free(mesh->deformation, &mesh->host.allocator);
    mo_deallocate(&mesh->host.allocator, mesh->deformation, 1, sizeof *mesh->deformation);
    mesh->deformation = NULL;
  }
}

size_t mo_deformation_bytes(const mo_mesh *mesh) {
  const mo_deformation *d = mesh->deformation;
  return d == NULL ? 0
                   : sizeof *d + d->block_capacity * sizeof *d->vertices +
                         d->node_capacity *
                             (sizeof *d->nodes + sizeof *d->built_visits + sizeof *d->upper);
}

/* What is wrong with the positions that triangles use; vertices that none uses may be anything. */
static mo_result find_fault(const mo_mesh *mesh, const mo_positions *positions) {
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const mo_block_vertices *block = &mesh->deformation->vertices[mesh->places[t] >> 3];
    for (uint32_t corner = 0; corner < 3; corner++) {
      mo_vec3 p = mo_position_at(positions, block->vertex[corner][mesh->places[t] & 7]);
      if (!mo_is_finite(p)) {
        return MO_ERROR_NOT_FINITE;
      }
      if (fabsf(p.x) > MO_MAX_COORDINATE || fabsf(p.y) > MO_MAX_COORDINATE ||
          fabsf(p.z) > MO_MAX_COORDINATE) {
        return MO_ERROR_OUT_OF_RANGE;
      }
    }
  }
  return MO_OK;
}

mo_mesh_refit_info mo_refit_info(const mo_mesh *mesh) {
  double visits = mo_refit_visits(&mesh->deformation->nodes[0]);
  double built = mesh->deformation->built_visits[0];
  return (mo_mesh_refit_info){visits, built, visits / built};
}

mo_result mo_mesh_refit(mo_mesh *mesh, const void *positions, size_t position_stride,
                        uint32_t vertex_count, mo_mesh_refit_info *info) {
  if (mesh == NULL || (positions == NULL && mesh->triangle_count > 0)) {
    return MO_ERROR_NULL_ARGUMENT;
  }
  if (mesh->deformation == NULL) {
    return MO_ERROR_UNSUPPORTED;
  }
  if (vertex_count != mesh->vertex_count || position_stride < sizeof(mo_vec3)) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  if (vertex_count > SIZE_MAX / position_stride) {
    return MO_ERROR_TOO_MANY;
  }
  const mo_deformation *d = mesh->deformation;
  if (mesh->triangle_count > 0) {
    refit r = {
        mo_refit_kernels_for(mesh->isa), mesh, {positions, position_stride, vertex_count}, false};
    check_all(&r);
    mo_result result = r.faulty ? find_fault(mesh, &r.positions) : MO_OK;
    if (result != MO_OK) {
      return result;
    }
    refit_all(&r);
    mo_mesh_set_bounds(mesh, mo_box4_get(&d->nodes[0].box));
  }
  if (info != NULL) {
    *info = mo_refit_info(mesh);
  }
  return MO_OK;
}
