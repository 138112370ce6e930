/* Rays through the triangle octree; compiled once per instruction set.
 *
 * A node's eight boxes are tested at once. Those that the ray meets go on the stack in the order of
 * its octant, the nearest on top, with neither a sort nor a branch per child; what waits is skipped
 * when popped if a nearer hit has been found since.
 *
 * Why not the visitor for best-first queries (mesh/visit/visit.h), which sorts children by key: with
 * pushing by compression, a fused slab test and no counting, rays are 20 % faster; the next child
 * taken from the mask and not from the stack saves 8 % more (bench/NOTEBOOK.md). */
#include <stdalign.h>

#include "base/inline.h"
#include "base/prefetch.h"
#include "mesh/rays/leaf.h"
#include "mesh/rays/segment_entries.h"
#include "mesh/rays/segment_sweep.h"

/* Children that wait, from place 1 on. Pushing writes eight places, whatever it keeps. */
typedef struct waiting {
  uint32_t child[1 + MO_MESH_STACK + MO_WIDTH];
  float t[1 + MO_MESH_STACK + MO_WIDTH]; /* where the ray enters */
  uint32_t
      from[1 + MO_MESH_STACK + MO_WIDTH]; /* node << 3 | slot; kept where all hits are wanted */
  alignas(MO_ALIGNMENT) uint32_t ordered[MO_WIDTH]; /* of the node at hand, all of them */
} waiting;

/* Where children lie, by whether they are leaves. */
typedef struct children {
  const char *base[2];
  size_t size[2];
} children;

MO_INLINE children children_of(const mo_tree *tree, mo_mesh_format format) {
  bool full = format == MO_MESH_FULL;
  return (children){{full ? (const char *)tree->nodes : (const char *)tree->compact_nodes,
                     full ? (const char *)tree->blocks : (const char *)tree->units},
                    {mo_node_size(format), mo_place_size(format)}};
}

/* Prefetches a child, without an unpredictable branch. */
MO_INLINE void prefetch(const children *all, mo_mesh_format format, uint32_t child) {
  uint32_t leaf = child >> 31;
  const char *memory = all->base[leaf] + mo_child_index(child) * all->size[leaf];
  mo_prefetch(memory, format == MO_MESH_FULL ? 4 : 3);
}

/* Counts a visit and marks it on the caller's map, if there is one. */
static inline void count_visit(const mo_mesh *mesh, mo_query_stats *stats, uint32_t *visits,
                               uint32_t node) {
  (void)mesh;
  stats->mesh_node_count++;
  if (visits != NULL && node < stats->mesh_visit_capacity) {
    visits[node]++;
  }
}

/* The traversal itself. Of the ray, what culling asks for is ready; and the rest, unless `usual`,
 * which says that it is as mo_ray_init_usual makes it, in the mesh's own space. `format`, `goal`,
 * `usual`, `count`, and `bake` and `weights` where they are null, are constants wherever this is
 * inlined. */
MO_INLINE bool traverse(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                        mo_mailbox *mailbox, mo_ray_goal goal, bool usual, const mo_vec3 *weights,
                        const mo_affine *bake, bool count) {
  const mo_ray *ray = &query->ray;
  const mo_ray_lanes lanes = mo_spread_ray(ray);
  const mo_tree tree = mo_tree_of(mesh, format);
  /* Farthest first. The opposite direction takes the reverse: mesh/mesh.h. */
  uint32_t signs = bake == NULL ? ray->signs : 0;
  bool reverse = goal != MO_GOAL_ANY && (signs >> 2) != 0;
  uint32_t order_word = signs ^ (7 & -(uint32_t)reverse);
  const mo_way way = mo_order_way(!reverse);
  uint32_t *visits = count ? mo_visits_of(query->stats, mesh) : NULL;
  float cull_t = usual ? query->max_t : mo_ray_cull_t(ray, query->max_t);
  bool in_leaves = !usual;
  const children all = children_of(&tree, format);
  waiting w;
  /* Not in `w`: then it would be kept in memory, as what is written there eight places at a time
   * might change it. */
  uint32_t waiting_count = 0;
  w.child[0] = 0; /* of a stack that is empty, the root is asked for in vain */
  uint32_t child = 0, from = 0;
  for (;;) {
    if (!mo_child_is_leaf(child)) {
      const mo_links node = mo_load_links(&tree, format, child);
      if (count) {
        count_visit(mesh, query->stats, visits, child);
      }
      mo_ray_slabs slabs = mo_node_slabs(&tree, format, child, &lanes, bake, mo_f8_all(cull_t));
      uint32_t order = goal == MO_GOAL_ANY ? *node.any_order : node.order[order_word];
      mo_choice met = mo_choose_le(slabs.near_t, slabs.far_t, mo_route_of(order, way));
      mo_choice_store_u8(&w.child[waiting_count + 1], node.child, met);
      mo_choice_store_f8(&w.t[waiting_count + 1], slabs.near_t, met);
      if (goal == MO_GOAL_ALL) {
        mo_choice_store_lanes(&w.from[waiting_count + 1], child << 3, met);
      }
      if (met.count != 0) {
        /* Not by way of the stack: that would take longer. */
        if (goal == MO_GOAL_ALL) {
          from = child << 3 | mo_choice_last(met, order, way);
        }
        child = mo_choice_last_u8(node.child, met, order, way, w.ordered);
        waiting_count += met.count - 1;
        prefetch(&all, format, w.child[waiting_count]);
        continue;
      }
    } else {
      if (!in_leaves) {
        /* Many rays meet no leaf. */
        mo_ray_init_usual_shear(&query->ray, query->origin, query->direction, weights,
                                query->min_t);
        in_leaves = true;
      }
      if (mo_ray_leaf(mesh, format, query, mo_child_index(child), from >> 3, from & 7, mailbox,
                      goal, usual, bake, count)) {
        return true;
      }
      if (goal == MO_GOAL_CLOSEST || goal == MO_GOAL_FIRST) {
        cull_t = usual ? query->max_t : mo_ray_cull_t(ray, query->max_t);
      }
    }
    bool found = false;
    while (waiting_count > 0 && !found) {
      found = w.t[waiting_count--] <= cull_t;
    }
    if (!found) {
      return false;
    }
    child = w.child[waiting_count + 1];
    from = goal == MO_GOAL_ALL ? w.from[waiting_count + 1] : 0;
  }
}

/* A query of any kind. */
MO_INLINE bool trace(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                     mo_ray_goal goal, const mo_affine *bake, bool count) {
  mo_mesh_ray_prepare(mesh, query);
  mo_mailbox mailbox_memory, *mailbox = NULL;
  if (mesh->duplicate_count > 0 && !query->no_mailbox) {
    mailbox = &mailbox_memory;
    mo_mailbox_init(mailbox);
  }
  return traverse(mesh, format, query, mailbox, goal, false, NULL, bake, count);
}

/* A query about a ray alone, straight from its def: nothing is copied that no leaf asks for, and
 * there is no mailbox, which takes longer than what it saves. A min_t or max_t of -0 is left to the
 * other way, as its bits are those of a large number. */
MO_INLINE bool is_usual(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d) {
  uint32_t min_bits, max_bits;
  memcpy(&min_bits, &def->min_t, sizeof min_bits);
  memcpy(&max_bits, &def->max_t, sizeof max_bits);
  return def->accept_triangle == NULL && def->traversal == MO_TRAVERSAL_FAST &&
         mo_ray_has_cookies(def) && min_bits < 0x7f800000u && max_bits <= 0x7f800000u &&
         mo_ray_is_usual(o, d, 0.0f, &mesh->usual);
}

MO_INLINE void begin_usual(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d,
                           mo_mesh_ray *query) {
  mo_ray_set_usual_slabs(&query->ray, o, d, mesh->usual.room, 2.0f * MO_RAY_MARGIN);
  query->ray.near_t = mo_ray_usual_near_t(def->min_t);
  query->origin = &def->origin;
  query->direction = &def->direction;
  query->min_t = def->min_t;
  query->max_t = def->max_t;
  query->ignore = def->ignore_triangle;
  query->cull = def->cull_back_faces ? MO_CULL_BACK : MO_CULL_NONE;
}

/* From the root. */
MO_INLINE mo_result trace_cast(const mo_mesh *mesh, mo_mesh_format format, const mo_ray_def *def,
                               mo_f4 o, mo_f4 d, mo_ray_hit *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  query.triangle = MO_NO_TRIANGLE;
  traverse(mesh, format, &query, NULL, MO_GOAL_CLOSEST, true, NULL, NULL, false);
  mo_mesh_ray_closest(mesh, def, &query, hit);
  return MO_OK;
}

MO_INLINE mo_result trace_test(const mo_mesh *mesh, mo_mesh_format format, const mo_ray_def *def,
                               mo_f4 o, mo_f4 d, bool *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  *hit = traverse(mesh, format, &query, NULL, MO_GOAL_ANY, true, NULL, NULL, false);
  return MO_OK;
}

/* From some subtrees of the cut. Returns false, with nothing changed but what may be written again,
 * if the segment meets too much; *any is for MO_GOAL_ANY. Null weights are ones. */
MO_INLINE bool trace_from(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                          mo_ray_goal goal, const mo_vec3 *weights, uint64_t subtrees, bool *any) {
  const mo_tree tree = mo_tree_of(mesh, format);
  mo_sweep sweep;
  uint32_t leaves;
  if (!mo_sweep_find(&tree, format, &query->ray, query->max_t, mesh->cut, subtrees, &sweep,
                     &leaves)) {
    return false;
  }
  if (leaves != 0) {
    mo_ray_init_usual_shear(&query->ray, query->origin, query->direction, weights, query->min_t);
    for (uint32_t i = 0; i < leaves; i++) {
      if (sweep.t[i] <= query->max_t &&
          mo_ray_leaf(mesh, format, query, mo_child_index(sweep.leaf[i]), 0, 0, NULL, goal, true,
                      NULL, false)) {
        *any = true;
        return true;
      }
    }
  }
  *any = false;
  return true;
}

/* A usual ray that is ready for culling. */
MO_INLINE bool trace_ready(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                           mo_ray_goal goal) {
  mo_f4_twice o = mo_f4_twice_from(query->origin), d = mo_f4_twice_from(query->direction);
  uint64_t subtrees;
  bool any = false;
  query->triangle = MO_NO_TRIANGLE;
  if (mo_cut_begin(mesh->cut, o, d, query->max_t, &subtrees) &&
      (subtrees == 0 || trace_from(mesh, format, query, goal, NULL, subtrees, &any))) {
    return any;
  }
  return traverse(mesh, format, query, NULL, goal, true, NULL, NULL, false);
}

/* A ray that a scene leads into a shape, once it is known to be usual there; from some subtrees of
 * the cut, unless that is null or the segment meets too much. */
MO_INLINE mo_local_answer trace_usual_local(const mo_mesh *mesh, mo_mesh_format format,
                                            const mo_affine *affine, mo_f4 o, mo_f4 d,
                                            const uint64_t *subtrees, mo_mesh_ray *query,
                                            mo_ray_goal goal) {
  mo_ray_set_usual_local(&query->ray, o, d, mo_affine_slopes(affine), &mesh->usual);
  mo_vec3 origin = mo_f4_vec(o), direction = mo_f4_vec(d);
  query->origin = &origin;
  query->direction = &direction;
  query->triangle = MO_NO_TRIANGLE;
  bool any;
  if (subtrees == NULL ||
      !trace_from(mesh, format, query, goal, &affine->weights, *subtrees, &any)) {
    any = traverse(mesh, format, query, NULL, goal, true, &affine->weights, NULL, false);
  }
  if (goal == MO_GOAL_CLOSEST) {
    any = query->triangle != MO_NO_TRIANGLE;
  }
  return any ? MO_LOCAL_HIT : MO_LOCAL_MISS;
}

typedef mo_local_answer trace_local_from(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o,
                                         mo_f4 d, uint64_t subtrees, mo_mesh_ray *query);

/* `from`: for short segments. */
MO_INLINE mo_local_answer trace_local(const mo_mesh *mesh, mo_mesh_format format,
                                      const mo_affine *affine, const mo_world_ray *world,
                                      mo_mesh_ray *query, mo_ray_goal goal,
                                      trace_local_from *from) {
  mo_dvec3 v = mo_dsub(world->origin, mo_widen(affine->to_world.origin));
  mo_f4 o = mo_affine_apply_inverse(affine, v);
  mo_f4 d = mo_affine_apply_inverse(affine, world->direction);
  if (__builtin_expect(!mo_ray_is_usual_local(o, d, mo_affine_slopes(affine), &mesh->usual), 0)) {
    return MO_LOCAL_UNUSUAL;
  }
  uint64_t subtrees;
  if (mo_cut_begin(mesh->cut, mo_f4_twice_of(o), mo_f4_twice_of(d), query->max_t, &subtrees)) {
    return subtrees == 0 ? MO_LOCAL_MISS : from(mesh, affine, o, d, subtrees, query);
  }
  return trace_usual_local(mesh, format, affine, o, d, NULL, query, goal);
}

/* The same, once it is in the space of the mesh and ready for culling. */
MO_INLINE bool trace_entered(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                             mo_ray_goal goal) {
  query->triangle = MO_NO_TRIANGLE;
  return traverse(mesh, format, query, NULL, goal, true, query->weights, NULL, false);
}

/* Each kernel for each format. A ray in the mesh's own space of which nothing is counted has code
 * of its own. */
MO_INLINE bool is_plain(const mo_mesh_ray *query) {
  return query->bake == NULL && query->stats == NULL;
}

MO_INLINE bool trace_any_kind(const mo_mesh *mesh, mo_mesh_format format, mo_mesh_ray *query,
                              mo_ray_goal goal) {
  return trace(mesh, format, query, goal, query->bake, query->stats != NULL);
}

static __attribute__((noinline)) bool other_closest(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_any_kind(mesh, MO_MESH_FULL, query, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) bool other_any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_any_kind(mesh, MO_MESH_FULL, query, MO_GOAL_ANY);
}

static void closest(const mo_mesh *mesh, mo_mesh_ray *query) {
  if (is_plain(query)) {
    trace(mesh, MO_MESH_FULL, query, MO_GOAL_CLOSEST, NULL, false);
  } else {
    other_closest(mesh, query);
  }
}

static bool any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return is_plain(query) ? trace(mesh, MO_MESH_FULL, query, MO_GOAL_ANY, NULL, false)
                         : other_any(mesh, query);
}

static void all(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_any_kind(mesh, MO_MESH_FULL, query, MO_GOAL_ALL);
}

static void first(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_any_kind(mesh, MO_MESH_FULL, query, MO_GOAL_FIRST);
}

static __attribute__((noinline)) mo_result
cast_from_root(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d, mo_ray_hit *hit) {
  return trace_cast(mesh, MO_MESH_FULL, def, o, d, hit);
}

static __attribute__((noinline)) mo_result
test_from_root(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d, bool *hit) {
  return trace_test(mesh, MO_MESH_FULL, def, o, d, hit);
}

/* Most short segments end before they have been made ready. */
static __attribute__((noinline)) mo_result cast_from(const mo_mesh *mesh, const mo_ray_def *def,
                                                     mo_f4 o, mo_f4 d, uint64_t subtrees,
                                                     mo_ray_hit *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  query.triangle = MO_NO_TRIANGLE;
  bool any;
  if (!trace_from(mesh, MO_MESH_FULL, &query, MO_GOAL_CLOSEST, NULL, subtrees, &any)) {
    return cast_from_root(mesh, def, o, d, hit);
  }
  mo_mesh_ray_closest(mesh, def, &query, hit);
  return MO_OK;
}

static __attribute__((noinline)) mo_result test_from(const mo_mesh *mesh, const mo_ray_def *def,
                                                     mo_f4 o, mo_f4 d, uint64_t subtrees,
                                                     bool *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  return trace_from(mesh, MO_MESH_FULL, &query, MO_GOAL_ANY, NULL, subtrees, hit)
             ? MO_OK
             : test_from_root(mesh, def, o, d, hit);
}

static mo_result cast(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_f4_twice o2 = mo_f4_twice_from(&def->origin), d2 = mo_f4_twice_from(&def->direction);
  mo_f4 o = mo_f4_once(o2), d = mo_f4_once(d2);
  if (!is_usual(mesh, def, o, d)) {
    return mo_mesh_cast_any_ray(mesh, def, hit, NULL);
  }
  uint64_t subtrees;
  if (!mo_cut_begin(mesh->cut, o2, d2, def->max_t, &subtrees)) {
    return cast_from_root(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return cast_from(mesh, def, o, d, subtrees, hit);
  }
  *hit = (mo_ray_hit){.triangle = MO_NO_TRIANGLE};
  return MO_OK;
}

static mo_result test(const mo_mesh *mesh, const mo_ray_def *def, bool *hit) {
  mo_f4_twice o2 = mo_f4_twice_from(&def->origin), d2 = mo_f4_twice_from(&def->direction);
  mo_f4 o = mo_f4_once(o2), d = mo_f4_once(d2);
  if (!is_usual(mesh, def, o, d)) {
    return mo_mesh_test_any_ray(mesh, def, hit, NULL);
  }
  uint64_t subtrees;
  if (!mo_cut_begin(mesh->cut, o2, d2, def->max_t, &subtrees)) {
    return test_from_root(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return test_from(mesh, def, o, d, subtrees, hit);
  }
  *hit = false;
  return MO_OK;
}

static void closest_ready(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_ready(mesh, MO_MESH_FULL, query, MO_GOAL_CLOSEST);
}

static bool any_ready(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_ready(mesh, MO_MESH_FULL, query, MO_GOAL_ANY);
}

static __attribute__((noinline)) mo_local_answer
closest_local_from(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o, mo_f4 d,
                   uint64_t subtrees, mo_mesh_ray *query) {
  return trace_usual_local(mesh, MO_MESH_FULL, affine, o, d, &subtrees, query, MO_GOAL_CLOSEST);
}

static mo_local_answer closest_local(const mo_mesh *mesh, const mo_affine *affine,
                                     const mo_world_ray *world, mo_mesh_ray *query) {
  return trace_local(mesh, MO_MESH_FULL, affine, world, query, MO_GOAL_CLOSEST, closest_local_from);
}

static __attribute__((noinline)) mo_local_answer any_local_from(const mo_mesh *mesh,
                                                                const mo_affine *affine, mo_f4 o,
                                                                mo_f4 d, uint64_t subtrees,
                                                                mo_mesh_ray *query) {
  return trace_usual_local(mesh, MO_MESH_FULL, affine, o, d, &subtrees, query, MO_GOAL_ANY);
}

static mo_local_answer any_local(const mo_mesh *mesh, const mo_affine *affine,
                                 const mo_world_ray *world, mo_mesh_ray *query) {
  return trace_local(mesh, MO_MESH_FULL, affine, world, query, MO_GOAL_ANY, any_local_from);
}

static void closest_entered(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_entered(mesh, MO_MESH_FULL, query, MO_GOAL_CLOSEST);
}

static bool any_entered(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_entered(mesh, MO_MESH_FULL, query, MO_GOAL_ANY);
}

static __attribute__((noinline)) bool compact_other_closest(const mo_mesh *mesh,
                                                            mo_mesh_ray *query) {
  return trace_any_kind(mesh, MO_MESH_COMPACT, query, MO_GOAL_CLOSEST);
}

static __attribute__((noinline)) bool compact_other_any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_any_kind(mesh, MO_MESH_COMPACT, query, MO_GOAL_ANY);
}

static void compact_closest(const mo_mesh *mesh, mo_mesh_ray *query) {
  if (is_plain(query)) {
    trace(mesh, MO_MESH_COMPACT, query, MO_GOAL_CLOSEST, NULL, false);
  } else {
    compact_other_closest(mesh, query);
  }
}

static bool compact_any(const mo_mesh *mesh, mo_mesh_ray *query) {
  return is_plain(query) ? trace(mesh, MO_MESH_COMPACT, query, MO_GOAL_ANY, NULL, false)
                         : compact_other_any(mesh, query);
}

static void compact_all(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_any_kind(mesh, MO_MESH_COMPACT, query, MO_GOAL_ALL);
}

static void compact_first(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_any_kind(mesh, MO_MESH_COMPACT, query, MO_GOAL_FIRST);
}

static __attribute__((noinline)) mo_result compact_cast_from_root(const mo_mesh *mesh,
                                                                  const mo_ray_def *def, mo_f4 o,
                                                                  mo_f4 d, mo_ray_hit *hit) {
  return trace_cast(mesh, MO_MESH_COMPACT, def, o, d, hit);
}

static __attribute__((noinline)) mo_result
compact_test_from_root(const mo_mesh *mesh, const mo_ray_def *def, mo_f4 o, mo_f4 d, bool *hit) {
  return trace_test(mesh, MO_MESH_COMPACT, def, o, d, hit);
}

static __attribute__((noinline)) mo_result compact_cast_from(const mo_mesh *mesh,
                                                             const mo_ray_def *def, mo_f4 o,
                                                             mo_f4 d, uint64_t subtrees,
                                                             mo_ray_hit *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  query.triangle = MO_NO_TRIANGLE;
  bool any;
  if (!trace_from(mesh, MO_MESH_COMPACT, &query, MO_GOAL_CLOSEST, NULL, subtrees, &any)) {
    return compact_cast_from_root(mesh, def, o, d, hit);
  }
  mo_mesh_ray_closest(mesh, def, &query, hit);
  return MO_OK;
}

static __attribute__((noinline)) mo_result compact_test_from(const mo_mesh *mesh,
                                                             const mo_ray_def *def, mo_f4 o,
                                                             mo_f4 d, uint64_t subtrees,
                                                             bool *hit) {
  mo_mesh_ray query;
  begin_usual(mesh, def, o, d, &query);
  return trace_from(mesh, MO_MESH_COMPACT, &query, MO_GOAL_ANY, NULL, subtrees, hit)
             ? MO_OK
             : compact_test_from_root(mesh, def, o, d, hit);
}

static mo_result compact_cast(const mo_mesh *mesh, const mo_ray_def *def, mo_ray_hit *hit) {
  mo_f4_twice o2 = mo_f4_twice_from(&def->origin), d2 = mo_f4_twice_from(&def->direction);
  mo_f4 o = mo_f4_once(o2), d = mo_f4_once(d2);
  if (!is_usual(mesh, def, o, d)) {
    return mo_mesh_cast_any_ray(mesh, def, hit, NULL);
  }
  uint64_t subtrees;
  if (!mo_cut_begin(mesh->cut, o2, d2, def->max_t, &subtrees)) {
    return compact_cast_from_root(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return compact_cast_from(mesh, def, o, d, subtrees, hit);
  }
  *hit = (mo_ray_hit){.triangle = MO_NO_TRIANGLE};
  return MO_OK;
}

static mo_result compact_test(const mo_mesh *mesh, const mo_ray_def *def, bool *hit) {
  mo_f4_twice o2 = mo_f4_twice_from(&def->origin), d2 = mo_f4_twice_from(&def->direction);
  mo_f4 o = mo_f4_once(o2), d = mo_f4_once(d2);
  if (!is_usual(mesh, def, o, d)) {
    return mo_mesh_test_any_ray(mesh, def, hit, NULL);
  }
  uint64_t subtrees;
  if (!mo_cut_begin(mesh->cut, o2, d2, def->max_t, &subtrees)) {
    return compact_test_from_root(mesh, def, o, d, hit);
  }
  if (subtrees != 0) {
    return compact_test_from(mesh, def, o, d, subtrees, hit);
  }
  *hit = false;
  return MO_OK;
}

static void compact_closest_ready(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_ready(mesh, MO_MESH_COMPACT, query, MO_GOAL_CLOSEST);
}

static bool compact_any_ready(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_ready(mesh, MO_MESH_COMPACT, query, MO_GOAL_ANY);
}

static __attribute__((noinline)) mo_local_answer
compact_closest_local_from(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o, mo_f4 d,
                           uint64_t subtrees, mo_mesh_ray *query) {
  return trace_usual_local(mesh, MO_MESH_COMPACT, affine, o, d, &subtrees, query, MO_GOAL_CLOSEST);
}

static mo_local_answer compact_closest_local(const mo_mesh *mesh, const mo_affine *affine,
                                             const mo_world_ray *world, mo_mesh_ray *query) {
  return trace_local(mesh, MO_MESH_COMPACT, affine, world, query, MO_GOAL_CLOSEST,
                     compact_closest_local_from);
}

static __attribute__((noinline)) mo_local_answer
compact_any_local_from(const mo_mesh *mesh, const mo_affine *affine, mo_f4 o, mo_f4 d,
                       uint64_t subtrees, mo_mesh_ray *query) {
  return trace_usual_local(mesh, MO_MESH_COMPACT, affine, o, d, &subtrees, query, MO_GOAL_ANY);
}

static mo_local_answer compact_any_local(const mo_mesh *mesh, const mo_affine *affine,
                                         const mo_world_ray *world, mo_mesh_ray *query) {
  return trace_local(mesh, MO_MESH_COMPACT, affine, world, query, MO_GOAL_ANY,
                     compact_any_local_from);
}

static void compact_closest_entered(const mo_mesh *mesh, mo_mesh_ray *query) {
  trace_entered(mesh, MO_MESH_COMPACT, query, MO_GOAL_CLOSEST);
}

static bool compact_any_entered(const mo_mesh *mesh, mo_mesh_ray *query) {
  return trace_entered(mesh, MO_MESH_COMPACT, query, MO_GOAL_ANY);
}

const mo_mesh_ray_kernels MO_ISA_FN(mo_mesh_ray_kernels)[MO_MESH_FORMATS] = {
    [MO_MESH_FULL] = {closest, any, all, first, cast, test, closest_ready, any_ready, closest_local,
                      any_local},
    [MO_MESH_COMPACT] = {compact_closest, compact_any, compact_all, compact_first, compact_cast,
                         compact_test, compact_closest_ready, compact_any_ready,
                         compact_closest_local, compact_any_local},
};

const mo_mesh_entered_kernels MO_ISA_FN(mo_mesh_entered_kernels)[MO_MESH_FORMATS] = {
    [MO_MESH_FULL] = {closest_entered, any_entered},
    [MO_MESH_COMPACT] = {compact_closest_entered, compact_any_entered},
};
