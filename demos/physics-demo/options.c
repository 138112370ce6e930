#include "physics-demo/options.h"

#include "common/arguments.h"
#include "physics-demo/scenes.h"

const char *argp_program_version = "physics-demo " MOTTE_VERSION;

static const char description[] =
    "Rigid bodies: ODE moves them, Motte finds where they touch. Prints what a step costs in "
    "processor time, checks how the scene ends, and writes an animation and pictures, ray-cast by "
    "the same engine.\v"
    "Scenes: tower, cylinders: they have to stand. pile: bodies of every kind in a bowl. map: "
    "hulls and "
    "meshes on the floor of a game. wall: bricks and a heavy ball. ragdolls: jointed dolls on "
    "stairs. "
    "vehicle: a car on rough ground. maze: fast marbles between thin walls.";

enum option_key {
  KEY_SCENE = 's',
  KEY_COLLISION = 'c',
  KEY_BODIES = 'n',
  KEY_MESH = 'm',
  KEY_SECONDS = 256,
  KEY_EVERY,
  KEY_WORKERS,
  KEY_SEED,
  KEY_TIME_PAIRS,
  KEY_REUSE,
  KEY_UP,
  KEY_JSON,
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The scene:", 1},
    {"scene", KEY_SCENE, "NAME", 0, "What is simulated (pile)", 0},
    {"bodies", KEY_BODIES, "N", 0, "How many of its bodies (as the scene likes)", 0},
    {"mesh", KEY_MESH, "FILE", 0,
     "A mesh in any format that assimp reads: of the pile a statue in the bowl, of the map the "
     "floor",
     0},
    {"up", KEY_UP, "X,Y,Z", 0, "Direction that is up in that file (0,1,0)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of all random numbers (1)", 0},
    {0, 0, 0, 0, "The run:", 2},
    {"collision", KEY_COLLISION, "ENGINE", 0, "Who finds contacts: motte or ode (motte)", 0},
    {"seconds", KEY_SECONDS, "N", 0, "Simulated seconds (as the scene likes)", 0},
    {"workers", KEY_WORKERS, "N", 0, "Threads that find contacts (1)", 0},
    {"every", KEY_EVERY, "N", 0, "Steps for a row of the table (a tenth of all)", 0},
    {"time-pairs", KEY_TIME_PAIRS, 0, 0,
     "Find the pairs a second time, by themselves, to see what they cost", 0},
    {"reuse", KEY_REUSE, "MM", 0,
     "Reuse contacts until shapes have moved by so many millimetres (not at all)", 0},
    {"json", KEY_JSON, "FILE", 0, "Write the results there, too", 0},
    {0, 0, 0, 0, 0, 0},
};

static error_t parse_option(int key, char *text, struct argp_state *state) {
  static const char *const engines[] = {[COLLISION_MOTTE] = "motte", [COLLISION_ODE] = "ode"};
  struct options *options = state->input;
  const char *names[SCENE_COUNT];
  switch (key) {
  case KEY_SCENE:
    for (uint32_t i = 0; i < SCENE_COUNT; i++) {
      names[i] = scenes[i]->name;
    }
    options->scene = scenes[argument_choice(state, key, text, names, SCENE_COUNT)];
    return 0;
  case KEY_COLLISION:
    options->collision = (enum collision_kind)argument_choice(state, key, text, engines, 2);
    return 0;
  case KEY_BODIES:
    options->bodies = argument_count(state, key, text, 1, 1000000);
    return 0;
  case KEY_SECONDS:
    options->seconds = argument_count(state, key, text, 1, 100000);
    return 0;
  case KEY_EVERY:
    options->every = argument_count(state, key, text, 1, 1000000);
    return 0;
  case KEY_WORKERS:
    options->workers = argument_count(state, key, text, 1, MO_MAX_TASK_WORKERS);
    return 0;
  case KEY_SEED:
    options->seed = argument_integer(state, key, text, 0, UINT64_MAX);
    return 0;
  case KEY_TIME_PAIRS:
    options->time_pairs = true;
    return 0;
  case KEY_REUSE:
    options->reuse_distance = 1e-3f * (float)argument_count(state, key, text, 1, 1000);
    return 0;
  case KEY_MESH:
    options->mesh = text;
    return 0;
  case KEY_UP:
    options->up = argument_direction(state, key, text);
    return 0;
  case KEY_JSON:
    options->json = text;
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
      .scene = &pile_scene,
      .workers = 1,
      .seed = 1,
      .up = {0.0f, 1.0f, 0.0f},
      .pictures = {.width = 640, .height = 360, .samples = 8},
  };
  static const struct argp_child children[] = {{&picture_options_argp, 0, "The pictures:", 9}, {0}};
  static const struct argp parser = {option_table, parse_option, 0, description, children, 0, 0};
  argp_parse(&parser, argc, argv, 0, NULL, &options);
  return options;
}
