/* Tests many pairs of a ray and a candidate shape at a time. Compiled once per instruction set.
 *
 * All rays visit the root nodes of their meshes. Rays that hit a child there continue together,
 * first through all nodes, then through all leaves. Nodes and leaves to visit are lists, to which
 * hits are appended branchlessly, as in scene_wavefront_kernel.c. Large meshes, where the visit
 * order matters, are left to the kernel of single rays.
 *
 * Why not the visitor, one pair after another: wavefronts (scene_wavefront_kernel.c) are faster
 * because the cache misses of many rays overlap, in meshes as well as in the scene. */
#include "batch/candidates.h"

#include "query/ray/shape_ray.h"

MO_INLINE mo_queue_entry *entry_at(mo_queue_pairs *p, uint32_t bytes) {
  return (mo_queue_entry *)(void *)((char *)p->entries + bytes);
}

MO_INLINE mo_vec3 origin_of(const mo_queue_ray *r) {
  return mo_vec(r->given[0], r->given[8], r->given[16]);
}

MO_INLINE mo_vec3 direction_of(const mo_queue_ray *r) {
  return mo_vec(r->given[24], r->given[32], r->given[40]);
}

static inline float min_t_of(const mo_queue_ray *r) {
  return r->given[48];
}

/* Ends an any-hit ray after its first hit: a negative max_t fails all later tests. */
static inline void stop(mo_queue_ray *r) {
  r->any = true;
  r->max_t = -1.0f;
}

void MO_ISA_FN(mo_queue_test_alone)(mo_queue_pairs *p, mo_queue_ray *r, uint32_t slot, bool passed,
                                    mo_ray_goal goal) {
  mo_scene_ray *query = &p->single;
  p->def.origin = origin_of(r);
  p->def.direction = direction_of(r);
  p->def.min_t = min_t_of(r);
  p->def.max_t = r->max_t;
  mo_scene_ray_init(query, p->scene, &p->def, goal, NULL, false);
  mo_scene_ray_prepare_fast(query);
  query->shape = r->shape;
  query->triangle = r->triangle;
  query->u = r->u;
  query->v = r->v;
  query->front = r->front;
  if (passed ? mo_scene_ray_mesh_general(query, slot)
             : mo_scene_ray_shape_fast(query, slot, goal)) {
    stop(r);
  } else if (goal == MO_GOAL_CLOSEST) {
    r->max_t = query->max_t;
    r->shape = query->shape;
    r->triangle = query->triangle;
    r->u = query->u;
    r->v = query->v;
    r->front = query->front;
  }
}

/* Appends the children of a mesh node that a ray hits to the lists. Returns whether there are any.
 */
MO_INLINE uint32_t visit_mesh_node(mo_queue_pairs *p, mo_queue_entry *e, uint32_t which,
                                   mo_mesh_format format, uint32_t node) {
  const mo_tree tree = mo_tree_of(e->mesh, format);
  const mo_ray_lanes lanes = mo_spread_ray(&e->prepared);
  mo_ray_slabs slabs = mo_node_slabs(&tree, format, node, &lanes, NULL, mo_f8_all(e->best.max_t));
  mo_u8 child = mo_u8_load(mo_load_links(&tree, format, node).child);
  uint32_t met = mo_m8_bits(mo_f8_le(slabs.near_t, slabs.far_t));
  uint32_t is_leaf = mo_u8_signs(child), inner = met & ~is_leaf, leaf = met & is_leaf;
  uint32_t nodes = p->node_count, leaves = p->leaf_count;
  mo_u8_store_any(&p->node[nodes], mo_u8_compress(child, inner));
  mo_u8_store_any(&p->node_entry[nodes], mo_u8_all(which));
  p->node_count = nodes + (uint32_t)__builtin_popcount(inner);
  mo_u8_store_any(&p->leaf[leaves], mo_u8_compress(child, leaf));
  mo_u8_store_any(&p->leaf_entry[leaves], mo_u8_all(which));
  mo_f8_store_any(&p->leaf_t[leaves], mo_f8_compress(slabs.near_t, leaf));
  p->leaf_count = leaves + (uint32_t)__builtin_popcount(leaf);
  return met;
}

MO_INLINE uint32_t visit_any_mesh_node(mo_queue_pairs *p, mo_queue_entry *e, uint32_t which,
                                       uint32_t node) {
  return e->mesh->format == MO_MESH_FULL ? visit_mesh_node(p, e, which, MO_MESH_FULL, node)
                                         : visit_mesh_node(p, e, which, MO_MESH_COMPACT, node);
}

/* Visits the root nodes of all meshes. Returns how many rays hit a child there. */
MO_INLINE uint32_t enter_shapes(mo_queue_pairs *p, mo_ray_goal goal) {
  const mo_ray_def *options = &p->batch->def->options;
  const uint32_t count = p->count;
  uint32_t entered = 0;
  p->node_count = p->leaf_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = p->slot[i];
    const mo_shape *shape = &p->scene->shapes[slot];
    mo_queue_ray *r = p->ray[i];
    mo_queue_entry *e = entry_at(p, entered);
    if (__builtin_expect(shape->geometry.type != MO_SHAPE_MESH, 0)) {
      MO_ISA_FN(mo_queue_test_alone)(p, r, slot, false, goal);
      continue;
    }
    if (!mo_filter_passes(p->scene, &options->filter, slot)) {
      continue;
    }
    const mo_mesh *mesh = shape->geometry.mesh;
    const mo_affine *affine = &shape->affine;
    mo_dvec3 v = mo_dsub(mo_widen(origin_of(r)), mo_widen(affine->to_world.origin));
    mo_f4 o = mo_affine_apply_inverse(affine, v);
    mo_f4 d = mo_affine_apply_inverse(affine, mo_widen(direction_of(r)));
    if (__builtin_expect(!mo_ray_init_fast_local(&e->prepared, o, d, mo_affine_slopes(affine),
                                                 &mesh->ray_limits),
                         0)) {
      MO_ISA_FN(mo_queue_test_alone)(p, r, slot, true, goal);
      continue;
    }
    e->prepared.near_t = r->near_t;
    e->best.max_t = r->max_t;
    e->origin = mo_f4_vec(o);
    e->direction = mo_f4_vec(d);
    e->shape = shape;
    e->mesh = mesh;
    e->slot = slot;
    e->ray = r;
    e->alone = mesh->node_count > MO_SMALL_MESH;
    e->sheared = e->any = false;
    uint32_t nodes = p->node_count, leaves = p->leaf_count;
    uint32_t met = visit_any_mesh_node(p, e, entered, 0);
    if (__builtin_expect(e->alone, 0)) {
      p->node_count = nodes;
      p->leaf_count = leaves;
    }
    entered += met != 0 ? (uint32_t)sizeof(mo_queue_entry) : 0;
  }
  return entered;
}

/* Prepares an entry for triangle tests. */
MO_INLINE void shear(const mo_queue_pairs *p, mo_queue_entry *e, const mo_queue_ray *r) {
  const mo_ray_def *options = &p->batch->def->options;
  const mo_shape *shape = e->shape;
  bool ignores = options->ignore_triangle != MO_NO_TRIANGLE &&
                 options->ignore_triangle_shape.index == e->slot &&
                 options->ignore_triangle_shape.generation == shape->generation;
  e->in.ignore = ignores ? options->ignore_triangle : MO_NO_TRIANGLE;
  e->in.weights = &shape->affine.weights;
  e->in.min_t = min_t_of(r);
  e->best.triangle = MO_NO_TRIANGLE;
  e->sheared = true;
}

MO_INLINE bool test_leaf(mo_queue_entry *e, mo_mesh_format format, uint32_t leaf,
                         mo_ray_goal goal) {
  const mo_ray_trace trace = {e->mesh, &e->in, NULL, &e->prepared, &e->best, NULL, NULL, true};
  return mo_ray_leaf(&trace, format, mo_child_index(leaf), 0, goal, false);
}

MO_INLINE void ask_for_child(mo_queue_pairs *p, uint32_t which, uint32_t child) {
  const mo_mesh *mesh = entry_at(p, which)->mesh;
  const mo_tree tree = mo_tree_of(mesh, mesh->format);
  mo_child_prefetch(&tree, mesh->format, child);
}

/* Traces all rays through the meshes that they have entered: all nodes first, then all leaves. Rays
 * in large meshes are traced one by one, and so are all if the lists overflow. */
MO_INLINE void trace_meshes(mo_queue_pairs *p, uint32_t entered, mo_ray_goal goal) {
  const mo_mesh_ray_kernels *all = MO_ISA_FN(mo_mesh_ray_kernels);
  for (uint32_t i = 0; i < p->node_count; i++) {
    uint32_t which = p->node_entry[i];
    mo_queue_entry *e = entry_at(p, which);
    if (__builtin_expect((p->node_count > MO_QUEUE_NODES) | (p->leaf_count > MO_QUEUE_LEAVES), 0)) {
      p->node_count = p->leaf_count = 0;
      for (uint32_t j = 0; j < entered; j += (uint32_t)sizeof(mo_queue_entry)) {
        entry_at(p, j)->alone = true;
      }
      break;
    }
    if (i + MO_PAIRS_AHEAD < p->node_count) {
      ask_for_child(p, p->node_entry[i + MO_PAIRS_AHEAD], p->node[i + MO_PAIRS_AHEAD]);
    }
    visit_any_mesh_node(p, e, which, p->node[i]);
  }
  for (uint32_t i = 0; i < p->leaf_count; i++) {
    mo_queue_entry *e = entry_at(p, p->leaf_entry[i]);
    if (i + MO_PAIRS_AHEAD < p->leaf_count) {
      ask_for_child(p, p->leaf_entry[i + MO_PAIRS_AHEAD], p->leaf[i + MO_PAIRS_AHEAD]);
    }
    if (p->leaf_t[i] > e->best.max_t) {
      continue;
    }
    if (!e->sheared) {
      shear(p, e, e->ray);
      mo_ray_prepare_triangles(&e->in, &e->prepared);
    }
    bool hit = e->mesh->format == MO_MESH_FULL ? test_leaf(e, MO_MESH_FULL, p->leaf[i], goal)
                                               : test_leaf(e, MO_MESH_COMPACT, p->leaf[i], goal);
    if (goal == MO_GOAL_ANY && hit) {
      e->any = true;
      e->best.max_t = -1.0f;
    }
  }
  for (uint32_t i = 0; i < entered; i += (uint32_t)sizeof(mo_queue_entry)) {
    mo_queue_entry *e = entry_at(p, i);
    mo_queue_ray *r = e->ray;
    mo_mesh_hit *best = &e->best;
    if (__builtin_expect(e->alone, 0)) {
      const mo_mesh_ray_kernels *kernels = &all[e->mesh->format];
      best->max_t = r->max_t;
      shear(p, e, r);
      if (goal == MO_GOAL_ANY) {
        e->any = kernels->any_fast(e->mesh, &e->in, &e->prepared, best);
      } else {
        kernels->closest_fast(e->mesh, &e->in, &e->prepared, best);
      }
    }
    if (goal == MO_GOAL_ANY) {
      if (e->any) {
        stop(r);
      }
    } else if (e->sheared && best->triangle != MO_NO_TRIANGLE &&
               (best->max_t < r->max_t || (best->max_t == r->max_t && e->slot < r->shape))) {
      r->max_t = best->max_t;
      r->shape = e->slot;
      r->triangle = best->triangle;
      r->u = best->u;
      r->v = best->v;
      r->front = best->front;
    }
  }
}

void MO_ISA_FN(mo_queue_test_pairs)(mo_queue_pairs *pairs, mo_ray_goal goal) {
  if (goal == MO_GOAL_ANY) {
    trace_meshes(pairs, enter_shapes(pairs, MO_GOAL_ANY), MO_GOAL_ANY);
  } else {
    trace_meshes(pairs, enter_shapes(pairs, MO_GOAL_CLOSEST), MO_GOAL_CLOSEST);
  }
  pairs->count = 0;
}
