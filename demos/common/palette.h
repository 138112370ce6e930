/* Few colours for many pixels, as a GIF file needs them. */
#ifndef DEMO_PALETTE_H
#define DEMO_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PALETTE_CAPACITY = 256 };

struct palette {
  uint8_t colors[PALETTE_CAPACITY][3];
  uint32_t count;
  uint8_t *nearest; /* index of the palette's nearest colour, by cell of the colour cube */
};

/* Chooses at most `count` colours that suit pixels of three bytes each. Free with palette_free. */
struct palette palette_choose(const uint8_t *pixels, size_t pixel_count, uint32_t count);
void palette_free(struct palette *palette);

/* Gives each pixel of a picture the index of a colour near its own. Where the palette is too
 * coarse, neighbours take turns (ordered dithering), so that from afar the mean is right. */
void palette_apply(const struct palette *palette, const uint8_t *pixels, uint32_t width,
                   uint32_t height, uint8_t *indices);

#endif
