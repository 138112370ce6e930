/* Checks an edit and plans it (plan.h). */
#include "mesh/edit/plan.h"

#include <string.h>

#include "math/check.h"

/* --- checks --- */

/* The name of an array of the def that is missing, or null. */
static const char *missing_array(const mo_mesh_edit_def *d) {
  const struct {
    uint32_t count;
    const void *array;
    const char *name;
  } needed[] = {
      {d->moved_vertex_count, d->moved_vertices, ".moved_vertices"},
      {d->moved_vertex_count, d->moved_positions, ".moved_positions"},
      {d->added_vertex_count, d->added_positions, ".added_positions"},
      {d->removed_triangle_count, d->removed_triangles, ".removed_triangles"},
      {d->replaced_triangle_count, d->replaced_triangles, ".replaced_triangles"},
      {d->replaced_triangle_count, d->replaced_indices, ".replaced_indices"},
      {d->added_triangle_count, d->added_indices, ".added_indices"},
  };
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    if (needed[i].count > 0 && needed[i].array == NULL) {
      return needed[i].name;
    }
  }
  return NULL;
}

static mo_result check_counts(const mo_edit_plan *plan, const mo_refusal *refusal) {
  const mo_mesh_edit_def *d = plan->def;
  const mo_mesh *mesh = plan->mesh;
  const char *missing = missing_array(d);
  if (missing != NULL) {
    return mo_refuse(refusal, MO_ERROR_NULL_ARGUMENT, "%s is null", missing);
  }
  if (d->added_vertex_count > MO_MAX_ITEMS - mesh->vertex_count) {
    return mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".added_vertex_count",
                            d->added_vertex_count, "more than a mesh can have");
  }
  const uint64_t all = (uint64_t)mesh->editing->live_count + d->added_triangle_count;
  if (all > (uint64_t)MO_MAX_TRIANGLES) {
    return mo_refuse_number(refusal, MO_ERROR_TOO_MANY, ".added_triangle_count",
                            d->added_triangle_count, "more than a mesh can have");
  }
  return MO_OK;
}

static mo_result refuse_at(mo_edit_plan *plan, const mo_refusal *refusal, const char *member,
                           size_t index, mo_result result, uint32_t value, const char *fault) {
  const mo_refusal at = mo_refusal_in(refusal, member, index);
  plan->bad = index;
  return mo_refuse_number(&at, result, "", value, fault);
}

static mo_result check_positions(mo_edit_plan *plan, const mo_refusal *refusal, const char *member,
                                 const mo_vec3 *positions, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_refusal at = mo_refusal_in(refusal, member, i);
    const mo_result result = mo_check_point(positions[i], &at, "");
    if (result != MO_OK) {
      plan->bad = i;
      return result;
    }
  }
  return MO_OK;
}

static mo_result check_vertices(mo_edit_plan *plan, const mo_refusal *refusal) {
  const mo_mesh_edit_def *d = plan->def;
  for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
    if (d->moved_vertices[i] >= plan->mesh->vertex_count) {
      return refuse_at(plan, refusal, ".moved_vertices", i, MO_ERROR_INVALID_INDEX,
                       d->moved_vertices[i], "which is no vertex");
    }
  }
  mo_result result =
      check_positions(plan, refusal, ".moved_positions", d->moved_positions, d->moved_vertex_count);
  return result != MO_OK ? result
                         : check_positions(plan, refusal, ".added_positions", d->added_positions,
                                           d->added_vertex_count);
}

/* Whether a vertex is among the moved ones. Only called for vertices that have never had a legal
 * position. */
static bool is_moved(const mo_mesh_edit_def *d, uint32_t vertex) {
  for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
    if (d->moved_vertices[i] == vertex) {
      return true;
    }
  }
  return false;
}

static mo_result check_indices(mo_edit_plan *plan, const mo_refusal *refusal, const char *member,
                               const uint32_t *indices, uint32_t triangles) {
  const mo_mesh *mesh = plan->mesh;
  const uint32_t end = mesh->vertex_count + plan->def->added_vertex_count;
  for (size_t i = 0; i < 3 * (size_t)triangles; i++) {
    const uint32_t vertex = indices[i];
    if (vertex >= end) {
      return refuse_at(plan, refusal, member, i, MO_ERROR_INVALID_INDEX, vertex,
                       "which is no vertex");
    }
    const mo_vec3 position = vertex < mesh->vertex_count ? mesh->editing->vertices[vertex].position
                                                         : mo_vec(0.0f, 0.0f, 0.0f);
    const mo_result result = mo_check_point(position, NULL, "");
    if (result != MO_OK && !is_moved(plan->def, vertex)) {
      return refuse_at(plan, refusal, member, i, result, vertex,
                       "a vertex whose position in mo_mesh_def was illegal");
    }
  }
  return MO_OK;
}

/* --- items --- */

static mo_result add_item(mo_edit_plan *plan, uint32_t triangle, const uint32_t vertex[3],
                          bool is_removed) {
  mo_edit_item item = {.triangle = triangle, .place = MO_NONE, .is_removed = is_removed};
  memcpy(item.vertex, vertex, sizeof item.vertex);
  const mo_result result =
      mo_list_add(&plan->mesh->host.allocator, &plan->list, sizeof item, &item);
  if (result == MO_OK && triangle != MO_NONE) {
    plan->mesh->editing->triangles[triangle].item = plan->count - 1;
  }
  return result;
}

/* Adds items for triangles that must exist and be named once in the edit. */
static mo_result add_listed_triangles(mo_edit_plan *plan, const mo_refusal *refusal,
                                      const char *member, const uint32_t *triangles,
                                      const uint32_t *indices, uint32_t count) {
  const mo_mesh *mesh = plan->mesh;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t triangle = triangles[i];
    if (!mo_mesh_has_triangle(mesh, triangle)) {
      return refuse_at(plan, refusal, member, i, MO_ERROR_INVALID_INDEX, triangle,
                       "which is no triangle");
    }
    if (mesh->editing->triangles[triangle].item != MO_NONE) {
      return refuse_at(plan, refusal, member, i, MO_ERROR_INVALID_ARGUMENT, triangle,
                       "a triangle that the edit names twice");
    }
    const uint32_t *vertex =
        indices != NULL ? &indices[3 * (size_t)i] : mesh->editing->triangles[triangle].vertex;
    const mo_result result = add_item(plan, triangle, vertex, indices == NULL);
    if (result != MO_OK) {
      return result;
    }
  }
  return MO_OK;
}

/* Adds the triangles of moved vertices that the edit does not name. */
static mo_result add_triangles_of_moved_vertices(mo_edit_plan *plan) {
  const mo_mesh_editing *e = plan->mesh->editing;
  mo_result result = MO_OK;
  for (uint32_t i = 0; i < plan->def->moved_vertex_count; i++) {
    for (uint32_t corner = e->vertices[plan->def->moved_vertices[i]].first_corner;
         corner != MO_NONE && result == MO_OK;
         corner = e->triangles[corner / 3].next_corner[corner % 3]) {
      const mo_edit_triangle *triangle = &e->triangles[corner / 3];
      if (triangle->item == MO_NONE) {
        result = add_item(plan, corner / 3, triangle->vertex, false);
      }
    }
  }
  return result;
}

static mo_result add_items(mo_edit_plan *plan, const mo_refusal *refusal) {
  const mo_mesh_edit_def *d = plan->def;
  mo_result result = add_listed_triangles(plan, refusal, ".removed_triangles", d->removed_triangles,
                                          NULL, d->removed_triangle_count);
  if (result == MO_OK) {
    result = add_listed_triangles(plan, refusal, ".replaced_triangles", d->replaced_triangles,
                                  d->replaced_indices, d->replaced_triangle_count);
  }
  if (result == MO_OK) {
    result = add_triangles_of_moved_vertices(plan);
  }
  plan->added_count = d->added_triangle_count;
  for (uint32_t i = 0; i < d->added_triangle_count && result == MO_OK; i++) {
    result = add_item(plan, MO_NONE, &d->added_indices[3 * (size_t)i], false);
  }
  return result;
}

/* Reserves memory for the arrays by triangle and vertex, and for the positions before the edit. */
static mo_result reserve_arrays(mo_edit_plan *plan) {
  const mo_mesh_edit_def *d = plan->def;
  mo_mesh *mesh = plan->mesh;
  const uint32_t unused =
      mesh->triangle_count - mesh->editing->live_count + d->removed_triangle_count;
  const uint32_t more = d->added_triangle_count > unused ? d->added_triangle_count - unused : 0;
  const bool with_user_data = (d->replaced_user_data != NULL && d->replaced_triangle_count > 0) ||
                              (d->added_user_data != NULL && d->added_triangle_count > 0);
  plan->old_positions =
      mo_allocate(&mesh->host.allocator, d->moved_vertex_count, sizeof *plan->old_positions);
  if ((plan->old_positions == NULL && d->moved_vertex_count > 0) ||
      !mo_edit_reserve_triangles(mesh, more, d->added_vertex_count)) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  return mo_mesh_reserve_triangles(mesh, more, with_user_data);
}

mo_result mo_edit_plan_make(mo_edit_plan *plan, const mo_refusal *refusal) {
  const mo_mesh_edit_def *d = plan->def;
  if (plan->mesh->editing == NULL) {
    const mo_refusal mesh = mo_refusal_of(refusal->host, refusal->function, "mesh");
    return mo_refuse(&mesh, MO_ERROR_UNSUPPORTED, " was not built as editable");
  }
  mo_result result = check_counts(plan, refusal);
  if (result == MO_OK) {
    result = check_vertices(plan, refusal);
  }
  if (result == MO_OK) {
    result = check_indices(plan, refusal, ".replaced_indices", d->replaced_indices,
                           d->replaced_triangle_count);
  }
  if (result == MO_OK) {
    result =
        check_indices(plan, refusal, ".added_indices", d->added_indices, d->added_triangle_count);
  }
  if (result == MO_OK) {
    result = add_items(plan, refusal);
  }
  return result == MO_OK ? reserve_arrays(plan) : result;
}

void mo_edit_plan_free(mo_edit_plan *plan) {
  const mo_allocator *allocator = &plan->mesh->host.allocator;
  for (uint32_t i = 0; i < plan->count; i++) {
    if (plan->items[i].triangle != MO_NONE) {
      plan->mesh->editing->triangles[plan->items[i].triangle].item = MO_NONE;
    }
  }
  mo_list_trim(allocator, &plan->list, sizeof *plan->items, 0);
  mo_deallocate(allocator, plan->old_positions, plan->def->moved_vertex_count,
                sizeof *plan->old_positions);
}

void mo_edit_plan_write_positions(mo_edit_plan *plan) {
  const mo_mesh_edit_def *d = plan->def;
  mo_edit_vertex *vertices = plan->mesh->editing->vertices;
  for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
    plan->old_positions[i] = vertices[d->moved_vertices[i]].position;
    vertices[d->moved_vertices[i]].position = d->moved_positions[i];
  }
  for (uint32_t i = 0; i < d->added_vertex_count; i++) {
    vertices[plan->mesh->vertex_count + i] = (mo_edit_vertex){d->added_positions[i], MO_NONE};
  }
}

void mo_edit_plan_restore_positions(const mo_edit_plan *plan) {
  const mo_mesh_edit_def *d = plan->def;
  for (uint32_t i = d->moved_vertex_count; i-- > 0;) {
    plan->mesh->editing->vertices[d->moved_vertices[i]].position = plan->old_positions[i];
  }
}
