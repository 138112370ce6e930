/* Makes the boxes to draw from a tree and a def: which cells are drawn, where, and in what colour.
 */
#ifndef MO_DEBUG_BOX_H
#define MO_DEBUG_BOX_H

#include "debug/tree.h"
#include "math/check.h"

/* Receives the corners of one box (bits of the corner number: x = 1, y = 2, z = 4 for the upper
 * side) after the def's transform. */
typedef struct mo_box_emitter {
  void (*box)(const mo_vec3 corners[8], uint32_t rgba, void *context);
  void *context;
} mo_box_emitter;

/* Checks the def of a public call, which is not null. Errors: those that motte/debug.h states. */
mo_result mo_debug_check_def(const mo_host *host, const char *function, const mo_debug_def *def);

/* Emits the boxes that a checked def selects. */
void mo_debug_emit_boxes(const mo_debug_tree *tree, const mo_debug_def *def,
                         const mo_box_emitter *emitter);

#endif
