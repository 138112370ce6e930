/* Collide and slide.
 *
 * Contact planes are collected while the character stays in place, and discarded once it has moved
 * on. The rest of the movement is projected onto one plane, or onto the crease of two planes: the
 * one that keeps the longest movement without leading into any other plane. If there is none, the
 * character stops. Only movements that lead forward are made, so a character in a corner does not
 * jitter. */
#include "base/assert.h"
#include "character/mover.h"

enum { MAX_SLIDE_ROUNDS = 12, MAX_PLANES = 8 };

/* Fraction of the skin: contact planes are discarded once the character has moved farther than
 * this. */
static const double min_move_per_skin = 0.25;
/* Fractions of the length of a movement. `rounding_tolerance`: rounding errors may lead a movement
 * into a plane by this much. `min_forward_share`: a movement that leads forward by less is not
 * made. */
static const double rounding_tolerance = 1e-7, min_forward_share = 1e-4;

typedef struct planes {
  mo_dvec3 normal[MAX_PLANES];
  int count;
} planes;

/* Adds a plane; replaces an existing plane with nearly the same normal. */
static void add_plane(planes *p, mo_dvec3 normal) {
  MO_ASSERT(mo_is_unit(normal) && p->count >= 0 && p->count <= MAX_PLANES);
  int at = p->count;
  for (int i = 0; i < p->count; ++i) {
    if (mo_ddot(p->normal[i], normal) > 1.0 - 1e-6) {
      at = i;
    }
  }
  if (at < MAX_PLANES) {
    p->normal[at] = normal;
    p->count += at == p->count;
  }
}

static bool leads_into_a_plane(const planes *p, mo_dvec3 displacement, double length) {
  for (int i = 0; i < p->count; ++i) {
    if (mo_ddot(p->normal[i], displacement) < -rounding_tolerance * length) {
      return true;
    }
  }
  return false;
}

static void keep_longer_movement(const planes *p, mo_dvec3 displacement, mo_dvec3 candidate,
                                 mo_dvec3 *best) {
  if (!leads_into_a_plane(p, candidate, mo_dlength(displacement)) &&
      mo_ddot(candidate, candidate) > mo_ddot(*best, *best)) {
    *best = candidate;
  }
}

/* Projects a movement onto one or two of the planes, so that it leads into none of them. */
static mo_dvec3 project_onto_planes(const planes *p, mo_dvec3 displacement) {
  mo_dvec3 best = {0.0, 0.0, 0.0};
  keep_longer_movement(p, displacement, displacement, &best);
  for (int i = 0; i < p->count; ++i) {
    keep_longer_movement(p, displacement, mo_perpendicular_part(displacement, p->normal[i]), &best);
    for (int j = 0; j < i; ++j) {
      mo_dvec3 crease = mo_dcross(p->normal[i], p->normal[j]);
      double square = mo_ddot(crease, crease);
      if (square > 1e-6) { /* parallel planes have no crease */
        keep_longer_movement(p, displacement,
                             mo_dscale(mo_ddot(displacement, crease) / square, crease), &best);
      }
    }
  }
  return best;
}

/* Contact planes of sideways movement: walls (the horizontal part of planes too steep to stand on),
 * floors and ceilings. */
typedef struct contact_planes {
  planes walls, floors, ceilings;
} contact_planes;

/* Projects a sideways movement along the walls, and raises it so that it climbs the floors. */
static mo_dvec3 project_sideways(const mo_character_mover *mover, const contact_planes *s,
                                 mo_dvec3 displacement) {
  mo_dvec3 along = mo_perpendicular_part(project_onto_planes(&s->walls, displacement), mover->up);
  double rise = 0.0;
  for (int i = 0; i < s->floors.count; ++i) {
    mo_dvec3 normal = s->floors.normal[i];
    rise = fmax(rise, -mo_ddot(normal, along) / mo_ddot(normal, mover->up));
  }
  mo_dvec3 led = mo_dadd(along, mo_dscale(rise, mover->up));
  return leads_into_a_plane(&s->ceilings, led, mo_dlength(led)) ? mo_dvec(0.0, 0.0, 0.0) : led;
}

/* Adds the contact plane of an obstacle. Returns whether the plane is too steep to stand on. */
static bool add_surface(const mo_character_mover *mover, contact_planes *s, mo_dvec3 normal) {
  double rise = mo_ddot(normal, mover->up);
  if (rise >= mover->min_walkable_cosine) {
    add_plane(&s->floors, normal);
    return false;
  }
  mo_dvec3 out = mo_perpendicular_part(normal, mover->up);
  double across = mo_dlength(out);
  if (rise < 0.0) {
    add_plane(&s->ceilings, normal);
  }
  if (across > 1e-3) {
    add_plane(&s->walls, mo_dscale(1.0 / across, out));
  }
  return true;
}

/* Step up: moves up by the step height, sideways, and down again. Returns whether this leads onto
 * walkable ground, and farther than sliding without the step; if not, nothing changes. */
static bool step_up(mo_character_mover *mover, mo_dvec3 displacement) {
  mo_character_mover below = *mover, above = *mover;
  mo_dvec3 start = mo_mover_position(mover), face;
  double height = mover->def->step_height, share, length = mo_dlength(displacement);
  mo_cast_hit hit;
  mo_mover_advance(&above, mo_dscale(height, mover->up), &hit, &share);
  double risen = share * height;
  if (!(risen > mover->skin)) {
    return false;
  }
  bool stepped;
  mo_mover_slide_sideways(&above, displacement, false, &stepped);
  mo_mover_slide_sideways(&below, displacement, false, &stepped);
  double gain =
      mo_ddot(mo_dsub(mo_mover_position(&above), mo_mover_position(&below)), displacement) / length;
  double fall = risen + mover->skin;
  if (!(gain > 0.01 * length) || !mo_mover_find_walkable(&above, fall, &hit, &face)) {
    return false;
  }
  /* A ledge above the step height is not a step, even if its edge is touched from above. */
  double rise = mo_ddot(mo_dsub(mo_widen(hit.point), start), mover->up) - mover->bottom_height;
  if (!(rise <= height)) {
    return false;
  }
  mo_mover_advance(&above, mo_dscale(-fall, mover->up), &hit, &share);
  bool blocked = mover->blocked;
  *mover = above;
  mover->blocked = blocked;
  return true;
}

void mo_mover_slide_sideways(mo_character_mover *mover, mo_dvec3 displacement, bool may_step,
                             bool *stepped) {
  contact_planes s = {.walls = {.count = 0}};
  const mo_dvec3 asked = displacement;
  const double square = mo_ddot(asked, asked);
  *stepped = false;
  for (int round = 0; round < MAX_SLIDE_ROUNDS; ++round) {
    mo_dvec3 led = project_sideways(mover, &s, displacement);
    if (!(mo_ddot(led, asked) > min_forward_share * min_forward_share * square)) {
      return;
    }
    mo_cast_hit hit;
    double share;
    if (!mo_mover_advance(mover, led, &hit, &share)) {
      return;
    }
    if (share * mo_dlength(led) > min_move_per_skin * mover->skin) {
      s = (contact_planes){.walls = {.count = 0}};
    }
    displacement = mo_dscale(1.0 - share, displacement);
    if (add_surface(mover, &s, mo_widen(hit.normal))) {
      mover->blocked = true;
      if (may_step && mover->on_ground && step_up(mover, displacement)) {
        *stepped = true;
        return;
      }
    }
  }
}

void mo_mover_slide_vertically(mo_character_mover *mover, mo_dvec3 displacement,
                               mo_dvec3 sideways) {
  planes p = {.count = 0};
  double across = mo_dlength(sideways);
  if (across > 0.0) {
    add_plane(&p, mo_dscale(1.0 / across, sideways));
  }
  const int kept = p.count;
  const mo_dvec3 asked = displacement;
  const double square = mo_ddot(asked, asked);
  bool rises = mo_ddot(asked, mover->up) > 0.0;
  for (int round = 0; round < MAX_SLIDE_ROUNDS; ++round) {
    mo_dvec3 led = project_onto_planes(&p, displacement), face;
    mo_cast_hit hit;
    double share;
    if (!(mo_ddot(led, asked) > min_forward_share * min_forward_share * square) ||
        !mo_mover_advance(mover, led, &hit, &share)) {
      return;
    }
    mover->blocked = mover->blocked || rises;
    if (!rises && mo_mover_is_supported(mover, &hit, &face)) {
      return;
    }
    if (share * mo_dlength(led) > min_move_per_skin * mover->skin) {
      p.count = kept;
    }
    displacement = mo_dscale(1.0 - share, displacement);
    add_plane(&p, mo_widen(hit.normal));
  }
}
