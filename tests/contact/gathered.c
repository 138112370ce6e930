/* The triangles that are gathered near a body, and on which sides of triangles points are, against
 * distances in long double. */
#include <criterion/criterion.h>

#include "contact/surface/gathered.h"
#include "oracle/surface.h"
#include "support/rng.h"

enum { TRIANGLES = 64 };

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

/* A ball, a capsule or a box, placed in the world. */
typedef struct placed_body {
  mo_solid solid;
  mo_transform map; /* a rotation, then a translation */
  mo_contact_body body;
  mo_dvec3 reference;
} placed_body;

static void place_body(rng *r, const ground *g, placed_body *b) {
  const mo_dvec3 half = {(double)rng_float(r, 0.01f, 1.0f), (double)rng_float(r, 0.01f, 1.0f),
                         (double)rng_float(r, 0.01f, 1.0f)};
  const mo_vec3 end = mo_narrow(half);
  switch (rng_below(r, 3)) {
  case 0:
    b->solid = (mo_solid){.kind = MO_SOLID_SPHERE, .radius = half.x};
    break;
  case 1:
    b->solid = (mo_solid){.kind = MO_SOLID_CAPSULE,
                          .a = mo_widen(mo_scale(-1.0f, end)),
                          .b = mo_widen(end),
                          .radius = (double)rng_float(r, 0.01f, 0.5f)};
    break;
  default:
    b->solid = (mo_solid){.kind = MO_SOLID_BOX, .b = mo_widen(end)};
    break;
  }
  b->reference = random_place(r, g);
  b->map = rng_transform(r, RNG_RIGID, 0.0f);
  b->map.origin = mo_narrow(b->reference);
  mo_contact_body_of_solid(&b->body, &b->solid, &b->map, b->reference);
}

/* The distance of a triangle from a ball or capsule. */
static ldouble distance_from_round(const placed_body *b, const ldvec t[3]) {
  const ldvec a = mapped(&b->map, ld_double(b->solid.a)),
              c = mapped(&b->map, ld_double(b->solid.b));
  return fmaxl(distance_of(t, a, c) - (ldouble)b->solid.radius, 0);
}

/* The distance of a point from a box. */
static ldouble distance_from_box(const placed_body *b, ldvec point) {
  const mo_vec3 axes[3] = {b->map.x_axis, b->map.y_axis, b->map.z_axis};
  const ldouble half[3] = {b->solid.b.x, b->solid.b.y, b->solid.b.z};
  const ldvec from = ld_sub(point, ld_float(b->map.origin));
  ldouble squares = 0;
  for (int i = 0; i < 3; i++) {
    const ldouble beyond = fmaxl(fabsl(ld_dot(from, ld_float(axes[i]))) - half[i], 0);
    squares += beyond * beyond;
  }
  return sqrtl(squares);
}

/* At least the distance of a triangle from the body: of a box, that of the nearest of some points
 * of the triangle. */
static ldouble distance_from_body(rng *r, const placed_body *b, const ldvec t[3]) {
  if (b->solid.kind != MO_SOLID_BOX) {
    return distance_from_round(b, t);
  }
  ldouble nearest = INFINITY;
  for (int i = 0; i < 24; i++) {
    const ldouble u = (ldouble)rng_float(r, 0.0f, 1.0f),
                  v = (ldouble)rng_float(r, 0.0f, 1.0f) * (1 - u);
    const ldvec point =
        ld_add(t[0], ld_add(ld_scale(u, ld_sub(t[1], t[0])), ld_scale(v, ld_sub(t[2], t[0]))));
    nearest = fminl(nearest, distance_from_box(b, point));
  }
  return nearest;
}

/* Whether a box along the axes of the body, some way larger than it, is apart from a triangle. */
static bool is_clearly_apart(const placed_body *b, const ldvec t[3], ldouble by) {
  const mo_vec3 axes[3] = {b->map.x_axis, b->map.y_axis, b->map.z_axis};
  const ldouble half[3] = {b->solid.b.x, b->solid.b.y, b->solid.b.z};
  for (int i = 0; i < 3; i++) {
    ldouble low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; k++) {
      const ldouble at = ld_dot(ld_sub(t[k], ld_float(b->map.origin)), ld_float(axes[i]));
      low = fminl(low, at);
      high = fmaxl(high, at);
    }
    if (low > half[i] + by || high < -half[i] - by) {
      return true;
    }
  }
  return false;
}

static bool is_gathered(const mo_gathered_triangles *gathered, uint32_t triangle) {
  bool found = false;
  for (uint32_t i = 0; i < gathered->count; i++) {
    found = found || gathered->items[i].index == triangle;
  }
  return found;
}

/* All triangles within the distance of contacts are gathered, and of a ball, a capsule or a box no
 * others, but for its roundings and tolerances. */
Test(contact_gathered, triangles_near_a_body_are_gathered) {
  rng r = rng_make(rng_seed("contact gathered, near", 611));
  const uint64_t rounds = rng_rounds(300, 30000);
  uint64_t near = 0, far = 0;
  mo_gathered_triangles *gathered = malloc(sizeof *gathered);
  cr_assert(gathered != NULL);
  for (uint64_t i = 0; i < rounds; i++) {
    ground g;
    placed_body b;
    mo_query_stats stats = {0};
    mo_sheet_sides sides;
    make_ground(&r, &g);
    place_body(&r, &g, &b);
    g.surface.max = (double)rng_float(&r, 0.0f, 0.5f);
    g.surface.stats = &stats;
    const ldouble max = (ldouble)g.surface.max, size = (ldouble)(b.body.size + b.body.ball_radius);
    const mo_aabb everything = {{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};
    const mo_surface_body on = {.body = &b.body,
                                .reference = b.reference,
                                .region = {.kind = MO_REGION_BOX, .box = everything},
                                .sides = &sides};
    for (int isa = 0; isa < MO_ISA_COUNT; isa++) {
      if (mo_isa_resolve((mo_isa)isa, &g.surface.isa) != MO_OK || g.surface.isa != (mo_isa)isa) {
        continue;
      }
      mo_sheet_sides_begin(&sides, mo_dadd(b.reference, b.body.center), &on.region, true);
      mo_gather_triangles(gathered, &g.surface, &on, 0);
      for (uint32_t t = 0; t < TRIANGLES; t++) {
        const ldouble distance = distance_from_body(&r, &b, g.corner[t]);
        const ldouble beyond = max + 0.002L * size + 1e-3L;
        const bool is_far = b.solid.kind == MO_SOLID_BOX ? is_clearly_apart(&b, g.corner[t], beyond)
                                                         : distance > beyond;
        near += distance <= max;
        far += is_far;
        cr_assert(distance > max || is_gathered(gathered, t),
                  "round %llu, triangle %u: %Lg is within %Lg", (unsigned long long)i, t, distance,
                  max);
        cr_assert(!is_far || !is_gathered(gathered, t), "round %llu, triangle %u: %Lg, not %Lg",
                  (unsigned long long)i, t, distance, max);
      }
    }
    mo_mesh_release(g.mesh);
  }
  free(gathered);
  cr_assert(near > rounds && far > rounds, "%llu near, %llu far", (unsigned long long)near,
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
