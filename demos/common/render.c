#include "common/render.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "common/check.h"
#include "common/progress.h"
#include "common/random.h"
#include "common/vector.h"

struct job {
  const struct render_def *def;
  struct picture *picture;
  atomic_uint next_row;
};

static float fraction(float x) {
  return x - floorf(x);
}

/* The samples of a pixel are spread by additive recurrence (Roberts, "The unreasonable
 * effectiveness of quasirandom sequences", 2018): sample i lies at start + i * step in each
 * dimension, wrapped. */
enum { DIMENSIONS = 6 };
static const float steps[DIMENSIONS] = {
    0.75487767f, 0.56984029f, /* place in the pixel */
    0.81917251f, 0.67104360f, /* sun */
    0.54970047f, 0.85667488f, /* sky */
};

static struct sight sight_of_sample(const struct camera *camera, const struct picture *picture,
                                    uint32_t x, uint32_t y, const float at[DIMENSIONS]) {
  float picture_x = ((float)x + at[0]) / (float)picture->width;
  float picture_y = ((float)y + at[1]) / (float)picture->height;
  return (struct sight){
      .origin = camera->position,
      .direction = camera_direction(camera, picture_x, picture_y),
      .sun = {at[2], at[3]},
      .sky = {at[4], at[5]},
  };
}

/* A pixel shows the mean of its samples. Very bright ones are cut, or else edges would not blend.
 */
static void render_pixel(const struct render_def *def, struct picture *picture, uint32_t x,
                         uint32_t y) {
  size_t pixel = (size_t)y * picture->width + x;
  struct random_stream random = random_from_seed(pixel);
  float at[DIMENSIONS];
  for (int d = 0; d < DIMENSIONS; d++) {
    at[d] = random_between(&random, 0.0f, 1.0f);
  }
  mo_vec3 sum = vec3(0.0f, 0.0f, 0.0f);
  float nearest = INFINITY;
  for (uint32_t i = 0; i < def->samples; i++) {
    struct sight sight = sight_of_sample(&def->camera, picture, x, y, at);
    float distance;
    mo_vec3 light = studio_light(def->studio, &sight, &distance);
    sum = vec3_add(sum, vec3(fminf(light.x, 1.0f), fminf(light.y, 1.0f), fminf(light.z, 1.0f)));
    nearest = fminf(nearest, distance * vec3_dot(sight.direction, def->camera.forward));
    for (int d = 0; d < DIMENSIONS; d++) {
      at[d] = fraction(at[d] + steps[d]);
    }
  }
  picture->light[pixel] = vec3_scale(1.0f / (float)def->samples, sum);
  picture->depth[pixel] = nearest;
}

static int render_rows(void *context) {
  struct job *job = context;
  struct picture *picture = job->picture;
  for (;;) {
    uint32_t y = atomic_fetch_add(&job->next_row, 1);
    if (y >= picture->height) {
      return 0;
    }
    for (uint32_t x = 0; x < picture->width; x++) {
      render_pixel(job->def, picture, x, y);
    }
    if (job->def->name != NULL) {
      progress_show("drawing %s: %u %%", job->def->name, 100 * (y + 1) / picture->height);
    }
  }
}

void render(const struct render_def *def, struct picture *picture) {
  struct job job = {.def = def, .picture = picture};
  thrd_t *helpers = allocate(def->threads, sizeof(thrd_t));
  uint32_t started = 0;
  while (started + 1 < def->threads &&
         thrd_create(&helpers[started], render_rows, &job) == thrd_success) {
    started++;
  }
  render_rows(&job);
  for (uint32_t i = 0; i < started; i++) {
    thrd_join(helpers[i], NULL);
  }
  free(helpers);
}
