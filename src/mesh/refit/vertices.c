/* Stores the vertices of each block of a deformable mesh in few bytes, because refitting is
 * memory-bound and reads them for all blocks.
 *
 * Eight connected triangles have about nine vertices, most of them near each other in the caller's
 * array. So a block stores up to sixteen vertices by their offset from the first, and four bits per
 * corner that select one. Each vertex is loaded once. Blocks that do not fit this form store their
 * vertices in a separate array, corner by corner. */
#include "mesh/refit/refit.h"

enum { MAX_BLOCK_VERTICES = 16 };

/* Finds the distinct vertices of a block; false if they do not fit the compact form. */
static bool find_block_vertices(const mo_listed_vertices *from, uint32_t last,
                                mo_vertex_slots *result) {
  uint32_t slots[MAX_BLOCK_VERTICES], count = 0; /* distinct vertices, ascending */
  for (uint32_t i = 0; i < 3 * MO_LANE_COUNT; i++) {
    uint32_t vertex = from->vertex[i / MO_LANE_COUNT][i % MO_LANE_COUNT], at = count;
    while (at > 0 && slots[at - 1] >= vertex) {
      at--;
    }
    if (at < count && slots[at] == vertex) {
      continue;
    }
    if (count == MAX_BLOCK_VERTICES) {
      return false;
    }
    for (uint32_t k = count++; k > at; k--) {
      slots[k] = slots[k - 1];
    }
    slots[at] = vertex;
  }
  if (slots[count - 1] == last || slots[count - 1] - slots[0] > UINT16_MAX) {
    return false;
  }
  *result = (mo_vertex_slots){.first = slots[0], .count = (uint16_t)count};
  for (uint32_t slot = 1; slot < count; slot++) {
    result->offset[slot - 1] = (uint16_t)(slots[slot] - slots[0]);
  }
  for (uint32_t corner = 0; corner < 3; corner++) {
    for (uint32_t lane = 0; lane < MO_LANE_COUNT; lane++) {
      uint32_t slot = 0;
      while (slots[slot] != from->vertex[corner][lane]) {
        slot++;
      }
      result->order[corner] |= slot << 4 * lane;
    }
  }
  return true;
}

static bool has_vertex(const mo_listed_vertices *vertices, uint32_t vertex) {
  bool has = false;
  for (uint32_t i = 0; i < 3 * MO_LANE_COUNT; i++) {
    has |= vertices->vertex[i / MO_LANE_COUNT][i % MO_LANE_COUNT] == vertex;
  }
  return has;
}

bool mo_deformation_set_vertices(mo_deformation *d, const mo_allocator *allocator, uint32_t block,
                                 const mo_listed_vertices *vertices, uint32_t last) {
  if (find_block_vertices(vertices, last, &d->slots[block])) {
    return true;
  }
  bool ok = mo_array_reserve(allocator, &d->listed, sizeof *d->listed, d->listed_count,
                             &d->listed_capacity, 1);
  if (ok) {
    uint16_t kind = has_vertex(vertices, last) ? MO_VERTICES_LISTED_WITH_LAST : MO_VERTICES_LISTED;
    d->slots[block] = (mo_vertex_slots){.first = d->listed_count, .count = kind};
    d->listed[d->listed_count++] = *vertices;
  }
  return ok;
}

uint32_t mo_deformation_vertex(const mo_deformation *d, mo_triangle_place place, uint32_t corner) {
  const mo_vertex_slots *slots = &d->slots[place >> 3];
  uint32_t lane = place & 7;
  bool is_listed =
      slots->count == MO_VERTICES_LISTED || slots->count == MO_VERTICES_LISTED_WITH_LAST;
  return is_listed ? d->listed[slots->first].vertex[corner][lane]
                   : mo_vertex_of_slot(slots, slots->order[corner] >> 4 * lane & 15);
}
