/* The optional conversions from and to cglm. Also compiled as C++17, see cglm.cpp. */
#include <criterion/criterion.h>
#include <motte/cglm.h>

Test(cglm, vectors_and_boxes) {
  vec3 v = {1, 2, 3};
  mo_vec3 m = mo_from_glm_vec3(v);
  cr_assert(m.x == 1 && m.y == 2 && m.z == 3);
  vec3 back;
  mo_to_glm_vec3(m, back);
  cr_assert(glm_vec3_eqv(v, back));

  vec3 box[2] = {{-1, -2, -3}, {4, 5, 6}};
  mo_aabb b = mo_from_glm_box(box);
  cr_assert(b.lower.z == -3 && b.upper.x == 4);
  vec3 box_back[2];
  mo_to_glm_box(b, box_back);
  cr_assert(glm_vec3_eqv(box[0], box_back[0]) && glm_vec3_eqv(box[1], box_back[1]));
}

Test(cglm, transforms) {
  mat4 matrix;
  glm_mat4_identity(matrix);
  glm_translate(matrix, (vec3){10, 20, 30});
  glm_rotate(matrix, 0.7f, (vec3){1, 2, 3});
  glm_scale(matrix, (vec3){2, -3, 4});
  mo_transform t;
  cr_assert_eq(mo_from_glm_mat4(matrix, &t), MO_OK);
  mat4 back;
  mo_to_glm_mat4(&t, back);
  for (int i = 0; i < 16; i++) {
    cr_assert_eq(matrix[i / 4][i % 4], back[i / 4][i % 4]);
  }

  vec3 p = {0.5f, 0.25f, -1}, image;
  glm_mat4_mulv3(matrix, p, 1, image);
  mo_vec3 q = mo_transform_point(&t, mo_from_glm_vec3(p));
  cr_assert_float_eq(q.x, image[0], 1e-5);
  cr_assert_float_eq(q.y, image[1], 1e-5);
  cr_assert_float_eq(q.z, image[2], 1e-5);
}

Test(cglm, rotations_turn_the_same_way) {
  versor rotation;
  glm_quatv(rotation, 1.1f, (vec3){0, 0, 1});
  vec3 p = {1, 0, 0}, image;
  glm_quat_rotatev(rotation, p, image);
  mo_transform t =
      mo_transform_make((mo_vec3){0, 0, 0}, mo_from_glm_quat(rotation), (mo_vec3){1, 1, 1});
  mo_vec3 q = mo_transform_point(&t, mo_from_glm_vec3(p));
  cr_assert_float_eq(q.x, image[0], 1e-6);
  cr_assert_float_eq(q.y, image[1], 1e-6);
}

Test(cglm, frustum) {
  mat4 projection;
  glm_perspective(1, 1.5f, 0.1f, 100, projection);
  mo_plane planes[6];
  cr_assert_eq(mo_planes_from_glm(projection, planes), MO_OK);
  for (int i = 0; i < 6; i++) {
    /* The point (0, 0, -1) is in view. */
    cr_assert_gt(-planes[i].normal.z + planes[i].offset, 0);
  }
}

Test(cglm, projective_matrices_are_refused) {
  mat4 projection;
  glm_perspective(1, 1, 0.1f, 100, projection);
  mo_transform t;
  cr_assert_eq(mo_from_glm_mat4(projection, &t), MO_ERROR_PROJECTIVE_MATRIX);
}
