/* Contacts of two tubes as meshes with `edges`, which may go through each other: their sides
 * and depths against those of the centre lines. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "contact/contacts.h"
#include "contact/tubes.h"
#include "support/scenes.h"

static const float circle_radius = 0.5f;

static ldvec nearest_on_line(const center_line *line, ldvec p) {
  nearest_pair best = {.distance = INFINITY};
  for (uint32_t i = 0; i < line->count; i++) {
    take_nearer(&best, p, nearest_on_segment(line->at[i], line->at[(i + 1) % line->count], p));
  }
  return best.b;
}

typedef struct two_tubes {
  tube t;
  mo_mesh *mesh;
  mo_transform place[2];
  center_line lines[2];
} two_tubes;

static ldouble place_second(two_tubes *two, mo_vec3 origin) {
  two->place[1].origin = origin;
  two->lines[1] = tube_center_line(&two->t, &two->place[1]);
  return center_line_distance(&two->lines[0], &two->lines[1]);
}

/* Two tubes whose centre lines are `distance` apart, linked as told. */
static bool pose_tubes(two_tubes *two, bool linked, ldouble distance, rng *r) {
  const float reach = 2 * circle_radius;
  two->place[0] = mo_transform_make(mo_vec(0, 0, 0), rng_rotation(r), mo_vec(1, 1, 1));
  two->place[1] = mo_transform_make(mo_vec(0, 0, 0), rng_rotation(r), mo_vec(1, 1, 1));
  two->lines[0] = tube_center_line(&two->t, &two->place[0]);
  const mo_vec3 way = rng_direction(r);
  const mo_vec3 through = two->t.center[rng_below(r, two->t.rings)];
  mo_vec3 origin = rng_vec3(r, -reach, reach);
  if (linked) { /* the second goes through the middle of the first */
    origin = mo_sub(mo_scale(0.1f, origin), mo_transform_point(&two->place[1], through));
  }
  ldouble gap = place_second(two, origin) - distance;
  if (gap < 0 || (linking_number(&two->lines[0], &two->lines[1]) != 0) != linked) {
    return false;
  }
  for (int i = 0; i < 100 && gap > 1e-5L; i++) { /* never farther than the lines are apart */
    origin = mo_add(origin, mo_scale((float)gap, way));
    gap = place_second(two, origin) - distance;
  }
  return gap <= 1e-5L;
}

typedef struct census {
  uint32_t poses, wrong_sides, too_deep, missing, examples;
} census;

static void print_pose(const two_tubes *two, const char *what) {
  fprintf(stderr, "%s: tube of radius %g, %u rings of %u;", what, (double)two->t.radius,
          two->t.rings, two->t.sides);
  for (int i = 0; i < 2; i++) {
    const float *m = &two->place[i].x_axis.x;
    fprintf(stderr, " transform %d:", i);
    for (int k = 0; k < 12; k++) {
      fprintf(stderr, " %a", (double)m[k]);
    }
  }
  fprintf(stderr, "\n");
}

/* Where two tubes overlap, normals lead from the centre line of the first to that of the second,
 * and nothing is much deeper than the centre lines say. */
static void judge_contacts(const two_tubes *two, ldouble distance, census *n) {
  enum { MAX_CONTACTS = 1024 };
  static mo_contact contacts[MAX_CONTACTS];
  mo_collide_def def = mo_default_collide_def();
  uint32_t total;
  mo_scene *scene = test_scene_empty();
  mo_pair pair;
  for (int i = 0; i < 2; i++) {
    mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH);
    shape.geometry.mesh = two->mesh;
    shape.transform = two->place[i];
    cr_assert_eq(mo_scene_add_shape(scene, &shape, i == 0 ? &pair.a : &pair.b), MO_OK);
  }
  cr_assert_eq(mo_scene_collide_pair(scene, &pair, &def, contacts, MAX_CONTACTS, &total), MO_OK);
  cr_assert_leq(total, MAX_CONTACTS);
  const ldouble depth = 2 * (ldouble)two->t.radius - distance;
  uint32_t wrong = 0, deep = 0, touching = 0;
  for (uint32_t i = 0; i < total; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    for (uint32_t k = 0; k < m->point_count; k++) {
      const mo_manifold_point *p = &m->points[k];
      ldvec at = ld_float(p->position);
      ldvec between =
          ld_sub(nearest_on_line(&two->lines[1], at), nearest_on_line(&two->lines[0], at));
      touching += p->separation < 0;
      wrong += p->separation < -1e-4f && ld_dot(ld_float(m->normal), between) <= 0;
      deep += -(ldouble)p->separation > depth + 0.1L * (ldouble)two->t.radius;
    }
  }
  bool missing = touching == 0 && distance < touching_distance(&two->t) - 1e-4L;
  if ((wrong > 0 || deep > 0 || missing) && n->examples++ < 3) {
    print_pose(two, wrong > 0 ? "wrong side" : deep > 0 ? "too deep" : "no contact");
  }
  n->poses++;
  n->wrong_sides += wrong > 0;
  n->too_deep += deep > 0;
  n->missing += missing;
  mo_scene_destroy(scene);
}

Test(tubes, contacts_lead_from_line_to_line) {
  const uint64_t seed = rng_seed("contact/tubes", 3501), rounds = rng_few_rounds(24, 4000);
  for (int kind = 0; kind < 6; kind++) {
    const float radius = kind % 3 == 0 ? 0.08f : kind % 3 == 1 ? 0.12f : 0.16f;
    two_tubes two = {.t = tube_of_circle(circle_radius, radius, 12, 8)};
    test_mesh mesh = tube_mesh(&two.t);
    two.mesh = mesh_with_edges(&mesh);
    census n = {0};
    for (uint64_t round = 0; round < rounds; round++) {
      rng r = rng_make(seed + 1000 * round + (uint64_t)kind);
      const ldouble distance = (ldouble)(radius * rng_float(&r, 1.6f, 2));
      while (!pose_tubes(&two, kind < 3, distance, &r)) {
      }
      judge_contacts(&two, distance, &n);
    }
    fprintf(stderr,
            "%s, radius %g: %u poses, %u on wrong sides, %u too deep, %u without contacts\n",
            kind < 3 ? "linked" : "not linked", (double)radius, n.poses, n.wrong_sides, n.too_deep,
            n.missing);
    cr_expect_eq(n.wrong_sides + n.too_deep + n.missing, 0);
    mo_mesh_release(two.mesh);
  }
}
