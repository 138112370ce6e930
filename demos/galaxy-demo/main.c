/* galaxy-demo: thousands of shapes in motion, all of them in every frame, and the shape octree that
 * follows them. A shape lights up when it has left its cell and was reinserted in another; the
 * others stay where they are in the tree. No frame rebuilds it.
 *
 *   galaxy-demo                     prints what a frame costs
 *   galaxy-demo --output FOLDER     and writes the pictures, as galaxy.gif and galaxy.png
 *   galaxy-demo --tree loose        with another policy of placement */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/animation.h"
#include "common/arguments.h"
#include "common/check.h"
#include "common/clock.h"
#include "common/folder.h"
#include "common/legend.h"
#include "common/overlay.h"
#include "common/picture_options.h"
#include "common/progress.h"
#include "common/render.h"
#include "common/vector.h"
#include "galaxy-demo/galaxy.h"
#include "galaxy-demo/homes.h"

enum { FRAMES_PER_SECOND = 20, YELLOW = 0xffe23d };

struct settings {
  uint32_t shapes, frames;
  mo_tree_policy policy;
  struct picture_options pictures;
};

/* What the pictures show. */
struct view {
  struct camera camera;
  mo_vec3 *colors; /* by star */
  float *glow;     /* by star: 1 when it was reinserted, less from frame to frame */
};

static struct view make_view(const struct settings *settings, const struct galaxy *galaxy) {
  float r = galaxy->radius;
  mo_aabb disk = {vec3(-1.03f * r, -0.2f * r, -1.03f * r), vec3(1.03f * r, 0.12f * r, 1.03f * r)};
  return (struct view){
      .camera =
          camera_look_at_box(disk, vec3(0.25f, 0.62f, 0.9f), 0.7f,
                             (float)settings->pictures.width / (float)settings->pictures.height),
      .colors = allocate(galaxy->count, sizeof(mo_vec3)),
      .glow = allocate(galaxy->count, sizeof(float)),
  };
}

static void destroy_view(struct view *view) {
  free(view->colors);
  free(view->glow);
}

/* Lights up the shapes that have changed cells, and lets the others fade. */
static void light_up(struct view *view, const struct galaxy *galaxy, const struct homes *homes) {
  const mo_vec3 inner = light_of_color(0xdfe5ee), outer = light_of_color(0x3f6aa8);
  const mo_vec3 flash = {4.0f, 3.0f, 0.2f};
  for (uint32_t i = 0; i < galaxy->count; i++) {
    bool reinserted = homes->is_new[galaxy->ids[i].index];
    view->glow[i] = reinserted ? 1.0f : 0.6f * view->glow[i];
    mo_vec3 own = vec3_mix(inner, outer, galaxy->stars[i].orbit / galaxy->radius);
    view->colors[i] = vec3_mix(own, flash, view->glow[i]);
  }
}

/* A halo, so that small shapes are seen to light up. */
static void draw_flashes(const struct overlay *overlay, const struct view *view,
                         const struct galaxy *galaxy) {
  struct pen pen = {
      .light = light_of_color(YELLOW),
      .width = 0.008f * (float)overlay->picture->width,
      .hidden = 0.25f,
  };
  for (uint32_t i = 0; i < galaxy->count; i++) {
    if (view->glow[i] > 0.05f) {
      pen.strength = 0.6f * view->glow[i];
      overlay_dot(overlay, galaxy->transforms[i].origin, &pen);
    }
  }
}

static void draw_legend(const struct galaxy *galaxy, struct picture *picture) {
  char title[80];
  snprintf(title, sizeof title, "%u shapes, all of them moving", galaxy->count);
  const struct legend_row rows[] = {
      {LEGEND_RAMP, 0, "cells of the octree; blue: few shapes, red: full", tree_ramp,
       TREE_RAMP_LENGTH},
      {LEGEND_GLOW, YELLOW, "yellow: just reinserted in another cell", NULL, 0},
  };
  const struct legend legend = {.title = title, .rows = rows, .row_count = 2, .at_bottom = true};
  legend_draw(&legend, picture);
}

static void take_picture(const struct settings *settings, const struct galaxy *galaxy,
                         const struct view *view, struct picture *picture) {
  struct studio studio = {
      .scene = galaxy->scene,
      .visible = UINT64_MAX,
      .colors = view->colors,
      .glass = studio_no_glass(),
      .middle = vec3(0.0f, -0.24f * galaxy->radius, 0.0f),
      .radius = galaxy->radius,
  };
  struct render_def def = {
      .studio = &studio,
      .camera = view->camera,
      .samples = settings->pictures.samples,
      .threads = settings->pictures.threads,
  };
  render(&def, picture);
  struct overlay overlay = {picture, &view->camera};
  struct pen pen = {.width = 1.0f, .strength = 0.22f, .hidden = 0.3f};
  overlay_leaves(&overlay, galaxy->scene, &pen);
  draw_flashes(&overlay, view, galaxy);
  draw_legend(galaxy, picture);
}

static mo_scene_stats stats_of(const struct galaxy *galaxy) {
  mo_scene_stats stats;
  check(mo_scene_get_stats(galaxy->scene, &stats), "read the statistics");
  return stats;
}

static void print_row(uint32_t frame, double seconds, uint32_t seen, const mo_scene_stats *before,
                      const mo_scene_stats *after) {
  progress_clear();
  printf("%5u %10.3f %8llu %10llu %10u %7llu %7llu %7u %6u\n", frame, 1e3 * seconds,
         (unsigned long long)(after->stayed_move_count - before->stayed_move_count),
         (unsigned long long)(after->reinsert_count - before->reinsert_count), seen,
         (unsigned long long)(after->split_count - before->split_count),
         (unsigned long long)(after->merge_count - before->merge_count), after->leaf_count,
         after->max_depth);
}

static void write_pictures(const struct settings *settings, const struct animation *animation,
                           const struct picture *last) {
  animation_write_gif(animation, FRAMES_PER_SECOND, settings->pictures.output, "galaxy.gif");
  picture_write_png(last, settings->pictures.output, "galaxy.png");
}

static void run(const struct settings *settings) {
  mo_scene_def def = mo_default_scene_def();
  def.tree.policy = settings->policy;
  struct galaxy galaxy = galaxy_create(settings->shapes, 1, &def);
  struct homes homes = homes_create(galaxy.scene);
  struct view view = make_view(settings, &galaxy);
  struct picture picture = picture_create(settings->pictures.width, settings->pictures.height);
  struct animation animation =
      animation_create(settings->pictures.width, settings->pictures.height,
                       settings->pictures.output != NULL ? settings->frames : 0);

  printf("%u shapes, all of them moving; processor time:\n", galaxy.count);
  printf("%5s %10s %8s %10s %10s %7s %7s %7s %6s\n", "frame", "update, ms", "stay", "reinserted",
         "new cells", "splits", "merges", "leaves", "depth");
  double total = 0.0;
  for (uint32_t frame = 1; frame <= settings->frames; frame++) {
    galaxy_compute(&galaxy, (float)frame / FRAMES_PER_SECOND);
    mo_scene_stats before = stats_of(&galaxy);
    double start = processor_seconds();
    galaxy_move(&galaxy);
    double seconds = processor_seconds() - start;
    mo_scene_stats after = stats_of(&galaxy);
    total += seconds;
    uint32_t seen = homes_follow(&homes, galaxy.scene);
    if (frame % 10 == 0 || frame == settings->frames) {
      print_row(frame, seconds, seen, &before, &after);
    }
    if (settings->pictures.output != NULL) {
      progress_show("frame %u of %u", frame, settings->frames);
      light_up(&view, &galaxy, &homes);
      take_picture(settings, &galaxy, &view, &picture);
      animation_add(&animation, &picture);
    }
  }
  progress_clear();
  printf("a frame took %.3f ms, %.0f ns per shape; the tree was rebuilt %llu times\n",
         1e3 * total / settings->frames, 1e9 * total / settings->frames / galaxy.count,
         (unsigned long long)stats_of(&galaxy).rebuild_count);
  if (settings->pictures.output != NULL) {
    write_pictures(settings, &animation, &picture);
  }

  animation_destroy(&animation);
  picture_destroy(&picture);
  destroy_view(&view);
  homes_destroy(&homes);
  galaxy_destroy(&galaxy);
}

/* Options. */

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case 'n':
    settings->shapes = argument_count(state, key, argument, 1, 10000000);
    return 0;
  case 'f':
    settings->frames = argument_count(state, key, argument, 1, 100000);
    return 0;
  case 't':
    settings->policy = argument_policy(state, key, argument);
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
      {"shapes", 'n', "N", 0, "Shapes in the galaxy (3000)", 0},
      {"frames", 'f', "N", 0, "Frames, twenty a second (40)", 0},
      {"tree", 't', "TREE", 0, "irregular, loose or midpoint (irregular)", 0},
      {0},
  };
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp argp = {known,
                                   parse,
                                   NULL,
                                   "Follows thousands of shapes that move, and shows the shape "
                                   "octree. Draws galaxy.gif, and its "
                                   "last picture as galaxy.png.",
                                   children,
                                   NULL,
                                   NULL};
  struct settings settings = {
      .shapes = 3000, .frames = 40, .pictures = {.width = 960, .height = 540, .samples = 4}};
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
