#include "motte-demo/options.h"

#include <stdlib.h>

#include "common/arguments.h"
#include "common/check.h"

const char *argp_program_version = "motte-demo " MOTTE_VERSION;

static const char description[] =
    "Fills a scene with shapes, lets them drift, and asks the scene questions in every frame: "
    "1,000 rays, a box query per moving shape, and what a cube touches that sweeps through. "
    "Prints what that costs in processor time, and writes pictures ray-cast by the same engine.";

enum option_key {
  KEY_MESH = 'm',
  KEY_SHAPES = 'n',
  KEY_FRAMES = 'f',
  KEY_MOVING = 256,
  KEY_RAYS,
  KEY_TREE,
  KEY_SEED,
  KEY_UP,
  KEY_NO_PICTURES,
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The scene:", 1},
    {"mesh", KEY_MESH, "FILE", 0,
     "A mesh in any format that assimp reads; may be given several times. Without it: torus knots",
     0},
    {"up", KEY_UP, "X,Y,Z", 0, "Direction that is up in the file of the first mesh (0,1,0)", 0},
    {"shapes", KEY_SHAPES, "N", 0, "Shapes in the scene (1000)", 0},
    {"moving", KEY_MOVING, "SHARE", 0, "Share of them that moves, 0 to 1 (1)", 0},
    {"tree", KEY_TREE, "POLICY", 0, "irregular, loose or midpoint (irregular)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of all random numbers (1)", 0},
    {0, 0, 0, 0, "The run:", 2},
    {"frames", KEY_FRAMES, "N", 0, "Frames, 30 a second (150)", 0},
    {"rays", KEY_RAYS, "N", 0, "Rays per frame (1000)", 0},
    {"no-pictures", KEY_NO_PICTURES, 0, 0, "Only measure", 0},
    {0, 0, 0, 0, 0, 0},
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case KEY_MESH:
    options->mesh_paths[options->mesh_count++] = text;
    return 0;
  case KEY_SHAPES:
    options->shape_count = argument_count(state, key, text, 1, 10000000);
    return 0;
  case KEY_MOVING:
    options->moving_share = argument_share(state, key, text);
    return 0;
  case KEY_TREE:
    options->policy = argument_policy(state, key, text);
    return 0;
  case KEY_SEED:
    options->seed = argument_integer(state, key, text, 0, UINT64_MAX);
    return 0;
  case KEY_FRAMES:
    options->frame_count = argument_count(state, key, text, 1, 1000000);
    return 0;
  case KEY_RAYS:
    options->ray_count = argument_count(state, key, text, 1, 10000000);
    return 0;
  case KEY_UP:
    options->up = argument_direction(state, key, text);
    return 0;
  case KEY_NO_PICTURES:
    options->only_measure = true;
    return 0;
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->pictures;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
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
      .up = {0.0f, 1.0f, 0.0f},
      .pictures = {.output = ".", .width = 1280, .height = 720, .samples = 16},
  };
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp parser = {option_table, parse_option, 0, description, children, 0, 0};
  argp_parse(&parser, argc, argv, 0, NULL, &options);
  return options;
}

void options_free(struct options *options) {
  free(options->mesh_paths);
}
