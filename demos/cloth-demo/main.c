/* cloth-demo: a cloth falls on a ball, folds, and touches itself. Each vertex moves on its own, and
 * a swept mesh finds what would meet in a step, so that nothing passes through anything.
 *
 *   cloth-demo                      prints what a step costs, and judges the end
 *   cloth-demo --output FOLDER      also writes the pictures, as cloth.gif and cloth.png */
#include <argp.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloth-demo/cloth.h"
#include "common/animation.h"
#include "common/arguments.h"
#include "common/check.h"
#include "common/clock.h"
#include "common/folder.h"
#include "common/legend.h"
#include "common/picture_options.h"
#include "common/progress.h"
#include "common/render.h"
#include "common/vector.h"

enum { STEPS_PER_SECOND = 120, STEPS_PER_SHOT = 6, CLOTH = 0, BALL = 1 };

/* Of the pictures: what is a metre, and how high the middle of the ball is. */
static const float scale = 4.0f, height = 2.04f;

struct settings {
  uint32_t cells, steps;
  struct picture_options pictures;
};

/* The cloth and the ball as shapes, for pictures. */
struct stage {
  mo_scene *scene;
  mo_mesh *mesh; /* of the cloth */
  mo_shape_id cloth;
  struct camera camera;
};

static mo_mesh *make_mesh(const struct cloth *cloth) {
  mo_mesh_def def = mo_default_mesh_def();
  mo_mesh *mesh;
  def.positions = cloth->all.positions;
  def.vertex_count = cloth->own_vertices;
  def.indices = cloth->all.indices;
  def.triangle_count = cloth->own_triangles;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  check(mo_mesh_create(&def, &mesh), "make a mesh");
  return mesh;
}

static struct stage make_stage(const struct settings *settings, const struct cloth *cloth) {
  struct stage stage = {.mesh = make_mesh(cloth)};
  mo_scene_def def = mo_default_scene_def();
  check(mo_scene_create(&def, &stage.scene), "make a scene");
  mo_shape_def shape = mo_default_shape_def(MO_SHAPE_MESH), ball = shape;
  shape.geometry.mesh = stage.mesh;
  shape.transform.x_axis.x = shape.transform.y_axis.y = shape.transform.z_axis.z = scale;
  shape.transform.origin.y = height;
  shape.user_data = CLOTH;
  check(mo_scene_add_shape(stage.scene, &shape, &stage.cloth), "add the cloth");
  ball = mo_default_shape_def(MO_SHAPE_SPHERE);
  ball.geometry.sphere.radius = 0.49f * scale; /* inside of the triangles that the cloth meets */
  ball.transform.origin.y = height;
  ball.user_data = BALL;
  mo_shape_id id;
  check(mo_scene_add_shape(stage.scene, &ball, &id), "add the ball");
  const mo_aabb seen = {vec3(-4.5f, 0.0f, -4.5f), vec3(4.5f, 5.0f, 4.5f)};
  stage.camera =
      camera_look_at_box(seen, vec3(0.5f, 0.35f, 1.0f), 0.6f,
                         (float)settings->pictures.width / (float)settings->pictures.height);
  return stage;
}

static void destroy_stage(struct stage *stage) {
  mo_scene_destroy(stage->scene);
  mo_mesh_release(stage->mesh);
}

static void take_picture(const struct settings *settings, struct stage *stage,
                         const struct cloth *cloth, struct picture *picture) {
  check(mo_mesh_refit(stage->mesh, cloth->all.positions, sizeof(mo_vec3), cloth->own_vertices, NULL,
                      NULL),
        "refit the mesh");
  check(mo_scene_refresh_shape(stage->scene, stage->cloth), "refresh the cloth");
  check(mo_scene_update(stage->scene, NULL), "update the scene");
  const mo_vec3 colors[] = {light_of_color(0xd98a4e), light_of_color(0x7d93a8)};
  struct studio studio = {.scene = stage->scene,
                          .visible = UINT64_MAX,
                          .colors = colors,
                          .glass = studio_no_glass(),
                          .middle = vec3(0.0f, 0.0f, 0.0f),
                          .radius = 10.0f};
  struct render_def def = {&studio, stage->camera, settings->pictures.samples,
                           settings->pictures.threads, NULL};
  render(&def, picture);
  char title[80];
  snprintf(title, sizeof title, "%u triangles fall, and pass through nothing",
           cloth->own_triangles);
  const struct legend legend = {.title = title, .at_bottom = true};
  legend_draw(&legend, picture);
}

static void run(const struct settings *settings) {
  struct cloth cloth = cloth_create(settings->cells);
  struct stage stage = make_stage(settings, &cloth);
  const bool draws = settings->pictures.output != NULL;
  struct picture picture = picture_create(settings->pictures.width, settings->pictures.height);
  struct animation animation =
      animation_create(settings->pictures.width, settings->pictures.height,
                       (settings->steps + STEPS_PER_SHOT - 1) / STEPS_PER_SHOT);
  printf("%u triangles of cloth; processor time:\n%5s %9s %9s %9s %9s\n", cloth.own_triangles,
         "step", "ms", "impacts", "rounds", "stopped");
  double total = 0.0;
  for (uint32_t step = 1; step <= settings->steps; step++) {
    const double start = processor_seconds();
    const struct cloth_step done = cloth_step(&cloth, 1.0f / STEPS_PER_SECOND);
    const double took = processor_seconds() - start;
    total += took;
    if (step % 20 == 0 || step == settings->steps) {
      progress_clear();
      printf("%5u %9.2f %9u %9u %9u\n", step, 1e3 * took, done.impacts, done.rounds, done.stopped);
    }
    if (draws && (step - 1) % STEPS_PER_SHOT == 0) {
      progress_show("step %u of %u", step, settings->steps);
      take_picture(settings, &stage, &cloth, &picture);
      animation_add(&animation, &picture);
    }
  }
  progress_clear();
  const bool is_tangled = cloth_is_tangled(&cloth);
  printf("a step took %.1f ms; %s\n", 1e3 * total / settings->steps,
         is_tangled ? "something has passed through" : "nothing has passed through anything");
  if (draws) {
    animation_write_gif(&animation, (double)STEPS_PER_SECOND / STEPS_PER_SHOT,
                        settings->pictures.output, "cloth.gif");
    picture_write_png(&picture, settings->pictures.output, "cloth.png");
  }
  animation_destroy(&animation);
  picture_destroy(&picture);
  destroy_stage(&stage);
  cloth_destroy(&cloth);
  if (is_tangled) {
    fail("triangles overlap");
  }
}

/* Options. */

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case 'c':
    settings->cells = argument_count(state, key, argument, 3, 400);
    return 0;
  case 'f':
    settings->steps = argument_count(state, key, argument, 1, 100000);
    return 0;
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &settings->pictures;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp_option known[] = {
      {"frames", 'f', "N", 0, "Steps, a hundred and twenty a second (240)", 0},
      {"cells", 'c', "N", 0, "Cells along a side of the cloth (40: 3,200 triangles)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp argp = {
      known,    parse,
      NULL,     "Lets a cloth fall on a ball. Draws cloth.gif, and its last picture as cloth.png.",
      children, NULL,
      NULL};
  struct settings settings = {
      .cells = 40,
      .steps = 240,
      .pictures = {.width = 960, .height = 540, .samples = 8},
  };
  error_t error = argp_parse(&argp, argc, argv, 0, NULL, &settings);
  if (error != 0) {
    fail("cannot read the options: %s", strerror(error));
  }
  if (settings.pictures.output != NULL) {
    folder_make(settings.pictures.output);
  }
  run(&settings);
  return EXIT_SUCCESS;
}
