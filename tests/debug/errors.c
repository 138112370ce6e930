/* What drawing refuses, and that it then writes nothing. */
#include <criterion/criterion.h>
#include <math.h>

#include "debug/subjects.h"

static void count_line(mo_vec3 from, mo_vec3 to, uint32_t rgba, void *context) {
  (void)from;
  (void)to;
  (void)rgba;
  *(int *)context += 1;
}

static subject subjects[SUBJECTS];
static int subject_count;
static const mo_scene *scene;
static const mo_mesh *mesh;

static void setup(void) {
  subject_count = subjects_make(subjects);
  scene = subjects[0].scene;
  for (int i = 0; i < subject_count; i++) {
    mesh = mesh != NULL ? mesh : subjects[i].mesh;
  }
}

static void teardown(void) {
  subjects_free(subjects, subject_count);
}

TestSuite(drawing_errors, .init = setup, .fini = teardown);

/* All four functions return `expected` for a def and do not touch their outputs. */
static void expect(const mo_debug_def *def, mo_result expected) {
  int lines = 0;
  mo_line_sink sink = {count_line, &lines};
  cr_assert_eq(mo_scene_draw(scene, def, &sink), expected);
  cr_assert_eq(mo_mesh_draw(mesh, def, &sink), expected);
  mo_debug_vertex vertices[8] = {{.rgba = 77}};
  uint32_t indices[18] = {77};
  mo_debug_buffers buffers = {vertices, 8, indices, 18, 77, 77};
  cr_assert_eq(mo_scene_draw_buffers(scene, def, &buffers), expected);
  cr_assert_eq(mo_mesh_draw_buffers(mesh, def, &buffers), expected);
  if (expected != MO_OK) {
    cr_assert_eq(lines, 0);
    cr_assert(vertices[0].rgba == 77 && indices[0] == 77 && buffers.vertex_total == 77 &&
              buffers.index_total == 77);
  }
}

Test(drawing_errors, null_arguments) {
  mo_debug_def def = mo_default_debug_def();
  expect(&def, MO_OK);
  expect(NULL, MO_ERROR_NULL_ARGUMENT);
  int lines = 0;
  mo_line_sink sink = {count_line, &lines};
  mo_line_sink no_function = {NULL, NULL};
  cr_assert_eq(mo_scene_draw(NULL, &def, &sink), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_draw(scene, &def, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_scene_draw(scene, &def, &no_function), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_draw(NULL, &def, &sink), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_draw(mesh, &def, NULL), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(mo_mesh_draw(mesh, &def, &no_function), MO_ERROR_NULL_ARGUMENT);
  cr_assert_eq(lines, 0);
}

Test(drawing_errors, null_buffers) {
  mo_debug_def def = mo_default_debug_def();
  mo_debug_vertex vertices[8];
  uint32_t indices[18];
  mo_debug_buffers no_vertices = {NULL, 8, indices, 18, 0, 0};
  mo_debug_buffers no_indices = {vertices, 8, NULL, 18, 0, 0}, none = {0};
  for (int i = 0; i < subject_count; i++) {
    const subject *s = &subjects[i];
    cr_assert_eq(subject_draw_buffers(s, &def, &no_vertices), MO_ERROR_NULL_ARGUMENT);
    cr_assert_eq(subject_draw_buffers(s, &def, &no_indices), MO_ERROR_NULL_ARGUMENT);
    cr_assert_eq(subject_draw_buffers(s, &def, NULL), MO_ERROR_NULL_ARGUMENT);
    cr_assert_eq(subject_draw_buffers(s, &def, &none), MO_OK);
  }
  cr_assert_eq(mo_scene_node_count(NULL), 0);
  cr_assert_eq(mo_mesh_node_count(NULL), 0);
}

Test(drawing_errors, bad_defs) {
  mo_debug_def def = mo_default_debug_def();
  def.boxes = (mo_debug_boxes)2;
  expect(&def, MO_ERROR_INVALID_ARGUMENT);
  def = mo_default_debug_def();
  def.color = (mo_debug_color)3;
  expect(&def, MO_ERROR_INVALID_ARGUMENT);
  def = mo_default_debug_def();
  def.order = (mo_debug_order)2;
  expect(&def, MO_ERROR_INVALID_ARGUMENT);
  def = mo_default_debug_def();
  def.min_depth = 3;
  def.max_depth = 2;
  expect(&def, MO_ERROR_INVALID_ARGUMENT);
  def = mo_default_debug_def();
  def.color = MO_DEBUG_COLOR_VISITS;
  expect(&def, MO_OK);
  def.visit_capacity = 1;
  expect(&def, MO_ERROR_NULL_ARGUMENT);
  def = mo_default_debug_def();
  def.transform.y_axis.z = NAN;
  expect(&def, MO_ERROR_NOT_FINITE);
  def = mo_default_debug_def();
  def.transform.origin.x = INFINITY;
  expect(&def, MO_ERROR_NOT_FINITE);
}
