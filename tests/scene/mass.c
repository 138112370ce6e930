/* Mass properties of compounds: against sums over the children in long double, with closed forms of
 * boxes, balls and tetrahedra under the composed transforms, and the theorem of parallel axes. */
#include <criterion/criterion.h>
#include <math.h>
#include <motte/motte.h>
#include <string.h>

#include "math/vector.h"
#include "support/rng.h"

typedef long double ldouble;

enum { MAX_PARTS = 4096, COMPOUNDS = 5 };

/* A child under its composed transform. The error of its volume is at most about `noise`. */
typedef struct part {
  ldouble volume, noise, center[3], second[3][3]; /* `second` about the centroid */
} part;

static part parts[MAX_PARTS];
static uint32_t part_count;

/* The second moments of a body with moments `local` in its own space, which are those of unit
 * volume, under the linear part of a map. */
static void set_part(part *p, const mo_transform *map, ldouble volume, const ldouble center[3],
                     ldouble local[3][3]) {
  const mo_vec3 columns[3] = {map->x_axis, map->y_axis, map->z_axis};
  ldouble a[3][3], lengths = 1;
  for (int k = 0; k < 3; k++) {
    a[0][k] = columns[k].x;
    a[1][k] = columns[k].y;
    a[2][k] = columns[k].z;
    lengths *= sqrtl(a[0][k] * a[0][k] + a[1][k] * a[1][k] + a[2][k] * a[2][k]);
  }
  const ldouble det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                      a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                      a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  const ldouble origin[3] = {map->origin.x, map->origin.y, map->origin.z};
  p->volume = fabsl(det) * volume;
  p->noise = 1e-18L * lengths * fabsl(volume);
  for (int i = 0; i < 3; i++) {
    p->center[i] = origin[i];
    for (int k = 0; k < 3; k++) {
      p->center[i] += a[i][k] * center[k];
      p->second[i][k] = 0;
      for (int m = 0; m < 9; m++) {
        p->second[i][k] += p->volume * a[i][m / 3] * local[m / 3][m % 3] * a[k][m % 3];
      }
    }
  }
}

static void set_box(part *p, const mo_transform *map, mo_vec3 center, mo_vec3 half) {
  const ldouble h[3] = {half.x, half.y, half.z}, c[3] = {center.x, center.y, center.z};
  ldouble local[3][3] = {{h[0] * h[0] / 3, 0, 0}, {0, h[1] * h[1] / 3, 0}, {0, 0, h[2] * h[2] / 3}};
  set_part(p, map, 8 * h[0] * h[1] * h[2], c, local);
}

static void set_ball(part *p, const mo_transform *map, const mo_sphere *ball) {
  const ldouble r = ball->radius, pi = 3.14159265358979323846264338327950288L;
  const ldouble c[3] = {ball->center.x, ball->center.y, ball->center.z};
  ldouble local[3][3] = {{r * r / 5, 0, 0}, {0, r * r / 5, 0}, {0, 0, r * r / 5}};
  set_part(p, map, 4 * pi / 3 * r * r * r, c, local);
}

/* A tetrahedron; inside out, its volume is negative. */
static void set_tetrahedron(part *p, const mo_transform *map, const mo_vec3 corner[4],
                            bool inside_out) {
  ldouble v[4][3], c[3], local[3][3] = {{0}}, edge[3][3];
  for (int i = 0; i < 4; i++) {
    v[i][0] = corner[i].x;
    v[i][1] = corner[i].y;
    v[i][2] = corner[i].z;
  }
  for (int k = 0; k < 3; k++) {
    c[k] = (v[0][k] + v[1][k] + v[2][k] + v[3][k]) / 4;
    for (int i = 0; i < 3; i++) {
      edge[i][k] = v[i + 1][k] - v[0][k];
    }
  }
  for (int i = 0; i < 9; i++) {
    for (int m = 0; m < 4; m++) {
      local[i / 3][i % 3] += (v[m][i / 3] - c[i / 3]) * (v[m][i % 3] - c[i % 3]) / 20;
    }
  }
  const ldouble six = edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) -
                      edge[0][1] * (edge[1][0] * edge[2][2] - edge[1][2] * edge[2][0]) +
                      edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
  set_part(p, map, (inside_out ? -1 : 1) * fabsl(six) / 6, c, local);
}

/* --- compounds --- */

static const mo_vec3 corners[4] = {{0, 0, 0}, {1, 0.5f, 0}, {0, 2, 0.25f}, {-0.5f, 0, 1}};
static mo_mesh *meshes[2]; /* the tetrahedron, and the same inside out */
static mo_compound *compounds[COMPOUNDS];

static mo_mesh *make_tetrahedron(bool inside_out) {
  static const uint32_t faces[2][12] = {{0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3},
                                        {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}};
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *mesh;
  def.positions = corners;
  def.vertex_count = 4;
  def.indices = faces[inside_out];
  def.triangle_count = 4;
  cr_assert_eq(mo_mesh_create(&def, &mesh), MO_OK);
  return mesh;
}

static mo_shape_def any_child(rng *r, uint32_t nested) {
  static const mo_shape_type types[] = {MO_SHAPE_BOX, MO_SHAPE_SPHERE, MO_SHAPE_MESH,
                                        MO_SHAPE_COMPOUND};
  mo_shape_def def = mo_default_shape_def(types[rng_below(r, nested > 0 ? 4 : 3)]);
  switch (def.geometry.type) {
  case MO_SHAPE_BOX:
    def.geometry.box = (mo_box){rng_vec3(r, -2, 2), rng_vec3(r, 0.1f, 2)};
    break;
  case MO_SHAPE_SPHERE:
    def.geometry.sphere = (mo_sphere){rng_vec3(r, -2, 2), rng_float(r, 0.1f, 2)};
    break;
  case MO_SHAPE_MESH:
    def.geometry.mesh = meshes[rng_chance(r, 0.1)];
    break;
  default:
    def.geometry.compound = compounds[rng_below(r, nested)];
  }
  def.transform = rng_transform(r, (rng_transform_kind)rng_below(r, RNG_TINY), 3);
  def.category = rng_below(r, 3); /* filters make no difference */
  return def;
}

static void make_compounds(rng *r) {
  const mo_scene_def def = mo_default_scene_def();
  for (uint32_t i = 0; i < COMPOUNDS; i++) {
    cr_assert_eq(mo_compound_create(&def, &compounds[i]), MO_OK);
    mo_scene *children = mo_compound_children(compounds[i]);
    for (uint32_t k = 1 + rng_below(r, 6); k-- > 0;) {
      const mo_shape_def child = any_child(r, i);
      mo_shape_id id;
      cr_assert_eq(mo_scene_add_shape(children, &child, &id), MO_OK);
      if (rng_chance(r, 0.2)) {
        cr_assert_eq(mo_scene_remove_shape(children, id), MO_OK);
      }
    }
    cr_assert_eq(mo_compound_update(compounds[i]), MO_OK);
  }
}

static void list_parts(const mo_compound *compound, const mo_transform *outer) {
  mo_scene *children = mo_compound_children(compound);
  mo_shape_id ids[8];
  uint32_t count;
  cr_assert_eq(mo_scene_get_shapes(children, ids, 8, &count), MO_OK);
  for (uint32_t i = 0; i < count; i++) {
    mo_shape_def def;
    cr_assert_eq(mo_scene_get_shape(children, ids[i], &def), MO_OK);
    const mo_transform map = mo_transform_compose(outer, &def.transform);
    if (def.geometry.type == MO_SHAPE_COMPOUND) {
      list_parts(def.geometry.compound, &map);
      continue;
    }
    cr_assert_lt(part_count, MAX_PARTS);
    part *p = &parts[part_count++];
    if (def.geometry.type == MO_SHAPE_BOX) {
      set_box(p, &map, def.geometry.box.center, def.geometry.box.half_extents);
    } else if (def.geometry.type == MO_SHAPE_SPHERE) {
      set_ball(p, &map, &def.geometry.sphere);
    } else {
      set_tetrahedron(p, &map, corners, def.geometry.mesh == meshes[1]);
    }
  }
}

/* The mean of the centroids, with weights of any sign that do not add up to 0. */
static ldouble center_of_all(int axis, ldouble volume) {
  const ldouble base = parts[0].center[axis];
  ldouble sum = 0;
  for (uint32_t i = 0; i < part_count; i++) {
    sum += parts[i].volume * (parts[i].center[axis] - base);
  }
  return base + sum / volume;
}

/* Returns whether the sums were well-conditioned, so that they could be compared. */
static bool check_against_parts(const mo_mass_properties *found) {
  ldouble volume = 0, magnitude = 0, noise = 0, center[3], second[3][3] = {{0}}, size = 0,
          offset = 0;
  for (uint32_t i = 0; i < part_count; i++) {
    volume += parts[i].volume;
    magnitude += fabsl(parts[i].volume);
    noise += parts[i].noise;
  }
  cr_assert(fabsl(found->volume - volume) <= 1e-12L * magnitude + noise, "%g, not %g",
            found->volume, (double)volume);
  if (fabsl(volume) <= 0.01L * magnitude || noise > 1e-13L * magnitude) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    center[k] = center_of_all(k, volume);
  }
  for (uint32_t i = 0; i < part_count; i++) {
    const part *p = &parts[i];
    ldouble far2 = 0;
    for (int k = 0; k < 9; k++) {
      second[k / 3][k % 3] += p->second[k / 3][k % 3] + p->volume *
                                                            (p->center[k / 3] - center[k / 3]) *
                                                            (p->center[k % 3] - center[k % 3]);
      far2 +=
          k % 4 == 0 ? (p->center[k / 3] - center[k / 3]) * (p->center[k / 3] - center[k / 3]) : 0;
      size += fabsl(p->second[k / 3][k % 3]);
    }
    size += fabsl(p->volume) * far2;
    offset = fmaxl(offset, sqrtl(far2));
  }
  /* Positions are doubles. */
  const ldouble reach = fabsl(center[0]) + fabsl(center[1]) + fabsl(center[2]) + offset,
                rounding = 0x1p-50L * reach * offset * magnitude;
  const ldouble trace = second[0][0] + second[1][1] + second[2][2];
  const float at[3] = {found->centroid.x, found->centroid.y, found->centroid.z};
  for (int k = 0; k < 3; k++) {
    cr_assert(fabsl((ldouble)at[k] - center[k]) <=
                  1e-7L * fabsl(center[k]) + 1e-10L * offset + 1e-30L,
              "%g, not %g", (double)at[k], (double)center[k]);
  }
  for (int k = 0; k < 9; k++) {
    const ldouble expected = (k % 4 == 0 ? trace : 0) - second[k / 3][k % 3];
    cr_assert(fabsl(found->inertia[k / 3][k % 3] - expected) <= 1e-10L * size + rounding,
              "%d: %.15g, not %.15g", k, found->inertia[k / 3][k % 3], (double)expected);
  }
  return true;
}

Test(scene_mass, compounds_are_the_sums_of_their_children) {
  rng r = rng_make(rng_seed("scene_mass/sums", 1));
  uint32_t compared = 0, rounds = (uint32_t)rng_few_rounds(300, 20000);
  meshes[0] = make_tetrahedron(false);
  meshes[1] = make_tetrahedron(true);
  for (uint32_t round = 0; round < rounds; round++) {
    make_compounds(&r);
    mo_geometry all = {.type = MO_SHAPE_COMPOUND, .compound = compounds[COMPOUNDS - 1]};
    mo_transform map = rng_chance(&r, 0.2)
                           ? mo_transform_identity()
                           : rng_transform(&r, (rng_transform_kind)rng_below(&r, RNG_TINY), 3);
    if (rng_chance(&r, 0.2)) {
      map.origin = rng_vec3(&r, -1e6f, 1e6f);
    }
    mo_mass_properties found;
    cr_assert_eq(mo_geometry_get_mass_properties(&all, &map, &found), MO_OK);
    cr_assert(found.closed);
    part_count = 0;
    list_parts(all.compound, &map);
    compared += part_count > 0 && check_against_parts(&found);
    for (int i = 0; i < COMPOUNDS; i++) {
      mo_compound_release(compounds[i]);
    }
  }
  cr_assert_gt(compared, rounds / 3);
  mo_mesh_release(meshes[0]);
  mo_mesh_release(meshes[1]);
}

/* A dumb-bell, by hand. */
Test(scene_mass, of_two_balls) {
  const mo_scene_def def = mo_default_scene_def();
  mo_geometry bell = {.type = MO_SHAPE_COMPOUND};
  mo_shape_id id;
  mo_mass_properties mass;
  cr_assert_eq(mo_compound_create(&def, &bell.compound), MO_OK);
  for (int i = 0; i < 2; i++) {
    mo_shape_def ball = mo_default_shape_def(MO_SHAPE_SPHERE);
    ball.geometry.sphere.radius = 1;
    ball.transform.origin.x = 10.0f * (float)i;
    cr_assert_eq(mo_scene_add_shape(mo_compound_children(bell.compound), &ball, &id), MO_OK);
  }
  cr_assert_eq(mo_compound_update(bell.compound), MO_OK);
  cr_assert_eq(mo_geometry_get_mass_properties(&bell, NULL, &mass), MO_OK);
  const double ball = 4 * 3.14159265358979323846 / 3;
  cr_assert(fabs(mass.volume - 2 * ball) < 1e-13 && mass.closed);
  cr_assert(mass.centroid.x == 5 && mass.centroid.y == 0 && mass.centroid.z == 0);
  cr_assert(fabs(mass.inertia[0][0] - 2 * 0.4 * ball) < 1e-12);
  cr_assert(fabs(mass.inertia[1][1] - 2 * (0.4 + 25) * ball) < 1e-11);
  cr_assert(fabs(mass.inertia[2][2] - mass.inertia[1][1]) < 1e-12 && mass.inertia[0][1] == 0);
  mo_compound_release(bell.compound);
}

/* Without volume the centroid is the mean of the children's; an empty compound is at its origin. An
 * open mesh opens the compound. */
Test(scene_mass, of_flat_and_empty_compounds) {
  const mo_scene_def def = mo_default_scene_def();
  mo_geometry all = {.type = MO_SHAPE_COMPOUND};
  mo_transform map = mo_transform_identity();
  mo_mass_properties mass;
  mo_shape_id id;
  map.origin = mo_vec(1, 2, 3);
  cr_assert_eq(mo_compound_create(&def, &all.compound), MO_OK);
  cr_assert_eq(mo_geometry_get_mass_properties(&all, &map, &mass), MO_OK);
  cr_assert(mass.volume == 0 && mass.closed && mass.inertia[0][0] == 0);
  cr_assert(mass.centroid.x == 1 && mass.centroid.y == 2 && mass.centroid.z == 3);
  for (int i = 0; i < 3; i++) {
    mo_shape_def sheet = mo_default_shape_def(MO_SHAPE_BOX);
    sheet.geometry.box.half_extents = mo_vec(1, 0, 1 + (float)i);
    sheet.transform.origin.x = 3.0f * (float)(i * i);
    cr_assert_eq(mo_scene_add_shape(mo_compound_children(all.compound), &sheet, &id), MO_OK);
  }
  cr_assert_eq(mo_compound_update(all.compound), MO_OK);
  cr_assert_eq(mo_geometry_get_mass_properties(&all, &map, &mass), MO_OK);
  cr_assert(mass.volume == 0 && mass.inertia[0][0] == 0 && mass.inertia[1][2] == 0);
  cr_assert(mass.centroid.x == 6 && mass.centroid.y == 2 && mass.centroid.z == 3);
  static const uint32_t triangle[3] = {0, 1, 2};
  mo_mesh_def open = mo_default_mesh_def();
  mo_shape_def child = mo_default_shape_def(MO_SHAPE_MESH);
  open.positions = corners;
  open.vertex_count = 4;
  open.indices = triangle;
  open.triangle_count = 1;
  cr_assert_eq(mo_mesh_create(&open, &child.geometry.mesh), MO_OK);
  cr_assert_eq(mo_scene_add_shape(mo_compound_children(all.compound), &child, &id), MO_OK);
  mo_mesh_release(child.geometry.mesh);
  cr_assert_eq(mo_compound_update(all.compound), MO_OK);
  cr_assert_eq(mo_geometry_get_mass_properties(&all, &map, &mass), MO_OK);
  cr_assert_not(mass.closed);
  mo_compound_release(all.compound);
}
