/* The last stages of the searches for all pairs: test the shapes in two lists of blocks, or in one
 * list, against each other. There is no branch for each result:
 *
 *   lists against lists -> probes: a shape of one list and a block of the other
 *   probes              -> hits: a shape and the lanes of a block that it touches
 *   hits                -> pairs, in streams by where they were found
 *
 * Side 0 is the first scene, side 1 the second; in a search of one scene against itself both are
 * the same. A file that defines MO_SEARCH_WITHIN_DISTANCE finds boxes within a distance, the
 * search's `max_distance`; other files find boxes that touch. */
#ifndef MO_PAIRS_SEARCH_BLOCKS_H
#define MO_PAIRS_SEARCH_BLOCKS_H

#include "pairs/search/block_self.h"
#include "pairs/search/rows.h"

enum { MO_MAX_BLOCK_PROBES = 256, MO_STREAM_CAPACITY = 512 };

/* A buffer of pairs of one stream (MO_STREAM_...), each as two slots. */
typedef struct mo_pair_stream {
  uint32_t count;
  uint32_t first[MO_STREAM_CAPACITY + 2 * MO_LANE_COUNT],
      second[MO_STREAM_CAPACITY + 2 * MO_LANE_COUNT];
} mo_pair_stream;

/* Some lanes of a block of side 0, and a leaf of side 1, by its first block, that is near their
 * boxes. */
typedef struct mo_block_leaf_pair {
  uint32_t block, lanes, leaf;
} mo_block_leaf_pair;

enum {
  MO_MAX_BLOCK_LEAF_PAIRS = 128, /* pairs that are collected before they are tested */
  MO_LEAVES_AHEAD = 16,          /* prefetch distance, in leaves */
};

/* The state of testing lists of blocks: pending probes, and buffers of the pairs found. */
typedef struct mo_block_search {
  mo_pair_search *search;
  const mo_scene *scene[2];
  bool is_one_scene, active_only; /* whether both sides are one scene; see mo_pair_search */
  uint32_t probe_count; /* all probes are for one stream and side; mo_test_probes must be called
                           before these change */
  mo_block_probe probes[MO_MAX_BLOCK_PROBES + 2];
  mo_pair_stream streams[MO_PAIR_STREAM_COUNT];
} mo_block_search;

/* The distance within which pairs of boxes are found; in searches for boxes that touch, a constant
 * 0. */
MO_INLINE float mo_max_distance_of(const mo_block_search *w) {
#if defined(MO_SEARCH_WITHIN_DISTANCE)
  return w->search->max_distance;
#else
  (void)w;
  return 0;
#endif
}

MO_INLINE void mo_block_search_begin(mo_block_search *w, mo_pair_search *search) {
  w->search = search;
  w->scene[0] = search->scene[0];
  w->scene[1] = search->scene[1];
  w->is_one_scene = w->scene[0] == w->scene[1];
  w->active_only = search->active_only;
  w->probe_count = 0;
  for (int i = 0; i < MO_PAIR_STREAM_COUNT; i++) {
    w->streams[i].count = 0;
  }
}

MO_INLINE uint32_t mo_active_lanes(const mo_block_search *w, const mo_shape_block *block) {
  return w->search->awake_only ? block->awake : block->dynamic;
}

MO_INLINE bool mo_list_is_active(const mo_block_search *w, uint32_t side, uint32_t head) {
  uint32_t any = 0;
  for (uint32_t b = head; b != MO_NONE; b = mo_shape_block_at(w->scene[side], b)->next) {
    any |= mo_active_lanes(w, mo_shape_block_at(w->scene[side], b));
  }
  return any != 0;
}

/* The index of the lowest lane whose bit is set; 0 if none is. */
MO_INLINE uint32_t mo_first_lane(uint32_t lanes) {
  return (uint32_t)__builtin_ctz(lanes | 1u << MO_LANE_COUNT) & 7;
}

/* Passes the buffered pairs of a stream to the search, as keys. */
static void mo_drain_pair_stream(mo_block_search *w, uint32_t stream) {
  mo_pair_stream *s = &w->streams[stream];
  mo_pair_search *q = w->search;
  if (s->count == 0) {
    return;
  }
  const uint32_t *first = s->first, *second = s->second;
  for (uint32_t i = 0; i < s->count; i++) {
    bool swap = w->is_one_scene && second[i] < first[i];
    q->keys[i] = mo_pair_key(swap ? second[i] : first[i], swap ? first[i] : second[i]);
  }
  q->count = s->count;
  q->stream = stream;
  mo_pair_flush(q);
  s->count = 0;
}

MO_INLINE void mo_block_search_end(mo_block_search *w) {
  for (uint32_t i = 0; i < MO_PAIR_STREAM_COUNT; i++) {
    mo_drain_pair_stream(w, i);
  }
}

MO_INLINE void mo_add_pairs(mo_block_search *w, uint32_t stream, uint32_t slot,
                            const mo_shape_block *block, uint32_t lanes, uint32_t side) {
  mo_pair_stream *s = &w->streams[stream];
  if (s->count > MO_STREAM_CAPACITY - MO_LANE_COUNT) {
    mo_drain_pair_stream(w, stream);
  }
  mo_u8 others = mo_u8_compress(mo_u8_load(block->shape), lanes), one = mo_u8_splat(slot);
  bool forward = w->is_one_scene || side == 1;
  mo_u8_store_unaligned((forward ? s->second : s->first) + s->count, others);
  mo_u8_store_unaligned((forward ? s->first : s->second) + s->count, one);
  s->count += (uint32_t)__builtin_popcount(lanes);
}

/* --- two lists --- */

MO_INLINE void mo_test_probes_against_side(mo_block_search *w, uint32_t stream, uint32_t side) {
  mo_block_hit hits[MO_MAX_BLOCK_PROBES + 1];
  uint32_t count = 0;
  for (uint32_t i = 0; i < w->probe_count; i++) {
    mo_block_probe p = w->probes[i];
    const mo_shape_block *mine = mo_shape_block_at(w->scene[side ^ 1], p.shape_place >> 3);
    const mo_shape_block *theirs = mo_shape_block_at(w->scene[side], p.block);
    uint32_t lanes = mo_boxes_near_lane(&theirs->bounds, &mine->bounds, p.shape_place & 7,
                                        mo_max_distance_of(w));
    if (w->active_only && !(mo_active_lanes(w, mine) >> (p.shape_place & 7) & 1)) {
      lanes &= mo_active_lanes(w, theirs);
    }
    hits[count] = (mo_block_hit){p.shape_place, p.block, lanes};
    count += lanes != 0;
  }
  w->search->block_visit_count += w->probe_count;
  w->probe_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const mo_block_hit *h = &hits[i];
    const mo_shape_block *mine = mo_shape_block_at(w->scene[side ^ 1], h->shape_place >> 3);
    mo_add_pairs(w, stream, mine->shape[h->shape_place & 7],
                 mo_shape_block_at(w->scene[side], h->block), h->lanes, side);
  }
}

/* Tests all pending probes, which are against blocks of `side`, and adds the pairs. */
static void mo_test_probes(mo_block_search *w, uint32_t stream, uint32_t side) {
  if (side == 1) {
    mo_test_probes_against_side(w, stream, 1);
  } else {
    mo_test_probes_against_side(w, stream, 0);
  }
}

/* Adds probes of the shapes in some lanes of a block against another block, which is of `side`. */
MO_INLINE void mo_add_probes(mo_block_search *w, uint32_t stream, uint32_t block, uint32_t lanes,
                             uint32_t against, uint32_t side) {
  if (w->probe_count > MO_MAX_BLOCK_PROBES - MO_LANE_COUNT) {
    mo_test_probes(w, stream, side);
  }
  mo_block_probe *to = w->probes + w->probe_count;
  w->probe_count += (uint32_t)__builtin_popcount(lanes);
  /* There are rarely more than two lanes; the first two probes are added without a branch. */
  to[0] = (mo_block_probe){block << 3 | mo_first_lane(lanes), against};
  lanes &= lanes - 1;
  to[1] = (mo_block_probe){block << 3 | mo_first_lane(lanes), against};
  lanes &= lanes - 1;
  for (to += 2; lanes != 0; lanes &= lanes - 1) {
    *to++ = (mo_block_probe){block << 3 | mo_first_lane(lanes), against};
  }
}

/* Tests a list against the list `other` of `side`, whose box is in a lane of `bounds`. */
MO_INLINE void mo_test_two_lists(mo_block_search *w, uint32_t stream, uint32_t head, uint32_t other,
                                 uint32_t side, const mo_bounds8 *bounds, uint32_t lane) {
  const mo_scene *mine = w->scene[side ^ 1], *theirs = w->scene[side];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(mine, a)->next) {
    uint32_t lanes = mo_boxes_near_lane(&mo_shape_block_at(mine, a)->bounds, bounds, lane,
                                        mo_max_distance_of(w));
    for (uint32_t b = other; b != MO_NONE; b = mo_shape_block_at(theirs, b)->next) {
      mo_add_probes(w, stream, a, lanes, b, side);
    }
  }
}

/* Adds probes for collected pairs. */
static void mo_probe_block_leaf_pairs(mo_block_search *w, const mo_block_leaf_pair *pairs,
                                      uint32_t count) {
  for (uint32_t i = 0; i < count && i < MO_LEAVES_AHEAD; i++) {
    mo_block_prefetch(w->scene[1], pairs[i].leaf);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (i + MO_LEAVES_AHEAD < count) {
      mo_block_prefetch(w->scene[1], pairs[i + MO_LEAVES_AHEAD].leaf);
    }
    for (uint32_t b = pairs[i].leaf; b != MO_NONE; b = mo_shape_block_at(w->scene[1], b)->next) {
      mo_add_probes(w, MO_STREAM_BETWEEN_LEAVES, pairs[i].block, pairs[i].lanes, b, 1);
    }
  }
}

/* Collects the blocks of a leaf of side 0 that are near the box in a lane of `bounds`, which is
 * that of the leaf `other` of side 1. Most shapes of a leaf are not near another leaf's box; if
 * none is, the blocks of the other leaf are not read. Returns the new number of pairs. */
MO_INLINE uint32_t mo_collect_block_leaf_pairs(mo_block_search *w, mo_block_leaf_pair *pairs,
                                               uint32_t count, uint32_t leaf, uint32_t other,
                                               const mo_bounds8 *bounds, uint32_t lane) {
  for (uint32_t a = leaf; a != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(w->scene[0], a);
    uint32_t lanes = mo_boxes_near_lane(&block->bounds, bounds, lane, mo_max_distance_of(w));
    pairs[count] = (mo_block_leaf_pair){a, lanes, other};
    count += lanes != 0;
    if (count == MO_MAX_BLOCK_LEAF_PAIRS) {
      mo_probe_block_leaf_pairs(w, pairs, count);
      count = 0;
    }
    a = block->next;
  }
  return count;
}

/* --- one list --- */

MO_INLINE uint32_t mo_touching_pairs_in_one_block(const mo_block_search *w,
                                                  const mo_shape_block *block) {
  uint32_t found = mo_touching_pairs_in_block(&block->bounds, mo_max_distance_of(w));
  if (w->active_only) {
    uint32_t active = mo_active_lanes(w, block), twice = active | active << 8;
    found &= (active | (twice >> 1 & MO_ALL_LANES)) | (active | (twice >> 2 & MO_ALL_LANES)) << 8 |
             (active | (twice >> 3 & MO_ALL_LANES)) << 16 |
             (active | (twice >> 4 & MO_ALL_LANES)) << 24;
  }
  return found;
}

/* Tests a list of blocks against itself: each block against itself and against later blocks. */
MO_INLINE void mo_test_list_against_itself(mo_block_search *w, uint32_t within, uint32_t blocks,
                                           uint32_t head) {
  const mo_scene *scene = w->scene[0];
  mo_pair_stream *s = &w->streams[within];
  for (uint32_t a = head; a != MO_NONE; a = mo_shape_block_at(scene, a)->next) {
    const mo_shape_block *block = mo_shape_block_at(scene, a);
    if (s->count > MO_STREAM_CAPACITY - 4 * MO_LANE_COUNT) {
      mo_drain_pair_stream(w, within);
    }
    s->count += mo_list_pairs_in_block(s->first + s->count, s->second + s->count, block->shape,
                                       mo_touching_pairs_in_one_block(w, block));
    for (uint32_t b = block->next; b != MO_NONE; b = mo_shape_block_at(scene, b)->next) {
      mo_add_probes(w, blocks, a, (1u << block->count) - 1, b, 1);
    }
  }
}

#endif
