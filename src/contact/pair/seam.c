/* The shapes that meet at a seam, as seen from a body: contacts from its side, its tolerances, the
 * faces that support it, and the shapes near a contact. The rule that hides points is in
 * seam_rule.c. */
#include "contact/pair/seam_shapes.h"

#include "base/assert.h"
#include "scene/shapes/unbounded.h"

/* Two contacts of a round body are along the same face if the cosine between their normals is above
 * this: within a milliradian, about the precision of cosines in float, as larger errors of the
 * normal make a rolling ball hop. */
static const float round_same_normal_cosine = 0.9999995f;
/* Fraction of the coordinates: the greatest gap between shapes that rounding of their coordinates
 * causes. */
static const double coordinate_rounding = 0x1p-22;

mo_dvec3 mo_seam_point_on_other(const mo_seam_contact *c, uint32_t point) {
  const mo_manifold *m = &c->contact->manifold;
  const mo_manifold_point *p = &m->points[point];
  const double half = (c->side.is_second ? -0.5 : 0.5) * (double)p->separation;
  return mo_dadd(mo_widen(c->side.is_second ? p->anchor_b : p->anchor_a),
                 mo_dscale(half, mo_widen(m->normal)));
}

float mo_seam_contact_measure(mo_seam_contact *c) {
  const mo_manifold *m = &c->contact->manifold;
  MO_ASSERT(m->point_count > 0 && m->point_count <= MO_MAX_MANIFOLD_POINTS);
  const mo_d4 normal = mo_f4_widen(mo_f4_from(&m->normal, 0.0f));
  mo_d4 sum = mo_d4_splat(0.0); /* of the points of mo_seam_point_on_other */
  float depth = 0.0f;
  for (uint32_t i = 0; i < m->point_count; i++) {
    const mo_manifold_point *p = &m->points[i];
    const double half = (c->side.is_second ? -0.5 : 0.5) * (double)p->separation;
    sum += mo_f4_widen(mo_f4_load(c->side.is_second ? &p->anchor_b.x : &p->anchor_a.x)) +
           half * normal;
    depth = mo_max(depth, -p->separation);
  }
  const mo_f4 mean = mo_d4_narrow(1.0 / m->point_count * sum);
  c->normal = c->side.is_second ? m->normal : mo_vec(-m->normal.x, -m->normal.y, -m->normal.z);
  c->mean_point = mo_f4_to_vec3(mean);
  return depth;
}

static double min_extent(mo_aabb bounds) {
  mo_vec3 extent = mo_sub(bounds.upper, bounds.lower);
  return (double)mo_min(mo_min(extent.x, extent.y), extent.z);
}

static double coordinate_error_bound_of(mo_aabb bounds) {
  mo_vec3 reach = mo_aabb_max_coordinates(bounds);
  return coordinate_rounding * (double)mo_max(mo_max(reach.x, reach.y), reach.z);
}

static bool is_round(const mo_geometry *g) {
  return g->rounding > 0.0f || ((mo_type_traits(g->type) & MO_TYPE_HAS_TRIANGLES) == 0 &&
                                g->type != MO_SHAPE_BOX && g->type != MO_SHAPE_HULL);
}

static bool has_flat_end(const mo_geometry *g) {
  return g->rounding == 0.0f && (g->type == MO_SHAPE_CYLINDER || g->type == MO_SHAPE_CONE);
}

/* The bounds from which the rounding error of a body's coordinates is estimated. Contact points on
 * a child are relative to the origin of the placement, which may be far away from the child. */
static mo_aabb bounds_with_placement_origin(const mo_scene *scene, const mo_placed_child *child,
                                            mo_aabb bounds) {
  return child == NULL
             ? bounds
             : mo_aabb_add_point(bounds, scene->shapes[child->slot].affine.to_world.origin);
}

mo_seam_body mo_seam_body_of(const mo_scene *scene, uint32_t slot, const mo_placed_child *child) {
  const mo_shape *shape = mo_tested_shape(scene, slot, child);
  const float same_normal =
      is_round(&shape->geometry) ? round_same_normal_cosine : MO_SEAM_FLAT_SAME_NORMAL_COSINE;
  const mo_aabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
  const mo_aabb stored =
      mo_slot_is_unbounded(scene, slot) ? all : mo_tested_box(scene, slot, child);
  const mo_aabb of_coordinates = bounds_with_placement_origin(scene, child, stored);
  return (mo_seam_body){.scene = scene,
                        .slot = slot,
                        .child = child,
                        .origin = mo_widen(scene->shapes[slot].affine.to_world.origin),
                        .point_tolerance = (float)(MO_SEAM_ON_FACE_TOLERANCE * min_extent(stored) +
                                                   coordinate_error_bound_of(of_coordinates)),
                        .same_normal_cosine = same_normal,
                        .min_supporter_cosine = has_flat_end(&shape->geometry)
                                                    ? MO_SEAM_FLAT_SAME_NORMAL_COSINE
                                                    : same_normal};
}

mo_collider mo_seam_own_collider(const mo_seam_body *body) {
  return mo_collider_of_shape_or_child(body->scene, body->slot, body->child);
}

mo_collider mo_seam_other_collider(const mo_seam_body *body, const mo_contact_side *side,
                                   mo_placed_child *memory) {
  const mo_placed_child *child =
      mo_child_of_hit(body->scene, side->other, side->other_child, memory);
  return mo_collider_of_shape_or_child(body->scene, side->other, child);
}

/* Whether a shape is of a kind that has faces. (The features of contact points do not tell this: at
 * the border of a face they are edges or vertices.) */
static bool may_have_face(const mo_geometry *g) {
  return g->type != MO_SHAPE_SPHERE && g->type != MO_SHAPE_CAPSULE;
}

mo_seam_shape *mo_seam_find_cached(const mo_seam_body *body, uint32_t slot, uint32_t child) {
  mo_seam_shape_cache *cache = body->cache;
  for (uint32_t i = 0; cache != NULL && i < cache->count; i++) {
    if (cache->items[i].slot == slot && cache->items[i].child == child) {
      return &cache->items[i];
    }
  }
  return NULL;
}

mo_seam_shape *mo_seam_shape_of(const mo_seam_body *body, const mo_collider *shape,
                                uint32_t triangle, mo_seam_shape *memory) {
  mo_seam_shape_cache *cache = body->cache;
  mo_seam_shape *made = memory;
  mo_collider one;
  if (shape->kind == MO_COLLIDER_MESH) {
    one = mo_collider_of_triangle(shape, triangle);
    shape = &one;
  } else {
    mo_seam_shape *cached = mo_seam_find_cached(body, shape->shape.index, shape->child);
    if (cached != NULL) {
      return cached;
    }
    if (cache != NULL && cache->count < MO_SEAM_CACHED_SHAPES) {
      made = &cache->items[cache->count++];
    }
  }
  made->slot = shape->shape.index;
  made->child = shape->child;
  made->max_extent = -1.0;
  mo_collider_make_body(&made->body, shape, body->origin);
  return made;
}

mo_seam_shape *mo_seam_other_shape(const mo_seam_body *body, const mo_collider *other,
                                   const mo_seam_contact *c, mo_seam_shape *memory) {
  return mo_seam_shape_of(
      body, other, c->side.is_second ? c->contact->triangle_a : c->contact->triangle_b, memory);
}

double mo_seam_max_extent(mo_seam_shape *shape, const mo_collider *collider) {
  if (shape->max_extent < 0.0) {
    const mo_aabb bounds = mo_collider_bounds(collider);
    const mo_vec3 extent = mo_sub(bounds.upper, bounds.lower);
    shape->max_extent = (double)mo_max(mo_max(extent.x, extent.y), extent.z);
  }
  return shape->max_extent;
}

mo_dvec3 mo_seam_rounded_support(const mo_contact_body *body, mo_dvec3 up) {
  return mo_dadd(mo_contact_body_support(body, up), mo_contact_body_rounding(body, up));
}

/* --- the face that a body touches --- */

/* Finds the face of a box whose normal is closest to n. Returns false for a box that is rounded or
 * flat, or that its map nearly flattens. With this, the faces of a wall or heap of boxes are found
 * without making bodies. */
static bool find_face_of_box(const mo_shape *shape, mo_dvec3 origin, mo_dvec3 n,
                             mo_seam_face *face) {
  const mo_geometry *g = &shape->geometry;
  const mo_vec3 h = g->box.half_extents;
  const double half[3] = {(double)h.x, (double)h.y, (double)h.z};
  if (g->type != MO_SHAPE_BOX || g->rounding > 0.0f || !(mo_min(mo_min(h.x, h.y), h.z) > 0.0f)) {
    return false;
  }
  const mo_transform *map = &shape->affine.to_world;
  const mo_dvec3 column[3] = {mo_widen(map->x_axis), mo_widen(map->y_axis), mo_widen(map->z_axis)};
  mo_dvec3 normal = {0.0, 0.0, 0.0}; /* not unit */
  double max = -1.0, length2 = 0.0;
  int side = 0;
  for (int i = 0; i < 3; i++) {
    const mo_dvec3 u = column[(i + 1) % 3], v = column[(i + 2) % 3], cross = mo_dcross(u, v);
    const double area2 = mo_ddot(cross, cross), along = mo_ddot(cross, n);
    if (!(area2 > 0x1p-20 * mo_ddot(u, u) * mo_ddot(v, v)) || !(area2 > 0x1p-1000)) {
      return false;
    }
    if (along * along > max * area2) {
      max = along * along / area2;
      side = i;
      length2 = area2;
      normal = along < 0.0 ? mo_dscale(-1.0, cross) : cross;
    }
  }
  face->normal = mo_dscale(1.0 / sqrt(length2), normal);
  const mo_dvec3 center = mo_dadd(mo_dsub(mo_widen(map->origin), origin),
                                  mo_map_columns(column, mo_widen(g->box.center)));
  face->offset =
      mo_ddot(face->normal, center) + half[side] * fabs(mo_ddot(face->normal, column[side]));
  return true;
}

static mo_seam_face find_face(const mo_seam_body *body, const mo_seam_contact *contact,
                              mo_dvec3 normal) {
  mo_seam_face face = {{0.0, 0.0, 0.0}, 0.0};
  mo_placed_child memory;
  const mo_placed_child *child =
      mo_child_of_hit(body->scene, contact->side.other, contact->side.other_child, &memory);
  const mo_shape *shape = mo_tested_shape(body->scene, contact->side.other, child);
  if (!may_have_face(&shape->geometry) || find_face_of_box(shape, body->origin, normal, &face)) {
    return face;
  }
  const mo_collider other = mo_collider_of_shape_or_child(body->scene, contact->side.other, child);
  if (other.kind == MO_COLLIDER_HALF_SPACE) {
    face.normal = other.half_space->normal;
    face.offset = -mo_half_space_height(other.half_space, body->origin);
  } else {
    mo_seam_shape memory_of_shape;
    const mo_contact_body *made =
        &mo_seam_other_shape(body, &other, contact, &memory_of_shape)->body;
    face.normal = mo_contact_face_normal(made, normal);
    face.offset = mo_ddot(face.normal, mo_seam_rounded_support(made, face.normal));
  }
  return face;
}

const mo_seam_face *mo_seam_face_of(const mo_seam_body *body, mo_seam_contact *contact) {
  if (!contact->knows_face) {
    const mo_dvec3 normal = mo_dunit(mo_widen(contact->normal));
    contact->knows_face = true;
    contact->face = find_face(body, contact, normal);
    contact->face_cosine = mo_ddot(contact->face.normal, normal);
  }
  return &contact->face;
}

mo_aabb mo_seam_box_around(const mo_seam_body *body, mo_dvec3 position, float near) {
  const mo_vec3 at = mo_narrow(mo_dadd(body->origin, position));
  return (mo_aabb){{at.x - near, at.y - near, at.z - near},
                   {at.x + near, at.y + near, at.z + near}};
}

bool mo_seam_is_near_others(const mo_seam_body *body, const mo_seam_contact *contact) {
  const float near = 8.0f * body->point_tolerance + body->max_depth;
  for (uint32_t i = 0; i < contact->contact->manifold.point_count; i++) {
    const mo_aabb around = mo_seam_box_around(body, mo_seam_point_on_other(contact, i), near);
    if (mo_seam_find_partner(body, &contact->side, around, NULL, NULL)) {
      return true;
    }
  }
  return false;
}

void mo_seam_measure_body(mo_seam_body *body) {
  const mo_collider own = mo_seam_own_collider(body);
  const mo_aabb bounds = mo_collider_bounds(&own);
  body->is_measured = true;
  body->is_rounded = false;
  if (own.kind != MO_COLLIDER_MESH && own.kind != MO_COLLIDER_HALF_SPACE) {
    mo_seam_shape memory;
    body->is_rounded = mo_seam_shape_of(body, &own, 0, &memory)->body.ball_radius > 0.0;
  }
  body->min_extent = min_extent(bounds);
  body->coordinate_error_bound =
      coordinate_error_bound_of(bounds_with_placement_origin(body->scene, body->child, bounds));
}
