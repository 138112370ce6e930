/* The plan of an edit: which triangles change, after everything has been checked. */
#ifndef MO_MESH_EDIT_PLAN_H
#define MO_MESH_EDIT_PLAN_H

#include "base/refuse.h"
#include "mesh/edit/edit.h"

typedef struct mo_edit_plan {
  mo_mesh *mesh;
  const mo_mesh_edit_def *def;
  size_t bad; /* index of what was refused, see mo_mesh_edit_def::first_bad */
  /* The triangles that change: removed ones, replaced ones, those of moved vertices, added ones. */
  MO_LIST(mo_edit_item, items);
  uint32_t added_count;   /* how many of `items`, the last ones, are triangles to add */
  mo_vec3 *old_positions; /* of the vertices that the edit moves */
} mo_edit_plan;

/* Checks an edit, lists the triangles that it changes, and reserves memory for all but the octree.
 * On failure nothing has changed but capacities, and the plan must be freed. */
mo_result mo_edit_plan_make(mo_edit_plan *plan, const mo_refusal *refusal);
void mo_edit_plan_free(mo_edit_plan *plan);

/* Write the positions of moved and added vertices, and restore the old ones. */
void mo_edit_plan_write_positions(mo_edit_plan *plan);
void mo_edit_plan_restore_positions(const mo_edit_plan *plan);

#endif
