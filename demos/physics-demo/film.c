#include "physics-demo/film.h"

#include <stdio.h>

#include "common/folder.h"
#include "common/progress.h"
#include "common/render.h"
#include "common/vector.h"

enum { FRAMES_PER_SECOND = 15 };

struct film film_open(const struct stage *stage) {
  const struct options *options = stage->options;
  folder_make(options->pictures.output);
  return (struct film){
      .stage = stage,
      .picture = picture_create(options->pictures.width, options->pictures.height),
      .animation = animation_create(options->pictures.width, options->pictures.height,
                                    FRAMES_PER_SECOND * options->scene->film_seconds),
  };
}

static void take_picture(struct film *film, uint32_t samples) {
  const struct stage *stage = film->stage;
  const struct options *options = stage->options;
  const struct scene *scene = options->scene;
  float scale = stage->scale;
  struct studio studio = {
      .scene = stage->world->scene,
      .visible = SEEN,
      .colors = stage->world->colors,
      .glass = studio_no_glass(),
      .middle = vec3(0.0f, scene->floor * scale, 0.0f),
      .radius = scene->radius * scale,
  };
  struct render_def def = {
      .studio = &studio,
      .camera = camera_look_at(vec3_scale(scale, scene->eye), vec3_scale(scale, scene->target),
                               scene->field_of_view,
                               (float)options->pictures.width / (float)options->pictures.height),
      .samples = samples,
      .threads = options->pictures.threads,
  };
  render(&def, &film->picture);
}

void film_follow(struct film *film) {
  const struct options *options = film->stage->options;
  const struct scene *scene = options->scene;
  uint32_t interval = scene->steps_per_second / FRAMES_PER_SECOND;
  film->step++;
  if (film->step % interval == 0 && film->animation.frame_count < film->animation.frame_capacity) {
    take_picture(film, options->pictures.samples);
    animation_add(&film->animation, &film->picture);
    progress_show("drawing frame %u of %u", film->animation.frame_count,
                  film->animation.frame_capacity);
  }
  if (film->step == scene->still_seconds * scene->steps_per_second) {
    char name[64];
    take_picture(film, 4 * options->pictures.samples);
    snprintf(name, sizeof name, "physics-%s.png", scene->name);
    progress_clear();
    picture_write_png(&film->picture, options->pictures.output, name);
  }
}

void film_close(struct film *film) {
  const struct options *options = film->stage->options;
  char name[64];
  snprintf(name, sizeof name, "physics-%s.gif", options->scene->name);
  progress_clear();
  if (film->animation.frame_count > 0) {
    animation_write_gif(&film->animation, FRAMES_PER_SECOND, options->pictures.output, name);
  }
  animation_destroy(&film->animation);
  picture_destroy(&film->picture);
}
