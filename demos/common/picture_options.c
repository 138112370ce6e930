#include "common/picture_options.h"

#include <stdio.h>
#include <unistd.h>

#include "common/arguments.h"

/* Apart from the keys of the demos' own options. */
enum { KEY_OUTPUT = 'o', KEY_THREADS = 'j', KEY_SIZE = 0x1000, KEY_SAMPLES };

static const struct argp_option option_table[] = {
    {"output", KEY_OUTPUT, "FOLDER", 0, "Folder for the pictures, made if missing", 0},
    {"size", KEY_SIZE, "WxH", 0, "Size of a picture", 0},
    {"samples", KEY_SAMPLES, "N", 0, "Samples per pixel", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads that draw (one per processor)", 0},
    {0, 0, 0, 0, 0, 0},
};

static uint32_t processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 && count < 1024 ? (uint32_t)count : 1;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct picture_options *options = state->input;
  switch (key) {
  case KEY_OUTPUT:
    options->output = argument_folder(state, key, text);
    return 0;
  case KEY_SIZE:
    argument_size(state, key, text, &options->width, &options->height);
    return 0;
  case KEY_SAMPLES:
    options->samples = argument_count(state, key, text, 1, 1024);
    return 0;
  case KEY_THREADS:
    options->threads = argument_count(state, key, text, 1, 1024);
    return 0;
  case ARGP_KEY_SUCCESS:
    options->threads = options->threads > 0 ? options->threads : processor_count();
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Adds the demo's defaults to the help. */
static char *with_default(int key, const char *text, void *input) {
  const struct picture_options *options = input;
  char *longer = NULL;
  int length = 0;
  if (options == NULL) {
    return (char *)text;
  }
  if (key == KEY_OUTPUT) {
    length = asprintf(&longer, "%s (%s)", text,
                      options->output != NULL ? options->output : "no pictures");
  } else if (key == KEY_SIZE) {
    length = asprintf(&longer, "%s (%ux%u)", text, options->width, options->height);
  } else if (key == KEY_SAMPLES) {
    length = asprintf(&longer, "%s (%u)", text, options->samples);
  }
  return length > 0 ? longer : (char *)text; /* argp frees another text */
}

const struct argp picture_options_argp = {option_table, parse_option, NULL, NULL,
                                          NULL,         with_default, NULL};
