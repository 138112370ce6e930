/* Sequences of edits of a mesh, on vertices of any bits: what is refused changes nothing; after
 * each edit the mesh is valid and answers as one that is built anew of the triangles that exist. */
#include <motte/motte.h>

#include "fuzz/points.h"
#include "fuzz/shapes.h"
#include "support/counting_allocator.h"

enum {
  MAX_VERTICES = 160,
  MAX_TRIANGLES = 160,
  MAX_EDITS = 24,
  FEW = 6, /* the greatest number of changes of one kind in an edit */
  MAX_HITS = MAX_TRIANGLES
};

typedef struct subject {
  mo_mesh_def def;
  mo_mesh *mesh;
  mo_vec3 points[MAX_VERTICES];
  uint32_t vertex_count;
  uint32_t vertices[MAX_TRIANGLES][3], user_data[MAX_TRIANGLES];
  bool exists[MAX_TRIANGLES];
  uint32_t triangle_count;
  uint32_t free[MAX_TRIANGLES], free_count; /* a stack of the numbers of removed triangles */
  mo_mesh *fresh;
  uint32_t number_of[MAX_TRIANGLES]; /* in `mesh`, of a triangle of `fresh` */
  uint32_t fresh_count;
} subject;

static void expect(mo_result result, const char *what) {
  FUZZ_CHECK(result == MO_OK, "%s: %s", what, mo_result_name(result));
}

static bool same_vec3(mo_vec3 a, mo_vec3 b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_legal(mo_vec3 p) {
  size_t at;
  return fuzz_points_refused(&p, 1, &at) == MO_OK;
}

/* --- the model --- */

static bool is_used(const subject *s, uint32_t vertex) {
  bool used = false;
  for (uint32_t t = 0; t < s->triangle_count && !used; t++) {
    const uint32_t *v = s->vertices[t];
    used = s->exists[t] && (v[0] == vertex || v[1] == vertex || v[2] == vertex);
  }
  return used;
}

static void create(fuzz_bytes *b, subject *s, counting_allocator *counter) {
  const uint8_t options = fuzz_byte(b);
  b->wild = options & 1;
  s->def = mo_default_mesh_def();
  s->def.build.builder = MO_MESH_BUILDER_SINGLE;
  s->def.build.editable = true;
  s->def.build.edges = options & 2;
  s->def.build.quality = (mo_mesh_quality)((options >> 2 & 3) % 3);
  s->def.build.leaf_capacity = options & 16 ? 1 + fuzz_below(b, 8) : 8;
  s->def.host = counting_allocator_host(counter);
  s->vertex_count = fuzz_below(b, 33);
  fuzz_points(b, s->points, s->vertex_count);
  for (uint32_t i = 0; i < s->vertex_count; i++) {
    s->points[i] = is_legal(s->points[i]) ? s->points[i] : (mo_vec3){1, 2, 3};
  }
  s->triangle_count = s->vertex_count == 0 ? 0 : fuzz_below(b, 33);
  for (uint32_t t = 0; t < s->triangle_count; t++) {
    for (int k = 0; k < 3; k++) {
      s->vertices[t][k] = fuzz_below(b, s->vertex_count);
    }
    s->exists[t] = true;
  }
  s->def.positions = s->points;
  s->def.vertex_count = s->vertex_count;
  s->def.indices = s->vertices;
  s->def.index_type = MO_INDEX_U32;
  s->def.triangle_count = s->triangle_count;
  expect(mo_mesh_create(&s->def, &s->mesh), "create");
}

/* A new mesh of the triangles that exist, in the order of their numbers. */
static void make_fresh(subject *s) {
  static uint32_t vertices[MAX_TRIANGLES][3], user_data[MAX_TRIANGLES];
  mo_mesh_def def = s->def;
  s->fresh_count = 0;
  for (uint32_t t = 0; t < s->triangle_count; t++) {
    if (s->exists[t]) {
      memcpy(vertices[s->fresh_count], s->vertices[t], sizeof *vertices);
      user_data[s->fresh_count] = s->user_data[t];
      s->number_of[s->fresh_count++] = t;
    }
  }
  def.vertex_count = s->vertex_count;
  def.indices = vertices;
  def.triangle_count = s->fresh_count;
  def.triangle_user_data = user_data;
  mo_mesh_release(s->fresh);
  expect(mo_mesh_create(&def, &s->fresh), "create anew");
}

/* --- edits --- */

typedef struct edit {
  mo_mesh_edit_def def;
  uint32_t moved[FEW], removed[FEW], replaced[FEW], replaced_indices[3 * FEW], replaced_data[FEW],
      added_indices[3 * FEW], added_data[FEW], added[FEW];
  mo_vec3 moved_positions[FEW], added_positions[FEW];
} edit;

/* Vertices that may not exist, if wild. */
static void decode_indices(fuzz_bytes *b, uint32_t vertex_count, uint32_t *indices,
                           uint32_t triangles) {
  for (uint32_t i = 0; i < 3 * triangles; i++) {
    const uint32_t any = fuzz_byte(b);
    indices[i] = b->wild && any == 255 ? any : any % (vertex_count > 0 ? vertex_count : 1);
  }
}

static void decode_triangles(fuzz_bytes *b, const subject *s, uint32_t *triangles,
                             uint32_t *count) {
  *count = s->triangle_count > 0 ? fuzz_below(b, FEW + 1) : 0;
  for (uint32_t i = 0; i < *count; i++) {
    triangles[i] = fuzz_byte(b) % s->triangle_count;
  }
}

static void decode_vertices(fuzz_bytes *b, const subject *s, edit *e) {
  mo_mesh_edit_def *d = &e->def;
  if (fuzz_chance(b, 128) && s->vertex_count > 0) {
    d->moved_vertex_count = fuzz_below(b, FEW + 1);
    fuzz_points(b, e->moved_positions, d->moved_vertex_count);
    for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
      e->moved[i] = fuzz_byte(b) % s->vertex_count;
    }
  }
  if (fuzz_chance(b, 128) && s->vertex_count + FEW <= MAX_VERTICES) {
    d->added_vertex_count = fuzz_below(b, FEW + 1);
    fuzz_points(b, e->added_positions, d->added_vertex_count);
  }
}

static void decode_edit(fuzz_bytes *b, const subject *s, edit *e) {
  mo_mesh_edit_def *d = &e->def;
  const uint8_t kinds = fuzz_byte(b);
  *d = mo_default_mesh_edit_def();
  d->moved_vertices = e->moved;
  d->moved_positions = e->moved_positions;
  d->added_positions = e->added_positions;
  d->removed_triangles = e->removed;
  d->replaced_triangles = e->replaced;
  d->replaced_indices = e->replaced_indices;
  d->added_indices = e->added_indices;
  d->added_triangles = e->added;
  d->max_rebuilt_triangles = kinds & 1 ? fuzz_byte(b) : UINT32_MAX;
  decode_vertices(b, s, e);
  const uint32_t vertex_count = s->vertex_count + d->added_vertex_count;
  if (kinds & 2) {
    decode_triangles(b, s, e->removed, &d->removed_triangle_count);
  }
  if (kinds & 4) {
    decode_triangles(b, s, e->replaced, &d->replaced_triangle_count);
    decode_indices(b, vertex_count, e->replaced_indices, d->replaced_triangle_count);
  }
  if (!(kinds & 8) && vertex_count > 0 && s->triangle_count + FEW <= MAX_TRIANGLES) {
    d->added_triangle_count = fuzz_below(b, FEW + 1);
    decode_indices(b, vertex_count, e->added_indices, d->added_triangle_count);
  }
  for (uint32_t i = 0; i < FEW; i++) {
    e->replaced_data[i] = e->added_data[i] = kinds + i;
  }
  d->replaced_user_data = kinds & 16 ? e->replaced_data : NULL;
  d->added_user_data = kinds & 32 ? e->added_data : NULL;
}

static void add_triangle(subject *s, const edit *e, uint32_t i) {
  const uint32_t t = s->free_count > 0 ? s->free[--s->free_count] : s->triangle_count++;
  FUZZ_CHECK(e->added[i] == t, "new triangle %u has number %u, expected %u", i, e->added[i], t);
  s->exists[t] = true;
  memcpy(s->vertices[t], &e->added_indices[3 * i], sizeof *s->vertices);
  s->user_data[t] = e->def.added_user_data != NULL ? e->added_data[i] : 0;
}

/* Makes an edit that was accepted in the model. */
static void apply(subject *s, const edit *e) {
  const mo_mesh_edit_def *d = &e->def;
  for (uint32_t i = 0; i < d->moved_vertex_count; i++) {
    s->points[e->moved[i]] = e->moved_positions[i];
  }
  for (uint32_t i = 0; i < d->added_vertex_count; i++) {
    s->points[s->vertex_count++] = e->added_positions[i];
  }
  for (uint32_t i = 0; i < d->removed_triangle_count; i++) {
    s->exists[e->removed[i]] = false;
    s->free[s->free_count++] = e->removed[i];
  }
  for (uint32_t i = 0; i < d->replaced_triangle_count; i++) {
    memcpy(s->vertices[e->replaced[i]], &e->replaced_indices[3 * i], sizeof *s->vertices);
    if (d->replaced_user_data != NULL) {
      s->user_data[e->replaced[i]] = e->replaced_data[i];
    }
  }
  for (uint32_t i = 0; i < d->added_triangle_count; i++) {
    add_triangle(s, e, i);
  }
}

/* Whether triangles are named that do not exist (INVALID_INDEX) or twice (INVALID_ARGUMENT). */
static bool names_fault(const subject *s, const edit *e, mo_result fault) {
  const mo_mesh_edit_def *d = &e->def;
  uint8_t named[MAX_TRIANGLES] = {0};
  bool twice = false, absent = false;
  for (uint32_t i = 0; i < d->removed_triangle_count + d->replaced_triangle_count; i++) {
    const uint32_t t =
        i < d->removed_triangle_count ? e->removed[i] : e->replaced[i - d->removed_triangle_count];
    twice = twice || named[t]++ > 0;
    absent = absent || !s->exists[t];
  }
  const uint32_t vertex_count = s->vertex_count + d->added_vertex_count;
  for (uint32_t i = 0; i < 3 * d->replaced_triangle_count; i++) {
    absent = absent || e->replaced_indices[i] >= vertex_count;
  }
  for (uint32_t i = 0; i < 3 * d->added_triangle_count; i++) {
    absent = absent || e->added_indices[i] >= vertex_count;
  }
  return fault == MO_ERROR_INVALID_INDEX ? absent : twice;
}

static bool has_illegal_position(const edit *e, mo_result fault) {
  bool found = false;
  size_t at;
  for (uint32_t i = 0; i < e->def.moved_vertex_count; i++) {
    found = found || fuzz_points_refused(&e->moved_positions[i], 1, &at) == fault;
  }
  for (uint32_t i = 0; i < e->def.added_vertex_count; i++) {
    found = found || fuzz_points_refused(&e->added_positions[i], 1, &at) == fault;
  }
  return found;
}

static void check_refusal(const subject *s, const edit *e, mo_result result) {
  const bool names =
      names_fault(s, e, MO_ERROR_INVALID_INDEX) || names_fault(s, e, MO_ERROR_INVALID_ARGUMENT);
  const bool illegal = has_illegal_position(e, MO_ERROR_NOT_FINITE) ||
                       has_illegal_position(e, MO_ERROR_OUT_OF_RANGE);
  const bool is_name = result == MO_ERROR_INVALID_INDEX || result == MO_ERROR_INVALID_ARGUMENT;
  const bool is_number = result == MO_ERROR_NOT_FINITE || result == MO_ERROR_OUT_OF_RANGE;
  FUZZ_CHECK(result != MO_OK || (!names && !illegal), "taken in spite of a fault");
  FUZZ_CHECK(result == MO_OK || (is_name && names_fault(s, e, result)) ||
                 (is_number && has_illegal_position(e, result)),
             "%s", mo_result_name(result));
}

/* --- comparisons --- */

static uint32_t number_of(const subject *s, uint32_t triangle) {
  return triangle == MO_NO_TRIANGLE ? MO_NO_TRIANGLE : s->number_of[triangle];
}

static void check_triangles(const subject *s) {
  expect(mo_mesh_validate(s->mesh), "validate");
  FUZZ_CHECK(mo_mesh_triangle_count(s->mesh) == s->triangle_count, "%u triangles, expected %u",
             mo_mesh_triangle_count(s->mesh), s->triangle_count);
  for (uint32_t t = 0; t < s->triangle_count; t++) {
    mo_vec3 corners[3];
    uint32_t user_data;
    const mo_result result = mo_mesh_get_triangle(s->mesh, t, corners, &user_data);
    FUZZ_CHECK(result == (s->exists[t] ? MO_OK : MO_ERROR_INVALID_INDEX), "triangle %u: %s", t,
               mo_result_name(result));
    for (int k = 0; k < 3 && s->exists[t]; k++) {
      FUZZ_CHECK(same_vec3(corners[k], s->points[s->vertices[t][k]]) &&
                     user_data == s->user_data[t],
                 "corner %d of triangle %u", k, t);
    }
  }
  const mo_aabb a = mo_mesh_bounds(s->mesh), b = mo_mesh_bounds(s->fresh);
  FUZZ_CHECK(same_vec3(a.lower, b.lower) && same_vec3(a.upper, b.upper), "bounds");
}

static void check_edges(const subject *s) {
  for (uint32_t t = 0; t < s->fresh_count && s->def.build.edges; t++) {
    mo_mesh_edge a[3], b[3];
    expect(mo_mesh_get_edges(s->mesh, s->number_of[t], a), "get edges");
    expect(mo_mesh_get_edges(s->fresh, t, b), "get edges");
    FUZZ_CHECK(a[0] == b[0] && a[1] == b[1] && a[2] == b[2], "edges of triangle %u",
               s->number_of[t]);
  }
}

/* A coordinate or a vertex that a triangle uses. */
static mo_vec3 any_point(fuzz_bytes *b, const subject *s) {
  const uint8_t which = fuzz_byte(b);
  const mo_vec3 p = fuzz_vec3(b);
  const bool at_vertex = which & 1 && s->vertex_count > 0 && is_used(s, which % s->vertex_count);
  return at_vertex ? s->points[which % s->vertex_count] : is_legal(p) ? p : (mo_vec3){0, 1, 0};
}

static void check_rays(fuzz_bytes *b, const subject *s) {
  static mo_ray_hit hits[2][MAX_HITS];
  uint32_t totals[2] = {0, 0};
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = any_point(b, s);
  const mo_vec3 to = any_point(b, s);
  ray.direction = (mo_vec3){to.x - ray.origin.x, to.y - ray.origin.y, to.z - ray.origin.z};
  const mo_result result =
      mo_mesh_cast_ray_all(s->fresh, &ray, hits[1], MAX_HITS, &totals[1], NULL);
  FUZZ_CHECK(mo_mesh_cast_ray_all(s->mesh, &ray, hits[0], MAX_HITS, &totals[0], NULL) == result,
             "two results");
  FUZZ_CHECK(totals[0] == totals[1], "%u hits, expected %u", totals[0], totals[1]);
  for (uint32_t i = 0; i < totals[0]; i++) {
    const mo_ray_hit *p = &hits[0][i], *q = &hits[1][i];
    FUZZ_CHECK(p->triangle == number_of(s, q->triangle) && p->t == q->t && p->u == q->u &&
                   p->v == q->v && p->front == q->front && same_vec3(p->normal, q->normal) &&
                   p->triangle_user_data == q->triangle_user_data,
               "hit %u: triangle %u at %a, expected %u at %a", i, p->triangle, (double)p->t,
               number_of(s, q->triangle), (double)q->t);
  }
}

static void check_points(fuzz_bytes *b, const subject *s) {
  const mo_vec3 p = any_point(b, s);
  mo_closest_hit hits[2];
  int32_t numbers[2];
  expect(mo_mesh_closest_point(s->mesh, p, INFINITY, &hits[0], NULL), "closest point");
  expect(mo_mesh_closest_point(s->fresh, p, INFINITY, &hits[1], NULL), "closest point");
  FUZZ_CHECK(hits[0].found == hits[1].found && hits[0].triangle == number_of(s, hits[1].triangle) &&
                 (!hits[0].found || hits[0].distance == hits[1].distance),
             "the closest triangle %u, expected %u", hits[0].triangle,
             number_of(s, hits[1].triangle));
  expect(mo_mesh_winding_number(s->mesh, p, &numbers[0], NULL), "winding number");
  expect(mo_mesh_winding_number(s->fresh, p, &numbers[1], NULL), "winding number");
  FUZZ_CHECK(numbers[0] == numbers[1], "winding number %d, expected %d", numbers[0], numbers[1]);
}

static void check_primitives(fuzz_bytes *b, const subject *s) {
  static uint32_t triangles[2][MAX_HITS];
  uint32_t totals[2] = {0, 0};
  mo_shape_cast_def cast = mo_default_shape_cast_def();
  mo_cast_hit hits[2];
  cast.primitive = fuzz_primitive(b);
  cast.displacement = fuzz_vec3(b);
  mo_result result = mo_mesh_overlap_primitive(s->fresh, &cast.primitive, triangles[1], MAX_HITS,
                                               &totals[1], NULL);
  FUZZ_CHECK(mo_mesh_overlap_primitive(s->mesh, &cast.primitive, triangles[0], MAX_HITS, &totals[0],
                                       NULL) == result,
             "two results");
  FUZZ_CHECK(totals[0] == totals[1], "%u triangles, expected %u", totals[0], totals[1]);
  for (uint32_t i = 0; i < totals[0]; i++) {
    FUZZ_CHECK(triangles[0][i] == number_of(s, triangles[1][i]), "triangle %u", i);
  }
  result = mo_mesh_cast_shape(s->fresh, &cast, &hits[1], NULL);
  FUZZ_CHECK(mo_mesh_cast_shape(s->mesh, &cast, &hits[0], NULL) == result, "two results");
  FUZZ_CHECK(result != MO_OK || (hits[0].found == hits[1].found &&
                                 hits[0].triangle == number_of(s, hits[1].triangle) &&
                                 (!hits[0].found || hits[0].t == hits[1].t)),
             "triangle %u at %a, expected %u at %a", hits[0].triangle, (double)hits[0].t,
             hits[1].triangle, (double)hits[1].t);
}

/* Where removed triangles leave gaps, contacts with more points than a manifold can have may keep
 * others of them. */
static void check_contacts(fuzz_bytes *b, const subject *s) {
  static mo_contact contacts[2][MAX_HITS];
  uint32_t totals[2] = {0, 0};
  mo_result results[2];
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = fuzz_primitive(b);
  for (int k = 0; k < 2; k++) {
    mo_scene *scene = NULL;
    mo_shape_id id;
    mo_scene_def of_scene = mo_default_scene_def();
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = k == 0 ? s->mesh : s->fresh;
    of_scene.host = s->def.host;
    expect(mo_scene_create(&of_scene, &scene), "create a scene");
    expect(mo_scene_add_shape(scene, &shape, &id), "add the mesh");
    results[k] = mo_scene_collide_shape(scene, &def, contacts[k], MAX_HITS, &totals[k], NULL);
    mo_scene_destroy(scene);
  }
  FUZZ_CHECK(results[0] == results[1], "two results");
  if (s->free_count > 0) {
    return;
  }
  FUZZ_CHECK(totals[0] == totals[1], "%u contacts, expected %u", totals[0], totals[1]);
  for (uint32_t i = 0; i < totals[0]; i++) {
    const mo_contact *p = &contacts[0][i], *q = &contacts[1][i];
    FUZZ_CHECK(p->triangle_b == q->triangle_b &&
                   p->manifold.point_count == q->manifold.point_count &&
                   same_vec3(p->manifold.normal, q->manifold.normal),
               "contact %u of triangle %u, expected %u", i, p->triangle_b, q->triangle_b);
  }
}

static void check(fuzz_bytes *b, subject *s) {
  make_fresh(s);
  check_triangles(s);
  check_edges(s);
  check_rays(b, s);
  check_points(b, s);
  if (fuzz_chance(b, 128)) {
    check_primitives(b, s);
  } else {
    check_contacts(b, s);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_bytes b = {.data = data, .size = size};
  static subject s;
  static edit e;
  counting_allocator counter;
  memset(&s, 0, sizeof s);
  counting_allocator_init(&counter);
  create(&b, &s, &counter);
  check(&b, &s);
  for (int i = 0; i < MAX_EDITS && fuzz_has_more(&b); i++) {
    decode_edit(&b, &s, &e);
    const mo_result result = mo_mesh_edit(s.mesh, &e.def);
    check_refusal(&s, &e, result);
    if (result == MO_OK) {
      apply(&s, &e);
    }
    check(&b, &s);
  }
  mo_mesh_release(s.mesh);
  mo_mesh_release(s.fresh);
  FUZZ_CHECK(counting_allocator_is_clean(&counter), "memory is left over");
  return 0;
}
