/* Finds the shapes of the octree that touch a region (box, ball or planes); compiled once per
 * instruction set.
 *
 * The query is memory-bound: a box that covers a hundred shapes touches some forty blocks of four
 * cache lines. The visitor prefetches blocks. The records of shapes that need a test are prefetched
 * here, and tested once many of them are pending. */
#include "base/prefetch.h"
#include "octree/cull.h"
#include "query/overlap/scene_overlap.h"
#include "query/overlap/slots.h"
#include "query/visit.h"

/* Number of shapes whose records are prefetched before the first is tested. */
enum { MAX_PENDING_SHAPES = 32 };

/* A box, broadcast to all lanes. */
typedef struct box_lanes {
  mo_f8 lower[3], upper[3];
} box_lanes;

/* A shape whose record is being prefetched. */
typedef struct pending_shape {
  mo_shape_place place;
  uint32_t slot;
  /* Whether it is certainly inside the region; whether it certainly touches it. */
  bool is_inside, surely_touches;
} pending_shape;

typedef struct overlap_traversal {
  mo_scene_overlap *query;
  const mo_scene *scene;
  box_lanes box, inner_box;
  mo_f8 center[3], outer_radius2, inner_radius2;
  bool has_slabs; /* of the query's `oriented_box` */
  mo_slab slabs[3];
  bool filter_passes_defaults; /* the filter passes all shapes with default category and mask */
  /* Shapes with one of these traits are tested even if their boxes certainly touch the region. */
  uint32_t tested_traits;
  uint32_t ignored_slot; /* slot of the shape that the filter ignores, or MO_NONE */
  uint32_t max_pending;  /* how many shapes may be pending */
  uint32_t pending_count;
  pending_shape shapes[MAX_PENDING_SHAPES + MO_LANE_COUNT];
} overlap_traversal;

MO_INLINE box_lanes broadcast_box(const mo_aabb *box) {
  return (box_lanes){
      {mo_f8_splat(box->lower.x), mo_f8_splat(box->lower.y), mo_f8_splat(box->lower.z)},
      {mo_f8_splat(box->upper.x), mo_f8_splat(box->upper.y), mo_f8_splat(box->upper.z)}};
}

/* Returns bits of the eight boxes that touch another box. */
MO_INLINE uint32_t boxes_touching_box(const mo_bounds8 *bounds, const box_lanes *box) {
  mo_m8 axis[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = mo_m8_and(mo_f8_le(mo_f8_load(bounds->lower[i]), box->upper[i]),
                        mo_f8_le(box->lower[i], mo_f8_load(bounds->upper[i])));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(axis[0], axis[1]), axis[2]));
}

/* Returns bits of the eight boxes that lie inside another box. */
MO_INLINE uint32_t boxes_inside_box(const mo_bounds8 *bounds, const box_lanes *box) {
  mo_m8 axis[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = mo_m8_and(mo_f8_le(box->lower[i], mo_f8_load(bounds->lower[i])),
                        mo_f8_le(mo_f8_load(bounds->upper[i]), box->upper[i]));
  }
  return mo_m8_bits(mo_m8_and(mo_m8_and(axis[0], axis[1]), axis[2]));
}

/* Squared distances from `center` to the nearest and the farthest points of eight boxes, with a
 * relative error of 2^-21. */
MO_INLINE void distances2(const mo_bounds8 *bounds, const mo_f8 center[3], mo_f8 *near,
                          mo_f8 *far) {
  mo_f8 zero = mo_f8_splat(0.0f);
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

/* Returns bits of the eight boxes that no plane excludes. Sets bits in `inside` for those that are
 * certainly inside all planes; in `sure_lanes` for those that, despite rounding, are certainly not
 * excluded and either certainly inside or certainly not. */
MO_INLINE uint32_t passing_planes(const mo_scene_overlap *q, const mo_bounds8 *bounds,
                                  uint32_t *inside, uint32_t *sure_lanes) {
  uint32_t touching = 0xff, touching_surely = 0xff, contained = 0xff, cut = 0;
  for (uint32_t i = 0; i < q->plane_count; i++) {
    const mo_plane *plane = &q->planes[i];
    const float n[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    mo_f8 max = mo_f8_splat(plane->offset), min = max;
    for (int axis = 0; axis < 3; axis++) {
      mo_f8 lower = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->lower[axis]));
      mo_f8 upper = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->upper[axis]));
      max = mo_f8_add(max, n[axis] >= 0.0f ? upper : lower);
      min = mo_f8_add(min, n[axis] >= 0.0f ? lower : upper);
    }
    mo_f8 slack = mo_f8_splat(q->slack[i]), less = mo_f8_splat(-q->slack[i]);
    touching &= mo_m8_bits(mo_f8_le(less, max));
    touching_surely &= mo_m8_bits(mo_f8_le(slack, max));
    contained &= mo_m8_bits(mo_f8_le(slack, min));
    cut |= mo_m8_bits(mo_f8_lt(min, less));
  }
  *inside = contained & touching;
  *sure_lanes = q->uses_bounds_only ? *inside | (touching_surely & cut) : *inside;
  return touching;
}

/* Returns bits of the eight boxes that no slab excludes. Sets bits in `contained` for those that
 * lie in the inner parts of all. */
MO_INLINE uint32_t boxes_in_slabs(const mo_slab slabs[3], const mo_bounds8 *bounds,
                                  uint32_t *contained) {
  uint32_t touching = 0xff;
  *contained = 0xff;
  for (int i = 0; i < 3; i++) {
    const mo_slab *slab = &slabs[i];
    const float n[3] = {slab->normal.x, slab->normal.y, slab->normal.z};
    mo_f8 max = mo_f8_splat(0.0f), min = max;
    for (int axis = 0; axis < 3; axis++) {
      const mo_f8 lower = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->lower[axis]));
      const mo_f8 upper = mo_f8_mul(mo_f8_splat(n[axis]), mo_f8_load(bounds->upper[axis]));
      max = mo_f8_add(max, mo_f8_max(lower, upper));
      min = mo_f8_add(min, mo_f8_min(lower, upper));
    }
    touching &= mo_m8_bits(mo_m8_and(mo_f8_le(mo_f8_splat(slab->lower), max),
                                     mo_f8_le(min, mo_f8_splat(slab->upper))));
    *contained &= mo_m8_bits(mo_m8_and(mo_f8_le(mo_f8_splat(slab->inner_lower), min),
                                       mo_f8_le(max, mo_f8_splat(slab->inner_upper))));
  }
  return touching;
}

/* Returns bits of the eight boxes that are not culled. Of these, sets bits in `inside` for boxes
 * that are certainly inside the region, and in `sure_lanes` for boxes that certainly touch it. */
MO_INLINE uint32_t passing_boxes(const overlap_traversal *w, mo_region_kind kind,
                                 const mo_bounds8 *bounds, uint32_t *inside, uint32_t *sure_lanes) {
  const mo_scene_overlap *q = w->query;
  if (kind == MO_REGION_PLANES) {
    return passing_planes(q, bounds, inside, sure_lanes);
  }
  uint32_t mask = boxes_touching_box(bounds, &w->box);
  if (kind == MO_REGION_BOX) {
    *inside = mask & boxes_inside_box(bounds, &w->inner_box);
    *sure_lanes = q->uses_bounds_only ? mask : *inside;
    return mask;
  }
  mo_f8 near, far;
  distances2(bounds, w->center, &near, &far);
  mask &= mo_m8_bits(mo_f8_le(near, w->outer_radius2));
  *inside = mask & mo_m8_bits(mo_f8_le(far, w->inner_radius2));
  *sure_lanes = q->uses_bounds_only ? mask & mo_m8_bits(mo_f8_le(near, w->inner_radius2)) : *inside;
  return mask;
}

/* Prefetches the needed ones of the three cache lines of a shape's record, which have the filter;
 * the axes; the origin and geometry.
 */
MO_INLINE void prefetch_record(const overlap_traversal *w, uint32_t slot) {
  const char *bytes = (const char *)&w->scene->shapes[slot];
  bool all = w->query->surely_touching_slots == NULL && w->query->visit_reads_records;
  if (!w->filter_passes_defaults || all) {
    mo_prefetch(bytes, 1);
  }
  if (w->query->visit_reads_records) {
    if (all || !(w->scene->traits[slot] & MO_TRAIT_HAS_IDENTITY_AXES)) {
      mo_prefetch(bytes + 64, 1);
    }
    mo_prefetch(bytes + 128, 1);
  }
}

/* The key (slot and flag) with which a shape that certainly touches the region is listed. */
static inline uint32_t key_of(const mo_scene_overlap *q, uint32_t slot, bool inside) {
  return q->kind == MO_REGION_PLANES && !inside ? slot | MO_SLOT_NOT_INSIDE_FLAG : slot;
}

/* Tests the pending shapes, and lists or visits those that pass; false if the query ended. */
static bool visit_pending_shapes(overlap_traversal *w) {
  const mo_scene_overlap *q = w->query;
  const mo_scene *scene = w->scene;
  uint32_t count = w->pending_count;
  w->pending_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const pending_shape *shape = &w->shapes[i];
    if (!mo_filter_passes_by_traits(scene, q->filter, w->filter_passes_defaults, shape->slot)) {
      continue;
    }
    /* A mesh without triangles touches nothing, nor does a compound without children. */
    bool may_be_empty = !q->uses_bounds_only && scene->traits[shape->slot] & MO_TRAITS_MAYBE_EMPTY;
    if (shape->surely_touches && !may_be_empty && q->surely_touching_slots != NULL) {
      mo_slot_list_add(q->surely_touching_slots, key_of(q, shape->slot, shape->is_inside));
      continue;
    }
    const mo_shape_block *block = mo_shape_block_at(scene, shape->place >> 3);
    mo_aabb bounds = mo_bounds8_get(&block->bounds, (int)(shape->place & 7));
    q->stats->shape_count++;
    if (!q->visit(shape->slot, bounds, shape->is_inside, q->context)) {
      return false;
    }
  }
  return true;
}

/* Adds the keys (slot and flag) of some lanes to the list. As long as the list cannot become full,
 * they are appended with one vector store; a full list is a heap. */
static inline void add_keys_of_lanes(mo_bounded_list *found, const uint32_t *slots, uint32_t lanes,
                                     uint32_t flag) {
  if (found->capacity > MO_LANE_COUNT && found->count < found->capacity - MO_LANE_COUNT) {
    uint32_t count = (uint32_t)__builtin_popcount(lanes);
    mo_u8 keys = mo_u8_or(mo_u8_load(slots), mo_u8_splat(flag));
    mo_u8_store_unaligned((uint32_t *)found->items + found->count, mo_u8_compress(keys, lanes));
    found->count += count;
    found->total += count;
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) {
    mo_slot_list_add(found, slots[__builtin_ctz(lanes)] | flag);
  }
}

/* The subset of some lanes whose shapes have one of the `tested_traits`. */
static inline uint32_t lanes_with_tested_traits(const overlap_traversal *w, const uint32_t *slots,
                                                uint32_t lanes) {
  uint32_t odd = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    odd |= (uint32_t)((w->scene->traits[slots[lane]] & w->tested_traits) != 0) << lane;
  }
  return odd;
}

/* Of some lanes, the one whose box is nearest to the centre of the region's box: it is the most
 * likely to touch the region. */
MO_INLINE uint32_t most_central_lane(const overlap_traversal *w, const mo_bounds8 *bounds,
                                     uint32_t lanes) {
  const mo_aabb box = w->query->box;
  const mo_f8 center[3] = {mo_f8_splat(0.5f * box.lower.x + 0.5f * box.upper.x),
                           mo_f8_splat(0.5f * box.lower.y + 0.5f * box.upper.y),
                           mo_f8_splat(0.5f * box.lower.z + 0.5f * box.upper.z)};
  mo_f8 near, far;
  alignas(MO_ALIGNMENT) float distance2[MO_LANE_COUNT];
  distances2(bounds, center, &near, &far);
  mo_f8_store(distance2, near);
  uint32_t best = (uint32_t)__builtin_ctz(lanes);
  for (lanes &= lanes - 1; lanes != 0; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    best = distance2[lane] < distance2[best] ? lane : best;
  }
  return best;
}

/* Lists the shapes in some lanes of a block that need no test, and makes the others pending. False
 * if the query ended. */
MO_INLINE bool visit_lanes(overlap_traversal *w, mo_region_kind kind, uint32_t at, uint32_t lanes,
                           uint32_t inside, uint32_t sure_lanes) {
  const mo_scene_overlap *q = w->query;
  const uint32_t *slots = mo_shape_block_at(w->scene, at)->shape;
  uint32_t listed = 0;
  if (q->surely_touching_slots != NULL && w->filter_passes_defaults) {
    listed = lanes & sure_lanes;
    if (w->tested_traits != 0) {
      listed &= ~lanes_with_tested_traits(w, slots, listed);
    }
    uint32_t added = listed;
    if (w->ignored_slot != MO_NONE) {
      added &= ~mo_u8_equal(slots, UINT32_MAX, w->ignored_slot);
    }
    if (kind == MO_REGION_PLANES && (added & ~inside) != 0) {
      add_keys_of_lanes(q->surely_touching_slots, slots, added & ~inside, MO_SLOT_NOT_INSIDE_FLAG);
      added &= inside;
    }
    add_keys_of_lanes(q->surely_touching_slots, slots, added, 0);
  }
  /* For whether a body touches any shape; a region that is a box mostly touches the first. */
  const bool looks_for_one =
      q->may_end_early && kind == MO_REGION_BOX && mo_aabb_is_empty(q->inner_box);
  for (uint32_t rest = lanes & ~listed; rest != 0;) {
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    if (looks_for_one && w->pending_count == 0 && (rest & (rest - 1)) != 0) {
      lane = most_central_lane(w, &mo_shape_block_at(w->scene, at)->bounds, rest);
    }
    rest &= ~(1u << lane);
    pending_shape *shape = &w->shapes[w->pending_count++];
    *shape =
        (pending_shape){at << 3 | lane, slots[lane], inside >> lane & 1, sure_lanes >> lane & 1};
    prefetch_record(w, slots[lane]);
  }
  return w->pending_count < w->max_pending || visit_pending_shapes(w);
}

/* --- one visitor per kind of region --- */

MO_INLINE uint32_t cull(const mo_bounds8 *bounds, bool inside, uint32_t *within, const void *query,
                        mo_region_kind kind) {
  uint32_t sure_lanes;
  return inside ? 0xff : passing_boxes(query, kind, bounds, within, &sure_lanes);
}

/* Returns bits of the boxes that touch the slabs; sets bits in `within` for those that lie in the
 * oriented box. This takes as long as the test of one shape. */
MO_INLINE uint32_t cull_by_slabs(overlap_traversal *w, const mo_bounds8 *bounds, uint32_t lanes,
                                 uint32_t *within) {
  if (!w->has_slabs) {
    mo_scene_overlap_make_slabs(w->query, w->slabs);
    w->has_slabs = true;
  }
  uint32_t contained;
  lanes &= boxes_in_slabs(w->slabs, bounds, &contained);
  *within |= lanes & contained & boxes_inside_box(bounds, &w->box);
  return lanes;
}

MO_INLINE bool visit_block(uint32_t at, bool inside, void *query, mo_region_kind kind) {
  overlap_traversal *w = query;
  const mo_shape_block *block = mo_shape_block_at(w->scene, at);
  uint32_t lanes = (1u << block->count) - 1, within = lanes, sure_lanes = lanes;
  if (!inside) {
    lanes &= passing_boxes(w, kind, &block->bounds, &within, &sure_lanes);
    if (kind == MO_REGION_BOX && w->query->oriented_box != NULL && (lanes & (lanes - 1)) != 0) {
      lanes = cull_by_slabs(w, &block->bounds, lanes, &within);
      sure_lanes |= within;
    }
  }
  return visit_lanes(w, kind, at, lanes, within, sure_lanes);
}

/* Visits a half-space, for every region; the visit function tests it. */
static inline bool visit_unbounded(uint32_t slot, void *query) {
  const overlap_traversal *w = query;
  const mo_scene_overlap *q = w->query;
  if (!mo_filter_passes(w->scene, q->filter, slot)) {
    return true;
  }
  q->stats->shape_count++;
  return q->visit(slot, mo_aabb_infinite(), false, q->context);
}

static inline uint32_t cull_by_box(const mo_bounds8 *bounds, uint32_t node, bool inside,
                                   uint32_t *within, const void *query) {
  (void)node;
  return cull(bounds, inside, within, query, MO_REGION_BOX);
}

static inline uint32_t cull_by_ball(const mo_bounds8 *bounds, uint32_t node, bool inside,
                                    uint32_t *within, const void *query) {
  (void)node;
  return cull(bounds, inside, within, query, MO_REGION_BALL);
}

static inline uint32_t cull_by_planes(const mo_bounds8 *bounds, uint32_t node, bool inside,
                                      uint32_t *within, const void *query) {
  (void)node;
  return cull(bounds, inside, within, query, MO_REGION_PLANES);
}

static inline bool visit_block_in_box(uint32_t at, bool inside, void *query) {
  return visit_block(at, inside, query, MO_REGION_BOX);
}

static inline bool visit_block_in_ball(uint32_t at, bool inside, void *query) {
  return visit_block(at, inside, query, MO_REGION_BALL);
}

static inline bool visit_block_in_planes(uint32_t at, bool inside, void *query) {
  return visit_block(at, inside, query, MO_REGION_PLANES);
}

static const mo_shape_visitor box_visitor = {cull_by_box, visit_block_in_box, visit_unbounded};
static const mo_shape_visitor ball_visitor = {cull_by_ball, visit_block_in_ball, visit_unbounded};
static const mo_shape_visitor plane_visitor = {cull_by_planes, visit_block_in_planes,
                                               visit_unbounded};

bool MO_ISA_FN(mo_scene_overlap)(mo_scene_overlap *q) {
  const mo_scene *scene = q->scene;
  const mo_filter *filter = q->filter;
  overlap_traversal w;
  w.query = q;
  w.scene = scene;
  w.filter_passes_defaults = mo_filter_passes_defaults(filter);
  w.tested_traits = scene->filtered_count > 0 ? MO_TRAIT_FILTERED : 0;
  w.tested_traits |= !q->uses_bounds_only && scene->mesh_count + scene->compound_count > 0
                         ? MO_TRAITS_MAYBE_EMPTY
                         : 0;
  w.ignored_slot = mo_shape_is_known(scene, filter->ignore) ? filter->ignore.index : MO_NONE;
  w.max_pending = q->may_end_early ? 1 : MAX_PENDING_SHAPES;
  w.pending_count = 0;
  w.has_slabs = false;
  bool all;
  if (q->kind == MO_REGION_PLANES) {
    all = mo_visit_shapes(scene, &plane_visitor, false, q->may_end_early, q->stats, &w);
  } else {
    w.box = broadcast_box(&q->box);
    w.inner_box = broadcast_box(&q->inner_box);
    if (q->kind == MO_REGION_BOX) {
      all = mo_visit_shapes(scene, &box_visitor, false, q->may_end_early, q->stats, &w);
    } else {
      w.center[0] = mo_f8_splat(q->center.x);
      w.center[1] = mo_f8_splat(q->center.y);
      w.center[2] = mo_f8_splat(q->center.z);
      w.outer_radius2 = mo_f8_splat(q->outer_radius2);
      w.inner_radius2 = mo_f8_splat(q->inner_radius2);
      all = mo_visit_shapes(scene, &ball_visitor, false, q->may_end_early, q->stats, &w);
    }
  }
  return all && visit_pending_shapes(&w);
}
