/* Bodies between two storeys that are one sheet of triangles, as in a navigation mesh: the upper
 * floor shows them its back, the lower one its front. Each pushes away from itself, however close
 * the other one is, and however small the triangles are. Judged by the heights of the body alone.
 */
#include "contact/bent_places.h"

enum { MAX_CONTACTS = 1024, KINDS = 6 };

static const body_kind kinds[KINDS] = {BODY_CAPSULE, BODY_BOX,      BODY_PLATE,
                                       BODY_HULL,    BODY_CYLINDER, BODY_ROUNDED};

static mo_contact contacts[MAX_CONTACTS];
static uint32_t contact_count;
static uint64_t seed;

/* A grid of squares between x = `from` and `to`, and z = `begin` and `end`; heights change along x.
 */
static void add_floor(test_mesh *mesh, float cell, const float x[2], const float z[2],
                      const float height[2], rng *r) {
  const int columns = (int)ceilf((x[1] - x[0]) / cell), rows = (int)ceilf((z[1] - z[0]) / cell);
  for (int i = 0; i < columns; i++) {
    for (int k = 0; k < rows; k++) {
      mo_vec3 c[4];
      for (int l = 0; l < 4; l++) {
        const float u = (float)(i + l / 2) / (float)columns,
                    v = (float)(k + (l == 1 || l == 2)) / (float)rows;
        c[l] = mo_vec(x[0] + u * (x[1] - x[0]), height[0] + u * (height[1] - height[0]),
                      z[0] + v * (z[1] - z[0]));
      }
      ground_quad(mesh, c[0], c[1], c[2], c[3], r);
    }
  }
}

/* Two floors of 3 by 2, one above the other, each with a platform at one end; and a ramp beside
 * them that joins the platforms. */
static test_mesh storeys(float cell, float height, rng *r) {
  test_mesh mesh = {0};
  const float low[2] = {0, 0}, high[2] = {height, height}, ramp[2] = {0, height};
  const float inner[2] = {-1.5f, 1.5f}, left[2] = {-2, -1.5f}, right[2] = {1.5f, 2};
  const float floor[2] = {-1, 1}, beside[2] = {1, 1.5f};
  add_floor(&mesh, cell, inner, floor, low, r);
  add_floor(&mesh, cell, left, floor, low, r);
  add_floor(&mesh, cell, left, beside, low, r);
  add_floor(&mesh, cell, inner, beside, ramp, r);
  add_floor(&mesh, cell, right, beside, high, r);
  add_floor(&mesh, cell, right, floor, high, r);
  add_floor(&mesh, cell, inner, floor, high, r);
  ground_weld(&mesh);
  return mesh;
}

/* Vertices off their heights. */
static void roughen(test_mesh *mesh, float by, rng *r) {
  for (uint32_t i = 0; i < mesh->vertex_count; i++) {
    mesh->positions[i].y += rng_float(r, -by, by);
  }
}

/* The range of heights of a body in the frame of the ground, which is rigid. */
static void heights_of(const place *at, const pose *p, ldouble *low, ldouble *high) {
  const ldvec up = ld_float(at->ground.up);
  const ldouble origin = ld_dot(up, ld_float(at->ground.map.origin));
  range_along(p->core.vertices, p->core.vertex_count, up, low, high);
  *low -= p->body.rounding + origin;
  *high += p->body.rounding - origin;
}

/* Whether the body is wholly between the floors, as seen from above. */
static bool is_between(const place *at, const pose *p) {
  bool within = true;
  for (uint32_t i = 0; i < p->outer.vertex_count; i++) {
    const ldvec v = in_ground_frame(&at->ground, p->outer.vertices[i]);
    within = within && fabsl(v.x) < 1.45L && fabsl(v.z) < 0.95L;
  }
  return within;
}

/* A body up to as high as a storey, or a little more, that reaches into the lower floor, the upper
 * one or both. Returns false if it is beside the floors, or deep in one. */
static bool place_between(const place *at, body_kind kind, float storey, mo_quat q, rng *r,
                          pose *p) {
  const float size = rng_float(r, 0.4f, 0.55f) * storey;
  p->body = bent_body_make(kind, size, r);
  const mo_quat around = turn(mo_vec(0, 1, 0), rng_float(r, 0, 6.2831853f));
  mo_quat stand = rng_chance(r, 0.5) ? product(around, turn(mo_vec(0, 0, 1), 1.5707963f)) : around;
  stand = rng_chance(r, 0.3) ? rng_rotation(r) : stand;
  p->map = mo_transform_make(mo_vec(0, 0, 0), product(q, stand), p->body.scale);
  place_at(p, ld_float(at->ground.map.origin));
  examine(at, p);
  ldouble low, high;
  heights_of(at, p, &low, &high);
  const ldouble tall = high - low, deep = p->body.thickness * power_between(r, -2.5f, -0.6f);
  const ldouble bottom = rng_chance(r, 0.5) ? -deep : storey + deep - tall;
  const float x = rng_float(r, -0.8f, 0.8f), z = rng_float(r, -0.5f, 0.5f);
  place_at(p, mapped(&at->ground.map, (ldvec){x, bottom - low, z}));
  examine(at, p);
  heights_of(at, p, &low, &high);
  return is_between(at, p) && low > -p->body.thickness / 4 && high < storey + p->body.thickness / 4;
}

/* Whether the contacts push the body away from the floors that it reaches into, and from no other.
 * Cylinders are a little larger than their polytopes, and vertices are off by `bump`. */
static bool is_pushed_away(const place *at, const pose *p, float storey, float bump) {
  ldouble low, high;
  heights_of(at, p, &low, &high);
  const ldouble slack = p->body.diameter / 50 + noise(p) + bump;
  bool up = false, down = false;
  for (uint32_t i = 0; i < contact_count; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    const ldouble push = -ld_dot(ld_float(m->normal), ld_float(at->ground.up));
    up = up || (m->touching && push > 0.01L);
    down = down || (m->touching && push < -0.01L);
  }
  const bool right_below = low < -slack ? up : low > slack ? !up : true;
  const bool right_above = high > storey + slack ? down : high < storey - slack ? !down : true;
  return right_below && right_above;
}

static void find_contacts(const place *at, const pose *p) {
  mo_collide_shape_def def = mo_default_collide_shape_def();
  def.primitive = mo_primitive_of_geometry(&p->body.geometry, &p->map);
  cr_assert_eq(
      mo_scene_collide_shape(at->scene, &def, contacts, MAX_CONTACTS, &contact_count, NULL), MO_OK);
  cr_assert_leq(contact_count, MAX_CONTACTS);
}

Test(storeys, each_floor_pushes_away_from_itself) {
  static pose p;
  uint64_t checked[KINDS] = {0}, wrong[KINDS] = {0};
  seed = rng_seed("storeys", 3501);
  rng r = rng_make(seed);
  for (uint64_t round = 0; round < rng_few_rounds(8, 150); round++) {
    ground g = {.name = "storeys"};
    const float storey = rng_float(&r, 0.4f, 0.8f);
    const mo_quat q = rng_chance(&r, 0.5) ? turn(mo_vec(0, 1, 0), 0) : rng_rotation(&r);
    g.map = mo_transform_make(rng_vec3(&r, -2, 2), q, mo_vec(1, 1, 1));
    g.map.x_axis = rng_chance(&r, 0.3) ? ground_scaled(g.map.x_axis, -1) : g.map.x_axis;
    g.up = g.map.y_axis;
    g.spacing = power_between(&r, -1.25f, -0.3f);
    g.mesh = storeys(g.spacing, storey, &r);
    const float bump = rng_chance(&r, 0.5) ? 0 : storey * power_between(&r, -3, -1.3f);
    roughen(&g.mesh, bump, &r);
    place at = place_make(g, true);
    for (int i = 0; i < 30 * KINDS; i++) {
      if (place_between(&at, kinds[i % KINDS], storey, q, &r, &p) && p.body.thickness > 4 * bump) {
        find_contacts(&at, &p);
        checked[i % KINDS]++;
        wrong[i % KINDS] += !is_pushed_away(&at, &p, storey, bump);
      }
    }
    test_mesh_free(&g.mesh);
    place_free(&at);
  }
  for (int i = 0; i < KINDS; i++) {
    fprintf(stderr, "%s: %llu between storeys, %llu pushed wrongly\n", body_kind_name(kinds[i]),
            (unsigned long long)checked[i], (unsigned long long)wrong[i]);
    cr_expect_gt(checked[i], 0);
    cr_expect_eq(wrong[i], 0, "%s", body_kind_name(kinds[i]));
  }
}
