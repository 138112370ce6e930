/* Regions in the shape octree; compiled once per instruction set.
 *
 * Most of the time would go into waiting for memory: a box with a hundred shapes in it touches some
 * forty blocks of four lines. So blocks are noted and asked for as nodes lead to them, and looked
 * at when many have been; shapes of which more is asked than their boxes are put off likewise. */
#include "octree/cull.h"
#include "query/filter.h"
#include "query/overlap/scene_overlap.h"
#include "query/overlap/slots.h"

enum {
  LISTS = 48,   /* that may wait, of those inside and of others */
  WAITING = 32, /* shapes */
};

/* A box in all lanes. */
typedef struct box_lanes {
  mo_f8 lower[3], upper[3];
} box_lanes;

/* A child on the stack; `inside`: all of it is inside for sure. */
typedef struct entry {
  uint32_t child;
  bool inside;
} entry;

/* A shape that waits to be looked at. */
typedef struct waiting {
  mo_place place;
  uint32_t slot;
  bool inside, sure;
} waiting;

typedef struct walk {
  mo_scene_overlap *q;
  const mo_scene *scene;
  box_lanes box, inside;
  mo_f8 center[3], outside2, inside2;
  bool plain;       /* the filter */
  uint32_t odd;     /* traits of shapes that are looked at even if they touch the region for sure */
  uint32_t ignored; /* slot, or MO_NONE */
  uint32_t most_lists, most_shapes; /* that may wait */
  uint32_t stack_count, list_count[2], waiting_count;
  entry stack[MO_SCENE_STACK];
  uint32_t lists[2][LISTS + MO_WIDTH]; /* by whether they are inside */
  waiting shapes[WAITING + MO_WIDTH];
} walk;

MO_INLINE box_lanes spread_box(const mo_aabb *box) {
  return (box_lanes){{mo_f8_all(box->lower.x), mo_f8_all(box->lower.y), mo_f8_all(box->lower.z)},
                     {mo_f8_all(box->upper.x), mo_f8_all(box->upper.y), mo_f8_all(box->upper.z)}};
}

/* Boxes that touch a box, and those that lie in one. */
MO_INLINE uint32_t touching(const mo_bounds8 *bounds, const box_lanes *box) {
  mo_m8 axis[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = mo_m8_and(mo_f8_le(mo_f8_load(bounds->lower[i]), box->upper[i]),
                        mo_f8_le(box->lower[i], mo_f8_load(bounds->upper[i])));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(axis[0], axis[1]), axis[2]));
}

MO_INLINE uint32_t lying_in(const mo_bounds8 *bounds, const box_lanes *box) {
  mo_m8 axis[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = mo_m8_and(mo_f8_le(box->lower[i], mo_f8_load(bounds->lower[i])),
                        mo_f8_le(mo_f8_load(bounds->upper[i]), box->upper[i]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(axis[0], axis[1]), axis[2]));
}

/* Squared distances of the nearest and the farthest points of boxes, but for a 2^-21 of them. */
MO_INLINE void distances2(const mo_bounds8 *bounds, const mo_f8 center[3], mo_f8 *near,
                          mo_f8 *far) {
  mo_f8 zero = mo_f8_all(0.0f);
  *near = *far = zero;
  for (int i = 0; i < 3; i++) {
    mo_f8 below = mo_f8_sub(mo_f8_load(bounds->lower[i]), center[i]);
    mo_f8 above = mo_f8_sub(center[i], mo_f8_load(bounds->upper[i]));
    mo_f8 gap = mo_f8_max(mo_f8_max(below, above), zero);
    mo_f8 reach = mo_f8_max(mo_f8_abs(below), mo_f8_abs(above));
    *near = mo_f8_add(*near, mo_f8_mul(gap, gap));
    *far = mo_f8_add(*far, mo_f8_mul(reach, reach));
  }
}

/* As mo_cull_planes, and in `sure` a bit per box for which it is sure that no plane excludes it,
 * and sure too whether it is inside. */
MO_INLINE uint32_t pass_planes(const mo_scene_overlap *q, const mo_bounds8 *bounds,
                               uint32_t *inside, uint32_t *sure) {
  uint32_t touching = 0xff, touching_surely = 0xff, contained = 0xff, cut = 0;
  for (uint32_t i = 0; i < q->plane_count; i++) {
    const mo_plane *plane = &q->planes[i];
    const float n[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    mo_f8 most = mo_f8_all(plane->offset), least = most;
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 lower = mo_f8_mul(mo_f8_all(n[axis]), mo_f8_load(bounds->lower[axis]));
      mo_f8 upper = mo_f8_mul(mo_f8_all(n[axis]), mo_f8_load(bounds->upper[axis]));
      most = mo_f8_add(most, n[axis] >= 0.0f ? upper : lower);
      least = mo_f8_add(least, n[axis] >= 0.0f ? lower : upper);
    }
    mo_f8 slack = mo_f8_all(q->slack[i]), less = mo_f8_all(-q->slack[i]);
    touching &= mo_m8_bits(mo_f8_le(less, most));
    touching_surely &= mo_m8_bits(mo_f8_le(slack, most));
    contained &= mo_m8_bits(mo_f8_le(slack, least));
    cut |= mo_m8_bits(mo_f8_lt(least, less));
  }
  *inside = contained & touching;
  *sure = *inside | (touching_surely & cut);
  return touching;
}

/* A bit per box that culling leaves; of these, a bit in `inside` for those inside for sure, and in
 * `sure` for those that touch the region for sure. */
MO_INLINE uint32_t passing(const walk *w, mo_region_kind kind, const mo_bounds8 *bounds,
                           uint32_t *inside, uint32_t *sure) {
  const mo_scene_overlap *q = w->q;
  if (kind == MO_REGION_PLANES) {
    return pass_planes(q, bounds, inside, sure);
  }
  uint32_t mask = touching(bounds, &w->box);
  if (kind == MO_REGION_BOX) {
    *inside = mask & lying_in(bounds, &w->inside);
    *sure = q->by_bounds ? mask : *inside;
    return mask;
  }
  mo_f8 near, far;
  distances2(bounds, w->center, &near, &far);
  mask &= mo_m8_bits(mo_f8_le(near, w->outside2));
  *inside = mask & mo_m8_bits(mo_f8_le(far, w->inside2));
  *sure = q->by_bounds ? mask & mo_m8_bits(mo_f8_le(near, w->inside2)) : *inside;
  return mask;
}

/* Four lines each; of blocks that are inside, only the last counts. */
MO_INLINE void ask_for(const void *memory, bool last_only) {
  const char *bytes = memory;
  if (!last_only) {
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + 64);
    __builtin_prefetch(bytes + 128);
  }
  __builtin_prefetch(bytes + 192);
}

/* Of a record, the lines with the filter, the axes, and the place and geometry. (Always inline: a
 * function that does nothing but this may be held to do nothing.) */
MO_INLINE void ask_for_record(const walk *w, uint32_t slot) {
  const char *bytes = (const char *)&w->scene->shapes[slot];
  bool all = w->q->found == NULL && w->q->records;
  if (!w->plain || all) {
    __builtin_prefetch(bytes);
  }
  if (w->q->records) {
    if (all || !(w->scene->traits[slot] & MO_TRAIT_UNTURNED)) {
      __builtin_prefetch(bytes + 64);
    }
    __builtin_prefetch(bytes + 128);
  }
}

/* What is noted of a shape that touches the region for sure. */
static inline uint32_t key_of(const mo_scene_overlap *q, uint32_t slot, bool inside) {
  return q->kind == MO_REGION_PLANES && !inside ? slot | MO_SLOT_FLAG : slot;
}

/* Looks at the shapes that wait; false if stopped. */
static bool visit_waiting(walk *w) {
  const mo_scene_overlap *q = w->q;
  const mo_scene *scene = w->scene;
  uint32_t count = w->waiting_count;
  w->waiting_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const waiting *shape = &w->shapes[i];
    if (!mo_filter_passes_lightly(scene, q->filter, w->plain, shape->slot)) {
      continue;
    }
    /* A mesh may be without triangles, and then touches nothing. */
    bool hollow = !q->by_bounds && scene->traits[shape->slot] & MO_TRAIT_MESH;
    if (shape->sure && !hollow && q->found != NULL) {
      mo_slots_add(q->found, key_of(q, shape->slot, shape->inside));
      continue;
    }
    const mo_shape_block *block = mo_shape_block_at(scene, shape->place >> 3);
    mo_aabb bounds = mo_bounds8_get(&block->bounds, (int)(shape->place & 7));
    q->stats->shapes++;
    if (!q->visit(shape->slot, bounds, shape->inside, q->context)) {
      return false;
    }
  }
  return true;
}

/* Adds the keys of some lanes to what was found: all at once while that does not fill the list,
 * which is more than adding then. */
static inline void add_lanes(mo_bounded *found, const uint32_t *slots, uint32_t lanes,
                             uint32_t flag) {
  if (found->capacity > MO_WIDTH && found->count < found->capacity - MO_WIDTH) {
    uint32_t count = (uint32_t)__builtin_popcount(lanes);
    mo_u8 keys = mo_u8_or(mo_u8_load(slots), mo_u8_all(flag));
    mo_u8_store_any((uint32_t *)found->items + found->count, mo_u8_compress(keys, lanes));
    found->count += count;
    found->total += count;
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    mo_slots_add(found, slots[__builtin_ctz(lanes)] | flag);
  }
}

/* Of some lanes, those whose shapes have odd traits. */
static inline uint32_t odd_lanes(const walk *w, const uint32_t *slots, uint32_t lanes) {
  uint32_t odd = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    odd |= (uint32_t)((w->scene->traits[slots[lane]] & w->odd) != 0) << lane;
  }
  return odd;
}

/* Deals with the shapes of some lanes of a block; false if stopped. */
MO_INLINE bool take_lanes(walk *w, mo_region_kind kind, uint32_t at, uint32_t lanes,
                          uint32_t inside, uint32_t sure) {
  const mo_scene_overlap *q = w->q;
  const uint32_t *slots = mo_shape_block_at(w->scene, at)->shape;
  uint32_t usual = 0;
  if (q->found != NULL && w->plain) {
    usual = lanes & sure;
    if (w->odd != 0) {
      usual &= ~odd_lanes(w, slots, usual);
    }
    uint32_t added = usual;
    if (w->ignored != MO_NONE) {
      added &= ~mo_u8_equal(slots, UINT32_MAX, w->ignored);
    }
    if (kind == MO_REGION_PLANES && (added & ~inside) != 0) {
      add_lanes(q->found, slots, added & ~inside, MO_SLOT_FLAG);
      added &= inside;
    }
    add_lanes(q->found, slots, added, 0);
  }
  for (uint32_t rest = lanes & ~usual; rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    waiting *shape = &w->shapes[w->waiting_count++];
    *shape = (waiting){at << 3 | lane, slots[lane], inside >> lane & 1, sure >> lane & 1};
    ask_for_record(w, slots[lane]);
  }
  return w->waiting_count < w->most_shapes || visit_waiting(w);
}

/* Looks at the lists that wait; false if stopped. */
MO_INLINE bool visit_lists(walk *w, mo_region_kind kind) {
  for (uint32_t inside = 0; inside < 2; inside++) {
    uint32_t count = w->list_count[inside];
    w->list_count[inside] = 0;
    for (uint32_t i = 0; i < count; i++) {
      for (uint32_t at = mo_child_index(w->lists[inside][i]); at != MO_NONE;) {
        const mo_shape_block *block = mo_shape_block_at(w->scene, at);
        uint32_t lanes = (1u << block->count) - 1, within = lanes, sure = lanes;
        if (block->next != MO_NONE) {
          ask_for(mo_shape_block_at(w->scene, block->next), inside);
        }
        if (!inside) {
          lanes &= passing(w, kind, &block->bounds, &within, &sure);
        }
        w->q->stats->scene_blocks++;
        if (!take_lanes(w, kind, at, lanes, within, sure)) {
          return false;
        }
        at = block->next;
      }
    }
  }
  return true;
}

MO_INLINE void note_list(walk *w, uint32_t list, bool inside) {
  ask_for(mo_shape_block_at(w->scene, mo_child_index(list)), inside);
  w->lists[inside][w->list_count[inside]++] = list;
}

/* Notes the children of a node: lists to be looked at, nodes to be visited. */
MO_INLINE void note_children(walk *w, const mo_scene_node *node, uint32_t mask, bool inside) {
  uint32_t leaves = mask & mo_u8_equal(node->child, MO_CHILD_LEAF, MO_CHILD_LEAF);
  for (uint32_t rest = leaves; rest != 0; rest &= rest - 1) {
    note_list(w, node->child[__builtin_ctz(rest)], inside);
  }
  for (uint32_t rest = mask & ~leaves; rest != 0; rest &= rest - 1) {
    uint32_t child = node->child[__builtin_ctz(rest)];
    ask_for(mo_scene_node_at(w->scene, child), inside);
    w->stack[w->stack_count++] = (entry){child, inside};
  }
}

MO_INLINE bool run(walk *w, mo_region_kind kind) {
  while (w->stack_count > 0) {
    entry next = w->stack[--w->stack_count];
    const mo_scene_node *node = mo_scene_node_at(w->scene, next.child);
    mo_count_scene_node(w->q->stats, next.child);
    uint32_t mask = 0xff & ~mo_u8_equal(node->child, UINT32_MAX, MO_CHILD_EMPTY);
    uint32_t inside = mask, sure;
    if (node->items != MO_NONE) {
      note_list(w, node->items, next.inside);
    }
    if (!next.inside) {
      mask &= passing(w, kind, &node->bounds, &inside, &sure);
    }
    if (mask & inside) {
      note_children(w, node, mask & inside, true);
    }
    note_children(w, node, mask & ~inside, false);
    if (w->list_count[0] + w->list_count[1] >= w->most_lists && !visit_lists(w, kind)) {
      return false;
    }
  }
  return visit_lists(w, kind) && visit_waiting(w);
}

bool MO_ISA_FN(mo_scene_overlap)(mo_scene_overlap *q) {
  const mo_scene *scene = q->scene;
  const mo_filter *filter = q->filter;
  walk w;
  if (scene->root == MO_CHILD_EMPTY) {
    return true;
  }
  w.q = q;
  w.scene = scene;
  w.plain = mo_filter_is_plain(filter);
  w.odd = scene->picky_count > 0 ? MO_TRAIT_PICKY : 0;
  w.odd |= !q->by_bounds && scene->mesh_count > 0 ? MO_TRAIT_MESH : 0;
  w.ignored = mo_shape_is_known(scene, filter->ignore) ? filter->ignore.index : MO_NONE;
  w.most_lists = q->eager ? 1 : LISTS;
  w.most_shapes = q->eager ? 1 : WAITING;
  w.stack_count = w.list_count[0] = w.list_count[1] = w.waiting_count = 0;
  if (mo_child_is_leaf(scene->root)) {
    note_list(&w, scene->root, false);
  } else {
    w.stack[w.stack_count++] = (entry){scene->root, false};
  }
  if (q->kind == MO_REGION_PLANES) {
    return run(&w, MO_REGION_PLANES);
  }
  w.box = spread_box(&q->box);
  if (q->kind == MO_REGION_BOX) {
    w.inside = spread_box(&q->inside);
    return run(&w, MO_REGION_BOX);
  }
  w.center[0] = mo_f8_all(q->center.x);
  w.center[1] = mo_f8_all(q->center.y);
  w.center[2] = mo_f8_all(q->center.z);
  w.outside2 = mo_f8_all(q->outside2);
  w.inside2 = mo_f8_all(q->inside2);
  return run(&w, MO_REGION_BALL);
}
