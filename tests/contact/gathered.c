/* The tests of triangles near a body, four at a time, against distances in long double. */
#include <criterion/criterion.h>

#include "contact/surface/gathered.h"
#include "oracle/surface.h"
#include "support/rng.h"

enum { TRIANGLES = 64 };

static uint32_t (*const find_beyond[MO_ISA_COUNT])(const mo_surface *, const uint32_t[4],
                                                   const mo_gather_culling_extents *) =
    MO_ISA_TABLE(mo_triangles_beyond);
static uint32_t (*const find_sides[MO_ISA_COUNT])(const mo_surface *, const uint32_t[4],
                                                  mo_dvec3) = MO_ISA_TABLE(mo_triangles_sides);

/* Loose triangles under a map. */
typedef struct ground {
  mo_mesh *mesh;
  mo_affine affine;
  mo_surface surface;
  ldvec corner[TRIANGLES][3]; /* world */
} ground;

/* Triangles of all sizes; some are slivers, some degenerate. */
static void make_ground(rng *r, ground *g) {
  float positions[3 * TRIANGLES][3];
  uint32_t indices[TRIANGLES][3];
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    const mo_vec3 middle = rng_vec3(r, -2.0f, 2.0f);
    const float size = rng_float(r, 0.01f, 1.5f), thin = rng_chance(r, 0.2) ? 1e-4f : 1.0f;
    for (uint32_t k = 0; k < 3; k++) {
      const mo_vec3 out = rng_vec3(r, -size, size);
      indices[i][k] = 3 * i + k;
      positions[3 * i + k][0] = middle.x + out.x;
      positions[3 * i + k][1] = middle.y + thin * out.y;
      positions[3 * i + k][2] = middle.z + thin * out.z;
    }
    if (rng_chance(r, 0.05)) {
      memcpy(positions[3 * i], positions[3 * i + 1], sizeof positions[0]);
    }
  }
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = (const float(*)[3])positions;
  def.vertex_count = 3 * TRIANGLES;
  def.indices = (const uint32_t(*)[3])indices;
  def.triangle_count = TRIANGLES;
  cr_assert_eq(mo_mesh_create(&def, &g->mesh), MO_OK);
  const mo_transform map = {rng_vec3(r, -1.0f, 1.0f), rng_vec3(r, -1.0f, 1.0f),
                            rng_vec3(r, -1.0f, 1.0f), rng_vec3(r, -100.0f, 100.0f)};
  cr_assert_eq(mo_affine_init(&g->affine, &map), MO_OK);
  g->surface =
      (mo_surface){.mesh = g->mesh,
                   .affine = &g->affine,
                   .column = {mo_widen(map.x_axis), mo_widen(map.y_axis), mo_widen(map.z_axis)}};
  for (uint32_t i = 0; i < TRIANGLES; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      const float *p = positions[3 * i + k];
      g->corner[i][k] = mapped(&map, ld_float((mo_vec3){p[0], p[1], p[2]}));
    }
  }
}

static ldvec ld_double(mo_dvec3 v) {
  return (ldvec){v.x, v.y, v.z};
}

static ldouble distance_of(const ldvec t[3], ldvec a, ldvec b) {
  nearest_pair best = {INFINITY, a, a};
  take_nearer(&best, a, nearest_on_triangle(t, a));
  take_nearer(&best, b, nearest_on_triangle(t, b));
  for (int k = 0; k < 3; k++) {
    nearest_of_segments(a, b, t[k], t[(k + 1) % 3], &best);
  }
  return segment_pierces(a, b, t) ? 0 : best.distance;
}

static mo_dvec3 random_point(rng *r, double size) {
  return mo_dscale(size, mo_widen(rng_vec3(r, -1.0f, 1.0f)));
}

/* A point of the ground and some way off it. */
static mo_dvec3 random_place(rng *r, const ground *g) {
  const ldvec c = g->corner[rng_below(r, TRIANGLES)][rng_below(r, 3)];
  return mo_dadd(mo_dvec((double)c.x, (double)c.y, (double)c.z), random_point(r, 1.0));
}

/* What is dismissed is farther than the distance; most of what is farther is dismissed. */
Test(contact_gathered, triangles_within_reach_of_a_ball_or_capsule_are_not_dismissed) {
  rng r = rng_make(rng_seed("contact gathered, beyond", 611));
  const uint64_t rounds = rng_rounds(300, 30000);
  uint64_t far = 0, dismissed = 0, near = 0;
  for (uint64_t i = 0; i < rounds; i++) {
    ground g;
    make_ground(&r, &g);
    const mo_dvec3 place = random_place(&r, &g), half = random_point(&r, (double)rng_below(&r, 2));
    const mo_gather_culling_extents e = {.reference = place,
                                         .center = random_point(&r, 0.1),
                                         .half = half,
                                         .max_distance = (double)rng_float(&r, 0.0f, 1.0f)};
    const ldvec center = ld_double(mo_dadd(place, e.center)), out = ld_double(half),
                a = ld_sub(center, out), b = ld_add(center, out);
    for (uint32_t t = 0; t < TRIANGLES; t++) {
      const uint32_t four[4] = {t, (t + 7) % TRIANGLES, (t + 11) % TRIANGLES, t};
      const ldouble distance = distance_of(g.corner[t], a, b);
      const bool is_far = distance > 1.1L * e.max_distance + 0.01L;
      near += distance <= e.max_distance;
      far += is_far;
      for (int isa = 0; isa < MO_ISA_COUNT; isa++) {
        mo_isa chosen;
        if (find_beyond[isa] == NULL || mo_isa_resolve((mo_isa)isa, &chosen) != MO_OK) {
          continue;
        }
        const uint32_t beyond = find_beyond[isa](&g.surface, four, &e);
        cr_assert((beyond & 1) == (beyond >> 3 & 1));
        cr_assert((beyond & 1) == 0 || distance > e.max_distance - 1e-9L,
                  "round %llu, triangle %u: %Lg is within %g", (unsigned long long)i, t, distance,
                  e.max_distance);
        dismissed += isa == MO_ISA_SCALAR && is_far && (beyond & 1) != 0;
      }
    }
    mo_mesh_release(g.mesh);
  }
  cr_assert(near > rounds && far > rounds, "%llu near, %llu far", (unsigned long long)near,
            (unsigned long long)far);
  cr_assert((double)dismissed > 0.95 * (double)far, "%llu of %llu", (unsigned long long)dismissed,
            (unsigned long long)far);
}

/* A side that is told is the right one, and it is told wherever the point is clearly off the plane.
 */
Test(contact_gathered, points_are_on_the_sides_of_planes_that_are_told) {
  rng r = rng_make(rng_seed("contact gathered, sides", 612));
  const uint64_t rounds = rng_rounds(300, 30000);
  for (uint64_t i = 0; i < rounds; i++) {
    ground g;
    make_ground(&r, &g);
    const mo_dvec3 place = random_place(&r, &g);
    for (uint32_t t = 0; t < TRIANGLES; t++) {
      const uint32_t four[4] = {(t + 3) % TRIANGLES, t, t, (t + 9) % TRIANGLES};
      const ldvec *c = g.corner[t], to = ld_sub(ld_double(place), c[0]),
                  n = cross_of(ld_sub(c[1], c[0]), ld_sub(c[2], c[0]));
      const ldouble height = ld_dot(n, to);
      const bool is_clear = fabsl(height) > 1e-9L * ld_norm(ld_sub(c[1], c[0])) *
                                                ld_norm(ld_sub(c[2], c[0])) * ld_norm(to);
      for (int isa = 0; isa < MO_ISA_COUNT; isa++) {
        mo_isa chosen;
        if (find_sides[isa] == NULL || mo_isa_resolve((mo_isa)isa, &chosen) != MO_OK) {
          continue;
        }
        const uint32_t sides = find_sides[isa](&g.surface, four, place);
        const bool front = sides >> 1 & 1, back = sides >> 5 & 1;
        cr_assert(!(front && height <= 0) && !(back && height >= 0), "round %llu, triangle %u: %Lg",
                  (unsigned long long)i, t, height);
        cr_assert(front || back || !is_clear, "round %llu, triangle %u: %Lg", (unsigned long long)i,
                  t, height);
      }
    }
    mo_mesh_release(g.mesh);
  }
}
