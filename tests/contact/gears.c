/* Two gears on fixed axes, as meshes with `edges`: one is driven, ahead and back again, and the
 * other follows by contacts alone, at their ratio. Their phase stays within the backlash that they
 * were made with, and no tooth is in another one. */
#include <criterion/criterion.h>
#include <motte/motte.h>
#include <stdio.h>

#include "contact/contacts.h"
#include "contact/tubes.h"
#include "support/scenes.h"
#include "support/steady.h"

enum { PROFILE_POINTS = 4, MAX_TEETH = 40, MAX_OUTLINE = 2 * (PROFILE_POINTS + 1) * MAX_TEETH };
static const double half_turn = 3.14159265358979323846, pressure_angle = 0.436332313, module = 0.1,
                    backlash = 0.02, half_width = 0.1;

/* Its outline in its own plane z = 0, around the origin; a tooth points along x. */
typedef struct gear {
  int teeth;
  double pitch_radius;
  int count;
  double outline[MAX_OUTLINE][2];
} gear;

static double involute(double angle) {
  return tan(angle) - angle;
}

/* Half of the angle that a tooth takes at a radius; below the base circle, that on it. */
static double half_tooth(const gear *g, double radius) {
  const double base = g->pitch_radius * cos(pressure_angle),
               at_pitch = (half_turn * module - backlash) / (4 * g->pitch_radius);
  return at_pitch + involute(pressure_angle) - involute(acos(fmin(1, base / radius)));
}

static void add_point(gear *g, double radius, double angle) {
  g->outline[g->count][0] = radius * cos(angle);
  g->outline[g->count++][1] = radius * sin(angle);
}

/* Flanks are involutes of a circle (Euler), so that the ratio is the same at all times. */
static gear gear_make(int teeth) {
  gear g = {.teeth = teeth, .pitch_radius = 0.5 * module * teeth};
  const double base = g.pitch_radius * cos(pressure_angle), root = g.pitch_radius - 1.3 * module,
               low = fmax(base, root), high = g.pitch_radius + module;
  for (int tooth = 0; tooth < teeth; tooth++) {
    const double middle = 2 * half_turn * tooth / teeth;
    add_point(&g, root, middle - half_tooth(&g, low));
    for (int i = 0; i < 2 * PROFILE_POINTS; i++) { /* up one flank and down the other */
      const bool is_first = i < PROFILE_POINTS;
      const int point = is_first ? i : 2 * PROFILE_POINTS - 1 - i;
      const double radius = low + (high - low) * point / (PROFILE_POINTS - 1),
                   half = half_tooth(&g, radius);
      add_point(&g, radius, middle + (is_first ? -half : half));
    }
    add_point(&g, root, middle + half_tooth(&g, low));
  }
  return g;
}

static mo_mesh *gear_mesh(const gear *g) {
  test_mesh mesh = {.closed = true};
  const uint32_t n = (uint32_t)g->count;
  for (int side = 0; side < 2; side++) {
    const float z = (float)(side == 0 ? -half_width : half_width);
    for (uint32_t i = 0; i < n; i++) {
      test_mesh_add_vertex(&mesh, (float)g->outline[i][0], (float)g->outline[i][1], z);
    }
  }
  const uint32_t lower = test_mesh_add_vertex(&mesh, 0, 0, (float)-half_width),
                 upper = test_mesh_add_vertex(&mesh, 0, 0, (float)half_width);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t next = (i + 1) % n;
    test_mesh_add_triangle(&mesh, lower, next, i);
    test_mesh_add_triangle(&mesh, upper, n + i, n + next);
    test_mesh_add_triangle(&mesh, i, next, n + next);
    test_mesh_add_triangle(&mesh, i, n + next, n + i);
  }
  return mesh_with_edges(&mesh);
}

/* --- the judge --- */

/* A point of the plane of both gears, as seen from one that is turned around `center`. */
static void see_from(double out[2], const double p[2], double center, double angle) {
  const double x = p[0] - center, y = p[1];
  out[0] = cos(angle) * x + sin(angle) * y;
  out[1] = cos(angle) * y - sin(angle) * x;
}

/* How far a point is inside of an outline; 0 outside. */
static double depth_in(const gear *g, const double p[2]) {
  bool inside = false;
  double nearest = INFINITY;
  for (int i = 0; i < g->count; i++) {
    const double *a = g->outline[i], *b = g->outline[(i + 1) % g->count];
    const double ex = b[0] - a[0], ey = b[1] - a[1], px = p[0] - a[0], py = p[1] - a[1];
    const double part = fmax(0, fmin(1, (px * ex + py * ey) / (ex * ex + ey * ey)));
    nearest = fmin(nearest, hypot(px - part * ex, py - part * ey));
    if ((a[1] > p[1]) != (b[1] > p[1]) && px < py * ex / ey) {
      inside = !inside;
    }
  }
  return inside ? nearest : 0;
}

typedef struct drive {
  gear gears[2];
  double center[2], angle[2], speed[2]; /* along x; radians, and per second */
} drive;

/* How deep any corner of one outline is in the other. */
static double find_depth(const drive *d) {
  double deepest = 0;
  for (int side = 0; side < 2; side++) {
    const gear *own = &d->gears[side], *other = &d->gears[1 - side];
    for (int i = 0; i < own->count; i++) {
      double p[2], seen[2], world[2] = {0, 0};
      see_from(p, own->outline[i], 0, -d->angle[side]);
      world[0] = p[0] + d->center[side];
      world[1] = p[1];
      see_from(seen, world, d->center[1 - side], d->angle[1 - side]);
      if (hypot(seen[0], seen[1]) < other->pitch_radius + module) {
        deepest = fmax(deepest, depth_in(other, seen));
      }
    }
  }
  return deepest;
}

/* How far the second gear is ahead of the ratio, as a length on the pitch circles. */
static double find_lead(const drive *d) {
  const double start = half_turn / d->gears[1].teeth * (1 - d->gears[1].teeth % 2);
  return (d->angle[1] - start) * d->gears[1].pitch_radius + d->angle[0] * d->gears[0].pitch_radius;
}

/* --- the solver --- */

enum { SUBSTEPS = 8, PASSES = 3 };
static const double dt = 1.0 / (60 * SUBSTEPS), allowed_penetration = 0.002;

/* The speed along a normal that a gear gives a point, per radian of its own. */
static double arm_of(mo_vec3 axis, mo_vec3 anchor, mo_vec3 normal) {
  return (double)mo_dot(mo_cross(axis, anchor), normal);
}

/* The first gear turns as it is driven. Contacts push the second, which a brake slows down; those
 * that push nearly towards or along its axis are borne by that. */
static void solve(drive *d, const mo_contact_events *found, mo_vec3 axis, const mo_shape_id *ids) {
  const double min_arm = 0.3 * d->gears[1].pitch_radius;
  double moved[2] = {0, 0};
  for (int substep = 0; substep < SUBSTEPS; substep++) {
    d->speed[1] *= 1 - 4 * dt;
    for (int pass = 0; pass < PASSES; pass++) {
      for (uint32_t i = 0; i < found->contact_count; i++) {
        const mo_contact *c = &found->contacts[i].contact;
        const mo_manifold *m = &c->manifold;
        const bool flipped = c->a.index != ids[0].index;
        const mo_vec3 normal = mo_scale(flipped ? -1 : 1, m->normal);
        for (uint32_t k = 0; k < m->point_count; k++) {
          const mo_manifold_point *p = &m->points[k];
          const double arm[2] = {arm_of(axis, flipped ? p->anchor_b : p->anchor_a, normal),
                                 arm_of(axis, flipped ? p->anchor_a : p->anchor_b, normal)};
          const double gap = (double)p->separation + arm[1] * moved[1] - arm[0] * moved[0];
          const double wanted =
              gap > 0 ? -gap / dt : fmin(1, 0.2 / dt * fmax(0, -gap - allowed_penetration));
          if (fabs(arm[1]) > min_arm) { /* they separate at the wanted speed, or faster */
            d->speed[1] += fmax(0, wanted - arm[1] * d->speed[1] + arm[0] * d->speed[0]) / arm[1];
          }
        }
      }
    }
    for (int i = 0; i < 2; i++) {
      moved[i] += dt * d->speed[i];
      d->angle[i] += dt * d->speed[i];
    }
  }
}

static void run_gears(int teeth, int other_teeth, double speed, uint64_t steps, rng *r) {
  static drive d;
  d = (drive){.gears = {gear_make(teeth), gear_make(other_teeth)}};
  d.center[1] = d.gears[0].pitch_radius + d.gears[1].pitch_radius;
  d.angle[1] = half_turn / other_teeth * (1 - other_teeth % 2); /* a gap towards the first */
  cr_assert(find_depth(&d) == 0, "%g deep at the start", find_depth(&d));

  const mo_transform world = mo_transform_make(mo_vec(0, 0, 0), rng_rotation(r), mo_vec(1, 1, 1));
  mo_scene_def scene_def = mo_default_scene_def();
  scene_def.margin = MO_CONTACT_MARGIN;
  mo_scene *scene;
  mo_contact_tracker *tracker;
  mo_shape_id ids[2];
  cr_assert_eq(mo_scene_create(&scene_def, &scene), MO_OK);
  cr_assert_eq(mo_contact_tracker_create(scene, NULL, &tracker), MO_OK);
  for (int i = 0; i < 2; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = gear_mesh(&d.gears[i]);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
    mo_mesh_release(def.geometry.mesh);
  }
  double lead[2] = {0, 0} /* min and max */, deepest = 0;
  for (uint64_t step = 0; step < steps; step++) {
    d.speed[0] = speed * cos(half_turn * (double)step / (double)steps);
    for (int i = 0; i < 2; i++) {
      const float c = (float)cos(d.angle[i]), s = (float)sin(d.angle[i]);
      mo_transform place = world;
      place.x_axis = mo_add(mo_scale(c, world.x_axis), mo_scale(s, world.y_axis));
      place.y_axis = mo_sub(mo_scale(c, world.y_axis), mo_scale(s, world.x_axis));
      place.origin = mo_scale((float)d.center[i], world.x_axis);
      cr_assert_eq(mo_scene_set_transform(scene, ids[i], &place), MO_OK);
    }
    mo_contact_events found;
    cr_assert_eq(mo_scene_update(scene, NULL), MO_OK);
    cr_assert_eq(mo_contact_tracker_update(tracker, &found), MO_OK);
    solve(&d, &found, world.z_axis, ids);
    lead[0] = fmin(lead[0], find_lead(&d));
    lead[1] = fmax(lead[1], find_lead(&d));
    deepest = fmax(deepest, find_depth(&d));
  }
  fprintf(stderr, "%d teeth drive %d: from %g to %g ahead of the ratio, %g deep\n", teeth,
          other_teeth, lead[0], lead[1], deepest);
  const double max = 0.8 * backlash; /* flanks of three parts add to half of it */
  cr_assert(lead[0] > -max && lead[1] < max, "%g to %g ahead", lead[0], lead[1]);
  cr_assert(steps < 100 || (lead[0] < -0.3 * backlash && lead[1] > 0.3 * backlash));
  cr_assert(deepest < 2 * allowed_penetration, "%g deep", deepest);
  mo_contact_tracker_destroy(tracker);
  mo_scene_destroy(scene);
}

Test(gears, turn_at_their_ratio) {
  rng r = rng_make(rng_seed("contact/gears", 3521));
  run_gears(12, 18, 1, rng_few_rounds(240, 1200), &r);
  for (uint64_t rounds = rng_rounds(0, 40); rounds-- > 0;) {
    const int teeth = 12 + (int)rng_below(&r, 20), other = 12 + (int)rng_below(&r, 20);
    run_gears(teeth, other, (double)rng_float(&r, 0.2f, 2), 600, &r);
  }
}

/* Teeth that are a little in each other, of gears of one width, whose ends are in one plane, or of
 * two: no contact is more than twice as deep as they are, and least of all along the axes. */
static void expect_shallow_contacts(drive *d, float width, rng *r) {
  enum { MAX_CONTACTS = 4096 };
  static mo_contact contacts[MAX_CONTACTS];
  mo_scene *scene = test_scene_empty();
  mo_shape_id ids[2];
  for (int i = 0; i < 2; i++) {
    mo_shape_def def = mo_default_shape_def(MO_SHAPE_MESH);
    def.geometry.mesh = gear_mesh(&d->gears[i]);
    cr_assert_eq(mo_scene_add_shape(scene, &def, &ids[i]), MO_OK);
    mo_mesh_release(def.geometry.mesh);
  }
  const mo_pair pair = {ids[0], ids[1]};
  const mo_collide_def def = mo_default_collide_def();
  const double ratio = d->gears[0].pitch_radius / d->gears[1].pitch_radius;
  for (uint64_t left = rng_few_rounds(80, 4000); left > 0;) {
    d->angle[0] = (double)rng_float(r, 0, 6.2831853f);
    d->angle[1] = half_turn / d->gears[1].teeth * (1 - d->gears[1].teeth % 2) -
                  d->angle[0] * ratio + (double)rng_float(r, -0.03f, 0.03f);
    const double depth = find_depth(d);
    if (depth < 0.0003 || depth > 0.003) {
      continue;
    }
    left--;
    for (int i = 0; i < 2; i++) {
      const float half = (float)(0.5 * d->angle[i]);
      const mo_transform place =
          mo_transform_make(mo_vec((float)d->center[i], 0, 0),
                            (mo_quat){0, 0, steady_sine(half), steady_cosine(half)},
                            mo_vec(1, 1, i == 0 ? 1 : width));
      cr_assert_eq(mo_scene_set_transform(scene, ids[i], &place), MO_OK);
    }
    uint32_t count;
    double deepest = 0;
    cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, contacts, MAX_CONTACTS, &count), MO_OK);
    cr_assert(count > 0 && count <= MAX_CONTACTS);
    for (uint32_t i = 0; i < count; i++) {
      const mo_manifold *m = &contacts[i].manifold;
      for (uint32_t k = 0; k < m->point_count; k++) {
        const double own = -(double)m->points[k].separation;
        cr_assert(own <= 2 * depth + 0.0005,
                  "turned by %.9g and %.9g: %g deep, not %g, along %g %g %g", d->angle[0],
                  d->angle[1], own, depth, (double)m->normal.x, (double)m->normal.y,
                  (double)m->normal.z);
        deepest = fabsf(m->normal.z) < 0.1f ? fmax(deepest, own) : deepest;
      }
    }
    cr_assert(deepest > 0.3 * depth, "turned by %.9g and %.9g: %g deep, not %g", d->angle[0],
              d->angle[1], deepest, depth);
  }
  mo_scene_destroy(scene);
}

Test(gears, contacts_are_as_deep_as_their_teeth) {
  static drive d;
  rng r = rng_make(rng_seed("contact/gears/depths", 3522));
  d = (drive){.gears = {gear_make(12), gear_make(18)}};
  d.center[1] = d.gears[0].pitch_radius + d.gears[1].pitch_radius;
  expect_shallow_contacts(&d, 1, &r);
  expect_shallow_contacts(&d, 0.8f, &r);
  expect_shallow_contacts(&d, 1.25f, &r);
}
