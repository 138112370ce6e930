/* Contacts of compounds. Of a pair of placements, the children of the first one that are near the
 * box of the second are visited, and for each of them the children of the second near it. */
#include "contact/pair/children.h"

static mo_collider collider_of_child(const mo_scene *scene, const mo_placed_child *child) {
  const mo_shape *shape = &child->shape;
  mo_collider c = mo_collider_of_record(shape, NULL);
  c.shape = (mo_shape_id){child->slot, shape->generation};
  c.child = child->number;
  c.placement_origin = &scene->shapes[child->slot].affine.to_world.origin;
  if (c.kind == MO_COLLIDER_MESH) {
    mo_collider_set_bounds(&c);
  }
  return c;
}

/* A visit of children, for contacts with another shape. */
typedef struct children_search {
  mo_child_region near; /* must be first */
  mo_contact_search *search;
  const mo_scene *scene;
  const mo_collider *other;     /* null: the placement in slot `other_slot` */
  const mo_shape *other_record; /* whose filter children must pass; null: all */
  uint32_t other_slot;
  bool child_is_first, hit_volumes, uses_filters;
} children_search;

/* Whether two shapes pass each other's filter. */
static bool pass_each_other(const mo_shape *a, const mo_shape *b) {
  return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static void collide_with_children(mo_contact_search *search, const mo_collider *collider,
                                  const mo_shape *record, bool child_is_first,
                                  const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                  bool hit_volumes);

static bool visit_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  const children_search *s = query;
  const mo_shape *shape = &child->shape;
  if ((shape->geometry.type == MO_SHAPE_VOLUME && !s->hit_volumes) ||
      (s->other_record != NULL && !pass_each_other(shape, s->other_record))) {
    return true;
  }
  mo_collider own = collider_of_child(s->scene, child);
  if (s->other == NULL) {
    mo_collider_set_bounds(&own);
    collide_with_children(s->search, &own, s->uses_filters ? shape : NULL, false, s->scene,
                          s->other_slot, NULL, true);
  } else if (s->child_is_first) {
    mo_contact_search_pair(s->search, &own, s->other);
  } else {
    mo_contact_search_pair(s->search, s->other, &own);
  }
  return true;
}

static void visit_children(children_search *s, uint32_t slot, const mo_filter *filter) {
  const double limit = 0.0;
  const mo_filter all = mo_default_filter();
  const mo_child_visitor visitor = {mo_child_region_keys,           &limit, visit_child,     s,
                                    filter != NULL ? filter : &all, NULL,   s->search->stats};
  mo_visit_children(s->scene, slot, &visitor);
}

/* Adds the contacts of a collider with children. `record`: whose filter they must pass, or null. */
static void collide_with_children(mo_contact_search *search, const mo_collider *collider,
                                  const mo_shape *record, bool child_is_first,
                                  const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                  bool hit_volumes) {
  const mo_vec3 reach = mo_aabb_max_coordinates_or_zero(scene->root_bounds);
  mo_prepared_primitive grown;
  children_search s = {.search = search,
                       .scene = scene,
                       .other = collider,
                       .other_record = record,
                       .child_is_first = child_is_first,
                       .hit_volumes = hit_volumes,
                       .near = {.box = mo_aabb_infinite()}};
  if (collider->kind == MO_COLLIDER_HALF_SPACE) {
    grown = mo_contact_search_half_space(search, collider->half_space, reach);
    s.near.half_space = &grown.body.half_space;
  } else {
    s.near.box = mo_contact_search_region(search, collider, reach);
  }
  visit_children(&s, slot, filter);
}

void mo_contact_search_children(mo_contact_search *search, const mo_collider *collider,
                                const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                bool hit_volumes) {
  collide_with_children(search, collider, NULL, false, scene, slot, filter, hit_volumes);
}

void mo_contact_search_compounds(mo_contact_search *search, const mo_scene *scene, uint32_t slot_a,
                                 uint32_t slot_b, bool uses_filters) {
  const bool both = mo_slot_is_compound(scene, slot_a) && mo_slot_is_compound(scene, slot_b);
  if (!both) {
    const bool a_is_compound = mo_slot_is_compound(scene, slot_a);
    const uint32_t compound = a_is_compound ? slot_a : slot_b,
                   single = a_is_compound ? slot_b : slot_a;
    mo_collider collider = mo_collider_of_shape(scene, single);
    mo_collider_set_bounds(&collider);
    if (!mo_aabb_is_empty(collider.bounds)) {
      collide_with_children(search, &collider, uses_filters ? &scene->shapes[single] : NULL,
                            a_is_compound, scene, compound, NULL, true);
    }
    return;
  }
  const mo_vec3 reach = mo_aabb_max_coordinates_or_zero(scene->root_bounds);
  const mo_collider box = {.kind = MO_COLLIDER_VOLUME, .bounds = mo_stored_box(scene, slot_b)};
  children_search s = {.search = search,
                       .scene = scene,
                       .other_slot = slot_b,
                       .hit_volumes = true,
                       .uses_filters = uses_filters,
                       .near = {.box = mo_contact_search_region(search, &box, reach)}};
  visit_children(&s, slot_a, NULL);
}
