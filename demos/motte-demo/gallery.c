#include "motte-demo/gallery.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/folder.h"
#include "common/legend.h"
#include "common/overlay.h"
#include "common/render.h"
#include "common/vector.h"
#include "motte-demo/views.h"

/* The animation has half of the stills' size and every second frame of the run, or fewer of a long
 * one. */
static const float animation_scale = 0.5f;
static const double animation_rate = 15.0; /* shots per second */
enum { SHOTS = 100, ANIMATION_SAMPLES = 6 };

static uint32_t frames_per_shot(uint32_t frame_count) {
  uint32_t frames = (frame_count + SHOTS - 1) / SHOTS;
  return frames > 2 ? frames : 2;
}

struct gallery gallery_open(const struct options *options, const struct simulation *simulation) {
  folder_make(options->pictures.output);
  uint32_t width = (uint32_t)(animation_scale * (float)options->pictures.width);
  uint32_t height = (uint32_t)(animation_scale * (float)options->pictures.height);
  return (struct gallery){
      .options = options,
      .simulation = simulation,
      .colors = allocate(simulation->crowd.count, sizeof(mo_vec3)),
      .frame = picture_create(width, height),
      .animation = animation_create(width, height, SHOTS),
  };
}

/* Red is dark and amber light, so that they are told apart without colours, too. */
enum color { CLAY = 0x8d96a6, AMBER = 0xffc832, RED = 0xd81e2c, ICE = 0x8fd3ff, WHITE = 0xffffff };

/* Gentle colours for the crowd, one after the other. */
static void color_by_member(struct gallery *gallery) {
  static const uint32_t palette[] = {0xede7dd, 0xd9775f, 0xf1c27b, 0x7fa99b,
                                     0x6f93b8, 0xb9a0c4, 0xe9e1d2, 0xd8d3cc};
  enum { COLORS = sizeof palette / sizeof palette[0] };
  for (uint32_t i = 0; i < gallery->simulation->crowd.count; i++) {
    gallery->colors[i] = light_of_color(palette[i % COLORS]);
  }
}

static void color_all(struct gallery *gallery, enum color color) {
  for (uint32_t i = 0; i < gallery->simulation->crowd.count; i++) {
    gallery->colors[i] = light_of_color(color);
  }
}

static uint32_t member_of(const struct crowd *crowd, mo_shape_id shape) {
  mo_shape_def def;
  check(mo_scene_get_shape(crowd->scene, shape, &def), "look at a shape");
  return (uint32_t)def.user_data;
}

static void color_shapes(struct gallery *gallery, const mo_shape_id *shapes, uint32_t count,
                         enum color color) {
  for (uint32_t i = 0; i < count; i++) {
    gallery->colors[member_of(&gallery->simulation->crowd, shapes[i])] = light_of_color(color);
  }
}

static struct studio studio_of(const struct gallery *gallery) {
  const struct crowd *crowd = &gallery->simulation->crowd;
  return (struct studio){
      .scene = crowd->scene,
      .visible = CROWD_SOLID,
      .colors = gallery->colors,
      .glass = studio_no_glass(),
      .middle = vec3(0.0f, crowd->region.lower.y - 3.0f, 0.0f),
      .radius = 0.5f * vec3_length(aabb_size(crowd->region)),
  };
}

static float aspect_of(const struct gallery *gallery) {
  return (float)gallery->options->pictures.width / (float)gallery->options->pictures.height;
}

static void draw_studio(const struct gallery *gallery, const struct studio *studio,
                        const struct camera *camera, const char *name, uint32_t samples,
                        struct picture *picture) {
  struct render_def def = {
      .studio = studio,
      .camera = *camera,
      .samples = samples,
      .threads = gallery->options->pictures.threads,
      .name = name,
  };
  render(&def, picture);
}

static void draw_legend_of_octree(struct picture *picture) {
  const struct legend_row rows[] = {
      {LEGEND_RAMP, 0, "blue: few shapes ... red: full", tree_ramp, TREE_RAMP_LENGTH},
  };
  const struct legend legend = {.title = "Leaf cells of the shape octree",
                                .rows = rows,
                                .row_count = 1,
                                .at_bottom = true,
                                .at_right = true};
  legend_draw(&legend, picture);
}

void gallery_shoot_octree(struct gallery *gallery) {
  const char *name = "octree.png";
  struct picture picture =
      picture_create(gallery->options->pictures.width, gallery->options->pictures.height);
  struct camera camera = view_of_crowd(&gallery->simulation->crowd, aspect_of(gallery));
  struct studio studio = studio_of(gallery);
  color_by_member(gallery);
  draw_studio(gallery, &studio, &camera, name, gallery->options->pictures.samples, &picture);
  struct overlay overlay = {&picture, &camera};
  struct pen pen = {.width = 1.3f, .strength = 0.65f, .hidden = 0.16f};
  overlay_leaves(&overlay, studio.scene, &pen);
  draw_legend_of_octree(&picture);
  picture_write_png(&picture, gallery->options->pictures.output, name);
  picture_destroy(&picture);
}

/* Cells reach to infinity on sides without a plane: what lies in the region is drawn. */
static mo_aabb clip_to(mo_aabb cell, mo_aabb region) {
  return (mo_aabb){
      vec3(fmaxf(cell.lower.x, region.lower.x), fmaxf(cell.lower.y, region.lower.y),
           fmaxf(cell.lower.z, region.lower.z)),
      vec3(fminf(cell.upper.x, region.upper.x), fminf(cell.upper.y, region.upper.y),
           fminf(cell.upper.z, region.upper.z)),
  };
}

static void draw_cells(const struct gallery *gallery, const struct overlay *overlay, float width) {
  const struct probe *probe = &gallery->simulation->probe;
  mo_aabb region = aabb_grow(gallery->simulation->crowd.region, 2.0f);
  struct pen pen = {light_of_color(ICE), width, 0.8f, 0.35f};
  for (uint32_t i = 0; i < probe->cell_count; i++) {
    overlay_box(overlay, clip_to(probe->cells[i], region), &pen);
  }
}

static void draw_links(const struct gallery *gallery, const struct overlay *overlay,
                       const mo_shape_id *shapes, uint32_t count, const struct pen *pen) {
  const struct simulation *simulation = gallery->simulation;
  mo_vec3 cube = aabb_center(simulation->probe.box);
  struct pen dot = *pen;
  dot.width *= 4.0f;
  for (uint32_t i = 0; i < count; i++) {
    mo_aabb bounds;
    check(mo_scene_get_bounds(simulation->crowd.scene, shapes[i], &bounds), "look at a shape");
    overlay_line(overlay, cube, aabb_center(bounds), pen);
    overlay_dot(overlay, aabb_center(bounds), &dot);
  }
}

static void draw_legend_of_probe(struct picture *picture) {
  const struct legend_row rows[] = {
      {LEGEND_SURFACE, RED, "red: touches the cube", NULL, 0},
      {LEGEND_SURFACE, AMBER, "amber: in one of these cells, may touch it next", NULL, 0},
      {LEGEND_BOX, ICE, "cells of the shape octree that the cube reaches into", NULL, 0},
  };
  const struct legend legend = {.title = "What a glass cube finds on its way",
                                .rows = rows,
                                .row_count = 3,
                                .at_bottom = true};
  legend_draw(&legend, picture);
}

/* What the cube may touch is amber, what it does touch is red. */
static void draw_probe(struct gallery *gallery, const struct camera *camera, const char *name,
                       uint32_t samples, float line_width, struct picture *picture) {
  const struct probe *probe = &gallery->simulation->probe;
  struct studio studio = studio_of(gallery);
  studio.glass = probe->box;
  color_shapes(gallery, probe->nearby, probe->nearby_count, AMBER);
  color_shapes(gallery, probe->touched, probe->touched_count, RED);
  draw_studio(gallery, &studio, camera, name, samples, picture);

  struct overlay overlay = {picture, camera};
  struct pen edge = {light_of_color(WHITE), 1.6f * line_width, 1.0f, 0.5f};
  struct pen to_nearby = {light_of_color(AMBER), line_width, 0.9f, 0.5f};
  struct pen to_touched = {light_of_color(RED), 1.6f * line_width, 1.0f, 0.7f};
  draw_cells(gallery, &overlay, line_width);
  draw_links(gallery, &overlay, probe->nearby, probe->nearby_count, &to_nearby);
  draw_links(gallery, &overlay, probe->touched, probe->touched_count, &to_touched);
  overlay_box(&overlay, probe->box, &edge);
  draw_legend_of_probe(picture);
}

void gallery_shoot_probe(struct gallery *gallery) {
  const char *name = "probe.png";
  struct picture picture =
      picture_create(gallery->options->pictures.width, gallery->options->pictures.height);
  struct camera camera = view_of_probe(gallery->simulation, aspect_of(gallery));
  color_all(gallery, CLAY);
  draw_probe(gallery, &camera, name, gallery->options->pictures.samples, 1.3f, &picture);
  picture_write_png(&picture, gallery->options->pictures.output, name);
  picture_destroy(&picture);
}

void gallery_film_frame(struct gallery *gallery) {
  const struct simulation *simulation = gallery->simulation;
  if (simulation->frame % frames_per_shot(simulation->frame_count) != 0) {
    return;
  }
  struct camera camera = view_of_crowd(&simulation->crowd, aspect_of(gallery));
  color_all(gallery, CLAY);
  draw_probe(gallery, &camera, NULL, ANIMATION_SAMPLES, 1.0f, &gallery->frame);
  animation_add(&gallery->animation, &gallery->frame);
}

void gallery_close(struct gallery *gallery) {
  if (gallery->animation.frame_count > 0) {
    animation_write_gif(&gallery->animation, animation_rate, gallery->options->pictures.output,
                        "motion.gif");
  }
  animation_destroy(&gallery->animation);
  picture_destroy(&gallery->frame);
  free(gallery->colors);
}
