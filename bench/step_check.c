#include "step_check.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "grow.h"

typedef struct list {
  bench_touch *items;
  size_t count, capacity;
} list;

static void add(const bench_touch *touch, void *context) {
  list *l = context;
  if (l->count == l->capacity) {
    l->items = bench_grow(l->items, &l->capacity, sizeof *l->items);
  }
  l->items[l->count++] = *touch;
}

static int by_pair(const bench_touch *x, const bench_touch *y) {
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static int compare(const void *x, const void *y) {
  const bench_touch *p = x, *q = y;
  int order = by_pair(p, q);
  return order != 0 ? order : (p->separation > q->separation) - (p->separation < q->separation);
}

/* Each pair once, with its minimum separation. */
static list read(const bench_step_engine *engine, void *world) {
  list l = {NULL, 0, 0};
  engine->touches(world, add, &l);
  if (l.count > 0) {
    qsort(l.items, l.count, sizeof *l.items, compare);
  }
  size_t kept = 0;
  for (size_t i = 0; i < l.count; i++) {
    if (kept == 0 || by_pair(&l.items[kept - 1], &l.items[i]) != 0) {
      l.items[kept++] = l.items[i];
    }
  }
  l.count = kept;
  return l;
}

static void compare_lists(const list *found, const list *expected, float band,
                          bench_step_census *census) {
  size_t i = 0;
  for (size_t k = 0; k < expected->count; k++) {
    const bench_touch *e = &expected->items[k];
    for (; i < found->count && by_pair(&found->items[i], e) < 0; i++) {
      census->extra += found->items[i].separation < -band;
    }
    bool has = i < found->count && by_pair(&found->items[i], e) == 0;
    census->touching += e->separation <= 0;
    census->missing += !has && e->separation < -band;
    i += has;
  }
  for (; i < found->count; i++) {
    census->extra += found->items[i].separation < -band;
  }
}

bool bench_step_compare(const bench_step_engine *engine, void *world,
                        const bench_step_engine *reference, void *reference_world,
                        bench_step_census *census) {
  list found = read(engine, world), expected = read(reference, reference_world);
  bool same = engine->id.version != NULL || engine->reuse_distance != 0 ||
              (found.count == expected.count &&
               (found.count == 0 ||
                memcmp(found.items, expected.items, found.count * sizeof *found.items) == 0));
  compare_lists(&found, &expected, (float)engine->band, census);
  free(found.items);
  free(expected.items);
  return same;
}

bool bench_step_is_close(const bench_step_census *census) {
  return census->missing + census->extra <= 10 + census->touching / 50;
}
