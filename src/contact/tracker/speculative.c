/* Speculative contacts that follow the speed of approach
 * (mo_contact_tracker_def::max_speculative_distance).
 *
 * Say that A moves by d relative to B until the next update, and that the plane with normal n (from
 * A to B) separates them by s. If d * n < s, the plane still separates them at the next
 * update, and at all times between, so a solver has nothing to prevent. If not, they may touch, and
 * the contact is kept. So convex shapes that do not rotate never overlap without a contact in the
 * update before.
 *
 * In a mesh with `edges`, only triangles that are local minima of the distance have contacts, but
 * the shape may be about to touch another triangle. So if none of these contacts is kept, the shape
 * is cast along its path, and has a contact with the triangle that it touches first. */
#include "contact/tracker/tracker.h"
#include "mesh/cast/cast.h"
#include "scene/shapes/displacements.h"

mo_speculative_limits mo_speculative_limits_of(const mo_contact_tracker *tracker,
                                               const mo_pair *pair) {
  const mo_scene *scene = tracker->log.scene;
  const double min = (double)tracker->def.speculative_distance,
               limit = (double)tracker->def.max_speculative_distance;
  mo_speculative_limits reach = {.min = min, .max = min, .limit = limit};
  if (limit > min) {
    reach.displacement = mo_dsub(mo_widen(mo_slot_displacement(scene, pair->a.index)),
                                 mo_widen(mo_slot_displacement(scene, pair->b.index)));
    /* `max` is rounded up to multiples of `reuse_distance`, as contacts can be reused only while it
     * stays the same. */
    const double step = (double)tracker->def.reuse_distance,
                 length = mo_dlength(reach.displacement);
    reach.max = fmin(limit, min + (step > 0.0 ? step * ceil(length / step) : length));
  }
  return reach;
}

/* The greatest separation that contact points with this normal may have. */
static double max_separation_along(const mo_speculative_limits *reach, mo_vec3 normal) {
  double approach = mo_ddot(reach->displacement, mo_widen(normal));
  return approach > 0.0 ? fmin(reach->limit, reach->min + approach) : reach->min;
}

static double limit_along_normals(const mo_speculative_limits *reach, const void *contacts,
                                  size_t size, uint32_t count) {
  double needed = reach->min;
  for (uint32_t i = 0; i < count; i++) {
    const mo_manifold *m = &mo_contact_in_list(contacts, size, i)->manifold;
    if (m->point_count > 0) {
      needed = fmax(needed, max_separation_along(reach, m->normal));
    }
  }
  return needed;
}

static bool has_point_within(const mo_manifold *m, double max) {
  bool has = false;
  for (uint32_t i = 0; i < m->point_count && !has; i++) {
    has = (double)m->points[i].separation <= max;
  }
  return has;
}

double mo_speculative_limit_of_second_search(const mo_speculative_limits *reach,
                                             const void *contacts, size_t size, uint32_t count) {
  if (count == 0 || !(reach->max > 2.0 * reach->min)) {
    return reach->max;
  }
  const double needed = limit_along_normals(reach, contacts, size, count);
  bool has_near_point = false;
  for (uint32_t i = 0; i < count && !has_near_point; i++) {
    has_near_point = has_point_within(&mo_contact_in_list(contacts, size, i)->manifold, needed);
  }
  return reach->max - needed > reach->min && has_near_point ? needed : reach->max;
}

uint32_t mo_speculative_find_far_points(const mo_speculative_limits *reach, const mo_manifold *m) {
  uint32_t far = 0;
  const double max = m->point_count > 0 ? max_separation_along(reach, m->normal) : 0.0;
  for (uint32_t i = 0; i < m->point_count; i++) {
    far |= (uint32_t)((double)m->points[i].separation > max) << i;
  }
  return far;
}

/* --- contacts by casts --- */

static bool has_near_points(const mo_speculative_limits *reach, const mo_tracked_contact *contacts,
                            uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const mo_manifold *m = &contacts[i].contact.manifold;
    if (mo_speculative_find_far_points(reach, m) != (1u << m->point_count) - 1) {
      return true;
    }
  }
  return false;
}

/* The records of the shapes or children of a pair. */
typedef struct pair_records {
  const mo_shape *a, *b;
} pair_records;

static pair_records records_of(const mo_scene *scene, const mo_speculative_pair *pair) {
  return (pair_records){mo_tested_shape(scene, pair->pair.a.index, pair->child_a),
                        mo_tested_shape(scene, pair->pair.b.index, pair->child_b)};
}

/* Casts a convex shape or a mesh along `displacement` at a mesh that stays where it is. `id`: that
 * of the mesh at rest. */
static mo_cast_hit cast_at_mesh(const mo_contact_tracker *tracker, const mo_shape *moving,
                                const mo_shape *still, mo_shape_id id, mo_vec3 displacement) {
  const mo_scene *scene = tracker->log.scene;
  mo_shape_cast_def def = mo_default_shape_cast_def();
  def.primitive = mo_primitive_of_geometry(&moving->geometry, &moving->affine.to_world);
  def.displacement = displacement;
  def.options.cull_back_faces = tracker->def.cull_back_faces;
  mo_cast_hit hit = {.found = false};
  const mo_cast_call call = {.subject = scene, .mover = MO_CAST_SHAPE, .def = &def};
  mo_cast cast;
  if (mo_cast_prepare(&cast, &call, MO_CAST_FIRST, NULL) !=
      MO_OK) { /* coordinates are out of the range of casts */
    return hit;
  }
  mo_query_stats counts = {0};
  mo_mesh_cast query;
  mo_mesh_cast_init(&query, still->geometry.mesh, &cast, &still->affine, id, 1.0f);
  mo_mesh_cast_find(&query, scene->isa, &counts);
  hit = mo_mesh_cast_result(&query);
  if (hit.found) {
    mo_mesh_cast_set_features(&cast, still->geometry.mesh, &still->affine, &hit);
  }
  return hit;
}

static mo_vec3 relative_to_shape_origin(const mo_scene *scene, uint32_t slot, mo_dvec3 position) {
  return mo_narrow(mo_dsub(position, mo_widen(scene->shapes[slot].affine.to_world.origin)));
}

/* Makes the contact of a shape with the triangle that a cast has found: one point, where the shape
 * will touch the triangle. `mesh_first`: the triangle is that of shape A. */
static mo_contact make_contact_of_hit(const mo_scene *scene, const mo_speculative_pair *pair,
                                      bool mesh_first, const mo_cast_hit *hit,
                                      mo_vec3 displacement) {
  const mo_shape_id a = pair->pair.a, b = pair->pair.b;
  const pair_records records = records_of(scene, pair);
  mo_contact c = {
      .a = a,
      .b = b,
      .child_a = mo_child_number(pair->child_a),
      .child_b = mo_child_number(pair->child_b),
      .user_data_a = records.a->user_data,
      .user_data_b = records.b->user_data,
      .triangle_a = mesh_first ? hit->triangle : hit->own_triangle,
      .triangle_b = mesh_first ? hit->own_triangle : hit->triangle,
      .triangle_user_data_a = mesh_first ? hit->triangle_user_data : hit->own_triangle_user_data,
      .triangle_user_data_b = mesh_first ? hit->own_triangle_user_data : hit->triangle_user_data};
  const double separation =
      -(double)hit->t * mo_ddot(mo_widen(displacement), mo_widen(hit->normal));
  const mo_dvec3 position =
      mo_dadd(mo_widen(hit->point), mo_dscale(0.5 * separation, mo_widen(hit->normal)));
  const uint32_t on_mesh = (uint32_t)hit->feature << 30 | hit->feature_index;
  const uint32_t on_body = (uint32_t)hit->own_feature << 30 | hit->own_feature_index;
  mo_manifold *m = &c.manifold;
  m->normal = mesh_first ? hit->normal : mo_scale(-1.0f, hit->normal);
  m->point_count = 1;
  m->touching = separation <= 0.0;
  m->points[0] = (mo_manifold_point){
      .position = mo_narrow(position),
      .anchor_a = relative_to_shape_origin(scene, a.index, position),
      .anchor_b = relative_to_shape_origin(scene, b.index, position),
      .separation = (float)separation,
      .id = (uint64_t)(mesh_first ? on_mesh : on_body) << 32 | (mesh_first ? on_body : on_mesh),
  };
  return c;
}

/* Which shape of a pair is cast at the other, which is a mesh. */
typedef enum cast_shape { CAST_NONE, CAST_FIRST, CAST_SECOND } cast_shape;

/* Of two meshes, the one with fewer triangles is cast. */
static cast_shape shape_to_cast(const pair_records *records) {
  const mo_contact_class a = mo_contact_class_of(&records->a->geometry),
                         b = mo_contact_class_of(&records->b->geometry);
  if (a == MO_CLASS_SURFACE && b == MO_CLASS_SURFACE) {
    return records->a->geometry.mesh->triangle_count < records->b->geometry.mesh->triangle_count
               ? CAST_FIRST
               : CAST_SECOND;
  }
  return a == MO_CLASS_SURFACE && b == MO_CLASS_CONVEX   ? CAST_SECOND
         : a == MO_CLASS_CONVEX && b == MO_CLASS_SURFACE ? CAST_FIRST
                                                         : CAST_NONE;
}

bool mo_speculative_cast(const mo_contact_tracker *tracker, const mo_speculative_pair *pair,
                         const mo_speculative_limits *reach, const mo_tracked_contact *contacts,
                         uint32_t count, mo_contact *made) {
  const mo_scene *scene = tracker->log.scene;
  const pair_records records = records_of(scene, pair);
  const cast_shape moving = shape_to_cast(&records);
  if (reach->max <= reach->min || moving == CAST_NONE || has_near_points(reach, contacts, count)) {
    return false;
  }
  const bool mesh_first = moving == CAST_SECOND;
  const double length = mo_dlength(reach->displacement);
  const double part = fmin(1.0, (reach->limit - reach->min) / length);
  const mo_vec3 displacement = mo_narrow(mo_dscale(mesh_first ? -part : part, reach->displacement));
  const mo_cast_hit hit =
      mesh_first ? cast_at_mesh(tracker, records.b, records.a, pair->pair.a, displacement)
                 : cast_at_mesh(tracker, records.a, records.b, pair->pair.b, displacement);
  if (hit.found) {
    *made = make_contact_of_hit(scene, pair, mesh_first, &hit, displacement);
  }
  return hit.found;
}
