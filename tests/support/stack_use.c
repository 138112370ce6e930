#define _XOPEN_SOURCE 700
#include "support/stack_use.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1 << 20, PAGE = 4096, PATTERN = 0xa5 };

static bool run_on(unsigned char *stack, void *(*work)(void *context), void *context) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) {
    return false;
  }
  const bool ran = pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
                   pthread_create(&thread, &attributes, work, context) == 0 &&
                   pthread_join(thread, NULL) == 0;
  pthread_attr_destroy(&attributes);
  return ran;
}

size_t stack_use_of(void *(*work)(void *context), void *context) {
  unsigned char *stack = aligned_alloc(PAGE, STACK);
  size_t used = 0;
  if (stack != NULL) {
    memset(stack, PATTERN, STACK);
    if (run_on(stack, work, context)) {
      size_t untouched = 0;
      while (untouched < STACK && stack[untouched] == PATTERN) {
        untouched++;
      }
      used = STACK - untouched;
    }
    free(stack);
  }
  return used;
}
