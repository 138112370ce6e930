/* A ray against one shape: shapes that are not meshes, and the completion of hits. */
#include "query/ray/shape_ray.h"
#include "geometry/ray/body.h"
#include "query/solid.h"

/* Finds where a ray first meets a solid, a half-space, or the box of a volume: t, and the unit
 * normal there (if `normal` is not null). */
static bool cast_solid(const mo_scene_ray *query, uint32_t slot, const mo_placed_child *child,
                       float max_t, float *t, mo_vec3 *normal) {
  const mo_ray_def *def = query->def;
  const mo_shape *shape = mo_tested_shape(query->scene, slot, child);
  const mo_ray_line ray = {def->origin, def->direction, def->min_t, max_t};
  mo_solid solid;
  if (mo_geometry_read_solid(&shape->geometry, &solid)) {
    return mo_ray_test_placed_solid(&ray, &solid, &shape->affine, t, normal);
  }
  if (shape->geometry.type == MO_SHAPE_HALF_SPACE) {
    return mo_ray_test_half_space(&ray, mo_slot_half_space(query->scene, slot), t, normal);
  }
  mo_convex box = mo_convex_aabb(mo_tested_box(query->scene, slot, child));
  mo_dvec3 n;
  bool hit = mo_ray_test_convex(&ray, &box, t, &n);
  if (hit && normal != NULL) {
    *normal = mo_unit_normal(n);
  }
  return hit;
}

bool mo_scene_ray_test_solid(mo_scene_ray *query, uint32_t slot) {
  float t;
  if (!cast_solid(query, slot, query->tested_child, query->max_t, &t, NULL)) {
    return false;
  }
  switch (query->goal) {
  case MO_GOAL_CLOSEST:
    if (t < query->max_t || mo_scene_ray_comes_first(query, slot)) {
      query->max_t = t;
      query->shape = slot;
      query->child = mo_child_number(query->tested_child);
      query->triangle = MO_NO_TRIANGLE;
      query->u = query->v = 0.0f;
      query->front = true;
    }
    return false;
  case MO_GOAL_ANY:
    return true;
  case MO_GOAL_ALL:
  case MO_GOAL_FIRST:
    break;
  }
  mo_ray_hit hit =
      mo_hit_make(mo_shape_id_of(query->scene, slot), mo_child_number(query->tested_child),
                  MO_NO_TRIANGLE, t, 0.0f, 0.0f, true);
  if (query->goal == MO_GOAL_ALL) {
    mo_bounded_offer(query->hits, &hit, sizeof hit, mo_hit_before);
  } else if (mo_hit_belongs_in_list(query->hits, query->after, &hit, false)) {
    mo_list_first_hit(query->hits, &hit, &query->max_t);
  }
  return false;
}

/* Tests the ray against a mesh, on the general path. Returns true if the traversal may stop. */
static bool test_mesh(mo_scene_ray *query, const mo_shape *shape, uint32_t slot) {
  mo_mesh_hit *best = &query->mesh_best;
  mo_scene_ray_to_local(query, shape, slot);
  bool hit = mo_mesh_trace_ray(shape->geometry.mesh, query->mesh_kernels, &query->mesh_ray,
                               &query->mesh_options, query->goal, best);
  if (query->goal == MO_GOAL_FIRST) {
    query->max_t = best->max_t;
  } else if (query->goal == MO_GOAL_CLOSEST && hit) {
    mo_scene_ray_record_mesh_hit(query, slot, query->mesh_options.world_map == NULL);
  }
  return query->goal == MO_GOAL_ANY && hit;
}

/* Tests the ray against one shape or child that passes the filter, on the general path. Returns
 * true if the traversal may stop. */
static bool test_geometry(mo_scene_ray *query, const mo_shape *shape, uint32_t slot) {
  if (query->stats != NULL) {
    query->stats->shape_count++;
  }
  switch (shape->geometry.type) {
  case MO_SHAPE_MESH:
    return test_mesh(query, shape, slot);
  case MO_SHAPE_COMPOUND:
    return mo_scene_ray_test_compound(query, slot, false);
    MO_CASES_OF_BODIES
    return mo_scene_ray_test_solid(query, slot);
  }
  __builtin_unreachable();
}

bool mo_scene_ray_test_shape(mo_scene_ray *query, uint32_t slot) {
  const mo_shape *shape = &query->scene->shapes[slot];
  return (shape->geometry.type != MO_SHAPE_VOLUME || query->def->hit_volumes) &&
         mo_filter_passes(query->scene, &query->def->filter, slot) &&
         test_geometry(query, shape, slot);
}

static bool test_child(const mo_placed_child *child, double key, void *context) {
  (void)key;
  mo_compound_ray *compound = context;
  mo_scene_ray *query = compound->query;
  if (child->shape.geometry.type == MO_SHAPE_VOLUME && !query->def->hit_volumes) {
    return true;
  }
  query->tested_child = child;
  const bool stop = compound->fast ? mo_scene_ray_test_geometry_fast(query, &child->shape,
                                                                     child->slot, query->goal)
                                   : test_geometry(query, &child->shape, child->slot);
  query->tested_child = NULL;
  compound->limit = mo_ray_scaled_max_t(&compound->ray, query->max_t);
  return !stop;
}

bool mo_scene_ray_test_compound(mo_scene_ray *query, uint32_t slot, bool fast) {
  const mo_scene *scene = query->scene;
  const mo_shape *placement = &scene->shapes[slot];
  /* The origins of children may be farther from the world's origin than any box. */
  const mo_dvec3 terms =
      mo_compound_magnitude_bounds(placement->geometry.compound, &placement->affine.to_world);
  const double reach = mo_dmax(mo_dmax(terms.x, terms.y), terms.z);
  const float max = mo_max(mo_scene_max_coordinate(scene), (float)mo_dmin(reach, FLT_MAX));
  mo_compound_ray compound = {.query = query, .fast = fast};
  mo_scene_ray_prepare_for(query, max, &compound.ray);
  compound.limit = mo_ray_scaled_max_t(&compound.ray, query->max_t);
  const mo_child_visitor visitor = {mo_compound_ray_keys_by_isa[scene->isa],
                                    &compound.limit,
                                    test_child,
                                    &compound,
                                    &query->def->filter,
                                    NULL,
                                    query->stats};
  return !mo_visit_children(scene, slot, &visitor);
}

bool mo_scene_ray_test_unbounded(mo_scene_ray *query) {
  const uint32_t *slots, count = mo_scene_unbounded(query->scene, &slots);
  for (uint32_t i = 0; i < count; i++) {
    if (mo_scene_ray_test_shape(query, slots[i])) {
      return true;
    }
  }
  return false;
}

bool mo_scene_ray_test_mesh_general(mo_scene_ray *query, const mo_shape *shape, uint32_t slot) {
  mo_mesh_ray_init(&query->mesh_ray, query->def, &query->origin, &query->direction,
                   &query->axis_sizes);
  mo_mesh_ray_options_init(&query->mesh_options, query->def, NULL);
  return test_mesh(query, shape, slot);
}

void mo_scene_ray_complete_hit(const mo_scene_ray *query, mo_ray_hit *hit) {
  const mo_ray_def *def = query->def;
  uint32_t slot = hit->shape.index;
  mo_placed_child memory;
  const mo_placed_child *child = mo_child_of_hit(query->scene, slot, hit->child, &memory);
  const mo_shape *shape = mo_tested_shape(query->scene, slot, child);
  hit->user_data = shape->user_data;
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
  if (hit->triangle == MO_NO_TRIANGLE) {
    float t;
    cast_solid(query, slot, child, def->max_t, &t, &hit->normal);
    return;
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_vec3 origin = def->origin, direction = def->direction, axis_sizes;
  bool local = mo_affine_ray_to_local(&shape->affine, &origin, &direction, &axis_sizes);
  mo_dvec3 normal = mo_mesh_ray_normal(mesh, mo_mesh_triangle_place(mesh, hit->triangle),
                                       local ? NULL : &shape->affine);
  hit->triangle_user_data = mo_mesh_user_data(mesh, hit->triangle);
  hit->normal = local ? mo_affine_normal_to_world(&shape->affine, normal) : mo_unit_normal(normal);
}

void mo_scene_ray_closest(const mo_scene_ray *query, mo_ray_hit *hit) {
  *hit = (mo_ray_hit){.triangle = query->triangle};
  if (query->shape == MO_NONE) {
    return;
  }
  const mo_shape *shape = &query->scene->shapes[query->shape];
  hit->found = true;
  hit->shape = (mo_shape_id){query->shape, shape->generation};
  hit->child = query->child;
  hit->t = query->max_t;
  hit->u = query->u;
  hit->v = query->v;
  hit->front = query->front;
  const bool is_child = shape->geometry.type == MO_SHAPE_COMPOUND;
  if (query->triangle == MO_NO_TRIANGLE || !query->hit_is_local || is_child) {
    mo_scene_ray_complete_hit(query, hit);
    return;
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  hit->user_data = shape->user_data;
  hit->triangle_user_data = mo_mesh_user_data(mesh, hit->triangle);
  hit->point = mo_add(query->def->origin, mo_scale(hit->t, query->def->direction));
  hit->normal = mo_affine_normal_to_world(&shape->affine, mo_mesh_normal(mesh, query->place));
}
