#include "common/picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/folder.h"
#include "common/progress.h"
#include "common/vector.h"

struct picture picture_create(uint32_t width, uint32_t height) {
  size_t pixels = (size_t)width * height;
  return (struct picture){
      .width = width,
      .height = height,
      .light = allocate(pixels, sizeof(mo_vec3)),
      .depth = allocate(pixels, sizeof(float)),
  };
}

void picture_destroy(struct picture *picture) {
  free(picture->light);
  free(picture->depth);
}

/* The transfer function of sRGB (IEC 61966-2-1), both ways. */
static float light_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static float srgb_of_light(float light) {
  return light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1.0f / 2.4f) - 0.055f;
}

mo_vec3 light_of_color(uint32_t rgb) {
  return vec3(light_of_srgb((float)(rgb >> 16 & 0xff) / 255.0f),
              light_of_srgb((float)(rgb >> 8 & 0xff) / 255.0f),
              light_of_srgb((float)(rgb & 0xff) / 255.0f));
}

static uint8_t byte_of_light(float light) {
  float clamped = fminf(fmaxf(light, 0.0f), 1.0f);
  return (uint8_t)(255.0f * srgb_of_light(clamped) + 0.5f);
}

void picture_to_bytes(const struct picture *picture, uint8_t *bytes) {
  size_t pixels = (size_t)picture->width * picture->height;
  for (size_t i = 0; i < pixels; i++) {
    bytes[3 * i + 0] = byte_of_light(picture->light[i].x);
    bytes[3 * i + 1] = byte_of_light(picture->light[i].y);
    bytes[3 * i + 2] = byte_of_light(picture->light[i].z);
  }
}

void picture_write_png(const struct picture *picture, const char *folder, const char *name) {
  char *path = folder_join(folder, name);
  uint8_t *bytes = allocate((size_t)picture->width * picture->height, 3);
  picture_to_bytes(picture, bytes);
  png_image image = {
      .version = PNG_IMAGE_VERSION,
      .width = picture->width,
      .height = picture->height,
      .format = PNG_FORMAT_RGB,
  };
  if (!png_image_write_to_file(&image, path, 0, bytes, 0, NULL)) {
    fail("cannot write %s: %s", path, image.message);
  }
  free(bytes);
  progress_clear();
  printf("wrote %s\n", path);
  free(path);
}
