/* Deformable meshes: the data that refitting needs (refit.h), and mo_mesh_refit. */
#include "mesh/refit/refit.h"

#include "base/tasks.h"
#include "mesh/build/build.h"

/* The number of positions that a task checks. */
enum { POSITIONS_PER_TASK = 16384 };

/* The context of the tasks of a refit. */
typedef struct refit_state {
  const mo_refit_kernels *kernels;
  mo_mesh *mesh;
  mo_positions positions;
  atomic_bool has_invalid_position; /* set by a task that finds an invalid position */
} refit_state;

static void check_task(uint32_t index, void *context) {
  refit_state *r = context;
  uint32_t begin = index * POSITIONS_PER_TASK, left = r->positions.count - begin;
  uint32_t end = begin + (left < POSITIONS_PER_TASK ? left : POSITIONS_PER_TASK);
  if (!r->kernels->check_positions(&r->positions, begin, end)) {
    atomic_store_explicit(&r->has_invalid_position, true, memory_order_relaxed);
  }
}

static void refit_task(uint32_t index, void *context) {
  const refit_state *r = context;
  r->kernels->refit_run(r->mesh, &r->positions, index);
}

static uint32_t task_count(uint32_t count, uint32_t at_once) {
  return count / at_once + (count % at_once != 0);
}

double mo_refit_visits(const mo_refit_node *node) {
  double area = mo_aabb_half_area(mo_padded_aabb_get(&node->box));
  return area > 0.0 ? 1.0 + node->half_area_sum / area : 1.0;
}

static bool store_vertices(mo_mesh *mesh, const mo_mesh_def *def) {
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    mo_triangle_block *block = &mesh->blocks[b];
    mo_listed_vertices vertices;
    block->id[2] |= MO_LANE_SOME_DEGENERATE; /* its triangles may become degenerate later */
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      uint32_t triangle = block->id[lane] & MO_LANE_TRIANGLE;
      triangle = triangle == MO_LANE_EMPTY ? block->id[0] & MO_LANE_TRIANGLE : triangle;
      for (uint32_t corner = 0; corner < 3; corner++) {
        vertices.vertex[corner][lane] = mo_vertex_index_at(def, 3 * (size_t)triangle + corner);
      }
    }
    if (!mo_deformation_set_vertices(mesh->deformation, &mesh->host.allocator, b, &vertices,
                                     mesh->vertex_count - 1)) {
      return false;
    }
  }
  return true;
}

/* Classifies a node's children and computes the data of the node that the kernels would compute. */
static void compute_refit_node(mo_mesh *mesh, uint32_t n) {
  mo_deformation *d = mesh->deformation;
  const mo_mesh_node *node = &mesh->nodes[n];
  mo_aabb box = mo_bounds8_union(&node->bounds);
  mo_refit_node result = {.box = {{box.lower.x, box.lower.y, box.lower.z, 0.0f},
                                  {box.upper.x, box.upper.y, box.upper.z, 0.0f}}};
  int32_t *visits = d->weights[n].visits;
  uint32_t run = MO_NONE; /* run of the children so far; MO_NONE before the first */
  for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
    uint32_t child = node->child[slot], child_run = run;
    if (!mo_child_is_leaf(child)) {
      result.inner_slots = (uint8_t)(result.inner_slots | 1u << slot);
      visits[slot] = 1;
      child_run = d->nodes[child].run;
    } else if (child != MO_CHILD_EMPTY) {
      visits[slot] = (int32_t)mo_count_leaf_blocks(mesh, mo_child_index(child));
      uint32_t last = mo_child_index(child) + (uint32_t)visits[slot] - 1;
      d->leaf_ending_at[last] = n << 3 | slot;
      child_run = last / MO_REFIT_BLOCKS_PER_RUN;
    } else {
      visits[slot] = 0;
    }
    run = run == MO_NONE || run == child_run ? child_run : d->run_count;
  }
  result.run = run == MO_NONE ? d->run_count : run;
  d->nodes[n] = result;
  d->nodes[n].half_area_sum = mo_refit_half_area_sum(mesh, n);
}

static void assign_nodes_to_runs(mo_mesh *mesh) {
  mo_deformation *d = mesh->deformation;
  uint32_t begin = 0;
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    if (b % MO_REFIT_BLOCKS_PER_RUN == 0) {
      d->runs[b / MO_REFIT_BLOCKS_PER_RUN] = (mo_refit_run){.first_block = begin};
    }
    begin = d->leaf_ending_at[b] != MO_NONE ? b + 1 : begin;
  }
  d->runs[d->run_count] = (mo_refit_run){.first_block = mesh->block_count};
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    d->runs[d->nodes[n].run].first_node++; /* here counts the nodes of the run */
  }
  uint32_t end = 0;
  for (uint32_t r = 0; r <= d->run_count; r++) {
    end += d->runs[r].first_node;
    d->runs[r].first_node = end;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    d->order[--d->runs[d->nodes[n].run].first_node] = n;
  }
}

void mo_refit_compute_nodes(mo_mesh *mesh) {
  mo_deformation *d = mesh->deformation;
  d->run_count = task_count(mesh->block_count, MO_REFIT_BLOCKS_PER_RUN);
  for (uint32_t b = 0; b < mesh->block_count; b++) {
    d->leaf_ending_at[b] = MO_NONE;
  }
  for (uint32_t n = mesh->node_count; n-- > 0;) {
    compute_refit_node(mesh, n);
  }
  assign_nodes_to_runs(mesh);
}

static uint32_t max_run_count(const mo_deformation *d) {
  return task_count(d->block_capacity, MO_REFIT_BLOCKS_PER_RUN) + 1;
}

bool mo_deformation_allocate_arrays(mo_deformation *d, const mo_allocator *allocator,
                                    uint32_t nodes, uint32_t blocks) {
  *d = (mo_deformation){.node_capacity = nodes, .block_capacity = blocks};
  d->nodes = mo_allocate(allocator, nodes, sizeof *d->nodes);
  d->weights = mo_allocate(allocator, nodes, sizeof *d->weights);
  d->built_visits = mo_allocate(allocator, nodes, sizeof *d->built_visits);
  d->order = mo_allocate(allocator, nodes, sizeof *d->order);
  d->runs = mo_allocate(allocator, max_run_count(d), sizeof *d->runs);
  d->slots = mo_allocate(allocator, blocks, sizeof *d->slots);
  d->leaf_ending_at = mo_allocate(allocator, blocks, sizeof *d->leaf_ending_at);
  return d->nodes != NULL && d->weights != NULL && d->built_visits != NULL && d->order != NULL &&
         d->runs != NULL && ((d->slots != NULL && d->leaf_ending_at != NULL) || blocks == 0);
}

void mo_deformation_free_arrays(mo_deformation *d, const mo_allocator *allocator) {
  mo_deallocate(allocator, d->slots, d->block_capacity, sizeof *d->slots);
  mo_deallocate(allocator, d->leaf_ending_at, d->block_capacity, sizeof *d->leaf_ending_at);
  mo_deallocate(allocator, d->listed, d->listed_capacity, sizeof *d->listed);
  mo_deallocate(allocator, d->nodes, d->node_capacity, sizeof *d->nodes);
  mo_deallocate(allocator, d->weights, d->node_capacity, sizeof *d->weights);
  mo_deallocate(allocator, d->built_visits, d->node_capacity, sizeof *d->built_visits);
  mo_deallocate(allocator, d->order, d->node_capacity, sizeof *d->order);
  mo_deallocate(allocator, d->runs, max_run_count(d), sizeof *d->runs);
}

mo_result mo_mesh_make_deformable(mo_mesh *mesh, const mo_mesh_def *def) {
  const mo_allocator *allocator = &mesh->host.allocator;
  mesh->deformation = mo_allocate(allocator, 1, sizeof *mesh->deformation);
  if (mesh->deformation == NULL ||
      !mo_deformation_allocate_arrays(mesh->deformation, allocator, mesh->node_count,
                                      mesh->block_count) ||
      !store_vertices(mesh, def)) {
    return MO_ERROR_OUT_OF_MEMORY; /* the mesh frees the arrays allocated so far */
  }
  mo_refit_compute_nodes(mesh);
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    mesh->deformation->built_visits[n] = mo_refit_visits(&mesh->deformation->nodes[n]);
  }
  return MO_OK;
}

void mo_deformation_destroy(mo_mesh *mesh) {
  if (mesh->deformation != NULL) {
    mo_deformation_free_arrays(mesh->deformation, &mesh->host.allocator);
    mo_deallocate(&mesh->host.allocator, mesh->deformation, 1, sizeof *mesh->deformation);
    mesh->deformation = NULL;
  }
}

size_t mo_deformation_bytes(const mo_mesh *mesh) {
  const mo_deformation *d = mesh->deformation;
  if (d == NULL) {
    return 0;
  }
  size_t a_node =
      sizeof *d->nodes + sizeof *d->weights + sizeof *d->built_visits + sizeof *d->order;
  return sizeof *d + d->block_capacity * (sizeof *d->slots + sizeof *d->leaf_ending_at) +
         d->listed_capacity * sizeof *d->listed + d->node_capacity * a_node +
         max_run_count(d) * sizeof *d->runs;
}

/* Reports the first invalid vertex that a triangle uses; unused vertices may be invalid. */
static MO_COLD mo_result refuse_vertex(const mo_mesh *mesh, const mo_positions *positions,
                                       size_t *bad) {
  uint32_t first = MO_NONE;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    for (uint32_t corner = 0; corner < 3; corner++) {
      uint32_t vertex = mo_deformation_vertex(mesh->deformation, mesh->triangle_places[t], corner);
      if (vertex < first && mo_check_point(mo_position_at(positions, vertex), NULL, "") != MO_OK) {
        first = vertex;
      }
    }
  }
  if (first == MO_NONE) {
    return MO_OK;
  }
  *bad = first;
  mo_refusal refusal = mo_refusal_of(&mesh->host, "mo_mesh_refit", "positions");
  refusal.index = first;
  return mo_check_point(mo_position_at(positions, first), &refusal, "");
}

mo_mesh_refit_info mo_refit_info(const mo_mesh *mesh) {
  double visits = mo_refit_visits(&mesh->deformation->nodes[0]);
  double built = mesh->deformation->built_visits[0];
  return (mo_mesh_refit_info){visits, built, visits / built};
}

mo_result mo_check_position_array(const mo_host *host, const char *function,
                                  const mo_positions *positions, uint32_t vertex_count) {
  mo_refusal refusal = mo_refusal_of(host, function, "vertex_count");
  if (positions->count != vertex_count) {
    return mo_refuse(&refusal, MO_ERROR_INVALID_ARGUMENT, " is %u, but the mesh was made with %u",
                     positions->count, vertex_count);
  }
  refusal.name = "position_stride";
  if (positions->stride < sizeof(mo_vec3)) {
    return mo_refuse_number(&refusal, MO_ERROR_INVALID_ARGUMENT, "", (double)positions->stride,
                            "below 12");
  }
  if (positions->count > SIZE_MAX / positions->stride) {
    return mo_refuse_number(&refusal, MO_ERROR_TOO_MANY, "", (double)positions->stride,
                            "more than memory can hold");
  }
  return MO_OK;
}

static mo_result check_refit(const mo_mesh *mesh, const mo_positions *positions) {
  const mo_refusal refusal = mo_refusal_of(&mesh->host, "mo_mesh_refit", "mesh");
  return mesh->deformation != NULL
             ? mo_check_position_array(&mesh->host, "mo_mesh_refit", positions, mesh->vertex_count)
             : mo_refuse(&refusal, MO_ERROR_UNSUPPORTED, " was not built as deformable");
}

mo_result mo_mesh_refit(mo_mesh *mesh, const void *positions, size_t position_stride,
                        uint32_t vertex_count, mo_mesh_refit_info *info, size_t *first_bad) {
  size_t bad = MO_NO_INDEX;
  if (mesh == NULL || (positions == NULL && mesh->triangle_count > 0)) {
    mo_set_first_bad(first_bad, bad);
    return mo_refuse_null(mo_mesh_host(mesh), __func__, "positions");
  }
  refit_state r = {.mesh = mesh, .positions = {positions, position_stride, vertex_count}};
  mo_result result = check_refit(mesh, &r.positions);
  if (result == MO_OK && mesh->triangle_count > 0) {
    r.kernels = mo_refit_kernels_by_isa[mesh->isa];
    mo_tasks_run(&mesh->host, task_count(vertex_count, POSITIONS_PER_TASK), check_task, &r);
    result = r.has_invalid_position ? refuse_vertex(mesh, &r.positions, &bad) : MO_OK;
    if (result == MO_OK) {
      mo_tasks_run(&mesh->host, mesh->deformation->run_count, refit_task, &r);
      r.kernels->refit_remaining_nodes(mesh);
      mo_mesh_set_bounds(mesh, mo_padded_aabb_get(&mesh->deformation->nodes[0].box));
    }
  }
  if (result != MO_OK) {
    mo_set_first_bad(first_bad, bad);
  } else if (info != NULL) {
    *info = mo_refit_info(mesh);
  }
  return result;
}
