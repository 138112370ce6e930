/* Box3D: the dynamic tree of its broad phase, used as its world does. Boxes have a margin; one that
 * leaves it is enlarged in place, and what was enlarged is rebuilt before the next search. Each box
 * that moved searches the tree. The world keeps pairs while margins overlap, and searches for boxes
 * alone that left theirs; but it also tests each pair that it keeps. */
#include <math.h>
#include <stdlib.h>

#include "box3d.h"
#include "broad.h"
#include "common/check.h"
#include "common/vector.h"

typedef struct pair {
  uint32_t a, b;
} pair;

typedef struct world {
  b3DynamicTree tree;
  int *proxies;
  bench_box *now; /* by body */
  bool *has_moved;
  uint32_t *movers;
  bench_box *boxes;
  uint32_t count, mover_count;
  pair *found;
  size_t found_count, found_capacity;
} world;

static b3AABB box_of(const bench_box *box, float margin) {
  const mo_vec3 c = box->center, h = box->half;
  return (b3AABB){{c.x - h.x - margin, c.y - h.y - margin, c.z - h.z - margin},
                  {c.x + h.x + margin, c.y + h.y + margin, c.z + h.z + margin}};
}

/* As its shapes have it. */
static float margin_of(const bench_box *box) {
  return fminf(B3_MAX_AABB_MARGIN, B3_AABB_MARGIN_FRACTION * vec3_length(box->half));
}

static void add(world *w, uint32_t body) {
  const bench_box *box = &w->now[body];
  w->proxies[body] = b3DynamicTree_CreateProxy(&w->tree, box_of(box, margin_of(box)),
                                               B3_DEFAULT_CATEGORY_BITS, body);
}

static void *create(const bench_broad_engine *engine, const bench_boxes *boxes) {
  (void)engine;
  world *w = allocate(1, sizeof *w);
  w->count = boxes->count;
  w->tree = b3DynamicTree_Create((int)boxes->count);
  w->proxies = allocate(w->count, sizeof *w->proxies);
  w->now = allocate(w->count, sizeof *w->now);
  w->has_moved = allocate(w->count, sizeof *w->has_moved);
  w->movers = allocate(w->count, sizeof *w->movers);
  w->boxes = allocate(w->count, sizeof *w->boxes);
  for (uint32_t i = 0; i < w->count; i++) {
    w->now[i] = boxes->all[i];
    add(w, i);
  }
  b3DynamicTree_Rebuild(&w->tree, true);
  return w;
}

static void destroy(void *opaque) {
  world *w = opaque;
  b3DynamicTree_Destroy(&w->tree);
  free(w->proxies);
  free(w->now);
  free(w->has_moved);
  free(w->movers);
  free(w->boxes);
  free(w->found);
  free(w);
}

static void prepare(void *opaque, const uint32_t *movers, const bench_box *boxes, uint32_t count,
                    bool replace) {
  (void)replace;
  world *w = opaque;
  for (uint32_t k = 0; k < w->mover_count; k++) {
    w->has_moved[w->movers[k]] = false;
  }
  for (uint32_t k = 0; k < count; k++) {
    w->movers[k] = movers[k];
    w->boxes[k] = boxes[k];
    w->has_moved[movers[k]] = true;
  }
  w->mover_count = count;
}

static void update(void *opaque, bool replace) {
  world *w = opaque;
  for (uint32_t k = 0; k < w->mover_count; k++) {
    uint32_t body = w->movers[k];
    const bench_box *box = &w->boxes[k];
    w->now[body] = *box;
    if (replace) {
      b3DynamicTree_DestroyProxy(&w->tree, w->proxies[body]);
      add(w, body);
    } else if (!b3AABB_Contains(b3DynamicTree_GetAABB(&w->tree, w->proxies[body]),
                                box_of(box, 0))) {
      b3DynamicTree_EnlargeProxy(&w->tree, w->proxies[body], box_of(box, margin_of(box)));
    }
  }
  b3DynamicTree_Rebuild(&w->tree, false);
}

typedef struct search {
  world *in;
  uint32_t body;
} search;

static bool note(int proxy, uint64_t other_body, void *context) {
  (void)proxy;
  const search *s = context;
  world *w = s->in;
  uint32_t other = (uint32_t)other_body;
  if (other == s->body || (w->has_moved[other] && other < s->body)) {
    return true;
  }
  if (w->found_count == w->found_capacity) {
    w->found_capacity = w->found_capacity > 0 ? 2 * w->found_capacity : 1024;
    w->found = realloc(w->found, w->found_capacity * sizeof *w->found);
    if (w->found == NULL) {
      fail("out of memory");
    }
  }
  w->found[w->found_count++] = (pair){s->body, other};
  return true;
}

static void find(void *opaque) {
  world *w = opaque;
  w->found_count = 0;
  for (uint32_t k = 0; k < w->mover_count; k++) {
    search s = {w, w->movers[k]};
    b3DynamicTree_Query(&w->tree, box_of(&w->now[s.body], 0), B3_DEFAULT_MASK_BITS, false, note,
                        &s);
  }
}

static void list_pairs(void *opaque, bench_visit_pair *visit, void *context) {
  const world *w = opaque;
  for (size_t i = 0; i < w->found_count; i++) {
    visit(w->found[i].a, w->found[i].b, context);
  }
}

typedef struct question {
  const world *in;
  const bench_probe *probe;
  bench_probe_kind kind;
  bench_finding finding;
} question;

static bool meet_box(int proxy, uint64_t body, void *context) {
  (void)proxy;
  question *q = context;
  if (bench_boxes_touch(&q->probe->box, &q->in->now[body])) {
    q->finding.total++;
    q->finding.sum += (uint32_t)body;
  }
  return true;
}

static float meet_ray(const b3RayCastInput *input, int proxy, uint64_t body, void *context) {
  (void)proxy;
  question *q = context;
  bench_meet_box(q->probe, &q->in->now[body], (uint32_t)body, q->kind, &q->finding);
  float first = q->finding.t / q->probe->max_t;
  return q->kind == BENCH_PROBE_CLOSEST && first < input->maxFraction ? first : input->maxFraction;
}

static void query(void *opaque, bench_probe_kind kind, const bench_probe *probes, size_t count,
                  bench_finding *findings) {
  const world *w = opaque;
  for (size_t i = 0; i < count; i++) {
    const bench_probe *probe = &probes[i];
    question q = {w, probe, kind, {0, 0, INFINITY}};
    if (kind == BENCH_PROBE_BOX) {
      b3DynamicTree_Query(&w->tree, box_of(&probe->box, 0), B3_DEFAULT_MASK_BITS, false, meet_box,
                          &q);
    } else {
      const b3RayCastInput ray = {box3d_vector(probe->origin),
                                  b3MulSV(probe->max_t, box3d_vector(probe->direction)), 1};
      b3DynamicTree_RayCast(&w->tree, &ray, B3_DEFAULT_MASK_BITS, false, meet_ray, &q);
    }
    findings[i] = q.finding;
  }
}

extern const bench_broad_engine bench_broad_box3d;
const bench_broad_engine bench_broad_box3d = {
    .id = {"box3d", BENCH_BOX3D_VERSION},
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .update = update,
    .find = find,
    .pairs = list_pairs,
    .query = query,
    .knows_rays = true,
};
