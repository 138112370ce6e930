/* Reads a mesh definition into three checked corners per triangle. */
#include <string.h>

#include "base/tasks.h"
#include "math/four.h"
#include "mesh/build/build.h"

mo_result mo_check_position(mo_vec3 p, const mo_mesh_build_options *options,
                            const mo_refusal *refusal) {
  mo_result result = mo_check_point(p, refusal, "");
  bool bounded = options->builder == MO_MESH_BUILDER_TOP_DOWN;
  if (result == MO_OK && bounded && !mo_aabb_contains(options->bounds, (mo_aabb){p, p})) {
    result = mo_refuse(refusal, MO_ERROR_OUT_OF_RANGE, " = (%g, %g, %g) is outside build.bounds",
                       (double)p.x, (double)p.y, (double)p.z);
  }
  return result;
}

static mo_vec3 position_at(const mo_mesh_def *def, uint32_t vertex) {
  mo_vec3 p;
  memcpy(&p, (const char *)def->positions + vertex * def->position_stride, sizeof p);
  return p;
}

static MO_COLD mo_result refuse_index(const mo_mesh_def *def, size_t i, const mo_refusal *refusal) {
  if (def->index_type == MO_INDEX_NONE) {
    return mo_refuse(refusal, MO_ERROR_INVALID_INDEX,
                     ".vertex_count is %u, not three for each of %u triangles", def->vertex_count,
                     def->triangle_count);
  }
  mo_refusal member = mo_refusal_in(refusal, ".indices", i);
  return mo_refuse(&member, MO_ERROR_INVALID_INDEX, " is %u, but def.vertex_count is %u",
                   mo_vertex_index_at(def, i), def->vertex_count);
}

mo_result mo_check_used_positions(const mo_mesh_def *def, const char *member,
                                  const mo_refusal *refusal, size_t *first_bad) {
  const bool bounded = def->build.builder == MO_MESH_BUILDER_TOP_DOWN;
  uint32_t bad = MO_NONE;
  for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
    const uint32_t vertex = mo_vertex_index_at(def, i);
    const mo_vec3 p = vertex < bad ? position_at(def, vertex) : mo_vec(0.0f, 0.0f, 0.0f);
    if (vertex < bad && !(mo_is_in_range(p) &&
                          (!bounded || mo_aabb_contains(def->build.bounds, (mo_aabb){p, p})))) {
      bad = vertex;
    }
  }
  if (bad == MO_NONE) {
    return MO_OK;
  }
  *first_bad = bad;
  const mo_refusal at = mo_refusal_in(refusal, member, bad);
  return mo_check_position(position_at(def, bad), &def->build, &at);
}

mo_result mo_check_indices_and_positions(const mo_mesh_def *def, const mo_refusal *refusal,
                                         size_t *first_bad) {
  for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++) {
    if (mo_vertex_index_at(def, i) >= def->vertex_count) {
      *first_bad = i;
      return refuse_index(def, i, refusal);
    }
  }
  return mo_check_used_positions(def, ".positions", refusal, first_bad);
}

enum { TRIANGLES_PER_PIECE = 8192 };

typedef struct piece_result {
  mo_f4 lower, upper;
  bool ok; /* all indices and positions of the piece are valid */
} piece_result;

typedef struct corner_reading {
  const mo_mesh_def *def;
  mo_vec3 *corners;
  piece_result *pieces;
} corner_reading;

/* Reads and checks the corners of a piece of the triangles. */
static void read_piece(uint32_t piece, void *context) {
  const corner_reading *r = context;
  const mo_mesh_def def = *r->def; /* a copy, so that the loop reads none of it from memory */
  size_t first = 3 * (size_t)piece * TRIANGLES_PER_PIECE;
  size_t end = 3 * (size_t)def.triangle_count;
  end = end - first > 3 * TRIANGLES_PER_PIECE ? first + 3 * TRIANGLES_PER_PIECE : end;
  mo_f4 lower = mo_f4_splat(INFINITY), upper = mo_f4_splat(-INFINITY);
  const mo_f4 max = mo_f4_splat(MO_MAX_COORDINATE);
  mo_i4 ok = {-1, -1, -1, -1};
  for (size_t i = first; i < end; i++) {
    uint32_t vertex = mo_vertex_index_at(&def, i);
    if (vertex >= def.vertex_count) {
      ok = (mo_i4){0, 0, 0, 0};
      break;
    }
    r->corners[i] = position_at(&def, vertex);
    mo_f4 p = mo_f4_from(&r->corners[i], 0.0f);
    ok &= mo_f4_abs(p) <= max; /* also false for NaN */
    lower = mo_f4_min(lower, p);
    upper = mo_f4_max(upper, p);
  }
  r->pieces[piece] = (piece_result){lower, upper, ok[0] && ok[1] && ok[2]};
}

mo_result mo_read_corners(const mo_mesh_def *def, mo_vec3 *corners, mo_aabb *bounds,
                          const mo_refusal *refusal, size_t *first_bad) {
  uint32_t count = (def->triangle_count + TRIANGLES_PER_PIECE - 1) / TRIANGLES_PER_PIECE;
  *bounds = mo_aabb_empty();
  if (count == 0) {
    return MO_OK;
  }
  corner_reading r = {def, corners, mo_allocate(&def->host.allocator, count, sizeof *r.pieces)};
  if (r.pieces == NULL) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  mo_tasks_run(&def->host, count, read_piece, &r);
  mo_f4 lower = mo_f4_splat(INFINITY), upper = mo_f4_splat(-INFINITY);
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    lower = mo_f4_min(lower, r.pieces[i].lower);
    upper = mo_f4_max(upper, r.pieces[i].upper);
    ok = ok && r.pieces[i].ok;
  }
  mo_deallocate(&def->host.allocator, r.pieces, count, sizeof *r.pieces);
  *bounds = (mo_aabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
  bool bounded = def->build.builder == MO_MESH_BUILDER_TOP_DOWN;
  if (!ok || (bounded && !mo_aabb_contains(def->build.bounds, *bounds))) {
    return mo_check_indices_and_positions(def, refusal, first_bad);
  }
  return MO_OK;
}
