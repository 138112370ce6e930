/* A mesh that deforms, in a scene, at sixty frames a second: its vertices move, its octree is
 * refitted, parts of it are rebuilt where rays would suffer, and a picture is taken by casting
 * rays.
 *
 *   deform-demo                          a flag in the wind
 *   deform-demo FRAME.ply FRAME.ply ...  any mesh, through these frames and back
 *   deform-demo --output FOLDER          also writes the pictures, as deform.gif */
#include <argp.h>
#include <math.h>
#include <motte/motte.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/clock.h"
#include "common/triangles.h"
#include "common/vector.h"
#include "motte-demo/animation.h"
#include "motte-demo/camera.h"

enum { MAX_KEYS = 256, FRAMES_PER_SECOND = 60 };

struct options {
  const char *keys[MAX_KEYS];
  int key_count;
  int frames;
  uint32_t width, height;
  uint32_t cells; /* along the flag */
  const char *output;
};

/* A flag of 3 by 2, held at its left side. */

static struct triangles make_flag(uint32_t cells) {
  uint32_t columns = cells + 1, rows = cells * 2 / 3 + 1;
  struct triangles flag = {
      .vertex_count = columns * rows,
      .triangle_count = 2 * (columns - 1) * (rows - 1),
  };
  flag.positions = allocate(flag.vertex_count, sizeof *flag.positions);
  flag.indices = allocate(flag.triangle_count, 3 * sizeof *flag.indices);
  uint32_t *next = flag.indices;
  for (uint32_t y = 0; y < rows; y++) {
    for (uint32_t x = 0; x < columns; x++) {
      float step = 3.0f / (float)cells;
      flag.positions[y * columns + x] = vec3(step * (float)x, step * (float)y, 0);
      if (x + 1 < columns && y + 1 < rows) {
        uint32_t a = y * columns + x, b = a + 1, c = a + columns, d = c + 1;
        memcpy(next, (uint32_t[]){a, b, d, a, d, c}, 6 * sizeof *next);
        next += 6;
      }
    }
  }
  return flag;
}

/* Waves run along it, higher where it is free. */
static mo_vec3 blow(mo_vec3 p, float seconds) {
  float freedom = p.x / 3;
  float wave = sinf(4 * p.x + 0.8f * p.y - 7 * seconds) + 0.5f * sinf(9 * p.x - 11 * seconds);
  float flap = 0.3f * sinf(2 * p.y + 5 * seconds);
  return vec3(p.x * (1 - 0.08f * freedom), p.y - 0.1f * freedom * p.x,
              0.25f * freedom * (wave + flap));
}

/* What is animated: the triangles now, and where their vertices come from. */
struct subject {
  struct triangles now;
  struct triangles keys[MAX_KEYS]; /* the flag at rest alone, or the frames that were given */
  int key_count;
};

static struct subject make_subject(const struct options *options) {
  struct subject s = {.key_count = options->key_count > 0 ? options->key_count : 1};
  if (options->key_count == 0) {
    s.keys[0] = make_flag(options->cells);
  }
  for (int k = 0; k < options->key_count; k++) {
    const char *error;
    if (!triangles_load(options->keys[k], &s.keys[k], &error)) {
      fail("%s: %s", options->keys[k], error);
    }
    if (s.keys[k].vertex_count != s.keys[0].vertex_count ||
        s.keys[k].triangle_count != s.keys[0].triangle_count) {
      fail("%s: not the triangles of %s", options->keys[k], options->keys[0]);
    }
  }
  s.now = s.keys[0];
  s.now.positions = allocate(s.now.vertex_count, sizeof *s.now.positions);
  return s;
}

/* Moves the vertices to where they are at a time: as the wind blows, or between two keys, one way
 * through them in a second. */
static void animate(struct subject *s, float seconds) {
  float place = 0;
  int key = 0;
  if (s->key_count > 1) {
    float turn = fmodf(seconds, 2);
    place = (turn > 1 ? 2 - turn : turn) * (float)(s->key_count - 1);
    key = (int)fminf(place, (float)(s->key_count - 2));
  }
  for (uint32_t i = 0; i < s->now.vertex_count; i++) {
    mo_vec3 p = s->keys[key].positions[i];
    s->now.positions[i] = s->key_count == 1
                              ? blow(p, seconds)
                              : vec3_mix(p, s->keys[key + 1].positions[i], place - (float)key);
  }
}

/* One ray per pixel, and one more to the sun from what it hits. Returns how many were cast. */
static size_t take_picture(const mo_scene *scene, const struct camera *camera,
                           struct picture *picture) {
  const mo_vec3 sun = vec3_normalize(vec3(0.4f, 0.5f, 1));
  const mo_vec3 red = light_of_color(0xc0392b), sky = light_of_color(0xdfe7ee);
  size_t rays = 0;
  for (uint32_t y = 0; y < picture->height; y++) {
    for (uint32_t x = 0; x < picture->width; x++) {
      mo_ray_def ray = mo_default_ray_def();
      mo_ray_hit hit;
      ray.origin = camera->position;
      ray.direction = camera_direction(camera, ((float)x + 0.5f) / (float)picture->width,
                                       ((float)y + 0.5f) / (float)picture->height);
      check(mo_scene_cast_ray(scene, &ray, &hit, NULL), "cast a ray");
      rays++;
      mo_vec3 light = sky;
      if (hit.found) {
        bool shaded;
        ray.origin = hit.point;
        ray.direction = sun;
        ray.ignore_triangle_shape = hit.shape;
        ray.ignore_triangle = hit.triangle;
        check(mo_scene_test_ray(scene, &ray, &shaded, NULL), "cast a ray");
        rays++;
        float facing = fabsf(vec3_dot(hit.normal, sun));
        light = vec3_scale(0.25f + (shaded ? 0 : 0.75f * facing), red);
      }
      picture->light[(size_t)y * picture->width + x] = light;
    }
  }
  return rays;
}

/* A mesh of which the vertices will move, alone in a scene. */
static mo_scene *make_scene(const struct triangles *triangles, mo_mesh **mesh, mo_shape_id *shape) {
  mo_mesh_def def = mo_default_mesh_def();
  def.positions = triangles->positions;
  def.vertex_count = triangles->vertex_count;
  def.indices = triangles->indices;
  def.triangle_count = triangles->triangle_count;
  def.build.builder = MO_MESH_BUILDER_SINGLE;
  def.build.deformable = true;
  check(mo_mesh_create(&def, mesh), "make a mesh");
  mo_scene_def scene_def = mo_default_scene_def();
  mo_scene *scene;
  check(mo_scene_create(&scene_def, &scene), "make a scene");
  mo_shape_def shape_def = mo_default_shape_def(MO_SHAPE_MESH);
  shape_def.geometry.mesh = *mesh;
  check(mo_scene_add_shape(scene, &shape_def, shape), "add a shape");
  return scene;
}

/* Everything that a moved mesh asks for. At most a tenth of it is rebuilt in one frame. */
static mo_mesh_rebuild_info follow(mo_scene *scene, mo_mesh *mesh, mo_shape_id shape,
                                   const struct triangles *now) {
  mo_mesh_rebuild_options options = mo_default_mesh_rebuild_options();
  options.max_triangles = now->triangle_count / 10;
  mo_mesh_rebuild_info info = {0};
  check(
      mo_mesh_refit(mesh, now->positions, sizeof *now->positions, now->vertex_count, &info.quality),
      "refit the mesh");
  if (info.quality.degradation > 1.25) {
    check(mo_mesh_rebuild_parts(mesh, &options, &info), "rebuild parts of the mesh");
  }
  check(mo_scene_refresh_shape(scene, shape), "refresh the shape");
  check(mo_scene_update(scene, NULL), "update the scene");
  return info;
}

static void run(const struct options *options) {
  struct subject subject = make_subject(options);
  animate(&subject, 0);
  mo_mesh *mesh;
  mo_shape_id shape;
  mo_scene *scene = make_scene(&subject.now, &mesh, &shape);
  mo_aabb box = mo_mesh_bounds(mesh); /* it will leave that a little */
  box = aabb_grow(box, 0.06f * vec3_length(aabb_size(box)));
  struct camera camera = camera_look_at_box(box, vec3(0.6f, 0.25f, 1), 0.7f,
                                            (float)options->width / (float)options->height);
  struct picture picture = picture_create(options->width, options->height);
  struct animation animation =
      animation_create(options->width, options->height, (uint32_t)options->frames);

  printf("%u triangles\n%5s %11s %11s %11s %9s\n", subject.now.triangle_count, "frame",
         "follow, ms", "rebuilt", "degradation", "Mray/s");
  double total = 0, worst = 0;
  for (int f = 1; f <= options->frames; f++) {
    animate(&subject, (float)f / FRAMES_PER_SECOND);
    double start = clock_seconds();
    mo_mesh_rebuild_info info = follow(scene, mesh, shape, &subject.now);
    double followed = clock_seconds();
    size_t rays = take_picture(scene, &camera, &picture);
    double done = clock_seconds();
    total += followed - start;
    worst = fmax(worst, followed - start);
    if (f % 10 == 0 || f == options->frames) {
      printf("%5d %11.3f %11u %11.2f %9.2f\n", f, 1e3 * (followed - start), info.triangles,
             info.quality.degradation, 1e-6 * (double)rays / (done - followed));
    }
    if (options->output != NULL) {
      animation_add(&animation, &picture);
    }
  }
  printf("following the mesh took %.3f ms a frame, %.3f at most, of the %.1f ms there are\n",
         1e3 * total / options->frames, 1e3 * worst, 1e3 / FRAMES_PER_SECOND);
  if (options->output != NULL) {
    char path[4096];
    snprintf(path, sizeof path, "%s/deform.gif", options->output);
    animation_write_gif(&animation, FRAMES_PER_SECOND / 2, path);
  }

  animation_destroy(&animation);
  picture_destroy(&picture);
  mo_scene_destroy(scene);
  mo_mesh_release(mesh);
  free(subject.now.positions);
  for (int k = 0; k < subject.key_count; k++) {
    triangles_free(&subject.keys[k]);
  }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case 'f':
    options->frames = atoi(argument);
    return options->frames > 0 ? 0 : EINVAL;
  case 'c':
    options->cells = (uint32_t)atoi(argument);
    return options->cells >= 3 && options->cells <= 4000 ? 0 : EINVAL;
  case 's':
    return sscanf(argument, "%ux%u", &options->width, &options->height) == 2 &&
                   options->width > 0 && options->height > 0
               ? 0
               : EINVAL;
  case 'o':
    options->output = argument;
    return 0;
  case ARGP_KEY_ARG:
    if (options->key_count == MAX_KEYS) {
      argp_error(state, "at most %d frames", MAX_KEYS);
    }
    options->keys[options->key_count++] = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

int main(int argc, char **argv) {
  static const struct argp_option known[] = {
      {"frames", 'f', "N", 0, "frames to show, sixty a second (default 120)", 0},
      {"cells", 'c', "N", 0, "cells along the flag (default 300: 120,000 triangles)", 0},
      {"size", 's', "WxH", 0, "of the pictures (default 480x320)", 0},
      {"output", 'o', "FOLDER", 0, "write deform.gif there", 0},
      {0},
  };
  static const struct argp argp = {
      known, parse, "[FRAME...]", "Follows a mesh that deforms: a flag, or the frames given.",
      NULL,  NULL,  NULL};
  struct options options = {.frames = 120, .width = 480, .height = 320, .cells = 300};
  error_t error = argp_parse(&argp, argc, argv, 0, NULL, &options);
  if (error != 0) {
    fail("bad options: %s", strerror(error));
  }
  run(&options);
  return EXIT_SUCCESS;
}
