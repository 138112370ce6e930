/* Which shapes may be children of a compound: compounds are nested without cycles, and not too
 * deeply. */
#include "scene/compound.h"

#include <string.h>

enum { MAX_SEARCHED = 64 };

/* The search of a compound, and all that it contains, for the one to which it would be added. */
typedef struct owner_search {
  const mo_compound *owner;
  /* By depth of nesting: compounds that were searched, up to MAX_SEARCHED of them. Without this,
   * the time is exponential in the depth. */
  const mo_compound *searched[MO_MAX_COMPOUND_DEPTH][MAX_SEARCHED];
  uint32_t searched_count[MO_MAX_COMPOUND_DEPTH];
} owner_search;

static bool was_searched(const owner_search *s, const mo_compound *compound, uint32_t depth) {
  bool found = false;
  for (uint32_t i = s->searched_count[depth - 1]; !found && i-- > 0;) {
    found = s->searched[depth - 1][i] == compound;
  }
  return found;
}

/* Searches a compound that would be nested at this depth. Returns MO_ERROR_INVALID_ARGUMENT if it
 * is, or contains, the owner, and MO_ERROR_TOO_MANY if it contains compounds beyond
 * MO_MAX_COMPOUND_DEPTH; else MO_OK. There are no cycles. */
static mo_result search_owner(owner_search *s, const mo_compound *compound, uint32_t depth) {
  if (compound == s->owner) {
    return MO_ERROR_INVALID_ARGUMENT;
  }
  if (depth > MO_MAX_COMPOUND_DEPTH) {
    return MO_ERROR_TOO_MANY;
  }
  const mo_scene *children = compound->children;
  if (children->compound_count == 0 || was_searched(s, compound, depth)) {
    return MO_OK;
  }
  mo_result result = MO_OK;
  for (uint32_t slot = 0; result == MO_OK && slot < children->slot_count; slot++) {
    const mo_compound *nested = mo_slot_nested_compound(children, slot);
    result = nested != NULL ? search_owner(s, nested, depth + 1) : MO_OK;
  }
  if (s->searched_count[depth - 1] < MAX_SEARCHED) {
    s->searched[depth - 1][s->searched_count[depth - 1]++] = compound;
  }
  return result;
}

mo_result mo_scene_check_child(const mo_scene *scene, const mo_geometry *geometry,
                               const mo_refusal *refusal) {
  if (scene->owner == NULL) {
    return MO_OK;
  }
  if (geometry->type == MO_SHAPE_HALF_SPACE) {
    return mo_refuse(refusal, MO_ERROR_INVALID_ARGUMENT,
                     ".type is MO_SHAPE_HALF_SPACE, which cannot be a child of a compound");
  }
  if (geometry->type != MO_SHAPE_COMPOUND) {
    return MO_OK;
  }
  owner_search search;
  search.owner = scene->owner;
  memset(search.searched_count, 0, sizeof search.searched_count);
  const mo_result result = search_owner(&search, geometry->compound, 2);
  return result == MO_OK ? MO_OK
                         : mo_refuse(refusal, result,
                                     result == MO_ERROR_TOO_MANY
                                         ? ".compound would be nested deeper than "
                                           "MO_MAX_COMPOUND_DEPTH"
                                         : ".compound contains the compound to which it would be "
                                           "added");
}
