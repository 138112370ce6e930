/* Triangles, boxes and hulls as polytopes, for the search for separating axes. */
#include "contact/normal/polytope.h"

#include "base/assert.h"
#include "contact/body/limits.h"
#include "geometry/body/body.h"

bool mo_contact_body_is_polytope(const mo_contact_body *body) {
  return body->kind == MO_CORE_TRIANGLE || body->kind == MO_CORE_BOX ||
         (body->kind == MO_CORE_HULL && body->hull->planes != NULL);
}

static mo_dvec3 unit_normal(mo_dvec3 u, mo_dvec3 v) {
  mo_dvec3 n = mo_dcross(u, v);
  double length = mo_dlength(n);
  return length > 0x1p-40 * mo_dlength(u) * mo_dlength(v) && length > 0.0
             ? mo_dscale(1.0 / length, n)
             : mo_dvec(0.0, 0.0, 0.0);
}

static void set_face(mo_contact_polytope *p, uint32_t face, mo_dvec3 normal, mo_dvec3 point) {
  p->normals[face] = normal;
  p->offsets[face] = mo_ddot(normal, point);
  p->computed_faces |= (uint64_t)1 << face;
}

/* A triangle is treated as a prism of height 0: its front, its back, and a side face at each edge.
 * So no arc of normals is longer than 90 degrees. Each edge is stored twice: between front and
 * side, and between side and back. */
static void set_triangle(mo_contact_polytope *p, const mo_contact_body *body) {
  static const mo_hull_table_edge edges[6] = {{0, 1, {0, 2}}, {0, 1, {2, 1}}, {1, 2, {0, 3}},
                                              {1, 2, {3, 1}}, {2, 0, {0, 4}}, {2, 0, {4, 1}}};
  static const mo_hull_edge_set face_edges[5] = {{{0x15}}, {{0x2a}}, {{0x03}}, {{0x0c}}, {{0x30}}};
  const mo_dvec3 *c = body->core.corners;
  p->vertex_count = 3;
  p->face_count = 5;
  p->axis_face_count = 2;
  p->edge_count = 6;
  p->edges = edges;
  p->face_edges = face_edges;
  mo_dvec3 normal = unit_normal(mo_dsub(c[1], c[0]), mo_dsub(c[2], c[0]));
  p->has_volume = mo_ddot(normal, normal) > 0.0;
  set_face(p, 0, normal, c[0]);
  set_face(p, 1, mo_dscale(-1.0, normal), c[0]);
  for (uint32_t i = 0; i < 3; i++) {
    p->vertices[i] = c[i];
    set_face(p, 2 + i, mo_dunit(mo_dcross(mo_dsub(c[(i + 1) % 3], c[i]), normal)), c[i]);
  }
  p->computed_vertices = 7;
}

/* Faces are numbered 2 * axis, and 2 * axis + 1 for the side that the axis points to. Each axis
 * has four edges parallel to it; edge 4 * axis + i lies between the faces 2 * u + (i & 1) and
 * 2 * v + (i >> 1), where u and v are the next two axes. */
static void set_box(mo_contact_polytope *p, const mo_contact_body *body) {
  static const mo_hull_table_edge edges[12] = {{0, 1, {2, 4}}, {2, 3, {3, 4}}, {4, 5, {2, 5}},
                                               {6, 7, {3, 5}}, {0, 2, {4, 0}}, {4, 6, {5, 0}},
                                               {1, 3, {4, 1}}, {5, 7, {5, 1}}, {0, 4, {0, 2}},
                                               {1, 5, {1, 2}}, {2, 6, {0, 3}}, {3, 7, {1, 3}}};
  static const mo_hull_edge_set face_edges[6] = {{{0x530}}, {{0xac0}}, {{0x305}},
                                                 {{0xc0a}}, {{0x053}}, {{0x0ac}}};
  p->vertex_count = 8;
  p->face_count = p->axis_face_count = 6;
  p->edge_count = 12;
  p->edges = edges;
  p->face_edges = face_edges;
  p->has_volume = true;
  for (unsigned i = 0; i < 8; i++) {
    p->vertices[i] = body->center;
    for (int axis = 0; axis < 3; axis++) {
      p->vertices[i] = i >> axis & 1 ? mo_dadd(p->vertices[i], body->axis[axis])
                                     : mo_dsub(p->vertices[i], body->axis[axis]);
    }
  }
  for (uint32_t axis = 0; axis < 3; axis++) {
    mo_dvec3 normal = body->face_normal[axis];
    p->has_volume = p->has_volume && mo_ddot(normal, body->axis[axis]) != 0.0;
    set_face(p, 2 * axis, mo_dscale(-1.0, normal), p->vertices[0]);
    set_face(p, 2 * axis + 1, normal, p->vertices[7]);
  }
  p->computed_vertices = 0xff;
}

/* Sets the counts and tables of a hull, its cofactor matrix, and whether its image under the map
 * has a volume. */
static void set_hull(mo_contact_polytope *p, const mo_contact_body *body) {
  const mo_hull *hull = body->hull;
  const mo_dvec3 *column = body->column;
  p->vertex_count = hull->vertex_count;
  p->face_count = p->axis_face_count = hull->face_count;
  p->edge_count = hull->half_edge_count / 2;
  p->edges = hull->edges;
  p->face_edges = hull->face_edges;
  for (int i = 0; i < 3; i++) {
    p->cofactor[i] = mo_dcross(column[(i + 1) % 3], column[(i + 2) % 3]);
  }
  const double volume = mo_ddot(p->cofactor[0], column[0]);
  p->has_volume =
      !hull->flat && fabs(volume) > 0x1p-40 * mo_dlength(column[0]) * mo_dlength(p->cofactor[0]);
  p->is_mirrored = volume < 0.0;
  for (int i = 0; i < 3 && p->is_mirrored; i++) {
    p->cofactor[i] = mo_dscale(-1.0, p->cofactor[i]);
  }
}

void mo_contact_polytope_make_vertex(mo_contact_polytope *p, uint32_t vertex) {
  p->vertices[vertex] = mo_contact_hull_vertex(p->body, vertex);
  p->computed_vertices |= (uint64_t)1 << vertex;
}

void mo_contact_polytope_make_face(mo_contact_polytope *p, uint32_t face) {
  const mo_hull *hull = p->body->hull;
  const mo_hull_polygon *polygon = &hull->faces[face];
  set_face(p, face, mo_dunit(mo_map_columns(p->cofactor, polygon->normal)),
           mo_polytope_vertex(p, hull->half_edges[polygon->first].vertex));
}

void mo_contact_polytope_make_all(mo_contact_polytope *p) {
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    (void)mo_polytope_vertex(p, i);
  }
  for (uint32_t i = 0; i < p->face_count; i++) {
    (void)mo_polytope_normal(p, i);
  }
}

static void set_world_axes(mo_dvec3 frame[3]) {
  frame[0] = mo_dvec(1.0, 0.0, 0.0);
  frame[1] = mo_dvec(0.0, 1.0, 0.0);
  frame[2] = mo_dvec(0.0, 0.0, 1.0);
}

/* Writes the vertices of a box to `own_corners`: relative to the centre, with world axes. */
static void set_own_corners(mo_contact_polytope *p) {
  set_world_axes(p->corner_frame);
  p->has_own_corners = true;
  p->corner_capacity = 8;
  const float size = (float)(1.01 * p->body->size);
  p->max_coordinates = mo_vec(size, size, size);
  for (uint32_t i = 0; i < 8; i++) {
    const mo_vec3 v = mo_narrow(mo_dsub(p->vertices[i], p->center));
    p->own_corners[i] = v.x;
    p->own_corners[8 + i] = v.y;
    p->own_corners[16 + i] = v.z;
  }
}

void mo_contact_polytope_make_planes(mo_contact_polytope *p) {
  set_world_axes(p->plane_frame);
  p->has_own_planes = true;
  p->plane_center = p->center;
  p->plane_unit_length = 1.0;
  p->plane_capacity = (p->face_count + 7) & ~(uint32_t)7;
  float *x = p->own_planes, *y = x + p->plane_capacity, *z = y + p->plane_capacity;
  float *height = z + p->plane_capacity;
  for (uint32_t i = 0; i < p->plane_capacity; i++) {
    const bool exists = i < p->face_count;
    const mo_vec3 n = exists ? mo_narrow(mo_polytope_normal(p, i)) : mo_vec(0.0f, 0.0f, 0.0f);
    x[i] = n.x;
    y[i] = n.y;
    z[i] = n.z;
    height[i] = exists ? (float)(p->offsets[i] - mo_ddot(p->normals[i], p->center)) : INFINITY;
  }
}

/* Sets the single-precision vertices and planes of a hull. The planes stored in
 * the hull are used if its map keeps angles. */
static void set_hull_lanes(mo_contact_polytope *p, const mo_contact_body *body) {
  const mo_hull *hull = body->hull;
  double scale;
  p->has_own_corners = false;
  p->corner_capacity = hull->vertex_capacity;
  p->max_coordinates = hull->reach;
  for (int i = 0; i < 3; i++) {
    p->corner_frame[i] = body->column[i];
  }
  if (!mo_contact_map_keeps_angles(body->column, &scale) || !(scale > 0.0)) {
    mo_contact_polytope_make_planes(p);
    return;
  }
  p->has_own_planes = false;
  p->plane_capacity = hull->plane_capacity;
  p->plane_center = mo_dadd(body->origin, mo_map_columns(body->column, hull->center));
  p->plane_unit_length = scale;
  for (int i = 0; i < 3; i++) {
    p->plane_frame[i] = mo_dscale(1.0 / (scale * scale), body->column[i]);
  }
}

void mo_contact_polytope_of(mo_contact_polytope *p, const mo_contact_body *body) {
  p->body = body;
  p->center = body->center;
  p->computed_vertices = p->computed_faces = 0;
  if (body->kind == MO_CORE_HULL) {
    set_hull(p, body);
    set_hull_lanes(p, body);
    return;
  }
  p->plane_capacity = 0;
  if (body->kind == MO_CORE_TRIANGLE) {
    set_triangle(p, body);
  } else {
    set_box(p, body);
    set_own_corners(p);
  }
}

void mo_contact_body_cache_polytope(mo_contact_body *body, mo_contact_polytope *polytope) {
  if (!mo_contact_body_is_half_space(body) && mo_contact_body_is_polytope(body)) {
    mo_contact_polytope_of(polytope, body);
    body->polytope = polytope;
  }
}

mo_contact_polytope *mo_contact_polytope_get(const mo_contact_body *body,
                                             mo_contact_polytope *made) {
  if (body->polytope != NULL) {
    return body->polytope;
  }
  mo_contact_polytope_of(made, body);
  return made;
}

bool mo_contact_axis_of_polytopes(const mo_contact_body *a, const mo_contact_body *b, double max,
                                  mo_dvec3 start, mo_contact_axis *axis) {
  const double balls = a->ball_radius + b->ball_radius;
  mo_contact_polytope p, q;
  mo_axis_search s = {.a = mo_contact_polytope_get(a, &p),
                      .b = mo_contact_polytope_get(b, &q),
                      .separation_limit = max + balls + 0x1p-40 * (a->size + b->size),
                      .start_axis = start};
  mo_polytopes_find_axis_by_isa[mo_isa_of_process()](&s);
  if (s.max_separation == -INFINITY) {
    return false;
  }
  MO_ASSERT(mo_is_unit(s.normal) && s.max_separation >= s.max_face_separation);
  *axis = (mo_contact_axis){.within_limit = s.max_separation - balls <= max,
                            .normal = s.normal,
                            .separation = s.max_separation - balls,
                            .has_face = s.max_face_separation >=
                                        s.max_separation - mo_contact_face_bias(a, b),
                            .face_normal = s.face_normal,
                            .supports = s.supports,
                            .face_normal_supports = s.face_normal_supports};
  return true;
}
