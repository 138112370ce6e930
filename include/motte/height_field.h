/** \defgroup height_field Height fields (motte/height_field.h)
 *
 * Height fields: meshes over a grid of heights, which store no triangles.
 *
 * A height field is a mo_mesh: shapes refer to it, and every query and contact gives what a mesh of
 * the same triangles, with the same numbers, built with `edges` would give, to the bit. It
 * takes 1.11 times the memory of its samples (16-bit samples: 1.14 times; see mo_height_field_def
 * for what cells add), where a mesh takes 30 to 60 bytes per triangle. mo_mesh_edit_heights changes
 * a region at the cost of the region.
 *
 * In the local frame y is up, columns run along x and rows along z, and the first sample is at x =
 * 0, z = 0. The sample in column c and row r is the vertex (c * column_spacing, y, r *
 * row_spacing). Each product and sum of this and of 16-bit heights is rounded to float by itself.
 *
 * A cell is what lies between four samples. Its two triangles face up. They are numbered 2 * (row *
 * (columns - 1) + column), and one more for the triangle whose edges do not include the side at the
 * lower x. Cells may be holes. Triangles of holes are counted by mo_mesh_triangle_count, so that
 * numbers do not depend on holes, but they do not exist: no query meets them, and
 * mo_mesh_get_triangle and mo_mesh_get_edges refuse them. */
#ifndef MOTTE_HEIGHT_FIELD_H
#define MOTTE_HEIGHT_FIELD_H

#include <motte/mesh.h>

/** \{ */

/// The maximum number of rows, and of columns, of samples.
#define MO_MAX_HEIGHT_SAMPLES 16384u

/// The type of samples.
typedef enum mo_height_type {
  MO_HEIGHT_FLOAT, ///< float: the y coordinate
  MO_HEIGHT_U16,   ///< uint16_t: y is sample * scale + offset
} mo_height_type;

/// Which diagonal splits a cell into two triangles.
typedef enum mo_height_diagonal {
  /// From the corner at the lower x and z to that at the upper x and z.
  MO_HEIGHT_DIAGONAL_FORWARD,
  /// From the corner at the upper x and lower z to that at the lower x and upper z.
  MO_HEIGHT_DIAGONAL_BACKWARD,
  /// Forward where row + column is even, else backward.
  MO_HEIGHT_DIAGONAL_ALTERNATE,
} mo_height_diagonal;

/// A flag of a cell: it has no triangles.
#define MO_HEIGHT_CELL_HOLE 1u

/// A flag of a cell: it has the other diagonal than mo_height_field_def::diagonal says.
#define MO_HEIGHT_CELL_FLIPPED 2u

/// Everything that mo_mesh_create_height_field needs. Arrays are read during the call only.
typedef struct mo_height_field_def {
  uint32_t columns;            ///< samples along x; 2 to MO_MAX_HEIGHT_SAMPLES
  uint32_t rows;               ///< samples along z; 2 to MO_MAX_HEIGHT_SAMPLES
  mo_height_type type;         ///< of `samples`
  const void *samples;         ///< `rows` rows of `columns` samples; any alignment
  size_t row_stride;           ///< bytes from one row to the next; 0: rows follow each other
  float column_spacing;        ///< distance of columns along x; positive
  float row_spacing;           ///< distance of rows along z; positive
  float scale;                 ///< of 16-bit samples; positive
  float offset;                ///< of 16-bit samples
  mo_height_diagonal diagonal; ///< of cells without MO_HEIGHT_CELL_FLIPPED
  /// `rows` - 1 rows of `columns` - 1 cells: MO_HEIGHT_CELL_HOLE, MO_HEIGHT_CELL_FLIPPED, both or
  /// neither. Null for neither. A bit per cell is stored for the holes of all fields, and for
  /// flipped cells where there are any. Where there are holes, so are 12 bytes for each run of
  /// other cells in a row.
  const uint8_t *cell_flags;
  /// In the same order, a number per cell, which is the user data of its two triangles. Null for
  /// zeros; else stored as a byte each.
  const uint8_t *materials;
  mo_isa isa;   ///< the instruction set of queries on the mesh itself, without a scene
  mo_host host; ///< the mesh's allocator, log and task hooks
  /// Output, may be null: see MO_NO_INDEX. With MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE of a
  /// sample, row * columns + column of the first such sample.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_height_field_def; not for the caller
} mo_height_field_def;

/// A change of a region of a height field. Arrays are read during the call only, and hold as many
/// numbers as the region, row by row without gaps.
typedef struct mo_height_edit {
  uint32_t column;  ///< of the first sample of the region
  uint32_t row;     ///< of the first sample of the region
  uint32_t columns; ///< samples of the region along x; at least 1
  uint32_t rows;    ///< samples of the region along z; at least 1
  /// `rows` * `columns` samples of the field's type, any alignment; null to leave the heights.
  const void *samples;
  /// `rows` - 1 times `columns` - 1 cells, those between the samples of the region, as
  /// mo_height_field_def::cell_flags; null to leave holes and diagonals.
  const uint8_t *cell_flags;
  const uint8_t *materials; ///< of the same cells; null to leave them
  /// Output, may be null: as mo_height_field_def::first_bad, for row * columns + column in the
  /// region.
  size_t *first_bad;
  uint32_t cookie; ///< set by mo_default_height_edit; not for the caller
} mo_height_edit;

MO_BEGIN_DECLS

/// A def of float samples with spacings and scale 1, offset 0, forward diagonals, and the default
/// host; the caller must set the samples and their numbers.
MO_API mo_height_field_def mo_default_height_field_def(void);

/// Makes a height field with one reference, owned by the caller; the samples are copied. It refuses
/// mo_mesh_insert_triangles, mo_mesh_refit and mo_mesh_rebuild_parts (MO_ERROR_UNSUPPORTED).
/// Errors: MO_ERROR_NULL_ARGUMENT; MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_INVALID_ARGUMENT (numbers
/// of rows and columns, stride, choices, unknown flags, a spacing or scale that is not positive, or
/// is denormal); MO_ERROR_NOT_FINITE; MO_ERROR_OUT_OF_RANGE (coordinates beyond MO_MAX_COORDINATE);
/// MO_ERROR_OUT_OF_MEMORY; MO_ERROR_UNSUPPORTED (isa). Cost: O(samples). Any thread.
MO_API mo_result mo_mesh_create_height_field(const mo_height_field_def *def, mo_mesh **mesh);

/// An edit that changes nothing; the caller must set the region and what is to change in it.
MO_API mo_height_edit mo_default_height_edit(void);

/// Changes heights, holes, diagonals or materials in a region of a height field. Afterwards the
/// mesh is as if created with the changed samples. No query may run on it meanwhile. Scenes use the
/// old bounds of its shapes, and contact trackers the old contacts, until each such shape is
/// refreshed (mo_scene_refresh_shape). Errors: MO_ERROR_NULL_ARGUMENT;
/// MO_ERROR_UNINITIALIZED_DEF; MO_ERROR_UNSUPPORTED (not a height field);
/// MO_ERROR_INVALID_ARGUMENT (the region is empty or not inside the field, unknown flags);
/// MO_ERROR_NOT_FINITE and MO_ERROR_OUT_OF_RANGE of a sample; MO_ERROR_OUT_OF_MEMORY; after any
/// error the mesh is unchanged. Cost: that of the region and of the levels above it. Where the box
/// around the field changes, or the region reaches farthest in some of 26 directions, the farthest
/// points are found anew: O(log samples) each on uneven ground, up to O(samples) where all of it is
/// one even slope along x or z. Where holes change, also that of the runs of cells between holes in
/// all rows. Allocates nothing, except where holes change, and for the first flipped cell and the
/// first material.
MO_API mo_result mo_mesh_edit_heights(mo_mesh *mesh, const mo_height_edit *edit);

MO_END_DECLS

/** \} */

#endif
