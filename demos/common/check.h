/* What a program does when something fails: it says what, and ends. */
#ifndef DEMO_CHECK_H
#define DEMO_CHECK_H

#include <motte/base.h>

/* Prints "<program>: <message>" to stderr and exits with 1. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Returns if `result` is MO_OK. Otherwise fails with "cannot <action>: <text of the result>". */
void check(mo_result result, const char *action);

/* Zeroed memory for `count` items; fails instead of returning null. Free with free(). */
void *allocate(size_t count, size_t size);

#endif
