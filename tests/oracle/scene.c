/* What queries on a scene must answer. */
#include <float.h>
#include <stdlib.h>

#include "geometry/overlap/overlap.h"
#include "geometry/ray/body.h"
#include "geometry/ray/triangle.h"
#include "geometry/solid/solids.h"
#include "geometry/triangle/triangle.h"
#include "mesh/overlap/overlap.h"
#include "mesh/query.h"
#include "oracle/exact.h"
#include "oracle/oracle.h"
#include "scene/shapes/shape.h"

/* The copy of a mesh, made when first needed. Shapes are read in runs of the same mesh, so this is
 * no long search. */
static uint32_t index_of_mesh(oracle_scene *oracle, const mo_mesh *mesh) {
  for (uint32_t i = 0; i < oracle->mesh_count; i++) {
    if (oracle->meshes[i].mesh == mesh) {
      if (oracle->meshes[i].count != mo_mesh_triangle_count(mesh)) {
        oracle_mesh_free(&oracle->meshes[i]);
        oracle_mesh_read(&oracle->meshes[i], mesh);
      }
      return i;
    }
  }
  oracle->meshes =
      oracle_need(realloc(oracle->meshes, (oracle->mesh_count + 1) * sizeof(oracle_mesh)));
  oracle_mesh_read(&oracle->meshes[oracle->mesh_count], mesh);
  return oracle->mesh_count++;
}

void oracle_scene_read(oracle_scene *oracle, const mo_scene *scene) {
  uint32_t total = 0;
  oracle_expect(mo_scene_get_shapes(scene, NULL, 0, &total), "mo_scene_get_shapes");
  if (total > oracle->shape_capacity) {
    oracle->shape_capacity = 2 * total;
    oracle->shapes = oracle_need(realloc(oracle->shapes, 2 * total * sizeof *oracle->shapes));
  }
  mo_shape_id *ids = oracle_need(malloc((total + 1) * sizeof *ids));
  oracle_expect(mo_scene_get_shapes(scene, ids, total, &total), "mo_scene_get_shapes");
  oracle->shape_count = total;
  for (uint32_t i = 0; i < total; i++) {
    oracle_shape *shape = &oracle->shapes[i];
    shape->id = ids[i];
    oracle_expect(mo_scene_get_shape(scene, ids[i], &shape->def), "mo_scene_get_shape");
    oracle_expect(mo_scene_get_bounds(scene, ids[i], &shape->bounds), "mo_scene_get_bounds");
    oracle_expect(mo_affine_init(&shape->affine, &shape->def.transform), "mo_affine_init");
    oracle_expect(mo_geometry_bounds(&shape->def.geometry, &shape->affine, &shape->own),
                  "mo_geometry_bounds");
    shape->mesh = shape->def.geometry.type == MO_SHAPE_MESH
                      ? index_of_mesh(oracle, shape->def.geometry.mesh)
                      : UINT32_MAX;
  }
  free(ids);
}

void oracle_scene_free(oracle_scene *oracle) {
  for (uint32_t i = 0; i < oracle->mesh_count; i++) {
    oracle_mesh_free(&oracle->meshes[i]);
  }
  free(oracle->meshes);
  free(oracle->shapes);
  *oracle = (oracle_scene){0};
}

bool oracle_half_space(const oracle_shape *shape, mo_half_space_body *made) {
  const mo_geometry *g = &shape->def.geometry;
  if (g->type != MO_SHAPE_HALF_SPACE) {
    return false;
  }
  oracle_expect(mo_half_space_make(made, &g->half_space, &shape->def.transform, NULL),
                "a half-space");
  return true;
}

static bool half_space_touches(const mo_half_space_body *half_space, const mo_body *other) {
  const mo_body body = mo_body_of_half_space(half_space);
  return mo_half_space_within(&body, other, 0);
}

bool oracle_filter_passes(const mo_filter *filter, const oracle_shape *shape) {
  if (filter == NULL) {
    return true;
  }
  if ((shape->def.category & filter->mask) == 0 || (filter->category & shape->def.mask) == 0) {
    return false;
  }
  if (shape->id.index == filter->ignore.index &&
      shape->id.generation == filter->ignore.generation) {
    return false;
  }
  return filter->accept == NULL || filter->accept(shape->id, shape->def.user_data, filter->context);
}

static const oracle_mesh *mesh_of(const oracle_scene *oracle, const oracle_shape *shape) {
  return &oracle->meshes[shape->mesh];
}

static mo_body body_of(const oracle_shape *shape) {
  mo_solid solid;
  return mo_geometry_read_solid(&shape->def.geometry, &solid)
             ? mo_body_of_solid(&solid, &shape->def.transform)
             : mo_body_of_aabb(shape->bounds);
}

static mo_body region_of(const mo_aabb *box, const mo_sphere *ball) {
  return box != NULL ? mo_body_of_aabb(*box) : mo_body_of_sphere(*ball);
}

static void to_world(const oracle_shape *shape, const oracle_triangle *triangle,
                     mo_dvec3 corners[3]) {
  for (int i = 0; i < 3; i++) {
    corners[i] = mo_affine_point_to_world(&shape->affine, triangle->corners[i]);
  }
}

/* Rays. */

static mo_dvec3 right_hand_normal(const mo_vec3 corners[3]) {
  mo_dvec3 a = mo_widen(corners[0]);
  return mo_dcross(mo_dsub(mo_widen(corners[1]), a), mo_dsub(mo_widen(corners[2]), a));
}

/* The sign of the determinant, by which a map that mirrors turns the winding around. */
static bool mirrors(const mo_transform *map) {
  mo_dvec3 n = mo_dcross(mo_widen(map->x_axis), mo_widen(map->y_axis));
  return mo_ddot(n, mo_widen(map->z_axis)) < 0;
}

static void mesh_rays(const oracle_scene *oracle, const oracle_shape *shape, const mo_ray_def *ray,
                      oracle_list *hits) {
  const oracle_mesh *mesh = mesh_of(oracle, shape);
  const mo_affine *affine = &shape->affine;
  mo_vec3 o = ray->origin, d = ray->direction, weights = mo_vec(1, 1, 1);
  if (d.x == 0 && d.y == 0 && d.z == 0) {
    return;
  }
  bool is_in_world = !mo_affine_ray_to_local(affine, &o, &d, &weights);
  bool flip = is_in_world && mirrors(&shape->def.transform);
  bool ignores = ray->ignore_triangle_shape.index == shape->id.index &&
                 ray->ignore_triangle_shape.generation == shape->id.generation;
  mo_ray prepared;
  const mo_vec3 none = {0, 0, 0};
  mo_ray_init(&prepared, &o, &d, ray->min_t, &weights, &none, 0);
  oracle_line line = oracle_line_make(mesh, o, d, weights);
  line.all = line.all || is_in_world;
  unsigned char near[ORACLE_TOGETHER];
  for (uint32_t i = 0; i < mesh->count; i++) {
    if (i % ORACLE_TOGETHER == 0) {
      oracle_line_near(mesh, &line, i, near);
    }
    if (!near[i % ORACLE_TOGETHER]) {
      continue;
    }
    const oracle_triangle *triangle = &mesh->triangles[i];
    mo_vec3 c[3] = {triangle->corners[0], triangle->corners[1], triangle->corners[2]};
    for (int j = 0; is_in_world && j < 3; j++) {
      c[j] = mo_affine_point_to_world_float(affine, triangle->corners[j]);
    }
    mo_triangle_hit hit;
    if ((ignores && i == ray->ignore_triangle) ||
        !mo_ray_test_nondegenerate_triangle(&prepared, c, ray->max_t, false, &hit) ||
        exact_is_degenerate(c)) {
      continue;
    }
    bool front = hit.front != flip;
    if ((ray->cull_back_faces && !front) ||
        (ray->accept_triangle != NULL &&
         !ray->accept_triangle((mo_triangle_ref){shape->id, i, 0}, hit.t, ray->accept_context))) {
      continue;
    }
    mo_dvec3 n = right_hand_normal(c);
    *(mo_ray_hit *)oracle_list_add(hits, sizeof(mo_ray_hit)) = (mo_ray_hit){
        .found = true,
        .shape = shape->id,
        .user_data = shape->def.user_data,
        .triangle = i,
        .triangle_user_data = triangle->user_data,
        .t = hit.t,
        .point = mo_add(ray->origin, mo_scale(hit.t, ray->direction)),
        .normal = is_in_world ? oracle_unit(flip ? mo_dscale(-1, n) : n)
                              : mo_affine_normal_to_world(affine, n),
        .u = hit.u,
        .v = hit.v,
        .front = front,
    };
  }
}

static void solid_ray(const oracle_shape *shape, const mo_ray_def *ray, oracle_list *hits) {
  const mo_geometry *g = &shape->def.geometry;
  const mo_affine *affine = &shape->affine;
  mo_vec3 o = ray->origin, d = ray->direction, weights = mo_vec(1, 1, 1);
  mo_solid solid;
  bool local =
      mo_geometry_read_solid(g, &solid) && mo_affine_ray_to_local(affine, &o, &d, &weights);
  const mo_ray_line line = {o, d, ray->min_t, ray->max_t}; /* local if `local` */
  float t = 0;
  mo_dvec3 n = {0, 0, 0};
  bool hit;
  if (local) {
    hit = mo_ray_test_solid(&line, &solid, &t, &n);
  } else {
    const mo_convex convex = body_of(shape).convex;
    hit = mo_ray_test_convex(&line, &convex, &t, &n);
  }
  if (hit && local && mo_lengths_differ_greatly(weights)) {
    const mo_convex convex = body_of(shape).convex;
    hit = mo_ray_point_is_in_box(ray->origin, ray->direction, t, mo_convex_bounds(&convex),
                                 MO_LOCAL_RAY_PRECISION);
  }
  if (hit) {
    *(mo_ray_hit *)oracle_list_add(hits, sizeof(mo_ray_hit)) = (mo_ray_hit){
        .found = true,
        .shape = shape->id,
        .user_data = shape->def.user_data,
        .triangle = MO_NO_TRIANGLE,
        .t = t,
        .point = mo_add(ray->origin, mo_scale(t, ray->direction)),
        .normal = local ? mo_affine_normal_to_world(affine, n) : oracle_unit(n),
        .front = true,
    };
  }
}

/* The first point from min_t on that is not above the plane, if t is no larger than floats are. */
static void half_space_ray(const oracle_shape *shape, const mo_half_space_body *half_space,
                           const mo_ray_def *ray, oracle_list *hits) {
  double height = mo_half_space_height(half_space, mo_widen(ray->origin));
  double rise = mo_ddot(half_space->normal, mo_widen(ray->direction)), t = ray->min_t;
  double begin = rise == 0 ? height : rise > 0 ? t - height / -rise : height / -rise - t;
  mo_vec3 normal = {0, 0, 0};
  if (begin > 0) {
    if (rise >= 0) {
      return;
    }
    t = height / -rise;
    normal = mo_narrow(half_space->normal);
  }
  if (t <= (double)FLT_MAX && (float)t <= ray->max_t) {
    *(mo_ray_hit *)oracle_list_add(hits, sizeof(mo_ray_hit)) = (mo_ray_hit){
        .found = true,
        .shape = shape->id,
        .user_data = shape->def.user_data,
        .triangle = MO_NO_TRIANGLE,
        .t = (float)t,
        .point = mo_add(ray->origin, mo_scale((float)t, ray->direction)),
        .normal = normal,
        .front = true,
    };
  }
}

static int compare_hits(const void *left, const void *right) {
  const mo_ray_hit *a = left, *b = right;
  if (a->t != b->t) {
    return a->t < b->t ? -1 : 1;
  }
  if (a->shape.index != b->shape.index) {
    return a->shape.index < b->shape.index ? -1 : 1;
  }
  return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

void oracle_scene_rays(const oracle_scene *oracle, const mo_ray_def *ray, oracle_list *hits) {
  mo_vec3 d = ray->direction;
  if (d.x == 0 && d.y == 0 && d.z == 0) {
    return;
  }
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    mo_shape_type type = shape->def.geometry.type;
    if (!oracle_filter_passes(&ray->filter, shape) ||
        (type == MO_SHAPE_VOLUME && !ray->hit_volumes)) {
      continue;
    }
    mo_half_space_body half_space;
    if (type == MO_SHAPE_MESH) {
      mesh_rays(oracle, shape, ray, hits);
    } else if (oracle_half_space(shape, &half_space)) {
      half_space_ray(shape, &half_space, ray, hits);
    } else {
      solid_ray(shape, ray, hits);
    }
  }
  if (hits->count > 1) {
    qsort(hits->items, hits->count, sizeof(mo_ray_hit), compare_hits);
  }
}

/* Overlap. `box` and `ball`: one of them is null. */

static bool triangle_overlaps(const oracle_shape *shape, const oracle_triangle *triangle,
                              const mo_aabb *box, const mo_sphere *ball) {
  mo_dvec3 corners[3];
  to_world(shape, triangle, corners);
  return box != NULL ? mo_triangle_overlaps_aabb(corners, *box)
                     : mo_triangle_overlaps_sphere(corners, *ball);
}

static mo_aabb box_around(const mo_aabb *box, const mo_sphere *ball) {
  if (box != NULL) {
    return *box;
  }
  mo_vec3 c = ball->center;
  float r = ball->radius;
  return (mo_aabb){{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
}

static bool bounds_overlap(mo_aabb bounds, const mo_aabb *box, const mo_sphere *ball) {
  if (box != NULL) {
    return mo_aabb_overlap(bounds, *box);
  }
  /* An empty mesh has no bounds. */
  if (mo_aabb_is_empty(bounds)) {
    return false;
  }
  const mo_body around = mo_body_of_aabb(bounds), solid = mo_body_of_sphere(*ball);
  return mo_bodies_within_by_gjk(&around, &solid, 0.0);
}

static bool shape_overlaps(const oracle_scene *oracle, const oracle_shape *shape,
                           const mo_aabb *box, const mo_sphere *ball, mo_precision precision) {
  mo_shape_type type = shape->def.geometry.type;
  mo_half_space_body half_space;
  if (oracle_half_space(shape, &half_space)) {
    const mo_body region = region_of(box, ball);
    return half_space_touches(&half_space, &region);
  }
  if (precision == MO_PRECISION_BOUNDS || type == MO_SHAPE_VOLUME) {
    return bounds_overlap(shape->bounds, box, ball);
  }
  if (type != MO_SHAPE_MESH) {
    const mo_body solid = body_of(shape);
    const mo_body region = region_of(box, ball);
    return mo_bodies_within_by_gjk(&solid, &region, 0.0);
  }
  const oracle_mesh *mesh = mesh_of(oracle, shape);
  if (mesh->count == 0 || oracle_far_apart(shape->bounds, box_around(box, ball))) {
    return false;
  }
  for (uint32_t i = 0; i < mesh->count; i++) {
    if (triangle_overlaps(shape, &mesh->triangles[i], box, ball)) {
      return true;
    }
  }
  return false;
}

static void overlapping_shapes(const oracle_scene *oracle, const mo_aabb *box,
                               const mo_sphere *ball, const mo_overlap_def *def,
                               oracle_list *shapes) {
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (oracle_filter_passes(def != NULL ? &def->filter : NULL, shape) &&
        shape_overlaps(oracle, shape, box, ball,
                       def != NULL ? def->precision : MO_PRECISION_GEOMETRY)) {
      *(mo_shape_id *)oracle_list_add(shapes, sizeof(mo_shape_id)) = shape->id;
    }
  }
}

static void overlapping_triangles(const oracle_scene *oracle, const mo_aabb *box,
                                  const mo_sphere *ball, const mo_overlap_def *def,
                                  oracle_list *triangles) {
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (shape->def.geometry.type != MO_SHAPE_MESH ||
        !oracle_filter_passes(def != NULL ? &def->filter : NULL, shape)) {
      continue;
    }
    const oracle_mesh *mesh = mesh_of(oracle, shape);
    bool apart = mesh->count == 0 || oracle_far_apart(shape->bounds, box_around(box, ball));
    for (uint32_t j = 0; !apart && j < mesh->count; j++) {
      if (triangle_overlaps(shape, &mesh->triangles[j], box, ball)) {
        *(mo_triangle_ref *)oracle_list_add(triangles, sizeof(mo_triangle_ref)) =
            (mo_triangle_ref){shape->id, j, 0};
      }
    }
  }
}

void oracle_scene_aabb(const oracle_scene *oracle, const mo_aabb *box, const mo_overlap_def *def,
                       oracle_list *shapes) {
  overlapping_shapes(oracle, box, NULL, def, shapes);
}

void oracle_scene_sphere(const oracle_scene *oracle, const mo_sphere *sphere,
                         const mo_overlap_def *def, oracle_list *shapes) {
  overlapping_shapes(oracle, NULL, sphere, def, shapes);
}

void oracle_scene_aabb_triangles(const oracle_scene *oracle, const mo_aabb *box,
                                 const mo_overlap_def *def, oracle_list *triangles) {
  overlapping_triangles(oracle, box, NULL, def, triangles);
}

void oracle_scene_sphere_triangles(const oracle_scene *oracle, const mo_sphere *sphere,
                                   const mo_overlap_def *def, oracle_list *triangles) {
  overlapping_triangles(oracle, NULL, sphere, def, triangles);
}

static bool contains(const oracle_scene *oracle, const oracle_shape *shape, mo_vec3 point,
                     mo_precision precision) {
  mo_shape_type type = shape->def.geometry.type;
  mo_half_space_body half_space;
  if (oracle_half_space(shape, &half_space)) {
    const mo_body dot = mo_body_of_sphere((mo_sphere){point, 0});
    return half_space_touches(&half_space, &dot);
  }
  if (precision == MO_PRECISION_BOUNDS || type == MO_SHAPE_VOLUME) {
    return mo_aabb_contains(shape->bounds, (mo_aabb){point, point});
  }
  if (type != MO_SHAPE_MESH) {
    const mo_body solid = body_of(shape), dot = mo_body_of_sphere((mo_sphere){point, 0});
    return mo_bodies_within_by_gjk(&solid, &dot, 0.0);
  }
  /* An open mesh may be crossed an odd number of times from outside. */
  if (!mo_aabb_contains(shape->own, (mo_aabb){point, point})) {
    return false;
  }
  const oracle_mesh *mesh = mesh_of(oracle, shape);
  const mo_affine *affine = &shape->affine;
  if (affine->invertible) {
    return oracle_mesh_contains(mesh, mo_affine_point_to_local(affine, point));
  }
  mo_aabb image = mo_affine_aabb_to_world(affine, oracle_mesh_bounds(mesh));
  if (mesh->count == 0 || !mo_aabb_contains(image, (mo_aabb){point, point})) {
    return false;
  }
  uint32_t crossings = 0;
  for (uint32_t i = 0; i < mesh->count; i++) {
    mo_vec3 c[3];
    for (int j = 0; j < 3; j++) {
      c[j] = mo_affine_point_to_world_float(affine, mesh->triangles[i].corners[j]);
    }
    crossings += mo_triangle_crosses_x_ray(c, point);
  }
  return crossings & 1;
}

void oracle_scene_point(const oracle_scene *oracle, mo_vec3 point, const mo_overlap_def *def,
                        oracle_list *shapes) {
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    if (oracle_filter_passes(def != NULL ? &def->filter : NULL, shape) &&
        contains(oracle, shape, point, def != NULL ? def->precision : MO_PRECISION_GEOMETRY)) {
      *(mo_shape_id *)oracle_list_add(shapes, sizeof(mo_shape_id)) = shape->id;
    }
  }
}

/* Culling. */

/* The value of a plane at the corner of a box farthest along its normal, or against it. */
static double value_at(const mo_plane *plane, mo_aabb box, bool along) {
  mo_vec3 n = plane->normal;
  double x = (n.x >= 0) == along ? box.upper.x : box.lower.x;
  double y = (n.y >= 0) == along ? box.upper.y : box.lower.y;
  double z = (n.z >= 0) == along ? box.upper.z : box.lower.z;
  return n.x * x + n.y * y + n.z * z + plane->offset;
}

void oracle_scene_planes(const oracle_scene *oracle, const mo_plane *planes, uint32_t plane_count,
                         const mo_filter *filter, oracle_list *shapes) {
  for (uint32_t i = 0; i < oracle->shape_count; i++) {
    const oracle_shape *shape = &oracle->shapes[i];
    bool endless = shape->def.geometry.type == MO_SHAPE_HALF_SPACE;
    bool excluded = mo_aabb_is_empty(shape->bounds), inside = !endless || plane_count == 0;
    for (uint32_t j = 0; !endless && !excluded && j < plane_count; j++) {
      excluded = value_at(&planes[j], shape->bounds, true) < 0;
      inside = inside && value_at(&planes[j], shape->bounds, false) >= 0;
    }
    if (!excluded && oracle_filter_passes(filter, shape)) {
      *(mo_cull_result *)oracle_list_add(shapes, sizeof(mo_cull_result)) =
          (mo_cull_result){shape->id, inside};
    }
  }
}
