#include "common/animation.h"

#include <errno.h>
#include <gif_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/folder.h"
#include "common/palette.h"
#include "common/progress.h"

struct animation animation_create(uint32_t width, uint32_t height, uint32_t frame_capacity) {
  return (struct animation){
      .width = width,
      .height = height,
      .frame_capacity = frame_capacity,
      .bytes = allocate((size_t)width * height * frame_capacity, 3),
  };
}

void animation_destroy(struct animation *animation) {
  free(animation->bytes);
}

static size_t pixels_per_frame(const struct animation *animation) {
  return (size_t)animation->width * animation->height;
}

void animation_add(struct animation *animation, const struct picture *picture) {
  if (animation->frame_count < animation->frame_capacity) {
    size_t offset = 3 * pixels_per_frame(animation) * animation->frame_count++;
    picture_to_bytes(picture, animation->bytes + offset);
  }
}

/* One palette for all frames, or else a still background would flicker. It leaves one colour of the
 * 256 free, to stand for "as in the frame before". */
enum { UNCHANGED = PALETTE_CAPACITY - 1 };

/* The largest difference of a channel, of 255, that nobody sees. */
enum { TOLERANCE = 9 };

static ColorMapObject *apply_palette(const struct animation *animation, GifByteType *indices) {
  size_t pixels = pixels_per_frame(animation);
  struct palette palette =
      palette_choose(animation->bytes, pixels * animation->frame_count, UNCHANGED);
  for (uint32_t i = 0; i < animation->frame_count; i++) {
    palette_apply(&palette, animation->bytes + 3 * i * pixels, animation->width, animation->height,
                  indices + i * pixels);
  }
  GifColorType colors[PALETTE_CAPACITY] = {{0, 0, 0}};
  for (uint32_t i = 0; i < palette.count; i++) {
    const uint8_t *color = palette.colors[i];
    colors[i] = (GifColorType){color[0], color[1], color[2]};
  }
  palette_free(&palette);
  return GifMakeMapObject(PALETTE_CAPACITY, colors);
}

static bool looks_the_same(const uint8_t *a, const uint8_t *b) {
  return abs(a[0] - b[0]) <= TOLERANCE && abs(a[1] - b[1]) <= TOLERANCE &&
         abs(a[2] - b[2]) <= TOLERANCE;
}

/* Marks the pixels that look as they are shown already: long runs of them compress well. `shown`
 * has for each pixel the colour of the frame in which it was last set, so that slow changes add up
 * until they are seen. */
static void mark_unchanged(GifByteType *indices, const uint8_t *bytes, uint8_t *shown,
                           size_t pixels) {
  for (size_t i = 0; i < pixels; i++) {
    if (looks_the_same(bytes + 3 * i, shown + 3 * i)) {
      indices[i] = UNCHANGED;
    } else {
      memcpy(shown + 3 * i, bytes + 3 * i, 3);
    }
  }
}

static bool put_repetition(GifFileType *gif) {
  return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
         EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
         EGifPutExtensionBlock(gif, 3, "\1\0\0") == GIF_OK &&
         EGifPutExtensionTrailer(gif) == GIF_OK;
}

static bool put_frame(GifFileType *gif, const struct animation *animation, GifByteType *pixels,
                      int hundredths, bool shines_through) {
  GraphicsControlBlock control = {
      .DisposalMode = DISPOSE_DO_NOT,
      .DelayTime = hundredths,
      .TransparentColor = shines_through ? UNCHANGED : NO_TRANSPARENT_COLOR,
  };
  GifByteType extension[4];
  size_t extension_size = EGifGCBToExtension(&control, extension);
  int width = (int)animation->width;
  int height = (int)animation->height;
  if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)extension_size, extension) != GIF_OK ||
      EGifPutImageDesc(gif, 0, 0, width, height, false, NULL) != GIF_OK) {
    return false;
  }
  for (int y = 0; y < height; y++) {
    if (EGifPutLine(gif, pixels + (size_t)y * animation->width, width) != GIF_OK) {
      return false;
    }
  }
  return true;
}

static bool put_frames(GifFileType *gif, const struct animation *animation, GifByteType *indices,
                       int hundredths) {
  size_t pixels = pixels_per_frame(animation);
  uint8_t *shown = allocate(pixels, 3);
  memcpy(shown, animation->bytes, 3 * pixels);
  bool done = true;
  for (uint32_t i = 0; i < animation->frame_count && done; i++) {
    GifByteType *frame = indices + i * pixels;
    if (i > 0) {
      mark_unchanged(frame, animation->bytes + 3 * i * pixels, shown, pixels);
    }
    done = put_frame(gif, animation, frame, hundredths, i > 0);
  }
  free(shown);
  return done;
}

static int write_bytes(GifFileType *gif, const GifByteType *bytes, int count) {
  return (int)fwrite(bytes, 1, (size_t)count, gif->UserData);
}

static bool put_animation(FILE *file, const struct animation *animation, int hundredths) {
  GifByteType *indices = allocate(pixels_per_frame(animation) * animation->frame_count, 1);
  ColorMapObject *palette = apply_palette(animation, indices);
  int width = (int)animation->width;
  int height = (int)animation->height;
  int error;
  GifFileType *gif = EGifOpen(file, write_bytes, &error);
  bool done = palette != NULL && gif != NULL;
  if (done) {
    EGifSetGifVersion(gif, true);
    done = EGifPutScreenDesc(gif, width, height, 8, 0, palette) == GIF_OK && put_repetition(gif) &&
           put_frames(gif, animation, indices, hundredths);
  }
  done = gif != NULL && EGifCloseFile(gif, &error) == GIF_OK && done;
  GifFreeMapObject(palette);
  free(indices);
  return done;
}

void animation_write_gif(const struct animation *animation, double frames_per_second,
                         const char *folder, const char *name) {
  char *path = folder_join(folder, name);
  progress_show("writing %s", path);
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    fail("cannot write %s: %s", path, strerror(errno));
  }
  bool done = put_animation(file, animation, (int)(100.0 / frames_per_second + 0.5));
  if (fclose(file) != 0 || !done) {
    fail("cannot write %s", path);
  }
  progress_clear();
  printf("wrote %s\n", path);
  free(path);
}
