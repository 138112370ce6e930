/* Key frames and files of BART, where the right answers have a closed form. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "animation.h"

#define HEAD "v from 0 0 9 at 0 0 0 up 0 1 0 angle 90 hither 1 resolution 8 8\na 0 2 3\n"

static void assert_near(mo_vec3 p, double x, double y, double z) {
  cr_assert(fabs(p.x - x) < 1e-5 && fabs(p.y - y) < 1e-5 && fabs(p.z - z) < 1e-5,
            "%g %g %g, not %g %g %g", p.x, p.y, p.z, x, y, z);
}

static mo_vec3 image(const mo_transform *t, double x, double y, double z) {
  return (mo_vec3){(float)(t->origin.x + x * t->x_axis.x + y * t->y_axis.x + z * t->z_axis.x),
                   (float)(t->origin.y + x * t->x_axis.y + y * t->y_axis.y + z * t->z_axis.y),
                   (float)(t->origin.z + x * t->x_axis.z + y * t->y_axis.z + z * t->z_axis.z)};
}

static double value_at(const bench_track *track, double time) {
  double value[3];
  bench_track_value(track, time, value);
  return value[0];
}

Test(bench_animation, keys_on_a_line_at_equal_times_move_steadily) {
  bench_key keys[6];
  for (int i = 0; i < 6; i++) {
    keys[i] = (bench_key){.time = i, .value = {3 * i}};
  }
  bench_track track = {keys, 6, 6};
  for (double time = 1; time <= 4; time += 0.125) {
    cr_assert_float_eq(value_at(&track, time), 3 * time, 1e-12);
  }
}

Test(bench_animation, times_outside_are_those_of_the_second_and_last_but_one_key) {
  bench_key keys[4] = {{0, {9}, 0, 0, 0}, {1, {2}, 0, 0, 0}, {2, {5}, 0, 0, 0}, {3, {-7}, 0, 0, 0}};
  bench_track track = {keys, 4, 4};
  cr_assert_float_eq(value_at(&track, 0.5), 2, 1e-12);
  cr_assert_float_eq(value_at(&track, 2.5), 5, 1e-12);
}

/* The ends of a cubic are not enough: of a Catmull-Rom spline the value halfway is known, too. */
Test(bench_animation, without_tension_the_curve_is_that_of_catmull_and_rom) {
  bench_key keys[4] = {{0, {1}, 0, 0, 0}, {1, {4}, 0, 0, 0}, {2, {2}, 0, 0, 0}, {3, {7}, 0, 0, 0}};
  bench_track track = {keys, 4, 4};
  cr_assert_float_eq(value_at(&track, 1.5), (-1 + 9 * 4 + 9 * 2 - 7) / 16.0, 1e-12);
}

/* Without slope at both ends the cubic is known. */
Test(bench_animation, tension_stops_at_keys) {
  bench_key keys[5] = {{0, {0}, 1, 0, 0},
                       {1, {2}, 1, 0, 0},
                       {4, {8}, 1, 0, 0},
                       {5, {1}, 1, 0, 0},
                       {6, {1}, 1, 0, 0}};
  bench_track track = {keys, 5, 5};
  for (double s = 0; s <= 1; s += 0.125) {
    cr_assert_float_eq(value_at(&track, 1 + 3 * s), 2 + 6 * s * s * (3 - 2 * s), 1e-12);
  }
}

Test(bench_animation, bias_and_continuity_bend_the_curve_to_one_side) {
  /* With a bias of 1 the slope at a key is that of the span before, with -1 of the span after. */
  for (int bias = -1; bias <= 1; bias += 2) {
    bench_key keys[4] = {
        {0, {0}, 0, 0, bias}, {1, {1}, 0, 0, bias}, {2, {5}, 0, 0, bias}, {3, {5}, 0, 0, bias}};
    bench_track track = {keys, 4, 4};
    double slope = (value_at(&track, 1 + 1e-6) - 1) / 1e-6;
    cr_assert_float_eq(slope, bias > 0 ? 1 : 4, 1e-3);
  }
  /* With a continuity of -1 it goes straight from key to key. */
  bench_key keys[4] = {
      {0, {3}, 0, -1, 0}, {1, {1}, 0, -1, 0}, {2, {5}, 0, -1, 0}, {3, {0}, 0, -1, 0}};
  bench_track track = {keys, 4, 4};
  for (double s = 0; s <= 1; s += 0.25) {
    cr_assert_float_eq(value_at(&track, 1 + s), 1 + 4 * s, 1e-12);
  }
}

/* About one axis rotations are numbers, and their curve is a cubic as well. */
Test(bench_animation, rotations_about_one_axis_follow_their_angle) {
  const double axis[3] = {1, -2, 0.5};
  double length = sqrt(1 + 4 + 0.25);
  for (int tension = 0; tension < 2; tension++) {
    bench_key keys[4];
    for (int i = 0; i < 4; i++) {
      keys[i] = (bench_key){.time = i, .tension = tension};
      bench_rotation_about(axis, 20 + 50 * i, keys[i].value);
    }
    bench_track track = {keys, 4, 4};
    for (double s = 0; s <= 1; s += 0.125) {
      double eased = tension ? s * s * (3 - 2 * s) : s, q[4];
      double half = (20 + 50 * (1 + eased)) * acos(-1) / 360;
      bench_track_rotation(&track, 1 + s, q);
      cr_assert_float_eq(q[3], cos(half), 1e-12);
      for (int i = 0; i < 3; i++) {
        cr_assert_float_eq(q[i], sin(half) * axis[i] / length, 1e-12);
      }
    }
  }
}

Test(bench_animation, hierarchies_are_multiplied_from_the_root) {
  bench_animation *animation = bench_animation_parse(
      "x.aff", HEAD "xs 2 2 2 0 0 1 90 10 0 0 {\n"
                    " x arm { xs 1 1 1 0 0 0 0 0 1 0 { p 3 0 0 0 1 0 0 0 1 0 }\n"
                    "  x hand { p 4 0 0 0 1 0 0 1 1 0 0 1 0 } } }\n"
                    "k hand { scale 4 -1 3 1 1 0 0 0 0 3 1 1 0 0 0 2 3 1 1 0 0 0 3 3 1 1 0 0 0 }\n"
                    "k arm{transl 4 -1 -1 0 5 0 0 0\n 0 0 0 5 0 0 0 2 2 0 5 0 0 0 3 3 0 5 0 0 0}");
  cr_assert_eq(animation->part_count, 2);
  cr_assert_str_eq(animation->name, "x");
  mo_transform at[2];
  bench_animation_pose(animation, 1, at);
  for (size_t i = 0; i < 2; i++) {
    const struct triangles *t = &animation->meshes[animation->parts[i].mesh].mesh->triangles;
    bool is_hand = t->vertex_count == 4;
    /* local: stretched or lifted; then one to x and five to z; then doubled, turned and moved */
    mo_vec3 local = t->positions[1];
    mo_vec3 world = image(&at[i], local.x, local.y, local.z);
    double x = 1 + (is_hand ? 3 : 1), y = is_hand ? 0 : 1;
    assert_near(world, 10 - 2 * y, 2 * x, 10);
    cr_assert_eq(t->triangle_count, is_hand ? 2 : 1);
  }
  bench_animation_free(animation);
}

Test(bench_animation, equal_meshes_are_one) {
  bench_animation *animation = bench_animation_parse(
      "x.aff", HEAD "x a { p 3 0 0 0 1 0 0 0 1 0 } x b { p 3 0 0 0 1 0 0 0 1 0 }"
                    "x c { p 3 0 0 0 1 0 0 0 2 0 } x d { x e { } }");
  cr_assert_eq(animation->part_count, 3);
  cr_assert_eq(animation->mesh_count, 2);
  cr_assert_eq(animation->parts[0].mesh, animation->parts[1].mesh);
  bench_animation_free(animation);
}

Test(bench_animation, triangles_that_deform_move_straight_between_poses) {
  bench_animation *animation =
      bench_animation_parse("x.aff", HEAD "xs 1 1 1 0 0 0 0 0 0 4 {\n"
                                          "tpa 3  0  0 0 0 9 9 9  1 0 0 9 9 9  0 1 0 9 9 9\n"
                                          " 1  0 0 2 9 9 9  1 0 2 9 9 9  0 1 2 9 9 9\n"
                                          " 3  8 0 2 9 9 9  9 0 2 9 9 9  8 1 2 9 9 9\n"
                                          "tpa 1  0  5 5 5 9 9 9  6 5 5 9 9 9  5 6 5 9 9 9 }");
  const bench_mesh *mesh = animation->meshes[0].mesh;
  cr_assert_eq(mesh->triangles.triangle_count, 2);
  assert_near(mesh->bounds.lower, 0, 0, 4);
  assert_near(mesh->bounds.upper, 9, 6, 9);
  const struct {
    double time, x, z;
  } expected[] = {{-1, 0, 4}, {0.25, 0, 4.5}, {1, 0, 6}, {1.5, 2, 6}, {3, 8, 6}, {9, 8, 6}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    bench_animation_deform(animation, expected[i].time);
    assert_near(mesh->triangles.positions[1], expected[i].x + 1, 0, expected[i].z);
    assert_near(mesh->triangles.positions[3], 5, 5, 9);
  }
  bench_animation_free(animation);
}

Test(bench_animation, the_camera_follows_its_key_frames) {
  bench_animation *animation = bench_animation_parse(
      "x.aff", HEAD "s 0 0 0 1 k camera { transl 4 -1 0 1 0 0 0 0  0 0 2 0 0 0 0  2 0 4 0 0 0 0\n"
                    "3 0 5 0 0 0 0 rot 4 -1 0 1 0 90 0 0 0  0 0 1 0 90 0 0 0  2 0 1 0 90 0 0 0\n"
                    "3 0 1 0 90 0 0 0 }");
  bench_camera camera = bench_animation_camera(animation, 1);
  assert_near(camera.eye, 0, 3, 0);
  assert_near(camera.back, 1, 0, 0);
  assert_near(camera.up, 0, 1, 0);
  cr_assert_float_eq(camera.reach, 1, 1e-12);
  bench_animation_free(animation);
}

Test(bench_animation, round_shapes_have_the_right_size) {
  bench_animation *animation =
      bench_animation_parse("x.aff", HEAD "x a { s 1 2 3 2 } x b { c 0 0 0 1  0 4 0 0.5 }");
  for (size_t i = 0; i < 2; i++) {
    const struct triangles *t = &animation->meshes[animation->parts[i].mesh].mesh->triangles;
    for (uint32_t k = 0; k < t->vertex_count; k++) {
      mo_vec3 p = t->positions[k];
      double ball = hypot(hypot(p.x - 1, p.y - 2), p.z - 3), ring = hypot(p.x, p.z);
      cr_assert(i == 0 ? fabs(ball - 2) < 1e-5 : fabs(ring - (1 - p.y / 8)) < 1e-5);
    }
  }
  bench_animation_free(animation);
}

Test(bench_animation, figures_walk) {
  bench_animation *animation = bench_animation_generate(3, 5);
  cr_assert_eq(animation->part_count, 3 * 15 + 1);
  mo_transform before[46], after[46];
  bench_animation_pose(animation, 2, before);
  bench_animation_pose(animation, 2.5, after);
  int moved = 0;
  for (int i = 0; i < 46; i++) {
    moved += memcmp(&before[i], &after[i], sizeof *before) != 0;
    /* limbs keep their size */
    double size = hypot(hypot(after[i].x_axis.x, after[i].x_axis.y), after[i].x_axis.z);
    cr_assert_float_eq(size, 1, 1e-5);
  }
  cr_assert_eq(moved, 45);
  bench_animation_free(animation);
}
