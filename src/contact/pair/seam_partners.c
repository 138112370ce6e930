/* The partners of a body near a contact point at a seam: the shapes that the body may collide with,
 * and the children of those that are compounds. */
#include "contact/pair/seam.h"
#include "scene/octree/octree.h"
#include "scene/shapes/unbounded.h"

typedef struct partner_search {
  mo_child_region region; /* first: a pointer to it is converted to one to the struct */
  const mo_seam_body *body;
  const mo_contact_side *side;
  mo_aabb around;
  bool (*visit)(uint32_t slot, const mo_placed_child *child, void *context);
  void *context;
  bool found;
} partner_search;

static bool is_found(const partner_search *search, uint32_t slot, const mo_placed_child *child) {
  return search->visit == NULL || search->visit(slot, child, search->context);
}

static bool visit_child(const mo_placed_child *child, double key, void *query) {
  partner_search *search = query;
  const mo_placed_child *own = search->body->child;
  const mo_contact_side *side = search->side;
  (void)key;
  if ((child->slot != side->other || child->number != side->other_child) &&
      mo_aabb_overlap(search->region.box, child->box) &&
      (own == NULL || mo_shapes_pass_each_other(&child->shape, &own->shape))) {
    search->found = is_found(search, child->slot, child);
  }
  return !search->found;
}

static bool find_child(partner_search *search, uint32_t slot) {
  const mo_scene *scene = search->body->scene;
  const float margin = scene->shapes[slot].margin; /* boxes of children are without margin */
  const mo_vec3 by = {margin, margin, margin};
  const mo_filter filter = mo_filter_of_shape(&scene->shapes[search->body->slot]);
  const double limit = 0.0;
  const mo_child_visitor visitor = {.keys = mo_child_region_keys,
                                    .limit = &limit,
                                    .visit = visit_child,
                                    .query = search,
                                    .filter = &filter};
  search->region.box =
      (mo_aabb){mo_sub(search->around.lower, by), mo_add(search->around.upper, by)};
  mo_visit_children(scene, slot, &visitor);
  return search->found;
}

/* Whether the body, if it is a child, may collide with the shape in a slot, or with its children.
 */
static bool child_may_collide(const mo_seam_body *body, uint32_t slot) {
  return body->child == NULL || mo_child_path_passes(body->scene, body->slot, body->child->number,
                                                     &body->scene->shapes[slot]);
}

bool mo_seam_find_partner(const mo_seam_body *body, const mo_contact_side *side, mo_aabb around,
                          bool (*visit)(uint32_t slot, const mo_placed_child *child, void *context),
                          void *context) {
  const mo_scene *scene = body->scene;
  partner_search search = {
      .body = body, .side = side, .around = around, .visit = visit, .context = context};
  for (uint32_t i = 0; i < body->partner_count && !search.found; i++) {
    const uint32_t slot = body->partners[i];
    if (slot == MO_NONE || (slot == side->other && !mo_slot_is_compound(scene, slot)) ||
        (!mo_slot_is_unbounded(scene, slot) &&
         !mo_aabb_overlap(around, mo_slot_box(scene, slot))) ||
        !child_may_collide(body, slot)) {
      continue;
    }
    search.found = mo_slot_is_compound(scene, slot) ? find_child(&search, slot)
                                                    : is_found(&search, slot, NULL);
  }
  return search.found;
}
