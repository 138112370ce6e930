/* Masks in place of unpredictable branches. */
#ifndef MO_BASE_MASK_H
#define MO_BASE_MASK_H

#include <stdint.h>

/* Returns all ones for 1, zero for 0. A barrier hides the value of `yes` from the compiler, which
 * would otherwise make a branch. */
static inline uint32_t mo_mask_from_bool(uint32_t yes) {
  uint32_t mask = -yes;
  __asm__("" : "+r"(mask));
  return mask;
}

#endif
