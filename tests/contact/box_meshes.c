/* Contacts of two boxes as meshes with `edges`, judged by how deep the boxes themselves overlap:
 * none is lost, and but for few poses the deepest is about as deep, also where sides of both are in
 * one plane, and each touching contact leads a short way out. */
#include <stdio.h>

#include <motte/motte.h>

#include "contact/contacts.h"
#include "contact/flat_meshes.h"
#include "math/vector.h"
#include "support/rng.h"
#include "support/scenes.h"

/* How the second box is rotated against the first. */
typedef enum turn { ANY_TURN, NO_TURN, ABOUT_Y, SLIGHTLY, TURNS } turn;

static mo_mesh *box_mesh(mo_vec3 half, int cells) {
  test_mesh mesh = crate(half, cells);
  return build(&mesh);
}

static mo_quat rotation_of(turn how, rng *r) {
  const float angle = how == ABOUT_Y ? rng_float(r, -3, 3) : rng_float(r, -0.04f, 0.04f);
  const mo_vec3 axis = how == ABOUT_Y ? mo_vec(0, 1, 0) : rng_direction(r);
  const mo_vec3 v = mo_scale(sinf(0.5f * angle), axis);
  return how == ANY_TURN  ? rng_rotation(r)
         : how == NO_TURN ? (mo_quat){0, 0, 0, 1}
                          : (mo_quat){v.x, v.y, v.z, cosf(0.5f * angle)};
}

static double overlap_of(const mo_vec3 half[2], const mo_transform place[2]) {
  mo_primitive box[2];
  for (int i = 0; i < 2; i++) {
    const mo_geometry g = box_of(half[i].x, half[i].y, half[i].z);
    box[i] = mo_primitive_of_geometry(&g, &place[i]);
  }
  mo_primitive_penetration found;
  cr_assert_eq(mo_primitive_find_penetration(&box[0], &box[1], &found), MO_OK);
  return found.found ? found.depth : 0;
}

/* Moves the second box in a direction until the boxes overlap by a depth. */
static double move_until(const mo_vec3 half[2], mo_transform place[2], mo_vec3 direction,
                         double depth) {
  float low = 0, high = 3;
  for (int i = 0; i < 30; i++) {
    const float middle = 0.5f * (low + high);
    place[1].origin = mo_scale(middle, direction);
    *(overlap_of(half, place) > depth ? &low : &high) = middle;
  }
  return overlap_of(half, place);
}

/* What the touching contacts of two boxes are. */
typedef struct outcome {
  double deepest;
  double longest_way; /* how far a box has to be moved along some normal to be out of the other */
  uint32_t touching, stuck; /* contacts, and those whose depth along the normal is less than that */
} outcome;

/* Half the extent of a box along a normal. */
static double half_extent_along(mo_vec3 half, const mo_transform *place, mo_dvec3 n) {
  return (double)half.x * fabs(mo_ddot(n, mo_widen(place->x_axis))) +
         (double)half.y * fabs(mo_ddot(n, mo_widen(place->y_axis))) +
         (double)half.z * fabs(mo_ddot(n, mo_widen(place->z_axis)));
}

static double way_out(const mo_vec3 half[2], const mo_transform place[2], mo_dvec3 n) {
  const mo_dvec3 between = mo_dsub(mo_widen(place[1].origin), mo_widen(place[0].origin));
  return half_extent_along(half[0], &place[0], n) + half_extent_along(half[1], &place[1], n) -
         mo_ddot(n, between);
}

enum { MAX_CONTACTS = 1024 };
static mo_contact contacts[MAX_CONTACTS];

static outcome collide_boxes(const mo_vec3 half[2], mo_mesh *const mesh[2],
                             const mo_transform place[2]) {
  const uint32_t count = contacts_of_meshes(mesh, place, contacts, MAX_CONTACTS);
  outcome o = {0};
  for (uint32_t i = 0; i < count; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    const double depth = -(double)min_separation(m);
    o.deepest = fmax(o.deepest, depth);
    if (m->touching) {
      const double way = way_out(half, place, mo_widen(m->normal));
      o.longest_way = fmax(o.longest_way, way);
      o.stuck += depth < way - 0.005;
      o.touching++;
    }
  }
  return o;
}

/* As box_mesh, with triangles of any windings. */
static mo_mesh *box_mesh_of_any_windings(rng *r, mo_vec3 half, int cells) {
  test_mesh mesh = crate(half, cells);
  for (uint32_t i = 0; i < mesh.triangle_count; i++) {
    uint32_t *corner = &mesh.indices[3 * i];
    if (rng_chance(r, 0.5)) {
      const uint32_t first = corner[0];
      corner[0] = corner[1];
      corner[1] = first;
    }
  }
  return build(&mesh);
}

/* How many of `rounds` random poses have contacts that are too shallow or too deep, or lead a long
 * way. The boxes overlap by at most about `max_overlap`. `mirrored`: boxes are mirrored, both
 * of them or one, and their triangles have any windings. */
typedef struct tally {
  uint64_t rounds, shallow, deep, leading_far, touching, stuck;
} tally;

static tally count_poses(rng *r, turn how, uint64_t rounds, float max_overlap, bool mirrored) {
  tally t = {.rounds = rounds};
  for (uint64_t round = 0; round < rounds;) {
    mo_vec3 half[2], direction = rng_direction(r);
    mo_transform place[2];
    for (int i = 0; i < 2; i++) {
      half[i] = rng_vec3(r, 0.2f, 0.6f);
      const float z = mirrored && round % 3 != (uint64_t)i ? -1 : 1;
      place[i] = mo_transform_make(mo_vec(0, 0, 0), rotation_of(i == 0 ? NO_TURN : how, r),
                                   mo_vec(1, 1, z));
    }
    if (rng_chance(r, 0.5)) { /* tops in one plane */
      half[1].y = half[0].y;
      direction.y = 0;
      direction = mo_narrow(mo_dunit(mo_widen(direction)));
    }
    const double wanted = (double)rng_float(r, 0.0005f, max_overlap),
                 overlap = move_until(half, place, direction, wanted);
    if (overlap < 0.5 * wanted || overlap > 1.5 * wanted) {
      continue;
    }
    mo_mesh *mesh[2];
    for (int i = 0; i < 2; i++) {
      const int cells = 1 + (int)rng_below(r, 3);
      mesh[i] = mirrored ? box_mesh_of_any_windings(r, half[i], cells) : box_mesh(half[i], cells);
    }
    const outcome o = collide_boxes(half, mesh, place);
    cr_assert(o.deepest > 0, "turn %d, round %u: no contact, not %g deep", how, (uint32_t)round,
              overlap);
    t.shallow += o.deepest < 0.45 * overlap;
    t.deep += o.deepest > 2 * overlap + 0.002;
    t.leading_far += o.longest_way > 3 * overlap + 0.1;
    t.touching += o.touching;
    t.stuck += o.stuck;
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
    round++;
  }
  return t;
}

/* At most one pose in `leading_far` may have contacts that lead a long way. */
static void check_tally(const tally *t, turn how, uint64_t leading_far) {
  fprintf(stderr,
          "turn %d: of %u poses %u have shallow contacts, %u deep ones, %u such that lead far\n",
          how, (uint32_t)t->rounds, (uint32_t)t->shallow, (uint32_t)t->deep,
          (uint32_t)t->leading_far);
  cr_assert(t->shallow <= 1 + t->rounds / 100 && t->deep <= 1 + t->rounds / 5000);
  cr_assert(t->leading_far <= 1 + t->rounds / leading_far);
}

/* At most one touching contact in `share` is less deep than the way out along its normal. */
static void check_ways_out(const tally *t, turn how, uint64_t share) {
  fprintf(stderr, "turn %d: of %u touching contacts %u do not lead out\n", how,
          (uint32_t)t->touching, (uint32_t)t->stuck);
  cr_assert(t->stuck <= t->touching / share);
}

/* Where no faces lie nearly on each other, moving a box along the normal of a contact by its depth
 * moves it out of the other box. */
Test(box_meshes, contacts_lead_out_of_boxes) {
  static const turn turns[] = {ANY_TURN, NO_TURN, ABOUT_Y};
  rng r = rng_make(rng_seed("contact/box_meshes/out", 3527));
  for (int i = 0; i < 3; i++) {
    const tally t = count_poses(&r, turns[i], rng_few_rounds(300, 20000), 0.02f, false);
    check_ways_out(&t, turns[i], 16);
  }
}

Test(box_meshes, contacts_are_as_deep_as_the_boxes) {
  rng r = rng_make(rng_seed("contact/box_meshes", 3523));
  for (int how = 0; how < TURNS; how++) {
    const tally t = count_poses(&r, (turn)how, rng_few_rounds(240, 20000), 0.02f, false);
    check_tally(&t, (turn)how, 100);
  }
}

/* A mirrored box is a box, and its outside does not depend on windings. */
Test(box_meshes, mirrored_boxes_are_boxes) {
  rng r = rng_make(rng_seed("contact/box_meshes/mirrored", 3526));
  for (int how = 0; how < TURNS; how++) {
    const tally t = count_poses(&r, (turn)how, rng_few_rounds(240, 20000), 0.02f, true);
    check_tally(&t, (turn)how, 100);
  }
}

/* Sides of the boxes may be farther apart than contacts reach, and still limit depths. */
Test(box_meshes, contacts_are_as_deep_as_boxes_that_overlap_far) {
  rng r = rng_make(rng_seed("contact/box_meshes/far", 3525));
  for (int how = 0; how < TURNS; how++) {
    const tally t = count_poses(&r, (turn)how, rng_few_rounds(120, 10000), 0.1f, false);
    check_tally(&t, (turn)how, 6);
  }
}

/* A face of few triangles that lies on one of many, tilted by a degree: where it has sunk in, whole
 * triangles of it are behind those of the other. */
Test(box_meshes, tilted_faces_are_as_deep_as_the_boxes) {
  rng r = rng_make(rng_seed("contact/box_meshes/tilted", 3524));
  for (uint64_t left = rng_few_rounds(300, 20000); left > 0;) {
    const int axis = (int)rng_below(&r, 3), fine = (int)rng_below(&r, 2);
    float direction[3] = {rng_float(&r, -0.3f, 0.3f), rng_float(&r, -0.3f, 0.3f),
                          rng_float(&r, -0.3f, 0.3f)};
    direction[axis] = rng_chance(&r, 0.5) ? 1 : -1;
    mo_vec3 half[2];
    mo_transform place[2];
    for (int i = 0; i < 2; i++) {
      half[i] = rng_vec3(&r, 0.3f, 0.6f);
      place[i] = mo_transform_make(mo_vec(0, 0, 0), rotation_of(i == 0 ? NO_TURN : SLIGHTLY, &r),
                                   mo_vec(1, 1, 1));
    }
    const mo_vec3 way =
        mo_narrow(mo_dunit(mo_widen(mo_vec(direction[0], direction[1], direction[2]))));
    const double wanted = (double)rng_float(&r, 0.0005f, 0.01f),
                 overlap = move_until(half, place, way, wanted);
    if (overlap < 0.5 * wanted || overlap > 1.5 * wanted) {
      continue;
    }
    mo_mesh *const mesh[2] = {box_mesh(half[0], fine == 0 ? 3 : 1),
                              box_mesh(half[1], fine == 1 ? 3 : 1)};
    const double deepest = collide_boxes(half, mesh, place).deepest;
    cr_assert(deepest > 0.45 * overlap && deepest < 2 * overlap + 0.002, "%g deep, not %g", deepest,
              overlap);
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
    left--;
  }
}

/* A pose of two boxes, the first of which is at the origin. */
typedef struct pose {
  mo_vec3 half[2];
  int cells[2];
  mo_quat rotation;
  mo_vec3 origin;
} pose;

static void check_depth(const pose *p) {
  const mo_transform place[2] = {mo_transform_identity(),
                                 mo_transform_make(p->origin, p->rotation, mo_vec(1, 1, 1))};
  mo_mesh *const mesh[2] = {box_mesh(p->half[0], p->cells[0]), box_mesh(p->half[1], p->cells[1])};
  const double overlap = overlap_of(p->half, place),
               deepest = collide_boxes(p->half, mesh, place).deepest;
  cr_assert(deepest > 0.45 * overlap && deepest < 1.2 * overlap, "%g deep, not %g", deepest,
            overlap);
  mo_mesh_release(mesh[0]);
  mo_mesh_release(mesh[1]);
}

/* Nearly aligned boxes, of which a corner is far behind a side of the other that it does not touch:
 * it has no point along that side. */
Test(box_meshes, corners_beside_a_face_are_not_deep) {
  check_depth(&(pose){
      {{0.279568732f, 0.332700521f, 0.462226927f}, {0.509554446f, 0.566361487f, 0.213841513f}},
      {2, 3},
      {-0.00825891457f, -0.00350588094f, -0.0078810798f, 0.999928713f},
      {-0.788258195f, -0.596682727f, -0.224721059f}});
  check_depth(&(pose){
      {{0.518248856f, 0.292105347f, 0.379674107f}, {0.226831242f, 0.581745207f, 0.561488748f}},
      {1, 2},
      {0.00141487992f, -0.00135678158f, -0.00245834561f, 0.999995112f},
      {0.262610555f, 0, 0.928830624f}});
}

/* An edge of a box has sunk into a side of another: it is as deep as the boxes, though triangles
 * of that side overlap those of the edge by less. */
Test(box_meshes, edges_sunk_into_a_side_are_not_shallow) {
  check_depth(&(pose){
      {{0.550405979f, 0.250588626f, 0.278123707f}, {0.486542523f, 0.248373225f, 0.500490546f}},
      {3, 3},
      {0, -0.055385787f, 0, 0.998465031f},
      {1.07151711f, 0, -0.355062544f}});
  check_depth(&(pose){
      {{0.33800149f, 0.488590658f, 0.237614855f}, {0.33800149f, 0.488590658f, 0.237614855f}},
      {2, 3},
      {0, 0.747463942f, 0, 0.664302597f},
      {-0.454682142f, 0, -0.545216322f}});
}

/* From where to where, along x, the contact points of a box that lies on another one reach. */
typedef struct support {
  float low, high;
} support;

static support support_of(mo_mesh *const mesh[2], const mo_transform place[2]) {
  const uint32_t count = contacts_of_meshes(mesh, place, contacts, MAX_CONTACTS);
  support s = {INFINITY, -INFINITY};
  for (uint32_t i = 0; i < count; i++) {
    const mo_manifold *m = &contacts[i].manifold;
    cr_assert(m->normal.y > 0.99f);
    for (uint32_t k = 0; k < m->point_count; k++) {
      s.low = fminf(s.low, m->points[k].position.x);
      s.high = fmaxf(s.high, m->points[k].position.x);
    }
  }
  return s;
}

/* A box that is tilted a little is held at both ends, whether the higher one is still apart or
 * overlaps, too; also if the vertices of its mesh are far from the origin of its own space. */
Test(box_meshes, tilted_boxes_are_held_at_both_ends) {
  static const float tilts[] = {0, 0.001f, 0.002f, 0.005f, 0.01f};
  for (int i = 0; i < 5 * 8; i++) {
    const float half = 0.5f, tilt = tilts[i % 5], offset = i / 5 & 4 ? 1024.0f : 0.0f,
                deep = i / 5 & 2 ? 0.012f : 0.002f;
    test_mesh upper = crate(mo_vec(half, half, half), i / 5 & 1 ? 4 : 1);
    for (uint32_t v = 0; v < upper.vertex_count; v++) {
      upper.positions[v].x += offset;
    }
    mo_mesh *const mesh[2] = {box_mesh(mo_vec(0.7f, 0.5f, 0.7f), 2), build(&upper)};
    const mo_quat tilted = {0, 0, sinf(0.5f * tilt), cosf(0.5f * tilt)};
    const float lowest = half * sinf(tilt) + half * cosf(tilt);
    mo_transform place[2] = {
        mo_transform_identity(),
        mo_transform_make(mo_vec(0, 0.5f + lowest - deep, 0), tilted, mo_vec(1, 1, 1))};
    place[1].origin = mo_sub(place[1].origin, mo_scale(offset, place[1].x_axis));
    const support s = support_of(mesh, place);
    cr_assert(s.low < -0.45f && s.high > 0.45f, "tilt %g, offset %g, %g deep: from %g to %g",
              (double)tilt, (double)offset, (double)deep, (double)s.low, (double)s.high);
    mo_mesh_release(mesh[0]);
    mo_mesh_release(mesh[1]);
  }
}
