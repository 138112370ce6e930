/* Masks in place of unpredictable branches. */
#ifndef MO_BASE_MASK_H
#define MO_BASE_MASK_H

#include <stdint.h>

/* All ones for 1, zero for 0. The barrier hides the value from the compiler, which would turn it
 * into a branch. */
static inline uint32_t mo_mask_if(uint32_t yes) {
  uint32_t mask = -yes;
  __asm__("" : "+r"(mask));
  return mask;
}

#endif
