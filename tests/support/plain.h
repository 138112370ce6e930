/* For programs that do without Criterion. */
#ifndef TEST_PLAIN_H
#define TEST_PLAIN_H

#include <motte/base.h>
#include <motte/scene.h>
#include <stddef.h>

/* Ends the program unless something went well: as skipped where there are no threads to be had. */
void need(mo_result result, const char *what);

/* The work of a program on a scene, as a hash of all that it leaves behind. */
typedef uint64_t threaded_work(uint64_t seed, mo_tree_policy policy, mo_tasks tasks);

/* How often work by these numbers of workers (a list that ends with 0), in threads and with tasks
 * in the opposite order, leaves something else behind than work without tasks. Prints each. */
int count_differences(threaded_work *work, uint64_t seed, const uint32_t *workers);

#define FNV1A_BEGIN ((uint64_t)0xcbf29ce484222325u)

/* FNV-1a (Fowler, Noll and Vo): the hash of what was hashed before and some more. */
static inline uint64_t fnv1a(uint64_t sum, const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
  }
  return sum;
}

#endif
