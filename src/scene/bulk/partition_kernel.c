/* Sorts many shapes down the tree together: the shapes of a node are partitioned by octant, then
 * the nodes of the next level are visited, each prefetched some visits earlier. Compiled once per
 * instruction set. */
#include "scene/bulk/partition.h"

static inline mo_f4 load(const mo_vec3 *from) {
  return mo_f4_load(&from->x);
}

/* Lane masks for the bits of an octant or of a node's axes: lane 0 is x, 1 is y, 2 is z. */
static const mo_i4 lanes_of[MO_WIDTH] = {
    {0, 0, 0, 0},  {0, 0, -1, 0},  {0, -1, 0, 0},  {0, -1, -1, 0},
    {-1, 0, 0, 0}, {-1, 0, -1, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0},
};

/* Converts a mask of lanes (x = 1, y = 2, z = 4) to the bits of an octant. */
static const uint8_t octant_of[MO_WIDTH] = {0, 4, 2, 6, 1, 5, 3, 7};

/* Vector constants to partition shapes at a node. In arrays of two, the low side of a plane comes
 * first; on an axis without a plane all shapes are on the low side. */
typedef struct cutter {
  mo_f4 plane;
  mo_i4 cut;
  mo_f4 lower[2], upper[2]; /* cells of the octants, enlarged by the slack */
  mo_f4 max;                /* largest width of a box that fits an octant */
} cutter;

static inline cutter cutter_at(const mo_scene *scene, const mo_visit *visit) {
  const mo_scene_node *node = mo_scene_node_at(scene, visit->node);
  mo_f4 plane = mo_f4_load(node->plane);
  mo_f4 slack = mo_f4_all(node->slack);
  mo_i4 cut = lanes_of[node->axes];
  return (cutter){
      .plane = plane,
      .cut = cut,
      .lower = {visit->lower - slack, plane - slack},
      .upper = {mo_f4_select(cut, plane, visit->upper) + slack, visit->upper + slack},
      .max = mo_f4_all(scene->options.policy == MO_TREE_LOOSE ? 2 * node->slack : INFINITY),
  };
}

/* The octant for a box, or MO_STAYS: mo_node_octant and mo_box_fits_octant. */
static inline uint32_t octant_for(const cutter *c, mo_f4 lower, mo_f4 upper) {
  mo_i4 high = ~mo_f4_le(upper - c->plane, c->plane - lower) & c->cut;
  mo_i4 fits = mo_f4_le(mo_f4_select(high, c->lower[1], c->lower[0]), lower) &
               mo_f4_le(upper, mo_f4_select(high, c->upper[1], c->upper[0])) &
               mo_f4_le(upper - lower, c->max);
  uint32_t octant = octant_of[mo_f4_signs((mo_f4)high)];
  return mo_f4_every(fits) ? octant : (uint32_t)MO_STAYS;
}

/* Adds a shape with its box to a part. */
static inline void part_add(mo_octant_share *part, const mo_pending_insertion *one, mo_f4 lower,
                            mo_f4 upper) {
  part->lower = mo_f4_min(lower, part->lower);
  part->upper = mo_f4_max(upper, part->upper);
  part->count++;
  part->size = mo_size_max(part->size, one->size);
  part->moves = (uint16_t)(part->moves | one->moves);
}

/* Octants are stored in a separate array: copying a shape just after writing one byte of it would
 * cause a store-to-load forwarding stall. For more shapes than a chunk, octants are computed
 * twice. */
void MO_ISA_FN(mo_bulk_partition)(const mo_scene *scene, const mo_visit *visit,
                                  const mo_pending_insertion *restrict from,
                                  mo_pending_insertion *restrict to, mo_octant_shares *parts) {
  uint8_t octants[MO_BULK_CHUNK];
  const cutter c = cutter_at(scene, visit);
  for (uint32_t octant = 0; octant <= MO_STAYS; octant++) {
    parts->of[octant] = (mo_octant_share){mo_f4_all(INFINITY), mo_f4_all(-INFINITY), 0, 0, 0, 0};
  }
  from += visit->first;
  for (uint32_t i = 0; i < visit->count; i++) {
    mo_f4 lower = load(&from[i].lower), upper = load(&from[i].upper);
    uint32_t octant = octant_for(&c, lower, upper);
    octants[i % MO_BULK_CHUNK] = (uint8_t)octant;
    part_add(&parts->of[octant], &from[i], lower, upper);
  }
  mo_pending_insertion *next[MO_WIDTH + 1];
  uint32_t first = visit->first;
  parts->used = 0;
  for (uint32_t octant = 0; octant <= MO_STAYS; octant++) {
    mo_octant_share *part = &parts->of[octant];
    next[octant] = to + first;
    part->first = first;
    first += part->count;
    parts->used |= (uint32_t)(part->count > 0) << octant;
  }
  bool known = visit->count <= MO_BULK_CHUNK;
  for (uint32_t i = 0; i < visit->count; i++) {
    uint32_t octant =
        known ? octants[i] : octant_for(&c, load(&from[i].lower), load(&from[i].upper));
    *next[octant]++ = from[i];
  }
}

typedef struct sorting {
  mo_scene *scene;
  mo_pending_insertion *const *arrays;
  mo_visit *below; /* of the next level */
  uint32_t visits_below, targets;
  uint8_t odd; /* index of the array with this level's shapes; the other is for the next */
  bool adds;
} sorting;

static void add_target(sorting *s, mo_block_cell at, uint32_t head, uint32_t first, uint32_t count,
                       bool is_graft) {
  /* The lists' lengths are read next, to count the blocks that are needed. */
  if (head != MO_NONE) {
    mo_prefetch(mo_shape_block_at(s->scene, head)->shape, 1);
  }
  s->scene->bulk.targets[s->targets++] = (mo_target){at, head, first, count, s->odd ^ 1, is_graft};
}

static void stay_at(sorting *s, const mo_visit *visit, const mo_octant_share *part) {
  uint32_t head = mo_scene_node_at(s->scene, visit->node)->items;
  add_target(s, mo_bulk_own_cell(s->scene, visit), head, part->first, part->count, false);
}

/* Moves shapes into an octant: to a visit of the next level, or to a target leaf. */
static inline void descend(sorting *s, const mo_visit *visit, const cutter *c, uint32_t octant,
                           const mo_octant_share *part) {
  const mo_scene_node *node = mo_scene_node_at(s->scene, visit->node);
  uint32_t child = node->child[octant];
  mo_i4 high = lanes_of[octant];
  mo_f4 lower = mo_f4_select(high, c->plane, visit->lower);
  mo_f4 upper = mo_f4_select(c->cut & ~high, c->plane, visit->upper);
  if (!mo_child_is_leaf(child)) {
    s->below[s->visits_below++] = (mo_visit){lower, upper, child, part->first, part->count, false};
    return;
  }
  mo_block_cell at = {{mo_f4_vec(lower), mo_f4_vec(upper)}, node->slack, visit->node << 3 | octant};
  uint32_t head = child == MO_CHILD_EMPTY ? MO_NONE : mo_child_index(child);
  add_target(s, at, head, part->first, part->count, false);
}

/* A visit with few shapes, the most frequent case. Shapes are ordered by counting ranks. */
static inline void visit_few(sorting *s, const mo_visit *visit) {
  const mo_pending_insertion *from = s->arrays[s->odd] + visit->first;
  mo_pending_insertion *to = s->arrays[s->odd ^ 1] + visit->first;
  const cutter c = cutter_at(s->scene, visit);
  uint32_t octant[MO_RANKED_MAX], rank[MO_RANKED_MAX], in_order[MO_RANKED_MAX], used = 0;
  for (uint32_t i = 0; i < visit->count; i++) {
    octant[i] = octant_for(&c, load(&from[i].lower), load(&from[i].upper));
    used |= 1u << octant[i];
    rank[i] = 0;
    for (uint32_t j = 0; j < i; j++) {
      uint32_t before = octant[i] < octant[j];
      rank[i] += 1 - before;
      rank[j] += before;
    }
  }
  for (uint32_t i = 0; i < visit->count; i++) {
    to[rank[i]] = from[i];
    in_order[rank[i]] = octant[i];
  }
  mo_bulk_count_in(s->scene, visit->node, used & 0xff, visit->count, s->adds);
  for (uint32_t i = 0; i < visit->count;) {
    uint32_t here = in_order[i];
    mo_octant_share part = {load(&to[i].lower), load(&to[i].upper), visit->first + i, 1,
                            to[i].size,         to[i].moves};
    while (++i < visit->count && in_order[i] == here) {
      part_add(&part, &to[i], load(&to[i].lower), load(&to[i].upper));
    }
    if (here == MO_STAYS) {
      stay_at(s, visit, &part);
    } else {
      mo_bulk_grow_octant(s->scene, visit->node, here, &part);
      descend(s, visit, &c, here, &part);
    }
  }
}

static void visit_many(sorting *s, const mo_visit *visit) {
  mo_octant_shares parts;
  MO_ISA_FN(mo_bulk_partition)(s->scene, visit, s->arrays[s->odd], s->arrays[s->odd ^ 1], &parts);
  if (mo_bulk_is_unsuitable(s->scene, visit, &parts)) {
    add_target(s, mo_bulk_site(s->scene, visit), MO_NONE, visit->first, visit->count, true);
    return;
  }
  mo_bulk_count_parts(s->scene, visit->node, &parts, visit->count, s->adds);
  const cutter c = cutter_at(s->scene, visit);
  for (uint32_t used = parts.used & 0xff; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    descend(s, visit, &c, octant, &parts.of[octant]);
  }
  if (parts.used >> MO_STAYS & 1) {
    stay_at(s, visit, &parts.of[MO_STAYS]);
  }
}

MO_INLINE void prefetch_node(const mo_scene *scene, uint32_t index) {
  mo_node_prefetch(scene, index);
  mo_prefetch(&scene->marks[index], 1);
  mo_prefetch(&scene->sizes[index], 1);
}

uint32_t MO_ISA_FN(mo_bulk_sort)(mo_scene *scene, const mo_visit *from,
                                 mo_pending_insertion *const arrays[2], bool adds) {
  mo_bulk *bulk = &scene->bulk;
  mo_visit *now = bulk->visits;
  sorting s = {scene, arrays, now + mo_bulk_width(bulk->capacity), 0, 0, 0, adds};
  /* This few shapes never outnumber those of a node. */
  uint32_t few = scene->options.capacity < MO_RANKED_MAX ? scene->options.capacity : MO_RANKED_MAX;
  uint32_t visits = 1;
  now[0] = *from;
  while (visits > 0) {
    s.visits_below = 0;
    for (uint32_t v = 0; v < visits; v++) {
      const mo_visit *visit = &now[v];
      if (v + MO_INSERT_NODES_AHEAD < visits) {
        prefetch_node(scene, visit[MO_INSERT_NODES_AHEAD].node);
      }
      if (visit->count <= few) {
        visit_few(&s, visit);
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
  return s.targets;
}
