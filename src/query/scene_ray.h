/* A ray through a scene: what the traversals share. */
#ifndef MO_QUERY_SCENE_RAY_H
#define MO_QUERY_SCENE_RAY_H

#include "mesh/query.h"
#include "scene/scene.h"

typedef struct mo_scene_ray {
  const mo_scene *scene;
  const mo_ray_def *def;
  const mo_mesh_ray_kernels *mesh_kernels;
  mo_ray ray; /* world; culls shape boxes */
  mo_ray_goal goal;
  mo_query_stats *stats;
  bool count;        /* count what happens in meshes */
  float max_t;       /* closest: t of the best hit so far */
  uint32_t shape;    /* closest: its slot, MO_NONE if nothing was hit */
  uint32_t triangle; /* closest: MO_NO_TRIANGLE for solid shapes */
  float u, v;        /* closest: weights in the triangle */
  bool front;        /* closest */
  mo_bounded *hits;  /* all */
} mo_scene_ray;

/* Room for rounding in local space, in units of the largest coordinate involved. A local ray is off
 * by 2^-24 times the amplification of the transform (at most MO_MAX_AMPLIFICATION, 2^3) for each of
 * its origin, its direction and the inverse, of the distance from the transform's origin; and the
 * triangle test adds its own 2^-18 of local coordinates (geometry/ray.h), amplified likewise. The
 * transform's origin may be twice as far from that of the world as the shape is (beyond that, the
 * shape's box has room). */
#define MO_SCENE_RAY_MARGIN 0x1p-14f

void mo_scene_ray_init(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                       mo_ray_goal goal, mo_query_stats *stats, bool count);

/* Tests one shape. Returns true if the traversal may stop. */
bool mo_scene_ray_shape(mo_scene_ray *query, uint32_t slot);

/* Fills in what a hit lacks: user data, point, normal. */
void mo_scene_ray_finish(const mo_scene_ray *query, mo_ray_hit *hit);

/* The traversals; they return true if one was stopped. */
MO_ISA_DECLARE(bool, mo_scene_trace, (mo_scene_ray * query));
bool mo_scene_walk(mo_scene_ray *query);
bool mo_scene_visit_all(mo_scene_ray *query);

/* By the one that the def asks for. */
bool mo_scene_ray_trace(mo_scene_ray *query);

static inline bool mo_filter_passes(const mo_scene *scene, const mo_filter *filter, uint32_t slot) {
  const mo_shape *shape = &scene->shapes[slot];
  if (!(shape->category & filter->mask) || !(filter->category & shape->mask)) {
    return false;
  }
  if (filter->ignore.generation == shape->generation && filter->ignore.index == slot) {
    return false;
  }
  return filter->accept == NULL ||
         filter->accept(mo_shape_id_of(scene, slot), shape->user_data, filter->context);
}

static inline void mo_count_scene_node(mo_query_stats *stats, uint32_t node) {
  stats->scene_nodes++;
  if (stats->scene_visits != NULL && node < stats->scene_visit_capacity) {
    stats->scene_visits[node]++;
  }
}

#endif
