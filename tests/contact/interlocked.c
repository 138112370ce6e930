/* Meshes that hold each other, by the solver of demos/step.c: a chain swings, and knots come to
 * rest in a bowl. The centre lines of two tubes never come much closer than the tubes are thick,
 * and their linking number stays. */
#include <criterion/criterion.h>

#include "contact/stepping.h"
#include "contact/tubes.h"
#include "math/vector.h"

static mo_quat product(mo_quat p, mo_quat q) {
  mo_vec3 a = {p.x, p.y, p.z}, b = {q.x, q.y, q.z};
  mo_vec3 v = mo_add(mo_add(mo_scale(p.w, b), mo_scale(q.w, a)), mo_cross(a, b));
  return (mo_quat){v.x, v.y, v.z, p.w * q.w - mo_dot(a, b)};
}

static mo_quat around(mo_vec3 axis, float angle) {
  float s = steady_sine(0.5f * angle);
  return (mo_quat){s * axis.x, s * axis.y, s * axis.z, steady_cosine(0.5f * angle)};
}

static mo_transform place_of(const body *b) {
  return mo_transform_make(b->position, b->rotation, mo_vec(1, 1, 1));
}

static double find_kinetic_energy(void) {
  double sum = 0;
  for (uint32_t i = 0; i < body_count; i++) {
    const body *b = &bodies[i];
    mo_vec3 v = b->velocity.linear, w = b->velocity.angular;
    if (b->inverse_mass > 0) {
      sum += 0.5 * (double)(mo_dot(v, v) / b->inverse_mass + mo_dot(w, w) / b->inverse_inertia);
    }
  }
  return sum;
}

/* Kinetic and potential; all bodies that move have a kilogram. */
static double find_energy(void) {
  double sum = find_kinetic_energy();
  for (uint32_t i = 0; i < body_count; i++) {
    sum += bodies[i].inverse_mass > 0 ? 9.81 * (double)bodies[i].position.y : 0;
  }
  return sum;
}

/* Bodies `first` to `first + count` of a scene are tubes of one kind. */
typedef struct tubes {
  tube t;
  uint32_t first, count;
  center_line lines[MAX_BODIES];
  ldouble min_distance; /* of any two, at any time */
} tubes;

static void follow(tubes *all) {
  for (uint32_t i = 0; i < all->count; i++) {
    mo_transform map = place_of(&bodies[all->first + i]);
    all->lines[i] = tube_center_line(&all->t, &map);
  }
}

/* Those beside each other in a chain are linked; no others are. */
static void expect_linked(tubes *all, bool is_chain, ldouble max_overlap, uint64_t time) {
  follow(all);
  for (uint32_t i = 0; i < all->count; i++) {
    for (uint32_t k = i + 1; k < all->count; k++) {
      const bool linked = is_chain && k == i + 1;
      const center_line *one = &all->lines[i], *other = &all->lines[k];
      mo_vec3 apart = mo_sub(bodies[all->first + i].position, bodies[all->first + k].position);
      if (!linked && mo_dot(apart, apart) > 4 * all->t.reach * all->t.reach) {
        continue;
      }
      ldouble distance = center_line_distance(one, other);
      int number = linking_number(one, other);
      all->min_distance = fminl(all->min_distance, distance);
      cr_assert_eq(number * number, linked, "step %d: %u and %u have linking number %d", (int)time,
                   i, k, number);
      cr_assert(distance >= touching_distance(&all->t) - max_overlap,
                "step %d: the centre lines of %u and %u are %Lg apart", (int)time, i, k, distance);
    }
  }
}

/* --- a chain --- */

enum { MAX_LINKS = 20 };

typedef struct chain_def {
  float radius; /* of the tube; that of the circle is 0.5 */
  uint32_t rings, sides, links;
  float angle; /* from the vertical */
  float spin;  /* of the last link, radians per second about a random axis */
  uint64_t steps;
} chain_def;

/* From the first link, which is fixed, with a little slack. */
static void hang_chain(tubes *chain, const chain_def *def, rng *r) {
  begin_with_friction(0.3f);
  *chain = (tubes){.t = tube_of_circle(0.5f, def->radius, def->rings, def->sides),
                   .count = def->links,
                   .min_distance = INFINITY};
  test_mesh mesh = tube_mesh(&chain->t);
  const mo_quat swing = around(mo_vec(0, 0, 1), def->angle),
                turned[2] = {product(swing, around(mo_vec(1, 0, 0), 1.5707963f)),
                             product(swing, around(mo_vec(0, 0, 1), 1.5707963f))};
  mo_transform places[MAX_LINKS];
  for (uint32_t i = 0; i < def->links; i++) {
    const float way = (1 - 2.05f * def->radius) * (float)i;
    const mo_vec3 origin = {way * steady_sine(def->angle), -way * steady_cosine(def->angle), 0};
    places[i] = mo_transform_make(origin, turned[i % 2], mo_vec(1, 1, 1));
    cr_assert(i == 0 || !tubes_cross(&mesh, &places[i - 1], &places[i]));
  }
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
  shape.geometry.mesh = mesh_with_edges(&mesh);
  for (uint32_t i = 0; i < def->links; i++) {
    shape.transform = places[i];
    body *b = add_body(scene, shape, i > 0, 0.16f);
    b->rotation = turned[i % 2];
    b->velocity.angular = mo_scale(i == def->links - 1 ? def->spin : 0, rng_direction(r));
  }
  mo_mesh_release(shape.geometry.mesh);
}

/* It is judged in every fifth step, in which a link moves by less than its thickness. */
static void run_chain(const chain_def *def, rng *r) {
  static tubes chain;
  hang_chain(&chain, def, r);
  const double start = find_energy();
  double gained = 0;
  for (uint64_t i = 0; i < def->steps; i++) {
    if (i % 5 == 0) {
      expect_linked(&chain, true, 0.15L * (ldouble)def->radius, i);
    }
    step(scene, tracker);
    gained = fmax(gained, find_energy() - start);
  }
  fprintf(stderr, "%u links of radius %g, %u rings of %u, from %g rad: %Lg apart, %g J gained\n",
          def->links, (double)def->radius, def->rings, def->sides, (double)def->angle,
          chain.min_distance, gained);
  cr_assert(gained < 1, "%g J", gained);
  end();
}

Test(interlocked, chain_swings) {
  rng r = rng_make(rng_seed("contact/interlocked/chain", 3511));
  const chain_def def = {0.12f, 12, 8, 20, 0.3f, 0, rng_few_rounds(60, 600)};
  run_chain(&def, &r);
}

/* The links are so thick that the last one, which spins, has its middle beside the tube it hangs
 * from. */
Test(interlocked, short_chains_spin) {
  const uint64_t seed = rng_seed("contact/interlocked/short", 3512),
                 rounds = rng_few_rounds(4, 400);
  for (uint64_t round = 0; round < rounds; round++) {
    rng r = rng_make(seed + round);
    const float angle = rng_float(&r, 0, 1.5f), spin = rng_float(&r, 0, 3);
    const chain_def def = {
        round % 2 ? 0.12f : 0.16f, 12, 8, 2 + (uint32_t)round % 3, angle, spin, 120};
    run_chain(&def, &r);
  }
}

Test(interlocked, chains_swing_for_long) {
  static const float radii[] = {0.08f, 0.12f, 0.16f}, angles[] = {0, 0.3f, 0.8f};
  rng r = rng_make(rng_seed("contact/interlocked/long", 3513));
  for (int i = 0; i < 9 && rng_rounds(0, 1) != 0; i++) {
    const chain_def def = {radii[i / 3], 24, 12, 20, angles[i % 3], 0, 600};
    run_chain(&def, &r);
  }
}

/* --- knots in a bowl --- */

enum { BOWL_SECTORS = 16, BOWL_RINGS = 9, CURVED_RINGS = 5 };
static const float bowl_radius = 1.5f; /* around the origin, below; above it a wall goes up */

static mo_vec3 bowl_vertex(int ring, int sector) {
  const float polar =
      1.5707963f * (float)(ring < CURVED_RINGS ? ring : CURVED_RINGS) / CURVED_RINGS;
  const float out = bowl_radius * steady_sine(polar),
              angle = 6.2831853f / BOWL_SECTORS * (float)sector;
  const float wall = 0.6f * (float)(ring > CURVED_RINGS ? ring - CURVED_RINGS : 0);
  return mo_vec(out * steady_cosine(angle), wall - bowl_radius * steady_cosine(polar),
                out * steady_sine(angle));
}

/* Open above. */
static test_mesh bowl_mesh(void) {
  test_mesh mesh = {0};
  test_mesh_add_vertex(&mesh, 0, -bowl_radius, 0);
  for (int ring = 1; ring <= BOWL_RINGS; ring++) {
    for (int sector = 0; sector < BOWL_SECTORS; sector++) {
      mo_vec3 p = bowl_vertex(ring, sector);
      test_mesh_add_vertex(&mesh, p.x, p.y, p.z);
    }
  }
  for (uint32_t sector = 0; sector < BOWL_SECTORS; sector++) {
    uint32_t next = (sector + 1) % BOWL_SECTORS;
    test_mesh_add_triangle(&mesh, 0, 1 + sector, 1 + next);
    for (uint32_t i = 0; i + 1 < BOWL_RINGS; i++) {
      uint32_t low = 1 + i * BOWL_SECTORS, high = low + BOWL_SECTORS;
      test_mesh_add_triangle(&mesh, low + sector, high + sector, high + next);
      test_mesh_add_triangle(&mesh, low + sector, high + next, low + next);
    }
  }
  return mesh;
}

/* Whether all vertices of a body are in the bowl, or no farther out than a part of its radius. Its
 * own vertices are on a sphere and a cylinder, its triangles inside. */
static bool is_in_bowl(const body *b, const test_mesh *mesh, float part) {
  mo_transform map = place_of(b);
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mo_vec3 p = mo_transform_point(&map, mesh->positions[i]), out = {p.x, fminf(p.y, 0), p.z};
    if (mo_dot(out, out) > part * part * bowl_radius * bowl_radius) {
      return false;
    }
  }
  return true;
}

/* No faster than a tenth of its thickness in a step, so that contacts are found in time. */
static void limit_speed(body *b, float thickness) {
  const float max = 0.1f * 60 * thickness,
              now = sqrtf(mo_dot(b->velocity.linear, b->velocity.linear));
  b->velocity.linear = mo_scale(now > max ? max / now : 1, b->velocity.linear);
}

/* Above those that are there, as low as it is free. */
static void place_knot(tubes *knots, const test_mesh *mesh, body *b, rng *r) {
  const uint32_t i = knots->count++;
  b->rotation = rng_rotation(r);
  b->position = mo_vec(rng_float(r, -0.3f, 0.3f), -1, rng_float(r, -0.3f, 0.3f));
  bool is_free = false;
  while (!is_free) {
    b->position.y += 0.05f;
    mo_transform map = place_of(b);
    knots->lines[i] = tube_center_line(&knots->t, &map);
    is_free = is_in_bowl(b, mesh, 0.95f);
    for (uint32_t k = 0; k < i && is_free; k++) {
      is_free =
          linking_number(&knots->lines[i], &knots->lines[k]) == 0 &&
          center_line_distance(&knots->lines[i], &knots->lines[k]) > 2 * (ldouble)knots->t.radius;
    }
  }
}

static void drop_knots(float radius, uint32_t count, uint32_t rings, uint32_t sides, uint64_t steps,
                       rng *r) {
  static tubes knots;
  begin_with_friction(0.5f);
  test_mesh bowl = bowl_mesh();
  mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
  def.geometry.mesh = mesh_with_edges(&bowl);
  add_body(scene, def, 0, 0);
  mo_mesh_release(def.geometry.mesh);

  knots = (tubes){
      .t = tube_of_trefoil(1.2f, radius, rings, sides), .first = 1, .min_distance = INFINITY};
  test_mesh mesh = tube_mesh(&knots.t), copy = tube_mesh(&knots.t);
  def.geometry.mesh = mesh_with_edges(&copy);
  for (uint32_t i = 0; i < count; i++) {
    place_knot(&knots, &mesh, add_body(scene, def, 1, 0.12f), r);
  }
  mo_mesh_release(def.geometry.mesh);
  const double start = find_energy();
  double gained = 0;
  for (uint64_t i = 0; i < steps; i++) {
    if (i % 5 == 0) {
      expect_linked(&knots, false, 0.15L * (ldouble)knots.t.radius, i);
      for (uint32_t k = 1; k < body_count; k++) {
        cr_assert(is_in_bowl(&bodies[k], &mesh, 1.01f), "step %d: knot %u has got out", (int)i, k);
      }
    }
    step(scene, tracker);
    for (uint32_t k = 1; k < body_count; k++) {
      limit_speed(&bodies[k], 2 * knots.t.radius);
    }
    gained = fmax(gained, find_energy() - start);
  }
  const double kinetic = find_kinetic_energy();
  fprintf(stderr, "%u knots of radius %g: %Lg apart, %g J gained, %g J left\n", count,
          (double)knots.t.radius, knots.min_distance, gained, kinetic);
  cr_assert(gained < 0.1, "%g J", gained);
  cr_assert(steps < 300 || kinetic < 0.1 * count, "%g J", kinetic);
  test_mesh_free(&mesh);
  end();
}

Test(interlocked, knots_come_to_rest_in_a_bowl) {
  rng r = rng_make(rng_seed("contact/interlocked/knots", 3514));
  drop_knots(0.1f, 5, 30, 6, rng_few_rounds(300, 600), &r);
  for (uint64_t rounds = rng_rounds(0, 60); rounds-- > 0;) {
    drop_knots(rng_float(&r, 0.06f, 0.13f), 3 + rng_below(&r, 8), 40, 8, 600, &r);
  }
}
