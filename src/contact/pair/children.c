/* Contacts of compounds. Of two compounds, the children of the first one that are near the box of
 * the second are visited, and for each of them the children of the second near it. */
#include "contact/pair/children.h"

/* The collider of a child of a compound with this origin in the world. */
static mo_collider collider_of_child(const mo_placed_child *child, const mo_vec3 *origin) {
  const mo_shape *shape = &child->shape;
  mo_collider c = mo_collider_of_record(shape, NULL);
  c.shape = (mo_shape_id){child->slot, shape->generation};
  c.child = child->number;
  c.placement_origin = origin;
  return c;
}

mo_collider mo_collider_of_child(const mo_scene *scene, const mo_placed_child *child) {
  return collider_of_child(child, &scene->shapes[child->slot].affine.to_world.origin);
}

/* A visit of children, for contacts with another shape. */
typedef struct children_search {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  const mo_contact_search *search;
  mo_child_pair_visit *visit;
  void *context; /* passed to `visit` */
  const mo_scene *scene;
  const mo_prepared_primitive *own; /* the compound whose children are visited, if it is in no
                                       scene; null: a placement in `scene` */
  const mo_filter *filter;          /* which children and nested compounds must pass; null: all */
  const mo_collider *other;         /* null: the placement in slot `other_slot` */
  const mo_shape *other_record;  /* if the other is a child: its record, whose filter children must
                                    pass; else null */
  const mo_filter *other_filter; /* which the children of `other_slot` must pass; null: all */
  uint32_t other_slot;
  bool child_is_first, hit_volumes;
  bool filters_children; /* two children must pass each other */
} children_search;

static void collide_with_children(children_search *s, uint32_t slot);

static bool visit_child(const mo_placed_child *child, double key, void *query) {
  (void)key;
  const children_search *s = query;
  const mo_shape *shape = &child->shape;
  if ((shape->geometry.type == MO_SHAPE_VOLUME && !s->hit_volumes) ||
      (s->other_record != NULL && !mo_shapes_pass_each_other(shape, s->other_record))) {
    return true;
  }
  mo_collider own = s->own != NULL ? collider_of_child(child, &s->own->affine.to_world.origin)
                                   : mo_collider_of_child(s->scene, child);
  if (s->other == NULL || own.kind == MO_COLLIDER_MESH) {
    mo_collider_set_bounds(&own);
  }
  if (s->other == NULL) {
    children_search inner = {.search = s->search,
                             .visit = s->visit,
                             .context = s->context,
                             .scene = s->scene,
                             .filter = s->other_filter,
                             .other = &own,
                             .other_record = s->filters_children ? shape : NULL,
                             .hit_volumes = s->hit_volumes};
    collide_with_children(&inner, s->other_slot);
  } else if (s->child_is_first) {
    s->visit(&own, s->other, s->context);
  } else {
    s->visit(s->other, &own, s->context);
  }
  return true;
}

/* Visits the children of `own` or, if that is null, of the placement in a slot. */
static void visit_children(children_search *s, uint32_t slot) {
  const double limit = 0.0;
  const mo_child_visitor visitor = {mo_child_region_keys, &limit, visit_child, s, s->filter, NULL,
                                    s->search->stats};
  if (s->own != NULL) {
    mo_visit_compound(s->own->compound, &s->own->affine.to_world, &visitor);
  } else {
    mo_visit_children(s->scene, slot, &visitor);
  }
}

static mo_vec3 reach_of_children(const children_search *s) {
  return s->own != NULL ? mo_aabb_max_coordinates(s->own->body.bounds)
                        : mo_aabb_max_coordinates_or_zero(s->scene->root_bounds);
}

/* Visits the pairs of the collider `other` and each child of `own` or of a placement near it. */
static void collide_with_children(children_search *s, uint32_t slot) {
  const mo_vec3 reach = reach_of_children(s);
  mo_prepared_primitive grown;
  s->region.box = mo_aabb_infinite();
  if (s->other->kind == MO_COLLIDER_HALF_SPACE) {
    grown = mo_contact_search_half_space(s->search, s->other->half_space, reach);
    s->region.half_space = &grown.body.half_space;
  } else {
    s->region.box = mo_contact_search_region(s->search, s->other, reach);
  }
  visit_children(s, slot);
}

static void add_contacts(const mo_collider *a, const mo_collider *b, void *search) {
  mo_contact_search_pair(search, a, b);
}

void mo_contact_search_children(mo_contact_search *search, const mo_collider *collider,
                                const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                bool hit_volumes) {
  children_search s = {.search = search,
                       .visit = add_contacts,
                       .context = search,
                       .scene = scene,
                       .filter = filter,
                       .other = collider,
                       .hit_volumes = hit_volumes};
  collide_with_children(&s, slot);
}

/* Visits the pairs of children of `own`, or of a placement, and the shape in `other_slot`, or its
 * children. */
static void collide_with_other_slot(children_search *s, uint32_t slot) {
  if (mo_slot_is_compound(s->scene, s->other_slot)) {
    const mo_collider box = {.kind = MO_COLLIDER_VOLUME,
                             .bounds = mo_stored_box(s->scene, s->other_slot)};
    s->region.box = mo_contact_search_region(s->search, &box, reach_of_children(s));
    visit_children(s, slot);
    return;
  }
  mo_collider collider;
  mo_collider_set_to_shape(&collider, s->scene, s->other_slot);
  mo_collider_set_bounds(&collider);
  if (!mo_aabb_is_empty(collider.bounds)) {
    s->other = &collider;
    collide_with_children(s, slot);
  }
}

void mo_contact_search_own_children(mo_contact_search *search, const mo_prepared_primitive *own,
                                    const mo_scene *scene, uint32_t slot, const mo_filter *filter,
                                    bool hit_volumes) {
  children_search s = {.search = search,
                       .visit = add_contacts,
                       .context = search,
                       .scene = scene,
                       .own = own,
                       .other_filter = filter,
                       .other_slot = slot,
                       .child_is_first = true,
                       .hit_volumes = hit_volumes};
  collide_with_other_slot(&s, MO_NONE);
}

void mo_visit_child_pairs(const mo_contact_search *search, const mo_compound_pair *pair,
                          mo_child_pair_visit *visit, void *context) {
  const mo_scene *scene = pair->scene;
  const bool a_is_compound = mo_slot_is_compound(scene, pair->slot_a);
  const uint32_t compound = a_is_compound ? pair->slot_a : pair->slot_b,
                 other = a_is_compound ? pair->slot_b : pair->slot_a;
  const mo_filter of_compound = mo_filter_of_shape(&scene->shapes[compound]),
                  of_other = mo_filter_of_shape(&scene->shapes[other]);
  children_search s = {.search = search,
                       .visit = visit,
                       .context = context,
                       .scene = scene,
                       .filter = pair->uses_filters ? &of_other : NULL,
                       .other_filter = pair->uses_filters ? &of_compound : NULL,
                       .other_slot = other,
                       .child_is_first = a_is_compound,
                       .hit_volumes = true,
                       .filters_children = pair->uses_filters};
  collide_with_other_slot(&s, compound);
}

void mo_contact_search_compounds(mo_contact_search *search, const mo_compound_pair *pair) {
  mo_visit_child_pairs(search, pair, add_contacts, search);
}
