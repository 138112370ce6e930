#include "motte-demo/options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"

const char *argp_program_version = "motte-demo 0.1.0";

static const char description[] =
    "Fills a scene with shapes, lets them drift, and asks the scene questions in every frame: "
    "1,000 rays, a box query per moving shape, and what a cube touches that sweeps through. "
    "Prints what that costs, and writes pictures ray-cast by the same engine.";

enum option_key {
  KEY_MESH = 'm',
  KEY_SHAPES = 'n',
  KEY_FRAMES = 'f',
  KEY_OUTPUT = 'o',
  KEY_MOVING = 256,
  KEY_RAYS,
  KEY_TREE,
  KEY_SEED,
  KEY_SIZE,
  KEY_SAMPLES,
  KEY_THREADS,
  KEY_NO_PICTURES,
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The scene:", 1},
    {"mesh", KEY_MESH, "FILE", 0,
     "A mesh in any format that assimp reads; may be given several times. Without it: torus knots",
     0},
    {"shapes", KEY_SHAPES, "N", 0, "Shapes in the scene (1000)", 0},
    {"moving", KEY_MOVING, "SHARE", 0, "Share of them that moves, 0 to 1 (1)", 0},
    {"tree", KEY_TREE, "POLICY", 0, "irregular, loose or midpoint (irregular)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of all random numbers (1)", 0},
    {0, 0, 0, 0, "The run:", 2},
    {"frames", KEY_FRAMES, "N", 0, "Frames, 30 a second (150)", 0},
    {"rays", KEY_RAYS, "N", 0, "Rays per frame (1000)", 0},
    {0, 0, 0, 0, "The pictures:", 3},
    {"output", KEY_OUTPUT, "DIR", 0, "Folder for the pictures, made if missing (.)", 0},
    {"size", KEY_SIZE, "WxH", 0, "Size of the still pictures (1280x720)", 0},
    {"samples", KEY_SAMPLES, "N", 0, "Samples per pixel in the stills (16)", 0},
    {"threads", KEY_THREADS, "N", 0, "Threads that draw (one per processor)", 0},
    {"no-pictures", KEY_NO_PICTURES, 0, 0, "Only measure", 0},
    {0, 0, 0, 0, 0, 0},
};

static uint64_t parse_integer(struct argp_state *state, const char *text, uint64_t lowest,
                              uint64_t highest) {
  char *end;
  errno = 0;
  uint64_t value = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || strchr(text, '-') || value < lowest ||
      value > highest) {
    argp_error(state, "'%s' is not a whole number from %llu to %llu", text,
               (unsigned long long)lowest, (unsigned long long)highest);
  }
  return value;
}

static uint32_t parse_count(struct argp_state *state, const char *text, uint32_t lowest,
                            uint32_t highest) {
  return (uint32_t)parse_integer(state, text, lowest, highest);
}

static float parse_share(struct argp_state *state, const char *text) {
  char *end;
  float value = strtof(text, &end);
  if (end == text || *end != '\0' || !(value >= 0.0f && value <= 1.0f)) {
    argp_error(state, "'%s' is not a number from 0 to 1", text);
  }
  return value;
}

static void parse_size(struct argp_state *state, const char *text, struct options *options) {
  char *width = strdup(text);
  char *height = width ? strchr(width, 'x') : NULL;
  if (!height) {
    argp_error(state, "'%s' is not a size such as 1280x720", text);
    return;
  }
  *height++ = '\0';
  options->width = parse_count(state, width, 16, 16384);
  options->height = parse_count(state, height, 16, 16384);
  free(width);
}

static mo_tree_policy parse_policy(struct argp_state *state, const char *text) {
  if (strcmp(text, "loose") == 0) {
    return MO_TREE_LOOSE;
  }
  if (strcmp(text, "midpoint") == 0) {
    return MO_TREE_MIDPOINT;
  }
  if (strcmp(text, "irregular") != 0) {
    argp_error(state, "'%s' is none of irregular, loose, midpoint", text);
  }
  return MO_TREE_IRREGULAR;
}

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case KEY_MESH:
    options->mesh_paths[options->mesh_count++] = text;
    return 0;
  case KEY_SHAPES:
    options->shape_count = parse_count(state, text, 1, 10000000);
    return 0;
  case KEY_MOVING:
    options->moving_share = parse_share(state, text);
    return 0;
  case KEY_TREE:
    options->policy = parse_policy(state, text);
    return 0;
  case KEY_SEED:
    options->seed = parse_integer(state, text, 0, UINT64_MAX);
    return 0;
  case KEY_FRAMES:
    options->frame_count = parse_count(state, text, 1, 1000000);
    return 0;
  case KEY_RAYS:
    options->ray_count = parse_count(state, text, 1, 10000000);
    return 0;
  case KEY_OUTPUT:
    options->output = text;
    return 0;
  case KEY_SIZE:
    parse_size(state, text, options);
    return 0;
  case KEY_SAMPLES:
    options->samples = parse_count(state, text, 1, 1024);
    return 0;
  case KEY_THREADS:
    options->threads = parse_count(state, text, 1, 1024);
    return 0;
  case KEY_NO_PICTURES:
    options->pictures = false;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static uint32_t processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 && count < 1024 ? (uint32_t)count : 1;
}

struct options options_parse(int argc, char **argv) {
  struct options options = {
      .mesh_paths = allocate((size_t)argc, sizeof(char *)),
      .shape_count = 1000,
      .moving_share = 1.0f,
      .frame_count = 150,
      .ray_count = 1000,
      .policy = MO_TREE_IRREGULAR,
      .seed = 1,
      .pictures = true,
      .width = 1280,
      .height = 720,
      .samples = 16,
      .threads = processor_count(),
      .output = ".",
  };
  static const struct argp parser = {option_table, parse_option, 0, description, 0, 0, 0};
  argp_parse(&parser, argc, argv, 0, NULL, &options);
  return options;
}

void options_free(struct options *options) {
  free(options->mesh_paths);
}
