/* Many shapes go into the tree together.
 *
 * One by one, each would walk down from the root, and wait for the memory of every node on its way
 * and of the leaf at its end. A batch is sorted down instead: at a node all of its shapes are
 * parted by octant, then the nodes of the next level are looked at one after the other, with those
 * to come already asked for. Nothing is stored until it is known where each shape lands, and so how
 * many blocks it takes: a lack of memory shows before lists change. Shapes that move have left the
 * tree by then, all of them, each block of it read once (bulk_leave.c); what finds no memory is put
 * where there is room.
 *
 * Where more shapes land than a leaf may hold, or so many beside what is in a subtree that its
 * planes do not suit them, they are grafted (bulk_graft.c). */
#include <string.h>

#include "scene/bulk.h"
#include "scene/moved.h"

enum {
  /* A subtree with at most 1 / so many of the shapes of a batch is built anew with them. */
  GRAFT_RATIO = 2,
  ROOT_GRAFT_RATIO = 8,
  /* Look-ahead, in nodes and lists. */
  AHEAD = 6,
  STAYS = MO_WIDTH, /* what goes to no octant */
};

/* Where shapes outnumber what is in a subtree, a plane suits them that has no more than this share
 * of them on one side, as where planes begin to slide (slide.c). */
static const double HEAVIEST = 0.62;

/* --- sorting --- */

/* The shapes of a node by octant. */
typedef struct parts {
  uint32_t used; /* bits of octants, and of STAYS */
  uint32_t first[MO_WIDTH + 1], count[MO_WIDTH + 1];
  mo_f4 lower[MO_WIDTH + 1], upper[MO_WIDTH + 1];
  uint8_t moves[MO_WIDTH + 1];
  mo_size size[MO_WIDTH + 1];
} parts;

static inline mo_f4 load(const void *from) {
  mo_f4 four;
  memcpy(&four, from, sizeof four);
  return four;
}

static inline mo_vec3 lanes(mo_f4 four) {
  return mo_vec(four[0], four[1], four[2]);
}

/* All lanes of an axis for each bit of an octant or of a node's axes. */
static const mo_i4 lanes_of[MO_WIDTH] = {
    {0, 0, 0, 0},  {0, 0, -1, 0},  {0, -1, 0, 0},  {0, -1, -1, 0},
    {-1, 0, 0, 0}, {-1, 0, -1, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0},
};

/* The bits of lanes as those of octants. */
static const uint8_t octant_of[MO_WIDTH] = {0, 4, 2, 6, 1, 5, 3, 7};

/* A node as shapes are parted at it. */
typedef struct cutter {
  mo_f4 plane, slack;
  mo_i4 cut;
  mo_f4 lower, upper; /* the node's cell */
  float most;         /* the width of the largest that goes down */
} cutter;

static inline cutter cutter_at(const mo_scene *scene, const mo_visit *visit) {
  const mo_scene_node *node = mo_scene_node_at(scene, visit->node);
  return (cutter){
      .plane = {node->plane[0], node->plane[1], node->plane[2], 0},
      .slack = mo_f4_all(node->slack),
      .cut = lanes_of[node->axes],
      .lower = visit->lower,
      .upper = visit->upper,
      .most = scene->options.policy == MO_TREE_LOOSE ? 2 * node->slack : INFINITY,
  };
}

/* The cell of an octant, its high lanes given: mo_cell_cut. */
static inline mo_f4 octant_lower(const cutter *c, mo_i4 high) {
  return mo_f4_select(high, c->plane, c->lower);
}

static inline mo_f4 octant_upper(const cutter *c, mo_i4 high) {
  return mo_f4_select(c->cut & ~high, c->plane, c->upper);
}

/* Where a shape goes: mo_node_octant and mo_node_sinks. */
static inline uint32_t octant_for(const cutter *c, const mo_newcomer *one) {
  mo_f4 lower = load(&one->lower), upper = load(&one->upper);
  mo_i4 high = (upper - c->plane > c->plane - lower) & c->cut;
  bool sinks = mo_f4_every((lower >= octant_lower(c, high) - c->slack) &
                           (upper <= octant_upper(c, high) + c->slack));
  if (c->most < INFINITY) {
    mo_aabb box = mo_newcomer_box(one);
    sinks &= mo_aabb_widest(&box) <= c->most;
  }
  return sinks ? octant_of[mo_f4_signs((mo_f4)high)] : (uint32_t)STAYS;
}

/* Parts the shapes of a visit: `to` gets them in the order of octants. */
static void part_at(const mo_scene *scene, const mo_visit *visit, mo_newcomer *restrict from,
                    mo_newcomer *restrict to, parts *p) {
  const cutter c = cutter_at(scene, visit);
  from += visit->first;
  to += visit->first;
  p->used = 0;
  for (uint32_t octant = 0; octant <= STAYS; octant++) {
    p->count[octant] = 0;
    p->lower[octant] = mo_f4_all(INFINITY);
    p->upper[octant] = mo_f4_all(-INFINITY);
    p->moves[octant] = 0;
    p->size[octant] = 0;
  }
  for (uint32_t i = 0; i < visit->count; i++) {
    mo_f4 lower = load(&from[i].lower), upper = load(&from[i].upper);
    uint32_t octant = octant_for(&c, &from[i]);
    from[i].octant = (uint8_t)octant;
    p->used |= 1u << octant;
    p->count[octant]++;
    p->lower[octant] = mo_f4_min(lower, p->lower[octant]);
    p->upper[octant] = mo_f4_max(upper, p->upper[octant]);
    p->moves[octant] |= from[i].moves;
    p->size[octant] = mo_size_max(p->size[octant], from[i].size);
  }
  uint32_t next[MO_WIDTH + 1], sum = 0;
  for (uint32_t used = p->used; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    p->first[octant] = visit->first + sum;
    next[octant] = sum;
    sum += p->count[octant];
  }
  for (uint32_t i = 0; i < visit->count; i++) {
    to[next[from[i].octant]++] = from[i];
  }
}

/* Notes at a node what comes below one of its octants. */
static inline void expect_in(mo_scene *scene, uint32_t index, uint32_t octant, mo_f4 lower,
                             mo_f4 upper, mo_size size, uint32_t moves) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  mo_aabb grown = {lanes(lower), lanes(upper)};
  grown = mo_aabb_union(mo_bounds8_get(&node->bounds, (int)octant), grown);
  mo_bounds8_set(&node->bounds, (int)octant, grown);
  mo_size_grow(scene, index, octant, size);
  mo_node_marks *marks = &scene->marks[index];
  marks->dynamic = (uint8_t)(marks->dynamic | (moves & MO_MOVES_DYNAMIC ? 1u << octant : 0));
  marks->awake = (uint8_t)(marks->awake | (moves & MO_MOVES_AWAKE ? 1u << octant : 0));
}

/* Notes at a node that so many shapes come, to some of its octants. */
static inline void expect(mo_scene *scene, uint32_t index, uint32_t octants, uint32_t count,
                          bool adds) {
  mo_scene_node *node = mo_scene_node_at(scene, index);
  node->count += count;
  if (adds) {
    /* Tightening counts octants that something has left. */
    mo_node_age(scene, node, (uint32_t)__builtin_popcount(octants & ~(uint32_t)node->loose));
  }
  /* What else is of matter to an update: see land. */
  if (node->count > MO_SLIDE * scene->options.capacity || node->age >= MO_MATURE) {
    mo_mark_changed(scene, node->parent);
  }
}

static void expect_at(mo_scene *scene, uint32_t index, const parts *p, uint32_t count, bool adds) {
  expect(scene, index, p->used & 0xff, count, adds);
  for (uint32_t used = p->used & 0xff; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    expect_in(scene, index, octant, p->lower[octant], p->upper[octant], p->size[octant],
              p->moves[octant]);
  }
}

static mo_aabb cell_of(const mo_visit *visit) {
  return (mo_aabb){lanes(visit->lower), lanes(visit->upper)};
}

static void set_cell(mo_visit *visit, const mo_aabb *cell) {
  visit->lower = mo_f4_from(&cell->lower, 0);
  visit->upper = mo_f4_from(&cell->upper, 0);
}

/* The cell of the shapes that stay at a visited node; its parent made it, and its slack. */
static mo_block_cell own_cell(const mo_scene *scene, const mo_visit *visit) {
  const mo_scene_node *node = mo_scene_node_at(scene, visit->node);
  mo_block_cell at = {mo_cell_everywhere(), 0, MO_OWNER_NODE | visit->node};
  if (node->parent != MO_NONE) {
    at.cell = cell_of(visit);
    at.slack = mo_scene_node_at(scene, node->parent >> 3)->slack;
  }
  return at;
}

/* Whether so many newcomers come that they, and not what is in a subtree, decide what it should be
 * like. The root is not touched but by a flood. */
static bool is_swamped(const mo_scene *scene, uint32_t child, uint32_t count) {
  uint32_t here = mo_scene_node_at(scene, child)->count;
  uint32_t ratio = child == scene->root ? ROOT_GRAFT_RATIO : GRAFT_RATIO;
  return count > scene->options.capacity && count / ratio >= here;
}

/* Whether newcomers who have been parted at a node find it as a fresh one would be: balanced, but
 * for what chance does, with few who stay. So is what a tile that is gone has left for the next.
 * Cubes are the same for all who are inside. */
static bool are_suited(const mo_scene *scene, const mo_scene_node *node, const parts *p,
                       uint32_t count) {
  uint32_t stay = p->used >> STAYS & 1 ? p->count[STAYS] : 0;
  if (scene->options.policy != MO_TREE_IRREGULAR) {
    return stay <= count / 2;
  }
  uint32_t below[MO_WIDTH], most = (uint32_t)(HEAVIEST * count + sqrt(count));
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    below[octant] = p->used >> octant & 1 ? p->count[octant] : 0;
  }
  for (uint32_t bit = 4; bit; bit >>= 1) {
    uint32_t high = 0, low = 0;
    for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
      *(octant & bit ? &high : &low) += below[octant];
    }
    if ((node->axes & bit) && (high > most || low > most)) {
      return false;
    }
  }
  return (node->axes == 7 || mo_node_nodes(node) != 0) &&
         (float)stay <= scene->options.max_straddlers * (float)count;
}

static void prefetch_node(const mo_scene *scene, uint32_t index) {
  const char *node = (const char *)mo_scene_node_at(scene, index);
  mo_prefetch(node + 192);
  mo_prefetch(node);
  mo_prefetch(node + 64);
  mo_prefetch(node + 128);
  mo_prefetch(&scene->marks[index]);
  mo_prefetch(&scene->sizes[index]);
}

/* The first block of an owner's list, MO_NONE if there is none. */
static uint32_t list_of(const mo_scene *scene, uint32_t owner) {
  if (owner != MO_NONE && (owner & MO_OWNER_NODE)) {
    return mo_scene_node_at(scene, owner & ~MO_OWNER_NODE)->items;
  }
  uint32_t child = mo_child_get(scene, owner);
  return child == MO_CHILD_EMPTY ? MO_NONE : mo_child_index(child);
}

static void set_list(mo_scene *scene, uint32_t owner, uint32_t head) {
  if (owner != MO_NONE && (owner & MO_OWNER_NODE)) {
    mo_scene_node_at(scene, owner & ~MO_OWNER_NODE)->items = head;
  } else {
    mo_child_set(scene, owner, MO_CHILD_LEAF | head);
  }
}

/* Where the subtree of a visited node hangs. */
static mo_block_cell site_of(const mo_scene *scene, const mo_visit *visit) {
  mo_block_cell at = own_cell(scene, visit);
  at.owner = mo_scene_node_at(scene, visit->node)->parent;
  return at;
}

/* Whether shapes that have been parted at a node are better built together with all that hangs
 * there than sorted into it. */
static bool is_unsuitable(const mo_scene *scene, const mo_visit *visit, const parts *p) {
  return !visit->planted && is_swamped(scene, visit->node, visit->count) &&
         !are_suited(scene, mo_scene_node_at(scene, visit->node), p, visit->count);
}

/* Sorts at most MO_BULK_CHUNK shapes down from a node, level by level. */
typedef struct sorting {
  mo_scene *scene;
  mo_newcomer *const *arrays;
  mo_visit *below; /* of the next level */
  uint32_t visits_below, landings;
  uint8_t odd; /* which array the shapes of this level lie in; those of the next in the other */
  bool adds;
} sorting;

static void land_at(sorting *s, mo_block_cell at, uint32_t head, uint32_t first, uint32_t count,
                    uint32_t odd, bool is_graft) {
  s->scene->bulk.landings[s->landings++] =
      (mo_landing){at, head, first, count, (uint8_t)odd, is_graft};
}

/* Sends shapes into an octant: to the next level, or they land. */
static inline void descend(sorting *s, const cutter *c, uint32_t index, uint32_t octant,
                           uint32_t first, uint32_t count) {
  const mo_scene_node *node = mo_scene_node_at(s->scene, index);
  uint32_t child = node->child[octant];
  mo_i4 high = lanes_of[octant];
  mo_f4 lower = octant_lower(c, high), upper = octant_upper(c, high);
  if (!mo_child_is_leaf(child)) {
    s->below[s->visits_below++] = (mo_visit){lower, upper, child, first, count, false};
    return;
  }
  mo_block_cell at = {{lanes(lower), lanes(upper)}, node->slack, index << 3 | octant};
  uint32_t head = child == MO_CHILD_EMPTY ? MO_NONE : mo_child_index(child);
  land_at(s, at, head, first, count, s->odd ^ 1u, false);
}

static void stay_at(sorting *s, const mo_visit *visit, uint32_t first, uint32_t count) {
  uint32_t head = mo_scene_node_at(s->scene, visit->node)->items;
  land_at(s, own_cell(s->scene, visit), head, first, count, s->odd ^ 1u, false);
}

/* A visit of one shape, as most are. */
static void visit_one(sorting *s, const mo_visit *visit) {
  const mo_newcomer *one = s->arrays[s->odd] + visit->first;
  const cutter c = cutter_at(s->scene, visit);
  uint32_t octant = octant_for(&c, one);
  s->arrays[s->odd ^ 1][visit->first] = *one;
  if (octant == STAYS) {
    expect(s->scene, visit->node, 0, 1, s->adds);
    stay_at(s, visit, visit->first, 1);
    return;
  }
  expect(s->scene, visit->node, 1u << octant, 1, s->adds);
  expect_in(s->scene, visit->node, octant, load(&one->lower), load(&one->upper), one->size,
            one->moves);
  descend(s, &c, visit->node, octant, visit->first, 1);
}

static void visit_many(sorting *s, const mo_visit *visit) {
  parts p;
  part_at(s->scene, visit, s->arrays[s->odd], s->arrays[s->odd ^ 1], &p);
  if (is_unsuitable(s->scene, visit, &p)) {
    land_at(s, site_of(s->scene, visit), MO_NONE, visit->first, visit->count, s->odd ^ 1u, true);
    return;
  }
  expect_at(s->scene, visit->node, &p, visit->count, s->adds);
  if (p.used >> STAYS & 1) {
    stay_at(s, visit, p.first[STAYS], p.count[STAYS]);
  }
  const cutter c = cutter_at(s->scene, visit);
  for (uint32_t used = p.used & 0xff; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    descend(s, &c, visit->node, octant, p.first[octant], p.count[octant]);
  }
}

/* Returns how many landings there are. */
static uint32_t sort_down(mo_scene *scene, const mo_visit *from, mo_newcomer *const arrays[2],
                          bool adds) {
  mo_bulk *bulk = &scene->bulk;
  mo_visit *now = bulk->visits;
  sorting s = {scene, arrays, now + mo_bulk_width(bulk->capacity), 0, 0, 0, adds};
  uint32_t visits = 1;
  now[0] = *from;
  while (visits > 0) {
    s.visits_below = 0;
    for (uint32_t v = 0; v < visits; v++) {
      const mo_visit *visit = &now[v];
      if (v + AHEAD < visits) {
        prefetch_node(scene, visit[AHEAD].node);
      }
      if (visit->count == 1) {
        visit_one(&s, visit);
      } else {
        visit_many(&s, visit);
      }
    }
    mo_visit *done = now;
    now = s.below;
    s.below = done;
    visits = s.visits_below;
    s.odd ^= 1;
  }
  return s.landings;
}

/* --- landing --- */

/* Blocks that the landings take at most. */
static uint32_t blocks_for(const mo_scene *scene, const mo_landing *landings, uint32_t count) {
  uint32_t blocks = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i + AHEAD < count && landings[i + AHEAD].head != MO_NONE) {
      mo_prefetch(mo_shape_block_at(scene, landings[i + AHEAD].head)->shape);
    }
    uint32_t room = landings[i].head == MO_NONE
                        ? 0
                        : MO_WIDTH - mo_shape_block_at(scene, landings[i].head)->count;
    uint32_t more = landings[i].count > room ? landings[i].count - room : 0;
    blocks += (more + MO_WIDTH - 1) / MO_WIDTH;
  }
  return blocks;
}

static uint32_t push_all(mo_scene *scene, uint32_t head, const mo_block_cell *at,
                         const mo_newcomer *items, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mo_aabb box = mo_newcomer_box(&items[i]);
    mo_node_marks any = {items[i].moves & MO_MOVES_DYNAMIC, items[i].moves & MO_MOVES_AWAKE};
    head = mo_list_push_as(scene, head, at, items[i].slot, &box, any);
  }
  return head;
}

/* Whether a leaf that grew is to be split now: see split_if_full in tree.c. */
static bool is_to_split(const mo_scene *scene, uint32_t total, uint32_t more) {
  uint32_t capacity = scene->options.capacity, before = total - more;
  if (total <= capacity) {
    return false;
  }
  bool block = (total - 1) / MO_WIDTH != (before - 1) / MO_WIDTH && total <= 4 * capacity;
  return before <= capacity || block || total / 2 >= before ||
         __builtin_clz(total) != __builtin_clz(before);
}

/* Puts shapes where they land, for whom blocks have been reserved. Returns whether it is a leaf to
 * be split. */
static bool land(mo_scene *scene, const mo_block_cell *at, const mo_newcomer *items,
                 uint32_t count) {
  uint32_t owner = at->owner;
  uint32_t head = push_all(scene, list_of(scene, owner), at, items, count);
  uint32_t total = mo_list_total(scene, head);
  if (owner != MO_NONE && (owner & MO_OWNER_NODE)) {
    mo_scene_node *node = mo_scene_node_at(scene, owner & ~MO_OWNER_NODE);
    node->items = head;
    if (total > MO_WIDTH) {
      mo_mark_changed(scene, node->parent);
    }
    return false;
  }
  mo_child_set(scene, owner, MO_CHILD_LEAF | head);
  if (total > scene->options.capacity) {
    mo_mark_changed(scene, owner);
  }
  return is_to_split(scene, total, count);
}

/* Marks all bounds of a subtree loose, also those of octants where shapes were expected that did
 * not come; those above it are marked. */
static void loosen_below(mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    return;
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  node->loose = 0xff;
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    loosen_below(scene, node->child[octant]);
  }
}

static void loosen_all(mo_scene *scene) {
  scene->root_loose = true;
  loosen_below(scene, scene->root);
}

/* Counts the shapes of a subtree of which some that were expected did not come. */
static uint32_t recount(mo_scene *scene, uint32_t child) {
  if (mo_child_is_leaf(child)) {
    return mo_child_total(scene, child);
  }
  mo_scene_node *node = mo_scene_node_at(scene, child);
  node->count = mo_list_total(scene, node->items);
  for (uint32_t octant = 0; octant < MO_WIDTH; octant++) {
    node->count += recount(scene, node->child[octant]);
  }
  return node->count;
}

/* Puts all shapes where they land, and then splits and grafts. */
static void land_all(mo_scene *scene, uint32_t count, mo_newcomer *const arrays[2]) {
  mo_landing *landings = scene->bulk.landings;
  uint32_t full = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (i + AHEAD < count && landings[i + AHEAD].head != MO_NONE) {
      mo_block_prefetch(scene, landings[i + AHEAD].head);
    }
    mo_landing landing = landings[i];
    const mo_newcomer *items = arrays[landing.odd] + landing.first;
    if (landing.graft) {
      landing.head = push_all(scene, MO_NONE, &landing.at, items, landing.count);
      landings[full++] = landing;
    } else if (land(scene, &landing.at, items, landing.count)) {
      landings[full++] = landing;
    }
  }
  /* Building takes blocks of its own, so it comes when all shapes have theirs. */
  uint32_t leaves = 0;
  for (uint32_t i = 0; i < full; i++) {
    if (landings[i].graft) {
      mo_bulk_graft(scene, landings[i].at.owner, landings[i].head);
    } else {
      landings[leaves++] = landings[i];
    }
  }
  full = leaves;
  /* Splitting a leaf may build all of its parent anew; its other leaves come next to it here. */
  for (uint32_t i = 0; i < full;) {
    uint32_t up = landings[i++].at.owner;
    if (mo_leaf_split(scene, up)) {
      while (i < full && landings[i].at.owner >> 3 == up >> 3) {
        i++;
      }
    }
  }
}

/* --- adding and moving --- */

/* Shapes that are to be put into the tree. Those that have been in it before must not get lost. */
typedef struct pouring {
  mo_scene *scene;
  uint32_t total;
  bool adds;
  bool landed;        /* some have */
  bool short_of_room; /* some have been put where they do not belong */
  uint32_t seek;      /* a block before which there is no room */
} pouring;

/* Puts a shape where there is room; there is as much as before all shapes left. */
static void squeeze_in(pouring *p, const mo_newcomer *one) {
  mo_scene *scene = p->scene;
  mo_block_cell at = {mo_cell_everywhere(), 0, MO_NONE};
  if (mo_scene_root_is_node(scene)) {
    at.owner = MO_OWNER_NODE | scene->root;
  }
  uint32_t head = list_of(scene, at.owner);
  mo_aabb box = mo_newcomer_box(one);
  /* What has been used before can be used again, even where there is no room beside what is new. */
  if (scene->blocks.free_count > 0 || mo_blocks_reserve(scene, 1) == MO_OK) {
    head = mo_list_push(scene, head, &at, one->slot, &box);
    set_list(scene, at.owner, head);
  } else {
    /* All blocks are in use, so that those which are not full begin a list. */
    while (mo_shape_block_at(scene, p->seek)->count == MO_WIDTH) {
      p->seek++;
    }
    head = mo_list_push(scene, p->seek, &scene->cells[p->seek], one->slot, &box);
  }
  mo_shape_block_at(scene, head)->displaced = 1;
  mo_tree_set_motion(scene, one->slot);
}

/* What happens to shapes for which there is no memory: new ones are not added, others are displaced
 * until the next update. */
static mo_result fall_short(pouring *p, const mo_newcomer *items, uint32_t count) {
  if (p->adds) {
    return MO_ERROR_OUT_OF_MEMORY;
  }
  p->short_of_room = true;
  p->scene->displaced = true;
  for (uint32_t i = 0; i < count; i++) {
    squeeze_in(p, &items[i]);
  }
  return MO_OK;
}

/* Room for blocks, unless there has been none before. */
static bool find_room(const pouring *p, uint32_t blocks) {
  return !p->short_of_room && mo_blocks_reserve(p->scene, blocks) == MO_OK;
}

/* Counts shapes that have moved to the list of an owner, and the ways of one in `stride` of them.
 * What is kept of their places is where they were, which is of no use when others have landed. */
static void count_moves(const pouring *p, const mo_newcomer *items, uint32_t count, uint32_t owner,
                        uint32_t stride) {
  mo_scene *scene = p->scene;
  uint32_t next = p->landed ? count : (uint32_t)-scene->counters.reinserts % stride;
  for (; next < count; next += stride) {
    mo_place place = scene->places[items[next].slot];
    uint32_t from = place == MO_NONE ? MO_NONE : scene->cells[place >> 3].owner;
    if ((from == MO_NONE) == (owner == MO_NONE)) {
      mo_tree_trace(scene, from, owner);
    }
  }
  scene->counters.reinserts += count;
}

/* Shapes that land at once, however many. */
static mo_result land_now(pouring *p, const mo_block_cell *at, const mo_newcomer *items,
                          uint32_t count) {
  mo_scene *scene = p->scene;
  if (!find_room(p, count / MO_WIDTH + 1)) {
    return fall_short(p, items, count);
  }
  if (!p->adds) {
    count_moves(p, items, count, at->owner, MO_TRACE);
  }
  bool stay = at->owner != MO_NONE && (at->owner & MO_OWNER_NODE);
  p->landed |= !stay;
  if (stay) {
    land(scene, at, items, count);
  } else if (!mo_child_is_leaf(mo_child_get(scene, at->owner)) || count > scene->options.capacity) {
    mo_bulk_graft(scene, at->owner, push_all(scene, MO_NONE, at, items, count));
  } else if (land(scene, at, items, count)) {
    mo_tree_build(scene, list_of(scene, at->owner), at->owner, false);
  }
  return MO_OK;
}

static mo_result pour(pouring *p, const mo_visit *visit, mo_newcomer *const arrays[2]);

/* Shapes that land at a place where they may be many: these are parted before they go to lists, as
 * arrays are quicker to go through. */
static mo_result land_many(pouring *p, const mo_block_cell *at, mo_newcomer *const arrays[2],
                           uint32_t first, uint32_t count) {
  mo_scene *scene = p->scene;
  if (count > 2 * MO_BULK_SAMPLE && scene->options.policy == MO_TREE_IRREGULAR &&
      mo_child_get(scene, at->owner) == MO_CHILD_EMPTY) {
    uint32_t index = mo_bulk_plant(scene, at, arrays[0] + first, count);
    if (index != MO_NONE) {
      mo_visit visit = {.node = index, .first = first, .count = count, .planted = true};
      set_cell(&visit, &at->cell);
      return pour(p, &visit, arrays);
    }
  }
  return land_now(p, at, arrays[0] + first, count);
}

/* Sorts at most MO_BULK_CHUNK shapes down from a node. */
static mo_result pour_few(pouring *p, const mo_visit *visit, mo_newcomer *const arrays[2]) {
  mo_scene *scene = p->scene;
  uint32_t landings = sort_down(scene, visit, arrays, p->adds);
  if (!find_room(p, blocks_for(scene, scene->bulk.landings, landings))) {
    mo_result result = MO_OK;
    for (uint32_t i = 0; i < landings && result == MO_OK; i++) {
      const mo_landing *landing = &scene->bulk.landings[i];
      result = fall_short(p, arrays[landing->odd] + landing->first, landing->count);
    }
    return result;
  }
  /* Of many only those that land first have their ways counted, but the more of these. */
  uint32_t stride = (uint32_t)((uint64_t)MO_TRACE * visit->count / p->total);
  for (uint32_t i = 0; i < landings && !p->adds; i++) {
    const mo_landing *landing = &scene->bulk.landings[i];
    const mo_newcomer *items = arrays[landing->odd] + landing->first;
    if (landing->graft) {
      scene->counters.reinserts += landing->count;
    } else {
      count_moves(p, items, landing->count, landing->at.owner, stride > 0 ? stride : 1);
    }
  }
  p->landed = true;
  land_all(scene, landings, arrays);
  return MO_OK;
}

/* Sorts shapes down from a node of any size, depth first while they are many. */
static mo_result pour(pouring *flow, const mo_visit *visit, mo_newcomer *const arrays[2]) {
  mo_scene *scene = flow->scene;
  if (visit->count <= MO_BULK_CHUNK) {
    return pour_few(flow, visit, arrays);
  }
  parts p;
  uint32_t index = visit->node;
  part_at(scene, visit, arrays[0], arrays[1], &p);
  mo_newcomer *const turned[2] = {arrays[1], arrays[0]};
  if (is_unsuitable(scene, visit, &p)) {
    mo_block_cell at = site_of(scene, visit);
    return land_many(flow, &at, turned, visit->first, visit->count);
  }
  expect_at(scene, index, &p, visit->count, flow->adds);
  mo_result result = MO_OK;
  if (p.used >> STAYS & 1) {
    mo_block_cell at = own_cell(scene, visit);
    result = land_now(flow, &at, arrays[1] + p.first[STAYS], p.count[STAYS]);
  }
  mo_aabb whole = cell_of(visit);
  for (uint32_t octant = 0; octant < MO_WIDTH && result == MO_OK; octant++) {
    if (!(p.used >> octant & 1)) {
      continue;
    }
    const mo_scene_node *node = mo_scene_node_at(scene, index);
    uint32_t child = node->child[octant], up = index << 3 | octant;
    mo_aabb cell = mo_cell_cut(node, octant, whole);
    mo_aabb come = {lanes(p.lower[octant]), lanes(p.upper[octant])};
    mo_block_cell at = {cell, node->slack, up};
    if (mo_child_is_leaf(child) ||
        mo_bulk_put_beside(scene, up, &cell, &come, arrays[1] + p.first[octant], p.count[octant],
                           &at)) {
      result = land_many(flow, &at, turned, p.first[octant], p.count[octant]);
    } else {
      mo_visit below = {.node = child, .first = p.first[octant], .count = p.count[octant]};
      set_cell(&below, &cell);
      result = pour(flow, &below, turned);
    }
  }
  return result;
}

/* What all shapes have in common: the root and what is around it. Returns the box around them. */
static mo_aabb arrive(mo_scene *scene, const mo_newcomer *items, uint32_t count) {
  mo_f4 lower = load(&items[0].lower), upper = load(&items[0].upper);
  for (uint32_t i = 0; i < count; i++) {
    lower = mo_f4_min(load(&items[i].lower), lower);
    upper = mo_f4_max(load(&items[i].upper), upper);
  }
  if (scene->options.policy != MO_TREE_IRREGULAR && mo_scene_root_is_node(scene)) {
    for (uint32_t i = 0; i < count; i++) {
      mo_aabb box = mo_newcomer_box(&items[i]);
      mo_cube_grow(scene, &box);
    }
  }
  mo_aabb all = {lanes(lower), lanes(upper)};
  scene->root_bounds = mo_aabb_union(scene->root_bounds, all);
  scene->root_changed = true;
  return all;
}

/* Puts the first `count` newcomers into the tree. */
static mo_result put_all(pouring *p, uint32_t count) {
  mo_scene *scene = p->scene;
  mo_bulk *bulk = &scene->bulk;
  mo_aabb come = arrive(scene, bulk->items, count);
  mo_newcomer *const arrays[2] = {bulk->items, bulk->items + bulk->capacity};
  mo_result result;
  mo_block_cell at = {mo_cell_everywhere(), 0, MO_NONE};
  if (!mo_scene_root_is_node(scene) ||
      mo_bulk_put_beside(scene, MO_NONE, &scene->root_cell, &come, bulk->items, count, &at)) {
    result = land_many(p, &at, arrays, 0, count);
  } else {
    mo_visit all = {.node = scene->root, .count = count};
    set_cell(&all, &scene->root_cell);
    result = pour(p, &all, arrays);
  }
  if (result != MO_OK || p->short_of_room) {
    loosen_all(scene);
    (void)recount(scene, scene->root);
  }
  return result;
}

mo_result mo_bulk_insert(mo_scene *scene, uint32_t count) {
  pouring p = {.scene = scene, .total = count, .adds = true};
  return count > 0 ? put_all(&p, count) : MO_OK;
}

/* Moves shapes one by one: those for which there is no memory are displaced. */
static void move_singly(mo_scene *scene, const mo_shape_id *ids, uint32_t astray) {
  mo_moved_mark_astray(scene);
  (void)recount(scene, scene->root);
  for (uint32_t i = 0; astray > 0; i++) {
    uint32_t slot = ids[i].index;
    if (scene->traits[slot] & MO_TRAIT_ASTRAY) {
      scene->traits[slot] &= (uint16_t)~MO_TRAIT_ASTRAY;
      mo_aabb box = mo_tree_box(scene, slot);
      mo_tree_reinsert(scene, slot, &box, true);
      astray--;
    }
  }
  loosen_all(scene);
}

void mo_bulk_relocate(mo_scene *scene, const mo_shape_id *ids, uint32_t astray) {
  /* With some to spare, so that it does not grow often. */
  uint32_t room = astray <= scene->bulk.capacity ? astray : astray + astray / 4;
  if (mo_bulk_reserve(scene, room) != MO_OK) {
    move_singly(scene, ids, astray);
    return;
  }
  pouring p = {.scene = scene, .total = astray};
  mo_bulk_leave(scene);
  (void)put_all(&p, astray);
}
