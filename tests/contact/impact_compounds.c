/* Impacts and crossings of compounds, nested too, against flat scenes, in which each child is a
 * mover of its own, and the children of a placement are one body. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdio.h>
#include <string.h>

#include "scene/compound.h"
#include "support/rng.h"
#include "support/scenes.h"

enum { COMPOUNDS = 3, PLACED = 9, MAX_FLAT = 512, MAX_CROSSINGS = 4096 };

/* Where a flat shape comes from. */
typedef struct flat_origin {
  uint32_t placed, child;
} flat_origin;

typedef struct world {
  test_scene base; /* for its meshes and hulls */
  mo_compound *compounds[COMPOUNDS];
  mo_scene *placed, *flat;
  mo_shape_id ids[PLACED], flat_ids[MAX_FLAT];
  flat_origin origins[MAX_FLAT];
  uint32_t placed_count, flat_count;
} world;

static mo_shape_def any_shape(world *w, rng *r) {
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_SPHERE);
  def.geometry = test_scene_geometry(&w->base, r);
  def.transform = test_scene_transform(&w->base, r);
  def.user_data = rng_below(r, 1000);
  def.category = rng_chance(r, 0.7) ? 1 : rng_chance(r, 0.5) ? 3 : 5;
  def.mask = rng_chance(r, 0.8) ? UINT64_MAX : 2;
  return def;
}

static void make_compounds(world *w, rng *r) {
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    const mo_scene_def def = mo_default_scene_def();
    cr_assert_eq(mo_compound_create(&def, &w->compounds[i]), MO_OK);
    const uint32_t count = 2 + rng_below(r, 5);
    for (uint32_t k = 0; k < count; k++) {
      mo_shape_def child = any_shape(w, r);
      if (i > 0 && rng_chance(r, 0.3)) {
        child.geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND};
        child.geometry.compound = w->compounds[rng_below(r, i)];
        child.category = ~(uint64_t)4; /* as of placements below */
        child.mask = UINT64_MAX;
      }
      mo_shape_id id;
      const mo_result result =
          mo_scene_add_shape(mo_compound_children(w->compounds[i]), &child, &id);
      cr_assert(result == MO_OK || result == MO_ERROR_OUT_OF_RANGE);
    }
    cr_assert_eq(mo_compound_update(w->compounds[i]), MO_OK);
  }
}

static void add_flat(world *w, const mo_shape_def *def, flat_origin origin) {
  cr_assert_lt(w->flat_count, MAX_FLAT);
  if (mo_scene_add_shape(w->flat, def, &w->flat_ids[w->flat_count]) == MO_OK) {
    w->origins[w->flat_count++] = origin;
  }
}

/* Adds the children of a placement to the flat scene, as one body. */
static void add_children(world *w, mo_shape_id id, uint32_t placed) {
  mo_shape_def own;
  cr_assert_eq(mo_scene_get_shape(w->placed, id, &own), MO_OK);
  for (uint32_t child = 0; child < own.geometry.compound->child_number_count; child++) {
    mo_shape_def def;
    if (mo_scene_get_child(w->placed, id, child, &def) == MO_OK) {
      def.body = 1 + placed;
      def.motion = own.motion;
      add_flat(w, &def, (flat_origin){placed, child});
    }
  }
}

static void make_world(world *w, test_scene_kind kind, rng *r) {
  const mo_scene_def def = mo_default_scene_def();
  test_scene_make(&w->base, kind, 10, r);
  make_compounds(w, r);
  cr_assert_eq(mo_scene_create(&def, &w->placed), MO_OK);
  cr_assert_eq(mo_scene_create(&def, &w->flat), MO_OK);
  w->placed_count = w->flat_count = 0;
  for (uint32_t i = 0; i < PLACED; i++) {
    mo_shape_def shape = any_shape(w, r);
    const bool is_compound = i % 3 != 2;
    if (is_compound) {
      shape.geometry = (mo_geometry){.type = MO_SHAPE_COMPOUND};
      shape.geometry.compound = w->compounds[rng_below(r, COMPOUNDS)];
      shape.category = ~(uint64_t)4; /* those of placements have no counterpart in the flat scene */
      shape.mask = UINT64_MAX;
    }
    mo_shape_id *id = &w->ids[w->placed_count];
    if (mo_scene_add_shape(w->placed, &shape, id) == MO_OK) {
      if (is_compound) {
        add_children(w, *id, w->placed_count);
      } else {
        add_flat(w, &shape, (flat_origin){w->placed_count, 0});
      }
      w->placed_count++;
    }
  }
}

static void free_world(world *w) {
  mo_scene_destroy(w->placed);
  mo_scene_destroy(w->flat);
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    mo_compound_release(w->compounds[i]);
  }
  cr_assert(test_scene_free(&w->base));
}

/* The movers of both scenes. */
typedef struct step {
  mo_mover placed[PLACED], flat[MAX_FLAT];
  mo_mover_memory memory[MAX_FLAT];
  mo_impact_search search[2];
  mo_impact impacts[2][MAX_FLAT];
  mo_crossing crossings[2][MAX_CROSSINGS];
  uint32_t first[PLACED + 1]; /* by mover of the placed scene: its first one in the flat scene */
  uint32_t total[2];
} step;

static void make_movers(step *s, const world *w, rng *r) {
  s->search[0] = s->search[1] = mo_default_impact_search();
  mo_impact_search *placed = &s->search[0], *flat = &s->search[1];
  placed->movers = s->placed;
  flat->movers = s->flat;
  placed->memory = flat->memory = s->memory;
  placed->def.core = flat->def.core = rng_chance(r, 0.5) ? 1.0f : 0.5f;
  placed->cull_back_faces = flat->cull_back_faces = rng_chance(r, 0.3);
  placed->sensor_categories = flat->sensor_categories = rng_chance(r, 0.3) ? 4 : 0;
  for (uint32_t i = 0; i < w->placed_count; i++) {
    if (rng_chance(r, 0.4)) {
      continue;
    }
    mo_mover mover = {.shape = w->ids[i], .partners = (mo_impact_partners)rng_below(r, 3)};
    mover.movement.displacement = rng_vec3(r, -w->base.spread, w->base.spread);
    if (rng_chance(r, 0.5)) {
      mover.movement.pivot = rng_vec3(r, -w->base.spread, w->base.spread);
      mover.movement.axis = rng_direction(r);
      mover.movement.angle = rng_float(r, -1, 1);
    }
    s->first[placed->count] = flat->count;
    s->placed[placed->count++] = mover;
    for (uint32_t k = 0; k < w->flat_count; k++) {
      if (w->origins[k].placed == i) {
        mover.shape = w->flat_ids[k];
        s->flat[flat->count++] = mover;
      }
    }
  }
  s->first[placed->count] = flat->count;
}

static flat_origin origin_of(const world *w, mo_shape_id flat) {
  return w->origins[flat.index];
}

static void check_impact(const step *s, const world *w, uint32_t mover) {
  const mo_impact *found = &s->impacts[0][mover], *best = NULL;
  uint32_t child = 0;
  for (uint32_t k = s->first[mover]; k < s->first[mover + 1]; k++) {
    const mo_impact *own = &s->impacts[1][k];
    if (own->found && (best == NULL || own->t < best->t ||
                       (own->t == best->t &&
                        origin_of(w, own->other).placed < origin_of(w, best->other).placed))) {
      best = own;
      child = origin_of(w, s->flat[k].shape).child;
    }
  }
  cr_assert_eq(found->found, best != NULL);
  if (best == NULL) {
    return;
  }
  const flat_origin other = origin_of(w, best->other);
  cr_assert_eq(found->t, best->t, "at %a, not %a", found->t, best->t);
  cr_assert_eq(found->other.index, w->ids[other.placed].index);
  cr_assert_eq(found->child, child);
  cr_assert_eq(found->other_child, other.child);
  cr_assert_eq(found->user_data, best->user_data);
  cr_assert(found->triangle == best->triangle && found->other_triangle == best->other_triangle);
  cr_assert_eq(found->triangle_user_data, best->triangle_user_data);
  cr_assert_eq(found->other_triangle_user_data, best->other_triangle_user_data);
  cr_assert_eq(found->began_in_touch, best->began_in_touch);
  cr_assert(found->separation == best->separation && found->feature == best->feature &&
            found->other_feature == best->other_feature &&
            found->feature_index == best->feature_index &&
            found->other_feature_index == best->other_feature_index);
  cr_assert_arr_eq(&found->point, &best->point, sizeof found->point);
  cr_assert_arr_eq(&found->normal, &best->normal, sizeof found->normal);
}

/* Merges the crossings of children into those of their placements. */
static uint32_t merge_crossings(const step *s, const world *w, mo_crossing *merged) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->total[1]; i++) {
    mo_crossing c = s->crossings[1][i];
    c.pair.a = w->ids[origin_of(w, c.pair.a).placed];
    c.pair.b = w->ids[origin_of(w, c.pair.b).placed];
    uint32_t at = 0;
    while (at < count && (merged[at].pair.a.index != c.pair.a.index ||
                          merged[at].pair.b.index != c.pair.b.index)) {
      at++;
    }
    if (at == count) {
      merged[count++] = c;
      continue;
    }
    mo_crossing *m = &merged[at];
    m->enter = c.enter < m->enter ? c.enter : m->enter;
    m->leave = c.leave > m->leave ? c.leave : m->leave;
    m->entered = m->entered && c.entered;
    m->left = m->left && c.left;
  }
  return count;
}

static void check_crossings(const step *s, const world *w) {
  static mo_crossing merged[MAX_CROSSINGS];
  const uint32_t count = merge_crossings(s, w, merged);
  cr_assert_eq(s->total[0], count, "%u crossings, not %u", s->total[0], count);
  for (uint32_t i = 0; i < count; i++) {
    const mo_crossing *found = NULL;
    for (uint32_t k = 0; k < count; k++) {
      const mo_pair *pair = &s->crossings[0][k].pair;
      found = pair->a.index == merged[i].pair.a.index && pair->b.index == merged[i].pair.b.index
                  ? &s->crossings[0][k]
                  : found;
    }
    cr_assert_not_null(found);
    cr_assert(found->enter == merged[i].enter && found->leave == merged[i].leave &&
              found->entered == merged[i].entered && found->left == merged[i].left);
  }
}

Test(impact_compounds, as_children_that_move_alone) {
  static const test_scene_kind kinds[] = {TEST_SCENE_PLAIN, TEST_SCENE_CROWDED, TEST_SCENE_ROUNDED,
                                          TEST_SCENE_HULLS};
  static world w;
  static step s;
  rng r = rng_make(rng_seed("impact_compounds/as_children_that_move_alone", 71));
  const uint64_t rounds = rng_few_rounds(40, 2000);
  uint32_t found = 0, of_children = 0, crossings = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    make_world(&w, kinds[round % 4], &r);
    for (int k = 0; k < 4; k++) {
      make_movers(&s, &w, &r);
      mo_result results[2];
      const mo_scene *scenes[2] = {w.placed, w.flat};
      for (int i = 0; i < 2; i++) {
        results[i] = mo_scene_find_impacts(scenes[i], &s.search[i], s.impacts[i], NULL, NULL);
      }
      if (results[0] != MO_OK || results[1] != MO_OK) {
        continue; /* moved beyond the range of coordinates */
      }
      for (uint32_t i = 0; i < s.search[0].count; i++) {
        check_impact(&s, &w, i);
        found += s.impacts[0][i].found;
        of_children +=
            s.impacts[0][i].found && (s.impacts[0][i].child > 0 || s.impacts[0][i].other_child > 0);
      }
      for (int i = 0; i < 2; i++) {
        cr_assert_eq(mo_scene_find_crossings(scenes[i], &s.search[i], s.crossings[i], MAX_CROSSINGS,
                                             &s.total[i], NULL),
                     MO_OK);
      }
      check_crossings(&s, &w);
      crossings += s.total[0];
    }
    free_world(&w);
  }
  fprintf(stderr, "%u impacts, %u of further children, %u crossings\n", found, of_children,
          crossings);
  cr_assert(found > rounds && of_children > rounds / 2 && crossings > rounds);
}
