/* Contacts of two shapes of any kind: convex shapes, meshes, half-spaces and volumes. */
#ifndef MO_CONTACT_PAIR_PAIR_H
#define MO_CONTACT_PAIR_PAIR_H

#include <motte/contact.h>

#include "base/bounded.h"
#include "contact/manifold/manifold.h"
#include "mesh/mesh.h"
#include "scene/scene.h"

typedef enum mo_collider_kind {
  MO_COLLIDER_SOLID,
  MO_COLLIDER_TRIANGLE,
  MO_COLLIDER_HALF_SPACE,
  MO_COLLIDER_VOLUME,
  MO_COLLIDER_MESH,
} mo_collider_kind;

/* One shape of a pair, of any kind. To add a kind, begin with mo_collider_kind: the compiler then
 * names each switch that has no case for the new kind. */
typedef struct mo_collider {
  mo_collider_kind kind;
  mo_shape_id shape; /* null: the shape is in no scene */
  uint32_t child;    /* of the shape, if that is a compound; else 0 */
  uint64_t user_data;
  const mo_affine *affine;
  const mo_vec3 *placement_origin; /* of a child: the origin of its compound's placement; or null */
  union {
    mo_solid solid;
    mo_vec3 local_corners[3]; /* of a triangle */
    const mo_half_space_body *half_space;
    const mo_mesh *mesh;
  };
  /* World AABB (of a volume, the volume itself); empty if it has not been computed, as most pairs
   * need none (mo_collider_bounds computes it). */
  mo_aabb bounds;
  const mo_contact_body *body; /* null, or cached body, relative to the shape's origin */
} mo_collider;

/* These functions make a collider, which keeps pointers to the affine map of the primitive or
 * shape, and to half-spaces, meshes and hulls. Of a primitive that is a compound it is the box
 * around it, for searches. mo_collider_without_bounds does not compute the bounds of a mesh, which
 * are expensive, and which mo_contact_search_pair would compute for each pair. */
mo_collider mo_collider_of_primitive(const mo_prepared_primitive *p);
void mo_collider_set_to_shape(mo_collider *c, const mo_scene *scene, uint32_t slot);
mo_collider mo_collider_without_bounds(const mo_scene *scene, uint32_t slot);

/* The collider of a record of a shape that is no compound, without bounds and without the id of the
 * shape. `half_space`: that of the shape in the world, if it is one. */
mo_collider mo_collider_of_record(const mo_shape *shape, const mo_half_space_body *half_space);

/* The world AABB: empty for an empty mesh. */
mo_aabb mo_collider_bounds(const mo_collider *c);

/* Computes and stores the bounds of a collider that is used several times. */
static inline void mo_collider_set_bounds(mo_collider *c) {
  c->bounds = mo_collider_bounds(c);
}

/* The collider of one triangle of a mesh. */
mo_collider mo_collider_of_triangle(const mo_collider *mesh, uint32_t triangle);

/* Makes the body of a convex primitive, half-space or triangle, relative to `reference` (world). */
void mo_collider_make_body(mo_contact_body *body, const mo_collider *c, mo_dvec3 reference);

/* Makes the body of a collider once, for pairs with several other colliders. The collider keeps a
 * pointer to `body`. Not for triangles. */
void mo_collider_cache_body(mo_collider *c, mo_contact_body *body);

/* Writes the manifold of two colliders that are not meshes; if one is a volume, only whether they
 * touch. `last_axis` is as in mo_manifold_of, and is set to zero where no axis is tested. */
void mo_collider_manifold(const mo_collider *a, const mo_collider *b, mo_isa isa, double max,
                          mo_dvec3 *last_axis, mo_manifold *manifold);

struct mo_contact_log;

typedef struct mo_contact_search {
  mo_isa isa;
  double max; /* the greatest separation that contact points may have */
  bool cull_back_faces;
  mo_query_stats *stats;
  mo_dvec3 *last_axis;              /* as for mo_collider_manifold; may be null */
  mo_bounded_list contacts;         /* results (mo_contact), in the order of mo_contact_before */
  const struct mo_contact_log *log; /* null: contact rules of meshes are not logged */
} mo_contact_search;

/* The order of contacts: by shapes, then by children, then by triangles. */
static inline bool mo_contact_before(const void *a, const void *b) {
  const mo_contact *x = a, *y = b;
  return x->a.index != y->a.index         ? x->a.index < y->a.index
         : x->b.index != y->b.index       ? x->b.index < y->b.index
         : x->child_a != y->child_a       ? x->child_a < y->child_a
         : x->child_b != y->child_b       ? x->child_b < y->child_b
         : x->triangle_a != y->triangle_a ? x->triangle_a < y->triangle_a
                                          : x->triangle_b < y->triangle_b;
}

/* Adds the contacts of two colliders to the search's `contacts`. */
void mo_contact_search_pair(mo_contact_search *search, const mo_collider *a, const mo_collider *b);

/* Returns `half_space`, grown so that it overlaps every shape that may have contacts with the
 * original one. `reach`: the greatest coordinates of these shapes. */
mo_prepared_primitive mo_contact_search_half_space(const mo_contact_search *search,
                                                   const mo_half_space_body *half_space,
                                                   mo_vec3 reach);

/* The box of a collider (not a half-space), grown so that every shape that may have contacts with
 * the collider overlaps it. `reach`: the greatest coordinates of these shapes. */
mo_aabb mo_contact_search_region(const mo_contact_search *search, const mo_collider *collider,
                                 mo_vec3 reach);

#endif
