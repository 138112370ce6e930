/* Frames of the sample data of Scalable CCD (Belgrod and others 2023): binary PLY, whose order of
 * vertices counts, and lists of pairs in JSON. */
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "frames.h"
#include "grow.h"
#include "text.h"

/* PLY. */

typedef struct reader {
  FILE *file;
  const char *path;
  bool is_swapped; /* bytes come in the other order than this machine's */
  int skipped;     /* bytes after the floats of each vertex, such as of a colour */
} reader;

static void read_bytes(const reader *self, void *to, size_t size) {
  if (fread(to, size, 1, self->file) != 1) {
    fail("%s ends too early", self->path);
  }
}

static uint32_t read_word(const reader *self) {
  unsigned char b[4];
  read_bytes(self, b, sizeof b);
  uint32_t little = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  return self->is_swapped ? __builtin_bswap32(little) : little;
}

static float read_float(const reader *self) {
  uint32_t word = read_word(self);
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* Vertices of three floats and perhaps some bytes, and faces as lists of integers after a byte with
 * their length. */
static void read_head(reader *self, uint32_t *vertices, uint32_t *faces) {
  char line[256];
  int properties = 0;
  bool has_list = false;
  *vertices = *faces = 0;
  while (fgets(line, sizeof line, self->file) != NULL && strcmp(line, "end_header\n") != 0) {
    self->is_swapped = self->is_swapped || strstr(line, "binary_big_endian") != NULL;
    properties += strncmp(line, "property float ", 15) == 0;
    self->skipped += strncmp(line, "property uchar ", 15) == 0;
    has_list = has_list || strncmp(line, "property list uchar int", 23) == 0 ||
               strncmp(line, "property list uchar uint", 24) == 0;
    sscanf(line, "element vertex %u", vertices);
    sscanf(line, "element face %u", faces);
    if (strncmp(line, "format ascii", 12) == 0) {
      fail("%s is not binary", self->path);
    }
  }
  if (properties != 3 || !has_list || *vertices == 0 || *faces == 0) {
    fail("%s is no PLY of vertices with three floats and faces with a list", self->path);
  }
}

static void read_face(const reader *self, uint32_t corners[3], uint32_t vertices) {
  unsigned char length;
  read_bytes(self, &length, 1);
  if (length != 3) {
    fail("%s has a face with %u corners", self->path, length);
  }
  for (int i = 0; i < 3; i++) {
    corners[i] = read_word(self);
    if (corners[i] >= vertices) {
      fail("%s has a face with vertex %u, of %u", self->path, corners[i], vertices);
    }
  }
}

static void read_ply(const char *path, int time, bench_frames *frames) {
  reader self = {.file = fopen(path, "rb"), .path = path};
  uint32_t vertices, faces;
  if (self.file == NULL) {
    fail("cannot open %s", path);
  }
  read_head(&self, &vertices, &faces);
  if (time == 1 && (vertices != frames->vertex_count || faces != frames->face_count)) {
    fail("%s has another number of vertices or faces than the frame before", path);
  }
  frames->vertex_count = vertices;
  frames->face_count = faces;
  frames->positions[time] = allocate(vertices, sizeof *frames->positions[time]);
  for (uint32_t i = 0; i < vertices; i++) {
    for (int k = 0; k < 3; k++) {
      frames->positions[time][i][k] = read_float(&self);
    }
    for (int k = 0; k < self.skipped; k++) {
      unsigned char byte;
      read_bytes(&self, &byte, 1);
    }
  }
  if (time == 0) {
    frames->faces = allocate(faces, sizeof *frames->faces);
  }
  for (uint32_t i = 0; i < faces && time == 0; i++) {
    read_face(&self, frames->faces[i], vertices);
  }
  fclose(self.file);
}

/* Whether a name ends so, and no digit comes before: the number is all of it. */
static bool ends_in_number(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0 &&
         (length == tail || strchr("0123456789", name[length - tail - 1]) == NULL);
}

/* The path of the frame with a number; for free(). */
static char *find_frame(const char *scene, uint32_t number) {
  char *folder = bench_format("%s/frames", scene), *ending = bench_format("%u.ply", number);
  char *found = NULL;
  DIR *listing = opendir(folder);
  for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    if (ends_in_number(entry->d_name, ending)) {
      free(found);
      found = bench_format("%s/%s", folder, entry->d_name);
    }
  }
  if (listing != NULL) {
    closedir(listing);
  }
  if (found == NULL) {
    fail("%s has no frame *%s", folder, ending);
  }
  free(ending);
  free(folder);
  return found;
}

/* Pairs. */

void bench_frame_pairs_add(bench_frame_pairs *pairs, uint32_t vertex, uint32_t face) {
  if (pairs->count == pairs->capacity) {
    pairs->item = bench_grow(pairs->item, &pairs->capacity, sizeof *pairs->item);
  }
  pairs->item[pairs->count++] = (bench_frame_pair){vertex, face, false};
}

static int compare_words(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static int compare_pairs(const void *a, const void *b) {
  const bench_frame_pair *x = a, *y = b;
  return x->vertex != y->vertex ? (x->vertex > y->vertex) - (x->vertex < y->vertex)
                                : (x->face > y->face) - (x->face < y->face);
}

static uint32_t count_edges(const bench_frames *frames) {
  size_t count = 3 * (size_t)frames->face_count;
  uint64_t *edges = allocate(count, sizeof *edges);
  for (size_t i = 0; i < count; i++) {
    const uint32_t *face = frames->faces[i / 3];
    uint32_t a = face[i % 3], b = face[(i + 1) % 3];
    edges[i] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
  }
  qsort(edges, count, sizeof *edges, compare_words);
  uint32_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    distinct += i == 0 || edges[i] != edges[i - 1];
  }
  free(edges);
  return distinct;
}

/* A list in JSON, for cJSON_Delete. */
static cJSON *read_list(const char *path) {
  char *text = bench_read_text(path);
  cJSON *list = cJSON_Parse(text);
  free(text);
  if (!cJSON_IsArray(list)) {
    fail("%s is no list", path);
  }
  return list;
}

/* Which pairs collide, in the order of the list of pairs. */
static void read_answers(const char *path, bench_frames *frames) {
  if (access(path, F_OK) != 0) {
    return;
  }
  cJSON *list = read_list(path);
  const cJSON *item;
  size_t i = 0;
  if ((size_t)cJSON_GetArraySize(list) != frames->known.count) {
    fail("%s has %d answers for %zu pairs", path, cJSON_GetArraySize(list), frames->known.count);
  }
  cJSON_ArrayForEach(item, list) {
    bool is_number = cJSON_IsNumber(item) && (item->valuedouble == 0 || item->valuedouble == 1);
    if (!cJSON_IsBool(item) && !is_number) {
      fail("%s has an answer that is neither true nor false", path);
    }
    frames->known.item[i++].collides = cJSON_IsTrue(item) || (is_number && item->valuedouble == 1);
  }
  cJSON_Delete(list);
  frames->has_answers = true;
}

/* Boxes are numbered: those of vertices, then those of edges, then those of faces. */
static void read_known(const char *path, bench_frames *frames) {
  cJSON *list = read_list(path);
  const cJSON *item;
  double first_face = (double)frames->vertex_count + count_edges(frames);
  cJSON_ArrayForEach(item, list) {
    double vertex = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 0));
    double face = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 1)) - first_face;
    if (!(vertex >= 0 && vertex < frames->vertex_count && face >= 0 && face < frames->face_count)) {
      fail("%s has a pair that is not of a vertex and a face", path);
    }
    bench_frame_pairs_add(&frames->known, (uint32_t)vertex, (uint32_t)face);
  }
  cJSON_Delete(list);
}

/* Boxes. */

/* Of some vertices at both times; a little larger, so that rounding cuts nothing off. */
static bench_box box_around(const bench_frames *frames, const uint32_t *vertices, size_t count) {
  float lower[3], upper[3], center[3], half[3];
  for (int k = 0; k < 3; k++) {
    lower[k] = INFINITY;
    upper[k] = -INFINITY;
    for (size_t i = 0; i < 2 * count; i++) {
      float x = frames->positions[i % 2][vertices[i / 2]][k];
      lower[k] = fminf(lower[k], x);
      upper[k] = fmaxf(upper[k], x);
    }
    center[k] = 0.5f * (lower[k] + upper[k]);
    half[k] = fmaxf(upper[k] - center[k], center[k] - lower[k]);
    half[k] += 0x1p-22f * (fabsf(center[k]) + half[k]);
  }
  return (bench_box){{center[0], center[1], center[2]}, {half[0], half[1], half[2]}};
}

static void make_boxes(bench_frames *frames) {
  frames->vertex_boxes = allocate(frames->vertex_count, sizeof(bench_box));
  frames->face_boxes = allocate(frames->face_count, sizeof(bench_box));
  for (uint32_t i = 0; i < frames->vertex_count; i++) {
    frames->vertex_boxes[i] = box_around(frames, &i, 1);
  }
  for (uint32_t i = 0; i < frames->face_count; i++) {
    frames->face_boxes[i] = box_around(frames, frames->faces[i], 3);
  }
}

void bench_frames_read(const char *scene, uint32_t number, bench_frames *frames) {
  *frames = (bench_frames){.vertex_count = 0};
  for (int time = 0; time < 2; time++) {
    char *path = find_frame(scene, number + (uint32_t)time);
    read_ply(path, time, frames);
    free(path);
  }
  char *path = bench_format("%s/boxes/%uvf.json", scene, number);
  read_known(path, frames);
  free(path);
  path = bench_format("%s/mma_bool/%uvf_mma_bool.json", scene, number);
  read_answers(path, frames);
  free(path);
  if (frames->known.count > 0) {
    qsort(frames->known.item, frames->known.count, sizeof *frames->known.item, compare_pairs);
  }
  make_boxes(frames);
}

void bench_frames_free(bench_frames *frames) {
  free(frames->positions[0]);
  free(frames->positions[1]);
  free(frames->faces);
  free(frames->vertex_boxes);
  free(frames->face_boxes);
  free(frames->known.item);
}

bench_ccd_query bench_frames_query(const bench_frames *frames, bench_frame_pair pair) {
  const uint32_t *face = frames->faces[pair.face];
  const uint32_t vertices[4] = {pair.vertex, face[0], face[1], face[2]};
  bench_ccd_query query = {.of_edges = false, .collides = pair.collides};
  for (int time = 0; time < 2; time++) {
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 3; k++) {
        query.vertices[time][i][k] = frames->positions[time][vertices[i]][k];
      }
    }
  }
  return query;
}
