/* An animation while it is made, written as a GIF file that repeats for ever. */
#ifndef DEMO_ANIMATION_H
#define DEMO_ANIMATION_H

#include "common/picture.h"

struct animation {
  uint32_t width, height;
  uint32_t frame_count, frame_capacity;
  uint8_t *bytes; /* all frames, three bytes per pixel in sRGB */
};

struct animation animation_create(uint32_t width, uint32_t height, uint32_t frame_capacity);
void animation_destroy(struct animation *animation);

/* Appends a picture of the animation's size. */
void animation_add(struct animation *animation, const struct picture *picture);

/* Writes a GIF file into a folder and says so; fails (see check.h) if that is not possible. */
void animation_write_gif(const struct animation *animation, double frames_per_second,
                         const char *folder, const char *name);

#endif
