/* Values on the command line, for parsers of argp. A value that is not as it should be ends the
 * program with exit status 64 and a message that gives the option's name and what it takes. */
#ifndef DEMO_ARGUMENTS_H
#define DEMO_ARGUMENTS_H

#include <argp.h>
#include <motte/scene.h>

/* In each, `key` is the option's in the table of the program and `text` is what was given to it. */

/* A whole number in a range, its ends included. */
uint32_t argument_count(struct argp_state *state, int key, const char *text, uint32_t lowest,
                        uint32_t highest);
uint64_t argument_integer(struct argp_state *state, int key, const char *text, uint64_t lowest,
                          uint64_t highest);

/* A number from 0 to 1. */
float argument_share(struct argp_state *state, int key, const char *text);

/* Pixels of a picture: two whole numbers from 16 to 8192, as in 1280x720. */
void argument_size(struct argp_state *state, int key, const char *text, uint32_t *width,
                   uint32_t *height);

/* The name of a folder, which need not be there. */
const char *argument_folder(struct argp_state *state, int key, const char *text);

/* The index of `text` among `names`. */
uint32_t argument_choice(struct argp_state *state, int key, const char *text,
                         const char *const names[], uint32_t count);

/* A placement policy of the shape octree: irregular, loose or midpoint. */
mo_tree_policy argument_policy(struct argp_state *state, int key, const char *text);
const char *policy_name(mo_tree_policy policy);

/* A direction, three numbers as in 0,1,0. The result has length one. */
mo_vec3 argument_direction(struct argp_state *state, int key, const char *text);

#endif
