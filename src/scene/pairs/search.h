/* The search for pairs of boxes that touch: a shape octree against itself, against another, and
 * groups of shapes against a tree. Compiled once per instruction set.
 *
 * Each pair is found once: of two subtrees, every pair of children is tested at most once. So no
 * table of pairs found before is needed. */
#ifndef MO_SCENE_PAIRS_SEARCH_H
#define MO_SCENE_PAIRS_SEARCH_H

#include <motte/pairs.h>

#include "base/isa.h"
#include "scene/scene.h"

enum { MO_PAIR_KEYS = 1024, MO_PAIR_GROUPS = 256, MO_PAIR_STREAMS = 4 };

/* Pairs within a block; of two blocks of a list; of two leaves; with shapes that nodes store, or
 * with unbounded ones. */
enum { MO_STREAM_WITHIN, MO_STREAM_BLOCKS, MO_STREAM_BETWEEN, MO_STREAM_ITEMS };

/* Slots of two shapes; within one scene the lower one first. Ascending keys are pairs in the order
 * in which they are listed. */
static inline uint64_t mo_pair_key(uint32_t first, uint32_t second) {
  return (uint64_t)first << 32 | second;
}

typedef struct mo_pair_search mo_pair_search;

struct mo_pair_search {
  const mo_scene *scene[2]; /* the same one twice: against itself */
  /* Finds only pairs of which a shape is active: not static, and with `awake` not asleep. Off where
   * all shapes are active. */
  bool masked, awake;
  /* Whole searches: finds boxes at most so far apart, and by rounding some that are a little
   * farther. 0: boxes that touch. */
  float reach;
  uint64_t node_visits, block_visits; /* of whole searches */
  /* Groups only: for each slot, whether it is in one of the groups; of an unbounded shape, whether
   * it has changed. */
  const uint8_t *grouped;
  /* Takes the pairs in `keys` when these are full; false stops the search. */
  bool (*take)(mo_pair_search *search);
  void *context;
  bool stopped;
  /* The stream that the keys come from. Within a stream the order of keys changes little from frame
   * to frame; how streams alternate changes more. */
  uint32_t stream;
  uint32_t count;
  uint64_t keys[MO_PAIR_KEYS];
};

/* Empties `keys`. Once the search is stopped, further pairs are dropped. */
static inline void mo_pair_flush(mo_pair_search *q) {
  q->stopped = q->stopped || !q->take(q);
  q->count = 0;
}

/* Whether a shape of a side may be a pair with any other. */
static inline bool mo_pair_is_active(const mo_pair_search *search, uint32_t side, uint32_t slot) {
  return !(search->scene[side]->traits[slot] & (search->awake ? MO_TRAIT_STILL : MO_TRAIT_STATIC));
}

/* Two subtrees, of scene[0] and scene[1], with the boxes around them; the same subtree twice:
 * against itself. */
typedef struct mo_pair_job {
  uint32_t child[2];
  mo_aabb box[2];
} mo_pair_job;

/* Finds all pairs of a job. The caller takes the pairs that are left in `keys` at the end. */
MO_ISA_DECLARE(void, mo_pair_search_job, (mo_pair_search * search, const mo_pair_job *job));
MO_ISA_DECLARE(void, mo_pair_search_near, (mo_pair_search * search, const mo_pair_job *job));
void mo_pair_search_job(mo_pair_search *search, const mo_pair_job *job);

/* Shapes in some lanes of a block, whose pairs are searched for together. */
typedef struct mo_pair_group {
  uint32_t block, lanes;
} mo_pair_group;

/* Finds the pairs of up to MO_PAIR_GROUPS groups with all shapes of scene[0]. A pair of two grouped
 * shapes is found from the one with the lower slot. */
MO_ISA_DECLARE(void, mo_pair_search_groups,
               (mo_pair_search * search, const mo_pair_group *groups, uint32_t count));
void mo_pair_search_groups(mo_pair_search *search, const mo_pair_group *groups, uint32_t count);

enum { MO_PAIR_BUSY = 8 };

/* A few shapes with very many partners each. */
typedef struct mo_pair_busy {
  const mo_scene *scene;
  uint32_t slots[MO_PAIR_BUSY], count;
  uint8_t *found; /* by slot: a bit for each of these, whether they are a pair */
} mo_pair_busy;

/* Finds the pairs of these with all shapes of the tree, themselves included; of several parts, one:
 * each sets the bytes of other slots. Bytes of slots without such a pair may stay as they are. */
MO_ISA_DECLARE(void, mo_pair_search_busy,
               (const mo_pair_busy *busy, uint32_t part, uint32_t parts));
void mo_pair_search_busy(const mo_pair_busy *busy, uint32_t part, uint32_t parts);

/* Finds pairs with unbounded shapes, which are in no job: a part of these, every so many-th, each
 * with all other shapes. With `changed`: those of unbounded shapes in groups; the others belong to
 * the groups that their partners are in. */
void mo_pair_search_unbounded(mo_pair_search *search, uint32_t part, uint32_t parts, bool changed);

/* Finds the pairs of a group with unbounded shapes that are in none. */
void mo_pair_search_group_unbounded(mo_pair_search *search, const mo_pair_group *group);

/* A search of a scene against itself or another, with the root boxes in one job. */
void mo_pair_search_init(mo_pair_search *search, const mo_scene *a, const mo_scene *b, bool awake);
mo_pair_job mo_pair_whole_job(const mo_scene *a, const mo_scene *b);

enum { MO_PAIR_JOBS = 256 };

/* Cuts a search of whole trees into jobs, the same for the same trees; returns how many. */
uint32_t mo_pair_cut(const mo_scene *a, const mo_scene *b, mo_pair_job jobs[MO_PAIR_JOBS]);

/* Hands the last pairs to `take`; false if the search was stopped. */
bool mo_pair_search_end(mo_pair_search *search);

/* The order in which found pairs are listed. */
static inline bool mo_pair_before(const void *a, const void *b) {
  const mo_pair *p = a, *q = b;
  return p->a.index != q->a.index ? p->a.index < q->a.index : p->b.index < q->b.index;
}

/* All pairs once, on demand. */
typedef struct mo_pair_find {
  const mo_scene *scene[2];     /* as above */
  const mo_pair_query_def *def; /* null for the default */
  float reach;
  /* Whether a pair of boxes that was found within reach is close enough. Null: all are. */
  bool (*is_near)(const mo_scene *a, uint32_t slot_a, const mo_scene *b, uint32_t slot_b,
                  void *context);
  void *near_context;
  bool (*visit)(const mo_pair *pair, void *context); /* null: pairs go to `pairs` */
  void *context;
  mo_pair *pairs; /* the first `capacity` in order */
  uint32_t capacity, total;
  uint64_t node_visits, block_visits;
} mo_pair_find;

void mo_pair_find_all(mo_pair_find *find);

/* Checks the def of a public call; null is legal. */
mo_result mo_pair_query_def_check(const mo_host *host, const char *function,
                                  const mo_pair_query_def *def);

/* Whether each of two shapes passes the filter of the other, and not both are static. */
bool mo_pair_passes(const mo_scene *a, uint32_t slot_a, const mo_scene *b, uint32_t slot_b);

#endif
