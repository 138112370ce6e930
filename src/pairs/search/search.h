/* The search for pairs of boxes that touch: a shape octree against itself or against another one,
 * and groups of shapes against a tree. Compiled once per instruction set.
 *
 * Each pair is found only once, as every pair of children of two subtrees is tested at most once.
 * So no table of already found pairs is needed. */
#ifndef MO_PAIRS_SEARCH_SEARCH_H
#define MO_PAIRS_SEARCH_SEARCH_H

#include <motte/pairs.h>

#include "base/isa.h"
#include "scene/scene.h"

enum { MO_MAX_PAIR_KEYS = 1024, MO_MAX_PAIR_GROUPS = 256, MO_PAIR_STREAM_COUNT = 4 };

/* Streams of pairs: pairs are kept apart by where in the trees they are found. */
enum {
  MO_STREAM_IN_BLOCK,       /* both shapes in one block */
  MO_STREAM_BETWEEN_BLOCKS, /* in two blocks of one list */
  MO_STREAM_BETWEEN_LEAVES, /* in two leaves */
  MO_STREAM_NODE_ITEMS,     /* one shape is unbounded, or stored in an inner node */
};

/* The key of a pair: the slots of its two shapes, in one scene the lower slot first. Ascending keys
 * are in the order in which pairs are listed. */
static inline uint64_t mo_pair_key(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

typedef struct mo_pair_search mo_pair_search;

struct mo_pair_search {
  const mo_scene *scene[2]; /* if both are the same, the scene is searched against itself */
  /* `active_only`: find only pairs with at least one active shape; not set if all shapes are
   * active. A shape is active if it is not static, and if `awake_only` is set, not asleep either.
   */
  bool active_only, awake_only;
  /* In searches of whole trees: boxes within this distance are found, and by rounding some that are
   * slightly farther apart. 0: boxes that touch. */
  float max_distance;
  uint64_t node_visit_count, block_visit_count; /* counted in searches of whole trees */
  /* By slot, for searches by groups only: not 0 if the shape is in one of the groups; for an
   * unbounded shape, not 0 if it has changed. */
  const uint8_t *is_grouped;
  /* Callback that takes the pairs in `keys` when the array is full; returning false stops the
   * search. */
  bool (*consume)(mo_pair_search *search);
  void *context;
  bool stopped;
  /* The stream (MO_STREAM_...) of the pairs in `keys`. The order of pairs within a stream changes
   * little from frame to frame; the order in which streams alternate changes more. */
  uint32_t stream;
  uint32_t count;
  uint64_t keys[MO_MAX_PAIR_KEYS];
};

/* Passes `keys` to the callback and empties the array. Once the search is stopped, pairs are
 * dropped. */
static inline void mo_pair_flush(mo_pair_search *q) {
  q->stopped = q->stopped || !q->consume(q);
  q->count = 0;
}

/* Whether a shape is active: it may form a pair with any other shape. */
static inline bool mo_pair_is_active(const mo_pair_search *search, uint32_t side, uint32_t slot) {
  return !(search->scene[side]->traits[slot] &
           (search->awake_only ? MO_TRAIT_STILL : MO_TRAIT_IMMOVABLE));
}

/* Two subtrees to search, one of scene[0] and one of scene[1], with the boxes around them; the same
 * subtree twice is searched against itself. */
typedef struct mo_pair_job {
  uint32_t child[2];
  mo_aabb box[2];
} mo_pair_job;

/* Finds all pairs of a job. The last pairs may remain in `keys` until mo_pair_search_end. */
MO_ISA_DECLARE(void, mo_pair_search_job, (mo_pair_search * search, const mo_pair_job *job));
MO_ISA_DECLARE(void, mo_pair_search_near, (mo_pair_search * search, const mo_pair_job *job));
void mo_pair_search_job(mo_pair_search *search, const mo_pair_job *job);

/* The shapes in some lanes of a block, whose pairs are searched for together. */
typedef struct mo_pair_group {
  uint32_t block, lanes;
} mo_pair_group;

/* Finds the pairs of up to MO_MAX_PAIR_GROUPS groups with all shapes of scene[0]. A pair of two
 * grouped shapes is found from the one with the lower slot. */
MO_ISA_DECLARE(void, mo_pair_search_groups,
               (mo_pair_search * search, const mo_pair_group *groups, uint32_t count));

enum { MO_MAX_MANY_PARTNER_SHAPES = 8 };

/* A few many-partner shapes: shapes that form pairs with very many others. */
typedef struct mo_many_partner_shapes {
  const mo_scene *scene;
  uint32_t slots[MO_MAX_MANY_PARTNER_SHAPES], count;
  uint8_t *found; /* by slot: a bit for each many-partner shape that forms a pair with the slot's
                     shape */
} mo_many_partner_shapes;

/* Finds the pairs of the many-partner shapes with all shapes of the tree, including each
 * many-partner shape with itself, and sets `found`. Processes part `part` of `part_count`; each
 * part sets the bytes of different slots. Bytes of slots without such a pair may remain unset. */
MO_ISA_DECLARE(void, mo_pair_search_many_partner_shapes,
               (const mo_many_partner_shapes *many_partner_shapes, uint32_t part,
                uint32_t part_count));

/* Finds pairs of unbounded shapes, which are in no job, with all other shapes. Processes every
 * `part_count`-th unbounded shape, beginning with number `part`. With `changed`, only unbounded
 * shapes that have changed are processed; pairs with the others are found from the groups of their
 * partners (mo_pair_search_group_unbounded). */
void mo_pair_search_unbounded(mo_pair_search *search, uint32_t part, uint32_t part_count,
                              bool changed);

/* Finds the pairs of a group with unbounded shapes that have not changed. */
void mo_pair_search_group_unbounded(mo_pair_search *search, const mo_pair_group *group);

/* These functions initialise a search of a scene against itself or another scene, and make the job
 * that covers both whole trees. */
void mo_pair_search_init(mo_pair_search *search, const mo_scene *a, const mo_scene *b, bool awake);
mo_pair_job mo_pair_job_of_whole_scenes(const mo_scene *a, const mo_scene *b);

enum { MO_MAX_PAIR_JOBS = 256 };

/* Splits a search of whole trees into jobs, always in the same way; returns the number of jobs. */
uint32_t mo_pair_split_jobs(const mo_scene *a, const mo_scene *b,
                            mo_pair_job jobs[MO_MAX_PAIR_JOBS]);

/* Passes the remaining pairs to the callback. Returns false if the search was stopped. */
bool mo_pair_search_end(mo_pair_search *search);

/* The order in which pairs are listed: by a.index, then b.index. */
static inline bool mo_pair_before(const void *a, const void *b) {
  const mo_pair *p = a, *q = b;
  return p->a.index != q->a.index ? p->a.index < q->a.index : p->b.index < q->b.index;
}

/* Arguments and results of a query for all pairs (mo_pair_query_run). */
typedef struct mo_pair_query {
  const mo_scene *scene[2];     /* as in mo_pair_search */
  const mo_pair_query_def *def; /* null for the default */
  float max_distance;           /* as in mo_pair_search; 0: boxes that touch */
  /* If not null: exact test of whether two shapes whose boxes are within `max_distance` are near
   * enough. */
  bool (*is_near)(const mo_scene *a, uint32_t slot_a, const mo_scene *b, uint32_t slot_b,
                  void *context);
  void *is_near_context;
  bool (*visit)(const mo_pair *pair, void *context); /* called for each pair; null: see `pairs` */
  void *context;
  mo_pair *pairs; /* without `visit`: receives the first `capacity` pairs in order */
  uint32_t capacity, total;
  uint64_t node_visit_count, block_visit_count;
} mo_pair_query;

void mo_pair_query_run(mo_pair_query *find);

/* Checks the def of a public call; null is legal. */
mo_result mo_pair_query_def_check(const mo_host *host, const char *function,
                                  const mo_pair_query_def *def);

/* Whether two shapes of a scene whose boxes touch may be no pair because of filters or bodies. */
static inline bool mo_pairs_are_filtered(const mo_scene *scene) {
  return scene->filtered_count > 0 || scene->bodies.shape_count > 0;
}

/* Whether each of two shapes passes the filter of the other, not both are immovable, and they do
 * not belong to one body of one scene. */
bool mo_pair_passes_filters(const mo_scene *a, uint32_t slot_a, const mo_scene *b, uint32_t slot_b);

#endif
