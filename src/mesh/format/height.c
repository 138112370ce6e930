/* Reads single triangles of height fields, and how the surface continues across their edges. */
#include "mesh/format/height.h"

#include "geometry/triangle/orient.h"

/* Builds the words of mo_height_pattern, which have a nibble per lane. Each cell has two lanes, one
 * per triangle. Their nibbles are `forward`, or `backward` if the cell's bit in `flips` is set,
 * added to the nibbles of the cell's first vertex (`first`). */
#define CELL(flips, cell, forward, backward)                                                       \
  ((((flips) >> (cell)&1) != 0 ? (backward) : (forward)) << (8 * (cell)))
#define CELLS(flips, first, forward, backward)                                                     \
  ((first) + (CELL(flips, 0, forward, backward) | CELL(flips, 1, forward, backward) |              \
              CELL(flips, 2, forward, backward) | CELL(flips, 3, forward, backward)))
#define VERTICES(flips, forward, backward) CELLS(flips, 0x55441100u, forward, backward)
#define ROWS(flips, forward, backward) CELLS(flips, 0x11110000u, forward, backward)
#define PATTERN(flips)                                                                             \
  {                                                                                                \
    {VERTICES(flips, 0x00u, 0x50u), VERTICES(flips, 0x54u, 0x14u), VERTICES(flips, 0x15u, 0x41u)}, \
    {                                                                                              \
      ROWS(flips, 0x00u, 0x10u), ROWS(flips, 0x11u, 0x01u), ROWS(flips, 0x01u, 0x10u)              \
    }                                                                                              \
  }

const mo_height_pattern mo_height_patterns[16] = {
    PATTERN(0u),  PATTERN(1u),  PATTERN(2u),  PATTERN(3u),  PATTERN(4u),  PATTERN(5u),
    PATTERN(6u),  PATTERN(7u),  PATTERN(8u),  PATTERN(9u),  PATTERN(10u), PATTERN(11u),
    PATTERN(12u), PATTERN(13u), PATTERN(14u), PATTERN(15u),
};

#define LANE(holes, cell) ((holes) >> (cell)&1 ? MO_LANE_EMPTY : 0u)
#define HOLE_IDS(holes)                                                                            \
  {                                                                                                \
    LANE(holes, 0) | MO_LANE_LAST_BLOCK, LANE(holes, 0), LANE(holes, 1), LANE(holes, 1),           \
        LANE(holes, 2), LANE(holes, 2), LANE(holes, 3), LANE(holes, 3)                             \
  }

alignas(MO_ALIGNMENT) const uint32_t mo_height_hole_ids[16][MO_LANE_COUNT] = {
    HOLE_IDS(0),  HOLE_IDS(1),  HOLE_IDS(2),  HOLE_IDS(3),  HOLE_IDS(4),  HOLE_IDS(5),
    HOLE_IDS(6),  HOLE_IDS(7),  HOLE_IDS(8),  HOLE_IDS(9),  HOLE_IDS(10), HOLE_IDS(11),
    HOLE_IDS(12), HOLE_IDS(13), HOLE_IDS(14), HOLE_IDS(15),
};

/* A sample or a cell. */
typedef struct grid_point {
  uint32_t column, row;
} grid_point;

static grid_point cell_of(const mo_height_field *field, uint32_t triangle) {
  const uint32_t cell = triangle / 2;
  return (grid_point){cell % field->cell_columns, cell / field->cell_columns};
}

static bool has_backward_diagonal(const mo_height_field *field, grid_point cell) {
  const uint32_t flips = mo_height_block_backward_diagonals(field, cell.column / 2, cell.row / 2);
  return flips >> (cell.column % 2 + cell.row % 2 * 2) & 1;
}

/* The vertices of a triangle, as samples. */
static void find_vertices(const mo_height_field *field, grid_point cell, uint32_t half,
                          grid_point vertex[3]) {
  static const uint8_t steps[2][2][3][2] = {{{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}},
                                            {{{0, 0}, {0, 1}, {1, 0}}, {{1, 1}, {1, 0}, {0, 1}}}};
  const uint8_t(*step)[2] = steps[has_backward_diagonal(field, cell)][half];
  for (int i = 0; i < 3; i++) {
    vertex[i] = (grid_point){cell.column + step[i][0], cell.row + step[i][1]};
  }
}

static mo_vec3 position_of(const mo_height_field *field, grid_point vertex) {
  return mo_height_vertex_at(field, vertex.column, vertex.row);
}

uint32_t mo_height_node_index(const mo_height_field *field, uint32_t node) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  return level->first + at.row * level->columns + at.column;
}

uint32_t mo_height_node_of_index(const mo_height_field *field, uint32_t index) {
  uint32_t depth = field->level_count - 1;
  while (field->level[depth].first > index) {
    depth--;
  }
  const mo_height_level *level = &field->level[depth];
  index -= level->first;
  return mo_height_node_at(
      (mo_height_position){depth, index % level->columns, index / level->columns});
}

mo_triangle_place mo_height_triangle_place(const mo_height_field *field, uint32_t triangle) {
  const grid_point cell = cell_of(field, triangle);
  const uint32_t block = cell.row / 2 << MO_HEIGHT_BLOCK_BITS | cell.column / 2;
  return block << 3 | cell.row % 2 << 2 | cell.column % 2 << 1 | (triangle & 1);
}

void mo_height_corners_at(const mo_height_field *field, mo_triangle_place place,
                          mo_vec3 corners[3]) {
  const uint32_t block = place >> 3, block_column = block & ((1u << MO_HEIGHT_BLOCK_BITS) - 1),
                 block_row = block >> MO_HEIGHT_BLOCK_BITS;
  grid_point vertex[3];
  find_vertices(field,
                (grid_point){2 * block_column + (place >> 1 & 1), 2 * block_row + (place >> 2 & 1)},
                place & 1, vertex);
  for (int i = 0; i < 3; i++) {
    corners[i] = position_of(field, vertex[i]);
  }
}

uint32_t mo_height_material_of(const mo_height_field *field, uint32_t triangle) {
  return field->materials != NULL ? field->materials[triangle / 2] : 0;
}

bool mo_height_has_triangle(const mo_height_field *field, uint32_t triangle) {
  const grid_point cell = cell_of(field, triangle);
  return !mo_height_bit(field, field->holes, cell.column, cell.row);
}

/* Finds the third vertex of the triangle on the other side of an edge from `a` to `b` of a triangle
 * of `cell`, whose third vertex is `opposite`. Returns false if there is none. */
static bool find_neighbor(const mo_height_field *field, grid_point cell, grid_point a, grid_point b,
                          grid_point opposite, grid_point *neighbor) {
  if (a.column != b.column && a.row != b.row) { /* the diagonal */
    *neighbor = (grid_point){a.column + b.column - opposite.column, a.row + b.row - opposite.row};
    return true;
  }
  const bool along_z = a.column == b.column;
  if (along_z) {
    cell.column = a.column == cell.column ? cell.column - 1 : cell.column + 1;
  } else {
    cell.row = a.row == cell.row ? cell.row - 1 : cell.row + 1;
  }
  if (cell.column >= field->cell_columns || cell.row >= field->cell_rows ||
      mo_height_bit(field, field->holes, cell.column, cell.row)) {
    return false;
  }
  /* Of the triangle with this side, the third vertex is the end of the diagonal that is not on the
   * side. */
  const uint32_t backward = has_backward_diagonal(field, cell);
  const grid_point upper = {cell.column + backward, cell.row},
                   lower = {cell.column + 1 - backward, cell.row + 1};
  const bool upper_is_on_side = along_z ? upper.column == a.column : upper.row == a.row;
  *neighbor = upper_is_on_side ? lower : upper;
  return true;
}

/* The vertices of the triangles at an edge. */
typedef struct edge_vertices {
  grid_point a, b, opposite; /* the ends of the edge, and the third vertex of its triangle */
  grid_point neighbor;       /* the third vertex of the triangle on the other side */
} edge_vertices;

/* Returns false if there is no triangle on the other side. */
static bool find_edge_vertices(const mo_height_field *field, uint32_t triangle, int edge,
                               edge_vertices *found) {
  const grid_point cell = cell_of(field, triangle);
  grid_point vertex[3];
  find_vertices(field, cell, triangle & 1, vertex);
  found->a = vertex[edge];
  found->b = vertex[(edge + 1) % 3];
  found->opposite = vertex[(edge + 2) % 3];
  return find_neighbor(field, cell, found->a, found->b, found->opposite, &found->neighbor);
}

bool mo_height_edge_is_open(const mo_height_field *field, uint32_t triangle, int edge) {
  edge_vertices v;
  return !find_edge_vertices(field, triangle, edge, &v);
}

bool mo_height_has_open_edge(const mo_height_field *field, uint32_t triangle) {
  const grid_point cell = cell_of(field, triangle);
  const bool is_inner = cell.column > 0 && cell.column + 1 < field->cell_columns && cell.row > 0 &&
                        cell.row + 1 < field->cell_rows;
  bool open = false;
  for (int i = 0; i < 3 && !(is_inner && field->runs == NULL); i++) { /* without holes */
    open = open || mo_height_edge_is_open(field, triangle, i);
  }
  return open;
}

/* As classify_edges of mesh/build/edges.c: a side of a grid has at most two triangles, which never
 * fold back over each other. */
mo_mesh_edge mo_height_edge_at(const mo_height_field *field, uint32_t triangle, int edge) {
  edge_vertices v;
  if (!find_edge_vertices(field, triangle, edge, &v)) {
    return MO_MESH_EDGE_OPEN;
  }
  const mo_vec3 corners[4] = {position_of(field, v.a), position_of(field, v.b),
                              position_of(field, v.opposite), position_of(field, v.neighbor)};
  if (corners[0].y == corners[1].y && corners[0].y == corners[2].y &&
      corners[0].y == corners[3].y) {
    return MO_MESH_EDGE_FLAT; /* often so, and exact arithmetic takes long to find it */
  }
  const double side = mo_orientation(corners, 1.0);
  return side < 0.0 ? MO_MESH_EDGE_CONVEX : side > 0.0 ? MO_MESH_EDGE_CONCAVE : MO_MESH_EDGE_FLAT;
}

/* The triangles of a cell, and all cells of a run, are connected and face up. */
uint32_t mo_height_sheet_of(const mo_height_field *field, uint32_t triangle) {
  if (field->runs == NULL) {
    return 0;
  }
  const grid_point cell = cell_of(field, triangle);
  uint32_t low = field->row_runs[cell.row], high = field->row_runs[cell.row + 1];
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (field->runs[middle].end <= cell.column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  MO_ASSERT(low < field->row_runs[cell.row + 1] && field->runs[low].begin <= cell.column);
  return field->runs[low].sheet << 1;
}

mo_nested_planes mo_height_nested_planes(const mo_height_field *field, uint32_t node) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  const uint32_t columns = 1u << level->column_shift;
  mo_nested_planes planes;
  memset(&planes, 0, sizeof planes);
  planes.count = MO_LANE_COUNT - 1;
  /* Plane 0 splits all slots in halves, 1 and 2 split these, 3 to 6 split what is left in two. */
  for (uint32_t plane = 0; plane < planes.count; plane++) {
    const uint32_t width = plane == 0  ? 8
                           : plane < 3 ? 4
                                       : 2,
                   first = plane == 0  ? 0
                           : plane < 3 ? 4 * (plane - 1)
                                       : 2 * (plane - 3),
                   middle = first + width / 2;
    const bool along_z = width > columns;
    planes.axis[plane] = along_z ? 2 : 0;
    planes.position[plane] =
        along_z ? ((float)(at.row << level->cell_row_shift) + level->row_begin[middle]) *
                      field->row_spacing
                : ((float)(at.column << level->cell_column_shift) + level->column_begin[middle]) *
                      field->column_spacing;
    const uint32_t below = width == 2 ? first : MO_LANE_COUNT + 2 * plane + 1,
                   above = width == 2 ? middle : MO_LANE_COUNT + 2 * plane + 2;
    planes.sides[plane] = (uint8_t)(below | above << 4);
  }
  return planes;
}
