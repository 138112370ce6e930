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
  bool is_double;  /* coordinates, else they are floats */
  int skipped;     /* bytes after the coordinates of each vertex, such as of a colour */
} reader;

static void read_bytes(const reader *self, void *to, size_t size) {
  if (fread(to, size, 1, self->file) != 1) {
    fail("%s ends too early", self->path);
  }
}

/* Of four or eight bytes. */
static uint64_t read_integer(const reader *self, int size) {
  unsigned char b[8];
  uint64_t value = 0;
  read_bytes(self, b, (size_t)size);
  for (int i = 0; i < size; i++) {
    value |= (uint64_t)b[self->is_swapped ? size - 1 - i : i] << 8 * i;
  }
  return value;
}

static double read_coordinate(const reader *self) {
  if (self->is_double) {
    uint64_t bits = read_integer(self, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  uint32_t bits = (uint32_t)read_integer(self, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static bool begins(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

/* Vertices of three floats or doubles and perhaps some bytes, and faces as lists of integers after
 * a byte with their length. */
static void read_head(reader *self, uint32_t *vertices, uint32_t *faces) {
  char line[256];
  int floats = 0, doubles = 0;
  bool has_list = false;
  *vertices = *faces = 0;
  while (fgets(line, sizeof line, self->file) != NULL && strcmp(line, "end_header\n") != 0) {
    self->is_swapped = self->is_swapped || strstr(line, "binary_big_endian") != NULL;
    floats += begins(line, "property float ");
    doubles += begins(line, "property double ");
    self->skipped += begins(line, "property uchar ");
    has_list = has_list || begins(line, "property list uchar int") ||
               begins(line, "property list uchar uint") ||
               begins(line, "property list uint8 int32") ||
               begins(line, "property list uint8 uint32");
    sscanf(line, "element vertex %u", vertices);
    sscanf(line, "element face %u", faces);
    if (strncmp(line, "format ascii", 12) == 0) {
      fail("%s is not binary", self->path);
    }
  }
  self->is_double = doubles == 3;
  if (floats + doubles != 3 || floats * doubles != 0 || !has_list || *vertices == 0 ||
      *faces == 0) {
    fail("%s is no PLY of vertices with three floats or doubles and faces with a list", self->path);
  }
}

static void read_face(const reader *self, uint32_t corners[3], uint32_t vertices) {
  unsigned char length;
  read_bytes(self, &length, 1);
  if (length != 3) {
    fail("%s has a face with %u corners", self->path, length);
  }
  for (int i = 0; i < 3; i++) {
    corners[i] = (uint32_t)read_integer(self, 4);
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
      frames->positions[time][i][k] = read_coordinate(&self);
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

void bench_frame_pairs_add(bench_frame_pairs *pairs, uint32_t a, uint32_t b) {
  if (pairs->count == pairs->capacity) {
    pairs->item = bench_grow(pairs->item, &pairs->capacity, sizeof *pairs->item);
  }
  pairs->item[pairs->count++] = (bench_frame_pair){a, b, false};
}

static int compare_words(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static int compare_pairs(const void *a, const void *b) {
  const bench_frame_pair *x = a, *y = b;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Each once, in the order of their larger vertex, then of the smaller one. */
static void make_edges(bench_frames *frames) {
  size_t count = 3 * (size_t)frames->face_count;
  uint64_t *edges = allocate(count, sizeof *edges);
  for (size_t i = 0; i < count; i++) {
    const uint32_t *face = frames->faces[i / 3];
    uint32_t a = face[i % 3], b = face[(i + 1) % 3];
    edges[i] = (uint64_t)(a < b ? b : a) << 32 | (a < b ? a : b);
  }
  qsort(edges, count, sizeof *edges, compare_words);
  frames->edges = allocate(count, sizeof *frames->edges);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || edges[i] != edges[i - 1]) {
      uint32_t *edge = frames->edges[frames->edge_count++];
      edge[0] = (uint32_t)edges[i];
      edge[1] = (uint32_t)(edges[i] >> 32);
    }
  }
  free(edges);
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
  double first_edge = frames->vertex_count, first_face = first_edge + frames->edge_count;
  cJSON_ArrayForEach(item, list) {
    double a =
        cJSON_GetNumberValue(cJSON_GetArrayItem(item, 0)) - (frames->of_edges ? first_edge : 0);
    double b = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 1)) -
               (frames->of_edges ? first_edge : first_face);
    if (!(a >= 0 && a < frames->box_counts[0] && b >= 0 && b < frames->box_counts[1]) ||
        (frames->of_edges && a == b)) {
      fail("%s has a pair that is not of %s", path,
           frames->of_edges ? "two edges" : "a vertex and a face");
    }
    bool swaps = frames->of_edges && a > b;
    bench_frame_pairs_add(&frames->known, (uint32_t)(swaps ? b : a), (uint32_t)(swaps ? a : b));
  }
  cJSON_Delete(list);
}

/* Boxes. */

/* Of some vertices at both times; a little larger, so that rounding cuts nothing off. */
static bench_box box_around(const bench_frames *frames, const uint32_t *vertices, size_t count) {
  float center[3], half[3];
  for (int k = 0; k < 3; k++) {
    double lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < 2 * count; i++) {
      double x = frames->positions[i % 2][vertices[i / 2]][k];
      lower = fmin(lower, x);
      upper = fmax(upper, x);
    }
    center[k] = (float)(0.5 * (lower + upper));
    half[k] = (float)fmax(upper - center[k], center[k] - lower);
    half[k] += 0x1p-22f * (fabsf(center[k]) + half[k]);
  }
  return (bench_box){{center[0], center[1], center[2]}, {half[0], half[1], half[2]}};
}

static void make_boxes(bench_frames *frames) {
  if (frames->of_edges) {
    frames->boxes[0] = frames->boxes[1] = allocate(frames->edge_count, sizeof(bench_box));
    for (uint32_t i = 0; i < frames->edge_count; i++) {
      frames->boxes[0][i] = box_around(frames, frames->edges[i], 2);
    }
    return;
  }
  frames->boxes[0] = allocate(frames->vertex_count, sizeof(bench_box));
  frames->boxes[1] = allocate(frames->face_count, sizeof(bench_box));
  for (uint32_t i = 0; i < frames->vertex_count; i++) {
    frames->boxes[0][i] = box_around(frames, &i, 1);
  }
  for (uint32_t i = 0; i < frames->face_count; i++) {
    frames->boxes[1][i] = box_around(frames, frames->faces[i], 3);
  }
}

void bench_frames_read(const char *scene, uint32_t number, bool of_edges, bench_frames *frames) {
  const char *kind = of_edges ? "ee" : "vf";
  *frames = (bench_frames){.of_edges = of_edges};
  for (int time = 0; time < 2; time++) {
    char *path = find_frame(scene, number + (uint32_t)time);
    read_ply(path, time, frames);
    free(path);
  }
  make_edges(frames);
  frames->box_counts[0] = of_edges ? frames->edge_count : frames->vertex_count;
  frames->box_counts[1] = of_edges ? frames->edge_count : frames->face_count;
  char *path = bench_format("%s/boxes/%u%s.json", scene, number, kind);
  read_known(path, frames);
  free(path);
  path = bench_format("%s/mma_bool/%u%s_mma_bool.json", scene, number, kind);
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
  free(frames->edges);
  free(frames->boxes[0]);
  if (!frames->of_edges) {
    free(frames->boxes[1]);
  }
  free(frames->known.item);
}

bench_ccd_query bench_frames_query(const bench_frames *frames, bench_frame_pair pair) {
  bench_ccd_query query = {.of_edges = frames->of_edges, .collides = pair.collides};
  const uint32_t *face = frames->faces[frames->of_edges ? 0 : pair.b];
  uint32_t vertices[4] = {pair.a, face[0], face[1], face[2]};
  for (int i = 0; i < 4 && frames->of_edges; i++) {
    vertices[i] = frames->edges[i < 2 ? pair.a : pair.b][i % 2];
  }
  for (int time = 0; time < 2; time++) {
    for (int i = 0; i < 4; i++) {
      memcpy(query.vertices[time][i], frames->positions[time][vertices[i]],
             sizeof query.vertices[time][i]);
    }
  }
  return query;
}
