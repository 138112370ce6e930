/* deform-demo: a mesh that deforms, in a scene, at sixty frames a second. In each frame its
 * vertices move, its octree is refitted, parts of it are rebuilt where rays would suffer, and rays
 * are cast at it.
 *
 *   deform-demo                          a flag in the wind; prints what a frame costs
 *   deform-demo FRAME.ply FRAME.ply ...  any mesh, through these frames and back
 *   deform-demo --output FOLDER          also writes the pictures, as deform.gif and deform.png */
#include <argp.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#include "deform-demo/subject.h"
#include "deform-demo/upkeep_view.h"

enum { FRAMES_PER_SECOND = 60, FRAMES_PER_SHOT = 3 };

struct settings {
  const char **paths;
  uint32_t path_count; /* 0 for the flag */
  uint32_t cells;      /* along the flag */
  uint32_t frames;
  mo_vec3 up;
  struct picture_options pictures;
};

/* The mesh, alone in a scene, and where it stands in it. */
struct stage {
  mo_scene *scene;
  mo_mesh *mesh;
  mo_shape_id shape;
  mo_transform pose;
  mo_aabb bounds; /* in the world, at the start */
};

static mo_mesh *make_mesh(const struct triangles *triangles) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = triangles->positions;
  def.vertex_count = triangles->vertex_count;
  def.indices = triangles->indices;
  def.triangle_count = triangles->triangle_count;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  mo_mesh *mesh;
  check(mo_mesh_create(&def, &mesh), "make a mesh");
  return mesh;
}

static struct stage make_stage(const struct subject *subject) {
  const float size = 10.0f;
  struct stage stage = {.mesh = make_mesh(&subject->now)};
  stage.pose = studio_pose(mo_mesh_bounds(stage.mesh), size);
  mo_scene_def scene_def = mo_default_scene_def();
  check(mo_scene_create(&scene_def, &stage.scene), "make a scene");
  mo_shape_def shape_def = mo_default_shape_def(MO_SHAPE_MESH);
  shape_def.geometry.mesh = stage.mesh;
  shape_def.transform = stage.pose;
  check(mo_scene_add_shape(stage.scene, &shape_def, &stage.shape), "add a shape");
  check(mo_scene_update(stage.scene, NULL), "update the scene");
  check(mo_scene_get_bounds(stage.scene, stage.shape, &stage.bounds), "look at the shape");
  return stage;
}

static void destroy_stage(struct stage *stage) {
  mo_scene_destroy(stage->scene);
  mo_mesh_release(stage->mesh);
}

/* What a frame costs, in seconds of processor time, and what was done for it. */
struct frame_costs {
  double follow;
  double rays;
  uint32_t ray_count;
  mo_mesh_rebuild_info rebuilt;
};

/* Refits the octree to where the vertices are now. All its boxes are tight again, but they may
 * overlap more than when they were built. */
static void refit(struct stage *stage, const struct triangles *now, struct frame_costs *costs) {
  double start = processor_seconds();
  check(mo_mesh_refit(stage->mesh, now->positions, sizeof *now->positions, now->vertex_count, NULL,
                      NULL),
        "refit the mesh");
  costs->follow += processor_seconds() - start;
}

/* Rebuilds what has become bad, at most a tenth of the mesh in one frame, and tells the scene. */
static void rebuild(struct stage *stage, const struct triangles *now, struct frame_costs *costs) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.threshold = 1.25f;
  options.max_triangles = now->triangle_count / 10;
  double start = processor_seconds();
  check(mo_mesh_rebuild_parts(stage->mesh, &options, &costs->rebuilt), "rebuild parts of the mesh");
  check(mo_scene_refresh_shape(stage->scene, stage->shape), "refresh the shape");
  check(mo_scene_update(stage->scene, NULL), "update the scene");
  costs->follow += processor_seconds() - start;
}

/* A ray for each point of a grid over the picture. */
static void cast_rays(const struct stage *stage, const struct camera *camera,
                      struct frame_costs *costs) {
  enum { COLUMNS = 240, ROWS = 160 };
  mo_ray_def ray = mo_default_ray_def();
  ray.origin = camera->position;
  double start = processor_seconds();
  for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
    ray.direction = camera_direction(camera, ((float)(i % COLUMNS) + 0.5f) / COLUMNS,
                                     ((float)(i / COLUMNS) + 0.5f) / ROWS);
    mo_ray_hit hit;
    check(mo_scene_cast_ray(stage->scene, &ray, &hit, NULL), "cast a ray");
  }
  costs->rays += processor_seconds() - start;
  costs->ray_count += COLUMNS * ROWS;
}

/* The pictures. */

static struct camera view_of(const struct settings *settings, const struct stage *stage) {
  mo_aabb box = aabb_grow(stage->bounds, 0.4f); /* it leaves its first bounds a little */
  return camera_look_at_box(box, vec3(0.55f, 0.3f, 1.0f), 0.7f,
                            (float)settings->pictures.width / (float)settings->pictures.height);
}

static void draw_legend(const struct stage *stage, struct picture *picture) {
  char title[80];
  snprintf(title, sizeof title, "%u triangles deform; their octree follows",
           mo_mesh_triangle_count(stage->mesh));
  const struct legend_row rows[] = {
      {LEGEND_RAMP, 0, "boxes refitted: blue still, red moved furthest", upkeep_ramp,
       UPKEEP_RAMP_LENGTH},
      {LEGEND_GLOW, UPKEEP_REBUILT, "yellow: leaves just rebuilt", NULL, 0},
  };
  const struct legend legend = {.title = title, .rows = rows, .row_count = 2, .at_bottom = true};
  legend_draw(&legend, picture);
}

static void take_picture(const struct settings *settings, const struct stage *stage,
                         const struct camera *camera, const struct upkeep_view *view,
                         struct picture *picture) {
  const mo_vec3 cloth = light_of_color(0xe9dfd2);
  const float above_floor = settings->path_count > 0 ? 0.0f : 3.0f; /* a flag flies */
  struct studio studio = {
      .scene = stage->scene,
      .visible = UINT64_MAX,
      .colors = &cloth,
      .glass = studio_no_glass(),
      .middle = vec3(0.0f, -above_floor, 0.0f),
      .radius = 10.0f,
  };
  struct render_def def = {&studio, *camera, settings->pictures.samples, settings->pictures.threads,
                           NULL};
  render(&def, picture);
  struct overlay overlay = {picture, camera};
  upkeep_view_draw(view, &stage->pose, &overlay);
  draw_legend(stage, picture);
}

struct film {
  struct upkeep_view view;
  struct picture picture;
  struct animation animation;
};

static struct film start_film(const struct settings *settings, const struct stage *stage) {
  return (struct film){
      .view = upkeep_view_create(stage->mesh),
      .picture = picture_create(settings->pictures.width, settings->pictures.height),
      .animation = animation_create(settings->pictures.width, settings->pictures.height,
                                    (settings->frames + FRAMES_PER_SHOT - 1) / FRAMES_PER_SHOT),
  };
}

static void end_film(struct film *film, const char *folder) {
  progress_clear();
  animation_write_gif(&film->animation, (double)FRAMES_PER_SECOND / FRAMES_PER_SHOT, folder,
                      "deform.gif");
  picture_write_png(&film->picture, folder, "deform.png");
  animation_destroy(&film->animation);
  picture_destroy(&film->picture);
  upkeep_view_destroy(&film->view);
}

/* The run. */

static void print_row(uint32_t frame, const struct frame_costs *costs) {
  progress_clear();
  printf("%5u %11.3f %11u %11.2f %9.2f\n", frame, 1e3 * costs->follow,
         costs->rebuilt.triangle_count, costs->rebuilt.quality.degradation,
         1e-6 * costs->ray_count / costs->rays);
}

static void run(const struct settings *settings) {
  struct subject subject = settings->path_count > 0
                               ? subject_load(settings->paths, settings->path_count, settings->up)
                               : subject_make_flag(settings->cells);
  struct stage stage = make_stage(&subject);
  struct camera camera = view_of(settings, &stage);
  struct film film = {0};
  if (settings->pictures.output != NULL) {
    film = start_film(settings, &stage);
  }

  printf("%u triangles; processor time:\n%5s %11s %11s %11s %9s\n", subject.now.triangle_count,
         "frame", "follow, ms", "rebuilt", "degradation", "Mray/s");
  double total = 0.0, worst = 0.0;
  for (uint32_t frame = 1; frame <= settings->frames; frame++) {
    struct frame_costs costs = {0};
    subject_animate(&subject, (float)frame / FRAMES_PER_SECOND);
    refit(&stage, &subject.now, &costs);
    if (settings->pictures.output != NULL) {
      upkeep_view_note_refit(&film.view, stage.mesh);
    }
    rebuild(&stage, &subject.now, &costs);
    if (settings->pictures.output != NULL) {
      upkeep_view_note_rebuild(&film.view, stage.mesh);
    }
    cast_rays(&stage, &camera, &costs);
    total += costs.follow;
    worst = fmax(worst, costs.follow);
    if (frame % 10 == 0 || frame == settings->frames) {
      print_row(frame, &costs);
    }
    if (settings->pictures.output != NULL && (frame - 1) % FRAMES_PER_SHOT == 0) {
      progress_show("frame %u of %u", frame, settings->frames);
      take_picture(settings, &stage, &camera, &film.view, &film.picture);
      animation_add(&film.animation, &film.picture);
    }
  }
  progress_clear();
  printf("following the mesh took %.3f ms a frame, %.3f at most, of the %.1f ms there are\n",
         1e3 * total / settings->frames, 1e3 * worst, 1e3 / FRAMES_PER_SECOND);
  if (settings->pictures.output != NULL) {
    end_film(&film, settings->pictures.output);
  }
  destroy_stage(&stage);
  subject_destroy(&subject);
}

/* Options. */

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case 'c':
    settings->cells = argument_count(state, key, argument, 3, 4000);
    return 0;
  case 'f':
    settings->frames = argument_count(state, key, argument, 1, 100000);
    return 0;
  case 'u':
    settings->up = argument_direction(state, key, argument);
    return 0;
  case ARGP_KEY_ARG:
    settings->paths[settings->path_count++] = argument;
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
      {"frames", 'f', "N", 0, "Frames, sixty a second (120)", 0},
      {"cells", 'c', "N", 0, "Cells along the flag (300: 120,000 triangles)", 0},
      {"up", 'u', "X,Y,Z", 0, "Direction that is up in the files of the frames (0,1,0)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp argp = {
      known,
      parse,
      "[FRAME...]",
      "Follows a mesh that deforms, and shows its octree: a flag, or the frames given. Draws "
      "deform.gif, and its last picture as deform.png.",
      children,
      NULL,
      NULL};
  struct settings settings = {
      .paths = allocate((size_t)argc, sizeof(char *)),
      .cells = 300,
      .frames = 120,
      .up = {0.0f, 1.0f, 0.0f},
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
  free(settings.paths);
  return EXIT_SUCCESS;
}
