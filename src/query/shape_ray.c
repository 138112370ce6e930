/* A ray against one shape: into its local space where that is possible, else in the world. */
#include "query/scene_ray.h"
#include "query/solid.h"

void mo_scene_ray_init(mo_scene_ray *query, const mo_scene *scene, const mo_ray_def *def,
                       mo_ray_goal goal, mo_query_stats *stats, bool count) {
  mo_vec3 reach = mo_vec(0.0f, 0.0f, 0.0f);
  if (!mo_aabb_is_empty(scene->root_bounds)) {
    reach = mo_aabb_reach(scene->root_bounds);
  }
  /* Rotations mix the axes, so the margin is the same for all. */
  float most = mo_max(mo_max(reach.x, reach.y), reach.z);
  most += mo_max(mo_max(fabsf(def->origin.x), fabsf(def->origin.y)), fabsf(def->origin.z));
  *query = (mo_scene_ray){
      .scene = scene,
      .def = def,
      .mesh_kernels = mo_mesh_ray_kernels_for(scene->isa),
      .goal = goal,
      .stats = stats,
      .count = count || def->traversal != MO_TRAVERSAL_FAST,
      .max_t = def->max_t,
      .shape = MO_NONE,
      .triangle = MO_NO_TRIANGLE,
  };
  reach = mo_vec(most, most, most);
  const mo_vec3 weights = {1.0f, 1.0f, 1.0f};
  mo_ray_init(&query->ray, &def->origin, &def->direction, def->min_t, &weights, &reach,
              MO_SCENE_RAY_MARGIN);
}

static bool ray_mesh(mo_scene_ray *query, uint32_t slot) {
  const mo_ray_def *def = query->def;
  const mo_shape *shape = &query->scene->shapes[slot];
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_vec3 origin = def->origin, direction = def->direction, weights = mo_vec(1.0f, 1.0f, 1.0f);
  bool local = mo_affine_ray_to_local(&shape->affine, &origin, &direction, &weights);
  mo_mesh_ray mesh_ray;
  mo_mesh_ray_init(&mesh_ray, def, &origin, &direction, &weights, local ? NULL : &shape->affine,
                   query->count ? query->stats : NULL);
  mesh_ray.shape = mo_shape_id_of(query->scene, slot);
  mesh_ray.max_t = query->max_t;
  mesh_ray.hits = query->hits;
  if (def->ignore_triangle_shape.index != slot ||
      def->ignore_triangle_shape.generation != shape->generation) {
    mesh_ray.ignore = MO_NO_TRIANGLE;
  }
  bool any = mo_mesh_trace(mesh, query->mesh_kernels, &mesh_ray, query->goal);
  if (query->goal == MO_GOAL_CLOSEST && mesh_ray.triangle != MO_NO_TRIANGLE &&
      (mesh_ray.max_t < query->max_t || slot < query->shape)) {
    query->max_t = mesh_ray.max_t;
    query->shape = slot;
    query->triangle = mesh_ray.triangle;
    query->u = mesh_ray.u;
    query->v = mesh_ray.v;
    query->front = mesh_ray.front;
  }
  return query->goal == MO_GOAL_ANY && any;
}

/* The first point of a solid shape on the ray; the normal is a world vector of any length. */
static bool cast_solid(const mo_scene_ray *query, uint32_t slot, float max_t, float *t,
                       mo_vec3 *normal) {
  const mo_ray_def *def = query->def;
  const mo_shape *shape = &query->scene->shapes[slot];
  const mo_geometry *g = &shape->geometry;
  mo_vec3 o = def->origin, d = def->direction, weights;
  mo_dvec3 n = {0.0, 0.0, 0.0};
  bool local =
      g->type != MO_SHAPE_VOLUME && mo_affine_ray_to_local(&shape->affine, &o, &d, &weights);
  bool hit;
  if (!local) {
    mo_convex solid = mo_solid_of(shape, mo_stored_box(query->scene, slot));
    hit = mo_ray_convex(o, d, def->min_t, max_t, &solid, t, &n);
  } else if (g->type == MO_SHAPE_SPHERE) {
    hit = mo_ray_sphere(o, d, def->min_t, max_t, g->sphere, t, &n);
  } else if (g->type == MO_SHAPE_BOX) {
    hit = mo_ray_box(o, d, def->min_t, max_t, g->box.center, g->box.half_extents, t, &n);
  } else {
    hit = mo_ray_capsule(o, d, def->min_t, max_t, g->capsule.a, g->capsule.b, g->capsule.radius, t,
                         &n);
  }
  if (hit && normal != NULL) {
    *normal = local ? mo_affine_normal_to_world(&shape->affine, n) : mo_unit_normal(n);
  }
  return hit;
}

static bool ray_solid(mo_scene_ray *query, uint32_t slot) {
  float t;
  if (!cast_solid(query, slot, query->max_t, &t, NULL)) {
    return false;
  }
  switch (query->goal) {
  case MO_GOAL_CLOSEST:
    if (t < query->max_t || slot < query->shape) {
      query->max_t = t;
      query->shape = slot;
      query->triangle = MO_NO_TRIANGLE;
      query->u = query->v = 0.0f;
      query->front = true;
    }
    return false;
  case MO_GOAL_ANY:
    return true;
  case MO_GOAL_ALL:
    break;
  }
  mo_ray_hit hit = {.found = true,
                    .shape = mo_shape_id_of(query->scene, slot),
                    .triangle = MO_NO_TRIANGLE,
                    .t = t,
                    .front = true};
  mo_bounded_offer(query->hits, &hit, sizeof hit, mo_hit_before);
  return false;
}

bool mo_scene_ray_shape(mo_scene_ray *query, uint32_t slot) {
  mo_shape_type type = query->scene->shapes[slot].geometry.type;
  if ((type == MO_SHAPE_VOLUME && !query->def->hit_volumes) ||
      !mo_filter_passes(query->scene, &query->def->filter, slot)) {
    return false;
  }
  query->stats->shapes++;
  return type == MO_SHAPE_MESH ? ray_mesh(query, slot) : ray_solid(query, slot);
}

void mo_scene_ray_finish(const mo_scene_ray *query, mo_ray_hit *hit) {
  const mo_ray_def *def = query->def;
  uint32_t slot = hit->shape.index;
  const mo_shape *shape = &query->scene->shapes[slot];
  hit->user_data = shape->user_data;
  hit->point = mo_add(def->origin, mo_scale(hit->t, def->direction));
  if (hit->triangle == MO_NO_TRIANGLE) {
    float t;
    cast_solid(query, slot, def->max_t, &t, &hit->normal);
    return;
  }
  const mo_mesh *mesh = shape->geometry.mesh;
  mo_vec3 origin = def->origin, direction = def->direction, weights;
  bool local = mo_affine_ray_to_local(&shape->affine, &origin, &direction, &weights);
  mo_dvec3 normal =
      mo_mesh_ray_normal(mesh, mesh->places[hit->triangle], local ? NULL : &shape->affine);
  hit->triangle_user_data = mesh->user_data != NULL ? mesh->user_data[hit->triangle] : 0;
  hit->normal = local ? mo_affine_normal_to_world(&shape->affine, normal) : mo_unit_normal(normal);
}
