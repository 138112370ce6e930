/* Median cut gives a first palette; it looks at five bits of each channel only, which shows in dark
 * gradients. Lloyd's algorithm ("Least squares quantization in PCM", 1982) then moves each colour
 * to the mean of the pixels that are nearest to it. */
#include "common/palette.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

/* The colour cube in cells: six bits per channel. */
enum { CELL_BITS = 6, CELL_SHIFT = 8 - CELL_BITS, CELLS = 1 << 3 * CELL_BITS };

/* The pixels whose colours lie in one cell. */
struct cell {
  uint64_t count;
  uint64_t sum[3];
};

static uint32_t cell_of(const uint8_t color[3]) {
  uint32_t red = color[0] >> CELL_SHIFT;
  uint32_t green = color[1] >> CELL_SHIFT;
  uint32_t blue = color[2] >> CELL_SHIFT;
  return red << 2 * CELL_BITS | green << CELL_BITS | blue;
}

static void middle_of_cell(uint32_t cell, uint8_t color[3]) {
  const uint32_t mask = (1u << CELL_BITS) - 1;
  for (uint32_t channel = 0; channel < 3; channel++) {
    uint32_t place = cell >> (2 - channel) * CELL_BITS & mask;
    color[channel] = (uint8_t)((place << CELL_SHIFT) + (1u << CELL_SHIFT) / 2);
  }
}

static struct cell *count_cells(const uint8_t *pixels, size_t pixel_count) {
  struct cell *cells = allocate(CELLS, sizeof(struct cell));
  for (size_t i = 0; i < pixel_count; i++) {
    struct cell *cell = &cells[cell_of(&pixels[3 * i])];
    cell->count++;
    for (size_t channel = 0; channel < 3; channel++) {
      cell->sum[channel] += pixels[3 * i + channel];
    }
  }
  return cells;
}

static void cut_at_medians(struct palette *palette, const uint8_t *pixels, size_t pixel_count) {
  GifByteType *planes[3];
  for (size_t channel = 0; channel < 3; channel++) {
    planes[channel] = allocate(pixel_count, 1);
    for (size_t i = 0; i < pixel_count; i++) {
      planes[channel][i] = pixels[3 * i + channel];
    }
  }
  GifByteType *indices = allocate(pixel_count, 1);
  GifColorType colors[PALETTE_CAPACITY];
  int count = (int)palette->count;
  if (GifQuantizeBuffer((unsigned)pixel_count, 1, &count, planes[0], planes[1], planes[2], indices,
                        colors) != GIF_OK) {
    fail("cannot choose a palette for the animation");
  }
  palette->count = (uint32_t)count;
  for (uint32_t i = 0; i < palette->count; i++) {
    const uint8_t color[3] = {colors[i].Red, colors[i].Green, colors[i].Blue};
    memcpy(palette->colors[i], color, sizeof color);
  }
  for (size_t channel = 0; channel < 3; channel++) {
    free(planes[channel]);
  }
  free(indices);
}

static uint8_t nearest_color(const struct palette *palette, const uint8_t color[3]) {
  int best_distance = INT32_MAX;
  uint8_t best = 0;
  for (uint32_t i = 0; i < palette->count; i++) {
    int red = color[0] - palette->colors[i][0];
    int green = color[1] - palette->colors[i][1];
    int blue = color[2] - palette->colors[i][2];
    int distance = 3 * red * red + 4 * green * green + 2 * blue * blue; /* as eyes weigh them */
    if (distance < best_distance) {
      best_distance = distance;
      best = (uint8_t)i;
    }
  }
  return best;
}

static void move_to_means(struct palette *palette, const struct cell *cells) {
  struct cell nearest[PALETTE_CAPACITY] = {0};
  for (uint32_t i = 0; i < CELLS; i++) {
    if (cells[i].count == 0) {
      continue;
    }
    uint8_t middle[3];
    middle_of_cell(i, middle);
    struct cell *sum = &nearest[nearest_color(palette, middle)];
    sum->count += cells[i].count;
    for (int channel = 0; channel < 3; channel++) {
      sum->sum[channel] += cells[i].sum[channel];
    }
  }
  for (uint32_t i = 0; i < palette->count; i++) {
    for (int channel = 0; channel < 3 && nearest[i].count > 0; channel++) {
      uint64_t mean = (nearest[i].sum[channel] + nearest[i].count / 2) / nearest[i].count;
      palette->colors[i][channel] = (uint8_t)mean;
    }
  }
}

struct palette palette_choose(const uint8_t *pixels, size_t pixel_count, uint32_t count) {
  enum { ROUNDS = 8 };
  struct palette palette = {.count = count, .nearest = allocate(CELLS, 1)};
  cut_at_medians(&palette, pixels, pixel_count);
  struct cell *cells = count_cells(pixels, pixel_count);
  for (int round = 0; round < ROUNDS; round++) {
    move_to_means(&palette, cells);
  }
  free(cells);
  for (uint32_t i = 0; i < CELLS; i++) {
    uint8_t middle[3];
    middle_of_cell(i, middle);
    palette.nearest[i] = nearest_color(&palette, middle);
  }
  return palette;
}

void palette_free(struct palette *palette) {
  free(palette->nearest);
}

/* Bayer's matrix of order 4 (1973), centred: -4 to 3.5, in steps of one half. */
static int dither_at(uint32_t x, uint32_t y) {
  static const int8_t matrix[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  return matrix[y % 4][x % 4] / 2 - 4;
}

static uint8_t clamp_byte(int value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void palette_apply(const struct palette *palette, const uint8_t *pixels, uint32_t width,
                   uint32_t height, uint8_t *indices) {
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      size_t pixel = (size_t)y * width + x;
      uint8_t color[3];
      for (size_t channel = 0; channel < 3; channel++) {
        color[channel] = clamp_byte(pixels[3 * pixel + channel] + dither_at(x, y));
      }
      indices[pixel] = palette->nearest[cell_of(color)];
    }
  }
}
