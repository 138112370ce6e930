#include "clouds.h"

#include <math.h>
#include <motte/hull.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "grow.h"
#include "text.h"

enum { MAX_POINTS = 1 << 20 };

/* Points on a line have no hull. */
static bool is_on_line(const mo_vec3 *points, uint32_t count) {
  mo_hull_def def = mo_default_hull_def();
  mo_hull *hull = NULL;
  def.positions = points;
  def.position_count = count;
  bool is_line = mo_hull_create(&def, &hull) == MO_ERROR_INVALID_ARGUMENT;
  mo_hull_release(hull);
  return is_line;
}

static void read_cloud(FILE *file, const char *path, uint32_t count, bench_clouds *clouds) {
  const size_t number = clouds->count;
  if (count < 4 || count > MAX_POINTS) {
    fail("%s: cloud %zu has %u points", path, number, count);
  }
  mo_vec3 *points = allocate(count, sizeof *points);
  if (fread(points, sizeof *points, count, file) != count) {
    fail("%s ends within cloud %zu", path, number);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!isfinite(points[i].x) || !isfinite(points[i].y) || !isfinite(points[i].z)) {
      fail("%s: point %u of cloud %zu is not finite", path, i, number);
    }
  }
  if (is_on_line(points, count)) {
    fail("%s: cloud %zu is on a line", path, number);
  }
  if (clouds->count == clouds->capacity) {
    clouds->item = bench_grow(clouds->item, &clouds->capacity, sizeof *clouds->item);
  }
  clouds->item[clouds->count++] = (bench_cloud){points, count};
}

bench_clouds bench_clouds_read(const char *folder) {
  char *path = bench_format("%s/convex_hulls.bin", folder);
  FILE *file = fopen(path, "rb");
  bench_clouds clouds = {.count = 0};
  unsigned char word[4];
  size_t size;
  if (file == NULL) {
    fail("cannot open %s", path);
  }
  while ((size = fread(word, 1, sizeof word, file)) == sizeof word) {
    read_cloud(file, path,
               word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24,
               &clouds);
  }
  if (size != 0 || clouds.count == 0) {
    fail("%s ends within the number of points of cloud %zu", path, clouds.count);
  }
  fclose(file);
  free(path);
  return clouds;
}

void bench_clouds_free(bench_clouds *clouds) {
  for (size_t i = 0; i < clouds->count; i++) {
    free((void *)clouds->item[i].points);
  }
  free(clouds->item);
}
