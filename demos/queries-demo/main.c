/* queries-demo: pictures each query once, by the engine's own rays.
 *
 *   queries-demo --output FOLDER    writes a picture per query, and all of them as queries.png */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arguments.h"
#include "common/check.h"
#include "common/folder.h"
#include "common/legend.h"
#include "common/render.h"
#include "common/vector.h"
#include "queries-demo/panels.h"

enum { COLUMNS = 3 };

struct settings {
  uint32_t width, height, samples, threads;
  const char *output;
};

static void draw_panel(const struct settings *settings, const struct panel *panel,
                       struct picture *picture) {
  struct stage stage = stage_create();
  panel->set(&stage);
  check(mo_scene_update(stage.scene, NULL), "update the scene");
  struct studio studio = {
      .scene = stage.scene,
      .visible = UINT64_MAX,
      .colors = stage.colors,
      .glass = studio_no_glass(),
      .radius = 9.0f,
  };
  const mo_aabb view = {vec3(-6.2f, 0.0f, -3.6f), vec3(6.2f, 4.6f, 3.6f)};
  struct camera camera = camera_look_at_box(view, vec3(0.25f, 0.5f, 0.9f), 0.7f,
                                            (float)settings->width / (float)settings->height);
  struct render_def def = {&studio, camera, settings->samples, settings->threads, panel->file};
  render(&def, picture);
  struct overlay overlay = {picture, &camera};
  if (panel->draw != NULL) {
    panel->draw(&stage, &overlay);
  }
  const struct legend_row row = {LEGEND_SURFACE, panel->color, panel->text, NULL, 0};
  const struct legend legend = {
      .title = panel->title, .rows = &row, .row_count = 1, .at_bottom = true};
  legend_draw(&legend, picture);
  stage_destroy(&stage);
}

/* Copies a picture into its place on the sheet. */
static void place(const struct picture *picture, uint32_t index, struct picture *sheet) {
  uint32_t left = index % COLUMNS * picture->width, top = index / COLUMNS * picture->height;
  for (uint32_t y = 0; y < picture->height; y++) {
    memcpy(&sheet->light[(size_t)(top + y) * sheet->width + left],
           &picture->light[(size_t)y * picture->width], picture->width * sizeof *sheet->light);
  }
}

static void run(const struct settings *settings) {
  struct picture picture = picture_create(settings->width, settings->height);
  struct picture sheet =
      picture_create(COLUMNS * settings->width, PANEL_COUNT / COLUMNS * settings->height);
  for (uint32_t i = 0; i < PANEL_COUNT; i++) {
    char name[64];
    snprintf(name, sizeof name, "query-%s.png", panels[i].file);
    draw_panel(settings, &panels[i], &picture);
    picture_write_png(&picture, settings->output, name);
    place(&picture, i, &sheet);
  }
  picture_write_png(&sheet, settings->output, "queries.png");
  picture_destroy(&sheet);
  picture_destroy(&picture);
}

/* Options. */

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct settings *settings = state->input;
  switch (key) {
  case 's':
    argument_size(state, key, argument, &settings->width, &settings->height);
    return 0;
  case 'a':
    settings->samples = argument_count(state, key, argument, 1, 1024);
    return 0;
  case 'j':
    settings->threads = argument_count(state, key, argument, 1, 1024);
    return 0;
  case 'o':
    settings->output = argument_folder(state, key, argument);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp_option known[] = {
      {"output", 'o', "FOLDER", 0, "Write the pictures there; made if missing (query-pictures)", 0},
      {"size", 's', "WxH", 0, "Size of a picture (400x260)", 0},
      {"samples", 'a', "N", 0, "Samples per pixel (16)", 0},
      {"threads", 'j', "N", 0, "Threads that draw (2)", 0},
      {0},
  };
  static const struct argp argp = {known, parse, NULL, "Pictures each query once.",
                                   NULL,  NULL,  NULL};
  struct settings settings = {
      .width = 400, .height = 260, .samples = 16, .threads = 2, .output = "query-pictures"};
  error_t error = argp_parse(&argp, argc, argv, 0, NULL, &settings);
  if (error != 0) {
    fail("cannot read the options: %s", strerror(error));
  }
  folder_make(settings.output);
  run(&settings);
  return EXIT_SUCCESS;
}
