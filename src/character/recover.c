/* Depenetration: finds a translation that resolves all overlaps, each along the normal of its
 * contact, and moves the character along it as far as no other obstacle blocks it. */
#include "character/mover.h"

enum { MAX_ROUNDS = 4, MAX_CONTACTS = 64, MAX_STEPS = 64 };

/* Fraction of the skin: penetration of the rounded shape that is tolerated. */
static const double tolerated = 1.0 / 16.0;

typedef struct contacts {
  mo_cast_hit hits[MAX_CONTACTS];
  uint32_t count;
  double deepest;
} contacts;

static void find_contacts(mo_mover *mover, contacts *c) {
  mo_shape_cast_def cast = mover->cast;
  cast.displacement = mo_vec(0.0f, 0.0f, 0.0f);
  cast.min_approach = -1.0f;
  cast.every_triangle = true;
  uint32_t total = 0;
  c->deepest = 0.0;
  c->count = 0;
  if (mo_scene_cast_shape_all(mover->scene, &cast, c->hits, MAX_CONTACTS, &total, mover->stats) ==
      MO_OK) {
    c->count = total < MAX_CONTACTS ? total : MAX_CONTACTS;
  }
  for (uint32_t i = 0; i < c->count; ++i) {
    c->deepest = fmax(c->deepest, c->hits[i].depth);
  }
}

/* Resolves one contact after the other, the most violated one first (Kaczmarz's method for
 * half-spaces), until the gap to each is the whole skin. */
static mo_dvec3 way_out(const mo_mover *mover, const contacts *c) {
  mo_dvec3 way = {0.0, 0.0, 0.0};
  for (int step = 0; step < MAX_STEPS; ++step) {
    double worst = 0.25 * tolerated * mover->skin;
    mo_dvec3 push = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < c->count; ++i) {
      mo_dvec3 normal = mo_widen(c->hits[i].normal);
      double left = (double)c->hits[i].depth + 0.5 * mover->skin - mo_ddot(normal, way);
      if (left > worst) {
        worst = left;
        push = mo_dscale(left, normal);
      }
    }
    if (push.x == 0.0 && push.y == 0.0 && push.z == 0.0) {
      break;
    }
    way = mo_dadd(way, push);
  }
  return way;
}

bool mo_mover_recover(mo_mover *mover) {
  contacts c;
  find_contacts(mover, &c);
  for (int round = 0; round < MAX_ROUNDS && c.deepest > tolerated * mover->skin; ++round) {
    mo_mover before = *mover;
    double deepest = c.deepest, share;
    mo_cast_hit hit;
    mo_mover_advance(mover, way_out(mover, &c), &hit, &share);
    find_contacts(mover, &c);
    if (!(c.deepest <= deepest)) {
      *mover = before;
      c.deepest = deepest;
      break;
    }
  }
  return c.deepest > 0.5 * mover->skin;
}
