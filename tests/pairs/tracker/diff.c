/* Lists of pairs compared and sorted: against sets made naively, however little the lists have in
 * common. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_sort.h"
#include "pairs/tracker/diff.h"
#include "support/rng.h"

enum { MAX = 6000 };

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static bool is_among(const uint64_t *sorted, uint32_t count, uint64_t key) {
  return bsearch(&key, sorted, count, sizeof key, compare) != NULL;
}

/* Distinct keys of up to so many bits in either half. */
static uint32_t random_keys(rng *r, uint64_t *keys, uint32_t count, uint32_t bits) {
  uint64_t mask = (1ull << bits) - 1;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t random = rng_u64(r);
    keys[i] = (random >> 32 & mask) << 32 | (random & mask);
  }
  qsort(keys, count, sizeof *keys, compare);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      keys[kept++] = keys[i];
    }
  }
  for (uint32_t i = kept; i > 1; i--) {
    uint32_t j = rng_below(r, i);
    uint64_t key = keys[i - 1];
    keys[i - 1] = keys[j];
    keys[j] = key;
  }
  return kept;
}

/* Most of a list in its order, with some left out, some put in, and parts of it turned round. */
static uint32_t change(rng *r, const uint64_t *all, uint32_t count, uint32_t used, uint64_t *to,
                       double share) {
  uint32_t made = 0, fresh = used;
  for (uint32_t i = 0; i < used; i++) {
    if (fresh < count && rng_chance(r, share)) {
      to[made++] = all[fresh++];
    }
    if (!rng_chance(r, share)) {
      to[made++] = all[i];
    }
  }
  for (uint32_t turn = rng_below(r, 4); turn > 0 && made > 1; turn--) {
    uint32_t begin = rng_below(r, made), end = begin + rng_below(r, made - begin);
    for (; begin + 1 < end; begin++, end--) {
      uint64_t key = to[begin];
      to[begin] = to[end - 1];
      to[end - 1] = key;
    }
  }
  return made;
}

Test(pair_diff, matches_and_the_rest) {
  rng r = rng_make(rng_seed("pair lists", 51));
  static uint64_t all[MAX], before[MAX], now[2 * MAX], plain[2 * MAX], sorted[2][2 * MAX];
  static uint64_t came[2 * MAX], gone[MAX];
  static const double shares[] = {0, 0.01, 0.1, 0.5, 1};
  for (int round = 0; round < 200; round++) {
    uint32_t bits = 1 + rng_below(&r, 31);
    uint32_t count = random_keys(&r, all, rng_below(&r, round % 10 == 0 ? MAX : 60), bits);
    uint32_t used = rng_below(&r, count + 1);
    uint32_t now_count = change(&r, all, count, used, now, shares[rng_below(&r, 5)]);
    double refusals = rng_chance(&r, 0.5) ? 0 : 0.3;
    for (uint32_t i = 0; i < used; i++) {
      before[i] = all[i] | (rng_chance(&r, refusals) ? MO_KEY_REFUSED : 0);
    }
    memcpy(plain, now, now_count * sizeof *now);
    memcpy(sorted[0], before, used * sizeof *before);
    memcpy(sorted[1], now, now_count * sizeof *now);
    qsort(sorted[0], used, sizeof *before, compare);
    qsort(sorted[1], now_count, sizeof *now, compare);
    mo_pair_diff diff = {0};
    memcpy(gone, before, used * sizeof *before);
    mo_pair_diff_find(&diff, gone, used, now, now_count);
    /* What is left of the later list, in its order. */
    uint32_t next = 0;
    for (uint32_t i = 0; i < now_count; i++) {
      bool was = is_among(sorted[0], used, plain[i]);
      bool was_refused = is_among(sorted[0], used, plain[i] | MO_KEY_REFUSED);
      if (now[i] & MO_KEY_NEW) {
        cr_assert_eq(now[i], plain[i] | MO_KEY_NEW);
        cr_assert_lt(next, diff.new_count);
        came[next++] = plain[i];
      } else {
        cr_assert(now[i] == (was_refused ? plain[i] | MO_KEY_REFUSED : plain[i]));
        cr_assert(was || was_refused);
      }
    }
    cr_assert_eq(next, diff.new_count);
    /* Each of the earlier one is matched or gone, unless it was refused. */
    qsort(came, diff.new_count, sizeof *came, compare);
    qsort(gone, diff.gone_count, sizeof *gone, compare);
    uint32_t gone_count = 0;
    for (uint32_t i = 0; i < used; i++) {
      bool matched = is_among(sorted[1], now_count, before[i] & ~MO_KEY_REFUSED) &&
                     !is_among(came, diff.new_count, before[i] & ~MO_KEY_REFUSED);
      bool in_set = !(before[i] & MO_KEY_REFUSED);
      cr_assert_eq(is_among(gone, diff.gone_count, before[i]), in_set && !matched);
      gone_count += in_set && !matched;
    }
    cr_assert_eq(gone_count, diff.gone_count);
  }
}

/* Lists in nearly the same order are matched for the most part. */
Test(pair_diff, lists_in_nearly_the_same_order_are_matched) {
  rng r = rng_make(rng_seed("like lists", 52));
  static uint64_t all[MAX], now[2 * MAX];
  uint32_t count = random_keys(&r, all, MAX, 17), used = count - count / 8, made = 0;
  for (uint32_t i = 0; i < used; i++) {
    if (i % 16 == 3) {
      now[made++] = all[used + i / 16];
    }
    if (i % 16 != 9) {
      now[made++] = all[i];
    }
  }
  mo_pair_diff diff = {0};
  mo_pair_diff_find(&diff, all, used, now, made);
  cr_assert_eq(diff.new_count, (used + 12) / 16);
  cr_assert_eq(diff.gone_count, (used + 6) / 16);
}

/* Many more in some rounds, in others many that have their leading half in common. */
Test(pair_diff, sorts) {
  enum { MANY = 20000 };
  rng r = rng_make(rng_seed("keys", 53));
  static uint64_t keys[MANY], scratch[MANY], expected[MANY];
  for (int round = 0; round < 200; round++) {
    uint32_t max = round % 50 == 7 ? MANY : round % 10 == 0 ? MAX : 200;
    uint32_t count = random_keys(&r, keys, rng_below(&r, max), 1 + rng_below(&r, 32));
    for (uint32_t i = 0; i < count && round % 4 == 1; i++) {
      keys[i] = i % 3 == 0 ? keys[i] : (keys[i] & UINT32_MAX) | (uint64_t)(i % 7) << 40;
    }
    memcpy(expected, keys, count * sizeof *keys);
    qsort(expected, count, sizeof *keys, compare);
    uint64_t absent = rng_u64(&r);
    mo_keys_sort(keys, scratch, count);
    cr_assert(count == 0 || memcmp(keys, expected, count * sizeof *keys) == 0);
    for (uint32_t i = 0; i < count; i += 7) {
      cr_assert(mo_keys_contain(keys, count, keys[i]));
    }
    cr_assert_eq(mo_keys_contain(keys, count, absent), is_among(expected, count, absent));
  }
}
