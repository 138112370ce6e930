/* Refitting leaves and nodes; compiled once per instruction set. */
#include "base/inline.h"
#include "mesh/refit.h"

static double half_area(const mo_box4 *box) {
  double x = (double)box->upper[0] - (double)box->lower[0];
  double y = (double)box->upper[1] - (double)box->lower[1];
  double z = (double)box->upper[2] - (double)box->lower[2];
  return x * y + y * z + z * x;
}

static void set_bounds(mo_bounds8 *bounds, uint32_t slot, const mo_box4 *box) {
  mo_bounds8_set(bounds, (int)slot, mo_box4_get(box));
}

/* Whether a block has the last vertex of the array. */
static inline bool has_vertex(const mo_block_vertices *block, uint32_t vertex) {
  return (mo_u8_equal(block->vertex[0], UINT32_MAX, vertex) |
          mo_u8_equal(block->vertex[1], UINT32_MAX, vertex) |
          mo_u8_equal(block->vertex[2], UINT32_MAX, vertex)) != 0;
}

/* How many blocks ahead memory is asked for. */
enum { PREFETCH_FAR = 12, PREFETCH_NEAR = 3, PREFETCH_VERTICES = 20 };

/* Asks early for memory that is written or read in order: what the processor would foresee, it
 * foresees too late. In two steps, as there are few requests that the first level of the cache has
 * open at once, and each would be so for long. (Inlined, as GCC 12 leaves out calls of a function
 * that only prefetches.) */
MO_INLINE void prefetch(const mo_triangle_block *block, const mo_block_vertices *from) {
  for (size_t line = 0; line < sizeof *block / MO_ALIGNMENT; line++) {
    __builtin_prefetch((const char *)(block + PREFETCH_FAR) + line * MO_ALIGNMENT, 0, 2);
    __builtin_prefetch((const char *)(block + PREFETCH_NEAR) + line * MO_ALIGNMENT, 1);
  }
  __builtin_prefetch((const char *)(from + PREFETCH_VERTICES));
  __builtin_prefetch((const char *)(from + PREFETCH_VERTICES) + MO_ALIGNMENT);
}

MO_INLINE void refit_leaves(mo_mesh *mesh, const mo_positions *positions, size_t stride,
                            uint32_t begin, uint32_t end) {
  const mo_block_vertices *vertices = mesh->deformation->vertices;
  const uint32_t last_vertex = positions->count - 1;
  for (uint32_t n = begin; n < end; n++) {
    mo_mesh_node *node = &mesh->nodes[n];
    mo_box4 whole = mo_gathering_box(mo_gathering_empty());
    double work = 0.0;
    for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
      uint32_t child = node->child[slot];
      if (!mo_child_is_leaf(child) || child == MO_CHILD_EMPTY) {
        continue;
      }
      uint32_t first = mo_child_index(child), b = first;
      mo_gathering gathering = mo_gathering_empty();
      for (;; b++) {
        mo_triangle_block *block = &mesh->blocks[b];
        const mo_block_vertices *from = &vertices[b];
        prefetch(block, from);
        if (__builtin_expect(has_vertex(from, last_vertex), false)) {
          for (int i = 0; i < 3; i++) {
            mo_take_vertices(positions, stride, from->vertex[i], true, block->corner[i],
                             &gathering);
          }
        } else {
          for (int i = 0; i < 3; i++) {
            mo_take_vertices(positions, stride, from->vertex[i], false, block->corner[i],
                             &gathering);
          }
        }
        if (block->id[0] & MO_LANE_LAST) {
          break;
        }
      }
      mo_box4 box = mo_gathering_box(gathering);
      set_bounds(&node->bounds, slot, &box);
      work += half_area(&box) * (b - first + 1);
      whole = mo_box4_union(&whole, &box);
    }
    mesh->deformation->nodes[n].box = whole;
    mesh->deformation->nodes[n].work = work;
  }
}

/* The usual distances between positions are known to the compiler. */
static void leaves(mo_mesh *mesh, const mo_positions *positions, uint32_t begin, uint32_t end) {
  if (positions->stride == 12) {
    refit_leaves(mesh, positions, 12, begin, end);
  } else if (positions->stride == 16) {
    refit_leaves(mesh, positions, 16, begin, end);
  } else {
    refit_leaves(mesh, positions, positions->stride, begin, end);
  }
}

/* Adds to what a node's leaves gave what its inner children give. */
static void add_children(mo_mesh *mesh, uint32_t n) {
  mo_mesh_node *node = &mesh->nodes[n];
  mo_refit_node *result = &mesh->deformation->nodes[n];
  for (uint32_t slot = 0; slot < MO_WIDTH; slot++) {
    uint32_t child = node->child[slot];
    if (!mo_child_is_leaf(child)) {
      const mo_refit_node *part = &mesh->deformation->nodes[child];
      set_bounds(&node->bounds, slot, &part->box);
      result->work += half_area(&part->box) + part->work;
      result->box = mo_box4_union(&result->box, &part->box);
    }
  }
}

/* Children have higher indices than their parents. */
static void run(mo_mesh *mesh, const mo_positions *positions, uint32_t begin, uint32_t end) {
  leaves(mesh, positions, begin, end);
  for (uint32_t n = end; n-- > begin;) {
    if (!mesh->deformation->nodes[n].is_upper) {
      add_children(mesh, n);
    }
  }
}

static void upper(mo_mesh *mesh) {
  const mo_deformation *deformation = mesh->deformation;
  for (uint32_t i = 0; i < deformation->upper_count; i++) {
    add_children(mesh, deformation->upper[i]);
  }
}

static bool check(const mo_positions *positions, uint32_t begin, uint32_t end) {
  return mo_positions_within(positions, begin, end, MO_MAX_COORDINATE);
}

const mo_refit_kernels MO_ISA_FN(mo_refit_kernels) = {check, run, upper};
