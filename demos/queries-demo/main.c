/* queries-demo: pictures kinds of queries, each once, by the engine's own rays.
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
#include "common/picture_options.h"
#include "common/render.h"
#include "common/vector.h"
#include "queries-demo/panels.h"

enum { COLUMNS = 3 };

static void draw_panel(const struct picture_options *options, const struct panel *panel,
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
                                            (float)options->width / (float)options->height);
  struct render_def def = {&studio, camera, options->samples, options->threads, panel->file};
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

static void run(const struct picture_options *options) {
  struct picture picture = picture_create(options->width, options->height);
  struct picture sheet =
      picture_create(COLUMNS * options->width, PANEL_COUNT / COLUMNS * options->height);
  for (uint32_t i = 0; i < PANEL_COUNT; i++) {
    char name[64];
    snprintf(name, sizeof name, "query-%s.png", panels[i].file);
    draw_panel(options, &panels[i], &picture);
    picture_write_png(&picture, options->output, name);
    place(&picture, i, &sheet);
  }
  picture_write_png(&sheet, options->output, "queries.png");
  picture_destroy(&sheet);
  picture_destroy(&picture);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  (void)argument;
  if (key != ARGP_KEY_INIT) {
    return ARGP_ERR_UNKNOWN;
  }
  state->child_inputs[0] = state->input;
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp argp = {NULL,     parse, NULL, "Pictures kinds of queries, each once.",
                                   children, NULL,  NULL};
  struct picture_options options = {
      .output = "query-pictures", .width = 400, .height = 260, .samples = 16};
  error_t error = argp_parse(&argp, argc, argv, 0, NULL, &options);
  if (error != 0) {
    fail("cannot read the options: %s", strerror(error));
  }
  folder_make(options.output);
  run(&options);
  return EXIT_SUCCESS;
}
