/* Manifold reduction: sorts candidates by id and chooses at most four. */
#include "contact/manifold/reduce.h"

#include "base/assert.h"

int mo_reduce_candidates(const mo_candidates *candidates, const mo_candidate *kept[]) {
  const mo_candidate *sorted[MO_MAX_CANDIDATES];
  const int count = candidates->count;
  MO_ASSERT(count >= 0 && count <= MO_MAX_CANDIDATES);
  for (int i = 0; i < count; i++) {
    const mo_candidate *item = &candidates->items[i];
    int k = i;
    for (; k > 0 && mo_contact_id_before(item->id, sorted[k - 1]->id); k--) {
      sorted[k] = sorted[k - 1];
    }
    sorted[k] = item;
  }
  if (count <= MO_MAX_MANIFOLD_POINTS) {
    for (int i = 0; i < count; i++) {
      kept[i] = sorted[i];
    }
    return count;
  }
  mo_candidate_groups c;
  c.count = count;
  for (int i = 0; i < count; i++) {
    c.x[i >> 2][i & 3] = sorted[i]->x;
    c.y[i >> 2][i & 3] = sorted[i]->y;
    c.separation[i >> 2][i & 3] = sorted[i]->separation;
  }
  int chosen[MO_MAX_MANIFOLD_POINTS];
  mo_choose_four(&c, chosen);
  for (int i = 0; i < MO_MAX_MANIFOLD_POINTS; i++) {
    MO_ASSERT(chosen[i] < count && (i == 0 || chosen[i] > chosen[i - 1]));
    kept[i] = sorted[chosen[i]];
  }
  return MO_MAX_MANIFOLD_POINTS;
}
