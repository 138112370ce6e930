#include "common/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <motte/query.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vector.h"

/* The long name of an option of the parser or of those below it: argp puts the program's parser
 * below one with the options that all programs have. Null if there is none. */
static const char *option_name(const struct argp *argp, int key) {
  const struct argp_option *option = argp->options;
  for (; option != NULL && (option->name != NULL || option->doc != NULL); option++) {
    if (option->key == key && option->name != NULL) {
      return option->name;
    }
  }
  const char *name = NULL;
  for (const struct argp_child *child = argp->children;
       child != NULL && child->argp != NULL && name == NULL; child++) {
    name = option_name(child->argp, key);
  }
  return name;
}

__attribute__((noreturn, format(printf, 4, 5))) static void
refuse(const struct argp_state *state, int key, const char *text, const char *format, ...) {
  char wanted[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wanted, sizeof wanted, format, arguments);
  va_end(arguments);
  argp_error(state, "--%s takes %s, not '%s'", option_name(state->root_argp, key), wanted, text);
  exit(argp_err_exit_status); /* argp_error returns where a program has told it to */
}

/* Digits alone: strtoull would also take signs and leading spaces. */
static bool read_integer(const char *text, const char **end, uint64_t *value) {
  char *rest;
  errno = 0;
  *value = strtoull(text, &rest, 10);
  *end = rest;
  return isdigit((unsigned char)*text) && errno == 0;
}

uint64_t argument_integer(struct argp_state *state, int key, const char *text, uint64_t lowest,
                          uint64_t highest) {
  const char *end;
  uint64_t value;
  if (!read_integer(text, &end, &value) || *end != '\0' || value < lowest || value > highest) {
    refuse(state, key, text, "a whole number from %" PRIu64 " to %" PRIu64, lowest, highest);
  }
  return value;
}

uint32_t argument_count(struct argp_state *state, int key, const char *text, uint32_t lowest,
                        uint32_t highest) {
  return (uint32_t)argument_integer(state, key, text, lowest, highest);
}

float argument_share(struct argp_state *state, int key, const char *text) {
  char *end;
  float value = strtof(text, &end);
  if (end == text || *end != '\0' || !(value >= 0.0f && value <= 1.0f)) {
    refuse(state, key, text, "a number from 0 to 1");
  }
  return value;
}

void argument_size(struct argp_state *state, int key, const char *text, uint32_t *width,
                   uint32_t *height) {
  const uint64_t lowest = 16, highest = 8192;
  const char *end;
  uint64_t across, down;
  if (!read_integer(text, &end, &across) || *end != 'x' || !read_integer(end + 1, &end, &down) ||
      *end != '\0' || across < lowest || across > highest || down < lowest || down > highest) {
    refuse(state, key, text, "a size such as 1280x720, each side from %" PRIu64 " to %" PRIu64,
           lowest, highest);
  }
  *width = (uint32_t)across;
  *height = (uint32_t)down;
}

const char *argument_folder(struct argp_state *state, int key, const char *text) {
  if (*text == '\0') {
    refuse(state, key, text, "the name of a folder");
  }
  return text;
}

uint32_t argument_choice(struct argp_state *state, int key, const char *text,
                         const char *const names[], uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(names[i], text) == 0) {
      return i;
    }
  }
  char list[192] = "";
  for (uint32_t i = 0; i < count; i++) {
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  refuse(state, key, text, "one of %s", list);
}

static const char *const policy_names[] = {
    [MO_TREE_IRREGULAR] = "irregular",
    [MO_TREE_LOOSE] = "loose",
    [MO_TREE_MIDPOINT] = "midpoint",
};

mo_tree_policy argument_policy(struct argp_state *state, int key, const char *text) {
  enum { POLICIES = sizeof policy_names / sizeof policy_names[0] };
  return (mo_tree_policy)argument_choice(state, key, text, policy_names, POLICIES);
}

const char *policy_name(mo_tree_policy policy) {
  return policy_names[policy];
}

mo_vec3 argument_direction(struct argp_state *state, int key, const char *text) {
  mo_vec3 direction;
  int length = 0;
  sscanf(text, "%f,%f,%f%n", &direction.x, &direction.y, &direction.z, &length);
  float longest = length > 0 ? vec3_length(direction) : 0.0f;
  if (length == 0 || text[length] != '\0' || !(longest > 0.0f && longest < INFINITY)) {
    refuse(state, key, text, "a direction such as 0,0,1, which is not zero");
  }
  return vec3_normalize(direction);
}
