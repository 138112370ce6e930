/* Contacts of two shapes: for two convex shapes one manifold; for a mesh the manifolds of its
 * triangles near the other shape; for a volume only whether it is touched. */
#include "contact/pair/pair.h"

#include <string.h>

#include "base/assert.h"
#include "contact/manifold/fast_path.h"
#include "contact/normal/polytope.h"
#include "contact/surface/surface.h"
#include "geometry/hull/hull.h"
#include "geometry/overlap/overlap.h"
#include "mesh/pair/pair.h"
#include "mesh/world.h"
#include "query/solid.h"
#include "scene/shapes/unbounded.h"

mo_collider mo_collider_of_primitive(const mo_prepared_primitive *p) {
  mo_collider c = {.affine = &p->affine, .bounds = mo_aabb_empty()};
  if (p->mesh != NULL) {
    c.kind = MO_COLLIDER_MESH;
    c.mesh = p->mesh;
    return c;
  }
  switch (p->body.kind) {
  case MO_BODY_SOLID:
    c.kind = MO_COLLIDER_SOLID;
    c.solid = p->body.convex.solid;
    return c;
  case MO_BODY_AABB:
    c.kind = MO_COLLIDER_VOLUME;
    c.bounds = p->body.bounds;
    return c;
  case MO_BODY_TRIANGLE:
    c.kind = MO_COLLIDER_TRIANGLE;
    memcpy(c.local_corners, p->local_corners, sizeof c.local_corners);
    return c;
  case MO_BODY_HALF_SPACE:
    c.kind = MO_COLLIDER_HALF_SPACE;
    c.half_space = &p->body.half_space;
    return c;
  }
  __builtin_unreachable();
}

mo_collider mo_collider_of_record(const mo_shape *shape, const mo_half_space_body *half_space) {
  const mo_geometry *geometry = &shape->geometry;
  mo_collider c = {
      .user_data = shape->user_data, .affine = &shape->affine, .bounds = mo_aabb_empty()};
  switch (geometry->type) {
  case MO_SHAPE_MESH:
    c.kind = MO_COLLIDER_MESH;
    c.mesh = geometry->mesh;
    return c;
  case MO_SHAPE_HALF_SPACE:
    c.kind = MO_COLLIDER_HALF_SPACE;
    c.half_space = half_space;
    return c;
  case MO_SHAPE_VOLUME:
    c.kind = MO_COLLIDER_VOLUME;
    c.bounds = mo_affine_aabb_to_world(c.affine, geometry->volume);
    return c;
  case MO_SHAPE_COMPOUND: /* its children have colliders: contact/pair/children.h */
    break;
    MO_CASES_OF_SOLIDS {
      c.kind = MO_COLLIDER_SOLID;
      c.solid = mo_solid_read(mo_solid_kind_of(geometry->type), geometry);
      return c;
    }
  }
  __builtin_unreachable();
}

mo_collider mo_collider_without_bounds(const mo_scene *scene, uint32_t slot) {
  mo_collider c = mo_collider_of_record(&scene->shapes[slot], mo_slot_half_space(scene, slot));
  c.shape = mo_shape_id_of(scene, slot);
  return c;
}

void mo_collider_set_to_shape(mo_collider *c, const mo_scene *scene, uint32_t slot) {
  *c = mo_collider_without_bounds(scene, slot);
  if (c->kind == MO_COLLIDER_MESH) {
    mo_collider_set_bounds(c);
  }
}

/* The body of a collider that is no mesh. */
static mo_body body_of(const mo_collider *c) {
  mo_dvec3 corners[3];
  switch (c->kind) {
  case MO_COLLIDER_SOLID:
    return mo_body_of_solid(&c->solid, &c->affine->to_world);
  case MO_COLLIDER_TRIANGLE:
    for (int i = 0; i < 3; i++) {
      corners[i] = mo_affine_point_to_world(c->affine, c->local_corners[i]);
    }
    return mo_body_of_triangle(corners);
  case MO_COLLIDER_HALF_SPACE:
    return mo_body_of_half_space(c->half_space);
  case MO_COLLIDER_VOLUME:
    return mo_body_of_aabb(c->bounds);
  case MO_COLLIDER_MESH:
    break;
  }
  __builtin_unreachable();
}

mo_aabb mo_collider_bounds(const mo_collider *c) {
  if (!mo_aabb_is_empty(c->bounds)) {
    return c->bounds;
  }
  if (c->kind == MO_COLLIDER_MESH) {
    return mo_aabb_is_empty(c->mesh->bounds) ? mo_aabb_empty()
                                             : mo_mesh_image_bounds(c->mesh, c->affine);
  }
  if (c->kind == MO_COLLIDER_HALF_SPACE) {
    return mo_half_space_bounds(c->half_space);
  }
  const mo_body body = body_of(c);
  return mo_body_bounds(&body);
}

mo_prepared_primitive mo_contact_search_half_space(const mo_contact_search *search,
                                                   const mo_half_space_body *half_space,
                                                   mo_vec3 reach) {
  double by = search->max + 0x1p-30 * mo_sum_of_components(reach) +
              mo_half_space_height_error(half_space, reach);
  const mo_half_space_body grown = mo_half_space_grown(half_space, by);
  return (mo_prepared_primitive){.body = mo_body_of_half_space(&grown)};
}

mo_aabb mo_contact_search_region(const mo_contact_search *search, const mo_collider *collider,
                                 mo_vec3 reach) {
  /* The margin covers two tolerances: an ellipsoid that differs from a ball by up to 2^-18 of its
   * size is treated as a ball, and shapes with a gap of up to 2^-36 of their sizes still touch. */
  const mo_aabb bounds = mo_collider_bounds(collider);
  mo_vec3 own = mo_aabb_max_coordinates(bounds), extent = mo_sub(bounds.upper, bounds.lower);
  double margin = search->max + 0x1p-16 * mo_sum_of_components(extent) +
                  0x1p-30 * (mo_sum_of_components(own) + mo_sum_of_components(reach));
  return mo_aabb_grown(bounds, margin);
}

/* The two shapes whose contacts are being found. */
typedef struct pair {
  mo_contact_search *search;
  const mo_collider *a, *b;
  uint32_t triangle_a, triangle_b; /* triangles of the next contact; MO_NO_TRIANGLE: not a mesh */
  bool surface_is_first;           /* if one is a mesh: `a` is the mesh that is the surface */
} pair;

static uint32_t user_data_of(const mo_collider *c, uint32_t triangle) {
  return triangle != MO_NO_TRIANGLE ? mo_mesh_user_data(c->mesh, triangle) : 0;
}

/* A contact is on the back of a triangle if the cosine between its normal and the triangle's normal
 * is below this. The limit is not 0: at borders of a mesh both normals may be perpendicular but for
 * rounding. */
static const double max_back_face_cosine = -0x1p-7;

static bool points_out_of_back(const mo_collider *c, uint32_t triangle, mo_dvec3 out) {
  return triangle != MO_NO_TRIANGLE &&
         mo_ddot(mo_widen(mo_mesh_world_normal(c->mesh, triangle, c->affine)), out) <
             max_back_face_cosine;
}

/* The anchor of a contact point on a child, relative to the origin of the placement. */
static mo_vec3 anchor_on_placement(const mo_collider *c, mo_vec3 anchor) {
  const mo_dvec3 offset =
      mo_dsub(mo_widen(c->affine->to_world.origin), mo_widen(*c->placement_origin));
  return mo_narrow(mo_dadd(mo_widen(anchor), offset));
}

/* Anchors are relative to the origins of the shapes of the scene, also where children touch. */
static void move_anchors_to_placements(const pair *p, mo_manifold *m) {
  for (uint32_t i = 0; i < m->point_count; i++) {
    if (p->a->placement_origin != NULL) {
      m->points[i].anchor_a = anchor_on_placement(p->a, m->points[i].anchor_a);
    }
    if (p->b->placement_origin != NULL) {
      m->points[i].anchor_b = anchor_on_placement(p->b, m->points[i].anchor_b);
    }
  }
}

/* Adds a contact of which only the manifold is set, after setting its other members; but not if
 * back-face culling removes it. */
static void add_unless_culled(const pair *p, mo_contact *contact) {
  if (p->search->cull_back_faces) {
    mo_dvec3 out = mo_widen(contact->manifold.normal);
    if (points_out_of_back(p->a, p->triangle_a, out) ||
        points_out_of_back(p->b, p->triangle_b, mo_dscale(-1.0, out))) {
      return;
    }
  }
  if (p->a->placement_origin != NULL || p->b->placement_origin != NULL) {
    move_anchors_to_placements(p, &contact->manifold);
  }
  contact->a = p->a->shape;
  contact->b = p->b->shape;
  contact->child_a = p->a->child;
  contact->child_b = p->b->child;
  contact->user_data_a = p->a->user_data;
  contact->user_data_b = p->b->user_data;
  contact->triangle_a = p->triangle_a;
  contact->triangle_b = p->triangle_b;
  contact->triangle_user_data_a = user_data_of(p->a, p->triangle_a);
  contact->triangle_user_data_b = user_data_of(p->b, p->triangle_b);
  mo_bounded_offer(&p->search->contacts, contact, sizeof *contact, mo_contact_before);
}

static bool overlaps_volume(const mo_collider *volume, const mo_collider *c) {
  if (c->kind == MO_COLLIDER_VOLUME) {
    return mo_aabb_overlap(volume->bounds, c->bounds);
  }
  const mo_body box = mo_body_of_aabb(volume->bounds), body = body_of(c);
  return mo_bodies_within(&box, &body, 0.0);
}

void mo_collider_make_body(mo_contact_body *body, const mo_collider *c, mo_dvec3 reference) {
  switch (c->kind) {
  case MO_COLLIDER_SOLID:
    mo_contact_body_of_solid(body, &c->solid, &c->affine->to_world, reference);
    return;
  case MO_COLLIDER_TRIANGLE:
    mo_contact_body_of_triangle(body, c->local_corners, &c->affine->to_world, reference);
    return;
  case MO_COLLIDER_HALF_SPACE:
    mo_contact_body_of_half_space(body, c->half_space, reference);
    return;
  case MO_COLLIDER_VOLUME:
  case MO_COLLIDER_MESH:
    break;
  }
  __builtin_unreachable();
}

mo_collider mo_collider_of_triangle(const mo_collider *mesh, uint32_t triangle) {
  mo_collider c = {.kind = MO_COLLIDER_TRIANGLE, .affine = mesh->affine, .bounds = mo_aabb_empty()};
  MO_ASSERT(mesh->kind == MO_COLLIDER_MESH);
  mo_mesh_corners(mesh->mesh, triangle, c.local_corners);
  return c;
}

/* A reference point near a collider: the origin of its transform, or for a triangle a corner, as
 * the origin of the mesh may be far away. */
static mo_dvec3 reference_point_of(const mo_collider *c) {
  return c->kind == MO_COLLIDER_TRIANGLE ? mo_affine_point_to_world(c->affine, c->local_corners[0])
                                         : mo_widen(c->affine->to_world.origin);
}

/* The body of a collider relative to `reference`. Returns the cached body if there is one and
 * `reference` is the collider's own reference point (`is_own_reference`); else writes `made`. */
static const mo_contact_body *get_or_make_body(mo_contact_body *made, const mo_collider *c,
                                               bool is_own_reference, mo_dvec3 reference) {
  if (is_own_reference && c->body != NULL) {
    return c->body;
  }
  mo_collider_make_body(made, c, reference);
  return made;
}

void mo_collider_cache_body(mo_collider *c, mo_contact_body *body) {
  if (c->kind != MO_COLLIDER_VOLUME && c->kind != MO_COLLIDER_MESH) {
    mo_collider_make_body(body, c, reference_point_of(c));
    c->body = body;
  }
}

/* Computes the manifold by a fast path that makes no bodies, if there is one. Returns which general
 * path is needed. */
static mo_general_path fast_path_manifold(const mo_collider *a, const mo_collider *b, mo_isa isa,
                                          double max, mo_manifold *manifold) {
  if (a->kind != MO_COLLIDER_SOLID || b->kind != MO_COLLIDER_SOLID ||
      !mo_solids_have_fast_path(&a->solid, &b->solid)) {
    return MO_GENERAL_PATH_FULL;
  }
  const mo_placed_solid from[2] = {{&a->solid, &a->affine->to_world},
                                   {&b->solid, &b->affine->to_world}};
  mo_prepared_solid made[2];
  return mo_prepared_solid_set(&made[0], &from[0], isa) &&
                 mo_prepared_solid_set(&made[1], &from[1], isa)
             ? mo_prepared_solids_manifold(&made[0], &made[1], isa, max, manifold)
             : MO_GENERAL_PATH_FULL;
}

static void clear_last_axis(mo_dvec3 *last_axis) {
  if (last_axis != NULL) {
    *last_axis = (mo_dvec3){0.0, 0.0, 0.0};
  }
}

void mo_collider_manifold(const mo_collider *a, const mo_collider *b, mo_isa isa, double max,
                          mo_dvec3 *last_axis, mo_manifold *manifold) {
  const mo_general_path path = fast_path_manifold(a, b, isa, max, manifold);
  if (path == MO_GENERAL_PATH_NONE) {
    clear_last_axis(last_axis);
    return;
  }
  if (a->kind == MO_COLLIDER_VOLUME || b->kind == MO_COLLIDER_VOLUME) {
    bool touching = a->kind == MO_COLLIDER_VOLUME ? overlaps_volume(a, b) : overlaps_volume(b, a);
    *manifold = (mo_manifold){.touching = touching};
    clear_last_axis(last_axis);
    return;
  }
  mo_contact_body made[2];
  const bool b_first = a->kind == MO_COLLIDER_TRIANGLE && b->kind != MO_COLLIDER_TRIANGLE;
  const mo_collider *first = b_first ? b : a;
  const mo_dvec3 reference = reference_point_of(first);
  const mo_contact_body *bodies[2] = {get_or_make_body(&made[0], a, a == first, reference),
                                      get_or_make_body(&made[1], b, b == first, reference)};
  if (path == MO_GENERAL_PATH_BY_DISTANCE) {
    *manifold = mo_manifold_by_distance(bodies[0], bodies[1], reference, max);
    clear_last_axis(last_axis);
  } else {
    *manifold = mo_manifold_of(bodies[0], bodies[1], reference, max, last_axis);
  }
}

/* --- a mesh and another kind of shape --- */

static const mo_collider *surface_of(const pair *p) {
  return p->surface_is_first ? p->a : p->b;
}

static const mo_collider *other_of(const pair *p) {
  return p->surface_is_first ? p->b : p->a;
}

static mo_surface make_surface(const pair *p, const mo_collider *mesh) {
  const mo_transform *map = &mesh->affine->to_world;
  return (mo_surface){
      .mesh = mesh->mesh,
      .affine = mesh->affine,
      .column = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)},
      .mirrors = mo_affine_mirrors(mesh->affine),
      .isa = p->search->isa,
      .stats = p->search->stats,
      .max = p->search->max,
      .cull_back_faces = p->search->cull_back_faces,
      .is_first = mesh == p->a,
      .log = p->search->log};
}

/* Sets the triangle of the shape that is not the surface, for contacts that follow. */
static void set_triangle_of_other(pair *p, uint32_t triangle) {
  *(p->surface_is_first ? &p->triangle_b : &p->triangle_a) = triangle;
}

static void add_triangle_contact(uint32_t triangle, const mo_manifold *manifold, void *context) {
  pair *p = context;
  mo_contact contact;
  contact.manifold = *manifold;
  *(p->surface_is_first ? &p->triangle_a : &p->triangle_b) = triangle;
  add_unless_culled(p, &contact);
}

/* The region around the other shape, or a triangle of it, in which the surface can have contacts
 * with it. */
static mo_region region_around(const pair *p, const mo_collider *other) {
  const mo_vec3 reach = mo_aabb_max_coordinates(surface_of(p)->bounds);
  return (mo_region){.kind = MO_REGION_BOX,
                     .box = mo_contact_search_region(p->search, other, reach)};
}

/* The centre of a body (of a hull, its centroid), which decides on which side of a surface the body
 * is. */
static mo_dvec3 center_of(const mo_contact_body *body) {
  return !mo_contact_body_is_half_space(body) && body->kind == MO_CORE_HULL
             ? mo_dadd(body->origin, mo_map_columns(body->column, mo_widen(body->hull->centroid)))
             : body->center;
}

/* Finds the contacts of a mesh and a shape of another kind. This function, collide_triangle_pairs
 * and collide_triangles_with_surface are not inlined, so that only one of their frames is on the
 * stack. */
__attribute__((noinline)) static void collide_with_mesh(pair *p) {
  const mo_collider *mesh = surface_of(p), *other = other_of(p);
  const mo_surface surface = make_surface(p, mesh);
  const mo_dvec3 reference = reference_point_of(other);
  mo_contact_body made;
  mo_surface_body body = {.body = get_or_make_body(&made, other, true, reference),
                          .reference = reference};
  mo_prepared_primitive grown;
  if (other->kind == MO_COLLIDER_HALF_SPACE) {
    grown = mo_contact_search_half_space(p->search, other->half_space,
                                         mo_aabb_max_coordinates(mesh->bounds));
    body.region = mo_region_of_primitive(&grown);
  } else {
    body.region = region_around(p, other);
  }
  mo_sheet_sides sides;
  mo_sheet_sides_begin(&sides, mo_dadd(reference, center_of(body.body)), &body.region, true);
  body.sides = &sides;
  mo_surface_find_contacts(&surface, &body, add_triangle_contact, p);
}

/* The squared diagonal of the box around a mesh in its own space, scaled to the size of the mesh in
 * the world. So it does not change when the shape rotates. */
static double squared_diagonal_of(const mo_collider *c) {
  const mo_transform *map = &c->affine->to_world;
  const mo_dvec3 extent = mo_widen(mo_sub(c->mesh->bounds.upper, c->mesh->bounds.lower)),
                 x = mo_widen(map->x_axis), y = mo_widen(map->y_axis), z = mo_widen(map->z_axis);
  return extent.x * extent.x * mo_ddot(x, x) + extent.y * extent.y * mo_ddot(y, y) +
         extent.z * extent.z * mo_ddot(z, z);
}

/* Whether a mesh is flat: all its vertices lie in one plane at right angles to an axis of its own
 * space, as those of a tile of a floor. */
static bool is_flat(const mo_collider *c) {
  const mo_vec3 extent = mo_sub(c->mesh->bounds.upper, c->mesh->bounds.lower);
  return mo_min(mo_min(extent.x, extent.y), extent.z) == 0.0f;
}

/* Two meshes have the same size if their squared diagonals differ by no more than this fraction, so
 * that the rounding of transforms does not decide which is larger. */
static const double same_size_tolerance = 0x1p-10;
/* A flat mesh is the surface, rather than a larger mesh that is not flat, if its diagonal is at
 * least this fraction of the other's. */
static const double min_flat_surface_size = 0.25;

/* Of two meshes, one is treated as the surface, and the triangles of the other as bodies on it.
 * Returns whether `a` is the surface. The surface is the larger mesh, even if only the other was
 * built with edges: points spread over the body tell on which side of the surface it is, and those
 * of a large mesh say nothing about where a small one touches it. But a flat mesh that is not much
 * smaller is the surface: its points lie in its own plane, so they are behind the surface of
 * whatever has sunk into the flat mesh. Of two meshes of the same size, it is the mesh with edges;
 * if both have edges, the mesh in the lower slot, where that of a scene is before one in none. If
 * neither has edges, the triangles of `a` are bodies, as in mo_collide. */
static bool first_is_surface(const mo_collider *a, const mo_collider *b) {
  const bool edges_a = mo_mesh_is_surface(a->mesh), edges_b = mo_mesh_is_surface(b->mesh);
  if (!edges_a && !edges_b) {
    return false;
  }
  const double of_a = squared_diagonal_of(a), of_b = squared_diagonal_of(b);
  if (is_flat(a) != is_flat(b) && (is_flat(a) ? edges_a : edges_b)) {
    const double flat = is_flat(a) ? of_a : of_b, other = is_flat(a) ? of_b : of_a;
    if (flat >= min_flat_surface_size * min_flat_surface_size * other) {
      return is_flat(a);
    }
  }
  if (fabs(of_a - of_b) > same_size_tolerance * fmax(of_a, of_b)) {
    return of_a > of_b;
  }
  const bool a_is_in_scene = a->shape.generation != 0;
  return edges_a != edges_b ? edges_a : a_is_in_scene && a->shape.index < b->shape.index;
}

/* Reports the pairs of triangles, one of the other mesh and one of the surface, that may have
 * contacts. Shapes with a gap of up to 2^-36 of the sizes of both still touch. */
static void find_triangle_pairs(const pair *p, bool (*report)(uint32_t, uint32_t, void *),
                                void *context) {
  const mo_collider *other = other_of(p), *surface = surface_of(p);
  const mo_mesh *const mesh[2] = {other->mesh, surface->mesh};
  const mo_affine *const affine[2] = {other->affine, surface->affine};
  const double reach = mo_sum_of_components(mo_aabb_max_coordinates(other->bounds)) +
                       mo_sum_of_components(mo_aabb_max_coordinates(surface->bounds));
  mo_mesh_pair query;
  mo_mesh_pair_init(&query, mesh, affine, p->search->max + 0x1p-30 * reach, p->search->stats);
  query.report = report;
  query.context = context;
  mo_mesh_pair_find(&query, p->search->isa);
}

/* Two meshes, of which the surface was built without edges: each pair of triangles has its own
 * contact. */
typedef struct triangle_pairs {
  pair *pair;
  mo_surface surface;
  mo_surface_body surface_body; /* made of the triangle of `other` that was tested last */
  uint32_t triangle;            /* the index of that triangle */
  mo_contact_body body;
  mo_contact_polytope polytope;
} triangle_pairs;

static bool collide_triangle_pair(uint32_t triangle, uint32_t of_surface, void *context) {
  triangle_pairs *t = context;
  if (triangle != t->triangle) {
    const mo_collider one = mo_collider_of_triangle(other_of(t->pair), triangle);
    t->triangle = triangle;
    t->surface_body.reference = reference_point_of(&one);
    mo_collider_make_body(&t->body, &one, t->surface_body.reference);
    mo_contact_body_cache_polytope(&t->body, &t->polytope);
  }
  const mo_manifold manifold =
      mo_surface_contact_of_triangle(&t->surface, &t->surface_body, of_surface);
  if (manifold.point_count > 0) {
    set_triangle_of_other(t->pair, triangle);
    add_triangle_contact(of_surface, &manifold, t->pair);
  }
  return true;
}

__attribute__((noinline)) static void collide_triangle_pairs(pair *p) {
  triangle_pairs t;
  t.pair = p;
  t.surface = make_surface(p, surface_of(p));
  t.surface_body = (mo_surface_body){.body = &t.body};
  t.triangle = MO_NO_TRIANGLE;
  find_triangle_pairs(p, collide_triangle_pair, &t);
}

/* Of two meshes: how many triangles of the mesh that is not the surface one pass over all pairs of
 * triangles can list. */
enum { MAX_TRIANGLES_PER_PASS = 256 };

/* Two meshes, of which the surface was built with edges: each triangle of the other mesh is a body
 * on the surface. */
typedef struct mesh_pair {
  pair *pair;
  mo_surface surface;
  mo_sheet_points points; /* of the other mesh */
  mo_sheet_sides sides;   /* on which sides of the surface's sheets the other mesh is */
  mo_mesh_body body;      /* the other mesh */
  /* Listed triangles of the other mesh that may have contacts, ascending: those with the lowest
   * indices from `begin` on. */
  uint32_t begin, count, triangles[MAX_TRIANGLES_PER_PASS];
} mesh_pair;

/* Adds a triangle of the other mesh to the ascending list, unless the list is full of lower
 * indices. */
static bool add_triangle(uint32_t triangle, uint32_t of_surface, void *context) {
  mesh_pair *m = context;
  (void)of_surface;
  uint32_t low = 0, high = m->count;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (m->triangles[middle] < triangle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool is_known = low < m->count && m->triangles[low] == triangle;
  if (triangle < m->begin || is_known || low == MAX_TRIANGLES_PER_PASS) {
    return true;
  }
  m->count = m->count < MAX_TRIANGLES_PER_PASS ? m->count + 1 : m->count;
  memmove(&m->triangles[low + 1], &m->triangles[low], (m->count - 1 - low) * sizeof *m->triangles);
  m->triangles[low] = triangle;
  return true;
}

/* Collides a triangle. Returns false if that has to be done again once all proven contacts are
 * known. `open`: not null: the overlaps that decide whether it needs contacts now. */
static bool collide_triangle(mesh_pair *m, uint32_t triangle, const mo_open_overlaps *open) {
  pair *p = m->pair;
  const mo_collider one = mo_collider_of_triangle(other_of(p), triangle);
  const mo_dvec3 reference = reference_point_of(&one);
  mo_contact_body made;
  const mo_surface_body body = {.body = get_or_make_body(&made, &one, true, reference),
                                .reference = reference,
                                .region = region_around(p, &one),
                                .sides = &m->sides,
                                .mesh = &m->body,
                                .mesh_triangle = triangle};
  if (open != NULL && mo_surface_body_is_free(&m->surface, &body, open)) {
    return true;
  }
  set_triangle_of_other(p, triangle);
  return mo_surface_find_contacts(&m->surface, &body, add_triangle_contact, p);
}

/* Of how many triangles that are collided twice the open overlaps are stored. Few pairs of meshes
 * have more. */
enum { MAX_STORED_OPEN_OVERLAPS = 12 };

/* Collides the listed triangles. Most of those that wait need no contacts, as proven ones of other
 * triangles move them out of the surface. */
static void collide_listed_triangles(mesh_pair *m) {
  enum { NOT_STORED = MAX_STORED_OPEN_OVERLAPS, DONE };
  uint8_t waits[MAX_TRIANGLES_PER_PASS]; /* the index of the open overlaps, or one of these */
  mo_open_overlaps open[MAX_STORED_OPEN_OVERLAPS];
  uint32_t count = 0;
  m->body.triangles = m->triangles;
  m->body.triangle_count = m->count;
  m->body.neighbors.of_triangle = MO_NO_TRIANGLE;
  m->body.proven_are_known = false;
  for (uint32_t i = 0; i < m->count; i++) {
    waits[i] = DONE;
    if (!collide_triangle(m, m->triangles[i], NULL)) {
      const bool is_stored = m->surface.log == NULL && m->body.open.are_all && count < NOT_STORED;
      waits[i] = (uint8_t)(is_stored ? count : NOT_STORED);
      if (is_stored) {
        open[count++] = m->body.open;
      }
    }
  }
  m->body.proven_are_known = true;
  for (uint32_t i = 0; i < m->count; i++) {
    if (waits[i] != DONE) {
      const bool is_stored = waits[i] != NOT_STORED && m->body.escape_count > 0;
      collide_triangle(m, m->triangles[i], is_stored ? &open[waits[i]] : NULL);
    }
  }
}

/* Chooses points of a mesh that are spread over it: the middles of triangles a golden section of
 * the indices apart. (Triangles at even distances may all lie in one row of a grid.) The weight of
 * a point is the area of its triangle; removed and degenerate ones are passed over. */
static void choose_points(mo_sheet_points *points, const mo_collider *c) {
  enum { MAX_TRIED = 8 * MO_MAX_SHEET_POINTS };
  const uint32_t triangles = c->mesh->triangle_count;
  const bool takes_all = triangles <= MO_MAX_SHEET_POINTS;
  points->count = 0;
  for (uint32_t i = 0; i < (takes_all ? triangles : MAX_TRIED); i++) {
    const double section = i * 0.61803398874989485;
    const uint32_t triangle = takes_all ? i : (uint32_t)((section - floor(section)) * triangles);
    if (!mo_mesh_has_triangle(c->mesh, triangle)) {
      continue;
    }
    mo_vec3 local[3];
    mo_dvec3 corner[3];
    mo_mesh_corners(c->mesh, triangle, local);
    for (int k = 0; k < 3; k++) {
      corner[k] = mo_affine_point_to_world(c->affine, local[k]);
    }
    const double area =
        mo_dlength(mo_dcross(mo_dsub(corner[1], corner[0]), mo_dsub(corner[2], corner[0])));
    if (area > 0.0) {
      points->weight[points->count] = area;
      points->position[points->count++] =
          mo_dscale(1.0 / 3.0, mo_dadd(corner[0], mo_dadd(corner[1], corner[2])));
    }
    if (points->count == MO_MAX_SHEET_POINTS) {
      return;
    }
  }
}

__attribute__((noinline)) static void collide_triangles_with_surface(pair *p) {
  const mo_collider *other = other_of(p);
  const mo_dvec3 lower = mo_widen(other->bounds.lower), upper = mo_widen(other->bounds.upper);
  mesh_pair m;
  m.pair = p;
  m.surface = make_surface(p, surface_of(p));
  m.body.own = make_surface(p, other);
  m.body.escape_count = 0;
  m.body.known_count = 0;
  const mo_region around = region_around(p, other);
  mo_sheet_sides_begin(&m.sides, mo_dscale(0.5, mo_dadd(lower, upper)), &around, false);
  choose_points(&m.points, other);
  m.sides.points = m.points.count > 0 ? &m.points : NULL;
  m.begin = 0;
  do {
    m.count = 0;
    find_triangle_pairs(p, add_triangle, &m);
    m.body.lists_all = m.begin == 0 && m.count < MAX_TRIANGLES_PER_PASS;
    m.begin = m.count > 0 ? m.triangles[m.count - 1] + 1 : 0;
    collide_listed_triangles(&m);
  } while (m.count == MAX_TRIANGLES_PER_PASS);
}

static bool is_mesh(const mo_collider *c) {
  return c->kind == MO_COLLIDER_MESH;
}

static bool is_empty(const mo_collider *c) {
  return is_mesh(c) && mo_aabb_is_empty(c->mesh->bounds);
}

void mo_contact_search_pair(mo_contact_search *search, const mo_collider *a, const mo_collider *b) {
  pair p = {search, a, b, MO_NO_TRIANGLE, MO_NO_TRIANGLE, is_mesh(a)};
  mo_contact contact;
  if (!is_mesh(a) && !is_mesh(b)) {
    mo_contact *to = mo_bounded_buffer_for_next(&search->contacts, sizeof contact, &contact);
    mo_collider_manifold(a, b, search->isa, search->max, search->last_axis, &to->manifold);
    if (to->manifold.point_count > 0 || to->manifold.touching) {
      add_unless_culled(&p, to);
    }
    return;
  }
  clear_last_axis(search->last_axis);
  if (is_empty(a) || is_empty(b)) {
    return;
  }
  mo_collider first = *a, second = *b; /* copies, as bounds are stored in them for repeated use */
  p.a = a = &first;
  p.b = b = &second;
  mo_collider_set_bounds(&first);
  mo_collider_set_bounds(&second);
  if (a->kind != MO_COLLIDER_HALF_SPACE && b->kind != MO_COLLIDER_HALF_SPACE) {
    const mo_aabb near = mo_contact_search_region(search, a, mo_aabb_max_coordinates(b->bounds));
    if (!mo_aabb_overlap(near, b->bounds)) {
      return;
    }
  }
  if (a->kind == MO_COLLIDER_VOLUME || b->kind == MO_COLLIDER_VOLUME) {
    bool found = false;
    const mo_region region = {.kind = MO_REGION_BOX, .box = other_of(&p)->bounds};
    const mo_surface surface = make_surface(&p, surface_of(&p));
    mo_surface_visit(&surface, &region, mo_set_found_and_stop, &found);
    if (found) {
      contact.manifold = (mo_manifold){.touching = true};
      add_unless_culled(&p, &contact);
    }
  } else if (!is_mesh(a) || !is_mesh(b)) {
    collide_with_mesh(&p);
  } else {
    p.surface_is_first = first_is_surface(a, b);
    if (mo_mesh_is_surface(surface_of(&p)->mesh)) {
      collide_triangles_with_surface(&p);
    } else {
      collide_triangle_pairs(&p);
    }
  }
}
