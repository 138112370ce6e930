/* Files of BART, .aff: words and numbers after one another, with comments to the end of a line.
 *
 * Of a scene the geometry below each joint becomes one mesh, with static transforms applied; equal
 * meshes are one. Spheres and cones become triangles. Colours, textures and normals are skipped. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "animation_build.h"
#include "common/check.h"
#include "grow.h"
#include "text.h"

enum { MAX_DEPTH = 256, MAX_CORNERS = 4096 };

/* Of all files of a scene. */
typedef struct scene_reader {
  bench_animation *animation;
  uint32_t detail, depth; /* of blocks and files in each other */
  bool has_view, has_times;
} scene_reader;

/* One file. */
typedef struct reader {
  scene_reader *scene;
  const char *path, *text, *at; /* `at` is behind the last word */
  const char *word;             /* where it begins */
} reader;

/* Words. */

static size_t line_of(const reader *self) {
  size_t line = 1;
  for (const char *c = self->text; c < self->word; c++) {
    line += *c == '\n';
  }
  return line;
}

#define FAIL(self, ...) bench_fail_at((self)->path, line_of(self), __VA_ARGS__)

/* The next word, of a length of 0 at the end of the file. A brace is a word. */
static size_t next_word(reader *self) {
  const char *c = self->at;
  while (isspace((unsigned char)*c) || *c == '#' || *c == '%') {
    c += *c == '#' || *c == '%' ? strcspn(c, "\n") : 1;
  }
  self->word = c;
  size_t length = *c == '{' || *c == '}' ? 1 : strcspn(c, " \t\r\n\f\v{}");
  self->at = c + length;
  return length;
}

static bool word_is(const reader *self, const char *word) {
  size_t length = (size_t)(self->at - self->word);
  return strlen(word) == length && strncmp(self->word, word, length) == 0;
}

static void expect(reader *self, const char *word) {
  next_word(self);
  if (!word_is(self, word)) {
    FAIL(self, "expected \"%s\", found \"%.*s\"", word, (int)(self->at - self->word), self->word);
  }
}

/* For free(). */
static char *read_name(reader *self, const char *what) {
  size_t length = next_word(self);
  if (length == 0 || word_is(self, "{") || word_is(self, "}")) {
    FAIL(self, "expected %s", what);
  }
  return bench_format("%.*s", (int)length, self->word);
}

/* Whether the word is a number, as a whole and finite. */
static bool parse_number(const reader *self, double *number) {
  char *end;
  *number = strtod(self->word, &end);
  return end == self->at && end > self->word && isfinite(*number);
}

static double read_number(reader *self) {
  double number;
  next_word(self);
  if (!parse_number(self, &number)) {
    FAIL(self, "expected a number, found \"%.*s\"", (int)(self->at - self->word), self->word);
  }
  return number;
}

static void read_numbers(reader *self, double *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    numbers[i] = read_number(self);
  }
}

static void skip_numbers(reader *self, size_t count) {
  for (size_t i = 0; i < count; i++) {
    read_number(self);
  }
}

static uint32_t read_count(reader *self, uint32_t min, uint32_t max) {
  double number = read_number(self);
  if (!(number >= min && number <= max) || number != floor(number)) {
    FAIL(self, "%g is no whole number from %u to %u", number, min, max);
  }
  return (uint32_t)number;
}

/* Skips a colour, if there is one. */
static void skip_color(reader *self) {
  const char *before = self->at;
  double number;
  next_word(self);
  bool is_number = parse_number(self, &number);
  self->at = before;
  if (is_number) {
    skip_numbers(self, 3);
  }
}

/* Triangles. */

static uint32_t read_point(reader *self, const bench_place *around) {
  double p[3];
  read_numbers(self, p, 3);
  uint32_t index = bench_build_point(around, p);
  if (index == BENCH_NO_INDEX) {
    FAIL(self, "a point that is out of range");
  }
  return index;
}

/* A convex polygon as a fan; after each corner some numbers are skipped. */
static void read_polygon(reader *self, const bench_place *around, uint32_t corners,
                         size_t skipped) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < corners; i++) {
    uint32_t index = read_point(self, around);
    skip_numbers(self, skipped);
    first = i == 0 ? index : first;
    if (i >= 2) {
      bench_build_triangle(around, first, index - 1, index);
    }
  }
}

/* Of each triangle three vertices, and as many normals and texture coordinates as there are. */
static void read_mesh(reader *self, const bench_place *around) {
  uint32_t first = 0, others[2] = {0, 0};
  expect(self, "vertices");
  uint32_t count = read_count(self, 1, 1u << 26);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t index = read_point(self, around);
    first = i == 0 ? index : first;
  }
  next_word(self);
  if (word_is(self, "normals")) {
    others[0] = read_count(self, 1, 1u << 26);
    skip_numbers(self, 3 * (size_t)others[0]);
    next_word(self);
  }
  if (word_is(self, "texturecoords")) {
    others[1] = read_count(self, 1, 1u << 26);
    free(read_name(self, "the name of a texture"));
    skip_numbers(self, 2 * (size_t)others[1]);
    next_word(self);
  }
  if (!word_is(self, "triangles")) {
    FAIL(self, "a mesh has no \"triangles\"");
  }
  for (uint32_t left = read_count(self, 1, 1u << 26); left > 0; left--) {
    uint32_t corner[3];
    for (int i = 0; i < 3; i++) {
      corner[i] = first + read_count(self, 0, count - 1);
    }
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3 && others[i] > 0; k++) {
        read_count(self, 0, others[i] - 1);
      }
    }
    bench_build_triangle(around, corner[0], corner[1], corner[2]);
  }
}

static void read_sphere(reader *self, const bench_place *around) {
  double sphere[4];
  read_numbers(self, sphere, 4);
  if (!bench_build_sphere(around, sphere)) {
    FAIL(self, "a sphere that is out of range");
  }
}

static void read_cone(reader *self, const bench_place *around) {
  double base[4], apex[4];
  read_numbers(self, base, 4);
  read_numbers(self, apex, 4);
  if (!bench_build_cone(around, base, apex)) {
    FAIL(self, "a cone without length, or out of range");
  }
}

static void read_deforming(reader *self, const bench_place *around) {
  double before = -INFINITY;
  bench_build_deforming(around);
  for (uint32_t left = read_count(self, 1, 1u << 20); left > 0; left--) {
    double time = read_number(self), corners[3][3];
    if (!(time > before)) {
      FAIL(self, "times do not rise");
    }
    before = time;
    for (int i = 0; i < 3; i++) {
      read_numbers(self, corners[i], 3);
      skip_numbers(self, 3);
    }
    if (!bench_build_pose(around, time, corners)) {
      FAIL(self, "a point that is out of range");
    }
  }
}

/* Key frames. */

/* Those of a name, without keys until they are read. */
static uint32_t find_tracks(bench_animation *animation, const char *name) {
  for (uint32_t i = 0; i < animation->track_count; i++) {
    if (strcmp(animation->tracks[i].name, name) == 0) {
      return i;
    }
  }
  if (animation->track_count == animation->track_capacity) {
    animation->tracks =
        bench_grow(animation->tracks, &animation->track_capacity, sizeof *animation->tracks);
  }
  animation->tracks[animation->track_count] = (bench_tracks){.name = bench_format("%s", name)};
  return (uint32_t)animation->track_count++;
}

static void read_value(reader *self, bench_key *key, bool is_rotation) {
  double numbers[4];
  read_numbers(self, numbers, is_rotation ? 4 : 3);
  if (!is_rotation) {
    memcpy(key->value, numbers, 3 * sizeof *numbers);
  } else if (!bench_rotation_about(numbers, numbers[3], key->value)) {
    FAIL(self, "a rotation without an axis");
  }
}

/* Into the same half of all rotations as the one before. */
static void align(const bench_key *before, bench_key *key) {
  double dot = 0;
  for (int i = 0; i < 4; i++) {
    dot += before->value[i] * key->value[i];
  }
  for (int i = 0; i < 4 && dot < 0; i++) {
    key->value[i] = -key->value[i];
  }
}

/* Unless it is not in order of time. */
static void add_key(bench_track *track, const bench_key *key, bool is_rotation) {
  size_t count = track->count;
  if ((count > 0 && !(key->time >= track->key[count - 1].time)) ||
      (count > 1 && !(key->time > track->key[count - 2].time))) {
    return;
  }
  if (count == track->capacity) {
    track->key = bench_grow(track->key, &track->capacity, sizeof *track->key);
  }
  track->key[count] = *key;
  if (is_rotation && count > 0) {
    align(&track->key[count - 1], &track->key[count]);
  }
  track->count++;
}

/* Some lists of BART's robots begin again at their end: that is left out. */
static void read_track(reader *self, bench_track *track, bool is_rotation) {
  if (track->count > 0) {
    FAIL(self, "the same kind of key frames a second time");
  }
  uint32_t count = read_count(self, 4, 1u << 20);
  for (uint32_t i = 0; i < count; i++) {
    bench_key key = {.time = read_number(self)};
    read_value(self, &key, is_rotation);
    key.tension = read_number(self);
    key.continuity = read_number(self);
    key.bias = read_number(self);
    add_key(track, &key, is_rotation);
  }
  if (track->count < 4) {
    FAIL(self, "fewer than four key frames in order of time");
  }
  if (track->count < count) {
    bench_progress("%s:%zu: %zu of %u key frames are not in order of time and left out", self->path,
                   line_of(self), count - track->count, count);
  }
}

/* A name again takes the place of what it was: a file with it may be included several times. */
static void read_key_frames(reader *self) {
  bench_animation *animation = self->scene->animation;
  char *name = read_name(self, "the name of key frames");
  uint32_t index = find_tracks(animation, name);
  bench_tracks *tracks = &animation->tracks[index];
  tracks->translation.count = tracks->rotation.count = tracks->scale.count = 0;
  if (strcmp(name, "camera") == 0) {
    animation->camera_tracks = index;
  }
  free(name);
  expect(self, "{");
  while (next_word(self), !word_is(self, "}")) {
    if (word_is(self, "transl")) {
      read_track(self, &tracks->translation, false);
    } else if (word_is(self, "rot")) {
      read_track(self, &tracks->rotation, true);
    } else if (word_is(self, "scale")) {
      read_track(self, &tracks->scale, false);
    } else if (word_is(self, "visibility")) {
      FAIL(self, "objects that appear and vanish are not supported");
    } else {
      FAIL(self, "expected transl, rot, scale or }");
    }
  }
}

/* Statements. */

static void read_view(reader *self) {
  double from[3], at[3], up[3];
  expect(self, "from");
  read_numbers(self, from, 3);
  expect(self, "at");
  read_numbers(self, at, 3);
  expect(self, "up");
  read_numbers(self, up, 3);
  expect(self, "angle");
  double degrees = read_number(self);
  if (!(degrees > 0 && degrees < 180)) {
    FAIL(self, "an angle of %g degrees", degrees);
  }
  expect(self, "hither");
  skip_numbers(self, 1);
  expect(self, "resolution");
  skip_numbers(self, 2);
  double length = 0, back[3];
  for (int i = 0; i < 3; i++) {
    back[i] = from[i] - at[i];
    length += back[i] * back[i];
  }
  length = sqrt(length);
  if (!(length > 0)) {
    FAIL(self, "a view from and at the same point");
  }
  self->scene->animation->camera = (bench_camera){
      {(float)from[0], (float)from[1], (float)from[2]},
      {(float)(back[0] / length), (float)(back[1] / length), (float)(back[2] / length)},
      {(float)up[0], (float)up[1], (float)up[2]},
      tan(degrees * (acos(-1) / 360))};
  self->scene->has_view = true;
}

static void read_times(reader *self) {
  bench_animation *animation = self->scene->animation;
  animation->start = read_number(self);
  animation->end = read_number(self);
  if (!(animation->end > animation->start)) {
    FAIL(self, "the animation ends before it begins");
  }
  skip_numbers(self, 1);
  self->scene->has_times = true;
}

static void read_file(scene_reader *scene, const char *path, const bench_place *around);

/* The other file lies beside this one. */
static void read_include(reader *self, const bench_place *around) {
  uint32_t detail = read_count(self, 0, 1000);
  char *name = read_name(self, "a file");
  const char *slash = strrchr(self->path, '/');
  char *path =
      bench_format("%.*s%s", slash != NULL ? (int)(slash + 1 - self->path) : 0, self->path, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    FAIL(self, "cannot open %s", path);
  }
  fclose(file);
  if (detail <= self->scene->detail) {
    read_file(self->scene, path, around);
  }
  free(path);
  free(name);
}

static void read_block(reader *self, const bench_place *around, bool is_file);

static void read_static(reader *self, const bench_place *around) {
  double scale[3], axis[4], translation[3], rotation[4];
  read_numbers(self, scale, 3);
  read_numbers(self, axis, 4);
  if (!bench_rotation_about(axis, axis[3], rotation)) {
    FAIL(self, "a rotation without an axis");
  }
  read_numbers(self, translation, 3);
  expect(self, "{");
  bench_affine own = bench_affine_of(scale, rotation, translation);
  read_block(self, &(bench_place){around->builder, bench_affine_multiply(&around->affine, &own)},
             false);
}

/* A joint whose key frames are nowhere stays where it is; BART has such. */
static void read_animated(reader *self, const bench_place *around) {
  bench_animation *animation = self->scene->animation;
  char *name = read_name(self, "the name of key frames");
  uint32_t tracks = find_tracks(animation, name);
  free(name);
  expect(self, "{");
  bench_builder own = {
      .joint = bench_build_joint(animation, around->builder->joint, around->affine, tracks)};
  read_block(self, &(bench_place){&own, bench_affine_identity()}, false);
  bench_build_finish(animation, &own);
}

/* What has a shape or a motion; false for other statements. */
static bool read_object(reader *self, const bench_place *around) {
  if (word_is(self, "p") || word_is(self, "pp")) {
    size_t normals = word_is(self, "pp") ? 3 : 0;
    read_polygon(self, around, read_count(self, 3, MAX_CORNERS), normals);
  } else if (word_is(self, "tt") || word_is(self, "ttp")) {
    size_t skipped = word_is(self, "ttp") ? 5 : 2;
    free(read_name(self, "the name of a texture"));
    read_polygon(self, around, 3, skipped);
  } else if (word_is(self, "tpa")) {
    read_deforming(self, around);
  } else if (word_is(self, "m")) {
    read_mesh(self, around);
  } else if (word_is(self, "s")) {
    read_sphere(self, around);
  } else if (word_is(self, "c")) {
    read_cone(self, around);
  } else if (word_is(self, "xs")) {
    read_static(self, around);
  } else if (word_is(self, "x")) {
    read_animated(self, around);
  } else if (word_is(self, "k")) {
    read_key_frames(self);
  } else {
    return false;
  }
  return true;
}

static void read_statement(reader *self, const bench_place *around) {
  if (read_object(self, around)) {
    return;
  }
  if (word_is(self, "i")) {
    read_include(self, around);
  } else if (word_is(self, "d")) {
    self->scene->detail = read_count(self, 0, 1000);
  } else if (word_is(self, "v")) {
    read_view(self);
  } else if (word_is(self, "a")) {
    read_times(self);
  } else if (word_is(self, "l") || word_is(self, "la")) {
    if (word_is(self, "la")) {
      free(read_name(self, "the name of a light"));
    }
    skip_numbers(self, 3);
    skip_color(self);
  } else if (word_is(self, "b") || word_is(self, "am")) {
    skip_numbers(self, 3);
  } else if (word_is(self, "f") || word_is(self, "fm")) {
    skip_numbers(self, word_is(self, "f") ? 8 : 12);
  } else {
    FAIL(self, "no statement begins with \"%.*s\"", (int)(self->at - self->word), self->word);
  }
}

/* Up to the brace that closes a block, or to the end of the file. */
static void read_block(reader *self, const bench_place *around, bool is_file) {
  const char *begin = self->word;
  if (self->scene->depth++ == MAX_DEPTH) {
    FAIL(self, "more than %d blocks and files in each other", MAX_DEPTH);
  }
  while (next_word(self) > 0 && !word_is(self, "}")) {
    read_statement(self, around);
  }
  if (is_file && *self->word == '}') {
    FAIL(self, "a } without {");
  } else if (!is_file && *self->word != '}') {
    self->word = begin;
    FAIL(self, "this { is not closed");
  }
  self->scene->depth--;
}

/* Opens the block of a text, in which `around` says where things are. */
static void read_text(scene_reader *scene, const char *path, const char *text,
                      const bench_place *around) {
  reader self = {.scene = scene, .path = path, .text = text, .at = text, .word = text};
  read_block(&self, around, true);
}

static void read_file(scene_reader *scene, const char *path, const bench_place *around) {
  char *text = bench_read_text(path);
  read_text(scene, path, text, around);
  free(text);
}

bench_animation *bench_animation_parse(const char *path, const char *text) {
  bench_animation *animation = allocate(1, sizeof *animation);
  scene_reader scene = {.animation = animation};
  animation->name = bench_stem(path);
  animation->camera_tracks = BENCH_NO_INDEX;
  bench_builder world = {.joint = bench_build_joint(animation, BENCH_NO_INDEX,
                                                    bench_affine_identity(), BENCH_NO_INDEX)};
  read_text(&scene, path, text, &(bench_place){&world, bench_affine_identity()});
  bench_build_finish(animation, &world);
  if (!scene.has_view || !scene.has_times || animation->part_count == 0) {
    fail("%s has no %s", path,
         !scene.has_view    ? "view (v)"
         : !scene.has_times ? "start and end of the animation (a)"
                            : "triangles");
  }
  return animation;
}

bench_animation *bench_animation_read(const char *path) {
  char *text = bench_read_text(path);
  bench_animation *animation = bench_animation_parse(path, text);
  free(text);
  return animation;
}
