/* Making and changing height fields (mesh/format/height.h). */
#ifndef MO_MESH_HEIGHT_HEIGHT_H
#define MO_MESH_HEIGHT_HEIGHT_H

#include "base/refuse.h"
#include "mesh/format/read.h"

/* New samples or cells of a region; both as mo_height_edit has them. */
typedef struct mo_height_source {
  mo_height_region region; /* of the samples */
  const void *heights;     /* null: none */
  size_t row_stride;       /* of heights, in bytes */
  const uint8_t *cell_flags, *materials;
} mo_height_source;

/* The runs of cells without holes, for a field whose holes are about to change: as members of
 * mo_height_field. */
typedef struct mo_height_runs {
  bool change; /* false: no holes change, and nothing below is set */
  mo_height_run *runs;
  uint32_t *row_runs;
  uint32_t run_count, hole_count;
  mo_height_region surface;
} mo_height_runs;

/* The cells between the samples of a region. */
static inline mo_height_region mo_height_cells_of(mo_height_region samples) {
  return (mo_height_region){samples.column, samples.row, samples.upper_column - 1,
                            samples.upper_row - 1};
}

/* A field of this size and type without samples; null if out of memory. */
mo_height_field *mo_height_allocate(const mo_allocator *allocator, uint32_t columns, uint32_t rows,
                                    mo_height_type type);

/* Checks a coordinate y. Errors: MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE. */
mo_result mo_check_height(float y, const mo_refusal *refusal, const char *member);

/* Checks samples and flags; `*first_bad` receives the number of a rejected sample. */
mo_result mo_height_check_source(mo_height_type type, const mo_height_source *source,
                                 const mo_refusal *refusal, size_t *first_bad);

/* Writes new samples and cells; what else depends on them is not changed. */
void mo_height_write(mo_height_field *field, const mo_height_source *source);

/* Allocates what a field lacks to store new cells. On failure nothing has changed. */
mo_result mo_height_prepare(const mo_allocator *allocator, mo_height_field *field,
                            const mo_height_source *source);

void mo_height_free_runs(const mo_allocator *allocator, const mo_height_field *field,
                         const mo_height_runs *runs);

/* Finds the runs, and the sheets, that a field will have with new cells, if its holes change.
 * MO_ERROR_OUT_OF_MEMORY. */
mo_result mo_height_find_runs(const mo_allocator *allocator, const mo_height_field *field,
                              const mo_height_source *source, mo_height_runs *found);

void mo_height_replace_runs(const mo_allocator *allocator, mo_height_field *field,
                            const mo_height_runs *runs);

/* Computes the ranges of all nodes that cover cells of a region. */
void mo_height_update_ranges(mo_height_field *field, mo_height_region cells);

/* Finds a broken invariant: what it is, and the node where. Null if there is none. */
const char *mo_height_find_corruption(const mo_height_field *field, uint32_t *where);

/* The box around all triangles; empty if all cells are holes. */
mo_aabb mo_height_bounds(const mo_height_field *field);

#endif
