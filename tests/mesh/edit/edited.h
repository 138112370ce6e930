/* A mesh that is edited, beside a model of what it should be: plain arrays, of which a new mesh is
 * made to compare with. */
#ifndef TEST_MESH_EDITED_H
#define TEST_MESH_EDITED_H

#include <criterion/criterion.h>
#include <math.h>
#include <motte/mesh.h>
#include <stdlib.h>
#include <string.h>

#include "support/meshes.h"

/* A test may define how large its meshes can become. */
#ifndef EDITED_MAX_TRIANGLES
#define EDITED_MAX_TRIANGLES 4096
#endif
#define EDITED_MAX_VERTICES (4 * EDITED_MAX_TRIANGLES)

typedef struct edited {
  mo_mesh *mesh;
  mo_mesh_def def; /* how both meshes are made */
  mo_vec3 positions[EDITED_MAX_VERTICES];
  uint32_t vertex_count;
  uint32_t vertices[EDITED_MAX_TRIANGLES][3];
  uint32_t user_data[EDITED_MAX_TRIANGLES];
  bool live[EDITED_MAX_TRIANGLES];
  uint32_t triangle_count;
  uint32_t free[EDITED_MAX_TRIANGLES]; /* a stack of removed triangles */
  uint32_t free_count;
  mo_mesh *fresh;
  uint32_t fresh_count;
  uint32_t number_of[EDITED_MAX_TRIANGLES]; /* by triangle of `fresh`: its number in `mesh` */
} edited;

/* One edit: arrays for a def. */
typedef struct edited_step {
  mo_mesh_edit_def def;
  uint32_t moved[64], removed[EDITED_MAX_TRIANGLES], replaced[64], replaced_indices[192],
      replaced_data[64], added_indices[192], added_data[64], added[64];
  mo_vec3 moved_positions[64], added_positions[64];
} edited_step;

static inline mo_mesh_def edited_def(const test_mesh *mesh, bool edges) {
  mo_mesh_def def = test_mesh_def(mesh);
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.editable = true;
  def.build.edges = edges;
  return def;
}

/* Begins with a mesh; `def` is of edited_def, perhaps changed. */
static inline edited *edited_make(const test_mesh *mesh, mo_mesh_def def) {
  edited *e = calloc(1, sizeof *e);
  cr_assert(e != NULL && mesh->vertex_count <= EDITED_MAX_VERTICES / 2 &&
            mesh->triangle_count <= 3 * (EDITED_MAX_TRIANGLES / 4));
  cr_assert_eq(mo_mesh_create(&def, &e->mesh), MO_OK);
  e->def = def;
  e->vertex_count = mesh->vertex_count;
  e->triangle_count = mesh->triangle_count;
  if (mesh->triangle_count > 0) {
    memcpy(e->positions, mesh->positions, mesh->vertex_count * sizeof *e->positions);
    memcpy(e->vertices, mesh->indices, mesh->triangle_count * sizeof *e->vertices);
  }
  for (uint32_t t = 0; t < e->triangle_count; t++) {
    e->live[t] = true;
    e->user_data[t] = def.triangle_user_data != NULL ? def.triangle_user_data[t] : 0;
  }
  return e;
}

static inline void edited_free(edited *e) {
  mo_mesh_release(e->mesh);
  mo_mesh_release(e->fresh);
  free(e);
}

static inline uint32_t edited_live_count(const edited *e) {
  return e->triangle_count - e->free_count;
}

/* A triangle that exists; there must be one. */
static inline uint32_t edited_any_triangle(const edited *e, rng *r) {
  uint32_t t = rng_below(r, e->triangle_count);
  while (!e->live[t]) {
    t = (t + 1) % e->triangle_count;
  }
  return t;
}

/* Makes `fresh`: a new mesh of the triangles that exist, in the order of their numbers. */
static inline void edited_make_fresh(edited *e) {
  static uint32_t indices[EDITED_MAX_TRIANGLES][3], user_data[EDITED_MAX_TRIANGLES];
  mo_mesh_def def = e->def;
  e->fresh_count = 0;
  for (uint32_t t = 0; t < e->triangle_count; t++) {
    if (e->live[t]) {
      memcpy(indices[e->fresh_count], e->vertices[t], sizeof *indices);
      user_data[e->fresh_count] = e->user_data[t];
      e->number_of[e->fresh_count++] = t;
    }
  }
  mo_mesh_release(e->fresh);
  def.positions = e->positions;
  def.vertex_count = e->vertex_count;
  def.indices = indices;
  def.triangle_count = e->fresh_count;
  def.triangle_user_data = user_data;
  def.host = mo_default_host();
  cr_assert_eq(mo_mesh_create(&def, &e->fresh), MO_OK);
}

/* The number in the edited mesh of a triangle of the new one. */
static inline uint32_t edited_number(const edited *e, uint32_t triangle) {
  return triangle == MO_NO_TRIANGLE ? MO_NO_TRIANGLE : e->number_of[triangle];
}

/* Applies a step to the model. */
static inline void edited_apply(edited *e, const edited_step *s) {
  const mo_mesh_edit_def *d = &s->def;
  for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
    e->positions[d->moved_vertices[i]] = d->moved_positions[i];
  }
  for (uint32_t i = 0; i < d->added_vertex_count; i++) {
    e->positions[e->vertex_count++] = d->added_positions[i];
  }
  for (uint32_t i = 0; i < d->removed_triangle_count; i++) {
    e->live[d->removed_triangles[i]] = false;
    e->free[e->free_count++] = d->removed_triangles[i];
  }
  for (uint32_t i = 0; i < d->replaced_triangle_count; i++) {
    memcpy(e->vertices[d->replaced_triangles[i]], &d->replaced_indices[3 * i], 12);
    if (d->replaced_user_data != NULL) {
      e->user_data[d->replaced_triangles[i]] = d->replaced_user_data[i];
    }
  }
  for (uint32_t i = 0; i < d->added_triangle_count; i++) {
    const uint32_t t = e->free_count > 0 ? e->free[--e->free_count] : e->triangle_count++;
    e->live[t] = true;
    memcpy(e->vertices[t], &d->added_indices[3 * i], 12);
    e->user_data[t] = d->added_user_data != NULL ? d->added_user_data[i] : 0;
  }
}

/* What new positions are like: in a box, and on a coarse grid, so that they meet others. */
typedef struct edited_places {
  mo_aabb box;
  float grid; /* 0: anywhere */
} edited_places;

static inline mo_vec3 edited_position(const edited *e, const edited_places *places, rng *r) {
  if (e->vertex_count > 0 && rng_chance(r, 0.2)) {
    const mo_vec3 p = e->positions[rng_below(r, e->vertex_count)];
    if (fabsf(p.x) <= MO_MAX_COORDINATE && fabsf(p.y) <= MO_MAX_COORDINATE &&
        fabsf(p.z) <= MO_MAX_COORDINATE) {
      return p;
    }
  }
  mo_vec3 p = rng_point_in(r, places->box);
  if (places->grid > 0) {
    p = (mo_vec3){roundf(p.x / places->grid) * places->grid,
                  roundf(p.y / places->grid) * places->grid,
                  roundf(p.z / places->grid) * places->grid};
  }
  return p;
}

static inline void edited_any_indices(const edited *e, uint32_t vertex_count, uint32_t indices[3],
                                      rng *r) {
  for (int i = 0; i < 3; i++) {
    indices[i] = rng_below(r, vertex_count);
  }
  if (edited_live_count(e) > 0 && rng_chance(r, 0.6)) { /* beside another one */
    const uint32_t *other = e->vertices[edited_any_triangle(e, r)];
    const uint32_t first = rng_below(r, 3);
    indices[0] = other[(first + 1) % 3];
    indices[1] = other[first];
  }
}

/* A random edit of up to `size` changes of each kind. */
static inline void edited_any_step(const edited *e, edited_step *s, uint32_t size,
                                   const edited_places *places, rng *r) {
  static bool taken[EDITED_MAX_TRIANGLES];
  mo_mesh_edit_def *d = &s->def;
  memset(taken, 0, sizeof taken);
  *d = mo_default_mesh_edit_def();
  d->moved_vertices = s->moved;
  d->moved_positions = s->moved_positions;
  d->added_positions = s->added_positions;
  d->removed_triangles = s->removed;
  d->replaced_triangles = s->replaced;
  d->replaced_indices = s->replaced_indices;
  d->added_indices = s->added_indices;
  d->added_triangles = s->added;
  const uint32_t kinds = 1 + rng_below(r, 31);
  if ((kinds & 1) && e->vertex_count > 0) {
    for (uint32_t i = 0, n = rng_below(r, size + 1); i < n; i++) {
      s->moved[i] = rng_below(r, e->vertex_count);
      s->moved_positions[i] = edited_position(e, places, r);
      d->moved_vertex_count++;
    }
  }
  if ((kinds & 2) && e->vertex_count + size < EDITED_MAX_VERTICES) {
    for (uint32_t i = 0, n = rng_below(r, size + 1); i < n; i++) {
      s->added_positions[i] = edited_position(e, places, r);
      d->added_vertex_count++;
    }
  }
  const uint32_t vertices = e->vertex_count + d->added_vertex_count;
  for (uint32_t i = 0, n = rng_below(r, size + 1); (kinds & 4) && i < n && edited_live_count(e);
       i++) {
    const uint32_t t = edited_any_triangle(e, r);
    if (!taken[t]) {
      taken[t] = true;
      s->removed[d->removed_triangle_count++] = t;
    }
  }
  for (uint32_t i = 0, n = rng_below(r, size + 1); (kinds & 8) && i < n && edited_live_count(e);
       i++) {
    const uint32_t t = edited_any_triangle(e, r);
    if (!taken[t]) {
      taken[t] = true;
      s->replaced[d->replaced_triangle_count] = t;
      s->replaced_data[d->replaced_triangle_count] = rng_below(r, 1000);
      edited_any_indices(e, vertices, &s->replaced_indices[3 * d->replaced_triangle_count++], r);
    }
  }
  for (uint32_t i = 0, n = rng_below(r, size + 1);
       (kinds & 16) && i < n && vertices > 0 && e->triangle_count + size < EDITED_MAX_TRIANGLES;
       i++) {
    s->added_data[i] = rng_below(r, 1000);
    edited_any_indices(e, vertices, &s->added_indices[3 * d->added_triangle_count++], r);
  }
  d->max_rebuilt_triangles = rng_chance(r, 0.3) ? rng_below(r, 300) : UINT32_MAX;
  d->replaced_user_data = rng_chance(r, 0.5) ? s->replaced_data : NULL;
  d->added_user_data = rng_chance(r, 0.5) ? s->added_data : NULL;
}

/* Makes an edit, of the mesh and of the model. */
static inline void edited_do(edited *e, edited_step *s) {
  cr_assert_eq(mo_mesh_edit(e->mesh, &s->def), MO_OK);
  const uint32_t added = s->def.added_triangle_count;
  uint32_t expected[64];
  for (uint32_t i = 0, end = e->free_count + s->def.removed_triangle_count; i < added; i++) {
    const uint32_t at = end - 1 - i;
    expected[i] = i >= end              ? e->triangle_count + i - end
                  : at >= e->free_count ? s->removed[at - e->free_count]
                                        : e->free[at];
  }
  cr_assert(added == 0 || memcmp(expected, s->added, added * sizeof *expected) == 0,
            "the numbers of new triangles");
  edited_apply(e, s);
}

#endif
