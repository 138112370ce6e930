/* Depenetration: finds a translation that resolves all overlaps, each along the normal of its
 * contact, and moves the character along it as far as no other obstacle blocks it. */
#include "character/mover.h"

enum { MAX_RECOVERY_ROUNDS = 4, MAX_CONTACTS = 64, MAX_PROJECTIONS = 64 };

/* Fraction of the skin: a penetration of the rounded shape up to this depth is not resolved. */
static const double tolerated_depth_per_skin = 1.0 / 16.0;

typedef struct contacts {
  mo_cast_hit hits[2 * MAX_CONTACTS];
  uint32_t count;
  double max_rounded_depth; /* greatest penetration depth of the rounded shape */
  double max_own_depth;     /* greatest penetration depth of the character's own shape */
} contacts;

/* Adds the contacts of the shape of `cast` where it is, with `more` added to their depths. If there
 * are more than MAX_CONTACTS, the deepest contact replaces the last one. Returns the greatest
 * depth, without `more`. */
static double add_contacts(const mo_character_mover *mover, mo_shape_cast_def *cast, double more,
                           contacts *c) {
  mo_cast_hit *hits = &c->hits[c->count];
  double depth = 0.0;
  uint32_t total = 0;
  cast->options.every_triangle = true;
  if (mo_scene_cast_shape_all(mover->scene, cast, hits, MAX_CONTACTS, &total, mover->stats) !=
      MO_OK) {
    return 0.0;
  }
  if (total > MAX_CONTACTS) {
    total = MAX_CONTACTS;
    mo_scene_cast_shape(mover->scene, cast, &hits[MAX_CONTACTS - 1], mover->stats);
  }
  for (uint32_t i = 0; i < total; ++i) {
    depth = fmax(depth, (double)hits[i].depth);
    hits[i].depth = (float)((double)hits[i].depth + more);
  }
  c->count += total;
  return depth;
}

static void find_contacts(const mo_character_mover *mover, contacts *c) {
  mo_shape_cast_def cast = mover->cast;
  cast.displacement = mo_vec(0.0f, 0.0f, 0.0f);
  cast.options.min_approach = -1.0f;
  c->count = 0;
  c->max_rounded_depth = add_contacts(mover, &cast, 0.0, c);
  c->max_own_depth = fmax(c->max_rounded_depth - 0.5 * mover->skin, 0.0);
  if (mover->rounding_is_ellipsoid) {
    cast = mo_mover_unrounded_cast(mover);
    c->max_own_depth = add_contacts(mover, &cast, 0.5 * mover->skin, c);
  }
}

/* The translation after which the gap to each contact plane is the whole skin. Resolves one contact
 * after the other, the most violated first (Kaczmarz's method for half-spaces). */
static mo_dvec3 find_separating_translation(const mo_character_mover *mover, const contacts *c) {
  mo_dvec3 displacement = {0.0, 0.0, 0.0};
  for (int step = 0; step < MAX_PROJECTIONS; ++step) {
    double worst = 0.25 * tolerated_depth_per_skin * mover->skin;
    mo_dvec3 push = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < c->count; ++i) {
      mo_dvec3 normal = mo_widen(c->hits[i].normal);
      double left = (double)c->hits[i].depth + 0.5 * mover->skin - mo_ddot(normal, displacement);
      if (left > worst) {
        worst = left;
        push = mo_dscale(left, normal);
      }
    }
    if (push.x == 0.0 && push.y == 0.0 && push.z == 0.0) {
      break;
    }
    displacement = mo_dadd(displacement, push);
  }
  return displacement;
}

bool mo_mover_resolve_overlaps(mo_character_mover *mover) {
  contacts c;
  find_contacts(mover, &c);
  for (int round = 0;
       round < MAX_RECOVERY_ROUNDS && c.max_rounded_depth > tolerated_depth_per_skin * mover->skin;
       ++round) {
    const mo_character_mover before = *mover;
    const double deepest = c.max_rounded_depth, overlap = c.max_own_depth;
    double share;
    mo_cast_hit hit;
    mo_mover_advance(mover, find_separating_translation(mover, &c), &hit, &share);
    find_contacts(mover, &c);
    if (!(c.max_rounded_depth <= deepest && c.max_own_depth <= overlap)) {
      *mover = before;
      c.max_own_depth = overlap;
      break;
    }
  }
  return c.max_own_depth > 0.0;
}
