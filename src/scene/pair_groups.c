/* The search for pairs of some shapes: groups of them, those in one block together, go down the
 * tree from the root, many at once. In steps, as the search for all pairs (pair_search.c):
 *
 *   groups at nodes  -> groups at their children, and at leaves
 *   groups at leaves -> probes: a shape against the eight of a block; at once where it is alone
 *   those            -> hits: a shape and some lanes of a block
 *   hits             -> pairs */
#include "scene/pair_rows.h"

enum {
  QUEUE = 1024, /* a power of two */
  /* From so many entries on, the last come goes first, so that no more than the children of one
   * path are added to them. */
  QUEUE_FULL = QUEUE - 8 * MO_SCENE_MAX_DEPTH - 8,
  BUSY = 48, /* visits that wait while no other group sets out */
  LEAVES = 128,
  PROBES = 256,
  HITS = 2 * PROBES,
  AHEAD = 12,        /* leaves are asked of memory so many before they are looked at */
  GROUPS_AHEAD = 24, /* and the blocks of groups so many before these set out */
  FEW = 2,           /* lanes of a group that are not worth a look at the box around them all */
};

/* What a group is still to visit. */
typedef struct visit {
  uint32_t group, node;
} visit;

/* A shape against a block. */
typedef struct probe {
  mo_place place;
  uint32_t block;
} probe;

typedef struct hit {
  mo_place place;
  uint32_t block, lanes;
} hit;

typedef struct walk {
  mo_pair_search *search;
  const mo_scene *scene;
  const mo_pair_group *groups;
  mo_bounds8 boxes[MO_PAIR_GROUPS / MO_WIDTH]; /* around the groups */
  bool moving[MO_PAIR_GROUPS];                 /* whether not all of a group are static */
  uint32_t begin, end;                         /* of the queue, modulo 2^32 */
  visit queue[QUEUE];
  uint32_t leaf_count;
  uint32_t leaf[LEAVES + MO_WIDTH], leaf_group[LEAVES + MO_WIDTH];
  uint32_t probe_count;
  probe probes[PROBES];
  uint32_t hit_count;
  hit hits[HITS + 1];
} walk;

MO_INLINE const mo_bounds8 *box_of(const walk *w, uint32_t group) {
  return &w->boxes[group / MO_WIDTH];
}

/* Pairs of one shape with those in some lanes, but for those that are found from the other. */
MO_INLINE void add_pairs(mo_pair_search *q, uint32_t slot, const mo_shape_block *block,
                         uint32_t lanes) {
  if (q->count > MO_PAIR_KEYS - MO_WIDTH) {
    mo_pair_make_room(q);
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    uint32_t other = block->shape[__builtin_ctz(lanes)];
    bool after = other > slot;
    q->keys[q->count] = after ? mo_pair_key(slot, other) : mo_pair_key(other, slot);
    q->count += after | !q->grouped[other];
  }
}

MO_INLINE void add_hit(walk *w, mo_place place, uint32_t block, uint32_t lanes) {
  w->hits[w->hit_count] = (hit){place, block, lanes};
  w->hit_count += lanes != 0;
}

static void take_hits(walk *w) {
  for (uint32_t i = 0; i < w->hit_count; i++) {
    const hit *h = &w->hits[i];
    add_pairs(w->search, mo_shape_block_at(w->scene, h->place >> 3)->shape[h->place & 7],
              mo_shape_block_at(w->scene, h->block), h->lanes);
  }
  w->hit_count = 0;
}

static void probe_shapes(walk *w) {
  if (w->hit_count > HITS - PROBES) {
    take_hits(w);
  }
  for (uint32_t i = 0; i < w->probe_count; i++) {
    probe p = w->probes[i];
    uint32_t lane = p.place & 7;
    const mo_shape_block *mine = mo_shape_block_at(w->scene, p.place >> 3);
    const mo_shape_block *theirs = mo_shape_block_at(w->scene, p.block);
    uint32_t lanes = mo_touching(&theirs->bounds, &mine->bounds, lane);
    lanes &= ~((uint32_t)(mine == theirs) << lane);
    if (w->search->masked && !(mine->dynamic >> lane & 1)) {
      lanes &= theirs->dynamic;
    }
    add_hit(w, p.place, p.block, lanes);
  }
  w->probe_count = 0;
}

/* A group of one shape, whose box is the group's, against a list. */
MO_INLINE void meet_list_alone(walk *w, uint32_t group, uint32_t list) {
  uint32_t mine = w->groups[group].block, lane = (uint32_t)__builtin_ctz(w->groups[group].lanes);
  for (uint32_t b = list; b != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(w->scene, b);
    uint32_t lanes = mo_touching(&block->bounds, box_of(w, group), group % MO_WIDTH);
    lanes &= ~((uint32_t)(mine == b) << lane);
    if (w->search->masked && !w->moving[group]) {
      lanes &= block->dynamic;
    }
    if (w->hit_count == HITS) {
      take_hits(w);
    }
    add_hit(w, mine << 3 | lane, b, lanes);
    b = block->next;
  }
}

MO_INLINE void meet_list(walk *w, uint32_t group, uint32_t list) {
  uint32_t asking = w->groups[group].lanes;
  bool few = __builtin_popcount(asking) <= FEW;
  for (uint32_t b = list; b != MO_NONE;) {
    const mo_shape_block *block = mo_shape_block_at(w->scene, b);
    uint32_t lanes = asking;
    if (!few && mo_touching(&block->bounds, box_of(w, group), group % MO_WIDTH) == 0) {
      lanes = 0;
    }
    if (w->probe_count > PROBES - MO_WIDTH) {
      probe_shapes(w);
    }
    for (; lanes != 0; lanes &= lanes - 1) {
      mo_place place = w->groups[group].block << 3 | (uint32_t)__builtin_ctz(lanes);
      w->probes[w->probe_count++] = (probe){place, b};
    }
    b = block->next;
  }
}

static void meet_leaves(walk *w) {
  for (uint32_t i = 0; i < w->leaf_count && i < AHEAD; i++) {
    mo_prefetch_block(w->scene, mo_child_index(w->leaf[i]));
  }
  for (uint32_t i = 0; i < w->leaf_count; i++) {
    if (i + AHEAD < w->leaf_count) {
      mo_prefetch_block(w->scene, mo_child_index(w->leaf[i + AHEAD]));
    }
    uint32_t group = w->leaf_group[i], list = mo_child_index(w->leaf[i]);
    if ((w->groups[group].lanes & (w->groups[group].lanes - 1)) == 0) {
      meet_list_alone(w, group, list);
    } else {
      meet_list(w, group, list);
    }
  }
  w->leaf_count = 0;
  probe_shapes(w);
  take_hits(w);
}

MO_INLINE void meet_node(walk *w, visit v) {
  const mo_scene_node *node = mo_scene_node_at(w->scene, v.node);
  uint32_t row = mo_touching(&node->bounds, box_of(w, v.group), v.group % MO_WIDTH);
  if (w->search->masked && !w->moving[v.group]) {
    row &= w->scene->marks[v.node].dynamic;
  }
  uint32_t leaves = row & mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
  if (w->leaf_count > LEAVES - MO_WIDTH - 1) {
    meet_leaves(w);
  }
  mo_u8_store_any(w->leaf + w->leaf_count, mo_u8_compress(mo_u8_load(node->child), leaves));
  mo_u8_store_any(w->leaf_group + w->leaf_count, mo_u8_all(v.group));
  w->leaf_count += (uint32_t)__builtin_popcount(leaves);
  if (node->items != MO_NONE) {
    w->leaf[w->leaf_count] = node->items;
    w->leaf_group[w->leaf_count++] = v.group;
  }
  for (uint32_t rest = row & ~leaves; rest != 0; rest &= rest - 1) {
    uint32_t child = node->child[__builtin_ctz(rest)];
    mo_prefetch_node(w->scene, child);
    w->queue[w->end++ & (QUEUE - 1)] = (visit){v.group, child};
  }
}

MO_INLINE void prefetch_group(const walk *w, uint32_t group) {
  mo_prefetch_block(w->scene, w->groups[group].block);
}

MO_INLINE void begin_group(walk *w, uint32_t i) {
  const mo_shape_block *block = mo_shape_block_at(w->scene, w->groups[i].block);
  uint32_t lanes = w->groups[i].lanes;
  w->moving[i] = (block->dynamic & lanes) != 0;
  mo_aabb box = mo_bounds8_get(&block->bounds, __builtin_ctz(lanes));
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    box = mo_aabb_union(box, mo_bounds8_get(&block->bounds, __builtin_ctz(lanes)));
  }
  mo_bounds8_set(&w->boxes[i / MO_WIDTH], (int)(i % MO_WIDTH), box);
  uint32_t root = w->scene->root;
  if (!mo_child_is_leaf(root)) {
    w->queue[w->end++ & (QUEUE - 1)] = (visit){i, root};
    return;
  }
  if (w->leaf_count == LEAVES) {
    meet_leaves(w);
  }
  w->leaf[w->leaf_count] = root;
  w->leaf_group[w->leaf_count++] = i;
}

void MO_ISA_FN(mo_pair_search_groups)(mo_pair_search *search, const mo_pair_group *groups,
                                      uint32_t count) {
  walk w;
  w.search = search;
  w.scene = search->scene[0];
  w.groups = groups;
  w.begin = w.end = w.leaf_count = w.probe_count = w.hit_count = 0;
  for (uint32_t i = 0; i < count && i < GROUPS_AHEAD; i++) {
    prefetch_group(&w, i);
  }
  for (uint32_t next = 0; (next < count || w.begin != w.end) && !search->stopped;) {
    uint32_t waiting = w.end - w.begin;
    if (next < count && waiting < BUSY) {
      if (next + GROUPS_AHEAD < count) {
        prefetch_group(&w, next + GROUPS_AHEAD);
      }
      begin_group(&w, next++);
    } else {
      meet_node(&w, w.queue[(waiting >= QUEUE_FULL ? --w.end : w.begin++) & (QUEUE - 1)]);
    }
  }
  meet_leaves(&w);
}
