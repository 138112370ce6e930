/* Sorts many shapes down the tree together: the shapes of a node are partitioned by octant, then
 * the nodes of the next level are visited, each prefetched some visits earlier. Compiled once per
 * instruction set. */
#include "scene/bulk/partition.h"

static inline mo_f4 load_vec3(const mo_vec3 *from) {
  return mo_f4_load(&from->x);
}

/* Lane masks for the bits of an octant or of a node's axes: lane 0 is x, 1 is y, 2 is z. */
static const mo_i4 lane_masks_of_octant[MO_LANE_COUNT] = {
    {0, 0, 0, 0},  {0, 0, -1, 0},  {0, -1, 0, 0},  {0, -1, -1, 0},
    {-1, 0, 0, 0}, {-1, 0, -1, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0},
};

/* Converts a mask of lanes (x = 1, y = 2, z = 4) to the bits of an octant. */
static const uint8_t octant_of_lanes[MO_LANE_COUNT] = {0, 4, 2, 6, 1, 5, 3, 7};

/* Vector constants to partition shapes at a node. In arrays of two, the low side of a plane comes
 * first; on an axis without a plane all shapes are on the low side. */
typedef struct partition_constants {
  mo_f4 plane;
  mo_i4 split_axes;         /* lane mask of the axes that have a plane */
  mo_f4 lower[2], upper[2]; /* sides of the octants' cells, enlarged by the slack */
  mo_f4 max_width;          /* maximum width of a box that fits an octant */
} partition_constants;

static inline partition_constants partition_constants_at(const mo_scene *scene,
                                                         const mo_insertion_visit *visit) {
  const mo_scene_node *node = mo_scene_node_at(scene, visit->node);
  mo_f4 plane = mo_f4_load(node->plane);
  mo_f4 slack = mo_f4_splat(node->slack);
  mo_i4 cut = lane_masks_of_octant[node->axes];
  return (partition_constants){
      .plane = plane,
      .split_axes = cut,
      .lower = {visit->lower - slack, plane - slack},
      .upper = {mo_f4_select(cut, plane, visit->upper) + slack, visit->upper + slack},
      .max_width = mo_f4_splat(scene->options.policy == MO_TREE_LOOSE ? 2 * node->slack : INFINITY),
  };
}

/* The octant into which a box fits (mo_node_octant, mo_box_fits_octant), or MO_NO_OCTANT. */
static inline uint32_t octant_for(const partition_constants *c, mo_f4 lower, mo_f4 upper) {
  mo_i4 high = ~mo_f4_le(upper - c->plane, c->plane - lower) & c->split_axes;
  mo_i4 fits = mo_f4_le(mo_f4_select(high, c->lower[1], c->lower[0]), lower) &
               mo_f4_le(upper, mo_f4_select(high, c->upper[1], c->upper[0])) &
               mo_f4_le(upper - lower, c->max_width);
  uint32_t octant = octant_of_lanes[mo_f4_signs((mo_f4)high)];
  return mo_f4_every(fits) ? octant : (uint32_t)MO_NO_OCTANT;
}

/* Adds a shape with its box to the totals of an octant's batch. */
static inline void add_to_batch(mo_octant_batch *part, const mo_pending_insertion *one, mo_f4 lower,
                                mo_f4 upper) {
  part->lower = mo_f4_min(lower, part->lower);
  part->upper = mo_f4_max(upper, part->upper);
  part->count++;
  part->size = mo_box_size_max(part->size, one->size);
  part->motion.dynamic |= one->motion.dynamic;
  part->motion.awake |= one->motion.awake;
}

/* Octants are stored in a separate array: copying a shape just after writing one byte of it would
 * cause a store-to-load forwarding stall. For more shapes than a chunk, octants are computed
 * twice. */
void MO_ISA_FN(mo_bulk_partition)(const mo_scene *scene, const mo_insertion_visit *visit,
                                  const mo_pending_insertion *restrict from,
                                  mo_pending_insertion *restrict to, mo_octant_batches *parts) {
  uint8_t octants[MO_BULK_CHUNK_SHAPES];
  const partition_constants c = partition_constants_at(scene, visit);
  for (uint32_t octant = 0; octant <= MO_NO_OCTANT; octant++) {
    parts->octant[octant] =
        (mo_octant_batch){.lower = mo_f4_splat(INFINITY), .upper = mo_f4_splat(-INFINITY)};
  }
  from += visit->first;
  for (uint32_t i = 0; i < visit->count; i++) {
    mo_f4 lower = load_vec3(&from[i].lower), upper = load_vec3(&from[i].upper);
    uint32_t octant = octant_for(&c, lower, upper);
    octants[i % MO_BULK_CHUNK_SHAPES] = (uint8_t)octant;
    add_to_batch(&parts->octant[octant], &from[i], lower, upper);
  }
  mo_pending_insertion *next[MO_LANE_COUNT + 1];
  uint32_t first = visit->first;
  parts->used_octants = 0;
  for (uint32_t octant = 0; octant <= MO_NO_OCTANT; octant++) {
    mo_octant_batch *part = &parts->octant[octant];
    next[octant] = to + first;
    part->first = first;
    first += part->count;
    parts->used_octants |= (uint32_t)(part->count > 0) << octant;
  }
  bool known = visit->count <= MO_BULK_CHUNK_SHAPES;
  for (uint32_t i = 0; i < visit->count; i++) {
    uint32_t octant =
        known ? octants[i] : octant_for(&c, load_vec3(&from[i].lower), load_vec3(&from[i].upper));
    *next[octant]++ = from[i];
  }
}

/* The state of sorting a chunk of pending insertions down the tree. */
typedef struct sorting {
  mo_scene *scene;
  mo_pending_insertion *const *arrays; /* two arrays of pending insertions */
  mo_insertion_visit *next_visits;     /* visits of the nodes of the next level */
  uint32_t next_visit_count, target_count;
  /* Which array has the shapes of this level; the other array is for the next level. */
  uint8_t array_index;
  bool shapes_are_new;
} sorting;

static void add_target(sorting *s, mo_block_cell at, uint32_t head, uint32_t first, uint32_t count,
                       bool is_graft) {
  /* Prefetches the length of the list, which is read next, to count the blocks that are needed. */
  if (head != MO_NONE) {
    mo_prefetch(mo_shape_block_at(s->scene, head)->shape, 1);
  }
  s->scene->bulk.targets[s->target_count++] =
      (mo_insertion_target){at, head, first, count, s->array_index ^ 1, is_graft};
}

static void add_node_target(sorting *s, const mo_insertion_visit *visit,
                            const mo_octant_batch *part) {
  uint32_t head = mo_scene_node_at(s->scene, visit->node)->items;
  add_target(s, mo_bulk_node_cell(s->scene, visit), head, part->first, part->count, false);
}

/* Passes a batch of shapes on to an octant: as a visit of the next level if it is a node, else as a
 * target leaf. */
static inline void descend_into_octant(sorting *s, const mo_insertion_visit *visit,
                                       const partition_constants *c, uint32_t octant,
                                       const mo_octant_batch *part) {
  const mo_scene_node *node = mo_scene_node_at(s->scene, visit->node);
  uint32_t child = node->child[octant];
  mo_i4 high = lane_masks_of_octant[octant];
  mo_f4 lower = mo_f4_select(high, c->plane, visit->lower);
  mo_f4 upper = mo_f4_select(c->split_axes & ~high, c->plane, visit->upper);
  if (!mo_child_is_leaf(child)) {
    s->next_visits[s->next_visit_count++] =
        (mo_insertion_visit){lower, upper, child, part->first, part->count, false};
    return;
  }
  mo_block_cell at = {
      {mo_f4_to_vec3(lower), mo_f4_to_vec3(upper)}, node->slack, visit->node << 3 | octant};
  add_target(s, at, mo_leaf_list(child), part->first, part->count, false);
}

/* A visit with few shapes, the most frequent case. Shapes are sorted by octant with a rank sort. */
static inline void visit_with_few_shapes(sorting *s, const mo_insertion_visit *visit) {
  const mo_pending_insertion *from = s->arrays[s->array_index] + visit->first;
  mo_pending_insertion *to = s->arrays[s->array_index ^ 1] + visit->first;
  const partition_constants c = partition_constants_at(s->scene, visit);
  uint32_t octant[MO_RANK_SORT_MAX_SHAPES], rank[MO_RANK_SORT_MAX_SHAPES],
      in_order[MO_RANK_SORT_MAX_SHAPES], used = 0;
  for (uint32_t i = 0; i < visit->count; i++) {
    octant[i] = octant_for(&c, load_vec3(&from[i].lower), load_vec3(&from[i].upper));
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
  mo_bulk_add_count(s->scene, visit->node, used & 0xff, visit->count, s->shapes_are_new);
  for (uint32_t i = 0; i < visit->count;) {
    uint32_t here = in_order[i];
    mo_octant_batch part = {load_vec3(&to[i].lower),
                            load_vec3(&to[i].upper),
                            visit->first + i,
                            1,
                            to[i].size,
                            to[i].motion};
    while (++i < visit->count && in_order[i] == here) {
      add_to_batch(&part, &to[i], load_vec3(&to[i].lower), load_vec3(&to[i].upper));
    }
    if (here == MO_NO_OCTANT) {
      add_node_target(s, visit, &part);
    } else {
      mo_bulk_grow_octant(s->scene, visit->node, here, &part);
      descend_into_octant(s, visit, &c, here, &part);
    }
  }
}

static void visit_with_many_shapes(sorting *s, const mo_insertion_visit *visit) {
  mo_octant_batches parts;
  MO_ISA_FN(mo_bulk_partition)
  (s->scene, visit, s->arrays[s->array_index], s->arrays[s->array_index ^ 1], &parts);
  if (mo_bulk_should_graft(s->scene, visit, &parts)) {
    add_target(s, mo_bulk_child_cell(s->scene, visit), MO_NONE, visit->first, visit->count, true);
    return;
  }
  mo_bulk_add_count_and_grow(s->scene, visit->node, &parts, visit->count, s->shapes_are_new);
  const partition_constants c = partition_constants_at(s->scene, visit);
  for (uint32_t used = parts.used_octants & 0xff; used; used &= used - 1) {
    uint32_t octant = (uint32_t)__builtin_ctz(used);
    descend_into_octant(s, visit, &c, octant, &parts.octant[octant]);
  }
  if (parts.used_octants >> MO_NO_OCTANT & 1) {
    add_node_target(s, visit, &parts.octant[MO_NO_OCTANT]);
  }
}

MO_INLINE void prefetch_node(const mo_scene *scene, uint32_t index) {
  mo_node_prefetch(scene, index);
  mo_prefetch(&scene->motion_marks[index], 1);
  mo_prefetch(&scene->sizes[index], 1);
}

uint32_t MO_ISA_FN(mo_bulk_sort)(mo_scene *scene, const mo_insertion_visit *from,
                                 mo_pending_insertion *const arrays[2], bool adds) {
  mo_bulk_workspace *bulk = &scene->bulk;
  mo_insertion_visit *now = bulk->visits;
  sorting s = {scene, arrays, now + mo_bulk_max_shapes_per_sort(bulk->capacity), 0, 0, 0, adds};
  /* Up to this many insertions never outnumber the shapes of a node, so visit_with_few_shapes need
   * not consider a graft (mo_bulk_should_graft). */
  const uint32_t max_few_shapes = scene->options.capacity < MO_RANK_SORT_MAX_SHAPES
                                      ? scene->options.capacity
                                      : MO_RANK_SORT_MAX_SHAPES;
  uint32_t visits = 1;
  now[0] = *from;
  while (visits > 0) {
    s.next_visit_count = 0;
    for (uint32_t v = 0; v < visits; v++) {
      const mo_insertion_visit *visit = &now[v];
      if (v + MO_PREFETCH_INSERT_NODES_AHEAD < visits) {
        prefetch_node(scene, visit[MO_PREFETCH_INSERT_NODES_AHEAD].node);
      }
      if (visit->count <= max_few_shapes) {
        visit_with_few_shapes(&s, visit);
      } else {
        visit_with_many_shapes(&s, visit);
      }
    }
    mo_insertion_visit *done = now;
    now = s.next_visits;
    s.next_visits = done;
    visits = s.next_visit_count;
    s.array_index ^= 1;
  }
  return s.target_count;
}
