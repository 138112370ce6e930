/* The fast path of balls, capsules and boxes against the general one, which makes bodies. */
#include "contact/manifold/fast_path.h"

#include "contact/contacts.h"
#include "contact/manifold/manifold.h"
#include "contact/tracking.h"
#include "geometry/solid/solids.h"
#include "support/rng.h"

static mo_geometry random_kind(rng *r) {
  switch (rng_below(r, 4)) {
  case 0:
    return sphere_of(rng_vec3(r, -0.2f, 0.2f), rng_float(r, 0.1f, 0.5f));
  case 1:
    return box_of(rng_float(r, 0.1f, 0.5f), rng_float(r, 0.1f, 0.5f), rng_float(r, 0.1f, 0.5f));
  default: /* a point at times */
    return capsule_of(rng_chance(r, 0.05) ? 0.0f : rng_float(r, 0.05f, 0.7f),
                      rng_float(r, 0.1f, 0.4f));
  }
}

/* In any pose, or along the axes, so that capsules are parallel or meet at right angles. */
static mo_transform random_pose(rng *r, float spread) {
  const bool aligned = rng_chance(r, 0.3);
  const float scale = rng_chance(r, 0.3) ? rng_float(r, 0.3f, 2) : 1.0f;
  mo_quat rotation =
      aligned ? turned(mo_vec(0, 0, 1), 1.5707963267948966 * rng_below(r, 4)) : rng_rotation(r);
  if (aligned && rng_chance(r, 0.5)) {
    rotation = turned(mo_vec(0, 1, 0), rng_float(r, -0.03f, 0.03f));
  }
  const mo_vec3 scales =
      mo_vec(rng_chance(r, 0.2) ? -scale : scale, scale, rng_chance(r, 0.1) ? 1.5f * scale : scale);
  mo_vec3 origin = rng_vec3(r, -spread, spread);
  origin.y = aligned && rng_chance(r, 0.5) ? 0.0f : origin.y;
  return mo_transform_make(origin, rotation, scales);
}

static bool same_bits(const mo_manifold *m, const mo_manifold *n) {
  bool same =
      m->touching == n->touching && (m->point_count == 0 || same_vector(m->normal, n->normal));
  for (uint32_t i = 0; same && i < m->point_count; i++) {
    same = same_point(&m->points[i], &n->points[i]);
  }
  return same;
}

static bool find_by_fast_path(const mo_solid solid[2], const mo_transform map[2], double max,
                              mo_manifold *manifold) {
  const mo_isa isa = mo_isa_of_process();
  mo_prepared_solid p[2];
  return mo_solids_have_fast_path(&solid[0], &solid[1]) &&
         mo_prepared_solid_set(&p[0], &(mo_placed_solid){&solid[0], &map[0]}, isa) &&
         mo_prepared_solid_set(&p[1], &(mo_placed_solid){&solid[1], &map[1]}, isa) &&
         mo_prepared_solids_manifold(&p[0], &p[1], isa, max, manifold) == MO_GENERAL_PATH_NONE;
}

Test(contact_balls, fast_path_has_the_bits_of_the_general_one) {
  rng r = rng_make(rng_seed("contact balls", 332));
  const uint64_t rounds = rng_rounds(40000, 4000000);
  uint64_t fast = 0, touching = 0, capsules = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    const mo_geometry g[2] = {random_kind(&r), random_kind(&r)};
    const mo_transform map[2] = {random_pose(&r, 0.2f), random_pose(&r, 0.9f)};
    const mo_dvec3 reference = mo_widen(map[0].origin);
    mo_solid solid[2];
    mo_contact_body body[2];
    for (int k = 0; k < 2; k++) {
      cr_assert(mo_geometry_read_solid(&g[k], &solid[k]));
      mo_contact_body_of_solid(&body[k], &solid[k], &map[k], reference);
    }
    const double max = rng_chance(&r, 0.5) ? 0.02 : 0.3;
    mo_manifold m;
    if ((solid[0].kind == MO_SOLID_BOX && solid[1].kind == MO_SOLID_BOX) ||
        !find_by_fast_path(solid, map, max, &m)) {
      continue;
    }
    fast++;
    touching += m.point_count > 0;
    capsules +=
        m.point_count > 0 && solid[0].kind == MO_SOLID_CAPSULE && solid[1].kind == MO_SOLID_CAPSULE;
    const mo_manifold expected = mo_manifold_of(&body[0], &body[1], reference, max, NULL);
    cr_assert_eq(m.point_count, expected.point_count, "round %llu: %u points, not %u",
                 (unsigned long long)i, m.point_count, expected.point_count);
    cr_assert(same_bits(&m, &expected), "round %llu: %.9g, not %.9g", (unsigned long long)i,
              (double)m.points[0].separation, (double)expected.points[0].separation);
  }
  cr_assert(fast > rounds / 3 && touching > rounds / 6 && capsules > rounds / 20,
            "%llu fast, %llu touch, %llu capsules", (unsigned long long)fast,
            (unsigned long long)touching, (unsigned long long)capsules);
}
