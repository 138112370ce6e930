/* Builders of meshes on vertices of any bits, with any options: what they refuse and why; that what
 * they make is valid, has the triangles that were given, and answers as brute force does, also
 * after its vertices have moved, parts were rebuilt and triangles inserted; no memory is left over.
 */
#include <motte/mesh.h>

#include "fuzz/points.h"
#include "math/aabb.h"
#include "support/check.h"
#include "support/counting_allocator.h"

enum { MAX_VERTICES = 48, MAX_TRIANGLES = 64 };

typedef struct subject {
  mo_vec3 points[MAX_VERTICES];
  uint32_t indices[3 * MAX_TRIANGLES];
  uint16_t short_indices[3 * MAX_TRIANGLES];
  uint32_t vertex_count, triangle_count;
  mo_mesh_def def;
} subject;

static void decode_options(fuzz_bytes *b, mo_mesh_build_options *build) {
  uint8_t bits = fuzz_byte(b);
  build->builder = (mo_mesh_builder)(bits & 3); /* 3: MO_MESH_BUILDER_MIDPOINT */
  build->quality = (mo_mesh_quality)((bits >> 2 & 3) % 3);
  bool plain = build->builder == MO_MESH_BUILDER_TOP_DOWN;
  build->deformable = bits >> 4 & 1 && build->builder == MO_MESH_BUILDER_SINGLE;
  build->edges = bits >> 5 & 1 && !plain && !build->deformable;
  build->compact = bits >> 6 & 1 && !plain && !build->deformable;
  build->editable =
      build->builder == MO_MESH_BUILDER_SINGLE && !build->deformable && !build->compact;
  build->leaf_capacity = bits >> 7 & 1 ? 1 + fuzz_below(b, 256) : 8;
  build->max_depth = bits >> 7 & 1 ? 1 + fuzz_below(b, MO_MESH_MAX_DEPTH) : MO_MESH_MAX_DEPTH;
  build->depth = 1 + (plain ? fuzz_below(b, 3) : 0);
  build->bounds = (mo_aabb){{-40, -40, -40}, {40, 40, 40}};
}

static void decode(fuzz_bytes *b, subject *s) {
  s->def = mo_default_mesh_def();
  uint8_t options = fuzz_byte(b);
  b->wild = options & 1;
  s->def.index_type = (mo_index_type)((options >> 1 & 3) % 3);
  s->vertex_count = fuzz_below(b, MAX_VERTICES + 1);
  decode_options(b, &s->def.build);
  fuzz_points(b, s->points, s->vertex_count);
  s->triangle_count =
      s->def.index_type == MO_INDEX_NONE ? s->vertex_count / 3 : fuzz_below(b, MAX_TRIANGLES + 1);
  for (uint32_t i = 0; i < 3 * s->triangle_count; i++) {
    uint32_t index = s->vertex_count == 0 ? fuzz_byte(b) : fuzz_below(b, s->vertex_count);
    index = b->wild && index == 7 ? fuzz_byte(b) : index;
    s->indices[i] = s->def.index_type == MO_INDEX_NONE ? i : index;
    s->short_indices[i] = (uint16_t)index;
  }
  s->def.positions = s->points;
  s->def.vertex_count = s->vertex_count;
  s->def.indices = s->def.index_type == MO_INDEX_U32   ? (const void *)s->indices
                   : s->def.index_type == MO_INDEX_U16 ? (const void *)s->short_indices
                                                       : NULL;
  s->def.triangle_count = s->triangle_count;
}

/* Of vertices that triangles use, indices, and bounds that are left. */
static bool has_fault(const subject *s, mo_result fault) {
  size_t at;
  const mo_aabb *bounds = &s->def.build.bounds;
  for (uint32_t i = 0; i < 3 * s->triangle_count; i++) {
    if (s->indices[i] >= s->vertex_count) {
      if (fault == MO_ERROR_INVALID_INDEX) {
        return true;
      }
      continue;
    }
    mo_vec3 p = s->points[s->indices[i]];
    bool outside = !(p.x >= bounds->lower.x && p.x <= bounds->upper.x && p.y >= bounds->lower.y &&
                     p.y <= bounds->upper.y && p.z >= bounds->lower.z && p.z <= bounds->upper.z);
    if (fuzz_points_refused(&p, 1, &at) == fault) {
      return true;
    }
    if (fault == MO_ERROR_OUT_OF_RANGE && s->def.build.builder == MO_MESH_BUILDER_TOP_DOWN &&
        outside) {
      return true;
    }
  }
  return false;
}

static void check_refusal(const subject *s, mo_result result) {
  static const mo_result faults[] = {MO_ERROR_NOT_FINITE, MO_ERROR_OUT_OF_RANGE,
                                     MO_ERROR_INVALID_INDEX};
  bool any = false, named = false;
  for (int i = 0; i < 3; i++) {
    bool has = has_fault(s, faults[i]);
    any = any || has;
    named = named || (has && result == faults[i]);
  }
  FUZZ_CHECK(result == MO_OK ? !any : named, "%s", mo_result_name(result));
}

static void check_triangles(const subject *s, const mo_mesh *mesh) {
  FUZZ_CHECK(mo_mesh_validate(mesh) == MO_OK, "not valid");
  FUZZ_CHECK(mo_mesh_triangle_count(mesh) >= s->triangle_count, "too few triangles");
  for (uint32_t i = 0; i < s->triangle_count; i++) {
    mo_vec3 corners[3];
    FUZZ_CHECK(mo_mesh_get_triangle(mesh, i, corners, NULL) == MO_OK, "triangle %u", i);
    for (int k = 0; k < 3; k++) {
      const mo_vec3 *p = &s->points[s->indices[3 * i + (uint32_t)k]];
      FUZZ_CHECK(corners[k].x == p->x && corners[k].y == p->y && corners[k].z == p->z,
                 "corner %d of triangle %u", k, i);
    }
  }
}

/* From a coordinate or a vertex towards another one. */
static mo_ray_def decode_ray(fuzz_bytes *b, const subject *s) {
  mo_ray_def ray = mo_default_ray_def();
  uint8_t kind = fuzz_byte(b);
  mo_vec3 to = fuzz_vec3(b);
  ray.origin = kind & 1 && s->vertex_count > 0 ? s->points[kind % s->vertex_count] : fuzz_vec3(b);
  if (kind & 2 && s->vertex_count > 0) {
    to = s->points[(kind >> 2) % s->vertex_count];
  }
  ray = kind & 64 ? mo_segment_def(ray.origin, to) : ray;
  ray.direction = (mo_vec3){to.x - ray.origin.x, to.y - ray.origin.y, to.z - ray.origin.z};
  ray.cull_back_faces = kind >= 128;
  return ray;
}

/* What the library takes as an argument of a query. */
static bool is_legal(mo_vec3 p) {
  size_t at;
  return fuzz_points_refused(&p, 1, &at) == MO_OK;
}

/* Whether a mesh contains a point is up to its bounds if it is open, and those that are declared
 * may be larger than those of the triangles, by which brute force goes. */
static bool is_judged(const subject *s, const oracle_mesh *oracle, mo_vec3 p) {
  return s->def.build.builder != MO_MESH_BUILDER_TOP_DOWN ||
         mo_aabb_contains(oracle_mesh_bounds(oracle), (mo_aabb){p, p});
}

static void check_queries(fuzz_bytes *b, const subject *s, const mo_mesh *mesh) {
  oracle_mesh oracle = {0};
  oracle_mesh_read(&oracle, mesh);
  for (uint32_t i = 0; i < 1 + fuzz_below(b, 4); i++) {
    mo_ray_def ray = decode_ray(b, s);
    mo_vec3 d = ray.direction;
    if (is_legal(ray.origin) && is_legal(d) && (d.x != 0 || d.y != 0 || d.z != 0)) {
      FUZZ_CHECK(check_mesh_ray(&mesh, 1, &oracle, &ray, i == 0 ? CHECK_FULL : CHECK_QUICK), "%s",
                 check_why());
    }
    if (is_legal(ray.origin)) {
      mo_sphere ball = {ray.origin, fabsf(fuzz_coordinate(b))};
      if (is_judged(s, &oracle, ray.origin)) {
        FUZZ_CHECK(check_mesh_point(&mesh, 1, &oracle, ray.origin), "%s", check_why());
      }
      if (ball.radius <= MO_MAX_COORDINATE) {
        FUZZ_CHECK(check_mesh_sphere(&mesh, 1, &oracle, &ball), "%s", check_why());
      }
    }
  }
  oracle_mesh_free(&oracle);
}

/* Moves the vertices and rebuilds what that has made worse. */
static void deform(fuzz_bytes *b, subject *s, mo_mesh *mesh) {
  subject moved = *s;
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = 1;
  fuzz_points(b, moved.points, moved.vertex_count);
  mo_result result =
      mo_mesh_refit(mesh, moved.points, sizeof(mo_vec3), moved.vertex_count, NULL, NULL);
  if (result == MO_OK) {
    *s = moved;
    s->def.positions = s->points;
  } else {
    check_refusal(&moved, result);
  }
  FUZZ_CHECK(mo_mesh_rebuild_parts(mesh, &options, NULL) == MO_OK, "rebuild");
}

/* Moves vertices, and gives triangles others. */
static void edit(fuzz_bytes *b, subject *s, mo_mesh *mesh) {
  mo_mesh_edit_def def = mo_default_mesh_edit_def();
  uint32_t moved[4], replaced[4], indices[12];
  mo_vec3 positions[4];
  subject changed = *s;
  size_t at;
  if (s->vertex_count == 0) {
    return;
  }
  def.moved_vertices = moved;
  def.moved_positions = positions;
  def.replaced_triangles = replaced;
  def.replaced_indices = indices;
  fuzz_points(b, positions, 4);
  for (uint32_t i = fuzz_below(b, 5); i > 0; i--) {
    const uint32_t k = def.moved_vertex_count++;
    moved[k] = fuzz_below(b, s->vertex_count);
    changed.points[moved[k]] = positions[k];
  }
  for (uint32_t i = 0, t = fuzz_byte(b); i < 4 && t < s->triangle_count; i++, t += 3) {
    replaced[def.replaced_triangle_count++] = t;
    for (uint32_t k = 0; k < 3; k++) {
      indices[3 * i + k] = changed.indices[3 * t + k] = fuzz_below(b, s->vertex_count);
    }
  }
  const mo_result result = mo_mesh_edit(mesh, &def);
  const mo_result expected = fuzz_points_refused(positions, def.moved_vertex_count, &at);
  if (result == MO_OK) {
    *s = changed;
    s->def.positions = s->points;
  } else {
    /* Of a vertex that moves, or of one that no triangle has used. */
    FUZZ_CHECK(result == expected || has_fault(&changed, result), "%s", mo_result_name(result));
  }
}

static void insert(fuzz_bytes *b, mo_mesh *mesh) {
  mo_vec3 corners[9];
  uint32_t before = mo_mesh_triangle_count(mesh), first = UINT32_MAX;
  fuzz_points(b, corners, 9);
  mo_result result = mo_mesh_insert_triangles(mesh, corners, 3, NULL, &first, NULL);
  FUZZ_CHECK(result == MO_OK ? first == before : first == UINT32_MAX, "%s", mo_result_name(result));
  FUZZ_CHECK(result == MO_OK || result == MO_ERROR_NOT_FINITE || result == MO_ERROR_OUT_OF_RANGE,
             "%s", mo_result_name(result));
  FUZZ_CHECK(mo_mesh_triangle_count(mesh) == before + (result == MO_OK ? 3 : 0), "count");
}

static void check_mesh(fuzz_bytes *b, subject *s, mo_mesh *mesh) {
  check_triangles(s, mesh);
  check_queries(b, s, mesh);
  if (s->def.build.deformable) {
    deform(b, s, mesh);
  } else if (s->def.build.builder == MO_MESH_BUILDER_TOP_DOWN) {
    insert(b, mesh);
  } else if (s->def.build.editable) {
    edit(b, s, mesh);
  } else {
    return;
  }
  check_triangles(s, mesh);
  check_queries(b, s, mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  counting_allocator counter;
  counting_allocator_init(&counter);
  subject s = {0};
  decode(&b, &s);
  s.def.host = counting_allocator_host(&counter);
  mo_mesh *mesh = NULL;
  mo_result result = mo_mesh_create(&s.def, &mesh);
  check_refusal(&s, result);
  if (result == MO_OK) {
    check_mesh(&b, &s, mesh);
  } else {
    FUZZ_CHECK(mesh == NULL, "a mesh in spite of %s", mo_result_name(result));
  }
  mo_mesh_release(mesh);
  FUZZ_CHECK(counting_allocator_is_clean(&counter), "memory is left over");
  return 0;
}
