/* A picture while it is made: linear light and depth per pixel. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include <motte/math.h>

struct picture {
  uint32_t width, height;
  mo_vec3 *light; /* row by row, from the upper left corner; 1 is the brightest that shows */
  float *depth;   /* of the nearest surface in the pixel; INFINITY where there is none */
};

struct picture picture_create(uint32_t width, uint32_t height);
void picture_destroy(struct picture *picture);

/* Light from a colour as one picks it: 0xRRGGBB, in sRGB. */
mo_vec3 light_of_color(uint32_t rgb);

/* Three bytes per pixel, in sRGB. */
void picture_to_bytes(const struct picture *picture, uint8_t *bytes);

/* Writes a PNG file into a folder and says so; fails (see common/check.h) if that is not possible.
 */
void picture_write_png(const struct picture *picture, const char *folder, const char *name);

#endif
