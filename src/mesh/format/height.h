/* Height fields: meshes whose triangles, blocks and nodes are computed from a grid of samples.
 *
 * A cell lies between four samples, and has two triangles. A block is 2 x 2 cells: eight triangles,
 * one per lane. A leaf is one block. A node has eight children as 4 x 2 or 2 x 4, whichever leaves
 * the tree more square. So what a node or block covers follows from its position in its level, and
 * its number is made of the level and the position.
 *
 * Heights of boxes come from a pyramid of ranges, exact minima and maxima in the type of the
 * samples: each node above the lowest level stores those of its children. Nodes of the lowest
 * level, whose children are blocks, compute them from the samples, since ranges of blocks would
 * take half as much memory as the samples. Conversion of samples to coordinates is monotone, so
 * boxes are tight.
 *
 * The samples are stored with as many rows and columns as the lowest level covers; those beyond the
 * field repeat its last ones, and the cells there are holes. (Compare Tevs, Ihrke and Seidel,
 * "Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height Field Rendering", 2008.) */
#ifndef MO_MESH_FORMAT_HEIGHT_H
#define MO_MESH_FORMAT_HEIGHT_H

#include <motte/height_field.h>

#include "base/inline.h"
#include "math/lanes/lanes.h"
#include "mesh/mesh.h"

/* The largest number of levels of nodes: that of a field of 8192 x 8192 blocks. Long narrow fields
 * need no more. */
enum { MO_HEIGHT_MAX_LEVELS = 9 };

/* Blocks per node of the lowest level. */
enum { MO_HEIGHT_NODE_COLUMNS = 4, MO_HEIGHT_NODE_ROWS = 2 };

/* Numbers of nodes: the depth, then the row and column in the level. The root is 0. Numbers of
 * blocks: the row and column. */
enum { MO_HEIGHT_NODE_BITS = 12, MO_HEIGHT_DEPTH_SHIFT = 24, MO_HEIGHT_BLOCK_BITS = 13 };

typedef struct mo_height_position {
  uint32_t depth, column, row;
} mo_height_position;

static inline mo_height_position mo_height_node_position(uint32_t node) {
  const uint32_t mask = (1u << MO_HEIGHT_NODE_BITS) - 1;
  return (mo_height_position){node >> MO_HEIGHT_DEPTH_SHIFT, node & mask,
                              node >> MO_HEIGHT_NODE_BITS & mask};
}

static inline uint32_t mo_height_node_at(mo_height_position at) {
  return at.depth << MO_HEIGHT_DEPTH_SHIFT | at.row << MO_HEIGHT_NODE_BITS | at.column;
}

/* A level of nodes, which all have the same size. */
typedef struct mo_height_level {
  /* By slot: the number of the child minus that of the child in slot 0; and the range of the
   * child's columns and rows of cells, counted from the lower corner of the node. */
  alignas(MO_ALIGNMENT) uint32_t child[MO_LANE_COUNT];
  float column_begin[MO_LANE_COUNT], column_end[MO_LANE_COUNT], row_begin[MO_LANE_COUNT],
      row_end[MO_LANE_COUNT];
  uint32_t order[4], any_hit_order; /* as in mo_mesh_node */
  uint32_t child_tag;               /* depth or leaf flag in the numbers of children */
  /* The number of the child in slot 0 has the node's column and row, shifted left by these. */
  uint8_t child_column_shift, child_row_shift;
  uint8_t column_shift, row_shift;           /* log2 of the children side by side */
  uint8_t cell_column_shift, cell_row_shift; /* log2 of the cells of a node */
  uint32_t columns, rows;                    /* of nodes */
  uint32_t first;                            /* how many nodes are on the levels above */
  /* By node: minima of the eight children, then maxima, as samples; null on the lowest level. The
   * minimum of a child without triangles is above its maximum. */
  void *ranges;
} mo_height_level;

/* A run of cells without holes in a row; `sheet` is the lowest triangle of the sheet. */
typedef struct mo_height_run {
  uint32_t begin, end, sheet;
} mo_height_run;

/* A rectangle of samples or cells, without the upper column and row. */
typedef struct mo_height_region {
  uint32_t column, row, upper_column, upper_row;
} mo_height_region;

struct mo_height_field {
  mo_height_level level[MO_HEIGHT_MAX_LEVELS]; /* by depth */
  /* By lane: how many triangles of the field come between the first one of a block and this one. */
  alignas(MO_ALIGNMENT) uint32_t block_triangles[MO_LANE_COUNT];
  uint32_t level_count;
  uint32_t cell_columns, cell_rows;
  uint32_t stride, stored_rows; /* samples of a stored row, and how many rows are stored */
  mo_height_type type;
  float column_spacing, row_spacing;
  float scale, offset;
  void *samples;
  void *ranges;               /* those of all levels */
  size_t range_count;         /* nodes that have them */
  uint32_t node_count;        /* on all levels */
  uint32_t lowest_node_count; /* nodes on the lowest level */
  /* By node of the lowest level: a nibble for each of its blocks, with a bit for each cell. */
  uint32_t *holes;
  uint32_t *diagonal_exceptions; /* a bit for each cell whose diagonal differs from the field's rule
                      (mo_height_diagonal); null: none */
  uint32_t rule_backward_diagonals; /* the nibble of each block by the rule: 1 is the backward
                                       diagonal */
  uint8_t *materials;               /* by cell; null for zeros */
  uint32_t hole_count;
  /* If there are holes: the runs of all rows, and by row the index of its first. Else null. */
  mo_height_run *runs;
  uint32_t *row_runs;
  uint32_t run_count;
  mo_height_region surface;           /* around all runs */
  double supports[MO_DOP_DIRECTIONS]; /* that the mesh's k-DOP was made of, in the order of calls */
};

static inline size_t mo_height_sample_bytes(mo_height_type type) {
  return type == MO_HEIGHT_FLOAT ? sizeof(float) : sizeof(uint16_t);
}

/* Eight samples as floats, before scaling, from any place. */
MO_INLINE mo_f8 mo_height_load_samples(const mo_height_field *field, const void *from, size_t at) {
  return field->type == MO_HEIGHT_FLOAT ? mo_f8_load_unaligned((const float *)from + at)
                                        : mo_f8_load_shorts((const uint16_t *)from + at);
}

/* Samples to coordinates: the one formula. Float samples are coordinates. */
MO_INLINE mo_f8 mo_height_scaled(const mo_height_field *field, mo_f8 samples) {
  return field->type == MO_HEIGHT_FLOAT
             ? samples
             : mo_f8_add(mo_f8_mul(samples, mo_f8_splat(field->scale)), mo_f8_splat(field->offset));
}

/* A sample as a float, before scaling. */
static inline float mo_height_sample_at(const mo_height_field *field, uint32_t column,
                                        uint32_t row) {
  const size_t at = (size_t)row * field->stride + column;
  return field->type == MO_HEIGHT_FLOAT ? ((const float *)field->samples)[at]
                                        : (float)((const uint16_t *)field->samples)[at];
}

static inline mo_vec3 mo_height_vertex_at(const mo_height_field *field, uint32_t column,
                                          uint32_t row) {
  float y = mo_height_sample_at(field, column, row);
  if (field->type != MO_HEIGHT_FLOAT) {
    y = y * field->scale;
    y = y + field->offset;
  }
  return mo_vec((float)column * field->column_spacing, y, (float)row * field->row_spacing);
}

/* The bits of a block in an array of nibbles. */
static inline uint32_t mo_height_nibble(const mo_height_field *field, const uint32_t *nibbles,
                                        uint32_t block_column, uint32_t block_row) {
  const uint32_t columns = field->level[field->level_count - 1].columns;
  const uint32_t word = block_row / MO_HEIGHT_NODE_ROWS * columns +
                        block_column / MO_HEIGHT_NODE_COLUMNS,
                 slot = block_column % MO_HEIGHT_NODE_COLUMNS +
                        block_row % MO_HEIGHT_NODE_ROWS * MO_HEIGHT_NODE_COLUMNS;
  return nibbles[word] >> (4 * slot) & 15;
}

/* The bit of a cell in an array of nibbles. */
static inline bool mo_height_bit(const mo_height_field *field, const uint32_t *nibbles,
                                 uint32_t column, uint32_t row) {
  return mo_height_nibble(field, nibbles, column / 2, row / 2) >> (column % 2 + row % 2 * 2) & 1;
}

/* The cells of a block whose diagonal is backward. */
static inline uint32_t mo_height_block_backward_diagonals(const mo_height_field *field,
                                                          uint32_t block_column,
                                                          uint32_t block_row) {
  return field->diagonal_exceptions == NULL
             ? field->rule_backward_diagonals
             : field->rule_backward_diagonals ^
                   mo_height_nibble(field, field->diagonal_exceptions, block_column, block_row);
}

/* The range of the cells of a block that are not holes, before scaling. */
static inline void mo_height_block_range(const mo_height_field *field, uint32_t block_column,
                                         uint32_t block_row, uint32_t holes, float *low,
                                         float *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (uint32_t left = ~holes & 15; left != 0; left &= left - 1) {
    const uint32_t cell = (uint32_t)__builtin_ctz(left);
    for (uint32_t corner = 0; corner < 4; corner++) {
      const float y = mo_height_sample_at(field, 2 * block_column + cell % 2 + corner % 2,
                                          2 * block_row + cell / 2 + corner / 2);
      *low = y < *low ? y : *low;
      *high = y > *high ? y : *high;
    }
  }
}

/* The minima, or maxima, of 4 x 2 blocks of 3 x 3 samples, of which neighbours share a side. `a`
 * and `b` are five rows of samples, `b` one column further. */
MO_INLINE mo_f8 mo_height_reduce_blocks(mo_f8 (*op)(mo_f8, mo_f8), const mo_f8 a[5],
                                        const mo_f8 b[5]) {
  const mo_f8 a_upper = op(op(a[0], a[1]), a[2]), a_lower = op(op(a[3], a[4]), a[2]),
              b_upper = op(op(b[0], b[1]), b[2]), b_lower = op(op(b[3], b[4]), b[2]);
  const uint32_t even = 0xeca86420u, odd = 0xfdb97531u;
  return op(mo_f8_pick16(op(a_upper, b_upper), op(a_lower, b_lower), even),
            mo_f8_pick16(b_upper, b_lower, odd));
}

/* The ranges of the blocks of a node of the lowest level, before scaling. */
MO_INLINE void mo_height_lowest_ranges(const mo_height_field *field, mo_height_position at,
                                       mo_f8 *low, mo_f8 *high) {
  const mo_height_level *level = &field->level[at.depth];
  const size_t first = (size_t)(at.row * 2 * MO_HEIGHT_NODE_ROWS) * field->stride +
                       at.column * 2 * MO_HEIGHT_NODE_COLUMNS;
  mo_f8 a[5], b[5];
  for (uint32_t i = 0; i < 5; i++) {
    a[i] = mo_height_load_samples(field, field->samples, first + i * field->stride);
    b[i] = mo_height_load_samples(field, field->samples, first + i * field->stride + 1);
  }
  *low = mo_height_reduce_blocks(mo_f8_min, a, b);
  *high = mo_height_reduce_blocks(mo_f8_max, a, b);
  const uint32_t holes = field->holes[at.row * level->columns + at.column];
  if (__builtin_expect(holes != 0, 0)) {
    alignas(MO_ALIGNMENT) float lows[MO_LANE_COUNT], highs[MO_LANE_COUNT];
    mo_f8_store(lows, *low);
    mo_f8_store(highs, *high);
    for (uint32_t slot = 0; slot < MO_LANE_COUNT; slot++) {
      const uint32_t nibble = holes >> (4 * slot) & 15;
      if (nibble != 0) {
        mo_height_block_range(field,
                              at.column * MO_HEIGHT_NODE_COLUMNS + slot % MO_HEIGHT_NODE_COLUMNS,
                              at.row * MO_HEIGHT_NODE_ROWS + slot / MO_HEIGHT_NODE_COLUMNS, nibble,
                              &lows[slot], &highs[slot]);
      }
    }
    *low = mo_f8_load(lows);
    *high = mo_f8_load(highs);
  }
}

/* The ranges of the children of a node, before scaling. */
MO_INLINE void mo_height_load_ranges(const mo_height_field *field, mo_height_position at,
                                     mo_f8 *low, mo_f8 *high) {
  const mo_height_level *level = &field->level[at.depth];
  if (level->ranges == NULL) {
    mo_height_lowest_ranges(field, at, low, high);
    return;
  }
  const size_t first = 2 * MO_LANE_COUNT * ((size_t)at.row * level->columns + at.column);
  *low = mo_height_load_samples(field, level->ranges, first);
  *high = mo_height_load_samples(field, level->ranges, first + MO_LANE_COUNT);
}

/* The children of a node, including those that do not exist. */
MO_INLINE void mo_height_load_children(const mo_height_field *field, uint32_t node,
                                       uint32_t child[MO_LANE_COUNT]) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  const uint32_t first =
      level->child_tag | at.row << level->child_row_shift | at.column << level->child_column_shift;
  mo_u8_store(child, mo_u8_or(mo_u8_load(level->child), mo_u8_splat(first)));
}

static inline uint32_t mo_height_child(const mo_height_field *field, uint32_t node, uint32_t slot) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  return level->child_tag | at.row << level->child_row_shift |
         at.column << level->child_column_shift | level->child[slot];
}

/* The place of a node in its parent: node << 3 | slot; MO_NONE for the root. */
static inline uint32_t mo_height_place_in_parent(const mo_height_field *field, uint32_t node) {
  const mo_height_position at = mo_height_node_position(node);
  if (at.depth == 0) {
    return MO_NONE;
  }
  const mo_height_level *level = &field->level[at.depth - 1];
  const uint32_t slot = (at.column & ((1u << level->column_shift) - 1)) |
                        (at.row & ((1u << level->row_shift) - 1)) << level->column_shift;
  return mo_height_node_at((mo_height_position){at.depth - 1, at.column >> level->column_shift,
                                                at.row >> level->row_shift})
             << 3 |
         slot;
}

/* Bits of the children that exist: they have triangles. */
MO_INLINE uint32_t mo_height_child_bits(const mo_height_field *field, uint32_t node) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  if (level->ranges != NULL) {
    mo_f8 low, high;
    mo_height_load_ranges(field, at, &low, &high);
    return mo_m8_bits(mo_f8_le(low, high));
  }
  const uint32_t holes = field->holes[at.row * level->columns + at.column];
  uint32_t bits = 0xff;
  for (uint32_t slot = 0; holes != 0 && slot < MO_LANE_COUNT; slot++) {
    bits ^= (uint32_t)((holes >> (4 * slot) & 15) == 15) << slot;
  }
  return bits;
}

/* The boxes of the children of a node; those of children that do not exist are empty. */
MO_INLINE void mo_height_load_bounds(const mo_height_field *field, uint32_t node,
                                     mo_bounds8 *bounds) {
  const mo_height_position at = mo_height_node_position(node);
  const mo_height_level *level = &field->level[at.depth];
  mo_f8 low, high;
  mo_height_load_ranges(field, at, &low, &high);
  const mo_m8 exists = mo_f8_le(low, high);
  const mo_f8 column = mo_f8_splat((float)(at.column << level->cell_column_shift)),
              row = mo_f8_splat((float)(at.row << level->cell_row_shift)),
              columns = mo_f8_splat((float)field->cell_columns),
              rows = mo_f8_splat((float)field->cell_rows),
              column_spacing = mo_f8_splat(field->column_spacing),
              row_spacing = mo_f8_splat(field->row_spacing);
  mo_f8 lower[3] = {mo_f8_mul(mo_f8_add(column, mo_f8_load(level->column_begin)), column_spacing),
                    mo_height_scaled(field, low),
                    mo_f8_mul(mo_f8_add(row, mo_f8_load(level->row_begin)), row_spacing)};
  mo_f8 upper[3] = {
      mo_f8_mul(mo_f8_min(mo_f8_add(column, mo_f8_load(level->column_end)), columns),
                column_spacing),
      mo_height_scaled(field, high),
      mo_f8_mul(mo_f8_min(mo_f8_add(row, mo_f8_load(level->row_end)), rows), row_spacing)};
  if (__builtin_expect(mo_m8_bits(exists) != 0xff, 0)) {
    for (int axis = 0; axis < 3; axis++) {
      lower[axis] = mo_f8_select(exists, lower[axis], mo_f8_splat(INFINITY));
      upper[axis] = mo_f8_select(exists, upper[axis], mo_f8_splat(-INFINITY));
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    mo_f8_store(bounds->lower[axis], lower[axis]);
    mo_f8_store(bounds->upper[axis], upper[axis]);
  }
}

/* The eight triangles of a block, for the diagonals of its four cells. A vertex of the block is
 * numbered 4 row + column. */
typedef struct mo_height_pattern {
  uint32_t vertex[3]; /* by corner: the vertex of each lane, eight nibbles */
  uint32_t row[3];    /* by corner: the row of that vertex in the block, eight nibbles */
} mo_height_pattern;

extern const mo_height_pattern mo_height_patterns[16];

/* By the cells of a block that are holes: bits to set in the ids of the lanes. */
extern const uint32_t mo_height_hole_ids[16][MO_LANE_COUNT];

MO_INLINE void mo_height_load_block(const mo_height_field *field, uint32_t number,
                                    mo_triangle_block *block) {
  const uint32_t column = number & ((1u << MO_HEIGHT_BLOCK_BITS) - 1),
                 row = number >> MO_HEIGHT_BLOCK_BITS;
  const mo_height_pattern *pattern =
      &mo_height_patterns[mo_height_block_backward_diagonals(field, column, row)];
  alignas(MO_ALIGNMENT) static const float steps[MO_LANE_COUNT] = {0, 1, 2, 3, 0, 1, 2, 3};
  const mo_f8 x = mo_f8_mul(mo_f8_add(mo_f8_splat((float)(2 * column)), mo_f8_load(steps)),
                            mo_f8_splat(field->column_spacing)),
              z = mo_f8_mul(mo_f8_add(mo_f8_splat((float)(2 * row)), mo_f8_load(steps)),
                            mo_f8_splat(field->row_spacing));
  const size_t first = (size_t)(2 * row) * field->stride + 2 * column;
  mo_f8 low, high; /* rows 0 and 1, and row 2 */
  if (field->type == MO_HEIGHT_FLOAT) {
    const float *from = (const float *)field->samples + first;
    low = mo_f8_load_halves(from, from + field->stride);
    high = mo_f8_load_halves(from + 2 * field->stride, from + 2 * field->stride);
  } else {
    const uint16_t *from = (const uint16_t *)field->samples + first;
    uint16_t taken[2 * MO_LANE_COUNT];
    for (size_t i = 0; i < 4; i++) {
      memcpy(&taken[4 * i], from + (i < 2 ? i : 2) * field->stride, 4 * sizeof *from);
    }
    low = mo_height_scaled(field, mo_f8_load_shorts(taken));
    high = mo_height_scaled(field, mo_f8_load_shorts(taken + MO_LANE_COUNT));
  }
  for (int i = 0; i < 3; i++) {
    mo_f8_store(block->corner[i][0], mo_f8_reorder(x, pattern->vertex[i]));
    mo_f8_store(block->corner[i][1], mo_f8_pick16(low, high, pattern->vertex[i]));
    mo_f8_store(block->corner[i][2], mo_f8_reorder(z, pattern->row[i]));
  }
  const uint32_t triangle = 2 * (2 * row * field->cell_columns + 2 * column);
  const uint32_t holes = mo_height_nibble(field, field->holes, column, row);
  mo_u8_store(block->id,
              mo_u8_or(mo_u8_add(mo_u8_splat(triangle), mo_u8_load(field->block_triangles)),
                       mo_u8_load(mo_height_hole_ids[holes])));
}

/* The node with an index among all nodes; see mo_mesh_node_index. */
uint32_t mo_height_node_of_index(const mo_height_field *field, uint32_t index);

/* The planes between the children of a node. */
mo_nested_planes mo_height_nested_planes(const mo_height_field *field, uint32_t node);

/* Frees a field; null is ignored. */
void mo_height_destroy(const mo_allocator *allocator, mo_height_field *field);

size_t mo_height_bytes(const mo_height_field *field);

#endif
