/* How much of its stack a piece of work uses. */
#ifndef TEST_SUPPORT_STACK_USE_H
#define TEST_SUPPORT_STACK_USE_H

#include <stddef.h>

/* Runs `work` on a thread of its own, whose stack of 1 MiB was filled with a pattern. Returns how
 * many bytes of that are gone, with what the thread itself needs; 0 if the thread cannot be run. */
size_t stack_use_of(void *(*work)(void *context), void *context);

#endif
