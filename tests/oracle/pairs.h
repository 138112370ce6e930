/* All pairs of a scene by a loop over all shapes, with nothing of its tree. */
#ifndef TEST_ORACLE_PAIRS_H
#define TEST_ORACLE_PAIRS_H

#include <motte/pairs.h>

typedef struct pair_list {
  mo_pair *pairs;
  uint32_t count, capacity;
} pair_list;

void pair_list_add(pair_list *list, mo_pair pair);
void pair_list_free(pair_list *list);

/* Sorted; `def` may be null. For one scene give it twice. */
void pair_oracle(const mo_scene *a, const mo_scene *b, const mo_pair_query_def *def,
                 pair_list *list);

bool pair_equal(mo_pair p, mo_pair q);
bool pair_before(mo_pair p, mo_pair q);

#endif
